"""Everything that touches the world: bots, matches, tournaments, people."""

import sys
from importlib.machinery import PathFinder

TYPE_CHECKING = False  # almost nothing is imported here: the spawner passes by, and has to start quickly
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from pathlib import Path
    from types import ModuleType

    from arena.match.clock import TimeControl
    from arena.match.record import MatchRecord

HERE = __file__.rpartition("/")[0].rpartition("/")[0]
"""The folder that holds the arena."""
COMPANIONS = ("engine", "protocol")
"""Packages beside the arena. Users have folders of these names, too, and Python looks into the current one first."""


class Companions:
    """Finds the packages that belong to this arena beside it, wherever else there is one of the name."""

    @staticmethod
    def find_spec(
        name: str, _path: "Sequence[str] | None" = None, _target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        return PathFinder.find_spec(name, [HERE]) if name in COMPANIONS else None


def _keep_company() -> None:
    """From now on the arena's own packages are found first. ImportError if another one is in use already."""
    for name in filter(sys.modules.__contains__, COMPANIONS):
        import os.path

        (found,) = [*getattr(sys.modules[name], "__path__", ())][:1] or [""]
        if os.path.realpath(found) != os.path.realpath(f"{HERE}/{name}"):
            raise ImportError(
                f"{found or name} is imported already, and the arena needs its own package {name}. Import arena "
                "first, or rename yours."
            )
    sys.meta_path.insert(0, Companions)


_keep_company()


def play(
    *bots: str,
    game: str = "draftosaurus",
    options: "Mapping[str, str | int | bool | None] | None" = None,
    seed: int | None = None,
    clock: "TimeControl | None" = None,
    strikes: int = 3,
    ask_forced: bool = False,
    bot_seed: int = 0,
    sandbox: str = "auto",
    path: "Path | str | None" = None,
) -> "MatchRecord":
    """Play one match between bots (folders, built-in names or command lines), one for each seat, and return its record.

    `sandbox` is "auto" (the best that this machine has), "full", "lite", or "none" for bots that you trust. With a
    `path` the record is also written there. A notebook shows it as a table.
    """
    from pathlib import Path

    from arena.match import play as matches
    from arena.match.record_file import save
    from arena.running import run

    entries = matches.find_all(bots)
    clocks = [clock] * len(entries) if clock else ()
    setup = matches.MatchSetup(entries, game, options or {}, seed, clocks, strikes, ask_forced, bot_seed, sandbox)
    record = run(lambda: matches.play(setup)).record()
    return save(record, Path(path)) if path else record


def load(path: "Path | str") -> "MatchRecord":
    """Read a record, as `arena play` and arena.play write it. RecordError if it is not one."""
    from pathlib import Path

    from arena.match.record_file import load as load_file

    return load_file(Path(path))


def board(record: "MatchRecord", step: int | None = None) -> str:
    """The boards of a match as text: at its end, or after a step; 0 is the start."""
    from arena.cli.result import boards
    from arena.replay.moments import states

    found = states(record)
    if step is not None and not 0 <= step < len(found):
        raise IndexError(f"step {step}: this match has steps 0 to {len(found) - 1}")
    return boards(record, found[-1 if step is None else step])
