"""How to fix what went wrong, from what the bot printed: the same words in `arena check` and in `arena play`."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from arena.check.advice import ANYWHERE, fix
from arena.check.hints import hint, sign, stack_hint
from arena.check.languages import Language
from arena.check.places import own_place
from arena.match.bot import NEARLY

if TYPE_CHECKING:
    from arena.match.record import FaultNote

EXPLAINED = frozenset(
    ("build-failed", "cannot-start", "exits-early", "crash", "silent", "no-ready", "hang", "memory-limit", "sandbox")
)
"""Findings whose cause the bot's own output may name."""
OUT_OF_MEMORY = (
    "memoryerror", "outofmemoryerror", "out of memory", "bad_alloc", "cannot allocate memory",
    "memory allocation of", "heap limit", "failed to reserve memory", "array buffer allocation failed",
)  # fmt: skip
"""What runtimes print when they run out of memory."""
NEARLY_ALL = re.compile(r"with (\d{1,6}) MB of the (\d{1,6}) MB of memory")
FIRST_OWN = "the first line of your own code in the stack above, which is not one of dinobot"
INNERMOST_FIRST = re.compile(r"^Its stack, innermost first|^goroutine \d+ \[running\]", re.MULTILINE)
"""Stacks that begin where the bot was."""
REFUSED_ACTION = re.compile(r"'([\w@/+.-]{1,60})'(?: is malformed|: )|\b([\w@/+.-]{1,60}) is not legal")
CHOICES = re.compile(r"Legal: ([^\n]{1,4000})\.")
OF_FAULTS: Mapping[str, str] = {
    "crash": "crash",
    "not-started": "cannot-start",
    "illegal": "illegal-action",
    "no-hello": "silent",
    "not-ready": "no-ready",
}
"""The findings that `arena check` has for the faults of a match, where one fault has one meaning."""


def remedy(finding: str, language: Language, output: str, where: Mapping[str, Any] = ANYWHERE) -> str:
    """What to do about a finding, after which the bot's faults and stderr are `output`."""
    if finding == "illegal-action":
        return " ".join(filter(None, (other_case(output), fix(finding, language, where))))
    if finding not in EXPLAINED:
        return fix(finding, language, where)
    there = own_place(output)
    words = hint(output) or sign(finding, output, there or FIRST_OWN)
    if not words or words == hint(output):
        at = f"It happened at {there}." if there and INNERMOST_FIRST.search(output) else ""
        words = " ".join(filter(None, (at, words or fix(finding, language, where))))
    return " ".join(filter(None, (words, stack_hint(output))))


def finding_of(faults: Sequence["FaultNote"], stderr: str, has_answered: bool) -> str | None:
    """Which finding the faults of one bot are, if they say so."""
    kinds, text = [fault.kind for fault in faults], faults[0].text
    if kinds[0] == "crash":
        return _of_crash(text, stderr)
    if kinds[0] == "late":
        return None if has_answered else "hang"  # a bot that has answered may be slow, or hang now
    if kinds[0] == "protocol":
        return "text" if "text on stdout" in text else None
    if kinds[0] == "malformed":
        return "illegal-action" if "is malformed, expected" in text else None
    return OF_FAULTS.get(kinds[0])


def _of_crash(text: str, stderr: str) -> str:
    if "before it said hello" in text:
        return "exits-early"
    used = NEARLY_ALL.search(text)
    is_full = used is not None and int(used[1]) >= NEARLY * int(used[2])
    return "memory-limit" if is_full or lacks_memory(stderr) else "crash"


def lacks_memory(stderr: str) -> bool:
    """Whether a runtime says that it has no more memory."""
    said = stderr.lower()
    return any(words in said for words in OUT_OF_MEMORY)


def other_case(output: str) -> str:
    """Whether a refused action is a legal one in other letters."""
    refused, choices = REFUSED_ACTION.search(output), CHOICES.search(output)
    if refused is None or choices is None:
        return ""
    action = refused[1] or refused[2]
    meant = [legal for legal in choices[1].split() if legal.casefold() == action.casefold() != legal]
    return f"`legal` has {meant[0]}, the bot answered {action}: upper and lower case differ." if meant else ""
