"""The course of a tuning as one SVG file, which any browser shows: a panel for each parameter."""

from collections.abc import Callable, Iterator, Sequence
from html import escape

from arena.texts import flat
from arena.tuning.found import TunedParameter

WIDTH, PANEL, LEFT, RIGHT, TOP, INNER = 760, 150, 70, 30, 64, 92
"""Of the picture, of a panel, and of what is around the course in it, in pixels."""
COURSE, START, BAND, WORDS = "#1f6f54", "#8a8a8a", "#bfe3d3", "#222222"
DRAWN = 400
"""Points of a course that are drawn; more would not be seen."""


def svg(title: str, tuned: Sequence[TunedParameter], games: int) -> str:
    """The picture: the course of each parameter, its start, its tuned value, and where the best one lies."""
    height = TOP + PANEL * len(tuned)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family="sans-serif" font-size="12" fill="{WORDS}" role="img">',
        f"<title>{_text(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="24" font-size="15">{_text(title)}</text>',
        f'<text x="{LEFT}" y="44">line: the course; dashed: where it began; band: where the best value lies, '
        "95 times in 100; dot: the tuned value</text>",
    ]
    for number, parameter in enumerate(tuned):
        parts += _panel(parameter, TOP + PANEL * number, games)
    return "\n".join([*parts, "</svg>", ""])


def _panel(parameter: TunedParameter, top: int, games: int) -> Iterator[str]:
    one, end = parameter.one, WIDTH - RIGHT

    def down(value: float) -> float:
        return round(top + 24 + INNER * (1 - (value - one.low) / (one.high - one.low)), 1)

    interval = parameter.interval
    shown = f"{interval[0]:g} to {interval[1]:g}" if interval else "these games show no best value"
    yield f'<text x="{LEFT}" y="{top + 16}" font-weight="bold">{_text(one.name)}: {parameter.value:g} ({shown})</text>'
    if interval is not None:
        tall = round(max(1.0, down(interval[0]) - down(interval[1])), 1)
        yield f'<rect x="{LEFT}" y="{down(interval[1])}" width="{end - LEFT}" height="{tall}" fill="{BAND}"/>'
    yield f'<rect x="{LEFT}" y="{top + 24}" width="{end - LEFT}" height="{INNER}" fill="none" stroke="#cccccc"/>'
    for value in (one.low, one.high):
        yield f'<text x="{LEFT - 6}" y="{down(value) + 4}" text-anchor="end">{value:g}</text>'
    at = down(parameter.start)
    yield f'<path d="M{LEFT} {at}H{end}" stroke="{START}" stroke-dasharray="4 4" fill="none"/>'
    yield f'<path d="{_line(parameter.course, down)}" stroke="{COURSE}" stroke-width="1.5" fill="none"/>'
    yield f'<circle cx="{end}" cy="{down(parameter.value)}" r="4" fill="{COURSE}"/>'
    yield f'<text x="{LEFT}" y="{top + 24 + INNER + 14}">0 games</text>'
    yield f'<text x="{end}" y="{top + 24 + INNER + 14}" text-anchor="end">{games:,} games</text>'


def _line(course: Sequence[float], down: Callable[[float], float]) -> str:
    last = max(1, len(course) - 1)
    wanted = sorted({round(last * i / (DRAWN - 1)) for i in range(DRAWN)} & set(range(len(course))))
    points = (f"{round(LEFT + (WIDTH - RIGHT - LEFT) * i / last, 1)} {down(course[i])}" for i in wanted)
    return "M" + "L".join(points)


def _text(words: str) -> str:
    return escape(flat(words))
