"""`arena whatif` and `arena verify --parent` as a person meets them."""

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.match.record import MatchRecord
from arena.match.record_file import load, save
from arena.replay.verify import verify
from arena.replay.whatif import branch_point, check_parent
from tests.cli.command import Command, arena, here, prepared_arena, without_times
from tests.replay.test_replay import refereed
from tests.replay.test_whatif import branched


@pytest.fixture
def whatif(monkeypatch, capsys) -> Command:
    return lambda *words: here(monkeypatch, capsys, "whatif", *words)


@pytest.fixture(scope="module")
def parent() -> MatchRecord:
    return refereed(seats=3, names=("greedy", "random#1", "random#2"))


@pytest.fixture
def file(parent, tmp_path) -> Path:
    path = tmp_path / "parent.match.jsonl.gz"
    save(parent, path)
    return path


CARDS = ("--cards", 1)


# With real bots


@pytest.mark.usefixtures("processes")
def test_a_branch_is_shown_recorded_and_checked_with_its_parent(file, tmp_path, golden):
    path = tmp_path / "branch.match.jsonl.gz"
    ended = arena("whatif", file, "--step", 14, "--bot", "1=greedy", "--cards", 2, "--seed", 7, "-o", path)
    assert ended.code == 0, ended.err
    golden("cli/whatif.txt", without_times(ended.out))
    for line in (
        "After step 14 of 38 of m: pick, next seats 0, 1, 2\nIt stood 8 : 17 : 4 there, and it ended 14 : 28 : 14.\n",
        "Hidden cards are drawn again from what seat 2 could know.\n",
        f"Check it:        arena verify {path} --parent {file}\n",
    ):
        assert line in ended.err
    branch = load(path)
    assert [player.name for player in branch.header.players] == ["greedy#1", "greedy#2", "random"]
    assert (branch.header.parent.step, branch.header.parent.cards) == (14, 2)
    checked = arena("verify", path, "--parent", file)
    assert (checked.code, checked.out) == (0, f"{path}: ok, {len(branch.steps)} steps\n")


@pytest.mark.usefixtures("processes")
def test_several_runs_end_in_a_table_and_each_can_be_played_again(file, parent, tmp_path, golden):
    folder, one = tmp_path / "runs", tmp_path / "one"
    ended = arena("whatif", file, "--decision", 5, *CARDS, "--times", 3, "--seed", 7, "-o", folder)
    assert ended.code == 0, ended.err
    golden("cli/whatif-times.txt", ended.out)
    assert "Hidden cards are drawn again from what seat 1 could know.\n" in ended.err
    assert f"They are recorded in {folder}. Play one again:  --seed 7\n" in ended.err
    runs = sorted((load(path) for path in folder.iterdir()), key=lambda run: run.header.seed)
    assert [run.header.seed for run in runs] == [7, 8, 9]
    assert {verify(run) or check_parent(run, parent) for run in runs} == {None}
    assert len({run.header.parent.position for run in runs}) == 3, "each draws its own cards"
    arena("whatif", file, "--decision", 5, *CARDS, "--seed", 9, "-o", one)
    again, last = (run.without_times() for run in (load(one), runs[2]))
    assert (again.header, again.steps, again.verdict.scores) == (last.header, last.steps, last.verdict.scores)
    told = json.loads(arena("whatif", file, "--decision", 5, *CARDS, "--times", 2, "--seed", 8, "--json").out)
    assert [run["scores"] for run in told] == [list(run.verdict.scores) for run in runs[1:]]
    assert told[0]["record"] is None
    assert told[0]["parent"]["step"] == next(index for number, index, _ in parent.decisions() if number == 5) + 1


@pytest.mark.usefixtures("processes")
def test_a_person_takes_a_seat_in_the_middle(file, tmp_path):
    path = tmp_path / "branch.match.jsonl.gz"
    words = ["arena", "whatif", str(file), "--step", "30", "--seat", "1", "--name", "Ann", "--cards", "1"]
    ended = prepared_arena().run([*words, "-o", str(path)], dict(os.environ), str(tmp_path), "1\n" * 100)
    assert ended.returncode == 0, ended.stderr
    branch = load(path)
    assert [player.name for player in branch.header.players] == ["greedy", "Ann", "random"]
    assert verify(branch) is None
    assert "You sit in seat 1." in ended.stderr
    assert "Hidden cards are drawn again from what seat 1 could know." in ended.stderr
    assert not branch.verdict.faults


@pytest.mark.usefixtures("processes")
def test_a_bot_that_fails_gives_exit_code_3_also_in_one_of_several_runs(file, tmp_path):
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "bot.toml").write_text('name = "bad"\ncommand = ["true"]\n')
    ended = arena("whatif", file, "--step", 36, "--bot", f"2={tmp_path / 'bad'}", "--times", 2, "--sandbox", "none")
    assert ended.code == 3
    assert "Open cards: what is hidden is as recorded.\n" in ended.err
    assert "2 runs, seeds " in ended.out


@pytest.mark.usefixtures("processes")
def test_the_program_of_the_guide_runs(file):
    guide = (Path(__file__).parents[2] / "docs" / "what-if.md").read_text("utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    known: dict[str, Any] = {"path": file}
    exec(program.replace('["greedy", "./my-bot"]', '["greedy", "random", "random"]'), known)
    assert verify(known["record"]) is None
    assert known["record"].header.parent.step == 14


# Without any


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "choose where to play on: --step NUMBER or --decision NUMBER"),
        (["--step", "1", "--decision", "1"], "choose where to play on: --step NUMBER or --decision NUMBER"),
        (["--step", "39"], "--step 39: this match has steps 0 to 38"),
        (["--step", "-1"], "--step -1: this match has steps 0 to 38"),
        (["--step", "38"], "--step 38: the game is over there, and nothing can be played on"),
        (["--decision", "73"], "--decision 73: this match has decisions 1 to 72"),
        (["--decision", "72"], "--decision 72: the game is over there"),
        (["--step", "9", "--cards", "3"], "--cards 3: expected open, or a seat: 0, 1, 2"),
        (["--step", "9", "--cards", "\x1b"], "--cards \\x1b: expected open, or a seat"),
        (["--step", "9", "--bot", "greedy"], "--bot greedy: expected SEAT=BOT, such as 2=greedy"),
        (["--step", "9", "--bot", "3=greedy"], "--bot 3=greedy: expected SEAT=BOT, such as 2=greedy; this match has"),
        (["--step", "9", "--bot", "1=greedy", "--bot", "1=random"], "--bot: seat 1 is named twice"),
        (["--step", "9", "--seat", "3"], "--seat 3: this match has seats 0 to 2"),
        (["--step", "9", "--seat", "1", "--bot", "1=greedy"], "--seat 1: --bot 1=greedy has this seat, too"),
        (["--step", "9", "--seat", "1", "--times", "2"], "--times is for bots"),
        (["--step", "9", "--seat", "1", "--json"], "--json is for bots"),
        (["--step", "9", "--name", "\x1b"], "--name: expected 1 to 64 printable characters"),
        (["--step", "9", "--times", "2", "-o", __file__], "not a folder for records: File exists"),
    ],
)
def test_a_mistake_on_the_command_line_is_explained(whatif, file, words, said):
    ended = whatif(file, *words)
    assert ended.code == 2
    assert said in " ".join(ended.err.split())


def test_a_recorded_bot_that_is_not_here_must_be_named(whatif, parent, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    players = (replace(parent.header.players[0], name="touch gotcha"), *parent.header.players[1:])
    save(replace(parent, header=replace(parent.header, players=players)), tmp_path / "a")
    ended = whatif("a", "--step", 9)
    assert ended.code == 2
    words = "touch gotcha (seat 0) is neither a built-in bot nor a bot in a folder here. Name a bot: --bot 0=BOT, or"
    assert words in " ".join(ended.err.replace("│", "").split())
    assert not (tmp_path / "gotcha").exists()


def test_a_record_that_is_not_true_cannot_be_played_on(whatif, parent, tmp_path):
    save(replace(parent, verdict=replace(parent.verdict, scores=(99, 0, 0))), tmp_path / "a")
    ended = whatif(tmp_path / "a", "--step", 9)
    assert ended.code == 1
    assert f"arena: {tmp_path / 'a'}: the record does not follow the rules: step 38: the scores" in ended.err


def test_verify_with_a_parent_refuses_what_does_not_begin_there(monkeypatch, capsys, parent, file, tmp_path):
    branch = branched(branch_point(parent, 3), 1)
    save(branch, tmp_path / "good")
    save(replace(branch, header=replace(branch.header, parent=replace(branch.header.parent, step=5))), tmp_path / "lie")
    ended = here(monkeypatch, capsys, "verify", tmp_path / "good", tmp_path / "lie", file, "--parent", file)
    good, lie, other = ended.out.splitlines()
    assert ended.code == 1
    assert good.endswith(f"good: ok, {len(branch.steps)} steps")
    assert "lie: the digest of the state there: the branch says" in lie
    assert other.endswith("it is not a branch: it begins at the start of its game")
    ended = here(monkeypatch, capsys, "verify", tmp_path / "good", tmp_path / "lie")
    assert ended.code == 0, "alone, both could have taken place"
