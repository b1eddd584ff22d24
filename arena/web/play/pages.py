"""The pages around a table and around the rules, and what they load."""

from collections.abc import Mapping
from contextlib import suppress

from arena.errors import SettingError
from arena.league.report.markup import Html, tag
from arena.league.report.page import STYLE
from arena.web.boards import STATIC, BoardFiles, board_for
from arena.web.bundle import bundle
from arena.web.play.rules_page import rules_body
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


def _page(title: str, about: str, body: Html, *more: Html) -> str:
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
        tag("link", rel="stylesheet", href="/play/play.css"),
        *more,
    )
    links = tag("a", "Dino Arena", href="/", class_="home"), tag("a", "Play", href="/play/")
    top = tag("nav", *links, class_="top", aria_label="Site")
    return f"<!doctype html>\n{tag('html', head, tag('body', top, body), lang='en')}\n"


def script_and_style(games: list[str]) -> tuple[str, str]:
    """All that the page loads, with the boards of these games. SettingError says why a plug-in's cannot be used."""
    boards = {game: board_for(game) for game in games}
    modules = {board.module: board for board in boards.values()}
    script = bundle("play", {game: board.module for game, board in boards.items()}, lambda name: _read(modules, name))
    own = (STATIC / "play.css").read_text("utf-8")
    return script, "\n".join([STYLE, *(board.style for board in modules.values()), own])


def _read(boards: Mapping[str, BoardFiles], name: str) -> str:
    """A module of ours, or one of a plug-in's package."""
    for board in boards.values():
        with suppress(SettingError):
            return board.read(name)
    raise SettingError(f"{name}.js is imported, but neither the arena nor a board's package has it.")
