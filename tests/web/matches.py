"""Matches for pages: refereed without processes, so that they are the same in every run."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arena.match.clock import TimeControl
from arena.match.record import Account, MatchRecord, Player
from arena.match.scripted import ScriptedMatch
from engine.catalogue import game as find_game
from protocol.messages import Move

NAMES = ("greedy", "random", "my-bot", "mcts-3", "blue", "six")
CLOCK = TimeControl(prepare_ms=1000, bank_ms=500, increment_ms=100)


def played(
    game: str,
    seats: int,
    options: dict[str, Any] | None = None,
    *,
    seed: int = 7,
    names: Sequence[str] = NAMES,
    notes: Sequence[str] = (),
    bad_seat: int | None = None,
    stderr: str = "",
    clock: TimeControl = CLOCK,
) -> MatchRecord:
    """A match whose bots choose at random and take up to 120 ms; `bad_seat` gives a wrong answer now and then."""
    players = tuple(Player(name, "1.0", "", clock, "full") for name in names[:seats])
    match = ScriptedMatch(find_game(game), seats, options=options or {}, seed=seed, players=players)
    chance = random.Random(seed)
    while not match.referee.over:
        for seat in [seat.index for seat in match.referee.seats if seat.is_asked]:
            question = match.last(seat)
            is_bad = seat == bad_seat and question.id % 9 == 5
            note = notes[question.id % len(notes)] if notes else None
            action = "nonsense" if is_bad else chance.choice(question.legal)
            match.hear(seat, Move(question.id, action, note), chance.random() * 0.12)
    accounts = tuple(Account(cpu_us=12_345, stderr=stderr) for _ in players)
    return match.referee.record(accounts)


def with_text(record: MatchRecord, step: int, **changes: str) -> MatchRecord:
    """The record with other texts in the decisions of a step."""
    steps = list(record.steps)
    decisions = tuple(replace(decision, **changes) for decision in steps[step - 1].decisions)  # type: ignore[arg-type]
    steps[step - 1] = replace(steps[step - 1], decisions=decisions)
    return replace(record, steps=steps)
