"""How far a match or a league is: one line on stderr that changes; outside a terminal a line now and then."""

import sys
import time
from typing import TYPE_CHECKING

import typer

from arena.cli.terminal import columns, say, takes_escapes
from arena.texts import counted, fitted, one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.league.run import Progress
    from arena.league.store import Store
    from arena.match.referee import Referee

EVERY_S = 0.2
"""How often the line changes."""
TOP_S, TOP_SHARE = 2.0, 0.03
"""How often the top of the table changes, which needs all results, and the share of time that this may take."""
LOGGED_S = 60.0
"""How often there is a line outside a terminal, such as in a log."""
TOP, TOP_NAME = 3, 16
"""How many bots of the top are shown, and in how many characters each."""
BAR = 16
"""Characters of the bar."""


class MatchLine:
    """Shows on stderr how far a match is, if that is a terminal."""

    def __init__(self) -> None:
        self._is_shown = takes_escapes(sys.stderr)
        self._next = time.monotonic()

    def show(self, referee: "Referee") -> None:
        if self._is_shown and time.monotonic() >= self._next:
            self._next = time.monotonic() + 0.1
            view = referee.game.view(referee.state, None)
            where = [f"{key} {view[key]}" for key in ("round", "turn") if view.get(key)]
            text = f"{counted(len(referee.steps), 'step')}, {' '.join([*where, view['phase']])}"
            _redraw(text)

    def clear(self) -> None:
        if self._is_shown:
            _redraw()


class RunLine:
    """Shows on stderr how many of the runs of a command are done, if that is a terminal."""

    def __init__(self, runs: int) -> None:
        self._is_shown = takes_escapes(sys.stderr)
        self._runs = runs

    def show(self, done: int) -> None:
        if self._is_shown:
            _redraw(f"{done} of {counted(self._runs, 'run')}")

    def clear(self) -> None:
        if self._is_shown:
            _redraw()


class LeagueLine:
    """Shows on stderr how far a league is: a bar, pace, time left, the top of the table; notes and warnings above.

    `of` says what stands there instead of the top of the table, from the results so far.
    """

    def __init__(self, of: "Callable[[Store], list[str]] | None" = None) -> None:
        self._of = of or top
        self._is_shown = takes_escapes(sys.stderr)
        began = time.monotonic()
        self._next = self._next_top = began if self._is_shown else began + LOGGED_S
        self._top: list[str] = []
        self._said = 0

    def show(self, progress: "Progress", store: "Store") -> None:
        said = [*progress.notes, *progress.warnings]
        for words in said[self._said :]:
            self.clear()
            say(one_line(words))
        self._said = len(said)
        at = time.monotonic()
        if at < self._next:
            return
        if self._is_shown:
            self._look_at_table(at, store)
            _redraw(line(progress, self._top, columns(sys.stderr) - 1))
        else:
            typer.echo("  ".join(pieces(progress)), err=True)
        self._next = at + (EVERY_S if self._is_shown else LOGGED_S)

    def _look_at_table(self, at: float, store: "Store") -> None:
        if at < self._next_top or not store.count():
            return
        self._top = self._of(store)
        now = time.monotonic()
        self._next_top = now + max(TOP_S, (now - at) / TOP_SHARE)

    def clear(self) -> None:
        if self._is_shown:
            _redraw()


def top(store: "Store") -> list[str]:
    """The first of the table."""
    from arena.league import results

    best = results.table(store)[:TOP]
    shown = fitted((standing.bot for standing in best), TOP_NAME)
    return [f"{standing.rank} {shown[standing.bot]}" for standing in best]


class Count:
    """Shows on stderr how many are done, if it is a terminal and the task takes longer than a moment."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._is_shown = takes_escapes(sys.stderr)
        self._next = time.monotonic() + EVERY_S

    def __enter__(self) -> "Count":
        return self

    def show(self, done: int, total: int) -> None:
        at = time.monotonic()
        if self._is_shown and at >= self._next:
            _redraw(f"{self._what}: {done:,}/{total:,}"[: columns(sys.stderr) - 1])
            self._next = at + EVERY_S

    def __exit__(self, *_: object) -> None:
        if self._is_shown:
            _redraw()


def _redraw(text: str = "") -> None:
    """Replace the line on the terminal; without a text, remove it."""
    typer.echo(f"\r\x1b[K{text}", nl=False, err=True)


def line(progress: "Progress", top: list[str], room: int) -> str:
    """As many whole pieces as fit."""
    filled = BAR * progress.done // max(1, progress.total)
    text = f"{'█' * filled}{'░' * (BAR - filled)}"[:room]
    for piece in (*pieces(progress), *top):
        longer = f"{text}  {piece}"
        if len(longer) > room:
            break
        text = longer
    return text


def pieces(progress: "Progress") -> list[str]:
    """Share, matches, pace, time left."""
    share = 100 * progress.done // max(1, progress.total)
    shown = [f"{share} %", f"{progress.done:,}/{progress.total:,}"]
    if progress.new:
        left = (progress.total - progress.done) / progress.rate
        shown += [f"{progress.rate:.1f}/s", f"{duration(left)} left"]
    return shown


def duration(seconds: float) -> str:
    """4 s, 2 min 5 s, 3 h 20 min."""
    whole = int(min(seconds, 359_999))
    hours, minutes = whole // 3600, whole % 3600 // 60
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {whole % 60} s" if minutes else f"{whole} s"
