"""What must work: bots in common languages, with threads and timers, play a whole game in every tier."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.theatre import HERE, SYSTEM_PYTHON, play_scene, put_up, python_of, site_packages
from tests.machine import is_reachable

SOURCES = HERE / "runtimes"
TOOLS = {
    # what is needed, and how the bot is made of its source
    "node": ("node", []),
    "java": ("javac", ["javac", "-d", ".", str(SOURCES / "Bot.java")]),
    "go": ("go", ["go", "build", "-o", "bot", str(SOURCES / "bot.go")]),
    "rust": ("rustc", ["rustc", "-o", "bot", str(SOURCES / "bot.rs")]),
    "c": ("cc", ["cc", "-o", "bot", str(SOURCES / "bot.c"), "-lpthread"]),
    "ruby": ("ruby", []),
    "perl": ("perl", []),
    "lua": ("lua5.4", []),
    "php": ("php", []),
}
COMMANDS = {
    "node": ["node", "bot.js"], "java": ["java", "Bot"], "go": ["./bot"], "rust": ["./bot"], "c": ["./bot"],
    "ruby": ["ruby", "bot.rb"], "perl": ["perl", "bot.pl"], "lua": ["lua5.4", "bot.lua"], "php": ["php", "bot.php"],
}  # fmt: skip
OPTIONAL = ("ruby", "lua", "php")  # who is not here is not seated, on any machine; Debian's perl is everywhere
TABLES = ("node", "java", "go", "rust", "c"), ("ruby", "perl", "lua", "php")


def is_made(language: str, folder: Path) -> bool:
    """Make the bot, once for all workers. Whether it could be made."""
    tool, words = TOOLS[language]
    if shutil.which(tool) is None:
        assert language in OPTIONAL or not os.environ.get("CI"), f"no {tool}, which machines that test the arena need"
        return False
    folder.mkdir(exist_ok=True)
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / ".made").exists():
            for script in SOURCES.glob("bot.*"):
                shutil.copy(script, folder)
            if words:
                subprocess.run(words, cwd=folder, check=True, env={**os.environ, "GO111MODULE": "off"})
            (folder / ".made").touch()
    return True


def put(source: Path, target: Path) -> Path:
    """A bot's folder, where everybody can read it."""
    shutil.copytree(source, target)
    open_to_all(target)
    return target


def open_to_all(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)


def check(found: dict[str, Any]) -> None:
    assert found["faults"] == [], found["stderr"]
    assert found["void"] is None
    assert found["verify"] is None
    assert set(found["statuses"]) <= {"accepted", "forced"}


@pytest.mark.parametrize("seats", TABLES, ids="-".join)
def test_bots_in_common_languages_play_at_one_table(user: str, tier: str, seats: list[str], workshop: Path) -> None:
    languages = [language for language in seats if is_made(language, workshop / language)]
    if not languages:
        pytest.skip(f"none of {', '.join(seats)} is here")
    with put_up(user) as base:
        bots = [(name, COMMANDS[name], str(put(workshop / name, base / "bots" / name))) for name in languages]
        bots += bots[:1] if len(bots) == 1 else []
        check(play_scene(user, tier, "table", bots=bots))


def test_bots_in_any_python_play_at_one_table(user: str, tier: str) -> None:
    """The system's; one in a virtual environment in the bot's folder; the arena's own, wherever that lives.

    In `lite` a root arena's bots cannot reach an interpreter in a private home, and nothing can be done about it there.
    """
    mine = python_of(user)[0]
    shown = tier != "lite" or user != "root" or is_reachable(Path(mine))
    with put_up(user) as base:
        folder = base / "bots" / "python"
        folder.mkdir()
        shutil.copy(SOURCES / "bot.py", folder)
        folder.chmod(0o755)
        make = [mine if shown else SYSTEM_PYTHON, "-m", "venv", "--without-pip", str(folder / "venv")]
        subprocess.run(make, check=True)
        bots = [("system", [SYSTEM_PYTHON, "bot.py"]), ("venv", ["venv/bin/python", "bot.py"])]
        bots += [("own", ["{python}", "bot.py"])] if shown else []
        check(play_scene(user, tier, "table", bots=[(name, words, str(folder)) for name, words in bots]))


LIBRARIES = (
    "numpy",
    "numpy.libs",
    "onnxruntime",
    "attr",
    "attrs",
    "idna",
    "outcome",
    "sniffio",
    "sortedcontainers",
    "trio",
)
NOT_NEEDED = shutil.ignore_patterns("__pycache__", "tests", "tools", "transformers", "*.pyi", "*.h", "*.a")


def test_bots_with_large_libraries_play_at_one_table(user: str, tier: str) -> None:
    """Numpy, onnxruntime and trio, in the bots' folder."""
    python = python_of("ordinary")[0]  # which everybody may execute
    with put_up(user) as base:
        folder = base / "bots" / "libraries"
        for name in LIBRARIES:
            shutil.copytree(site_packages() / name, folder / name, ignore=NOT_NEEDED)
        for script in ("learned.py", "structured.py"):
            shutil.copy(SOURCES / script, folder)
        open_to_all(folder)
        bots = [(script, [python, script], str(folder)) for script in ("learned.py", "structured.py")]
        check(play_scene(user, tier, "table", bots=bots))
