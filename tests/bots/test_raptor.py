"""raptor as a bot: every variant through the referee, with a frozen strength, and where there is something new."""

import subprocess
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from arena import running
from arena.match import play as matches
from arena.match.clock import TimeControl
from arena.match.play import MatchSetup
from arena.match.record import MatchRecord
from arena.roster.entries import find
from engine.contract import CHANCE
from engine.dice import Seed
from engine.draftosaurus import GAME
from engine.draftosaurus.state import OVER, PLACE, QUARANTINE, State
from engine.playouts import at_random, steps
from tests.bots.processes import Bot
from tests.bots.raptor import program, raptor
from tests.sizes import sweep

VARIANTS: list[tuple[int, Mapping[str, Any]]] = [
    *((seats, {"season": season}) for seats in (2, 3, 4, 5) for season in ("summer", "winter")),
    (2, {"season": "summer_winter", "match_second_start": "next", "match_tiebreak": "shared"}),
    (5, {"season": "summer_winter", "five_player_last_turn": "all_bound", "first_roller": "random"}),
    (2, {"commit": "pick_and_place", "discard_timing": "with_pick", "discard_visibility": "hidden"}),
    (2, {"discard_timing": "with_pick", "discard_visibility": "hidden", "season": "winter"}),
    (2, {"commit": "pick_and_place", "discard_visibility": "hidden", "trio_points": 6, "prairie_capacity": None}),
    (3, {"season": "winter", "quarantine_move": "may", "bridge_die_unit": "whole", "bridge_region": "woods_only"}),
    (4, {"season": "winter", "quarantine_resolution": "auto_best", "bridge_region": "both", "bridge_capacity": 1}),
    (3, {"season": "winter", "pyramid_fill": "left_to_right", "zoo_scope": "pens_only"}),
]


def play(seats: int, options: Mapping[str, Any], playouts: int = 20, rivals: str = "random") -> MatchRecord:
    bot = raptor()
    frozen = replace(bot, command=(*bot.command, "--playouts", str(playouts)))
    entries = [frozen, *(find(rivals) for _ in range(seats - 1))]
    clocks = [TimeControl(bank_ms=60_000, increment_ms=1_000)] * seats
    setup = MatchSetup(entries, options=dict(options), clocks=clocks, seed=11, bot_seed=5, sandbox="none")
    return running.run(lambda: matches.play(setup)).record()


@pytest.mark.parametrize(("seats", "options"), VARIANTS, ids=str)
def test_it_plays_every_variant_without_a_fault_and_looks_ahead(seats, options):
    record = play(seats, options)
    assert record.verdict.faults == ()
    notes = [decision.note for _, _, decision in record.decisions() if decision.seat == 0 and decision.note]
    assert notes
    kinds = {note.partition(" % ")[2] or note for note in notes}
    assert {"after 20 playouts"} <= kinds <= {"after 20 playouts", "the best to the end"}


@pytest.mark.parametrize("seats", [2, 3, 5])
@pytest.mark.parametrize("season", ["summer", "winter"])
def test_its_last_placements_and_moves_agree_with_brute_force(season, seats):
    """What a zoo scores does then not depend on where the others place what they have picked."""
    asked = 0
    with Bot(program(), command=["./raptor", "--playouts", "1"]) as bot:
        bot.greet()
        bot.start({"season": season}, seat=0, seats=seats)
        for seed in range(sweep(12, 200)):
            dice = Seed(seed)
            for _, state in steps(GAME, GAME.start(seats, {"season": season}), dice, at_random(dice)):
                if not is_last(state) or len(GAME.legal(state, 0)) < 2:
                    continue
                bot.ask(GAME.view(state, 0), GAME.legal(state, 0))
                chosen = bot.answer()
                assert bot.moves[-1].note == "the best to the end"
                assert reached(state, chosen) == max(reached(state, action) for action in GAME.legal(state, 0))
                asked += 1
    assert asked >= 5


def is_last(state: State) -> bool:
    """Whether it is a placement of the last turn, or a move out of the quarantine."""
    setup = state.stage.setup
    ends = (state.stage.round + 1, state.turn + 1) == (setup.rounds, setup.turns)
    return state.phase is QUARANTINE or (state.phase is PLACE and ends)


def reached(state: State, action: str) -> int:
    """The most points of seat 0 after this action, whatever the others do."""
    actors = GAME.to_act(state)
    state = GAME.apply(state, {seat: action if seat == 0 else GAME.legal(state, seat)[0] for seat in actors})
    if state.phase is OVER:
        return GAME.tally(state).scores[0]
    return max(reached(state, one) for one in (GAME.legal(state, 0) if 0 in GAME.to_act(state) else [""]))


def test_a_number_of_playouts_plays_the_same_game_again():
    moves = [[decision.action for _, _, decision in play(2, {}).decisions()] for _ in range(2)]
    assert moves[0] == moves[1]


def test_the_clock_is_kept_also_if_it_is_short():
    bot = raptor()
    clocks = [TimeControl(bank_ms=2_000, increment_ms=20)] * 2
    setup = MatchSetup([bot, find("random")], clocks=clocks, seed=3, sandbox="none")
    record = running.run(lambda: matches.play(setup)).record()
    assert record.verdict.faults == ()
    assert record.verdict.ranks == (1, 2)


@pytest.mark.parametrize("season", ["summer", "winter"])
def test_with_an_option_that_came_after_it_it_plays_without_looking_ahead(season):
    state = next(steps(GAME, GAME.start(3, {"season": season}), Seed(1), at_random(Seed(1))))[1]
    state = GAME.apply(state, {CHANCE: "roll:X"})
    with Bot(program(), command=["./raptor"]) as bot:
        bot.greet()
        bot.start({"season": season, "moons": 2}, seat=1, seats=3)
        bot.ask({**GAME.view(state, 1), "moons": ["full"]}, (*GAME.legal(state, 1), "howl"))
        assert bot.answer() in GAME.legal(state, 1)
        assert bot.moves[0].note == "without looking ahead"
        status, err = bot.leave()
    assert status == 0
    assert err == "raptor: does not know moons (option moons), and does not search in this match\n"


def test_in_a_phase_that_came_after_it_it_plays_the_first_legal_action():
    state = GAME.start(2, {})
    with Bot(program(), command=["./raptor"]) as bot:
        bot.greet()
        bot.start({}, seat=1, seats=2)
        bot.ask({**GAME.view(state, 1), "phase": "feast"}, ("eat", "wait"))
        assert bot.answer() == "eat"
        assert bot.leave() == (0, "raptor: does not know phase feast, and plays the first legal action\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--playouts", "0"], "--playouts: expected a number above 0, got '0'"),
        (["--ms", "soon"], "--ms: expected a number above 0, got 'soon'"),
        (["--ms"], "--ms: expected a number above 0, got ''"),
        (["--fast"], "no option --fast"),
    ],
)
def test_a_wrong_command_line_is_told(words, said):
    ended = subprocess.run([program(), *words], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.splitlines() == [f"raptor: {said}", "usage: raptor [--playouts N | --ms N | --check]"]
