"""Runs a league: plays the matches of its plan that have no result yet.

The plan follows from the tournament, its roster and its secret, and so does the id of each match
(arena/league/fixtures.py). So to resume a league is to play its plan without the matches that are in the store, and
several machines can share what is missing.
"""

import os
import shlex
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trio

from arena.errors import ArenaError, FileError, SettingError, StoreError
from arena.files import sync
from arena.league import kinds
from arena.league.admission import Difference, check_places, watched
from arena.league.beginning import adopt, changed_roster, left_out, prepared, reread, settle
from arena.league.deals import dealt, notes
from arena.league.executor import Event, Executor, Hire, Lost, Notice, Played
from arena.league.fixtures import blocks_of, setting
from arena.league.heartbeat import Heartbeat
from arena.league.results import ResultsSoFar
from arena.league.schedule import Fixture
from arena.league.share import Share, done_there, whole_plan
from arena.league.store import Row, Store, only_runner, open_store
from arena.league.tournament import Tournament
from arena.league.wire import RECORDS, Assignment, Block, record_path, unwritten
from arena.league.workers import Workers, worker_count
from arena.match.compiling import make_ready
from arena.match.faults import FaultKind, disqualifies
from arena.match.hosts import Host
from arena.match.tiers import said_of
from arena.place import Place
from arena.roster.digests import changed, digest_now, stamp
from arena.texts import counted

MOST_ATTEMPTS = 3
"""How many attempts at a match may be void or lost without a suspect. Then it is left out and reported, and each later
run tries it once. A bot that was a suspect in this many attempts loses the match."""
KEEP_S = 0.1
"""How long a result may wait until it is in the store."""
FIRST_MATCHES = 3
"""A bot that was disqualified in all of this many first matches causes a warning at once."""


@dataclass(slots=True)
class Progress:
    """How far a league is. `watch` receives it at the start, after every match, and at intervals."""

    total: int
    done: int = 0
    new: int = 0
    void: int = 0
    given_up: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    """What the user should know at once."""
    notes: list[str] = field(default_factory=list)
    """What the user should know about the deals from the start."""
    began: float = field(default_factory=time.monotonic)
    stopped: str = ""
    """Why the run ended before the plan did."""
    is_decided: bool = False
    """Whether the league is over although its plan is not, because its kind says so."""
    has_news: bool = False
    """Whether the roster or the file has changed, so that there is another plan."""
    handed_out: dict[int, dict[str, Sequence[str]]] = field(default_factory=dict)
    """By block, the matches that workers have and have not played yet, each with its bots by seat."""

    def tables(self) -> Iterator[Sequence[str]]:
        """The bots by seat of the matches that are being played: of each block the next one."""
        return (next(iter(matches.values())) for matches in self.handed_out.values())

    @property
    def rate(self) -> float:
        """Matches a second in this run."""
        return self.new / max(1e-9, time.monotonic() - self.began)


Watch = Callable[[Progress, Store], None]


@dataclass(frozen=True, slots=True)
class Manner:
    """How a league is run. None of it changes a match."""

    share: Share | None = None
    """Play only this share of what is missing, into a folder of its own."""
    keep_going: bool = False
    """Leave out bots that do not get through their trial match, instead of ending the run."""
    hire: Hire | None = None
    """Makes what plays the matches; None: worker processes on this machine."""
    forever: bool = False
    """Go on after the plan with the meetings that tell most, and take in changes of the file."""


USUAL = Manner()


# Beginning it, and changing its roster


async def begin(tournament: Tournament, folder: Path, keep_going: bool = False) -> tuple[int, list[str]]:
    """Begin a league without playing it. Returns how many matches it has, and what its user should know."""
    check_places(tournament, folder)
    with only_runner(folder), open_store(folder, create=True) as store:
        tournament, remarks = await prepared(store, tournament, folder, Workers, keep_going)
        settle(store, tournament, max(tournament.planned, store.count()))
        return tournament.planned, [*remarks, *notes(tournament, store.settings())]


async def update(
    path: Path, folder: Path, wanted: Collection[str] | None = None, keep_going: bool = False
) -> tuple[list[Difference], dict[str, str]]:
    """Make the roster of a league what its file says, for all bots or for these. A running league takes it in at once.

    Returns what has changed, and why bots were refused.
    """
    with open_store(folder):
        pass  # StoreError if no league has begun here
    with open_store(folder, create=True) as store:
        found = await changed_roster(store, reread(path, store), folder, Workers, wanted, keep_going)
        tournament, differences, refused = found
        settle(store, tournament, max(tournament.planned, store.count_now()))
        return differences, refused


# Playing it


async def run(tournament: Tournament, folder: Path, watch: Watch, way: Manner = USUAL) -> Progress:
    """Play the matches of a league that have no result. If this ends early for any reason, the same call resumes it."""
    check_places(tournament, folder)
    with only_runner(folder), open_store(folder, create=True) as store:
        if way.share is not None:
            adopt(store, folder, way.share.base)
        hire = way.hire or Workers
        if way.hire is None:
            for entry in tournament.entries:
                make_ready(entry)  # now, and in words, instead of by each worker in its first match
        tournament, remarks = await prepared(store, tournament, folder, hire, way.keep_going)
        heartbeat = Heartbeat(store)
        while True:
            progress = await _run(store, tournament, folder, _beating(heartbeat, watch), way, remarks)
            heartbeat.beat(progress.new, is_last=True)
            if not progress.has_news:
                return progress
            tournament, remarks = await _with_news(store, tournament, folder, way)


def _beating(heartbeat: Heartbeat, watch: Watch) -> Watch:
    def beating_watch(progress: Progress, store: Store) -> None:
        heartbeat.beat(progress.new, playing=progress.tables())
        watch(progress, store)

    return beating_watch


async def _with_news(store: Store, tournament: Tournament, folder: Path, way: Manner) -> tuple[Tournament, list[str]]:
    """The tournament after a change. If the file cannot be used, the league goes on as it was, and says why."""
    hire = way.hire or Workers
    try:
        again = reread(tournament.path, store)
        if not way.forever:
            return await prepared(store, again, folder, hire)
        tournament, found, refused = await changed_roster(store, again, folder, hire, keep_going=True)
    except ArenaError as error:
        tournament, _ = await prepared(store, tournament, folder, hire)
        return tournament, [f"{error} The league goes on as it was."]
    return tournament, [*(f"{one.name} {one.verb}" for one in found), *left_out(refused)]


async def _run(
    store: Store, tournament: Tournament, folder: Path, watch: Watch, way: Manner, remarks: Sequence[str]
) -> Progress:
    """Play until there is nothing more to play, or another plan."""
    done, total, have = store.rotations(), tournament.planned, store.count_now()
    settle(store, tournament, max(total, have))
    if way.share is not None:
        done = done_there(way.share, done)
        total, have = way.share.counts(whole_plan(tournament), done)
    progress = Progress(total, have, warnings=list(remarks), notes=list(notes(tournament, store.settings())))
    watch(progress, store)
    (folder / RECORDS).mkdir(exist_ok=True)
    with closing(Place(folder / RECORDS)) as records:
        await _Run(tournament, folder, store, records, progress, watch, way, done).play()
    is_over = progress.done >= progress.total or progress.is_decided
    store.settle({"ended": is_over and way.share is None and not progress.has_news})
    for half in (folder / RECORDS).glob("*/.*"):  # left by workers that were killed while they wrote
        half.unlink()
    return progress


class _Run:
    """One run of a league, until its plan ends or its roster changes."""

    def __init__(
        self,
        tournament: Tournament,
        folder: Path,
        store: Store,
        records: Place,
        progress: Progress,
        watch: Watch,
        way: Manner,
        done: dict[int, int],
    ) -> None:
        self._tournament = tournament
        self._setting = setting(tournament, folder)
        self._store = store
        self._records = records
        self._progress = progress
        self._watch = watch
        self._way = way
        self._done = done
        """By block, the rotations that have a result, as a set of bits."""
        self._passed = set[int]()
        """The blocks of the parts so far."""
        self._so_far = ResultsSoFar(store, tournament.entrants.bots)
        self._news = _News(tournament.path if way.forever else None, store)
        self._suspicions = store.suspicions()
        """By match, the suspects in each attempt that did not count."""
        self._rows: list[Row] = []
        """Results that are not in the store yet."""
        self._files = watched(tournament.lineup, tournament.entries) if tournament.lineup else tournament.entries
        self._stamps: dict[str, Any] = {}
        """By bot, the times of its files when their digest was last right."""
        self._failed: dict[str, list[str]] = {}
        """By bot, why it was disqualified in each of its first matches, until it plays one to the end."""
        self._last_failure: dict[str, str] = {}
        """By bot, the last match in which it was disqualified."""
        self._known: set[str] = set()
        """Bots that have played a match to the end, or caused a warning."""
        self._has_warned_about_open_seats = False
        self._hosts: set[str] = set()
        """Those that this run has noted."""
        minutes = tournament.minutes
        self._deadline = None if minutes is None else time.monotonic() + 60 * minutes

    async def play(self) -> None:
        self._check_files()
        count = worker_count(self._tournament.workers, self._tournament.seats)
        workers: Executor = (self._way.hire or Workers)(self._setting, count, self._parts())

        def on_event(event: Event) -> None:
            self._count(event, workers)
            self._watch(self._progress, self._store)

        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._keep_up)
                await workers.work(on_event)
                nursery.cancel_scope.cancel()
        finally:
            self._put()
        self._check_places()
        for bot in sorted(self._failed.keys() - self._known):
            self._warn_about(bot)
        self._watch(self._progress, self._store)

    async def _keep_up(self) -> None:
        while True:
            began = time.monotonic()
            self._keep()
            took = time.monotonic() - began
            self._watch(self._progress, self._store)
            await trio.sleep(max(KEEP_S, 5 * took))  # checks of large folders or slow disks take a sixth of the time

    def _keep(self) -> None:
        self._put()
        self._check_places()

    def _put(self) -> None:
        """Write new results to the store, after their records are on the disk, so that no power cut loses only these.

        One sync and one transaction for several matches take a fifth of the time.
        """
        rows, self._rows = self._rows, []
        if rows:
            if self._store.is_in_place():  # if not, `add` saves what it has, and says so
                self._check_files()
            self._sync_records()
            self._store.add(rows)

    def _sync_records(self) -> None:
        folder = Path(self._setting.records)
        try:
            sync(folder)
        except FileNotFoundError:
            return  # it was deleted or moved, with the records: `_check_places` says so when the results are saved
        except OSError as error:
            raise unwritten(folder, error) from None

    def _check_places(self) -> None:
        """Stop if the store or the records were deleted or moved: what is written there now would be lost."""
        self._store.check_place()
        if change := self._records.change():
            raise StoreError(
                f"{self._setting.records}: {change} while the league was running, with the records in it. All results "
                "are saved. `arena league verify` names those whose record is missing; the same command goes on."
            )

    def _check_files(self) -> None:
        """Stop if the files of a bot have changed: what another program has played must not count for it."""
        for entry in self._files:
            before = self._stamps.get(entry.name)
            try:
                now = stamp(entry)
                is_same = now == before or digest_now(entry) == entry.digest
                which = "" if is_same or before is None else f", such as {changed(before, now)}"
            except FileError as error:
                is_same, which = False, f": {str(error).rstrip('.')}"
            if not is_same:
                raise SettingError(
                    f"{entry.name}: files in {entry.folder} have changed since the league began to run{which}. This is "
                    "what the league plays, and nothing may change it. Run the same command again: a copy that a "
                    "league has kept is then unpacked again."
                )
            self._stamps[entry.name] = now

    def _parts(self) -> Iterator[Iterator[Block]]:
        """The missing matches of each part of the plan. A part is requested when the one before it has been played."""
        for part in self._planned():
            yield self._missing(part)
            self._keep()  # the next part may depend on these results
            if self._progress.has_news or self._is_over():
                return
        if self._progress.done < self._progress.total and self._tournament.kind.early_end:
            self._decide(self._tournament.kind.early_end)
        while self._way.forever and not self._progress.has_news and not self._is_out_of_time():
            more = list(kinds.more(self._tournament.entrants, self._store))
            self._progress.total += sum(not self._is_done(fixture) for fixture in more)
            yield self._missing(more)
            self._keep()

    def _planned(self) -> Iterator[kinds.Part]:
        if self._way.share is not None:
            mine = (one for one in whole_plan(self._tournament, self._done) if self._way.share.has(one.block))
            return iter([mine])
        entrants = self._tournament.entrants
        if self._tournament.kind.whole(entrants) is not None:  # else a part may depend on all blocks before it
            return iter([whole_plan(self._tournament, self._done)])
        return self._tournament.kind.parts(entrants, self._so_far)

    def _is_over(self) -> bool:
        """Whether the league ends here. It does not if an earlier run has played beyond this point."""
        if self._progress.done >= self._progress.total or not self._passed.issuperset(self._done):
            return False
        if self._is_out_of_time():
            return True
        kind = self._tournament.kind
        if why := kind.why_over(self._so_far, self._passed):
            self._decide(why)
        elif kind.follows_results and self._progress.given_up:
            self._progress.stopped = "the rest of the plan depends on matches that are left out"
        return bool(self._progress.stopped)

    def _decide(self, why: str) -> None:
        """End the league, and not only this run."""
        self._progress.stopped, self._progress.is_decided = why, True

    def _missing(self, part: kinds.Part) -> Iterator[Block]:
        for block in blocks_of(self._tournament, self._passing(part), self._is_done):
            missing = [self._as_tried(fixture) for fixture in block]
            if missing and (self._is_out_of_time() or self._has_news()):
                return
            if missing:
                self._hand_out(*missing)
                yield missing

    def _hand_out(self, *fixtures: Assignment) -> None:
        for fixture in fixtures:
            self._progress.handed_out.setdefault(fixture["block"], {})[fixture["match"]] = fixture["bots"]

    def _take_back(self, fixture: Assignment) -> None:
        left = self._progress.handed_out.get(fixture["block"], {})
        left.pop(fixture["match"], None)
        if not left:
            self._progress.handed_out.pop(fixture["block"], None)

    def _passing(self, part: kinds.Part) -> Iterator[Fixture]:
        for fixture in part:
            self._passed.add(fixture.block)
            yield fixture

    def _is_done(self, fixture: Fixture) -> bool:
        return bool(self._done.get(fixture.block, 0) >> fixture.rotation & 1)

    def _has_news(self) -> bool:
        self._progress.has_news |= self._news.has_come()
        return self._progress.has_news

    def _is_out_of_time(self) -> bool:
        if self._deadline is None or time.monotonic() < self._deadline:
            return False
        self._progress.stopped = f"the {self._tournament.minutes:g} minutes are over"
        return True

    def _count(self, event: Event, workers: Executor) -> None:
        if isinstance(event, Notice):
            self._progress.warnings.append(event.text)
            return
        self._take_back(event.fixture)
        if isinstance(event, Lost) or "void" in event.message:
            self._not_counted(event, workers)
            return
        if event.host is not None:
            self._note_host(event.host)
        row = row_of(event.fixture, event.message)
        before = self._done.get(row.block, 0)
        self._progress.done += not before >> row.rotation & 1
        self._progress.new += 1
        self._done[row.block] = before | 1 << row.rotation
        self._rows.append(row)
        self._look_at_newcomers(row)
        self._warn_about_open_seats(event.message.get("open", ()))

    def _note_host(self, host: Host) -> None:
        """Before its first result, so that no result has a host that is not known."""
        if host.id not in self._hosts:
            self._hosts.add(host.id)
            self._store.add_host(host)

    def _warn_about_open_seats(self, seats: Sequence[str]) -> None:
        """Once per run: what holds for one built-in bot holds for all."""
        if seats and not self._has_warned_about_open_seats:
            self._has_warned_about_open_seats = True
            self._progress.warnings.append(said_of(seats))

    def _as_tried(self, fixture: Assignment) -> Assignment:
        """The fixture for its next attempt: with another deal if deals are fresh, and with the barred seats."""
        suspicions = self._suspicions.get(fixture["match"], [])
        if not suspicions:
            return fixture
        again = dealt(self._tournament, fixture, len(suspicions))
        return {**again, "attempt": len(suspicions), "barred": barred(suspicions)}

    def _not_counted(self, event: Played | Lost, workers: Executor) -> None:
        void = {"void": event.reason} if isinstance(event, Lost) else event.message
        match, reason, suspects = event.fixture["match"], void["void"], list(void.get("suspects", ()))
        self._progress.void += 1
        attempts = self._store.note(match, reason, suspects)
        self._suspicions.setdefault(match, []).append(suspects)
        again = self._as_tried(event.fixture)
        for seat in set(again["barred"]) - set(event.fixture.get("barred", ())):
            bot = event.fixture["bots"][seat]
            self._progress.warnings.append(
                f"{bot} loses match {match}: {MOST_ATTEMPTS} attempts were void because of it"
            )
        if suspects or self._suspicions[match].count([]) < MOST_ATTEMPTS:
            self._hand_out(again)
            workers.retry(again)
        else:
            self._progress.given_up.append(match)
            self._progress.warnings.append(f"match {match} is left out after {counted(attempts, 'attempt')}: {reason}")

    def _look_at_newcomers(self, row: Row) -> None:
        """Warn at once about a bot that cannot start or fails its first matches; about others when the run ends."""
        faults: dict[int, list[str]] = {}
        for fault in row.faults:
            faults.setdefault(fault["seat"], []).append(f"{fault['kind']}: {fault['text']}")
        out = {fault["seat"]: fault["kind"] for fault in row.faults if disqualifies(fault["kind"])}
        for seat, bot in enumerate(row.bots):
            if bot in self._known:
                continue
            if seat not in out:
                self._failed.pop(bot, None)
                self._known.add(bot)
                continue
            failures = self._failed.setdefault(bot, [])
            failures.append(faults[seat][0])  # the cause, not the strike that disqualified it
            self._last_failure[bot] = row.match
            if out[seat] == FaultKind.NOT_STARTED or len(failures) == FIRST_MATCHES:
                self._warn_about(bot)

    def _warn_about(self, bot: str) -> None:
        failures = self._failed[bot]
        which = "its first match" if len(failures) == 1 else f"all of its first {len(failures)} matches"
        self._known.add(bot)
        record = record_path(Path(self._setting.records), self._last_failure[bot])
        why = f". See why:  arena replay {shlex.quote(_from_here(record))} | tail" if record.is_file() else ""
        self._progress.warnings.append(f"{bot} failed in {which}: {failures[-1]}{why}")


def _from_here(path: Path) -> str:
    """A path as short as it can be from the current directory."""
    return min(str(path), os.path.relpath(path), key=len)


class _News:
    """Whether the roster in the store has changed, or the tournament file, if it is watched."""

    def __init__(self, path: Path | None, store: Store) -> None:
        self._path = path
        self._store = store
        self._file, self._epoch = self._stamp(), store.epoch()

    def has_come(self) -> bool:
        file = self._stamp()
        return self._store.epoch() != self._epoch or (file is not None and file != self._file)

    def _stamp(self) -> tuple[int, int, int] | None:
        """None while an editor replaces the file."""
        if self._path is None:
            return None
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino


def barred(suspicions: Sequence[Sequence[int]]) -> list[int]:
    """The seats that lose a match, from the suspects in each attempt at it."""
    counts = Counter(seat for seats in suspicions for seat in set(seats))
    return sorted(seat for seat, count in counts.items() if count >= MOST_ATTEMPTS)


def row_of(fixture: Assignment, message: Mapping[str, Any]) -> Row:
    """The result of a match, from its worker's message."""
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
        versions=tuple(fixture.get("versions", ())),
        epoch=fixture.get("epoch", 0),
        host=message.get("host", ""),
    )
