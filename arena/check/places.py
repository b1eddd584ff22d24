"""The lines of code in a stack of a compiled bot, which has only addresses.

The kits of C and C++ print what backtrace_symbols of the C library returns, such as `./bot(+0x12ab)[0x55...]`. If
addr2line (binutils) is installed, each frame becomes `decide at bot.c:9`. It reads the bot's program, so it is used
only for bots that the user trusts.
"""

import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.match.telling import own_frames

FRAME = re.compile(
    r"^(?P<folder>[^\s()]{0,400}/)?(?P<program>[^\s()/]{1,60})\((?P<name>[^()]*)\+(?P<at>0x[0-9a-f]{1,16})\)"
)
"""A line of backtrace_symbols; `name` is empty if the frame has none."""
STOPPED = 2
"""The frame that a signal stopped: after the handler that prints the stack, and the kernel's call of it."""
NAMED = re.compile(r"^(?P<function>.{1,200}) at (?P<place>[\w./+-]{1,200}:\d{1,7})$")
LIBRARY = re.compile(r"(^|/)dinobot\.|^/")
"""Places in the kit's own library, and outside of the bot's folder."""
FILE_AND_LINE = re.compile(r"([\w.-]{1,80}\.\w{1,8})(?::|\", line )(\d{1,7})")
ARGUMENTS = re.compile(r"<[^<>]*>|\([^()]*\)( const)?$")
"""What C++ adds to the name of a function."""
MOST_FRAMES = 64
LIMIT_S = 10.0


def with_names(output: str, folder: Path) -> str:
    """The output with functions and lines instead of addresses; as it is if that is not possible."""
    lines = output.split("\n")
    starts = [at for at, line in enumerate(lines) if FRAME.match(line)]
    if not starts:
        return output
    first = starts[0]
    frames = _frames(lines[first:])
    named = _named(frames, folder)
    return "\n".join([*lines[:first], *named, *lines[first + len(frames) :]]) if named else output


def own_place(output: str) -> str:
    """The innermost line of the bot's own code in a stack that begins with the innermost; empty if there is none."""
    lines = output.split("\n")
    for line in lines:
        found = NAMED.match(line.strip())
        if found and not LIBRARY.search(found["place"]):
            return f"{found['place']}, in {found['function']}"
    found = next((FILE_AND_LINE.search(lines[at]) for at in own_frames(lines)), None)
    return f"{found[1]}:{found[2]}" if found else ""


def _frames(lines: Sequence[str]) -> list["re.Match[str]"]:
    found: list[re.Match[str]] = []
    for line in lines[:MOST_FRAMES]:
        frame = FRAME.match(line)
        if frame is None:
            break
        found.append(frame)
    return found


def _named(frames: Sequence["re.Match[str]"], folder: Path) -> list[str]:
    """A line for each call in the bot's own code, innermost first; empty if none is known."""
    program, tool = frames[0]["program"], shutil.which("addr2line")
    file = folder / program
    if tool is None or not file.is_file():
        return []
    addresses = [_address(at, frame) for at, frame in enumerate(frames)]
    ours = [at for at, frame in enumerate(frames) if frame["program"] == program]
    shown = _run([tool, "-aCfie", str(file), *(addresses[at] for at in ours)])
    calls = dict(zip(ours, _calls(shown, folder), strict=False))
    is_handled = len(frames) > 1 and frames[1]["program"] != program
    named = [line for at in ours[is_handled:] for line in calls.get(at, [])]
    return [line for line in named if not LIBRARY.search(line.rpartition(" at ")[2])] or named


def _address(at: int, frame: "re.Match[str]") -> str:
    """Of the call: a frame has the address to which it returns, except the one that the signal stopped."""
    return hex(max(0, int(frame["at"], 16) - (at != STOPPED)))


def _run(command: Sequence[str]) -> str:
    try:
        ended = subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ended.stdout.decode("utf-8", "backslashreplace")


def _calls(shown: str, folder: Path) -> Iterator[list[str]]:
    """For each address, the calls there: more than one if functions were inlined."""
    for block in re.split(r"^0x[0-9a-f]+\n", shown, flags=re.MULTILINE)[1:]:
        lines = block.splitlines()
        pairs = zip(lines[::2], (_place(line, folder) for line in lines[1::2]))
        yield [f"{_short(function)} at {place}" for function, place in pairs if place]


def _short(function: str) -> str:
    """The name of a function without its types."""
    before = ""
    while before != function:
        before, function = function, ARGUMENTS.sub("", function)
    return function.rpartition(" ")[2] or before


def _place(line: str, folder: Path) -> str:
    """The file, relative to the bot's folder, and the line; empty if they are unknown."""
    path, _, number = line.split(" (", maxsplit=1)[0].rpartition(":")
    if not number.isdigit() or path.startswith("?"):
        return ""
    return f"{path.removeprefix(f'{folder.resolve()}/').removeprefix('./')}:{number}"
