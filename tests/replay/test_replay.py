"""Records played again: what is shown of them, which of them are believed, and that they tell what happened."""

import json
import os
import random
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fcntl import ioctl
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena import play, running
from arena.cli.film import Film, film_of
from arena.cli.viewer import DRAWN, ENTER, LEAVE, Viewer, keys, watch
from arena.errors import RecordError
from arena.match import play as matches
from arena.match.bank import CPU_PATIENCE
from arena.match.bot import Bot
from arena.match.clock import TimeControl
from arena.match.cores import Usage
from arena.match.faults import Broken, FaultKind, disqualifies
from arena.match.record import Account, Decision, FaultNote, Header, MatchRecord, Player, Status, Step
from arena.match.record_file import from_bytes, save, to_bytes
from arena.match.referee import Referee, ranked
from arena.replay.ask import Examination
from arena.replay.moments import _faults_by_moment, leads, moments, questions, states
from arena.replay.verify import verify
from engine.contract import plain
from engine.draftosaurus import GAME
from protocol.errors import ErrorKind
from protocol.messages import Decide, Move, Ready, Start
from protocol.session import Refused
from tests.cli.command import Command, arena, here
from tests.machine import at_best
from tests.sizes import sweep

Say = Callable[[int, Decide], Any]


def by_turns(_seat: int, question: Decide) -> Move:
    """The legal actions in turn, so that matches are not dull."""
    return Move(question.id, question.legal[question.id % len(question.legal)])


def refereed(
    say: Say = by_turns, seats: int = 2, *, until: int | None = None, names: Sequence[str] = ()
) -> MatchRecord:
    """A match without processes: `say` answers for all seats, and says None for no answer at all."""
    names = names or [f"bot{seat}" for seat in range(seats)]
    players = tuple(Player(name, "1.0", "") for name in names)
    referee = Referee(GAME, Header("m", GAME.name, GAME.edition, {}, seed=7, players=players))
    referee.begin(0.0, [None] * seats)
    at = 0.0
    while not referee.over:
        told = referee.outbox()
        for seat, message in told:
            referee.asked(seat, at, 0.0)
            item = Ready() if isinstance(message, Start) else say(seat, cast(Decide, message))
            if item is not None:
                referee.heard(seat, item, at + 0.0005 * (seat + 1), 0.0)
        if not told:
            referee.time_is_up(at + 1e6)
        if until is not None and len(referee.steps) >= until:
            referee.fail("the power went out")
        at += 1e7
    return referee.record()


def troubled(seat: int, question: Decide) -> object:
    """Seat 1 makes every mistake there is: 3 strikes and it is out."""
    if seat == 1 and question.id == 2:
        not_picked = "T" if question.view["picks"][1] != "T" else "D"
        return Move(2, f"{not_picked}@RV", note="a zoo\x1b[2J of my own")
    if seat == 1 and question.id == 3:
        return None
    if seat == 1 and question.id == 5:
        return Refused(ErrorKind.WRONG_TYPE, 9, "$.action: expected a string, got an integer 7")
    if seat == 0 and question.id == 2:
        return replace(by_turns(seat, question), note="first line\nsecond line")
    return by_turns(seat, question)


@pytest.fixture(scope="module")
def real(processes: None) -> MatchRecord:  # noqa: ARG001
    """A match of real bots."""
    return play("random", "greedy", seed=3)


@pytest.fixture(scope="module")
def faulty() -> MatchRecord:
    return refereed(troubled)


@pytest.fixture(scope="module")
def film(faulty) -> Film:
    return film_of(faulty)


@pytest.fixture
def replayed(monkeypatch, capsys) -> Command:
    return partial(here, monkeypatch, capsys, "replay")


# Plain text


@pytest.mark.usefixtures("processes")
def test_a_pipe_gets_the_whole_match_step_by_step(tmp_path, golden):
    path = tmp_path / "a.match.jsonl.gz"
    save(refereed(troubled, until=9), path)
    shown = arena("replay", path)
    assert (shown.code, shown.err) == (0, "")
    golden("cli/replay.txt", shown.out)


def test_a_pipe_gets_one_moment_as_a_seat_sees_it(replayed, tmp_path, golden, faulty):
    path = tmp_path / "a.match.jsonl.gz"
    save(faulty, path)
    last = len(faulty.steps)
    found = [replayed(path, "--step", last).out, replayed(path, "--decision", 15, "--seat", 1).out]
    found += [replayed(path, "--step", 1, "--seat", "all").out]
    golden("cli/replay-moments.txt", "\n".join(found))


def test_json_is_one_line_a_moment(replayed, tmp_path, faulty):
    path = tmp_path / "a.match.jsonl.gz"
    save(faulty, path)
    rows = [json.loads(line) for line in replayed(path, "--json").out.splitlines()]
    assert [row["step"] for row in rows] == list(range(len(faulty.steps) + 1))
    numbers = [decision["decision"] for row in rows for decision in row["decisions"]]
    assert numbers == [number for number, _, _ in faulty.decisions()]
    assert [fault["kind"] for row in rows for fault in row["faults"]] == ["illegal", "late", "malformed", "strikes"]
    assert tuple(rows[-1]["scores"]) == faulty.verdict.scores
    assert rows[-1]["disqualified"] == [1]
    (row,) = [json.loads(line) for line in replayed(path, "--json", "--step", 1, "--seat", 0).out.splitlines()]
    assert row["chance"].startswith("deal:")
    assert row["view"]["seat"] == 0


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--decision", 0], "--decision 0: this match has decisions 1 to "),
        (["--decision", 999], "--decision 999: this match has decisions 1 to "),
        (["--step", 999], "--step 999: this match has steps 0 to "),
        (["--step", 1, "--decision", 1], "use --decision or --step, not both"),
        (["--seat", 2], "--seat 2: expected 0, 1 or all"),
    ],
)
def test_a_moment_that_is_not_there_is_a_mistake_of_use(replayed, tmp_path, faulty, words, complaint):
    path = tmp_path / "a.match.jsonl.gz"
    save(faulty, path)
    ended = replayed(path, *words)
    assert (ended.code, ended.out) == (2, "")
    assert complaint in ended.err


def test_a_file_that_is_no_record_is_one_line(replayed, tmp_path, faulty):
    path = tmp_path / "a.match.jsonl.gz"
    cases = {
        b"hello": "not a record: it begins with b'hello'",
        to_bytes(faulty)[:-7]: "it was cut off or changed",
        to_bytes(with_header(faulty, game="chess")): "unknown game 'chess'",
        to_bytes(with_step(faulty, 3, decisions=())): "",
    }
    for data, complaint in cases.items():
        path.write_bytes(data)
        ended = replayed(path)
        assert (ended.code, ended.out) == (1, "")
        assert ended.err.startswith(f"arena: {path}: {complaint}")
        assert ended.err.count("\n") == 1
    assert replayed(tmp_path / "none").err == f"arena: {tmp_path / 'none'}: No such file or directory\n"


def test_a_record_that_the_rules_do_not_lead_to_is_shown_with_a_warning(faulty):
    text = screen(Viewer(film_of(with_verdict(faulty, scores=(99, 99)))))
    assert "The rules do not lead to this. step " in text
    assert "the scores: the record says (99, 99)" in text


def test_a_bot_cannot_write_to_the_terminal():
    names = ["\x1b[31mred\nline", "x" * 64]
    shown = film_of(refereed(troubled, names=names))
    for at in range(len(shown.moments)):
        assert "\x1b" not in screen(Viewer(shown, at))
    assert "\n0 \\x1b[31mred\\nline 0\n1 xxx" in screen(Viewer(shown))
    assert "note: a zoo\\x1b[2J of my own" in screen(Viewer(shown).press("f"))


# The viewer


def screen(viewer: Viewer) -> str:
    return "\n".join(viewer.screen(plain))


def pressed(viewer: Viewer, *names: str) -> Viewer:
    for name in names:
        viewer = viewer.press(name)
    return viewer


@pytest.mark.parametrize("key", ["n", " ", "right"])
def test_next_and_back(film, key):
    viewer = Viewer(film)
    assert viewer.press(key).at == 1
    for back in ("b", "left"):
        assert pressed(viewer, key, key, back).at == 1


def test_home_and_end_and_nothing_beyond_them(film):
    end = Viewer(film).press("end")
    assert end.at == len(film.record.steps)
    assert end.press("n").at == end.at
    assert screen(end.press("n")).endswith("This is the end.")
    assert "n next" in screen(pressed(end, "n", "b", "n"))
    home = end.press("home")
    assert home.at == 0
    assert screen(home.press("b")).endswith("This is the beginning.")


def test_go_to_a_step_or_a_decision(film):
    for number, index, _ in film.record.decisions():
        assert pressed(Viewer(film), "d", *str(number), "enter").at == index + 1
        assert pressed(Viewer(film), "g", *str(index), "enter").at == index
    typing = pressed(Viewer(film), "d", "4", "x", "2")
    assert screen(typing).endswith("go to decision 42_   (Enter goes there, Esc cancels)")
    assert pressed(typing, "escape").at == 0
    assert pressed(typing, "backspace", "enter") == pressed(Viewer(film), "d", "4", "enter")
    assert pressed(Viewer(film, 3), "g", "enter") == Viewer(film, 3)
    assert screen(pressed(Viewer(film), "g", "1")).endswith("go to step 1_   (Enter goes there, Esc cancels)")
    assert (
        pressed(Viewer(film, 3), "g", *"999", "enter").message == "There is no step 999: this match has steps 0 to 52."
    )


@pytest.mark.parametrize("number", ["0", "999", "999999999999"])
def test_a_decision_that_is_not_there_is_refused(film, number):
    viewer = pressed(Viewer(film, 3), "d", *number, "enter")
    assert viewer.at == 3
    assert "this match has decisions 1 to" in viewer.message


def test_faults_one_after_the_other(film):
    seen, viewer = [], Viewer(film)
    while not (viewer := viewer.press("f")).message:
        seen.append([fault.kind for fault in viewer.moment.faults])
    assert seen == [["illegal"], ["late"], ["malformed", "strikes"]]
    assert viewer.message == "There is no fault after this."
    assert [fault.kind for fault in viewer.press("F").moment.faults] == ["late"]
    assert Viewer(film).press("F").message == "There is no fault before this."


def test_a_fault_says_what_was_played_instead_and_why(film):
    first = screen(Viewer(film, width=200).press("f"))
    assert re.search(r"seat 1 bot1  \S+ +illegal, 1.00 ms, answered '[TD]@RV': seat 1: ", first)
    third = screen(pressed(Viewer(film, width=200), "f", "f", "f"))
    assert "$.action: expected a string, got an integer 7" in third
    assert "bot1 (seat 1): is disqualified, strikes: 3 strikes" in third
    assert re.search(r"1 bot1 \d+ disqualified", third)
    assert re.search(r"seat 1 bot1 .*absent", screen(pressed(Viewer(film), "f", "f", "f", *"nnn")))


def test_changes_of_the_lead_are_found():
    film = film_of(refereed(seats=3))
    at, viewer = [], Viewer(film)
    while not (viewer := viewer.press("l")).message:
        at.append(viewer.at)
    found = [moment.leaders for moment in film.moments]
    assert at == [i for i in range(1, len(found)) if found[i] != found[i - 1]]
    assert len(at) > 1
    assert viewer.message == "There is no change of the lead after this."
    assert viewer.press("L").at == at[-2]


def test_who_is_disqualified_does_not_lead():
    def crash(seat: int, question: Decide) -> object:
        is_last = question.view["round"] == 4 and question.view["turn"] == 3
        return Broken(FaultKind.CRASH, "it exited with status 1") if seat == 1 and is_last else best(question)

    def best(question: Decide) -> Move:
        return Move(question.id, question.legal[0 if question.view["seat"] == 1 else -1])

    record = refereed(crash)
    assert leads(GAME, states(record)[-1]) == (1,), "by points alone"
    assert moments(record)[-1].leaders == (0,)
    assert re.search(r"0 bot0 \d+ wins   1 bot1 \d+ disqualified", screen(Viewer(film_of(record)).press("end")))


def test_a_bot_that_never_started_is_shown_at_the_beginning():
    players = (Player("a", "1", ""), Player("b", "1", ""))
    referee = Referee(GAME, Header("m", GAME.name, 1, {}, 7, players))
    referee.begin(0.0, [Broken(FaultKind.NOT_STARTED, "no such file"), Broken(FaultKind.NO_HELLO, "no hello")])
    shown = screen(Viewer(film_of(referee.record())))
    assert "a (seat 0): is disqualified, not-started: no such file" in shown
    assert "b (seat 1): is disqualified, no-hello: no hello" in shown


def test_a_bot_that_ends_between_its_decisions_is_shown_at_the_first_that_it_did_not_make():
    crash = FaultNote(FaultKind.CRASH.value, 1, None, "exited")
    present, absent = Decision(1, "D", Status.ACCEPTED), Decision(1, "D", Status.ABSENT)
    record = refereed(until=9)
    steps = tuple(Step("", decisions=(decision,)) for decision in (present, present, absent, absent))
    left = replace(record, steps=steps, verdict=replace(record.verdict, faults=(crash,)))
    assert _faults_by_moment(left) == {3: [crash]}


def test_a_void_match_says_so_and_has_no_winner():
    end = Viewer(film_of(refereed(until=9))).press("end")
    assert "This match is void: the power went out" in screen(end)
    assert "wins" not in screen(end)
    assert "the arena: arena: the power went out" in screen(end)
    assert Viewer(end.film).press("f").at == end.at


def test_a_view_shows_the_hands_that_it_knows(film):
    viewer = pressed(Viewer(film, height=60), "n")
    assert "hand" not in "".join(screen(viewer).partition("summer")[2])
    assert screen(viewer.press("0")).count(" hand ") == 2, "its own, and once more in what it saw"
    assert screen(viewer.press("a")).count("  hand ") == 2
    assert pressed(viewer, "0", "s") == viewer
    views = [viewer := viewer.press("v") for _ in range(4)]
    assert [seen.whose for seen in views] == [0, 1, "all", "spectator"]
    assert viewer.press("2").message == "There is no seat 2: this match has seats 0 to 1."


def test_a_deal_is_hidden_from_those_who_do_not_see_it(film):
    dealt = film.record.steps[0].chance
    hands = re.findall(r"[TDCSGP]{6}", dealt)
    lines = {key: screen(pressed(Viewer(film), "n", key)).splitlines()[3] for key in "s0a"}
    assert lines == {
        "s": "chance  deal: round 1",
        "0": f"chance  deal: round 1, hand {hands[0]}",
        "a": f"chance  {dealt}",
    }


@pytest.mark.parametrize("height", [1, 2, 5, 24, 40, 100])
@pytest.mark.parametrize("seats", [2, 5])
def test_the_screen_fits_the_window(height, seats):
    viewer = Viewer(film_of(refereed(seats=seats)), height=height)
    for at in range(len(viewer.film.moments)):
        lines = replace(viewer, at=at).screen(plain)
        assert len(lines) == height
        assert max(map(len, lines)) <= 80


def test_a_small_window_scrolls_and_stays_where_it_is(film):
    viewer = Viewer(film, height=12)
    assert "lines 1-5 of 21 ↑↓" in screen(viewer)
    assert "lines 2-6 of 21" in screen(viewer.press("down"))
    assert "The match begins." in screen(viewer.press("down")), "what happened stays in view"
    assert pressed(viewer, "down", "up") == viewer == viewer.press("up")
    bottom = pressed(viewer, *["page down"] * 5)
    assert "lines 17-21 of 21" in screen(bottom)
    assert "└──" in screen(bottom)
    assert "lines 16-20 of 21" in screen(bottom.press("up")), "no matter how often one went down"
    assert pressed(bottom, "n", "n").top == bottom.top
    assert "lines" not in screen(replace(bottom, height=40)).splitlines()[2]


def test_in_a_terminal_of_the_usual_size_each_seat_has_its_move_and_its_whole_board_on_one_screen(tmp_path):
    record = save(refereed(seats=3), tmp_path / "three.match.jsonl.gz")
    shown = film_of(record)
    at = next(moment.number for moment in shown.moments if moment.step and "@" in str(moment.step.decisions))
    for seat in range(3):
        lines = Viewer(shown, at).press(str(seat)).screen(plain)
        first = next(number for number, line in enumerate(lines) if line.startswith(f"seat {seat} bot{seat}"))
        assert [line[:1] for line in lines[first + 1 : first + 9]] == ["┌", *"│" * 6, "└"]
        assert any(re.match(rf" *\d+  seat {seat} bot{seat}  ", line) for line in lines)
        tabbed = pressed(Viewer(shown, at), *["\t"] * (seat + 1))
        assert any(line.startswith(f"seat {seat} bot{seat}") for line in tabbed.screen(plain))


def test_what_a_step_changed_is_marked(film):
    at = next(moment.number for moment in film.moments if moment.step and "@" in str(moment.step.decisions))
    lines = Viewer(film, at, height=60).screen(plain)
    marked = [line for line in lines if line.endswith("◂")]
    assert 2 <= len(marked) < len(lines) // 2
    assert all(len(line) == 80 for line in marked)
    assert "◂" not in screen(Viewer(film, 0, height=60))


def test_keys_show_what_bots_wrote_and_what_letters_mean(film):
    verdict = film.record.verdict
    accounts = (Account(stderr="thinking\x1b[2J\n" * 30, stderr_bytes=330), Account())
    talked = replace(film, record=replace(film.record, verdict=replace(verdict, accounts=accounts)))
    page = Viewer(talked).press("e")
    assert "stderr of bot0 (seat 0), 330 bytes" in screen(page)
    assert "thinking\\x1b[2J" in screen(page)
    assert "bot1 (seat 1) wrote nothing to stderr." in screen(pressed(page, *["page down"] * 3))
    assert screen(page.press("x")) == screen(Viewer(talked))
    assert "T T-Rex, D Diplodocus" in screen(Viewer(film).press("r"))


def test_without_a_file_the_newest_record_is_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    refused = here(monkeypatch, capsys, "replay")
    assert (refused.code, "there is no record in matches/ or here" in refused.err) == (2, True)
    (tmp_path / "matches").mkdir()
    for age, (name, seats) in enumerate({"old.match.jsonl.gz": 2, "matches/new.match.jsonl.gz": 3}.items()):
        save(refereed(seats=seats), Path(name))
        os.utime(name, (age, age))
    assert "2 bot2" in here(monkeypatch, capsys, "replay", "--step", 0).out
    os.utime("old.match.jsonl.gz", (5, 5))
    assert "2 bot2" not in here(monkeypatch, capsys, "replay", "--step", 0).out


def test_stderr_of_a_healthy_bot_can_be_read(film, tmp_path, monkeypatch, capsys):
    verdict = film.record.verdict
    accounts = (Account(stderr="one\ntwo\x1b\n", stderr_bytes=9), Account())
    path = tmp_path / "x.match.jsonl.gz"
    save(replace(film.record, verdict=replace(verdict, accounts=accounts)), path)
    assert here(monkeypatch, capsys, "stderr", path).out == (
        "stderr of bot0 (seat 0), 9 bytes:\n  one\n  two\\x1b\nbot1 (seat 1) wrote nothing to stderr.\n"
    )
    assert here(monkeypatch, capsys, "stderr", path, "--seat", 0).out == "  one\n  two\\x1b\n"
    found = json.loads(here(monkeypatch, capsys, "stderr", path, "--json").out)
    assert [(one["seat"], one["bot"], one["stderr"]) for one in found] == [
        (0, "bot0", "one\ntwo\x1b\n"),
        (1, "bot1", ""),
    ]
    assert here(monkeypatch, capsys, "stderr", path, "--seat", 2).code == 2
    monkeypatch.chdir(tmp_path)
    assert here(monkeypatch, capsys, "stderr", "--seat", 0).out == "  one\n  two\\x1b\n", "of the newest record"


def test_help_lists_the_keys_and_any_key_leaves_it(film):
    assert "the next change of the lead" in screen(Viewer(film).press("?"))
    assert pressed(Viewer(film), "?", "q") == Viewer(film)


def test_q_quits_and_other_keys_do_nothing(film):
    assert Viewer(film).press("q").is_over
    assert pressed(Viewer(film), "z", "", "é", "²") == Viewer(film)


def test_terminals_send_keys():
    data = b"n \x1b[A\x1b[B\x1b[C\x1bOD\x1b[H\x1b[4~\x1b[5~\x1b[6~\r\x7f\x1b[1;5P7\xc3\xa9\x1b"
    names = ["up", "down", "right", "left", "home", "end"]
    assert keys(data) == ["n", " ", *names, "page up", "page down", "enter", "backspace", "7", "é", "escape"]


# The terminal


class Terminal:
    """A pseudo-terminal with the command in it."""

    def __init__(self, path: Path, rows: int, columns: int, **environment: str) -> None:
        self.outer, self.inner = os.openpty()
        self.resize(rows, columns)
        self.before = termios.tcgetattr(self.inner)
        self.out = b""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "arena", "replay", str(path)],
            stdin=self.inner,
            stdout=self.inner,
            stderr=subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "TERM": "xterm", **environment},
            start_new_session=True,
        )

    def resize(self, rows: int, columns: int) -> None:
        self.columns = columns
        ioctl(self.inner, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text: str) -> None:
        os.write(self.outer, text.encode())

    def until(self, words: str, rows: int = 24) -> list[str]:
        """The screen, as soon as it has these words and so many rows."""
        give_up = time.monotonic() + 20
        while True:
            frame, _, end = self.out.decode(errors="replace").rpartition("\x1b[H")[2].partition(DRAWN)
            lines = [drawn(row, self.columns) for row in frame.replace("\r", "").split("\n")]
            if words in frame and len(lines) == rows and self.out.endswith((DRAWN.encode(), LEAVE.encode())):
                return lines
            assert time.monotonic() < give_up, f"no {words!r} in {lines}, {end!r}"
            self.out += pending(self.outer)

    def leave(self) -> int:
        code = self.process.wait(20)
        self.out += b"".join(iter(lambda: pending(self.outer), b""))
        return code

    @property
    def is_restored(self) -> bool:
        text = self.out.decode()
        return text.startswith(ENTER) and text.endswith(LEAVE) and termios.tcgetattr(self.inner) == self.before

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        os.close(self.outer)
        os.close(self.inner)


def drawn(row: str, columns: int) -> str:
    """What a row of a terminal shows after these characters: behind the last column the cursor stays in it."""
    cells = [" "] * columns
    at = 0
    for piece in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|.", row):
        last = min(at, columns - 1)
        if piece == "\x1b[K":
            cells[last:] = [" "] * (columns - last)
        elif not piece.startswith("\x1b"):
            cells[last] = piece
            at += 1
    return "".join(cells).rstrip()


@pytest.fixture
def terminal(tmp_path, faulty) -> Iterator[Callable[..., Terminal]]:
    opened = []

    def start(**environment: str) -> Terminal:
        path = tmp_path / "a.match.jsonl.gz"
        save(faulty, path)
        opened.append(Terminal(path, 24, 80, **environment))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


@pytest.mark.usefixtures("processes")
def test_a_terminal_is_used_and_given_back(terminal):
    window = terminal()
    window.until("The match begins.")
    assert termios.tcgetattr(window.inner) != window.before
    window.type("nn\x1b[C")
    shown = window.until("step 3 of ")
    assert shown[-1].startswith("n next")
    assert b"\x1b[31m" in window.out or b"\x1b[36m" in window.out, "in colour"
    window.type("d12\r")
    window.until("decisions 11 to 12")
    window.resize(40, 100)
    window.process.send_signal(signal.SIGWINCH)
    assert any("└──" in line for line in window.until("decisions 11 to 12", rows=40))
    window.type("q")
    assert window.leave() == 0
    assert window.is_restored


@pytest.mark.usefixtures("processes")
def test_a_line_as_wide_as_the_window_is_shown_whole(terminal):
    window = terminal()
    window.until("The match begins.")
    window.type("nnnn")
    rows = window.until("step 4 of ")
    changed = [row for row in rows if row.endswith("◂")]
    assert [len(row) for row in changed] == [80] * 3, "the mark is in the last column"


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_terminal_is_given_back_after_a_signal(terminal, number, code):
    window = terminal(NO_COLOR="1")
    window.until("n next")
    window.process.send_signal(number)
    assert window.leave() == code
    assert window.is_restored
    assert b"\x1b[1m" not in window.out, "no colour"
    assert window.process.stderr.read() == (b"arena: interrupted\n" if number == signal.SIGINT else b"")


@contextmanager
def in_place_of_stdio(fd: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with open(os.dup(fd)) as stdin, open(os.dup(fd), "w") as stdout:
        monkeypatch.setattr(sys, "stdin", stdin)
        monkeypatch.setattr(sys, "stdout", stdout)
        yield
        monkeypatch.undo()


def pending(fd: int) -> bytes:
    """What can be read now."""
    return os.read(fd, 1 << 16) if select.select([fd], [], [], 0.2)[0] else b""


def test_a_terminal_is_given_back_when_drawing_fails(film, monkeypatch):
    def broken(_text: str, _colour: str) -> str:
        raise ZeroDivisionError("a bug")

    outer, inner = os.openpty()
    before = termios.tcgetattr(inner)
    with in_place_of_stdio(inner, monkeypatch), pytest.raises(ZeroDivisionError):
        watch(Viewer(film), broken)
    assert termios.tcgetattr(inner) == before
    assert b"".join(iter(lambda: pending(outer), b"")).decode() == ENTER + LEAVE
    os.close(outer)
    os.close(inner)


# Which records are believed


def test_a_flipped_bit_anywhere_is_found(real):
    data = to_bytes(real)
    assert from_bytes(data) == real
    for i in range(len(data)):
        with pytest.raises(RecordError):
            from_bytes(data[:i] + bytes([data[i] ^ 1 << i % 8]) + data[i + 1 :])


def test_a_missing_end_or_beginning_is_found(real):
    data = to_bytes(real)
    for i in range(len(data)):
        with pytest.raises(RecordError):
            from_bytes(data[:i])
    for changed in (data[1:], data + b"\0", data + data):
        with pytest.raises(RecordError):
            from_bytes(changed)


def with_header(record: MatchRecord, **changes: Any) -> MatchRecord:
    return replace(record, header=replace(record.header, **changes))


def with_verdict(record: MatchRecord, **changes: Any) -> MatchRecord:
    return replace(record, verdict=replace(record.verdict, **changes))


def with_step(record: MatchRecord, number: int, **changes: Any) -> MatchRecord:
    steps = list(record.steps)
    steps[number - 1] = replace(steps[number - 1], **changes)
    return replace(record, steps=steps)


def with_decision(record: MatchRecord, number: int, action: str) -> MatchRecord:
    index, decision = {n: (index, decision) for n, index, decision in record.decisions()}[number]
    others = record.steps[index].decisions
    return with_step(
        record, index + 1, decisions=tuple(replace(d, action=action) if d is decision else d for d in others)
    )


@dataclass(frozen=True)
class Case:
    """A record that was changed with checksums that fit, and what is said of it."""

    record: MatchRecord
    step: int
    words: str


def other(record: MatchRecord, number: int) -> tuple[int, str]:
    """The step of a decision, and another action that was legal there."""
    index, decision = {n: (index, decision) for n, index, decision in record.decisions()}[number]
    legal = GAME.legal(states(record)[index], decision.seat)
    return index + 1, next(action for action in legal if action != decision.action)


def changed_action(record: MatchRecord) -> Case:
    step, action = other(record, 3)
    return Case(with_decision(record, 3, action), step, "the digest of the state: the record says ")


def illegal_action(record: MatchRecord) -> Case:
    return Case(with_decision(record, 1, "D@FS"), 3, "seat 0: 'D@FS' is malformed")


def changed_fallback(record: MatchRecord) -> Case:
    late = next(number for number, _, decision in record.decisions() if decision.status is Status.LATE)
    step, action = other(record, late)
    return Case(with_decision(record, late, action), step, f"seat 1, late: the record says {action}, the rules say ")


def no_choice(record: MatchRecord) -> Case:
    _, index, decision = next(row for row in record.decisions() if row[2].status is Status.ACCEPTED)
    forced = tuple(replace(d, status=Status.FORCED) if d is decision else d for d in record.steps[index].decisions)
    return Case(with_step(record, index + 1, decisions=forced), index + 1, f"seat {decision.seat}, forced: ")


def changed_roll(record: MatchRecord) -> Case:
    roll = "roll:W" if record.steps[1].chance != "roll:W" else "roll:X"
    words = f"chance: the record says {roll}, the rules say {record.steps[1].chance}"
    return Case(with_step(record, 2, chance=roll), 2, words)


def changed_deal(record: MatchRecord) -> Case:
    first, second = record.steps[0].chance.removeprefix("deal:").split(",")
    return Case(with_step(record, 1, chance=f"deal:{second},{first}"), 1, "chance: the record says deal:")


def wrong_seats(record: MatchRecord) -> Case:
    return Case(with_step(record, 3, decisions=record.steps[2].decisions[:1]), 3, "")


def wrong_digest(record: MatchRecord) -> Case:
    words = "the digest of the state: the record says 0123456789abcdef, the rules say "
    return Case(with_step(record, 9, state="0123456789abcdef"), 9, words)


def wrong_score(record: MatchRecord) -> Case:
    scores = tuple(score + 1 for score in record.verdict.scores)
    return Case(with_verdict(record, scores=scores), len(record.steps), f"the scores: the record says {scores}, ")


def wrong_rank(record: MatchRecord) -> Case:
    ranks = tuple(reversed(record.verdict.ranks))
    return Case(with_verdict(record, ranks=ranks), len(record.steps), f"the ranks: the record says {ranks}, ")


def wrong_breakdown(record: MatchRecord) -> Case:
    parts = tuple({**part, "FS": 99} for part in record.verdict.breakdown)
    return Case(with_verdict(record, breakdown=parts), len(record.steps), "the breakdown: the record says ")


def forgotten_fault(record: MatchRecord) -> Case:
    return Case(with_verdict(record, faults=(), ranks=(2, 2)), len(record.steps), "the ranks: ")


def missing_step(record: MatchRecord) -> Case:
    short = replace(record, steps=record.steps[:-1])
    return Case(short, len(short.steps), "the record ends, but the game does not")


def further_step(record: MatchRecord) -> Case:
    return Case(replace(record, steps=[*record.steps, Step("0" * 16, "roll:W")]), len(record.steps) + 1, "")


def other_edition(record: MatchRecord) -> Case:
    words = "draftosaurus was played in edition 2, and this arena has edition 1. Use arena "
    return Case(with_header(record, edition=2), 0, words)


def other_option(record: MatchRecord) -> Case:
    return Case(with_header(record, options={"season": "winter"}), 4, "seat 0: ")


def unknown_option(record: MatchRecord) -> Case:
    return Case(with_header(record, options={"sesaon": "winter"}), 0, "draftosaurus: unknown option 'sesaon'. ")


def unknown_game(record: MatchRecord) -> Case:
    return Case(with_header(record, game="chess"), 0, "unknown game 'chess'. ")


def other_seed(record: MatchRecord) -> Case:
    return Case(with_header(record, seed=8), 1, "chance: the record says deal:")


def other_seats(record: MatchRecord) -> Case:
    verdict = {"scores": (9,), "ranks": (1,), "breakdown": ({},), "faults": ()}
    alone = replace(with_verdict(record, **verdict), steps=record.steps[:2])
    return Case(
        with_header(alone, players=record.header.players[:1]), 0, "draftosaurus: 1 seat is not possible, it takes "
    )


def default_option(record: MatchRecord) -> Case:
    words = "option season: 'summer' is the default, which a header does not list"
    return Case(with_header(record, options={"season": "summer"}), 0, words)


def unknown_fault(record: MatchRecord) -> Case:
    faults = (*record.verdict.faults, FaultNote("bribe", 0, None, "it paid"))
    return Case(with_verdict(record, faults=faults), len(record.steps), "unknown fault 'bribe'. Use arena ")


def blamed_on_nobody(record: MatchRecord) -> Case:
    faults = (replace(record.verdict.faults[0], seat=None), *record.verdict.faults[1:])
    return Case(with_verdict(record, faults=faults), len(record.steps), "fault illegal of seat None: ")


def void_without_a_fault(record: MatchRecord) -> Case:
    words = "void: the record says 'I lost', its faults say None"
    return Case(with_verdict(record, void="I lost"), len(record.steps), words)


def void_though_it_is_over(record: MatchRecord) -> Case:
    faults = (*record.verdict.faults, FaultNote("arena", None, None, "I lost"))
    words = "the match is void, but the game is over"
    return Case(with_verdict(record, void="I lost", faults=faults), len(record.steps), words)


def not_void_with_an_arena_fault(record: MatchRecord) -> Case:
    faults = (*record.verdict.faults, FaultNote("overload", None, 3, "busy"))
    return Case(with_verdict(record, faults=faults), len(record.steps), "void: the record says None, its faults say ")


CHANGES = [
    changed_action, illegal_action, changed_fallback, no_choice, changed_roll, changed_deal, wrong_seats, wrong_digest,
    wrong_score, wrong_rank, wrong_breakdown, forgotten_fault, missing_step, further_step, other_edition, other_option,
    unknown_option, unknown_game, other_seed, other_seats, default_option, unknown_fault, blamed_on_nobody,
    void_without_a_fault, void_though_it_is_over, not_void_with_an_arena_fault,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_verify_names_the_first_step_that_is_not_true(faulty, change):
    case = change(faulty)
    found = verify(from_bytes(to_bytes(case.record)))
    assert found is not None
    assert (found.step, found.text[: len(case.words)]) == (case.step, case.words)
    assert str(found) == (f"step {found.step}: {found.text}" if case.step else found.text)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_record_that_is_not_true_is_shown_or_refused(faulty, change):
    record = change(faulty).record
    try:
        shown = film_of(record)
    except RecordError as error:
        assert_one_line(str(error))
        return
    assert_one_line(shown.complaint)
    for at in range(len(shown.moments)):
        screen(Viewer(shown, at))


def assert_one_line(text: str) -> None:
    assert text
    assert "\n" not in text


# Which conduct is believed: steps that follow the rules, but that no referee would have written down so.

CLOCK = TimeControl(bank_ms=500, increment_ms=100)


def course(*, charge: str = "wall", seats: int = 2, **settled: Any) -> MatchRecord:
    """A match without faults, in which each answer takes 0.15 s, so that the bank is empty after ten of them."""
    clock = replace(CLOCK, charge=charge)
    players = tuple(Player(f"bot{seat}", "1.0", "", clock) for seat in range(seats))
    referee = Referee(GAME, Header("m", GAME.name, GAME.edition, {}, seed=7, players=players, **settled))
    referee.begin(0.0, [None] * seats)
    asked = [0] * seats
    while not referee.over:
        for seat, message in referee.outbox():
            referee.asked(seat, 0.0, 0.0)
            asked[seat] += isinstance(message, Decide)
            used = 0.15 if asked[seat] <= 10 else 0.05
            item = Ready() if isinstance(message, Start) else by_turns(seat, cast(Decide, message))
            referee.heard(seat, item, used, used)
    return referee.record()


def swapped(record: MatchRecord, *faults: FaultNote) -> MatchRecord:
    """With these faults, and the ranks that follow from them."""
    out = {fault.seat for fault in faults if disqualifies(fault.kind)}
    outcome = GAME.outcome(states(record)[-1]) or GAME.tally(states(record)[-1])
    return with_verdict(record, faults=faults, ranks=ranked(outcome, out))


def with_decisions(
    record: MatchRecord, changes: Callable[[int, Decision], Decision], faults: Sequence[FaultNote] = ()
) -> MatchRecord:
    """With other decisions that play the same actions."""
    numbers = iter(range(1, 10**6))
    steps = [replace(s, decisions=tuple(changes(next(numbers), d) for d in s.decisions)) for s in record.steps]
    return swapped(replace(record, steps=steps), *faults)


def at(number: int, **fields: Any) -> Callable[[int, Decision], Decision]:
    return lambda n, decision: replace(decision, **fields) if n == number else decision


def own(record: MatchRecord, seat: int, status: Status = Status.ACCEPTED) -> list[int]:
    return [number for number, _, decision in record.decisions() if (decision.seat, decision.status) == (seat, status)]


def fallen_back(record: MatchRecord, seat: int = 1) -> tuple[int, Decision]:
    """A decision of a seat where it played the fallback of its own accord."""
    found = states(record)
    return next(
        (number, decision)
        for number, index, decision in record.decisions()
        if decision.seat == seat
        and decision.status is Status.ACCEPTED
        and decision.action == GAME.fallback(found[index], seat)
    )


Forgery = Callable[[MatchRecord], tuple[MatchRecord, str]]


def made_up_crash(record):
    return swapped(record, FaultNote("crash", 1, None, "it left")), "crash of seat 1 at no decision: nothing in the"


def made_up_crash_at_a_decision(record):
    number = own(record, 1)[5]
    forged = swapped(record, FaultNote("crash", 1, number, "it left"))
    return forged, f"seat 1, decision {number + 2}: the record says "


def made_up_crash_at_the_first_decision(record):
    forged = swapped(record, FaultNote("crash", 1, 2, "it left"))
    return forged, "seat 1, decision 4: the record says "


def crash_without_an_end(record):
    forged = swapped(record, FaultNote("crash", 1, own(record, 1)[-1], "it left"))
    return with_verdict(forged, accounts=(Account(), Account())), "fault crash of seat 1, whose process did not end"


def made_up_strikes(record):
    forged = swapped(record, FaultNote("strikes", 1, own(record, 1)[-1], "3 strikes"))
    return forged, f"strikes of seat 1 at decision {own(record, 1)[-1]}: nothing in the match fits it"


def too_few_strikes(record):
    number = own(record, 1)[3]
    faults = [FaultNote("malformed", 1, number, "?")] * 2
    return swapped(record, *faults, FaultNote("strikes", 1, number, "!")), f"strikes of seat 1 at decision {number}: "


def strikes_without_the_end(record):
    faults = [FaultNote("malformed", 1, 2, "?")] * 3
    return swapped(record, *faults), "the faults: the record says nothing more, the referee strikes of seat 1 at"


def late_without_a_late_decision(record):
    return swapped(record, FaultNote("late", 1, 2, "?")), "late of seat 1 at decision 2: nothing in the match fits it"


def not_started_in_the_middle(record):
    number = own(record, 1)[-1]
    forged = swapped(record, FaultNote("not-started", 1, number, "?"))
    return forged, f"not-started of seat 1 at decision {number}: nothing in the match fits it"


def fault_of_the_wrong_seat(record):
    return swapped(record, FaultNote("malformed", 0, 2, "?")), "the faults: the record says malformed of seat 0 at dec"


def faults_out_of_order(record):
    faults = [FaultNote("malformed", 1, number, "?") for number in (own(record, 1)[1], own(record, 1)[0])]
    return swapped(record, *faults), f"malformed of seat 1 at decision {own(record, 1)[0]}: nothing in the match"


def absent_without_a_fault(record):
    number, _ = fallen_back(record)
    forged = with_decisions(record, at(number, status=Status.ABSENT, used_us=0))
    return forged, f"seat 1, decision {number}: absent, but the seat was asked"


def back_again(record):
    number, _ = fallen_back(record)
    fault = FaultNote("crash", 1, number, "it left")
    forged = with_decisions(record, at(number, status=Status.ABSENT, used_us=0), [fault])
    return forged, f"seat 1, decision {number + 2}: the record says "


def accepted_beyond_the_clock(record):
    return with_decisions(record, at(2, used_us=600_001)), "the faults: the record says nothing more, the referee late"


def accepted_beyond_the_bank(record):
    number = own(record, 1)[10]
    return with_decisions(record, at(number, used_us=100_001)), "the faults: the record says nothing more, the referee "


def late_within_the_clock(record):
    number, _ = fallen_back(record)
    late = at(number, status=Status.LATE, used_us=90_000, reason="?")
    forged = with_decisions(record, late, [FaultNote("late", 1, number, "?")])
    return forged, f"late of seat 1 at decision {number}: nothing in the match fits it"


def late_without_its_fault(record):
    number, _ = fallen_back(record)
    forged = with_decisions(record, at(number, status=Status.LATE, used_us=700_000, reason="?"))
    return forged, "the faults: the record says nothing more, the referee late of seat 1 at decision "


def legal_but_called_illegal(record):
    number, decision = fallen_back(record)
    illegal = at(number, status=Status.ILLEGAL, answer=decision.action, reason="?")
    forged = with_decisions(record, illegal, [FaultNote("illegal", 1, number, "?")])
    return forged, f"illegal of seat 1 at decision {number}: nothing in the match fits it"


def malformed_but_called_illegal(record):
    number, _ = fallen_back(record)
    illegal = at(number, status=Status.ILLEGAL, answer="banana", reason="?")
    forged = with_decisions(record, illegal, [FaultNote("illegal", 1, number, "?")])
    return forged, f"the faults: the record says illegal of seat 1 at decision {number}, the referee malformed of seat"


def illegal_without_an_answer(record):
    number, _ = fallen_back(record)
    forged = with_decisions(
        record, at(number, status=Status.ILLEGAL, reason="?"), [FaultNote("illegal", 1, number, "?")]
    )
    return forged, f"the faults: the record says illegal of seat 1 at decision {number}, the referee malformed of seat"


def time_for_a_forced_decision(record):
    number = own(record, 1, Status.FORCED)[0]
    return with_decisions(record, at(number, used_us=1)), f"seat 1, decision {number}: the record says "


def forced_but_to_be_asked(record):
    return with_header(record, ask_forced=True), f"seat 0, decision {own(record, 0, Status.FORCED)[0]}: forced, but "


def accepted_but_not_asked(record):
    number = own(record, 1, Status.FORCED)[0]
    return with_decisions(record, at(number, status=Status.ACCEPTED)), f"seat 1, decision {number}: the record says "


def accepted_with_another_answer(record):
    return with_decisions(record, at(2, answer="banana")), "seat 1, decision 2: the record says "


def accepted_with_a_reason(record):
    return with_decisions(record, at(2, reason="pity")), "seat 1, decision 2: the record says "


def accepted_with_a_note_that_is_too_long(record):
    return with_decisions(record, at(2, note="n" * 2000)), "seat 1, decision 2: the record says "


def forced_with_a_note(record):
    number = own(record, 1, Status.FORCED)[0]
    return with_decisions(record, at(number, note="?")), f"seat 1, decision {number}: the record says "


def overload_while_nobody_was_asked(record):
    short = replace(record, steps=record.steps[:9])
    made = sum(len(step.decisions) for step in short.steps)
    forged = swapped(short, FaultNote("overload", None, made, "busy"))
    return with_verdict(forged, void="busy", **tallied(short)), f"overload at decision {made}: no answer was due there"


def an_old_fault_after_the_end(record):
    short = replace(record, steps=record.steps[:9])
    forged = swapped(short, FaultNote("late", 1, 2, "?"), FaultNote("arena", None, None, "power"))
    return with_verdict(forged, void="power", **tallied(short)), "late of seat 1 at decision 2: nothing in the match"


def tallied(record: MatchRecord) -> dict[str, Any]:
    outcome = GAME.tally(states(record)[-1])
    return {"scores": outcome.scores, "ranks": outcome.ranks, "breakdown": outcome.breakdown}


FORGERIES: list[Forgery] = [
    made_up_crash, made_up_crash_at_a_decision, made_up_crash_at_the_first_decision, crash_without_an_end,
    made_up_strikes, too_few_strikes, strikes_without_the_end, late_without_a_late_decision, not_started_in_the_middle,
    fault_of_the_wrong_seat, faults_out_of_order, absent_without_a_fault, back_again, accepted_beyond_the_clock,
    accepted_beyond_the_bank, late_within_the_clock, late_without_its_fault, legal_but_called_illegal,
    malformed_but_called_illegal, illegal_without_an_answer, time_for_a_forced_decision, forced_but_to_be_asked,
    accepted_but_not_asked, accepted_with_another_answer, accepted_with_a_reason,
    accepted_with_a_note_that_is_too_long, forced_with_a_note, overload_while_nobody_was_asked,
    an_old_fault_after_the_end,
]  # fmt: skip


@pytest.mark.parametrize("charge", ["wall", "cpu"])
@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery.__name__)
def test_verify_finds_what_no_referee_would_have_written(forgery, charge):
    true = course(charge=charge)
    assert verify(from_bytes(to_bytes(true))) is None
    forged, words = forgery(true)
    found = verify(from_bytes(to_bytes(forged)))
    assert found is not None
    assert words in found.text
    assert_one_line(str(found))


def test_a_forgotten_strike_is_found(faulty):
    for gone in range(len(faulty.verdict.faults)):
        faults = tuple(fault for i, fault in enumerate(faulty.verdict.faults) if i != gone)
        assert verify(from_bytes(to_bytes(swapped(faulty, *faults)))) is not None


ODDITIES: list[Callable[[int, Decide, random.Random], object]] = [
    lambda seat, question, dice: Move(question.id, "banana", "why not?"),
    lambda seat, question, dice: Move(question.id, "banana" * 300),
    lambda seat, question, dice: Move(question.id, dice.choice("TDCSGP") + dice.choice(["", "@FS", "@RV"])),
    lambda seat, question, dice: Refused(ErrorKind.WRONG_TYPE, 9, "?"),
    lambda seat, question, dice: Broken(dice.choice([FaultKind.CRASH, FaultKind.FLOOD, FaultKind.CLOSED]), "gone"),
    lambda seat, question, dice: None,
]


class Chaos:
    """A match in which anything happens at any time, as often as the dice say."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.seats = self.dice.randint(2, 5)
        clock = replace(CLOCK, charge=self.dice.choice(["wall", "cpu"]), bank_ms=self.dice.choice([0, 500, 3000]))
        players = tuple(Player(f"bot{seat}", "1.0", "", clock) for seat in range(self.seats))
        options = self.dice.choice([{}, {"season": "winter"}, {"commit": "pick_and_place"}])
        settled: dict[str, Any] = {"strikes": self.dice.randint(1, 9), "ask_forced": self.dice.random() < 0.3}
        self.oddness = self.dice.choice([0.02, 0.1, 0.4])
        self.referee = Referee(GAME, Header("m", GAME.name, GAME.edition, options, seed, players, **settled))

    def play(self) -> MatchRecord:
        broken = [Broken(FaultKind.NO_HELLO, "?") if self.is_odd(0.2) else None for _ in range(self.seats)]
        self.referee.begin(0.0, broken)
        at = 0.0
        while not self.referee.over:
            waiting = self.referee.outbox()
            self.dice.shuffle(waiting)
            for seat, message in waiting:
                if self.is_odd():  # before it is asked
                    self.interrupt(at)
                self.referee.asked(seat, at, at)
                used = self.dice.choice([0.01, 0.11, 0.3, 0.65]) * self.dice.random()
                if self.is_odd():  # after it is asked
                    self.interrupt(at)
                self.hear(seat, self.answer(seat, message), at + used)
                if self.is_odd():  # after it has answered
                    self.interrupt(at + used)
            if not waiting:
                kept = self.dice.choice([0.1, 1.0, 1e6]) if self.is_odd(2) else 0.0
                usage = Usage(1e6, 1, kept, (0.0,) * self.seats, (1e6,) * self.seats)
                self.referee.inquire = partial(replace, usage)  # an equal one
                at += self.dice.choice([0.05, 0.7, 40.0])
                self.referee.time_is_up(at)
            if self.is_odd(0.02) and not self.referee.over:
                self.referee.fail("the power went out")
            at += 1.0
        return self.referee.record()

    def is_odd(self, much: float = 1.0) -> bool:
        return self.dice.random() < self.oddness * much

    def answer(self, seat: int, message: object) -> object:
        if isinstance(message, Start):
            return None if self.is_odd() else Ready()
        if not isinstance(message, Decide):
            return None
        return self.dice.choice(ODDITIES)(seat, message, self.dice) if self.is_odd() else by_turns(seat, message)

    def hear(self, seat: int, item: Any, at: float) -> None:
        if item is not None:
            self.referee.heard(seat, item, at, at)

    def interrupt(self, at: float) -> None:
        """Somebody, perhaps not the one who is asked, says what nobody wants to know, or goes."""
        item = Refused(ErrorKind.WRONG_TIME, 0, "?") if self.dice.random() < 0.8 else Broken(FaultKind.CRASH, "gone")
        self.hear(self.dice.randrange(self.seats), item, at)


def test_whatever_happens_the_record_of_it_is_believed():
    kinds = set()
    for seed in range(sweep(150, 400)):
        record = Chaos(seed).play()
        kinds |= {fault.kind for fault in record.verdict.faults}
        found = verify(from_bytes(to_bytes(record)))
        assert found is None, (seed, str(found))
    assert kinds >= {"late", "illegal", "malformed", "strikes", "crash", "flood", "no-hello", "arena", "overload"}


# Replay equals play

CRASHES = """
import json, sys
def say(**message): print(json.dumps(message), flush=True)
say(type="hello", protocol=1, name="x", version="1", games=["draftosaurus"])
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        say(type="ready")
    elif message["type"] == "decide":
        if message["id"] == 8:
            sys.exit(1)
        action = "Z@ZZ" if message["id"] == 3 else message["legal"][-1]
        say(type="move", id=message["id"], action=action, note="last")
"""

MATCHES = [
    ("random greedy", 1, {}, {}),
    ("greedy greedy random", 2, {"season": "winter"}, {"ask_forced": True}),
    ("random random random greedy", 3, {"commit": "pick_and_place", "first_roller": "random"}, {"bot_seed": 5}),
    ("greedy random greedy random random", 4, {"season": "summer_winter"}, {}),
    (
        "random greedy",
        5,
        {"season": "summer_winter", "discard_timing": "with_pick", "discard_visibility": "hidden"},
        {},
    ),
    ("greedy crashes", 6, {}, {}),
    ("random greedy", 7, {}, {"clocks": [TimeControl(bank_ms=50_000, increment_ms=0)] * 2}),
]


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(("bots", "seed", "options", "settings"), MATCHES)
def test_replay_equals_play(tmp_path, bots, seed, options, settings):
    (tmp_path / "crashes.py").write_text(CRASHES)
    words = [f"{sys.executable} {tmp_path / 'crashes.py'}" if bot == "crashes" else bot for bot in bots.split()]
    told: dict[object, list[object]] = defaultdict(list)

    def listener(bot: object, direction: str, message: object) -> None:
        if direction == ">":
            told[bot].append(message)

    setup = matches.MatchSetup(matches.find_all(words), options=options, seed=seed, sandbox=at_best(), **settings)
    record = from_bytes(to_bytes(running.run(lambda: matches.play(setup, listener=listener)).record()))
    assert verify(record) is None
    outcome = GAME.outcome(states(record)[-1])
    assert outcome.scores == record.verdict.scores
    if "crashes" not in bots:
        assert outcome.ranks == record.verdict.ranks
        assert not record.verdict.faults
    starts, asked = questions(record)
    for messages in told.values():
        start = next(message for message in messages if isinstance(message, Start))
        assert starts[start.seat] == start
        own = [question.decide for question in asked if question.decision.seat == start.seat]
        assert own == [message for message in messages if isinstance(message, Decide)]
    numbered = {number: decision for number, _, decision in record.decisions()}
    assert all(numbered[question.number] is question.decision for question in asked)


def test_questions_of_a_record_that_is_not_true_are_a_record_error(faulty):
    for change in (unknown_game, unknown_option, illegal_action):
        with pytest.raises(RecordError):
            questions(change(faulty).record)


@pytest.mark.parametrize(
    ("charge", "time_ms", "seconds"), [("wall", None, 10.1), ("cpu", None, 10.1 * CPU_PATIENCE), ("wall", 250, 0.25)]
)
def test_who_is_asked_again_has_the_time_that_was_left_then_unless_told_otherwise(faulty, charge, time_ms, seconds):
    starts, asked = questions(faulty)
    bot = cast(Bot, SimpleNamespace(failure=None, games=[GAME.name]))
    examination = Examination(bot, starts[0], [one.decide for one in asked], TimeControl(charge=charge), time_ms)
    assert asked[0].decide.clock == {"bank_ms": 10_000, "increment_ms": 100}
    examination.asked(0, 7.0, 0.0)
    assert examination.deadline == pytest.approx(7 + seconds)
