"""`arena human`: a person takes a seat in the terminal and plays against bots.

The dialogue goes to stderr, the result to stdout. Nothing here is special to a game; words/ has what is.
"""

import re
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from textwrap import fill, wrap
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from arena.cli.options import read_options
from arena.cli.output import check_place, keep
from arena.cli.paragraphs import by_name
from arena.cli.parameters import (
    Bank,
    GameOption,
    Increment,
    Output,
    RuleOption,
    Sandbox,
    SeedOption,
)
from arena.cli.result import exit_code, say_where, say_who_is_open, show
from arena.cli.terminal import is_terminal, painter, unstyled
from arena.cli.typed import Lines
from arena.texts import counted, one_line, safe
from arena.words import find_words, words_for
from arena.words.lines import WIDTH, wrapped
from arena.words.plain import Gathered
from arena.words.refusal import LISTED, refusal
from arena.words.rules import introduction
from engine.contract import Event, Game, View, plain
from engine.dice import Seed

if TYPE_CHECKING:
    from arena.match.play import MatchSetup
    from arena.match.record import MatchRecord
    from arena.match.referee import Referee
    from protocol.messages import Decide, End, Start

NOBODY = -1
LONGEST = 200
"""Characters of a line that are looked at."""
NARROWEST = 30
"""Columns of an explanation."""
OPPONENT = "greedy"
"""Who plays if no bot is named."""
SEVERAL = re.compile(r"\d+(?:[ ,]+\d+)+")
"""Numbers of choices for this question and those that follow."""


def human(
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BOT",
            help="A folder with bot.toml, a built-in name such as greedy or search, or a command line in quotes. "
            "Default: greedy.",
        ),
    ] = None,
    game: GameOption = "draftosaurus",
    option: RuleOption = None,
    seed: SeedOption = None,
    seat: Annotated[int, typer.Option(metavar="SEAT", min=0, help="Your seat; the bots take the others.")] = 0,
    name: Annotated[str, typer.Option(metavar="NAME", help="Your name in the record.")] = "human",
    output: Output = None,
    bank_ms: Bank = 10_000,
    increment_ms: Increment = 100,
    sandbox: Sandbox = "auto",
) -> None:
    """Play against bots yourself, in the terminal.

    You have no time limit. Without a terminal, standard input has one answer per line. If you leave, or when the
    input ends, the arena plays on for you, and the record says so. Leaving is not a failure: exit code 3 means that
    a bot was disqualified, 1 that the match is void.
    """
    from arena.match import person
    from arena.match import play as matches
    from arena.match.clock import TimeControl
    from engine.catalogue import game as find_game

    bots = bots or [OPPONENT]
    if seat > len(bots):
        raise typer.BadParameter(f"--seat {seat}: with {counted(len(bots), 'bot')} the seats are 0 to {len(bots)}")
    check_name(name)
    found = find_game(game)
    options = read_options(found.options(), option or [])
    entries = matches.find_all(bots)
    clocks = [TimeControl(bank_ms=bank_ms, increment_ms=increment_ms)] * len(entries)
    entries.insert(seat, person.entry(name))
    clocks.insert(seat, person.CLOCK)
    sit_down(matches.MatchSetup(entries, game, options, seed, clocks, sandbox=sandbox), seat, output)


def check_name(name: str) -> None:
    """BadParameter if a person cannot have this name in a record."""
    from arena.names import MOST_NAME, is_name

    if not is_name(name):
        raise typer.BadParameter(f"--name: expected 1 to {MOST_NAME} printable characters")


def sit_down(setup: "MatchSetup", seat: int, output: Path | None) -> NoReturn:
    """Play a match in which a person has this seat, show how it ended, and leave with its exit code."""
    from arena import running
    from arena.match import person
    from engine.catalogue import game as find_game

    check_place(output)
    you = AtTerminal(find_game(setup.game))
    match = running.run(lambda: person.play(setup, [you], you.watch))
    record = keep(match.record(), output)
    show(record, match.state, seat)
    say_where(record)
    say_who_is_open(record, setup.sandbox, seat)
    typer.echo(f"\n{wrapped(_result(record, seat))}")
    raise typer.Exit(exit_code(record, set(range(len(setup.entries))) - {seat}))


def _result(record: "MatchRecord", you: int) -> str:
    """How the match ended for the person in this seat: the last that is printed, so that no board hides it."""
    verdict = record.verdict
    left = " You left, and the arena played on for you." if any(fault.seat == you for fault in verdict.faults) else ""
    if verdict.void is not None:
        return f"The match is void: {safe(verdict.void)}{left}"
    names = ["you" if seat == you else one_line(player.name) for seat, player in enumerate(record.header.players)]
    order = sorted(range(len(names)), key=lambda seat: (verdict.ranks[seat], seat))
    scores = ", ".join(f"{names[seat]} {verdict.scores[seat]}" for seat in order)
    return f"You come {_ordinal(verdict.ranks[you])}: {scores}.{left}"


class AtTerminal:
    """Shows the match and reads answers. A Person of arena.match.person."""

    def __init__(self, game: Game[Any]) -> None:
        find_words(game.name)  # SettingError here, not in the middle of a match
        self._game = game
        self._lines = Lines(0 if sys.stdin else None)
        self._echoes = not is_terminal(sys.stdin)
        self._paint = painter() if is_terminal(sys.stderr) else plain
        self._names: list[str] = []
        self._seat = 0
        self._seen: View | None = None
        """What the person saw at the last question."""
        self._shown: dict[int, list[str]] = {}
        """The boards as they were drawn last; at first, those at the start of the match."""
        self._faults = 0
        self._untold: list[Event] = []
        """What has happened since the last question."""
        self._ahead: list[str] = []
        """Choices that were typed ahead, for questions of one phase."""
        self._phase = ""

    # The course of the match

    def begin(self, start: "Start") -> None:
        self._seat = start.seat
        self._names = [safe(name) for name in start.players]
        self._words = words_for(self._game, self._who, start.options)
        empty = self._game.view(self._game.start(start.seats, start.options), start.seat)
        self._shown = {seat: lines[1:] for seat, lines in self._blocks(empty)}
        self._say(*map(wrapped, introduction(self._game)))
        others = [self._names[(start.seat + i) % start.seats] for i in range(1, start.seats)]
        self._say("", wrapped(f"You sit in seat {start.seat}. To your left, in this order: {', '.join(others)}."))
        self._say(wrapped("Type the number of a choice; ? for help, r for a summary of the rules, q to leave."))

    async def decide(self, question: "Decide") -> str | None:
        self._say("", "─" * WIDTH, *self._words.story(question.events, self._seen))
        self._seen = question.view
        self._draw(question.view, everything=False)
        self._ask(question)
        if action := self._typed_ahead(question):
            return action
        while (text := await self._read(f"Your choice, 1 to {len(question.legal)}, or ? > ")) is not None:
            if command := _command(question.legal, text):
                if await command(self, question):
                    return None
            elif text and (action := self._choice(question, text)):
                return action
        self._say("", "The input has ended: you leave the game, and the arena plays on for you.")
        return None

    def wait(self) -> None:
        self._say("(The others are still thinking.)")

    def end(self, end: "End") -> None:
        told = self._words.story(self._untold, self._seen) if self._untold else []
        self._say("", "─" * WIDTH, *told, "The match is over." if end.void is None else "The match is void.", "")

    def watch(self, referee: "Referee") -> None:
        """Note what happens, and report the faults of others, but not their texts, which might reveal hidden things."""
        from arena.match.faults import disqualifies

        self._untold = [*referee.seats[self._seat].events]
        for fault in referee.faults[self._faults :]:
            if fault.seat is not None and fault.seat != self._seat:
                becomes = "is out" if disqualifies(fault.kind) else "made a mistake"
                text = f"({self._who(fault.seat)} {becomes}: {fault.policy.meaning}. The arena plays for it.)"
                self._say(wrapped(text))
        self._faults = len(referee.faults)

    # What is shown

    def _who(self, seat: int) -> str:
        return "you" if seat == self._seat else self._names[seat]

    def _say(self, *lines: str) -> None:
        typer.echo("\n".join(lines), err=True)

    def _draw(self, view: View, everything: bool) -> None:
        """The headline, the boards of others that have changed, and last the person's own, next to the question."""
        for seat, lines in sorted(self._blocks(view), key=lambda block: block[0] == self._seat):
            is_news = self._shown.get(seat) != lines[1:]
            self._shown[seat] = lines[1:]
            if everything or is_news or seat in (NOBODY, self._seat):
                self._say("", *by_name(lines, self._label))

    def _blocks(self, view: View) -> list[tuple[int, list[str]]]:
        """The game's drawing in pieces. A piece that begins with a seat is the board of that seat."""
        tally = self._game.tally(self._game.determinize(view, Seed(0)))
        blocks = [block.splitlines() for block in self._game.draw(view, tally, self._paint).split("\n\n")]
        owners = [re.match(r"seat (\d+)", unstyled(lines[0])) for lines in blocks]
        return [(int(owner[1]) if owner else NOBODY, lines) for owner, lines in zip(owners, blocks)]

    def _label(self, seat: int) -> str:
        return "YOU" if seat == self._seat else self._names[seat]

    def _ask(self, question: "Decide") -> None:
        self._say("", *map(wrapped, self._words.question(question)))
        if len(question.legal) > LISTED:
            self._list_in_short(self._words.gathered(question))
            return
        width = max(map(len, question.legal))
        indent = width + 7
        for number, action in enumerate(question.legal, 1):
            meaning = wrap(self._words.meaning(question, action), max(WIDTH - indent, NARROWEST)) or [""]
            first = f"{self._number(number)}  {action:<{width}}  {meaning[0]}".rstrip()
            self._say(first, *(" " * indent + line for line in meaning[1:]))

    def _list_in_short(self, gathered: Gathered) -> None:
        """Many choices: as many in a line as fit, under their headings."""
        number = 1
        for heading, cells in gathered:
            if heading:
                self._say(wrapped(heading, 4))
            width = max(map(len, cells))
            across = max(1, WIDTH // (width + 6))
            for i in range(0, len(cells), across):
                row = [f"{self._number(number + j)} {cell:<{width}}" for j, cell in enumerate(cells[i : i + across], i)]
                self._say("  ".join(row).rstrip() if width <= WIDTH - 4 else self._long(number + i, cells[i]))
            number += len(cells)

    def _long(self, number: int, cell: str) -> str:
        return f"{self._number(number)} " + fill(cell, WIDTH - 4, subsequent_indent=" " * 4)

    def _number(self, number: int) -> str:
        return self._paint(f"{number:>3}", "bold")

    # What is read

    async def _read(self, prompt: str) -> str | None:
        typer.echo(prompt, nl=False, err=True)
        line = await self._lines.next()
        if self._echoes and line is not None:
            self._say(safe(line[:LONGEST]))
        return None if line is None else line.strip()[:LONGEST]

    def _choice(self, question: "Decide", text: str) -> str | None:
        """The action that a person means. If there is none, or more than one, a message says so."""
        legal = question.legal
        if text not in legal and SEVERAL.fullmatch(text):
            return self._several(question, [int(number) for number in re.findall(r"\d+", text)])
        by_number = {str(number): action for number, action in enumerate(legal, 1)}
        # A game may write its actions as numbers. Then 3 can be a choice or an action, and the person must say which.
        numbered = [by_number[text]] if text in by_number else []
        meant = sorted({*numbered, *({text} & set(legal))}) if numbered else _meant(legal, text)
        if len(meant) == 1:
            return meant[0]
        if meant:
            self._say(wrapped(f"{safe(text)} can mean {', '.join(meant)}."))
        elif text.isdecimal():
            self._say(f"There is no choice {text[:20]}. Choose 1 to {len(legal)}.")
        else:
            reason = refusal(self._game, question, self._seat, (text.upper(), text), self._who)
            self._say(wrapped(f"{safe(reason)} Type ? for help."))
        return None

    def _several(self, question: "Decide", numbers: Sequence[int]) -> str | None:
        """The first of several choices; the others are kept for the next questions. All are numbers of this list."""
        wrong = [number for number in numbers if not 1 <= number <= len(question.legal)]
        if wrong:
            self._say(f"There is no choice {str(wrong[0])[:20]}. Choose 1 to {len(question.legal)}.")
            return None
        first, *self._ahead = (question.legal[number - 1] for number in numbers)
        self._phase = question.phase
        return first

    def _typed_ahead(self, question: "Decide") -> str | None:
        """The next choice that was typed ahead, if it fits this question. If not, the rest is forgotten."""
        if not self._ahead:
            return None
        action, *self._ahead = self._ahead
        if question.phase == self._phase and action in question.legal:
            self._say(f"Your choice: {action}")
            return action
        self._say(f"You typed {action} ahead, which does not fit here. Choose again.")
        self._ahead = []
        return None

    # What a person can ask for

    async def _help(self, _question: "Decide") -> bool:
        self._say(HELP)
        return False

    async def _boards(self, question: "Decide") -> bool:
        self._draw(question.view, everything=True)
        self._ask(question)
        return False

    async def _rules(self, question: "Decide") -> bool:
        self._say(*self._words.rules(question.view))
        self._say(wrapped(f"All the rules: arena rules {self._game.name} --full"))
        return False

    async def _quit(self, _question: "Decide") -> bool:
        answer = await self._read("Leave the game? The arena then plays on for you. y or n > ")
        return answer is None or answer.lower() in ("y", "yes")


Command = Callable[[AtTerminal, "Decide"], Awaitable[bool]]
"""Something that a person can ask for. It returns whether the person leaves."""
COMMANDS: Mapping[str, Command] = {
    "?": AtTerminal._help,
    "h": AtTerminal._help,
    "help": AtTerminal._help,
    "s": AtTerminal._boards,
    "r": AtTerminal._rules,
    "rules": AtTerminal._rules,
    "q": AtTerminal._quit,
    "quit": AtTerminal._quit,
    "exit": AtTerminal._quit,
}
HELP = """\
Type the number of a choice, or the choice itself, or enough of its beginning or
end to tell it from the others; lower case works, too. Several numbers, as in
1 3 3, answer this question and the next ones of its kind.
  ?   this help
  s   all boards again (in lower case, if S is also a choice)
  r   a summary of the rules
  q   leave the game; the arena plays on for you
Ctrl-C ends the match at once, and nothing is recorded."""


def _command(legal: Sequence[str], text: str) -> Command | None:
    """The command that is typed. In capitals it may be a choice, which comes first."""
    if text in COMMANDS:
        return COMMANDS[text]
    return None if _meant(legal, text) else COMMANDS.get(text.lower())


def _meant(legal: Sequence[str], text: str) -> list[str]:
    """The actions that this text can mean: the whole of one, or the beginning or end of some."""
    if text in legal:
        return [text]
    text = text.casefold()
    exact = [action for action in legal if action.casefold() == text]
    return exact or [a for a in legal if a.casefold().startswith(text) or a.casefold().endswith(text)]


def _ordinal(rank: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(rank, f"{rank}th")
