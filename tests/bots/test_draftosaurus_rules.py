"""The fast rules of planner and search agree with the engine: where dinosaurs may go, what zoos score, who is free of the die."""

import pytest

from engine.contract import CHANCE
from engine.dice import Seed
from engine.draftosaurus import GAME
from engine.draftosaurus.state import Phase
from engine.playouts import at_random, steps
from tests.bots.players import imported

deals, match, position, pens = (imported(f"draftosaurus_{name}") for name in ("deals", "match", "position", "pens"))
VARIANTS = [
    {name: value}
    for name, option in GAME.options().items()
    for value in option.values
    if value != option.default and name not in ("season", "first_roller", "bridge_capacity")
]
CASES = [
    (season, seats, options)
    for season in ("summer", "winter")
    for seats, options in [
        *((seats, {}) for seats in GAME.seats),
        *((5 if "five_player_last_turn" in options else 2, options) for options in VARIANTS),
        (2, {"bridge_capacity": 2}),
        (4, {"first_roller": 2}),
        (3, {"first_roller": "random"}),
    ]
]


def rules(season, seats, options):
    """The tables of a match without weights: worth is points, and so are gains."""
    return match.Match(season, seats, options, {})


@pytest.mark.parametrize(("season", "seats", "options"), CASES, ids=str)
def test_whole_games_agree_with_the_engine(season, seats, options):
    """At random, with the engine: slots of every placement, the free seat, and the score after every step."""
    fast = rules(season, seats, options)
    for seed in range(6):
        begin, dice = GAME.start(seats, {**options, "season": season}), Seed(seed)
        kept = [position.zoo_of(fast, {}) for _ in range(seats)]
        for actions, state in steps(GAME, begin, dice, at_random(dice)):
            follow(kept, actions)
            view = GAME.view(state, None)
            if state.phase in (Phase.FIRST, Phase.DEAL, Phase.ROLL):
                continue
            zoos = [position.zoo_of(fast, shown) for shown in view["zoos"]]
            others = position.others_of(fast, zoos)
            assert list(map(fields, zoos)) == list(map(fields, kept))
            assert [zoo.score(seen) for zoo, seen in zip(zoos, others)] == list(GAME.tally(state).scores)
            if state.phase is not Phase.QUARANTINE:
                worth = [zoo.worth(fast, 0, seen) for zoo, seen in zip(zoos, others)]
                assert worth == [end_of(zoo, seen) for zoo, seen in zip(zoos, others)]
            if state.phase is Phase.PLACE:
                check_places(fast, state, view, zoos, others)


def end_of(zoo, others):
    """The score after the quarantine."""
    end = zoo.copy()
    if hasattr(end, "release"):
        end.release(others)
    return end.score(others)


def check_places(fast, state, view, zoos, others):
    turn = (view["round"] - 1) * fast.turns + view["turn"] - 1
    free = fast.free_seats(view["first"])[turn]
    for seat, zoo in enumerate(zoos):
        assert view["bound"][seat] == (seat != free)
        face = match.FREE if seat == free else match.FACES.index(view["die"])
        dino = pens.SPECIES.index(view["picks"][seat])
        places = zoo.places(dino, 0, face, others[seat])
        assert {f"{view['picks'][seat]}@{slot}" for slot in places} == set(GAME.legal(state, seat))
        best = zoo.copy()
        best.settle(dino, 0, face, others[seat])
        gain = max(places.values())
        assert zoo.gains(0, face, others[seat])[dino] == pytest.approx(gain + counted(zoo, dino, others[seat]))


def follow(kept, actions):
    """Place and move as the engine did."""
    for seat, action in actions.items():
        head = action.partition("x")[0]
        if "@" in head and seat != CHANCE:
            kept[seat].put(pens.SPECIES.index(head[0]), head[2:])
        elif head.startswith("Q>"):
            kept[seat].move(head[2:])


def fields(zoo):
    names = [name for kind in type(zoo).__mro__ for name in getattr(kind, "__slots__", ()) if name != "match"]
    return {name: getattr(zoo, name) for name in names}


def counted(zoo, dino, others):
    plain = [0.0] * 6
    zoo.count(plain, 0, others)
    return plain[dino]
