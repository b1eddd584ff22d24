"""Edits the list of bots in a tournament file. Comments and layout stay as they are."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from arena.errors import FileError, RosterError, SettingError
from arena.files import MOST_TOURNAMENT, read_text, write_whole


class ListedBots:
    """The bots of a tournament file that is being edited."""

    def __init__(self, path: Path, document: Any) -> None:
        self._path = path
        self._document = document

    def names(self) -> list[str]:
        """What the league calls each of them. One whose files cannot be read is called as the file names it."""
        return [self._name(bot) for bot in self._bots]

    def add(self, bot: str) -> None:
        if bot in self._bots:
            raise SettingError(f"{self._path}: bots: {bot} is there already. `arena league update` takes in its files.")
        self._find(bot)  # RosterError, before anything is written
        self._bots.append(bot)

    def remove(self, name: str) -> None:
        for at, bot in enumerate(self._bots):
            if self._name(bot) == name:
                del self._bots[at]
                return
        raise SettingError(f"{self._path}: bots: {name} is not one of {', '.join(self.names())}.")

    @property
    def _bots(self) -> Any:
        return self._document["bots"]

    def _name(self, bot: Any) -> str:
        if not isinstance(bot, str):
            return str(bot.get("name"))
        try:
            return self._find(bot)
        except RosterError:
            return bot

    def _find(self, bot: str) -> str:
        from arena.league.tournament import bot_of

        return bot_of(bot, self._path.parent).name

    def draft(self) -> Path:
        """Write the file with the changes beside it. Its paths are the same from there."""
        draft = self._path.with_name(f".{self._path.name}.draft")
        write_whole(draft, tomlkit.dumps(self._document).encode())
        return draft


@contextmanager
def edited(path: Path) -> Iterator[ListedBots]:
    """The bots of a file. The file is written only if the body of the `with` succeeds."""
    try:
        document = tomlkit.parse(read_text(path, MOST_TOURNAMENT))
    except TOMLKitError as error:
        raise SettingError(f"{path}: not valid TOML: {error}") from None
    except FileError as error:
        raise SettingError(f"{error}. Name a tournament file.") from None
    if not isinstance(document.get("bots"), list):
        raise SettingError(f"{path}: bots: it is missing. Write a list of bots.")
    listed = ListedBots(path, document)
    draft = path.with_name(f".{path.name}.draft")
    try:
        yield listed
        write_whole(path, tomlkit.dumps(document).encode())
    finally:
        draft.unlink(missing_ok=True)
