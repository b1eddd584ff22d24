"""`arena new-bot`: what it makes, and what it refuses. The kits of all languages are tested by the guide's path."""

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

from arena.roster.folders import KITS
from arena.roster.kits import LADDER, LANGUAGES, create
from tests.cli.command import arena
from tests.machine import at_best

NO_SANDBOX = " --sandbox none" if at_best() == "none" else ""
"""What `arena new-bot` adds where no sandbox works."""

ROOT = Path(__file__).parents[2]


def test_a_new_bot_is_called_after_its_folder_and_plays_all_games(tmp_path):
    made = arena("new-bot", tmp_path / "rex", "--lang", "python")
    assert made.code == 0, made.err
    manifest = tomllib.loads((tmp_path / "rex" / "bot.toml").read_text())
    assert (manifest["name"], manifest["games"]) == ("rex", ["draftosaurus", "dinodocus"])
    assert 'dinobot.run("rex", "1.0", ["draftosaurus", "dinodocus"], MyPlayer)' in starter(tmp_path / "rex")
    assert made.out == (
        f"rex is ready; its player is {tmp_path}/rex/bot.py. Next:\n\n"
        f"  arena check {tmp_path}/rex\n  arena play {tmp_path}/rex greedy{NO_SANDBOX}\n"
    )


def test_a_new_bot_can_play_one_game_only(tmp_path):
    made = arena("new-bot", tmp_path / "rex", "--lang", "py", "--game", "dinodocus")
    assert made.code == 0, made.err
    assert tomllib.loads((tmp_path / "rex" / "bot.toml").read_text())["games"] == ["dinodocus"]
    assert '["dinodocus"]' in starter(tmp_path / "rex")
    assert made.out.endswith(f"greedy --game dinodocus{NO_SANDBOX}\n")


def starter(folder: Path) -> str:
    return (folder / "bot.py").read_text()


def test_a_new_bot_has_what_belongs_to_the_kit_and_the_vectors(tmp_path):
    arena("new-bot", tmp_path / "rex", "--lang", "python")
    vectors = {path.name for path in (ROOT / "protocol" / "vectors").iterdir()}
    assert {path.name for path in (tmp_path / "rex" / "vectors").iterdir()} == vectors
    ladder = {path for pattern in LADDER for path in (KITS / "python").glob(pattern)}
    assert {"planner.toml", "planner_bot.py", "searcher_bot.py", "thinking.py"} <= {path.name for path in ladder}
    files = {path.name for path in (KITS / "python").iterdir() if path not in ladder and path.name != "__pycache__"}
    assert {"greedy.toml", "greedy_dinodocus.py", "search_bot.py"} <= files
    assert {path.name for path in (tmp_path / "rex").iterdir()} == files | {"vectors", "AGENTS.md", ".github"}


def test_a_new_bot_in_cpp_has_nothing_of_raptor(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.roster.kits.check_tools", lambda _: None)
    create(tmp_path / "rex", "cpp")
    assert {path.name for path in (tmp_path / "rex").glob("*.?pp")} == {
        "bot.cpp", "dinobot.hpp", "greedy.cpp", "test.cpp", "views.hpp",
    }  # fmt: skip
    assert not any("raptor" in path.name for path in (tmp_path / "rex").rglob("*"))
    assert "raptor" not in (tmp_path / "rex" / "Makefile").read_text()


def test_a_bot_without_a_kit_lacks_only_its_program_which_the_protocol_shows(tmp_path):
    """It plays under the name in its hello also if it is a command line, which has no bot.toml."""
    made = arena("new-bot", tmp_path / "mine", "--lang", "other", "--game", "draftosaurus")
    assert made.code == 0, made.err
    assert made.out.endswith(f"Next:\n\n  arena check {tmp_path}/mine\n")
    assert {path.name for path in (tmp_path / "mine").iterdir()} == {"bot.toml", "vectors", ".gitignore"}
    spec = (ROOT / "protocol" / "SPEC.md").read_text("utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", spec, re.DOTALL)
    (tmp_path / "mine" / "first.py").write_text(program)
    manifest = tmp_path / "mine" / "bot.toml"
    assert tomllib.loads(manifest.read_text())["games"] == ["draftosaurus"]
    manifest.write_text(manifest.read_text().replace('["./bot"]', '["python3", "first.py"]'))
    (tmp_path / "apart").mkdir()
    (tmp_path / "apart" / "other.py").write_text(program)
    command = f"{sys.executable} {tmp_path}/apart/other.py"
    words = ("--no-record", "--json", "--sandbox", at_best())
    played = json.loads(arena("play", tmp_path / "mine", command, *words).out)
    assert (played["players"], played["faults"]) == (["mine#1", "mine#2"], [])
    assert arena("check", command, "--exam", "start", "--sandbox", at_best()).out.startswith("mine passed ")


def test_what_a_build_leaves_in_a_kit_is_not_copied(tmp_path, monkeypatch):
    kits = tmp_path / "kits"
    (kits / "python" / "target").mkdir(parents=True)
    (kits / "python" / "target" / "large").write_bytes(b"\xff")
    (kits / "python" / ".gitignore").write_text("/target/\n*.o\n")
    (kits / "python" / "x.o").write_bytes(b"\xff")
    (kits / "python" / "bot.py").write_text("")
    (kits / "python" / "bot.toml").write_text('name = "my-bot"\ncommand = ["true"]\n')
    monkeypatch.setattr("arena.roster.kits.KITS", kits)
    assert create(tmp_path / "rex", "python").name == "rex"
    assert sorted(path.name for path in (tmp_path / "rex").iterdir()) == [
        ".github", ".gitignore", "AGENTS.md", "bot.py", "bot.toml", "vectors",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["rex", "--lang", "cobol"], 4, "there is no kit for 'cobol', only for python, javascript, "),
        (["rex", "--lang", "c", "--game", "go"], 4, "unknown game 'go'. Games: dinodocus, draftosaurus."),
        (["a bot", "--lang", "c"], 4, "in letters, digits, '.', '_' and '-'. For example: a-bot"),
        (["full", "--lang", "python"], 4, "full: it already exists. Choose a new folder."),
        (
            ["rex"],
            2,
            "choose a language: --lang python, javascript, typescript, rust, go, java, c, cpp, shell or other",
        ),
        (["full", "--lang", "other"], 4, "full: it already exists. Choose a new folder."),
    ],
)
def test_what_cannot_be_made_is_refused_in_one_line_and_nothing_is_left(words, code, said, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    ended = arena("new-bot", tmp_path / words[0], *words[1:])
    assert (ended.code, said in ended.err) == (code, True), ended.err
    assert [path.name for path in tmp_path.iterdir()] == ["full"]


@pytest.mark.parametrize("language", [language for language, kit in LANGUAGES.items() if kit.tools])
def test_a_missing_toolchain_is_told_with_its_packages(language, tmp_path):
    ended = arena("new-bot", tmp_path / "rex", "--lang", language, PATH=str(tmp_path))
    kit = LANGUAGES[language]
    assert ended.code == 5
    assert ended.err.endswith(f"{kit.title} needs {' and '.join(kit.tools)}, not installed here: {kit.way_out}\n")
    assert not (tmp_path / "rex").exists()


def test_a_build_that_fails_is_told_and_the_files_stay(tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("cc", "make"):
        (tools / name).write_text("#!/bin/sh\nexit 1\n")
        (tools / name).chmod(0o755)
    ended = arena("new-bot", tmp_path / "rex", "--lang", "c", PATH=f"{tools}:/bin:/usr/bin")
    assert ended.code == 4
    failed = f"rex: build 'make' in {tmp_path}/rex exited with status 1; see above."
    assert ended.err.endswith(f"{failed} When that is fixed, run: arena check {tmp_path}/rex\n")
    assert (tmp_path / "rex" / "bot.c").exists()


def test_the_readmes_path_needs_no_other_words_in_a_home_that_is_new(tmp_path):
    home = tmp_path / "home"
    home.mkdir(mode=0o755)
    own = {"HOME": str(home), "XDG_STATE_HOME": ""}
    bot = tmp_path / "my-bot"
    made = arena("new-bot", bot, "--lang", "python", **own)
    checked = arena("check", bot, **own)
    sandbox = ("--sandbox", at_best())
    played = arena("play", bot, "greedy", "-o", tmp_path / "x.match.jsonl.gz", *sandbox, **own)
    assert [made.code, checked.code, played.code] == [0, 0, 0], made.err + checked.err + played.err
    assert made.err == ""
    assert checked.out == f"my-bot passed {14 if NO_SANDBOX else 15} exams.\n"
    compared = "arena: this bot is yours: one match runs without a sandbox, for comparison.\n"
    alone = "arena: this machine has no sandbox for this bot. It is yours, so it is examined without one.\n"
    assert checked.err.startswith(alone if NO_SANDBOX else compared)
    assert [path.name for path in home.rglob("*") if path.is_dir()] == [".local", "state", "dino-arena", "yours"]
