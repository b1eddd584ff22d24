"""Dinodocus: 2 to 6 players hatch, mutate and feed dinosaurs, which should live long. RULES.md has the rules."""

from collections.abc import Mapping

from engine.contract import Game, Option, Value
from engine.dinodocus import drawing, events, notation, options, refusals, rules, scoring, views
from engine.dinodocus.state import State
from engine.rare import RarePhase


class Dinodocus:
    """The game as the arena sees it. Each method is a function of the module for its subject."""

    name = options.NAME
    edition = 2
    earlier: Mapping[int, Mapping[str, Value]] = {1: {"offer_rounds": 3}}
    seats = options.SEATS
    grammar = refusals.GRAMMAR
    rare: Mapping[str, RarePhase] = {
        "carn": RarePhase(seats=6, seat=4, seed=7),
        "herb": RarePhase(seats=6, seat=3, seed=6),
        "bonus": RarePhase(seats=6, seat=4, seed=0, options={"real_bonus": True}),
        "alloc": RarePhase(seats=2, seat=1, seed=11),
    }

    def options(self) -> Mapping[str, Option]:
        return options.OPTIONS

    start = staticmethod(rules.start)
    to_act = staticmethod(rules.to_act)
    legal = staticmethod(rules.legal)
    deal = staticmethod(rules.deal)
    apply = staticmethod(rules.apply)
    fallback = staticmethod(rules.fallback)
    tally = staticmethod(scoring.tally)
    outcome = staticmethod(scoring.outcome)
    view = staticmethod(views.view)
    public = staticmethod(views.public)
    private = staticmethod(views.private)
    witnessed = staticmethod(events.witnessed)
    events = staticmethod(events.events)  # after witnessed, because it hides the module from here on
    determinize = staticmethod(views.determinize)
    parse = staticmethod(notation.parse)
    format = staticmethod(notation.format)
    fingerprint = staticmethod(notation.fingerprint)
    draw = staticmethod(drawing.draw)


GAME: Game[State] = Dinodocus()
