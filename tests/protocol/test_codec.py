"""Codecs: two of ours, and what other packages plug in."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import codec
from protocol.codec import JSON, MSGPACK
from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.framing import HEADER

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


@pytest.fixture
def plug_in(tmp_path, monkeypatch):
    """Install a package that offers a codec through the entry-point group."""

    def install(code: str) -> None:
        (tmp_path / "loud.py").write_text(code)
        info = tmp_path / "loud-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{codec.GROUP}]\nloud = loud:CODEC\n")

    monkeypatch.syspath_prepend(str(tmp_path))
    yield install
    sys.modules.pop("loud", None)


def test_another_package_can_add_a_codec(plug_in):
    plug_in("class Loud:\n    name = 'loud'\n    opening = b'!'\nCODEC = Loud()\n")
    assert codec.choose(b"!").name == "loud"
    assert codec.choose(b"{") is JSON
    with pytest.raises(RemoteProtocolError):
        codec.choose(b"?")


def test_a_codec_that_does_not_load_is_not_the_bots_fault(plug_in):
    plug_in("raise RuntimeError('no luck')\n")
    assert codec.choose(b"\x00") is MSGPACK
    with pytest.raises(LocalProtocolError, match=r"codec loud \(loud:CODEC\) does not load: RuntimeError"):
        codec.choose(b"!")
