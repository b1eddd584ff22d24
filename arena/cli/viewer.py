"""A film in a terminal, with keys.

Theory of operation. A Viewer is a place in a Film: a value without IO. A key turns it into the next one, and it says
what its screen looks like. Only `watch` knows the terminal: it passes keys in and prints lines.
"""

import os
import re
import select
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from arena.cli.film import Film, Whose, events_part, head, picture, rule
from arena.cli.stderr import stderr_lines
from arena.words import words_for
from arena.words.lines import WIDTH
from engine.contract import Paint, plain

if TYPE_CHECKING:
    from arena.replay.moments import Moment

KEYS = "n next  b back  g go to  f fault  l lead  v view  e stderr  ? help  q quit"
HELP = """\
n  space  right      the next step
b  left              the step before
g NUMBER Enter       this step
d NUMBER Enter       the step of this decision
Home  End            the beginning, the end
f  F                 the next fault, the one before
l  L                 the next change of the lead, the one before: who would win
                     if the game ended here
0 to 9               the view of this seat, with the hands that it can see, and
                     with its board first
s                    the view of a spectator
a                    the view of all seats together
v                    the next of these views
up  down  PgUp  PgDn scroll, if the boards do not fit the window
Tab                  the next board
e                    what the bots wrote to stderr
r                    the rules in short, and what the letters mean
?                    this list; any key closes it
◂                    marks what the last step has changed
q                    quit"""


@dataclass(frozen=True, slots=True)
class Viewer:
    """A place in a film, and how it is looked at."""

    film: Film
    at: int = 0
    whose: Whose = "spectator"
    width: int = WIDTH
    height: int = 24
    top: int = 0
    """The first line of the body that is on the screen."""
    typed: str | None = None
    """The digits typed so far of a step or decision to go to."""
    goal: str = "step"
    """What they number."""
    message: str = ""
    page: str = ""
    """What is shown instead of the match: help, rules or stderr."""
    is_over: bool = False

    @property
    def moment(self) -> "Moment":
        return self.film.moments[self.at]

    # The screen

    def screen(self, paint: Paint) -> list[str]:
        """At most `height` lines."""
        above, pinned, whole = self._parts(paint)
        room = self._room(above, pinned)
        top = min(self.top, max(0, len(whole) - room))
        where = f"lines {top + 1}-{top + room} of {len(whole)} ↑↓" if len(whole) > room else ""
        shown = whole[top : top + room]
        lines = [*above, rule(self.film, self.moment, self.whose, where), *pinned, *shown]
        lines += [""] * (room - len(shown))
        return [*lines[: self.height - 1], self._foot(paint)]

    def _parts(self, paint: Paint) -> tuple[list[str], list[str], list[str]]:
        """The head, what happened, which stays on the screen, and what is below it and can be scrolled."""
        film, moment, whose = self.film, self.moment, self.whose
        above = head(film, moment, paint, self.width)
        if self.page:
            return above, [], PAGES[self.page](film, moment)
        events, boards = events_part(film, moment, whose, paint, self.width), picture(film, moment, whose, paint)
        if len(events) > self._room(above, []) // 2:  # long notes, or a low window
            return above, [], [*events, *boards]
        return above, events, boards

    def _room(self, above: Sequence[str], pinned: Sequence[str]) -> int:
        return max(1, self.height - len(above) - len(pinned) - 2)

    def _foot(self, paint: Paint) -> str:
        if self.typed is not None:
            return f"go to {self.goal} {self.typed}_   (Enter goes there, Esc cancels)"
        return paint(self.message, "yellow") if self.message else KEYS

    # The keys

    def press(self, key: str) -> "Viewer":
        """The viewer after a key: a character, or a name from NAMES."""
        calm = replace(self, message="")
        if self.page:
            return calm._scroll(SCROLLS[key]) if key in SCROLLS else replace(calm, page="", top=0)
        if self.typed is not None:
            return calm._type(key, self.typed)
        if key.isdecimal():
            return calm._look(int(key))
        return _ACTIONS[key](calm) if key in _ACTIONS else calm

    def _type(self, key: str, typed: str) -> "Viewer":
        if key == "enter":
            return replace(self, typed=None)._go(typed)
        if key == "escape":
            return replace(self, typed=None)
        if key == "backspace":
            return replace(self, typed=typed[:-1])
        return replace(self, typed=(typed + key)[:9]) if key.isdecimal() else self

    def _go(self, typed: str) -> "Viewer":
        if not typed:
            return self
        if self.goal == "step":
            return replace(self, at=int(typed)) if int(typed) <= self.film.last else self._refuse(typed)
        at = self.film.after(int(typed))
        return self._refuse(typed) if at is None else replace(self, at=at)

    def _refuse(self, typed: str) -> "Viewer":
        extent = f"this match has steps 0 to {self.film.last}" if self.goal == "step" else self.film.extent
        return replace(self, message=f"There is no {self.goal} {typed}: {extent}.")

    def _look(self, whose: Whose) -> "Viewer":
        if isinstance(whose, int) and whose not in self.film.seats:
            return replace(self, message=f"There is no seat {whose}: this match has seats 0 to {self.film.seats[-1]}.")
        return replace(self, whose=whose)

    def _look_on(self) -> "Viewer":
        everybody: list[Whose] = ["spectator", *self.film.seats, "all"]
        return self._look(everybody[(everybody.index(self.whose) + 1) % len(everybody)])

    def _step(self, by: int) -> "Viewer":
        if self.at + by not in range(len(self.film.moments)):
            return replace(self, message="This is the end." if by > 0 else "This is the beginning.")
        return replace(self, at=self.at + by)

    def _seek(self, what: str, wanted: Sequence[int], by: int) -> "Viewer":
        found = [at for at in wanted if (at > self.at if by > 0 else at < self.at)]
        if not found:
            return replace(self, message=f"There is no {what} {'after' if by > 0 else 'before'} this.")
        return replace(self, at=found[0 if by > 0 else -1])

    def _fault(self, by: int) -> "Viewer":
        return self._seek("fault", [moment.number for moment in self.film.moments if moment.faults], by)

    def _lead(self, by: int) -> "Viewer":
        pairs = zip(self.film.moments, self.film.moments[1:])
        return self._seek("change of the lead", [b.number for a, b in pairs if a.leaders != b.leaders], by)

    def _scroll(self, by: int) -> "Viewer":
        above, pinned, whole = self._parts(plain)
        most = max(0, len(whole) - self._room(above, pinned))
        return replace(self, top=max(0, min(min(self.top, most) + by, most)))

    def _next_board(self) -> "Viewer":
        """Scroll until the next board is at the top, or back to the beginning."""
        above, pinned, whole = self._parts(plain)
        most = max(0, len(whole) - self._room(above, pinned))
        starts = [number for number, line in enumerate(whole) if line.startswith("seat ")]
        return replace(self, top=next((min(start, most) for start in starts if start > min(self.top, most)), 0))


def _stderr(film: Film, _moment: "Moment") -> list[str]:
    return [line for seat in film.seats for line in stderr_lines(film.record, seat)]


def _rules(film: Film, moment: "Moment") -> list[str]:
    words = words_for(film.game, film.name, film.record.header.options)
    return [part for line in words.rules(film.view(moment, "spectator")) for part in line.split("\n")]


PAGES: Mapping[str, Callable[[Film, "Moment"], list[str]]] = {
    "help": lambda _film, _moment: HELP.splitlines(),
    "stderr": _stderr,
    "rules": _rules,
}
SCROLLS = {"up": -1, "down": 1, "page up": -10, "page down": 10}
_ACTIONS: Mapping[str, Callable[[Viewer], Viewer]] = {
    **dict.fromkeys(("n", " ", "right", "enter"), lambda viewer: viewer._step(1)),
    **dict.fromkeys(("b", "left", "backspace"), lambda viewer: viewer._step(-1)),
    "home": lambda viewer: replace(viewer, at=0),
    "end": lambda viewer: replace(viewer, at=viewer.film.last),
    "g": lambda viewer: replace(viewer, typed="", goal="step"),
    "d": lambda viewer: replace(viewer, typed="", goal="decision"),
    "f": lambda viewer: viewer._fault(1),
    "F": lambda viewer: viewer._fault(-1),
    "l": lambda viewer: viewer._lead(1),
    "L": lambda viewer: viewer._lead(-1),
    "v": Viewer._look_on,
    "s": lambda viewer: viewer._look("spectator"),
    "a": lambda viewer: viewer._look("all"),
    "up": lambda viewer: viewer._scroll(-1),
    "down": lambda viewer: viewer._scroll(1),
    "page up": lambda viewer: viewer._scroll(-10),
    "page down": lambda viewer: viewer._scroll(10),
    "\t": Viewer._next_board,
    "?": lambda viewer: replace(viewer, page="help", top=0),
    "e": lambda viewer: replace(viewer, page="stderr", top=0),
    "r": lambda viewer: replace(viewer, page="rules", top=0),
    "q": lambda viewer: replace(viewer, is_over=True),
}


# The terminal itself

_CURSOR = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end"}
_PAD = {1: "home", 4: "end", 5: "page up", 6: "page down", 7: "home", 8: "end"}
NAMES: Mapping[str, str] = {
    **{f"\x1b{kind}{letter}": name for kind in "[O" for letter, name in _CURSOR.items()},
    **{f"\x1b[{number}~": name for number, name in _PAD.items()},
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x1b": "escape",
}
"""What terminals send for keys that are not characters."""
ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l"
"""Switch to the alternate screen, hide the cursor, and cut long lines instead of wrapping them."""
DRAW, DRAWN = "\x1b[?2026h", "\x1b[?2026l"
"""Around a screen: terminals that know these show it at once; others ignore them."""
LEAVE = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"


def keys(data: bytes) -> list[str]:
    """The keys that these bytes of a terminal stand for; unknown sequences are left out."""
    pieces = re.findall(r"\x1b[\[O][0-9;]*[A-Za-z~]|.", data.decode(errors="replace"), re.DOTALL)
    named = (NAMES.get(piece, piece) for piece in pieces)
    return [name for name in named if not name.startswith("\x1b")]


def watch(viewer: Viewer, paint: Paint) -> None:
    """Show a film in the terminal until the user quits, then restore the terminal."""
    stdin, stdout = sys.stdin.fileno(), sys.stdout.fileno()
    with _resizes() as resized, _other_screen(stdin):
        while not viewer.is_over:
            size = os.get_terminal_size(stdout)
            viewer = replace(viewer, width=size.columns or WIDTH, height=size.lines or 24)
            # A row is cleared first: a line that fills it leaves the cursor in the last column, which would be cleared.
            _put(f"{DRAW}\x1b[H" + "\r\n".join(f"\x1b[K{line}" for line in viewer.screen(paint)) + DRAWN)
            ready, _, _ = select.select([stdin, resized], [], [])
            if resized in ready:
                os.read(resized, 1024)
            if stdin in ready:
                data = os.read(stdin, 1024)
                if not data:
                    return  # the terminal is gone
                for key in keys(data):
                    viewer = viewer.press(key)


@contextmanager
def _other_screen(stdin: int) -> Iterator[None]:
    import termios
    import tty

    before = termios.tcgetattr(stdin)
    try:
        tty.setcbreak(stdin)
        _put(ENTER)
        yield
    finally:
        with suppress(OSError):  # a terminal that is gone need not be restored
            _put(LEAVE)
        with suppress(termios.error):
            termios.tcsetattr(stdin, termios.TCSADRAIN, before)


@contextmanager
def _resizes() -> Iterator[int]:
    """A descriptor that is readable after the window has changed its size. SIGTERM and SIGHUP end in good order."""

    def leave(number: int, _frame: object) -> None:
        sys.exit(128 + number)

    read, write = os.pipe()
    os.set_blocking(write, False)
    waker = signal.set_wakeup_fd(write)
    handlers = {signal.SIGWINCH: lambda *_: None, signal.SIGTERM: leave, signal.SIGHUP: leave}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield read
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(waker)
        os.close(read)
        os.close(write)


def _put(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
