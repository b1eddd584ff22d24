"""Which lines of a program's output show why it failed.

Python, Rust and Java end with the reason, or near it; Go, Node and the sanitizers of C begin with it and print pages of
stack or registers after that; compilers print the first error first, and tools around them end with advice of their
own. So both ends are shown, and what stands around the first and the last line that names an error.
"""

import re
from collections.abc import Iterable, Sequence

from arena.texts import cut, safe, without_escapes

FEW = 20
"""Output of no more lines is shown as it is."""
CONTEXT = 7
"""Lines from one that names an error on: the code, the place, the first frames of the stack."""
LAST = 7
LONGEST = 400
"""Characters that are shown of one line."""
MOST_OWN = 2
"""Frames of the bot's own code that are kept where a long stack is cut."""
MOST_LINES = 2000
"""Lines that are searched at either end, because a bot may print anything."""

ERROR = re.compile(
    r"""^\s*(\[ERROR\]\ )? ( panic | fatal\ error | fatal | Traceback | Uncaught | Caused\ by )\b
    | \bException\ in\ thread\b | \bpanicked\ at\b | \bterminate\ called\b | \bSegmentation\ fault\b
    | ^"main"\ .*\bprio= | ^==\d+==\s*ERROR | \bruntime\ error\b | ^SIG[A-Z]+: | ^(Current\ thread|Thread)\ 0x
    | \b(syntax\ )?error(\[\w+\]|\ TS\d+)?: | ^\S+:\d+:\d+:\ (?!warning|note) | ^\[ERROR\]\ \S+:\[\d+,\d+\]
    | ^\s*[\w.]*(Error|Exception)\b(?!\s*\() | ^(make|sh|/bin/sh|npm\ (ERR!|error))\b.*(not\ found|Error)
    """,
    re.VERBOSE,
)
"""How runtimes and compilers begin to say what went wrong."""
NOISE = re.compile(
    r"""^Picked\ up\ (JAVA_TOOL_OPTIONS|_JAVA_OPTIONS): | ^Current\ thread's\ C\ stack\ trace
    | ^\s*\d+:\ 0x[0-9a-f]+\ .*\[\S*node\]$ | ^<---\ JS\ stacktrace\ --->$ | ^-+\ Native\ stack\ trace\ -+$
    | ^\s*(eden|from|to|the|class)\s+space\s.*\d+K | ^\s*(def\ new|tenured)\ generation\s | ^\s*Metaspace\s
    | ^_java_thread_list= | ^(0x[0-9a-f]+(,\ |,?$))+$ | ^Threads\ class\ SMR\ info: | ^}$
    | ^(r[a-z0-9]{1,5}|[cfg]s)\s+0x[0-9a-f]+$
    """,
    re.VERBOSE,
)
"""What a runtime prints in every run, and addresses in itself that no author can use."""
FRAME = re.compile(
    r"""^\s+(?P<path>\S+\.go):\d+ | ^\s*File\ "(?P<file>[^"]+)",\ line\ \d+
    | ^\s+at\ .*\((?P<inner>[^()\s]+):\d+(:\d+)?\)$ | ^\s+at\ (?P<bare>\S+\.rs):\d+
    """,
    re.VERBOSE,
)
"""A place in a stack, as Go, Python, Node, Java and Rust print it."""
NOT_OWN = re.compile(r"dinobot|^/usr/|^/rustc/|^node:|^<|/site-packages/|/node_modules/|/lib/python", re.IGNORECASE)
"""Places in the runtime, in libraries and in the kit."""
PLACE_OF_JAVA = re.compile(r"^\[ERROR\]\s+(?P<place>\S+:\[\d+,\d+\])")
ADVICE_OF_TOOLS = re.compile(
    r"""^\[ERROR\]\s*($ | ->\ \[Help | To\ see\ the\ full\ stack | Re-run\ Maven | For\ more\ information
    | \[Help\ \d+\] | COMPILATION\ ERROR | After\ correcting | mvn\ <args> | Failed\ to\ execute\ goal.*-+>\ \[Help)
    | ^\[INFO\] | ^-+$ | ^npm\ warn | ^added\ \d+\ package | ^>\  | ^npm\ (ERR!|error)\ (A\ complete\
log|\s*$|.*debug-0\.log)     """,
    re.VERBOSE,
)
"""What Maven and npm print around the compiler's own words, and what is the same for every error."""


def telling(output: str) -> list[str]:
    """The lines that show why a program failed, safe to print, with a line for each gap."""
    lines = _filled(output)
    return _chosen(lines, [0, *_errors(lines)])


def telling_of_build(output: str) -> list[str]:
    """The same for a build: the compiler's errors, without what a tool around it adds."""
    lines = _filled(output)
    own = list(_unrepeated(line for line in lines if not ADVICE_OF_TOOLS.search(line))) or lines
    errors = _errors(own)
    return _chosen(own, errors[:2]) if errors else _chosen(own, [0])


def _filled(output: str) -> list[str]:
    return [line for line in map(_plain, _ends(output.splitlines())) if line.strip() and not NOISE.match(line)]


def _ends(lines: Sequence[str]) -> Sequence[str]:
    return lines if len(lines) <= 2 * MOST_LINES else [*lines[:MOST_LINES], *lines[-MOST_LINES:]]


def _plain(line: str) -> str:
    """A line without colours and tabulators, escaped and cut."""
    return safe(cut(without_escapes(line[: 4 * LONGEST]).expandtabs(4).rstrip(), LONGEST))


def _errors(lines: Sequence[str]) -> list[int]:
    """Where errors are named: the first place, and the last one after which there are lines of its own."""
    found = [at for at, line in enumerate(lines) if ERROR.search(line)]
    return found[:1] + found[-1:]


def _chosen(lines: Sequence[str], starts: Iterable[int]) -> list[str]:
    """Lines from these places on, and the last ones."""
    if len(lines) <= FEW:
        return list(lines)
    kept = {at for start in starts for at in range(start, min(start + CONTEXT, len(lines)))}
    kept |= set(range(len(lines) - LAST, len(lines)))
    kept |= {near for at in own_frames(lines)[:MOST_OWN] for near in (at - 1, at, at + 1) if near < len(lines)}
    shown: list[str] = []
    before = -1
    for at in sorted(kept):
        if at - before > 1:
            shown.append(f"... {at - before - 1} more lines ..." if at - before > 2 else lines[at - 1])
        shown.append(lines[at])
        before = at
    return shown


def own_frames(lines: Sequence[str]) -> list[int]:
    """Where a stack is in the bot's own code."""
    places = ((at, FRAME.match(line)) for at, line in enumerate(lines))
    return [
        at for at, found in places if found and not NOT_OWN.search("".join(filter(None, found.groupdict().values())))
    ]


def _unrepeated(lines: Iterable[str]) -> Iterable[str]:
    """Maven prints each error of the compiler twice."""
    seen = set()
    for line in lines:
        found = PLACE_OF_JAVA.match(line)
        if found is None:
            yield line
        elif found["place"] not in seen:
            seen.add(found["place"])
            yield line
