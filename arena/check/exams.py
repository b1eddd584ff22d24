"""The exams, in the order in which they are held.

Each tests one thing that the protocol requires of a bot, in new processes, and notes failures in the Room. A failure in
a special situation is noted under the id of that situation (`split-frames`), together with the id of what was seen
(`crash`); attribution.py then separates causes from consequences.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from arena.check import farewell, lasting, plain, special
from arena.check.room import Room


@dataclass(frozen=True, slots=True)
class Exam:
    """An exam, what it does in words, and the exams that must pass first."""

    name: str
    hold: Callable[[Room], Awaitable[None]]
    tries: str
    needs: tuple[str, ...] = ()
    starts: int = 0
    """New processes that it uses, even if the bot starts slowly: they can be started before it (standby.py)."""


_PLAYS = ("build", "start", "hello", "match")

EXAMS: tuple[Exam, ...] = (
    Exam("build", plain.build, "runs the build command of bot.toml"),
    Exam("start", plain.start, "starts the command and waits for hello", ("build",)),
    Exam("hello", plain.hello, "compares hello with bot.toml", ("build", "start")),
    Exam("match", plain.match, "plays a plain match", ("build", "start", "hello")),
    Exam("phases", plain.phases, "plays every game at every player count, with the options that add phases", _PLAYS, 1),
    Exam("framing", special.framing, "sends messages byte by byte, and two messages in one write", _PLAYS, 2),
    Exam(
        "unknown fields",
        special.unknown_fields,
        "adds unknown fields to all messages; sends nulls",
        _PLAYS,
        2,
    ),
    Exam("largest message", special.largest_message, "sends a question of nearly 1 MiB", _PLAYS),
    Exam("ids", special.ids, "numbers questions with gaps, up to 2^53 - 1", _PLAYS, 1),
    Exam("order of legal", special.order_of_legal, "reverses `legal`; asks where only one action is legal", _PLAYS),
    Exam("clock", special.clock, "gives almost no time; reports late, illegal and malformed answers in `last`", _PLAYS),
    Exam("matches", lasting.matches, "plays several matches in one process; ends one before ready", _PLAYS, 1),
    Exam("determinism", lasting.determinism, "plays the same match three times and compares the answers", _PLAYS, 3),
    Exam("memory", lasting.memory, "plays 200 short matches in one process and watches its memory", _PLAYS, 1),
    Exam(
        "goodbye",
        farewell.goodbye,
        "sends bye or closes stdin at every stage; looks for leftover processes",
        _PLAYS,
        2,
    ),
    Exam("sandbox", plain.sandbox, "plays the plain match in every other tier of the sandbox", _PLAYS),
)
