"""greedy at Dinodocus: takes what promises the most points, looking as far as the end of the feeding.

Theory of operation. `Judge.worth` estimates what a table is worth to a seat: it lets the player whose turn it is feed
the dinosaurs, counts the period cards they get, and adds what every dinosaur will probably still earn, the own ones
as a gain, those of the others as a loss. A dinosaur earns the more, the older it is, and nothing once it is eaten or
starves. An action is worth what the table is worth after it, less something for each card spent. Views tell
everything, so nothing is remembered. Equal actions are decided by the order of `legal`.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import dinobot

PARTS = "HAPT"
OLD = 4
"""From so many period cards on the next one is worth 5; before that one point more than there are."""
PERIODS = {2: 25, 3: 31, 4: 33, 5: 37, 6: 37}
"""Period cards at the start, by number of seats."""
STRENGTH = 4.3
"""The mean strength of a dinosaur of the house deck, for which the numbers below were found."""

# Guesses, found by playing against itself.
AGEING = 0.8
"""The chance that a dinosaur that has survived a round survives the next one too."""
PACE = 1.0
"""Period cards that each dinosaur on the table takes in a round, those that will hatch for it included."""
RIVALRY = 1.0
"""How much a point that the others do not get is worth, if there is one other; with more they share it."""
THRIFT = 0.4
"""Points of a card kept in hand: it may repair a dinosaur."""
REPAIR = 0.08
"""The chance, for each card in the hand, that an owner undoes a mutation."""
BITE = 0.7
"""The chance that a carnivore with one prey eats it before that is fed again."""
NEAR = (0.75, 0.85, 0.93)
"""The chance to survive a carnivore whose attack is this much too low: cards may change that."""
WILD = (0.5, 0.55, 0.6, 0.7, 0.8, 0.87, 0.92, 0.96, 0.98)
"""The chance to survive what is not on the table yet, by strength."""
PREY = (0.15, 0.6, 0.8, 0.9)
"""The chance that a carnivore is fed, by the number of its prey; the last for more, too."""
GRASS = (0.2, 0.7, 0.9)
"""The chance that a herbivore without a fern is fed: without a source, by robbery, from the pool."""
ROBBED = 0.6
"""The chance to keep a fern that a hungry herbivore could steal."""


class Dino(NamedTuple):
    """A dinosaur on the table."""

    owner: int
    meat: bool
    attack: int
    defence: int
    strength: int
    fern: bool
    periods: int
    sated: bool
    """A carnivore that has eaten, or goes hungry by choice: it hunts no more this turn."""
    fed: bool
    cards: tuple[str, ...]


Dinos = dict[str, Dino]
"""All dinosaurs by id."""


class Judge:
    """Estimates tables, as one seat sees them."""

    def __init__(self, view: dict[str, Any], seat: int) -> None:
        self.view = view
        self.seat = seat
        self.cards: dict[str, list[Any]] = view["cards"]
        self.current: int = view["current"]
        self.periods: int = view["periods"]
        self.dinos = {dino["id"]: read(dino) for dino in view["dinos"]}
        self.ferns: int = view["pool"] + sum(dino.fern for dino in self.dinos.values())
        self.rivalry = self.rivals()
        rounds = self.periods / (PACE * max(len(self.dinos), view["seats"]))
        self.life = [earnings(periods, rounds) for periods in range(OLD + 1)]

    def rivals(self) -> list[float]:
        """How much a point of each seat is worth to this one."""
        seats: int = self.view["seats"]
        return [1 if seat == self.seat else -RIVALRY / (seats - 1) for seat in range(seats)]

    # What players may do.

    def hatched(self, cards: Iterable[str]) -> Dinos:
        return {**self.dinos, "new": self.built(tuple(cards), self.current)}

    def built(self, cards: tuple[str, ...], owner: int) -> Dino:
        attack = sum(self.cards[card][0] for card in cards)
        defence = sum(self.cards[card][1] for card in cards)
        meat = self.cards[cards[0]][2] == "C"
        return Dino(owner, meat, attack, defence, max(attack, defence), False, 0, False, False, cards)

    def mutated(self, key: str, card: str) -> Dinos:
        dino = self.dinos[key]
        part = PARTS.index(card[0])
        new, old = self.cards[card], self.cards[dino.cards[part]]
        attack, defence = dino.attack + new[0] - old[0], dino.defence + new[1] - old[1]
        cards = dino.cards[:part] + (card,) + dino.cards[part + 1 :]
        changed = dino._replace(attack=attack, defence=defence, strength=max(attack, defence), cards=cards)
        return {**self.dinos, key: changed}

    # What a table is worth.

    def worth(self, dinos: Dinos, grazing: bool = True) -> float:
        """What the table is worth once the current player has fed the dinosaurs."""
        dinos = dict(dinos)
        if grazing:
            self.graze(dinos)
        self.hunt(dinos)
        own = [(key, dino) for key, dino in dinos.items() if dino.owner == self.current]
        fed = [(key, dino) for key, dino in own if (dino.fed if dino.meat else dino.fern)]
        points = sorted((gain(dino.periods) for _, dino in fed), reverse=True)
        income = self.rivalry[self.current] * sum(points[: self.periods])
        if len(fed) >= self.periods:
            return income
        for key, _ in own:
            del dinos[key]
        survivors = [*dinos.values(), *(dino._replace(periods=dino.periods + 1) for _, dino in fed)]
        return income + self.future(survivors)

    def graze(self, dinos: Dinos) -> None:
        """The current player's herbivores take ferns and rob others, those first that cannot rob."""
        hungry = [
            (key, dino) for key, dino in dinos.items() if dino.owner == self.current and not dino.meat and not dino.fern
        ]
        if not hungry:
            return
        pool = self.ferns - sum(dino.fern for dino in dinos.values())
        if len(hungry) > pool:
            hungry.sort(key=lambda item: (self.victim(dinos, item[1]) is not None, -item[1].periods))
        for key, dino in hungry:
            if pool:
                pool -= 1
            elif victim := self.victim(dinos, dino):
                dinos[victim] = dinos[victim]._replace(fern=False)
            else:
                continue
            dinos[key] = dino._replace(fern=True)

    def victim(self, dinos: Dinos, thief: Dino) -> str | None:
        """Whom a herbivore robs best."""
        best, most = None, -1
        for key, dino in dinos.items():
            if dino.fern and dino.owner != thief.owner and dino.strength < thief.defence and dino.periods > most:
                best, most = key, dino.periods
        return best

    def hunt(self, dinos: Dinos) -> None:
        """The current player's carnivores eat, the weakest first."""
        hunters = [
            (dino.attack, key)
            for key, dino in dinos.items()
            if dino.owner == self.current and dino.meat and not dino.sated
        ]
        for _, key in sorted(hunters):
            if key in dinos and (prey := self.prey(dinos, key)):
                del dinos[prey]
                dinos[key] = dinos[key]._replace(sated=True, fed=True)

    def prey(self, dinos: Dinos, hunter: str) -> str | None:
        """What a carnivore eats best."""
        attack, best, most = dinos[hunter].attack, None, -1000.0
        for key, dino in dinos.items():
            if dino.strength < attack and key != hunter:
                harm = self.harm(dino)
                if harm > most:
                    best, most = key, harm
        return best

    def harm(self, dino: Dino) -> float:
        """What the current player gains by eating a dinosaur."""
        life = self.life[min(dino.periods, OLD)]
        if dino.owner != self.current:
            return life
        return -life if dino.meat or dino.fern else 0

    def future(self, dinos: list[Dino]) -> float:
        """What the dinosaurs will probably still earn."""
        hunters = []
        hungry = []
        pool = self.ferns
        for dino in dinos:
            if dino.meat:
                prey = 0
                for other in dinos:
                    if other.strength < dino.attack and other.owner != dino.owner:
                        prey += 1
                hunters.append((dino.owner, dino.attack, prey))
            elif dino.fern:
                pool -= 1
            else:
                hungry.append((dino.owner, dino.defence))
        total = 0.0
        for dino in dinos:
            strength = dino.strength
            chance = WILD[min(strength, 8)]
            for owner, attack, prey in hunters:
                if owner != dino.owner:
                    margin = strength - attack
                    if margin < 0:
                        chance *= 1 - BITE / prey
                    elif margin < len(NEAR):
                        chance *= NEAR[margin]
                    if dino.meat:
                        pass
            if dino.meat:
                prey = 0
                for other in dinos:
                    if other.strength < dino.attack and other.owner != dino.owner:
                        prey += 1
                chance *= PREY[min(prey, len(PREY) - 1)]
            elif dino.fern:
                if pool < len(hungry):
                    for owner, defence in hungry:
                        if owner != dino.owner and defence > strength:
                            chance *= ROBBED
            elif pool >= len(hungry):
                chance *= GRASS[2]
            else:
                source = any(o.fern and o.owner != dino.owner and o.strength < dino.defence for o in dinos)
                chance *= GRASS[1] if source else GRASS[0]
            total += self.rivalry[dino.owner] * chance * self.life[min(dino.periods, OLD)]
        return total

    # What a card is good for.

    def best_mutation(self, card: str, keys: Iterable[str]) -> float:
        """What the best use of a card on one of these dinosaurs adds to the table's worth."""
        base = self.worth(self.dinos)
        part = PARTS.index(card[0])
        best = 0.0
        for key in keys:
            dino = self.dinos[key]
            if part == 0 and (self.cards[card][2] == "C") != dino.meat:
                continue
            best = max(best, self.after_reaction(dino, self.worth(self.mutated(key, card)), base) - base)
        return best

    def after_reaction(self, dino: Dino, worth: float, base: float) -> float:
        """What a mutation is worth if the owner may undo it."""
        if dino.owner == self.current:
            return worth
        undone = REPAIR * self.view["hand_sizes"][dino.owner]
        return base * undone + worth * (1 - undone)


def read(dino: dict[str, Any]) -> Dino:
    attack, defence = dino["attack"], dino["defence"]
    sated = dino["fed"] or dino["starving"]
    return Dino(
        dino["owner"], dino["diet"] == "C", attack, defence, max(attack, defence),
        dino["fern"], dino["periods"], sated, dino["fed"], tuple(dino["cards"]),
    )  # fmt: skip


def gain(periods: int) -> int:
    """What the next period card of a dinosaur is worth."""
    return min(periods, OLD) + 1


def earnings(periods: int, rounds: float) -> float:
    """What a dinosaur earns in so many rounds, if it survives the first of them."""
    total, chance = 0.0, 1.0
    while rounds > 0:
        total += chance * min(rounds, 1) * gain(periods)
        chance *= AGEING
        periods += 1
        rounds -= 1
    return total


class GreedyPlayer:
    """Weighs every legal action on its own."""

    def __init__(self, start: dinobot.Message) -> None:
        self.seat: int = start["seat"]
        self.phases: dict[str, Callable[[Judge, list[str]], str]] = {
            "discard": self.discard,
            "draw": self.draw,
            "mutate": self.mutate,
            "bonus": self.bonus,
            "offer": self.offer,
            "answer": self.answer,
            "react": self.react,
            "herb": self.feed,
            "carn": self.feed,
            "alloc": self.allocate,
        }

    def decide(self, question: dinobot.Message) -> str:
        view: dict[str, Any] = question["view"]
        legal: list[str] = question["legal"]
        if len(legal) == 1 or view["phase"] not in self.phases:
            return legal[0]
        return self.phases[view["phase"]](Judge(view, self.seat), legal)

    def discard(self, judge: Judge, legal: list[str]) -> str:
        hand = judge.view["hands"][self.seat]
        if all(any(c[0] == part for c in hand) for part in PARTS):
            keep = {max((c for c in hand if c[0] == part), key=lambda c: sum(judge.cards[c][:2])) for part in PARTS}
        else:
            keep = set()
        for action in legal:
            if action == "ok":
                break
            card = action[2:]
            if card in keep:
                continue
            twin = sum(c[0] == card[0] for c in hand) > 1
            if (twin or sum(judge.cards[card][:2]) < 2) and judge.best_mutation(card, judge.dinos) <= THRIFT:
                return action
        return "ok"

    def draw(self, judge: Judge, legal: list[str]) -> str:
        hand = judge.view["hands"][self.seat]
        drawable = [a for a in legal if a != "stop"]
        if not drawable:
            return legal[0]
        return min(drawable, key=lambda a: sum(c[0] == a[2] for c in hand))

    def mutate(self, judge: Judge, legal: list[str]) -> str:
        base = judge.worth(judge.dinos)

        def value(action: str) -> float:
            kind, _, rest = action.partition(":")
            if kind == "hatch":
                return judge.worth(judge.hatched(rest.split(","))) - 4 * THRIFT
            if kind == "mod":
                key, card = rest.split(":")
                return judge.after_reaction(judge.dinos[key], judge.worth(judge.mutated(key, card)), base) - THRIFT
            return base

        return max(reversed(legal), key=value)

    def react(self, judge: Judge, legal: list[str]) -> str:
        focus = judge.view["focus"]

        def value(action: str) -> float:
            if action.startswith("r:"):
                return judge.worth(judge.mutated(focus, action[2:])) - THRIFT
            return judge.worth(judge.dinos)

        return max(reversed(legal), key=value)

    def bonus(self, judge: Judge, legal: list[str]) -> str:
        own = judge.dinos[judge.view["focus"]].owner == self.seat
        return legal[0] if own else legal[-1]

    def offer(self, judge: Judge, legal: list[str]) -> str:
        return legal[-1]

    def answer(self, judge: Judge, legal: list[str]) -> str:
        return legal[-1]

    def feed(self, judge: Judge, legal: list[str]) -> str:
        def value(action: str) -> float:
            dinos = dict(judge.dinos)
            kind, *keys = action.split(":")
            if kind == "take":
                dinos[keys[0]] = dinos[keys[0]]._replace(fern=True)
            elif kind == "steal":
                dinos[keys[0]] = dinos[keys[0]]._replace(fern=True)
                dinos[keys[1]] = dinos[keys[1]]._replace(fern=False)
            elif kind == "eat":
                dinos[keys[0]] = dinos[keys[0]]._replace(sated=True, fed=True)
                del dinos[keys[1]]
            elif kind == "starve":
                dinos[keys[0]] = dinos[keys[0]]._replace(sated=True)
            return judge.worth(dinos, grazing=kind in ("take", "steal"))

        return max(legal, key=value)

    def allocate(self, judge: Judge, legal: list[str]) -> str:
        return max(legal, key=lambda action: sum(gain(judge.dinos[key].periods) for key in action[5:].split(",")))
