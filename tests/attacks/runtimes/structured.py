"""The first legal action, by a bot that waits for everything with trio."""

import ctypes.util
import json
import sys
from typing import Any

# Trio looks for a library, which asks a compiler, which wants a temporary file, for which `lite` has no room.
ctypes.util.find_library = lambda name: None

import trio  # noqa: E402


async def say(**message: object) -> None:
    await trio.to_thread.run_sync(lambda: print(json.dumps(message), flush=True))  # noqa: T201 the arena reads it


async def answer(message: dict[str, Any]) -> None:
    if message["type"] == "start":
        await say(type="ready")
    elif message["type"] == "decide":
        await say(type="move", id=message["id"], action=message["legal"][0])


async def main() -> None:
    async with trio.open_nursery() as nursery:
        for _ in range(8):
            nursery.start_soon(trio.sleep, 0.001)
    await say(type="hello", protocol=1, name="structured", version="1", games=["draftosaurus"])
    lines = trio.wrap_file(sys.stdin)
    async for line in lines:
        message = json.loads(line)
        if message["type"] == "bye":
            break
        await answer(message)


trio.run(main)
