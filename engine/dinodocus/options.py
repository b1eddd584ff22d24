"""The options of Dinodocus, and the set-up of one match that follows from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from itertools import product
from typing import Any, Final

from engine.contract import Option, Seat, Value, changed, check_seats, settle
from engine.dinodocus.cards import HOUSE, PARTS, TITLES, Deck, canonical, deck
from engine.errors import SetupError
from engine.texts import counted

NAME: Final = "dinodocus"
SEATS: Final = range(2, 7)  # N-01
PERIODS: Final = {2: 25, 3: 31, 4: 33, 5: 37, 6: 37}  # N-04
FERNS: Final = 4  # N-03
HAND: Final = 5  # N-12
STOP: Final = "stop"

OPTIONS: Final = {
    "deck": Option(HOUSE, (HOUSE,), "the cards: our own, or those of a file", "M-21", text=canonical),
    "advanced": Option(False, (False, True), "the advanced game: cards are offered for hidden period cards", "N-60"),
    "start_tie": Option("lowest_seat", ("lowest_seat", "random"), "who begins among the weakest", "M-01"),
    "reshuffle": Option("on_need", ("on_need", "immediate"), "when an empty deck is rebuilt", "M-03"),
    "no_card": Option("skip", ("skip",), "deck and pile both empty: that part cannot be drawn", "M-04"),
    "draw_mode": Option("must_fill", ("must_fill", "may_stop"), "whether the hand must be filled to 5", "M-05"),
    "mutate_fresh": Option(True, (True, False), "whether a dinosaur can be mutated in the turn it hatched", "M-06"),
    "real_bonus": Option(False, (False, True), "2 period cards for the player who makes a real dinosaur", "M-07"),
    "real_repeat": Option(
        "each_time", ("each_time", "once_per_dino"), "how often one dinosaur can get the bonus", "M-08"
    ),
    "real_maker": Option(
        "maker_decides", ("maker_decides", "owner_only"), "whether a dinosaur of others can get the bonus", "M-09"
    ),
    "herb_duty": Option("strict", ("strict", "free"), "whether a herbivore must steal from opponents", "M-10"),
    "carn_duty": Option(
        "strict", ("strict", "own_optional", "free"), "whether a carnivore must eat, even its owner's dinosaurs", "M-11"
    ),
    "unfed_discard": Option(
        "end", ("end", "immediate"), "unfed herbivores go extinct after all feeding, or before carnivores feed", "M-12"
    ),
    "final_allocation": Option(
        "player", ("player", "auto_best"), "who spends the last period cards: the player, or the oldest first", "M-15"
    ),
    "offer_windows": Option(
        "mutate", ("mutate", "mutate_and_turn_start"), "advanced: when cards can be offered", "M-16"
    ),
    "offer_rounds": Option(
        None, (None, 1, 2, 3, 4, 5), "advanced: rounds of offers in a window, null for no limit", "M-17"
    ),
    "help_events_public": Option(True, (True, False), "advanced: whether all players see the answers", "M-18"),
    "hand_parts_public": Option(True, (True, False), "whether views show the parts of hidden hand cards", "M-19"),
    "turn_cap": Option(300, (300, 50, 100, 200, 500, 1000), "player turns after which the game ends", "M-20"),
}


def _draws(full: tuple[bool, ...], draw_mode: str) -> tuple[str, ...]:
    """The decks to draw from (N-12), and under may_stop also to stop (M-05)."""
    decks = tuple(f"w:{part}" for part, has_cards in zip(PARTS, full) if has_cards)
    return (*decks, STOP) if decks and draw_mode == "may_stop" else decks


@dataclass(frozen=True)
class Setup:
    """What stays the same during a match: seats and options, and what follows from them."""

    seats: int
    deck: str
    advanced: bool
    start_tie: str
    reshuffle: str
    no_card: str
    draw_mode: str
    mutate_fresh: bool
    real_bonus: bool
    real_repeat: str
    real_maker: str
    herb_duty: str
    carn_duty: str
    unfed_discard: str
    final_allocation: str
    offer_windows: str
    offer_rounds: int | None
    help_events_public: bool
    hand_parts_public: bool
    turn_cap: int

    cards: Deck = field(init=False, repr=False, compare=False)
    periods: int = field(init=False, repr=False, compare=False)
    everyone: tuple[Seat, ...] = field(init=False, repr=False, compare=False)
    changed: Mapping[str, Value] = field(init=False, repr=False, compare=False)
    """The options that differ from their defaults."""
    draws: dict[tuple[bool, ...], tuple[str, ...]] = field(init=False, repr=False, compare=False)
    """What can be drawn, by which decks have cards."""

    def __post_init__(self) -> None:
        derived = {
            "cards": deck(self.deck),
            "periods": PERIODS[self.seats],
            "everyone": tuple(range(self.seats)),
            "changed": changed(OPTIONS, {name: getattr(self, name) for name in OPTIONS}),
            "draws": {full: _draws(full, self.draw_mode) for full in product((False, True), repeat=len(PARTS))},
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        # A deck is made again from its text: it need not travel with every state.
        return Setup, tuple(getattr(self, one.name) for one in fields(self) if one.init)


def set_up(seats: int, options: Mapping[str, Value]) -> Setup:
    """The set-up of a match. SetupError names what is wrong and what is allowed."""
    check_seats(NAME, SEATS, seats)
    values = settle(NAME, OPTIONS, options)
    for part, pile in zip(PARTS, deck(str(values["deck"])).piles):
        if len(pile) < seats:
            few = f"{counted(len(pile), 'card')} of part {part} ({TITLES[part]}) for {seats} players"
            raise SetupError(f"{NAME}: option deck: {few}. Each player needs a starting dinosaur (N-05).")
    return _setup(seats, tuple(values.values()))


@lru_cache(maxsize=256)
def _setup(seats: int, values: tuple[Value, ...]) -> Setup:
    # One object serves all matches of a kind, and `determinize` does not make one for every guess.
    return Setup(seats, **dict(zip(OPTIONS, values)))  # type: ignore[arg-type]  # settle has checked every value
