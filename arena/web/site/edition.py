"""A league at one moment, as all its pages show it. It never changes, so its pages can be kept."""

import re
import shlex
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from arena.league import recorded
from arena.league.heartbeat import PLAYING, Runs, runner, runs_of
from arena.league.kinds import kind_of
from arena.league.lineup import Lineup
from arena.league.report.facts import League, Report, league_from
from arena.league.results import host_comparison
from arena.league.store import Store
from arena.league.wire import RECORDS
from arena.version import VERSION
from arena.web.site.index import MatchIndex
from arena.web.site.ledger import LeagueLedger, SeatKey, SeatTally

PLAIN = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)
SLUG_DIGITS, TAG_DIGITS = 12, 32
MOST_KEPT = 32 << 20
"""Bytes of pages that are kept for one league."""
HIDDEN = frozenset(("secret",))
"""Settings that nobody may see before they are published."""


@dataclass(frozen=True, slots=True)
class SiteStatus:
    """How far a league is."""

    state: str
    """running, complete or stopped."""
    played: int
    """Matches between the bots of today."""
    planned: int
    results: int
    """All matches that count."""
    uncounted: int
    """Attempts that did not count."""
    runs: Runs | None
    playing: tuple[tuple[str, ...], ...] = ()
    """The tables at which matches were being played when the runner was last seen, as bots by seat."""

    @property
    def seconds_left(self) -> float | None:
        """Of a league that runs, by its pace so far."""
        if self.state != "running" or self.runs is None or not self.runs.rate or not self.runs.new:
            return None
        return max(0, self.planned - self.played) / self.runs.rate


@dataclass(frozen=True, slots=True)
class KeptText:
    """The bytes of an answer, and the tag by which a browser knows that it has them already."""

    data: bytes
    tag: str

    @classmethod
    def of(cls, data: bytes) -> "KeptText":
        return cls(data, f'"{sha256(data).hexdigest()[:TAG_DIGITS]}"')


class KeptPages:
    """Texts of pages by address: those that were asked for last, and not more than MOST_KEPT bytes of them."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most, self._size = most, 0
        self._kept: OrderedDict[str, KeptText] = OrderedDict()
        self._lock = Lock()

    def get(self, address: str) -> KeptText | None:
        with self._lock:
            if address in self._kept:
                self._kept.move_to_end(address)
            return self._kept.get(address)

    def put(self, address: str, data: bytes) -> KeptText:
        text = KeptText.of(data)
        with self._lock:
            before = self._kept.pop(address, None)
            self._size += len(data) - (len(before.data) if before else 0)
            self._kept[address] = text
            while self._size > self._most and len(self._kept) > 1:
                _, gone = self._kept.popitem(last=False)
                self._size -= len(gone.data)
        return text


@dataclass(frozen=True, slots=True)
class Edition:
    """A league as it was when it was last read."""

    number: int
    """Of this exhibit; the next one has a higher number."""
    slug: str
    """Its part of addresses."""
    folder: Path
    settings: Mapping[str, Any]
    """Without HIDDEN."""
    lineup: Lineup
    status: SiteStatus
    league: League
    """The ratings and all that belongs to them: of the first `rated` results."""
    rated: int
    index: MatchIndex
    count: int
    """How many matches of the index belong to this edition."""
    seats: Mapping[SeatKey, SeatTally]
    slugs: Mapping[str, str]
    """The part of addresses of each bot, by label."""
    kept: KeptPages = field(default_factory=KeptPages)

    @property
    def name(self) -> str:
        return str(self.settings["name"])

    @property
    def labels(self) -> dict[str, str]:
        """Bots by their part of addresses."""
        return {slug: bot for bot, slug in self.slugs.items()}


def bot_slug(bot: str) -> str:
    """A bot's part of addresses: its name if that is harmless everywhere, else a digest of it."""
    if PLAIN.fullmatch(bot) and not bot.endswith("."):
        return bot
    return f"~{sha256(bot.encode('utf-8', 'surrogatepass')).hexdigest()[:SLUG_DIGITS]}"


def status_of(store: Store, settings: Mapping[str, Any], ledger: LeagueLedger) -> SiteStatus:
    played, planned = ledger.played, settings["planned"]
    is_running = runner(store.path.parent) is not None
    is_over = settings.get("ended") or played >= planned
    playing = tuple(tuple(table) for table in settings.get(PLAYING, ())) if is_running else ()
    state = "running" if is_running else "complete" if is_over else "stopped"
    return SiteStatus(state, played, planned, len(ledger.index), store.uncounted(), runs_of(dict(settings)), playing)


def rated_league(store: Store, settings: Mapping[str, Any], ledger: LeagueLedger) -> League:
    """The ratings of all results of a ledger, and what the sections of a report need."""
    lineup = ledger.lineup
    report = Report(
        name=settings["name"],
        settings=public(settings),
        rows=(),
        planned=settings["planned"],
        command=f"arena league run {shlex.quote(str(settings['name']))}.toml",
        arena=VERSION,
        sandbox=settings["sandbox"],
        course=kind_of(store).course(store),
        has_record=partial(recorded.has_record, store.path.parent / RECORDS),
        current=None if lineup.is_first else tuple(lineup.current),
        hosts=host_comparison(store),
    )
    return league_from(report, ledger.summed())


def public(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that may be shown. A secret may be shown when it has been published."""
    hidden = frozenset[str]() if settings.get("revealed") else HIDDEN
    return {key: value for key, value in settings.items() if key not in hidden}
