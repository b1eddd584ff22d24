"""The standings of a league: places, ratings with intervals, classic Elo, and counts of games, wins and faults."""

import math
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from arena.league.elo import START, Result, elo_in_order
from arena.league.fit import Fit, fit
from arena.league.outcomes import Outcomes
from arena.league.statistics import Estimate


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the standings. The rating decides the place; classic Elo, scores and margins are only shown.

    `best` and `worst` are the places that the bot may have: only bots that are separated from it are surely above or
    below. A `tier` is a bot and those after it that are not separated from it. The margin is the mean of the bot's
    points minus the mean of the others at the table.
    """

    best: int
    worst: int
    tier: int
    bot: str
    rating: Estimate
    elo: float
    games: int
    blocks: int
    wins: int  # first alone
    shared: int  # first with others
    mean_score: float | None  # None without a game
    mean_rank: float | None
    margin: float | None
    faults: int
    not_separated: tuple[str, ...]  # best first

    @property
    def rank(self) -> str:
        return f"{self.best}" if self.best == self.worst else f"{self.best}-{self.worst}"


NO_FAULTS: Mapping[str, int] = MappingProxyType({})
NO_VERSIONS: Mapping[str, str] = MappingProxyType({})
NO_ANCHOR: Mapping[str, float] = MappingProxyType({})


def standings(
    results: Iterable[Result] | Outcomes,
    bots: Iterable[str] = (),
    faults: Mapping[str, int] = NO_FAULTS,
    *,
    fitted: Fit | None = None,
    shown: Container[str] | None = None,
    anchor: Mapping[str, float] = NO_ANCHOR,
) -> tuple[Standing, ...]:
    """The standings, best first, then the bots that have not played. The order of the results does not matter.

    Give `fitted`, the fit of these results and bots, if it is already known, to save the time. All that played are
    rated together, but only those in `shown` get a place. An anchor is a bot whose rating is fixed: those of the others
    are counted from it.
    """
    outcomes = Outcomes.of(results)
    fitted = fitted or fit(outcomes, bots)
    tallies, classic = _tallies(outcomes), elo_in_order(outcomes)
    order = ranking(fitted, tallies, shown)
    held = {bot: rating for bot, rating in anchor.items() if bot in tallies}
    tiers = _tiers(order, fitted)

    def standing(place: int, bot: str) -> Standing:
        apart = fitted.separated_from(bot, order)
        above = sum(apart[:place])
        tally = tallies.get(bot, _Tally())
        return Standing(
            best=above + 1,
            worst=len(order) - (sum(apart) - above),
            tier=tiers[bot],
            bot=bot,
            rating=fitted.anchored(bot, held) if held else fitted.rating(bot),
            elo=classic.get(bot, START),
            games=tally.games,
            blocks=tally.blocks,
            wins=tally.wins,
            shared=tally.shared,
            mean_score=tally.mean(tally.scores),
            mean_rank=tally.mean(tally.ranks),
            margin=tally.margin(),
            faults=faults.get(bot, 0),
            not_separated=tuple(other for other, is_apart in zip(order, apart) if other != bot and not is_apart),
        )

    return tuple(standing(place, bot) for place, bot in enumerate(order))


def ranking(fitted: Fit, played: Container[str], shown: Container[str] | None = None) -> list[str]:
    """The bots that are shown, best first, then those that have not played."""
    order = [bot for bot in fitted.order() if shown is None or bot in shown]
    return sorted(order, key=lambda bot: bot not in played)


def undecided(order: Sequence[str], fitted: Fit) -> list[tuple[str, str]]:
    """The pairs of these bots that are not separated, each once."""
    return [
        (bot, other)
        for bot in order
        for other, is_apart in zip(order, fitted.separated_from(bot, order))
        if bot < other and not is_apart
    ]


def plain(standing: Standing, versions: Mapping[str, str] = NO_VERSIONS) -> dict[str, Any]:
    """A line as plain values, with the version of its bot."""
    return {
        "rank": [standing.best, standing.worst],
        "bot": standing.bot,
        "version": versions.get(standing.bot, ""),
        "rating": round(standing.rating.value, 1),
        "low": round(standing.rating.low, 1),
        "high": round(standing.rating.high, 1),
        "elo": round(standing.elo, 1),
        "games": standing.games,
        "wins": standing.wins,
        "shared": standing.shared,
        "mean_score": standing.mean_score,
        "margin": standing.margin,
        "faults": standing.faults,
        "tier": standing.tier,
        "not_separated": list(standing.not_separated),
    }


def _tiers(order: Sequence[str], fitted: Fit) -> dict[str, int]:
    """The tier of each bot: one that is separated from the first of a tier begins the next."""
    tiers: dict[str, int] = {}
    first, tier = "", 0
    for bot in order:
        if not tier or fitted.separated(first, bot):
            first, tier = bot, tier + 1
        tiers[bot] = tier
    return tiers


@dataclass(slots=True)
class _Tally:
    """What a bot did. Sums are of integers, so they are exact in any order."""

    games: int = 0
    wins: int = 0
    shared: int = 0
    scores: int = 0
    ranks: int = 0
    leads: dict[int, int] = field(default_factory=dict)  # by size of table: own points times size, minus all points
    blocks: int = 0

    def mean(self, total: float) -> float | None:
        return total / self.games if self.games else None

    def margin(self) -> float | None:
        return self.mean(math.fsum(lead / (size - 1) for size, lead in sorted(self.leads.items())))


def _tallies(outcomes: Outcomes) -> dict[str, _Tally]:
    tallies: dict[str, _Tally] = defaultdict(_Tally)
    for result in outcomes:
        size, points, firsts = len(result.bots), sum(result.scores), result.ranks.count(1)
        for bot, rank, score in zip(result.bots, result.ranks, result.scores):
            tally = tallies[bot]
            tally.games += 1
            tally.wins += rank == firsts == 1
            tally.shared += rank == 1 < firsts
            tally.scores += score
            tally.ranks += rank
            tally.leads[size] = tally.leads.get(size, 0) + score * size - points
    for block in outcomes.by_block():
        for number in {number for seated, _ in block for number in seated}:
            tallies[outcomes.bots[number]].blocks += 1
    return dict(tallies)
