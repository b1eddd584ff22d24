"""What a bot sees of its folder, of other bots, and of what is installed beside its interpreter."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.theatre import HERE, NOBODY, SYSTEM_PYTHON, TIERS, put_up, run_as

SECRET = "the seed of the league"
RESULTS = ("leagues/spring/secret", "records/secret", "old.match.jsonl.gz", ".git/config", "__pycache__/secret")
OWN = ("lib/weights", ".brain", "lib/records/data", "lib/__pycache__/data", "link-to-own")
in_sandboxes = pytest.mark.parametrize("tier", TIERS[1:])


def put(path: Path, text: str = SECRET) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def base(user: str) -> Iterator[Path]:
    with put_up(user) as base:
        yield base


@pytest.fixture
def folder(base: Path) -> Path:
    """A bot that looks at what is named in `looks`."""
    folder = base / "bots" / "peeking"
    folder.mkdir()
    shutil.copy(HERE / "peeking_bot.py", folder)
    return folder


def describe(folder: Path, *words: str) -> str:
    command = json.dumps([SYSTEM_PYTHON, "peeking_bot.py", *words])
    put(folder / "bot.toml", f'name = "{folder.name}"\ncommand = {command}\n')
    return str(folder)


@pytest.fixture
def play(user: str, base: Path) -> Callable[..., dict[str, Any]]:
    """One match of these bots, and what they said; all files belong to the user, and can be read by everybody."""

    def play_them(tier: str, *words: str, **task: Any) -> dict[str, Any]:
        for path in (base, *base.rglob("*")):
            if os.geteuid() == 0 and user == "ordinary":
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)
        task = {"scene": "named", "tier": tier, "words": words, "where": str(base / "league"), **task}
        found: dict[str, Any] = json.loads(run_as(user, ["stage.py"], base, json.dumps(task)))
        assert found.get("faults", []) == []
        return found

    return play_them


def test_a_bot_sees_its_files_and_no_results(tier: str, folder: Path, play: Callable[..., dict[str, Any]]) -> None:
    for name in (*RESULTS, *OWN[:-1]):
        put(folder / name)
    (folder / "link-to-own").symlink_to("lib/weights")
    (folder / "link-to-results").symlink_to("leagues/spring/secret")
    bot = describe(folder, *RESULTS, "link-to-results", *OWN)
    sees = play(tier, bot, bot)["said"][0]["sees"]
    assert {sees[name] for name in OWN} == {SECRET}
    of_results = {sees[name] for name in (*RESULTS, "link-to-results")}
    assert of_results == {"none": {SECRET}, "lite": {"PermissionError"}, "full": {"FileNotFoundError", ""}}[tier]


@in_sandboxes
def test_names_of_results_can_be_listed_in_lite_alone(
    tier: str, folder: Path, play: Callable[..., dict[str, Any]]
) -> None:
    bot = describe(folder, "leagues", "leagues/secret")
    put(folder / "leagues" / "secret")
    sees = play(tier, bot, bot)["said"][0]["sees"]
    assert sees["leagues"] == ([] if tier == "full" else ["secret"])
    assert SECRET not in sees.values()


def test_a_cache_cannot_stand_in_for_the_source_that_is_digested(
    tier: str, folder: Path, play: Callable[..., dict[str, Any]]
) -> None:
    """Python takes such a cache without a look at the source."""
    put(folder / "other.py", 'WHO = "the cache"')
    compile_to_cache = """if True:
        import importlib.util, py_compile
        cache = importlib.util.cache_from_source("impl.py")
        py_compile.compile("other.py", cache, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
        """
    subprocess.run([SYSTEM_PYTHON, "-c", compile_to_cache], cwd=folder, check=True)
    put(folder / "impl.py", 'WHO = "the source"')
    bot = describe(folder)
    assert play(tier, bot, bot)["said"][0]["who"] == ("the cache" if tier == "none" else "the source")


def test_two_command_lines_in_one_folder_are_refused(
    tier: str, folder: Path, play: Callable[..., dict[str, Any]]
) -> None:
    put(folder / "precious.py", (HERE / "peeking_bot.py").read_text())
    thief, victim = (f"{SYSTEM_PYTHON} {name} precious.py" for name in ("peeking_bot.py", "precious.py"))
    found = play(tier, f"{SYSTEM_PYTHON} peeking_bot.py", f"{SYSTEM_PYTHON} precious.py", where=str(folder))
    if tier == "none":
        assert found["refused"] is None
        sees = play(tier, thief, victim, where=str(folder))["said"][0]["sees"]
        assert sees[f"{folder}/precious.py"].startswith('"""Looks')
    else:
        assert found["refused"] == (
            f"RosterError: peeking_bot and precious would see each other's files in {folder}. Give each bot a folder of "
            "its own, or use --sandbox none."
        )
        assert play(tier, thief, thief, where=str(folder))["refused"] is None, "one bot twice"


@in_sandboxes
def test_a_bot_within_the_folder_of_another_is_refused(
    tier: str, folder: Path, play: Callable[..., dict[str, Any]]
) -> None:
    inner = folder / "versions" / "inner"
    inner.mkdir(parents=True)
    shutil.copy(HERE / "peeking_bot.py", inner)
    for words in ((describe(folder), describe(inner)), (describe(inner), describe(folder))):
        refused = play(tier, *words)["refused"]
        assert f"would see each other's files in {words[0]} and {words[1]}. Give each bot" in refused
    assert play("none", describe(folder), describe(inner))["refused"] is None
    put(folder / "second.toml", (folder / "bot.toml").read_text().replace('"peeking"', '"second"'))
    assert play(tier, str(folder), str(folder / "second.toml"))["refused"] is None, (
        "two files describe one folder's bots"
    )


def test_a_private_file_is_not_seen_by_a_hard_link(
    tier: str, base: Path, folder: Path, play: Callable[..., dict[str, Any]]
) -> None:
    bot = describe(folder, "linked")
    private = put(base / "home" / "private")
    (folder / "linked").hardlink_to(private)
    private.chmod(0o600)
    found = play(tier, bot, bot)
    assert found["refused"] == (
        f"RosterError: {folder}/linked: a hard link to a file that is also elsewhere, which the bot would see. Use a "
        f"copy of the folder: cp -r {folder} peeking-copy"
    )
    private.unlink()
    (folder / "linked").chmod(0o644)
    (folder / "second-name").hardlink_to(folder / "linked")  # as cargo does it
    assert play(tier, bot, bot)["said"][0]["sees"] == {"linked": SECRET}


def test_a_hard_link_beside_a_script_is_refused_too(
    base: Path, folder: Path, play: Callable[..., dict[str, Any]]
) -> None:
    (folder / "linked").hardlink_to(put(base / "home" / "private"))
    words = (f"{SYSTEM_PYTHON} {folder}/peeking_bot.py linked",) * 2
    assert "/linked: a hard link to a file that is also elsewhere" in play("auto", *words)["refused"]
    assert play("none", *words)["said"][0]["sees"] == {"linked": SECRET}


@in_sandboxes
def test_of_a_program_on_the_path_only_what_was_installed_with_it_is_seen(
    tier: str, base: Path, folder: Path, play: Callable[..., dict[str, Any]]
) -> None:
    project = base / "home" / "project"
    tool = put(project / "bin" / "tool", f"#!{SYSTEM_PYTHON}\n")
    tool.chmod(0o755)
    files = {name: str(put(project / name)) for name in ("lib/library", "leagues/secret", "notes", "src/main")}
    task = {"path": f"{tool.parent}:/usr/bin:/bin"}
    bot = describe(folder, str(tool), *files.values())
    sees = play(tier, bot, bot, **task)["said"][0]["sees"]
    assert SECRET not in sees.values(), "it is only an argument"
    shutil.copy(HERE / "peeking_bot.py", tool)
    tool.write_text(f"#!{SYSTEM_PYTHON}\n{tool.read_text()}")
    tool.chmod(0o755)
    put(folder / "bot.toml", f'name = "tool"\ncommand = {json.dumps([str(tool), *files.values()])}\n')
    sees = play(tier, bot, bot, **task)["said"][0]["sees"]
    assert [name for name, path in files.items() if sees[path] == SECRET] == ["lib/library"]
    assert play("none", bot, bot, **task)["said"][0]["sees"] == dict.fromkeys(files.values(), SECRET)
