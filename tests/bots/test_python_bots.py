"""The bots in Python: matches over pipes like those without processes, both codecs, every way to end."""

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from engine.draftosaurus import GAME
from protocol.messages import Bye, Decide, End, Move, Ready, Start
from protocol.session import Stage
from tests.bots import players as in_process
from tests.bots.processes import BOTS, CLOCK, Bot, match

SEATED = ("greedy", "random") * 3
seated = partial(in_process.seated, game=GAME)
play = partial(in_process.play, game=GAME)


@pytest.mark.parametrize("season", ["summer", "winter"])
def test_greedy_beats_random(players, season):
    def is_won(names: tuple[str, str], seed: int) -> bool:
        ranks = play(seated(players, names, seed), {"season": season}, seed).ranks
        return ranks[names.index("greedy")] == 1

    tables = [("greedy", "random"), ("random", "greedy")]
    assert sum(is_won(names, seed) for names in tables for seed in range(15)) >= 27


@pytest.mark.parametrize(
    ("seats", "options"),
    [
        (2, {}),
        (5, {"season": "winter"}),
        (3, {"season": "summer_winter", "commit": "pick_and_place"}),
        (4, {"season": "winter", "discard_timing": "with_pick", "discard_visibility": "hidden"}),
    ],
    ids=str,
)
def test_processes_play_like_their_players(six, players, seats, options):
    """All that they are asked, one match after the other in the same processes, over pipes."""
    assert match(six[:seats], options) == play(seated(players, SEATED[:seats]), options)


@pytest.mark.parametrize("codec", ["json", "msgpack"])
@pytest.mark.parametrize("name", ["random", "greedy"])
def test_two_matches_in_one_process_then_bye(launch, name, codec):
    bots = [launch(BOTS / f"{name}_bot.py", codec) for _ in range(2)]
    first, second = match(bots, {}), match(bots, {})
    assert first == second, "a match starts anew, whatever came before"
    assert {bot.session.codec.name for bot in bots} == {codec}
    for bot in bots:
        bot.tell(Bye())
        assert bot.leave() == (0, "")


def test_random_plays_the_same_for_the_same_seed_only(launch):
    bot = launch(BOTS / "random_bot.py")

    def answers(bot_seed: int) -> list[str]:
        bot.start({}, 0, 2, bot_seed)
        legal = tuple("TDCSGP")
        picks = []
        for _ in range(20):
            bot.ask({"phase": "pick"}, legal)
            picks.append(bot.answer())
        bot.tell(End([0, 0], [1, 1], {}, []))
        return picks

    assert answers(1) == answers(1) != answers(2)


def test_greedy_takes_the_first_action_of_rules_it_does_not_know(launch):
    bot = launch(BOTS / "greedy_bot.py")
    bot.start({}, 0, 2)
    view = GAME.view(GAME.start(2, {}), 0)
    for phase, season in [("auction", "summer"), ("pick", "autumn")]:
        bot.ask({**view, "phase": phase, "season": season}, ("bid:2", "bid:1"))
        assert bot.answer() == "bid:2"


def test_greedy_takes_the_first_action_of_a_game_it_does_not_know(launch):
    bot = launch(BOTS / "greedy_bot.py")
    bot.start({}, 0, 2, game="checkers")
    bot.ask({"phase": "move"}, ("11-15", "9-14"))
    assert bot.answer() == "11-15"


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    "module", ["dinobot", "random_bot", "greedy_bot", "greedy_draftosaurus", "greedy_dinodocus", "dinodocus_judge"]
)
def test_a_bot_imports_nothing_of_the_arena(module):
    code = f"import sys, {module}; print({{'arena', 'engine', 'protocol'}} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-B", "-c", code], cwd=BOTS, capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("module", ["dinobot", "greedy_bot", "greedy_draftosaurus", "planner_draftosaurus"])
def test_a_bot_starts_without_modules_that_take_longer_to_import_than_it(module):
    code = f"import sys, {module}; print({{'dataclasses', 'json', 're', 'typing'}} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-B", "-c", code], cwd=BOTS, capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"


PLAYER = """
import os, sys
import dinobot

class Player:
    def __init__(self, start):
        {prepare}
    def decide(self, question):
        {decide}

dinobot.run(name="x", version="1", games=["draftosaurus"], player=Player)
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    """write(decide, prepare) is the script of a bot with these lines of its own."""

    def script(decide: str, prepare: str = "pass") -> Path:
        path = tmp_path / "bot.py"
        path.write_text(PLAYER.format(decide=decide, prepare=prepare))
        return path

    return script


PICK = ({"phase": "pick"}, ("D", "C"))


def asked_once(bot: Bot) -> Move:
    bot.start({}, 0, 2)
    bot.ask(*PICK)
    bot.answer()
    return bot.moves[-1]


@pytest.mark.parametrize("codec", ["json", "msgpack"])
def test_prints_go_to_stderr(launch, write, codec):
    decide = "print('thinking'); os.system('echo child'); os.write(1, b'raw\\n'); return question['legal'][1]"
    bot = launch(write(decide, prepare="print('preparing')"), codec)
    assert asked_once(bot) == Move(1, "C")
    assert bot.leave() == (0, "preparing\nthinking\nchild\nraw\n")


def test_a_long_note_is_cut(launch, write):
    bot = launch(write("return 'D', 'é' * 5000"))
    assert asked_once(bot) == Move(1, "D", "é" * 1024)


def test_json_lines_without_msgpack(launch, write):
    script = write("return 'D'")
    script.write_text("import sys\nsys.modules['msgpack'] = None\n" + script.read_text())
    bot = launch(script)
    assert bot.session.codec.name == "json"
    assert asked_once(bot) == Move(1, "D")


@pytest.mark.parametrize("codec", ["json", "msgpack"])
def test_frames_are_put_together_from_single_bytes(launch, write, codec):
    bot = launch(write("return 'D'"), codec)
    bot.start({}, 0, 2)
    for byte in bot.session.send(Decide(1, "pick", {}, ["D"], [], CLOCK)):
        bot.process.stdin.write(bytes([byte]))
    assert bot.answer() == "D"


def test_a_withdrawn_question_is_not_answered(launch, write):
    bot = launch(write("return 'D'"))
    bot.start({}, 0, 2)
    bot.tell(*(Decide(number, "pick", {}, ["D"], [], CLOCK) for number in (1, 2)))
    assert bot.hear() == Move(2, "D")


def test_an_owed_ready_is_sent(launch, write):
    bot = launch(write("return 'D'"))
    bot.tell(Start("m-1", GAME.name, 1, {}, 0, 2, ["x", "y"], CLOCK, 1), End([0, 0], [1, 1], {}, []))
    assert bot.session.stage is Stage.UNREADY
    assert bot.hear() == Ready()
    assert bot.leave() == (0, "")


@pytest.mark.parametrize("stage", ["lobby", "playing"])
def test_the_end_of_the_stream_ends_the_process_well(launch, write, stage):
    bot = launch(write("return 'D'"))
    if stage == "playing":
        asked_once(bot)
    assert bot.leave() == (0, "")


def test_half_a_message_ends_the_process_well(launch, write):
    bot = launch(write("return 'D'"))
    bot.process.stdin.write(bot.session.send(Bye())[:-1])
    assert bot.leave() == (0, "")


def test_an_arena_that_reads_no_more_ends_the_process_well(launch, write):
    bot = launch(write("return 'D'"))
    bot.start({}, 0, 2)
    bot.process.stdout.close()
    bot.ask(*PICK)
    _, err = bot.process.communicate()
    assert (bot.process.returncode, err) == (0, b"")


@pytest.mark.parametrize(
    ("decide", "prepare"), [("raise ValueError('oh')", "pass"), ("pass", "raise ValueError('oh')")]
)
def test_a_player_that_raises_ends_the_process_with_its_traceback(launch, write, decide, prepare):
    bot = launch(write(decide, prepare))
    bot.tell(Start("m-1", GAME.name, 1, {}, 0, 2, ["x", "y"], CLOCK, 1))
    if prepare == "pass":
        assert bot.hear() == Ready()
        bot.ask(*PICK)
    status, err = bot.leave()
    assert status == 1
    assert "Traceback" in err
    assert err.endswith("ValueError: oh\n")


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (b'{"type":"pause"}\n', "an unknown message 'pause'"),
        (b'{"type":"welcome","protocol":2}\n', "the arena speaks revision 2, this bot 1"),
        (b"{" + b" " * (1 << 20) + b"    ", "a message of more than 1048576 bytes"),
    ],
)
def test_an_arena_that_breaks_the_protocol_is_told(launch, write, frame, words):
    bot = launch(write("return 'D'"), "json")
    bot.process.stdin.write(frame)
    status, err = bot.leave()
    assert status == 1
    assert err.endswith(f"ProtocolError: {words}\n")


def test_the_starter_plays(launch):
    match([launch(BOTS / "bot.py"), launch(BOTS / "random_bot.py")], {})
