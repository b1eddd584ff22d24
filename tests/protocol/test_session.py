"""Conversations: both ends coupled, any split of the bytes, things that cross on the wire, and nonsense."""

import tracemalloc
from typing import Any

import msgpack
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from protocol.codec import JSON, MOST_DEEP, MSGPACK
from protocol.errors import FATAL, ErrorKind, LocalProtocolError, RemoteProtocolError
from protocol.framing import HEADER, MOST_BYTES, LengthReader, LineReader
from protocol.messages import (
    FIELDS,
    MESSAGES,
    MOST_NOTE,
    Bye,
    Decide,
    End,
    Hello,
    Message,
    Move,
    Ready,
    Start,
    Welcome,
    to_wire,
)
from protocol.session import TRANSITIONS, Refused, Role, Session, Stage, Stale
from tests.sizes import sweep

HELLO = Hello(1, "greedy", "1.0", ["draftosaurus"])
WELCOME = Welcome(1, "0.1.0", {})
START = Start("m1", "draftosaurus", 1, {}, 0, 2, ["greedy", "random"], {"bank_ms": 1000}, 42)
END = End([3, 5], [2, 1], {}, [])


def decide(number: int) -> Decide:
    return Decide(number, "pick", {"phase": "pick"}, ["D", "T"], [], {"bank_ms": 1000})


DIALOGUE: list[Message] = [
    HELLO, WELCOME, START, Ready(), decide(1), Move(1, "D"), decide(2), Move(2, "T", "hm"), END,
    START, Ready(), decide(3), Move(3, "D"), END, Bye(),
]  # fmt: skip
BY_BOT = (Hello, Ready, Move)
BOTH = pytest.mark.parametrize("codec", [MSGPACK, JSON], ids=lambda codec: codec.name)


def both(codec) -> tuple[Session, Session]:
    return Session(Role.BOT, codec), Session(Role.ARENA)


def talk(bot: Session, arena: Session, *messages) -> None:
    """Each message from the side that may send it, heard by the other."""
    for message in messages:
        speaker, listener = (bot, arena) if isinstance(message, BY_BOT) else (arena, bot)
        assert list(listener.receive(speaker.send(message))) == [message]


@BOTH
def test_two_matches_in_one_process(codec):
    bot, arena = both(codec)
    talk(bot, arena, *DIALOGUE)
    assert bot.stage is arena.stage is Stage.CLOSED
    assert arena.codec is codec
    arena.receive_end()


def thinking(codec) -> tuple[Session, int]:
    """An arena's session that awaits the answer to decide 1, and how many bytes it has heard."""
    bot, arena = both(codec)
    talk(bot, arena, HELLO, WELCOME, START, Ready(), decide(1))
    return arena, sum(len(codec.encode(to_wire(message))) for message in (HELLO, Ready()))


def hear(pieces: list[bytes], arena: Session | None = None) -> tuple[list, tuple | None]:
    """What an arena hears: the items, and the kind and place of the error that ends them."""
    arena, heard = arena or Session(Role.ARENA), []
    try:
        for piece in pieces:
            for message in arena.receive(piece):
                heard.append(message)  # noqa: PERF402  # keep what comes before an error
        arena.receive_end()
    except RemoteProtocolError as error:
        return heard, (error.kind, error.offset)
    return heard, None


def cuts(stream: bytes) -> list[list[bytes]]:
    """The stream in two pieces, in every way, and in single bytes."""
    halves = [[stream[:cut], stream[cut:]] for cut in range(len(stream) + 1)]
    return [*halves, [stream[i : i + 1] for i in range(len(stream))]]


@BOTH
def test_the_bytes_of_a_message_that_was_sent_can_be_read_back(codec):
    bot, arena = both(codec)
    talk(bot, arena, HELLO, WELCOME, START, Ready())
    question = decide(1)
    assert arena.plain(arena.send(question)) == to_wire(question)


PAYLOAD = {MSGPACK: HEADER, JSON: 0}
"""Where in a frame the payload begins."""


@BOTH
def test_every_split_of_the_bytes_gives_the_same_messages_and_error(codec):
    once = codec.encode(to_wire(HELLO))
    for pieces in cuts(once + once + b"hello\n"):
        heard, error = hear(pieces)
        assert [type(item) for item in heard] == [Hello, Refused]
        assert heard[1].offset == len(once) + PAYLOAD[codec]
        assert error == (ErrorKind.TEXT, 2 * len(once))


def nested(depth: int) -> list:
    return [nested(depth - 1)] if depth > 1 else []


MISTAKES: dict[ErrorKind, Any] = {
    ErrorKind.TOO_DEEP: {"type": nested(32)},
    ErrorKind.NOT_A_MAP: [1, 2],
    ErrorKind.UNKNOWN_MESSAGE: {"type": "log", "text": "hm"},
    ErrorKind.MISSING_FIELD: {"type": "move", "id": 1},
    ErrorKind.WRONG_TYPE: {"type": "move", "id": 1.0, "action": "D"},
    ErrorKind.WRONG_TIME: to_wire(Ready()),
    ErrorKind.WRONG_ID: to_wire(Move(2, "D")),
}
"""What is wrong with each while decide 1 is open, and nothing else is."""
ARRAY = {MSGPACK: b"\x00\x00\x00\x03\x92\x01\x02", JSON: b"[1,2]\n"}
"""The frames of the one that is not a map, which no codec encodes."""
LOST = {
    MSGPACK: {
        ErrorKind.TEXT: b"hm, hm\n",
        ErrorKind.TOO_LONG: b"\x00\x10\x00\x01",
        ErrorKind.UNDECODABLE: b"\x00\x00\x00\x01\xc1",
    },
    JSON: {ErrorKind.TEXT: b"hm, hm\n", ErrorKind.TOO_LONG: b"{" * (MOST_BYTES + 1), ErrorKind.UNDECODABLE: b"{\n"},
}
"""Bytes in mid-stream after which nothing more is heard."""


def mistake(codec, kind) -> bytes:
    return ARRAY[codec] if kind is ErrorKind.NOT_A_MAP else codec.encode(MISTAKES[kind])


def test_a_kind_of_error_is_either_fatal_or_refused():
    assert set(MISTAKES) == set(ErrorKind) - FATAL
    assert set(LOST[JSON]) == set(LOST[MSGPACK]) < FATAL


@BOTH
@pytest.mark.parametrize("kind", MISTAKES)
def test_a_refused_message_changes_nothing(codec, kind):
    arena, begins = thinking(codec)
    (refused,) = arena.receive(mistake(codec, kind))
    assert (refused.kind, refused.offset) == (kind, begins + PAYLOAD[codec])
    assert refused.text.startswith(f"byte {refused.offset}: ")
    assert (arena.stage, arena.question) == (Stage.THINKING, 1)
    assert list(arena.receive(codec.encode(to_wire(Move(1, "D"))))) == [Move(1, "D")]
    assert arena.stage is Stage.PLAYING
    arena.receive_end()


@BOTH
@pytest.mark.parametrize("kind", MISTAKES)
def test_a_good_move_is_heard_behind_a_refused_one_in_any_split(codec, kind):
    wrong, good = mistake(codec, kind), codec.encode(to_wire(Move(1, "D")))
    for pieces in cuts(wrong + wrong + good):
        arena, begins = thinking(codec)
        (first, second, move), error = hear(pieces, arena)
        assert (first.kind, second.kind) == (kind, kind)
        assert (first.offset, second.offset - first.offset) == (begins + PAYLOAD[codec], len(wrong))
        assert (move, error) == (Move(1, "D"), None)


@BOTH
@pytest.mark.parametrize("kind", LOST[JSON])
def test_nothing_is_heard_behind_a_fatal_error(codec, kind):
    arena, begins = thinking(codec)
    good = codec.encode(to_wire(Move(1, "D")))
    assert hear([LOST[codec][kind] + good], arena) == (
        [],
        (kind, begins + PAYLOAD[codec] * (kind is ErrorKind.UNDECODABLE)),
    )
    with pytest.raises(RemoteProtocolError):
        list(arena.receive(good))
    with pytest.raises(RemoteProtocolError):
        arena.receive_end()
    assert (arena.stage, arena.question) == (Stage.THINKING, 1)


@BOTH
def test_a_stream_can_end_within_a_message_behind_a_refused_one(codec):
    arena, begins = thinking(codec)
    wrong, good = mistake(codec, ErrorKind.WRONG_ID), codec.encode(to_wire(Move(1, "D")))
    (refused,), error = hear([wrong + good[:-1]], arena)
    assert (refused.kind, error) == (ErrorKind.WRONG_ID, (ErrorKind.TRUNCATED, begins + len(wrong)))


@BOTH
@pytest.mark.parametrize(
    "kind",
    [
        ErrorKind.TOO_DEEP,
        ErrorKind.UNKNOWN_MESSAGE,
        ErrorKind.MISSING_FIELD,
        ErrorKind.WRONG_TYPE,
        ErrorKind.WRONG_TIME,
    ],
)
def test_before_hello_every_error_is_fatal(codec, kind):
    for pieces in cuts(mistake(codec, kind) + codec.encode(to_wire(HELLO))):
        assert hear(pieces) == ([], (kind, PAYLOAD[codec]))


def test_an_array_before_hello_is_fatal():
    for pieces in cuts(ARRAY[MSGPACK] + MSGPACK.encode(to_wire(HELLO))):
        assert hear(pieces) == ([], (ErrorKind.NOT_A_MAP, HEADER))
    for pieces in cuts(b"[1,2]\n"):  # no codec begins with a bracket
        assert hear(pieces) == ([], (ErrorKind.TEXT, 0))


@BOTH
@pytest.mark.parametrize("kind", [kind for kind in MISTAKES if kind is not ErrorKind.WRONG_ID])
def test_a_hello_that_was_heard_makes_the_next_error_a_refusal(codec, kind):
    for pieces in cuts(codec.encode(to_wire(HELLO)) + mistake(codec, kind)):
        (hello, refused), error = hear(pieces)
        assert (hello, refused.kind, error) == (HELLO, kind, None)


@BOTH
def test_a_hello_of_another_revision_is_fatal(codec):
    hello = codec.encode({**to_wire(HELLO), "protocol": 2})
    assert hear([hello + codec.encode(to_wire(HELLO))]) == ([], (ErrorKind.WRONG_REVISION, PAYLOAD[codec]))


@BOTH
def test_an_arena_may_go_on_between_a_refused_message_and_what_is_behind_it(codec):
    """As the referee does: the refused message spends the answer, and the game goes on."""
    arena, _ = thinking(codec)
    wrong = mistake(codec, ErrorKind.WRONG_TYPE)
    late, good = (codec.encode(to_wire(move)) for move in (Move(1, "D"), Move(2, "T")))
    items = arena.receive(wrong + late + good)
    assert next(items).kind is ErrorKind.WRONG_TYPE
    arena.send(decide(2))
    assert list(items) == [Stale(Move(1, "D")), Move(2, "T")]


@BOTH
def test_an_owed_ready_is_still_owed_after_a_refused_message(codec):
    bot, arena = both(codec)
    talk(bot, arena, HELLO, WELCOME, START, END)
    (refused,) = arena.receive(codec.encode(to_wire(HELLO)))
    assert refused.kind is ErrorKind.WRONG_TIME
    assert arena.stage is Stage.UNREADY
    talk(bot, arena, Ready(), START)


@pytest.mark.parametrize("stage", Stage)
@pytest.mark.parametrize("role", Role)
def test_only_what_the_table_lists_is_heard(stage, role):
    samples = {message.type: message for message in DIALOGUE}
    for name in MESSAGES:
        session = Session(role, MSGPACK if role is Role.BOT else None)
        session.stage, question = stage, 3 if name == "move" and stage is Stage.THINKING else 0
        session.question = question
        frame = MSGPACK.encode(to_wire(samples[name]))
        if (session.peer, name) in TRANSITIONS[stage]:
            assert list(session.receive(frame)) == [samples[name]]
            assert session.stage is TRANSITIONS[stage][session.peer, name]
        elif stage is Stage.HELLO:
            with pytest.raises(RemoteProtocolError, match=f"a {name} before hello"):
                list(session.receive(frame))
        elif stage is Stage.CLOSED and role is Role.ARENA:
            assert list(session.receive(frame)) == []
        else:
            (refused,) = session.receive(frame)
            assert refused.kind is ErrorKind.WRONG_TIME
            assert f"a {name} {stage}, where the {session.peer} may send" in refused.text
            assert (session.stage, session.question) == (stage, question)


def fragments(codec) -> list[bytes]:
    sent: list[Message] = [HELLO, Ready(), Move(0, "D"), Move(1, "D")]
    return [*(codec.encode(to_wire(message)) for message in sent), *(mistake(codec, kind) for kind in MISTAKES)]


FRAGMENTS = fragments(MSGPACK) + fragments(JSON)
STREAMS = st.binary(max_size=60) | st.lists(st.sampled_from(FRAGMENTS) | st.binary(max_size=9)).map(b"".join)
LINES = st.lists(st.sampled_from(FRAGMENTS[len(FRAGMENTS) // 2 :]) | st.sampled_from([b"\n", b" {}\r\n", b"7\n", b"x"]))
FRAMES = st.lists(
    st.sampled_from(FRAGMENTS[: len(FRAGMENTS) // 2]) | st.sampled_from([b"\0\0\0\1\x80", b"\0\0\0\1\7", b"\0"])
)


def in_pieces(data, stream: bytes) -> list[bytes]:
    places = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    return [stream[a:b] for a, b in zip([0, *places], [*places, len(stream)])]


@pytest.mark.thorough
@settings(max_examples=sweep(150, 2000))
@given(STREAMS, st.data())
def test_any_bytes_in_any_pieces_are_messages_or_one_error(stream, data):
    whole = hear([stream])
    assert hear(in_pieces(data, stream)) == whole
    assert hear([stream[i : i + 1] for i in range(len(stream))]) == whole


@pytest.mark.thorough
@BOTH
@settings(max_examples=sweep(80, 1000))
@given(frames=FRAMES.map(b"".join), lines=LINES.map(b"".join), anything=STREAMS, data=st.data())
def test_any_bytes_in_mid_conversation_are_items_or_one_error(codec, frames, lines, anything, data):
    stream = (frames if codec is MSGPACK else lines) + anything
    whole = hear([stream], thinking(codec)[0])
    assert hear(in_pieces(data, stream), thinking(codec)[0]) == whole
    assert hear([stream[i : i + 1] for i in range(len(stream))], thinking(codec)[0]) == whole
    heard, error = whole
    assert not {item.kind for item in heard if isinstance(item, Refused)} & FATAL
    assert error is None or error[0] in FATAL


@BOTH
@given(kinds=st.lists(st.sampled_from([*MISTAKES, None])), data=st.data())
def test_mistakes_and_answers_in_any_order_are_each_heard_for_what_they_are(codec, kinds, data):
    """None is a good answer: the first one counts, and those behind it are stale."""
    good = codec.encode(to_wire(Move(1, "D")))
    stream = b"".join(good if kind is None else mistake(codec, kind) for kind in kinds)
    arena, _ = thinking(codec)
    heard, error = hear(in_pieces(data, stream), arena)
    assert error is None
    answered = kinds.index(None) if None in kinds else len(kinds)
    for i, (item, kind) in enumerate(zip(heard, kinds, strict=True)):
        if kind is None:
            assert item == (Move(1, "D") if i == answered else Stale(Move(1, "D")))
        elif kind is ErrorKind.WRONG_ID and i > answered:  # no question is open any more
            assert item.kind is ErrorKind.WRONG_TIME
        else:
            assert item.kind is kind


@BOTH
def test_a_note_of_any_length_is_heard_whole(codec):
    for length in (MOST_NOTE, MOST_NOTE + 1, MOST_BYTES - 1000):
        arena, _ = thinking(codec)
        move = Move(1, "D", "x" * length)
        assert list(arena.receive(codec.encode(to_wire(move)))) == [move]


@BOTH
def test_a_match_that_does_not_count_says_why(codec):
    bot, arena = both(codec)
    void = End([0, 0], [1, 1], {}, [], "the arena failed")
    talk(bot, arena, HELLO, WELCOME, START, Ready(), void)
    assert "void" not in to_wire(END)
    (refused,) = bot.receive(codec.encode({**to_wire(void), "void": "x" * 4097}))
    assert "$.void: expected a string of at most 4096 characters" in refused.text


def test_a_late_move_is_stale_and_changes_nothing():
    bot, arena = both(MSGPACK)
    talk(bot, arena, HELLO, WELCOME, START, Ready(), decide(1))
    late = bot.send(Move(1, "D"))
    arena.send(decide(2))
    assert list(arena.receive(late)) == [Stale(Move(1, "D"))]
    assert arena.stage is Stage.THINKING


def test_a_second_answer_is_stale():
    bot, arena = both(JSON)
    talk(bot, arena, HELLO, WELCOME, START, Ready(), decide(1), Move(1, "D"))
    assert list(arena.receive(JSON.encode(to_wire(Move(1, "T"))))) == [Stale(Move(1, "T"))]
    arena.send(END)
    assert list(arena.receive(JSON.encode(to_wire(Move(1, "T"))))) == [Stale(Move(1, "T"))]


def test_a_match_that_ends_before_ready_still_owes_it():
    bot, arena = both(MSGPACK)
    talk(bot, arena, HELLO, WELCOME, START)
    ready = bot.send(Ready())
    arena.send(END)
    with pytest.raises(
        LocalProtocolError, match="the arena may not send start before the ready of a match that has ended"
    ):
        arena.send(START)
    assert list(arena.receive(ready)) == [Ready()]
    assert arena.stage is Stage.LOBBY


@pytest.mark.parametrize("stage", Stage)
@pytest.mark.parametrize("role", Role)
def test_only_what_the_table_lists_may_be_sent(stage, role):
    samples = {message.type: message for message in DIALOGUE}
    for name in MESSAGES:
        session = Session(role, MSGPACK if role is Role.BOT else None)
        session.stage, session.codec, session.question = stage, MSGPACK, 3 if name == "move" else 0
        if (role, name) in TRANSITIONS[stage]:
            assert session.send(samples[name])
            assert session.stage is TRANSITIONS[stage][role, name]
        else:
            with pytest.raises(LocalProtocolError, match=f"the {role} may not send {name} {stage}"):
                session.send(samples[name])


def test_ids_of_questions_rise():
    bot, arena = both(MSGPACK)
    talk(bot, arena, HELLO, WELCOME, START, Ready(), decide(5))
    with pytest.raises(LocalProtocolError, match="decide 5 does not follow decide 5"):
        arena.send(decide(5))
    with pytest.raises(LocalProtocolError, match="move 4 does not answer decide 5"):
        bot.send(Move(4, "D"))


def test_the_bot_chooses_the_codec():
    with pytest.raises(LocalProtocolError, match="the bot chooses the codec"):
        Session(Role.BOT)
    with pytest.raises(LocalProtocolError, match="the bot chooses the codec"):
        Session(Role.ARENA, JSON)


def test_a_stream_that_ends_within_a_message_says_how_far_it_came():
    arena = Session(Role.ARENA)
    assert list(arena.receive(MSGPACK.encode(to_wire(HELLO))[:-3])) == []
    for _ in range(2):
        with pytest.raises(RemoteProtocolError, match=r"byte 0: the stream ended \d+ bytes into a message") as error:
            arena.receive_end()
    assert error.value.kind is ErrorKind.TRUNCATED


def test_unknown_fields_are_ignored_and_null_is_absent():
    arena = Session(Role.ARENA)
    wire = {**to_wire(HELLO), "colour": {"deep": [1, 2]}, "note": None}
    assert list(arena.receive(MSGPACK.encode(wire))) == [HELLO]


def test_a_promise_of_four_gigabytes_costs_nothing():
    tracemalloc.start()
    for header in (b"\xff\xff\xff\xff", b"\x00\x10\x00\x01"):
        with pytest.raises(RemoteProtocolError):
            list(LengthReader().feed(header + b"x" * 100))
    assert tracemalloc.get_traced_memory()[1] < 100_000
    tracemalloc.stop()


def test_a_line_that_never_ends_is_cut_off():
    reader = LineReader()
    for _ in range(10):
        assert list(reader.feed(b"{" * 100_000)) == []
    with pytest.raises(RemoteProtocolError, match="byte 0: a line of more than 1048576 bytes"):
        list(reader.feed(b"{" * 100_000))


def test_a_line_may_be_as_long_as_a_frame_and_no_longer():
    fits = b'"' + b"x" * (MOST_BYTES - 2) + b'"'
    assert list(LineReader().feed(fits + b"\n\n\r\n")) == [(0, fits)]
    empty = LineReader()
    assert (list(empty.feed(b"\n")), empty.pending) == ([], b"")
    with pytest.raises(RemoteProtocolError):
        list(LineReader().feed(b"x" + fits + b"\n"))


def test_a_bottomless_value_is_refused():
    for nested in (b"\x00\x0f\xff\xff" + b"\x91" * 0xFFFFF, b'{"type":' + b"[" * 900_000 + b"\n"):
        arena = Session(Role.ARENA)
        with pytest.raises(RemoteProtocolError) as error:
            list(arena.receive(nested))
        assert error.value.kind is ErrorKind.UNDECODABLE


def test_nothing_is_heard_in_no_bytes():
    assert list(Session(Role.ARENA).receive(b"")) == []


def test_an_arena_of_another_revision_is_fatal():
    bot, arena = both(MSGPACK)
    talk(bot, arena, HELLO)
    with pytest.raises(RemoteProtocolError, match="this bot speaks revision 1, the arena 7") as error:
        list(bot.receive(MSGPACK.encode(to_wire(Welcome(7, "9.9", {})))))
    assert error.value.kind is ErrorKind.WRONG_REVISION


def test_an_arena_that_speaks_before_hello_is_fatal():
    bot = Session(Role.BOT, MSGPACK)
    with pytest.raises(RemoteProtocolError, match="a welcome before hello, where the arena may send nothing") as error:
        list(bot.receive(MSGPACK.encode(to_wire(WELCOME))))
    assert error.value.kind is ErrorKind.WRONG_TIME


@BOTH
@pytest.mark.parametrize(
    ("wire", "kind", "says"),
    [
        (to_wire(decide(3)), ErrorKind.WRONG_ID, "$.id: expected more than 3, the id of the latest decide, got 3"),
        (to_wire(decide(2)), ErrorKind.WRONG_ID, "$.id: expected more than 3, the id of the latest decide, got 2"),
        ({**to_wire(decide(4)), "clock": []}, ErrorKind.WRONG_TYPE, "$.clock: expected a map with string keys, got an array []"),
        ({**to_wire(END), "scores": [1, 0.5]}, ErrorKind.WRONG_TYPE, "$.scores[1]: expected an integer of 64 bits, got a float"),
        ({**to_wire(END), "ranks": None}, ErrorKind.MISSING_FIELD, "$.ranks: "),
        (to_wire(START), ErrorKind.WRONG_TIME, "a start between decisions, where the arena may send decide or end or bye"),
        (to_wire(Move(3, "D")), ErrorKind.WRONG_TIME, "a move between decisions, where the arena may send decide or end or bye"),
        ({"type": "pause"}, ErrorKind.UNKNOWN_MESSAGE, "$.type: expected one of hello, "),
    ],
)  # fmt: skip
def test_the_bots_session_refuses_an_arenas_mistake_and_goes_on(codec, wire, kind, says):
    """Among them a move: only a bot's own can be stale."""
    bot, arena = both(codec)
    talk(bot, arena, HELLO, WELCOME, START, Ready(), decide(3), Move(3, "D"))
    (refused,) = bot.receive(codec.encode(wire))
    assert refused.kind is kind
    assert says in refused.text
    assert (bot.stage, bot.question) == (Stage.PLAYING, 3)
    talk(bot, arena, decide(4), Move(4, "T"), END, Bye())


@pytest.mark.parametrize(
    ("limits", "complaint"),
    [
        ({"x": float("nan")}, "this welcome cannot be written as json"),
        ({"x": object()}, "this welcome cannot be written as json"),
        ({"x": "\ud800"}, "this welcome cannot be written as json"),
        ({"x": "x" * MOST_BYTES}, "this welcome takes 10486.. bytes, the limit is 1048576"),
    ],
)
def test_what_cannot_be_said_is_our_own_fault(limits, complaint):
    bot, arena = both(JSON)
    talk(bot, arena, HELLO)
    with pytest.raises(LocalProtocolError, match=complaint):
        arena.send(Welcome(1, "0.1.0", limits))


def test_what_crosses_with_bye_is_lost():
    bot, arena = both(MSGPACK)
    talk(bot, arena, HELLO, WELCOME, START)
    ready = bot.send(Ready())
    arena.send(Bye())
    assert list(arena.receive(ready)) == []
    arena.receive_end()


def test_a_broken_session_does_not_grow():
    arena = Session(Role.ARENA)
    for _ in range(100):
        with pytest.raises(RemoteProtocolError) as error:
            list(arena.receive(b"nonsense"))
    assert len(error.traceback) <= 4


@BOTH
def test_a_session_keeps_nothing_of_what_it_refused(codec):
    arena, _ = thinking(codec)
    wrong = codec.encode({"type": "log", "text": "x" * 10_000})
    tracemalloc.start()
    for _ in range(100):
        assert [item.kind for item in arena.receive(wrong)] == [ErrorKind.UNKNOWN_MESSAGE]
    assert tracemalloc.get_traced_memory()[0] < 50_000
    tracemalloc.stop()


# The short way of an answer


def asked() -> Session:
    """An arena that has asked question 2."""
    bot, arena = both(MSGPACK)
    talk(bot, arena, HELLO, WELCOME, START, Ready(), decide(1), Move(1, "D"), decide(2))
    return arena


WIRES = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["move", "ready", "mo", 1]),
        "id": st.sampled_from([0, 1, 2, 3, True, 2.0, "2", None, -2]),
        "action": st.one_of(st.sampled_from(["D", "", 5, None, b"D", ["D"]]), st.just("x" * 4097)),
        "note": st.sampled_from(["hm", None, 1, {"a": 1}, "n" * 2000]),
        "extra": st.sampled_from([1, None, [[[]]]]),
    },
)


@given(st.one_of(WIRES.map(MSGPACK.encode), st.binary(max_size=40), st.just(MSGPACK.encode(to_wire(Move(2, "D"))))))
def test_the_short_way_hears_what_the_long_way_hears_or_nothing(data):
    short, long = asked(), asked()
    answer = short.answer(data)
    if answer is None:
        assert short.stage is Stage.THINKING, "nothing has happened"
        return
    assert list(long.receive(data)) == [answer]
    assert short.stage is long.stage
    more = MSGPACK.encode(to_wire(Ready()))
    assert list(short.receive(more)) == list(long.receive(more)), "the place in the stream is the same"


@pytest.mark.parametrize("note", [None, "hm", "n" * 2000])
def test_a_good_answer_takes_the_short_way(note):
    assert asked().answer(MSGPACK.encode(to_wire(Move(2, "D", note)))) == Move(2, "D", note)


@pytest.mark.parametrize("number", [-2, 0, 1, 3, 2**53])
def test_an_answer_to_another_question_takes_the_long_way(number):
    arena, frame = asked(), MSGPACK.encode({"type": "move", "id": number, "action": "D"})
    assert arena.answer(frame) is None
    (heard,) = arena.receive(frame)
    assert isinstance(heard, Stale | Refused)
    assert arena.stage is Stage.THINKING, "the question is still open"


def test_an_answer_with_an_extra_field_takes_the_long_way_which_knows_how_deep_it_may_be():
    deep: object = 1
    for _ in range(MOST_DEEP):
        deep = [deep]
    payload = msgpack.packb({**to_wire(Move(2, "D")), "extra": deep})
    arena, frame = asked(), len(payload).to_bytes(HEADER) + payload
    assert arena.answer(frame) is None
    (heard,) = arena.receive(frame)
    assert isinstance(heard, Refused)
    assert heard.kind is ErrorKind.TOO_DEEP


def test_half_an_answer_takes_the_long_way():
    arena, frame = asked(), MSGPACK.encode(to_wire(Move(2, "D")))
    assert arena.answer(frame[:9]) is None
    assert list(arena.receive(frame[:9])) == []
    assert arena.answer(frame[9:]) is None
    assert list(arena.receive(frame[9:])) == [Move(2, "D")]
    assert arena.answer(frame) is None, "it is answered already"


@pytest.mark.parametrize("off", [-1, 1])
def test_an_answer_behind_a_wrong_length_takes_the_long_way(off):
    payload = msgpack.packb(to_wire(Move(2, "D")))
    assert asked().answer((len(payload) + off).to_bytes(HEADER) + payload) is None


def test_an_answer_behind_the_beginning_of_another_message_takes_the_long_way():
    arena = asked()
    assert list(arena.receive(b"\0")) == []
    assert arena.answer(MSGPACK.encode(to_wire(Move(2, "D")))) is None


def test_only_framed_messagepack_has_a_short_way():
    bot, arena = both(JSON)
    talk(bot, arena, HELLO, WELCOME, START, Ready(), decide(1))
    assert arena.answer(JSON.encode(to_wire(Move(1, "D")))) is None


@pytest.mark.parametrize(
    "payload",
    [b"\xc1", b"\x93\x01\x02\x03", MSGPACK.encode({"type": "move", "id": 2, "action": "D", "note": 1})[HEADER:]],
    ids=["no value", "no map", "a note that is a number"],
)
def test_whatever_is_wrong_takes_the_long_way(payload):
    assert asked().answer(len(payload).to_bytes(HEADER) + payload) is None


# The short way of a question


def in_play(codec) -> tuple[Session, Session]:
    bot, arena = both(codec)
    talk(bot, arena, HELLO, WELCOME, START, Ready(), decide(1), Move(1, "D"))
    return bot, arena


SCALARS = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=40)
PLAIN = st.one_of(
    st.recursive(
        SCALARS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=6,
    ),
    st.lists(st.integers(0, 9), min_size=15, max_size=17),
)
MANY = st.sampled_from([0, 1, 2, 3, 14, 15, 16, 17, 20])
"""Up to 15 keys or items fit into the shortest opening. Drawing the number takes a tenth of the time of drawing keys."""


def several(values: st.SearchStrategy) -> st.SearchStrategy[list]:
    """MANY values: the same few again and again, because their number is what matters."""
    few = st.lists(values, min_size=1, max_size=3)
    return st.builds(lambda few, number: [few[i % len(few)] for i in range(number)], few, MANY)


EVENTS = several(st.dictionaries(st.text(max_size=8), PLAIN, max_size=3))


def keyed(letter: str) -> st.SearchStrategy[dict]:
    """Maps of no, few and more keys than fit into the shortest opening of a map."""
    return several(PLAIN).map(lambda values: {f"{letter}{number}": value for number, value in enumerate(values)})


@BOTH
@example(public={"p": 1}, privates=[{}, {"q": 1}], shared=[{"event": "roll"}], own=[])
@given(public=keyed("p"), privates=st.lists(keyed("q"), min_size=1, max_size=3), shared=EVENTS, own=EVENTS)
def test_questions_put_together_are_the_same_messages(codec, public, privates, shared, own):
    packed: dict[int, bytes] = {}
    for private in privates:
        bot, arena = in_play(codec)
        last = {"id": 1} if private else None
        question = Decide(2, "pick", public | private, ["D"], shared + own, {}, last, (public, private))
        frame = arena.ask(question, packed)
        assert len(frame) == len(codec.encode(to_wire(question)))
        assert list(bot.receive(frame)) == [question]
        assert (arena.stage, arena.question) == (Stage.THINKING, 2)


@BOTH
def test_every_field_of_a_question_reaches_every_bot(codec):
    """A new field fails here until this question has it, and then until it is written in both ways."""
    _, arena = in_play(codec)
    question = Decide(
        2, "pick", {"p": 1, "q": 2}, ["D"], [{"event": "roll"}], {"bank_ms": 1}, {"id": 1}, ({"p": 1}, {"q": 2})
    )
    wire = to_wire(question)
    assert wire.keys() == {"type", *FIELDS["decide"]}
    ((_, payload),) = codec.reader().feed(arena.ask(question, {}))
    assert codec.decode(payload) == wire


def test_a_question_in_parts_is_the_same_question():
    whole = Decide(2, "pick", {"p": 1, "q": 2}, ["D"], [], {"bank_ms": 5}, {"id": 1})
    parted = Decide(2, "pick", None, ["D"], [], {"bank_ms": 5}, {"id": 1}, ({"p": 1}, {"q": 2}))
    assert parted == whole
    assert (
        parted.again(3) == whole.again(3) == Decide(3, "pick", {"p": 1, "q": 2}, ["D"], [], {"bank_ms": 5}, {"id": 1})
    )
    assert parted.again(2, {"bank_ms": 1}) != whole
    assert repr(parted) == repr(whole)


def test_a_map_of_very_many_keys():
    public = {f"p{number}": number for number in range(1 << 16)}
    bot, arena = in_play(MSGPACK)
    question = Decide(2, "pick", public | {"q": 1}, ["D"], [], {}, None, (public, {"q": 1}))
    assert list(bot.receive(arena.ask(question, {}))) == [question]


@pytest.mark.parametrize(
    ("private", "number", "reason"),
    [
        ({"q": 2**64}, 2, "this decide cannot be written as msgpack"),
        ({"q": "x" * MOST_BYTES}, 2, "this decide takes"),
        ({}, 1, "ids must rise"),
    ],
)
def test_a_question_that_cannot_be_put_changes_nothing(private, number, reason):
    _, arena = in_play(MSGPACK)
    with pytest.raises(LocalProtocolError, match=reason):
        arena.ask(Decide(number, "pick", private, ["D"], [], {}, None, ({}, private)), {})
    assert (arena.stage, arena.question) == (Stage.PLAYING, 1)


def test_a_question_while_another_one_is_open_takes_the_long_way():
    bot, arena = in_play(MSGPACK)
    assert list(bot.receive(arena.ask(decide(2), {}))) == [decide(2)]
    question = Decide(3, "pick", {"p": 1}, ["D"], [], {}, None, ({"p": 1}, {}))
    assert list(bot.receive(arena.ask(question, {}))) == [question]
