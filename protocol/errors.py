"""What can go wrong in a conversation, and whose fault it is.

    ProtocolError
    ├── LocalProtocolError    this side tried to send what it may not send, or not now: a bug
    └── RemoteProtocolError   the other side broke the protocol; `kind` says how

After a RemoteProtocolError a session reads nothing more. Mistakes after which the stream can still be read are not
exceptions, but Refused messages (session.py). They have a `kind`, too.
"""

from enum import StrEnum


class ErrorKind(StrEnum):
    """In which way the other side broke the protocol. SPEC.md section 6 explains each."""

    TEXT = "text"
    UNFRAMED = "unframed"
    UNKNOWN_CODEC = "unknown-codec"
    TOO_LONG = "too-long"
    UNDECODABLE = "undecodable"
    TOO_DEEP = "too-deep"
    NOT_A_MAP = "not-a-map"
    UNKNOWN_MESSAGE = "unknown-message"
    MISSING_FIELD = "missing-field"
    WRONG_TYPE = "wrong-type"
    WRONG_TIME = "wrong-time"
    WRONG_ID = "wrong-id"
    WRONG_REVISION = "wrong-revision"
    TRUNCATED = "truncated"


FATAL = frozenset(
    (
        ErrorKind.TEXT,
        ErrorKind.UNFRAMED,
        ErrorKind.UNKNOWN_CODEC,
        ErrorKind.TOO_LONG,
        ErrorKind.UNDECODABLE,
        ErrorKind.WRONG_REVISION,
        ErrorKind.TRUNCATED,
    )
)
"""The kinds after which nothing more can be understood. Before hello, every kind is."""


class ProtocolError(Exception):
    """Base of both."""


class LocalProtocolError(ProtocolError):
    """This side may not send that, or not now."""


class RemoteProtocolError(ProtocolError):
    """The other side broke the protocol at byte `offset` of its stream."""

    def __init__(self, kind: ErrorKind, offset: int, text: str, excerpt: bytes = b"") -> None:
        shown = f": {excerpt[:SHOWN]!r}{'...' if len(excerpt) > SHOWN else ''}" if excerpt else ""
        super().__init__(f"byte {offset}: {text}{shown}")
        self.kind = kind
        self.offset = offset


SHOWN = 40
"""How many of the offending bytes a message quotes."""
