"""The published vectors hold: every message in both codecs, and every kind of error."""

import json
from pathlib import Path

import pytest

from protocol.codec import JSON, MSGPACK
from protocol.contract import Codec
from protocol.errors import FATAL, ErrorKind, RemoteProtocolError
from protocol.framing import HEADER
from protocol.messages import MESSAGES, MOST_NOTE, OPTIONAL, from_wire, to_wire
from protocol.session import Refused, Role, Session, Stage

VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"
GOOD = sorted(path.stem for path in VECTORS.glob("*.json") if path.stem != "bad")
BAD = json.loads((VECTORS / "bad.json").read_text("utf-8"))
CODECS: dict[str, Codec] = {"msgpack": MSGPACK, "json": JSON}


def vector(name: str) -> dict:
    return json.loads((VECTORS / f"{name}.json").read_text("utf-8"))


@pytest.mark.parametrize("name", GOOD)
def test_a_message_is_written_and_read_as_published(name, is_rewriting):
    published = vector(name)
    framed, line = MSGPACK.encode(published["value"]), JSON.encode(published["value"])
    if is_rewriting:
        published |= {"msgpack": framed.hex(), "json": line.decode()}
        (VECTORS / f"{name}.json").write_text(json.dumps(published, indent=2, ensure_ascii=False) + "\n", "utf-8")
    assert framed.hex() == published["msgpack"]
    assert line.decode() == published["json"]
    assert MSGPACK.decode(framed[HEADER:]) == JSON.decode(line) == published["value"]
    assert to_wire(from_wire(published["value"])) == published["value"]


def test_every_message_is_published():
    assert {vector(name)["value"]["type"] for name in GOOD} == set(MESSAGES)


def test_every_optional_field_is_published():
    values = [vector(name)["value"] for name in GOOD]
    assert {(value["type"], field) for value in values for field in value} >= OPTIONAL


def conversation(codec: str, names: list[str]) -> tuple[Session, Session]:
    """The bot's and the arena's session after these messages."""
    bot, arena = Session(Role.BOT, CODECS[codec]), Session(Role.ARENA)
    talk(bot, arena, names)
    return bot, arena


def talk(bot: Session, arena: Session, names: list[str]) -> None:
    for name in names:
        message = from_wire(vector(name)["value"])
        speaker, listener = (bot, arena) if vector(name)["from"] == "bot" else (arena, bot)
        assert list(listener.receive(speaker.send(message))) == [message]


@pytest.mark.parametrize("bad", [bad for bad in BAD if bad["ends"]], ids=lambda bad: bad["name"])
def test_what_ends_the_conversation_does_so_as_published(bad):
    _, arena = conversation(bad["codec"], bad["after"])
    with pytest.raises(RemoteProtocolError) as broken:
        list(arena.receive(bytes.fromhex(bad["bytes"])))
    assert broken.value.kind == bad["kind"]
    assert bad["says"] in str(broken.value)
    assert "\n" not in str(broken.value)
    with pytest.raises(RemoteProtocolError) as again:
        list(arena.receive(CODECS[bad["codec"]].encode(vector("move")["value"])))
    assert again.value is broken.value


HOW_TO_GO_ON = {
    Stage.WELCOME: ["welcome", "start", "ready", "end", "bye"],
    Stage.LOBBY: ["start", "ready", "end", "bye"],
    Stage.PREPARING: ["ready", "decide", "move", "end", "bye"],
    Stage.UNREADY: ["ready", "start", "ready", "end", "bye"],
    Stage.PLAYING: ["decide", "move", "end", "bye"],
    Stage.THINKING: ["move", "end", "bye"],
}


@pytest.mark.parametrize("bad", [bad for bad in BAD if not bad["ends"]], ids=lambda bad: bad["name"])
def test_what_is_refused_is_so_as_published_and_the_conversation_goes_on(bad):
    bot, arena = conversation(bad["codec"], bad["after"])
    stage, question = arena.stage, arena.question
    (refused,) = arena.receive(bytes.fromhex(bad["bytes"]))
    assert isinstance(refused, Refused)
    assert refused.kind == bad["kind"]
    assert bad["says"] in refused.text
    assert "\n" not in refused.text
    assert (arena.stage, arena.question) == (stage, question)
    talk(bot, arena, HOW_TO_GO_ON[stage])
    assert arena.stage is Stage.CLOSED


def test_every_kind_of_error_is_published():
    assert {bad["kind"] for bad in BAD} == set(ErrorKind) - {ErrorKind.TRUNCATED}
    assert {bad["kind"] for bad in BAD if not bad["ends"]} == set(ErrorKind) - FATAL


def test_every_stage_that_can_refuse_is_published():
    stages = {conversation(bad["codec"], bad["after"])[1].stage for bad in BAD if not bad["ends"]}
    assert stages == set(HOW_TO_GO_ON)


def test_the_published_long_note_is_longer_than_what_is_kept():
    assert (
        len(vector("move-long-note")["value"]["note"]) > MOST_NOTE == vector("welcome")["value"]["limits"]["note_chars"]
    )
