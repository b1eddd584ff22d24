"""raptor's own rules, in C++, against the arena's: legal actions, steps and scores on many positions of all variants.

`make test` plays a sample of them, `make sweeps` 100,000.
"""

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgpack
import pytest

from engine.contract import CHANCE
from engine.dice import Seed
from engine.draftosaurus import GAME
from engine.draftosaurus.pieces import SPECIES, in_order
from engine.draftosaurus.rules import ready
from engine.draftosaurus.scoring import in_scope, tally
from engine.draftosaurus.state import OVER, PLACE, State
from engine.playouts import Choose, steps
from tests.bots.raptor import program
from tests.sizes import sweep

POSITIONS = sweep(2_000, 100_000)
VIEWS = sweep(500, 20_000)
PENS = ("FS", "WT", "KJ", "PL", "MD", "SI", "WO", "BL", "LO", "QZ", "BR", "PY")
AT_ONCE = 2_000
"""Positions for one run of the program."""


@pytest.fixture(scope="module")
def raptor() -> Path:
    return program()


@dataclass(frozen=True)
class Moment:
    """A position, and a step from it."""

    state: State
    played: dict[int, str]


def favouring(dice: Seed) -> Choose:
    """A player that likes some dinosaurs and pens better than others, for pens fill up only so."""
    rolls = iter(range(1 << 30))
    likes = {dino: dice.roll("dino", 3, i) for i, dino in enumerate(SPECIES)}
    likes |= {pen: 2 * dice.roll("pen", 4, i) for i, pen in enumerate(PENS)}

    def liking(action: str) -> int:
        return likes.get(action[:1], 0) + likes.get(action[2:4], 0)

    def choose(legal: Sequence[str]) -> str:
        most = max(map(liking, legal))
        roll = next(rolls)
        chosen = [action for action in legal if liking(action) == most] if dice.roll("whim", 4, roll) else legal
        return chosen[dice.roll("choice", len(chosen), roll)]

    return choose


def moments() -> Iterator[Moment]:
    """Every position of games with all numbers of seats, and options at random."""
    number = 0
    while True:
        number += 1
        dice = Seed(number)
        seats = 2 + number % 4
        options = {
            name: option.values[dice.roll(name, len(option.values), 0)]
            for name, option in GAME.options().items()
            if dice.roll(f"{name}?", 2, 0)
        }
        options["season"] = GAME.options()["season"].values[number // 4 % 3]
        if options.get("first_roller") not in (None, "random"):
            options["first_roller"] %= seats
        state = GAME.start(seats, options)
        for played, following in steps(GAME, state, dice, favouring(dice)):
            yield Moment(state, played)
            state = following
        yield Moment(state, {})


def some(number: int) -> list[Moment]:
    found = moments()
    return [next(found) for _ in range(number)]


def message(moment: Moment, view: dict[str, Any]) -> dict[str, Any]:
    state, action = moment.state, moment.played.get(CHANCE, "")
    verb, _, what = action.partition(":")
    chance: dict[str, dict[str, Any]] = {
        "first": {"first": action[-1:]},
        "roll": {"roll": what},
        "deal": {"deal": what.split(",")},
    }
    step = chance.get(verb, {"actions": [moment.played.get(seat, "") for seat in range(len(state.zoos))]})
    if verb == "first":
        step = {"first": int(what)}
    return {"seats": len(state.zoos), "options": view["options"], "view": view, "seed": 7, **step}


def all_seen(state: State) -> dict[str, Any]:
    """The view of a seat that sees everything."""
    discards = {"discards": list(state.box), "drops": list(state.drops)} if len(state.zoos) == 2 else {}
    return {**GAME.public(state), "seat": 0, "hands": list(state.hands), **discards}


def asked(raptor: Path, messages: Sequence[dict[str, Any]]) -> list[list[str]]:
    """What the program says of these positions, in its four parts."""
    lines: list[str] = []
    for start in range(0, len(messages), AT_ONCE):
        packed = [msgpack.packb(one) for one in messages[start : start + AT_ONCE]]
        frames = b"".join(len(one).to_bytes(4) + one for one in packed)
        told = subprocess.run([raptor, "--check"], input=frames, capture_output=True, check=True, timeout=600)
        lines += told.stdout.decode().splitlines()
    assert len(lines) == len(messages)
    return [line.split("|") for line in lines]


def spelled(state: State) -> str:
    """A state as the program spells it. The summer zoos of a second game show in its points only."""
    stage = state.stage
    text = f"{state.phase} {stage.game} {stage.round} {state.turn} {stage.first} {state.die} {stage.bag}"
    for seat, zoo in enumerate(state.zoos):
        text += f";{','.join(zoo)} {state.hands[seat]} "
        if state.phase is PLACE:
            text += f"{state.picks[seat]} {state.drops[seat] if state.drops else ''}"
        if seat < 2:
            text += f" {in_order(state.box[seat])}"
    return text


def legal_texts(state: State) -> str:
    acting = [seat for seat in GAME.to_act(state) if seat != CHANCE]
    lists = [GAME.legal(state, seat) if seat in acting else () for seat in range(len(state.zoos))]
    return "".join("".join(f"{action} " for action in legal) + ";" for legal in lists)


def points(state: State) -> str:
    """Points and the T-Rex that count in a tie."""
    setup = state.stage.setup
    games = [zoos for zoos in (state.stage.summer, state.zoos) if zoos]
    shared = len(setup.boards) > 1 and setup.match_tiebreak == "shared"
    text = ""
    for seat, score in enumerate(tally(state).scores):
        rexes = 0 if shared else sum(in_scope(setup, zoos[seat]).count("T") for zoos in games)
        text += f"{score} {rexes};"
    return text


def test_legal_actions_steps_and_points_are_the_same(raptor):
    chosen = some(POSITIONS)
    told = asked(raptor, [message(one, all_seen(one.state)) for one in chosen])
    for one, (position, legal, score, following) in zip(chosen, told):
        text = GAME.format(one.state)
        assert position == spelled(one.state), text
        assert legal == legal_texts(one.state), text
        assert score == points(one.state), text
        if one.state.phase is not OVER:
            assert following == spelled(GAME.apply(one.state, one.played)), (text, one.played)


def test_what_is_hidden_is_filled_in_so_that_the_view_stays_the_same(raptor):
    chosen = [(one, seat) for one in some(8 * VIEWS)[::8] for seat in GAME.to_act(one.state)[:2] if seat != CHANCE]
    views = [GAME.view(one.state, seat) for one, seat in chosen]
    told = asked(raptor, [message(one, view) for (one, _), view in zip(chosen, views)])
    differing = 0
    for (one, seat), view, (position, *_) in zip(chosen, views, told):
        state = filled(one.state, view, position)
        assert GAME.view(state, seat) == view, position
        assert list(map(len, state.hands)) == list(map(len, one.state.hands))
        assert all(drop and drop in hand for drop, hand in zip(state.drops, state.hands))
        differing += state.hands != one.state.hands
    assert differing > len(chosen) / 4, "it does not know what is hidden"


def filled(state: State, view: dict[str, Any], position: str) -> State:
    """The state with the hands, the box and the bag of a position as the program spells it."""
    head, *seats = position.split(";")
    words = [seat.split(" ") for seat in seats]
    hands = tuple(word[1] for word in words)
    drops = tuple(word[3] for word in words) if state.drops else ()
    box = tuple(map(in_turn, view["discards"], (word[-1] for word in words))) if len(seats) == 2 else state.box
    stage = replace(state.stage, bag=head.rpartition(" ")[2])
    return ready(State(stage, state.phase, state.turn, state.die, hands, state.zoos, state.picks, drops, box))


def in_turn(seen: str, group: str) -> str:
    """The discards of a seat in their order, those that a view hides from what is left of the group."""
    left = list(group)
    for dino in seen.replace("?", ""):
        left.remove(dino)
    return "".join(left.pop() if dino == "?" else dino for dino in seen)
