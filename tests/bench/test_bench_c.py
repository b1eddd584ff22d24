"""The C side of `arena bench referee`: the bot that costs nothing, and the referee that only replays."""

import json
import os
import resource
import select
import shutil
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgpack
import pytest

from engine.contract import CHANCE
from engine.dice import Seed
from engine.draftosaurus import GAME
from engine.playouts import playout
from protocol.framing import MOST_BYTES
from protocol.messages import Bye, Decide, End, Hello, Message, Move, Ready, Start, Welcome
from protocol.session import Refused, Role, Session, Stale

SOURCES = Path(__file__).parents[2] / "arena" / "bench"
PATIENCE_S = 20
"""Only a broken bot makes a test wait."""
CLOCK = {"prepare_ms": 2000, "bank_ms": 10000, "increment_ms": 100}
LIMITS = {"max_frame_bytes": MOST_BYTES, "max_depth": 32, "note_chars": 1024}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory with the two programs."""
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler (cc)")
    where = tmp_path_factory.mktemp("bench")
    for name in ("bot", "limit"):
        words = ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", str(where / name), str(SOURCES / f"{name}.c")]
        subprocess.run(words, check=True)
    return where


class Bot:
    """bot.c behind two pipes, and the arena's end of the conversation with it."""

    def __init__(self, program: Path, *words: str) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([program, *words], stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
        self.session = Session(Role.ARENA)
        self.heard: list[Message | Stale | Refused] = []

    def tell(self, message: Message) -> bytes:
        frame = self.session.send(message)
        self.write(frame)
        return frame

    def write(self, data: bytes) -> None:
        while data:
            data = data[self.process.stdin.write(data) :]

    def read(self) -> bytes:
        """What there is; nothing at the end."""
        fd = self.process.stdout.fileno()
        assert select.select([fd], [], [], PATIENCE_S)[0], "the bot does not answer"
        return os.read(fd, 1 << 16)

    def hear(self) -> Message | Stale | Refused:
        while not self.heard:
            data = self.read()
            assert data, "the bot has gone"
            self.heard += self.session.receive(data)
        return self.heard.pop(0)

    def greet(self) -> Hello:
        hello = self.hear()
        self.tell(Welcome(1, "test", LIMITS))
        assert isinstance(hello, Hello)
        return hello

    def leave(self) -> tuple[int, bytes]:
        """The exit status after end-of-file, and what it wrote to stderr."""
        self.process.stdin.close()
        return self.process.wait(PATIENCE_S), self.process.stderr.read()

    def release(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()


@pytest.fixture
def start(built: Path) -> Iterator[Callable[..., Bot]]:
    """start(*words) starts bot.c; whatever the test does, it does not outlive it."""
    started: list[Bot] = []

    def bot(*words: str) -> Bot:
        started.append(Bot(built / "bot", *words))
        return started[-1]

    yield bot
    for one in started:
        one.release()


Turn = list[tuple[int, int, bytes]]
"""What the arena said to the seats at once: seat, whether it owes an answer, frame."""


def referee(bots: list[Bot], first_id: int = 1) -> tuple[list[int], list[Turn]]:
    """A whole game between bots that have been greeted: the scores, and all that was said to them."""
    seats = len(bots)
    dice, state, number = Seed(7), GAME.start(seats, {}), first_id
    names = [f"c{seat}" for seat in range(seats)]
    begin = [Start("m", GAME.name, GAME.edition, {}, seat, seats, names, CLOCK, seat) for seat in range(seats)]
    turns = [[(seat, 1, bot.tell(begin[seat])) for seat, bot in enumerate(bots)]]
    assert [bot.hear() for bot in bots] == [Ready()] * seats
    events: list[list[dict]] = [[] for _ in bots]
    while actors := GAME.to_act(state):
        if actors == (CHANCE,):
            played = {CHANCE: GAME.deal(state, dice)}
        else:
            asked = {seat: decide(state, seat, number, events[seat]) for seat in actors}
            turns.append([(seat, 1, bots[seat].tell(asked[seat])) for seat in actors])
            assert {seat: bots[seat].hear() for seat in actors} == {
                seat: Move(number, asked[seat].legal[0]) for seat in actors
            }
            played = {seat: asked[seat].legal[0] for seat in actors}
            number += 1
        before, state = state, GAME.apply(state, played)
        for seat in range(seats):
            events[seat] += GAME.events(before, state, seat)
    outcome = GAME.outcome(state)
    breakdown = {"breakdown": [dict(zones) for zones in outcome.breakdown]}
    end = End(list(outcome.scores), list(outcome.ranks), breakdown, [])
    turns.append([(seat, 0, bot.tell(end)) for seat, bot in enumerate(bots)])
    return list(outcome.scores), turns


def decide(state, seat: int, number: int, events: list[dict]) -> Decide:
    view = GAME.view(state, seat)
    told, events[:] = events[:], []
    clock = {"bank_ms": 10000, "increment_ms": 100}
    return Decide(number, view["phase"], view, list(GAME.legal(state, seat)), told, clock)


def frame(payload: bytes) -> bytes:
    return struct.pack(">I", len(payload)) + payload


def script(seats: int, turns: list[Turn]) -> bytes:
    """What limit.c replays."""
    parts = [struct.pack(">I", seats)]
    for turn in turns:
        parts.append(struct.pack(">I", len(turn)))
        for seat, answered, sent in turn:
            parts.append(struct.pack(">III", seat, answered, len(sent)) + sent)
    return b"".join(parts)


def test_the_bot_says_hello(start):
    assert start().greet() == Hello(1, "c", "1", ["draftosaurus"])
    assert start("nim", "g" * 64).greet().games == ["nim", "g" * 64]


@pytest.mark.parametrize("seats", [2, 5])
def test_the_bot_plays_whole_games_of_first_legal_actions(start, seats):
    bots = [start() for _ in range(seats)]
    for bot in bots:
        bot.greet()
    expected = GAME.outcome(playout(GAME, GAME.start(seats, {}), Seed(7), lambda legal: legal[0])[0])
    for first_id in (1, 2**40):
        scores, _ = referee(bots, first_id)
        assert scores == list(expected.scores)
    for bot in bots:
        bot.tell(Bye())
        assert bot.process.wait(PATIENCE_S) == 0
        assert bot.read() == b""


@pytest.mark.parametrize("number", [1, 127, 128, 2**16, 2**40, 2**63 - 1])
def test_the_bot_copies_ids_of_any_size(start, number):
    bot = start()
    bot.greet()
    bot.tell(Start("m", "draftosaurus", 1, {}, 0, 2, ["a", "b"], CLOCK, 1))
    assert bot.hear() == Ready()
    bot.tell(Decide(number, "pick", {}, ["T", "C"], [], CLOCK))
    assert bot.hear() == Move(number, "T")


def ask(bot: Bot, *payloads: bytes) -> list[dict]:
    """The bot's answers to these payloads, up to end-of-file."""
    bot.write(b"".join(map(frame, payloads)))
    status, words = bot.leave()
    assert (status, words) == (0, b"")
    said = b""
    while data := bot.read():
        said += data
    answers = []
    while said:
        size = struct.unpack(">I", said[:4])[0]
        answers.append(msgpack.unpackb(said[4 : 4 + size]))
        said = said[4 + size :]
    return answers[1:]


STRANGE = {
    "null": None,
    "booleans": [True, False],
    "integers": [0, -1, -32, -33, 127, 128, -128, -129, 2**15, -(2**15) - 1, 2**31, -(2**31) - 1, 2**63, -(2**63)],
    "floats": [1.5, -1e300],
    "texts": ["", "x" * 31, "x" * 32, "x" * 256, "x" * 65536, "ü" * 40],
    "binary": [b"", b"x" * 256, b"x" * 65536],
    "extensions": [msgpack.ExtType(5, b"x" * n) for n in (0, 1, 2, 3, 4, 8, 16, 17, 256, 65536)],
    "arrays": [[], [1] * 16, [[]] * 65536],
    "maps": [{}, {str(n): {"id": n, "legal": ["no"], "type": "bye"} for n in range(16)}, {n: [] for n in range(65536)}],
    "deep": json.loads("[" * 500 + "]" * 500),
    "last": {"id": 9, "type": "bye", "legal": ["no"]},
}
STRANGE_FIELDS = [msgpack.packb(key) + msgpack.packb(value) for key, value in STRANGE.items()]


@pytest.mark.parametrize("strange", STRANGE)
def test_the_bot_skips_values_of_every_type(start, strange):
    message = {strange: STRANGE[strange], "legal": ["A", "B"], "id": 2**40, "type": "decide"}
    assert ask(start(), msgpack.packb(message)) == [{"type": "move", "id": 2**40, "action": "A"}]


@pytest.mark.parametrize("order", [("type", "id", "legal"), ("legal", "type", "id"), ("id", "legal", "type")])
def test_the_order_of_fields_has_no_meaning(start, order):
    fields = {"type": "decide", "id": 5, "legal": ["A", "B"]}
    known = [msgpack.packb(key) + msgpack.packb(fields[key]) for key in order]
    mixed = [part for i, part in enumerate(known) for part in (*STRANGE_FIELDS[4 * i : 4 * i + 4], part)]
    payload = b"\xde" + struct.pack(">H", len(known) + len(STRANGE_FIELDS)) + b"".join(mixed)
    assert len(mixed) == len(known) + len(STRANGE_FIELDS)
    assert ask(start(), payload) == [{"type": "move", "id": 5, "action": "A"}]


def test_every_way_to_write_a_value_is_good(start):
    def text32(text: bytes) -> bytes:
        return b"\xdb" + struct.pack(">I", len(text)) + text

    fields = text32(b"legal") + b"\xdd\0\0\0\1" + text32(b"A") + text32(b"id") + b"\xd3" + struct.pack(">q", 3)
    payload = b"\xdf\0\0\0\3" + fields + text32(b"type") + text32(b"decide")
    assert ask(start(), payload) == [{"type": "move", "id": 3, "action": "A"}]


def test_actions_and_frames_may_be_as_long_as_the_protocol_allows(start):
    action = "\U0001f995" * 4096
    message = {"type": "decide", "id": 1, "legal": [action], "view": ""}
    message["view"] = "x" * (MOST_BYTES - len(msgpack.packb(message)) - 4)
    payload = msgpack.packb(message)
    assert len(payload) == MOST_BYTES
    assert ask(start(), payload, payload) == [{"type": "move", "id": 1, "action": action}] * 2


def test_frames_arrive_in_any_pieces(start):
    bot = start()
    questions = b"".join(frame(msgpack.packb({"type": "decide", "id": n, "legal": ["A"]})) for n in range(1, 4))
    for byte in questions:
        bot.write(bytes([byte]))
    assert [answer["id"] for answer in ask(bot)] == [1, 2, 3]


@pytest.mark.parametrize("said", [b"", b"\0", frame(b"\x81\xa4type\xa5start")[:9]])
def test_end_of_file_ends_the_bot_with_0_at_any_time(start, said):
    bot = start()
    bot.write(said)
    assert bot.leave() == (0, b"")


def test_a_stamp_says_when_the_move_was_written(start):
    bot = start("--stamp")
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    moves = ask(bot, *(msgpack.packb({"type": "decide", "id": n, "legal": ["A"]}) for n in (1, 2)))
    stamps = [int(move["note"]) for move in moves]
    assert before < stamps[0] < stamps[1] < time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    assert [move["action"] for move in moves] == ["A", "A"]


def test_thinking_takes_cpu_time(start):
    def children_s() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before = children_s()
    assert len(ask(start("--think-us", "30000"), msgpack.packb({"type": "decide", "id": 1, "legal": ["A"]}))) == 1
    assert children_s() - before >= 0.029


MALFORMED = {
    "empty": frame(b""),
    "too long": struct.pack(">I", MOST_BYTES + 1),
    "no map": frame(b"\x90"),
    "no value": frame(b"\xc1"),
    "a cut text": frame(b"\x81\xa4type\xa6deci"),
    "a cut length": frame(b"\x81\xa4type\xda\0"),
    "a text beyond the frame": frame(b"\x81\xa4type\xdb\xff\xff\xff\xff"),
    "an array beyond the frame": frame(b"\x82\xa4type\xa6decide\xa5legal\xdd\xff\xff\xff\xff\xa1A"),
    "a map beyond the frame": frame(b"\xdf\xff\xff\xff\xff\xa4type\xa3bye"),
    "a nested map beyond the frame": frame(b"\x82\xa4view\xdf\xff\xff\xff\xff\xa4type\xa3bye"),
    "an extension beyond the frame": frame(b"\x82\xa1x\xc9\xff\xff\xff\xff\1\xa4type\xa3bye"),
    "a key that is not text": frame(b"\x82\1\1\xa4type\xa3bye"),
    "bytes behind the map": frame(b"\x81\xa4type\xa3bye\xc0"),
    "no type": frame(b"\x80"),
    "an unknown type": frame(b"\x81\xa4type\xa4move"),
    "no id": frame(msgpack.packb({"type": "decide", "legal": ["A"]})),
    "an id that is a text": frame(msgpack.packb({"type": "decide", "id": "1", "legal": ["A"]})),
    "nothing legal": frame(msgpack.packb({"type": "decide", "id": 1, "legal": []})),
    "null legal": frame(msgpack.packb({"type": "decide", "id": 1, "legal": None})),
    "an action that is an array": frame(msgpack.packb({"type": "decide", "id": 1, "legal": [["A"], "B"]})),
}


@pytest.mark.parametrize("said", MALFORMED.values(), ids=MALFORMED)
def test_what_breaks_the_protocol_ends_the_bot_with_1_and_a_word(start, said):
    bot = start()
    bot.write(said)
    status, words = bot.leave()
    assert status == 1
    assert words.startswith(b"bot.c: ")


@pytest.mark.parametrize("words", [["--fast"], ["--think-us"], ["--think-us", "soon"], ["g" * 256]])
def test_the_bot_refuses_other_words(start, words):
    status, complaint = start(*words).leave()
    assert status == 1
    assert complaint.startswith(b"bot.c: ")


def limit(built: Path, *words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [str(word) for word in (built / "limit", *words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, cwd=cwd)


def test_limit_replays_a_recorded_game(start, built, tmp_path):
    bots = [start(), start()]
    for bot in bots:
        bot.greet()
    _, turns = referee(bots)
    (tmp_path / "script").write_bytes(script(2, turns))
    ended = limit(built, tmp_path / "script", 0.2, built / "bot", "--stamp")
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert list(found) == ["games", "turns", "answers", "seconds", "cpu_seconds"]
    assert found["games"] >= 1
    assert found["turns"] == found["games"] * len(turns)
    assert found["answers"] == found["games"] * sum(answered for turn in turns for _, answered, _ in turn)
    assert 0.2 <= found["seconds"] < PATIENCE_S
    assert 0 <= found["cpu_seconds"] < found["seconds"] + 0.1


READY = frame(b"\x81\xa4type\xa5ready")
OCTAL = [rf"\{byte:03o}" for byte in READY]
"""For printf: what limit.c takes for any answer, hello included."""


def test_limit_puts_answers_together_from_pieces(built, tmp_path):
    (tmp_path / "script").write_bytes(script(1, [[(0, 1, READY), (0, 1, READY)]]))
    drip = "; ".join(f"printf '{byte}'" for byte in OCTAL)
    bot = f"{drip}; head -c 94 > welcome; while [ $(head -c 16 | wc -c) = 16 ]; do {drip}; done"
    ended = limit(built, tmp_path / "script", 0.01, "sh", "-c", bot, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["answers"] == 2 * found["turns"] == 2 * found["games"] > 0


def test_limit_says_welcome(built, tmp_path):
    (tmp_path / "script").write_bytes(script(1, [[(0, 1, READY)]]))
    bot = f"printf '{''.join(OCTAL)}'; head -c 94 > welcome; head -c 16; cat > rest"
    ended = limit(built, tmp_path / "script", 0, "sh", "-c", bot, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    welcome = {"type": "welcome", "protocol": 1, "arena": "limit", "limits": LIMITS}
    assert (tmp_path / "welcome").read_bytes() == frame(msgpack.packb(welcome))
    assert (tmp_path / "rest").read_bytes() == b""


BAD_SCRIPTS = {
    "empty": b"",
    "no turns": script(2, []),
    "no seats": script(0, [[(0, 1, READY)]]),
    "too many seats": script(65, [[(0, 1, READY)]]),
    "an empty turn": script(1, [[]]),
    "a seat too many": script(1, [[(1, 1, READY)]]),
    "an odd flag": script(1, [[(0, 2, READY)]]),
    "a cut frame": script(1, [[(0, 1, READY)]])[:-1],
    "a frame without its length": script(1, [[(0, 1, READY[4:])]]),
    "a short frame": script(1, [[(0, 1, b"\0\0")]]),
}


@pytest.mark.parametrize("text", BAD_SCRIPTS.values(), ids=BAD_SCRIPTS)
def test_limit_refuses_what_is_not_a_script(built, tmp_path, text):
    (tmp_path / "script").write_bytes(text)
    ended = limit(built, tmp_path / "script", 0.1, built / "bot")
    assert ended.returncode == 1
    assert ended.stderr.startswith("limit.c: ")
    assert not ended.stdout


@pytest.mark.parametrize("bot", [["no-such-program"], ["true"], ["echo", "hello"], ["sh", "-c", "exit 3"]])
def test_limit_says_which_seat_failed(built, tmp_path, bot):
    (tmp_path / "script").write_bytes(script(1, [[(0, 1, READY)]]))
    ended = limit(built, tmp_path / "script", 0.1, *bot)
    assert ended.returncode == 1
    assert "limit.c: seat 0 " in ended.stderr


@pytest.mark.parametrize("size", [1, 300, 200_000])
def test_ping_counts_round_trips(built, size):
    ended = limit(built, "--ping", 0.05, size)
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert list(found) == ["roundtrips", "seconds"]
    assert found["roundtrips"] >= 1
    assert 0.05 <= found["seconds"] < PATIENCE_S


@pytest.mark.parametrize("words", [[], ["--ping"], ["--ping", "1", "0"], ["--ping", "nan", "1"], ["script", "1"]])
def test_limit_refuses_other_words(built, words):
    ended = limit(built, *words)
    assert ended.returncode == 1
    assert ended.stderr.startswith("limit.c: ")
