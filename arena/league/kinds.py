"""The plan of a league by its kind."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

from arena.errors import StoreError
from arena.league import duel, schedule
from arena.league.old_leagues import OldSeed
from arena.league.results import table
from arena.league.secret import Chance, Secret
from arena.league.store import Store
from arena.league.tournament import Tournament

BATCH, GROWTH = 16, 8
"""A league that depends on its table looks at it after so many blocks, and then whenever there is an eighth more: to
look takes time that grows with the results."""
FLOOR = 4
"""Blocks that every bot has before an adaptive league looks for undecided pairs."""
DEFAULT_BUDGET = 200
"""Blocks of an adaptive league that names no number."""
FOLLOWING = frozenset(("adaptive", "knock_out"))
"""Leagues whose plan follows from their results."""
ANY_SEED = 0
"""Where only the length of a plan counts."""
SEPARATED, DECIDED = "all are separated", "it is decided"
"""Why a league is over though its plan is not."""


def plan(tournament: Tournament) -> schedule.Schedule:
    """All fixtures of a schedule that does not look at results, in order."""
    return _plan(tournament, tournament.chance.dice)


def _plan(tournament: Tournament, seed: int) -> schedule.Schedule:
    seats, blocks, authors = tournament.seats, tournament.blocks, tournament.authors
    others = [bot for bot in tournament.bots if bot not in tournament.challengers]
    if tournament.kind == "gauntlet":
        return schedule.gauntlet(tournament.challengers, others, seats, blocks, seed, authors)
    if tournament.kind == "duel":
        a, b = tournament.challengers
        return schedule.duel(a, b, others, seats, blocks or DEFAULT_BUDGET, seed)
    return schedule.round_robin(tournament.bots, seats, blocks, seed, authors)


def parts(tournament: Tournament, store: Store) -> Iterator[Iterable[schedule.Fixture]]:
    """The plan in parts, each asked for when the one before it has been played; most leagues have just one."""
    if tournament.kind == "knock_out":
        yield from _rounds(tournament, store)
    elif tournament.kind == "adaptive":
        yield from _top_ups(tournament, store)
    elif tournament.kind == "duel":
        yield from _slices(plan(tournament), lambda _played: duel.USUAL.every)
    elif tournament.until is None:
        yield plan(tournament)
    else:
        yield from _slices(plan(tournament), _batch)


def _rounds(tournament: Tournament, store: Store) -> Iterator[schedule.Schedule]:
    """The rounds of a knock-out. The best of each table goes on: by ranks, then by points, then by the file's order."""
    winners, dice = list[list[str]](), tournament.chance.dice
    while len(round_ := schedule.knock_out(tournament.bots, tournament.seats[0], dice, winners)):
        yield round_
        winners.append(_winners(_tables(round_), store, tournament.bots))


@dataclass(frozen=True, slots=True)
class Bracket:
    """How a knock-out went: who won in each round so far, table by table, and who has won it, if it is over."""

    rounds: list[list[str]]
    champion: str | None


def bracket(store: Store) -> Bracket | None:
    """None of a league that is no knock-out."""
    settings = store.settings()
    kind, *seats = settings["schedule"]
    if kind != "knock_out":
        return None
    bots, rounds, dice = settings["seeding"], list[list[str]](), _chance(settings).dice
    played = Counter(row.block for row in store.rows())
    while len(round_ := schedule.knock_out(bots, seats[0], dice, rounds)):
        tables = _tables(round_)
        winners = dict(zip(tables, _winners(tables, store, bots)))
        rounds.append([winners[block] for block, table in tables.items() if played[block] == len(table)])
        if len(rounds[-1]) < len(tables):
            return Bracket(rounds, None)
    return Bracket(rounds, rounds[-1][0])


def _chance(settings: Mapping[str, Any]) -> Chance:
    return Secret(settings["secret"]) if "secret" in settings else OldSeed(settings["seed"])


def _tables(round_: schedule.Schedule) -> dict[int, tuple[str, ...]]:
    """Who sits at them, by block."""
    return {fixture.block: fixture.bots for fixture in round_ if fixture.rotation == 0}


def _winners(tables: Mapping[int, tuple[str, ...]], store: Store, bots: Sequence[str]) -> list[str]:
    totals = {(block, bot): (0, 0, bots.index(bot)) for block, table in tables.items() for bot in table}
    for row in store.rows():
        for bot, rank, score in zip(row.bots, row.ranks, row.scores) if row.block in tables else ():
            if (row.block, bot) not in totals:
                raise StoreError(f"{store.path}: it is damaged: match {row.match}: {bot} was not at this table.")
            ranks, scores, place = totals[row.block, bot]
            totals[row.block, bot] = (ranks + rank, scores - score, place)
    return [min((totals[block, bot], bot) for bot in table)[1] for block, table in tables.items()]


def _top_ups(tournament: Tournament, store: Store) -> Iterator[schedule.Schedule]:
    """Everybody a few times, and then the pairs that are not yet separated.

    What was played later than the parts so far does not come into it: a league that goes on has to plan as it did.
    """
    bots, left, played = tournament.bots, tournament.blocks or DEFAULT_BUDGET, list[tuple[str, ...]]()
    matches, dice = 0, tournament.chance.dice
    while left > 0:
        found = table(store, bots, matches) if played else ()
        pairs = [(one.bot, other) for one in found for other in one.not_separated if one.bot < other]
        if found and not pairs:
            return
        blocks = min(_batch(len(played)), left)
        part = schedule.top_up(bots, tournament.seats, blocks, dice, pairs, played, FLOOR, tournament.authors)
        yield part
        played += [fixture.bots for fixture in part if fixture.rotation == 0]
        matches += len(part)
        left -= blocks


def _batch(played: int) -> int:
    """How many blocks follow so many."""
    return max(BATCH, played // GROWTH)


def _slices(whole: schedule.Schedule, length: Callable[[int], int]) -> Iterator[list[schedule.Fixture]]:
    blocks = (list(block) for _, block in groupby(whole, lambda fixture: fixture.block))
    played = 0
    while batch := list(islice(blocks, length(played))):
        yield [fixture for block in batch for fixture in block]
        played += len(batch)


def planned(tournament: Tournament) -> int:
    """How many matches there are to play, at most; however the dice fall, they are as many."""
    if tournament.kind == "knock_out":
        return _knock_out_matches(tournament)
    if tournament.kind == "adaptive":
        blocks = tournament.blocks or DEFAULT_BUDGET
        return len(schedule.top_up(tournament.bots, tournament.seats, blocks, ANY_SEED, ()))
    return len(_plan(tournament, ANY_SEED))


def _knock_out_matches(tournament: Tournament) -> int:
    """All rounds together: whoever wins, they are as long."""
    winners: list[list[str]] = []
    total = 0
    while matches := len(round_ := schedule.knock_out(tournament.bots, tournament.seats[0], ANY_SEED, winners)):
        total += matches
        winners.append([fixture.bots[0] for fixture in round_ if fixture.rotation == 0])
    return total
