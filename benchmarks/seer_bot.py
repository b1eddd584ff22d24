"""A bot that wants to know the deal before it sees its hand. It has all that a bot can have.

Beside it in its folder lie copies of arena/ and engine/ (source.zip), of all other bots (rivals/), of the tournament
file, and of the records of earlier leagues. When a match starts it knows the names at the table, its seat, and the seed
that it received. It guesses deals until one fits this seed:

    seeds of leagues    those in the file, 0, 1, -1, 2 ... by the rule of secrets and by the old one; for each every
                        kind of plan, meeting of the versions at the table, rotation, number of meetings, and attempt
    secrets             small numbers
    single matches      small seeds
    earlier deals       those of all records

It stops after so many seconds of its own CPU time. What it claims to know goes to stderr, which the record keeps. Then
it plays the first legal action: whether it would win with its knowledge is not the question.

    python seer_bot.py CPU_SECONDS
"""

import gzip
import hashlib
import json
import os
import re
import stat
import sys
import time
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "source.zip"))

from arena.league.meetings import deal_of, version_key  # noqa: E402
from arena.league.old_leagues import OldSeed  # noqa: E402
from arena.league.secret import Chance, Secret, of_seed  # noqa: E402
from arena.match.seeds import bot_seed_of, old_bot_seed  # noqa: E402

KINDS = (
    "round robin", "gauntlet", "duel", "chain", "placing", "top-up", "knock-out", "groups", "groups final",
)  # fmt: skip
MEETINGS, ATTEMPTS = 12, 2
"""How far it looks in each direction."""
CPU_S = float(sys.argv[1])

Guess = tuple[int, int, str]
"""The seed of the deal, the seed that we would have received then, and where the guess comes from."""


def say(message: dict) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def received(bot_seed: int, seat: int) -> int:
    """What a seat receives, as arena.match.referee has it."""
    return int.from_bytes(hashlib.sha256(f"bot:{bot_seed}:{seat}".encode()).digest()[:8]) >> 1


@cache
def versions() -> list[dict[str, str]]:
    """The keys of all bots, by name, from their files: those of a bot are what arena/roster/belongings.py digests.

    There are two maps, because a bot cannot know whether the program of its command is the arena's own interpreter.
    """
    found: list[dict[str, str]] = [{}, {}]
    for folder in (HERE, *sorted(HERE.glob("rivals/*"))):
        state = hashlib.sha256(b"dino-arena kept files 1\n")
        for path in sorted((path for path in folder.rglob("*") if path.is_file()), key=lambda path: bytes(path)):
            name = str(path.relative_to(folder)).encode()
            kind = b"program " if path.stat().st_mode & stat.S_IXUSR else b"file "
            what = kind + hashlib.sha256(path.read_bytes()).digest()
            state.update(b"%d:%s%d:%s" % (len(name), name, len(what), what))
        described = tomllib.loads((folder / "bot.toml").read_text())
        name, digest, (first, *rest) = described["name"], state.hexdigest()[:40], described["command"]
        for keys, program in zip(found, (os.path.basename(first), "{python}")):
            keys[name] = version_key(name, digest, [program, *rest])
    return found


def names(start: dict) -> Iterator[tuple[str, int]]:
    """What the deal may be called, and the rotation that this is."""
    players = start["players"]
    for known in versions():
        keys = sorted(known[player.partition("#")[0]] for player in players)  # copies of a bot are numbered
        for number in range(MEETINGS):
            for rotation in range(len(players)):
                yield deal_of(keys, number), rotation
    for kind in KINDS:
        for rotation in range(len(players)):
            circle = players[len(players) - rotation :] + players[: len(players) - rotation]
            for met in range(MEETINGS):
                yield json.dumps([kind, "deal", *circle, met]), rotation
            yield json.dumps([kind, "deal", *circle]), rotation


def by_secret(secret: Chance, start: dict, where: str) -> Iterator[Guess]:
    seat = start["seat"]
    for deal, rotation in names(start):
        yield secret.deal([deal]), received(secret.bot_seed([deal, rotation]), seat), where
        for attempt in range(ATTEMPTS):
            name: list[str | int] = [deal, rotation, attempt]
            yield secret.deal(name), received(secret.bot_seed(name), seat), where


def by_old_rule(seed: int, start: dict) -> Iterator[Guess]:
    for deal, _ in names(start):
        dealt = OldSeed(seed).deal([deal])
        yield dealt, old_bot_seed(dealt, 0, start["seat"]), f"old seed {seed}"


def league_seeds() -> Iterator[int]:
    text = "".join(path.read_text() for path in HERE.glob("*.league"))
    yield from map(int, re.findall(r"-?\d+", text))
    for number in count():
        yield number
        yield -number


def earlier(start: dict) -> Iterator[Guess]:
    for path in HERE.glob("earlier/**/*.gz"):
        with gzip.open(path) as file:
            header = json.loads(file.readline())
        seed, bot_seed = header["seed"], header["bot_seed"]
        yield seed, received(bot_seed, start["seat"]), "an earlier record"
        yield seed, old_bot_seed(seed, bot_seed, start["seat"]), "an earlier record"


def guesses(start: dict) -> Iterator[Guess]:
    """Guesses without end, the likely ones first."""
    yield from earlier(start)
    for number, seed in enumerate(league_seeds()):
        yield from by_secret(of_seed(seed), start, f"seed {seed}")
        yield from by_old_rule(seed, start)
        yield from by_secret(Secret(f"{number:032x}"), start, f"secret {number}")
        yield seed, received(bot_seed_of(seed, 0), start["seat"]), f"a single match, seed {seed}"


def look(start: dict) -> None:
    """Try until a guess fits or the time is over, and say what is known."""
    began = time.process_time()
    for tried, (seed, told, where) in enumerate(guesses(start), 1):
        took = time.process_time() - began
        if told == start["bot_seed"]:
            found = {"seed": seed, "from": where, "tried": tried, "ms": round(1000 * took, 1)}
            sys.stderr.write(f"SEER {json.dumps(found)}\n")
            return
        if took > CPU_S:
            sys.stderr.write(f"BLIND {json.dumps({'tried': tried, 'ms': round(1000 * took)})}\n")
            return


def main() -> None:
    versions()  # which is not part of the time for guesses
    say({"type": "hello", "protocol": 1, "name": "seer", "version": "1", "games": ["draftosaurus"]})
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            look(message)
            sys.stderr.flush()
            say({"type": "ready"})
        elif message["type"] == "decide":
            say({"type": "move", "id": message["id"], "action": message["legal"][0]})
        elif message["type"] == "bye":
            break


if __name__ == "__main__":
    main()
