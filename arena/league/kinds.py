"""The kinds of leagues, one class each. KINDS, below the classes, is the table in which the arena finds them by name.

A kind plans the matches, in one part or in several. The next part is requested when every match of the one before has
a result or is left out, so a kind may look at the results. To add a kind, for example a Swiss system:

1.  The schedule: a function in arena/league/schedule.py, if no function there pairs bots as the kind needs. It is pure
    and returns a Schedule that follows from the entrants, the table sizes, the dice, and a budget or the results so
    far. With a budget, a longer one must extend a shorter plan: a league may be resumed with more blocks. The name
    that it gives to `Lots` must be its own, so that no two kinds share a deal.

2.  The class: a subclass of LeagueKind, a frozen dataclass whose fields are its own settings. It must have

        name         its name in tournament files and stores
        from_keys    makes it from the keys of [schedule] that it uses
        total        how many matches it plays, at most
        parts        the fixtures: a Swiss system yields one part per round

    Fixtures are numbered from 0 through all parts, and so are their blocks. A resumed league asks for all parts again,
    so a part may depend only on the entrants, the settings, and the results of the parts before it (`so_far`). Bots of
    one author (`entrants.authors`) must not meet; where that cannot be, `author_mistakes` refuses them. `mistakes`
    refuses keys of [schedule] that the kind does not use. An audit passes as many `blocks` as were played: `from_keys`
    accepts any.

3.  Override what differs from the defaults of LeagueKind; all of it is optional. A Swiss system sets
    `follows_results`, and may return its rounds from `course`, which terminal and report draw. An `identity` of its
    own must keep `challengers`. What reads results meets damaged stores: it raises StoreError where one does not fit.
    What takes more than a few lines has a module of its own, as arena/league/groups.py.

4.  The table: add the class to KINDS. A new key of [schedule] also needs a field in ScheduleKeys, a place in
    `own_keys`, and a field in `_Schedule` and its `keys` (arena/league/tournament.py). If it can change a result,
    `identity` must have it, and an audit must read it from the store: it needs a shape in SETTING
    (arena/league/shapes.py), and `_keys` (arena/league/audit.py) must pass it on in ScheduleKeys.

5.  The guide: a row in the table of kinds in docs/leagues.md, the name at `schedule.kind` in the table of the file
    there, and new keys in the same table; the name in the docstring of arena/league/tournament.py and in the glossary
    of docs/architecture.md.

6.  The tests:

        tests/league/test_kinds.py      EXAMPLES, always; the ScheduleKeys there, for a key that can change a result
        tests/league/test_schedule.py   `makers`, for a new schedule with a budget; the plans of the tests of deals and
                                        of small plans; and tests of what is special in it
        tests/league/test_audit.py      KINDS, if tournament files may name the kind
        tests/league/test_deals.py      KINDS, if it has a `plan` that does not depend on results
        tests/league/test_store_damage.py   if it has a `course`
        benchmarks/seer_bot.py          KINDS has the names that schedules give to `Lots`
"""

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from math import ceil
from typing import Any, ClassVar, Self

from arena.errors import SettingError, StoreError
from arena.league import knock_out, placing, schedule, season
from arena.league.duel import (
    USUAL,
    Answer,
    Comparison,
    Hypotheses,
    duel,
    duel_on_score,
    exchanges_by_rank,
    exchanges_by_score,
)
from arena.league.elo import Result
from arena.league.groups import Draw
from arena.league.meetings import Meeting, block_of, meeting, meetings
from arena.league.placing import LadderPlace, Scale
from arena.league.results import ResultsSoFar, outcomes_of
from arena.league.store import Store
from arena.league.ties import Course
from arena.roster.entries import Entry
from arena.roster.seating import mistakes_at_tables, mistakes_if_all_meet
from arena.texts import counted

BATCH, GROWTH = 16, 8
"""A league that depends on its standings computes them after 16 blocks, and then whenever there are an eighth more,
because the time for that grows with the results."""
FLOOR = 4
"""Blocks that every bot has before an adaptive league looks for undecided pairs."""
DEFAULT_BUDGET = 200
"""Blocks of an adaptive league, and units of a duel, if none are given."""
ALL_EPOCHS = 2**53
ANY_DICE = 0
"""Dice for a plan of which only the length matters."""
SEPARATED, DECIDED, PLACED = "all are separated", "it is decided", "its place is known"
"""Why a league ends before its plan does."""

Part = Iterable[schedule.Fixture]


@dataclass(frozen=True, slots=True)
class Entrants:
    """The bots of a league, the sizes of its tables, and the dice that decide which bots meet."""

    bots: tuple[str, ...]
    seats: tuple[int, ...]
    authors: Mapping[str, str] | None = None
    """By bot, if bots of one author must not meet; None: all may meet."""
    dice: int = ANY_DICE
    versions: Mapping[str, str] | None = None
    """The keys of their versions by name; None: results go by places in the plan, not by meetings."""
    founders: tuple[str, ...] = ()
    """The bots with which the league began."""
    newcomers: tuple[season.Newcomer, ...] = ()
    """The bots that joined it later, in that order."""
    epoch: int = 0
    """How often the roster has changed."""
    done: Container[int] = frozenset()
    """Blocks that need not be planned again."""

    @property
    def has_changed(self) -> bool:
        """Whether other bots play than at the beginning; other versions of them do not count."""
        return bool(self.founders) and (bool(self.newcomers) or set(self.founders) != set(self.bots))

    def meetings(self, plan: schedule.Schedule, met: Counter[int] | None = None) -> Part:
        """The fixtures of a plan as meetings, if results go by meetings; `met` counts those of each table so far."""
        if self.versions is None:
            return plan
        return meetings(plan, self.versions, self.dice, Counter() if met is None else met, self.done)


@dataclass(frozen=True, slots=True)
class ScheduleKeys:
    """The keys of [schedule] that kinds use, from a tournament file or from what a store knows."""

    seats: tuple[int, ...]
    blocks: int | None = None
    until: str | None = None
    challengers: tuple[str, ...] = ()
    groups: int | None = None
    advance: int | None = None
    cycles: int | None = None
    final: str | None = None
    ladder: Mapping[str, Any] | None = None
    """The scale of a placing; no tournament file has one."""


GROUP_KEYS = ("groups", "advance", "cycles", "final")
"""The keys that only a league with groups has."""


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

    def parts(self, entrants: Entrants, so_far: ResultsSoFar) -> Iterator[Part]:
        """The plan in parts. When the next one is requested, the store has the results of those before."""
        raise NotImplementedError

    # Optional: how it is played

    is_in_files: ClassVar[bool] = True
    """Whether a tournament file may name it."""
    takes_challengers: ClassVar[bool] = False
    """Whether a tournament file must name challengers. For other kinds it must not."""
    own_keys: ClassVar[tuple[str, ...]] = ()
    """Those of GROUP_KEYS that a tournament file may have."""
    is_seeded: ClassVar[bool] = False
    """Whether the order of the bots in the file can change a result."""
    follows_results: ClassVar[bool] = False
    """Whether a part depends on earlier results, so that the league stops if a match of them is left out."""
    may_change: ClassVar[bool] = False
    """Whether its roster may change, so that results go by meetings (arena/league/meetings.py). `parts` and `total`
    then respect `founders` and `newcomers`, and yield what `entrants.meetings` makes of a plan."""
    pairs_settings: ClassVar[bool] = False
    """Whether the matches of a block differ only in who has which setting of one bot. Then the bots' seeds are the same
    in all of them, and although they share a deal, a process may play several: its owner compares it with itself."""
    early_end: ClassVar[str] = ""
    """Why `parts` may end with fewer matches than `total`, in words."""

    def whole(self, entrants: Entrants) -> Part | None:
        """All fixtures at once, if none of them depends on results. Only then machines can share a league."""
        return None

    @classmethod
    def mistakes(cls, keys: ScheduleKeys) -> Iterator[str]:
        """What is wrong with these keys for this kind, one line each."""
        return iter(())

    def author_mistakes(self, entries: Sequence[Entry], seats: int) -> Iterator[str]:
        """Why tables of this size cannot have one bot of each author, one line each."""
        return mistakes_at_tables(entries, seats)

    def number_mistakes(self, bots: int, seats: int) -> Iterator[str]:
        """Why this many bots cannot play it at tables of this size, one line each."""
        return iter(())

    def why_over(self, so_far: ResultsSoFar, blocks: Collection[int]) -> str:
        """Why the league ends after the parts with these blocks, or an empty text. Called after each part."""
        return ""

    def identity(self) -> dict[str, Any]:
        """Its settings that can change a result. Two runs are the same league only if these are equal."""
        return {"challengers": []}

    # Optional: how its result is shown

    @classmethod
    def course(cls, store: Store) -> Course | None:
        """How it went, if this kind has rounds or groups: then it also has a winner of its own."""
        return None


@dataclass(frozen=True, slots=True)
class RoundRobin(LeagueKind):
    """Every bot meets every other, equally often."""

    name = "round_robin"
    may_change = True
    blocks: int | None = None
    """None: one whole cycle."""
    until: str | None = None

    @classmethod
    def from_keys(cls, keys: ScheduleKeys) -> Self:
        return cls(keys.blocks, keys.until)

    def plan(self, entrants: Entrants) -> schedule.Schedule:
        is_whole = self.blocks is None and schedule.is_cyclic(len(entrants.bots), entrants.seats)
        if is_whole or not entrants.has_changed:
            return self._plan(entrants, entrants.bots)
        blocks = self.blocks or schedule.usual_blocks(entrants.founders, entrants.seats, entrants.authors)
        return _changed(entrants, self._plan(entrants, entrants.founders), blocks / len(entrants.founders))

    def _plan(self, entrants: Entrants, bots: Sequence[str]) -> schedule.Schedule:
        """The plan of these bots."""
        seats, dice, authors = entrants.seats, entrants.dice, entrants.authors
        if entrants.versions is None or len(bots) <= season.LARGE or schedule.is_cyclic(len(bots), seats):
            return schedule.round_robin(bots, seats, self.blocks, dice, authors)
        return season.rounds(bots, seats, self.blocks or schedule.usual_blocks(bots, seats, authors), dice, authors)

    def total(self, entrants: Entrants) -> int:
        return len(self.plan(entrants))

    def parts(self, entrants: Entrants, so_far: ResultsSoFar) -> Iterator[Part]:
        return _parts_until(self.until, entrants.meetings(self.plan(entrants)))

    def whole(self, entrants: Entrants) -> Part | None:
        return entrants.meetings(self.plan(entrants)) if self.until is None else None

    def why_over(self, so_far: ResultsSoFar, blocks: Collection[int]) -> str:
        return _why_separated(self.until, so_far, blocks)


@dataclass(frozen=True, slots=True)
class Gauntlet(LeagueKind):
    """The challengers meet all others, and not each other."""

    name = "gauntlet"
    may_change = True
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
        if not entrants.has_changed:
            return self._plan(entrants, entrants.bots)
        field = len(entrants.founders) - len(self.challengers)
        blocks = self.blocks or len(entrants.seats) * len(self.challengers) * field
        return _changed(entrants, self._plan(entrants, entrants.founders), blocks / field, self.challengers)

    def _plan(self, entrants: Entrants, bots: Sequence[str]) -> schedule.Schedule:
        """The plan of these bots."""
        others = [bot for bot in bots if bot not in self.challengers]
        return schedule.gauntlet(self.challengers, others, entrants.seats, self.blocks, entrants.dice, entrants.authors)

    def total(self, entrants: Entrants) -> int:
        return len(self.plan(entrants))

    def parts(self, entrants: Entrants, so_far: ResultsSoFar) -> Iterator[Part]:
        return _parts_until(self.until, entrants.meetings(self.plan(entrants)))

    def whole(self, entrants: Entrants) -> Part | None:
        return entrants.meetings(self.plan(entrants)) if self.until is None else None

    def why_over(self, so_far: ResultsSoFar, blocks: Collection[int]) -> str:
        return _why_separated(self.until, so_far, blocks)

    def identity(self) -> dict[str, Any]:
        return {"challengers": list(self.challengers)}


@dataclass(frozen=True, slots=True)
class Adaptive(LeagueKind):
    """Every bot a few times, then the pairs that are not yet separated."""

    name = "adaptive"
    may_change = True
    follows_results = True
    early_end = SEPARATED
    blocks: int = DEFAULT_BUDGET
    until: str | None = None

    @classmethod
    def from_keys(cls, keys: ScheduleKeys) -> Self:
        return cls(keys.blocks or DEFAULT_BUDGET, keys.until)

    def total(self, entrants: Entrants) -> int:
        return len(schedule.top_up(entrants.bots, entrants.seats, self._budget(entrants), ANY_DICE, ()))

    def _budget(self, entrants: Entrants) -> int:
        """As many blocks for each bot as there were at the beginning."""
        return ceil(self.blocks * len(entrants.bots) / len(entrants.founders or entrants.bots))

    def parts(self, entrants: Entrants, so_far: ResultsSoFar) -> Iterator[Part]:
        """Only results of the parts so far count: a resumed league must plan as it did at first.

        After a change of the roster, all that was played before it counts, as far as it is between bots of today.
        """
        before = so_far.store.meetings(entrants.epoch, (entrants.versions or {}).values())
        met, blocks = _met(before), {one.block for one in before}
        played = [one.bots for one in before]
        left = self._budget(entrants) - len(played)
        while left > 0:
            pairs = so_far.undecided(blocks) if played else ()
            if played and not pairs and not (before and _starved(entrants.bots, played)):
                return
            size = min(_batch(len(played)), left)
            part = list(entrants.meetings(self._more(entrants, size, pairs, played), met))
            yield part
            played += [fixture.bots for fixture in part if fixture.rotation == 0]
            blocks |= {fixture.block for fixture in part}
            left -= size

    def _more(
        self, entrants: Entrants, blocks: int, pairs: Iterable[tuple[str, str]], played: Sequence[tuple[str, ...]]
    ) -> schedule.Schedule:
        dice, authors = entrants.dice, entrants.authors
        return schedule.top_up(entrants.bots, entrants.seats, blocks, dice, pairs, played, FLOOR, authors)

    def why_over(self, so_far: ResultsSoFar, blocks: Collection[int]) -> str:
        return _why_separated(self.until, so_far, blocks)


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
        return knock_out.length(entrants.bots, entrants.seats[0])

    def parts(self, entrants: Entrants, so_far: ResultsSoFar) -> Iterator[Part]:
        bots, size = entrants.bots, entrants.seats[0]
        bracket = knock_out.Bracket(bots, size, bots)
        return bracket.parts(lambda won: schedule.knock_out(bots, size, entrants.dice, won), so_far.store.rows)

    @classmethod
    def course(cls, store: Store) -> Course:
        _, size, *_ = store.settings()["schedule"]
        return knock_out.course(_seeding(store), size, store)


@dataclass(frozen=True, slots=True)
class Groups(LeagueKind):
    """A round robin in each group. Then the best of all groups meet, in a knock-out or a round robin."""

    name = "groups"
    own_keys = GROUP_KEYS
    is_seeded = True
    follows_results = True
    groups: int = 2
    advance: int = 2
    """How many bots of each group go on."""
    cycles: int = 1
    """How often each group plays its whole round robin; also in a final that is one."""
    final: str = KnockOut.name

    @classmethod
    def from_keys(cls, keys: ScheduleKeys) -> Self:
        given = {key: getattr(keys, key) for key in GROUP_KEYS}
        return cls(**{key: value for key, value in given.items() if value is not None})

    @classmethod
    def mistakes(cls, keys: ScheduleKeys) -> Iterator[str]:
        if len(set(keys.seats)) > 1:
            yield "schedule.seats: groups have tables of one size. Name only one."
        for key, value in (("blocks", keys.blocks), ("until", keys.until)):
            if value is not None:
                yield f"schedule.{key}: groups play whole cycles, and then their final. Omit it, or write cycles."

    def number_mistakes(self, bots: int, seats: int) -> Iterator[str]:
        least = bots // self.groups
        if least < max(seats, self.advance):
            yield (
                f"schedule.groups: the smallest of {self.groups} groups has {counted(least, 'bot')}, but a table has "
                f"{seats} seats, and {self.advance} go on. Add bots, or use fewer groups."
            )
        elif self.groups * self.advance < (seats if self.final == RoundRobin.name else 2):
            finalists = counted(self.groups * self.advance, "bot")
            yield f"schedule.advance: only {finalists} would be in the final. Raise it."

    def author_mistakes(self, entries: Sequence[Entry], seats: int) -> Iterator[str]:
        return mistakes_if_all_meet(entries)

    def total(self, entrants: Entrants) -> int:
        return self._draw(entrants.bots, entrants.seats[0], ANY_DICE).total()

    def parts(self, entrants: Entrants, so_far: ResultsSoFar) -> Iterator[Part]:
        return self._draw(entrants.bots, entrants.seats[0], entrants.dice).parts(so_far.store)

    def _draw(self, bots: Sequence[str], size: int, dice: int) -> Draw:
        if mistake := next(self.number_mistakes(len(bots), size), ""):
            raise SettingError(mistake)
        return Draw(tuple(bots), size, self.groups, self.advance, self.cycles, self.final, dice)

    def identity(self) -> dict[str, Any]:
        return {"challengers": [], **{key: getattr(self, key) for key in GROUP_KEYS}}

    @classmethod
    def course(cls, store: Store) -> Course:
        settings, bots = store.settings(), _seeding(store)
        _, size, *_ = settings["schedule"]
        own: dict[str, Any] = {key: settings.get(key) for key in GROUP_KEYS}
        kind = cls.from_keys(ScheduleKeys((size,), **own))
        try:
            return kind._draw(bots, size, ANY_DICE).course(store)
        except SettingError as error:  # nothing could have been played with such settings
            raise StoreError(f"{store.path}: it is damaged: {error}") from None


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
    question: Hypotheses = USUAL
    """What the test decides. It is not part of the identity: another question can be put to the same games."""

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

    def parts(self, entrants: Entrants, so_far: ResultsSoFar) -> Iterator[Part]:
        return _slices(self.plan(entrants), lambda _played: USUAL.every)

    def why_over(self, so_far: ResultsSoFar, blocks: Collection[int]) -> str:
        return DECIDED if self.compared(so_far.store).answer is not Answer.UNDECIDED else ""

    def identity(self) -> dict[str, Any]:
        return {"challengers": [self.a, self.b]}

    def compared(self, store: Store) -> Comparison:
        """Whether A is better than B, by the complete units in plan order."""
        results = list(outcomes_of(store))
        if self.is_on_score:
            return duel_on_score(exchanges_by_score(results, self.a, self.b), self.question)
        return duel(exchanges_by_rank(results, self.a, self.b), self.question)


@dataclass(frozen=True, slots=True)
class Chain(LeagueKind):
    """Neighbours in the order of the file meet: for bots whose order is known, and whose distances are not."""

    name = "chain"
    is_seeded = True
    blocks: int | None = None
    """None: one whole cycle."""

    @classmethod
    def from_keys(cls, keys: ScheduleKeys) -> Self:
        return cls(keys.blocks)

    @classmethod
    def mistakes(cls, keys: ScheduleKeys) -> Iterator[str]:
        if len(set(keys.seats)) > 1:
            yield "schedule.seats: a chain has tables of one size. Name only one."
        if keys.until is not None:
            yield "schedule.until: a chain ends with its blocks. Omit it."

    def author_mistakes(self, entries: Sequence[Entry], seats: int) -> Iterator[str]:
        return mistakes_if_all_meet(entries)

    def plan(self, entrants: Entrants) -> schedule.Schedule:
        return schedule.chain(entrants.bots, entrants.seats[0], self.blocks, entrants.dice)

    def total(self, entrants: Entrants) -> int:
        return len(self.plan(entrants))

    def parts(self, entrants: Entrants, so_far: ResultsSoFar) -> Iterator[Part]:
        return iter([self.plan(entrants)])

    def whole(self, entrants: Entrants) -> Part | None:
        return self.plan(entrants)


@dataclass(frozen=True, slots=True)
class Placing(LeagueKind):
    """One bot against rungs of a frozen ladder, those that say most about its rating, until that is known."""

    name = "placing"
    is_in_files = False
    follows_results = True
    bot: str
    scale: Scale
    blocks: int = DEFAULT_BUDGET
    until: float = 25.0
    """Elo points on either side of the rating. Not part of the identity: more matches make it narrower."""

    @classmethod
    def from_keys(cls, keys: ScheduleKeys) -> Self:
        if len(keys.challengers) != 1:
            raise SettingError(f"challengers: a placing has one, got {len(keys.challengers)}.")
        return cls(keys.challengers[0], Scale.from_plain(keys.ladder), keys.blocks or DEFAULT_BUDGET)

    def total(self, entrants: Entrants) -> int:
        return self.blocks * entrants.seats[0]

    def parts(self, entrants: Entrants, so_far: ResultsSoFar) -> Iterator[Part]:
        """Only results of the parts so far count: a resumed league must plan as it did at first."""
        (size,), played = entrants.seats, 0
        tables = placing.first_tables(self.scale, size)
        while played < self.blocks:
            part = [(self.bot, *table) for table in tables[: self.blocks - played]]
            yield schedule.placing(part, entrants.dice, played, played * size)
            played += len(part)
            before = _results(so_far.store, range(played))
            more = placing.next_tables(before, self.bot, self.scale, size)
            tables = list(islice(more, placing.part_length(played)))

    def why_over(self, so_far: ResultsSoFar, blocks: Collection[int]) -> str:
        return PLACED if self.placed(so_far.store).is_within(self.until) else ""

    def identity(self) -> dict[str, Any]:
        return {"challengers": [self.bot], "ladder": self.scale.plain()}

    def placed(self, store: Store) -> LadderPlace:
        """Where the bot is, by all results."""
        return placing.place(_results(store), self.bot, self.scale)


KINDS: Mapping[str, type[LeagueKind]] = {
    kind.name: kind for kind in (RoundRobin, Gauntlet, Adaptive, Chain, KnockOut, Groups, Duel, Placing)
}
IN_FILES = tuple(name for name, kind in KINDS.items() if kind.is_in_files)
"""The kinds that a tournament file may name."""


def kind_of(store: Store) -> type[LeagueKind]:
    """The kind of the league in a store."""
    name, *_ = store.settings()["schedule"]
    if name not in KINDS:
        raise StoreError(f"{store.path}: this arena does not know leagues of the kind {name!r}. Use a newer arena.")
    return KINDS[name]


def _seeding(store: Store) -> tuple[str, ...]:
    """The bots in the order of the file."""
    settings = store.settings()
    if "seeding" not in settings:
        raise StoreError(f"{store.path}: it is damaged: settings: seeding: missing.")
    return tuple(settings["seeding"])


def _results(store: Store, blocks: Container[int] | None = None) -> list[Result]:
    """The results in order: all, or those of some blocks."""
    outcomes = store.outcomes(blocks)
    return [Result(at, block, bots, ranks, scores) for at, (block, bots, ranks, scores, _) in enumerate(outcomes)]


# Parts of a plan


def more(entrants: Entrants, store: Store) -> Part:
    """More meetings of a league whose plan is played, of those that tell most: bots with few, then undecided pairs.

    Meetings that were interrupted come first.
    """
    assert entrants.versions is not None, "only leagues by meetings go on for ever"
    before = store.meetings(ALL_EPOCHS, entrants.versions.values())
    played, rotations = [one.bots for one in before], store.rotations()
    for one in before:
        if rotations[one.block].bit_count() < len(one.bots):
            yield from meeting(dict(zip(one.versions, one.bots)), one.number, entrants.dice)
    pairs = ResultsSoFar(store, entrants.bots).undecided(rotations) if played else ()
    blocks = _batch(len(played))
    dice, authors = entrants.dice, entrants.authors
    plan = schedule.top_up(entrants.bots, entrants.seats, blocks, dice, pairs, played, FLOOR, authors)
    yield from entrants.meetings(plan, _met(before))


def _starved(bots: Iterable[str], played: Iterable[Sequence[str]]) -> bool:
    """Whether a bot has fewer blocks than every bot should have."""
    blocks = Counter(bot for seating in played for bot in seating)
    return any(blocks[bot] < FLOOR for bot in bots)


def _met(before: Iterable[Meeting]) -> Counter[int]:
    """How often each table has met, from its meetings."""
    met = Counter[int]()
    for one in before:
        table_ = block_of(sorted(one.versions), 0)
        met[table_] = max(met[table_], one.number + 1)
    return met


def _changed(
    entrants: Entrants, founding: schedule.Schedule, share: float, challengers: Sequence[str] = ()
) -> schedule.Schedule:
    """The plan for a roster that has changed; a founder had `share` blocks for each of its seats at a table."""
    guests = 1 if challengers else 0  # a challenger has the other seat
    shares = {size: ceil(share * (size - guests) / len(entrants.seats)) for size in entrants.seats}
    return season.season(
        founding, entrants.newcomers, entrants.bots, shares, entrants.dice, entrants.authors, challengers
    )


def _parts_until(until: str | None, plan: Part) -> Iterator[Part]:
    """The plan as one part, or in batches if the league may end between them."""
    return iter([plan]) if until is None else _slices(plan, _batch)


def _batch(played: int) -> int:
    """How many blocks the next part has after these."""
    return max(BATCH, played // GROWTH)


def _slices(whole: Part, length: Callable[[int], int]) -> Iterator[list[schedule.Fixture]]:
    blocks = (list(block) for _, block in groupby(whole, lambda fixture: fixture.block))
    played = 0
    while batch := list(islice(blocks, length(played))):
        yield [fixture for block in batch for fixture in block]
        played += len(batch)


def _why_separated(until: str | None, so_far: ResultsSoFar, blocks: Collection[int]) -> str:
    """By the results of the plan so far: a resumed league must stop where it would have stopped at first."""
    return "" if until is None or so_far.undecided(blocks) else SEPARATED
