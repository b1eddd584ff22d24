"""A bot for void_at_will.py: it makes noise with threads and stderr, and measures how long it thinks.

    python3 -I -S noisy_bot.py HOW THREADS

HOW is `honest` (no noise: it works for some milliseconds of CPU time and answers), `think` (noise, and an answer after
0.4 s of work) or `silent` (noise, a blank on stdout, and no answer). It is a program of its own: the standard library,
and JSON lines.
"""

import hashlib
import json
import os
import sys
import threading
import time

HOW, THREADS = sys.argv[1], int(sys.argv[2])
THINK_S = 0.4
SILENT_S = 1.2
WORK_S = 0.03
"""CPU time of an honest decision."""
NOISE_S = 50e-6

is_thinking = threading.Event()


def burn() -> None:
    """Work that does not hold the interpreter's lock."""
    while True:
        is_thinking.wait()
        hashlib.pbkdf2_hmac("sha256", b"noise", b"noise", 2_000)


def babble() -> None:
    """Wake up the process that reads stderr, again and again."""
    while True:
        is_thinking.wait()
        os.write(2, b".")
        time.sleep(NOISE_S)


def say(message: dict) -> None:
    os.write(1, json.dumps(message).encode() + b"\n")


def work(is_enough) -> None:
    while not is_enough():
        hashlib.pbkdf2_hmac("sha256", b"work", b"work", 300)


def decide(message: dict, began: float) -> None:
    if HOW == "honest":
        used = time.thread_time()
        work(lambda: time.thread_time() - used > WORK_S)
    else:
        is_thinking.set()
        if HOW == "silent":
            work(lambda: time.monotonic() - began > SILENT_S)
            os.write(1, b" ")  # so that the referee looks
            return
        work(lambda: time.monotonic() - began > THINK_S)
        is_thinking.clear()
    took_us = round((time.monotonic() - began) * 1e6)
    say({"type": "move", "id": message["id"], "action": message["legal"][0], "note": str(took_us)})


def messages():
    """Each message, and when its last byte was there."""
    rest = b""
    while data := os.read(0, 1 << 16):
        at = time.monotonic()
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            yield json.loads(line), at


def main() -> None:
    if HOW != "honest":
        threading.stack_size(1 << 16)
        for loop in (*[burn] * THREADS, babble):
            threading.Thread(target=loop, daemon=True).start()
    say({"type": "hello", "protocol": 1, "name": HOW, "version": "1", "games": ["draftosaurus"]})
    for message, at in messages():
        if message["type"] == "start":
            say({"type": "ready"})
        elif message["type"] == "decide":
            decide(message, at)
        elif message["type"] == "bye":
            os._exit(0)


main()
