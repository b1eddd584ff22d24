"""Sealed Nim: 2 to 4 players take tokens from one heap with sealed bids. RULES.md has the rules.

A whole game in one module, as a pattern for others. It has what makes games hard: dice, a deal, cards that only their
owners see, bids that all make at once, and a phase that few matches come to. words.py says it to people.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from engine import (
    CHANCE,
    Dice,
    Event,
    Game,
    IllegalAction,
    MalformedAction,
    NotationError,
    Option,
    Outcome,
    Paint,
    RarePhase,
    Seat,
    SetupError,
    Value,
    View,
    changed,
    check_seats,
    ranks,
    settle,
    spell,
    wrong_seats,
)
from engine.positions import Part, in_words, part

NAME = "sealed_nim"
CARDS = "12345"  # S-01
ROUNDS = 4  # S-08
ROLLS = tuple(f"roll:{number}" for number in range(1, 7))  # S-03
FULL = 18  # S-11
HALVE = ("halve:no", "halve:yes")
HIDDEN = "?"
"""A card that a viewer cannot see."""
OPTIONS = {
    "bust": Option("highest", ("highest", "all"), "which bids fall if they come to more than the heap", "S-09"),
    "last": Option(2, (2, 0, -2), "points for those who empty the heap", "S-10"),
}


class Phase(StrEnum):
    """What happens next: chance acts in the first two phases, some seats in the third, all in the fourth."""

    DEAL = "deal"
    ROLL = "roll"
    HALVE = "halve"
    BID = "bid"
    OVER = "over"


GRAMMAR = {
    Phase.DEAL: "deal: and a card for each seat, deal:3,1",
    Phase.ROLL: "roll: and a number from 1 to 6, roll:6",
    Phase.HALVE: "halve:yes or halve:no",
    Phase.BID: "bid: and the number of a card in hand, bid:3",
}


@dataclass(frozen=True, slots=True)
class Player:
    """What a player has; cards are text."""

    hand: str = CARDS
    lost: str = ""
    played: str = ""
    tokens: int = 0
    emptied: int = 0
    """In how many rounds this player took tokens and left none."""


@dataclass(frozen=True, slots=True)
class State:
    """A position; the options come first."""

    bust: str
    last: int
    phase: Phase
    heap: int
    players: tuple[Player, ...]


class SealedNim:
    """The game as the arena sees it."""

    name = NAME
    edition = 1
    seats = range(2, 5)  # S-01
    grammar: Mapping[str, str] = {phase.value: GRAMMAR[phase] for phase in (Phase.HALVE, Phase.BID)}
    rare: Mapping[str, RarePhase] = {Phase.HALVE.value: RarePhase(seats=4, seat=0, seed=36)}

    def options(self) -> Mapping[str, Option]:
        return OPTIONS

    def start(self, seats: int, options: Mapping[str, Value]) -> State:
        players = (Player(),) * check_seats(NAME, self.seats, seats)
        values = settle(NAME, OPTIONS, options)
        return State(**values, phase=Phase.DEAL, heap=0, players=players)  # type: ignore[arg-type]  # they are settled

    # The course of the game

    def to_act(self, state: State, /) -> tuple[Seat, ...]:
        if state.phase is Phase.OVER:
            return ()
        if state.phase is Phase.HALVE:
            return _poorest(state)
        return tuple(range(len(state.players))) if state.phase is Phase.BID else (CHANCE,)

    def legal(self, state: State, seat: Seat, /) -> tuple[str, ...]:
        if seat == CHANCE:
            return ROLLS if state.phase is Phase.ROLL else ()  # deals are too many to list
        if state.phase is Phase.HALVE:
            return HALVE if seat in _poorest(state) else ()
        return tuple(f"bid:{card}" for card in state.players[seat].hand) if state.phase is Phase.BID else ()

    def deal(self, state: State, dice: Dice, /) -> str:
        if state.phase is Phase.ROLL:
            return ROLLS[dice.roll("die", len(ROLLS), _rounds(state))]
        return "deal:" + ",".join(CARDS[dice.roll("lost", len(CARDS), seat)] for seat in range(len(state.players)))

    def apply(self, state: State, actions: Mapping[Seat, str], /) -> State:
        actors = self.to_act(state)
        if set(actions) != set(actors):
            raise wrong_seats(actors, actions)
        if state.phase is Phase.DEAL:
            return _dealt(state, actions[CHANCE])
        for seat in actors:
            self._check(state, seat, actions[seat])
        if state.phase is Phase.ROLL:
            return _rolled(state, actions[CHANCE])
        if state.phase is Phase.HALVE:
            return _halved(state, all(action == "halve:yes" for action in actions.values()))
        return _taken(state, [actions[seat].removeprefix("bid:") for seat in actors])

    def _check(self, state: State, seat: Seat, action: str) -> None:
        legal = self.legal(state, seat)
        if action in legal:
            return
        if state.phase is not Phase.BID or not re.fullmatch("bid:[1-5]", action):
            raise MalformedAction(seat, action, GRAMMAR[state.phase], legal)
        raise IllegalAction(seat, action, f"the hand holds {state.players[seat].hand}", "S-04", legal)

    def fallback(self, state: State, seat: Seat, /) -> str:
        return self.legal(state, seat)[0]

    def tally(self, state: State, /) -> Outcome:
        parts = tuple({"tokens": player.tokens, "last": player.emptied * state.last} for player in state.players)
        scores = tuple(sum(part.values()) for part in parts)
        return Outcome(scores, ranks(scores), parts)  # S-08

    def outcome(self, state: State, /) -> Outcome | None:
        return self.tally(state) if state.phase is Phase.OVER else None

    # What a seat knows

    def view(self, state: State, seat: Seat | None, /) -> View:
        return self.public(state) | self.private(state, seat)

    def public(self, state: State, /) -> View:
        return {
            "phase": state.phase.value,
            "options": {name: getattr(state, name) for name in OPTIONS},
            "round": min(_rounds(state) + 1, ROUNDS),
            "heap": state.heap,
        }

    def private(self, state: State, seat: Seat | None, /) -> View:
        known = [player if i == seat else _hidden(player) for i, player in enumerate(state.players)]
        return {"seat": seat, "players": [asdict(player) for player in known]}

    def events(self, before: State, after: State, seat: Seat | None, /) -> list[Event]:
        return self.witnessed(before, after, (seat,))[0]

    def witnessed(self, before: State, after: State, seats: Sequence[Seat | None], /) -> list[list[Event]]:
        if before.phase is Phase.DEAL:
            return [[{"event": "deal", "lost": None if seat is None else after.players[seat].lost}] for seat in seats]
        if before.phase is Phase.ROLL:
            die = after.heap - before.heap - len(after.players)
            return [[{"event": "roll", "die": die, "heap": after.heap}] for _ in seats]
        if before.phase is Phase.HALVE:
            return [[{"event": "halve", "halved": after.heap < before.heap, "heap": after.heap}] for _ in seats]
        bids = [
            {"event": "bid", "seat": seat, "card": now.played[-1], "taken": now.tokens - then.tokens}
            for seat, (then, now) in enumerate(zip(before.players, after.players))
        ]
        return [bids.copy() for _ in seats]

    def determinize(self, view: View, dice: Dice, /) -> State:
        players = tuple(_guessed(player, dice, f"lost.{seat}") for seat, player in enumerate(view["players"]))
        start = self.start(len(players), view["options"])
        return replace(start, phase=Phase(view["phase"]), heap=view["heap"], players=players)

    # Text

    def format(self, state: State, /) -> str:
        options = changed(OPTIONS, {name: getattr(state, name) for name in OPTIONS})
        head = [state.phase.value, f"heap={state.heap}", *(f"{name}={spell(options[name])}" for name in options)]
        parts = [[f"{key}={value}" for key, value in asdict(player).items() if value] for player in state.players]
        return " | ".join(map(" ".join, [head, *parts]))

    def fingerprint(self, state: State, /) -> str:
        return self.format(state)

    def parse(self, text: str, /) -> State:
        head_text, *seat_texts = text.split("|")
        phase, _, rest = head_text.strip().partition(" ")
        head = part("head", rest)
        if phase not in set(Phase):
            raise head.error(f"a position begins with a phase, one of {in_words(Phase)}, not {phase!r}")
        given = {name: option.read(head.words.pop(name)) for name, option in OPTIONS.items() if name in head.words}
        try:
            start = self.start(len(seat_texts), given)
        except SetupError as error:
            raise head.error(str(error).rstrip(".")) from None
        players = tuple(_player(part(f"seat {seat}", text)) for seat, text in enumerate(seat_texts))
        state = replace(start, phase=Phase(phase), heap=head.number("heap", 0, MOST_TOKENS, 0), players=players)
        head.done(f"heap, {in_words(OPTIONS)}")
        for complaint in _complaints(state):
            raise NotationError(f"{complaint}.")
        return state

    def draw(self, view: View, tally: Outcome, paint: Paint, /) -> str:
        lines = [f"{view['phase']}, round {view['round']} of {ROUNDS}, {view['heap']} tokens in the heap"]
        for seat, player in enumerate(view["players"]):
            lines += ["", f"{paint(f'seat {seat}', 'bold')}  {tally.scores[seat]} points, rank {tally.ranks[seat]}"]
            lines += ["  hand {hand:<5}  lost {lost:<1}  played {played:<4}  tokens {tokens}".format(**player)]
        return "\n".join(lines)


GAME: Game[State] = SealedNim()


# What the actions lead to


def _dealt(state: State, action: str) -> State:
    lost = action.removeprefix("deal:").split(",")
    if not re.fullmatch("deal:[1-5](,[1-5])*", action) or len(lost) != len(state.players):
        raise MalformedAction(CHANCE, action, GRAMMAR[Phase.DEAL])
    return replace(state, phase=Phase.ROLL, players=tuple(Player(CARDS.replace(card, ""), card) for card in lost))


def _rolled(state: State, action: str) -> State:
    grown = int(action.removeprefix("roll:")) + len(state.players)  # S-03
    heap = state.heap + grown
    return replace(state, phase=Phase.HALVE if heap >= FULL else Phase.BID, heap=heap)


def _halved(state: State, is_agreed: bool) -> State:
    return replace(state, phase=Phase.BID, heap=state.heap - state.heap // 2 if is_agreed else state.heap)  # S-11


def _poorest(state: State) -> tuple[Seat, ...]:
    fewest = min(player.tokens for player in state.players)
    return tuple(seat for seat, player in enumerate(state.players) if player.tokens == fewest)


def _taken(state: State, bids: Sequence[str]) -> State:
    taken = _standing([int(bid) for bid in bids], state.heap, state.bust)
    heap = state.heap - sum(taken)
    players = tuple(
        replace(
            player,
            hand=player.hand.replace(bid, ""),
            played=player.played + bid,
            tokens=player.tokens + tokens,  # S-06
            emptied=player.emptied + (tokens > 0 and heap == 0),  # S-07
        )
        for player, bid, tokens in zip(state.players, bids, taken)
    )
    return replace(state, phase=Phase.ROLL if players[0].hand else Phase.OVER, heap=heap, players=players)  # S-08


def _standing(bids: list[int], heap: int, bust: str) -> list[int]:
    """The bids, 0 in place of those that fall."""
    while sum(bids) > heap:
        least = max(bids) if bust == "highest" else 1  # S-05, S-09
        bids = [0 if bid >= least else bid for bid in bids]
    return bids


def _rounds(state: State) -> int:
    """How many rounds have been played."""
    return len(state.players[0].played)


# What is hidden, and what it may be


def _hidden(player: Player) -> Player:
    """A player as the others see it."""
    return replace(player, hand=HIDDEN * len(player.hand), lost=HIDDEN * len(player.lost))


def _guessed(seen: Mapping[str, Any], dice: Dice, name: str) -> Player:
    """A player as another one sees it; what is hidden is drawn."""
    if HIDDEN not in seen["hand"] + seen["lost"]:
        return Player(**seen)
    unseen = [card for card in CARDS if card not in seen["played"]]
    lost = dice.draw(name, unseen, len(seen["lost"]))
    hand = [card for card in unseen if card not in lost]
    return Player(**{**seen, "hand": "".join(hand), "lost": "".join(lost)})


# Position texts

MOST_TOKENS = ROUNDS * (len(ROLLS) + SealedNim.seats[-1])  # S-03
DONE = {
    Phase.DEAL: (0,),
    Phase.ROLL: range(ROUNDS),
    Phase.HALVE: range(ROUNDS),
    Phase.BID: range(ROUNDS),
    Phase.OVER: (ROUNDS,),
}
"""How many rounds may have been played in a phase."""


def _player(seat: Part) -> Player:
    hand, lost, played = (seat.words.pop(key, "") for key in ("hand", "lost", "played"))
    tokens, emptied = seat.number("tokens", 0, MOST_TOKENS, 0), seat.number("emptied", 0, len(played), 0)
    seat.done("hand, lost, played, tokens, emptied")
    return Player("".join(sorted(hand)), lost, played, tokens, emptied)


def _complaints(state: State) -> Iterator[str]:
    """Why no match can reach this state."""
    phase, players, done = state.phase, state.players, _rounds(state)
    if done not in DONE[phase]:
        yield f"head: phase {phase} after {done} of {ROUNDS} rounds (S-08)"
    for seat, player in enumerate(players):
        if "".join(sorted(player.hand + player.lost + player.played)) != CARDS:
            yield f"seat {seat}: hand, lost and played are not together {CARDS} (S-01)"
        if len(player.lost) != (phase is not Phase.DEAL):
            yield f"seat {seat}: expected {'no card' if phase is Phase.DEAL else 'one card'} lost (S-02)"
        if len(player.played) != done:
            yield f"seat {seat}: played={player.played}: expected {done} cards, as many as of seat 0 (S-04)"
    if phase is Phase.HALVE and state.heap < FULL:
        yield f"head: phase {phase} with {state.heap} tokens in the heap, expected {FULL} or more (S-11)"
    begun = done + (phase in (Phase.HALVE, Phase.BID))
    if state.heap + sum(player.tokens for player in players) > begun * (len(ROLLS) + len(players)):
        yield "head: there are more tokens than the rolls so far can bring (S-03)"
