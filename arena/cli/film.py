"""A recorded match moment by moment, and how a moment looks as text and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

import typer

from arena.cli.paragraphs import by_name, stderr_lines
from arena.cli.terminal import unstyled
from arena.options import short
from arena.texts import cut, fitted, one_line, safe
from arena.words import words_for
from arena.words.lines import WIDTH, said
from engine.contract import Event, Game, Paint, View, plain

if TYPE_CHECKING:
    from arena.match.record import Decision, FaultNote, MatchRecord, Parent
    from arena.replay.moments import Moment

Whose = int | Literal["spectator", "all"]
"""Whose view: that of a seat, of a spectator, or of all seats together."""
NAME = 16
"""Characters of a name in a list of decisions; the line of players has it whole."""
UNWRAPPED = 1 << 20
LONGEST = 1100
"""Characters shown of a text. What a referee or a bot writes is shorter."""
CHANCE = "chance  "
CHANGED = "◂"
"""The mark on a line of a board that the last step has changed."""


@dataclass(frozen=True, slots=True)
class Film:
    """A match, moment by moment. `complaint` says where the record does not follow from the rules, if it does not."""

    game: Game[Any]
    record: "MatchRecord"
    moments: Sequence["Moment"]
    complaint: str | None = None

    @property
    def seats(self) -> range:
        return range(len(self.record.header.players))

    @property
    def last(self) -> int:
        return len(self.moments) - 1

    @property
    def extent(self) -> str:
        decisions = self.moments[-1].decisions.stop - 1
        return f"this match has decisions 1 to {decisions}" if decisions else "this match has no decisions"

    @property
    def above(self) -> int:
        """Lines above the picture that are usually enough for what happened: all decisions of a step, or a sentence."""
        most = max((len(moment.decisions) for moment in self.moments), default=0)
        return max(most + 1, min(len(self.seats) + 1, 4))

    def after(self, decision: int) -> int | None:
        """The moment after a decision."""
        return next((moment.number for moment in self.moments if decision in moment.decisions), None)

    def name(self, seat: int) -> str:
        """A player's name on one line, as it can be shown."""
        return one_line(self.record.header.players[seat].name) if seat in self.seats else "nobody"

    def view(self, moment: "Moment", whose: Whose) -> View:
        """What a seat, a spectator, or all seats together see at that moment."""
        if whose == "all":
            from arena.replay.moments import together

            return together([self.game.view(moment.state, seat) for seat in self.seats])
        return self.game.view(moment.state, None if whose == "spectator" else whose)


def open_film(path: Path) -> Film:
    """The film of a file. RecordError if the file cannot be shown."""
    from arena.errors import RecordError
    from arena.match.record_file import load

    record = load(path)
    try:
        return film_of(record)
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None


def warn(path: Path, complaint: object) -> None:
    """Print on stderr that a record is not true, if there is a complaint."""
    if complaint:
        typer.echo(f"arena: {one_line(str(path))}: this record is not true: {one_line(str(complaint))}", err=True)


def film_of(record: "MatchRecord") -> Film:
    """The film of a record. A record that is not true is shown as far as possible."""
    from arena.replay.moments import as_of_now, game_of, moments
    from arena.replay.verify import verify

    complaint = verify(record)
    return Film(game_of(record), as_of_now(record), moments(record), str(complaint) if complaint else None)


# How a moment looks


def head(film: Film, moment: "Moment", paint: Paint, width: int) -> list[str]:
    """The game, the players, and the leader."""
    header, verdict = film.record.header, film.record.verdict
    options = [f"{name}={short(value)}" for name, value in header.options.items()]
    lines = ["  ".join([paint(header.game, "bold"), *options, f"seed {header.seed}"])]
    if header.parent is not None:
        lines += wrap(_branch(header.parent), width)
    lines += _players(film, moment, paint, width)
    if verdict.void is not None:
        lines += _painted(f"This match is void: {one_line(verdict.void, LONGEST)}", paint, width)
    if film.complaint:
        lines += _painted(f"The rules do not lead to this. {one_line(film.complaint)}", paint, width)
    return lines


def _branch(parent: "Parent") -> str:
    open_cards, drawn = "with open cards", f"hidden cards drawn from what seat {parent.cards} could know"
    how = open_cards if parent.cards == "open" else drawn
    return f"what if: plays on after step {parent.step} of {one_line(parent.match)}, {how}"


def _players(film: Film, moment: "Moment", paint: Paint, width: int) -> list[str]:
    scores = film.game.tally(moment.state).scores
    is_won = moment.number == film.last and film.record.verdict.void is None
    leaders = moment.leaders if len(moment.leaders) < len(film.seats) else ()
    lines, used = [""], 0
    for seat in film.seats:
        place = ("wins" if is_won else "leads") if seat in leaders else ""
        words = [film.name(seat), str(scores[seat]), place, "disqualified" if seat in moment.out else ""]
        text = " ".join([str(seat), *filter(None, words)])
        if used and used + len(text) > width:
            lines, used = [*lines, ""], 0
        lines[-1] += ("   " if used else "") + (paint(text, "bold") if place else text)
        used += len(text) + 3
    return lines


def rule(film: Film, moment: "Moment", whose: Whose, where: str = "") -> str:
    """The line between the head of a screen and its body."""
    numbers = moment.decisions
    which = f", decision{'s' if len(numbers) > 1 else ''} {numbers[0]}" if numbers else ""
    which += f" to {numbers[-1]}" if len(numbers) > 1 else ""
    eyes = {"spectator": "spectator", "all": "all hands"}.get(str(whose), f"seen by seat {whose}")
    start = f"── step {moment.number} of {film.last}{which}, {eyes} "
    end = f" {where} ──" if where else ""
    return start + "─" * (WIDTH - len(start) - len(end)) + end


def body(film: Film, moment: "Moment", whose: Whose, paint: Paint, width: int) -> list[str]:
    """What has just happened, and the position after it."""
    return [*events_part(film, moment, whose, paint, width), *picture(film, moment, whose, paint)]


def events_part(film: Film, moment: "Moment", whose: Whose, paint: Paint, width: int) -> list[str]:
    """What has just happened, in so many lines that the picture below stays in place."""
    lines = happened(film, moment, whose, paint, width)
    return lines + [""] * max(1, film.above - len(lines))


def picture(film: Film, moment: "Moment", whose: Whose, paint: Paint) -> list[str]:
    """The position, with the names of the players and a mark on each line that is new; at the end, why bots failed.

    The board of the seat through whose eyes one looks comes first.
    """
    headline, *boards = _blocks(film, moment, whose, paint)
    before = [] if moment.number == 0 else _blocks(film, film.moments[moment.number - 1], whose, plain)
    for seat, board in enumerate(boards):
        known = {*before[seat + 1]} if seat + 1 < len(before) else None
        boards[seat] = [line if known is None or _is_in(line, known) else _marked(line, paint) for line in board]
    if isinstance(whose, int) and whose < len(boards):
        boards.insert(0, boards.pop(whose))
    lines = list(headline)
    for board in boards:
        lines += ["", *board]
    return lines + (final_stderr(film.record) if moment.number == film.last else [])


def _blocks(film: Film, moment: "Moment", whose: Whose, paint: Paint) -> list[list[str]]:
    """The parts of a drawing: its headline, and the board of each seat."""
    drawing = film.game.draw(film.view(moment, whose), film.game.tally(moment.state), paint)
    return [
        by_name(block.split("\n"), lambda seat: f"seat {seat} {film.name(seat)}") for block in drawing.split("\n\n")
    ]


def _is_in(line: str, known: set[str]) -> bool:
    return unstyled(line) in known


def _marked(line: str, paint: Paint) -> str:
    """The line with a mark at its end, in the last column if it is no longer than that."""
    return line + " " * (WIDTH - 1 - len(unstyled(line))) + paint(CHANGED, "yellow")


def happened(film: Film, moment: "Moment", whose: Whose, paint: Paint, width: int) -> list[str]:
    """What has just happened."""
    step = moment.step
    if step is None:
        lines = ["The match begins." if film.record.header.parent is None else "The match goes on from here."]
    elif step.chance is not None:
        lines = wrap(_chance(film, moment, whose), width, subsequent_indent=" " * len(CHANCE))
    else:
        longest = max((len(decision.action) for decision in step.decisions), default=0)
        lines = []
        shown = fitted(map(film.name, film.seats), NAME)
        for number, decision in zip(moment.decisions, step.decisions):
            who = f"{number:>3}  seat {decision.seat} {shown[film.name(decision.seat)]:<{_widest(film)}}"
            lines += decision_lines(f"{who}  {decision.action:<{longest}}  ", decision, paint, width)
        lines += wrap(
            "; ".join(_aftermath(film, moment, whose)), width, initial_indent="     ", subsequent_indent="     "
        )
    reasons = {decision.reason for decision in step.decisions} if step else set()
    for fault in moment.faults:
        if fault.text not in reasons or fault.seat in moment.out:
            lines += _painted(_fault(film, fault), paint, width)
    return lines


def _widest(film: Film) -> int:
    return min(NAME, max(len(film.name(seat)) for seat in film.seats))


def _chance(film: Film, moment: "Moment", whose: Whose) -> str:
    """What chance did, as far as the viewer may know it."""
    assert moment.step is not None, "chance has acted"
    told = _aftermath(film, moment, whose)
    if whose == "all":
        return CHANCE + "; ".join([str(moment.step.chance), *told])
    return CHANCE + "; ".join(told or map(_event, _events(film, moment, whose)))


def _events(film: Film, moment: "Moment", whose: Whose) -> list[Event]:
    before = film.moments[moment.number - 1].state
    return film.game.events(before, moment.state, whose if isinstance(whose, int) else None)


def _aftermath(film: Film, moment: "Moment", whose: Whose) -> list[str]:
    """What happened in a step beyond its actions."""
    words = words_for(film.game, film.name, film.record.header.options)
    before = film.view(film.moments[moment.number - 1], "spectator")
    return words.aftermath(_events(film, moment, whose), before)


def _event(event: Event) -> str:
    facts = [f"{key} {said(value)}" for key, value in event.items() if key != "event" and value is not None]
    return f"{event['event']}: {', '.join(facts)}" if facts else str(event["event"])


def decision_lines(prefix: str, decision: "Decision", paint: Paint, width: int) -> list[str]:
    """How a decision came about, after a prefix; further lines are indented."""
    words = "" if decision.status == "accepted" else decision.status.value
    if decision.status.is_timed:
        words += f"{', ' if words else ''}{decision.used_us / 1000:.2f} ms"
    if decision.answer is not None:
        words += f", answered {one_line(decision.answer, LONGEST)!r}"
    if decision.reason is not None:
        words += f": {one_line(decision.reason, LONGEST)}"
    room = max(width - len(prefix), 30)
    lines = wrap(words, room)
    if decision.status not in ("accepted", "forced"):
        lines = [paint(line, "red") for line in lines]
    lines = [f"{prefix if i == 0 else ' ' * len(prefix)}{line}" for i, line in enumerate(lines)]
    return lines + note_lines(decision.note, len(prefix), room)


def note_lines(note: str | None, indent: int, room: int) -> list[str]:
    """A bot's note, if it made one."""
    if not note:
        return []
    lines = [part for line in f"note: {safe(cut(note, LONGEST))}".split("\n") for part in wrap(line, room)]
    return [" " * indent + line for line in lines]


def _fault(film: Film, fault: "FaultNote") -> str:
    from arena.match.faults import disqualifies

    who = "the arena" if fault.seat is None else f"{film.name(fault.seat)} (seat {fault.seat})"
    outcome = "is disqualified, " if disqualifies(fault.kind) else ""
    return f"{who}: {outcome}{one_line(fault.kind)}: {one_line(fault.text, LONGEST)}"


def _painted(text: str, paint: Paint, width: int) -> list[str]:
    return [paint(line, "red") for line in wrap(text, width)]


def final_stderr(record: "MatchRecord", you: int | None = None) -> list[str]:
    """What the stderr of each bot that failed shows; `you` are not a bot."""
    from arena.match.bot import NOT_BUILT

    failed = {fault.seat for fault in record.verdict.faults if NOT_BUILT not in fault.text} - {you}
    lines = []
    for seat, (player, account) in enumerate(zip(record.header.players, record.verdict.accounts)):
        if seat in failed and account.stderr:
            lines += stderr_lines(f"{one_line(player.name)} (seat {seat})", account.stderr)
    return lines


# For a pipe


def as_lines(film: Film, chosen: Sequence[int], whose: Whose) -> Iterator[str]:
    """The chosen moments in order, line by line."""
    for at in chosen:
        moment = film.moments[at]
        if at == chosen[0]:
            yield from head(film, moment, plain, UNWRAPPED)
            yield rule(film, moment, whose)
        else:
            yield rule(film, moment, whose)
            yield from _players(film, moment, plain, UNWRAPPED)
        yield from body(film, moment, whose, plain, UNWRAPPED)
        yield ""


def facts(film: Film, moment: "Moment", whose: Whose) -> dict[str, Any]:
    """A moment for programs."""
    step, tally = moment.step, film.game.tally(moment.state)
    decisions = zip(moment.decisions, step.decisions if step else ())
    return {
        "step": moment.number,
        "chance": step.chance if step else None,
        "decisions": [{"decision": number, **asdict(decision)} for number, decision in decisions],
        "position": film.game.format(moment.state),
        "view": film.view(moment, whose),
        "scores": tally.scores,
        "ranks": tally.ranks,
        "leaders": moment.leaders,
        "disqualified": sorted(moment.out),
        "faults": [asdict(fault) for fault in moment.faults],
        "void": film.record.verdict.void if moment.number == film.last else None,
    }
