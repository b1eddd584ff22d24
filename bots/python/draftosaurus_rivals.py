"""How rivals of Draftosaurus play: by the fitted policy, or as greedy does, whichever fits what they have done.

A playout is worth little if the rivals play otherwise than they will. So before each placement the seat works out where
every rival would place by either policy, and counts afterwards who was right; each deal draws a policy for each rival,
as likely as that makes it.
"""

from __future__ import annotations

from math import exp
from typing import Final

from draftosaurus_match import LEADS, Manners, Match
from draftosaurus_pens import DIFFERENCES, PYRAMID, SAMENESS, SPECIES, Contents, Table, Weights
from greedy_draftosaurus import SAVED, SINGLE, grown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from draftosaurus_deals import Deals
    from draftosaurus_summer import SummerZoo
    from draftosaurus_winter import WinterZoo

SURE = 1.4
"""By how much a placement that only one policy foresees moves the odds: a rival does so four times in five."""


def _prairie(contents: Contents, turns: int) -> float:
    pairs = sum(contents.dinos.count(letter) // 2 for letter in SPECIES)
    return 5 * pairs + min(SINGLE * (contents.size - 2 * pairs), turns)


def _trio(contents: Contents, turns: int) -> float:
    return contents.pen.points("DDD") * contents.size / 3 if contents.size + turns >= 3 else 0


GUESSES: Final[dict[str, Callable[[Contents, int], float]]] = {
    "FS": lambda contents, turns: grown(SAMENESS, contents.size, turns),
    "WT": _trio,
    "PL": _prairie,
    "MD": lambda contents, turns: grown(DIFFERENCES, contents.size, turns),
    "WO": lambda contents, turns: grown(SAMENESS, contents.size, turns),
    "PY": lambda contents, turns: grown(PYRAMID, contents.size, turns),
}
"""What greedy expects of a pen, without its T-Rexes."""


class GreedyMatch(Match):
    """The tables by which greedy plays. The bridge is only nearly what greedy expects of it."""

    def __init__(self, season: str, seats: int, options: dict[str, Any], weights: Weights) -> None:
        super().__init__(season, seats, options, weights, Manners(0.0, 0.0))
        for pen in self.pens:
            pen.guess = GUESSES[pen.name]
        self.king = Table(lambda turns: [_king(lead, turns) for lead in LEADS])
        self.crown = Table(lambda turns: [_king(lead + 1, turns) - min(SAVED, turns) for lead in LEADS])
        self.island = Table(lambda turns: [7.0, -float(min(SAVED, turns))])
        self.bank = Table(lambda turns: [_bank(ahead, turns) for ahead in LEADS])
        self.lookout = Table(lambda turns: [2 * turns / len(SPECIES) - min(SAVED, turns)])
        self.guest = Table(lambda turns: [0.0 * turns])


def _king(lead: int, turns: int) -> float:
    return 7 * min(1, max(0, 0.5 + (lead + 0.5) / (turns + 1)))


def _bank(ahead: int, turns: int) -> float:
    single = min(SINGLE, turns / 2)
    return 6 - single if ahead < 0 else single


class Rivals:
    """What a seat has learnt about the others in a match."""

    def __init__(self, seat: int, seats: int) -> None:
        self._seat = seat
        self._odds = [0.0] * seats
        self._expected: list[tuple[SummerZoo | WinterZoo, SummerZoo | WinterZoo]] = []
        """By seat: its zoo after this placement by the policy, and by that of greedy."""

    def likely(self) -> list[float]:
        """By seat, how likely it plays as greedy does; the own one never."""
        return [1 / (1 + exp(-odds)) * (seat != self._seat) for seat, odds in enumerate(self._odds)]

    def watch(self, deals: Deals, phase: str) -> None:
        """Compare what was expected with what lies there now, and expect what comes next."""
        for seat, (plain, greedy) in enumerate(self._expected):
            self._odds[seat] += SURE * (same(greedy, deals.greedy[seat]) - same(plain, deals.zoos[seat]))
        self._expected = self._placed(deals) if phase == "place" else []

    def _placed(self, deals: Deals) -> list[tuple[SummerZoo | WinterZoo, SummerZoo | WinterZoo]]:
        pairs = [(plain.copy(), greedy.copy()) for plain, greedy in zip(deals.zoos, deals.greedy)]
        seen, turns = deals.seen(), deals.turns
        for seat, pair in enumerate(pairs):
            for zoo in pair:
                zoo.settle(deals.picks[seat], turns, deals.face_of(seat), seen[seat])
        return pairs


def same(one: SummerZoo | WinterZoo, other: SummerZoo | WinterZoo) -> bool:
    """Whether two zoos of one match hold the same."""
    return one.held_in() == other.held_in()
