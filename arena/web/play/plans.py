"""What people may ask for when they open a table: a game, its options, and who has which seat.

A plan comes from a browser, so nothing in it is believed: a bot is one of those that the operator offers, an option has
one of its listed values, and a name is short and printable. No path and no command can be part of a plan.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from arena.match import person
from arena.match.clock import TimeControl
from arena.match.play import MatchSetup
from arena.match.record import OPEN, Cards
from arena.names import MOST_NAME, is_name
from arena.replay.whatif import BranchPoint
from arena.roster.entries import Entry
from arena.texts import SHOWN, cut, is_plain, safe
from arena.words.rules import introduction
from engine.catalogue import game as find_game
from engine.catalogue import names as game_names
from engine.contract import Value, changed, settle, spell
from engine.errors import EngineError, UnknownGame

Plain = dict[str, Any]

EASIEST = "draftosaurus"


class Reason(Enum):
    """Why something that a browser asks for is declined."""

    MALFORMED = "malformed"
    UNKNOWN = "unknown"
    FORBIDDEN = "forbidden"
    STALE = "stale"
    REFUSED = "refused"
    FULL = "full"


class Declined(Exception):
    """A browser asks for something that it cannot have. The text is for the person."""

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class PlaceKind(Enum):
    """Who has a seat."""

    HERE = "here"
    """A person in front of the browser that opens the table."""
    OPEN = "open"
    """A person who joins from another browser."""
    BOT = "bot"


@dataclass(frozen=True, slots=True)
class PlannedSeat:
    """One seat of a plan. `name` is a person's name, empty for one who has not joined, or what a bot is offered as."""

    kind: PlaceKind
    name: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to play, and with whom."""

    game: str
    options: Mapping[str, Value]
    places: tuple[PlannedSeat, ...]
    point: BranchPoint | None = None
    """If it continues a recorded match: from where."""
    cards: Cards = OPEN
    """Then: hidden cards as recorded, or drawn from what this seat could know."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What the operator offers."""

    bots: Mapping[str, Entry]
    """By the name under which people choose them."""
    sandbox: str = "auto"
    seed: int | None = None
    """None: every match has a new one."""

    def plain(self) -> Plain:
        """For the page on which people choose."""
        return {"games": [_game(name) for name in _playable()], "bots": self._listed()}

    def _listed(self) -> list[Plain]:
        return [
            {"name": name, "games": [game for game in _playable() if entry.plays(game)]}
            for name, entry in self.bots.items()
        ]

    def read(self, asked: object) -> Plan:
        """The plan that a browser asks for. Declined says what is wrong with it."""
        match asked:
            case {"game": str(name), "options": dict(options), "places": list(places)}:
                return self._plan(name, options, places)
        raise Declined(Reason.MALFORMED, "A table needs a game, options and places.")

    def _plan(self, name: str, options: Plain, places: list[Any]) -> Plan:
        if name not in game_names():
            raise Declined(Reason.UNKNOWN, f"There is no game {safe(cut(name, SHOWN))}.")
        if len(places) > max(find_game(name).seats):
            raise Declined(Reason.REFUSED, f"{name} takes at most {max(find_game(name).seats)} players.")
        plan = Plan(name, _options(name, options), tuple(self._place(name, place) for place in places))
        if all(place.kind is PlaceKind.BOT for place in plan.places):
            raise Declined(Reason.REFUSED, "At least one person must sit at the table.")
        try:
            find_game(name).start(len(places), plan.options)
        except EngineError as error:
            raise Declined(Reason.REFUSED, safe(str(error))) from None
        return plan

    def branch(self, point: BranchPoint, asked: object) -> Plan:
        """The plan to play on from there, with hidden cards as recorded, or drawn from what the first person knew."""
        header = point.record.header
        match asked:
            case {"cards": "open" | "drawn" as cards, "places": list(places)} if len(places) == len(header.players):
                plan = self.read({"game": header.game, "options": {}, "places": places})
                first = next(seat for seat, place in enumerate(plan.places) if place.kind is not PlaceKind.BOT)
                return replace(plan, options=header.options, point=point, cards=OPEN if cards == "open" else first)
        raise Declined(Reason.MALFORMED, "To play on, say which cards, and who has each seat.")

    def _place(self, game: str, place: object) -> PlannedSeat:
        match place:
            case {"kind": "bot", "name": str(name)}:
                if name not in self.bots or not self.bots[name].plays(game):
                    raise Declined(Reason.UNKNOWN, f"There is no bot {safe(cut(name, SHOWN))} for {game} here.")
                return PlannedSeat(PlaceKind.BOT, name)
            case {"kind": "here", "name": str(name)}:
                return PlannedSeat(PlaceKind.HERE, checked_name(name))
            case {"kind": "open"}:
                return PlannedSeat(PlaceKind.OPEN)
        raise Declined(Reason.MALFORMED, "A place is a bot, a person here, or open.")

    def setup(self, plan: Plan, names: Sequence[str]) -> MatchSetup:
        """The match of a plan, with the names of all seats."""
        entries = [
            self.bots[place.name] if place.kind is PlaceKind.BOT else person.entry(name)
            for place, name in zip(plan.places, names)
        ]
        clocks = [TimeControl() if place.kind is PlaceKind.BOT else person.CLOCK for place in plan.places]
        if plan.point is not None:
            return plan.point.setup(entries, plan.cards, self.seed, clocks, self.sandbox)
        return MatchSetup(entries, plan.game, plan.options, self.seed, clocks, sandbox=self.sandbox)


def checked_name(name: str) -> str:
    """A person's name without blanks around it."""
    name = name.strip()
    if not is_name(name) or not is_plain(name):
        raise Declined(Reason.REFUSED, f"A name has 1 to {MOST_NAME} visible characters.")
    return name


def _options(name: str, asked: Plain) -> dict[str, Value]:
    """Options by their spelled values. Those that take a text take only the listed values here."""
    known = find_game(name).options()
    given: dict[str, Value] = {}
    for key, text in asked.items():
        values = {spell(value): value for value in known[key].values} if key in known else {}
        if not isinstance(text, str) or text not in values:
            raise Declined(Reason.REFUSED, f"{name}: option {safe(cut(key, SHOWN))} does not take this value.")
        given[key] = values[text]
    return changed(known, settle(name, known, given))


def _playable() -> list[str]:
    """The games that load; the easiest one to learn comes first."""
    return sorted(filter(_loads, game_names()), key=lambda name: name != EASIEST)


def _loads(name: str) -> bool:
    try:
        find_game(name)
    except UnknownGame:
        return False
    return True


def _game(name: str) -> Plain:
    game = find_game(name)
    options = [
        {
            "name": key,
            "values": [spell(value) for value in option.values],
            "default": spell(option.default),
            "help": option.help,
            "rule": option.rule,
        }
        for key, option in game.options().items()
        if len(option.values) > 1
    ]
    return {"name": name, "seats": list(game.seats), "about": introduction(game), "options": options}
