"""The record of a match, as values: complete enough to play it again.

Theory of operation. A record is a header, one line for each step, a verdict, and a checksum of the lines before it. A
step is one action of chance or the decisions of all seats that act, with a digest of the state after it.
arena.match.record_file checks the limits here when it reads a record.
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, FailFast, Field

from arena.match.clock import TimeControl
from arena.match.hosts import Host
from arena.names import Name
from arena.texts import counted, flat
from engine.contract import Value

FORMAT = 2
"""In format 1 the seeds that bots receive followed from the deal's; since then they follow from `bot_seed` alone. And
`sandbox` and `layers` stood in the header, for all players at once."""
BRANCH_FORMAT = 3
"""Of a match that begins in the middle of another: an arena that knows only format 2 would play it from the start."""
MOST_STEPS = 100_000
MOST_DECISIONS = 200_000
"""In all steps; the longest matches so far have less than 1,000 of each."""
MOST_PLAYERS = 64
MOST_STRIKES = 1000
MOST_FAULTS = 100_000
"""More than all strikes of all players."""
MOST_ENTRIES = 1000
"""Options of a game, or zones that a player got points for."""
MOST_TEXT = 1 << 16
"""Characters of an action, an answer, a reason, a note, or the text of a fault."""
MOST_POSITION = 1 << 17
"""Characters of a position: twice those of the largest deck, which is a part of it."""
MOST_STDERR = 1 << 19
"""Characters that are kept of a bot's stderr: 64 KiB, and bytes that are not UTF-8 are escaped."""
MOST_PACKED = 64 << 20
"""Bytes of a file. Of a larger one, even one without end, no more is read."""
MOST_US = 10**15
"""Thirty years in microseconds: more than any decision, CPU time or delay takes."""
MOST_SEED = 10**1000
"""Every seed is less than this, and its negative too."""


def _few(value: Any) -> Any:
    if isinstance(value, Mapping) and len(value) > MOST_ENTRIES:
        raise ValueError(f"it has {len(value)} entries, and {MOST_ENTRIES} are the most")
    return value


# What a reader checks. These are plain dataclasses, so a match that is being played pays nothing for it.
Word = Annotated[str, Field(max_length=256)]
Text = Annotated[str, Field(max_length=MOST_TEXT)]
Position = Annotated[str, Field(max_length=MOST_POSITION)]
Output = Annotated[str, Field(max_length=MOST_STDERR)]
Digest = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
Seed = Annotated[int, Field(gt=-MOST_SEED, lt=MOST_SEED)]
Micros = Annotated[int, Field(ge=0, le=MOST_US)]
Count = Annotated[int, Field(ge=1, le=2**53)]
Whole = Annotated[int, Field(ge=0, le=2**53)]
Points = Annotated[int, Field(ge=-(2**53), le=2**53)]
Amount = int | Annotated[float, Field(allow_inf_nan=False)]
Cards = Literal["open"] | Whole
"""How the hidden cards of a branch were chosen: as recorded, or drawn from what this seat could know."""
OPEN: Literal["open"] = "open"
# The first mistake ends the reading of a list or map: collecting all of them takes a thousand times their size.
Each = (FailFast(), Field(max_length=MOST_PLAYERS))
"""For a list with an entry for each player."""
Few = BeforeValidator(_few)


class Status(StrEnum):
    """Why an action was played."""

    ACCEPTED = "accepted"
    LATE = "late"
    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    FORCED = "forced"
    """There was no choice, and the bot was not asked."""
    ABSENT = "absent"
    """The seat is disqualified; the fallback plays on."""

    @property
    def is_timed(self) -> bool:
        """Whether a bot was asked, and its time counts."""
        return self not in _UNTIMED


_UNTIMED = frozenset((Status.FORCED, Status.ABSENT))


@dataclass(frozen=True, slots=True)
class Player:
    """The player of a seat."""

    name: Name
    version: Word
    digest: Word
    """Of the bot's files."""
    clock: TimeControl = field(default_factory=TimeControl)
    sandbox: Word = "none"
    """The tier."""
    layers: Annotated[tuple[Word, ...], *Each] = ()
    """The walls of the sandbox, as the bot's own process reported them."""
    env: Annotated[tuple[Word, ...], *Each] = ()
    """The environment variables that its bot.toml sets, each as NAME=value."""
    tune: Annotated[Mapping[str, Amount], Few] = field(default_factory=dict)
    """The values of its parameters, if its bot.toml has `[tune]`: what its `start` says."""


@dataclass(frozen=True, slots=True)
class Parent:
    """Where a branch begins: after a step of another match, in a position that is its own or fits what a seat knew."""

    match: Word
    step: Whole
    state: Digest
    """Of the parent's state after that step."""
    cards: Cards
    position: Position
    """As the game writes it. If its cards were drawn, then by the dice of the branch's own seed."""


@dataclass(frozen=True, slots=True)
class Header:
    """Everything that was settled before the match."""

    match: Word
    game: Word
    edition: Count
    options: Annotated[Mapping[str, Value], Few]
    """Those that differ from their defaults."""
    seed: Seed
    """Of dice and deals. No bot receives it."""
    players: Annotated[tuple[Player, ...], *Each]
    bot_seed: Seed = 0
    """The bots' seeds are made from it; it reveals nothing about the deal."""
    strikes: Count = 3
    ask_forced: bool = False
    policy: Word = ""
    """The digest of the bots' limits."""
    arena: Word = ""
    format: Count = FORMAT
    host: Host | None = None
    """The machine that played it, in a league. It cannot be checked later."""
    parent: Parent | None = None
    """What it continues, if it is a branch."""
    affinity: Word | None = None
    """By which rule the bots were placed on cores (arena/match/placement.py), if they were processes."""


@dataclass(slots=True)  # not frozen: one is made for each decision, and freezing it costs 1.5 µs
class Decision:
    """One seat's part in a step."""

    seat: Whole
    action: Text
    status: Status = Status.ACCEPTED
    used_us: Micros = 0
    answer: Text | None = None
    """What the bot answered, if that was not played."""
    reason: Text | None = None
    note: Text | None = None


@dataclass(slots=True)
class Step:
    """One action of chance, or the decisions of all seats that acted, and the digest of the state after it."""

    state: Digest
    chance: Text | None = None
    decisions: Annotated[tuple[Decision, ...], *Each] = ()

    @property
    def actions(self) -> dict[int, str]:
        """For Game.apply."""
        if self.chance is not None:
            return {-1: self.chance}
        return {decision.seat: decision.action for decision in self.decisions}


@dataclass(frozen=True, slots=True)
class FaultNote:
    """A fault as it is kept; arena.match.faults explains the kinds."""

    kind: Word
    seat: Whole | None
    decision: Count | None
    text: Text


@dataclass(frozen=True, slots=True)
class Account:
    """What a bot's process left behind in the match."""

    cpu_us: Micros = 0
    stderr: Output = ""
    stderr_bytes: Whole = 0
    exit: Text | None = None
    """How the process ended, if it did during the match."""
    last_told: Mapping[str, Any] | None = None
    """The last message that it received before the end, if it had a fault; if it hung, the last one that it read."""
    peak_kb: Whole = 0
    """The most memory that it has had since its start, if its control group has counted it."""
    spared_us: Micros = 0
    """Time that it was not charged, because others kept it from the cores."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How the match ended. A void match does not count, and `void` says why."""

    scores: Annotated[tuple[Points, ...], *Each]
    ranks: Annotated[tuple[Count, ...], *Each]
    breakdown: Annotated[tuple[Annotated[Mapping[str, Points], Few], ...], *Each]
    faults: Annotated[tuple[FaultNote, ...], FailFast(), Field(max_length=MOST_FAULTS)] = ()
    void: Text | None = None
    accounts: Annotated[tuple[Account, ...], *Each] = ()
    delay_us: Micros = 0
    """The longest that the referee itself was late in looking at an answer."""
    suspects: Annotated[tuple[Whole, ...], *Each] = ()
    """If the match is void because others had the cores: the seats that used far more than their share."""
    shared: Whole = 0
    """How many questions were sent while all bots shared the referee's core."""


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """One complete match."""

    header: Header
    steps: Sequence[Step]
    verdict: Verdict
    path: Path | None = field(default=None, compare=False)

    def decisions(self) -> Iterator[tuple[int, int, Decision]]:
        """Each decision with its number, from 1, and the index of its step."""
        number = 0
        for index, step in enumerate(self.steps):
            for decision in step.decisions:
                number += 1
                yield number, index, decision

    def without_times(self) -> "MatchRecord":
        """The record that every run with the same seed and deterministic bots gives."""
        steps = [replace(step, decisions=tuple(map(_timeless_decision, step.decisions))) for step in self.steps]
        verdict = self.verdict
        is_timed = verdict.void is not None and any(fault.kind == "overload" for fault in verdict.faults)
        timeless = replace(
            verdict,
            faults=tuple(map(_timeless_fault, verdict.faults)),
            void=_without_numbers(verdict.void or "") if is_timed else verdict.void,
            accounts=tuple(map(_timeless_account, verdict.accounts)),
            delay_us=0,
            suspects=(),
            shared=0,
        )
        return replace(self, header=replace(self.header, host=None, affinity=None), steps=steps, verdict=timeless)

    def __repr__(self) -> str:
        """One line: a notebook, a log or a debugger shows it."""
        pairs = zip(self.header.players, self.verdict.scores)
        scores = "void" if self.verdict.void else ", ".join(f"{flat(player.name)} {score}" for player, score in pairs)
        steps = counted(len(self.steps), "step")
        return f"<MatchRecord {flat(self.header.game)}: {scores}; {steps}, seed {self.header.seed}>"

    def _repr_html_(self) -> str:
        """How it shows itself in a notebook."""
        head = "".join(f"<th>{name}</th>" for name in ("rank", "seat", "player", "score"))
        order = sorted(range(len(self.header.players)), key=lambda seat: (self.verdict.ranks[seat], seat))
        rows = "".join(
            f"<tr><td>{self.verdict.ranks[seat]}</td><td>{seat}</td>"
            f"<td>{html.escape(flat(self.header.players[seat].name))}</td><td>{self.verdict.scores[seat]}</td></tr>"
            for seat in order
        )
        notes = "".join(f"<li>{html.escape(flat(f'{f.kind}: {f.text}'))}</li>" for f in self.verdict.faults)
        title = html.escape(flat(f"{self.header.game}, seed {self.header.seed}, {counted(len(self.steps), 'step')}"))
        return f"<p>{title}</p><table><tr>{head}</tr>{rows}</table>{f'<ul>{notes}</ul>' if notes else ''}"


# Without times

_TELLING_TIME = frozenset(("late", "overload"))
"""Faults, and the status, whose texts say how long something took."""


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+(\.\d+)?", "#", text)


def _timeless_decision(decision: Decision) -> Decision:
    reason = decision.reason
    if reason is not None and decision.status in _TELLING_TIME:
        reason = _without_numbers(reason)
    return replace(decision, used_us=0, reason=reason)


def _timeless_fault(fault: FaultNote) -> FaultNote:
    return replace(fault, text=_without_numbers(fault.text)) if fault.kind in _TELLING_TIME else fault


def _timeless_account(account: Account) -> Account:
    return replace(account, cpu_us=0, peak_kb=0, spared_us=0, last_told=_timeless_told(account.last_told))


def _timeless_told(told: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """A `decide` without what is left in the bank, and without how long the decision before it took."""
    if told is None or told.get("type") != "decide":
        return told
    last, clock = told.get("last"), told.get("clock")
    if isinstance(last, Mapping):
        reason = last.get("reason")
        if isinstance(reason, str) and str(last.get("status")) in _TELLING_TIME:
            reason = _without_numbers(reason)
        last = {**last, "used_ms": 0, "reason": reason}
    return {**told, "clock": {**clock, "bank_ms": 0} if isinstance(clock, Mapping) else clock, "last": last}
