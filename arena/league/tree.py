"""Where everything is in the drawing of a bracket, in lines from the top and columns from the left.

A column is a round, and the last one has the winners of the round before it. Terminal and report draw the same tree.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from arena.league.ties import Round, Tie

FINAL = "Final"


@dataclass(frozen=True, slots=True)
class BracketEntry:
    """A bot in one round: its line, and its tie. In the column of winners it has no tie, and perhaps no bot yet."""

    line: int
    bot: str | None
    tie: Tie | None


@dataclass(frozen=True, slots=True)
class BracketColumn:
    """A round in the drawing."""

    title: str
    entries: tuple[BracketEntry, ...]
    joints: tuple[tuple[int, ...], ...]
    """The lines of the bots of each tie, which a line joins on the right."""


def columns(rounds: Sequence[Round]) -> Iterator[BracketColumn]:
    """Ties have one empty line between them in the first round; a later bot is in the middle of the tie it has won."""
    line, lines = 0, dict[str, int]()
    for number, ties in enumerate(_in_order(rounds)):
        entries, joints = list[BracketEntry](), list[tuple[int, ...]]()
        for tie in ties:
            if number == 0:
                lines |= {bot: line + at for at, bot in enumerate(tie.bots)}
                line += len(tie.bots) + 1
            entries += [BracketEntry(lines[bot], bot, tie) for bot in tie.bots]
            joints.append(tuple(lines[bot] for bot in tie.bots))
            lines[tie.best] = middle(joints[-1])
        yield BracketColumn(title(rounds, number), tuple(entries), tuple(joints))
    yield BracketColumn("", tuple(BracketEntry(lines[tie.best], tie.winner, None) for tie in rounds[-1]), ())


def title(rounds: Sequence[Round], number: int) -> str:
    is_final = number == len(rounds) - 1 and len(rounds[-1]) == 1
    return FINAL if is_final else f"Round {number + 1}"


def middle(lines: Sequence[int]) -> int:
    return (min(lines) + max(lines)) // 2


def _in_order(rounds: Sequence[Round]) -> list[list[Tie]]:
    """The ties of each round from top to bottom, so that no lines cross: a tie is beside those of its bots."""
    ordered = [list(rounds[-1])]
    for round_ in reversed(rounds[:-1]):
        by_winner = {tie.best: tie for tie in round_}
        ordered.insert(0, [by_winner[bot] for tie in ordered[0] for bot in tie.bots])
    return ordered
