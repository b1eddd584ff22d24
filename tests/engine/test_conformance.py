"""The conformance kit catches a game that breaks a promise. Each case breaks one promise of a game that keeps all."""

from dataclasses import replace
from typing import Any

import pytest

from engine.conformance import Violation, Witness, check_game, check_playout
from engine.contract import CHANCE, Outcome, ranks
from engine.dice import Seed
from engine.draftosaurus import GAME, Draftosaurus
from engine.draftosaurus.rules import ready
from engine.errors import SetupError
from engine.playouts import at_random
from tests.engine.draftosaurus_witness import WITNESS, rotate, twin


def broken(**methods) -> Draftosaurus:
    """Draftosaurus with some methods replaced, those for several seats together with those for one."""
    if "view" in methods:
        methods["public"] = lambda state: {}
        methods["private"] = methods["view"]
    if "events" in methods:
        methods["witnessed"] = lambda before, after, seats: [methods["events"](before, after, seat) for seat in seats]
    return type("Broken", (Draftosaurus,), {name: staticmethod(method) for name, method in methods.items()})()


def check(game, witness=WITNESS, longest=10_000, seats=2, **options) -> None:
    dice = Seed(5)
    check_playout(game, game.start(seats, {"season": "winter", **options}), dice, at_random(dice), witness, longest)


def raises_something_else(_state, actions):
    if "¿no such action?" in actions.values():
        raise KeyError("oops")
    return GAME.apply(_state, actions)


def accepts_nonsense(state, actions):
    legal = {
        seat: action if action in GAME.legal(state, seat) else GAME.fallback(state, seat)
        for seat, action in actions.items()
        if seat in GAME.to_act(state) and seat != CHANCE
    }
    return GAME.apply(state, legal or actions)  # fmt: skip


def changes_its_state(state, actions):
    after = GAME.apply(state, actions)
    state.die = "X" if state.die else ""
    return after


def prefers_the_first_to_answer(state, actions):
    after = GAME.apply(state, actions)
    return after if tuple(actions) == GAME.to_act(state) else replace(after, turn=after.turn + 1)


def opened(state, seat):
    return {**GAME.view(state, seat), "hands": list(state.hands)}


def scores(state, extra):
    tally = GAME.tally(state)
    return replace(tally, scores=tuple(score + extra for score in tally.scores))


def home_bonus(state):
    """A point for sitting in seat 0."""
    parts = [{**part, "home": int(seat == 0)} for seat, part in enumerate(GAME.tally(state).breakdown)]
    scores = tuple(sum(part.values()) for part in parts)
    return Outcome(scores, ranks(scores), tuple(parts))


def whispers(state, seat):
    """The other player's hand among the legal actions."""
    legal = GAME.legal(state, seat)
    return (*legal, state.hands[1 - seat]) if legal and seat != CHANCE else legal


def crowded(state):
    """A state whose zoos admit nothing, whatever is in them."""
    return replace(state, rooms=(0,) * len(state.rooms))


def later(state):
    return replace(state, actors=(CHANCE,) if state.actors != (CHANCE,) else (0,))


BROKEN: dict[str, dict[str, Any]] = {
    "a view is its two parts": {"private": lambda state, seat: GAME.private(state, 0)},
    "the parts of a view have different keys": {"private": GAME.view},
    "witnessed is the events of the seats": {"witnessed": lambda before, after, seats: [[] for _ in seats]},
    "a fingerprint belongs to one state": {"fingerprint": lambda state: f"{state.phase} {state.die}"},
    r"parse\(format": {"parse": lambda text: GAME.start(2, {})},
    "to_act is": {"to_act": lambda state: GAME.to_act(state) * 2},
    "outcome is None until the end": {"outcome": GAME.tally},
    "the tally of the last state": {"outcome": lambda state: GAME.outcome(state) and Outcome((1, 1), (1, 1), ({}, {}))},
    "ranks follow scores": {"tally": lambda state: replace(GAME.tally(state), ranks=(2, 2))},
    "an outcome has all seats": {"tally": lambda state: replace(GAME.tally(state), breakdown=())},
    "the breakdown adds up": {"tally": lambda state: scores(state, 1)},
    "legal is empty just for": {"legal": lambda state, seat: () if seat == 1 else GAME.legal(state, seat)},
    "legal names no action twice": {"legal": lambda state, seat: GAME.legal(state, seat) * 2},
    "the fallback is legal": {"fallback": lambda state, seat: "pass"},
    "views are plain JSON": {"view": lambda state, seat: {"phase": "x", "hands": state.hands}},
    "a view has a phase": {"view": lambda state, seat: {}},
    r"determinize fits the view \(view\)": {"determinize": lambda view, dice: GAME.start(view["seats"], {})},
    r"hidden things stay hidden \(view\)": {"view": opened},
    r"determinize fits the view \(legal\)": {"legal": whispers},
    r"determinize fits the view \(to_act\)": {"determinize": lambda view, dice: later(GAME.determinize(view, dice))},
    "scores and ranks rotate": {"tally": home_bonus, "outcome": lambda state: GAME.outcome(state) and home_bonus(state)},
    "drawings fit 80 columns": {"draw": lambda view, tally, paint: "x" * 81},
    r"determinize fits the view \(a possible state\)": {"determinize": lambda view, dice: crowded(GAME.determinize(view, dice))},
    "apply leaves its state alone": {"apply": changes_its_state},
    "apply does not depend on the order of seats": {"apply": prefers_the_first_to_answer},
    "raises KeyError": {"apply": raises_something_else},
    "is accepted": {"apply": accepts_nonsense},
    "events are plain JSON": {"events": lambda before, after, seat: [("deal",)]},
    "events have a name": {"events": lambda before, after, seat: [{"hand": ""}]},
    "events show nothing hidden": {"events": lambda before, after, seat: [{"event": "x", "hands": list(after.hands)}]},
    "show nothing hidden": {"events": lambda before, after, seat: [{"event": "x", "hands": list(before.hands)}]},
}  # fmt: skip


@pytest.mark.parametrize("promise", BROKEN)
def test_a_broken_promise_is_named(promise):
    with pytest.raises(Violation, match=promise):
        check(broken(**BROKEN[promise]))


@pytest.mark.parametrize(
    ("promise", "witness"),
    [
        ("pieces are conserved", Witness(pieces=lambda state: state.stage.bag)),
        ("legal lists rotate", Witness(rotate=lambda state: ready(replace(rotate(state), stage=state.stage)))),
    ],
)
def test_a_witness_is_heard(promise, witness):
    with pytest.raises(Violation, match=promise):
        check(GAME, witness)


def test_a_game_that_favours_a_seat_is_caught():
    def favours_the_lower_letter(state, actions):
        after = GAME.apply(state, actions)
        return replace(after, die="!") if actions.get(0, "") < actions.get(1, "") else after

    with pytest.raises(Violation, match="apply rotates with the seats"):
        check(broken(apply=favours_the_lower_letter))


def test_an_endless_game_is_stopped():
    with pytest.raises(Violation, match="goes on after 20 steps, at winter"):
        check(GAME, longest=20)


def test_a_game_needs_no_witness():
    check(GAME, witness=None)


def test_a_leak_shows_only_to_a_twin():
    leaky = broken(view=opened)
    check(leaky, Witness())
    with pytest.raises(Violation, match="hidden things stay hidden"):
        check(leaky, Witness(twin=twin))


def test_values_that_a_player_count_refuses_are_left_out():
    class Small(Draftosaurus):
        seats = range(2, 3)

        def options(self):
            return {name: option for name, option in GAME.options().items() if name == "first_roller"}

    assert check_game(Small()) == 3
    with pytest.raises(SetupError):
        GAME.start(2, {"first_roller": 2})


def test_an_earlier_edition_is_played_with_options_that_there_are():
    class Second(Draftosaurus):
        edition = 2
        earlier = {1: {"trio_points": 8}}  # noqa: RUF012  # a game is never changed

    with pytest.raises(Violation, match=r"edition 1 can be played with options of this one: .* does not take '8'"):
        check_game(Second(), tables=[])


def test_a_game_that_cannot_start_at_all_is_not_passed_over():
    def refuse(_seats, _options):
        raise SetupError("closed")

    with pytest.raises(SetupError, match="closed"):
        check_game(broken(start=refuse))
