"""A bot that plays the first legal action and does what the fixes of `arena check` say; `bot.py FINDING` does not in one place."""

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from typing import Any

BROKEN = "".join(sys.argv[1:])


@dataclass
class Question:
    """All fields of a question, but not those of a later revision."""

    type: str
    id: int
    legal: list[str]
    view: Any = None
    phase: Any = None
    events: Any = None
    clock: Any = None
    last: Any = None


def say(**message: Any) -> None:
    line = json.dumps(message).encode()
    is_move = message["type"] == "move"
    sys.stdout.buffer.write(line if BROKEN == "truncated" and is_move else line + b"\n")
    if BROKEN != "not-flushed" or not is_move:
        sys.stdout.buffer.flush()


def lines() -> Any:
    """The messages: os.read returns what has arrived, so keep reading until the frame is complete."""
    buffer = b""
    while True:
        data = os.read(0, 1 << 16)
        if not data:
            if BROKEN == "exit-status":
                raise EOFError
            if BROKEN == "eof-ignored":
                time.sleep(0.05)
                continue
            return
        if BROKEN == "split-frames":
            yield data
            continue
        *complete, buffer = (buffer + data).split(b"\n")
        yield from complete


def decide(message: dict[str, Any]) -> str:
    if BROKEN == "unknown-fields":
        Question(**message)
    last = message["last"]["id"] if BROKEN == "null-fields" and "last" in message else 0
    if message.get("last") is None:
        last = 0
    favourites: dict[int, str] = {}
    try:
        return favourites[last]
    except KeyError:
        if BROKEN == "crash":
            raise
        return str(message["legal"][0])


def main() -> None:
    print("thinking", file=sys.stdout if BROKEN == "text" else sys.stderr, flush=True)
    if BROKEN == "silent" and not sys.stdin.readline():
        return
    say(type="hello", protocol=1, name="fixed", version="1", games=["draftosaurus"])
    threading.Thread(target=time.sleep, args=(3600,), daemon=BROKEN != "bye-ignored").start()
    helper = subprocess.Popen(["sleep", "60"]) if "children" in BROKEN else None
    for line in lines():
        message = json.loads(line)
        if message["type"] == "start":
            say(type="ready")
        elif message["type"] == "decide":
            say(type="move", id=message["id"], action=decide(message))
        elif message["type"] == "bye":
            break
    if helper and BROKEN != "children-left":
        helper.terminate()
        helper.wait()


main()
