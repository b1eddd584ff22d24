"""The published vectors hold: every message in both codecs, and every refusal."""

import json
from pathlib import Path

import pytest

from protocol.codec import JSON, MSGPACK
from protocol.errors import Kind, RemoteProtocolError
from protocol.framing import HEADER
from protocol.messages import MESSAGES, from_wire, to_wire
from protocol.session import Role, Session

VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"
GOOD = sorted(path.stem for path in VECTORS.glob("*.json") if path.stem != "bad")
BAD = json.loads((VECTORS / "bad.json").read_text("utf-8"))
CODECS = {"msgpack": MSGPACK, "json": JSON}


def vector(name: str) -> dict:
    return json.loads((VECTORS / f"{name}.json").read_text("utf-8"))


@pytest.mark.parametrize("name", GOOD)
def test_a_message_is_written_and_read_as_published(name, request):
    published = vector(name)
    framed, line = MSGPACK.encode(published["value"]), JSON.encode(published["value"])
    if request.config.getoption("--update-golden"):
        published |= {"msgpack": framed.hex(), "json": line.decode()}
        (VECTORS / f"{name}.json").write_text(json.dumps(published, indent=2, ensure_ascii=False) + "\n", "utf-8")
    assert framed.hex() == published["msgpack"]
    assert line.decode() == published["json"]
    assert MSGPACK.decode(framed[HEADER:]) == JSON.decode(line) == published["value"]
    assert to_wire(from_wire(published["value"])) == published["value"]


def test_every_message_is_published():
    assert {vector(name)["value"]["type"] for name in GOOD} == set(MESSAGES)


def conversation(codec: str, names: list[str]) -> Session:
    """The arena's session after these messages."""
    bot, arena = Session(Role.BOT, CODECS[codec]), Session(Role.ARENA)
    for name in names:
        message = from_wire(vector(name)["value"])
        speaker, listener = (bot, arena) if vector(name)["from"] == "bot" else (arena, bot)
        assert list(listener.receive(speaker.send(message))) == [message]
    return arena


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad["name"])
def test_what_is_wrong_is_refused_as_published(bad):
    arena = conversation(bad["codec"], bad["after"])
    with pytest.raises(RemoteProtocolError) as refusal:
        list(arena.receive(bytes.fromhex(bad["bytes"])))
    assert refusal.value.kind == bad["kind"]
    assert bad["says"] in str(refusal.value)
    assert "\n" not in str(refusal.value)
    with pytest.raises(RemoteProtocolError):
        list(arena.receive(b"more"))


def test_every_kind_of_refusal_is_published():
    assert {bad["kind"] for bad in BAD} == set(Kind) - {Kind.TRUNCATED}
