"""What is printed: a line for each machine as it is done, and in the end a table, the reasons of skips, and faults."""

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import wrap

from tests.anywhere.visits import Visit

WIDTH = 80
HEADS = ("machine", "user", "tier", "demo", "passed", "skipped", "failed", "time")
WIDTHS = (31, 4, 4, 6, 6, 7, 6, 5)
"""Of the columns, with a space between them and one more after the first."""


def row(visit: Visit) -> str:
    """One machine."""
    if visit.machine.skip:
        return _aligned((visit.machine.name, "", "", "", "", "", "", "")).rstrip() + "  not tried"
    counts = (visit.passed, visit.skips.total(), visit.failed)
    words = (visit.machine.name, visit.user, visit.tier or "?", visit.demo or "-", *map(str, counts))
    return _aligned((*words, f"{visit.seconds:.0f} s"))


def table(visits: Sequence[Visit]) -> Iterator[str]:
    """All of them, and what is to be said about them."""
    yield _aligned(HEADS)
    yield _aligned(tuple("-" * width for width in WIDTHS))
    yield from map(row, visits)
    yield from _skips(visits)
    yield from _faults([visit for visit in visits if visit.faults])
    yield ""
    yield verdict(visits)


def verdict(visits: Sequence[Visit]) -> str:
    """What it comes to."""
    tried = [visit for visit in visits if not visit.machine.skip]
    failed = sum(bool(visit.faults) for visit in tried)
    left_out = f", {len(visits) - len(tried)} not tried" if len(visits) > len(tried) else ""
    return f"{len(tried) - failed} of {len(tried)} machines are well{left_out}."


def exit_code(visits: Sequence[Visit]) -> int:
    """1 if something is wrong with any machine, or none was tried."""
    return int(any(visit.faults for visit in visits) or all(visit.machine.skip for visit in visits))


def _skips(visits: Sequence[Visit]) -> Iterator[str]:
    machines = Counter(visit.machine.skip for visit in visits if visit.machine.skip)
    tests: Counter[str] = sum((visit.skips for visit in visits), Counter())
    for title, reasons in (("Machines that were not tried:", machines), ("Tests that were skipped:", tests)):
        if reasons:
            yield ""
            yield title
            for reason, times in reasons.most_common():
                yield from wrap(reason, WIDTH, initial_indent=f"{times:5}  ", subsequent_indent=" " * 7)


def _faults(visits: Sequence[Visit]) -> Iterator[str]:
    for visit in visits:
        yield ""
        yield f"{visit.machine.name} FAILED:"
        for fault in visit.faults:
            yield from wrap(fault, WIDTH, initial_indent="  ", subsequent_indent="  ")
        yield f"  log: {visit.log}"  # in one line, so that it can be copied


def _aligned(cells: Sequence[str]) -> str:
    words = [cell.ljust(width) for cell, width in zip(cells[:4], WIDTHS[:4])]
    numbers = [cell.rjust(width) for cell, width in zip(cells[4:], WIDTHS[4:])]
    return " ".join((words[0] + " ", *words[1:], *numbers)).rstrip()
