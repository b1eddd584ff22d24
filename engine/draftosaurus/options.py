"""The options of Draftosaurus, and the set-up of one match that follows from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, Final

from engine.contract import Option, Seat, Value, changed, check_seats, settle
from engine.draftosaurus.boards import Board, summer, winter
from engine.draftosaurus.pieces import FACES, REST, SPECIES, Lookup
from engine.errors import SetupError

NAME: Final = "draftosaurus"
SEATS: Final[range] = range(2, 6)  # D-01
PER_SPECIES: Final = {2: 8, 3: 6, 4: 8, 5: 10}  # D-04
HAND: Final = 6  # D-07
ROLLS: Final = tuple(f"roll:{face}" for face in FACES)

PICKS: Final = Lookup[str, tuple[str, ...]](lambda hand: tuple(REST[hand]))
PICKS_WITH_DROP: Final = Lookup[str, tuple[str, ...]](
    lambda hand: tuple(f"{dino}x{drop}" for dino, rest in REST[hand].items() for drop in REST[rest])
)

Choices = tuple[tuple[str, ...], ...]
"""Legal actions by seat, chance's last, so that its seat number -1 finds them."""

OPTIONS: Final = {
    "season": Option("summer", ("summer", "winter", "summer_winter"), "board side, or one after the other", "D-03"),
    "first_roller": Option(0, (0, 1, 2, 3, 4, "random"), "the seat that rolls the die first", "X-01"),
    "five_player_last_turn": Option(
        "standard",
        ("standard", "all_bound"),
        "5 players, last turn of a round: the die passes as always, or stays and binds all",
        "X-02",
    ),
    "trio_points": Option(7, (7, 6), "points of a full Woody Trio", "X-03"),
    "commit": Option(
        "pick_then_place",
        ("pick_then_place", "pick_and_place"),
        "place after all picks are revealed, or pick and place in one action",
        "X-05",
    ),
    "discard_timing": Option(
        "after_place", ("after_place", "with_pick"), "2 players: when the discard is chosen", "X-06"
    ),
    "discard_visibility": Option("public", ("public", "hidden"), "2 players: who sees the discards", "X-06"),
    "quarantine_move": Option("must", ("must", "may"), "whether the quarantined dinosaur must move", "X-07"),
    "quarantine_resolution": Option(
        "player", ("player", "auto_best"), "who chooses the quarantine move: the player, or the highest score", "X-08"
    ),
    "bridge_die_unit": Option(
        "subpen", ("subpen", "whole"), "faces E and X look at each bank of the bridge alone, or at both", "X-09"
    ),
    "bridge_region": Option(
        "split", ("split", "woods_only", "both"), "region of the bridge: left woods and right grass, or other", "X-10"
    ),
    "prairie_capacity": Option(6, (6, None), "dinosaurs in the Prairie of Love, null for no limit", "X-11"),
    "bridge_capacity": Option(
        None, (None, *range(1, 13)), "dinosaurs on each bank of the bridge, null for no limit", "X-12"
    ),
    "pyramid_fill": Option(
        "free_in_row", ("free_in_row", "left_to_right"), "which cell of a pyramid row comes next", "X-13"
    ),
    "zoo_scope": Option("all", ("all", "pens_only"), "whether the River counts for KJ, SI, LO and ties", "X-14"),
    "match_second_start": Option("same", ("same", "next"), "summer_winter: who rolls first in the winter game", "X-16"),
    "match_tiebreak": Option(
        "trex_total", ("trex_total", "shared"), "summer_winter: fewer T-Rex over both zoos, or a shared rank", "X-17"
    ),
}


Rota = tuple[tuple[tuple[Seat, ...], ...], ...]
"""A seat for each round, first roller and turn."""
NOBODY: Final = -2
"""In a rota: no seat."""


def _rollers(seats: int, rounds: int, turns: int, keeps_die: bool) -> Rota:
    """Who rolls: the die moves left every turn, also across the round break (D-08, D-13).

    With `keeps_die` the fifth roller of a round rolls again in its last turn, and only then passes it on (X-02).
    """
    moves = turns - keeps_die
    return tuple(
        tuple(
            tuple((first + round_ * moves + min(turn, moves - 1)) % seats for turn in range(turns))
            for first in range(seats)
        )
        for round_ in range(rounds)
    )


def _but_the_last(rollers: Rota) -> Rota:
    return tuple(tuple((*turns[:-1], NOBODY) for turns in by_first) for by_first in rollers)


@dataclass(frozen=True)
class Setup:
    """What stays the same during a match: seats and options, and what follows from them."""

    seats: int
    season: str
    first_roller: int | str
    five_player_last_turn: str
    trio_points: int
    commit: str
    discard_timing: str
    discard_visibility: str
    quarantine_move: str
    quarantine_resolution: str
    bridge_die_unit: str
    bridge_region: str
    prairie_capacity: int | None
    bridge_capacity: int | None
    pyramid_fill: str
    zoo_scope: str
    match_second_start: str
    match_tiebreak: str

    boards: tuple[Board, ...] = field(init=False, repr=False, compare=False)
    changed: Mapping[str, Value] = field(init=False, repr=False, compare=False)
    """The options that differ from their defaults."""
    everyone: tuple[Seat, ...] = field(init=False, repr=False, compare=False)
    supply: str = field(init=False, repr=False, compare=False)
    rounds: int = field(init=False, repr=False, compare=False)
    turns: int = field(init=False, repr=False, compare=False)
    discards: bool = field(init=False, repr=False, compare=False)
    drops_with_pick: bool = field(init=False, repr=False, compare=False)
    places_with_pick: bool = field(init=False, repr=False, compare=False)
    picks: Lookup[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)
    rollers: Rota = field(init=False, repr=False, compare=False)
    exempt: Rota = field(init=False, repr=False, compare=False)
    firsts: Choices = field(init=False, repr=False, compare=False)
    deals: Choices = field(init=False, repr=False, compare=False)
    rolls: Choices = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        two = self.seats == 2
        with_pick = two and self.discard_timing == "with_pick"
        rounds, turns = (4, 3) if two else (2, 6)  # D-06
        keeps_die = self.seats == 5 and self.five_player_last_turn == "all_bound"
        rollers = _rollers(self.seats, rounds, turns, keeps_die)
        no_seat = ((),) * self.seats
        derived = {
            "boards": tuple(self._board(season) for season in self.season.split("_")),
            "changed": changed(OPTIONS, {name: getattr(self, name) for name in OPTIONS}),
            "everyone": tuple(range(self.seats)),
            "supply": "".join(dino * PER_SPECIES[self.seats] for dino in SPECIES),
            "rounds": rounds,
            "turns": turns,
            "rollers": rollers,
            "exempt": _but_the_last(rollers) if keeps_die else rollers,
            "discards": two,  # D-15
            "drops_with_pick": with_pick,
            "places_with_pick": self.commit == "pick_and_place",
            "picks": PICKS_WITH_DROP if with_pick else PICKS,
            "firsts": (*no_seat, tuple(f"first:{seat}" for seat in range(self.seats))),
            "deals": (*no_seat, ()),
            "rolls": (*no_seat, ROLLS),
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        # Boards hold compiled rules, which do not pickle; they are made again from the options.
        return Setup, tuple(getattr(self, one.name) for one in fields(self) if one.init)

    def _board(self, season: str) -> Board:
        if season == "summer":
            return summer(self.prairie_capacity)
        return winter(self.bridge_capacity, self.bridge_region, self.bridge_die_unit, self.pyramid_fill)


def set_up(seats: int, options: Mapping[str, Value]) -> Setup:
    """The set-up of a match. SetupError names what is wrong and what is allowed."""
    check_seats(NAME, SEATS, seats)
    values = settle(NAME, OPTIONS, options)
    first = values["first_roller"]
    if isinstance(first, int) and first >= seats:
        allowed = ", ".join(map(str, range(seats)))
        raise SetupError(f"{NAME}: option first_roller={first}: only {seats} seats play. Allowed: {allowed}, random.")
    return _setup(seats, tuple(values.values()))


@lru_cache(maxsize=256)
def _setup(seats: int, values: tuple[Value, ...]) -> Setup:
    # One object serves all matches of a kind, and `determinize` does not make one for every guess.
    return Setup(seats, **dict(zip(OPTIONS, values)))  # type: ignore[arg-type]  # settle has checked every value
