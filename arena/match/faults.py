"""What can go wrong in a match, who caused it, and what follows. POLICY has all of it. docs/faults.md
shows the same table, and a test compares them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Blame(StrEnum):
    """Who caused a fault."""

    BOT = "bot"
    ARENA = "arena"
    OVERLOAD = "overload"


class Consequence(StrEnum):
    """What follows from a fault."""

    STRIKE = "strike"
    DISQUALIFIED = "disqualified"
    VOID = "void"


class FaultKind(StrEnum):
    """What went wrong."""

    LATE = "late"
    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    STRIKES = "strikes"
    NOT_STARTED = "not-started"
    NO_HELLO = "no-hello"
    WRONG_GAME = "wrong-game"
    NOT_READY = "not-ready"
    CRASH = "crash"
    CLOSED = "closed"
    PROTOCOL = "protocol"
    FLOOD = "flood"
    HOG = "hog"
    ARENA = "arena"
    OVERLOAD = "overload"


class FaultPolicy(NamedTuple):
    """One row: who caused it, what follows, what it means, what the author or organiser can do."""

    blame: Blame
    consequence: Consequence
    meaning: str
    way_out: str


def _bot(consequence: Consequence, meaning: str, way_out: str) -> FaultPolicy:
    return FaultPolicy(Blame.BOT, consequence, meaning, way_out)


_STRIKE, _OUT = Consequence.STRIKE, Consequence.DISQUALIFIED

POLICY: Mapping[FaultKind, FaultPolicy] = {
    FaultKind.LATE: _bot(_STRIKE, "no answer within increment and bank", "plan by `clock` in each `decide`"),
    FaultKind.ILLEGAL: _bot(_STRIKE, "an action that the rules do not allow now", "copy an action from `legal`"),
    FaultKind.MALFORMED: _bot(
        _STRIKE,
        "a text that is not an action, or a complete message that is not allowed, or not allowed now",
        "see `arena docs spec`, 4 and 6",
    ),
    FaultKind.STRIKES: _bot(_OUT, "too many strikes", "see the faults before it"),
    FaultKind.NOT_STARTED: _bot(_OUT, "the command could not be executed", "check `command` in bot.toml"),
    FaultKind.NO_HELLO: _bot(_OUT, "no `hello` in time", "write `hello` first, and flush"),
    FaultKind.WRONG_GAME: _bot(_OUT, "its `hello` does not list the game", "add the game to `games`"),
    FaultKind.NOT_READY: _bot(_OUT, "no `ready` in time", "answer `start` with `ready` within `prepare_ms`"),
    FaultKind.CRASH: _bot(_OUT, "its process ended during the match", "read its stderr, kept with the record"),
    FaultKind.CLOSED: _bot(_OUT, "it closed stdout but kept running", "keep stdout open until `bye`"),
    FaultKind.PROTOCOL: _bot(_OUT, "bytes after which the stream cannot be read", "see `arena docs spec`, 3 and 6"),
    FaultKind.FLOOD: _bot(_OUT, "more output than a decision or a match may have", "write less"),
    FaultKind.HOG: _bot(
        _OUT,
        "its use of the cores made this match void again and again",
        "use at most one thread for each core, and none while it is not asked",
    ),
    FaultKind.ARENA: FaultPolicy(
        Blame.ARENA, Consequence.VOID, "the arena itself failed", "report it; play the match again"
    ),
    FaultKind.OVERLOAD: FaultPolicy(
        Blame.OVERLOAD,
        Consequence.VOID,
        "an answer did not come because other processes had nearly all the cores",
        "run fewer programs and matches at once; play the match again",
    ),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that went wrong: at which seat (None: the arena), at which decision (None: at none), and a text."""

    kind: FaultKind
    seat: int | None
    decision: int | None
    text: str

    @property
    def policy(self) -> FaultPolicy:
        return POLICY[self.kind]


def consequence(kind: str) -> Consequence | None:
    """What follows from a fault of this kind; None if this arena does not know it."""
    return POLICY[FaultKind(kind)].consequence if kind in set(FaultKind) else None


def disqualifies(kind: str) -> bool:
    """Whether a fault of this kind ends the match for its seat."""
    return consequence(kind) is Consequence.DISQUALIFIED


@dataclass(frozen=True, slots=True)
class Broken:
    """Why the conversation with a bot ended."""

    kind: FaultKind
    text: str


def table() -> str:
    """The policy as a table in Markdown."""
    head = ["fault", "caused by", "consequence", "meaning", "fix"]
    rows = [head, ["---"] * len(head)]
    rows += [[f"`{kind}`", row.blame, row.consequence, row.meaning, row.way_out] for kind, row in POLICY.items()]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
