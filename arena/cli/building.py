"""`--build`: how it is spelled, and what it prints."""

import codecs
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.manual import Explained
from arena.cli.terminal import say, unstyled
from arena.texts import SHOWN, one_line, safe

if TYPE_CHECKING:
    from arena.roster.entries import Entry

WAYS = ("no", "yes", "sandboxed")
LIMIT_S = 900
"""How long a build may take. The first one on a machine also fetches packages."""
MOST_SHOWN = 1 << 16
"""Characters of a build's output that are shown while it runs."""
LONGEST_LINE, LONGEST_COMMAND = 2000, 80
LAST_LINES = 20
"""Lines that are shown at the end, if the build failed and its output was cut."""


class Building(Explained):
    """A command with `--build`, which may stand alone."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        return super().parse_args(ctx, spelled(args))


def spelled(args: Sequence[str]) -> list[str]:
    """`--build` alone is `--build=yes`, so that a bot can follow it; `--build sandboxed` is `--build=sandboxed`."""
    words, rest = list[str](), list(args)
    while rest and rest[0] != "--":
        word = rest.pop(0)
        if word == "--build":
            word = f"--build={rest.pop(0) if rest and rest[0] in WAYS else 'yes'}"
        words.append(word)
    return [*words, *rest]


def _way(word: str | None) -> str | None:
    if word is not None and word not in WAYS:
        raise typer.BadParameter(f"{word}: choose one of {', '.join(WAYS)}")
    return word


HELP = (
    "Run the build command of bot.toml first, outside the sandbox, with your rights; `--build sandboxed` runs it in "
    "the sandbox, without a network."
)
BuildOption = Annotated[str | None, typer.Option("--build", metavar="[WAY]", callback=_way, help=HELP)]
BuildLimit = Annotated[
    int, typer.Option("--build-limit", metavar="SECONDS", min=1, max=86_400, help="How long one build may take.")
]


def build_all(entries: Sequence["Entry"], word: str | None, limit_s: int) -> bool:
    """Build these bots if the user asked for it. Whether any was built."""
    way = word or "no"
    if way == "no":
        return False
    for entry in entries:
        build_one(entry, way, limit_s)
    return True


def name_unbuilt(entries: Sequence["Entry"]) -> None:
    """Warn about the bots that look unbuilt, or that have changed since they were built."""
    for words in dict.fromkeys(filter(None, map(unbuilt, entries))):
        say(words)


def unbuilt(entry: "Entry") -> str:
    """The warning about a bot that has not been built since its sources changed; empty if there is no need for one."""
    from arena.roster.platforms import is_unbuilt, newer_source

    add = "Add --build sandboxed (no network), or --build (outside the sandbox, with your rights)."
    if is_unbuilt(entry):
        return f"{safe(entry.name)} has not been built ({said(entry)}). {add}"
    if newer := newer_source(entry):
        return f"{safe(entry.name)} was built before {one_line(newer, SHOWN)} was changed: the old build plays. {add}"
    return ""


def build_one(entry: "Entry", way: str, limit_s: int = LIMIT_S) -> None:
    """Build a bot, its output on stderr. RosterError if that fails."""
    from arena import running
    from arena.building.build import Way, build
    from arena.errors import RosterError

    printed = Printout()
    why = running.run(lambda: build(entry, Way(way), printed.hear, limit_s))
    printed.close(why is not None)
    if why is not None:
        from arena.check.hints import hint

        found = hint(printed.text())
        way_out = f" {found}" if found else ""
        raise RosterError(f"{entry.name}: build '{said(entry)}' in {entry.folder} {why}; see above.{way_out}")


def said(entry: "Entry") -> str:
    """A build command on one line, cut if it is long."""
    text = one_line(shlex.join(entry.build))
    return text if len(text) <= LONGEST_COMMAND else f"{text[:LONGEST_COMMAND]}..."


class Printout:
    """Shows a build's output on stderr: line by line, escaped, and of very long output the beginning and the end."""

    def __init__(self) -> None:
        from arena.match.excerpt import Excerpt

        self._text = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        self._line = ""
        self._room = MOST_SHOWN
        self._all = Excerpt()

    def hear(self, data: bytes) -> None:
        self._all.add(data)
        if self._room > 0:
            *lines, self._line = (self._line + self._text.decode(data)).split("\n")
            for line in lines:
                self._show(line)
            if len(self._line) > LONGEST_LINE:
                self._show(self._line)
                self._line = ""

    def _show(self, line: str) -> None:
        if self._room > 0:
            text = plain(line)
            self._room -= len(text) + 1
            typer.echo(text, err=True)
            if self._room <= 0:
                say("the build prints more; only the beginning is shown")

    def text(self) -> str:
        """The beginning and the end of everything."""
        return self._all.text()

    def close(self, failed: bool) -> None:
        """Show what is left. If the build failed and its output was cut, also show the end."""
        if self._room > 0 and self._line:
            self._show(self._line)
        elif self._room <= 0 and failed:
            for line in self._all.text().splitlines()[-LAST_LINES:]:
                typer.echo(plain(line), err=True)


def plain(line: str) -> str:
    """A line of a stranger's program: without colours, and with all control characters escaped."""
    cut = line.rstrip("\r")[:LONGEST_LINE].expandtabs()
    return safe(unstyled(cut))[: 2 * LONGEST_LINE]
