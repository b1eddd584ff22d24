"""Which card the cheap policy of Dinodocus plays, and on which dinosaur.

It plays the card that changes the estimate most, but knows only the reach of the best hunter of each side: so most
cards cost a look into a list.
"""

from collections.abc import Callable, Sequence

from dinodocus_estimate import factors
from dinodocus_table import FERNS, OLD, Animal, Table, gain

POLICY = ("guard", "bite", "find", "spare", "graze", "fend", "snatch")


class Choice:
    """The choice by these weights, for one deck of cards."""

    def __init__(
        self,
        cards: Sequence[tuple[int, int, bool, int]],
        weights: dict[str, float],
        life: Callable[[float], tuple[float, ...]],
    ) -> None:
        """`life` is by rounds and period cards what a dinosaur still earns."""
        self.attack = [card[0] for card in cards]
        self.defence = [card[1] for card in cards]
        self.meat = [card[2] for card in cards]
        self.part = [card[3] for card in cards]
        self.policy = [factors(weights, name) for name in POLICY]
        self.life = life
        self.eager = weights["eager"]
        self.wary = weights["wary"]
        self.age = weights["age"]

    def best(self, table: Table, seat: int, hand: list[int], thrift: float) -> tuple[int, Animal, float] | None:  # noqa: C901  # split up, a playout takes half as long again
        """The card that promises most, and the dinosaur that it is for."""
        animals = table.animals
        seats = table.seats
        # What each side's best hunter and robber reach, and the weakest of each side.
        mine = mine2 = theirs = theirs2 = power = my_power = -9
        my_low = low = least = 99
        pool = FERNS
        for one in animals:
            own, strength = one.owner == seat, one.strength
            if one.meat:
                if own:
                    if one.attack > mine:
                        mine, mine2 = one.attack, mine
                    elif one.attack > mine2:
                        mine2 = one.attack
                elif one.attack > theirs:
                    theirs, theirs2 = one.attack, theirs
                elif one.attack > theirs2:
                    theirs2 = one.attack
            else:
                if one.fed:
                    pool -= 1
                    if not own and strength < least:
                        least = strength
                elif own and one.defence > my_power:
                    my_power = one.defence
                if not own and one.defence > power:
                    power = one.defence
            if own:
                if strength < my_low:
                    my_low = strength
            elif strength < low:
                low = strength
        count = len(animals)
        life = self.life(table.periods / (count if count > seats else seats))
        cost = 1 / (seats - 1) if seats > 2 else 1.0
        attacks, defences, parts, meats = self.attack, self.defence, self.part, self.meat
        guard, bite, find, spare, graze, fend, snatch = self.policy
        best, most = None, thrift
        threats: dict[int, float] = {}
        dangers: dict[int, float] = {}
        for one in animals:
            if one.closed:
                continue
            own, periods, meat, cards = one.owner == seat, one.periods, one.meat, one.cards
            attack, defence, strength = one.attack, one.defence, one.strength
            worth = life[periods if periods < OLD else OLD] + self.age
            # How the chance follows from the strength, and from what it eats with.
            if own:
                by_strength, reach = guard, theirs
            else:
                by_strength, reach, worth = bite, mine, -cost * worth
            if meat:
                by_food, food, kind = (find, low, 1) if own else (spare, my_low, 1)
            elif not one.fed:
                by_food, food, kind = graze, least, 2 if own and pool <= 0 else 0
            else:
                by_food, food, kind = (fend, power, 3) if own else (snatch, my_power, 3)
            margin = strength - reach
            before = by_strength[4 + (-4 if margin < -4 else 4 if margin > 4 else margin)]
            if kind:
                margin = (attack if kind == 1 else defence if kind == 2 else strength) - food
                before *= by_food[4 + (-4 if margin < -4 else 4 if margin > 4 else margin)]
            for card in hand:
                part = parts[card]
                if part == 0 and meats[card] != meat:
                    continue
                old = cards[part]
                new_attack = attack + attacks[card] - attacks[old]
                new_defence = defence + defences[card] - defences[old]
                new_strength = new_attack if new_attack > new_defence else new_defence
                margin = new_strength - reach
                after = by_strength[4 + (-4 if margin < -4 else 4 if margin > 4 else margin)]
                if kind:
                    margin = (new_attack if kind == 1 else new_defence if kind == 2 else new_strength) - food
                    after *= by_food[4 + (-4 if margin < -4 else 4 if margin > 4 else margin)]
                value = worth * (after - before)
                if meat and new_attack != attack:
                    if own:
                        rest = mine2 if attack == mine else mine
                        new = rest if rest > new_attack else new_attack
                        if new != mine:
                            for known in (mine, new):
                                if known not in threats:
                                    threats[known] = self.harm(animals, seat, False, known, bite, life)
                            value += self.eager * cost * (threats[new] - threats[mine])
                    else:
                        rest = theirs2 if attack == theirs else theirs
                        new = rest if rest > new_attack else new_attack
                        if new != theirs:
                            for known in (theirs, new):
                                if known not in dangers:
                                    dangers[known] = self.harm(animals, seat, True, known, guard, life)
                            value += self.wary * (dangers[theirs] - dangers[new])
                if value > most:
                    best, most = (card, one, value), value
        return best

    def harm(
        self, animals: list[Animal], seat: int, own: bool, reach: int, chances: tuple[float, ...],
        life: tuple[float, ...],
    ) -> float:  # fmt: skip
        """The most that a carnivore with this attack takes away from the player, or from the others."""
        most = 0.0
        for one in animals:
            if (one.owner == seat) == own:
                periods, margin = one.periods, one.strength - reach
                risk = 1 - chances[4 + (-4 if margin < -4 else 4 if margin > 4 else margin)]
                loss = risk * (life[periods if periods < OLD else OLD] + self.age)
                if loss > most:
                    most = loss
        return most

    def reply(self, table: Table, one: Animal, thrift: float) -> int:
        """The card of its owner that helps a changed dinosaur most; -1 if none helps."""
        hand = table.hands[one.owner]
        seat = one.owner
        reach = low = -9
        low = 99
        for other in table.animals:
            if other.owner != seat:
                if other.meat and other.attack > reach:
                    reach = other.attack
                if other.strength < low:
                    low = other.strength
        worth = gain(one.periods) + gain(one.periods + 1)
        attacks, defences, parts, prey, hunt = self.attack, self.defence, self.part, self.policy[0], self.policy[2]
        margin = one.strength - reach
        before = prey[4 + (-4 if margin < -4 else 4 if margin > 4 else margin)]
        if one.meat:
            margin = one.attack - low
            before *= hunt[4 + (-4 if margin < -4 else 4 if margin > 4 else margin)]
        best, most = -1, thrift / worth
        for card in hand:
            part = parts[card]
            if part == 0 and self.meat[card] != one.meat:
                continue
            old = one.cards[part]
            attack = one.attack + attacks[card] - attacks[old]
            defence = one.defence + defences[card] - defences[old]
            margin = (attack if attack > defence else defence) - reach
            after = prey[4 + (-4 if margin < -4 else 4 if margin > 4 else margin)]
            if one.meat:
                margin = attack - low
                after *= hunt[4 + (-4 if margin < -4 else 4 if margin > 4 else margin)]
            if after - before > most:
                best, most = card, after - before
        return best
