"""Deals what a view of Dinodocus hides, and plays one action on such a deal.

Every way to deal the unseen cards to decks and hands is equally likely. `play` then goes on with a `Playout`, in all
phases; it needs no rules but these.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

from dinodocus_playout import Playout
from dinodocus_table import LENGTH, Animal, Table

LETTERS = "HAPT"
PERIODS = {2: 25, 3: 31, 4: 33, 5: 37, 6: 37}
"""Period cards at the start, by number of seats."""
BONUS = 2


class Situation:
    """What a view shows, ready to be dealt many times."""

    def __init__(self, view: dict[str, Any]) -> None:
        self.view = view
        self.phase: str = view["phase"]
        names = list(view["cards"])
        self.number = {name: number for number, name in enumerate(names)}
        number = self.number
        self.hands = [
            [number[card] for card in (shown if hand is None else hand)]
            for hand, shown in zip(view["hands"], view["shown"])
        ]
        self.discards = [[number[card] for card in view["discards"][part]] for part in LETTERS]
        self.points = [sum([LENGTH[count] for count in line.values()]) for line in view["timelines"]]
        self.animals = [seen(one, number) for one in view["dinos"]]
        known = {card for cards in (*self.hands, *self.discards) for card in cards}
        known.update([card for one in self.animals for card in one.cards])
        self.unseen = [[n for name, n in number.items() if name[0] == part and n not in known] for part in LETTERS]
        self.sizes = [view["decks"][part] for part in LETTERS]
        self.wanted = self.wants()
        self.secret = [seat for seat, count in enumerate(view["hidden"]) if count is None]
        self.hidden = [count or 0 for count in view["hidden"]]
        living = sum([one.periods for one in self.animals])
        lines = sum([sum(line.values()) for line in view["timelines"]])
        self.accepted = max(0, PERIODS[view["seats"]] - view["periods"] - living - lines - sum(self.hidden))
        self.cap: int = view["options"].get("turn_cap", 300)
        self.advanced: bool = view["options"].get("advanced", False)

    def wants(self) -> list[tuple[int, int, int]]:
        """The unseen cards in hands: seat, part (-1 for any), how many."""
        view, wanted = self.view, []
        for seat, hand in enumerate(self.hands):
            if view["hand_parts"] is None:
                wanted.append((seat, -1, view["hand_sizes"][seat] - len(hand)))
                continue
            names = view["shown"][seat] if view["hands"][seat] is None else view["hands"][seat]
            for part, letter in enumerate(LETTERS):
                shown = sum([name[0] == letter for name in names])
                wanted.append((seat, part, view["hand_parts"][seat][letter] - shown))
        return [one for one in wanted if one[2] > 0]

    def deal(self, rng: Random) -> Table:
        """One of the positions that this can be."""
        view, table = self.view, Table()
        table.seats, table.advanced, table.cap = view["seats"], self.advanced, self.cap
        table.current, table.periods = view["current"], view["periods"]
        table.turn, table.made = view["turn"], view["made"]
        table.over = self.phase == "over"
        mixed = [rng.sample(cards, len(cards)) for cards in self.unseen]
        table.decks = [cards[:size] for cards, size in zip(mixed, self.sizes)]
        loose = [cards[size:] for cards, size in zip(mixed, self.sizes)]
        table.hands = [hand[:] for hand in self.hands]
        for seat, part, count in self.wanted:
            if part < 0:
                heap = [card for cards in loose for card in cards]
                chosen = rng.sample(heap, min(count, len(heap)))
                loose = [[card for card in cards if card not in chosen] for cards in loose]
                table.hands[seat] += chosen
            else:
                table.hands[seat] += loose[part][:count]
                loose[part] = loose[part][count:]
        table.discards = [pile[:] for pile in self.discards]
        table.hidden = self.hidden[:]
        for _ in range(self.accepted if self.secret else 0):
            table.hidden[self.secret[int(rng.random() * len(self.secret))]] += 1
        table.points = self.points[:]
        table.animals = [one.copy() for one in self.animals]
        return table


def seen(one: dict[str, Any], number: dict[str, int]) -> Animal:
    """A dinosaur of the view. One that goes hungry by choice hunts like one without attack."""
    animal = Animal(
        int(one["id"][1:]), one["owner"], one["diet"] == "C", one["attack"], one["defence"],
        one["fern"] or one["fed"], one["periods"], one["closed"], [number[card] for card in one["cards"]],
    )  # fmt: skip
    if one["starving"]:
        animal.attack = 0
    return animal


def policy_of(view: dict[str, Any], weights: dict[str, float]) -> Playout:
    """The policy for the cards and options of this view."""
    cards = [
        (attack, defence, diet == "C", LETTERS.index(name[0]))
        for name, (attack, defence, diet, _) in view["cards"].items()
    ]
    return Playout(cards, view["options"], weights)


def copied(table: Table) -> Table:
    other = Table()
    other.seats, other.advanced, other.cap = table.seats, table.advanced, table.cap
    other.current, other.periods, other.turn = table.current, table.periods, table.turn
    other.made, other.over = table.made, table.over
    other.decks = [deck[:] for deck in table.decks]
    other.hands = [hand[:] for hand in table.hands]
    other.discards = [pile[:] for pile in table.discards]
    other.hidden, other.points = table.hidden[:], table.points[:]
    other.animals = [one.copy() for one in table.animals]
    return other


class Moves:
    """Plays an action of the seat that a situation asks, and then the rest of the turn and more."""

    def __init__(self, situation: Situation, policy: Playout, seat: int) -> None:
        self.situation = situation
        self.policy = policy
        self.seat = seat
        view = situation.view
        self.focus = int(view["focus"][1:]) if view["focus"] else 0
        self.plays = {
            "discard": self.discard,
            "draw": self.draw,
            "mutate": self.mutate,
            "bonus": self.bonus,
            "offer": self.offer,
            "answer": self.answer,
            "react": self.react,
            "herb": self.herb,
            "carn": self.carn,
            "alloc": self.alloc,
        }

    def after(self, deal: Table, action: str, turns: int, number: int) -> Table:
        """The deal after this action, the rest of the turn, and so many more turns."""
        table = copied(deal)
        self.policy.rng = Random(number).random
        phase = self.plays[self.situation.phase](table, action)
        self.policy.run(table, phase, turns, self.focus)
        return table

    def animal(self, table: Table, id_: str) -> Animal:
        wanted = int(id_[1:])
        return next(one for one in table.animals if one.id == wanted)

    def discard(self, table: Table, action: str) -> str:
        if action == "ok":
            return "draw"
        card = self.situation.number[action[2:]]
        table.hands[self.seat].remove(card)
        table.discards[LETTERS.index(action[2])].append(card)
        return "discard"

    def draw(self, table: Table, action: str) -> str:
        if action == "stop":
            return "mutate"
        self.policy.draw(table, self.seat, LETTERS.index(action[2]))
        return "draw"

    def mutate(self, table: Table, action: str) -> str:
        if action == "end":
            return "feed"
        kind, _, what = action.partition(":")
        number, hand = self.situation.number, table.hands[self.seat]
        if kind == "hatch":
            cards = [number[name] for name in what.split(",")]
            for card in cards:
                hand.remove(card)
            self.policy.lay(table, self.seat, cards)
            self.claim(table, table.animals[-1], None)
            return "mutate"
        id_, _, name = what.partition(":")
        one = self.animal(table, id_)
        before = one.cards[:]
        self.policy.modify(table, hand, one, number[name])
        one.closed = True
        self.claim(table, one, before)
        if one.owner != self.seat and table.hands[one.owner]:
            self.policy.react(table, one)
        return "mutate"

    def claim(self, table: Table, one: Animal, before: list[int] | None) -> None:
        """The period cards for an own dinosaur that has become real (the others' get none)."""
        options = self.situation.view["options"]
        if not options.get("real_bonus") or one.owner != self.seat:
            return
        had = self.real(before) if before else set()
        once = options.get("real_repeat") == "once_per_dino"
        marked = any(dino["bonus"] and dino["id"] == f"d{one.id}" for dino in self.situation.view["dinos"])
        if self.real(one.cards) - had and not (once and marked):
            self.grant(table, one)

    def real(self, cards: Sequence[int]) -> set[int]:
        """The numbers that all these cards have."""
        refs = [set(card[3]) for card in self.situation.view["cards"].values()]
        return set.intersection(*[refs[card] for card in cards])

    def grant(self, table: Table, one: Animal) -> None:
        count = min(BONUS, table.periods)
        table.periods -= count
        one.periods += count
        table.over = table.periods == 0

    def bonus(self, table: Table, action: str) -> str:
        if action == "bonus":
            self.grant(table, self.animal(table, self.situation.view["focus"]))
        return "mutate"

    def offer(self, table: Table, action: str) -> str:
        """The receiver takes the card if the policy has a use for it."""
        view = self.situation.view
        for offer in view["offers"]:
            self.policy.trade(table, offer["seat"], view["receiver"], self.situation.number[offer["card"]])
        if action != "pass":
            self.policy.trade(table, self.seat, view["receiver"], self.situation.number[action[5:]])
        return self.opened()

    def answer(self, table: Table, action: str) -> str:
        number = self.situation.number
        verb, _, name = action.partition(":")
        for offer in self.situation.view["offers"]:
            card = number[offer["card"]]
            if offer["card"] != name:
                self.policy.trade(table, offer["seat"], self.seat, card)
            elif verb == "yes":
                self.policy.sell(table, offer["seat"], self.seat, card)
        return self.opened()

    def opened(self) -> str:
        return {"turn": "discard", "mutate": "mutate", "react": "react"}[self.situation.view["window"]]

    def react(self, table: Table, action: str) -> str:
        if action != "pass":
            one = self.animal(table, self.situation.view["focus"])
            before = one.cards[:]
            self.policy.modify(table, table.hands[self.seat], one, self.situation.number[action[2:]])
            self.claim(table, one, before)
        return "mutate"

    def herb(self, table: Table, action: str) -> str:
        kind, *ids = action.split(":")
        if kind == "done":
            return "hunt"
        if kind == "steal":
            self.animal(table, ids[1]).fed = False
        self.animal(table, ids[0]).fed = True
        return "feed"

    def carn(self, table: Table, action: str) -> str:
        kind, *ids = action.split(":")
        one = self.animal(table, ids[0])
        if kind == "eat":
            self.policy.extinct(table, self.animal(table, ids[1]))
            one.fed = True
        else:
            one.attack = 0
        return "hunt"

    def alloc(self, table: Table, action: str) -> str:
        for id_ in action.removeprefix("give:").split(","):
            self.animal(table, id_).periods += 1
        table.periods, table.over = 0, True
        return "over"
