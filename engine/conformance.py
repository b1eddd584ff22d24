"""What every game must satisfy, whatever its rules are.

`check_game` plays a game at every player count and with every value of every option, and looks at each state on the
way; `check_playout` does so for one match with dice of the caller's choice, for instance from hypothesis. Both raise
Violation, which names the broken promise and the position. What only the author of a game can
know is given as a `Witness`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from engine.contract import CHANCE, Dice, Event, Game, Outcome, Seat, Value, View, earlier, plain, settle
from engine.dice import Seed
from engine.errors import ActionError, MalformedAction, SetupError
from engine.playouts import Choose, actions, at_random
from engine.rare import phases, rare_phases

S = TypeVar("S")

WIDEST = 80
NONSENSE = "¿no such action?"


class Violation(AssertionError):
    """A game broke a promise of the Game interface."""


@dataclass(frozen=True, slots=True)
class Witness(Generic[S]):
    """What the kit cannot know of a game.

    pieces(state)            all pieces of the box, wherever they are: must never change.
    twin(state, seat, dice)  another state that the seat (None: a spectator) cannot tell from this one, made from the
                             state, not from the view. Without it only `determinize` is used, which cannot show leaks.
    rotate(state)            the same state with every player one seat further.
    """

    pieces: Callable[[S], object] | None = None
    twin: Callable[[S, Seat | None, Dice], S] | None = None
    rotate: Callable[[S], S] | None = None


def check_game(
    game: Game[S],
    witness: Witness[S] | None = None,
    base: Mapping[str, Value] = MappingProxyType({}),
    tables: Iterable[int] | None = None,
    longest: int = 10_000,
    every: int = 1,
) -> int:
    """Play every player count (or `tables`) with every value of every option on top of `base`; how many matches.

    To check a state takes a thousand times as long as a step, so for a long game `every` can check only some of them.
    """
    _check_earlier(game)
    _check_rare(game)
    played = 0
    for seats in game.seats if tables is None else tables:
        for options in _each_option(game):
            try:
                state = game.start(seats, {**base, **options})
            except SetupError:
                if not options:
                    raise
                continue  # a value that this player count does not allow
            dice = Seed(played)
            check_playout(game, state, dice, at_random(dice), witness, longest, every)
            played += 1
    return played


def _check_earlier(game: Game[S]) -> None:
    """The options that make a game play like an earlier edition are options that it has."""
    for edition in range(game.edition):
        try:
            settle(game.name, game.options(), earlier(game, edition) or {})
        except SetupError as error:
            raise Violation(f"{game.name}: edition {edition} can be played with options of this one: {error}") from None


def _check_rare(game: Game[S]) -> None:
    """The matches that are said to come to rare phases do."""
    for phase, match in rare_phases(game).items():
        if phase not in phases(game, match):
            raise Violation(f"{game.name}: rare phase {phase}: {match} does not come to it; engine.rare.find finds one")


def _each_option(game: Game[S]) -> Iterator[dict[str, Value]]:
    yield {}
    for name, option in game.options().items():
        yield from ({name: value} for value in option.values if value != option.default)


def check_playout(
    game: Game[S],
    state: S,
    dice: Dice,
    choose: Choose,
    witness: Witness[S] | None = None,
    longest: int = 10_000,
    every: int = 1,
) -> S:
    """Play one match and check the states on the way, one of `every`, and the last; returns the last state."""
    check = _Check(game, witness or Witness())
    for step in range(longest):
        check.guesses = Seed(step)
        looks = every == 1 or dice.roll("conformance", every, step) == 0 or not game.to_act(state)
        if looks:
            check.state(state)
        played = actions(game, state, dice, choose)
        if not played:
            return state
        state = check.step(state, played) if looks else game.apply(state, played)
    raise Violation(f"{game.name}: a match goes on after {longest} steps, at {game.format(state)}")


class _Check(Generic[S]):
    def __init__(self, game: Game[S], witness: Witness[S]) -> None:
        self.game = game
        self.witness = witness
        self.guesses: Dice = Seed(0)
        self.pieces: object = None
        self.prints: dict[str, S] = {}

    def that(self, holds: bool, promise: str, state: S, *details: object) -> None:
        if not holds:
            # A position is written down only when it is needed: that takes as long as a check.
            texts = [self.game.format(one) if isinstance(one, type(state)) else repr(one) for one in details]
            found = "".join(f" {text}" for text in texts)
            raise Violation(f"{self.game.name}: {promise}:{found} at {self.game.format(state)}")

    def state(self, state: S) -> None:
        """Everything one state promises."""
        game = self.game
        actors = game.to_act(state)
        seats: list[Seat] = list(range(len(game.tally(state).scores)))
        self.that(len({state, game.parse(game.format(state))}) == 1, "parse(format(state)) is the state", state)
        self.that(
            actors in ((), (CHANCE,)) or actors == tuple(sorted(set(actors) & set(seats))),
            "to_act is (), (CHANCE,) or seats in order", state, actors,
        )  # fmt: skip
        self._outcome(state, actors, seats)
        self._pieces(state)
        for seat in seats:
            self._seat(state, seat, seat in actors)
        viewers = (*seats, None)
        singly = [game.view(state, viewer) for viewer in viewers]
        for viewer, view in zip(viewers, singly):
            self._view(state, viewer, view)
        self._parts(state, viewers, singly)
        self._fingerprint(state)
        for view in (singly[0], singly[-1]):
            drawn = game.draw(view, game.tally(state), plain)
            self.that(max(map(len, drawn.splitlines())) <= WIDEST, f"drawings fit {WIDEST} columns", state)
        self._rotated(state, actors)

    def _parts(self, state: S, viewers: Sequence[Seat | None], views: Sequence[View]) -> None:
        public = self.game.public(state)
        for viewer, view in zip(viewers, views):
            private = self.game.private(state, viewer)
            self.that(public | private == view, "a view is its two parts", state, viewer)
            self.that(not public.keys() & private.keys(), "the parts of a view have different keys", state, viewer)

    def _fingerprint(self, state: S) -> None:
        known = self.prints.setdefault(self.game.fingerprint(state), state)
        self.that(known == state, "a fingerprint belongs to one state", state, known)

    def _outcome(self, state: S, actors: tuple[Seat, ...], seats: list[Seat]) -> None:
        outcome = self.game.outcome(state)
        self.that((outcome is None) == bool(actors), "outcome is None until the end", state, outcome)
        tally = self.game.tally(state)
        if outcome is not None:
            self.that(outcome == tally, "the tally of the last state is the outcome", state, outcome, tally)
        self.that(_is_ranking(tally), "ranks follow scores, and 1 is the best", state, tally)
        self.that(len(tally.ranks) == len(tally.breakdown) == len(seats), "an outcome has all seats", state, tally)
        for score, part in zip(tally.scores, tally.breakdown):
            self.that(sum(part.values()) == score, "the breakdown adds up to the score", state, part)

    def _pieces(self, state: S) -> None:
        if self.witness.pieces is None:
            return
        pieces = self.witness.pieces(state)
        self.pieces = pieces if self.pieces is None else self.pieces
        self.that(pieces == self.pieces, "pieces are conserved", state, pieces)

    def _seat(self, state: S, seat: Seat, acts: bool) -> None:
        legal = self.game.legal(state, seat)
        self.that(bool(legal) == acts, "legal is empty just for seats that do not act", state, seat, legal)
        self.that(len(set(legal)) == len(legal), "legal names no action twice", state, seat, legal)
        if acts:
            self.that(self.game.fallback(state, seat) in legal, "the fallback is legal", state, seat)

    def _view(self, state: S, viewer: Seat | None, view: View) -> None:
        self.that(_is_plain(view), "views are plain JSON values", state, viewer, view)
        self.that(isinstance(view.get("phase"), str), "a view has a phase", state, viewer, view)
        guess = self.game.determinize(view, self.guesses)
        self._alike(state, view, guess, viewer, "determinize fits the view")
        self._possible(state, guess, viewer)
        if self.witness.twin is not None:
            twin = self.witness.twin(state, viewer, self.guesses)
            self._alike(state, view, twin, viewer, "hidden things stay hidden")

    def _alike(self, state: S, view: View, other: S, viewer: Seat | None, promise: str) -> None:
        game = self.game
        self.that(game.view(other, viewer) == view, f"{promise} (view)", state, viewer, other)
        self.that(game.to_act(other) == game.to_act(state), f"{promise} (to_act)", state, viewer, other)
        if viewer is not None:
            same = game.legal(other, viewer) == game.legal(state, viewer)
            self.that(same, f"{promise} (legal)", state, viewer, other)

    def _possible(self, state: S, guess: S, viewer: Seat | None) -> None:
        game = self.game
        same = game.parse(game.format(guess)) == guess
        self.that(same, "determinize fits the view (a possible state)", state, viewer, guess)
        if played := actions(game, guess, self.guesses, lambda legal: legal[0]):
            game.apply(guess, played)  # a state that cannot go on raises here

    def _rotated(self, state: S, actors: tuple[Seat, ...]) -> None:
        if self.witness.rotate is None:
            return
        game, turned = self.game, self.witness.rotate(state)
        here, there = game.tally(state), game.tally(turned)
        turned_tally = (_turn(here.scores), _turn(here.ranks))
        self.that(turned_tally == (there.scores, there.ranks), "scores and ranks rotate with the seats", state, there)
        for seat in actors:
            if seat != CHANCE:
                other = (seat + 1) % len(here.scores)
                self.that(game.legal(turned, other) == game.legal(state, seat), "legal lists rotate", state, seat)

    def step(self, state: S, played: Mapping[Seat, str]) -> S:
        """Everything one step promises."""
        game = self.game
        before = game.format(state)
        after = game.apply(state, played)
        self.that(game.format(state) == before, "apply leaves its state alone", state, played)
        backwards = dict(reversed(list(played.items())))
        self.that(game.apply(state, backwards) == after, "apply does not depend on the order of seats", state, played)
        for seat in played:
            self._refuses(state, {**played, seat: NONSENSE}, MalformedAction)
            self._refuses(state, {other: action for other, action in played.items() if other != seat}, ActionError)
        self._refuses(state, {**played, 99: NONSENSE}, ActionError)
        self._events(state, after, played)
        self._rotated_step(state, played, after)
        return after

    def _refuses(self, state: S, played: Mapping[Seat, str], error: type[ActionError]) -> None:
        try:
            self.game.apply(state, played)
        except error:
            return
        except Exception as other:
            raise Violation(f"{self.game.name}: {played} raises {other!r} at {self.game.format(state)}") from other
        raise Violation(f"{self.game.name}: {played} is accepted at {self.game.format(state)}")

    def _events(self, before: S, after: S, played: Mapping[Seat, str]) -> None:
        game, twin = self.game, self.witness.twin
        viewers = (*range(len(game.tally(after).scores)), None)
        singly = [game.events(before, after, viewer) for viewer in viewers]
        self.that(game.witnessed(before, after, viewers) == singly, "witnessed is the events of the seats", before)
        for viewer, seen in zip(viewers, singly):
            self.that(_is_plain(seen), "events are plain JSON values", before, viewer, seen)
            named = all(isinstance(one, dict) and isinstance(one.get("event"), str) for one in seen)
            self.that(named, "events have a name", before, viewer, seen)
            if twin is not None:
                hidden = game.events(before, twin(after, viewer, self.guesses), viewer)
                self.that(hidden == seen, "events show nothing hidden", before, viewer, seen, hidden)
                self._twin_events(twin(before, viewer, self.guesses), after, viewer, played, seen)

    def _twin_events(
        self, before: S, after: S, viewer: Seat | None, played: Mapping[Seat, str], seen: list[Event]
    ) -> None:
        """The same actions from a state that looks the same show the same events, if they lead to the same view."""
        game = self.game
        try:
            other = game.apply(before, played)
        except ActionError:  # a seat does not hold what was played
            return
        if game.view(other, viewer) == game.view(after, viewer):
            hidden = game.events(before, other, viewer)
            self.that(hidden == seen, "events show nothing hidden", before, viewer, seen, hidden)

    def _rotated_step(self, before: S, played: Mapping[Seat, str], after: S) -> None:
        rotate = self.witness.rotate
        if rotate is None or CHANCE in played:
            return
        seats = len(self.game.tally(before).scores)
        turned = self.game.apply(rotate(before), {(seat + 1) % seats: action for seat, action in played.items()})
        self.that(turned == rotate(after), "apply rotates with the seats", before, played)


def _turn(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return values[-1:] + values[:-1]


def _is_ranking(outcome: Outcome) -> bool:
    pairs = list(zip(outcome.scores, outcome.ranks))
    counted = all(rank == 1 + sum(other < rank for other in outcome.ranks) for rank in outcome.ranks)
    return counted and all(rank < other for score, rank in pairs for less, other in pairs if less < score)


def _is_plain(value: object) -> bool:
    """Whether a value survives JSON and msgpack unchanged."""
    if type(value) is dict:
        return all(type(key) is str and _is_plain(item) for key, item in value.items())
    if type(value) is list:
        return all(map(_is_plain, value))
    return value is None or type(value) in (str, int, bool)
