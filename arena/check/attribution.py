"""Causes told from consequences: which of the troubles make findings, and to which finding the others belong.

1. What was seen in a special situation, but also where nothing special was going on, belongs to the latter.
2. A trouble that `follows` a finding which is made belongs to that. Findings are made by troubles that follow nothing,
   and then, in the order of exams, by those whose explanations are not there.
"""

from collections.abc import Sequence
from dataclasses import replace

from arena.check.advice import fix
from arena.check.findings import FINDINGS, Finding, Level
from arena.check.languages import Language
from arena.check.room import Trouble
from protocol.errors import FATAL, Kind

PLAIN = ("build", "start", "hello", "match")
"""The exams without any special situation: what fails there explains the same failure elsewhere."""
MISPLACED = frozenset(kind.value for kind in Kind if kind not in FATAL)
"""Whole messages that are refused: one that is refused for its id here may be refused for its time there."""
REFUSED = MISPLACED | {"illegal-action"}
"""Errors after which play goes on, so that other exams can be held."""


def attribute(troubles: Sequence[Trouble], language: Language) -> tuple[Finding, ...]:
    """One finding for each cause, in the order of exams; the other places where it was seen stand in `also`."""
    causes = _causes(troubles)
    findings: dict[str, Finding] = {}
    for trouble, cause in zip(troubles, causes):
        if cause == trouble.id and cause not in findings:
            findings[cause] = _finding(trouble, language)
    for trouble, cause in zip(troubles, causes):
        if cause in findings:
            findings[cause] = _seen_again(findings[cause], trouble.exam)
    return tuple(findings.values())


def _causes(troubles: Sequence[Trouble]) -> list[str]:
    """For each trouble the id of the finding that it belongs to."""
    plain = {trouble.id for trouble in troubles if trouble.id == trouble.raw and _is_plain(trouble)}
    explained = [_explained(trouble, plain) for trouble in troubles]
    left = [trouble for trouble, cause in zip(troubles, explained) if cause is None]
    made = {trouble.id for trouble in left if not trouble.follows}
    for trouble in left:
        if not made.intersection(trouble.follows):
            made.add(trouble.id)
    return [cause or _followed(trouble, made) for trouble, cause in zip(troubles, explained)]


def _is_plain(trouble: Trouble) -> bool:
    """Whether nothing special was going on."""
    return trouble.exam in PLAIN or (trouble.exam == "goodbye" and not trouble.follows)


def _explained(trouble: Trouble, plain: set[str]) -> str | None:
    """The plain failure of which this is another case."""
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


def _finding(trouble: Trouble, language: Language) -> Finding:
    meaning = FINDINGS[trouble.id]
    return Finding(
        id=trouble.id,
        level=Level(trouble.level or meaning.level),
        exam=trouble.exam,
        seen=trouble.seen,
        why=meaning.why,
        fix=fix(trouble.id, language),
        where=dict(trouble.where),
        stderr=trouble.stderr,
    )
