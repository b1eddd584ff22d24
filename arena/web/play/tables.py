"""The tables at which people play in the browser: a state machine without HTTP, threads or clocks of its own.

Theory of operation. A table waits in the lobby until every person of its plan has sat down; then its match begins. A
chair belongs to the browser that holds its token. Each chair has one page, which is made when it is fetched, from the
messages of its own seat; a higher `version` says that there is a new one. So a browser that comes back sees what it
would have seen, and while seats decide at the same time, the page of one does not change when another has answered.

A chair without visitors leaves after a while, and the arena plays on for it. A table is dropped when it is over, or
was never full, and is not visited any more.
"""

import hashlib
import hmac
import json
import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from arena.errors import ArenaError
from arena.match.play import MatchSetup
from arena.match.record import MatchRecord
from arena.roster.entries import Entry
from arena.texts import safe
from arena.web.play.bridge import Audience, MatchThread
from arena.web.play.plans import Declined, Offer, PlaceKind, Plan, Reason, checked_name
from arena.web.play.telling import LONGEST, SeatSight, SeatTelling, ended
from engine.catalogue import game as find_game
from protocol.messages import Decide, End, Start

Plain = dict[str, Any]
_LOG = logging.getLogger(__name__)

MOST_TABLES = 20
"""Tables at the same time. Each can have a process for every bot."""
AWAY_S = 600.0
"""A chair that no browser has looked at for so long leaves."""
IDLE_S = 6 * 3600.0
"""A table at which nothing has been done for so long ends, even if somebody looks at it."""


class TableStage(Enum):
    """Where a table is between its opening and its end."""

    LOBBY = "lobby"
    PLAYING = "playing"
    OVER = "over"
    BROKEN = "broken"


@dataclass(slots=True)
class Chair:
    """A seat of a table, whoever has it."""

    seat: int
    kind: PlaceKind
    name: str
    token: bytes | None = None
    """The digest of its holder's token."""
    telling: SeatTelling | None = None
    seen: SeatSight | None = None
    sent: str | None = None
    """The answer to the last question."""
    is_asked: bool = False
    has_left: bool = False
    end: End | None = None
    visitors: int = 0
    visited: float = 0.0
    """When the last visitor left."""
    version: int = 1
    _made: tuple[int, bytes] = (0, b"")

    @property
    def is_taken(self) -> bool:
        return self.kind is PlaceKind.BOT or self.token is not None

    def change(self) -> None:
        self.version += 1


Starter = Callable[[MatchSetup, Audience], MatchThread]
"""Begins a match for its audience."""


@dataclass(slots=True)
class Table:
    """One table. An Audience of arena.web.play.bridge."""

    id: str
    plan: Plan
    offer: Offer
    starter: Starter
    opened: float
    chairs: list[Chair] = field(default_factory=list)
    stage: TableStage = TableStage.LOBBY
    record: str | None = None
    """The name of the record's file, once it is kept."""
    trouble: str = ""
    next: str | None = None
    """The table at which the same people play again."""
    active: float = 0.0
    listeners: list[Callable[[], None]] = field(default_factory=list)
    """Called when a page may have changed."""
    _match: MatchThread | None = None
    _position: str | None = None
    """Where the match begins, if that is in the middle of another one."""

    def __post_init__(self) -> None:
        self.active = self.opened
        self.chairs = [
            Chair(seat, place.kind, place.name, visited=self.opened) for seat, place in enumerate(self.plan.places)
        ]

    # Sitting down

    def sit(self, seat: object, name: str, now: float) -> str:
        """Take a free chair. The token of the chair, which is shown to nobody else."""
        if self.stage is not TableStage.LOBBY:
            raise Declined(Reason.STALE, "The match has begun without you: all seats are taken.")
        if type(seat) is not int or not 0 <= seat < len(self.chairs) or self.chairs[seat].is_taken:
            raise Declined(Reason.STALE, "This seat is taken. Choose another one.")
        chair, token = self.chairs[seat], secrets.token_urlsafe(24)
        chair.name = checked_name(name)
        chair.token = _digest(token)
        chair.visited = self.active = now
        self._change_all()
        return token

    def begin_if_full(self) -> None:
        """Begin the match when every chair is taken."""
        if self.stage is TableStage.LOBBY and all(chair.is_taken for chair in self.chairs):
            self.stage = TableStage.PLAYING
            setup = self.offer.setup(self.plan, [chair.name for chair in self.chairs])
            self._position = setup.parent.position if setup.parent else None
            self._match = self.starter(setup, self)
            self._match.start()

    def chair_of(self, token: str) -> Chair:
        """The chair that this token holds."""
        digest = _digest(token)
        for chair in self.chairs:
            if chair.token is not None and hmac.compare_digest(chair.token, digest):
                return chair
        raise Declined(Reason.FORBIDDEN, "This is not your seat. Open the link of the table again.")

    # What a person does

    def answer(self, chair: Chair, question: object, action: str, now: float) -> None:
        """Send an answer. Declined says why it is refused, in the words of the game; the person may choose again."""
        telling = self._open_question(chair, question)
        if action not in telling.questions[-1].legal:
            raise Declined(Reason.REFUSED, telling.why_not(action[:LONGEST]))
        assert self._match is not None, "somebody was asked"
        chair.sent, chair.is_asked = action, False
        self.active = now
        self._changed(chair)
        self._match.answer(chair.seat, telling.questions[-1].id, action)

    def material(self, chair: Chair, question: object) -> SeatTelling:
        """All that this seat has been sent, for whoever should give a hint."""
        return self._open_question(chair, question)

    def _open_question(self, chair: Chair, question: object) -> SeatTelling:
        telling = chair.telling
        if telling is None or not chair.is_asked or telling.questions[-1].id != question:
            raise Declined(Reason.STALE, "This question is not open any more.")
        return telling

    def leave(self, chair: Chair) -> None:
        """Get up. Before the match the chair is free again; during it, the arena plays on."""
        if self.stage is TableStage.LOBBY:
            chair.token, chair.name = None, ""
            chair.kind = PlaceKind.OPEN
            self._change_all()
        elif self.stage is TableStage.PLAYING and not chair.has_left:
            assert self._match is not None, "it is being played"
            chair.has_left, chair.is_asked = True, False
            self._changed(chair)
            self._match.leave(chair.seat)

    def arrive(self, chair: Chair) -> None:
        """A browser looks at the page of this chair."""
        chair.visitors += 1

    def depart(self, chair: Chair, now: float) -> None:
        chair.visitors -= 1
        chair.visited = now

    # What the match tells

    def begun(self, seat: int, start: Start) -> None:
        game = find_game(self.plan.game)
        origin = None if self._position is None else game.view(game.parse(self._position), seat)
        self.chairs[seat].telling = SeatTelling(game, start, origin)
        self._changed(self.chairs[seat])

    def asked(self, seat: int, question: Decide) -> None:
        chair = self.chairs[seat]
        assert chair.telling is not None, "a match begins with start"
        chair.telling.ask(question)
        chair.is_asked, chair.sent = not chair.has_left, None
        self._changed(chair)

    def seen(self, seat: int, seen: SeatSight) -> None:
        chair = self.chairs[seat]
        chair.seen, chair.sent, chair.is_asked = seen, None, False
        self._changed(chair)

    def told_end(self, seat: int, end: End) -> None:
        chair = self.chairs[seat]
        chair.end, chair.is_asked, chair.sent = end, False, None
        self._changed(chair)

    def recorded(self, record: MatchRecord) -> None:
        assert record.path is not None, "it was kept"
        self.record = record.path.name
        self.stage = TableStage.OVER
        self._change_all()

    def failed(self, error: BaseException) -> None:
        """Only what the arena itself says about a setting or a machine is shown; anything else may hold a secret."""
        self.stage = TableStage.BROKEN
        if isinstance(error, ArenaError):
            self.trouble = safe(str(error))
        else:
            self.trouble = "The arena failed; its terminal says why."
            _LOG.error("a match at a table broke off", exc_info=error)
        self._change_all()

    # Pages

    def page(self, chair: Chair) -> bytes:
        """The page of a chair as JSON. It is made once for each version."""
        version, made = chair._made
        if version != chair.version:
            made = json.dumps(self._page(chair), separators=(",", ":")).encode()
            chair._made = (chair.version, made)
        return made

    def _page(self, chair: Chair) -> Plain:
        page: Plain = {"seat": chair.seat, "version": chair.version, "stage": self._stage(chair)}
        if chair.telling is None:
            return page | self.lobby()
        page |= chair.telling.about()
        if chair.is_asked or chair.sent is not None:
            page |= chair.telling.asked(chair.seen.out if chair.seen else ())
            page |= {} if chair.sent is None else {"sent": chair.sent}
        elif chair.seen is not None:
            page |= chair.telling.waiting(chair.seen)
        page |= {} if chair.end is None else {"end": ended(chair.end)}
        return page | {"record": self.record, "trouble": self.trouble, "next": self.next}

    def _stage(self, chair: Chair) -> str:
        if self.stage in (TableStage.LOBBY, TableStage.BROKEN):
            return str(self.stage.value)
        if chair.end is not None:
            return "over"
        if chair.has_left:
            return "left"
        if chair.is_asked:
            return "asked"
        return "waiting" if chair.sent is None else "sent"

    def lobby(self) -> Plain:
        """What everybody with the link may know before the match."""
        return {
            "table": self.id,
            "stage": self.stage.value,
            "trouble": self.trouble,
            "game": self.plan.game,
            "options": dict(self.plan.options),
            "places": [
                {"kind": chair.kind.value, "name": chair.name, "taken": chair.is_taken} for chair in self.chairs
            ],
        }

    def _change_all(self) -> None:
        for chair in self.chairs:
            chair.change()
        self._notify()

    def _changed(self, chair: Chair) -> None:
        chair.change()
        self._notify()

    def _notify(self) -> None:
        for listener in list(self.listeners):
            listener()

    def succeed(self, other: "Table") -> None:
        """The same people play again at the other table."""
        self.next = other.id
        self._change_all()

    # The end

    def tidy(self, now: float) -> bool:
        """Let those leave who do not look any more. Whether the table can be dropped."""
        is_idle = now - self.active > IDLE_S
        persons = [chair for chair in self.chairs if chair.kind is not PlaceKind.BOT]
        gone = [chair for chair in persons if is_idle or (not chair.visitors and now - chair.visited > AWAY_S)]
        if self.stage is TableStage.PLAYING:
            for chair in gone:
                self.leave(chair)
            return False
        return len(gone) == len(persons)

    def is_forsaken(self) -> bool:
        """Whether it is over and no browser looks at it."""
        return self.stage in (TableStage.OVER, TableStage.BROKEN) and not any(c.visitors for c in self.chairs)

    def close(self) -> None:
        """End its match now."""
        if self._match is not None:
            self._match.stop()
            self._match.join()


@dataclass(slots=True)
class GameRoom:
    """All tables of a server."""

    offer: Offer
    starter: Starter
    tables: dict[str, Table] = field(default_factory=dict)

    def open(self, plan: Plan, now: float) -> tuple[Table, Mapping[int, str]]:
        """A new table, and the tokens of the chairs of those who sit in front of the browser, by seat."""
        self._make_room()
        table = Table(secrets.token_urlsafe(16), plan, self.offer, self.starter, now)
        self.tables[table.id] = table
        here = [(seat, place.name) for seat, place in enumerate(plan.places) if place.kind is PlaceKind.HERE]
        tokens = {seat: table.sit(seat, name, now) for seat, name in here}
        table.begin_if_full()
        return table, tokens

    def _make_room(self) -> None:
        for table in [table for table in self.tables.values() if table.is_forsaken()]:
            if len(self.tables) >= MOST_TABLES:
                del self.tables[table.id]
        if len(self.tables) >= MOST_TABLES:
            raise Declined(Reason.FULL, f"All {MOST_TABLES} tables are in use. Try again later.")

    def find(self, table: str) -> Table:
        """The table of this id."""
        found = self.tables.get(table)
        if found is None:
            raise Declined(Reason.UNKNOWN, "There is no such table; it may be over. Open a new one.")
        return found

    def tidy(self, now: float) -> None:
        """Drop the tables that are not needed any more."""
        for table in list(self.tables.values()):
            if table.tidy(now):
                del self.tables[table.id]

    def close(self) -> None:
        """End all matches. Nothing that is being played is recorded."""
        for table in self.tables.values():
            table.close()
        self.tables.clear()

    def adviser(self, name: str, game: str) -> Entry:
        """The bot that should give a hint."""
        entry = self.offer.bots.get(name)
        if entry is None or not entry.plays(game):
            raise Declined(Reason.UNKNOWN, "There is no such bot here.")
        return entry


def _digest(token: str) -> bytes:
    """Tokens are not kept: what is not here cannot be shown by mistake."""
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
