"""Looks at the files that it is given, says on stderr what is in them, and plays the first legal action.

python3 peeking_bot.py FILE ...
"""

import json
import os
import sys

try:
    import impl  # type: ignore[import-not-found]  # beside it, in some tests; what says `who` may lie in a cache

    who = impl.WHO
except ImportError:
    who = ""


def look(path: str) -> object:
    try:
        if os.path.isdir(path):
            return sorted(os.listdir(path))
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        return type(error).__name__


def say(**message: object) -> None:
    print(json.dumps(message), flush=True)  # noqa: T201 the arena reads it


print(json.dumps({"who": who, "sees": {path: look(path) for path in sys.argv[1:]}}), file=sys.stderr)  # noqa: T201
say(type="hello", protocol=1, name="peeking", version="1", games=["draftosaurus"])
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        say(type="ready")
    elif message["type"] == "decide":
        say(type="move", id=message["id"], action=message["legal"][0])
    elif message["type"] == "bye":
        break
