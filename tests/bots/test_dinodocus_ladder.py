"""planner and search at Dinodocus: legal everywhere, the same for the same seed, in time; and the policy knows the rules."""

from random import Random
from types import ModuleType
from typing import Any

import pytest

from engine.contract import CHANCE
from engine.dice import Seed
from engine.dinodocus import GAME
from engine.playouts import at_random, steps
from tests.bots.players import imported, play, question
from tests.engine.dinodocus_play import GREEN_0_7, GREEN_1_3, GREEN_3_4, GREEN_3_5, RED_5_1, RED_6_5, SMALL_DECK

greedy: ModuleType = imported("greedy_dinodocus")
dealing: ModuleType = imported("dinodocus_deal")
choosing: ModuleType = imported("dinodocus_choice")
estimating: ModuleType = imported("dinodocus_estimate")
playouts: ModuleType = imported("dinodocus_playout")
tables: ModuleType = imported("dinodocus_table")
weighing: ModuleType = imported("dinodocus_weights")
planning: ModuleType = imported("planner_dinodocus")
searching: ModuleType = imported("searcher_dinodocus")
thinking: ModuleType = imported("thinking")

VARIANTS = [
    (name, value) for name, option in GAME.options().items() for value in option.values if value != option.default
]
OF_OFFERS = ("offer_windows", "offer_rounds", "help_events_public", "hand_parts_public", "advanced")
QUICK: dict[str, float] = {"deals": 1}


def seated(seats: int, seed: int = 0, tune: dict[str, float] = QUICK) -> list[Any]:
    """planner and search in turn."""
    players = []
    for seat in range(seats):
        start = {"game": GAME.name, "seats": seats, "seat": seat, "bot_seed": seed, "tune": tune}
        search = searching.SearchPlayer(start, thinking.Thinking(playouts=6))
        players.append(search if seat % 2 else planning.PlannerPlayer(start))
    return players


@pytest.mark.parametrize("options", [{}, {"advanced": True}], ids=["basic", "advanced"])
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_they_play_at_tables_of_every_size(seats, options):
    play(seated(seats), options, game=GAME)  # which refuses what is not legal


@pytest.mark.parametrize(("name", "value"), [*VARIANTS, ("deck", SMALL_DECK)])
def test_they_play_every_variant_of_the_rules(name, value):
    play(seated(2 if name == "deck" else 3), {"advanced": name in OF_OFFERS, name: value}, game=GAME)


def test_the_same_seed_plays_the_same_game():
    first, second = [play(seated(2, seed=4), {}, 4, game=GAME) for _ in range(2)]
    assert first == second


def test_they_play_from_the_view_alone():
    """A player who has just come answers like the one who was there from the start, and leaves the view as it is."""
    state, dice = GAME.start(2, {}), Seed(5)
    players = seated(2)
    while (actors := GAME.to_act(state)) and state.turn < 6:
        if actors == (CHANCE,):
            state = GAME.apply(state, {CHANCE: GAME.deal(state, dice)})
            continue
        (seat,) = actors
        asked = question(state, seat, game=GAME)
        answers = [player.decide(asked) for player in (players[seat], seated(2)[seat])]
        assert answers[0] == answers[1]
        assert asked == question(state, seat, game=GAME)
        action = answers[0] if isinstance(answers[0], str) else answers[0][0]
        state = GAME.apply(state, {seat: action})


def test_search_stops_when_its_time_is_over():
    clock = iter(range(10**9))
    state = GAME.parse(MIDDLE)
    start = {"game": GAME.name, "seats": 2, "seat": 0}
    player = searching.SearchPlayer(start, thinking.Thinking(ms=40, now=lambda: next(clock) / 1000))
    _, note = player.decide({**question(state, 0, game=GAME), "clock": {"bank_ms": 10_000, "increment_ms": 1000}})
    looked = next(clock)
    assert note.endswith(" playouts")
    assert looked <= 45  # one look at the clock a deal, and no more after the time


def test_search_answers_at_once_if_it_has_no_time():
    state = GAME.parse(MIDDLE)
    start = {"game": GAME.name, "seats": 2, "seat": 0}
    player = searching.SearchPlayer(start, thinking.Thinking(ms=0, now=lambda: 0.0))
    clock = {"bank_ms": 0, "increment_ms": 0}
    assert player.decide({**question(state, 0, game=GAME), "clock": clock})[1] == "0 playouts"


MIDDLE = (
    f"basic turn=5 phase=mutate | hand=H08,A03,P08,T09,T04 d1={RED_6_5}/2 d2={GREEN_1_3}/1/fern "
    f"| d3={GREEN_3_4}/4/fern d4={GREEN_0_7}/fern"
)


@pytest.mark.parametrize("name", ["planner", "search"])
class TestSense:
    """Positions in which any sensible player does the same."""

    @pytest.fixture
    def answer(self, name):
        def decide(position: str) -> str:
            state = GAME.parse(position)
            seat = GAME.to_act(state)[0]
            start = {"game": GAME.name, "seats": state.setup.seats, "seat": seat}
            player = planning.PlannerPlayer(start)
            if name == "search":
                player = searching.SearchPlayer(start, thinking.Thinking(playouts=200))
            return player.decide(question(state, seat, game=GAME))[0]

        return decide

    def test_the_last_period_card_goes_to_the_oldest(self, answer):
        own = f"d1={GREEN_1_3}/1/fern d2={GREEN_3_4}/4/fern d3={GREEN_0_7}/2/fern"
        assert answer(f"basic phase=alloc periods=1 | {own} | -") == "give:d2"

    def test_a_carnivore_eats_the_opponents_oldest_prey(self, answer):
        own = f"d1={RED_6_5}/2 d2={GREEN_1_3}/fern"
        assert answer(f"basic phase=carn | {own} | d3={GREEN_3_4}/4/fern d4={GREEN_3_5}/1/fern") == "eat:d1:d3"

    def test_a_weakened_dinosaur_is_repaired(self, answer):
        weak = "H08,A10,P08,T09"
        text = f"basic phase=react focus=d2 | d1={RED_5_1}/2/closed | hand=T14,T13 d2={weak}/4/fern"
        assert answer(text) == "r:T14"


def random_states(seed: int, options: dict[str, Any], seats: int) -> list[Any]:
    """The positions of a random game after the set-up."""
    dice = Seed(seed)
    states = [after for _, after in steps(GAME, GAME.start(seats, options), dice, at_random(dice))]
    return [state for state in states if state.turn]


@pytest.mark.parametrize("options", [{}, {"advanced": True}, {"hand_parts_public": False}], ids=str)
@pytest.mark.parametrize("seats", [2, 5])
def test_a_deal_fits_the_view(seats, options):
    for state in random_states(seats, options, seats)[::7]:
        for seat in range(seats):
            view = GAME.view(state, seat)
            deal = dealing.Situation(view).deal(Random(seat))
            cards = [*deal.hands, *deal.decks, *deal.discards, *[one.cards for one in deal.animals]]
            assert sorted(card for pile in cards for card in pile) == list(range(60))
            assert [len(hand) for hand in deal.hands] == view["hand_sizes"]
            assert [len(deck) for deck in deal.decks] == list(view["decks"].values())
            assert sorted(deal.hands[seat]) == list(state.hands[seat])
            aged = sum(count for line in state.timelines for _, count in line) + sum(d.periods for d in state.dinos)
            assert sum(deal.hidden) == sum(state.hidden) == state.setup.periods - state.periods - aged


def plain(table: Any) -> dict[str, Any]:
    """What two tables must have in common."""
    return {
        "animals": [
            (one.id, one.owner, one.meat, one.attack, one.defence, one.strength, one.fed, one.periods, one.cards)
            for one in table.animals
        ],
        "hands": [sorted(hand) for hand in table.hands],
        "discards": [sorted(pile) for pile in table.discards],
        "periods": table.periods,
        "points": table.points,
        "hidden": table.hidden,
    }


class Idle(playouts.Playout):  # type: ignore[name-defined, misc]  # a module that is imported by name has no types
    """A policy that does nothing on its own."""

    def run(self, *_: Any) -> None:
        pass

    def react(self, *_: Any) -> None:
        pass


@pytest.mark.parametrize("options", [{}, {"carn_duty": "free", "herb_duty": "free", "draw_mode": "may_stop"}], ids=str)
@pytest.mark.parametrize("seats", [2, 4])
def test_an_action_does_the_same_on_the_fast_table_as_in_the_engine(seats, options):
    """In all phases whose consequences do not go on to the end of the turn."""
    seen = set()
    for state in [state for seed in range(3) for state in random_states(seed, options, seats)]:
        phase = state.phase.value
        if phase not in ("discard", "mutate", "react", "alloc"):
            continue
        (seat,) = GAME.to_act(state)
        situation = dealing.Situation(GAME.view(state, seat))
        policy = dealing.policy_of(situation.view, weighing.WEIGHTS)
        policy.__class__ = Idle
        moves = dealing.Moves(situation, policy, seat)
        deal = tables.table_of(state, state.decks)
        for action in GAME.legal(state, seat):
            if action in ("end", "ok"):
                continue
            seen.add((phase, action.partition(":")[0]))
            after = moves.after(deal, action, 0, 0)
            expected = GAME.apply(state, {seat: action})
            assert plain(after) == plain(tables.table_of(expected, expected.decks)), action
    assert {("discard", "d"), ("mutate", "hatch"), ("mutate", "mod"), ("react", "r"), ("react", "pass")} <= seen


class Traced(playouts.Playout):  # type: ignore[name-defined, misc]
    """A policy that writes down what it does, as actions of the game."""

    actions: list[str]

    def name(self, card: int) -> str:
        return str(self.ids[card])

    def drop(self, table, hand, card):
        self.actions.append(f"d:{self.name(card)}")
        super().drop(table, hand, card)

    def draw(self, table, seat, part):
        drawn = super().draw(table, seat, part)
        if drawn:
            self.actions += [f"w:{'HAPT'[part]}", self.name(table.hands[seat][-1])]
        return drawn

    def lay(self, table, seat, cards):
        self.actions.append("hatch:" + ",".join(map(self.name, cards)))
        super().lay(table, seat, cards)

    def modify(self, table, hand, one, card):
        reacts = hand is not table.hands[table.current]
        self.actions.append(f"r:{self.name(card)}" if reacts else f"mod:d{one.id}:{self.name(card)}")
        super().modify(table, hand, one, card)

    def take(self, one):
        self.actions.append(f"take:d{one.id}")
        super().take(one)

    def steal(self, one, victim):
        self.actions.append(f"steal:d{one.id}:d{victim.id}")
        super().steal(one, victim)

    def eat(self, table, hunter, prey):
        self.actions.append(f"eat:d{hunter.id}:d{prey.id}")
        super().eat(table, hunter, prey)


SILENT = {"discard": "ok", "mutate": "end", "react": "pass", "herb": "done"}
"""What the policy does in these phases by doing nothing."""


def replayed(state: Any, actions: list[str]) -> Any:
    """The engine's position after this turn, played by these actions; each of them must be legal."""
    turn, left = state.turn, list(actions)
    while state.turn == turn and (actors := GAME.to_act(state)):
        phase, (seat,) = state.phase.value, actors
        legal = GAME.legal(state, seat)
        if left and (left[0] in legal or (seat == CHANCE and phase == "card")):
            action = left.pop(0)
        elif phase in SILENT:
            action = SILENT[phase]
        elif phase == "alloc":
            action = GAME.fallback(state, seat)
        else:
            break  # the next player flips a dinosaur
        state = GAME.apply(state, {seat: action})
        if state.phase.value in ("carn", "alloc", "over") or state.turn > turn:
            left = [one for one in left if not one.startswith("take:")]  # fed without a question
    assert left == []
    return state


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_the_policy_knows_the_rules(seats):
    """Whole games of it, turn by turn: the engine allows every action, and comes to the same table."""
    turns = 0
    for seed in range(4):
        state, dice = GAME.start(seats, {}), Seed(seed)
        while GAME.to_act(state) == (CHANCE,):
            state = GAME.apply(state, {CHANCE: GAME.deal(state, dice)})
        policy = dealing.policy_of(GAME.public(state), weighing.WEIGHTS)
        policy.__class__ = Traced
        policy.ids = state.setup.cards.ids
        while state.phase.value in ("discard", "draw") and all(state.decks):
            policy.actions, policy.rng = [], Random(seed).random
            table = tables.table_of(state, state.decks)
            policy.run(table, state.phase.value, 0)
            state = replayed(state, policy.actions)
            if state.phase.value == "flip":
                break  # the engine has made decks again for the next player
            assert plain(table) == plain(tables.table_of(state, state.decks))
            turns += 1
    assert turns >= 15


def test_the_weights_are_sane():
    weights = weighing.WEIGHTS
    for name in (*[f"{kind}-{who}" for kind in estimating.KINDS for who in ("late", "next")], *choosing.POLICY):
        chances = estimating.factors(weights, name)
        assert all(0 <= chance <= 1 for chance in chances), name
    for kind in estimating.KINDS:  # those that are fitted never fall, but more carnivores are never better
        for who in ("late", "next"):
            chances = estimating.factors(weights, f"{kind}-{who}")
            assert list(chances) == sorted(chances, reverse=kind == "pack"), (kind, who)
    assert 0 < weights["ageing"] < 1


def test_a_chance_is_the_product_of_its_named_factors():
    for seats in (2, 5):
        for state in random_states(seats, {}, seats)[::5]:
            policy = dealing.policy_of(GAME.public(state), weighing.WEIGHTS)
            table = tables.table_of(state, state.decks)
            for chance, names in zip(policy.estimate.chances(table), policy.estimate.names(table)):
                product = 1.0
                for name in names:
                    product *= weighing.WEIGHTS[name]
                assert chance == pytest.approx(product)


@pytest.mark.parametrize("seats", [2, 3])
def test_a_market_of_three_is_left_to_greedy(seats):
    """Who offers a card to one of several gains; between two it only helps the other if the card is worth it."""
    others = f"d1={GREEN_3_4}/2/fern | d2={RED_5_1}" + " | -" * (seats - 2)
    state = GAME.parse(f"advanced current=1 phase=offer window=mutate | hand=A01,T15 {others}")
    asked = question(state, 0, game=GAME)
    start = {"game": GAME.name, "seats": seats, "seat": 0}
    answers = {planning.PlannerPlayer(start).decide(asked), greedy.GreedyPlayer(start).decide(asked)}
    assert (len(answers) == 1) == (seats > 2)


def test_tuned_weights_are_used():
    state = GAME.parse(MIDDLE)
    start = {"game": GAME.name, "seats": 2, "seat": 0}
    asked = question(state, 0, game=GAME)
    usual = planning.PlannerPlayer(start).decide(asked)
    hopeless = {name: 0.01 for name in weighing.WEIGHTS if name.startswith(("prey", "hunt", "rob", "seek"))}
    assert planning.PlannerPlayer({**start, "tune": hopeless}).decide(asked) != usual
