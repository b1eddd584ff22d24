"""A person against bots, as real processes: with lines from a pipe, and at a real pseudo-terminal."""

import os
import re
import select
import signal
import subprocess
import sys
import termios
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from arena.cli.human import AtTerminal
from arena.cli.paragraphs import by_name
from arena.cli.typed import Lines
from arena.match.person import Interview
from arena.match.record import MatchRecord, Status
from arena.match.record_file import load
from arena.replay.moments import states
from arena.replay.verify import verify
from arena.words import words_for
from arena.words.draftosaurus import DraftosaurusWords
from arena.words.plain import Words
from engine.catalogue import game
from engine.contract import Value
from engine.dice import Seed
from engine.playouts import at_random, steps
from protocol.messages import REVISION, Bye, Decide, End, Start, Welcome
from protocol.session import Role, Session
from tests.cli.command import prepared_arena
from tests.engine.dinodocus_play import SMALL_DECK

FAULTY = Path(__file__).parents[1] / "match" / "faulty_bot.py"
BECOME = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
"""Makes standard input the terminal that Ctrl-C comes from."""
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "arena", "human", *words, "--seed", "7", "-o", "match.gz"]


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str
    record: MatchRecord | None


def human(folder: Path, lines: str | int, *words: str, **environment: str) -> Ended:
    """Play with these lines, or with this descriptor, as standard input."""
    env = {**ENVIRONMENT, **environment}
    (folder / "match.gz").unlink(missing_ok=True)
    if isinstance(lines, str) and "PYTHONPATH" not in environment:
        ended = prepared_arena().run(command(*words)[2:], env, folder, lines, timeout_s=20)
    else:  # only an interpreter that starts looks at PYTHONPATH
        given: dict[str, Any] = {"input": lines} if isinstance(lines, str) else {"stdin": lines}
        ended = subprocess.run(
            command(*words), cwd=folder, env=env, capture_output=True, text=True, timeout=20, **given
        )
    path = folder / "match.gz"
    record = load(path) if path.exists() else None
    return Ended(ended.returncode, ended.stdout, ended.stderr, record)


BARE = ("--sandbox", "none")  # the faulty bot leaves a mark in its folder


def faulty(folder: Path, *words: str) -> str:
    """A bot's command line that has a name of this test in it."""
    rival = folder / "rival"
    rival.mkdir()
    return f"{sys.executable} -I -S {FAULTY} {' '.join(words)} {rival}"


def processes(folder: Path) -> list[bytes]:
    """Those that have this test's folder in their command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found.append(path.read_bytes())
    return [line for line in found if str(folder).encode() in line]


def played(record: MatchRecord, seat: int = 0) -> list[str]:
    """What the person chose."""
    return [d.action for _, _, d in record.decisions() if d.seat == seat and d.status is Status.ACCEPTED]


# From a pipe


@pytest.fixture(scope="module")
def always_one(tmp_path_factory):
    """A game in which the person always takes the first choice."""
    return human(tmp_path_factory.mktemp("human"), "1\n" * 100, "greedy", "random")


def test_a_whole_game_is_played_by_numbers(always_one):
    ended = always_one
    assert ended.code == 0, ended.err
    assert verify(ended.record) is None
    assert ended.record.verdict.faults == ()
    assert [player.name for player in ended.record.header.players] == ["human", "greedy", "random"]
    assert len(played(ended.record)) == ended.err.count("Your choice, ")
    assert "recorded in match.gz" in ended.err


def test_the_result_is_the_last_that_is_printed_with_the_points_of_all_and_no_times(always_one):
    verdict = always_one.record.verdict
    assert verdict.ranks == (2, 1, 3)
    human, greedy, random = verdict.scores
    assert always_one.out.endswith(f"\n\nYou come second: greedy {greedy}, you {human}, random {random}.\n")
    assert " ms" not in always_one.out


def test_without_a_bot_the_opponent_is_greedy(tmp_path):
    ended = human(tmp_path, "q\ny\n")
    assert [player.name for player in ended.record.header.players] == ["human", "greedy"]


def test_several_numbers_answer_the_questions_of_one_kind_by_the_list_that_was_shown(tmp_path):
    ended = human(tmp_path, "1 1 2, 9\n1 1 2,3 4 4\n", "random", "--game", "dinodocus")
    assert "There is no choice 9. Choose 1 to 4." in ended.err
    assert played(ended.record) == ["w:H", "w:H", "w:A", "w:P", "w:T"]
    assert "You typed w:T ahead, which does not fit here. Choose again." in ended.err
    assert ended.err.count("Your choice, ") == 3, "for the first two lines, and after the last number that fits"


def test_what_is_shown_explains_itself(always_one):
    shown = always_one.err
    for words in (
        "You sit in seat 0. To your left, in this order: greedy, random.",
        "Round 1     your hand is T D D C S G",
        "Die         greedy rolled E (empty pen)",
        "The die says: right of the River; but you rolled it, so it does not bind you.",
        "The die sends you to a pen that is still empty, or into the River (RV).",
        "  2  D  Diplodocus (2 in hand)       may go to FS WT KJ PL MD SI RV",
        "Picked      you T-Rex (T), greedy T-Rex (T), random Parasaurolophus (P)",
        "Where do you place your T-Rex (T)?",
        "  5  T@MD  Meadow of Differences: all different; 1 3 6 10 15 21 points",
        "Placed      you T-Rex (T) to FS, greedy T-Rex (T) to MD",
        "Passed on   your hand is now T D C S G",
        "greedy  2 points, rank 2",
        "YOU  3 points, rank 1",
        "The match is over.",
    ):
        assert words in shown
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert not re.search(r"seat [12]", shown), "every player has a name"


def test_what_happens_after_the_last_question_is_shown_and_boards_have_names(tmp_path):
    """In winter the dinosaurs in quarantine move when everything else is over."""
    ended = human(
        tmp_path, "1\n" * 100, "greedy", "random", "--option", "season=winter", "--seat", "1", "--name", "Ada"
    )
    told = " ".join(ended.err[ended.err.rindex("─" * 80) :].split())
    before, after = states(ended.record)[-2:]
    last = game("draftosaurus").events(before, after, 1)
    assert {event["event"] for event in last} == {"move", "score"}
    assert re.match(r"─+ Quarantine (you|greedy|random) [\w-]+ \(\w\) to \w\w", told)
    scores = ended.record.verdict.scores
    assert f"Score winter: greedy {scores[0]}, you {scores[1]}, random {scores[2]} The match is over." in told
    captions = re.findall(r"^(\w+)  \d+ points?, rank \d", ended.out, re.MULTILINE)
    assert captions == ["greedy", "YOU", "random"]
    assert not re.search(r"^seat \d", ended.out, re.MULTILINE)


def test_names_take_the_place_of_seats_also_in_colour():
    names = ["YOU", "a name of thirty-two characters!"]
    block = [
        "\x1b[1mseat 1\x1b[0m  3 points, rank 1, T-Rex 0 (+0)  hand T T T D D D  picked C  not bound",
        "│ seat 0 │",
    ]
    assert by_name(block, names.__getitem__) == [
        "\x1b[1ma name of thirty-two characters!\x1b[0m  3 points, rank 1, T-Rex 0 (+0)",
        "    hand T T T D D D  picked C  not bound",
        "│ seat 0 │",
    ]


OPTIONS = [
    ["season=summer_winter", "quarantine_move=may", "first_roller=random"],
    ["commit=pick_and_place", "discard_timing=with_pick", "discard_visibility=hidden"],
    ["season=winter", "discard_timing=with_pick", "discard_visibility=hidden"],
]


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_every_phase_can_be_played(tmp_path, options):
    words = [word for option in options for word in ("--option", option)]
    ended = human(tmp_path, "2\n1\n" * 200, "greedy", *words, "--seat", "1")
    assert ended.code == 0, ended.err
    assert verify(ended.record) is None
    assert ended.record.verdict.faults == ()
    assert max(map(len, ended.err.splitlines())) <= 80


def test_wrong_answers_are_explained_and_are_no_faults(tmp_path):
    wrong = ["", "0", "99", "1" * 5000, "zzz", "D", "d", "T@FS", "\x1b[31m", "y" * 70_000, "?", "r", "h", "q", "n"]
    ended = human(tmp_path, "\n".join([*wrong, *["1"] * 100]), "greedy")
    assert ended.code == 0, ended.err
    assert ended.record.verdict.faults == ()
    assert {d.status for _, _, d in ended.record.decisions()} == {Status.ACCEPTED, Status.FORCED}
    told = " ".join(ended.err.split())
    for words in (
        "There is no choice 99. Choose 1 to 4.",
        "'zzz' is not one of the choices. Legal: T C S G. Type ? for help.",
        "D is not legal, the hand holds TCSSGG (D-08). Legal: T C S G. Type ? for help.",
        "'T@FS' is not one of the choices.",
        "Type the number of a choice, or the choice itself",
        "KJ King of the Jungle: just one; 7 if no player has more of its kind",
        "right of the River: KJ MD SI",
        "Leave the game? The arena then plays on for you. y or n > n",
    ):
        assert words in told
    assert "\x1b" not in ended.err


def test_a_choice_may_be_spelled_in_capitals_or_not_and_cut_short(tmp_path):
    ended = human(tmp_path, "g\nrv\nx\nt\nD\nd@w\n" + "1\n" * 100, "greedy")
    assert played(ended.record)[:5] == ["G", "G@RV", "xT", "D", "D@WT"]
    assert "x can mean xT, xC, xS, xG." in ended.err


def test_a_small_s_shows_all_boards_and_a_capital_one_is_the_spinosaurus(tmp_path):
    ended = human(tmp_path, "s\nS\n" + "1\n" * 100, "greedy")
    assert played(ended.record)[0] == "S"
    first = ended.err[: ended.err.index("Picked ")]
    assert first.count("FS Forest of Sameness") == 1 + 2


@pytest.mark.parametrize("lines", ["1\nq\n", "1\n1\nQUIT\nyes\n1\n"])
def test_the_arena_plays_on_for_a_person_who_leaves_and_the_record_says_so(tmp_path, lines):
    ended = human(tmp_path, lines, "greedy", "--name", "Ada")
    assert ended.code == 0, "leaving is not a failure of a bot"
    assert verify(ended.record) is None
    (fault,) = ended.record.verdict.faults
    assert (fault.kind, fault.seat) == ("crash", 0)
    assert ended.record.verdict.accounts[0].stderr == "The person left before the match was over.\n"
    assert ended.record.verdict.ranks == (2, 1)
    assert ended.out.endswith(". You left, and the arena played on for you.\n")
    assert "exited" not in ended.out
    assert "Traceback" not in ended.err


def test_standard_input_may_be_a_file_or_nothing_at_all(tmp_path):
    (tmp_path / "moves").write_text("1\n" * 100)
    with open(tmp_path / "moves") as moves:
        assert human(tmp_path, moves.fileno(), "greedy").code == 0
    assert human(tmp_path, subprocess.DEVNULL, "greedy").code == 0
    (tmp_path / "match.gz").unlink()
    closed = ["sh", "-c", 'exec "$@" <&-', "sh", *command("greedy")]
    ended = subprocess.run(closed, cwd=tmp_path, capture_output=True, text=True, timeout=20)
    assert (ended.returncode, "Traceback" in ended.stderr) == (0, False)


def test_a_bot_that_fails_is_reported_and_the_game_goes_on(tmp_path):
    ended = human(tmp_path, "1\n" * 100, faulty(tmp_path, "crash", "3"), *BARE)
    assert ended.code == 3
    assert "(faulty is out: its process ended during the match. The arena plays for it.)" in ended.err
    assert [fault.seat for fault in ended.record.verdict.faults] == [1]
    assert len(played(ended.record)) > 20


NIM = """
from engine.draftosaurus import Draftosaurus
class Nim(Draftosaurus):
    'Take the last stick.'
    name = 'nim'
GAME = Nim()
"""


def test_a_game_without_words_is_shown_in_its_own_terms(plug_in, tmp_path):
    plug_in("nim_pack", NIM, "arena.games: nim = nim_pack:GAME")
    ended = human(tmp_path, "r\n" + "1\n" * 100, "greedy", "--game", "nim", PYTHONPATH=str(tmp_path))
    for words in ("Take the last stick.", "deal round 1, hand T", "you: pick dino T", "place: species@pen, D@FS;"):
        assert words in ended.err
    assert verify_in(tmp_path) == 0


def verify_in(folder: Path) -> int:
    words = [sys.executable, "-m", "arena", "verify", "match.gz"]
    return subprocess.run(words, cwd=folder, env={**ENVIRONMENT, "PYTHONPATH": str(folder)}).returncode


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (["greedy", "--seat", "2"], 2, "--seat 2: with 1 bot the seats are 0 to 1"),
        (["greedy", "--name", ""], 2, "--name: expected 1 to 64 printable characters"),
        (["greedy", "--name", "\udcff"], 2, "--name: expected 1 to 64 printable characters"),
        (["greedy", "--name", "\x1b[31m"], 2, "--name: expected 1 to 64 printable characters"),
        (["greedy"] * 5, 4, "6 seats are not possible"),
    ],
)
def test_a_mistake_gets_clear_words_and_an_exit_code(tmp_path, words, code, complaint):
    ended = human(tmp_path, "1\n", *words)
    assert (ended.code, ended.record) == (code, None)
    assert complaint in ended.err


# At a terminal


class Terminal:
    """A pseudo-terminal of 80 columns with `arena human` in it."""

    def __init__(self, folder: Path, *words: str, **environment: str) -> None:
        self._ours, self._theirs = os.openpty()
        termios.tcsetwinsize(self._theirs, (24, 80))
        self.before = self.attributes()
        started = [sys.executable, "-c", BECOME, *command(*words)]
        env = {**ENVIRONMENT, **environment}
        fd = self._theirs
        self.process = subprocess.Popen(
            started, stdin=fd, stdout=fd, stderr=fd, cwd=folder, env=env, start_new_session=True
        )
        self.seen = ""
        self._new = b""

    def attributes(self) -> list[object]:
        return termios.tcgetattr(self._theirs)

    def until(self, *texts: str) -> str:
        """Read on until one of these appears."""
        while not (found := [text for text in texts if text.encode() in self._new]):
            self._read()
        end = self._new.index(found[0].encode()) + len(found[0].encode())
        self.seen += self._new[:end].decode()
        self._new = self._new[end:]
        return found[0]

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def wait(self) -> int:
        """Its exit code, when it has ended and all is read."""
        while self.process.poll() is None or select.select([self._ours], [], [], 0)[0]:
            self._read(0.05)
        self.seen += self._new.decode()
        return self.process.returncode

    def _read(self, seconds: float = 15.0) -> None:
        if select.select([self._ours], [], [], seconds)[0]:
            self._new += os.read(self._ours, 1 << 16)
        elif seconds > 1:
            raise AssertionError(f"nothing came after {self.seen[-500:]}{self._new[-500:]!r}")

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._ours)
        os.close(self._theirs)


@pytest.fixture
def terminal(tmp_path):
    opened = []

    def start(*words: str, **environment: str) -> Terminal:
        opened.append(Terminal(tmp_path, *words, **environment))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def test_a_whole_game_at_a_terminal(terminal, tmp_path):
    at = terminal("greedy")
    while at.until("? > ", "You come ") == "? > ":
        at.type("1\n")
    assert at.wait() == 0
    assert verify(load(tmp_path / "match.gz")) is None
    assert "\x1b[1mYOU\x1b[0m" in at.seen
    assert not re.search(r"seat \d\x1b", at.seen), "every player has a name, also in colour"
    assert at.attributes() == at.before


def test_no_color_is_honoured_at_a_terminal(terminal):
    at = terminal("greedy", NO_COLOR="1")
    at.until("? > ")
    at.type("1\n")
    at.until("? > ")
    assert "\x1b" not in at.seen
    at.type("\x04")  # Ctrl-D
    assert at.wait() == 0
    assert "you leave the game" in at.seen


@pytest.mark.parametrize("moment", ["at the first question", "at the second", "while a bot thinks"])
def test_control_c_ends_everything_at_any_moment(terminal, tmp_path, moment):
    at = terminal(faulty(tmp_path, *(["hang", "1"] if moment == "while a bot thinks" else ["none", "1"])), *BARE)
    at.until("? > ")
    if moment != "at the first question":
        at.type("1\n")
        at.until("still thinking" if moment == "while a bot thinks" else "? > ")
    assert processes(tmp_path / "rival"), "the bot is there"
    at.type("\x03")
    assert at.wait() == 130
    assert processes(tmp_path / "rival") == []
    assert "\narena: interrupted" in at.seen, "not behind the ^C of the terminal"
    assert "Traceback" not in at.seen
    assert at.attributes() == at.before
    assert not (tmp_path / "match.gz").exists()


def test_sigterm_ends_everything(terminal, tmp_path):
    at = terminal(faulty(tmp_path, "none", "1"), *BARE)
    at.until("? > ")
    at.process.send_signal(signal.SIGTERM)
    assert at.wait() == 130
    assert processes(tmp_path / "rival") == []
    assert "Traceback" not in at.seen


# The seam


class Slow:
    """A person who never answers."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def begin(self, _start: Start) -> None:
        self.told.append("begin")

    async def decide(self, _question: Decide) -> str | None:
        self.told.append("decide")
        try:
            await trio.sleep_forever()
        finally:
            self.told.append("withdrawn")

    def wait(self) -> None:
        self.told.append("wait")

    def end(self, _end: End) -> None:
        self.told.append("end")


def test_a_question_is_withdrawn_when_the_arena_goes_on():
    person, arena = Slow(), Session(Role.ARENA)

    async def converse() -> bool:
        ears, mouth = os.pipe()
        mouth_of_person, ears_of_arena = os.pipe()[::-1]
        told, said = trio.lowlevel.FdStream(ears), trio.lowlevel.FdStream(mouth_of_person)
        ours, theirs = trio.lowlevel.FdStream(mouth), trio.lowlevel.FdStream(ears_of_arena)
        stayed: list[bool] = []

        async def sit() -> None:
            stayed.append(await Interview(told, said, person).run("nim"))

        async with told, said, ours, theirs, trio.open_nursery() as nursery:
            nursery.start_soon(sit)
            list(arena.receive(await theirs.receive_some()))
            await ours.send_all(arena.send(Welcome(REVISION, "1", {})))
            await ours.send_all(arena.send(Start("m", "nim", 1, {}, 0, 2, ["a", "b"], {}, 1)))
            list(arena.receive(await theirs.receive_some()))
            await ours.send_all(arena.send(Decide(1, "take", {}, ["1", "2"], [], {})))
            await trio.testing.wait_all_tasks_blocked()
            await ours.send_all(arena.send(End([0, 0], [1, 1], {}, [], "called off")) + arena.send(Bye()))
        return stayed[0]

    assert trio.run(converse) is True
    assert person.told == ["begin", "decide", "withdrawn", "end"]


def test_lines_come_whole_however_they_drip_in():
    async def read() -> list[str | None]:
        ours, theirs = os.pipe()
        lines = Lines(ours)
        os.write(theirs, b"one\ntw")
        found = [await lines.next()]
        os.write(theirs, b"o\r\n\xff\nrest")
        found += [await lines.next(), await lines.next()]
        os.close(theirs)
        found += [await lines.next(), await lines.next()]
        os.close(ours)
        return found

    assert trio.run(read) == ["one", "two\r", "\\xff", "rest", None]


def test_every_event_of_draftosaurus_has_words():
    words = DraftosaurusWords(game("draftosaurus"), lambda seat: ["you", "Ada"][seat], {"trio_points": 7})
    story = words.story(
        [
            {"event": "first", "seat": 1},
            {"event": "drop", "seat": 1, "dino": "?"},
            {"event": "discard", "seat": 0, "dino": "D"},
            {"event": "place", "seat": 1, "action": "T@QZ"},
            {"event": "move", "seat": 0, "action": "Q>BL"},
            {"event": "move", "seat": 1, "action": "Q="},
            {"event": "score", "season": "winter", "scores": [3, 4]},
        ],
        {"zoos": [{"QZ": "P"}, {}]},
    )
    assert story == [
        "Die         Ada will roll it first",
        "Set aside   Ada something hidden",
        "Discarded   you Diplodocus (D)",
        "Placed      Ada T-Rex (T) to QZ",
        "Quarantine  you Parasaurolophus (P) to BL, Ada T-Rex (T) stays",
        "Score       winter: you 3, Ada 4",
    ]


# Dinodocus

DINODOCUS = [
    ["real_bonus=true"],
    ["advanced=true", "carn_duty=free", "herb_duty=free", "draw_mode=may_stop", "offer_windows=mutate_and_turn_start"],
]


@pytest.mark.parametrize("options", DINODOCUS, ids=" ".join)
def test_a_whole_game_of_dinodocus_is_played_by_numbers(tmp_path, options):
    words = [word for option in options for word in ("--option", option)]
    ended = human(tmp_path, "1\n2\n1\n" * 400, "random", "random", "--game", "dinodocus", *words, "--seat", "1")
    assert ended.code == 0, ended.err
    assert verify(ended.record) is None
    assert ended.record.verdict.faults == ()
    assert max(map(len, ended.err.splitlines())) <= 80
    assert not re.search(r"seat [02]", ended.err), "every player has a name"


def test_a_long_list_is_not_repeated_after_a_mistake(tmp_path):
    lines = "w:H\n" * 2 + "w:A\nw:P\nw:T\nmod:d99:A01\n"
    ended = human(tmp_path, lines, "random", "random", "random", "random", "--game", "dinodocus", "--seat", "4")
    told = " ".join(ended.err.split())
    assert "mod:d99:A01 is not legal, d99 is not on the table (N-21). Type ? for help." in told


# What is said of Dinodocus: seat 0 is you, seat 1 is Ada.

GAME = game("dinodocus")
DINOS = "d1=H07,A15,P12,T09/3/fern | d2=H01,A08,P15,T15"


def spoken(**options: Value) -> Words:
    return words_for(GAME, lambda seat: "Ada" if seat else "you", options)


def asked(text: str) -> Decide:
    """What you are asked in this position."""
    state = GAME.parse(text)
    view = GAME.view(state, 0)
    return Decide(1, view["phase"], view, list(GAME.legal(state, 0)), [], {})


def meanings(text: str) -> dict[str, str]:
    """What each choice means."""
    choice = asked(text)
    told = spoken(**choice.view["options"])
    return {action: told.meaning(choice, action) for action in choice.legal}


def question(text: str) -> str:
    (told,) = spoken().question(asked(text))
    return told


def test_a_card_to_discard_is_explained_by_what_it_adds():
    text = f"basic phase=discard | hand=H01,H07,A15,T01 {DINOS.replace('H07', 'H08').replace('A15', 'A14').replace('H01,A08', 'H02,A08')}"
    assert meanings(text) == {
        "d:H01": "carnivore's head 3/0",
        "d:H07": "herbivore's head 0/1",
        "d:A15": "front legs 0/2",
        "d:T01": "tail 1/0",
        "ok": "discard no more, and draw 1 card",
    }


def test_a_deck_is_explained_by_what_is_left_and_what_you_hold():
    decks = ",".join(f"T{number:02}" for number in range(1, 16) if number not in (9, 15))
    text = f"basic phase=draw draw_mode=may_stop discards={decks} | hand=A01 {DINOS}"
    assert meanings(text) == {
        "w:H": "heads: 13 in the deck; you hold 0",
        "w:A": "front legs: 12 in the deck; you hold 1",
        "w:P": "back legs: 13 in the deck; you hold 0",
        "w:T": "tails: the 13 discarded ones become a new deck; you hold 0",
        "stop": "draw no more",
    }
    assert question(text) == "From which deck do you draw? You hold 1 card; a dinosaur needs all four parts."


def test_a_mutation_is_explained_by_what_becomes_of_the_dinosaur():
    text = f"basic phase=mutate real_bonus=true | hand=H02,A02,P03,T03 {DINOS}"
    assert meanings(text) == {
        "hatch:H02,A02,P03,T03": "a new Allosaurus 4/5, carnivore, a real dinosaur",
        "mod:d1:A02": "your d1 Dikymidon 1/5 → Dilomidon 2/4",
        "mod:d1:P03": "your d1 Dikymidon 1/5 → Dikysaudon 2/5",
        "mod:d1:T03": "your d1 Dikymidon 1/5 → Dikymirus 0/6",
        "mod:d2:H02": "Ada's d2 Typlolorus 6/5 → Alplolorus 5/6",
        "mod:d2:A02": "Ada's d2 Typlolorus 6/5 → Tylolorus 6/4",
        "mod:d2:P03": "Ada's d2 Typlolorus 6/5 → Typlosaurus 7/5",
        "mod:d2:T03": "Ada's d2 Typlolorus 6/5 → Typlolorus 4/5",
        "end": "end your turn: a period card for your d1 (now 4)",
    }


@pytest.mark.parametrize(
    ("position", "meaning"),
    [
        ("basic phase=mutate | - | d2=H01,A08,P15,T15", "nothing happens"),
        ("basic phase=mutate | d1=H07,A15,P12,T09 | d2=H01,A08,P15,T15/2", "your d1 takes a fern; a period card for your d1 (now 1)"),
        ("basic phase=mutate | d1=H03,A14,P12,T03/3 | d2=H01,A08,P15,T15", "your d1 Disimirus finds no food and dies out (6 points in the timeline)"),
        ("basic phase=mutate | d1=H01,A08,P15,T15 | d2=H03,A14,P12,T03 d3=H09,A13,P03,T01", "then you choose what your carnivores eat"),
        ("basic phase=mutate | d1=H01,A08,P15,T15 | d2=H03,A14,P12,T03", "your d1 Typlolorus eats Ada's d2 Disimirus; a period card for your d1 (now 1)"),
        ("basic phase=mutate | d1=H01,A08,P15,T15 d2=H07,A15,P12,T09 | -", "your d2 takes a fern; your d1 Typlolorus eats your d2 Dikymidon; a period card for your d1 (now 1)"),
        ("basic phase=mutate periods=1 | d1=H07,A15,P12,T09/fern | -", "a period card for your d1 (now 1)"),
        ("basic phase=mutate periods=1 | d1=H07,A15,P12,T09/fern d2=H09,A13,P03,T01/fern | -", "then you choose who gets the last period cards"),
    ],
)  # fmt: skip
def test_the_end_of_a_turn_is_explained_as_far_as_it_goes_by_itself(position, meaning):
    assert meanings(position)["end"] == f"end your turn: {meaning}"


def test_reactions_and_bonuses_are_explained():
    react = f"basic current=1 phase=react focus=d1 | hand=H02,T03 {DINOS.replace('fern', 'fern/closed')}"
    assert meanings(react) == {"r:T03": "your d1 Dikymidon 1/5 → Dikymirus 0/6", "pass": "leave it as it is"}
    assert question(react) == "Ada mutated your d1 Dikymidon 1/5. Do you replace one of its cards, too?"
    bonus = "basic phase=bonus real_bonus=true focus=d1 | d1=H01,A01,P01,T01/3 | d2=H09,A13,P03,T02"
    assert meanings(bonus) == {"bonus": "your d1 3 → 5 periods (+9 points)", "no": "leave it as it is"}
    assert question(bonus) == "your d1 Tyrannosaurus 6/1 is a real dinosaur now. Do you add period cards to it?"


def test_offers_and_answers_are_explained():
    offer = f"advanced current=1 phase=offer window=mutate | hand=H02,T03 {DINOS}"
    assert meanings(offer) == {
        "give:H02": "carnivore's head 2/1",
        "give:T03": "tail 0/1",
        "pass": "offer nothing (more)",
    }
    assert question(offer) == "Do you offer Ada a card? If it is accepted, you get a hidden period card."
    answer = f"advanced phase=answer window=mutate | {DINOS} hand=T03 offer=T03"
    assert meanings(answer) == {
        "yes:T03": "you get the tail 0/1, Ada gets a hidden period card",
        "no:T03": "Ada keeps it",
    }
    assert question(answer) == "Do you accept T03 (tail 0/1) from Ada?"


def test_taking_and_stealing_ferns_is_explained():
    ferns = "d3=H09,A13,P03,T01/fern d4=H13,A10,P10,T02/fern d5=H12,A07,P07,T14/fern"
    take = f"basic phase=herb | d1=H07,A15,P12,T09 d2=H11,A01,P02,T10 | {ferns}"
    assert meanings(take)["take:d1"] == "your d1 Dikymidon 1/5 takes a fern from the pool"
    assert question(take) == "The pool has too few ferns for all. Which herbivore takes one?"
    steal = "basic phase=herb herb_duty=free | d1=H07,A15,P12,T09 d6=H01,A08,P15,T15 | d3=H09,A13,P03,T01/fern d4=H13,A10,P10,T02/2/fern d5=H12,A06,P06,T14/fern d7=H10,A12,P08,T08/fern"
    assert meanings(steal) == {
        "steal:d1:d3": "your d1 Dikymidon 1/5 takes the fern of Ada's d3 Prolisausaurus 3/4",
        "steal:d1:d4": "your d1 Dikymidon 1/5 takes the fern of Ada's d4 Preguanacotan 4/2 (2 periods)",
        "done": "steal nothing; no food for d1",
    }
    assert question(steal) == "The pool is empty. Which herbivore takes the fern of a weaker one?"


def test_meals_and_the_last_period_cards_are_explained():
    hunt = "basic phase=carn carn_duty=free | d1=H01,A08,P15,T15 | d2=H03,A14,P12,T03/2 d3=H09,A13,P03,T01"
    assert meanings(hunt) == {
        "eat:d1:d2": "your d1 Typlolorus 6/5 eats Ada's d2 Disimirus 2/4 (2 periods)",
        "eat:d1:d3": "your d1 Typlolorus 6/5 eats Ada's d3 Prolisausaurus 3/4",
        "starve:d1": "your d1 Typlolorus 6/5 stays hungry and dies out",
    }
    last = "basic phase=alloc periods=1 | d1=H07,A15,P12,T09/4/fern d2=H09,A13,P03,T01/fern | -"
    assert meanings(last) == {
        "give:d1": "your d1 4 → 5 periods (+5 points)",
        "give:d2": "your d2 0 → 1 period (+1 point)",
    }
    assert question(last) == "Only 1 period card left, and then the game is over. Which dinosaurs get one?"


def test_many_choices_are_gathered_by_dinosaur():
    mutations = asked(f"basic phase=mutate | hand=H02,A02,P03,T03,T04 {DINOS}")
    assert spoken().gathered(mutations) == [
        ("Hatch", ["H02,A02,P03,T03  Allosaurus 4/5, carnivore", "H02,A02,P03,T04  Allosaurus 5/5, carnivore"]),
        ("Replace a card of your d1 Dikymidon 1/5, herbivore", ["A02 → 2/4", "P03 → 2/5", "T03 → 0/6", "T04 → 1/6"]),
        ("Replace a card of Ada's d2 Typlolorus 6/5, carnivore", ["H02 → 5/6", "A02 → 6/4", "P03 → 7/5", "T03 → 4/5", "T04 → 5/5"]),
        ("", ["end  end your turn: a period card for your d1 (now 4)"]),
    ]  # fmt: skip
    hunt = asked("basic phase=carn | d1=H01,A08,P15,T15 | d2=H03,A14,P12,T03/2")
    assert spoken().gathered(hunt) == [("your d1 Typlolorus 6/5 eats", ["Ada's d2 Disimirus 2/4 (2 periods)"])]
    theft = "d1=H07,A15,P12,T09 | d2=H09,A13,P03,T01/1/fern d3=H13,A10,P10,T02/fern d4=H12,A07,P07,T14/fern d5=H10,A09,P08,T08/fern"
    ((heading, cells),) = spoken().gathered(asked(f"basic phase=herb | {theft}"))
    assert (heading, cells[0]) == (
        "your d1 Dikymidon 1/5 takes the fern of",
        "Ada's d2 Prolisausaurus 3/4 (1 period)",
    )


@pytest.mark.parametrize("options", [{"advanced": True, "hand_parts_public": False}, {"carn_duty": "free"}])
def test_whole_games_have_words_for_all_that_is_asked_and_happens(options):
    dice, before, told = Seed(6), GAME.start(3, options), spoken(**options)
    for _, state in steps(GAME, before, dice, at_random(dice)):
        story = told.story(GAME.events(before, state, 0), GAME.view(before, 0))
        assert all(len(line) <= 80 for text in story for line in text.splitlines())
        before = state
        if 0 in GAME.to_act(state):
            view = GAME.view(state, 0)
            choice = Decide(1, view["phase"], view, list(GAME.legal(state, 0)), [], {})
            assert all([*told.question(choice), *(told.meaning(choice, action) for action in choice.legal)])
            assert sum(len(cells) for _, cells in told.gathered(choice)) == len(choice.legal)


def test_the_rules_in_short_name_what_is_different_in_this_match():
    deck = SMALL_DECK.replace("Three heads", "Three heads" * 9)
    view = GAME.view(GAME.start(2, {"deck": deck, "advanced": True}), 0)
    told = spoken(**view["options"]).rules(view)
    assert max(len(line) for text in told for line in text.splitlines()) <= 80
    assert any(re.match(r'In this match deck=\{"format":1,"id":"sm\.\.\. \(\d+ characters\): ', line) for line in told)
    assert "In this match advanced=true: the advanced game:" in told[-1]


def test_every_event_of_dinodocus_has_words():
    cards = {"d1": ["H07", "A15", "P12", "T09"], "d2": ["H01", "A08", "P15", "T15"]}
    story = spoken().story(
        [
            {"event": "flip", "seat": 0, "dino": "d1", "cards": cards["d1"]},
            {"event": "first", "seat": 1},
            {"event": "turn", "turn": 1, "seat": 1},
            {"event": "discard", "seat": 1, "card": "H03"},
            {"event": "rebuild", "part": "H"},
            {"event": "draw", "seat": 1, "part": "H", "card": None},
            {"event": "draw", "seat": 1, "part": None, "card": None},
            {"event": "draw", "seat": 0, "part": "T", "card": "T03"},
            {"event": "hatch", "seat": 1, "dino": "d2", "cards": cards["d2"]},
            {"event": "mutate", "seat": 1, "dino": "d1", "card": "A02", "replaced": "A15"},
            {"event": "react", "seat": 0, "dino": "d1", "card": "A15", "replaced": "A02"},
            {"event": "mutate", "seat": 1, "dino": "d2", "card": "H02", "replaced": "H01"},
            {"event": "bonus", "seat": 1, "dino": "d2", "periods": 2},
            {"event": "turn", "turn": 2, "seat": 0},
            {"event": "offer", "seat": 1, "to": 0, "card": "T03"},
            {"event": "accept", "seat": 1, "to": 0, "card": "T03"},
            {"event": "refuse", "seat": 0, "to": 1, "card": "A02"},
            {"event": "mutate", "seat": 0, "dino": "d1", "card": "T03", "replaced": "T09"},
            {"event": "take", "dino": "d1", "owner": 0},
            {"event": "take", "dino": "d3", "owner": 0},
            {"event": "steal", "dino": "d1", "owner": 0, "from": "d2", "robbed": 1},
            {"event": "eat", "dino": "d2", "owner": 1, "prey": "d1", "victim": 0, "periods": 3},
            {"event": "starve", "dino": "d2", "owner": 1, "periods": 0},
            {"event": "period", "dino": "d4", "owner": 1, "periods": 2},
            {"event": "period", "dino": "d5", "owner": 0, "periods": 1},
            {"event": "period", "dino": "d6", "owner": 0, "periods": 4},
            {"event": "score", "scores": [3, 4]},
        ],
        None,
    )
    assert [" ".join(text.split()) for text in story] == [
        "Set-up you get d1 Dikymidon 1/5 (herbivore); Ada begins",
        "Turn 1 Ada discards H03 (carnivore's head 2/0); the discarded heads become a new deck; Ada draws a head,"
        " a card; you draw T03 (tail 0/1); Ada hatches d2 Typlolorus 6/5 (carnivore); Ada mutates your d1 with A02:"
        " Dikymidon 1/5 → Dilomidon 2/4; you react with A15: Dilomidon 2/4 → Dikymidon 1/5; Ada mutates its d2 with"
        " H02: Typlolorus 6/5 → Alplolorus 5/6; Ada adds 2 period cards to Ada's d2 Alplolorus, a real dinosaur",
        "Turn 2 Ada offers T03 (tail 0/1) to you; you accept T03, Ada gets a hidden period card; Ada refuses A02;"
        " you mutate your d1 with T03: Dikymidon 1/5 → Dikymirus 0/6; your d1, d3 take a fern each; your d1"
        " Dikymirus takes the fern of Ada's d2 Alplolorus; Ada's d2 Alplolorus eats your d1 Dikymirus (6 points in"
        " the timeline); Ada's d2 Alplolorus finds no food and dies out; a period card for Ada's d4 (now 2);"
        " period cards for your d5 (now 1), d6 (now 4)",
        "Score you 3, Ada 4",
    ]
    assert max(len(line) for text in story for line in text.splitlines()) <= 80


def test_others_are_shown_when_there_is_something_new_to_see(capsys):
    shown = AtTerminal(GAME)
    shown.begin(Start("m", "dinodocus", 1, {}, 0, 2, ["me", "Ada"], {}, 1))
    view = GAME.view(GAME.parse("basic phase=mutate | d1=H07,A15,P12,T09 | d2=H01,A08,P15,T15"), 0)
    capsys.readouterr()
    shown._draw(view, everything=False)
    first = capsys.readouterr().err
    assert first.index("Ada  0 points") < first.index("Typlolorus") < first.index("YOU  0 points")
    shown._draw(view, everything=False)
    assert "Ada" not in capsys.readouterr().err
    shown._draw(view, everything=True)
    assert capsys.readouterr().err == first


def test_many_choices_stand_side_by_side_under_their_headings(capsys):
    shown = AtTerminal(GAME)
    shown._list_in_short([("Hatch", ["one", "eleven"]), ("", ["x" * 70]), ("", ["end " + "of it " * 20])])
    assert capsys.readouterr().err.splitlines() == [
        "Hatch",
        "  1 one       2 eleven",
        f"  3 {'x' * 70}",
        "  4 end of it of it of it of it of it of it of it of it of it of it of it of it",
        "    of it of it of it of it of it of it of it of it",
    ]
