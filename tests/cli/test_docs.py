"""What the documents show is what happens, and what they name is there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from arena.cli.app import build
from arena.cli.exits import Exit
from arena.league.tournament import read_tournament
from engine.draftosaurus import GAME
from tests.machine import at_best

ROOT = Path(__file__).parents[2]
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for folder in ("", "bots/", "bots/*/", "docs/", "engine/*/", "protocol/", "tournaments/")
    for path in ROOT.glob(f"{folder}*.md")
}
README, COMMANDS = PAGES["README.md"], PAGES["docs/commands.md"]


def blocks(language: str, *pages: str) -> list[str]:
    """The fenced blocks of these pages in one language."""
    return [block for page in pages for block in re.findall(rf"```{language}\n(.*?)```", PAGES[page], re.DOTALL)]


def run(*words: str, cwd: Path = ROOT, **more: Any) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, *words], text=True, cwd=cwd, env=environment, **more)


# Programs


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("beginning", "printed"), [("import arena", "(35, 22) (1, 2)\n"), ("from engine", "winter | ")]
)
def test_the_programs_for_python_run(beginning, printed):
    (program,) = [program for program in blocks("python", "docs/python.md") if program.startswith(beginning)]
    ended = run("-c", program, capture_output=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith(printed)


@pytest.mark.usefixtures("processes")
def test_the_program_that_reads_a_record_runs(tmp_path):
    (program,) = [program for program in blocks("python", "docs/python.md") if program.startswith("from arena")]
    ended = run("-c", program, cwd=tmp_path, capture_output=True)
    assert ended.returncode == 0, ended.stderr
    line, *rest = ended.stdout.splitlines()
    assert line == "<MatchRecord draftosaurus: greedy 35, random 22; 52 steps, seed 7>"
    assert "seat 0 greedy  35 points, rank 1" in ended.stdout
    assert re.fullmatch(r"1 \d+ 0 \w accepted [\d.]+", rest[-72]), "and each decision"


def test_the_readmes_bot_is_the_one_of_the_kit():
    (program,) = blocks("python", "README.md")
    assert program == (ROOT / "bots" / "python" / "bot.py").read_text("utf-8")


def test_the_readmes_league_can_be_played_with_the_readmes_bot(tmp_path):
    shutil.copytree(ROOT / "bots" / "python", tmp_path / "my-bot", ignore=shutil.ignore_patterns("__pycache__"))
    (file,) = blocks("toml", "README.md")
    (tmp_path / "first.toml").write_text(file, "utf-8")
    league = read_tournament(tmp_path / "first.toml")
    assert (league.name, league.bots, league.planned) == ("first", ("greedy", "random", "my-bot"), 60)


# Output of commands


def shown(command: str) -> list[str]:
    """What the README shows of a command's output, without what it leaves out."""
    (block,) = [block for block in blocks("text", "README.md") if block.startswith(f"$ {command}\n")]
    return [part.rstrip("\n") for part in block.partition("\n")[2].split("...\n") if part]


@pytest.mark.usefixtures("processes")
def test_the_readme_shows_what_the_demo_prints_and_in_that_order(tmp_path):
    table, last = shown("make demo")
    assert table.startswith("After 18 matches:\n\nrank ")
    words = ["-m", "arena", "demo", "--seed", "7"]  # without it there are new deals each time
    ended = run(*words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert f"{table}\n" in ended.stdout
    assert re.sub(r"(demo-draftosaurus)-[0-9a-f]{6}", r"\1", ended.stdout).endswith(f"{last}\n")


@pytest.mark.usefixtures("processes")
def test_the_readme_shows_the_first_question_to_a_person(tmp_path):
    (question,) = shown("arena human greedy --seed 7")
    words = ["-m", "arena", "human", "greedy", "--seed", "7"]
    ended = run(*words, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True)
    assert ended.stderr.partition(question)[0].count("Your choice") == 0
    assert f"\n{question}" in ended.stderr


@pytest.mark.usefixtures("processes")
def test_the_first_edit_of_the_guide_wins_as_the_guide_says(tmp_path):
    guide = " ".join(PAGES["docs/write-a-bot.md"].split())
    make = next(block for block in blocks("sh", "docs/write-a-bot.md") if "--lang python" in block).splitlines()[0]
    (measure,) = [block for block in blocks("sh", "docs/write-a-bot.md") if "arena duel" in block]
    best = {"ARENA_DUEL_SANDBOX": at_best(), "XDG_STATE_HOME": str(tmp_path / "state"), "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(
        ["sh", "-ec", f'arena() {{ "{sys.executable}" -m arena "$@"; }}\n{make}\n{measure}'],
        cwd=tmp_path,
        env={**os.environ, **best},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    games, value, low, high = re.search(
        r"\n(\d+) games in .*\nElo at stop: \+(\d+) \(\+(\d+) to \+(\d+)\)", ended.stdout
    ).groups()
    assert f'ends after {games} games: "yes", by {value} Elo (95 % interval {low} to {high})' in guide
    (new, old) = [line.split() for line in ended.stdout.splitlines() if "my-python-bot#" in line and " ±" in line]
    assert f"The standings have the points: {new[-3]} on average instead of {old[-3]}." in guide
    rounded = [round(float(row[-3])) for row in (new, old)]
    assert f"won {new[-4]} of {games} games" in guide
    assert f"with {rounded[0]} points on average instead of {rounded[1]}" in guide


def test_every_picture_is_shown_and_no_other_is_kept():
    """`make pictures` takes them; a picture that no page shows is a file that nobody reads."""
    shown = {Path(name).name for text in PAGES.values() for name in re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)}
    assert shown == {path.name for path in (ROOT / "docs" / "pictures").iterdir()}


# Commands


def commands() -> set[str]:
    """All commands, those of groups after the name of their group."""
    found = set()
    for name, command in getattr(typer.main.get_command(build()), "commands", {}).items():
        found |= {f"{name} {one}" for one in getattr(command, "commands", {})} or {name}
    return found


def test_every_command_is_listed_and_no_other():
    rows = re.findall(r"^\| `arena (.*?)` \|", COMMANDS, re.MULTILINE)
    listed = [" ".join(word for word in row.split() if re.fullmatch(r"[a-z][a-z-]*", word)) for row in rows]
    assert sorted(listed) == sorted(commands())


def test_every_exit_code_is_explained_and_no_other():
    assert [int(code) for code in re.findall(r"^\| (\d+) \|", COMMANDS, re.MULTILINE)] == list(Exit)


# Positions

POSITIONS = re.findall(
    r'^(?:.*")?((?:summer|winter|summer_winter)\b[^"\n]* \| [^"\n]*?)"?$',
    COMMANDS + PAGES["engine/draftosaurus/RULES.md"],
    re.MULTILINE,
)


@pytest.mark.parametrize("text", [text for text in POSITIONS if not text.endswith("| ...")])
def test_documented_positions_are_positions(text):
    GAME.parse(text)


def test_documents_show_positions():
    assert len(POSITIONS) >= 7


# What pages name


def anchors(page: str) -> set[str]:
    """What a link into a page may name: its headings."""
    prose = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page):
    here = (ROOT / page).parent
    for link in re.findall(r"\]\((?!https?://)([^)\s]+)\)", PAGES[page]):
        place, _, anchor = link.partition("#")
        target = (here / place).resolve() if place else ROOT / page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target.read_text("utf-8")), link


@pytest.mark.parametrize("page", [page for page in PAGES if page != "CHANGELOG.md"])
def test_every_path_that_is_named_is_there(page):
    folders = "arena|benchmarks|bots|docs|engine|protocol|tests|tournaments"
    for path in re.findall(rf"(?<![\w/.~-])((?:{folders})/[\w./-]*[\w/])(?![\w<*{{])", PAGES[page]):
        assert any((folder / path).exists() for folder in (ROOT, (ROOT / page).parent)), path


def test_every_room_is_on_the_map_and_has_the_door_that_is_named():
    rooms = re.findall(r"^\| `arena/(\w+)/` \|", PAGES["docs/architecture.md"], re.MULTILINE)
    assert sorted(rooms) == sorted(path.parent.name for path in (ROOT / "arena").glob("*/__init__.py"))
    doors = re.findall(r"`(\w+)` in `(\S+\.py)`", PAGES["docs/architecture.md"])
    assert len(doors) >= len(rooms)
    for name, path in doors:
        source = (ROOT / path).read_text("utf-8")
        assert re.search(rf"^(async def|def|class) {name}\b|^{name}\b.* = ", source, re.MULTILINE), (name, path)


@pytest.mark.parametrize("package", ["arena", "engine", "protocol"])
def test_every_module_of_a_package_is_on_the_map(package):
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / package).glob("[a-z]*.py")}
    assert {module for module in modules if f"`{module}`" not in PAGES["docs/architecture.md"]} == set()


def test_every_page_is_in_the_index():
    listed = set(re.findall(r"^\| \[.*?\]\((.*?)\)", PAGES["docs/README.md"], re.MULTILINE))
    here = ROOT / "docs"
    pages = {os.path.relpath(ROOT / page, here) for page in PAGES if not re.match(r"bots/.*/|docs/README", page)}
    assert listed == pages
