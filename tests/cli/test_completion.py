"""Completion, in real shells: what is on the line after the tabulator key."""

import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from arena.cli.app import build
from arena.cli.candidates import FREE, VALUES, Candidate, candidates
from arena.cli.completion import SCRIPTS, for_bash
from arena.cli.manual import bare

LINES = {
    "arena dem": "arena demo",
    "arena league stand": "arena league standings",
    "arena help po": "arena help position",
    "arena play gree": "arena play greedy",
    "arena play greedy my": "arena play greedy my-bot",
    "arena check two\\ wo": "arena check two\\ words",
    "arena rules draf": "arena rules draftosaurus",
    "arena play --ask": "arena play --ask-forced",
    "arena play --game din": "arena play --game dinodocus",
    "arena play --option season=w": "arena play --option season=winter",
    "arena league status leag": "arena league status leagues/first-cup",
    "arena league run fir": "arena league run first.toml",
    "arena verify old": "arena verify old.match.jsonl.gz",
    "arena new-bot x --lang ty": "arena new-bot x --lang typescript",
}
"""What is typed, and what stands there after the key."""
ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.usefixtures("place")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with bots, a league and a record."""
    for name in ("my-bot", "two words"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.toml").touch()
    league = tmp_path / "leagues" / "first-cup"
    league.mkdir(parents=True)
    (league / "league.sqlite3").touch()
    for name in ("first.toml", "old.match.jsonl.gz", "notes.txt", "new\nline.toml"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def need(shell: str) -> str:
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed")
    return path


def with_arena(folder: Path) -> dict[str, str]:
    """An environment with a command `arena`, which is this checkout."""
    program = folder / ".bin" / "arena"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m arena "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}:{os.environ['PATH']}"
    return {"PATH": path, "PYTHONPATH": str(ROOT), "HOME": str(folder), "TERM": "vt100", "LANG": "C.UTF-8"}


def typed(words: list[str], keys: str, env: dict[str, str]) -> str:
    """What a shell prints in a terminal while these keys are typed, until it ends."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(words[0], words, env)
    os.write(terminal, keys.encode())
    shown = b""
    try:
        while data := os.read(terminal, 1 << 16):
            shown += data
    except OSError:  # how a terminal says that the other end is closed
        pass
    os.waitpid(pid, 0)
    os.close(terminal)
    return shown.decode("utf-8", "replace")


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(("shell", "options"), [("bash", ["--norc", "--noprofile", "-i"]), ("zsh", ["-f", "-i"])])
def test_the_tabulator_key_completes_the_line(shell, options, place):
    env = with_arena(place)
    (place / "script").write_text(SCRIPTS[shell])
    # After the key the cursor goes to the beginning of the line, which becomes the argument of another command.
    asked = "".join(f"{line}\t\x01print_line '\x05'\r" for line in LINES)
    begin = {"bash": "stty -echo; ", "zsh": "stty -echo; bindkey -e; "}[shell]
    begin += f"print_line() {{ printf '%s\\n' \"$1\" >> {place}/lines; }}; . {place}/script\r"
    typed([need(shell), *options], f"{begin}{asked}exit\r", env)
    found = (place / "lines").read_text("utf-8").splitlines()
    assert [line.rstrip() for line in found] == list(LINES.values())


@pytest.mark.usefixtures("processes")
def test_fish_offers_the_same(place):
    env = with_arena(place)
    (place / "script").write_text(SCRIPTS["fish"])
    asked = "; ".join(f"complete -C '{line}'" for line in LINES)
    ended = subprocess.run(
        [need("fish"), "--no-config", "-c", f"source script; {asked}"], env=env, capture_output=True, text=True
    )
    offered = [line.partition("\t")[0] for line in ended.stdout.splitlines()]
    assert [word for word in offered if not word.endswith("/")] == [
        re.split(r"(?<!\\) ", line)[-1].replace("\\", "") for line in LINES.values()
    ], ended.stderr


def words(*typed: str) -> list[str]:
    return [one.word for one in candidates(typed)]


def test_a_folder_can_be_a_bot_and_can_hold_others():
    assert words("check", "my") == ["my-bot", "my-bot/"]


def test_a_value_may_stand_behind_an_equals_sign():
    assert words("play", "--game=dr") == ["--game=draftosaurus"]


def test_rule_options_are_those_of_the_game_on_the_line():
    assert "deck=" in words("play", "--game", "dinodocus", "--option", "")
    assert "deck=" not in words("play", "--option", "")


def test_a_deck_may_be_a_file():
    assert "deck=notes.txt" in words("play", "--game", "dinodocus", "--option", "deck=n")


def test_names_that_a_terminal_might_obey_are_left_out():
    assert words("league", "run", "new") == []


def test_nothing_follows_where_no_more_arguments_are_taken():
    assert words("rules", "draftosaurus", "") == []


def test_after_two_dashes_no_word_is_an_option():
    assert words("play", "--", "--g") == []


def test_bash_replaces_only_what_it_takes_for_the_word():
    assert for_bash(["arena play --option season=w", " =:"]) == ["winter "]
    assert for_bash(["arena play --option season=w", " "]) == ["season=winter "]


def test_bash_is_offered_nothing_inside_an_open_quotation():
    assert for_bash(["arena check 'my", "="]) == []


def test_a_folder_is_not_the_end_of_the_word():
    assert Candidate("x").is_whole
    assert not any(one.is_whole for one in candidates(["whatif", "x", "--bot", ""]))


def test_every_parameter_is_completed_or_known_only_to_the_user():
    def look(command, path):
        for name, child in getattr(command, "commands", {}).items():
            yield from look(child, [*path, name])
        for param in command.params if path else []:
            if not getattr(param, "is_flag", False):
                yield {f"{' '.join(path)} {bare(param)}", f"{path[0]} {bare(param)}", param.opts[0]}, bare(param)

    for kinds, name in look(typer.main.get_command(build()), []):
        assert kinds & VALUES.keys() or name in VALUES or FREE.fullmatch(name), (kinds, name)
