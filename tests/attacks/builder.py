"""One build, in a process and with a user of its own: python3 builder.py < task.json > found.json"""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import trio

from arena.building import build as building
from arena.building.build import Way
from arena.match.excerpt import Excerpt
from arena.roster.entries import Entry


def main() -> None:
    task = json.load(sys.stdin)
    os.environ.update(task.get("env", {}))
    entry = Entry("hostile", "1", ("./bot",), Path(task["folder"]), tuple(task["build"]))
    building.POLICY = replace(building.POLICY, **task.get("policy", {}))
    printed = Excerpt()
    why = trio.run(building.build, entry, Way(task["way"]), printed.add, task.get("limit_s", 30))
    json.dump({"why": why, "printed": printed.text(), "bytes": printed.total}, sys.stdout)


if __name__ == "__main__":
    main()
