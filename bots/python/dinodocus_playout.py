"""Plays a position of Dinodocus on, fast and plausibly: the playouts of `search`, and the tables that `planner` weighs.

Theory of operation. A `Table` is a position that is changed in place; cards are numbers, as in the engine. What a
player will have at the end is estimated from the points and from what each dinosaur still earns: `life` by its age,
times the chance to get through the next round. That chance is a product of factors, looked up by margins: its strength
over the reach of the carnivores of others, its strength over the herbivores that may rob it, what a hungry herbivore
can rob, and what a carnivore finds to eat. The factors are in `WEIGHTS`; benchmarks/dinodocus_weights.py fits them to
games.

The policy plays the card that changes this estimate most, but knows only the reach of the best hunter of each side: so
most cards cost a look into a list. It follows the rules but for two things: nobody makes a real dinosaur on purpose,
and in the advanced game each player offers a card once in a turn.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from dinodocus_weights import CHANCES, LEAST, MOST, first

HAND = 5
FERNS = 4
OLD = 4
"""From so many period cards on, the next one is worth 5 points; before that, one more than there are."""
PARTS = 4


def gain(periods: int) -> int:
    """What the next period card of a dinosaur is worth."""
    return periods + 1 if periods < OLD else OLD + 1


LENGTH = tuple(sum(map(gain, range(periods))) for periods in range(100))
"""What a dinosaur with so many period cards is worth."""

KINDS = ("prey", "rob", "seek", "hunt", "calm", "queue", "pack")
POLICY = ("guard", "bite", "find", "spare", "graze", "fend", "snatch")


def factors(weights: dict[str, float], name: str) -> tuple[float, ...]:
    """A row of the weights."""
    return tuple(
        [weights[f"{name}{at:+d}"] for at in range(first(CHANCES[name]), MOST + 1) if f"{name}{at:+d}" in weights]
    )


class Animal:
    """A dinosaur on the table. Fed is one that holds a fern, or has eaten this turn."""

    __slots__ = ("attack", "cards", "closed", "defence", "fed", "id", "meat", "owner", "periods", "strength")

    def __init__(
        self, id_: int, owner: int, meat: bool, attack: int, defence: int, fed: bool, periods: int, closed: bool,
        cards: list[int],
    ) -> None:  # fmt: skip
        self.id = id_
        self.owner = owner
        self.meat = meat
        self.attack = attack
        self.defence = defence
        self.strength = attack if attack > defence else defence
        self.fed = fed
        self.periods = periods
        self.closed = closed
        self.cards = cards

    def copy(self) -> "Animal":
        return Animal(
            self.id, self.owner, self.meat, self.attack, self.defence, self.fed, self.periods, self.closed,
            self.cards[:],
        )  # fmt: skip


class Table:
    """A position in the middle of a turn."""

    __slots__ = (
        "advanced", "animals", "cap", "current", "decks", "discards", "hands", "hidden", "made", "over", "periods",
        "points", "seats", "turn",
    )  # fmt: skip
    advanced: bool
    animals: list[Animal]
    cap: int
    current: int
    decks: list[list[int]]
    discards: list[list[int]]
    hands: list[list[int]]
    hidden: list[int]
    made: int
    over: bool
    periods: int
    points: list[int]
    seats: int
    turn: int


def table_of(state: Any, decks: Sequence[Sequence[int]]) -> Table:
    """The engine's position, with the cards of the decks in this order, the next one last."""
    table = Table()
    setup, fed, closed = state.setup, state.ate, state.closed
    table.seats, table.advanced, table.cap = setup.seats, setup.advanced, setup.turn_cap
    table.current, table.periods, table.turn, table.made = state.current, state.periods, state.turn, state.made
    table.over = state.phase.value == "over"
    table.hands = [list(hand) for hand in state.hands]
    table.decks = [list(deck) for deck in decks]
    table.discards = [list(pile) for pile in state.discards]
    table.hidden = list(state.hidden)
    table.points = [sum([LENGTH[count] for _, count in line]) for line in state.timelines]
    table.animals = [
        Animal(
            dino.id, dino.owner, dino.body.is_carnivore, 0 if dino.id in state.starving else dino.body.attack,
            dino.body.defence, dino.fern or dino.id in fed, dino.periods, dino.id in closed, list(dino.body.cards),
        )
        for dino in state.dinos
    ]  # fmt: skip
    return table


class Playout:
    """The policy and the estimate, for one deck of cards."""

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
        self.late = [factors(weights, f"{name}-late") for name in KINDS]
        self.next = [factors(weights, f"{name}-next") for name in KINDS]
        self.policy = [factors(weights, name) for name in POLICY]
        self.spread = weights["spread"]
        self.egg = weights["egg"]
        self.eager = weights["eager"]
        self.wary = weights["wary"]
        self.weak = weights["weak"]
        self.age = weights["age"]
        self.ageing = weights["ageing"]
        self.thrift = weights["thrift"]
        self.rivals = weights["rivals"]
        self.busy = weights["busy"]
        self.lives: dict[int, tuple[float, ...]] = {}
        self.rng: Callable[[], float]

    # What a table is worth

    def life(self, rounds: float) -> tuple[float, ...]:
        """By period cards: what a dinosaur earns in so many rounds if it survives the first of them."""
        key = int(4 * rounds)
        known = self.lives.get(key)
        if known is None:
            known = self.lives[key] = tuple([self._earned(periods, key / 4) for periods in range(OLD + 1)])
        return known

    def _earned(self, periods: int, rounds: float) -> float:
        total, chance = 0.0, 1.0
        while rounds > 0:
            total += chance * min(rounds, 1) * gain(periods)
            chance *= self.ageing
            periods += 1
            rounds -= 1
        return total

    def chances(self, table: Table) -> list[float]:  # noqa: C901  # split up, a playout takes half as long again
        """For each dinosaur the chance to get through its next round: to be fed when its owner ends a turn."""
        animals = table.animals
        late, soon, due = self.late, self.next, table.current
        # The best two of different owners are all one must know to find the best of the others.
        reach = reach2 = power = power2 = -9
        low = low2 = 99
        reach_of = power_of = low_of = -1
        held = 0
        least = 99  # the weakest that holds a fern
        for one in animals:
            owner, strength = one.owner, one.strength
            if one.meat:
                attack = one.attack
                if owner == reach_of:
                    if attack > reach:
                        reach = attack
                elif attack > reach:
                    reach2, reach, reach_of = reach, attack, owner
                elif attack > reach2:
                    reach2 = attack
            else:
                defence = one.defence
                if one.fed:
                    held += 1
                    if strength < least:
                        least = strength
                if owner == power_of:
                    if defence > power:
                        power = defence
                elif defence > power:
                    power2, power, power_of = power, defence, owner
                elif defence > power2:
                    power2 = defence
            if owner == low_of:
                if strength < low:
                    low = strength
            elif strength < low:
                low2, low, low_of = low, strength, owner
            elif strength < low2:
                low2 = strength
        chances = []
        full = held >= FERNS
        for one in animals:
            owner, strength = one.owner, one.strength
            prey, rob, seek, hunt, calm, queue, pack = soon if owner == due else late
            danger = reach2 if owner == reach_of else reach
            margin = strength - danger
            chance = prey[4 + (-4 if margin < -4 else 4 if margin > 4 else margin)]
            if margin < 0:
                older = packed = 0
                periods = one.periods
                for other in animals:
                    if other.owner != owner and other.meat and other.attack > strength:
                        packed += 1
                    if other.strength < danger and other.periods > periods:
                        older += 1
                chance *= queue[older if older < 3 else 3] * pack[packed - 1 if packed < 4 else 3]
            if one.meat:
                margin = one.attack - (low2 if owner == low_of else low)
                chance *= hunt[4 + (-4 if margin < -4 else 4 if margin > 4 else margin)]
            elif one.fed:
                margin = strength - (power2 if owner == power_of else power)
                chance *= (rob if full else calm)[4 + (-4 if margin < -4 else 4 if margin > 4 else margin)]
            elif full:
                margin = one.defence - least
                chance *= seek[4 + (-4 if margin < -4 else 4 if margin > 4 else margin)]
            chances.append(chance)
        return chances

    def names(self, table: Table) -> list[list[str]]:
        """For each dinosaur the names of its factors, as `chances` multiplies them."""
        named = []
        for one in table.animals:
            others = [other for other in table.animals if other.owner != one.owner]
            holders = [other.strength for other in table.animals if other.fed and not other.meat]
            who = "next" if one.owner == table.current else "late"
            danger = max([other.attack for other in others if other.meat], default=-9)
            margins = {"prey": one.strength - danger}
            if one.strength < danger:
                older = [other for other in table.animals if other.strength < danger and other.periods > one.periods]
                packed = [other for other in others if other.meat and other.attack > one.strength]
                margins.update({"queue": min(len(older), 3), "pack": min(len(packed) - 1, 3)})
            if one.meat:
                margins["hunt"] = one.attack - min([other.strength for other in others], default=99)
            elif one.fed:
                power = max([other.defence for other in others if not other.meat], default=-9)
                margins["rob" if len(holders) >= FERNS else "calm"] = one.strength - power
            elif len(holders) >= FERNS:
                margins["seek"] = one.defence - min(holders)
            named.append([f"{kind}-{who}{min(max(margin, LEAST), MOST):+d}" for kind, margin in margins.items()])
        return named

    def expected(self, table: Table) -> list[float]:
        """The points that each player will probably have."""
        points: list[float] = [score + LENGTH[count] for score, count in zip(table.points, table.hidden)]
        animals = table.animals
        if table.over or not animals:
            for one in animals:
                points[one.owner] += LENGTH[one.periods]
            return points
        count = len(animals)
        life = self.life(table.periods / (count if count > table.seats else table.seats))
        for one, chance in zip(animals, self.chances(table)):
            periods = one.periods
            points[one.owner] += LENGTH[periods] + chance * life[periods if periods < OLD else OLD]
        return points

    def lead(self, points: Sequence[float], seat: int) -> float:
        """How far a player is ahead of the others."""
        rivals = [score for other, score in enumerate(points) if other != seat]
        return points[seat] - self.rivals * max(rivals) - (1 - self.rivals) * sum(rivals) / len(rivals)

    def promise(self, table: Table, seat: int) -> float:
        """The chance to win, if scores spread the more the more period cards are left."""
        points = self.expected(table)
        if not self.spread:
            return self.lead(points, seat)
        unit = 1 + self.spread * math.sqrt(table.periods)
        own = points[seat]
        return 1 / sum([math.exp(min(50.0, (score - own) / unit)) for score in points])

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
        thrift, self.thrift = self.thrift, -wanted
        useful = self.best(table, to, [card]) is not None
        self.thrift = thrift
        if useful:
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
            best = self.best(table, seat, hand)
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

    def best(self, table: Table, seat: int, hand: list[int]) -> tuple[int, Animal, float] | None:  # noqa: C901  # split up, a playout takes half as long again
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
        best, most = None, self.thrift
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

    def react(self, table: Table, one: Animal) -> None:  # noqa: C901  # split up, a playout takes half as long again
        """The owner plays the card that helps the changed dinosaur most."""
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
        best, most = -1, self.thrift / worth
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
        if best >= 0:
            self.modify(table, hand, one, best)

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
