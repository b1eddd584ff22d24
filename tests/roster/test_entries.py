"""Who is meant by a word, and what is wrong with a bot.toml."""

import json
import os
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from arena.errors import RosterError
from arena.roster.entries import Entry, Limits, built_in, distinct, find
from arena.roster.folders import digest
from arena.roster.tunables import Tunable

GOOD = 'name = "mine"\nversion = "2.1"\ncommand = ["{python}", "mine.py"]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bot.toml").write_text(GOOD)
    (tmp_path / "mine.py").write_text("print('hello')")
    return tmp_path


def test_a_folder_is_a_bot(folder):
    entry = find(str(folder))
    assert (entry.name, entry.version, entry.folder) == ("mine", "2.1", folder)
    assert entry.command == (sys.executable, "mine.py")


def test_a_folder_can_hold_several_bots(folder):
    (folder / "other.toml").write_text('name = "other"\ncommand = ["./other"]\n')
    assert find(str(folder / "other.toml")).name == "other"
    assert find(str(folder)).name == "mine"


def test_the_built_in_bots_have_names():
    assert set(built_in()) >= {"random", "greedy"}
    playouts = [int(name.partition("-")[2] or 0) for name in built_in() if name.startswith("search")]
    assert playouts == sorted(playouts), "in the order of their numbers"
    assert find("greedy").games == ("draftosaurus", "dinodocus")


def test_a_command_line_is_a_bot():
    entry = find("env -u 'my bot.py'")
    assert entry.command == ("env", "-u", "my bot.py")
    assert entry.name == "env"


def test_a_command_line_is_named_after_the_last_file_in_it(folder):
    assert find(f"{sys.executable} -u {folder / 'mine.py'} --level 3 {folder}").name == "mine"


def test_a_command_line_runs_where_its_script_lies(folder):
    entry = find(f"{sys.executable} {folder / 'mine.py'}")
    assert entry.folder == folder


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('command = ["x"]', "name: missing"),
        ('name = "a"', "command: missing. A bot needs at least a name and a command"),
        ('name = "a"\ncommand = "python3 a.py"', 'command: expected a list of words. Write: ["python3", "a.py"]'),
        ('name = "a"\ncommand = []', "command: expected a list of 1 or more, got []"),
        ('name = ""\ncommand = ["x"]', "name: expected at least one character, got ''"),
        ('name = "a\\u001b[31m"\ncommand = ["x"]', "name: it has characters that cannot be printed, got 'a\\x1b[31m'"),
        ('name = "a\\u0085"\ncommand = ["x"]', "name: it has characters that cannot be printed"),
        ('name = "a\\u202ecba"\ncommand = ["x"]', "name: it has characters that cannot be printed"),
        ('name = "a"\ncommand = ["x\\u0000"]', "command.0: expected a text without null characters, got 'x\\x00'"),
        (f'name = "{"a" * 5000}"\ncommand = ["x"]', f"name: expected 64 characters at most, got '{'a' * 56}...."),
        ("name = " + "[" * 5000, "it is nested too deeply"),
        ('name = "a"\ncommand = ["x"]\ncolour = "red"', "colour: there is no such key. Keys: name, version, command"),
        ('name = "a"\ncommand = ["x"]\n[limits]\nmemory_mb = "lots"', "limits.memory_mb: expected a whole number, got 'lots'"),
        ("name = ", "Invalid value"),
        ('name = "a"\ncommand = ["x"]\nversion = 2', "version: expected a text, got 2"),
    ],
)  # fmt: skip
def test_a_mistake_in_bot_toml_is_named(tmp_path, text, words):
    (tmp_path / "bot.toml").write_text(text)
    with pytest.raises(RosterError) as error:
        find(str(tmp_path))
    assert words in str(error.value)
    assert str(tmp_path / "bot.toml") in str(error.value)


def test_a_folder_without_bot_toml_is_none(tmp_path):
    with pytest.raises(RosterError, match=r"is not a bot: there is no bot\.toml in it"):
        find(str(tmp_path))


@pytest.mark.parametrize(
    "word", ["nosuch", "", "'", "./nosuch.py --fast", "~nosuch/bot", "x" * 5000, "caf\udce9.py", "x" * 5000 + " '"]
)
def test_a_word_that_is_nobody_is_refused(word):
    with pytest.raises(RosterError, match=r"^'.*' is not a bot|is not a command line") as error:
        find(word)
    assert len(str(error.value)) < 250


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "bot.toml").write_bytes(b"name = \xff")
    with pytest.raises(RosterError, match="utf-8"):
        find(str(tmp_path))


def test_a_digest_changes_with_any_file_and_not_with_caches(folder):
    before = digest(folder)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "mine.pyc").write_text("x")
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("x")
    assert digest(folder) == before
    (folder / "lib").mkdir()
    (folder / "lib" / "weights").write_text("1")
    changed = digest(folder)
    assert changed != before
    (folder / "lib" / "weights").rename(folder / "lib" / "weight")
    assert digest(folder) not in (before, changed)


def test_a_digest_does_not_change_with_the_records_of_its_matches(folder):
    before = digest(folder)
    (folder / "draftosaurus-7.match.jsonl.gz").write_text("x")
    (folder / "records").mkdir()
    (folder / "records" / "notes").write_text("x")
    (folder / "leagues").mkdir()
    (folder / "leagues" / "league.sqlite3").write_text("x")
    assert digest(folder) == before
    (folder / "lib").mkdir()
    (folder / "lib" / "records").write_text("x")
    assert digest(folder) != before


def test_a_file_may_have_any_name(folder):
    before = digest(folder)
    Path(os.fsdecode(bytes(folder) + b"/caf\xe9.txt")).touch()
    assert find(str(folder)).digest != before


def test_namesakes_are_numbered(folder):
    entries = [Entry(name, "1", ("x",), folder) for name in ("a", "b", "a", "x" * 64, "x" * 64)]
    assert distinct(entries) == ["a#1", "b", "a#2", "x" * 60 + "#1", "x" * 60 + "#2"]


def test_an_entry_loses_nothing_on_its_way_to_another_process():
    entry = Entry(
        "mine", "2", ("run", "caf\udce9"), Path("/srv/caf\udce9"), ("make",), ("draftosaurus",), Limits(memory_mb=300),
        "digest", (Path("run"),), (Path("/srv/run"),), "Ann", ("run", "lib/**"), True, ("BOT_DEPTH=3",),
        (Tunable("depth", 1, 4, 2, True), Tunable("pace", 0.0, 1.0, 0.5)), (("depth", 3), ("pace", 0.25)),
    )  # fmt: skip
    plainest = Entry("x", "1", ("y",), Path("z"))
    untouched = [one.name for one in fields(Entry) if getattr(entry, one.name) == getattr(plainest, one.name)]
    assert not untouched, "give every new field a value here"
    assert Entry.from_plain(json.loads(json.dumps(entry.plain()))) == entry
