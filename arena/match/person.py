"""Persons at the table: seats without a process, behind the same interface as every bot.

Theory of operation. PersonLauncher starts each person's seat as a task, at the far ends of real pipes, where it speaks
the protocol like a bot. An ordinary launcher starts all other seats. So the referee does not know about persons, and
the match is recorded like any other. A Person looks and answers, for instance the one of `arena human`. A person who
leaves is like a process that exits: the policy of faults.py applies, the fallback plays on, and the record says so.
"""

import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import trio

from arena.match import play as matches
from arena.match.clock import TimeControl
from arena.match.company import FinishedMatch
from arena.match.launch import Command, Launcher, Process, ProcessExit
from arena.match.referee import Referee
from arena.match.tiers import choose
from arena.roster.entries import Entry
from arena.sandbox.policy import Tier
from arena.version import VERSION
from protocol.codec import MSGPACK
from protocol.messages import REVISION, Bye, Decide, End, Hello, Message, Move, Ready, Start
from protocol.session import Role, Session, Stage

PERSON = ("(a person)",)
"""The command of a person's seat. It is compared by identity, so no bot's command can be mistaken for it."""
CLOCK = TimeControl(bank_ms=0, increment_ms=365 * 24 * 3600 * 1000)
"""A year for each decision, because every clock on the wire has an end."""
PATIENCE_S = 1.0
"""After this long without news, the person reads that the others are thinking."""
LEFT = 0
"""The exit status of a person who left, during the match or after it."""


class Person(Protocol):
    """Who looks at a match and answers for one seat of it."""

    def begin(self, start: Start) -> None:
        """The match begins."""

    async def decide(self, question: Decide) -> str | None:
        """The action, which must be legal; None to leave. It is cancelled when the question is withdrawn."""

    def wait(self) -> None:
        """The others are taking their time."""

    def end(self, end: End) -> None:
        """The match is over."""


def entry(name: str) -> Entry:
    """A person as one of the players of a MatchSetup."""
    return Entry(name, VERSION, PERSON, Path(os.devnull))


async def play(
    setup: matches.MatchSetup, persons: Sequence[Person], watcher: Callable[[Referee], None] | None = None
) -> FinishedMatch:
    """One match of bots and these persons, who are in the order of their seats; each is an `entry` of the setup."""
    bots = [one for one in setup.entries if one.command is not PERSON]
    assert len(bots) + len(persons) == len(setup.entries)
    async with trio.open_nursery() as nursery:
        launcher = PersonLauncher(nursery, persons, setup.game, choose(setup.sandbox, bots))
        return await matches.play(setup, launcher, watcher=watcher)


class PersonLauncher:
    """Starts the persons' seats in the nursery, and all other seats by another launcher."""

    def __init__(self, nursery: trio.Nursery, persons: Sequence[Person], game: str, others: Launcher) -> None:
        self._nursery = nursery
        self._persons = iter(persons)  # the seats are started in their order
        self._game = game
        self._others = others
        self._scopes: list[trio.CancelScope] = []
        self.tier = others.tier
        self.policy = others.policy

    def start(self, command: Command) -> Process:
        if command.argv is not PERSON:
            return self._others.start(command)
        ears, stdin = os.pipe()
        stdout, mouth = os.pipe()
        stderr, last_words = os.pipe()
        report, ended = os.pipe()
        for fd in (stdin, stdout, stderr, report, last_words, ended):
            os.set_blocking(fd, False)
        scope = trio.CancelScope()
        self._scopes.append(scope)
        self._nursery.start_soon(self._sit, next(self._persons), scope, ears, mouth, last_words, ended)
        return PersonProcess(stdin, stdout, stderr, report, scope)

    def close(self) -> None:
        for scope in self._scopes:
            scope.cancel()
        self._others.close()

    async def _sit(
        self, person: Person, scope: trio.CancelScope, ears: int, mouth: int, last_words: int, ended: int
    ) -> None:
        """A person's seat. Its end is one byte on `ended`; if the arena ends it, there is none."""
        told, said = trio.lowlevel.FdStream(ears), trio.lowlevel.FdStream(mouth)
        try:
            with scope, suppress(trio.BrokenResourceError):  # the arena has closed its end
                if not await Interview(told, said, person).run(self._game):
                    os.write(last_words, b"The person left before the match was over.\n")
                os.write(ended, bytes([LEFT]))
        finally:
            told.close()
            said.close()
            os.close(last_words)
            os.close(ended)


@dataclass(slots=True)
class PersonProcess:
    """The arena's side of a person's seat."""

    stdin: int
    stdout: int
    stderr: int
    report: int
    _scope: trio.CancelScope
    pid: int | None = None
    cgroup: str | None = None
    tier: Tier = Tier.NONE
    layers: Sequence[str] = ()
    _exit: ProcessExit | None = None

    def news(self) -> ProcessExit | None:
        if self._exit is None:
            with suppress(BlockingIOError):
                status = os.read(self.report, 1)
                self._exit = ProcessExit(status=status[0]) if status else ProcessExit(signal=signal.SIGKILL)
        return self._exit

    def freeze(self) -> bool:
        return False

    def keep_on(self, _cores: Sequence[int]) -> bool:
        return False

    def thaw(self) -> None:
        """It was never frozen."""

    def ask_for_stack(self) -> None:
        """A person has none."""

    def end(self) -> None:
        self._scope.cancel()

    def close(self) -> None:
        for fd in (self.stdin, self.stdout, self.stderr, self.report):
            os.close(fd)


class Interview:
    """The bot's side of the protocol, with a person to ask."""

    def __init__(self, told: trio.lowlevel.FdStream, said: trio.lowlevel.FdStream, person: Person) -> None:
        self._told = told
        self._said = said
        self._person = person
        self._session = Session(Role.BOT, MSGPACK)

    async def run(self, game: str) -> bool:
        """Converse until the arena says bye, or the person leaves. Whether it was the arena."""
        await self._say(Hello(REVISION, "person", VERSION, [game]))
        while data := await self._hear():
            last: object = None
            for last in self._session.receive(data):
                if isinstance(last, Start):
                    self._person.begin(last)
                    await self._say(Ready())
                elif isinstance(last, End):
                    self._person.end(last)
            if isinstance(last, Bye):
                return True
            if isinstance(last, Decide) and not await self._ask(last):  # what follows a question withdraws it
                return False
        return True

    async def _hear(self) -> bytes:
        if self._session.stage is Stage.PLAYING:
            with trio.move_on_after(PATIENCE_S):
                return bytes(await self._told.receive_some())
            self._person.wait()
        return bytes(await self._told.receive_some())

    async def _ask(self, question: Decide) -> bool:
        """Let the person answer. Whether the person stays."""
        answers = []
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._stop_when_spoken_to, nursery.cancel_scope)
            answers.append(await self._person.decide(question))
            nursery.cancel_scope.cancel()
        for action in answers:  # none, if the question was withdrawn
            if action is None:
                return False
            await self._say(Move(question.id, action))
        return True

    async def _stop_when_spoken_to(self, scope: trio.CancelScope) -> None:
        """Any message of the arena withdraws the open question."""
        await trio.lowlevel.wait_readable(self._told.fileno())
        scope.cancel()

    async def _say(self, message: Message) -> None:
        await self._said.send_all(self._session.send(message))
