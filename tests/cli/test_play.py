"""`arena play` and `arena verify` as a person meets them."""

import errno
import json
import os
import pty
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli.output import keep
from arena.cli.result import result_table
from arena.cli.tables import outcome_table
from arena.match import record_file
from arena.match.record import Header, MatchRecord, Player, Verdict
from arena.match.record_file import fresh_path, load
from arena.web.replay_page import replay_page
from engine.contract import Outcome
from tests.cli.command import arena, without_times
from tests.league.small_league import small_league
from tests.machine import at_best, need_sandbox

CRASHES = "import sys; sys.stderr.write('one\\x1b[31m two\\n'); sys.exit(4)"


@pytest.fixture
def bad(tmp_path: Path) -> str:
    """A bot that writes an escape sequence to stderr and leaves."""
    (tmp_path / "bot.toml").write_text('name = "bad"\ncommand = ["{python}", "bad.py"]\n')
    (tmp_path / "bad.py").write_text(CRASHES)
    return str(tmp_path)


def test_a_match_is_shown_recorded_and_verified(golden, tmp_path):
    path = str(tmp_path / "a.match.jsonl.gz")
    page = tmp_path / "pages" / "a.html"
    words = ("random", "greedy", "--option", "season=winter", "--seed", "7", "-o", path, "--html", page)
    ended = arena("play", *words)
    assert ended.code == 0
    golden("cli/play.txt", without_times(ended.out))
    assert (
        f"seed 7 (bots can guess one as small as this), recorded in {path}\nWatch it again:  arena replay {path}\n"
        f"In a browser:    {page}\n" in ended.err
    )
    assert page.read_bytes() == replay_page(load(Path(path)))
    assert load(Path(path)).header.options == {"season": "winter"}
    verified = arena("verify", path)
    assert (verified.code, verified.out) == (0, f"{path}: ok, {len(load(Path(path)).steps)} steps\n")


def test_points_stand_under_the_players_names():
    outcome = Outcome((3, 1), (1, 2), ({"RV": 3}, {"RV": 1}))
    names = ["a-very-long-name", "\x1b[2J"]
    assert outcome_table(outcome, names).split("\n")[0] == "zone   a-very-…name  \\x1b[2J"
    assert outcome_table(outcome).split("\n")[0] == "zone   seat 0  seat 1"


def test_a_bot_that_fails_is_named_with_its_last_words_and_exit_code_3(bad, tmp_path):
    ended = arena("play", "greedy", bad, "--seed", "1", "-o", str(tmp_path / "x"), "--sandbox", at_best())
    assert ended.code == 3
    assert "bad (seat 1): crash: it exited with status 4 before it said hello" in ended.out
    assert "stderr of bad (seat 1):\n  one two" in ended.out
    assert "\x1b" not in ended.out, "a bot cannot paint the terminal"


def test_programs_get_json(bad, tmp_path):
    ended = arena("play", "greedy", bad, "--seed", "1", "-o", str(tmp_path / "x"), "--json", "--sandbox", at_best())
    told = json.loads(ended.out)
    assert told["ranks"] == [1, 2]
    assert told["faults"][0]["kind"] == "crash"
    assert told["record"] == str(tmp_path / "x")
    (verified,) = json.loads(arena("verify", told["record"], "--json").out)
    assert verified["ok"] is True


def test_a_record_that_is_not_true_is_named_with_exit_code_1(tmp_path):
    good, cut = tmp_path / "good", tmp_path / "cut"
    arena("play", "random", "random", "--seed", "1", "-o", str(good))
    cut.write_bytes(good.read_bytes()[:-9])
    ended = arena("verify", str(good), str(cut), str(tmp_path / "none"))
    assert ended.code == 1
    assert f"{good}: ok" in ended.out
    assert f"{cut}: it was cut off or changed" in ended.out
    assert f"{tmp_path / 'none'}: No such file" in ended.out
    assert "Traceback" not in ended.err


IN_ANY_FOLDER = {**os.environ, "PYTHONPATH": os.getcwd()}


def test_matches_that_end_at_the_same_time_lose_no_record(tmp_path):
    words = [sys.executable, "-m", "arena", "play", "random", "random", "--seed", "7", "--sandbox", "none"]
    null = subprocess.DEVNULL
    processes = [subprocess.Popen(words, cwd=tmp_path, env=IN_ANY_FOLDER, stdout=null, stderr=null) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4
    paths = list((tmp_path / "matches").iterdir())
    assert len({load(path).header.seed for path in paths}) == 1
    assert len(paths) == 4


def test_a_record_replaces_nothing(tmp_path):
    # As with -o /dev/null, which a root user could replace; but a test that fails must not do that.
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "file").write_text("mine")
    there = "file already exists. Name another, or remove it."
    other = "is not an ordinary file. To keep no record, use --no-record."
    for name, why in {"pipe": other, "link": there, "file": there}.items():
        ended = arena("play", "random", "random", "-o", str(tmp_path / name))
        assert ended.code == 2
        assert f"{tmp_path / name}: this {why}" in ended.err
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert (tmp_path / "file").read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()


def test_no_match_is_played_if_its_page_would_replace_another_file(tmp_path):
    (tmp_path / "mine.html").write_text("mine")
    ended = arena("play", "random", "random", "-o", tmp_path / "a.match.jsonl.gz", "--html", tmp_path / "mine.html")
    assert ended.code == 2
    assert "is not a replay page" in " ".join(ended.err.split())
    assert os.listdir(tmp_path) == ["mine.html"]


def test_each_record_gets_a_new_file_name(tmp_path):
    header = Header("m", "nim", 1, {}, 7, ())
    assert [fresh_path(tmp_path, header).name for _ in range(3)] == [
        "nim-7.match.jsonl.gz", "nim-7-1.match.jsonl.gz", "nim-7-2.match.jsonl.gz",
    ]  # fmt: skip


def test_a_long_seed_is_cut_in_the_name_of_the_file(tmp_path):
    one, other = (Header("m", "nim", 1, {}, 10**300 + i, ()) for i in range(2))
    assert fresh_path(tmp_path, one).name.startswith("nim-" + "1" + "0" * 39 + "-")
    assert fresh_path(tmp_path, other) != fresh_path(tmp_path, one)
    assert max(len(path.name) for path in tmp_path.iterdir()) < 100


def test_nothing_is_left_of_a_record_that_cannot_be_written(tmp_path, monkeypatch):
    def full(_record: MatchRecord, path: Path) -> MatchRecord:
        raise OSError(errno.ENOSPC, "No space left on device", f".{path}.xyz")

    record = MatchRecord(Header("m", "nim", 1, {}, 7, ()), [], Verdict((), (), ()))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(record_file, "save", full)
    with pytest.raises(OSError, match=r"No space left on device: 'matches/nim-7\.match\.jsonl\.gz'"):
        keep(record, None)
    with pytest.raises(OSError, match="No space left on device: 'deep/x'"):
        keep(record, Path("deep/x"))
    assert not any(path.is_file() for path in tmp_path.rglob("*"))


def test_a_bots_name_cannot_command_the_terminal():
    header = Header("m", "nim", 1, {}, 7, (Player("a\x1b[2J", "1", ""),))
    assert "a\\x1b[2J" in result_table(MatchRecord(header, [], Verdict((1,), (1,), ({},))))


def test_a_terminal_without_boxes_gets_question_marks(tmp_path):
    words = [sys.executable, "-m", "arena", "play", "random", "random", "-o", str(tmp_path / "x")]
    ended = subprocess.run(words, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "latin-1"})
    assert ended.returncode == 0, ended.stderr
    assert b"?????" in ended.stdout


@pytest.mark.parametrize("closed", ["2>&-", "1>&- 2>&-", "0<&- 1>&- 2>&-"])
def test_a_match_needs_no_standard_streams(tmp_path, closed):
    path = tmp_path / "x"
    words = [sys.executable, "-m", "arena", "play", "random", "random", "-o", str(path)]
    ended = subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", *words], timeout=60)
    assert ended.returncode == 0
    assert load(path).verdict.faults == ()


def test_a_shortage_of_the_machine_is_not_the_players_fault(tmp_path):
    words = [sys.executable, "-m", "arena", "play", "random", "random", "-o", str(tmp_path / "x")]
    ended = subprocess.run(
        ["sh", "-c", 'ulimit -n 14; exec "$@"', "sh", *words], capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stderr) == (
        5,
        "arena: Too many open files. Is there a limit, such as `ulimit -n`? Raise it.\n",
    )


def test_without_a_name_a_record_gets_one_that_is_free(tmp_path):
    for _ in range(2):
        words = [sys.executable, "-m", "arena", "play", "random", "random", "--seed", "3"]
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, env=IN_ANY_FOLDER)
    names = sorted(path.name for path in (tmp_path / "matches").iterdir())
    assert names == ["draftosaurus-3-1.match.jsonl.gz", "draftosaurus-3.match.jsonl.gz"]


def test_cores_can_be_named(tmp_path):
    core = str(min(os.sched_getaffinity(0)))
    assert arena("play", "random", "random", "--affinity", core, "-o", str(tmp_path / "x")).code == 0


def test_a_bot_is_built_before_it_plays(tmp_path):
    (tmp_path / "bot.toml").write_text(
        'name = "made"\ncommand = ["./made"]\nbuild = ["/bin/sh", "-c", "echo exit 5 > made; chmod +x made; echo building"]'
    )
    ended = arena("play", "random", str(tmp_path), "--build", "-o", str(tmp_path / "x"), "--sandbox", at_best())
    assert "building" in ended.err
    assert "crash" in ended.out or "could not be executed" in ended.out


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (["random", "nosuch"], 4, "arena: 'nosuch' is not a bot: neither a folder with bot.toml, nor a command"),
        (["random", "/"], 4, "arena: / is not a bot: there is no bot.toml in it."),
        (["random"], 4, "arena: draftosaurus: 1 seat is not possible, it takes 2 to 5."),
        (["random", "random", "--game", "chess"], 4, "arena: unknown game 'chess'."),
        (["random", "random", "--option", "season=spring"], 4, "option season does not take 'spring'"),
        (["random", "random", "--charge", "blood"], 2, "--charge blood: expected wall or cpu"),
        (["random", "random", "--affinity", "a-b"], 2, "--affinity a-b: expected auto, free, referee, or a list of cores; usable here: "),
        (["random", "random", "--affinity", "0-99999999999"], 2, "--affinity 0-99999999999: expected auto"),
        (["random", "random", "--affinity", "1-0"], 2, "--affinity 1-0: expected auto"),
        (["random", "random", "--strikes", "0"], 2, "Invalid value for '--strikes'"),
        (["random", "random", "--bank-ms", "9" * 400], 2, "Invalid value for '--bank-ms'"),
        (["random", "random", "-o", "/proc/nowhere/x"], 2, "/proc/nowhere/x: a record cannot be written there: No such file or directory"),
        (["random", "random", "-o", "/proc"], 2, "/proc: this is a directory. Name a file."),
        (["random", "random", "-o", ""], 2, "'' is not a file name"),
        (["", "random"], 4, "arena: '' is not a bot: neither"),
        (["~nosuch/bot", "random"], 4, "arena: '~nosuch/bot' is not a bot: ~nosuch has no home folder."),
        (["x" * 5000, "random"], 4, f"arena: '{'x' * 57}...' is not a bot: it is too long for the name of a file"),
        (["random", b"\xff"], 4, r"arena: '\udcff' is not a bot: the name is not UTF-8."),
        ([], 2, "Missing argument 'BOT'"),
    ],
)  # fmt: skip
def test_a_mistake_gets_clear_words_and_an_exit_code(words, code, complaint):
    ended = arena("play", *map(os.fsdecode, words))
    assert (ended.code, ended.out) == (code, "")
    assert complaint in ended.err
    assert "Traceback" not in ended.err


def in_a_terminal(term: str, *words: object) -> bytes:
    """What a command writes to a terminal of this kind."""
    here, there = pty.openpty()
    command = [sys.executable, "-m", "arena", *map(str, words)]
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": term}
    with subprocess.Popen(command, stdin=there, stdout=there, stderr=there, env=environment) as process:
        os.close(there)
        seen = b""
        try:
            while data := os.read(here, 65536):
                seen += data
        except OSError:  # how a terminal says that the other end is closed
            pass
    os.close(here)
    assert process.returncode == 0
    return seen


@pytest.mark.anywhere
def test_a_terminal_gets_progress_and_colours(tmp_path):
    seen = in_a_terminal("xterm", "play", "random", "greedy", "--seed", "7", "-o", tmp_path / "x")
    assert re.search(rb" steps?, round ", seen)
    assert b"\x1b[1m" in seen or b"\x1b[3" in seen


@pytest.mark.parametrize("words", [("play", "random", "greedy"), ("league", "run", "small.toml"), ("doctor",)])
def test_a_terminal_that_takes_no_escape_sequences_gets_none(tmp_path, monkeypatch, words):
    monkeypatch.setenv("PYTHONPATH", os.getcwd())
    monkeypatch.chdir(tmp_path)
    small_league(tmp_path, blocks=1)
    if words == ("doctor",):
        need_sandbox()  # or its exit code is 5
    seen = in_a_terminal("dumb", *words)
    assert seen
    assert b"\x1b" not in seen
