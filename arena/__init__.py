"""Everything that touches the world: bots, matches, tournaments, people."""

TYPE_CHECKING = False  # nothing is imported here: the spawner passes by, and has to start quickly
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from arena.match.clock import TimeControl
    from arena.match.record import MatchRecord


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
