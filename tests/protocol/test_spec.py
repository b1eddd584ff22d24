"""SPEC.md says what the code does."""

import json
import re
from pathlib import Path

import pytest

from protocol.codec import JSON, MSGPACK
from protocol.errors import Kind
from protocol.messages import FIELDS, OPTIONAL, from_wire
from protocol.session import TRANSITIONS, Role, Session, Stage

SPEC = (Path(__file__).parents[2] / "protocol" / "SPEC.md").read_text("utf-8")


def section(title: str) -> str:
    """The text from a heading to the next one of its kind."""
    level, rest = SPEC.split(f" {title}\n", 1)
    marks = level[level.rindex("\n") + 1 :]
    return re.split(rf"^{marks} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def rows(text: str) -> list[list[str]]:
    """The cells of all tables in a text, without code marks; heads and rules left out."""
    lines = [line for line in text.splitlines() if line.startswith("|") and not set(line) <= set("| -")]
    return [[cell.strip().strip("`") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_the_stage_table_is_the_transition_table():
    listed = {(stage, who, message, then) for stage, who, message, then in rows(section("2.4 Order and time"))[1:]}
    table = {
        (stage.value, role.value, message, then.value)
        for stage, moves in TRANSITIONS.items()
        for (role, message), then in moves.items()
    }
    assert listed == table | {(Stage.CLOSED.value, "nobody", "", "")}


def test_every_kind_of_error_is_explained():
    assert [row[0] for row in rows(section("6. Errors"))[1:]] == [kind.value for kind in Kind]


@pytest.mark.parametrize(("number", "name"), list(enumerate(FIELDS, start=1)))
def test_every_field_of_every_message_is_explained(number, name):
    fields = [row for row in rows(section(f"4.{number} {name}")) if len(row) == 4 and row[2] in ("yes", "no")]
    assert [row[0] for row in fields if row[0] in FIELDS[name]] == list(FIELDS[name])
    for field, _, required, _ in fields:
        if field in FIELDS[name]:
            assert (required == "no") == ((name, field) in OPTIONAL), field


@pytest.mark.parametrize("codec", [MSGPACK, JSON], ids=lambda codec: codec.name)
def test_the_worked_dialogue_is_a_conversation(codec):
    shown = re.findall(
        r"\*\*\d+\. `(\w+)`, (\w+) to \w+\*\*.*?```json\n(.*?)\n```\n\n```\n(.*?)\n```",
        section("5. A worked dialogue"),
        re.DOTALL,
    )
    assert [name for name, *_ in shown] == list(FIELDS)
    bot, arena = Session(Role.BOT, codec), Session(Role.ARENA)
    for _, sender, line, dump in shown:
        message = from_wire(json.loads(line))
        speaker, listener = (bot, arena) if sender == "bot" else (arena, bot)
        frame = speaker.send(message)
        assert frame == (bytes.fromhex(dump) if codec is MSGPACK else line.encode() + b"\n")
        assert list(listener.receive(frame)) == [message]
    assert arena.stage is bot.stage is Stage.CLOSED
