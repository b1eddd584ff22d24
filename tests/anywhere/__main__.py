"""`make anywhere`: visit every machine of the matrix, several at a time, and print what came of it.

    python -m tests.anywhere [MACHINE...] [--bare] [--list] [--jobs N] [--keep] [--tests PATH...]

A machine is named by a part of its name. Exit code 1 if anything is wrong with one. Logs stay in build/anywhere.
"""

import argparse
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from time import monotonic

from tests.anywhere import debian
from tests.anywhere.checkouts import Copy, prepare, prepare_bare
from tests.anywhere.commands import ROOT, Crew
from tests.anywhere.container import words
from tests.anywhere.machines import Checkout, Machine, bare_systems, matrix
from tests.anywhere.pythons import Host, survey
from tests.anywhere.tables import exit_code, row, table
from tests.anywhere.visits import Visit, Visitor

LOGS = ROOT / "build" / "anywhere"


def say(*lines: str) -> None:
    """A line at a time, also where the output is a file."""
    for line in lines:
        print(line, flush=True)  # noqa: T201 it is a program


def slug(name: str) -> str:
    """A name as a file's name."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")


def tour(machines: Sequence[Machine], host: Host, stage: Path, jobs: int, tests: Sequence[str]) -> list[Visit]:
    """Visit them all. Checkouts are made first, so that no visit can wait for one that has not begun."""
    crew = Crew()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            copies = _copies([machine for machine in machines if not machine.skip], host, stage, crew, pool)
            visits = [pool.submit(_visit, machine, copies, stage, crew, tests) for machine in machines]
            return [visit.result() for visit in visits]
        except BaseException:
            crew.end_all()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _copies(
    machines: Sequence[Machine], host: Host, stage: Path, crew: Crew, pool: Executor
) -> dict[str, Future[Copy]]:
    """The checkouts of these machines, as they get ready."""
    names = dict.fromkeys(machine.checkout for machine in machines)
    bare = [name for name in names if name in (Checkout.BARE_ROOT, Checkout.BARE_USER)]
    copies = {
        name: pool.submit(prepare, name, host, stage, crew, _log(f"checkout {name}"))
        for name in names
        if name not in bare
    }
    if bare:
        system = debian.make(stage.with_name(f"{stage.name}-bare"), stage, crew, _log("bare system"))
        copies |= {name: pool.submit(prepare_bare, name, system, crew, _log(f"checkout {name}")) for name in bare}
    return copies


def _log(name: str) -> Path:
    path = LOGS / f"{slug(name)}.log"
    path.unlink(missing_ok=True)
    return path


def _visit(machine: Machine, copies: dict[str, Future[Copy]], stage: Path, crew: Crew, tests: Sequence[str]) -> Visit:
    if machine.skip:
        visit = Visit(machine)
    else:
        folder = stage / "machines" / slug(machine.name)
        copy = copies[machine.checkout].result()
        visit = Visitor(machine, copy, folder, _log(machine.name), crew, tests).visit()
    say(row(visit))
    return visit


def read(argv: Sequence[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.anywhere", description="Visit every kind of machine.")
    parser.add_argument("machines", nargs="*", metavar="MACHINE", help="a part of its name; none: all")
    parser.add_argument("--bare", action="store_true", help="only the bare systems, which take minutes to make")
    parser.add_argument("--list", action="store_true", help="only name the machines")
    parser.add_argument(
        "--jobs",
        type=int,
        default=2 * (os.cpu_count() or 1),
        metavar="N",
        help="machines at a time (two for each core)",
    )
    parser.add_argument("--keep", action="store_true", help="do not remove the checkouts and what was played")
    parser.add_argument("--tests", nargs="+", default=[], metavar="PATH", help="run these tests, marked or not")
    return parser.parse_args(argv)


def main() -> None:
    asked, began = read(sys.argv[1:]), monotonic()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # also after nohup, and as build servers stop us
        signal.signal(number, signal.default_int_handler)
    host = survey(words())
    machines = [
        machine
        for machine in (bare_systems(host) if asked.bare else matrix(host))
        if not asked.machines or any(part.lower() in machine.name.lower() for part in asked.machines)
    ]
    found = [f"{version}: {path or 'not found'}" for version, path in host.pythons.items()]
    say("Python " + "\n       ".join(found), "")
    if asked.list or not machines:
        say(*(f"{machine.name}{f': {machine.skip}' if machine.skip else ''}" for machine in machines))
        sys.exit(0 if machines else f"No machine is called {' or '.join(asked.machines)}.")
    LOGS.mkdir(parents=True, exist_ok=True)
    stage = Path(tempfile.mkdtemp(prefix="dino-arena-"))
    os.chmod(stage, 0o755)  # bots of a root user are others
    tried = sum(not machine.skip for machine in machines)
    say(f"Machines to visit: {tried}, {asked.jobs} at a time, when their checkouts are made. Logs: {LOGS}", "")
    try:
        visits = tour(machines, host, stage, asked.jobs, asked.tests)
        say("", *table(visits), f"It took {monotonic() - began:.0f} s.")
        sys.exit(exit_code(visits))
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        if asked.keep:
            say(f"Kept: {stage}")
        else:
            for folder in (stage, stage.with_name(f"{stage.name}-bare")):
                shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
