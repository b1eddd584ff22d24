"""The exact end of a game of two: the last turn, and the discard before it, when nothing is hidden but the die.

Both seats decide at the same time, so each step is a matrix of values, and its solution is a mixture. A value is what
the first seat has of a win: 1, or 1/2 for a draw. Where a dinosaur stands changes nothing for the other zoo, so each
seat places where it scores most.
"""

from __future__ import annotations

from draftosaurus_deals import Deals
from draftosaurus_position import DISCARD, LAST, PER_REX, PICK, PLACE, Position, others_of
from draftosaurus_summer import SummerZoo
from draftosaurus_winter import WinterZoo
from games_of_two import TINY, solve

FACES = range(6)


def mixture(deals: Deals, seat: int, dinos: list[int], offsets: list[float]) -> list[float]:
    """How likely each of these picks or discards of a seat should be."""
    position = deals.known()
    theirs = sorted(set(position.hands[1 - seat]))
    value = _after_pick if deals.stage == PICK else _after_discard
    rows = [
        [_of_seat(value(position, _by_seat(seat, mine, other), offsets), seat) for other in theirs] for mine in dinos
    ]
    return solve(rows)[1]


def is_exact(deals: Deals) -> bool:
    """Whether all is known, and few steps are left."""
    if deals.match.seats != 2 or not deals.match.counts_river or not deals.is_known():
        return False
    return deals.stage != PLACE and deals.turn + (deals.stage == DISCARD) == LAST


def is_last_place(deals: Deals, phase: str) -> bool:
    """Whether the last dinosaur is placed, and no other zoo sees where."""
    return phase == "place" and deals.turn == LAST and deals.match.counts_river


def _by_seat(seat: int, mine: int, other: int) -> list[int]:
    return [other, mine] if seat else [mine, other]


def _of_seat(value: float, seat: int) -> float:
    return 1 - value if seat else value


def _after_pick(position: Position, picks: list[int], offsets: list[float]) -> float:
    """What the first seat has of a win, after these picks of the last turn."""
    seen = others_of(position.match, position.zoos, picks)
    one, two = (
        offset + max(end_scores(zoo, dino, position.face(seat), others).values())
        for seat, (zoo, dino, others, offset) in enumerate(zip(position.zoos, picks, seen, offsets))
    )
    return 0.5 if abs(one - two) < TINY else float(one > two)


def end_scores(zoo: SummerZoo | WinterZoo, dino: int, face: int, others: list[int]) -> dict[str, float]:
    """The final score of a zoo by where the last dinosaur goes; `others` with the picks of all."""
    found = {}
    for slot in zoo.places(dino, 0, face, others):
        end = zoo.copy()
        end.put(dino, slot)
        seen = others
        if isinstance(end, WinterZoo):
            end.release(seen)
        else:
            seen = others[:]
            seen[dino] += 1
        found[slot] = end.score(seen) - PER_REX * end.counts[0]
    return found


def _pick(position: Position, offsets: list[float]) -> float:
    """The same before the picks."""
    ones, twos = (sorted(set(hand)) for hand in position.hands)
    return solve([[_after_pick(position, [one, two], offsets) for two in twos] for one in ones])[0]


def _after_discard(position: Position, drops: list[int], offsets: list[float]) -> float:
    """The same after these discards of the turn before: the hands are swapped, and then the die falls."""
    later = position.copy()
    for hand, dropped in zip(later.hands, drops):
        hand.remove(dropped)
    later.hands.reverse()
    later.turn = LAST
    total = 0.0
    for face in FACES:
        later.faces = [*position.faces[:LAST], face]
        total += _pick(later, offsets)
    return total / len(FACES)
