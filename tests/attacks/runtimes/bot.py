"""The first legal action, after threads, asyncio and timers have done what they are for."""

import asyncio
import json
import signal
import sys
import threading


async def pause() -> str:
    await asyncio.sleep(0.001)
    return await asyncio.to_thread(str, "ok")


def try_everything() -> None:
    threads = [threading.Thread(target=sum, args=(range(1000),)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert asyncio.run(pause()) == "ok"
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    assert signal.sigwait([signal.SIGALRM]) == signal.SIGALRM


def say(**message: object) -> None:
    print(json.dumps(message), flush=True)  # noqa: T201 the arena reads it


try_everything()
say(type="hello", protocol=1, name="python", version="1", games=["draftosaurus"])
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        say(type="ready")
    elif message["type"] == "decide":
        say(type="move", id=message["id"], action=message["legal"][0])
    elif message["type"] == "bye":
        break
