"""A table without HTTP: the test is the loop, and calls what the match posts to it."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import Queue
from typing import Any

from arena.match.record import MatchRecord
from arena.match.record_file import fresh_path, save
from arena.roster.entries import find
from arena.web.play.bridge import Audience, MatchThread
from arena.web.play.plans import Offer
from arena.web.play.tables import Chair, GameRoom, Table, TableStage
from engine.catalogue import game as find_game

HANGS_S = 120.0
"""After so long without news of a match, it hangs."""


def here(*names: str) -> list[dict[str, str]]:
    return [{"kind": "here", "name": name} for name in names]


def bots(*names: str) -> list[dict[str, str]]:
    return [{"kind": "bot", "name": name} for name in names]


OPEN = {"kind": "open"}


def plan(game: str, *places: object, **options: str) -> dict[str, Any]:
    return {"game": game, "options": options, "places": list(places)}


class Evening:
    """A game room whose loop is the test."""

    def __init__(self, folder: Path, seed: int | None = 7, sandbox: str = "none") -> None:
        self.folder = folder
        self.news: Queue[Callable[[], None]] = Queue()
        known = {name: find(name) for name in ("greedy", "random")}
        self.room = GameRoom(Offer(known, sandbox, seed), self._start)

    def _start(self, setup: Any, audience: Audience) -> MatchThread:
        return MatchThread(find_game(setup.game), setup, audience, self.news.put, self._keep)

    def _keep(self, record: MatchRecord) -> MatchRecord:
        return save(record, fresh_path(self.folder, record.header))

    def open(self, game: str, *places: Mapping[str, str], **options: str) -> tuple[Table, dict[int, Chair]]:
        table, tokens = self.room.open(self.room.offer.read(plan(game, *places, **options)), 0.0)
        return table, {seat: table.chair_of(token) for seat, token in tokens.items()}

    def until(self, is_reached: Callable[[], bool]) -> None:
        """Hear news of the matches until this is true."""
        while not is_reached():
            self.news.get(timeout=HANGS_S)()

    def settle(self, *chairs: Chair) -> None:
        """Until these are asked, or their match is over."""
        self.until(lambda: all(chair.is_asked or chair.end is not None for chair in chairs))

    def play_out(self, table: Table, *chairs: Chair, choose: Callable[[dict[str, Any]], str] | None = None) -> None:
        """Answer every question of these chairs until the record is kept."""
        while table.stage is TableStage.PLAYING:
            self.until(lambda: table.stage is not TableStage.PLAYING or any(chair.is_asked for chair in chairs))
            for chair in [chair for chair in chairs if chair.is_asked]:
                answer(table, chair, choose)

    def close(self) -> None:
        self.room.close()


def page(table: Table, chair: Chair) -> dict[str, Any]:
    return json.loads(table.page(chair))


def first(shown: dict[str, Any]) -> str:
    return shown["question"]["choices"][0]["action"]


def answer(table: Table, chair: Chair, choose: Callable[[dict[str, Any]], str] | None = None) -> None:
    shown = page(table, chair)
    table.answer(chair, shown["question"]["id"], (choose or first)(shown), 0.0)
