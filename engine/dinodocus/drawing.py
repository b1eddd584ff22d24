"""A view as a picture for the terminal: the middle of the table, then each player's dinosaurs, one a line.

    d4   Dikymidon             herbivore  1/5  fern    3 periods  H07 A15 P12 T09

The points are those that the view shows. `tally` may be that of a guess, and includes what is hidden.
"""

import re
import textwrap

from engine.contract import Outcome, Paint, Seat, View, ranks
from engine.dinodocus.cards import DIETS, PARTS
from engine.dinodocus.scoring import length
from engine.texts import counted

WIDTH = 80
NAME = 20
"""The longest name that our own cards make."""
COLOURS = {"carnivore": "red", "herbivore": "green", "fern": "green"}
PHASES = {
    "flip": "a dinosaur from the tops of the decks",
    "first": "the lot says who begins",
    "discard": "incubation, cards may be discarded",
    "draw": "incubation, cards are drawn",
    "card": "incubation, a card is drawn",
    "mutate": "hatching and mutation",
    "bonus": "seat {maker} may add period cards to {focus}",
    "offer": "offers to seat {receiver}, round {round}",
    "answer": "seat {receiver} may accept offers",
    "react": "{focus} was modified, its owner may react",
    "herb": "natural selection, herbivores feed",
    "carn": "natural selection, carnivores hunt",
    "alloc": "natural selection, the last period cards",
}
"""What happens in each phase but the last."""


def draw(seen: View, _tally: Outcome, paint: Paint) -> str:
    """The whole table."""
    points = [_points(seen, seat) for seat in range(seen["seats"])]
    blocks = [_middle(seen), *(_player(seen, points, seat, paint) for seat in range(seen["seats"]))]
    return _coloured("\n\n".join("\n".join(lines) for lines in blocks), paint)


def _points(seen: View, seat: Seat) -> int:
    """How long a timeline would be now, as far as can be seen (N-52, N-54, N-65)."""
    living = [dino["periods"] for dino in seen["dinos"] if dino["owner"] == seat]
    return sum(map(length, [*living, *seen["timelines"][seat].values(), seen["hidden"][seat] or 0]))


def _coloured(text: str, paint: Paint) -> str:
    text = re.sub(rf"\b({'|'.join(COLOURS)})\b", lambda word: paint(word[0], COLOURS[word[0]]), text)
    return re.sub(r"^seat \d", lambda seat: paint(seat[0], "bold"), text, flags=re.MULTILINE)


# The middle of the table


def _middle(seen: View) -> list[str]:
    return [_headline(seen), *_wrapped("", _stock(seen), "; "), *_legend(seen)]


def _headline(seen: View) -> str:
    if seen["phase"] == "over":
        return f"the game is over, after {counted(seen['turn'], 'turn')}"
    when = f"turn {seen['turn']}" if seen["turn"] else "set-up"
    return f"{when}, seat {seen['current']}: {PHASES[seen['phase']].format(**seen)}"


def _stock(seen: View) -> list[str]:
    discarded = {part: len(pile) for part, pile in seen["discards"].items() if pile}
    left = f"{counted(seen['periods'], 'period card')}, {counted(seen['pool'], 'fern')}"
    stock = [left, f"decks {_by_part(seen['decks'])}"]
    return [*stock, f"discards {_by_part(discarded)}"] if discarded else stock


def _legend(seen: View) -> list[str]:
    marks = "".join(_marks(seen, dino) for dino in seen["dinos"])
    meanings = {"*": "* cannot be modified again this turn", "+": "+ has had its bonus"}
    words = [text for mark, text in meanings.items() if mark in marks]
    return [", ".join(words)] if words else []


def _by_part(counts: dict[str, int]) -> str:
    return " ".join(f"{counts[part]} {part}" for part in PARTS if part in counts)


# A player


def _player(seen: View, points: list[int], seat: Seat, paint: Paint) -> list[str]:
    """A caption, and under it the dinosaurs and cards; the viewer's own hand comes last, next to the question."""
    offered = [offer["card"] for offer in seen["offers"] if offer["seat"] == seat]
    groups = {
        "timeline": [f"{length(periods)} for {dino}" for dino, periods in seen["timelines"][seat].items()],
        "seen by all": _cards(seen, [card for card in seen["shown"][seat] if card not in offered]),
        "on offer": _cards(seen, offered),
        "hand": _cards(seen, seen["hands"][seat] or []),
    }
    lines = [_caption(seen, points, seat)]
    lines += [_dino(seen, dino, paint) for dino in seen["dinos"] if dino["owner"] == seat]
    return lines + [line for title, items in groups.items() if items for line in _wrapped(f"  {title}  ", items)]


def _caption(seen: View, points: list[int], seat: Seat) -> str:
    hidden = seen["hidden"][seat]
    score = counted(points[seat], "point") + (" and hidden ones" if hidden is None else "")
    rank = "" if None in seen["hidden"] else f", rank {ranks(points)[seat]}"
    parts = [
        f"seat {seat}",
        score + rank,
        counted(hidden, "hidden period card") if hidden else "",
        _hand(seen, seat),
    ]
    return "  ".join(part for part in parts if part)


def _hand(seen: View, seat: Seat) -> str:
    """How many cards there are in a hand, as far as they are not listed."""
    size, parts = seen["hand_sizes"][seat], seen["hand_parts"]
    if size and seen["hands"][seat]:
        return ""
    counts = {part: count for part, count in parts[seat].items() if count} if parts else {}
    return f"hand {size or 'empty'}" + (f" ({_by_part(counts)})" if counts else "")


def _cards(seen: View, names: list[str]) -> list[str]:
    """Cards with attack and defence, heads with their diet."""
    known = [(name, *seen["cards"][name]) for name in names]
    return [f"{name} {attack}/{defence}{' ' + DIETS[diet] if diet else ''}" for name, attack, defence, diet, _ in known]


def _dino(seen: View, dino: View, paint: Paint) -> str:
    diet = DIETS[dino["diet"]]
    name = dino["name"] if len(dino["name"]) <= NAME else f"{dino['name'][: NAME - 1]}…"
    start, middle = f"  {dino['id'] + _marks(seen, dino):<4} ", f"  {diet}  "
    periods = f"{'' if dino['periods'] > 9 else ' '}{counted(dino['periods'], 'period')}" if dino["periods"] else ""
    end = f"{dino['attack']}/{dino['defence']}  {_food(dino):<5}  {periods:<10}  {' '.join(dino['cards'])}"
    room = WIDTH - len(start) - NAME - len(middle)
    return start + paint(f"{name:<{NAME}}", COLOURS[diet]) + middle + end[:room]


def _marks(seen: View, dino: View) -> str:
    has_had: bool = dino["bonus"] and seen["options"].get("real_repeat") == "once_per_dino"
    return ("*" if dino["closed"] else "") + ("+" if has_had else "")


def _food(dino: View) -> str:
    if dino["fern"]:
        return "fern"
    return "fed" if dino["fed"] else "unfed" if dino["starving"] else ""


def _wrapped(title: str, items: list[str], comma: str = ", ") -> list[str]:
    """A list in as many lines as it needs; it breaks between its items only."""
    text = comma.join(item.replace(" ", "\N{NO-BREAK SPACE}") for item in items)
    lines = textwrap.wrap(text, WIDTH, initial_indent=title, subsequent_indent=" " * len(title))
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]
