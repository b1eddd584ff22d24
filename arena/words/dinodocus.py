"""Dinodocus in words."""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from arena.options import short
from arena.texts import counted
from arena.words.dinodocus_story import PARTS, Speech, Story, diet, stats
from arena.words.lines import wrapped
from arena.words.plain import Gathered, Who, labelled
from engine.contract import Event, Game, Value, View
from engine.dice import Seed
from engine.dinodocus.cards import Body, deck
from engine.dinodocus.options import HAND
from engine.dinodocus.rules import BONUS_PERIODS
from engine.dinodocus.scoring import length

if TYPE_CHECKING:
    from protocol.messages import Decide


class DinodocusWords:
    """Words for a person who has never played Dinodocus."""

    def __init__(self, game: Game[Any], who: Who, options: Mapping[str, Value]) -> None:
        self._game = game
        self._options = options
        self._speech = Speech(deck(str(options["deck"])), who)

    def story(self, events: Sequence[Event], before: View | None) -> list[str]:
        groups = groupby(Story(self._speech, before).told(events), lambda told: told[0])
        return [labelled(label, "; ".join(text for _, text in group)) for label, group in groups]

    def aftermath(self, events: Sequence[Event], before: View | None) -> list[str]:
        return [text for _, text in Story(self._speech, before).told(events)]

    # What is asked

    def question(self, question: "Decide") -> list[str]:
        view = question.view
        focus = self._named(view, view["focus"]) if view["focus"] else ""
        fields = {
            "size": counted(view["hand_sizes"][view["seat"]], "card"),
            "focus": focus,
            "current": self._speech.who(view["current"]),
            "periods": counted(view["periods"], "period card"),
            **self._offered(view),
        }
        phase = "rob" if question.phase == "herb" and not view["pool"] else question.phase
        return [QUESTIONS[phase].format(**fields)]

    def _offered(self, view: View) -> dict[str, str]:
        """The receiver of offers, and the offer to answer next."""
        receiver = "" if view["receiver"] is None else self._speech.who(view["receiver"])
        if not view["offers"]:
            return {"receiver": receiver, "card": "", "giver": ""}
        offer = view["offers"][0]
        return {
            "receiver": receiver,
            "card": self._speech.card(offer["card"]),
            "giver": self._speech.who(offer["seat"]),
        }

    # What a choice means

    def meaning(self, question: "Decide", action: str) -> str:
        verb, _, rest = action.partition(":")
        return _MEANINGS[question.phase](self, question.view, verb, rest.split(":"))

    def _discard(self, view: View, verb: str, cards: list[str]) -> str:
        if verb == "d":
            return self._speech.part(cards[0])
        missing = max(0, HAND - view["hand_sizes"][view["seat"]])
        return f"discard no more, and draw {counted(missing, 'card')}"

    def _draw(self, view: View, verb: str, parts: list[str]) -> str:
        if verb != "w":
            return "draw no more"
        (part,) = parts
        left, discarded = view["decks"][part], len(view["discards"][part])
        held = sum(card[0] == part for card in view["hands"][view["seat"]])
        cards = f"{left} in the deck" if left else f"the {discarded} discarded ones become a new deck"
        return f"{PARTS[part]}: {cards}; you hold {held}"

    def _mutate(self, view: View, verb: str, words: list[str]) -> str:
        if verb == "hatch":
            body = self._speech.body(words[0].split(","))
            return f"a new {stats(body)}, {diet(body)}{self._real(body, frozenset())}"
        if verb == "mod":
            return f"{self._named(view, words[0])} → {self._result(view, words[0], words[1], stats)}"
        return f"end your turn: {'; '.join(self._consequences(view)) or 'nothing happens'}"

    def _result(self, view: View, id_: str, card: str, spelled: Callable[[Body], str]) -> str:
        """What becomes of a dinosaur with a card."""
        before = self._speech.body(_dino(view, id_)["cards"])
        after = self._speech.changed(before, card)
        return spelled(after) + self._real(after, before.refs)

    def _real(self, body: Body, before: frozenset[int]) -> str:
        return ", a real dinosaur" if self._options["real_bonus"] and body.refs - before else ""

    def _consequences(self, view: View) -> list[str]:
        """What follows from the end of the turn without further questions; no hidden card matters for it.

        A decision with only one legal action is not a question: the arena makes it.
        """
        game, seat = self._game, view["seat"]
        state, action, events = game.determinize(view, Seed(0)), "end", list[Event]()
        while True:
            before, state = state, game.apply(state, {seat: action})
            events += game.events(before, state, seat)
            ends = [i for i, event in enumerate(events) if event["event"] in ("turn", "score")]
            if ends:
                return self.aftermath(events[: ends[0]], view)
            action, *others = game.legal(state, seat)
            if others:
                return [*self.aftermath(events, view), THEN[game.view(state, seat)["phase"]]]

    def _bonus(self, view: View, verb: str, _words: list[str]) -> str:
        if verb == "no":
            return "leave it as it is"
        dino = _dino(view, view["focus"])
        return self._grown(dino, min(BONUS_PERIODS, view["periods"]))

    def _grown(self, dino: View, by: int) -> str:
        now, then = dino["periods"], dino["periods"] + by
        gain = counted(length(then) - length(now), "point")
        return f"{self._speech.whose(dino['owner'])} {dino['id']} {now} → {counted(then, 'period')} (+{gain})"

    def _offer(self, _view: View, verb: str, cards: list[str]) -> str:
        return self._speech.part(cards[0]) if verb == "give" else "offer nothing (more)"

    def _answer(self, view: View, verb: str, cards: list[str]) -> str:
        giver = view["offers"][0]["seat"]
        if verb == "no":
            return f"{self._speech.does(giver, 'keep')} it"
        gets = self._speech.does(giver, "get")
        return f"you get the {self._speech.part(cards[0])}, {gets} a hidden period card"

    def _react(self, view: View, verb: str, cards: list[str]) -> str:
        if verb == "pass":
            return "leave it as it is"
        return f"{self._named(view, view['focus'])} → {self._result(view, view['focus'], cards[0], stats)}"

    def _herb(self, view: View, verb: str, ids: list[str]) -> str:
        if verb == "done":
            hungry = [dino for dino in view["dinos"] if dino["owner"] == view["seat"] and not dino["fern"]]
            return f"steal nothing; no food for {', '.join(dino['id'] for dino in hungry if dino['diet'] == 'H')}"
        if verb == "take":
            return f"{self._named(view, ids[0])} takes a fern from the pool"
        return f"{self._named(view, ids[0])} takes the fern of {self._named(view, ids[1])}{_age(view, ids[1])}"

    def _carn(self, view: View, verb: str, ids: list[str]) -> str:
        if verb == "starve":
            return f"{self._named(view, ids[0])} stays hungry and dies out{_age(view, ids[0])}"
        return f"{self._named(view, ids[0])} eats {self._named(view, ids[1])}{_age(view, ids[1])}"

    def _alloc(self, view: View, _verb: str, ids: list[str]) -> str:
        return ", ".join(self._grown(_dino(view, id_), 1) for id_ in ids[0].split(","))

    def _named(self, view: View, id_: str) -> str:
        dino = _dino(view, id_)
        return f"{self._speech.whose(dino['owner'])} {id_} {dino['name']} {dino['attack']}/{dino['defence']}"

    # Many choices

    def gathered(self, question: "Decide") -> Gathered:
        shortened = [self._short(question, action) for action in question.legal]
        groups = groupby(shortened, lambda pair: pair[0])
        return [(heading, [cell for _, cell in group]) for heading, group in groups]

    def _short(self, question: "Decide", action: str) -> tuple[str, str]:
        """A heading and a few words."""
        view = question.view
        verb, _, rest = action.partition(":")
        first, _, second = rest.partition(":")
        if verb == "mod":
            kind = "carnivore" if _dino(view, first)["diet"] == "C" else "herbivore"
            result = self._result(view, first, second, lambda body: f"{body.attack}/{body.defence}")
            return f"Replace a card of {self._named(view, first)}, {kind}", f"{second} → {result}"
        if verb == "eat":
            return f"{self._named(view, first)} eats", self._named(view, second) + _age(view, second)
        if verb == "steal":
            return f"{self._named(view, first)} takes the fern of", self._named(view, second) + _age(view, second)
        if verb == "hatch":
            body = self._speech.body(rest.split(","))
            return "Hatch", f"{rest}  {stats(body)}, {diet(body)}{self._real(body, frozenset())}"
        return "", f"{action}  {self.meaning(question, action)}"

    def attempts(self, question: "Decide") -> list[str]:
        """What a newcomer might try, whether it is legal or not: every card on every dinosaur, each eating each."""
        view, ids = question.view, [dino["id"] for dino in question.view["dinos"]]
        own = [dino["id"] for dino in view["dinos"] if dino["owner"] == view["seat"]]
        hand = view["hands"][view["seat"]]
        pairs = [(one, other) for one in own for other in ids if one != other]
        return {
            "mutate": [f"mod:{id_}:{card}" for id_ in ids for card in hand],
            "react": [f"r:{card}" for card in hand],
            "herb": [*(f"take:{id_}" for id_ in own), *(f"steal:{one}:{other}" for one, other in pairs)],
            "carn": [f"eat:{one}:{other}" for one, other in pairs],
        }.get(question.phase, [])

    # The rules

    def rules(self, view: View) -> list[str]:
        known = self._game.options()
        changed = [
            wrapped(f"In this match {name}={short(value)}: {known[name].help} ({known[name].rule}).", 2)
            for name, value in view["options"].items()
        ]
        return [wrapped(line, 2) for line in RULES] + changed


def _dino(view: View, id_: str) -> View:
    return next(dino for dino in view["dinos"] if dino["id"] == id_)


def _age(view: View, id_: str) -> str:
    periods = _dino(view, id_)["periods"]
    return f" ({counted(periods, 'period')})" if periods else ""


_MEANINGS: Mapping[str, Callable[[DinodocusWords, View, str, list[str]], str]] = {
    "discard": DinodocusWords._discard,
    "draw": DinodocusWords._draw,
    "mutate": DinodocusWords._mutate,
    "bonus": DinodocusWords._bonus,
    "offer": DinodocusWords._offer,
    "answer": DinodocusWords._answer,
    "react": DinodocusWords._react,
    "herb": DinodocusWords._herb,
    "carn": DinodocusWords._carn,
    "alloc": DinodocusWords._alloc,
}
QUESTIONS = {
    "discard": "Which card do you discard? After that you draw until you hold 5 cards.",
    "draw": "From which deck do you draw? You hold {size}; a dinosaur needs all four parts.",
    "mutate": "Do you hatch a dinosaur, replace a card of one, or end your turn and feed yours?",
    "bonus": "{focus} is a real dinosaur now. Do you add period cards to it?",
    "offer": "Do you offer {receiver} a card? If it is accepted, you get a hidden period card.",
    "answer": "Do you accept {card} from {giver}?",
    "react": "{current} mutated {focus}. Do you replace one of its cards, too?",
    "herb": "The pool has too few ferns for all. Which herbivore takes one?",
    "rob": "The pool is empty. Which herbivore takes the fern of a weaker one?",
    "carn": "Who eats whom? Both numbers of a prey are below the attack of its hunter.",
    "alloc": "Only {periods} left, and then the game is over. Which dinosaurs get one?",
}
THEN = {
    "herb": "then you choose who gets a fern",
    "carn": "then you choose what your carnivores eat",
    "alloc": "then you choose who gets the last period cards",
}
"""What is asked after the end of a turn."""
RULES = (
    "A dinosaur is a head (H), front legs (A), back legs (P) and a tail (T). 1/5 means attack 1 and defence 5, the sums"
    " over its cards; the greater of the two is its strength.",
    "Your turn has three parts:",
    "1 Discard what you like, and draw cards from decks of your choice until you hold 5.",
    "2 Hatch dinosaurs from a card of each part, and replace cards of dinosaurs, yours and others: one card of each"
    " at most, and a head only by a head of the same diet. If you change another player's dinosaur, its owner may"
    " replace one of its cards at once.",
    "3 Your dinosaurs feed. A herbivore holds a fern, or takes one from the pool; there are 4 in all. If the pool is"
    " empty, it takes one from a herbivore whose strength is below its defence. A carnivore must eat a dinosaur whose"
    " strength is below its attack, no matter whose it is.",
    "Then each of yours that has fed gets a period card, and the others of yours die out.",
    "The period cards of a dinosaur are worth 1, 3, 6, 10, 15, 20 points and so on, and stay yours when it dies out.",
    "When the last period card is taken, the game is over, and most points win.",
)
