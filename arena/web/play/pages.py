"""The pages around a table and around the rules, and what they load."""

from collections.abc import Mapping
from contextlib import suppress

from arena.errors import SettingError
from arena.league.report.markup import Html, join, tag
from arena.league.report.page import STYLE
from arena.match.record import MatchRecord
from arena.replay.reel import no_pictures, reel_of, terminal_pictures
from arena.web.boards import STATIC, BoardFiles, board_for
from arena.web.bundle import bundle
from arena.web.play.rules_page import rules_body
from arena.web.replay_page import data
from arena.words.rules import introduction, rules_text
from engine.catalogue import game as find_game

_NEEDS = "A table needs JavaScript, which comes from this server; nothing comes from elsewhere."


def play_page() -> str:
    """The page of all tables: the script does the rest."""
    body = tag("main", tag("noscript", tag("p", _NEEDS)), id="play")
    about = "Play board games against bots and friends, in the browser."
    return _page("Play", about, body, tag("script", type="module", src="/play/play.js"))


def rules_page(name: str) -> str:
    """All rules of a game."""
    game = find_game(name)
    body = tag("main", rules_body(rules_text(game)), class_="rulebook")
    return _page(f"Rules of {name}", " ".join(introduction(game)[:1]), body)


def _page(title: str, about: str, body: Html, *more: Html, style: str = "/play/play.css") -> str:
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{title} · Dino Arena"),
        tag("meta", name="description", content=about),
        tag("meta", property="og:title", content=f"{title} · Dino Arena"),
        tag("meta", property="og:description", content=about),
        tag("link", rel="icon", href="/static/icon.svg", type="image/svg+xml"),
        tag("link", rel="stylesheet", href=style),
        *more,
    )
    links = tag("a", "Dino Arena", href="/", class_="home"), tag("a", "Play", href="/play/")
    top = tag("nav", *links, class_="top", aria_label="Site")
    return f"<!doctype html>\n{tag('html', head, tag('body', top, body), lang='en')}\n"


def replay_sheet(record: MatchRecord) -> str:
    """The replay of a match that was played here, from which a seat can be taken."""
    pictures = terminal_pictures if board_for(record.header.game).is_generic else no_pictures
    reel = Html(data(reel_of(record, None, pictures)))
    parts = tag("div", id="replay"), tag("script", reel, type="application/json", id="reel")
    loaded = tag("script", type="module", src="/play/replay.js")
    about = f"A match of {record.header.game}, step by step."
    return _page(f"Replay of {record.header.game}", about, join(parts), loaded, style="/play/replay.css")


def script_and_style(entry: str, sheet: str, games: list[str]) -> tuple[str, str]:
    """All that a page loads, with the boards of these games. SettingError says why a plug-in's cannot be used."""
    boards = {game: board_for(game) for game in games}
    modules = {board.module: board for board in boards.values()}
    script = bundle(entry, {game: board.module for game, board in boards.items()}, lambda name: _read(modules, name))
    own = "\n".join((STATIC / name).read_text("utf-8") for name in (sheet, "play_top.css"))
    shared = STYLE if entry == "play" else ""  # the style of replays has all of it
    return script, "\n".join([shared, *(board.style for board in modules.values()), own])


def _read(boards: Mapping[str, BoardFiles], name: str) -> str:
    """A module of ours, or one of a plug-in's package."""
    for board in boards.values():
        with suppress(SettingError):
            return board.read(name)
    raise SettingError(f"{name}.js is imported, but neither the arena nor a board's package has it.")
