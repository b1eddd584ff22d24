"""The command line as a person meets it: real processes, their output, words and exit codes."""

import json
import os
import subprocess
import sys

import pytest

from arena.version import VERSION
from tests.arena.command import arena, without_times


def test_games_are_listed_with_their_seats():
    listed = arena("games")
    assert listed.code == 0
    assert "draftosaurus  2-5" in listed.out
    (row,) = [row for row in json.loads(arena("games", "--json").out) if row["name"] == "draftosaurus"]
    assert (row["edition"], row["seats"]) == (1, [2, 3, 4, 5])


def test_rules_tell_rules_options_actions_and_a_view():
    told = arena("rules", "draftosaurus")
    assert told.code == 0
    for words in ("# Draftosaurus", "**D-30**", "bridge_region", "species@pen", '"phase": "'):
        assert words in told.out
    as_json = json.loads(arena("rules", "draftosaurus", "--json").out)
    assert as_json["options"]["trio_points"]["default"] == 7
    assert set(as_json["actions"]) == {"pick", "place", "draft", "discard", "quarantine"}
    assert as_json["view"]["seat"] == 0


def test_a_position_is_drawn_and_counted(golden):
    golden(
        "cli/position.txt",
        arena(
            "position", "draftosaurus", "winter phase=quarantine | WO=DCD BL=TPS BR=T PY=GSG... RV=D QZ=P | RV=PPPP"
        ).out,
    )


def test_a_position_can_be_played_on_and_read_by_a_program():
    text = "summer round=4 turn=3 phase=roll | hand=DC | hand=TT"
    ended = arena("position", "draftosaurus", text, "--play", "roll:W", "--play", "D,T", "--seat", "0", "--json")
    told = json.loads(ended.out)
    assert told["position"] == "summer round=4 turn=3 phase=place die=W | hand=C pick=D | hand=T pick=T"
    assert told["legal"] == {
        "0": ["D@FS", "D@WT", "D@KJ", "D@RV"],
        "1": [f"T@{pen}" for pen in ("FS", "WT", "KJ", "PL", "MD", "SI", "RV")],
    }
    assert told["view"]["seat"] == 0
    assert told["over"] is False
    assert told["scores"] == [0, 0]


def test_a_position_before_a_deal_says_so():
    assert "chance may play: any deal" in arena("position", "draftosaurus", "summer phase=deal | - | -").out


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (["rules", "chess"], 2, "arena: unknown game 'chess'. Games: draftosaurus."),
        (["demo", "--seats", "7"], 4, "arena: draftosaurus: 7 seats are not possible, it takes 2 to 5."),
        (["demo", "--option", "sesaon=winter"], 4, "arena: draftosaurus: unknown option 'sesaon'. Options: season, "),
        (["demo", "--option", "season=spring"], 4, "arena: draftosaurus: option season does not take 'spring'. Allowed: summer, winter, summer_winter."),
        (["demo", "--seats", "2", "--option", "first_roller=2"], 4, "arena: draftosaurus: option first_roller=2 is no seat of 2. Allowed: 0, 1, random."),
        (["demo", "--option", "season=winter", "--option", "season=summer"], 2, "option season is given twice"),
        (["demo", "--option", "winter"], 2, "'winter' is not written as name=value, for instance season=winter"),
        (["position", "draftosaurus", "summer | FS=DC | -"], 2, "arena: seat 0: FS=DC is not possible, the Forest of Sameness holds one species only and has D (D-30)."),
        (["position", "draftosaurus", "summer | -"], 2, "arena: head: 1 seats are not possible: write 2 to 5 parts, each after a |."),
        (["position", "draftosaurus", "summer round=4 turn=3 phase=pick die=W | hand=DC | hand=TT", "--play", "G,T"], 2, "arena: seat 0: G is not legal, the hand holds DC (D-08). Legal: D C."),
        (["position", "draftosaurus", "summer round=4 turn=3 phase=pick die=W | hand=DC | hand=TT", "--play", "dino,T"], 2, "arena: seat 0: 'dino' is malformed, expected a species letter, D;"),
        (["position", "draftosaurus", "summer round=4 turn=3 phase=pick die=W | hand=DC | hand=TT", "--play", "D"], 2, "--play 'D' has 1 actions, but now act: 0, 1"),
        (["position", "draftosaurus", "summer | - | -", "--play", "D"], 2, "now act: nobody, for the game is over"),
        (["position", "draftosaurus", "summer | - | -", "--seat", "2"], 2, "--seat 2: this position has seats 0 to 1"),
        (["position", "draftosaurus"], 2, "Missing argument 'TEXT'"),
        (["lunch"], 2, "No such command 'lunch'"),
        (["demo", "--seats", "-1"], 4, "arena: draftosaurus: -1 seats are not possible, it takes 2 to 5."),
        (["demo", "--seats", "100000000"], 4, "arena: draftosaurus: 100000000 seats are not possible, it takes 2 to 5."),
        (["trace", "greedy", "--seats", "100000"], 4, "arena: draftosaurus: 100000 seats are not possible, it takes 2 to 5."),
        (["verify", ""], 2, "'' names no file"),
        (["replay", ""], 2, "'' names no file"),
        (["ask", "x", "--all", "--bot", "random", "--time-ms", "9" * 400], 2, "Invalid value for '--time-ms'"),
    ],
)  # fmt: skip
def test_a_mistake_gets_clear_words_and_an_exit_code(words, code, complaint):
    ended = arena(*words)
    assert ended.code == code
    assert complaint in ended.err
    assert "Traceback" not in ended.err
    assert ended.out == ""


def test_the_demo_plays_every_player_count(golden, tmp_path):
    ended = arena("demo", "--folder", str(tmp_path))
    assert ended.code == 0
    golden("cli/demo.txt", without_times(ended.out))
    assert ended.err.startswith("\nseed 7, recorded in ")
    assert f"arena replay {tmp_path}/demo-5p.match.jsonl.gz" in ended.err
    assert len(list(tmp_path.iterdir())) == 4
    assert "\x1b" not in ended.out + ended.err, "a pipe gets no colour codes"


def test_the_demo_takes_seats_options_and_a_seed(tmp_path):
    words = ("demo", "--seats", "2", "--option", "season=winter", "--folder", str(tmp_path), "--seed")
    one, same, other = (without_times(arena(*words, seed).out) for seed in "112")
    assert one == same != other
    assert "WO Well-Ordered Wood" in one


NIM = """
from engine.draftosaurus import Draftosaurus
class Nim(Draftosaurus):
    'Take the last stick.'
    name = 'nim'
    def to_act(self, state): return ()
GAME = Nim()
"""


def test_plug_ins_are_listed_also_when_they_are_broken(plug_in, tmp_path):
    plug_in("nim_pack", NIM, "arena.games: nim = nim_pack:GAME")
    plug_in("sad_pack", "raise RuntimeError('no luck')", "arena.games: sad = sad_pack:GAME")
    listed = arena("games", PYTHONPATH=str(tmp_path))
    assert listed.code == 0
    assert "nim           2-5" in listed.out
    assert "game sad of sad_pack (sad_pack:GAME) does not load: RuntimeError('no luck')." in listed.out
    told = arena("rules", "nim", PYTHONPATH=str(tmp_path))
    assert told.code == 0, told.err
    assert "Take the last stick." in told.out


def test_a_full_disk_is_one_line():
    with open("/dev/full", "w") as full:
        ended = subprocess.run([sys.executable, "-m", "arena", "games"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert ended.returncode == 1
    assert "No space left on device" in ended.stderr
    assert "Traceback" not in ended.stderr


INTERRUPTED = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"


@pytest.mark.parametrize("module", ["typer", "trio"])
def test_control_c_is_one_line_also_while_modules_are_imported(tmp_path, module):
    (tmp_path / f"{module}.py").write_text(INTERRUPTED)
    code = "from arena.cli import main; main()"
    words = [sys.executable, "-c", code, "play", "random", "random", "-o", str(tmp_path / "x")]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ended = subprocess.run(words, capture_output=True, text=True, env=environment)
    assert (ended.returncode, ended.stderr) == (130, "arena: interrupted\n")


def test_the_entry_point_imports_next_to_nothing():
    code = "import sys; before = set(sys.modules); import arena.cli; print(*set(sys.modules) - before)"
    found = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True).stdout.split()
    assert not {"typing", "inspect", "typer", "arena.errors", "engine"} & set(found)


def test_the_version_is_told():
    assert arena("--version").out == f"arena {VERSION}\n"


@pytest.mark.parametrize("group", [(), ("bench",)])
def test_help_has_a_whole_sentence_for_each_command(group):
    commands = arena(*group, "--help", COLUMNS="80").out.partition("Commands:\n")[2].splitlines()
    assert commands
    assert [line for line in commands if line.endswith("...") or not line.endswith((".", "?"))] == []


def test_help_needs_no_heavy_imports():
    code = "import sys; from arena.cli.app import build; build(); print(sorted({'tabulate', 'trio', 'numpy', 'arena.record'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
