"""`arena docs`: every page is there, in a checkout and in a wheel, and can be read in a terminal."""

import ast
import json
import re
import tomllib
from functools import partial
from pathlib import Path

import pytest

from arena.cli.docs import pages, part
from arena.cli.markdown import drawn, paged, show_page
from tests.cli.command import Command, here

ROOT = Path(__file__).parents[2]
PAGES = pages()
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path) -> Command:
    monkeypatch.chdir(tmp_path)
    return partial(here, monkeypatch, capsys)


@pytest.fixture
def terminal(monkeypatch):
    """Stdout is a terminal of 80x24."""
    for module in ("markdown", "terminal"):
        monkeypatch.setattr(f"arena.cli.{module}.takes_escapes", lambda stream: True)
    monkeypatch.setattr("arena.cli.tables.is_terminal", lambda stream: True)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("NO_COLOR", "1")


def test_a_page_in_a_pipe_is_printed_as_it_is_written(command):
    assert command("docs", "check").out == (ROOT / "docs" / "check.md").read_text("utf-8")


def test_all_pages_are_listed(command):
    assert [one["topic"] for one in json.loads(command("docs", "--json").out)] == list(PAGES)
    assert {"check", "spec", "write-a-bot", "dinodocus-rules", "changelog", "bots"} <= PAGES.keys()


def test_a_part_of_a_page_is_named_by_its_number_or_its_words(command):
    assert command("docs", "spec", "2.1").out.startswith("### 2.1 ")
    assert command("docs", "commands", "exit").out.startswith("## Exit codes\n")
    whole = part(PAGES["spec"], "2")
    assert "### 2.1 " in whole
    assert "## 3" not in whole


def test_a_page_that_does_not_exist_is_an_error_with_a_question(command):
    ended = command("docs", "chek")
    assert (ended.code, ended.err) == (
        4,
        "arena: there is no page 'chek'. Did you mean check? `arena docs` lists all.\n",
    )
    assert "It has: Streams" not in command("docs", "spec", "9.9.9").err
    assert command("docs", "spec", "9.9.9").err.startswith("arena: spec has no part '9.9.9'. It has: ")


@pytest.mark.parametrize("topic", PAGES)
@pytest.mark.usefixtures("terminal")
def test_a_page_fits_a_terminal(topic):
    text = PAGES[topic].text()
    code = {
        f"  {line}"
        for block in re.findall(r"^```.*?^```$", text, re.DOTALL | re.MULTILINE)
        for line in block.split("\n")
    }
    for line in drawn(text, 80):
        is_whole = max(map(len, line.split()), default=0) > 60
        assert len(line) <= 80 or line in code or is_whole, line


@pytest.mark.usefixtures("terminal")
def test_marks_of_markdown_are_drawn():
    text = "# Top\n\nOne **bold** [link](x.md), and\n[out](https://x.y).\n\n- first\n  still\n- second\n\n| a | b |\n|---|---|\n| `1` | [two](b.md) |\n"
    assert list(drawn(text, 80)) == [
        "Top", "", "One bold link, and out (https://x.y).", "", "- first still", "- second", "",
        "a    b", "---  ---", "`1`  two", "",
    ]  # fmt: skip


@pytest.mark.usefixtures("terminal", "processes")
def test_a_long_text_goes_through_the_pager_of_the_user(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("PAGER", f"tee {tmp_path}/read")
    paged("short")
    assert not (tmp_path / "read").exists()
    paged("line\n" * 30)
    assert (tmp_path / "read").read_text() == "line\n" * 30 + "\n"
    monkeypatch.setenv("PAGER", str(tmp_path / "nothing"))
    show_page("a\n\n" * 30)
    assert capsys.readouterr().out.count("a\n") == 30


def test_a_wheel_has_every_page():
    wheel = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    packages = set(wheel["only-include"]) - wheel["sources"].keys()
    for path in [page.path for page in PAGES.values()]:
        top = path.partition("/")[0]
        kept = wheel["force-include"].get(path) or wheel["sources"].get(top)
        assert top in packages or kept == f"arena/documents/{top}", path


def texts_of(path: Path):
    """The strings of a module that are not docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    about = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    yield from (
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in about
    )


@pytest.mark.thorough
def test_no_message_names_a_file_that_a_wheel_does_not_have():
    """It names the command: `arena docs check`. Docstrings of commands are their help."""
    for path in (ROOT / "arena").rglob("*.py"):
        for text in texts_of(path):
            assert not re.search(r"\bdocs/[a-z-]+\.md|\btournaments/|protocol/SPEC|SPEC\.md", text) or path.name in (
                "docs.py",
            ), (path, text)
    for place in (ROOT / "arena" / "cli").glob("*.py"):
        for node in ast.walk(ast.parse(place.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                assert not re.search(r"docs/[a-z-]+\.md|tournaments/", ast.get_docstring(node) or ""), (
                    place,
                    node.name,
                )


def test_every_page_that_a_message_names_exists():
    named = {
        topic
        for path in (ROOT / "arena").rglob("*.py")
        for topic in re.findall(r"`arena docs ([a-z][a-z-]+)", path.read_text("utf-8"))
    }
    assert named
    assert named <= PAGES.keys()


def for_language_models() -> str:
    """The index as llmstxt.org wants it."""
    lines = [
        "# Dino Arena",
        "",
        "> An arena where bots in any language play board games against each other: it runs each bot in a sandbox, referees",
        "> matches and leagues, rates the bots, and records every match. `arena docs TOPIC` prints each of these pages,",
        "> without a network.",
        "",
        "## Use",
        "",
    ]
    for line in (ROOT / "docs" / "README.md").read_text("utf-8").splitlines():
        if row := re.fullmatch(r"\| \[(.*?)\]\((.*?)\) \| (.*?) \|", line):
            lines.append(f"- [{row[1].strip('`')}]({row[2]}): {row[3]}")
        elif line.startswith("For "):
            lines += ["", f"## {line.rstrip(':')}", ""]
    return "\n".join([*lines, ""])


def test_the_list_for_language_models_has_the_pages_of_the_index(is_rewriting):
    path = ROOT / "docs" / "llms.txt"
    if is_rewriting:
        path.write_text(for_language_models(), "utf-8")
    assert path.read_text("utf-8") == for_language_models()
