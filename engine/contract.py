"""What a game is.

A game is a set of pure functions over immutable, hashable states. It never holds the state of a match, so one
object serves all matches at once. Chance is a seat: `deal` picks its action, `apply` plays it, and a record that
holds all actions replays without any generator.

A game may have two more attributes: `earlier`, if it can play as in an earlier edition (see the function `earlier`),
and `rare`, the phases that few matches come to (see engine/rare.py). Words for people are not part of the rules: a
package brings them with an entry point of the group `arena.words` (see arena/words).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

from engine.errors import ActionError, MalformedAction, SetupError
from engine.texts import meant, quoted, shown

S = TypeVar("S")
T = TypeVar("T")

Seat = int
CHANCE: Final = -1
"""The seat that rolls, draws and deals."""

Value = str | int | bool | None
View = dict[str, Any]
Event = dict[str, Any]
Paint = Callable[[str, str], str]
"""paint(text, colour) -> text: how a drawing is coloured, or left plain."""


class Dice(Protocol):
    """The source of randomness: a seed in a match, hypothesis in a test."""

    def roll(self, name: str, sides: int, index: int, /) -> int:
        """The index-th of an endless row of numbers below `sides`; asking again gives the same number."""

    def draw(self, name: str, items: Sequence[T], count: int, /) -> list[T]:
        """`count` of the items, in the order drawn; asking again gives the same draw."""


def plain(text: str, _colour: str) -> str:
    """The Paint of a pipe."""
    return text


@dataclass(frozen=True, slots=True)
class Option:
    """A named rule variant: its default, every value it takes, one line of help, the rule id that explains it."""

    default: Value
    values: tuple[Value, ...]
    help: str
    rule: str
    text: Callable[[str], str] | None = None
    """If given, the option also takes any text: this returns the text in the form to keep, or raises SetupError.

    People name a file that holds the text (`deck=mine.json`). The arena reads it, not the engine.
    """

    def takes(self, value: object) -> bool:
        # 1 == True in Python, but not in a tournament file.
        return any(type(value) is type(allowed) and value == allowed for allowed in self.values)

    def read(self, text: str) -> Value:
        """The value that a person wrote as text; if it is not one of ours, the text itself, which `settle` refuses."""
        return next((value for value in self.values if spell(value) == text), text)


def spell(value: object) -> str:
    """An option's value as it is written in positions, on the command line and in messages."""
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Scores and ranks by seat (1 is best, equal ranks share it), and where each seat's points came from."""

    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    breakdown: tuple[Mapping[str, int], ...]


class Game(Protocol[S]):
    """The interface of every game. `S` is the game's own state type: immutable and hashable."""

    name: str
    edition: int
    """Rises whenever a fix can change the result of a recorded match. See also `earlier`."""
    seats: range
    """The player counts the game can be played with."""
    grammar: Mapping[str, str]
    """Phase -> how its actions are written, with an example."""

    def options(self) -> Mapping[str, Option]:
        """Every option by name, in the order in which people should read them."""

    def start(self, seats: int, options: Mapping[str, Value]) -> S:
        """The first state. SetupError names a bad number of seats, option or value, and what is allowed."""

    def to_act(self, state: S, /) -> tuple[Seat, ...]:
        """The seats that act now, at the same time if there are several; (CHANCE,) is dice, () the end of the game."""

    def legal(self, state: S, seat: Seat, /) -> tuple[str, ...]:
        """The seat's actions in canonical order; () if it does not act now.

        For CHANCE: all its actions where they can be listed (a die), () where they are too many (a deal).
        """

    def deal(self, state: S, dice: Dice, /) -> str:
        """Chance's action in this state, decided by the dice."""

    def apply(self, state: S, actions: Mapping[Seat, str], /) -> S:
        """The state after one action from each seat in `to_act`. MalformedAction and IllegalAction say why not."""

    def view(self, state: S, seat: Seat | None, /) -> View:
        """All that a seat may know, as plain JSON values; None is a spectator. Always has a `phase`.

        What belongs to seats is in lists with one item for each seat, None for what is hidden.
        """

    def events(self, before: S, after: S, seat: Seat | None, /) -> list[Event]:
        """What this seat saw happen between a state and the one that `apply` made of it: dicts, `event` is the name."""

    def public(self, state: S, /) -> View:
        """The part of a view that all seats share: what all may know, and the `phase`."""

    def private(self, state: S, seat: Seat | None, /) -> View:
        """The rest of this seat's view, under other keys."""

    def witnessed(self, before: S, after: S, seats: Sequence[Seat | None], /) -> list[list[Event]]:
        """The `events` of each of these seats; what they share is computed once."""

    def fallback(self, state: S, seat: Seat, /) -> str:
        """The action played for a seat that failed to answer."""

    def tally(self, state: S, /) -> Outcome:
        """Scores and ranks as if the game ended in this state."""

    def outcome(self, state: S, /) -> Outcome | None:
        """The final scores and ranks, or None while the game goes on."""

    def determinize(self, view: View, dice: Dice, /) -> S:
        """A full state that fits this view; what is hidden is drawn from the dice."""

    def parse(self, text: str, /) -> S:
        """The state that a position text describes. NotationError says what is wrong and where."""

    def format(self, state: S, /) -> str:
        """The state as one line of text: parse(format(state)) == state."""

    def fingerprint(self, state: S, /) -> str:
        """A text that no other state of the same match has; for digests, so it should be cheap. May be `format`."""

    def draw(self, view: View, tally: Outcome, paint: Paint, /) -> str:
        """A view as a picture for the terminal, at most 80 columns wide.

        A headline, then a block for each seat after an empty line; a block's first line begins with `seat 0`.
        """


def check_seats(game: str, allowed: range, seats: object) -> int:
    """`seats`, if the game can be played with this number."""
    if type(seats) is int and seats in allowed:
        return seats
    raise SetupError(f"{game}: {impossible(seats)}, it takes {allowed.start} to {allowed.stop - 1}.")


def impossible(seats: object) -> str:
    """The words for a number of seats that is not possible."""
    return f"{shown(str(seats))} {'seat is' if seats == 1 else 'seats are'} not possible"


def settle(game: str, options: Mapping[str, Option], given: Mapping[str, Value]) -> dict[str, Value]:
    """A value for every option: the given one, else the default."""
    settled = {name: option.default for name, option in options.items()}
    for name, value in given.items():
        if name not in options:
            raise SetupError(
                f"{game}: unknown option {quoted(name)}.{meant(name, options)} Options: {', '.join(options)}."
            )
        option = options[name]
        if option.text is not None and isinstance(value, str):
            settled[name] = option.text(value)
        elif option.takes(value):
            settled[name] = value
        else:
            allowed = ", ".join(map(spell, option.values))
            raise SetupError(f"{game}: option {name} does not take {quoted(spell(value))}. Allowed: {allowed}.")
    return settled


def changed(options: Mapping[str, Option], values: Mapping[str, Value]) -> dict[str, Value]:
    """Those of the values that differ from the default of their option: what headers, views and positions list."""
    return {name: value for name, value in values.items() if value != options[name].default}


def earlier(game: Game[Any], edition: int) -> Mapping[str, Value] | None:
    """The options with which a game plays as it did in this edition; None if it cannot.

    If only defaults have changed since an edition, a game may have an attribute `earlier` that maps it to those it had.
    """
    if edition == game.edition:
        return {}
    listed: Mapping[int, Mapping[str, Value]] = getattr(game, "earlier", {})
    return listed.get(edition)


def wrong_seats(actors: Sequence[Seat], actions: Mapping[Seat, str]) -> MalformedAction:
    """The error for actions that do not come from exactly the seats that act."""
    for seat in actors:
        if seat not in actions:
            return MalformedAction(seat, "", f"an action from {spoken(actors)}")
    seat = next(seat for seat in actions if seat not in actors)
    return MalformedAction(seat, actions[seat], f"actions from {spoken(actors)} only")


def spoken(actors: Sequence[Seat]) -> str:
    """The seats that act, in words."""
    if tuple(actors) == (CHANCE,):
        return "chance"
    return f"seats {', '.join(map(str, actors))}" if actors else "no seat (the game is over)"


def why_not(game: Game[Any], state: Any, seat: Seat, action: str) -> ActionError:
    """The game's error for an action that is not legal: a MalformedAction, or an IllegalAction with its rule."""
    others = {other: game.fallback(state, other) for other in game.to_act(state)}
    try:
        game.apply(state, {**others, seat: action})
    except ActionError as error:
        return error
    raise AssertionError(f"{game.name} applies {action!r}, which it does not list as legal")


def ranks(keys: Sequence[Any]) -> tuple[int, ...]:
    """Competition ranks of the keys, the greatest first: (5, 7, 7) -> (3, 1, 1)."""
    return tuple(1 + sum(other > key for other in keys) for key in keys)
