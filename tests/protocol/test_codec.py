"""Codecs: two of ours, and what other packages plug in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import codec
from protocol.codec import JSON, MSGPACK
from protocol.errors import ErrorKind, LocalProtocolError, RemoteProtocolError
from protocol.framing import HEADER
from protocol.session import Role, Session

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), VALUES, max_size=5))
def test_both_codecs_give_back_what_they_were_given(value):
    assert MSGPACK.decode(MSGPACK.encode(value)[HEADER:]) == value
    assert JSON.decode(JSON.encode(value)) == value
    assert JSON.encode(value).count(b"\n") == 1


def test_another_package_can_add_a_codec(plug_in):
    plug_in(
        "loud",
        "class Loud:\n    name = 'loud'\n    opening = b'!'\nCODEC = Loud()\n",
        "arena.codecs: loud = loud:CODEC",
    )
    assert codec.choose(b"!").name == "loud"
    assert codec.choose(b"{") is JSON
    with pytest.raises(RemoteProtocolError):
        codec.choose(b"?")


INHERITING = """
from protocol import Codec, Reader, Undecodable

class Whisper(Undecodable):
    pass

class Rest(Reader):
    pending = b""
    offset = 0

    def feed(self, data):
        yield 0, data

class Loud(Codec):
    name = "loud"
    opening = b"!"

    def reader(self):
        return Rest()

    def encode(self, value):
        return b"!"

    def decode(self, payload):
        raise Whisper("too low")

CODEC = Loud()
"""


def test_another_package_can_inherit_from_what_a_codec_is(plug_in):
    """Also where the protocol is compiled. From a compiled class no Python class can inherit."""
    plug_in("loud", INHERITING, "arena.codecs: loud = loud:CODEC")
    arena = Session(Role.ARENA)
    with pytest.raises(RemoteProtocolError, match="too low") as error:
        list(arena.receive(b"!"))
    assert error.value.kind is ErrorKind.UNDECODABLE
    assert arena.codec.name == "loud"


def test_a_codec_that_does_not_load_is_not_the_bots_fault(plug_in):
    plug_in("loud", "raise RuntimeError('no luck')\n", "arena.codecs: loud = loud:CODEC")
    assert codec.choose(b"\x00") is MSGPACK
    with pytest.raises(LocalProtocolError, match=r"codec loud \(loud:CODEC\) does not load: RuntimeError"):
        codec.choose(b"!")
