"""The program that measures how fast a machine is: `python calibration.py CORE`, one process for each core.

This program must NEVER change. Speeds are stored with the matches of leagues and compared for years, so a change, even
a faster way to the same result, would make machines look faster that are not. Whatever must be different goes into
another program with the next VERSION, and its own REFERENCE_US.

It does what bots do: integers, small lists and dicts, calls, texts, and a little hashing, always the same work with the
same checksum. It measures a slice of about a millisecond many times, and reports the shortest: noise only makes slices
longer, and most slices are shorter than the time that a scheduler gives to another process. Only slices within the
given window count, because all cores must be busy: a core is faster while its neighbours rest. So each process works
from when it is ready until a little after the window.

It says `ready`, reads the begin and the length of the window in seconds of the clock `time.monotonic`, and prints the
shortest slice in microseconds and the checksum.
"""

import hashlib
import os
import sys
from time import monotonic

VERSION = 1
REFERENCE_US = 1000.0
"""The shortest slice on the reference machine, which has the speed 100."""
CHECKSUM = "a61ac0c6aafc0b1f"
"""What every slice must come to, on every machine and in every version of Python."""
TAIL_S = 0.01
"""How long each process goes on after the window, so that all cores are busy until its end."""


def score(hand: list[int]) -> int:
    """Points for a hand: three for each pair, one for each face."""
    faces: dict[int, int] = {}
    for face in hand:
        faces[face] = faces.get(face, 0) + 1
    return sum(3 if count > 1 else 1 for count in faces.values())


def work() -> str:
    """One slice."""
    state, total = 20_161_118, 0
    hands: list[list[int]] = [[] for _ in range(5)]
    moves: list[str] = []
    for turn in range(1100):
        state = (state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % 18_446_744_073_709_551_616
        seat, face = turn % 5, (state >> 40) % 6
        hand = hands[seat]
        hand.append(face)
        if len(hand) == 6:
            hand.sort(reverse=True)
            total += score(hand)
            moves.append(f"{seat}:{'-'.join(map(str, hand))}={total}")
            hands[seat] = hand[4:]
    text = " ".join(moves)
    words = sorted({word.partition(":")[2].upper(): len(word) for word in text.split()}.items())
    return hashlib.sha256(repr(words).encode()).hexdigest()[:16]


def shortest(begin: float, end: float) -> float:
    """The seconds of the shortest slice between these times, or of the first one after it if none fits."""
    best = 0.0
    while True:
        before = monotonic()
        found = work()
        after = monotonic()
        if found != CHECKSUM:
            return 0.0
        if before >= begin and (after <= end or not best):
            best = min(best or after - before, after - before)
        if best and after > end + TAIL_S:
            return best


def main() -> None:
    core = int(sys.argv[1])
    if core >= 0:
        os.sched_setaffinity(0, [core])
    work()
    print("ready", flush=True)  # noqa: T201
    begin, length = map(float, sys.stdin.readline().split())
    print(1e6 * shortest(begin, begin + length), work())  # noqa: T201


if __name__ == "__main__":
    main()
