"""Runs a league: plays the matches of its plan that have no result yet.

The plan follows from the tournament and its secret, and so does the id of each match (arena/league/fixtures.py). So to
resume a league is to play its plan without the matches that are in the store.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import trio

from arena.errors import FileError, SettingError, StoreError
from arena.league.deals import begun, dealt, kept, notes
from arena.league.fixtures import blocks_of, identity, setting
from arena.league.store import Row, Store, difference, only_runner, open_store
from arena.league.tournament import Tournament
from arena.league.wire import RECORDS, Assignment, Block
from arena.league.workers import Event, Lost, Workers, worker_count
from arena.match.faults import FaultKind, disqualifies
from arena.match.tiers import said_of
from arena.place import Place
from arena.roster.digests import as_known, changed, digest_now, stamp
from arena.roster.seating import check_apart, check_results
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

    @property
    def rate(self) -> float:
        """Matches a second in this run."""
        return self.new / max(1e-9, time.monotonic() - self.began)


Watch = Callable[[Progress, Store], None]


# Playing it


async def run(tournament: Tournament, folder: Path, watch: Watch) -> Progress:
    """Play the matches of a league that have no result. If this ends early for any reason, the same call resumes it."""
    if tournament.sandbox != "none":
        check_apart(tournament.entries)
        check_results(folder, tournament.entries)
    with only_runner(folder), open_store(folder, create=True) as store:
        before = store.settings()
        tournament = _as_begun(begun(tournament, before), before)
        _check_same(store, tournament)
        progress = Progress(tournament.planned, store.count(), notes=list(notes(tournament, before)))
        facts = {"name": tournament.name, "planned": max(progress.total, progress.done), "sandbox": tournament.sandbox}
        store.settle(
            {**identity(tournament), **kept(tournament), **facts, "order": list(tournament.bots), "ended": False}
        )
        watch(progress, store)
        (folder / RECORDS).mkdir(exist_ok=True)
        with closing(Place(folder / RECORDS)) as records:
            await _Run(tournament, folder, store, records, progress, watch).play()
        store.settle({"ended": progress.done >= progress.total or progress.is_decided})
        for half in (folder / RECORDS).glob("*/.*"):  # left by workers that were killed while they wrote
            half.unlink()
        return progress


def _as_begun(tournament: Tournament, settings: Mapping[str, Any]) -> Tournament:
    """A league that began before digests included hidden files goes on with its own digests."""
    known = {name: digest for name, (_, digest) in settings.get("bots", {}).items()}
    entries = [as_known(entry, known.get(entry.name, "")) for entry in tournament.entries]
    return replace(tournament, entries=tuple(entries))


def _check_same(store: Store, tournament: Tournament) -> None:
    before, now = store.settings(), json.loads(json.dumps(identity(tournament)))
    changes = [difference(key, before[key], now[key]) for key in now if key in before and before[key] != now[key]]
    if not changes:
        return
    raise SettingError(
        f"{tournament.path}: {store.path.parent} has the results of another league: {'; '.join(changes)}. "
        "Undo that, or begin a new league: another name, another --folder, or move this folder away."
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
        """By match, the suspects in each attempt that did not count."""
        self._rows: list[Row] = []
        """Results that are not in the store yet."""
        self._stamps: dict[str, Any] = {}
        """By bot, the times of its files when their digest was last right."""
        self._failed: dict[str, list[str]] = {}
        """By bot, why it was disqualified in each of its first matches, until it plays one to the end."""
        self._known: set[str] = set()
        """Bots that have played a match to the end, or caused a warning."""
        self._has_warned_about_open_seats = False
        self._reached = 0
        """The place in the plan up to which workers have received matches."""
        minutes = tournament.minutes
        self._deadline = None if minutes is None else time.monotonic() + 60 * minutes

    async def play(self) -> None:
        self._check_files()
        count = worker_count(self._tournament.workers, self._tournament.seats)
        workers = Workers(self._setting, count, self._parts())

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
        """Write new results to the store. One transaction for several matches takes a fifth of the time."""
        rows, self._rows = self._rows, []
        if rows:
            self._check_files()
            self._store.add(rows)

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
        for entry in self._tournament.entries:
            if not entry.digest:  # a bare command, whose files are not known
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
                    "that, and the same command goes on; or begin a new league: another name, or --folder. A bot must "
                    "write its own files outside this folder."
                )
            self._stamps[entry.name] = now

    def _parts(self) -> Iterator[Iterator[Block]]:
        """The missing matches of each part of the plan. A part is requested when the one before it has been played."""
        for part in self._tournament.kind.parts(self._tournament.entrants, self._store):
            yield self._missing(blocks_of(self._tournament, part))
            self._keep()  # the next part may depend on these results
            if self._is_over():
                return
        if self._progress.done < self._progress.total and self._tournament.kind.early_end:
            self._decide(self._tournament.kind.early_end)

    def _is_over(self) -> bool:
        """Whether the league ends here. It does not if an earlier run has played beyond this point."""
        if self._progress.done >= self._progress.total or self._store.count(self._reached):
            return False
        if self._is_out_of_time():
            return True
        kind = self._tournament.kind
        if why := kind.why_over(self._tournament.entrants, self._store, self._reached):
            self._decide(why)
        elif kind.follows_results and self._progress.given_up:
            self._progress.stopped = "the rest of the plan depends on matches that are left out"
        return bool(self._progress.stopped)

    def _decide(self, why: str) -> None:
        """End the league, and not only this run."""
        self._progress.stopped, self._progress.is_decided = why, True

    def _missing(self, blocks: Iterator[Block]) -> Iterator[Block]:
        for block in blocks:
            missing = [self._as_tried(fixture) for fixture in block if fixture["match"] not in self._done]
            if missing and self._is_out_of_time():
                return
            self._reached = block[-1]["plan"] + 1
            if missing:
                yield missing

    def _is_out_of_time(self) -> bool:
        if self._deadline is None or time.monotonic() < self._deadline:
            return False
        self._progress.stopped = f"the {self._tournament.minutes:g} minutes are over"
        return True

    def _count(self, event: Event, workers: Workers) -> None:
        if isinstance(event, Lost) or "void" in event.message:
            self._not_counted(event, workers)
            return
        row = row_of(event.fixture, event.message)
        self._progress.done += row.match not in self._done
        self._progress.new += 1
        self._done.add(row.match)
        self._rows.append(row)
        self._look_at_newcomers(row)
        self._warn_about_open_seats(event.message.get("open", ()))

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
                f"{bot} loses match {match}: {MOST_ATTEMPTS} attempts were void because of it"
            )
        if suspects or self._suspicions[match].count([]) < MOST_ATTEMPTS:
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
            if out[seat] == FaultKind.NOT_STARTED or len(failures) == FIRST_MATCHES:
                self._warn_about(bot)

    def _warn_about(self, bot: str) -> None:
        failures = self._failed[bot]
        which = "its first match" if len(failures) == 1 else f"all of its first {len(failures)} matches"
        self._known.add(bot)
        self._progress.warnings.append(f"{bot} failed in {which}: {failures[-1]}")


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
    )
