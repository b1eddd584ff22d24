"""Starter kits: a copy of a language's folder in bots/ is a new bot.

Each kit is a whole bot that is called `my-bot` and plays the games that are shipped here. In a copy just two texts
change, the name and the list of games, and the protocol's vectors come along for the kit's own test. The starter
chooses among the legal actions of any game, so a copy can play a game of a plug-in, too.
"""

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.errors import LaunchError, RosterError, SettingError
from arena.roster.entries import MANIFEST, Entry, built_in, read
from arena.roster.folders import KITS
from engine.catalogue import game as find_game

NAME = "my-bot"
GAMES = '"draftosaurus", "dinodocus"'
"""The texts that a copy changes."""
NAMES = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""Names that need no escape in any language."""
VECTORS = Path(__file__).resolve().parents[2] / "protocol" / "vectors"
TEMPLATES = Path(__file__).parent / "templates"
LADDER = (
    "novice*", "planner*", "search.toml", "search-*.toml", "searcher*", "thinking.py",
    "draftosaurus_*.py", "games_of_two.py",
    "dinodocus_choice.py", "dinodocus_deal.py", "dinodocus_estimate.py", "dinodocus_playout.py", "dinodocus_table.py",
    "dinodocus_weights.py",
    "raptor*",
)  # fmt: skip
"""Files of built-in bots that are there to be beaten: a new bot starts without them."""
OTHER = "other"
"""In the place of a language: one that has no kit."""
FOR_ALL = {"AGENTS.md": "AGENTS.md", "arena.yml": ".github/workflows/arena.yml"}
"""What every new bot gets, whatever its language: a template, and where it goes."""


@dataclass(frozen=True, slots=True)
class Kit:
    """The kit of a language: its name, the file of the player, its own test, the programs it takes, where they are."""

    title: str
    starter: str
    test: str
    tools: tuple[str, ...] = ()
    way_out: str = ""


LANGUAGES: Mapping[str, Kit] = {
    "python": Kit("Python", "bot.py", "python3 -m unittest"),
    "javascript": Kit("JavaScript", "bot.js", "npm test --silent", ("node", "npm"), "sudo apt install nodejs npm"),
    "typescript": Kit("TypeScript", "src/bot.ts", "npm test --silent", ("node", "npm"), "sudo apt install nodejs npm"),
    "rust": Kit(
        "Rust",
        "src/bin/bot.rs",
        "cargo test --release --locked",
        ("cargo",),
        "https://rustup.rs has it; the kit needs Rust 1.85 or later",
    ),
    "go": Kit("Go", "bot.go", "go test ./...", ("go",), "https://go.dev/dl has it; the kit needs Go 1.21 or later"),
    "java": Kit(
        "Java",
        "src/main/java/Bot.java",
        "mvn -q -B test",
        ("javac", "mvn"),
        "sudo apt install default-jdk-headless maven",
    ),
    "c": Kit("C", "bot.c", "make --silent test", ("cc", "make"), "sudo apt install gcc make"),
    "cpp": Kit("C++", "bot.cpp", "make --silent test", ("c++", "make"), "sudo apt install g++ make"),
    "shell": Kit("POSIX shell", "bot.sh", "sh test.sh", ("awk",), "sudo apt install mawk"),
}
ALIASES = {
    "py": "python",
    "js": "javascript",
    "ts": "typescript",
    "rs": "rust",
    "golang": "go",
    "c++": "cpp",
    "sh": "shell",
}


def language(word: str) -> str:
    """The language that a person means."""
    known = ALIASES.get(word.lower(), word.lower())
    if known not in LANGUAGES:
        raise SettingError(
            f"there is no kit for {word!r}, only for {', '.join(LANGUAGES)}. Any other language can play too: "
            f"--lang {OTHER} writes what else a bot needs, and `arena docs spec` describes its program."
        )
    return known


def create(folder: Path, word: str, game: str | None = None) -> Entry:
    """Make a bot of this language in a new folder, named after it. It is not built yet."""
    chosen = language(word)
    games = GAMES if game is None else f'"{find_game(game).name}"'
    name = _name(folder)
    check_tools(chosen)
    _check_place(folder)
    source = KITS / chosen
    left_out = shutil.ignore_patterns(*_build_output(source), *LADDER)
    shutil.copytree(source, folder, ignore=left_out, dirs_exist_ok=True)
    for path in (path for path in folder.rglob("*") if path.is_file()):
        _change(path, NAME, name)
    for path in (folder / MANIFEST, folder / LANGUAGES[chosen].starter):
        _change(path, GAMES, games)
    shutil.copytree(VECTORS, folder / "vectors")
    _write_for_all(folder, name, LANGUAGES[chosen])
    return read(folder / MANIFEST)


def create_bare(folder: Path, game: str | None = None) -> Path:
    """Make the folder of a bot in a language without a kit: its bot.toml, which is returned, and the test data."""
    games = GAMES if game is None else f'"{find_game(game).name}"'
    name = _name(folder)
    _check_place(folder)
    text = (TEMPLATES / "other.toml").read_text("utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).write_text(text.replace("@NAME@", name).replace("@GAMES@", games), "utf-8")
    (folder / ".gitignore").write_text("matches/\nleagues/\n", "utf-8")
    shutil.copytree(VECTORS, folder / "vectors")
    return folder / MANIFEST


def _write_for_all(folder: Path, name: str, kit: Kit) -> None:
    """Write the texts for coding agents and for a CI."""
    words = {"@NAME@": name, "@TITLE@": kit.title, "@STARTER@": kit.starter, "@TEST@": kit.test}
    for template, place in FOR_ALL.items():
        text = (TEMPLATES / template).read_text("utf-8")
        for mark, word in words.items():
            text = text.replace(mark, word)
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, "utf-8")


def has_opponent(game: str | None) -> bool:
    """Whether the built-in bot `greedy` plays this game; None is all of ours."""
    return game is None or read(built_in()["greedy"]).plays(game)


def check_tools(chosen: str) -> None:
    """LaunchError names the programs of a language that are not installed, and how to get them."""
    kit = LANGUAGES[chosen]
    missing = [tool for tool in kit.tools if shutil.which(tool) is None]
    if missing:
        raise LaunchError(f"{kit.title} needs {' and '.join(missing)}, not installed here: {kit.way_out}")


def _change(path: Path, text: str, other: str) -> None:
    path.write_text(path.read_text("utf-8").replace(text, other), "utf-8")


def _name(folder: Path) -> str:
    name = folder.resolve().name
    if not NAMES.fullmatch(name):
        other = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:64] or NAME
        raise RosterError(
            f"{str(folder)!r}: a bot is named after its folder, in letters, digits, '.', '_' and '-'. "
            f"For example: {other}"
        )
    return name


def _check_place(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise RosterError(f"{folder}: it already exists. Choose a new folder.")


def _build_output(source: Path) -> list[str]:
    """What a build leaves behind in a kit, by the names in its .gitignore."""
    ignored = source / ".gitignore"
    lines = ignored.read_text("utf-8").split() if ignored.exists() else []
    return ["__pycache__", *(line.strip("/") for line in lines)]
