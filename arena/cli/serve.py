"""`arena serve`: leagues in the browser, while they run."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.league_folder import HOME, folder_of
from arena.cli.parameters import Sandbox, file_path
from arena.errors import SettingError
from arena.texts import one_line

if TYPE_CHECKING:
    from arena.web.play.routes import PlayPages

Leagues = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[LEAGUE...]",
        parser=file_path,
        help="Tournament files, folders of leagues, or folders with leagues in them. Default: leagues.",
    ),
]
PORT = 8765
MATCHES = Path("matches")
PLAYERS = ", open tables, start the bots that you offer, and write records"
NO_WEB = "needs Starlette and uvicorn. Install them: pip install 'dino-arena[web]'"


def serve(
    leagues: Leagues = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to listen. 0.0.0.0 lets other machines in.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, max=65535, help="Port to listen on; 0: any that is free.")
    ] = PORT,
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="HOST", help="A host name that the site may be called by. Can be repeated."),
    ] = None,
    play: Annotated[
        bool, typer.Option("--play", help="Also set tables at which people play, against each other and against bots.")
    ] = False,
    bot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BOT", help="With --play: offer this bot, too. Can be repeated. Built-in bots are offered."
        ),
    ] = None,
    matches: Annotated[
        Path, typer.Option(metavar="FOLDER", help="With --play: where records are kept.", parser=file_path)
    ] = MATCHES,
    sandbox: Sandbox = "auto",
) -> None:
    """Show leagues in the browser, or let people play.

    Standings, bots, matches, replays, downloads and a JSON API, while leagues run. It only reads. With --play,
    people open tables and play in their browsers; bots run in the sandbox, and every match is recorded. Stop: Ctrl-C.
    """
    check_web("arena serve")
    from arena.web.app import application
    from arena.web.serving import address_of, be_modest, bound, is_open, serve
    from arena.web.site.hall import Hall
    from arena.web.site.shell import Link

    if not play and (bot or matches != MATCHES or sandbox != "auto"):
        raise typer.BadParameter("--bot, --matches and --sandbox need --play")
    tables = _tables(bot or [], matches, sandbox) if play else None
    sources = [_source(one) for one in leagues or [HOME]]
    listening = bound(host, port)
    hall = Hall(sources)
    names = [*(name or ()), *([os.uname().nodename] if is_open(listening) else [])]
    typer.echo(f"{address_of(listening)}{'play/' if tables else ''}")
    typer.echo(_opened(listening.getsockname()[0], is_open(listening), play), err=True)
    if tables is None:
        be_modest()  # bots that play for people would inherit it
        serve(application(hall, names), listening, hall.close)
        return

    def close() -> None:
        hall.close()
        tables.close()

    links, spans = [Link("Play", "play/")], [tables.lifespan]
    serve(application(hall, names, tables.routes(), links, spans), listening, close)


def _tables(words: list[str], records: Path, sandbox: str) -> "PlayPages":
    """The tables, with the built-in bots and those that the operator names."""
    from arena.roster.entries import built_in, distinct, find, is_ready
    from arena.web.play.plans import Offer
    from arena.web.play.routes import PlayPages

    ready = filter(is_ready, sorted(built_in()))  # to build one takes longer than people wait for a page
    entries = [find(word) for word in (*ready, *words)]
    return PlayPages(Offer(dict(zip(distinct(entries), entries)), sandbox), records)


def check_web(what: str) -> None:
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise SettingError(f"{what} {NO_WEB}") from None


def _source(path: Path) -> Path:
    """A folder of leagues, or of one. The default one need not be there yet."""
    if os.path.isdir(path) or path == HOME:
        return path
    return folder_of(path, None)


def _opened(host: str, is_open: bool, is_playing: bool) -> str:
    if not is_open:
        return "arena: only this machine can open it. Stop: Ctrl-C."
    where = (
        "every machine that can reach this one" if host in ("0.0.0.0", "::") else f"every machine that can reach {host}"
    )
    return (
        f"arena: {one_line(where)} can read all of these leagues{PLAYERS if is_playing else ''}, without a password. "
        "`arena docs site` shows how to put it behind a reverse proxy. Stop: Ctrl-C."
    )
