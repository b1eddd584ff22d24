"""Causes and consequences: which troubles become findings, and to which finding the others belong.

1. What was seen in a special situation and also in an ordinary one belongs to the ordinary one.
2. A crash in a special situation is the same as an ordinary crash if it ends with the same words at the same place in
   the code.
3. A trouble that `follows` a reported finding belongs to it. Troubles that follow nothing become findings first; then,
   in the order of exams, those whose explanations were not found.
4. A finding shows its first trouble of the worst level; the others are places where it was seen again.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from arena.check.findings import FINDINGS, Finding, Level, meaning
from arena.check.languages import Language
from arena.check.remedies import remedy
from arena.check.room import Trouble
from protocol.errors import FATAL, ErrorKind

PLAIN = ("build", "start", "hello", "match")
"""The exams without a special situation: a failure there explains the same failure elsewhere."""
MISPLACED = frozenset(kind.value for kind in ErrorKind if kind not in FATAL)
"""Complete messages that are refused: one defect can look like a wrong id here and a wrong time there."""
REFUSED = MISPLACED | {"illegal-action"}
"""Errors after which the match continues, so that other exams can be held."""
PLACE = re.compile(r"line \d+|:\d+")
"""A place in the code, as most languages print it."""


def attribute(troubles: Sequence[Trouble], language: Language) -> tuple[Finding, ...]:
    """One finding for each cause, in the order of exams; `also` has the other exams where it was seen."""
    causes = _causes(troubles)
    shown: dict[str, Trouble] = {}
    for trouble, cause in zip(troubles, causes):
        if cause not in (trouble.id, trouble.raw):
            continue
        if cause not in shown or _rank(trouble, cause) > _rank(shown[cause], cause):
            shown.pop(cause, None)  # the finding moves to the place of the trouble that it shows
            shown[cause] = trouble
    findings = {cause: _finding(cause, trouble, language) for cause, trouble in shown.items()}
    for trouble, cause in zip(troubles, causes):
        if cause in findings:
            findings[cause] = _seen_again(findings[cause], trouble.exam)
    return tuple(findings.values())


def level_of(trouble: Trouble) -> Level:
    """How bad it is."""
    return Level(trouble.level or FINDINGS[trouble.id].level)


def _rank(trouble: Trouble, cause: str) -> tuple[bool, bool]:
    """The highest is shown: errors before warnings, then what was seen without a special situation."""
    return level_of(trouble) is Level.ERROR, trouble.id == cause


def _causes(troubles: Sequence[Trouble]) -> list[str]:
    """For each trouble, the id of its finding."""
    plain = {trouble.id for trouble in troubles if trouble.id == trouble.raw and _is_plain(trouble)}
    crashes = {_signature(trouble) for trouble in troubles if trouble.id == "crash" and _is_unspecial(trouble)}
    explained = [_explained(trouble, plain, crashes - {None}) for trouble in troubles]
    left = [trouble for trouble, cause in zip(troubles, explained) if cause is None]
    made = {trouble.id for trouble in left if not trouble.follows}
    for trouble in left:
        if not made.intersection(trouble.follows):
            made.add(trouble.id)
    return [cause or _followed(trouble, made) for trouble, cause in zip(troubles, explained)]


def _is_plain(trouble: Trouble) -> bool:
    """Whether it came in an exam without a special situation."""
    return trouble.exam in PLAIN or (trouble.exam == "goodbye" and not trouble.follows)


def _is_unspecial(trouble: Trouble) -> bool:
    """Whether it came in an ordinary match, in any exam."""
    return not trouble.follows and trouble.exam != "goodbye"


def _signature(trouble: Trouble) -> tuple[str, ...] | None:
    """The last line of a crash, and the last place in the code that its stderr names; None if that is empty."""
    lines = [line.strip() for line in trouble.stderr.splitlines() if line.strip()]
    places = [line for line in lines if PLACE.search(line)]
    return (*places[-1:], lines[-1]) if lines else None


def _explained(trouble: Trouble, plain: set[str], crashes: set[tuple[str, ...] | None]) -> str | None:
    """The plain failure that explains this one."""
    if trouble.id != trouble.raw == "crash" and _signature(trouble) in crashes:
        return trouble.raw
    if trouble.id != trouble.raw and trouble.raw in plain:
        return trouble.raw
    if trouble.raw in MISPLACED and trouble.raw not in plain:
        return min(plain & MISPLACED, default=None)
    return None


def _followed(trouble: Trouble, made: set[str]) -> str:
    return next((finding for finding in trouble.follows if finding in made), trouble.id)


def _seen_again(finding: Finding, exam: str) -> Finding:
    if exam == finding.exam or exam in finding.also:
        return finding
    return replace(finding, also=(*finding.also, exam))


def _fix(cause: str, trouble: Trouble, language: Language) -> str:
    """What the output itself calls for, or else the fix of the finding; and what holds for this bot."""
    output = f"{trouble.seen}\n{trouble.stderr}"
    return " ".join(filter(None, (remedy(cause, language, output, trouble.where), trouble.advice)))


def _finding(cause: str, trouble: Trouble, language: Language) -> Finding:
    return Finding(
        id=cause,
        level=level_of(trouble),
        exam=trouble.exam,
        seen=trouble.seen,
        why=meaning(cause, trouble.where).why,
        fix=_fix(cause, trouble, language),
        where=dict(trouble.where),
        stderr=trouble.stderr,
    )
