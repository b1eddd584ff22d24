"""What every command has in common: help without types of Python's, one style of errors, how much is printed."""

import re
from functools import partial

import pytest
import typer

from arena.cli.app import build
from arena.version import VERSION, make
from engine.texts import meant
from tests.cli.command import Command, arena, here


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path) -> Command:
    monkeypatch.chdir(tmp_path)
    return partial(here, monkeypatch, capsys)


def helps() -> dict[str, str]:
    """What `--help` shows of every command and group, at 80 columns."""
    found = {}

    def look(one, parent, name):
        ctx = typer.Context(one, info_name=name, parent=parent, terminal_width=80)
        found[ctx.command_path] = one.get_help(ctx)
        for word, child in getattr(one, "commands", {}).items():
            look(child, ctx, word)

    look(typer.main.get_command(build()), None, "arena")
    return found


def test_no_line_of_help_is_cut_or_wider_than_a_terminal():
    for path, text in helps().items():
        usage, *lines = text.splitlines()
        assert len(usage) <= 80, path
        assert [line for line in lines if len(line) > 80 or line.endswith("...")] == [], path


def test_no_help_shows_a_type_of_python_or_an_inequality():
    for path, text in helps().items():
        assert not re.search(r"<|list\[|[xX]>=|\{|\bPath\b|\.\.\.\.\.\.", text), (path, text)


def test_arguments_are_written_as_they_are_typed():
    usages = {path: text.partition("\n")[0] for path, text in helps().items()}
    assert usages["arena play"] == "Usage: arena play [OPTIONS] BOT..."
    assert usages["arena league add"] == "Usage: arena league add [OPTIONS] FILE BOT..."
    assert usages["arena help"] == "Usage: arena help [OPTIONS] [COMMAND...]"
    assert "How long one build may take. [default: 900; 1 to 86400]" in " ".join(helps()["arena play"].split())


@pytest.mark.parametrize("words", [("play",), ("league",), ("league", "run"), ()], ids=" ".join)
def test_help_explains_a_command_as_its_own_option_does(command, words):
    assert command("help", *words) == command(*words, "--help")


def test_help_for_a_command_that_does_not_exist_is_a_mistake(command):
    ended = command("help", "play", "chess")
    assert (ended.code, ended.err) == (2, "arena: there is no command 'arena play chess'. See `arena help --help`.\n")


def test_the_manual_page_has_every_command_and_every_option_and_nothing_that_man_would_obey(command):
    page = command("help", "--man").out
    shown = page.replace(r"\-", "-")
    for path, text in helps().items():
        assert f'\n.SS "{path}' in shown or "Commands:" in text, path
        for option in {*re.findall(r"^  (-.*?)  ", text, re.MULTILINE)} - {"--help"}:
            assert f"\n.B {option}\n" in shown, (path, option)
    requests = {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))}
    assert requests == {".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".I", ".nf", ".fi"}
    assert re.search(r"\.SH EXIT STATUS\n\.TP\n\.B 0\nSuccess\.", shown)
    assert "\n.B NO_COLOR\nno colours\n" in shown
    assert command("help", "--man", "play").code == 2


def test_every_option_can_be_set_by_a_variable_and_what_is_typed_counts_more(command, monkeypatch):
    monkeypatch.setenv("ARENA_GAMES_JSON", "1")
    assert command("games").out.startswith(("[", "{"))
    monkeypatch.setenv("ARENA_LEAGUE_LIST_JSON", "soon")
    assert "(env var: 'ARENA_LEAGUE_LIST_JSON')" in command("league", "list").err
    monkeypatch.setenv("ARENA_PLAY_STRIKES", "0")
    assert command("play", "lunch").code == 2
    assert command("play", "lunch", "--strikes", "1").code == 4


def test_the_version_has_a_short_option(command):
    assert command("version") == command("-V")
    assert command("-V").out == f"arena {VERSION} ({make()})\n"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("lunch",), "arena: No such command 'lunch'. Did you mean 'bench'? See `arena --help`."),
        (("play",), "arena: Missing argument 'BOT'. See `arena play --help`."),
        (("play", "a", "--htm", "x"), "arena: No such option: --htm. Did you mean --html? See `arena play --help`."),
        (("play", "a", "--strikes", "0"), "arena: Invalid value for '--strikes': expected 1 or more. See `arena play --help`."),
        (("play", "a", "--strikes", "x"), "arena: Invalid value for '--strikes': expected a whole number. See `arena play --help`."),
        (("league", "standing"), "arena: No such command 'standing'. Did you mean 'standings'? See `arena league --help`."),
        (("verify", ""), "arena: Invalid value for 'FILE': '' is not a file name. See `arena verify --help`."),
        (("demo", "--option", "winter"), "arena: 'winter' is not of the form name=value, such as season=winter. See `arena demo --help`."),
    ],
)  # fmt: skip
def test_a_mistake_on_the_command_line_is_one_line_as_all_errors_are(command, words, error):
    ended = command(*words)
    assert (ended.code, ended.out, ended.err) == (2, "", f"{error}\n")


@pytest.mark.parametrize(
    ("words", "question"),
    [
        (("play", "gredy", "random"), "Did you mean greedy?"),
        (("play", "my-bto", "random"), "Did you mean my-bot?"),
        (("rules", "Drafto"), "Did you mean draftosaurus?"),
        (("play", "greedy", "random", "--option", "sesaon=winter"), "Did you mean season?"),
        (("play", "other", "random"), "bot.toml: comand: there is no such key. Did you mean command?"),
        (("league", "run", "cup.toml"), "cup.toml: botss: there is no such key. Did you mean bots?"),
        (("league", "run", "cup.toml"), "cup.toml: clock.bankms: there is no such key. Did you mean bank_ms?"),
    ],
)
def test_what_was_meant_is_asked(command, tmp_path, words, question):
    for name, manifest in {"my-bot": "", "other": 'name = "a"\ncommand = ["true"]\ncomand = []\n'}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.toml").write_text(manifest)
    (tmp_path / "cup.toml").write_text('name = "cup"\nbotss = []\n[clock]\nbankms = 1\n')
    ended = command(*words)
    assert ended.code == 4
    assert question in ended.err


def test_nothing_is_asked_about_a_name_that_is_like_no_other():
    assert meant("chess", ["draftosaurus", "dinodocus"]) == ""


# How much is printed


@pytest.mark.usefixtures("processes")
def test_a_quiet_command_prints_results_and_no_other_words(tmp_path):
    ended = arena("play", "greedy", "random", "-q", "-o", tmp_path / "a.match.jsonl.gz")
    assert (ended.code, ended.err) == (0, "")
    assert "greedy" in ended.out


def test_a_quiet_command_still_prints_its_error(command):
    assert command("--quiet", "rules", "chess").err.startswith("arena: unknown game 'chess'.")


@pytest.mark.usefixtures("processes")
def test_a_verbose_command_prints_where_an_error_came_from():
    shown = arena("rules", "chess", "--verbose").err
    assert "engine/catalogue.py" in shown
    assert shown.splitlines()[-1].startswith("arena: unknown game 'chess'.")


def test_words_after_two_dashes_are_not_ours(command):
    assert command("rules", "--", "-q").err.startswith("arena: unknown game '-q'.")


def test_a_person_is_always_talked_to(command):
    assert command("human", "greedy", "-q").err.startswith("arena: No such option: -q.")


@pytest.mark.usefixtures("processes")
def test_a_verbose_match_names_the_programs_that_it_starts(tmp_path):
    shown = arena("play", "greedy", "random", "-v", "-o", tmp_path / "a.match.jsonl.gz").err
    assert re.search(r"greedy is in \S+bots/python, digest [0-9a-f]{12}; its command: \S+ greedy_bot\.py", shown)
    assert re.search(r"starts \S+ random_bot\.py in \S+, sandbox \w+", shown)
