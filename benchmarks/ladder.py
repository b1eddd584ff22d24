"""Makes a frozen ladder: plays the league of a tournament file, as far as it is not played, and freezes its ratings.

    python -m benchmarks.ladder tournaments/ladder-draftosaurus-2.toml              # play all of it, then freeze
    python -m benchmarks.ladder tournaments/ladder-draftosaurus-2.toml --minutes 5  # freeze what 5 minutes allow
    python -m benchmarks.ladder tournaments/ladder-*.toml --show                    # the ladders that are frozen

The ladder is written to arena/ladder/files/GAME-SEATS.json. The same command goes on, as long as no file of the bots
changes: with more matches the intervals are narrower.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import typer
from tabulate import tabulate

from arena.cli.league_folder import HOME, play_league
from arena.errors import ArenaError
from arena.ladder.freeze import freeze, write_ladder
from arena.ladder.frozen import FOLDER, LadderFile, read_ladder
from arena.league.beginning import as_kept
from arena.league.store import open_store
from arena.league.tournament import Tournament, read_tournament


def target(tournament: Tournament) -> Path:
    return FOLDER / f"{tournament.game}-{tournament.seats[0]}.json"


def make(path: Path, minutes: float | None, out: Path | None) -> LadderFile | None:
    """Play what is missing, and freeze what there is when the time is over. None if its bots have changed."""
    tournament = read_tournament(path)
    folder = HOME / tournament.name
    progress = play_league(replace(tournament, minutes=minutes), folder, "Run the same command to continue.")
    if progress.done < progress.total:
        typer.echo(f"{path}: {progress.done} of {progress.total} matches. The same command goes on.", err=True)
    with open_store(folder) as store:
        kept = replace(as_kept(store, tournament, folder), words=tournament.words)
        changed = [e.name for e, k in zip(tournament.entries, kept.entries) if e.digest != k.digest]
        if changed:
            typer.echo(f"{path}: {', '.join(changed)} have changed since the league began. Begin it again.")
            return None
        ladder = freeze(store, tournament, [f"python -m benchmarks.ladder {path}"])
    write_ladder(ladder, out or target(tournament))
    return ladder


def shown(ladder: LadderFile) -> str:
    """The rungs as a table in Markdown, the best first."""
    above = {one.below: one for one in ladder.neighbours}
    rows = [
        [
            rung.bot,
            f"{rung.rating:.0f}",
            f"{rung.low:.0f} to {rung.high:.0f}",
            f"+{above[rung.bot].elo:.0f} ± {(above[rung.bot].high - above[rung.bot].low) / 2:.0f}"
            if rung.bot in above
            else "",
            rung.matches,
            f"{rung.cpu_ms:.1f}",
            sum(rung.faults.values()),
        ]
        for rung in reversed(ladder.rungs)
    ]
    heads = ["rung", "rating", "95 %", "the next rung", "matches", "CPU ms a decision", "faults"]
    made = f"{ladder.game}, {ladder.seats} players: {ladder.made.matches:,} matches, {ladder.made.at}"
    return f"{made}\n\n{tabulate(rows, heads, tablefmt='github', disable_numparse=True)}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+", help="tournament files")
    parser.add_argument("--minutes", type=float, help="stop after this time")
    parser.add_argument("--out", type=Path, help="where to write the ladder")
    parser.add_argument("--show", action="store_true", help="only show what is frozen")
    given = parser.parse_args()
    try:
        for path in given.files:
            if given.show:
                file = target(read_tournament(path))
                typer.echo(shown(read_ladder(file)) if file.is_file() else f"{path}: not frozen yet\n")
            elif (ladder := make(path, given.minutes, given.out)) is not None:
                typer.echo(shown(ladder))
    except ArenaError as error:
        typer.echo(error, err=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
