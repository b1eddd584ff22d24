"""Codecs: two of ours, and what other packages plug in."""

import sys

from hypothesis import given
from hypothesis import strategies as st

from protocol import codec
from protocol.codec import JSON, MSGPACK
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


def test_another_package_can_add_a_codec(tmp_path, monkeypatch):
    (tmp_path / "loud.py").write_text("class Loud:\n    name = 'loud'\n    opening = b'!'\nCODEC = Loud()\n")
    info = tmp_path / "loud-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{codec.GROUP}]\nloud = loud:CODEC\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert codec.choose(b"!").name == "loud"
    assert codec.choose(b"{") is JSON
    del sys.modules["loud"]
