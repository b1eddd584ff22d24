"""`arena bench`: how fast things are here, beside something else measured in the same run."""

import json
from typing import Annotated, Any

import typer

from arena.cli.terminal import table

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def bench() -> None:
    """Measure how fast things are here, beside something else in the same run."""


@app.command()
def engine(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Random playouts of every player count and season, beside OpenSpiel's card games."""
    from arena.bench import engine as measure

    typer.echo("measuring for about 20 seconds ...", err=True)
    report = measure()
    typer.echo(json.dumps(report, indent=2) if as_json else _text(report))


def _text(report: dict[str, Any]) -> str:
    keys = list(report["rows"][0])
    rows = [[_cell(row[key]) for key in keys] for row in report["rows"]]
    lines = [table(rows, [key.replace("_per_s", "/s") for key in keys]), ""]
    for check in report["checks"]:
        verdict = {True: "ok", False: "missed", None: f"not measured: {check.get('reason')}"}[check["ok"]]
        lines.append(f"{check['name']}: {check['value']} (budget {check['budget']} or {check['better']}): {verdict}")
    return "\n".join(lines)


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) else str(value or "")
