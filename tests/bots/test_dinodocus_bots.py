"""The bots at Dinodocus: whole matches, every rule variant, and what greedy makes of a position."""

import json
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

import pytest

from engine.dinodocus import GAME
from engine.dinodocus.cards import HOUSE, deck
from tests.bots import players as in_process
from tests.bots.players import Players
from tests.bots.processes import BOTS, match
from tests.engine.dinodocus_play import (
    GREEN_0_7,
    GREEN_1_3,
    GREEN_3_3,
    GREEN_3_4,
    GREEN_3_5,
    GREEN_4_2,
    RED_1_5,
    RED_4_2,
    RED_5_1,
    RED_6_5,
    SMALL_DECK,
)

VARIANTS = [
    (name, value) for name, option in GAME.options().items() for value in option.values if value != option.default
]
BASIC: dict[str, Any] = {}
ADVANCED = {"advanced": True}
seated = partial(in_process.seated, game=GAME)
play = partial(in_process.play, game=GAME)
question = partial(in_process.question, game=GAME)


@pytest.fixture
def answer(players: Players) -> Callable[[str], str]:
    """answer(position) is what greedy plays there, in the seat of whoever has to decide."""

    def decide(position: str) -> str:
        state = GAME.parse(position)
        seat = GAME.to_act(state)[0]
        return players["greedy"]({"game": GAME.name, "seat": seat}).decide(question(state, seat))

    return decide


@pytest.mark.parametrize("options", [BASIC, ADVANCED], ids=["basic", "advanced"])
@pytest.mark.parametrize("seats", [2, 4, 6])
def test_bots_play_whole_matches(six, seats, options):
    match(six[:seats], options, game=GAME)


@pytest.mark.parametrize("options", [BASIC, ADVANCED], ids=["basic", "advanced"])
@pytest.mark.parametrize(("name", "value"), [*VARIANTS, ("deck", SMALL_DECK)])
def test_bots_play_every_variant_of_the_rules(players, name, value, options):
    seats = ["greedy", "random"] if name == "deck" else ["greedy", "random", "greedy"]
    play(seated(players, seats), {**options, name: value})


def test_greedy_beats_random(players):
    outcomes = [play(seated(players, ["greedy", "random"], seed), BASIC, seed) for seed in range(8)]
    assert [outcome.ranks for outcome in outcomes] == [(1, 2)] * 8


def test_greedy_beats_three_random_players(players):
    outcomes = [play(seated(players, ["random", "greedy", "random", "random"], seed), BASIC, seed) for seed in range(5)]
    assert [outcome.ranks[1] for outcome in outcomes] == [1] * 5


def test_greedy_beats_random_in_the_advanced_game(players):
    outcomes = [play(seated(players, ["random", "greedy"], seed), ADVANCED, seed) for seed in range(5)]
    assert [outcome.ranks for outcome in outcomes] == [(2, 1)] * 5


def test_greedy_plays_the_same_whatever_the_order_of_hashes(launch):
    def moves(hash_seed: str) -> list[str]:
        bots = [launch(BOTS / "greedy_bot.py", PYTHONHASHSEED=hash_seed) for _ in range(3)]
        match(bots, {"advanced": True, "real_bonus": True}, game=GAME)
        return [move.action for bot in bots for move in bot.moves]

    assert moves("1") == moves("2")


def test_greedy_plays_from_the_view_alone(players):
    """A player who has just come answers like the one who was there from the start, and leaves the view as it is."""

    class Newcomers:
        def __init__(self, seat: int) -> None:
            self.start = {"game": GAME.name, "seat": seat}
            self.resident = players["greedy"](self.start)

        def decide(self, question: dict[str, Any]) -> str:
            told = json.loads(json.dumps(question))
            assert told == question
            answer = self.resident.decide(question)
            assert told == question
            assert players["greedy"](self.start).decide(told) == answer
            return answer

    play([Newcomers(seat) for seat in range(3)], ADVANCED)


def test_greedy_takes_a_deck_for_what_it_is(players):
    """All values doubled make the same game."""
    cards = [
        {"id": card.id, "part": card.part, "syllable": card.syllable, "refs": [], **double(card)}
        for card in deck(HOUSE).cards
    ]
    doubled = json.dumps({"format": 1, "species": [{"ref": 1, "name": "Alpha", "diet": "C"}], "cards": named(cards)})
    three = ["greedy", "greedy", "greedy"]
    assert play(seated(players, three), {"deck": doubled}) == play(seated(players, three), BASIC)


def double(card: Any) -> dict[str, Any]:
    diet = {"diet": card.diet} if card.diet else {}
    return {"attack": 2 * card.attack, "defence": 2 * card.defence, **diet}


def named(cards: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The cards with one species among them, for a deck has to have one."""
    named = deepcopy(cards)
    for part in "HAPT":
        next(card for card in named if card["part"] == part)["refs"] = [1]
    return named


def test_greedy_takes_the_first_action_of_a_phase_it_does_not_know(players):
    player = players["greedy"]({"game": GAME.name, "seat": 0})
    assert player.decide({"view": {"phase": "meteor"}, "legal": ["duck", "run"]}) == "duck"


def test_the_last_period_cards_go_to_the_oldest(answer):
    own = f"d1={GREEN_1_3}/1/fern d2={GREEN_3_4}/4/fern d3={GREEN_0_7}/2/fern"
    assert answer(f"basic phase=alloc periods=1 | {own} | -") == "give:d2"


def test_the_fern_goes_to_the_oldest(answer):
    own = f"d1={GREEN_1_3}/1 d2={GREEN_3_4}/4"
    others = f"d3={GREEN_3_5}/fern d4={GREEN_0_7}/fern d5={GREEN_4_2}/1/fern"
    assert answer(f"basic phase=herb | {own} | {others}") == "take:d2"


def test_who_cannot_rob_takes_the_fern_and_who_can_robs(answer):
    own = f"d1={GREEN_1_3}/2 d2={GREEN_0_7}/3"
    others = f"d3={GREEN_3_5}/fern d4={GREEN_4_2}/fern d5={GREEN_3_3}/fern"
    assert answer(f"basic phase=herb | {own} | {others}") == "take:d1"


def test_a_carnivore_eats_the_opponents_oldest_prey(answer):
    own = f"d1={RED_6_5}/2 d2={GREEN_1_3}/fern"
    assert answer(f"basic phase=carn | {own} | d3={GREEN_3_4}/1/fern d4={GREEN_4_2}/4/fern") == "eat:d1:d4"


def test_a_carnivore_that_has_to_eat_an_own_dinosaur_eats_the_youngest(answer):
    own = f"d1={RED_5_1}/4 d2={GREEN_1_3}/3/fern d3={GREEN_4_2}/fern"
    assert answer(f"basic phase=carn | {own} | d4={GREEN_0_7}/fern") == "eat:d1:d3"


def test_a_young_carnivore_starves_rather_than_eat_an_old_friend(answer):
    own = f"d1={RED_4_2} d2={GREEN_1_3}/4/fern"
    assert answer(f"basic phase=carn carn_duty=own_optional | {own} | d3={GREEN_0_7}/fern") == "starve:d1"


def test_a_weakened_dinosaur_is_repaired(answer):
    """d2 has lost its tail of attack 2 to one of 1; as it stands, the carnivore with attack 5 eats it."""
    weak = "H08,A10,P08,T09"
    assert answer(f"basic phase=react focus=d2 | d1={RED_5_1}/2/closed | hand=T14,T13 d2={weak}/4/fern") == "r:T14"


def test_the_bonus_is_taken_for_own_dinosaurs_only(answer):
    real = "H01,A01,P01,T01"
    assert answer(f"basic real_bonus=true phase=bonus focus=d1 maker=0 | d1={real} | d2={GREEN_0_7}/fern") == "bonus"
    assert answer(f"basic real_bonus=true phase=bonus focus=d1 maker=0 | d2={GREEN_0_7}/fern | d1={real}") == "no"


def test_a_real_dinosaur_is_hatched_for_the_bonus(answer):
    text = f"basic real_bonus=true phase=mutate | hand=H14,A15,P15,T14,T15 d1={GREEN_3_4}/2/fern | d2={GREEN_3_5}/fern"
    assert answer(text) == "hatch:H14,A15,P15,T14"


def test_first_a_card_of_each_part_is_drawn(answer):
    assert answer(f"basic phase=draw | hand=H01,A01 d1={GREEN_3_4}/fern | d2={GREEN_0_7}/fern") == "w:P"


def test_two_players_offer_each_other_nothing(answer):
    text = f"advanced current=1 phase=offer window=mutate | hand=H15 d1={GREEN_3_4}/2/fern | d2={RED_1_5}"
    assert answer(text) == "pass"


def test_cards_are_offered_to_one_of_several(answer):
    text = f"advanced current=1 phase=offer window=mutate | hand=A01,T15 d1={GREEN_3_4}/2/fern | d2={RED_1_5} | -"
    assert answer(text) == "give:A01"
