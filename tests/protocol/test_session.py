"""Conversations: both ends coupled, any split of the bytes, things that cross on the wire, and nonsense."""

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codec import JSON, MSGPACK
from protocol.errors import Kind, LocalProtocolError, RemoteProtocolError
from protocol.framing import HEADER, MOST_BYTES, LengthReader, LineReader
from protocol.messages import MESSAGES, Bye, Decide, End, Hello, Move, Ready, Start, Welcome, to_wire
from protocol.session import TRANSITIONS, Role, Session, Stage, Stale

HELLO = Hello(1, "greedy", "1.0", ["draftosaurus"])
WELCOME = Welcome(1, "0.1.0", {})
START = Start("m1", "draftosaurus", 1, {}, 0, 2, ["greedy", "random"], {"bank_ms": 1000}, 42)
END = End([3, 5], [2, 1], {}, [])


def decide(number: int) -> Decide:
    return Decide(number, "pick", {"phase": "pick"}, ["D", "T"], [], {"bank_ms": 1000})


DIALOGUE = [
    HELLO, WELCOME, START, Ready(), decide(1), Move(1, "D"), decide(2), Move(2, "T", "hm"), END,
    START, Ready(), decide(3), Move(3, "D"), END, Bye(),
]  # fmt: skip
BY_BOT = (Hello, Ready, Move)


def both(codec) -> tuple[Session, Session]:
    return Session(Role.BOT, codec), Session(Role.ARENA)


def talk(bot: Session, arena: Session, *messages) -> None:
    """Each message from the side that may send it, heard by the other."""
    for message in messages:
        speaker, listener = (bot, arena) if isinstance(message, BY_BOT) else (arena, bot)
        assert list(listener.receive(speaker.send(message))) == [message]


@pytest.mark.parametrize("codec", [MSGPACK, JSON], ids=lambda codec: codec.name)
def test_two_matches_in_one_process(codec):
    bot, arena = both(codec)
    talk(bot, arena, *DIALOGUE)
    assert bot.stage is arena.stage is Stage.CLOSED
    assert arena.codec is codec
    arena.receive_end()


def hear(pieces: list[bytes]) -> tuple[list, tuple | None]:
    """What an arena hears: the messages, and the kind and place of the error that ends them."""
    arena, heard = Session(Role.ARENA), []
    try:
        for piece in pieces:
            for message in arena.receive(piece):
                heard.append(message)  # noqa: PERF402  # keep what comes before an error
        arena.receive_end()
    except RemoteProtocolError as error:
        return heard, (error.kind, error.offset)
    return heard, None


@pytest.mark.parametrize("codec", [MSGPACK, JSON], ids=lambda codec: codec.name)
def test_every_split_of_the_bytes_gives_the_same_messages_and_error(codec):
    once = codec.encode(to_wire(HELLO))
    second = len(once) + (HEADER if codec is MSGPACK else 0)
    for cut in range(2 * len(once) + 1):
        pieces = [(once + once)[:cut], (once + once)[cut:]]
        assert hear(pieces) == ([HELLO], (Kind.WRONG_TIME, second))


FRAGMENTS = [codec.encode(to_wire(message)) for codec in (MSGPACK, JSON) for message in (HELLO, Ready(), Move(0, "D"))]


@settings(max_examples=400)
@given(
    st.one_of(
        st.binary(max_size=60), st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.binary(max_size=9))).map(b"".join)
    ),
    st.data(),
)
def test_any_bytes_in_any_pieces_are_messages_or_one_error(stream, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)])]
    whole = hear([stream])
    assert hear(pieces) == whole
    assert hear([stream[i : i + 1] for i in range(len(stream))]) == whole


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
    assert error.value.kind is Kind.TRUNCATED


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
    with pytest.raises(RemoteProtocolError):
        list(LineReader().feed(b"x" + fits + b"\n"))


def test_a_bottomless_value_is_refused():
    for nested in (b"\x00\x0f\xff\xff" + b"\x91" * 0xFFFFF, b'{"type":' + b"[" * 900_000 + b"\n"):
        arena = Session(Role.ARENA)
        with pytest.raises(RemoteProtocolError) as error:
            list(arena.receive(nested))
        assert error.value.kind is Kind.UNDECODABLE


def test_nothing_is_heard_in_no_bytes():
    assert list(Session(Role.ARENA).receive(b"")) == []


def test_the_bots_session_refuses_an_arena_that_breaks_the_rules():
    bot, arena = both(MSGPACK)
    talk(bot, arena, HELLO)
    with pytest.raises(RemoteProtocolError, match="this bot speaks revision 1, the arena 7") as error:
        list(bot.receive(MSGPACK.encode(to_wire(Welcome(7, "9.9", {})))))
    assert error.value.kind is Kind.WRONG_REVISION
    bot, arena = both(MSGPACK)
    talk(bot, arena, HELLO, WELCOME, START, Ready(), decide(3), Move(3, "D"))
    with pytest.raises(RemoteProtocolError, match="expected more than 3, the id of the latest decide, got 3") as error:
        list(bot.receive(MSGPACK.encode(to_wire(decide(3)))))
    assert error.value.kind is Kind.WRONG_ID


@pytest.mark.parametrize(
    ("limits", "complaint"),
    [
        ({"x": float("nan")}, "this welcome cannot be written as json"),
        ({"x": object()}, "this welcome cannot be written as json"),
        ({"x": "\ud800"}, "this welcome cannot be written as json"),
        ({"x": "x" * MOST_BYTES}, "this welcome takes 10486.. bytes, but 1048576 are the most"),
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


def test_only_a_bots_move_can_be_stale():
    bot, arena = both(MSGPACK)
    talk(bot, arena, HELLO, WELCOME, START, Ready(), decide(1), Move(1, "D"))
    with pytest.raises(RemoteProtocolError, match="a move between decisions, where the arena may send decide or end"):
        list(bot.receive(MSGPACK.encode(to_wire(Move(1, "D")))))


def test_a_broken_session_does_not_grow():
    arena = Session(Role.ARENA)
    for _ in range(100):
        with pytest.raises(RemoteProtocolError) as error:
            list(arena.receive(b"nonsense"))
    assert len(error.traceback) <= 4
