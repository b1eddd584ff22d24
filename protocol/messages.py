"""The eight messages, and what each field may hold.

On the wire a message is a map with its `type` and its fields. Unknown fields are ignored, so that either side may get
new ones. SPEC.md section 4 is the normative text.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from protocol.questions import Decide as Decide  # noqa: PLC0414  # a message like the others
from protocol.questions import Move as Move  # noqa: PLC0414

REVISION: Final = 1
MOST_ACTION: Final = 4096
"""Characters of an action."""
MOST_NOTE: Final = 1024
"""Characters of a note that are kept."""

Plain = dict[str, Any]


class Wrong(Exception):
    """A value is not what a field may hold; the text says where, what was expected and what was found."""


Check = Callable[[str, Any], None]
"""check(path, value) raises Wrong."""


def _found(value: object) -> str:
    names = {str: "a string", bool: "a boolean", int: "an integer", float: "a float", list: "an array", dict: "a map"}
    name = names.get(type(value), type(value).__name__)
    text = repr(value)
    return "null" if value is None else f"{name} {text[:40]}{'...' if len(text) > 40 else ''}"


def _wrong(path: str, expected: str, value: object) -> Wrong:
    return Wrong(f"{path}: expected {expected}, got {_found(value)}")


def text(most: int) -> Check:
    def check(path: str, value: Any) -> None:
        if type(value) is not str or len(value) > most:
            raise _wrong(path, f"a string of at most {most} characters", value)

    return check


def words(path: str, value: Any) -> None:
    if type(value) is not str:
        raise _wrong(path, "a string", value)


def whole(path: str, value: Any) -> None:
    if type(value) is not int or not 0 <= value < 1 << 63:
        raise _wrong(path, "an integer from 0 to 2^63 - 1", value)


def integer(path: str, value: Any) -> None:
    if type(value) is not int or abs(value) >= 1 << 63:
        raise _wrong(path, "an integer of 64 bits", value)


def mapping(path: str, value: Any) -> None:
    if type(value) is not dict or not all(type(key) is str for key in value):
        raise _wrong(path, "a map with string keys", value)


def array(of: Check) -> Check:
    def check(path: str, value: Any) -> None:
        if type(value) is not list:
            raise _wrong(path, "an array", value)
        for i, item in enumerate(value):
            of(f"{path}[{i}]", item)

    return check


@dataclass(frozen=True, slots=True)
class Hello:
    """The bot's first message."""

    type: ClassVar[str] = "hello"
    protocol: int
    name: str
    version: str
    games: list[str]


@dataclass(frozen=True, slots=True)
class Welcome:
    """The arena's answer to hello."""

    type: ClassVar[str] = "welcome"
    protocol: int
    arena: str
    limits: Plain


@dataclass(frozen=True, slots=True)
class Start:
    """A match begins."""

    type: ClassVar[str] = "start"
    match: str
    game: str
    edition: int
    options: Plain
    seat: int
    seats: int
    players: list[str]
    clock: Plain
    bot_seed: int
    tune: Plain | None = None


@dataclass(frozen=True, slots=True)
class Ready:
    """The bot is prepared."""

    type: ClassVar[str] = "ready"


@dataclass(frozen=True, slots=True)
class End:
    """The match is over."""

    type: ClassVar[str] = "end"
    scores: list[int]
    ranks: list[int]
    outcome: Plain
    faults: list[Plain]
    void: str | None = None


@dataclass(frozen=True, slots=True)
class Bye:
    """The process may exit."""

    type: ClassVar[str] = "bye"


Message = Hello | Welcome | Start | Ready | Decide | Move | End | Bye
MESSAGES: Mapping[str, type[Message]] = {
    "hello": Hello,
    "welcome": Welcome,
    "start": Start,
    "ready": Ready,
    "decide": Decide,
    "move": Move,
    "end": End,
    "bye": Bye,
}
FIELDS: Mapping[str, Mapping[str, Check]] = {
    "hello": {"protocol": whole, "name": text(64), "version": text(64), "games": array(text(64))},
    "welcome": {"protocol": whole, "arena": text(64), "limits": mapping},
    "start": {
        "match": text(128),
        "game": text(64),
        "edition": whole,
        "options": mapping,
        "seat": whole,
        "seats": whole,
        "players": array(text(64)),
        "clock": mapping,
        "bot_seed": whole,
        "tune": mapping,
    },
    "ready": {},
    "decide": {
        "id": whole,
        "phase": text(64),
        "view": mapping,
        "legal": array(text(MOST_ACTION)),
        "events": array(mapping),
        "clock": mapping,
        "last": mapping,
    },
    "move": {"id": whole, "action": text(MOST_ACTION), "note": words},
    "end": {
        "scores": array(integer),
        "ranks": array(whole),
        "outcome": mapping,
        "faults": array(mapping),
        "void": text(4096),
    },
    "bye": {},
}
OPTIONAL = frozenset((("start", "tune"), ("decide", "last"), ("move", "note"), ("end", "void")))
# For each message its fields with where they are found, how they are checked, and whether they are needed.
_SHAPES = {
    name: [(key, f"$.{key}", check, (name, key) not in OPTIONAL) for key, check in fields.items()]
    for name, fields in FIELDS.items()
}


class Unknown(Exception):
    """A map is not a message of this revision."""


class Missing(Exception):
    """A message lacks a field."""


def to_wire(message: Message) -> Plain:
    """The map of a message, without fields that are None."""
    wire: Plain = {"type": message.type}
    for name in FIELDS[message.type]:
        value = getattr(message, name)
        if value is not None:
            wire[name] = value
    return wire


def from_wire(wire: Plain) -> Message:
    """The message of a map. Unknown, Missing and Wrong say what is wrong with it."""
    name = wire.get("type")
    if not isinstance(name, str) or name not in MESSAGES:
        raise Unknown(f"$.type: expected one of {', '.join(MESSAGES)}, got {_found(name)}")
    values: Plain = {}
    for key, path, check, needed in _SHAPES[name]:
        value = wire.get(key)
        if value is not None:
            check(path, value)
            values[key] = value
        elif needed:
            raise Missing(f"{path}: a {name} needs this field")
    return MESSAGES[name](**values)
