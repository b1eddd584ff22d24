"""`[tune]` in bot.toml: what may be declared, that the bot gets the values, and that everybody can see them."""

import gzip
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import typer

from arena import running
from arena.cli.chosen import with_chosen
from arena.errors import RosterError
from arena.league.fixtures import program
from arena.match.launch import SpawnerLauncher
from arena.match.play import MatchSetup, play
from arena.match.record import Player
from arena.match.record_file import from_bytes, to_bytes
from arena.replay.whatif import entry_of
from arena.roster.entries import Entry, base_of, find, is_built_in, read, with_values
from arena.roster.tunables import MOST_PARAMETERS, Tunable, tunables
from arena.sandbox.policy import Tier

KIT = str(Path(__file__).parents[2] / "bots" / "python")
BOT = """
import sys
sys.path.insert(0, {kit!r})
import dinobot
class Player:
    def __init__(self, start): print(start.get("tune"), file=sys.stderr)
    def decide(self, question): return question["legal"][0]
dinobot.run("mine", "1", ["draftosaurus"], Player)
"""
TUNE = """[tune]
pace = { min = 0, max = 1, default = 0.33 }
depth = { min = 1, max = 6, default = 2, whole = true }
"""


def described(folder: Path, tune: str = TUNE) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "bot.py").write_text(BOT.format(kit=KIT))
    (folder / "bot.toml").write_text(f"name = 'mine'\ncommand = {json.dumps([sys.executable, 'bot.py'])}\n{tune}")
    return folder / "bot.toml"


@pytest.mark.usefixtures("processes")
def test_a_bot_gets_the_values_of_its_parameters_and_the_record_shows_them(tmp_path):
    entry = read(described(tmp_path / "mine"))
    entries = [entry, with_values(entry, {"pace": 0.5, "depth": 4}), find("random")]
    setup = MatchSetup(entries, "draftosaurus", seed=7, sandbox="none")
    record = running.run(lambda: play(setup, SpawnerLauncher(Tier.NONE))).record()
    said = [account.stderr for account in record.verdict.accounts]
    assert said == ["{'depth': 2, 'pace': 0.33}\n", "{'depth': 4, 'pace': 0.5}\n", ""]
    assert [player.tune for player in record.header.players] == [
        {"depth": 2, "pace": 0.33},
        {"depth": 4, "pace": 0.5},
        {},
    ]
    assert from_bytes(to_bytes(record)).header == record.header
    plain = json.loads(gzip.decompress(to_bytes(record)).split(b"\n")[0])["players"]
    assert ["tune" in player for player in plain] == [True, True, False], "a record without parameters is as it was"
    assert [type(value) for value in plain[0]["tune"].values()] == [int, float]


@pytest.mark.parametrize(
    ("tune", "words"),
    [
        ("pace = 3", "tune.pace: expected a range and a default, got 3. Write: pace = { min = 0, max = 1, default = 0.5 }"),
        ("pace = { min = 0, max = 1 }", "tune.pace: default missing. Write: pace = {"),
        ("pace = { min = 0, max = 1, default = 2 }", "tune.pace.default: expected 0 to 1, got 2."),
        ("pace = { min = 1, max = 1, default = 1 }", "tune.pace: min 1 and max 1: the first must be lower."),
        ("pace = { min = 'a', max = 1, default = 1 }", "tune.pace.min: expected a number of at most 1e+12, got 'a'."),
        ("pace = { min = 0, max = inf, default = 1 }", "tune.pace.max: expected a number of at most 1e+12, got inf."),
        ("pace = { min = 0, max = 1, default = true }", "tune.pace.default: expected a number of at most 1e+12, got True."),
        ("pace = { min = 0, max = 9, default = 1, hole = true }", "tune.pace.hole: there is no such key. Did you mean whole?"),
        ("pace = { min = 0, max = 9, default = 1, whole = 1 }", "tune.pace.whole: expected true or false, got 1."),
        ("pace = { min = 0, max = 9, default = 1.5, whole = true }", "tune.pace.default: expected a whole number, got 1.5."),
        ("'a b' = { min = 0, max = 1, default = 1 }", "tune: 'a b' is not a name for a parameter: a letter, then"),
        (f"{'a' * 41} = {{ min = 0, max = 1, default = 1 }}", "is not a name for a parameter: a letter, then"),
        ("\n".join(f"a{n} = {{ min = 0, max = 1, default = 1 }}" for n in range(49)), "tune: 49 parameters, and 48 are the most."),
    ],
)  # fmt: skip
def test_what_cannot_be_a_parameter_is_refused_with_the_way_out(tune, words, tmp_path):
    with pytest.raises(RosterError) as refused:
        read(described(tmp_path, f"[tune]\n{tune}\n"))
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_all_mistakes_are_named_at_once(tmp_path):
    with pytest.raises(RosterError) as refused:
        read(described(tmp_path, "[tune]\npace = 3\ndepth = { min = 3, max = 1, default = 2 }\n"))
    assert "tune.pace: expected a range" in str(refused.value)
    assert "tune.depth: min 3 and max 1: the first must be lower." in str(refused.value)


def test_as_many_parameters_as_are_allowed_can_be_declared():
    found, mistakes = tunables({f"a{n}": {"min": 0, "max": 1, "default": 1} for n in range(MOST_PARAMETERS)})
    assert not mistakes
    assert len(found) == MOST_PARAMETERS


def test_a_whole_parameter_is_sent_as_an_integer_and_any_other_as_a_float():
    found, _ = tunables(
        {"b": {"min": 0, "max": 4.0, "default": 1.0, "whole": True}, "a": {"min": 0, "max": 1, "default": 1}}
    )
    assert found == (Tunable("a", 0.0, 1.0, 1.0), Tunable("b", 0, 4, 1, True))
    assert [type(one.default) for one in found] == [float, int]


# Other values


def mine(tmp_path: Path) -> Entry:
    return read(described(tmp_path / "mine"))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"pac": 0.5}, "mine: tune: there is no parameter 'pac'. Did you mean pace? Parameters: depth, pace."),
        ({"pace": 1.5}, "mine: tune.pace: expected 0 to 1, got 1.5."),
        ({"pace": "x"}, "mine: tune.pace: expected a number, got 'x'."),
        ({"pace": float("nan")}, "mine: tune.pace: expected a number, got nan."),
        ({"depth": 2.5}, "mine: tune.depth: expected a whole number, got 2.5."),
        ({"depth": 9, "pace": 9}, "mine: tune.depth: expected 1 to 6, got 9. tune.pace: expected 0 to 1, got 9."),
    ],
)
def test_a_value_that_a_parameter_cannot_have_is_refused(values, words, tmp_path):
    with pytest.raises(RosterError) as refused:
        with_values(mine(tmp_path), values)
    assert str(refused.value) == words


def test_a_bot_without_parameters_takes_no_value():
    with pytest.raises(RosterError, match=r"random: tune: there is no parameter 'pace'. Its bot.toml has no \[tune\]."):
        with_values(find("random"), {"pace": 1})


def test_the_default_is_not_a_choice_and_other_values_are_another_version(tmp_path):
    entry = mine(tmp_path)
    assert with_values(entry, {"pace": 0.33, "depth": 2.0}) == entry
    hasty = with_values(entry, {"pace": 0.9})
    assert hasty.values == {"depth": 2, "pace": 0.9}
    assert program(hasty) == [*program(entry), "tune:pace=0.9"]
    assert with_values(hasty, {"depth": 3}).values == {"depth": 3, "pace": 0.9}
    assert with_values(hasty, {"pace": 0.33}) == entry


def test_values_survive_the_way_to_a_worker(tmp_path):
    hasty = with_values(mine(tmp_path), {"pace": 0.9, "depth": 3})
    assert Entry.from_plain(json.loads(json.dumps(hasty.plain()))) == hasty
    older = {key: value for key, value in hasty.plain().items() if key not in ("tunables", "chosen")}
    assert Entry.from_plain(older).values == {}


def test_values_do_not_make_a_built_in_bot_a_strangers():
    greedy = replace(find("greedy"), tunables=(Tunable("pace", 0.0, 1.0, 0.3),))
    assert is_built_in(with_values(greedy, {"pace": 0.5}))


# A file with values


def settings_file(folder: Path, text: str) -> Path:
    path = folder / "hasty.toml"
    path.write_text(text)
    return path


def test_a_file_with_a_bot_and_values_is_a_bot(tmp_path):
    entry = mine(tmp_path)
    path = settings_file(tmp_path, "bot = 'mine'\nname = 'hasty'\n[tune]\npace = 0.9\n")
    assert find(str(path)) == replace(with_values(entry, {"pace": 0.9}), name="hasty")
    assert find(str(settings_file(tmp_path, "bot = 'mine/bot.toml'"))) == entry
    assert find(str(settings_file(tmp_path, "bot = 'random'"))) == find("random")


def test_a_setting_of_a_bot_names_the_bot(tmp_path):
    mine(tmp_path)
    path = settings_file(tmp_path, "bot = 'mine'\n[tune]\npace = 0.9\n")
    assert base_of(str(path)) == base_of(str(tmp_path / "mine")) == str(tmp_path / "mine")
    assert base_of(str(settings_file(tmp_path, "bot = 'greedy'"))) == base_of("greedy") == "greedy"


def test_a_branch_plays_with_the_recorded_values(tmp_path):
    entry = mine(tmp_path)
    player = Player("mine", "1", entry.digest, tune={"pace": 0.9, "depth": 2, "gone": 1.0})
    assert entry_of(player, tmp_path) == with_values(entry, {"pace": 0.9})
    assert entry_of(replace(player, tune={"pace": 7.0}), tmp_path) == entry, "its range is another one by now"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bot = 'mine'\n[tune]\npace = 9", "hasty.toml: mine: tune.pace: expected 0 to 1, got 9."),
        ("bot = 'nine'", "hasty.toml: bot: 'nine' is neither a folder, a .toml file nor a built-in bot."),
        ("bot = 'gredy'", "Did you mean greedy?"),
        ("bot = 'mine'\ncommand = ['x']", "hasty.toml: command: there is no such key. Keys: bot, name, tune."),
        ("bot = 3", "hasty.toml: bot: expected a text, got 3."),
        ("bot = 'hasty.toml'", "hasty.toml describes a setting itself. Name the bot of which it is one."),
        ("bot = 'mine", "hasty.toml"),
    ],
)
def test_a_file_with_a_mistake_is_refused(text, words, tmp_path):
    described(tmp_path / "mine")
    with pytest.raises(RosterError) as refused:
        find(str(settings_file(tmp_path, text)))
    assert words in str(refused.value)


def test_the_description_of_a_folder_cannot_name_another_bot(tmp_path):
    (tmp_path / "bot.toml").write_text("name = 'x'\ncommand = ['true']\nbot = 'random'\n")
    with pytest.raises(RosterError, match=r"bot: there is no such key"):
        find(str(tmp_path))


# --tune


def test_words_choose_values_by_place(tmp_path):
    entry = mine(tmp_path)
    found = with_chosen([entry, entry, entry], ["A.pace=0.9", "B.depth=3", "A.depth=1"], ("A", "B"))
    assert [one.values for one in found] == [
        {"depth": 1, "pace": 0.9},
        {"depth": 3, "pace": 0.33},
        {"depth": 2, "pace": 0.33},
    ]


@pytest.mark.parametrize("word", ["pace=1", "C.pace=1", "A.pace", "A.=1", "A.pace=x", "A.pace=nan", "A.pace="])
def test_other_words_are_refused_with_an_example(word, tmp_path):
    with pytest.raises(typer.BadParameter, match=r"expected (A or B, a dot, .* as in A.pace=0.4|a number after the =)"):
        with_chosen([mine(tmp_path)] * 2, [word], ("A", "B"))
