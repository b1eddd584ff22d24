"""Plays a position of Dinodocus on, fast and plausibly: the playouts of `search`, and the tables that `planner` weighs.

What a table is worth is in dinodocus_estimate.py, and which card is played in dinodocus_choice.py. The policy follows
the rules but for two things: nobody makes a real dinosaur on purpose, and in the advanced game each player offers a
card once in a turn.
"""

from collections.abc import Callable, Sequence
from typing import Any

from dinodocus_choice import Choice
from dinodocus_estimate import Estimate
from dinodocus_table import FERNS, HAND, LENGTH, PARTS, Animal, Table, gain


class Playout:
    """A game that is played on by the policy, with one deck of cards."""

    def __init__(
        self, cards: Sequence[tuple[int, int, bool, int]], options: dict[str, Any], weights: dict[str, float]
    ) -> None:
        """`cards` are attack, defence, whether it is the head of a carnivore, and part."""
        self.attack = [card[0] for card in cards]
        self.defence = [card[1] for card in cards]
        self.meat = [card[2] for card in cards]
        self.part = [card[3] for card in cards]
        self.size = [card[0] + card[1] for card in cards]
        self.eats_own = options.get("carn_duty", "strict") == "strict"
        self.estimate = Estimate(weights)
        self.choice = Choice(cards, weights, self.estimate.life)
        self.egg = weights["egg"]
        self.weak = weights["weak"]
        self.thrift = weights["thrift"]
        self.busy = weights["busy"]
        self.rng: Callable[[], float]

    # The course of a turn

    def run(self, table: Table, phase: str, turns: int, focus: int = 0) -> None:
        """Finish the turn from this phase on, and play so many more, if the game does not end before."""
        if table.over:
            return
        if phase == "discard":
            self.discard(table)
        if phase in ("discard", "draw"):
            self.fill(table)
        elif phase == "react":
            for one in table.animals:
                if one.id == focus:
                    self.react(table, one)
                    break
        if phase not in ("feed", "hunt"):
            self.act(table)
        if not table.over:
            self.feed(table, phase != "hunt")
        while turns > 0 and not table.over:
            turns -= 1
            self.turn(table)

    def turn(self, table: Table) -> None:
        """A whole turn."""
        table.turn += 1
        seat = table.current
        for one in table.animals:
            if one.owner == seat:
                break
        else:
            self.flip(table)
        self.discard(table)
        self.fill(table)
        if table.advanced:
            self.market(table)
        if not table.over:
            self.act(table)
            self.feed(table)

    # Offers

    def market(self, table: Table) -> None:
        """Every other player offers the weakest card."""
        to = table.current
        if table.seats == 2:
            return
        size = self.size
        for seat, hand in enumerate(table.hands):
            if seat != to and hand and not table.over:
                self.trade(table, seat, to, min(hand, key=size.__getitem__))

    def trade(self, table: Table, giver: int, to: int, card: int) -> None:
        """A player takes a card that promises more than its giver earns by it."""
        others = table.seats - 1
        rate = sum(table.hidden) / (table.turn or 1)
        resale = gain(table.hidden[to]) * min(1.0, max(0.0, rate - self.busy)) if others > 1 else 0.0
        wanted = resale - gain(table.hidden[giver]) / others
        if wanted > 0:
            self.sell(table, giver, to, card)
            return
        if self.choice.best(table, to, [card], -wanted) is not None:
            self.sell(table, giver, to, card)

    def sell(self, table: Table, giver: int, to: int, card: int) -> None:
        """A card changes hands for a hidden period card."""
        if table.over or card not in table.hands[giver]:
            return
        table.hands[giver].remove(card)
        table.hands[to].append(card)
        table.hidden[giver] += 1
        table.periods -= 1
        table.over = table.periods == 0

    def flip(self, table: Table) -> None:
        cards = [self.top(table, part) for part in range(PARTS)]
        if -1 not in cards:
            self.lay(table, table.current, cards)
        else:
            for card in cards:
                if card >= 0:
                    table.decks[self.part[card]].append(card)

    def top(self, table: Table, part: int) -> int:
        """The next card of a deck; -1 if there is none."""
        deck = table.decks[part]
        if not deck:
            deck = table.decks[part] = table.discards[part]
            table.discards[part] = []
            if not deck:
                return -1
            rng = self.rng
            for i in range(len(deck) - 1, 0, -1):
                j = int(rng() * (i + 1))
                deck[i], deck[j] = deck[j], deck[i]
        return deck.pop()

    def lay(self, table: Table, seat: int, cards: list[int]) -> None:
        attack, defence = self.attack, self.defence
        a, b, c, d = cards
        table.made += 1
        table.animals.append(
            Animal(
                table.made, seat, self.meat[a], attack[a] + attack[b] + attack[c] + attack[d],
                defence[a] + defence[b] + defence[c] + defence[d], False, 0, False, cards,
            )
        )  # fmt: skip

    def discard(self, table: Table) -> None:
        """The weak one of two cards of a part."""
        hand = table.hands[table.current]
        if len(hand) < 2 or len(hand) > HAND:
            return
        part, size = self.part, self.size
        best: dict[int, int] = {}
        for card in sorted(hand, key=size.__getitem__, reverse=True):
            if part[card] not in best:
                best[part[card]] = card
            elif size[card] < self.weak:
                self.drop(table, hand, card)

    def drop(self, table: Table, hand: list[int], card: int) -> None:
        hand.remove(card)
        table.discards[self.part[card]].append(card)

    def draw(self, table: Table, seat: int, part: int) -> bool:
        card = self.top(table, part)
        if card < 0:
            return False
        table.hands[seat].append(card)
        return True

    def fill(self, table: Table) -> None:
        """First a card of each part, then any."""
        seat = table.current
        hand = table.hands[seat]
        if len(hand) >= HAND:
            return
        part = self.part
        held = {part[card] for card in hand}
        for missing in range(PARTS):
            if missing not in held and len(hand) < HAND:
                self.draw(table, seat, missing)
        first = int(self.rng() * PARTS)
        for again in range(2 * PARTS):
            if len(hand) >= HAND:
                return
            self.draw(table, seat, (first + again) % PARTS)

    # Hatching and mutation

    def act(self, table: Table) -> None:
        seat = table.current
        hand = table.hands[seat]
        while hand:
            best = self.choice.best(table, seat, hand, self.thrift)
            if len(hand) >= PARTS and (best is None or best[2] < self.egg) and self.hatch(table, seat, hand):
                continue
            if best is None:
                return
            card, one, _ = best
            self.modify(table, hand, one, card)
            one.closed = True
            if one.owner != seat and table.hands[one.owner]:
                self.react(table, one)

    def hatch(self, table: Table, seat: int, hand: list[int]) -> bool:
        """The strongest of the hand, if it can be fed."""
        part, size = self.part, self.size
        chosen = [-1] * PARTS
        for card in hand:
            other = chosen[part[card]]
            if other < 0 or size[card] > size[other]:
                chosen[part[card]] = card
        if -1 in chosen:
            return False
        for i in range(len(hand)):
            head = hand[i]
            if part[head] or (head != chosen[0] and self.meat[head] == self.meat[chosen[0]]):
                continue
            cards = [head, *chosen[1:]]
            if self.finds(table, seat, cards):
                for card in cards:
                    hand.remove(card)
                self.lay(table, seat, cards)
                return True
        return False

    def finds(self, table: Table, seat: int, cards: list[int]) -> bool:
        """Whether a new dinosaur of these cards will be fed."""
        if self.meat[cards[0]]:
            attack = sum([self.attack[card] for card in cards])
            return any(one.strength < attack and one.owner != seat for one in table.animals)
        hungry, defence, held, weakest = 1, sum([self.defence[card] for card in cards]), 0, 99
        for one in table.animals:
            if not one.meat:
                if one.fed:
                    held += 1
                    if one.owner != seat and one.strength < weakest:
                        weakest = one.strength
                elif one.owner == seat:
                    hungry += 1
        return held + hungry <= FERNS or defence > weakest

    def modify(self, table: Table, hand: list[int], one: Animal, card: int) -> None:
        """A card from a hand replaces the one of its part."""
        part = self.part[card]
        old = one.cards[part]
        hand.remove(card)
        table.discards[part].append(old)
        one.cards[part] = card
        one.attack += self.attack[card] - self.attack[old]
        one.defence += self.defence[card] - self.defence[old]
        one.strength = one.attack if one.attack > one.defence else one.defence

    def react(self, table: Table, one: Animal) -> None:
        """The owner plays the card that helps the changed dinosaur most."""
        card = self.choice.reply(table, one, self.thrift)
        if card >= 0:
            self.modify(table, table.hands[one.owner], one, card)

    # Natural selection

    def feed(self, table: Table, grazing: bool = True) -> None:
        """Herbivores, then carnivores; the fed grow older, and it is the turn of the next player."""
        seat = table.current
        if grazing:
            self.graze(table, seat)
        self.prowl(table, seat)
        animals = table.animals
        fed = []
        for one in [one for one in animals if one.owner == seat]:
            if one.fed:
                fed.append(one)
            else:
                self.extinct(table, one)
        if len(fed) > table.periods:
            fed.sort(key=_youngest_last)
            fed = fed[: table.periods]
        for one in fed:
            one.periods += 1
        table.periods -= len(fed)
        for one in table.animals:
            one.closed = False
            if one.meat:
                one.fed = False
        if table.periods == 0 or table.turn >= table.cap:
            table.over = True
        seat += 1
        table.current = seat if seat < table.seats else 0

    def extinct(self, table: Table, one: Animal) -> None:
        table.animals.remove(one)
        table.points[one.owner] += LENGTH[one.periods]
        for pile, card in zip(table.discards, one.cards):
            pile.append(card)

    def graze(self, table: Table, seat: int) -> None:  # noqa: C901  # split up, a playout takes half as long again
        """Take ferns and rob others, those first that can rob nobody, then the oldest."""
        animals = table.animals
        hungry = []
        pool = FERNS
        for one in animals:
            if not one.meat:
                if one.fed:
                    pool -= 1
                elif one.owner == seat:
                    hungry.append(one)
        if not hungry:
            return
        if len(hungry) > pool:
            holders = [one for one in animals if one.fed and not one.meat and one.owner != seat]
            least = min([one.strength for one in holders], default=99)
            hungry.sort(key=lambda one: (one.defence > least, -one.periods))
        for one in hungry:
            if pool > 0:
                pool -= 1
                self.take(one)
                continue
            defence, victim, most = one.defence, None, -1
            for other in animals:
                if (
                    other.fed
                    and not other.meat
                    and other.strength < defence
                    and other.owner != seat
                    and other.periods > most
                ):
                    victim, most = other, other.periods
            if victim is not None:
                self.steal(one, victim)

    def take(self, one: Animal) -> None:
        one.fed = True

    def steal(self, one: Animal, victim: Animal) -> None:
        victim.fed = False
        one.fed = True

    def prowl(self, table: Table, seat: int) -> None:
        """The weakest carnivore eats first, the oldest dinosaur of the others; of the own ones the youngest."""
        hunters = [one for one in table.animals if one.meat and one.owner == seat and not one.fed]
        if len(hunters) > 1:
            hunters.sort(key=_attack)
        for hunter in hunters:
            animals = table.animals
            if hunter not in animals:
                continue
            attack, prey, most = hunter.attack, None, -1000
            for one in animals:
                if one.strength < attack and one is not hunter:
                    if one.owner != seat:
                        worth = 100 + one.periods
                    elif one.fed or one.meat:
                        worth = -1 - one.periods
                    else:
                        worth = 0
                    if worth > most:
                        prey, most = one, worth
            if prey is not None and (most >= 0 or self.eats_own or hunter.periods > prey.periods):
                self.eat(table, hunter, prey)

    def eat(self, table: Table, hunter: Animal, prey: Animal) -> None:
        self.extinct(table, prey)
        hunter.fed = True


def _attack(one: Animal) -> int:
    return one.attack


def _youngest_last(one: Animal) -> int:
    return -one.periods
