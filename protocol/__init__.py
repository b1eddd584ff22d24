"""Bytes to messages and back: what the arena and a bot say to each other. Knows no game and no process.

    from protocol import JSON, REVISION, Hello, Role, Session

    session = Session(Role.BOT, JSON)
    to_arena = session.send(Hello(REVISION, "my bot", "1.0", ["draftosaurus"]))
    for message in session.receive(from_arena): ...

Here is what a bot, a kit or a tool needs. SPEC.md is the normative text.
"""

from protocol.codec import JSON, MSGPACK
from protocol.contract import Codec, Reader, Undecodable
from protocol.errors import ErrorKind, LocalProtocolError, ProtocolError, RemoteProtocolError
from protocol.messages import (
    REVISION,
    Bye,
    Decide,
    End,
    Hello,
    Message,
    Move,
    Ready,
    Start,
    Welcome,
    from_wire,
    to_wire,
)
from protocol.session import Refused, Role, Session, Stage, Stale

__all__ = [  # noqa: RUF022  # in reading order
    "REVISION",
    # one side of a conversation
    "Session",
    "Role",
    "Stage",
    "Stale",
    "Refused",
    # the messages, in the order of a conversation
    "Message",
    "Hello",
    "Welcome",
    "Start",
    "Ready",
    "Decide",
    "Move",
    "End",
    "Bye",
    "to_wire",
    "from_wire",
    # the codecs
    "Codec",
    "Reader",
    "MSGPACK",
    "JSON",
    "Undecodable",
    # errors
    "ProtocolError",
    "LocalProtocolError",
    "RemoteProtocolError",
    "ErrorKind",
]
