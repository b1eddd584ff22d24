"""Draftosaurus in words."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from arena.words.lines import wrapped
from arena.words.plain import Gathered, Who, labelled
from engine.contract import Event, Game, Value, View
from engine.dice import Seed
from engine.draftosaurus.boards import Pen, Pyramid
from engine.draftosaurus.options import set_up
from engine.draftosaurus.pieces import FACES, NAMES

if TYPE_CHECKING:
    from protocol.messages import Decide


class DraftosaurusWords:
    """Words for a person who has never played Draftosaurus."""

    def __init__(self, game: Game[Any], who: Who, options: Mapping[str, Value]) -> None:
        self._game = game
        self._who = who
        self._options = options

    def story(self, events: Sequence[Event], before: View | None) -> list[str]:
        patients = _quarantined(events, before)
        told = [[part.format(**self._fields(event, patients)) for part in _phrase(event)] for event in events]
        groups = groupby(told, lambda one: one[0])
        return [labelled(label, ", ".join(text for _, text in group)) for label, group in groups]

    def aftermath(self, _events: Sequence[Event], _before: View | None) -> list[str]:
        return []  # each event is an action of a seat

    def _fields(self, event: Event, patients: Mapping[int, str]) -> dict[str, str]:
        """The fields of an event, in words."""
        fields = {key: str(value) for key, value in event.items()}
        if "seat" in event:
            fields["who"] = self._who(event["seat"])
        if "die" in event:
            fields["face"], fields["die"] = event["die"], FACES[event["die"]][0]
        if "dino" in event:
            fields["dino"] = _dino(event["dino"])
        if event.get("hand") is not None:
            fields["hand"] = " ".join(event["hand"])
        if "action" in event:
            what, _, pen = event["action"].replace("Q>", "Q@").partition("@")
            dino = _dino(patients.get(event["seat"], "")) if what[0] == "Q" else _dino(what)
            fields["action"] = f"{dino} to {pen}" if pen else f"{dino} stays"
        if "scores" in event:
            fields["scores"] = ", ".join(f"{self._who(seat)} {score}" for seat, score in enumerate(event["scores"]))
        return fields

    def question(self, question: "Decide") -> list[str]:
        view = question.view
        pick = "" if not view["picks"] else _dino(view["picks"][view["seat"]])
        quarantined = _dino(view["zoos"][view["seat"]].get("QZ", ""))
        asked = QUESTIONS[question.phase].format(pick=pick, quarantined=quarantined)
        return [*self._die(view), asked]

    def _die(self, view: View) -> list[str]:
        if not view["die"]:
            return []
        if view["bound"][view["seat"]]:
            return [f"The die sends you to {MUST[view['die']]}, or into the River (RV)."]
        return [f"The die says: {FACES[view['die']][0]}; but you rolled it, so it does not bind you."]

    def meaning(self, question: "Decide", action: str) -> str:
        if question.phase == "discard":
            return NAMES[action[-1]]
        chosen, _, dropped = action.partition("x")
        discard = f", discard {NAMES[dropped]}" if dropped else ""
        if question.phase == "pick":
            return NAMES[chosen] + (discard or self._chances(question.view, chosen))
        dino = f"{NAMES[chosen[0]]} to " if question.phase == "draft" else ""
        title, points = self._zone(chosen[2:])
        return f"{dino}{title}{discard}" if dino else f"{title}: {points}"

    def gathered(self, question: "Decide") -> Gathered:
        return [("", question.legal)]

    def _chances(self, view: View, pick: str) -> str:
        """How many there are in hand, and where one may go, in a column."""
        count = view["hands"][view["seat"]].count(pick)
        more = f" ({count} in hand)" if count > 1 else ""
        return f"{more:<{29 - len(NAMES[pick])}}may go to {self._open(view, pick)}"

    def _open(self, view: View, pick: str) -> str:
        """The pens that are open to a pick."""
        game, seat = self._game, view["seat"]
        state = game.determinize(view, Seed(0))
        others = {other: game.fallback(state, other) for other in game.to_act(state)}
        after = game.apply(state, {**others, seat: pick})
        return " ".join(action[2:] for action in game.legal(after, seat))

    def _zone(self, name: str) -> tuple[str, str]:
        cell = f", {CELLS[int(name[2])]}" if name[2:] else ""
        title, points = ZONES.get(name[:2], ("stay where it is", "it scores nothing"))
        return title + cell, points.format(**self._options)

    def attempts(self, question: "Decide") -> list[str]:
        """What a newcomer might try, legal or not: every dinosaur that can be placed now, in every pen."""
        view = question.view
        pens = [spot for pen in self._pens(view) for spot in pen.slots]
        placed = {"place": view["picks"] and view["picks"][view["seat"]], "draft": view["hands"][view["seat"]]}
        return [f"{dino}@{pen}" for dino in dict.fromkeys(placed.get(question.phase) or "") for pen in pens]

    def _pens(self, view: View) -> Sequence[Pen | Pyramid]:
        index: int = view["game"] - 1
        return set_up(view["seats"], view["options"]).boards[index].pens

    def rules(self, view: View) -> list[str]:
        pens = self._pens(view)
        lines = [wrapped(f"Dinosaurs: {', '.join(f'{letter} {name}' for letter, name in NAMES.items())}.", 2)]
        lines += [f"  {pen.name}  {pen.title + ':':<24}{self._zone(pen.name)[1]}" for pen in pens]
        lines.append(wrapped(REX))
        lines.append("The die binds all players but the one who rolled it. The River is always open:")
        for face, (title, _) in FACES.items():
            where = [pen.name for pen in pens if face in (*pen.regions, pen.bank)]
            lines.append(f"  {title + ':':<22}{' '.join(where) or MUST[face]}")
        return lines


EVENTS: Mapping[str, tuple[str, str]] = {
    "first": ("Die", "{who} will roll it first"),
    "deal": ("Round {round}", "your hand is {hand}"),
    "roll": ("Die", "{who} rolled {face} ({die})"),
    "pick": ("Picked", "{who} {dino}"),
    "drop": ("Set aside", "{who} {dino}"),
    "place": ("Placed", "{who} {action}"),
    "discard": ("Discarded", "{who} {dino}"),
    "pass": ("Passed on", "your hand is now {hand}"),
    "move": ("Quarantine", "{who} {action}"),
    "score": ("Score", "{season}: {scores}"),
}
"""The label of each event, which collects events in a row, and its text."""
UNSEEN: Mapping[str, tuple[str, str]] = {
    "deal": ("Round {round}", "every player gets a new hand"),
    "pass": ("Passed on", "every hand goes to the next player"),
}
"""The same for those who look on, and see no hand."""
QUESTIONS = {
    "pick": "Which dinosaur do you pick? You will place it; the rest of your hand goes on.",
    "place": "Where do you place your {pick}?",
    "draft": "Which dinosaur do you place, and where?",
    "discard": "Which dinosaur do you put out of the game? Then the hands are swapped.",
    "quarantine": "Where does your {quarantined} go from the Quarantine Zone?",
}
MUST = {
    "W": "a pen in the woods",
    "G": "a pen in the grass",
    "L": "a pen left of the River",
    "R": "a pen right of the River",
    "E": "a pen that is still empty",
    "X": "a pen without a T-Rex",
}
"""Where the die sends a dinosaur."""
CELLS = ("bottom left", "bottom middle", "bottom right", "middle left", "middle right", "top")
"""Where in the Pyramid the cells PY0 to PY5 are."""
ZONES: Mapping[str, tuple[str, str]] = {
    "FS": ("Forest of Sameness", "one species only; 2 4 8 12 18 24 points"),
    "WT": ("Woody Trio", "any species; {trio_points} points once three are in it"),
    "KJ": ("King of the Jungle", "just one; 7 if no player has more of its kind"),
    "PL": ("Prairie of Love", "any species; 5 points for each pair of one kind"),
    "MD": ("Meadow of Differences", "all different; 1 3 6 10 15 21 points"),
    "SI": ("Solitary Island", "just one; 7 if you have no other of its kind"),
    "WO": ("Well-Ordered Wood", "two species in turn; 2 4 8 12 18 24 points"),
    "BL": ("Lovers' Bridge, left", "6 points a couple, one on each bank"),
    "BR": ("Lovers' Bridge, right", "6 points a couple, one on each bank"),
    "LO": ("Lookout", "just one; 2 for each of its kind on your right"),
    "QZ": ("Quarantine Zone", "just one; it moves elsewhere at the end"),
    "PY": ("Pyramid", "row by row; 2, 4, 7 points; no equals touch"),
    "RV": ("River", "always open to all; 1 point each"),
}
"""The title of a pen and how it scores."""
REX = "Every pen with a T-Rex (T) scores 1 point more. If scores are equal, fewer T-Rex win."


def _phrase(event: Event) -> tuple[str, str]:
    kind = event["event"]
    return UNSEEN[kind] if "hand" in event and event["hand"] is None else EVENTS[kind]


def _quarantined(events: Sequence[Event], before: View | None) -> dict[int, str]:
    """The dinosaurs in quarantine by seat, before or in the course of these events."""
    found = {seat: zoo["QZ"] for seat, zoo in enumerate(before["zoos"] if before else ()) if "QZ" in zoo}
    placed = {event["seat"]: event["action"][0] for event in events if event.get("action", "").endswith("@QZ")}
    return {**found, **placed}


def _dino(letter: str) -> str:
    return f"{NAMES[letter]} ({letter})" if letter in NAMES else "something hidden"
