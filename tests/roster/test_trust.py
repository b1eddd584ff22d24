"""Whose bot it is, how that is remembered, and what `arena check` does with it."""

import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from arena.errors import RosterError
from arena.roster import folders, kits, trust
from arena.roster.folders import KITS
from arena.roster.trust import Whose, remember, whose
from tests.cli.command import arena
from tests.machine import need_tier, why_no_sandbox

BOT = """\
import json, os
try:
    open({mark!r}, "w").close()
except OSError:
    pass
def say(**message):
    os.write(1, json.dumps(message).encode() + b"\\n")
say(type="hello", protocol=1, name="downloaded", version="1", games=["draftosaurus"])
for line in open(0):
    message = json.loads(line)
    if message["type"] == "start":
        say(type="ready")
    elif message["type"] == "decide":
        say(type="move", id=message["id"], action=message["legal"][0])
    elif message["type"] == "bye":
        break
"""


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "dino-arena" / "yours"


@pytest.fixture
def bot(tmp_path) -> Path:
    """A folder that came from elsewhere, whose build and whose bot leave marks where they can."""
    folder = tmp_path / "downloaded"
    folder.mkdir()
    (tmp_path / "marks").mkdir()
    (tmp_path / "marks").chmod(0o777)
    (folder / "bot.py").write_text(BOT.format(mark=str(tmp_path / "marks" / "bot")))
    (folder / "bot.toml").write_text(
        "name = 'downloaded'\nversion = '1'\ngames = ['draftosaurus']\ncommand = ['{python}', 'bot.py']\n"
        f"build = ['sh', '-c', 'touch built; touch {tmp_path}/marks/build; true']\n"
    )
    return folder


def fails(bot: Path) -> None:
    """Let it end before it says hello: a check that may then sees whether it does better without a sandbox."""
    (bot / "bot.py").write_text(BOT.format(mark=str(bot.parent / "marks" / "bot")).partition("def say")[0])


def marks(bot: Path) -> list[str]:
    return sorted(path.name for path in (bot.parent / "marks").iterdir())


# What a check does


@pytest.mark.parametrize(("words", "expected"), [([], []), (["--trust"], ["bot", "build"])], ids=["not", "trusted"])
@pytest.mark.usefixtures("sandbox")
def test_a_bot_that_is_not_known_is_neither_built_nor_started_outside_of_the_sandbox(words, expected, bot):
    ended = arena("check", bot, *words, "--json")
    report = json.loads(ended.out)
    assert (ended.code, report["findings"]) == (0, []), ended.err
    assert marks(bot) == expected
    assert ("none" in report["tiers"]) is bool(expected)
    assert {one["outcome"] for one in report["exams"][1:-1]} == {"passed"}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], []),
        (["--sandbox", "all"], []),
        (["--no-build"], []),
        (["--build", "sandboxed"], []),
        (["--build"], ["build"]),
        (["--trust", "--no-build"], ["bot"]),
        (["--trust", "--build", "sandboxed"], ["bot"]),
        (["--trust"], ["bot", "build"]),
        (["--sandbox", "none"], ["bot"]),
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("sandbox")
def test_what_runs_outside_of_the_sandbox_is_what_was_asked_for(words, expected, bot):
    if "sandboxed" in words:
        need_tier("full")
    fails(bot)
    ended = arena("check", bot, *words, "--json")
    report = json.loads(ended.out)
    assert [finding["id"] for finding in report["findings"]] == ["exits-early"], ended.err
    assert marks(bot) == expected
    assert ("none" in report["tiers"]) is ("bot" in expected)
    outcomes = {one["exam"]: one["outcome"] for one in report["exams"]}
    is_built = "build" in expected or "sandboxed" in words
    assert (outcomes["build"], (bot / "built").exists()) == ("passed" if is_built else "skipped", is_built)


def test_trust_is_remembered_until_another_folder_lies_there(bot, state):
    fails(bot)
    assert arena("check", bot, "--trust").code == 3
    (note,) = state.iterdir()
    assert stat.S_IMODE(note.stat().st_mode) == 0o600
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    for path in (bot.parent / "marks").iterdir():
        path.unlink()
    said = "this bot is yours: its build runs without a sandbox, and so does one match"
    alone = "no sandbox for this bot. It is yours, so it is examined without one."
    assert (alone if why_no_sandbox() else said) in arena("check", bot).err
    assert marks(bot) == ["bot", "build"]
    copy = shutil.copytree(bot, bot.parent / "copy")
    assert whose(copy) is Whose.STRANGERS
    shutil.rmtree(bot)
    copy.rename(bot)
    assert whose(bot) is Whose.STRANGERS


def test_a_new_bot_is_yours_and_a_copy_of_it_is_not(tmp_path):
    assert arena("new-bot", tmp_path / "rex", "--lang", "python").code == 0
    assert whose(tmp_path / "rex") is Whose.YOURS
    (tmp_path / "rex" / "bot.py").write_text("")
    ended = arena("check", tmp_path / "rex", "--json")
    assert json.loads(ended.out)["tiers"][-1] == "none"
    assert "--trust" not in ended.err
    shutil.copytree(tmp_path / "rex", tmp_path / "rex2")
    assert whose(tmp_path / "rex2") is Whose.STRANGERS


def test_without_a_place_to_remember_the_check_goes_on_and_says_so(bot, tmp_path):
    fails(bot)
    (tmp_path / "state").write_text("a file")
    ended = arena("check", bot, "--trust")
    assert ended.code == 3
    assert ended.err.count("cannot remember that this bot is yours") == 1
    assert marks(bot) == ["bot", "build"]
    assert whose(bot) is Whose.STRANGERS


@pytest.mark.usefixtures("sandbox")
def test_a_bot_that_was_not_built_is_told_what_to_say(bot):
    (bot / "bot.toml").write_text("name = 'x'\ncommand = ['./bot']\nbuild = ['make']\n")
    ended = arena("check", bot)
    assert ended.code == 3
    assert "leave out --no-build, or add --build sandboxed (without a network) or" in " ".join(ended.out.split())
    assert "has not been built" not in ended.err, "the finding says it"


def test_a_sandboxed_build_that_fails_is_told_that_there_is_no_network(bot):
    need_tier("full")
    (bot / "bot.toml").write_text(
        "name = 'x'\ncommand = ['./bot']\nbuild = ['sh', '-c', 'echo error: no crates; exit 7']\n"
    )
    ended = arena("check", bot, "--build", "sandboxed")
    assert ended.code == 3
    words = " ".join(ended.out.split())
    assert "exited with status 7. | error: no crates" in words
    assert "A sandboxed build has no network" in words


def test_build_and_no_build_exclude_each_other(bot):
    assert arena("check", bot, "--build", "--no-build").code == 2
    assert marks(bot) == []


# Whose it is


def test_the_bots_of_the_arena_are_ours():
    assert whose(KITS / "python") is Whose.OURS
    assert whose(KITS.parent) is Whose.STRANGERS


def test_what_else_lies_among_them_in_a_checkout_is_a_strangers(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.roster.folders.KITS", tmp_path)
    for name in ("python", "python/sub", "downloaded", "Python"):
        (tmp_path / name).mkdir()
        assert (whose(tmp_path / name) is Whose.OURS) == (name == "python")


def test_all_kits_are_ours_and_nothing_else():
    assert set(folders.LANGUAGES) == set(kits.LANGUAGES)


def test_nothing_in_a_bots_folder_makes_it_yours(bot, state):
    shutil.copytree(bot, bot / "dino-arena")
    remember(bot)
    note = next(state.iterdir())
    shutil.copy(note, bot / note.name)
    other = shutil.copytree(bot, bot.parent / "other")
    assert whose(other) is Whose.STRANGERS


def test_a_link_to_your_bot_is_your_bot_and_one_that_leads_elsewhere_is_not(bot):
    remember(bot)
    (bot.parent / "link").symlink_to(bot)
    assert whose(bot.parent / "link") is Whose.YOURS
    bot.rename(bot.parent / "moved")
    assert whose(bot.parent / "moved") is Whose.STRANGERS
    assert whose(bot.parent / "link") is Whose.STRANGERS


def test_a_folder_that_others_can_change_is_nobodys_own(bot, monkeypatch):
    remember(bot)
    bot.chmod(0o777)
    assert whose(bot) is Whose.STRANGERS
    with pytest.raises(RosterError, match="chmod o-w"):
        remember(bot)
    bot.chmod(0o755)
    assert whose(bot) is Whose.YOURS
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    assert whose(bot) is Whose.STRANGERS
    with pytest.raises(RosterError, match="belongs to another user"):
        remember(bot)


def test_the_same_path_and_inode_at_another_time_is_another_folder(bot, monkeypatch):
    remember(bot)
    born = trust._birth(bot)
    assert born >= 0
    monkeypatch.setattr(trust, "_birth", lambda folder: born + 1)
    assert whose(bot) is Whose.STRANGERS


@pytest.mark.parametrize("words", [b"", b"{", b"\xff", b"[]", b"[1, 2", b"null"])
def test_a_damaged_note_makes_no_bot_yours(words, bot, state):
    remember(bot)
    next(state.iterdir()).write_bytes(words)
    assert whose(bot) is Whose.STRANGERS


def test_a_relative_state_folder_is_not_used(bot, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", "state")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(bot)
    remember(bot)
    assert whose(bot) is Whose.YOURS
    assert (tmp_path / "home" / ".local" / "state" / "dino-arena").is_dir()
    assert not (bot / "state").exists()


def test_without_a_home_a_bot_cannot_become_yours_and_the_way_out_is_named(bot, monkeypatch):
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(RosterError, match=r"you have no home folder\. Set XDG_STATE_HOME to a folder of your own"):
        remember(bot)
