"""A ladder of small bots that is made without playing."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from arena.ladder.freeze import write_ladder
from arena.ladder.frozen import LadderFile, Made, Neighbours, Rung
from arena.ladder.rungs import digest_of, rung_entry
from tests.league.small_league import PATIENT, small_bot

RATINGS = {"last": 1300.0, "third": 1400.0, "first": 1500.0}


def small_ladder(folder: Path, ratings: Mapping[str, float] = RATINGS, **changes: Any) -> Path:
    """The file of a ladder whose bots are in this folder, which must be the one of the arena's bots."""
    rungs = []
    for how, rating in ratings.items():
        small_bot(folder, how)
        file = f"{how}/bot.toml"
        entry = rung_entry(how, file)
        files, digest = digest_of(entry, file, "draftosaurus")
        command = ["python", *entry.command[1:]]
        rungs.append(
            Rung(
                bot=how, file=file, version="1", command=command, files=files, digest=digest, rating=rating,
                low=rating - 9, high=rating + 9, matches=100, faults={}, cpu_ms=0.1,
            )
        )  # fmt: skip
    count = len(rungs)
    whole: dict[str, Any] = {
        "format": 1, "game": "draftosaurus", "edition": 1, "options": {}, "seats": 2, "anchor": {"first": 1500.0},
        "clock": {"hello_ms": 600_000, "prepare_ms": 600_000, "increment_ms": 100, "charge": "wall", **PATIENT},
        "seat_effects": [0.0, 0.0], "rungs": rungs,
        "covariance": [[20.0 if i == j else 0.0 for j in range(count)] for i in range(count)],
        "neighbours": [
            Neighbours(bot=one.bot, below=other.bot, elo=one.rating - other.rating, low=0.0, high=200.0, superiority=0.99)
            for other, one in pairwise(rungs)
        ],
        "made": Made(at="2026-01-02", arena="0.1.0", commands=["a command"], matches=300, records="0" * 64),
    }  # fmt: skip
    path = folder / "small.json"
    write_ladder(LadderFile(**(whole | changes)), path)
    return path
