"""Several matches of one command: played one after the other, kept if wanted, and summed up."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from arena.cli.exits import Exit
from arena.cli.output import keep
from arena.cli.progress import RunLine
from arena.cli.result import exit_code
from arena.cli.tables import table
from arena.texts import path as shown

if TYPE_CHECKING:
    from arena.match.play import MatchSetup
    from arena.match.record import MatchRecord

MOST_MATCHES = 100_000
"""Of one command."""


def play_all(setups: "Sequence[MatchSetup]", folder: Path | None) -> "list[MatchRecord]":
    """The records of these matches, in the order of the setups; new files in this folder, if there is one."""
    from arena import running
    from arena.match import play as matches
    from arena.match.record_file import fresh_path

    if folder is not None:
        _make_folder(folder)
    records: list[MatchRecord] = []
    line = RunLine(len(setups))
    try:
        for setup in setups:
            record = running.run(partial(matches.play, setup)).record()
            records.append(record if folder is None else keep(record, fresh_path(folder, record.header)))
            line.show(len(records))
    finally:
        line.clear()
    return records


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise typer.BadParameter(f"{shown(folder)}: not a folder for records: {error.strerror}") from None


def series_code(records: "Iterable[MatchRecord]") -> int:
    """The exit code of several matches: the worst of theirs."""
    codes = {exit_code(record) for record in records}
    return next((code for code in (Exit.FAILURE, Exit.BOT) if code in codes), Exit.OK)


# How a bot fared


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, and half of the width of its 95 % interval; None: there are too few numbers for one."""

    mean: float
    half: float | None

    def __str__(self) -> str:
        return f"{self.mean:.1f}" + (f" ± {self.half:.1f}" if self.half is not None else "")


@dataclass(frozen=True, slots=True)
class BotSummary:
    """What came of one bot in several matches; void ones do not count."""

    games: int
    wins: float
    """First places; of a shared one, the share."""
    share: tuple[float, float]
    """The 95 % interval of the part of games that it wins."""
    rank: Interval
    score: Interval
    margin: Interval
    """Of its score over the best of the others."""
    faults: int


def bot_summary(records: "Sequence[MatchRecord]", seats: Sequence[int]) -> BotSummary | None:
    """How the bot fared that has these seats in these matches; None if all are void."""
    from arena.league.statistics import wilson

    counted = [(record.verdict, seat) for record, seat in zip(records, seats) if record.verdict.void is None]
    if not counted:
        return None
    wins = sum(1 / verdict.ranks.count(1) for verdict, seat in counted if verdict.ranks[seat] == 1)
    margins = [
        verdict.scores[seat] - max((s for other, s in enumerate(verdict.scores) if other != seat), default=0)
        for verdict, seat in counted
    ]
    return BotSummary(
        len(counted),
        wins,
        wilson(wins, len(counted)),
        interval([verdict.ranks[seat] for verdict, seat in counted]),
        interval([verdict.scores[seat] for verdict, seat in counted]),
        interval(margins),
        sum(fault.seat == seat for verdict, seat in counted for fault in verdict.faults),
    )


def interval(numbers: Sequence[float]) -> Interval:
    """The mean of these numbers, with Student's 95 % interval."""
    from arena.league.statistics import CONFIDENCE, t_quantile

    count, mean = len(numbers), math.fsum(numbers) / len(numbers)
    if count < 2:
        return Interval(mean, None)
    variance = math.fsum((number - mean) ** 2 for number in numbers) / (count - 1)
    return Interval(mean, t_quantile((1 + CONFIDENCE) / 2, count - 1) * math.sqrt(variance / count))


def bots_table(names: Sequence[str], summaries: Sequence[BotSummary | None]) -> str:
    """A row for each bot."""
    rows = []
    for name, found in zip(names, summaries):
        if found is None:
            rows.append([name, *[""] * 6])
            continue
        low, high = found.share
        wins, percent = f"{found.wins:g}" if found.wins == int(found.wins) else f"{found.wins:.1f}", 100 / found.games
        rows.append([name, wins, f"{percent * found.wins:.0f} ({100 * low:.0f} to {100 * high:.0f})"])
        rows[-1] += [str(found.rank), str(found.score), f"{found.margin.mean:+.1f}{str(found.margin)[_lead(found) :]}"]
        rows[-1].append(str(found.faults))
    return table(rows, ["bot", "wins", "% of games", "rank", "score", "margin", "faults"], names=0)


def _lead(found: BotSummary) -> int:
    """Characters of the mean margin, which is shown with its sign instead."""
    return len(f"{found.margin.mean:.1f}")


def plain_summary(name: str, found: BotSummary | None) -> dict[str, Any]:
    """The same for programs."""
    if found is None:
        return {"bot": name, "games": 0}
    parts = {"rank": found.rank, "score": found.score, "margin": found.margin}
    means = {key: {"mean": part.mean, "half_width": part.half} for key, part in parts.items()}
    return {
        "bot": name,
        "games": found.games,
        "wins": found.wins,
        "win_share": {"low": found.share[0], "high": found.share[1]},
        **means,
        "faults": found.faults,
    }
