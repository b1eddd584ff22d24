"""Bots as real processes, and whole matches between them over pipes."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.contract import CHANCE, Game, Outcome
from engine.dice import Seed
from engine.draftosaurus import GAME as DRAFTOSAURUS
from protocol.messages import Decide, End, Hello, Message, Move, Ready, Start, Welcome
from protocol.session import Refused, Role, Session, Stale

BOTS = Path(__file__).parents[2] / "bots" / "python"
CLOCK = {"bank_ms": 60_000, "increment_ms": 1_000}


class Bot:
    """A bot's process, and the arena's side of the conversation with it. `moves` is all that it has answered.

    It is a script in Python, called with these `words`, unless there is a `command`, which is run where the script lies.
    """

    def __init__(
        self, script: Path, codec: str = "", command: Sequence[str] = (), words: Sequence[str] = (), **environment: str
    ) -> None:
        own = {"DINOBOT_CODEC": codec, "PYTHONPATH": str(BOTS), "PYTHONDONTWRITEBYTECODE": "1"}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command or [sys.executable, str(script), *words],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            cwd=script.parent if command else None,
            env={**os.environ, **own, **environment},
            bufsize=0,
        )
        self.session = Session(Role.ARENA)
        self.moves: list[Move] = []
        self._heard: list[Message | Stale | Refused] = []

    def __enter__(self) -> "Bot":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def tell(self, *messages: Message) -> None:
        """Several messages arrive in one piece."""
        self.process.stdin.write(b"".join(map(self.session.send, messages)))

    def hear(self) -> Message | Stale | Refused:
        while not self._heard:
            piece = self.process.stdout.read(1 << 16)
            assert piece, f"the bot hung up: {self.process.stderr.read().decode()}"
            self._heard += self.session.receive(piece)
        return self._heard.pop(0)

    def greet(self) -> Hello:
        hello = self.hear()
        self.tell(Welcome(1, "test", {}))
        assert isinstance(hello, Hello)
        return hello

    def start(
        self, options: Mapping[str, Any], seat: int, seats: int, bot_seed: int = 7, game: str = "draftosaurus"
    ) -> None:
        clock = {"prepare_ms": 1_000, **CLOCK}
        self.tell(Start("m-1", game, 1, dict(options), seat, seats, ["x"] * seats, clock, bot_seed))
        assert self.hear() == Ready()

    def ask(self, view: Mapping[str, Any], legal: tuple[str, ...]) -> None:
        number = self.session.question + 1
        self.tell(Decide(number, view["phase"], dict(view), list(legal), [], CLOCK))

    def answer(self) -> str:
        move = self.hear()
        assert isinstance(move, Move)
        self.moves.append(move)
        return move.action

    def leave(self) -> tuple[int, str]:
        """Hang up; the status that the process ends with, and what it wrote to stderr."""
        out, err = self.process.communicate()
        assert not out, "nothing follows the last answer"
        return self.process.returncode, err.decode()


def match(bots: list[Bot], options: Mapping[str, Any], seed: int = 0, game: Game[Any] = DRAFTOSAURUS) -> Outcome:
    """Play a whole game; every answer has to be legal."""
    for seat, bot in enumerate(bots):
        bot.start(options, seat, len(bots), bot_seed=100 * seed + seat, game=game.name)
    state, dice = game.start(len(bots), options), Seed(seed)
    while actors := game.to_act(state):
        state = game.apply(state, {CHANCE: game.deal(state, dice)} if actors == (CHANCE,) else asked(bots, state, game))
    outcome = game.outcome(state)
    for bot in bots:
        bot.tell(End(list(outcome.scores), list(outcome.ranks), {"breakdown": list(map(dict, outcome.breakdown))}, []))
    return outcome


def asked(bots: list[Bot], state: Any, game: Game[Any]) -> dict[int, str]:
    """All seats to act are asked before any answer is awaited."""
    actors = game.to_act(state)
    for seat in actors:
        bots[seat].ask(game.view(state, seat), game.legal(state, seat))
    return {seat: bots[seat].answer() for seat in actors}
