"""The bots in Python at Draftosaurus, without processes: every variant, what planner and search must see, and how they use their playouts."""

import random
from functools import partial
from types import SimpleNamespace

import pytest

from engine.dice import Seed
from engine.draftosaurus import GAME
from engine.draftosaurus.pieces import SPECIES
from engine.draftosaurus.state import Phase
from engine.playouts import at_random, steps
from tests.bots import players as in_process
from tests.bots.players import imported, question

SEATED: dict[int, list[tuple[str, ...]]] = {
    2: [("search", "planner"), ("greedy", "random")],
    3: [("search", "planner", "greedy")],
    4: [("greedy", "random", "search", "planner")],
    5: [("search", "greedy", "planner", "random", "greedy")],
}
"""Every bot sits at a table of two, and at every larger one where the number of seats matters to it."""
TABLES = [names for tables in SEATED.values() for names in tables]
SEASONS = ("summer", "winter", "summer_winter")
VARIANTS = [
    (name, value) for name, option in GAME.options().items() for value in option.values if value != option.default
]
planner, search, thinking, tree = (
    imported(name) for name in ("planner_draftosaurus", "searcher_draftosaurus", "thinking", "draftosaurus_tree")
)
seated = partial(in_process.seated, game=GAME)
play = partial(in_process.play, game=GAME)


@pytest.mark.parametrize("commit", ["pick_then_place", "pick_and_place"])
@pytest.mark.parametrize("season", SEASONS)
@pytest.mark.parametrize("names", TABLES, ids="-".join)
def test_they_play_with_every_number_of_seats_in_every_season(players, names, season, commit):
    play(seated(players, names), {"season": season, "commit": commit})


@pytest.mark.parametrize(("name", "value"), VARIANTS)
@pytest.mark.parametrize("season", ["summer", "winter"])
def test_they_play_every_variant_of_the_rules(players, season, name, value):
    for names in SEATED[5 if name in ("first_roller", "five_player_last_turn") else 2]:
        play(seated(players, names), {"season": season, name: value})


@pytest.mark.parametrize("commit", ["pick_then_place", "pick_and_place"])
@pytest.mark.parametrize("visibility", ["public", "hidden"])
@pytest.mark.parametrize("season", SEASONS)
def test_they_discard_with_their_picks(players, season, visibility, commit):
    discards = {"discard_timing": "with_pick", "discard_visibility": visibility}
    for names in SEATED[2]:
        play(seated(players, names), {"season": season, "commit": commit, **discards})


@pytest.mark.parametrize("name", ["planner", "search"])
def test_they_take_the_first_action_of_rules_that_they_do_not_know(players, name):
    player, _ = seated(players, [name, name])
    view = GAME.view(GAME.start(2, {}), 0)
    for phase, season in [("auction", "summer"), ("pick", "autumn")]:
        asked = {"view": {**view, "phase": phase, "season": season}, "legal": ["bid:2", "bid:1"]}
        assert player.decide(asked) == "bid:2"


def test_planner_beats_random_and_search_beats_novice(players):
    """Far from what they reach, so that no seed fails: benchmarks/saturation.py measures."""
    for names in (("planner", "random"), ("search", "novice")):
        ranks = [play(seated(players, names, seed), {}, seed).ranks[0] for seed in range(10)]
        assert ranks.count(1) >= 7


@pytest.mark.parametrize("seats", GAME.seats)
def test_what_is_drawn_fits_the_view(seats):
    """Every species is there as often as the rules say, and what the seat knows is kept."""
    dice = Seed(5)
    played = steps(GAME, GAME.start(seats, {}), dice, at_random(dice))
    states = [state for _, state in played if state.phase in (Phase.PICK, Phase.PLACE, Phase.DISCARD)]
    chance = random.Random(1)
    for state in states[::5]:
        view = GAME.view(state, 1)
        position = planner.Evaluator(seats).deals(view).draw(chance)
        hands = ["".join(sorted(SPECIES[dino] for dino in hand)) for hand in position.hands]
        assert list(map(len, hands)) == list(map(len, state.hands))
        for hand, seen in zip(hands, view["hands"]):
            assert seen is None or hand == "".join(sorted(seen))
        rest = [SPECIES[dino] for dino in position.bag]
        shown = [*state.picks, *state.box, *hands, *rest, *("".join(zoo) for zoo in state.zoos)]
        assert sorted("".join(shown)) == sorted(state.stage.setup.supply)


def test_planner_plays_by_the_weights_that_it_is_handed(players):
    """A forest that is worth nothing more, or far too much, is another bot; a factor of one is the same one."""

    def played(tune):
        first, second = seated(players, ("planner", "planner"))
        first.evaluator = planner.Evaluator(2, tune)
        return play([first, second], {}, 1).breakdown[0]

    assert played(None) == played({"FS": 1.0, "deny": 0.1, "spoil": 0.8})
    assert played({"FS": 60.0}) != played(None)
    assert planner.weights_of("winter", 3, {"PY": 2.0})["PY1"][0] == 2 * planner.WEIGHTS["winter", 3]["PY1"][0]


@pytest.mark.parametrize("playouts", [8, 40])
def test_search_plays_about_as_many_playouts_as_it_is_given(playouts):
    state = GAME.parse("summer round=1 turn=1 phase=pick die=W | hand=DCSGPT | hand=TDCSGP")
    player = search.SearchPlayer({"seats": 2, "seat": 0, "bot_seed": 1}, thinking.Thinking(playouts=playouts))
    _, note = player.decide(question(state, 0, game=GAME))
    assert 1 <= int(note.split()[0]) <= -(-playouts // 3)


def test_an_idea_that_is_far_behind_is_dropped():
    good, close, bad = (search.Idea(action, "pick") for action in "DCS")
    good.values, close.values, bad.values = [0.6, 0.7, 0.8, 0.5], [0.7, 0.6, 0.7, 0.5], [0.1, 0.2, 0.1, 0.1]
    assert search.drop([good, close, bad]) == [good, close]


@pytest.mark.parametrize(("season", "seats"), [("summer", 2), ("winter", 2), ("summer", 4)])
def test_search_learns_by_which_policy_its_rivals_play(players, season, seats):
    for name in ("greedy", "planner"):
        table = seated(players, ["search", *[name] * (seats - 1)], 3)
        play(table, {"season": season}, 3)
        own, *others = table[0].rivals.likely()
        assert own == 0
        assert all(share > 0.7 if name == "greedy" else share < 0.1 for share in others)


def test_a_tree_takes_what_did_well_and_tries_the_rest():
    root = tree.Node()

    def played(worth):
        path = tree.Path(root, 0)
        first = path.picked([0, 1, 2], [0.0, 0.5, 0.0, 0.0], 1)
        path.turn()
        second = path.dropped([3, 3, 2], [0.0] * 4, 3)
        path.learn(worth[first] + (second == 2) / 4)
        return first, second

    seen = [played([0.1, 0.2, 0.6]) for _ in range(200)]
    assert seen[0] == (1, 3), "the policy's choice first"
    assert {first for first, _ in seen} == {0, 1, 2}
    assert seen[100:].count((2, 2)) > 70
    assert root.visits == 200
    assert root.total / 200 > 0.6


def test_a_path_first_does_what_it_is_told():
    path = tree.Path(tree.Node(), 0, 4, "", 5)
    assert (path.picked([1, 4], [0.0] * 6, 1), path.dropped([5, 2], [0.0] * 6, 2)) == (4, 5)
    path.turn()
    assert path.picked([3, 3], [0.0] * 6, 3) == 3, "one species is no choice"


@pytest.mark.parametrize(("turns", "turn", "last"), [(3, 0, 5), (3, 4, 8), (3, 6, 11), (3, 11, 11), (6, 0, 11)])
def test_a_playout_ends_with_the_next_round(turns, turn, last):
    assert search.horizon(SimpleNamespace(turn=turn, match=SimpleNamespace(turns=turns))) == last
