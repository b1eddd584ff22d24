"""Everything that touches the world: bots, matches, tournaments, people."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.clock import TimeControl
    from arena.record import MatchRecord


def play(
    *bots: str,
    game: str = "draftosaurus",
    options: Mapping[str, str | int | bool | None] | None = None,
    seed: int | None = None,
    clock: "TimeControl | None" = None,
    strikes: int = 3,
    ask_forced: bool = False,
    bot_seed: int = 0,
    path: Path | str | None = None,
) -> "MatchRecord":
    """Play one match between bots (folders, built-in names or command lines), one for each seat, and return its record.

    With a `path` the record is also written there. A notebook shows it as a table.
    """
    from arena import matches  # heavy, and `import arena` is not

    entries = matches.find_all(bots)
    clocks = [clock] * len(entries) if clock else ()
    plan = matches.Plan(entries, game, options or {}, seed, clocks, strikes, ask_forced, bot_seed)
    record = matches.run(lambda: matches.play(plan))
    return record.save(Path(path)) if path else record
