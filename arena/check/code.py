"""The line of code that a compiler complains about, for compilers that print only its number."""

import re
from collections.abc import Sequence
from pathlib import Path

from arena.texts import cut, safe

ERROR_AT = re.compile(r"^(?:\[ERROR\] )?(?P<path>[\w./-]{1,300}\.\w{1,8})(?::\[?|\()(?P<line>\d{1,6})[,:]")
"""How Go, Maven and tsc name a place: bot.go:9:6:, Bot.java:[10,15], bot.ts(8,73):."""
MOST_BYTES = 1 << 20
LONGEST = 200


def with_code(lines: Sequence[str], folder: Path) -> list[str]:
    """The lines of a build, with the code after the first one that names a place in the bot's folder."""
    for at, line in enumerate(lines):
        found = ERROR_AT.match(line)
        code = _line(folder, found["path"], int(found["line"])) if found else ""
        if found and code:
            shown = [] if any(code.strip() in other for other in lines) else [f"  {found['line']} | {code}"]
            return [*lines[: at + 1], *shown, *lines[at + 1 :]]
    return list(lines)


def _line(folder: Path, name: str, number: int) -> str:
    """A line of a file of the bot; empty if there is none."""
    path = (folder / name).resolve()
    if folder.resolve() not in path.parents or not path.is_file() or path.stat().st_size > MOST_BYTES:
        return ""
    lines = path.read_text("utf-8", "backslashreplace").split("\n")
    return safe(cut(lines[number - 1].expandtabs(4).rstrip(), LONGEST)) if 0 < number <= len(lines) else ""
