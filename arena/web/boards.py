"""What draws each game in a browser: our own boards, those of other packages, or the generic one.

A package brings a board for its game with an entry point of the group `arena.boards`, under the game's name. It names a
file of the package, an ES module; a style sheet of the same name beside it is optional:

    [project.entry-points."arena.boards"]
    nim = "my_package:board.js"

Nothing of the package is imported. CONTRIBUTING.md says what the module exports.
"""

from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from importlib.resources.abc import Traversable

from arena.errors import SettingError
from engine.catalogue import origin

GROUP = "arena.boards"
STATIC = files("arena.web") / "static"
SHIPPED = ("draftosaurus", "dinodocus")
GENERIC = "generic"


@dataclass(frozen=True, slots=True)
class BoardFiles:
    """Where a board's files are: the module's name, and the folder that it and its own imports are in."""

    module: str
    folder: Traversable = STATIC

    @property
    def is_generic(self) -> bool:
        return self.module == GENERIC

    def read(self, name: str) -> str:
        """The text of a module: of ours, or of the board's package. SettingError if there is none."""
        return _text(f"{name}.js", (STATIC, self.folder))

    @property
    def style(self) -> str:
        """Its style sheet, or ""."""
        sheet = self.folder / f"{self.module}.css"
        return sheet.read_text("utf-8") if sheet.is_file() else ""


def board_for(game: str) -> BoardFiles:
    """The board that draws a game. SettingError says why a plug-in cannot be used."""
    if game in SHIPPED:
        return BoardFiles(game)
    points = list(entry_points(group=GROUP, name=game))
    if not points:
        return BoardFiles(GENERIC)
    if len(points) > 1:
        several = ", ".join(map(origin, points))
        raise SettingError(f"boards for {game} are offered by several packages: {several}. Keep one.")
    return _plugged(points[0])


def _plugged(point: EntryPoint) -> BoardFiles:
    package, _, file = point.value.partition(":")
    name = file.strip().removesuffix(".js")
    where = f"the board for {point.name} of {origin(point)}"
    if not file.strip().endswith(".js") or not name.isidentifier():
        raise SettingError(f'{where} is not an ES module of a package, such as "my_package:board.js".')
    if (STATIC / f"{name}.js").is_file():
        raise SettingError(f"{where} has the name of a module of the arena. Rename it.")
    try:
        folder = files(package.strip())
        is_there = (folder / f"{name}.js").is_file()
    except (ImportError, TypeError, OSError) as error:
        raise SettingError(f"{where} does not load: {error!r}.") from error
    if not is_there:
        raise SettingError(f"{where} does not load: the package has no file {name}.js.")
    return BoardFiles(name, folder)


def _text(file: str, folders: tuple[Traversable, ...]) -> str:
    for folder in folders:
        if (folder / file).is_file():
            return (folder / file).read_text("utf-8")
    raise SettingError(f"{file} is imported, but neither the arena nor the board's package has it.")
