"""A view as a picture for the terminal: each zoo as it lies on the table, left bank, River, right bank."""

from collections.abc import Iterator
from itertools import zip_longest

from engine.contract import Outcome, Paint, Seat, View
from engine.draftosaurus.boards import BLANK, ROWS, RV, Board, Pyramid
from engine.draftosaurus.options import Setup, set_up
from engine.draftosaurus.pieces import COLOURS, FACES, REX
from engine.texts import counted

BANKS = {
    "summer": (("FS", "KJ"), ("WT", "MD"), ("PL", "SI")),
    "winter": (("WO", "LO"), ("BL", "BR"), ("QZ", "PY")),
}
ZONE = {"BL": "bridge", "BR": "", "QZ": ""}
"""Under which zone a pen's points are counted, where it is not its own name; "" shows none."""
BANK_WIDTH, RIVER_WIDTH, IN_RIVER = 31, 9, 4
EMPTY = " " * BANK_WIDTH
BASE = 16
"""The column where the bottom row of the Pyramid begins, beside the title."""


def draw(seen: View, tally: Outcome, paint: Paint) -> str:
    """All zoos of a view, with their points as if the game ended here."""
    setup = set_up(seen["seats"], seen["options"])
    side = setup.boards[seen["game"] - 1]
    lines = [_headline(seen, setup)]
    for seat in setup.everyone:
        prefix = f"{side.season}." if len(setup.boards) > 1 else ""
        points = {zone.removeprefix(prefix): value for zone, value in tally.breakdown[seat].items()}
        lines += ["", _caption(seen, tally, points["rex"], seat, paint), *_zoo(seen["zoos"][seat], side, points, paint)]
    return "\n".join(lines)


def _headline(seen: View, setup: Setup) -> str:
    if seen["phase"] == "over":
        return f"{setup.season}, the game is over"
    when = f"round {seen['round']}/{setup.rounds}, turn {seen['turn']}/{setup.turns}, {seen['phase']}"
    rolled = f", seat {seen['roller']} rolled {seen['die']} ({FACES[seen['die']][0]})" if seen["die"] else ""
    return f"{seen['season']}, {when}{rolled}"


def _caption(seen: View, tally: Outcome, rex: int, seat: Seat, paint: Paint) -> str:
    hand = seen["hands"][seat]
    parts = [
        paint(f"seat {seat}", "bold"),
        f"{counted(tally.scores[seat], 'point')}, rank {tally.ranks[seat]}, T-Rex {_rexes(seen, seat)} (+{rex})",
        f"hand {_dinos(hand, paint)}" if hand else "",
        f"picked {_dinos(seen['picks'][seat], paint)}" if seen["picks"] else "",
        "not bound" if seen["die"] and not seen["bound"][seat] else "",
    ]
    return "  ".join(part for part in parts if part)


def _rexes(seen: View, seat: Seat) -> int:
    """How many T-Rex a zoo holds, which decides ties (D-51)."""
    return "".join(seen["zoos"][seat].values()).count(REX)


def _zoo(zoo: dict[str, str], side: Board, points: dict[str, int], paint: Paint) -> Iterator[str]:
    rows = [line for pair in BANKS[side.season] for line in _pair(pair, zoo, side, points, paint)]
    river, beds = zoo.get(RV, ""), range(0, IN_RIVER * (len(rows) - 1), IN_RIVER)
    river_lines = [_line(RV, points[RV], RIVER_WIDTH)]
    river_lines += [_padded(river[i : i + IN_RIVER], RIVER_WIDTH, paint) for i in beds]
    yield f"┌{'─' * BANK_WIDTH}┬{'─' * RIVER_WIDTH}┬{'─' * BANK_WIDTH}┐"
    for (left, right), middle in zip(rows, river_lines, strict=True):
        yield f"│{left}│{middle}│{right}│"
    yield f"└{'─' * BANK_WIDTH}┴{'─' * RIVER_WIDTH}┴{'─' * BANK_WIDTH}┘"


def _pair(
    names: tuple[str, str], zoo: dict[str, str], side: Board, points: dict[str, int], paint: Paint
) -> list[tuple[str, str]]:
    """Two pens that face each other, line by line."""
    left, right = (_pen(name, zoo.get(name, ""), side, points, paint) for name in names)
    return list(zip_longest(left, right, fillvalue=EMPTY))


def _pen(name: str, contents: str, side: Board, points: dict[str, int], paint: Paint) -> list[str]:
    """A line with the title, and one with the dinosaurs; the Pyramid has one for each row."""
    pen = side.pens[side.names.index(name)]
    title = _line(f"{name} {pen.title}", points.get(ZONE.get(name, name)), BANK_WIDTH)
    if isinstance(pen, Pyramid):
        return [_row(line, row, contents or BLANK, paint) for line, row in zip((title, EMPTY, EMPTY), reversed(ROWS))]
    contents += "." * ((pen.capacity or 0) - len(contents))
    return [title, _padded(contents, BANK_WIDTH, paint)]


def _row(line: str, row: tuple[int, ...], cells: str, paint: Paint) -> str:
    """A line with a row of the Pyramid in it: each dinosaur stands over the gap between two of the row below."""
    start = BASE + len(ROWS[0]) - len(row)
    return line[:start] + _dinos("".join(cells[cell] for cell in row), paint) + line[start + 2 * len(row) - 1 :]


def _line(text: str, value: int | None, width: int) -> str:
    worth = "" if value is None else str(value)
    return f" {text:<{width - 2 - len(worth)}}{worth} "


def _padded(contents: str, width: int, paint: Paint) -> str:
    used = max(0, 2 * len(contents) - 1)
    return f"  {_dinos(contents, paint)}{' ' * (width - 2 - used)}"


def _dinos(contents: str, paint: Paint) -> str:
    return " ".join(paint(dino, COLOURS[dino]) if dino in COLOURS else dino.replace(".", "·") for dino in contents)
