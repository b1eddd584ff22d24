"""The referee of one match, a state machine without IO: it receives what arrives and when, and returns what to send.

Theory of operation. First every seat prepares; then the game goes step by step. In a step chance acts at once, and
seats that have a choice are asked all at the same time: the game goes on only when the last of them has answered,
failed or run out of time, so no bot learns anything from the order of answers. A seat that failed gets the game's
fallback and, by the policy in faults.py, a strike or a disqualification; the others finish their match in any case.

A seat gets back the time for which others had the cores and kept it from thinking (arena/match/cores.py). Until that
time is up too, the referee waits. So a bot on an overloaded machine has the time that it would have on a quiet one, and
no more. The match is void only if that takes many times as long.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from typing import Any, Final

from arena.match import messages
from arena.match.agenda import Heard
from arena.match.bank import Clock
from arena.match.cores import Usage, barred_s, kept_s, suspects
from arena.match.faults import Blame, Broken, Consequence, Fault, FaultKind
from arena.match.origin import first_state
from arena.match.record import Account, Decision, FaultNote, Header, MatchRecord, Status, Step, Verdict
from arena.match.seeds import OLD_FORMAT, old_bot_seed
from arena.texts import counted, cut
from engine.contract import CHANCE, Event, Game, Outcome, ranks, why_not
from engine.dice import Seed
from engine.errors import ActionError, MalformedAction
from protocol.messages import MOST_NOTE, Decide, Message, Move, Ready
from protocol.session import Refused

MOST_PATIENCE: Final = 16
"""After this many times its allowance, an answer that is missing because others had the cores makes the match void."""
SOON_S: Final = 0.001
"""Less than this is not worth another wait."""
MOST_REASON: Final = 1000
"""Characters that are kept of the text of a fault, and of a quoted answer."""


class Seat:
    """One place at the table during one match."""

    # fmt: off
    __slots__ = (
        "asked_at", "asked_cpu", "clock", "control", "decided", "due", "events", "index", "is_asked", "is_here",
        "last", "legal", "next_id", "out", "question", "spared_us", "strikes",
    )
    # fmt: on

    def __init__(self, index: int, header: Header, first_id: int) -> None:
        self.index = index
        self.control = header.players[index].clock
        self.clock = Clock(self.control)
        self.next_id = first_id
        self.is_here = True  # there is a bot that can receive messages
        self.out: Fault | None = None  # why the seat is disqualified
        self.strikes = 0
        self.is_asked = False  # an answer (or `ready`) is due
        self.asked_at = 0.0
        self.asked_cpu = 0.0
        self.due = inf
        self.spared_us = 0  # what it was not charged, because others had the cores
        self.legal: tuple[str, ...] = ()
        self.question = 0
        self.decided: Decision | None = None
        self.events: list[Event] = []
        self.last: dict[str, Any] | None = None


class Referee:
    """One match. An Agenda of arena.match.conversation."""

    def __init__(
        self,
        game: Game[Any],
        header: Header,
        first_ids: Sequence[int] = (),
        watcher: Callable[["Referee"], None] | None = None,
    ) -> None:
        self.game = game
        self._watcher = watcher
        self.header = header
        self.state = first_state(game, header)
        self.seats = [Seat(i, header, first_ids[i] if first_ids else 1) for i in range(len(header.players))]
        self.steps: list[Step] = []
        self.faults: list[Fault] = []
        self.over = False
        self.deadline = inf
        self.charges_cpu = any(seat.clock.charges_cpu for seat in self.seats)
        self.void: str | None = None
        self.suspects: tuple[int, ...] = ()
        self.inquire: Callable[[], Usage | None] = lambda: None
        """Who has had the cores since the open questions were sent."""
        self._dice = Seed(header.seed)
        self._outbox: list[tuple[int, Message]] = []
        self._preparing = True
        self._watching = list(range(len(self.seats)))
        """The seats that are not disqualified."""
        self._decisions = 0  # made in the steps so far
        self._longest_delay = 0.0

    # The beginning

    def begin(self, at: float, broken: Sequence[Broken | None]) -> None:
        """Start the match; `broken` says which bots have failed already, and why."""
        for seat, failure in zip(self.seats, broken):
            if failure is not None:
                self._lose(seat, failure)
        for seat in self._present():
            seat.is_asked = True
            seat.asked_at = at
            seat.due = at + seat.control.prepare_ms / 1000
            seed = bot_seed_for(self.header, seat.index)
            self._outbox.append((seat.index, messages.start(self.header, seat.index, seed)))
        self.deadline = max((seat.due for seat in self._present()), default=inf)
        self._go_on_if_complete()

    def _present(self) -> list[Seat]:
        return [seat for seat in self.seats if seat.is_here and seat.out is None]

    # What arrives

    def outbox(self) -> list[tuple[int, Message]]:
        taken, self._outbox = self._outbox, []
        return taken

    def asked(self, index: int, at: float, cpu: float) -> None:
        seat = self.seats[index]
        seat.asked_at = at
        seat.asked_cpu = cpu
        seat.due = at + seat.clock.patience_s
        self.deadline = min(self.deadline, seat.due)

    @property
    def resting(self) -> list[int]:
        if self._preparing or self.over:
            return []
        return [seat.index for seat in self.seats if seat.is_here and not seat.is_asked]

    def delayed(self, seconds: float) -> None:
        if seconds > self._longest_delay:
            self._longest_delay = seconds

    def heard(self, index: int, item: Heard, at: float, cpu: float) -> None:
        seat = self.seats[index]
        if self.over:
            seat.is_here &= not isinstance(item, Broken)
            return
        if isinstance(item, Move):
            if seat.is_asked and not self._preparing and item.id == seat.question:
                self._answered(seat, item, self._used_us(seat, at, cpu))
        elif isinstance(item, Ready):
            seat.is_asked = False
        elif isinstance(item, Refused):
            self._refuse(seat, item, at, cpu)
        elif isinstance(item, Broken):
            self._lose(seat, item)
        # A stale answer needs nothing more: its question was settled when the time was up.
        self._go_on_if_complete()

    def _used_us(self, seat: Seat, at: float, cpu: float) -> int:
        used = cpu - seat.asked_cpu if seat.clock.charges_cpu else at - seat.asked_at
        return int(used * 1e6) if used > 0 else 0

    def _answered(self, seat: Seat, move: Move, used_us: int) -> None:
        note = move.note[:MOST_NOTE] if move.note else None
        bank_ms = seat.clock.bank_ms
        if used_us > seat.clock.allowance_us:
            used_us = self._spared(seat, used_us)
        if not seat.clock.spend(used_us):
            unit = "ms of CPU time" if seat.clock.charges_cpu else "ms"
            self._late(seat, f"an answer after {used_us // 1000} {unit}", bank_ms, used_us)
        elif move.action in seat.legal:
            seat.is_asked = False
            seat.decided = Decision(seat.index, move.action, _ACCEPTED, used_us, None, None, note)
        else:
            error = why_not(self.game, self.state, seat.index, move.action)
            kind, reason = fault_of(error), str(error)
            self._fall_back(seat, kind, reason, used_us, move.action, note)

    def _refuse(self, seat: Seat, refused: Refused, at: float, cpu: float) -> None:
        if seat.is_asked and not self._preparing and seat.asked_at < inf:
            used_us = self._used_us(seat, at, cpu)
            seat.clock.spend(used_us)
            self._fall_back(seat, FaultKind.MALFORMED, refused.text, used_us)
        elif seat.out is None:
            self._strike(seat, FaultKind.MALFORMED, refused.text)

    def _spared(self, seat: Seat, used_us: int) -> int:
        """What to charge a seat that took too long: just its allowance, if it was late only because of others."""
        allowed_us = seat.clock.allowance_us
        usage = self.inquire()
        kept_us = max(kept_s(usage, seat.index), barred_s(usage)) * 1e6 if usage else 0.0
        if seat.clock.charges_cpu or used_us - kept_us > allowed_us:
            return used_us
        seat.spared_us += used_us - allowed_us
        return allowed_us

    def _kept_s(self, seat: Seat) -> float:
        usage = self.inquire()
        return kept_s(usage, seat.index) if usage else 0.0

    def time_is_up(self, at: float) -> None:
        for seat in [seat for seat in self.seats if seat.is_asked and at >= seat.due]:
            if not self._wait_on(seat, at):
                self._miss(seat, at)
            if self.over:
                return
        self.deadline = min((seat.due for seat in self.seats if seat.is_asked), default=inf)
        self._go_on_if_complete()

    def _wait_on(self, seat: Seat, at: float) -> bool:
        """Whether a seat whose time is up gets more, because others kept it from thinking. Too much makes it void."""
        patience_s = seat.control.prepare_ms / 1000 if self._preparing else seat.clock.patience_s
        due, last = (seat.asked_at + s for s in (patience_s + self._kept_s(seat), MOST_PATIENCE * patience_s))
        if due - at < SOON_S:
            return False
        if at >= last:
            self._overload(seat, at)
        seat.due = min(due, last)
        return True

    def _miss(self, seat: Seat, at: float) -> None:
        if self._preparing:
            self._disqualify(seat, FaultKind.NOT_READY, f"no ready within {seat.control.prepare_ms} ms")
        else:
            used_us, bank_ms = round((at - seat.asked_at) * 1e6), seat.clock.bank_ms
            seat.clock.spend(used_us)
            self._late(seat, f"no answer within {used_us // 1000} ms", bank_ms, used_us)

    def repeat(self, decision: Decision) -> None:
        """Take a decision from a record, instead of an answer."""
        seat = self.seats[decision.seat]
        seat.clock.spend(decision.used_us)
        seat.is_asked = False
        seat.decided = decision
        self._go_on_if_complete()

    # What follows

    def _late(self, seat: Seat, what: str, bank_ms: int, used_us: int) -> None:
        text = f"{what}, with {seat.clock.increment_ms} ms for each decision and {bank_ms} ms left in the bank"
        self._fall_back(seat, FaultKind.LATE, text, used_us)

    def _overload(self, seat: Seat, at: float) -> None:
        """What this seat would have answered is unknown, so the match is void."""
        usage = self.inquire()
        assert usage is not None, "others had the cores"
        self.suspects = suspects(usage)
        text = f"an answer did not come within {at - seat.asked_at:.3f} s, because others had the cores"
        for index in self.suspects:
            text += f"; seat {index} used {usage.bots_s[index]:.3f} s of CPU time meanwhile"
        self._call_off(Fault(FaultKind.OVERLOAD, None, self._decisions + 1, text))

    def _fall_back(
        self, seat: Seat, kind: FaultKind, reason: str, used_us: int, answer: str | None = None, note: str | None = None
    ) -> None:
        """Play the fallback for a seat that gave no good answer."""
        reason = cut(reason, MOST_REASON)
        action = self.game.fallback(self.state, seat.index)
        said = None if answer is None else answer[:MOST_REASON]
        seat.is_asked = False
        seat.decided = Decision(seat.index, action, Status(kind.value), used_us, said, reason, note)
        self._strike(seat, kind, reason)

    def _strike(self, seat: Seat, kind: FaultKind, text: str) -> None:
        seat.strikes += 1
        self._note(Fault(kind, seat.index, self._number(seat), text))
        if seat.strikes >= self.header.strikes and seat.out is None:
            self._disqualify(seat, FaultKind.STRIKES, counted(seat.strikes, "strike"))

    def _lose(self, seat: Seat, broken: Broken) -> None:
        """The bot is gone."""
        seat.is_here = False
        if seat.out is None:
            self._disqualify(seat, broken.kind, broken.text)

    def _disqualify(self, seat: Seat, kind: FaultKind, text: str) -> None:
        fault = Fault(kind, seat.index, self._number(seat), text)
        self._note(fault)
        seat.out = fault
        self._watching = [other.index for other in self.seats if other.out is None]
        if seat.is_asked and not self._preparing:
            seat.decided = Decision(seat.index, self.game.fallback(self.state, seat.index), Status.ABSENT)
        seat.is_asked = False

    def _number(self, seat: Seat) -> int | None:
        """The number that this seat's open decision will have in the record."""
        if self._preparing or not seat.legal:
            return None
        actors = self.game.to_act(self.state)
        return self._decisions + 1 + actors.index(seat.index) if seat.index in actors else None

    def _note(self, fault: Fault) -> None:
        self.faults.append(replace(fault, text=cut(fault.text, MOST_REASON)))

    def fail(self, text: str) -> None:
        """The arena itself has failed: the match is void."""
        self._call_off(Fault(FaultKind.ARENA, None, None, text))

    def _call_off(self, fault: Fault) -> None:
        assert fault.policy.blame is not Blame.BOT, "a bot's fault is a result"
        assert fault.policy.consequence is Consequence.VOID
        self._note(fault)
        self.void = self.faults[-1].text
        self._finish(self.game.tally(self.state))

    # The game

    def _go_on_if_complete(self) -> None:
        for seat in self.seats:
            if seat.is_asked:
                return
        self._preparing = False
        self._go_on()

    def _go_on(self) -> None:
        """Play until a seat must be asked, or the game is over."""
        game = self.game
        self._settle()
        while True:
            actors = game.to_act(self.state)
            if not actors:
                outcome = game.outcome(self.state)
                assert outcome is not None, "no seat acts, so the game is over"
                self._finish(outcome)
                return
            if actors[0] == CHANCE:
                self._apply({CHANCE: game.deal(self.state, self._dice)}, ())
            elif self._ask(actors):
                return
            else:
                self._settle()

    def _ask(self, actors: Sequence[int]) -> bool:
        """Ask every seat that has a choice. Whether there is an answer to wait for."""
        asked = []
        for index in actors:
            seat = self.seats[index]
            seat.legal = self.game.legal(self.state, index)
            if seat.out is not None:
                seat.decided = Decision(index, self.game.fallback(self.state, index), Status.ABSENT)
            elif len(seat.legal) == 1 and not self.header.ask_forced:
                seat.decided = Decision(index, seat.legal[0], Status.FORCED)
            else:
                asked.append(seat)
        if asked:
            public = self.game.public(self.state)
            for seat in asked:
                self._outbox.append((seat.index, self._question(seat, public)))
        self.deadline = inf  # until they are asked
        return bool(asked)

    def _question(self, seat: Seat, public: dict[str, Any]) -> Decide:
        seat.question = seat.next_id
        seat.next_id += 1
        seat.is_asked = True
        seat.asked_at = seat.due = inf  # until the question is sent: an earlier message is not an answer
        events, seat.events = seat.events, []
        parts = public, self.game.private(self.state, seat.index)
        return messages.decide(seat.question, parts, seat.legal, events, seat.clock, seat.last)

    def _settle(self) -> None:
        """All decisions of the step are made: play them, in the order of seats."""
        decided = tuple(seat.decided for seat in self.seats if seat.decided is not None)
        if not decided:
            return
        actions = {}
        for decision in decided:
            seat = self.seats[decision.seat]
            seat.decided = None
            actions[decision.seat] = decision.action
            if decision.status in _TIMED:
                seat.last = messages.last(seat.question, decision)
        self._apply(actions, decided)
        self._decisions += len(decided)

    def _apply(self, actions: dict[int, str], decided: tuple[Decision, ...]) -> None:
        before = self.state
        self.state = self.game.apply(before, actions)
        self.steps.append(Step(digest(self.game, self.state), actions.get(CHANCE), decided))
        for seat, events in zip(self._watching, self.game.witnessed(before, self.state, self._watching)):
            self.seats[seat].events += events
        if self._watcher:
            self._watcher(self)

    # The end

    def _finish(self, outcome: Outcome) -> None:
        self.over = True
        self.deadline = inf
        self._outcome = outcome
        self._ranks = ranked(outcome, {seat.index for seat in self.seats if seat.out is not None})
        for seat in self.seats:
            if seat.is_here:
                end = messages.end(seat.index, outcome, self._ranks, self.faults, self.void)
                self._outbox.append((seat.index, end))

    def record(self, accounts: tuple[Account, ...] = (), shared: int = 0) -> MatchRecord:
        """The match, when it is over; `accounts` says what the bots' processes left behind, if there were any.

        `shared` is how many questions were sent while the bots shared the referee's core.
        """
        verdict = Verdict(
            self._outcome.scores,
            self._ranks,
            self._outcome.breakdown,
            tuple(FaultNote(f.kind.value, f.seat, f.decision, f.text) for f in self.faults),
            self.void,
            accounts,
            round(self._longest_delay * 1e6),
            self.suspects,
            shared,
        )
        return MatchRecord(self.header, self.steps, verdict)


_TIMED: Final = frozenset(status for status in Status if status.is_timed)
_ACCEPTED: Final = Status.ACCEPTED


def ranked(outcome: Outcome, disqualified: set[int]) -> tuple[int, ...]:
    """The ranks by seat; those who are disqualified rank below all others."""
    return ranks([(seat not in disqualified, -rank) for seat, rank in enumerate(outcome.ranks)])


def fault_of(error: ActionError) -> FaultKind:
    """What an answer is called that the game refuses with this error."""
    return FaultKind.MALFORMED if isinstance(error, MalformedAction) else FaultKind.ILLEGAL


def digest(game: Game[Any], state: Any) -> str:
    """Sixteen hexadecimal digits that stand for a state."""
    return hashlib.blake2b(game.fingerprint(state).encode(), digest_size=8).hexdigest()


def bot_seed_for(header: Header, seat: int) -> int:
    """The seed that a bot receives: 63 bits that neither reveal another bot's seed nor confirm a guess of the deal."""
    if header.format <= OLD_FORMAT:
        return old_bot_seed(header.seed, header.bot_seed, seat)
    return int.from_bytes(hashlib.sha256(f"bot:{header.bot_seed}:{seat}".encode()).digest()[:8]) >> 1
