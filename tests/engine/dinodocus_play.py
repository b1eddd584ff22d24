"""Dinosaurs and moves for the tests of Dinodocus.

A dinosaur is named for the colour of its head, green for herbivores and red for carnivores, and for its attack and
defence: GREEN_1_3 has attack 1, defence 3 and so strength 3. Dinosaurs of the first table share no card, so any of them
can stand together in one position.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from engine.contract import Event, Seat
from engine.dinodocus import GAME
from engine.dinodocus.state import State
from engine.errors import ActionError

RED_6_5 = "H01,A08,P15,T15"  # Typlolorus
RED_2_4 = "H03,A14,P12,T03"  # Disimirus
RED_4_2 = "H04,A06,P11,T06"  # Deitrorotor
RED_5_1 = "H06,A03,P05,T05"
RED_3_4 = "H02,A11,P04,T12"
RED_1_5 = "H05,A12,P13,T11"
GREEN_1_3 = "H07,A05,P14,T13"  # Dinocephale
GREEN_3_4 = "H09,A13,P03,T01"
GREEN_0_7 = "H14,A15,P09,T08"
GREEN_4_2 = "H13,A10,P10,T02"
GREEN_3_5 = "H10,A09,P08,T09"
GREEN_4_3 = "H08,A02,P01,T04"
GREEN_6_1 = "H15,A04,P06,T07"
GREEN_3_3 = "H11,A01,P02,T10"
GREEN_5_3 = "H12,A07,P07,T14"

GREEN_2_2 = "H11,A01,P14,T01"  # shares cards with GREEN_1_3, GREEN_3_3 and GREEN_3_4

SMALL_DECK = """{"format": 1, "id": "small", "label": "Three heads", "parts": ["H", "A", "P", "T"],
 "species": [{"ref": 1, "name": "Alpha", "diet": "C"}, {"ref": 2, "name": "Beta", "diet": "H"}, {"ref": 3, "name": "Gamma", "diet": "H"}],
 "cards": [
  {"id": "H1", "part": "H", "syllable": "Al", "diet": "C", "attack": 1, "defence": 1, "refs": [1]},
  {"id": "H2", "part": "H", "syllable": "Be", "diet": "H", "attack": 1, "defence": 1, "refs": [2]},
  {"id": "H3", "part": "H", "syllable": "Ga", "diet": "H", "attack": 1, "defence": 1, "refs": [3]},
  {"id": "A1", "part": "A", "syllable": "ph", "attack": 1, "defence": 1, "refs": [1, 2]},
  {"id": "A2", "part": "A", "syllable": "mm", "attack": 1, "defence": 1, "refs": [3]},
  {"id": "P1", "part": "P", "syllable": "h", "attack": 1, "defence": 1, "refs": [1]},
  {"id": "P2", "part": "P", "syllable": "t", "attack": 1, "defence": 1, "refs": [2, 3]},
  {"id": "T1", "part": "T", "syllable": "a", "attack": 1, "defence": 1, "refs": [1, 2]},
  {"id": "T2", "part": "T", "syllable": "a", "attack": 1, "defence": 1, "refs": [3]}
 ]}"""
"""Three heads, two cards of every other part: so few that two players run out of them."""

Move = str | Mapping[Seat, str]
"""What the one seat that acts does, chance among them; or what each of several seats does at the same time."""


def step(state: State, move: Move) -> State:
    if isinstance(move, str):
        (seat,) = GAME.to_act(state)
        move = {seat: move}
    return GAME.apply(state, move)


def course(text: str, *moves: Move) -> list[State]:
    """The position and all that follow, one for each move."""
    states = [GAME.parse(text)]
    for move in moves:
        states.append(step(states[-1], move))
    return states


def play(text: str, *moves: Move) -> State:
    """The last state of a course."""
    return course(text, *moves)[-1]


def line(text: str) -> str:
    """A position as the game writes it."""
    return GAME.format(GAME.parse(text))


def after(text: str, *moves: Move) -> str:
    """The last state of a course, as the game writes it."""
    return GAME.format(play(text, *moves))


def legal(text: str, *moves: Move) -> tuple[str, ...]:
    """What the one seat that acts may do at the end of a course."""
    state = play(text, *moves)
    (seat,) = GAME.to_act(state)
    return GAME.legal(state, seat)


def seen(state: State, key: str, seat: Seat | None = None) -> Any:
    return GAME.view(state, seat)[key]


def phase(text: str, *moves: Move) -> str:
    return seen(play(text, *moves), "phase")


def dinos(state: State) -> dict[str, dict[str, Any]]:
    """What everybody sees of each dinosaur on the table, by id."""
    return {dino["id"]: dino for dino in seen(state, "dinos")}


def body(state: State, dino: str) -> tuple[int, int]:
    """Attack and defence."""
    return dinos(state)[dino]["attack"], dinos(state)[dino]["defence"]


def happened(text: str, *moves: Move, seat: Seat | None = None) -> list[Event]:
    """What a seat sees happen with the last of the moves."""
    *_, before, last = course(text, *moves)
    return GAME.events(before, last, seat)


def refusal(text: str, move: Move) -> ActionError:
    """Why the move is not possible."""
    state = GAME.parse(text)
    with pytest.raises(ActionError) as caught:
        step(state, move)
    assert "\n" not in str(caught.value)
    return caught.value
