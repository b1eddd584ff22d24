"""`arena replay`: look at a recorded match step by step."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.film import Film, Whose, as_lines, facts, open_film, warn
from arena.cli.html_file import HtmlFile, check_html, write_html
from arena.cli.output import newest_record
from arena.cli.parameters import NewestOrFile
from arena.cli.terminal import is_terminal, painter, takes_escapes
from arena.cli.viewer import Viewer, watch


def replay(
    file: NewestOrFile = None,
    decision: Annotated[int | None, typer.Option(metavar="NUMBER", help="Show the moment after this decision.")] = None,
    step: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Show the moment after this step; 0 is the start.")
    ] = None,
    seat: Annotated[
        str | None, typer.Option(metavar="SEAT", help="Show the hands that this seat knows, or all.")
    ] = None,
    html: HtmlFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one line per moment.")] = False,
) -> None:
    """Look at a recorded match step by step.

    In a terminal you step with keys: n next, b back, e what bots wrote to stderr, ? all keys. A pipe gets every step as
    plain text. With --decision or --step a terminal starts there, and a pipe gets only that moment.

    With --html a file for a browser is written, which needs nothing else. With --seat NUMBER it holds only what that
    seat could know.
    """
    if html is not None and as_json:
        raise typer.BadParameter("use --html or --json, not both")
    check_html(html)
    file = file or newest_record()
    film = open_film(file)
    whose = _whose(film, seat)
    chosen = _chosen(film, decision, step)
    if html is not None:
        _write(file, film, html, whose, chosen)
    elif as_json:
        warn(file, film.complaint)
        for at in _all_or(chosen, film):
            typer.echo(json.dumps(facts(film, film.moments[at], whose)))
    elif _is_watched():
        watch(Viewer(film, chosen or 0, whose), painter())
    else:
        for line in as_lines(film, _all_or(chosen, film), whose):
            typer.echo(line)


def _write(file: Path, film: Film, html: Path, whose: Whose, chosen: int | None) -> None:
    """Write the page, and print its address."""
    from arena.match.record_file import load

    warn(file, film.complaint)
    page = write_html(load(file), html, whose if isinstance(whose, int) else None)
    typer.echo(f"{page}#step={chosen}" if chosen else page)


def _is_watched() -> bool:
    return is_terminal(sys.stdin) and takes_escapes(sys.stdout)


def _whose(film: Film, text: str | None) -> Whose:
    if text is None:
        return "spectator"
    if text == "all":
        return "all"
    seats = [str(seat) for seat in film.seats]
    if text not in seats:
        raise typer.BadParameter(f"--seat {text}: expected {', '.join(seats)} or all")
    return int(text)


def _chosen(film: Film, decision: int | None, step: int | None) -> int | None:
    """The moment that the options name, if any."""
    if decision is not None and step is not None:
        raise typer.BadParameter("use --decision or --step, not both")
    if decision is not None:
        at = film.after(decision)
        if at is None:
            raise typer.BadParameter(f"--decision {decision}: {film.extent}")
        return at
    if step is not None and step not in range(len(film.moments)):
        raise typer.BadParameter(f"--step {step}: this match has steps 0 to {len(film.moments) - 1}")
    return step


def _all_or(chosen: int | None, film: Film) -> Sequence[int]:
    return range(len(film.moments)) if chosen is None else [chosen]
