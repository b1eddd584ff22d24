"""Parts of drawings: axes, paths, columns of bars, panels."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from arena.league.report.markup import Html, bot_name, figure, tag
from arena.league.statistics import Estimate


@dataclass(frozen=True, slots=True)
class Axis:
    """Maps values to coordinates; values beyond an end stay at that end."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def over(cls, values: Iterable[float], start: float, end: float) -> "Axis":
        listed = list(values)
        low, high = min(listed), max(listed)
        room = 0.04 * (high - low) or 1.0
        return cls(low - room, high + room, start, end)

    def at(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + (self.end - self.start) * min(1.0, max(0.0, share))

    def ticks(self, most: int) -> list[float]:
        """Round whole numbers."""
        step = max(1.0, round_step((self.high - self.low) / most))
        return [step * k for k in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]

    def moved(self, start: float, end: float) -> "Axis":
        return Axis(self.low, self.high, start, end)


def round_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is at least this."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(step for step in (power, 2 * power, 5 * power, 10 * power) if step >= least * 0.9999)


def svg(title: str, width: float, height: float, *content: Html, class_: str | None = None, desc: str = "") -> Html:
    words = [tag("title", title), *([tag("desc", desc)] if desc else [])]
    return tag("svg", *words, *content, viewBox=f"0 0 {width:g} {height:g}", role="img", class_=class_)


def svg_text(x: float, y: float, text: str, anchor: str | None = None, class_: str | None = None) -> Html:
    return tag("text", text, x=x, y=y, text_anchor=anchor, class_=class_)


def svg_path(data: str, class_: str) -> Html:
    return tag("path", d=data, class_=class_)


def line_through(points: Iterable[tuple[float, float]]) -> str:
    return "M" + " ".join(f"{figure(x)},{figure(y)}" for x, y in points)


BAR, BAR_HEIGHT, BAR_END = 220.0, 20.0, 20.0
"""The ends of a bar's axis leave room for half a label."""


def bar_axis(estimates: Iterable[Estimate]) -> Axis:
    ends = [end for estimate in estimates for end in (estimate.low, estimate.high)]
    return Axis.over(ends, BAR_END, BAR - BAR_END)


def grid_lines(axis: Axis, ticks: Iterable[float], height: float) -> Html:
    return svg_path("".join(f"M{figure(axis.at(tick))},0v{height:g}" for tick in ticks), "grid")


def bar_head(label: str, axis: Axis, ticks: Iterable[float], words: Callable[[float], str]) -> Html:
    """The scale of a column of bars. It is hidden from screen readers, because the bars' titles have the numbers."""
    labels = (svg_text(axis.at(tick), 14, words(tick), "middle") for tick in ticks)
    scale = tag("svg", *labels, viewBox=f"0 0 {BAR:g} {BAR_HEIGHT:g}", class_="bar", aria_hidden="true")
    return tag("th", tag("span", label, class_="unseen"), scale, scope="col")


def bar_cell(axis: Axis, estimate: Estimate, title: str, strong: tuple[float, ...] = ()) -> Html:
    """A cell with a bar for an interval, and a dot for its value."""
    left, right, y = axis.at(estimate.low), axis.at(estimate.high), BAR_HEIGHT / 2
    grid = grid_lines(axis, axis.ticks(5), BAR_HEIGHT)
    zero = svg_path("".join(f"M{figure(axis.at(at))},0v{BAR_HEIGHT:g}" for at in strong), "zero")
    bar = tag("rect", x=left, y=y - 4, width=max(1.0, right - left), height=8, rx=2, class_="reach")
    dot = tag("circle", cx=axis.at(estimate.value), cy=y, r=3.5, class_="dot")
    return tag("td", svg(title, BAR, BAR_HEIGHT, grid, zero, bar, dot, class_="bar"))


PANEL, PANEL_HEIGHT = 200.0, 90.0


def figured(bot: str, number: str, drawing: Html) -> Html:
    return tag("figure", tag("figcaption", tag("span", bot_name(bot)), tag("span", number, class_="quiet")), drawing)
