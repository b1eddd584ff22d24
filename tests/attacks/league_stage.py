"""One league, in a process and with a user of its own.

    python3 league_stage.py FILE FOLDER [SEED]

With a seed it is the league of an arena that had no secrets: its store is there already.
"""

import sys
from dataclasses import replace
from pathlib import Path

from arena import league, matches
from arena.config import read_tournament
from arena.store import open_store


def main() -> None:
    file, folder = map(Path, sys.argv[1:3])
    tournament = read_tournament(file)
    if len(sys.argv) > 3:
        old = replace(tournament, is_old=True, deals="shared", seed=int(sys.argv[3]))
        facts = {"name": old.name, "planned": 0, "sandbox": old.sandbox, "order": list(old.bots)}
        with open_store(folder, create=True) as store:
            store.settle(league.identity(old) | facts)
    matches.run(lambda: league.run(tournament, folder, lambda *_: None))


if __name__ == "__main__":
    main()
