"""What the runner of a league and its workers send to each other, and where the workers write records."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import StoreError
from arena.league.shapes import is_match_id
from arena.match.cores import BY_USE
from arena.match.packing import SUFFIX
from arena.match.record import FORMAT
from arena.roster.entries import Entry
from arena.sandbox.policy import Tier
from arena.texts import quoted

RECORDS = "records"
"""The folder of the records, beside the store."""
REPLAYS = "replays"
"""The folder of pages of matches, beside a report."""
Assignment = dict[str, Any]
"""A fixture with its match id and seeds, as plain values that can be sent."""
Block = list[Assignment]


@dataclass(frozen=True, slots=True)
class Setting:
    """What all matches of a league have in common, as plain values that can be sent."""

    game: str
    options: dict[str, Any]
    entries: dict[str, dict[str, Any]]
    """By name."""
    clock: dict[str, Any]
    strikes: int
    sandbox: str
    memory_mb: int
    processes: str
    records: str
    """The folder of the records; empty: workers send them with the results."""
    cpus: tuple[int, ...] = ()
    format: int = FORMAT
    """Of the records; an older one for leagues that an older arena began."""
    host: dict[str, Any] | None = None
    """The machine of the workers, if the runner knows it; else each worker finds its own."""
    threads: int = 8
    min_tier: str = Tier.NONE
    """Workers whose best sandbox is weaker get no work."""
    affinity: str = BY_USE
    """Where bots run on `cpus`."""
    turn: int | None = None
    """The descriptor of the worker's turn, if other workers have the same cores (arena/league/turns.py)."""

    def entry(self, name: str) -> Entry:
        return Entry.from_plain(self.entries[name])


def record_path(folder: Path, match: str) -> Path:
    """Where a match's record is: in one of 256 folders, so that none gets too full.

    StoreError unless `match` is an id, because a store may come from a stranger, and its texts must not become paths.
    """
    if not is_match_id(match):
        raise StoreError(f"{quoted(match)} is not the id of a match: expected 24 hexadecimal digits")
    return folder / match[:2] / f"{match}{SUFFIX}"


def replay_path(folder: Path, match: str) -> Path:
    """Where the page of a match is, beside a report. StoreError unless `match` is an id."""
    return folder / f"{record_path(folder, match).name.removesuffix(SUFFIX)}.html"


def unwritten(path: Path, error: OSError) -> StoreError:
    """A record could not be written."""
    return StoreError(
        f"{path}: the record cannot be written: {error.strerror}. Fix that, and run the same command again: "
        "nothing is lost."
    )
