"""SPEC.md says what the code does."""

import ast
import json
import re
from pathlib import Path

import pytest

from arena.match.faults import POLICY, Blame
from protocol.codec import JSON, MOST_DEEP, MSGPACK
from protocol.errors import FATAL, ErrorKind, RemoteProtocolError
from protocol.framing import HEADER, MOST_BYTES
from protocol.messages import FIELDS, MOST_NOTE, OPTIONAL, Hello, Move, Ready, Wrong, from_wire, to_wire
from protocol.session import TRANSITIONS, Role, Session, Stage

SPEC = (Path(__file__).parents[2] / "protocol" / "SPEC.md").read_text("utf-8")


def section(title: str) -> str:
    """The text from a heading to the next one of its level or above."""
    level, rest = SPEC.split(f" {title}\n", 1)
    marks = level[level.rindex("\n") + 1 :]
    return re.split(rf"^#{{1,{len(marks)}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


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


ERRORS = rows(section("6. Errors"))[1:]


def test_every_kind_of_error_is_explained():
    assert [row[0] for row in ERRORS] == [kind.value for kind in ErrorKind]


def test_the_error_table_tells_which_kinds_end_the_conversation():
    assert {row[1] for row in ERRORS} == {"yes", "no"}
    assert {row[0] for row in ERRORS if row[1] == "yes"} == FATAL


SHOWN_WHOLE = [row for row in ERRORS if not row[3].endswith("...")]


@pytest.mark.parametrize(("kind", "ends", "words"), [(row[0], row[1], row[3]) for row in SHOWN_WHOLE])
def test_the_words_of_an_error_are_those_that_are_shown(kind, ends, words):
    offset = int(re.match(r"byte (\d+): ", words)[1])
    found = ast.literal_eval(words[words.rindex(": b'") + 2 :])
    is_payload = offset > 0 and kind != ErrorKind.TRUNCATED
    stream = len(found).to_bytes(HEADER) + found if is_payload else found
    arena = arena_at(offset - HEADER if is_payload else offset)
    told, broke = errors(arena, stream + (b"\n" if found == b"{" else b""))
    assert (told, broke) == (words, ends == "yes")


def arena_at(offset: int) -> Session:
    """The arena's session in the worked dialogue, when it has heard so many bytes and may hear more."""
    bot, arena, heard = Session(Role.BOT, MSGPACK), Session(Role.ARENA), 0
    for message in (from_wire(json.loads(line)) for _, _, line, _ in DIALOGUE):
        if isinstance(message, Hello | Ready | Move):
            if heard == offset:
                return arena
            heard += len(frame := bot.send(message))
            assert list(arena.receive(frame)) == [message]
        else:
            list(bot.receive(arena.send(message)))
    raise AssertionError(f"no message of the bot begins at byte {offset}")


def errors(arena: Session, stream: bytes) -> tuple[str, bool]:
    """What is said of these bytes and the end of the stream behind them, and whether that ended the conversation."""
    try:
        heard = list(arena.receive(stream))
        arena.receive_end()
    except RemoteProtocolError as error:
        return str(error), True
    (refused,) = heard
    return refused.text, False


@pytest.mark.parametrize(("number", "name"), list(enumerate(FIELDS, start=1)))
def test_every_field_of_every_message_is_explained(number, name):
    fields = [row for row in rows(section(f"4.{number} {name}")) if len(row) == 4 and row[2] in ("yes", "no")]
    assert [row[0] for row in fields if row[0] in FIELDS[name]] == list(FIELDS[name])
    for field, _, required, _ in fields:
        if field in FIELDS[name]:
            assert (required == "no") == ((name, field) in OPTIONAL), field


def fields() -> list[tuple[str, str, str]]:
    """Each field of each message with the type that is given for it."""
    tables = [(name, rows(section(f"4.{number} {name}"))) for number, name in enumerate(FIELDS, start=1)]
    return [
        (name, row[0], row[1]) for name, table in tables for row in table if row[0] in FIELDS[name] and len(row) == 4
    ]


LEAST, MOST = -(2**63) + 1, 2**63 - 1
NO_STRINGS, NO_INTEGERS = [7, b"x", [], {}, True], [1.0, True, "1", [], {}, MOST + 1]
GOOD_AND_BAD: dict[str, tuple[list, list]] = {
    "string": (["", "x" * 100_000], NO_STRINGS),
    "whole": ([0, MOST], [*NO_INTEGERS, -1]),
    "integer": ([LEAST, 0, MOST], [*NO_INTEGERS, LEAST - 1]),
    "map": ([{}, {"x": None}], [[], "x", 7, {1: 2}]),
}


def good_and_bad(kind: str) -> tuple[list, list]:
    """Values that a type of section 4 has, and such that it does not have."""
    if inner := kind.removeprefix("array of ") if kind.startswith("array of ") else "":
        good, bad = good_and_bad(inner)
        return [[], good], ["x", 7, {}, *([*good, value] for value in bad)]
    if most := re.fullmatch(r"string \((\d+)\)", kind):
        return ["", "\U0001f995" * int(most[1])], [*NO_STRINGS, "x" * (int(most[1]) + 1)]
    return GOOD_AND_BAD[kind]


@pytest.mark.parametrize(("name", "field", "kind"), fields())
def test_every_field_takes_the_type_that_is_given_for_it_and_no_other(name, field, kind):
    good, bad = good_and_bad(kind)
    for value in good:
        FIELDS[name][field]("$", value)
    for value in bad:
        with pytest.raises(Wrong, match=r"^\$(\[\d\])?: expected an? "):
            FIELDS[name][field]("$", value)


@pytest.mark.parametrize(("number", "name"), list(enumerate(FIELDS, start=1)))
def test_every_example_is_the_message(number, name):
    shown = re.findall(r"^{.*}$", section(f"4.{number} {name}"), re.MULTILINE)
    assert shown
    for line in shown:
        message = from_wire(json.loads(line))
        assert message.type == name
        assert JSON.encode(to_wire(message)) == line.encode() + b"\n"


def test_the_limits_are_those_of_the_code():
    limits = {row[0]: int(row[1]) for row in rows(section("4.2 welcome")) if row[1].isdigit()}
    assert limits == {"max_frame_bytes": MOST_BYTES, "max_depth": MOST_DEEP, "note_chars": MOST_NOTE}


def test_every_fault_of_a_seat_is_listed():
    listed = re.search(r"The present\sones are (.*?)\.", section("4.7 end"), re.DOTALL)[1]
    assert re.findall(r"`(.*?)`", listed) == [kind for kind, row in POLICY.items() if row.blame is Blame.BOT]


DIALOGUE = re.findall(
    r"\*\*\d+\. `(\w+)`, (\w+) to \w+\*\*.*?```json\n(.*?)\n```\n\n```\n(.*?)\n```",
    section("5. A worked dialogue"),
    re.DOTALL,
)


@pytest.mark.parametrize("codec", [MSGPACK, JSON], ids=lambda codec: codec.name)
def test_the_worked_dialogue_is_a_conversation(codec):
    assert [name for name, *_ in DIALOGUE] == list(FIELDS)
    bot, arena = Session(Role.BOT, codec), Session(Role.ARENA)
    for _, sender, line, dump in DIALOGUE:
        message = from_wire(json.loads(line))
        speaker, listener = (bot, arena) if sender == "bot" else (arena, bot)
        frame = speaker.send(message)
        assert frame == (bytes.fromhex(dump) if codec is MSGPACK else line.encode() + b"\n")
        assert list(listener.receive(frame)) == [message]
    assert arena.stage is bot.stage is Stage.CLOSED
