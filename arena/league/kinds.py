"""The kinds of leagues: one class each, with all that tells it from the others.

A kind plans the matches, in one part or in several, of which each is asked for when the one before it has been played.
It says when it is over before its plan is, what identifies it, and how its result is shown. Its fields are its own
settings. KINDS is where the rest of the arena finds them, by the name in a tournament file or a store.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import Any, ClassVar, Protocol, Self

from arena.errors import StoreError
from arena.league import schedule
from arena.league.duel import USUAL, Answer, Comparison, duel, duel_on_score, exchanges_by_rank, exchanges_by_score
from arena.league.elo import Result
from arena.league.old_leagues import OldSeed
from arena.league.results import table
from arena.league.secret import Secret
from arena.league.store import Store
from arena.roster.entries import Entry
from arena.roster.seating import mistakes_at_tables, mistakes_if_all_meet
from arena.texts import one_line

BATCH, GROWTH = 16, 8
"""A league that depends on its standings looks at them after so many blocks, and then whenever there is an eighth more:
to look takes time that grows with the results."""
FLOOR = 4
"""Blocks that every bot has before an adaptive league looks for undecided pairs."""
DEFAULT_BUDGET = 200
"""Blocks of an adaptive league that names no number."""
ANY_DICE = 0
"""Where only the length of a plan counts."""
SEPARATED, DECIDED = "all are separated", "it is decided"
"""Why a league is over though its plan is not."""
SHOWN = 32
"""Characters that are shown of a bot's name."""

Part = Iterable[schedule.Fixture]


@dataclass(frozen=True, slots=True)
class Entrants:
    """Who plays a league, at tables of which sizes, and by which dice they meet."""

    bots: tuple[str, ...]
    seats: tuple[int, ...]
    authors: Mapping[str, str] | None = None
    """By bot, who may not sit at one table; None: all may."""
    dice: int = ANY_DICE


class ScheduleKeys(Protocol):
    """What a tournament file says in [schedule], as far as kinds look at it."""

    @property
    def seats(self) -> Sequence[int]: ...

    @property
    def blocks(self) -> int | None: ...

    @property
    def until(self) -> str | None: ...

    @property
    def challengers(self) -> Sequence[str]: ...


class LeagueKind:
    """What most kinds have in common; a kind changes what is different."""

    name: ClassVar[str]
    follows_results: ClassVar[bool] = False
    """Whether a match that is left out ends the league, because what comes next depends on it."""
    early_end: ClassVar[str] = ""
    """Why there are no more parts although fewer matches were played than planned."""
    takes_challengers: ClassVar[bool] = False

    @classmethod
    def from_keys(cls, keys: ScheduleKeys) -> Self:
        """The kind that a tournament file describes. A kind without this cannot be in a file."""
        raise NotImplementedError

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], blocks: int) -> Self:
        """The kind of a league in a store, of which so many blocks are to be planned."""
        raise NotImplementedError

    @classmethod
    def mistakes(cls, keys: ScheduleKeys) -> Iterator[str]:  # noqa: ARG003 (most kinds take every value)
        """What this kind does not take of what a tournament file says."""
        return iter(())

    def author_mistakes(self, entries: Sequence[Entry], seats: int) -> Iterator[str]:
        """Why there cannot be tables of so many seats with one bot of each author."""
        return mistakes_at_tables(entries, seats)

    def total(self, entrants: Entrants) -> int:
        """How many matches there are to play, at most; however the dice fall, they are as many."""
        raise NotImplementedError

    def parts(self, entrants: Entrants, store: Store) -> Iterator[Part]:
        """The plan in parts, each asked for when the one before it has been played."""
        raise NotImplementedError

    def why_over(self, entrants: Entrants, store: Store, reached: int) -> str:  # noqa: ARG002 (most play to the end)
        """Why there is no need to go on after the plan up to here, or an empty text."""
        return ""

    def identity(self, bots: Sequence[str]) -> dict[str, Any]:  # noqa: ARG002 (the order of bots counts in one kind)
        """Its own part of what makes two runs the same league."""
        return {"challengers": []}

    @classmethod
    def lines(cls, store: Store) -> Iterator[str]:  # noqa: ARG003 (most kinds have nothing to add)
        """What is shown below the standings."""
        return iter(())

    @classmethod
    def champion(cls, store: Store) -> str | None:  # noqa: ARG003
        """The bot that has won the league, if this kind has one."""
        return None


@dataclass(frozen=True, slots=True)
class RoundRobin(LeagueKind):
    """Every bot meets every other, equally often."""

    name = "round_robin"
    blocks: int | None = None
    """None: one whole cycle."""
    until: str | None = None

    @classmethod
    def from_keys(cls, keys: ScheduleKeys) -> Self:
        return cls(keys.blocks, keys.until)

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], blocks: int) -> Self:  # noqa: ARG003
        return cls(blocks)

    def plan(self, entrants: Entrants) -> schedule.Schedule:
        return schedule.round_robin(entrants.bots, entrants.seats, self.blocks, entrants.dice, entrants.authors)

    def total(self, entrants: Entrants) -> int:
        return len(self.plan(replace(entrants, dice=ANY_DICE)))

    def parts(self, entrants: Entrants, store: Store) -> Iterator[Part]:  # noqa: ARG002
        return _parts_until(self.until, self.plan(entrants))

    def why_over(self, entrants: Entrants, store: Store, reached: int) -> str:
        return _why_separated(self.until, entrants, store, reached)


@dataclass(frozen=True, slots=True)
class Gauntlet(LeagueKind):
    """The challengers meet all others, and not each other."""

    name = "gauntlet"
    takes_challengers = True
    challengers: tuple[str, ...]
    blocks: int | None = None
    until: str | None = None

    @classmethod
    def from_keys(cls, keys: ScheduleKeys) -> Self:
        return cls(tuple(keys.challengers), keys.blocks, keys.until)

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], blocks: int) -> Self:
        return cls(tuple(settings["challengers"]), blocks)

    def author_mistakes(self, entries: Sequence[Entry], seats: int) -> Iterator[str]:
        return mistakes_at_tables(entries, seats, self.challengers)

    def plan(self, entrants: Entrants) -> schedule.Schedule:
        others = [bot for bot in entrants.bots if bot not in self.challengers]
        return schedule.gauntlet(self.challengers, others, entrants.seats, self.blocks, entrants.dice, entrants.authors)

    def total(self, entrants: Entrants) -> int:
        return len(self.plan(replace(entrants, dice=ANY_DICE)))

    def parts(self, entrants: Entrants, store: Store) -> Iterator[Part]:  # noqa: ARG002
        return _parts_until(self.until, self.plan(entrants))

    def why_over(self, entrants: Entrants, store: Store, reached: int) -> str:
        return _why_separated(self.until, entrants, store, reached)

    def identity(self, bots: Sequence[str]) -> dict[str, Any]:  # noqa: ARG002
        return {"challengers": list(self.challengers)}


@dataclass(frozen=True, slots=True)
class Adaptive(LeagueKind):
    """Everybody a few times, and then the pairs that are not yet separated."""

    name = "adaptive"
    follows_results = True
    early_end = SEPARATED
    blocks: int = DEFAULT_BUDGET
    until: str | None = None

    @classmethod
    def from_keys(cls, keys: ScheduleKeys) -> Self:
        return cls(keys.blocks or DEFAULT_BUDGET, keys.until)

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], blocks: int) -> Self:  # noqa: ARG003
        return cls(blocks)

    def total(self, entrants: Entrants) -> int:
        return len(schedule.top_up(entrants.bots, entrants.seats, self.blocks, ANY_DICE, ()))

    def parts(self, entrants: Entrants, store: Store) -> Iterator[Part]:
        """What was played later than the parts so far does not count: a league that goes on has to plan as it did."""
        bots, left, played, matches = entrants.bots, self.blocks, list[tuple[str, ...]](), 0
        while left > 0:
            found = table(store, bots, matches) if played else ()
            pairs = [(one.bot, other) for one in found for other in one.not_separated if one.bot < other]
            if found and not pairs:
                return
            blocks = min(_batch(len(played)), left)
            part = schedule.top_up(bots, entrants.seats, blocks, entrants.dice, pairs, played, FLOOR, entrants.authors)
            yield part
            played += [fixture.bots for fixture in part if fixture.rotation == 0]
            matches += len(part)
            left -= blocks

    def why_over(self, entrants: Entrants, store: Store, reached: int) -> str:
        return _why_separated(self.until, entrants, store, reached)


@dataclass(frozen=True, slots=True)
class Bracket:
    """How a knock-out went: who won in each round so far, by table, and who has won it, if it is over."""

    rounds: list[list[str]]
    champion: str | None


@dataclass(frozen=True, slots=True)
class KnockOut(LeagueKind):
    """Rounds. The best of each table goes on: by ranks, then by points, then by the file's order."""

    name = "knock_out"
    follows_results = True

    @classmethod
    def from_keys(cls, keys: ScheduleKeys) -> Self:  # noqa: ARG003
        return cls()

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], blocks: int) -> Self:  # noqa: ARG003
        return cls()

    @classmethod
    def mistakes(cls, keys: ScheduleKeys) -> Iterator[str]:
        if len(set(keys.seats)) > 1:
            yield "schedule.seats: a knock-out has tables of one size. Name just one."
        for key, value in (("blocks", keys.blocks), ("until", keys.until)):
            if value is not None:
                yield f"schedule.{key}: a knock-out has one block a table, and ends with its last round. Leave it out."

    def author_mistakes(self, entries: Sequence[Entry], seats: int) -> Iterator[str]:  # noqa: ARG002
        return mistakes_if_all_meet(entries)

    def total(self, entrants: Entrants) -> int:
        """All rounds together: whoever wins, they are as long."""
        winners, total = list[list[str]](), 0
        while matches := len(round_ := schedule.knock_out(entrants.bots, entrants.seats[0], ANY_DICE, winners)):
            total += matches
            winners.append([fixture.bots[0] for fixture in round_ if fixture.rotation == 0])
        return total

    def parts(self, entrants: Entrants, store: Store) -> Iterator[Part]:
        winners = list[list[str]]()
        while len(round_ := schedule.knock_out(entrants.bots, entrants.seats[0], entrants.dice, winners)):
            yield round_
            winners.append(_winners(_tables(round_), store, entrants.bots))

    def identity(self, bots: Sequence[str]) -> dict[str, Any]:
        return {"challengers": [], "seeding": list(bots)}

    @classmethod
    def bracket(cls, store: Store) -> Bracket:
        settings = store.settings()
        if "seeding" not in settings:
            raise StoreError(f"{store.path}: it is damaged: settings: seeding: missing.")
        _, size, *_ = settings["schedule"]
        bots, rounds = settings["seeding"], list[list[str]]()
        dice = Secret(settings["secret"]).dice if "secret" in settings else OldSeed(settings["seed"]).dice
        played = Counter(row.block for row in store.rows())
        while len(round_ := schedule.knock_out(bots, size, dice, rounds)):
            tables = _tables(round_)
            winners = dict(zip(tables, _winners(tables, store, bots)))
            rounds.append([winners[block] for block, bots_ in tables.items() if played[block] == len(bots_)])
            if len(rounds[-1]) < len(tables):
                return Bracket(rounds, None)
        return Bracket(rounds, rounds[-1][0])

    @classmethod
    def lines(cls, store: Store) -> Iterator[str]:
        bracket = cls.bracket(store)
        for number, winners in enumerate(bracket.rounds, 1):
            names = ", ".join(one_line(winner)[:SHOWN] for winner in winners)
            yield f"Round {number}: {names or 'not played yet'}"
        if bracket.champion is not None:
            yield f"{one_line(bracket.champion)[:SHOWN]} wins the knock-out."

    @classmethod
    def champion(cls, store: Store) -> str | None:
        return cls.bracket(store).champion


@dataclass(frozen=True, slots=True)
class Duel(LeagueKind):
    """Units of two matches, A and B exchanged, until the test decides whether A is better. Others fill the table."""

    name = "duel"
    a: str
    b: str
    units: int = DEFAULT_BUDGET
    is_on_score: bool = False
    """Points count, and not ranks."""

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], blocks: int) -> Self:
        a, b = settings["challengers"]
        return cls(a, b, blocks)

    def plan(self, entrants: Entrants) -> schedule.Schedule:
        others = [bot for bot in entrants.bots if bot not in (self.a, self.b)]
        return schedule.duel(self.a, self.b, others, entrants.seats, self.units, entrants.dice)

    def total(self, entrants: Entrants) -> int:
        return len(self.plan(replace(entrants, dice=ANY_DICE)))

    def parts(self, entrants: Entrants, store: Store) -> Iterator[Part]:  # noqa: ARG002
        return _slices(self.plan(entrants), lambda _played: USUAL.every)

    def why_over(self, entrants: Entrants, store: Store, reached: int) -> str:  # noqa: ARG002
        return DECIDED if self.compared(store).answer is not Answer.UNDECIDED else ""

    def identity(self, bots: Sequence[str]) -> dict[str, Any]:  # noqa: ARG002
        return {"challengers": [self.a, self.b]}

    def compared(self, store: Store) -> Comparison:
        """Whether A is better than B, going by the complete units in plan order."""
        results = [Result(*outcome) for outcome in store.outcomes()]
        if self.is_on_score:
            return duel_on_score(exchanges_by_score(results, self.a, self.b))
        return duel(exchanges_by_rank(results, self.a, self.b))


KINDS: Mapping[str, type[LeagueKind]] = {kind.name: kind for kind in (RoundRobin, Gauntlet, Adaptive, KnockOut, Duel)}
IN_FILES = tuple(name for name, kind in KINDS.items() if "from_keys" in vars(kind))
"""The kinds that a tournament file may name."""


def kind_of(store: Store) -> type[LeagueKind]:
    """The kind of the league in a store."""
    name, *_ = store.settings()["schedule"]
    if name not in KINDS:
        raise StoreError(f"{store.path}: a league of the kind {name!r} is newer than this arena. Use a newer arena.")
    return KINDS[name]


# Parts of a plan


def _parts_until(until: str | None, plan: schedule.Schedule) -> Iterator[Part]:
    return iter([plan]) if until is None else _slices(plan, _batch)


def _batch(played: int) -> int:
    """How many blocks follow so many."""
    return max(BATCH, played // GROWTH)


def _slices(whole: schedule.Schedule, length: Callable[[int], int]) -> Iterator[list[schedule.Fixture]]:
    blocks = (list(block) for _, block in groupby(whole, lambda fixture: fixture.block))
    played = 0
    while batch := list(islice(blocks, length(played))):
        yield [fixture for block in batch for fixture in block]
        played += len(batch)


def _why_separated(until: str | None, entrants: Entrants, store: Store, reached: int) -> str:
    """By what was planned so far: a league that goes on has to stop where it would have stopped."""
    if until is None or any(standing.not_separated for standing in table(store, entrants.bots, reached)):
        return ""
    return SEPARATED


# Tables of a knock-out


def _tables(round_: schedule.Schedule) -> dict[int, tuple[str, ...]]:
    """Who sits at them, by block."""
    return {fixture.block: fixture.bots for fixture in round_ if fixture.rotation == 0}


def _winners(tables: Mapping[int, tuple[str, ...]], store: Store, bots: Sequence[str]) -> list[str]:
    totals = {(block, bot): (0, 0, bots.index(bot)) for block, seated in tables.items() for bot in seated}
    for row in store.rows():
        for bot, rank, score in zip(row.bots, row.ranks, row.scores) if row.block in tables else ():
            if (row.block, bot) not in totals:
                raise StoreError(f"{store.path}: it is damaged: match {row.match}: {bot} was not at this table.")
            ranks, scores, place = totals[row.block, bot]
            totals[row.block, bot] = (ranks + rank, scores - score, place)
    return [min((totals[block, bot], bot) for bot in seated)[1] for block, seated in tables.items()]
