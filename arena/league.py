"""A league from its file to its results: what is to be played, what has been, and the rest of it.

The plan follows from the tournament and its secret, and a match's id from what is played in it. So to resume is to play
the plan without what is there already; a second run, or another machine, can never count a match twice.
"""

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import trio

from arena import rating, schedule, statistics
from arena.config import Tournament
from arena.deals import begun, dealt, kept, notes, seeds
from arena.digests import as_known, changed, digest_now, stamp
from arena.errors import FileError, SettingError, StoreError
from arena.executors import Block, Event, Fixture, Lost, Workers, worker_count
from arena.faults import POLICY, Consequence, FaultKind
from arena.old_leagues import RECORD_FORMAT, OldSeed
from arena.place import Place
from arena.record import FORMAT
from arena.report import Report, render
from arena.roster import PYTHON, Entry
from arena.seating import check_apart, check_results, together
from arena.secret import Chance, Secret
from arena.store import NEVER, Row, Store, difference, only_runner, open_store
from arena.texts import counted
from arena.tiers import said_of
from arena.version import VERSION
from arena.worker import Setting, record_path

RECORDS = "records"
MOST_ATTEMPTS = 3
"""So many times a match may be void or lost by nobody's doing; then it is left out and named, and each later run tries
it once. A bot that was a suspect so many times loses it."""
BATCH, GROWTH = 16, 8
"""A league that depends on its table looks at it after so many blocks, and then whenever there is an eighth more: to
look takes time that grows with the results."""
FLOOR = 4
"""Blocks that every bot has before an adaptive league looks for undecided pairs."""
DEFAULT_BUDGET = 200
"""Blocks of an adaptive league that names no number."""
KEEP_S = 0.1
"""How long a result may wait until it is in the store."""
FIRST_MATCHES = 3
"""A bot that was disqualified in all of its first matches is told of at once."""
FOLLOWING = frozenset(("adaptive", "knock_out"))
"""Leagues whose plan follows from their results."""
ANY_SEED = 0
"""Where only the length of a plan counts."""
SEPARATED, DECIDED = "all are separated", "it is decided"
"""Why a league is over though its plan is not."""


@dataclass(slots=True)
class Progress:
    """How far a league is. `watch` gets it at first, after every match, and now and then."""

    total: int
    done: int = 0
    new: int = 0
    void: int = 0
    given_up: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    """What somebody should know at once."""
    notes: list[str] = field(default_factory=list)
    """What somebody should know of the deals, from the beginning on."""
    began: float = field(default_factory=time.monotonic)
    stopped: str = ""
    """Why the league ended before its plan did."""

    @property
    def rate(self) -> float:
        """Matches a second in this run."""
        return self.new / max(1e-9, time.monotonic() - self.began)


Watch = Callable[[Progress, Store], None]


# What is to be played


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
        yield from _slices(plan(tournament), lambda _played: statistics.USUAL.every)
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


def identity(tournament: Tournament) -> dict[str, Any]:
    """What makes two runs the same league: everything that can change a result."""
    return {
        "game": tournament.game,
        "edition": tournament.edition,
        "options": dict(tournament.options),
        "seed": tournament.seed,
        "schedule": [tournament.kind, *tournament.seats],
        "challengers": list(tournament.challengers),
        "clock": asdict(tournament.clock),
        "strikes": tournament.strikes,
        "memory_mb": tournament.memory_mb,
        "sandboxed": tournament.sandbox != "none",
        "bots": {entry.name: [entry.version, entry.digest] for entry in tournament.entries},
        "commands": {entry.name: _program(entry) for entry in tournament.entries},
        **({"seeding": list(tournament.bots)} if tournament.kind == "knock_out" else {}),
        **({} if tournament.is_old else {"deals": "fresh" if tournament.is_fresh else "shared"}),
        **({"commitment": Secret(tournament.secret).commitment} if tournament.secret else {}),
        **({"authors": together(tournament.entries)} if tournament.one_per_author else {}),
    }


def _program(entry: Entry) -> list[str]:
    """The words of its command, as on every machine. A folder, which has one digest, may hold several bots."""
    words = (PYTHON if word == sys.executable else word for word in entry.command)
    return [os.path.basename(word) if os.path.isabs(word) else word for word in words]


def match_ids(tournament: Tournament) -> Callable[[schedule.Fixture], str]:
    """What gives a match its id. It follows from rules, limits, deal, and the bots by seat, files and all."""
    chance = tournament.chance
    programs = {entry.name: [entry.name, entry.digest, *_program(entry)] for entry in tournament.entries}
    common = {
        "game": [tournament.game, tournament.edition, dict(tournament.options)],
        "limits": [asdict(tournament.clock), tournament.strikes, tournament.memory_mb],
    }

    def match_id(fixture: schedule.Fixture) -> str:
        first = seeds(tournament, fixture.deal, fixture.rotation, 0)  # a later attempt is the same match
        return chance.match_id(
            {
                **common,
                "fixture": [fixture.block, fixture.rotation, first["seed"]],
                "bots": [programs[bot] for bot in fixture.bots],
            }
        )

    return match_id


def blocks_of(tournament: Tournament, fixtures: Iterable[schedule.Fixture]) -> Iterator[Block]:
    """Fixtures block by block, as plain values, dealt for their first attempt."""
    match_id = match_ids(tournament)
    for _, block in groupby(fixtures, lambda fixture: fixture.block):
        yield [_plain_fixture(tournament, fixture, match_id(fixture)) for fixture in block]


def _plain_fixture(tournament: Tournament, fixture: schedule.Fixture, match: str) -> Fixture:
    plain = {
        "match": match,
        "plan": fixture.index,
        "block": fixture.block,
        "rotation": fixture.rotation,
        "deal": fixture.deal,
        "bots": fixture.bots,
    }
    return dealt(tournament, plain, 0)


def setting(tournament: Tournament, folder: Path) -> Setting:
    return Setting(
        game=tournament.game,
        edition=tournament.edition,
        options=dict(tournament.options),
        entries={entry.name: entry.plain() for entry in tournament.entries},
        clock=asdict(tournament.clock),
        strikes=tournament.strikes,
        sandbox=tournament.sandbox,
        memory_mb=tournament.memory_mb,
        processes=tournament.processes,
        records=str(folder.absolute() / RECORDS),
        format=RECORD_FORMAT if tournament.is_old else FORMAT,
    )


# Playing it


async def run(tournament: Tournament, folder: Path, watch: Watch) -> Progress:
    """Play what is missing of a league. Whatever ends this early, the same call goes on where it stopped."""
    if tournament.sandbox != "none":
        check_apart(tournament.entries)
        check_results(folder, tournament.entries)
    with only_runner(folder), open_store(folder, create=True) as store:
        before = store.settings()
        tournament = _as_begun(begun(tournament, before), before)
        _check_same(store, tournament)
        progress = Progress(planned(tournament), store.count(), notes=list(notes(tournament, before)))
        facts = {"name": tournament.name, "planned": max(progress.total, progress.done), "sandbox": tournament.sandbox}
        store.settle(
            {**identity(tournament), **kept(tournament), **facts, "order": list(tournament.bots), "ended": False}
        )
        watch(progress, store)
        (folder / RECORDS).mkdir(exist_ok=True)
        with closing(Place(folder / RECORDS)) as records:
            await _Run(tournament, folder, store, records, progress, watch).play()
        store.settle({"ended": progress.done >= progress.total or progress.stopped in (SEPARATED, DECIDED)})
        for half in (folder / RECORDS).glob("*/.*"):  # of workers that were killed while they wrote
            half.unlink()
        return progress


def _as_begun(tournament: Tournament, settings: Mapping[str, Any]) -> Tournament:
    """A league that began before hidden files counted goes on with the digests that it has."""
    known = {name: digest for name, (_, digest) in settings.get("bots", {}).items()}
    entries = [as_known(entry, known.get(entry.name, "")) for entry in tournament.entries]
    return replace(tournament, entries=tuple(entries))


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


def _check_same(store: Store, tournament: Tournament) -> None:
    before, now = store.settings(), json.loads(json.dumps(identity(tournament)))
    changes = [difference(key, before[key], now[key]) for key in now if key in before and before[key] != now[key]]
    if not changes:
        return
    raise SettingError(
        f"{tournament.path}: this is not the league whose results are in {store.path.parent}: {'; '.join(changes)}. "
        "Undo that, or begin a new league: another name, or --folder."
    )


class _Run:
    """One run of a league."""

    def __init__(
        self, tournament: Tournament, folder: Path, store: Store, records: Place, progress: Progress, watch: Watch
    ) -> None:
        self._tournament = tournament
        self._setting = setting(tournament, folder)
        self._store = store
        self._records = records
        self._progress = progress
        self._watch = watch
        self._done = store.done()
        self._suspicions = store.suspicions()
        """By match, who was a suspect in each attempt that did not count."""
        self._rows: list[Row] = []
        """What is not in the store yet."""
        self._stamps: dict[str, Any] = {}
        """When the files of each bot were what they are to be."""
        self._failed: dict[str, list[str]] = {}
        """Why a bot was disqualified, in each match from the first one on; nothing more after one that it played."""
        self._known: set[str] = set()
        """Bots of which somebody knows by now whether they can play."""
        self._has_told_of_open_seats = False
        self._reached = 0
        """The place in the plan up to which matches have been handed out."""
        minutes = tournament.minutes
        self._deadline = None if minutes is None else time.monotonic() + 60 * minutes

    async def play(self) -> None:
        self._check_files()
        count = worker_count(self._tournament.workers, self._tournament.seats)
        workers = Workers(self._setting, count, self._parts())

        def tell(event: Event) -> None:
            self._happened(event, workers)
            self._watch(self._progress, self._store)

        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._keep_up)
                await workers.work(tell)
                nursery.cancel_scope.cancel()
        finally:
            self._put()
        self._check_places()
        for bot in sorted(self._failed.keys() - self._known):
            self._tell_of(bot)
        self._watch(self._progress, self._store)

    async def _keep_up(self) -> None:
        while True:
            began = time.monotonic()
            self._keep()
            took = time.monotonic() - began
            self._watch(self._progress, self._store)
            await trio.sleep(max(KEEP_S, 5 * took))  # folders of bots may be large, or disks slow

    def _keep(self) -> None:
        self._put()
        self._check_places()

    def _put(self) -> None:
        """Put what is new into the store. To do so for several matches at once takes a fifth of the time."""
        rows, self._rows = self._rows, []
        if rows:
            self._check_files()
            self._store.add(rows)

    def _check_places(self) -> None:
        """Nobody would find what is written into a file or folder that has been deleted."""
        self._store.check_place()
        if change := self._records.change():
            raise StoreError(
                f"{self._setting.records}: {change} while the league was running, with the records in it. The results "
                "are kept. `arena league verify` names those whose record is gone; the same command goes on."
            )

    def _check_files(self) -> None:
        """What somebody has played who is not the bot that was named must not count."""
        for entry in self._tournament.entries:
            if not entry.digest:  # nobody knows what it was
                continue
            before = self._stamps.get(entry.name)
            try:
                now = stamp(entry)
                is_same = now == before or digest_now(entry) == entry.digest
                which = "" if is_same or before is None else f", such as {changed(before, now)}"
            except FileError as error:
                is_same, which = False, f": {str(error).rstrip('.')}"
            if not is_same:
                raise SettingError(
                    f"{entry.name}: files in {entry.folder} have changed since the league began to run{which}. Undo "
                    "that, and the same command goes on; or begin a new league: another name, or --folder. What a bot "
                    "writes while it plays has to lie elsewhere."
                )
            self._stamps[entry.name] = now

    def _parts(self) -> Iterator[Iterator[Block]]:
        """What is missing of each part of the plan, which is asked for when the one before it has been played."""
        for part in parts(self._tournament, self._store):
            yield self._missing(blocks_of(self._tournament, part))
            self._keep()  # what follows may depend on it
            if self._is_over():
                return
        if self._tournament.kind == "adaptive" and self._progress.done < self._progress.total:
            self._progress.stopped = SEPARATED

    def _is_over(self) -> bool:
        """Whether there is no need, or no time, to go on. Whoever has gone on from here before had reason to."""
        if self._progress.done >= self._progress.total or self._store.count(self._reached):
            return False
        if self._is_late():
            return True
        if self._tournament.until == "separated" and self._is_separated():
            self._progress.stopped = SEPARATED
        elif self._tournament.kind == "duel" and self._is_decided():
            self._progress.stopped = DECIDED
        elif self._tournament.kind in FOLLOWING and self._progress.given_up:
            self._progress.stopped = "what comes next depends on matches that are left out"
        return bool(self._progress.stopped)

    def _missing(self, blocks: Iterator[Block]) -> Iterator[Block]:
        for block in blocks:
            missing = [self._as_tried(fixture) for fixture in block if fixture["match"] not in self._done]
            if missing and self._is_late():
                return
            self._reached = block[-1]["plan"] + 1
            if missing:
                yield missing

    def _is_late(self) -> bool:
        if self._deadline is None or time.monotonic() < self._deadline:
            return False
        self._progress.stopped = f"the {self._tournament.minutes:g} minutes are over"
        return True

    def _is_separated(self) -> bool:
        """By what was planned so far: a league that goes on has to stop where it would have stopped."""
        found = table(self._store, self._tournament.bots, self._reached)
        return not any(standing.not_separated for standing in found)

    def _is_decided(self) -> bool:
        a, b = self._tournament.challengers
        is_on_score = self._tournament.until == "score"
        return duel_of(self._store, a, b, is_on_score).answer is not statistics.Answer.UNDECIDED

    def _happened(self, event: Event, workers: Workers) -> None:
        if isinstance(event, Lost) or "void" in event.message:
            self._not_counted(event, workers)
            return
        row = row_of(event.fixture, event.message)
        self._progress.done += row.match not in self._done
        self._progress.new += 1
        self._done.add(row.match)
        self._rows.append(row)
        self._look_at_newcomers(row)
        self._tell_of_open_seats(event.message.get("open", ()))

    def _tell_of_open_seats(self, seats: Sequence[str]) -> None:
        """Once: what holds for one of our bots holds for all."""
        if seats and not self._has_told_of_open_seats:
            self._has_told_of_open_seats = True
            self._progress.warnings.append(said_of(seats))

    def _as_tried(self, fixture: Fixture) -> Fixture:
        """A fixture with what its attempts so far have come to: it is another deal, and who spoiled it is barred."""
        suspicions = self._suspicions.get(fixture["match"], [])
        if not suspicions:
            return fixture
        again = dealt(self._tournament, fixture, len(suspicions))
        return {**again, "attempt": len(suspicions), "barred": barred(suspicions)}

    def _not_counted(self, event: Event, workers: Workers) -> None:
        void = {"void": event.reason} if isinstance(event, Lost) else event.message
        match, reason, suspects = event.fixture["match"], void["void"], list(void.get("suspects", ()))
        self._progress.void += 1
        attempts = self._store.note(match, reason, suspects)
        self._suspicions.setdefault(match, []).append(suspects)
        again = self._as_tried(event.fixture)
        for seat in set(again["barred"]) - set(event.fixture.get("barred", ())):
            bot = event.fixture["bots"][seat]
            self._progress.warnings.append(
                f"{bot} loses match {match}: {MOST_ATTEMPTS} attempts were void by its doing"
            )
        if suspects or self._suspicions[match].count([]) < MOST_ATTEMPTS:
            workers.again(again)
        else:
            self._progress.given_up.append(match)
            self._progress.warnings.append(f"match {match} is left out after {counted(attempts, 'attempt')}: {reason}")

    def _look_at_newcomers(self, row: Row) -> None:
        """A bot that cannot be started, or fails its first matches, is told of at once; others when all is over."""
        faults: dict[int, list[str]] = {}
        for fault in row.faults:
            faults.setdefault(fault["seat"], []).append(f"{fault['kind']}: {fault['text']}")
        out = {fault["seat"]: fault["kind"] for fault in row.faults if _disqualifies(fault["kind"])}
        for seat, bot in enumerate(row.bots):
            if bot in self._known:
                continue
            if seat not in out:
                self._failed.pop(bot, None)
                self._known.add(bot)
                continue
            failures = self._failed.setdefault(bot, [])
            failures.append(faults[seat][0])  # before the last straw
            if out[seat] == FaultKind.NOT_STARTED or len(failures) == FIRST_MATCHES:
                self._tell_of(bot)

    def _tell_of(self, bot: str) -> None:
        failures = self._failed[bot]
        which = "its first match" if len(failures) == 1 else f"all of its first {len(failures)} matches"
        self._known.add(bot)
        self._progress.warnings.append(f"{bot} has failed in {which}: {failures[-1]}")


def barred(suspicions: Sequence[Sequence[int]]) -> list[int]:
    """The seats that lose a match, by who was a suspect in each attempt at it."""
    counts = Counter(seat for seats in suspicions for seat in set(seats))
    return sorted(seat for seat, count in counts.items() if count >= MOST_ATTEMPTS)


def _disqualifies(kind: str) -> bool:
    return POLICY[FaultKind(kind)].consequence is Consequence.DISQUALIFIED


def row_of(fixture: Fixture, message: Mapping[str, Any]) -> Row:
    """The result of a match, from what its worker said of it."""
    return Row(
        match=fixture["match"],
        plan=fixture["plan"],
        block=fixture["block"],
        rotation=fixture["rotation"],
        seed=fixture["seed"],
        bots=tuple(fixture["bots"]),
        ranks=tuple(message["ranks"]),
        scores=tuple(message["scores"]),
        breakdown=tuple(message["breakdown"]),
        faults=tuple(message["faults"]),
        times=tuple(message["times"]),
        steps=message["steps"],
        digest=message["digest"],
    )


# What came of it


def table(
    store: Store, bots: Sequence[str] = (), before: int = NEVER, seats: int | None = None
) -> tuple[rating.Standing, ...]:
    """The standings, from the results there are: all, those before a place in the plan, or of one size of table."""
    found = (rating.Result(*outcome) for outcome in store.outcomes(before))
    results = [result for result in found if seats is None or len(result.bots) == seats]
    return rating.standings(results, bots or store.settings().get("order", ()), store.faults(seats))


def duel_of(store: Store, a: str, b: str, is_on_score: bool) -> statistics.Duel:
    """Whether A is better than B, going by the complete units in plan order."""
    results = [rating.Result(*outcome) for outcome in store.outcomes()]
    if is_on_score:
        return statistics.duel_on_score(rating.exchanges_by_score(results, a, b))
    return statistics.duel(rating.exchanges_by_rank(results, a, b))


def page(store: Store, command: str, records: str = RECORDS) -> str:
    """The report of a league that this command plays; `records` is where the records are, seen from the page."""
    settings = store.settings()
    name, planned, sandbox = (settings[key] for key in ("name", "planned", "sandbox"))
    won = bracket(store)
    champion = won.champion if won else None
    rows = list(store.rows())
    folder = store.path.parent / RECORDS
    missing = frozenset(row.match for row in rows if row.faults and not record_path(folder, row.match).is_file())
    return render(Report(name, settings, rows, planned, command, VERSION, sandbox, records, champion, missing))
