"""One conversation, seen from either side, without any IO: bytes in, messages out, and messages in, bytes out.

Theory of operation. A conversation is in one Stage at a time, and TRANSITIONS says which message from which side leads
to which stage. Everything else is an error, of this side (LocalProtocolError) or of the other. Both sides use the same
table. An error of the other side ends the conversation (RemoteProtocolError) if the rest of the stream cannot be read
any more, or before hello. A whole message that is wrong here is Refused and changes nothing. Two things may cross on
the wire and are not errors:

- A `move` that answers an earlier question than the open one, or an answered one, is Stale: it is returned as such
  and changes nothing.
- When the arena ends a match before the bot was `ready`, the `ready` is still owed (Stage.UNREADY), so that it can
  never be taken for the answer to the next `start`.

The bot chooses the codec with its first byte; the arena then answers in it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import msgpack

from protocol.codec import MOST_DEEP, MSGPACK, choose, flat, too_deep
from protocol.contract import Codec, Reader, Undecodable
from protocol.errors import FATAL, ErrorKind, LocalProtocolError, RemoteProtocolError
from protocol.framing import HEADER, MOST_BYTES, ONLY_MESSAGES, LengthReader
from protocol.messages import (
    MOST_ACTION,
    REVISION,
    Decide,
    Hello,
    Message,
    Missing,
    Move,
    Unknown,
    Welcome,
    Wrong,
    from_wire,
    to_wire,
)


class Role(StrEnum):
    """The two sides of a conversation."""

    ARENA = "arena"
    BOT = "bot"


class Stage(StrEnum):
    """What a conversation waits for."""

    HELLO = "before hello"
    WELCOME = "before welcome"
    LOBBY = "between matches"
    PREPARING = "before ready"
    UNREADY = "before the ready of a match that has ended"
    PLAYING = "between decisions"
    THINKING = "before move"
    CLOSED = "after the end"


ARENA: Final = Role.ARENA
BOT: Final = Role.BOT

TRANSITIONS: Final[Mapping[Stage, Mapping[tuple[Role, str], Stage]]] = {
    Stage.HELLO: {(BOT, "hello"): Stage.WELCOME},
    Stage.WELCOME: {(ARENA, "welcome"): Stage.LOBBY, (ARENA, "bye"): Stage.CLOSED},
    Stage.LOBBY: {(ARENA, "start"): Stage.PREPARING, (ARENA, "bye"): Stage.CLOSED},
    Stage.PREPARING: {
        (BOT, "ready"): Stage.PLAYING,
        (ARENA, "end"): Stage.UNREADY,
        (ARENA, "bye"): Stage.CLOSED,
    },
    Stage.UNREADY: {(BOT, "ready"): Stage.LOBBY, (ARENA, "bye"): Stage.CLOSED},
    Stage.PLAYING: {
        (ARENA, "decide"): Stage.THINKING,
        (ARENA, "end"): Stage.LOBBY,
        (ARENA, "bye"): Stage.CLOSED,
    },
    Stage.THINKING: {
        (BOT, "move"): Stage.PLAYING,
        (ARENA, "decide"): Stage.THINKING,
        (ARENA, "end"): Stage.LOBBY,
        (ARENA, "bye"): Stage.CLOSED,
    },
    Stage.CLOSED: {},
}


# Stage.THINKING takes 115 ns to look up in Python 3.11, _THINKING 15.
_THINKING: Final = Stage.THINKING
_PLAYING: Final = Stage.PLAYING
_WRONG: Final[Mapping[type[Exception], ErrorKind]] = {
    Unknown: ErrorKind.UNKNOWN_MESSAGE,
    Missing: ErrorKind.MISSING_FIELD,
    Wrong: ErrorKind.WRONG_TYPE,
}
"""What is wrong with a map that is not a message."""


def _apart(question: Decide) -> dict[str, Any]:
    """The map of a question, as `to_wire` makes it, without the view and the events, which are packed apart."""
    wire: dict[str, Any] = {
        "type": "decide",
        "id": question.id,
        "phase": question.phase,
        "legal": question.legal,
        "clock": question.clock,
    }
    if question.last is not None:
        wire["last"] = question.last
    return wire


@dataclass(frozen=True, slots=True)
class Stale:
    """A move that came too late to count: its question is answered or withdrawn."""

    move: Move


@dataclass(frozen=True, slots=True)
class Refused:
    """A whole message that may not be sent, or not now: why, and where in the stream it began. It changes nothing."""

    kind: ErrorKind
    offset: int
    text: str


class Session:
    """One side of a conversation. A bot's session names its codec; the arena's gets it from the bot's first byte."""

    def __init__(self, role: Role, codec: Codec | None = None) -> None:
        if (role is BOT) != (codec is not None):
            raise LocalProtocolError("the bot chooses the codec: give one to the bot's session, none to the arena's")
        self.role = role
        self.peer = ARENA if role is BOT else BOT
        self.stage = Stage.HELLO
        self.codec = codec
        self.question = 0
        """The id of the latest decide; ids rise from 1 as long as the process lives."""
        self._reader: Reader | None = codec.reader() if codec else None
        self._broken: RemoteProtocolError | None = None

    def send(self, message: Message) -> bytes:
        """The bytes of a message that this side may send now."""
        after = TRANSITIONS[self.stage].get((self.role, message.type))
        if after is None:
            raise LocalProtocolError(f"the {self.role} may not send {message.type} {self.stage}")
        assert self.codec is not None, "the table lets the arena speak only after hello"
        question = self.question
        if isinstance(message, Decide):
            if message.id <= question:
                raise LocalProtocolError(f"decide {message.id} does not follow decide {question}: ids must rise")
            question = message.id
        elif isinstance(message, Move) and message.id != question:
            raise LocalProtocolError(f"move {message.id} does not answer decide {question}")
        try:
            frame = self.codec.encode(to_wire(message))
        except (ValueError, TypeError, OverflowError) as error:
            raise LocalProtocolError(f"this {message.type} cannot be written as {self.codec.name}: {error}") from None
        if len(frame) > MOST_BYTES:
            raise LocalProtocolError(f"this {message.type} takes {len(frame)} bytes, the limit is {MOST_BYTES}")
        self.stage, self.question = after, question
        return frame

    def ask(self, question: Decide, packed: dict[int, bytes]) -> bytes:
        """The bytes of a question, as `send` returns them, for half the work in framed MessagePack.

        Questions that are asked at the same time have much in common: they share `packed`, which keeps those bytes.
        """
        view = question.parts
        if view is None or self.codec is not MSGPACK or self.stage is not _PLAYING or question.id <= self.question:
            return self.send(question)
        try:
            frame = MSGPACK.encode_question(_apart(question), view, question.events, packed)
        except (ValueError, TypeError, OverflowError):
            return self.send(question)  # it says what is wrong
        if len(frame) > MOST_BYTES:
            return self.send(question)
        self.stage, self.question = _THINKING, question.id
        return frame

    def plain(self, frame: bytes) -> dict[str, Any]:
        """The map of a message that this side has sent, from its bytes."""
        assert self.codec is not None, "it has sent something"
        ((_, payload),) = self.codec.reader().feed(frame)
        wire: dict[str, Any] = self.codec.decode(payload)
        return wire

    def answer(self, data: bytes) -> Move | None:
        """The answer to the open question, if these bytes are just that, in the frame of MessagePack.

        Nearly all bytes that a referee receives are this, and here they take half the time. None: nothing has happened,
        call `receive`.
        """
        reader = self._reader
        if self.stage is not _THINKING or type(reader) is not LengthReader or not reader.is_whole(data):
            return None
        try:
            wire = msgpack.unpackb(data[HEADER:])
        except Exception:  # `receive` will say what is wrong
            return None
        if type(wire) is not dict or wire.get("type") != "move":
            return None
        number, action, note = wire.get("id"), wire.get("action"), wire.get("note")
        if type(number) is not int or number != self.question or type(action) is not str or len(action) > MOST_ACTION:
            return None
        if (note is not None and type(note) is not str) or len(wire) != 3 + ("note" in wire):
            return None
        reader.skip(data)
        self.stage = _PLAYING
        return Move(number, action, note)

    def receive(self, data: bytes) -> Iterator[Message | Stale | Refused]:
        """The messages completed by these bytes. Iterate to the end: only then all bytes are read.

        Messages before an error are returned before it is raised.
        """
        if self._broken:
            raise self._broken.with_traceback(None)
        if not data or (self.role is ARENA and self.stage is Stage.CLOSED):
            return  # what crosses with the arena's bye is dropped
        try:
            if self._reader is None:
                self.codec = choose(data)
                self._reader = self.codec.reader()
            for offset, payload in self._reader.feed(data):
                item: Message | Stale | Refused
                try:
                    item = self._hear(offset, payload)
                except RemoteProtocolError as error:
                    if error.kind in FATAL or self.stage is Stage.HELLO:
                        raise
                    item = Refused(error.kind, offset, str(error))
                yield item
        except RemoteProtocolError as error:
            self._broken = error
            raise

    def receive_end(self) -> None:
        """The other side's stream has ended. TRUNCATED if it ended within a message."""
        if self._broken:
            raise self._broken.with_traceback(None)
        if self._reader and self._reader.pending:
            found = self._reader.pending
            text = f"the stream ended {len(found)} bytes into a message"
            self._broken = RemoteProtocolError(ErrorKind.TRUNCATED, self._reader.offset, text, found)
            raise self._broken
        self.stage = Stage.CLOSED

    def _hear(self, offset: int, payload: bytes) -> Message | Stale:
        message = self._decode(offset, payload)
        if isinstance(message, Move) and self.peer is BOT and self._is_stale(message):
            return Stale(message)
        after = TRANSITIONS[self.stage].get((self.peer, message.type))
        if after is None:
            allowed = [name for role, name in TRANSITIONS[self.stage] if role is self.peer]
            text = f"a {message.type} {self.stage}, where the {self.peer} may send {' or '.join(allowed) or 'nothing'}"
            raise RemoteProtocolError(ErrorKind.WRONG_TIME, offset, text, payload)
        if isinstance(message, Move):
            if message.id != self.question:
                text = f"$.id: expected {self.question}, the id of the latest decide, got {message.id}"
                raise RemoteProtocolError(ErrorKind.WRONG_ID, offset, text, payload)
        elif isinstance(message, Decide):
            if message.id <= self.question:
                text = f"$.id: expected more than {self.question}, the id of the latest decide, got {message.id}"
                raise RemoteProtocolError(ErrorKind.WRONG_ID, offset, text, payload)
            self.question = message.id
        elif isinstance(message, Hello | Welcome) and message.protocol != REVISION:
            text = f"$.protocol: this {self.role} speaks revision {REVISION}, the {self.peer} {message.protocol}"
            raise RemoteProtocolError(ErrorKind.WRONG_REVISION, offset, text, payload)
        self.stage = after
        return message

    def _is_stale(self, move: Move) -> bool:
        is_open = self.stage is Stage.THINKING and move.id == self.question
        return 0 < move.id <= self.question and not is_open

    def _decode(self, offset: int, payload: bytes) -> Message:
        assert self.codec is not None, "receive has chosen one"
        try:
            wire = self.codec.decode(payload)
            if flat(wire):
                return from_wire(wire)
            if too_deep(wire):
                text = f"arrays and maps nested more than {MOST_DEEP} deep (SPEC 3)"
                raise RemoteProtocolError(ErrorKind.TOO_DEEP, offset, text, payload)
            if not isinstance(wire, dict):
                raise RemoteProtocolError(ErrorKind.NOT_A_MAP, offset, "a message must be a map (SPEC 4)", payload)
            return from_wire(wire)
        except Undecodable as error:
            if payload[:1] != b"{" and self.codec.opening == b"{":
                raise RemoteProtocolError(ErrorKind.TEXT, offset, ONLY_MESSAGES, payload) from None
            raise RemoteProtocolError(ErrorKind.UNDECODABLE, offset, str(error), payload) from None
        except (Unknown, Missing, Wrong) as wrong:
            raise RemoteProtocolError(_WRONG[type(wrong)], offset, str(wrong), payload) from None
