"""Meetings: which versions of bots sit at a table, and which of their meetings it is. All else follows from that.

Theory of operation. A version of a bot is its name, the digest of its files, and the words of its command; its key is a
digest of these. A meeting is the set of versions at a table and a number: the meetings of one set are numbered from 0.
Its block, circle, deals and match ids follow from these, the league's secret and its rules, and from nothing else. So
the k-th meeting of the same versions is the same matches for ever, whatever else the roster does, and wherever it is
played.

    block      53 bits of a digest of the keys and the number
    circle     if there are few circles, each comes once before one comes again; else a shuffle for each number
    deal       the keys and the number, from which arena.league.deals makes the deals of the rotations

Results of a league are ordered by number, block and rotation, which is an order of the set of results.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, permutations
from math import factorial

from arena.league.schedule import Fixture, Lots, rotations

KEY_DIGITS = 16
BLOCK_BITS = 53
"""What a number in JSON or in SQLite can have in every language."""
MOST_LISTED = 6
"""Seats of tables whose circles are listed: at six seats there are 120."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A meeting of which there are results."""

    block: int
    number: int
    bots: tuple[str, ...]
    versions: tuple[str, ...]
    """Their keys, in the same order."""


def version_key(name: str, digest: str, program: Sequence[str]) -> str:
    """What identifies a version of a bot."""
    return hashlib.sha256(json.dumps([name, digest, *program]).encode()).hexdigest()[:KEY_DIGITS]


def block_of(keys: Sequence[str], number: int) -> int:
    """The block of a meeting, given the sorted keys of its versions."""
    digest = hashlib.blake2b(f"{','.join(keys)} {number}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 64 - BLOCK_BITS


def deal_of(keys: Sequence[str], number: int) -> str:
    """The name of its deal."""
    return json.dumps(["meeting", *keys, number])


def circle(keys: Sequence[str], number: int, dice: int) -> list[str]:
    """The keys of a meeting in a circle."""
    lots, (first, *others) = Lots(dice, "circle"), keys
    if len(keys) > MOST_LISTED:
        return lots.shuffled(keys, *keys, number)
    turn, place = divmod(number, factorial(len(others)))
    return [first, *lots.shuffled(list(permutations(others)), *keys, turn)[place]]


def meeting(names: Mapping[str, str], number: int, dice: int) -> Iterator[Fixture]:
    """The fixtures of a meeting, given the names by key."""
    keys = sorted(names)
    block, deal = block_of(keys, number), deal_of(keys, number)
    seatings = rotations([names[key] for key in circle(keys, number, dice)])
    for rotation, bots in enumerate(seatings):
        yield Fixture(number, block, rotation, bots, deal)


def meetings(
    plan: Iterable[Fixture],
    versions: Mapping[str, str],
    dice: int,
    met: Counter[int],
    done: Container[int] = frozenset(),
) -> Iterator[Fixture]:
    """The fixtures of a plan as meetings of these versions, by name. Blocks that are done are left out.

    `met` counts the meetings of each set so far, and is carried on.
    """
    for _, block in groupby(plan, lambda fixture: fixture.block):
        names = {versions[name]: name for name in next(block).bots}
        keys = sorted(names)
        table = block_of(keys, 0)
        number, met[table] = met[table], met[table] + 1
        if (table if number == 0 else block_of(keys, number)) not in done:
            yield from meeting(names, number, dice)
