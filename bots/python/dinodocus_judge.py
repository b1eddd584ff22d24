"""What a table of Dinodocus, and what can be made of it, is worth to a seat.

Theory of operation. `Judge.worth` lets the player whose turn it is feed the dinosaurs, counts the points, and adds what
every dinosaur will probably still earn: the more the older it is, and nothing if it is eaten or starves. Own points are
a gain, those of the others a loss. A card is worth what it adds to that, if it is played; and something if it is kept.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

PARTS = "HAPT"
OLD = 4
"""From so many period cards on, the next one is worth 5 points; before that, one more than there are."""
PERIODS = {2: 25, 3: 31, 4: 33, 5: 37, 6: 37}
"""Period cards at the start, by number of seats."""
BONUS = 2
"""Period cards for a dinosaur that becomes real."""
TYPICAL = 1.7
"""Attack and defence of a mean card of the house deck, by which other decks are measured."""

# Guesses, found by playing against itself and random.
AGEING = 0.8
"""The chance that a dinosaur that has survived one round survives the next one."""
WILD, CALM = 0.3, 0.1
"""The chance to survive what is not on the table yet: for the weakest, and more for each point of strength."""
BITE = 0.7
"""The chance that a carnivore with a single prey eats it before that is fed again."""
NEAR = (0.75, 0.85, 0.93)
"""The chance to survive a carnivore that lacks one point of attack to eat it, two, three: cards may change that."""
PREY = (0.15, 0.6, 0.8, 0.9)
"""The chance that a carnivore is fed, with no prey, one, two, or more."""
HUNGER = 0.5
"""The chance that a herbivore is fed if no fern is left."""
THRIFT = 0.4
"""Points of a card kept in hand: it may repair a dinosaur."""
REPAIR = 0.08
"""The chance, for each card in the owner's hand, that a mutation is undone."""
SALE = 0.8
"""The chance that somebody accepts a card kept in hand, if there are three players or more."""
BUSY = 1.2
"""Accepted offers a turn from which on a card is worth having only to be offered again."""


class Dino(NamedTuple):
    """A dinosaur on the table. Fed is one that holds a fern, or has eaten this turn."""

    owner: int
    meat: bool
    attack: int
    defence: int
    strength: int
    fed: bool
    periods: int
    bonus: bool
    cards: tuple[str, ...]


Dinos = dict[str, Dino]
"""All dinosaurs by id."""


def gain(periods: int) -> int:
    """What the next period card of a dinosaur is worth."""
    return min(periods, OLD) + 1


LENGTH = tuple(sum(map(gain, range(periods))) for periods in range(PERIODS[6] + 1))
"""What a dinosaur with so many period cards is worth."""


def earnings(periods: int, rounds: float) -> float:
    """What a dinosaur earns in so many rounds, if it survives the first of them."""
    total, chance = 0.0, 1.0
    while rounds > 0:
        total += chance * min(rounds, 1) * gain(periods)
        chance *= AGEING
        periods += 1
        rounds -= 1
    return total


class Judge:
    """Estimates what a table, and what can be made of it, is worth to a seat."""

    def __init__(self, view: dict[str, Any], seat: int) -> None:
        self.view = view
        self.seat = seat
        self.seats: int = view["seats"]
        self.current: int = view["current"]
        self.periods: int = view["periods"]
        self.options: dict[str, Any] = view["options"]
        self.cards: dict[str, list[Any]] = view["cards"]
        self.unit = TYPICAL * len(self.cards) / (sum([card[0] + card[1] for card in self.cards.values()]) or 1)
        self.dinos: Dinos = {dino["id"]: self.seen(dino) for dino in view["dinos"]}
        self.ferns: int = view["pool"] + sum([dino["fern"] for dino in view["dinos"]])
        self.weights = [-1 / (self.seats - 1)] * self.seats
        self.weights[seat] = 1
        rounds = self.periods / max(len(self.dinos), self.seats)
        self.life = [earnings(periods, rounds) for periods in range(OLD + 1)]
        market = self.options.get("advanced", False) and self.seats > 2
        self.thrift = THRIFT + (SALE * gain(view["hidden"][seat]) if market else 0)
        self.now = self.worth(self.dinos)
        self.known: dict[tuple[str, int, int, int], float] = {}

    def seen(self, dino: dict[str, Any]) -> Dino:
        """A dinosaur of the view. One that goes hungry by choice hunts like one without attack."""
        attack, defence = dino["attack"], dino["defence"]
        return Dino(
            dino["owner"],
            dino["diet"] == "C",
            0 if dino["starving"] else attack,
            defence,
            max(attack, defence),
            dino["fern"] or dino["fed"],
            dino["periods"],
            dino["bonus"],
            tuple(dino["cards"]),
        )

    # What a table is worth.

    def worth(self, dinos: Dinos, grazing: bool = True) -> float:
        """What the table is worth once the current player has fed the dinosaurs."""
        points: float = sum([self.weights[dino.owner] * LENGTH[dino.periods] for dino in dinos.values()])
        dinos = dict(dinos)
        if grazing:
            self.graze(dinos)
        self.hunt(dinos)
        fed = [dino for dino in dinos.values() if dino.owner == self.current and dino.fed]
        gains = [gain(dino.periods) for dino in fed]
        if len(fed) >= self.periods:
            gains = sorted(gains, reverse=True)[: self.periods]
        points += self.weights[self.current] * sum(gains)
        if len(fed) >= self.periods:
            return points
        return points + self.future([dino for dino in dinos.values() if dino.owner != self.current] + fed)

    def graze(self, dinos: Dinos) -> None:
        """The current player's herbivores take ferns and rob others, those first that can rob nobody."""
        hungry = [key for key, dino in dinos.items() if dino.owner == self.current and not (dino.fed or dino.meat)]
        if not hungry:
            return
        pool = self.ferns - sum([dino.fed and not dino.meat for dino in dinos.values()])
        if len(hungry) > pool:
            hungry.sort(key=lambda key: (self.robbed(dinos, key) is not None, -dinos[key].periods))
        for key in hungry:
            victim = None if pool > 0 else self.robbed(dinos, key)
            if victim:
                dinos[victim] = dinos[victim]._replace(fed=False)
            if victim or pool > 0:
                dinos[key] = dinos[key]._replace(fed=True)
            pool -= 1

    def robbed(self, dinos: Dinos, thief: str) -> str | None:
        """From whom a herbivore steals a fern: the oldest."""
        defence, best, most = dinos[thief].defence, None, -1
        for key, dino in dinos.items():
            weak = dino.fed and not dino.meat and dino.owner != self.current and dino.strength < defence
            if weak and dino.periods > most:
                best, most = key, dino.periods
        return best

    def hunt(self, dinos: Dinos) -> None:
        """The current player's carnivores eat, the weakest first."""
        hunters = [(d.attack, key) for key, d in dinos.items() if d.meat and d.owner == self.current and not d.fed]
        for _, key in sorted(hunters):
            if key in dinos and (prey := self.prey(dinos, key)):
                del dinos[prey]
                dinos[key] = dinos[key]._replace(fed=True)

    def prey(self, dinos: Dinos, hunter: str) -> str | None:
        """Whom a carnivore eats: the opponents' oldest; of the own ones the youngest, and only if it must."""
        attack, best, most = dinos[hunter].attack, None, -1000.0
        for key, dino in dinos.items():
            if dino.strength < attack and key != hunter:
                harm = self.life[min(dino.periods, OLD)]
                if dino.owner == self.current:
                    harm = -harm if dino.fed or dino.meat else 0
                if harm > most:
                    best, most = key, harm
        return None if most < 0 and self.options.get("carn_duty", "strict") != "strict" else best

    def future(self, dinos: list[Dino]) -> float:
        """What the dinosaurs will probably still earn. Those of the current player have just grown older."""
        hunters = [(dino, dino.owner, dino.attack, self.choice(dinos, dino)) for dino in dinos if dino.meat]
        ferns = self.ferns - sum([dino.fed and not dino.meat for dino in dinos])
        total, unit = 0.0, self.unit
        for dino in dinos:
            owner, strength = dino.owner, dino.strength
            chance = min(1, WILD + CALM * unit * strength)
            for hunter, enemy, attack, prey in hunters:
                if hunter is dino:
                    chance *= PREY[min(prey, len(PREY) - 1)]
                elif enemy == owner:
                    continue
                elif attack > strength:
                    chance *= 1 - BITE / prey
                elif (lack := int(unit * (strength - attack))) < len(NEAR):
                    chance *= NEAR[lack]
            if ferns <= 0 and not (dino.fed or dino.meat):
                chance *= HUNGER
            total += self.weights[owner] * chance * self.life[min(dino.periods + (owner == self.current), OLD)]
        return total

    def choice(self, dinos: list[Dino], hunter: Dino) -> int:
        """How many dinosaurs of others a carnivore can eat."""
        owner, attack = hunter.owner, hunter.attack
        return sum([dino.strength < attack and dino.owner != owner for dino in dinos])

    # What cards are worth.

    def hatching(self, cards: list[str]) -> float:
        """What a dinosaur of these cards adds to the table's worth, less that of the cards."""
        attack = sum([self.cards[card][0] for card in cards])
        defence = sum([self.cards[card][1] for card in cards])
        meat = self.cards[cards[0]][2] == "C"
        egg = Dino(self.current, meat, attack, defence, max(attack, defence), False, 0, False, ())
        dino = egg._replace(periods=self.claim(egg, tuple(cards)))
        return self.worth({**self.dinos, "new": dino}) - self.now - len(PARTS) * self.thrift

    def mutation(self, key: str, card: str) -> float:
        """What a card played on a dinosaur adds to the table's worth, less that of the card."""
        dino, part = self.dinos[key], PARTS.index(card[0])
        new, old = self.cards[card], self.cards[dino.cards[part]]
        attack, defence = dino.attack + new[0] - old[0], dino.defence + new[1] - old[1]
        claim = self.claim(dino, dino.cards[:part] + (card,) + dino.cards[part + 1 :])
        known = (key, attack, defence, claim)
        if known not in self.known:
            body = {"attack": attack, "defence": defence, "strength": max(attack, defence)}
            changed = dino._replace(**body, periods=dino.periods + claim)
            self.known[known] = self.worth({**self.dinos, key: changed}) - self.now
        lasting = 1 if dino.owner == self.seat else 1 - REPAIR * self.view["hand_sizes"][dino.owner]
        return lasting * self.known[known] - self.thrift

    def claim(self, dino: Dino, cards: tuple[str, ...]) -> int:
        """How many period cards an own dinosaur gets if these cards make it real."""
        if not self.options.get("real_bonus", False) or dino.owner != self.seat:
            return 0
        once = self.options.get("real_repeat", "each_time") == "once_per_dino"
        fresh = self.real(cards) - self.real(dino.cards)
        return min(BONUS, self.periods) if fresh and not (once and dino.bonus) else 0

    def real(self, cards: tuple[str, ...]) -> set[int]:
        """The numbers that all these cards have."""
        return set.intersection(*[set(self.cards[card][3]) for card in cards]) if cards else set()

    def use(self, card: str, keys: Iterable[str]) -> float:
        """The most that a card, played on one of these dinosaurs, adds to the table's worth."""
        fits = [key for key in keys if card[0] != "H" or (self.cards[card][2] == "C") == self.dinos[key].meat]
        return max(0, self.thrift + max([self.mutation(key, card) for key in fits], default=-self.thrift))

    def size(self, card: str) -> float:
        """What a card adds to a dinosaur."""
        attack, defence, *_ = self.cards[card]
        return self.unit * (attack + defence)

    def brood(self, hand: list[str]) -> list[str]:
        """The best card of each part, if the hand has all parts."""
        parts = [[card for card in hand if card[0] == part] for part in PARTS]
        return [max(cards, key=self.size) for cards in parts] if all(parts) else []

    def unseen(self, part: str) -> list[str]:
        """The cards that may come from a deck, as far as this seat knows."""
        seen = {card for dino in self.dinos.values() for card in dino.cards} | set(self.view["hands"][self.seat])
        if self.view["decks"][part]:  # else the pile becomes the deck
            seen.update(self.view["discards"][part])
        return [card for card in self.cards if card[0] == part and card not in seen]

    def fee(self) -> float:
        """What it costs that the giver of a card gets a period card: those of the others are hidden, so a guess."""
        others = self.seats - 1
        return gain(self.accepted() // others) / others

    def resale(self) -> float:
        """What a card is worth because somebody else may accept it."""
        own: int = self.view["hidden"][self.seat]
        offers = (self.accepted() + own) / max(1, self.view["turn"])
        return gain(own) * min(1, max(0, offers - BUSY))

    def accepted(self) -> int:
        """How many period cards the others have hidden: those that are nowhere to be seen."""
        own: int = self.view["hidden"][self.seat]
        lines = sum([sum(line.values()) for line in self.view["timelines"]])
        living = sum([dino.periods for dino in self.dinos.values()])
        return max(0, PERIODS[self.seats] - self.periods - lines - living - own)
