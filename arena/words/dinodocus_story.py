"""What happened in Dinodocus, in sentences."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from arena.texts import counted
from arena.words.plain import Who
from engine.contract import Event, View
from engine.dinodocus.cards import DIETS, TITLES, Body, Deck
from engine.dinodocus.scoring import length

A_PART = {"H": "a head", "A": "front legs", "P": "back legs", "T": "a tail"}
PARTS = {"H": "heads", "A": "front legs", "P": "back legs", "T": "tails"}
MERGED = ("draw", "discard", "take", "period")
"""Events that become one sentence when one player has several of them in a row."""


class Speech:
    """Names of cards, dinosaurs and players."""

    def __init__(self, deck: Deck, who: Who) -> None:
        self._deck = deck
        self._who = who

    def who(self, seat: int) -> str:
        return self._who(seat)

    def does(self, seat: int, verb: str) -> str:
        """you hatch, greedy hatches"""
        who = self._who(seat)
        ending = "" if who == "you" else "es" if verb.endswith("ch") else "s"
        return f"{who} {verb}{ending}"

    def whose(self, seat: int) -> str:
        who = self._who(seat)
        return "your" if who == "you" else f"{who}'s"

    def part(self, card: str) -> str:
        """A card without its name: what it is and adds."""
        known = self._deck.cards[self._deck.numbers[card]]
        kind = f"{DIETS[known.diet]}'s head" if known.diet else TITLES[known.part]
        return f"{kind} {known.attack}/{known.defence}"

    def card(self, card: str) -> str:
        return f"{card} ({self.part(card)})"

    def body(self, cards: Iterable[str]) -> Body:
        return self._deck.body(tuple(self._deck.numbers[card] for card in cards))

    def changed(self, body: Body, card: str) -> Body:
        """The dinosaur with this card in the place of the one of its part."""
        return self.body([card if one[0] == card[0] else one for one in self._deck.names(body.cards)])


def stats(body: Body) -> str:
    """Name, attack and defence."""
    return f"{body.name} {body.attack}/{body.defence}"


def diet(body: Body) -> str:
    return "carnivore" if body.is_carnivore else "herbivore"


class Story:
    """Follows the dinosaurs through events, from what was seen before these."""

    def __init__(self, speech: Speech, before: View | None) -> None:
        dinos = before["dinos"] if before else []
        self._speech = speech
        self._owners = {dino["id"]: dino["owner"] for dino in dinos}
        self._bodies = {dino["id"]: speech.body(dino["cards"]) for dino in dinos}
        self._turn = before["turn"] if before else 0

    def told(self, events: Sequence[Event]) -> Iterator[tuple[str, str]]:
        """Sentences, each with its label."""
        for _, several in groupby(events, _together):
            group = list(several)
            kind = group[0]["event"]
            if kind == "turn":
                self._turn = group[0]["turn"]
                continue
            label = f"Turn {self._turn}" if self._turn else "Set-up"
            yield "Score" if kind == "score" else label, _SENTENCES[kind](self, group)

    # One sentence of each kind

    def _flip(self, group: Sequence[Event]) -> str:
        return f"{self._speech.does(group[0]['seat'], 'get')} {self._new(group[0])}"

    def _hatch(self, group: Sequence[Event]) -> str:
        return f"{self._speech.does(group[0]['seat'], 'hatch')} {self._new(group[0])}"

    def _new(self, event: Event) -> str:
        body = self._bodies[event["dino"]] = self._speech.body(event["cards"])
        self._owners[event["dino"]] = event["seat"]
        return f"{event['dino']} {stats(body)} ({diet(body)})"

    def _first(self, group: Sequence[Event]) -> str:
        return self._speech.does(group[0]["seat"], "begin")

    def _discard(self, group: Sequence[Event]) -> str:
        cards = ", ".join(self._speech.card(event["card"]) for event in group)
        return f"{self._speech.does(group[0]['seat'], 'discard')} {cards}"

    def _draw(self, group: Sequence[Event]) -> str:
        return f"{self._speech.does(group[0]['seat'], 'draw')} {', '.join(map(self._drawn, group))}"

    def _drawn(self, event: Event) -> str:
        if event["card"]:
            return self._speech.card(event["card"])
        return A_PART[event["part"]] if event["part"] else "a card"

    def _rebuild(self, group: Sequence[Event]) -> str:
        return f"the discarded {PARTS[group[0]['part']]} become a new deck"

    def _mutate(self, group: Sequence[Event]) -> str:
        (event,) = group
        owner = self._owners[event["dino"]]
        whose = "its" if owner == event["seat"] and self._speech.who(owner) != "you" else self._speech.whose(owner)
        does = self._speech.does(event["seat"], "mutate")
        return f"{does} {whose} {event['dino']} with {event['card']}: {self._change(event)}"

    def _react(self, group: Sequence[Event]) -> str:
        (event,) = group
        return f"{self._speech.does(event['seat'], 'react')} with {event['card']}: {self._change(event)}"

    def _change(self, event: Event) -> str:
        before = self._bodies[event["dino"]]
        after = self._bodies[event["dino"]] = self._speech.changed(before, event["card"])
        return f"{stats(before)} → {stats(after)}"

    def _bonus(self, group: Sequence[Event]) -> str:
        (event,) = group
        cards = counted(event["periods"], "period card")
        return f"{self._speech.does(event['seat'], 'add')} {cards} to {self._dino(event['dino'])}, a real dinosaur"

    def _offer(self, group: Sequence[Event]) -> str:
        (event,) = group
        card, to = self._speech.card(event["card"]), self._speech.who(event["to"])
        return f"{self._speech.does(event['seat'], 'offer')} {card} to {to}"

    def _accept(self, group: Sequence[Event]) -> str:
        (event,) = group
        gets = f"{self._speech.does(event['seat'], 'get')} a hidden period card"
        return f"{self._speech.does(event['to'], 'accept')} {event['card']}, {gets}"

    def _refuse(self, group: Sequence[Event]) -> str:
        (event,) = group
        return f"{self._speech.does(event['to'], 'refuse')} {event['card']}"

    def _take(self, group: Sequence[Event]) -> str:
        dinos = ", ".join(event["dino"] for event in group)
        takes = "takes a fern" if len(group) == 1 else "take a fern each"
        return f"{self._speech.whose(group[0]['owner'])} {dinos} {takes}"

    def _steal(self, group: Sequence[Event]) -> str:
        (event,) = group
        return f"{self._dino(event['dino'])} takes the fern of {self._dino(event['from'])}"

    def _eat(self, group: Sequence[Event]) -> str:
        (event,) = group
        return f"{self._dino(event['dino'])} eats {self._dino(event['prey'])}{_worth(event)}"

    def _starve(self, group: Sequence[Event]) -> str:
        (event,) = group
        return f"{self._dino(event['dino'])} finds no food and dies out{_worth(event)}"

    def _period(self, group: Sequence[Event]) -> str:
        dinos = ", ".join(f"{event['dino']} (now {event['periods']})" for event in group)
        cards = "a period card" if len(group) == 1 else "period cards"
        return f"{cards} for {self._speech.whose(group[0]['owner'])} {dinos}"

    def _score(self, group: Sequence[Event]) -> str:
        return ", ".join(f"{self._speech.who(seat)} {score}" for seat, score in enumerate(group[0]["scores"]))

    def _dino(self, id_: str) -> str:
        return f"{self._speech.whose(self._owners[id_])} {id_} {self._bodies[id_].name}"


def _together(event: Event) -> object:
    """The same for events of one sentence."""
    return (event["event"], event.get("seat"), event.get("owner")) if event["event"] in MERGED else id(event)


def _worth(event: Event) -> str:
    """What the period cards of an extinct dinosaur are worth."""
    return f" ({counted(length(event['periods']), 'point')} in the timeline)" if event["periods"] else ""


_SENTENCES: Mapping[str, Callable[[Story, Sequence[Event]], str]] = {
    "flip": Story._flip,
    "first": Story._first,
    "discard": Story._discard,
    "rebuild": Story._rebuild,
    "draw": Story._draw,
    "hatch": Story._hatch,
    "mutate": Story._mutate,
    "react": Story._react,
    "bonus": Story._bonus,
    "offer": Story._offer,
    "accept": Story._accept,
    "refuse": Story._refuse,
    "take": Story._take,
    "steal": Story._steal,
    "eat": Story._eat,
    "starve": Story._starve,
    "period": Story._period,
    "score": Story._score,
}
