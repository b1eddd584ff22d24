"""`arena bench`: how fast the arena is on this machine, compared with something else measured in the same run."""

import json
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

from arena.cli.parameters import AsJson
from arena.cli.tables import table

SECONDS = {
    "engine": 90,
    "referee": 20,
    "sandbox": 30,
    "league": 150,
    "kits": 60,
    "web": 90,
    "start": 20,
    "ratings": 60,
    "bots": 40,
}
"""The parts of `arena bench all`, and about how long each takes."""
Million = Annotated[
    bool,
    typer.Option(
        "--million",
        help="Instead, how much memory and time a league of a million results takes. It needs 2 GB of disk.",
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--part", metavar="PART", help=f"Only this: {', '.join(SECONDS)}. Can be repeated."),
]
Short = Annotated[
    bool, typer.Option("--short", help="Fewer rounds, for several short measurements in turn with something else.")
]


def bench() -> None:
    """Measure how fast the arena is on this machine.

    Each result is compared with something else that is measured in the same run.
    """


def all_(as_json: AsJson = False, part: Only = None, short: Short = False) -> None:
    """All of these, in one report.

    With the version of the arena, and what the numbers depend on: cores, system and Python.
    """
    for name in part or ():
        if name not in SECONDS:
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(SECONDS)}", param_hint="--part")
    from arena.bench.parts import SHORT, measure

    settings = {name: SHORT[name] if short else {} for name in SECONDS if not part or name in part}
    report = measure(settings, _announce)
    typer.echo(json.dumps(report, indent=2) if as_json else "\n\n".join(_texts_of(report)))


def _announce(name: str) -> None:
    typer.echo(f"{name}: measuring for {SECONDS[name]} seconds at most ...", err=True)


def _texts_of(report: dict[str, Any]) -> Iterator[str]:
    """Which arena and machine, and the text of each part."""
    yield f"arena {report['arena']['version']} ({report['arena']['make']}), " + ", ".join(
        f"{key} {value}" for key, value in report["machine"].items()
    )
    for name, part in report["parts"].items():
        yield f"# {name}, in {part['seconds']} s\n\n{part.get('skipped') or text_of(part)}"


def engine(as_json: AsJson = False) -> None:
    """Random playouts, compared with OpenSpiel's card games.

    For every game, player count and board.
    """
    from arena.bench.engine import measure

    _report(measure, as_json, 90)


def referee(as_json: AsJson = False) -> None:
    """Whole games with bots in C, compared with a referee in C.

    The referee in C knows no rules: its speed is the limit of the pipes and the machine.
    """
    from arena.bench.referee import measure

    _report(measure, as_json)


def sandbox(as_json: AsJson = False) -> None:
    """The cost of the sandbox, compared with no sandbox.

    How much later bots in C, Python, JavaScript and Java say hello, and how much longer a message takes.
    """
    from arena.bench.sandbox import measure

    _report(measure, as_json, 30)


def league(as_json: AsJson = False, million: Million = False) -> None:
    """Whole leagues with bots in C and in Python.

    With sandbox, records and store.

    With new processes for each match, and with processes that stay for the next one; with more workers than cores; on
    this machine, and through Dask.
    """
    if million:
        from arena.bench import million as large

        _report(large.measure, as_json, 600)
        return
    from arena.bench.league import measure

    _report(measure, as_json, 150)


def kits(as_json: AsJson = False) -> None:
    """A question to each language's starter kit, compared with C.

    The kits are created and built first. A language without a toolchain on this machine is left out.
    """
    from arena.bench.kits import measure

    _report(measure, as_json, 60)


def web(as_json: AsJson = False) -> None:
    """The site with 100,000 results, and replays.

    Pages per second and their slowest percent, made and kept; bytes of a replay, and when a browser shows it.
    """
    from arena.bench.web import measure

    _report(measure, as_json, 90)


def start(as_json: AsJson = False) -> None:
    """How long commands take to start, compared with Python alone.

    The help, a list, one match, and a worker of a league; each from its start to its end.
    """
    from arena.bench.start import measure

    _report(measure, as_json)


def ratings(as_json: AsJson = False) -> None:
    """Standings of 100,000 results of 1,000 bots.

    Their time and memory, what they are made of, compared with reading the results, and what a match of a plan takes.
    """
    from arena.bench.ratings import measure

    _report(measure, as_json, 60)


def bots(as_json: AsJson = False) -> None:
    """How fast the built-in bots decide, and what a playout costs.

    By CPU time, in games of two in one process.
    """
    from arena.bench.bots import measure

    _report(measure, as_json, 40)


def _report(measure: Callable[[], dict[str, Any]], as_json: bool, seconds: int = 20) -> None:
    typer.echo(f"measuring for about {seconds} seconds ...", err=True)
    report = measure()
    typer.echo(json.dumps(report, indent=2) if as_json else text_of(report))


def text_of(report: dict[str, Any]) -> str:
    """The table of a report, and its checks below it."""
    keys = list(dict.fromkeys(key for row in report["rows"] for key in row))
    rows = [[_cell(row.get(key)) for key in keys] for row in report["rows"]]
    lines = [table(rows, [key.replace("_per_s", "/s") for key in keys])]
    if report["checks"]:
        lines.append("")
    for check in report["checks"]:
        verdict = {True: "ok", False: "missed", None: f"not measured: {check.get('reason')}"}[check["ok"]]
        lines.append(f"{check['name']}: {check['value']} (budget {check['budget']} or {check['better']}): {verdict}")
    return "\n".join(lines)


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) else str(value or "")
