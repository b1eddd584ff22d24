"""One league, in a process and with a user of its own.

    python3 league_stage.py FILE FOLDER [SEED]

With a seed it is the league of an arena that had no secrets: its store is there already.
"""

import sys
from dataclasses import replace
from pathlib import Path

from arena import running
from arena.league import fixtures
from arena.league import run as league
from arena.league.store import open_store
from arena.league.tournament import read_tournament


def main() -> None:
    file, folder = map(Path, sys.argv[1:3])
    tournament = read_tournament(file)
    if len(sys.argv) > 3:
        old = replace(tournament, is_old=True, deals="shared", seed=int(sys.argv[3]))
        facts = {"name": old.name, "planned": 0, "sandbox": old.sandbox, "order": list(old.bots)}
        with open_store(folder, create=True) as store:
            store.settle(fixtures.identity(old) | fixtures.roster(old) | facts)
    running.run(lambda: league.run(tournament, folder, lambda *_: None))


if __name__ == "__main__":
    main()
