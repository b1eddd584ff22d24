"""What all bots of the ladder have in common: they play both games, the same way for the same seed, and know what they do not know."""

import tomllib

import pytest

from engine.catalogue import game as find_game
from protocol.messages import Hello
from tests.bots.players import play, question, seated
from tests.bots.processes import BOTS, Bot

LADDER = ("novice", "planner", "search")
DRAFTOSAURUS, DINODOCUS = find_game("draftosaurus"), find_game("dinodocus")


@pytest.mark.parametrize("name", LADDER)
@pytest.mark.parametrize("game", [DRAFTOSAURUS, DINODOCUS], ids=lambda game: game.name)
def test_the_same_bot_seed_plays_the_same_game(players, name, game):
    played = [play(seated(players, [name, "random"], 3, game=game), {}, game=game) for _ in range(2)]
    assert played[0] == played[1]


@pytest.mark.parametrize("name", LADDER)
def test_a_game_that_came_after_the_bot_is_played_by_the_first_action(players, name):
    player = players[name]({"game": "checkers", "seat": 0, "seats": 2, "bot_seed": 3})
    asked = {"view": {"phase": "move"}, "legal": ["11-15"]}
    assert player.decide(asked) == "11-15"


def test_novice_is_random_for_about_half_of_its_moves(players):
    state = DRAFTOSAURUS.parse("summer round=1 turn=1 phase=place die=W | hand=DCSGP pick=T | hand=TDCSG pick=P")
    asked = question(state, 0, game=DRAFTOSAURUS)
    (novice,) = seated(players, ["novice"], game=DRAFTOSAURUS)
    usual = players["greedy"]({"game": "draftosaurus", "seat": 0, "seats": 2}).decide(asked)
    answers = [novice.decide(asked) for _ in range(200)]
    assert set(answers) == set(asked["legal"])
    share = 0.5 + 0.5 / len(asked["legal"])
    assert abs(answers.count(usual) / 200 - share) < 0.12


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("path", sorted(BOTS.glob("*.toml")), ids=lambda path: path.stem)
def test_a_manifest_says_what_its_bot_says(path):
    manifest = tomllib.loads(path.read_text())
    python, script, *words = manifest["command"]
    assert python == "{python}"
    with Bot(BOTS / script, words=words) as bot:
        assert bot.greet() == Hello(1, manifest["name"], manifest["version"], manifest["games"])


def test_another_novice_is_as_careless_as_it_is_told(players):
    state = DRAFTOSAURUS.parse("summer round=1 turn=1 phase=place die=W | hand=DCSGP pick=T | hand=TDCSG pick=P")
    asked = question(state, 0, game=DRAFTOSAURUS)
    start = {"game": "draftosaurus", "seat": 0, "seats": 2, "bot_seed": 1}
    usual, novice = players["greedy"](start).decide(asked), players["novice"](start, 25)
    answers = [novice.decide(asked) for _ in range(200)]
    assert abs(answers.count(usual) / 200 - (0.75 + 0.25 / len(asked["legal"]))) < 0.12
