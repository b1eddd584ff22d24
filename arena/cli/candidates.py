"""What may stand at a place of the command line: commands, options, and values such as bots, games and leagues.

Values are found by what the help calls them: VALUES has a finder for each such word. Nothing is executed, no bot is
read and no league is opened: names of files are enough, because a shell waits for the answer at each key.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import typer

from arena.cli.app import build
from arena.cli.building import WAYS
from arena.cli.manual import bare
from arena.cli.volume import DIALOGUES, VOLUME
from arena.texts import is_plain

MOST_FILES = 2000
"""Files of a folder that are looked at."""
RECORD = ".match.jsonl.gz"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A word that may stand there. One that is not whole is continued: a folder, or `season=`."""

    word: str
    about: str = ""
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class Spot:
    """A place of the command line: the words before it, and the beginning of the word there."""

    before: Sequence[str]
    word: str

    def value_of(self, option: str, default: str) -> str:
        """The value that was given to an option."""
        given = [after for name, after in zip(self.before, self.before[1:]) if name == option]
        given += [word.partition("=")[2] for word in self.before if word.startswith(f"{option}=")]
        return given[-1] if given else default


Finder = Callable[[Spot], Iterable[Candidate]]


def candidates(words: Sequence[str]) -> list[Candidate]:
    """What the last of these words can become."""
    spot = Spot(words[:-1], words[-1])
    root = typer.main.get_command(build(spot.before[1:] if spot.before[:1] == ["help"] else spot.before))
    return [one for one in _found(root, spot) if one.word.startswith(spot.word) and is_plain(one.word)]


def _found(root: Any, spot: Spot) -> Iterable[Candidate]:
    command, rest, path = root, list(spot.before), list[str]()
    explained = rest[:1] == ["help"]
    if explained:
        rest.pop(0)
    while rest and (child := getattr(command, "commands", {}).get(rest[0])):
        command, path = child, [*path, rest.pop(0)]
    if hasattr(command, "commands"):
        return _commands(command) if not rest else ()
    return () if explained else _parameters(command, " ".join(path), rest, spot)


def _commands(group: Any) -> Iterator[Candidate]:
    yield from (Candidate(name, one.get_short_help_str(200)) for name, one in group.commands.items())


def _parameters(command: Any, path: str, rest: Sequence[str], spot: Spot) -> Iterable[Candidate]:
    options = {name: one for one in command.params if one.param_type_name == "option" for name in one.opts}
    waiting, free = _read(rest, options)
    if waiting is not None:
        return _values(path, waiting, spot)
    if spot.word.startswith("-") and "--" not in rest:
        name, equals, start = spot.word.partition("=")
        if equals and name in options:
            inner = _values(path, options[name], Spot(spot.before, start))
            return (Candidate(f"{name}={one.word}", one.about, one.is_whole) for one in inner)
        return _options(path, command)
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    at = min(free, len(arguments) - 1)
    return _values(path, arguments[at], spot) if arguments and (free == at or arguments[at].nargs != 1) else ()


def _read(words: Sequence[str], options: Mapping[str, Any]) -> tuple[Any, int]:
    """The option that waits for its value, if one does, and how many arguments there were."""
    waiting, free = None, 0
    for at, word in enumerate(words):
        if waiting is not None:
            waiting = None
        elif word == "--":
            return None, free + len(words) - at - 1
        elif word.startswith("-") and len(word) > 1:
            option = options.get(word)
            waiting = option if option is not None and not option.is_flag and word != "--build" else None
        else:
            free += 1
    return waiting, free


def _options(path: str, command: Any) -> Iterator[Candidate]:
    for option in command.params:
        if option.param_type_name == "option" and not option.hidden:
            yield Candidate(option.opts[-1], option.help or "")
    spoken = {} if path in DIALOGUES else VOLUME
    for names, about in {**spoken, "--help": "Show this message and exit."}.items():
        yield Candidate(names.rpartition(" ")[2], about)


def _values(path: str, param: Any, spot: Spot) -> Iterable[Candidate]:
    kinds = (f"{path} {bare(param)}", f"{path.partition(' ')[0]} {bare(param)}", param.opts[0], bare(param))
    return next((VALUES[kind](spot) for kind in kinds if kind in VALUES), ())


# Files


def _files(spot: Spot, is_wanted: Callable[[str], bool]) -> Iterator[Candidate]:
    """Wanted files and folders that begin with the word, and other folders, which may hold more."""
    folder, slash, start = spot.word.rpartition("/")
    try:
        with os.scandir(os.path.expanduser(folder + slash) or ".") as found:
            places = sorted(islice(found, MOST_FILES), key=lambda place: place.name)
    except (OSError, ValueError):
        return
    for place in places:
        if not place.name.startswith(start) or (place.name.startswith(".") and not start):
            continue
        word = folder + slash + place.name
        if is_wanted(place.path):
            yield Candidate(word)
        if place.is_dir():
            yield Candidate(f"{word}/", is_whole=False)


def any_file(spot: Spot) -> Iterator[Candidate]:
    return _files(spot, os.path.isfile)


def folders(spot: Spot) -> Iterator[Candidate]:
    return _files(spot, os.path.isdir)


def records(spot: Spot) -> Iterator[Candidate]:
    return _files(spot, lambda path: path.endswith(RECORD))


def tournaments(spot: Spot) -> Iterator[Candidate]:
    return _files(spot, _is_tournament)


def _is_tournament(path: str) -> bool:
    return path.endswith(".toml") and os.path.basename(path) != "bot.toml"


def _is_league(path: str) -> bool:
    return os.path.isfile(f"{path}/league.sqlite3")


def leagues(spot: Spot) -> Iterator[Candidate]:
    """Tournament files, and the folders of leagues; those in leagues/ also where nothing of the name is typed yet."""
    from arena.cli.league_folder import HOME

    inner = Spot(spot.before, f"{HOME}/")
    ours = [] if "/" in spot.word else [one for one in _files(inner, _is_league) if one.is_whole]
    yield from ours
    for one in _files(spot, lambda path: _is_league(path) or _is_tournament(path)):
        if not ours or one.word != inner.word:
            yield one


def bots(spot: Spot) -> Iterator[Candidate]:
    """Built-in bots, and folders with a bot.toml."""
    from arena.roster.folders import KITS

    names = sorted(path.stem for path in KITS.glob("python/*.toml") if path.name != "bot.toml")
    yield from (Candidate(name, "built-in bot") for name in names)
    yield from _files(spot, lambda path: os.path.isfile(f"{path}/bot.toml"))


def bots_of_seats(spot: Spot) -> Iterator[Candidate]:
    """1=greedy."""
    seat, equals, word = spot.word.partition("=")
    if not equals:
        return iter(Candidate(f"{number}=", is_whole=False) for number in range(6))
    return (Candidate(f"{seat}={one.word}", one.about, one.is_whole) for one in bots(Spot(spot.before, word)))


# Words of the arena


def games(_spot: Spot) -> Iterator[Candidate]:
    from engine.catalogue import names

    return map(Candidate, names())


def rule_options(spot: Spot) -> Iterator[Candidate]:
    """season=winter, of the game that is named on the line."""
    from engine.catalogue import game
    from engine.contract import spell
    from engine.errors import EngineError

    try:
        options = game(spot.value_of("--game", "draftosaurus")).options()
    except EngineError:
        return
    name, equals, start = spot.word.partition("=")
    if not equals:
        yield from (Candidate(f"{key}=", option.help, is_whole=False) for key, option in options.items())
    elif option := options.get(name):
        yield from (Candidate(f"{name}={spell(value)}") for value in option.values)
        if option.text:
            inner = any_file(Spot(spot.before, start))
            yield from (Candidate(f"{name}={one.word}", one.about, one.is_whole) for one in inner)


def languages(_spot: Spot) -> Iterator[Candidate]:
    from arena.roster.kits import LANGUAGES, OTHER

    yield from (Candidate(name, kit.title) for name, kit in LANGUAGES.items())
    yield Candidate(OTHER, "a language without a kit")


def tiers(_spot: Spot) -> Iterator[Candidate]:
    from arena.sandbox.policy import CHOICES

    return map(Candidate, CHOICES)


def messages(_spot: Spot) -> Iterator[Candidate]:
    from arena.cli.trace import TYPES

    return map(Candidate, TYPES)


def topics(_spot: Spot) -> Iterator[Candidate]:
    from arena.cli.docs import pages

    return map(Candidate, pages())


def one_of(*words: str) -> Finder:
    """These and no others."""
    return lambda _spot: map(Candidate, words)


def exams(_spot: Spot) -> Iterator[Candidate]:
    from arena.check.exams import EXAMS

    return (Candidate(exam.name) for exam in EXAMS)


def findings(_spot: Spot) -> Iterator[Candidate]:
    from arena.check.findings import FINDINGS

    return map(Candidate, FINDINGS)


def parts_of_bench(_spot: Spot) -> Iterator[Candidate]:
    from arena.cli.bench import SECONDS

    return map(Candidate, SECONDS)


VALUES: Mapping[str, Finder] = {
    "--exam": exams,
    "--fail-on": one_of("no", "undecided"),
    "FINDING": findings,
    "--game": games,
    "--option": rule_options,
    "--lang": languages,
    "--affinity": one_of("auto", "free", "referee"),
    "--charge": one_of("wall", "cpu"),
    "--deals": one_of("shared", "fresh"),
    "--on": one_of("rank", "score"),
    "--processes": one_of("match", "worker"),
    "--only": messages,
    "--part": parts_of_bench,
    "GAME": games,
    "BOT": bots,
    "A": bots,
    "B": bots,
    "SEAT=BOT": bots_of_seats,
    "TIER": tiers,
    "WAY": one_of(*WAYS),
    "LEAGUE": leagues,
    "INTO": leagues,
    "league FILE": tournaments,
    "league report FILE": any_file,
    "league export FILE": any_file,
    "FILE": records,
    "OUT": any_file,
    "FOLDER": folders,
    "DIR": folders,
    "TOPIC": topics,
    "SHELL": one_of("bash", "zsh", "fish"),
}
"""The finder for a parameter: by command and name, by option, or by name."""
FREE = re.compile(
    "ACTIONS|ADDRESS|CARDS|CORES|COUNT|DIGITS|ELO|GAMES|HOST|I/N|MB|MINUTES|MS|NAME|NUMBER|SEAT|SECONDS|SECTION|SHARE|TEXT|"
    "WORD|COMMAND|REV|(SEAT|SIDE)?NAME=VALUE"
)
"""Parameters whose values only the user knows."""
