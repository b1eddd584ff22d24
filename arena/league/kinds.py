"""The kinds of leagues, one class each. KINDS, below the classes, is the table in which the arena finds them by name.

A kind plans the matches, in one part or in several. The next part is requested when every match of the one before has
a result or is left out, so a kind may look at the results. To add a kind, for example a Swiss system:

1.  The schedule: a function in arena/league/schedule.py, if no function there pairs bots as the kind needs. It is pure
    and returns a Schedule that follows from the entrants, the table sizes, the dice, and a budget or the results so
    far. With a budget, a longer one must extend a shorter plan: a league may be resumed with more blocks. The name
    that it gives to `_Lots` must be its own, so that no two kinds share a deal.

2.  The class: a subclass of LeagueKind, a frozen dataclass whose fields are its own settings. It must have

        name         its name in tournament files and stores
        from_keys    makes it from the keys of [schedule] that it uses
        total        how many matches it plays, at most
        parts        the fixtures: a Swiss system yields one part per round

    Fixtures are numbered from 0 through all parts, and so are their blocks. A resumed league asks for all parts again,
    so a part may depend only on the entrants, the settings, and the results of the parts before it. Bots of one author
    (`entrants.authors`) must not meet; where that cannot be, `author_mistakes` refuses them. `mistakes` refuses keys of
    [schedule] that the kind does not use. An audit passes as many `blocks` as were played: `from_keys` accepts any.

3.  Override what differs from the defaults of LeagueKind; all of it is optional. A Swiss system sets
    `follows_results`, and may show its rounds below the standings with `lines`. An `identity` of its own must keep
    `challengers`. What reads results meets damaged stores: it raises StoreError where one does not fit.

4.  The table: add the class to KINDS. A new key of [schedule] also needs a field in ScheduleKeys, and in `_Schedule`
    and its `keys` (arena/league/tournament.py). If it can change a result, `identity` must have it, and an audit must
    read it from the store: it needs a shape in SETTING (arena/league/shapes.py), and `_tournament`
    (arena/league/audit.py) must pass it on in ScheduleKeys.

5.  The guide: a row in the table of kinds in docs/leagues.md, the name at `schedule.kind` in the table of the file
    there, and new keys in the same table; the name in the docstring of arena/league/tournament.py and in the glossary
    of docs/architecture.md.

6.  The tests:

        tests/league/test_kinds.py      EXAMPLES, always; the ScheduleKeys there, for a key that can change a result
        tests/league/test_schedule.py   `makers`, for a new schedule with a budget; the plans of the tests of deals and
                                        of small plans; and tests of what is special in it
        tests/league/test_audit.py      KINDS, if tournament files may name the kind
        tests/league/test_deals.py      KINDS, if it has a `plan` that does not depend on results
        tests/league/test_store_damage.py   if it has `lines` or a `champion`
        benchmarks/seer_bot.py          KINDS has the names that schedules give to `_Lots`
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any, ClassVar, Self

from arena.errors import SettingError, StoreError
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
"""A league that depends on its standings computes them after 16 blocks, and then whenever there are an eighth more,
because the time for that grows with the results."""
FLOOR = 4
"""Blocks that every bot has before an adaptive league looks for undecided pairs."""
DEFAULT_BUDGET = 200
"""Blocks of an adaptive league, and units of a duel, if none are given."""
ANY_DICE = 0
"""Dice for a plan of which only the length matters."""
SEPARATED, DECIDED = "all are separated", "it is decided"
"""Why a league ends before its plan does."""
SHOWN = 32
"""Characters of a bot's name that are shown."""

Part = Iterable[schedule.Fixture]


@dataclass(frozen=True, slots=True)
class Entrants:
    """The bots of a league, the sizes of its tables, and the dice that decide which bots meet."""

    bots: tuple[str, ...]
    seats: tuple[int, ...]
    authors: Mapping[str, str] | None = None
    """By bot, if bots of one author must not meet; None: all may meet."""
    dice: int = ANY_DICE


@dataclass(frozen=True, slots=True)
class ScheduleKeys:
    """The keys of [schedule] that kinds use, from a tournament file or from what a store knows."""

    seats: tuple[int, ...]
    blocks: int | None = None
    until: str | None = None
    challengers: tuple[str, ...] = ()


class LeagueKind:
    """What a kind must have, and the defaults of what it may have."""

    name: ClassVar[str]

    # Required

    @classmethod
    def from_keys(cls, keys: ScheduleKeys) -> Self:
        """The kind with these settings, of which `mistakes` has found nothing wrong."""
        raise NotImplementedError

    def total(self, entrants: Entrants) -> int:
        """How many matches there are, at most. It must not depend on the dice."""
        raise NotImplementedError

    def parts(self, entrants: Entrants, store: Store) -> Iterator[Part]:
        """The plan in parts. When the next one is requested, the store has the results of those before."""
        raise NotImplementedError

    # Optional: how it is played

    is_in_files: ClassVar[bool] = True
    """Whether a tournament file may name it."""
    takes_challengers: ClassVar[bool] = False
    """Whether a tournament file must name challengers. For other kinds it must not."""
    is_seeded: ClassVar[bool] = False
    """Whether the order of the bots in the file can change a result."""
    follows_results: ClassVar[bool] = False
    """Whether a part depends on earlier results, so that the league stops if a match of them is left out."""
    early_end: ClassVar[str] = ""
    """Why `parts` may end with fewer matches than `total`, in words."""

    @classmethod
    def mistakes(cls, keys: ScheduleKeys) -> Iterator[str]:
        """What is wrong with these keys for this kind, one line each."""
        return iter(())

    def author_mistakes(self, entries: Sequence[Entry], seats: int) -> Iterator[str]:
        """Why tables of this size cannot have one bot of each author, one line each."""
        return mistakes_at_tables(entries, seats)

    def why_over(self, entrants: Entrants, store: Store, reached: int) -> str:
        """Why the league ends after the plan up to the place `reached`, or an empty text. Called after each part."""
        return ""

    def identity(self) -> dict[str, Any]:
        """Its settings that can change a result. Two runs are the same league only if these are equal."""
        return {"challengers": []}

    # Optional: how its result is shown

    @classmethod
    def lines(cls, store: Store) -> Iterator[str]:
        """Lines below the standings."""
        return iter(())

    @classmethod
    def champion(cls, store: Store) -> str | None:
        """The bot that has won the league, if this kind has a winner of its own."""
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

    def plan(self, entrants: Entrants) -> schedule.Schedule:
        return schedule.round_robin(entrants.bots, entrants.seats, self.blocks, entrants.dice, entrants.authors)

    def total(self, entrants: Entrants) -> int:
        return len(self.plan(entrants))

    def parts(self, entrants: Entrants, store: Store) -> Iterator[Part]:
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
        return cls(keys.challengers, keys.blocks, keys.until)

    def author_mistakes(self, entries: Sequence[Entry], seats: int) -> Iterator[str]:
        return mistakes_at_tables(entries, seats, self.challengers)

    def plan(self, entrants: Entrants) -> schedule.Schedule:
        others = [bot for bot in entrants.bots if bot not in self.challengers]
        return schedule.gauntlet(self.challengers, others, entrants.seats, self.blocks, entrants.dice, entrants.authors)

    def total(self, entrants: Entrants) -> int:
        return len(self.plan(entrants))

    def parts(self, entrants: Entrants, store: Store) -> Iterator[Part]:
        return _parts_until(self.until, self.plan(entrants))

    def why_over(self, entrants: Entrants, store: Store, reached: int) -> str:
        return _why_separated(self.until, entrants, store, reached)

    def identity(self) -> dict[str, Any]:
        return {"challengers": list(self.challengers)}


@dataclass(frozen=True, slots=True)
class Adaptive(LeagueKind):
    """Every bot a few times, then the pairs that are not yet separated."""

    name = "adaptive"
    follows_results = True
    early_end = SEPARATED
    blocks: int = DEFAULT_BUDGET
    until: str | None = None

    @classmethod
    def from_keys(cls, keys: ScheduleKeys) -> Self:
        return cls(keys.blocks or DEFAULT_BUDGET, keys.until)

    def total(self, entrants: Entrants) -> int:
        return len(schedule.top_up(entrants.bots, entrants.seats, self.blocks, ANY_DICE, ()))

    def parts(self, entrants: Entrants, store: Store) -> Iterator[Part]:
        """Only results of the parts so far count: a resumed league must plan as it did at first."""
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
    """How a knock-out went: the winners of each round so far, by table, and the champion if it is over."""

    rounds: list[list[str]]
    champion: str | None


@dataclass(frozen=True, slots=True)
class KnockOut(LeagueKind):
    """Rounds. The best of each table goes on: by ranks, then by points, then by the file's order."""

    name = "knock_out"
    is_seeded = True
    follows_results = True

    @classmethod
    def from_keys(cls, keys: ScheduleKeys) -> Self:
        return cls()

    @classmethod
    def mistakes(cls, keys: ScheduleKeys) -> Iterator[str]:
        if len(set(keys.seats)) > 1:
            yield "schedule.seats: a knock-out has tables of one size. Name only one."
        for key, value in (("blocks", keys.blocks), ("until", keys.until)):
            if value is not None:
                yield f"schedule.{key}: a knock-out has one block per table, and ends after its last round. Omit it."

    def author_mistakes(self, entries: Sequence[Entry], seats: int) -> Iterator[str]:
        return mistakes_if_all_meet(entries)

    def total(self, entrants: Entrants) -> int:
        """Of all rounds. Their lengths do not depend on the winners."""
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
    is_in_files = False
    a: str
    b: str
    units: int = DEFAULT_BUDGET
    is_on_score: bool = False
    """Whether points count instead of ranks."""

    @classmethod
    def from_keys(cls, keys: ScheduleKeys) -> Self:
        if len(keys.challengers) != 2:
            raise SettingError(f"challengers: a duel has two, got {len(keys.challengers)}.")
        a, b = keys.challengers
        return cls(a, b, keys.blocks or DEFAULT_BUDGET)

    def plan(self, entrants: Entrants) -> schedule.Schedule:
        others = [bot for bot in entrants.bots if bot not in (self.a, self.b)]
        return schedule.duel(self.a, self.b, others, entrants.seats, self.units, entrants.dice)

    def total(self, entrants: Entrants) -> int:
        return len(self.plan(entrants))

    def parts(self, entrants: Entrants, store: Store) -> Iterator[Part]:
        return _slices(self.plan(entrants), lambda _played: USUAL.every)

    def why_over(self, entrants: Entrants, store: Store, reached: int) -> str:
        return DECIDED if self.compared(store).answer is not Answer.UNDECIDED else ""

    def identity(self) -> dict[str, Any]:
        return {"challengers": [self.a, self.b]}

    def compared(self, store: Store) -> Comparison:
        """Whether A is better than B, by the complete units in plan order."""
        results = [Result(*outcome) for outcome in store.outcomes()]
        if self.is_on_score:
            return duel_on_score(exchanges_by_score(results, self.a, self.b))
        return duel(exchanges_by_rank(results, self.a, self.b))


KINDS: Mapping[str, type[LeagueKind]] = {kind.name: kind for kind in (RoundRobin, Gauntlet, Adaptive, KnockOut, Duel)}
IN_FILES = tuple(name for name, kind in KINDS.items() if kind.is_in_files)
"""The kinds that a tournament file may name."""


def kind_of(store: Store) -> type[LeagueKind]:
    """The kind of the league in a store."""
    name, *_ = store.settings()["schedule"]
    if name not in KINDS:
        raise StoreError(f"{store.path}: this arena does not know leagues of the kind {name!r}. Use a newer arena.")
    return KINDS[name]


# Parts of a plan


def _parts_until(until: str | None, plan: schedule.Schedule) -> Iterator[Part]:
    """The plan as one part, or in batches if the league may end between them."""
    return iter([plan]) if until is None else _slices(plan, _batch)


def _batch(played: int) -> int:
    """How many blocks the next part has after these."""
    return max(BATCH, played // GROWTH)


def _slices(whole: schedule.Schedule, length: Callable[[int], int]) -> Iterator[list[schedule.Fixture]]:
    blocks = (list(block) for _, block in groupby(whole, lambda fixture: fixture.block))
    played = 0
    while batch := list(islice(blocks, length(played))):
        yield [fixture for block in batch for fixture in block]
        played += len(batch)


def _why_separated(until: str | None, entrants: Entrants, store: Store, reached: int) -> str:
    """By the results of the plan so far: a resumed league must stop where it would have stopped at first."""
    if until is None or any(standing.not_separated for standing in table(store, entrants.bots, reached)):
        return ""
    return SEPARATED


# Tables of a knock-out


def _tables(round_: schedule.Schedule) -> dict[int, tuple[str, ...]]:
    """The bots at each table, by block."""
    return {fixture.block: fixture.bots for fixture in round_ if fixture.rotation == 0}


def _winners(tables: Mapping[int, tuple[str, ...]], store: Store, bots: Sequence[str]) -> list[str]:
    totals = {(block, bot): (0, 0, bots.index(bot)) for block, seated in tables.items() for bot in seated}
    for row in store.rows():
        for bot, rank, score in zip(row.bots, row.ranks, row.scores) if row.block in tables else ():
            if (row.block, bot) not in totals:
                raise StoreError(f"{store.path}: it is damaged: match {row.match}: {bot} is not at this table.")
            ranks, scores, place = totals[row.block, bot]
            totals[row.block, bot] = (ranks + rank, scores - score, place)
    return [min((totals[block, bot], bot) for bot in seated)[1] for block, seated in tables.items()]
