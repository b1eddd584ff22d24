"""Draftosaurus: 2 to 5 players draft dinosaurs and place them in the pens of their zoos. RULES.md has the rules."""

from collections.abc import Mapping

from engine.contract import Game, Option
from engine.draftosaurus import drawing, events, notation, options, refusals, rules, scoring, views
from engine.draftosaurus.state import State


class Draftosaurus:
    """The game as the arena sees it. Each method is a function of the module for its subject."""

    name = options.NAME
    edition = 1
    seats = options.SEATS
    grammar = refusals.GRAMMAR

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


GAME: Game[State] = Draftosaurus()
