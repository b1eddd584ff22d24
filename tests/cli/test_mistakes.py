"""An error says what is wrong, and shows of what was given only the beginning, and nothing that a terminal obeys."""

from functools import partial

import pytest

from tests.cli.command import Command, here

ENOUGH = 4500
"""Characters of the longest error, with a line about the usage."""
HUGE = "x" * 125_000
OSC = "\x1b]0;owned\x07"
MUTATE = "basic phase=mutate | hand=A01 d1=H07,A15,P12,T09 | -"
PICK = "summer phase=pick die=W | hand=TTTTTT | hand=DDDDDD"
MISTAKES = {
    "command": ["{}"],
    "option of the command": ["play", "--{}"],
    "argument": ["games", "{}"],
    "choice": ["play", "random", "random", "--charge", "{}"],
    "tier": ["play", "random", "random", "--sandbox", "{}"],
    "bot": ["play", "random", "{}"],
    "tournament": ["league", "run", "{}"],
    "record": ["verify", "{}"],
    "game": ["play", "random", "random", "--game", "{}"],
    "rule option": ["play", "random", "random", "--option", "{}"],
    "name of a rule option": ["play", "random", "random", "--option", "{}=1"],
    "rule option given twice": ["play", "random", "random", "--option", "{}=1", "--option", "{}=1"],
    "value of a rule option": ["play", "random", "random", "--option", "season={}"],
    "deck": ["play", "random", "random", "--game", "dinodocus", "--option", "deck={}"],
    "deck that is a text": ["play", "random", "random", "--game", "dinodocus", "--option", "deck=[{}"],
    "field of a deck": ["position", "dinodocus", 'basic deck={{"format":1,"species":[],"cards":[],"{}":1}} | - | -'],
    "format of a deck": ["position", "dinodocus", 'basic deck={{"format":"{}","species":[],"cards":[]}} | - | -'],
    "game of a position": ["position", "{}", "summer | - | -"],
    "kind of a position": ["position", "dinodocus", "{} | - | -"],
    "word of a position": ["position", "dinodocus", "basic {} | - | -"],
    "key of a position": ["position", "dinodocus", "basic {}=1 | - | -"],
    "key given twice": ["position", "dinodocus", "basic {}=1 {}=1 | - | -"],
    "number": ["position", "dinodocus", "basic turn={} | - | -"],
    "phase": ["position", "dinodocus", "basic phase={} | - | -"],
    "piles": ["position", "dinodocus", "basic rebuilt={} | - | -"],
    "deck of a position": ["position", "dinodocus", "basic deck={} | - | -"],
    "option of a position": ["position", "dinodocus", "basic turn_cap={} | - | -"],
    "window": ["position", "dinodocus", "advanced phase=offer window={} | - | -"],
    "hand": ["position", "dinodocus", "basic | hand={} | -"],
    "dinosaur": ["position", "dinodocus", "basic | d1={} | -"],
    "mark of a dinosaur": ["position", "dinodocus", "basic | d1=H07,A15,P12,T09/{} | -"],
    "timeline": ["position", "dinodocus", "basic | timeline={} | -"],
    "word of a seat": ["position", "dinodocus", "basic | {}=1 | -"],
    "season": ["position", "draftosaurus", "{} | - | -"],
    "phase of the zoo": ["position", "draftosaurus", "summer phase={} | - | -"],
    "die": ["position", "draftosaurus", "summer phase=pick die={} | - | -"],
    "bag": ["position", "draftosaurus", "summer bag={} | - | -"],
    "pen": ["position", "draftosaurus", "summer | FS={} | -"],
    "hand of dinosaurs": ["position", "draftosaurus", "summer phase=pick die=W | hand={} | -"],
    "action": ["position", "dinodocus", MUTATE, "--play", "{}"],
    "actions, too few": ["position", "draftosaurus", PICK, "--play", "{}"],
    "one of the actions": ["position", "draftosaurus", PICK, "--play", "{},D"],
}


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path) -> Command:
    monkeypatch.chdir(tmp_path)
    return partial(here, monkeypatch, capsys)


@pytest.mark.parametrize("given", [HUGE, OSC, HUGE[:70] + OSC], ids=["huge", "escape", "long"])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_was_given_is_cut_and_spelled_out(command, mistake, given):
    ended = command(*(word.replace("{}", given).replace("{{", "{").replace("}}", "}") for word in MISTAKES[mistake]))
    assert ended.code in (1, 2, 4)
    shown = ended.err + ended.out
    assert 0 < len(shown) < ENOUGH
    assert all(char == "\n" or char.isprintable() for char in shown)


def test_commands_without_a_command_still_print_all_of_their_help(command):
    assert command().err.rstrip().splitlines()[-1].lstrip().startswith("bench ")
