"""The examiner and the referee speak alike: the same setting and the same moves give the same messages, byte by byte."""

from pathlib import Path
from typing import Any

import pytest

from arena.check.probe import Probe
from arena.check.questions import ExamSetting, ExamTable, settings
from arena.errors import LaunchError
from arena.match.bot import Bot
from arena.match.faults import FaultKind
from arena.match.launch import Command, Process
from arena.match.record import Decision
from arena.match.referee import Referee
from arena.roster.entries import Entry, Limits, find
from arena.sandbox.policy import Policy, Tier
from engine.catalogue import names
from engine.contract import Game
from protocol.codec import JSON
from protocol.messages import FIELDS, Decide, End, Message, Move, Ready, Start, to_wire

Wire = dict[str, Any]


class Scribe:
    """A game that writes down what is played."""

    def __init__(self, game: Game[Any]) -> None:
        self._game = game
        self.played: list[dict[int, str]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def apply(self, state: Any, actions: dict[int, str]) -> Any:
        after = self._game.apply(state, actions)
        self.played.append(dict(actions))
        return after


def of_examiner(setting: ExamSetting, bad: int | None) -> tuple[list[Message], list[dict[int, str]]]:
    """What the examiner sends in a match, and what all seats play. The answer to question `bad` is malformed."""
    table = ExamTable(setting)
    scribe = Scribe(table.game)
    table.game = scribe  # type: ignore[assignment]
    said: list[Message] = [table.start()]
    while (question := table.question(len(said))) is not None:
        said.append(question)
        if question.id == bad:
            table.refuse(question, FaultKind.MALFORMED, table.why_not("nonsense"))
        else:
            table.take(question, question.legal[-1])
    return [*said, table.end()], scribe.played


def of_referee(setting: ExamSetting, bad: int | None, played: list[dict[int, str]]) -> list[Message]:
    """What a referee sends to the same seat, if the other seats play the same."""
    game, said = ExamTable(setting).game, list[Message]()
    referee = Referee(game, setting.header())
    referee.begin(0.0, [None] * setting.seats)
    while box := referee.outbox():
        said += [message for seat, message in box if seat == setting.seat]
        for seat, message in box:
            if isinstance(message, Start):
                referee.heard(seat, Ready(), 0.0, 0.0)
            elif isinstance(message, Decide):
                referee.asked(seat, 0.0, 0.0)
        actions = played[len(referee.steps)] if len(referee.steps) < len(played) else {}
        for seat, message in box:
            if not isinstance(message, Decide):
                continue
            if seat == setting.seat:
                action = "nonsense" if message.id == bad else actions[seat]
                referee.heard(seat, Move(message.id, action), 0.001, 0.0)
            else:
                referee.repeat(Decision(seat, actions[seat], used_us=1000))
    return said


def wires(messages: list[Message]) -> list[Wire]:
    return [to_wire(message) for message in messages]


ALL = [setting for game in names() for setting in settings(game)]


@pytest.mark.parametrize("setting", ALL, ids=str)
@pytest.mark.parametrize("bad", [None, 2], ids=["good answers", "a bad answer"])
def test_the_examiner_and_the_referee_send_the_same_messages(setting: ExamSetting, bad: int | None) -> None:
    examiners, played = of_examiner(setting, bad)
    referees = of_referee(setting, bad, played)
    assert wires(examiners) == wires(referees)
    assert [JSON.encode(wire) for wire in wires(examiners)] == [JSON.encode(wire) for wire in wires(referees)]
    assert (type(referees[0]), type(referees[-1])) == (Start, End)
    assert bad is None or wires(referees)[3]["last"]["status"] == "malformed"
    assert bad is None or [fault["kind"] for fault in wires(referees)[-1]["faults"]] == ["malformed"]


def test_they_ask_alike_where_there_is_nothing_to_choose() -> None:
    setting = ExamSetting("draftosaurus", 2, ask_forced=True)
    examiners, played = of_examiner(setting, None)
    assert min(len(message.legal) for message in examiners if isinstance(message, Decide)) == 1
    assert wires(examiners) == wires(of_referee(setting, None, played))


def test_every_field_of_these_messages_is_sent() -> None:
    seen: dict[str, set[str]] = {}
    for wire in wires(of_examiner(ALL[0], 2)[0]):
        seen.setdefault(wire["type"], set()).update(wire)
    seen["end"] |= set(to_wire(ExamTable(ALL[0]).end()))  # a match that is broken off is void
    seen["start"].add("tune")  # only a bot with parameters gets it: tests/tuning examines one
    assert seen == {name: {"type", *FIELDS[name]} for name in ("start", "decide", "end")}


def test_the_seed_of_a_bot_needs_more_bits_than_a_float_has() -> None:
    for setting in ALL:
        assert 2**53 < ExamTable(setting).start().bot_seed < 2**63


class CommandNote:
    """A launcher that writes down the command, and starts nothing."""

    tier = Tier.NONE
    policy = Policy()

    def __init__(self) -> None:
        self.commands: list[Command] = []

    def start(self, command: Command) -> Process:
        self.commands.append(command)
        raise LaunchError("nothing is started here")

    def close(self) -> None:
        """Nothing was started."""


@pytest.mark.parametrize(
    "entry", [find("greedy"), Entry("x", "1", ("x", "y"), Path("/x"), limits=Limits(memory_mb=64))]
)
def test_a_bot_is_started_alike_in_an_exam_and_in_a_match(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("SECRET", "a token")
    launcher = CommandNote()
    for start in (Probe, Bot):
        with pytest.raises(LaunchError):
            start(entry, launcher)
    exam, match = launcher.commands
    assert exam == match
    assert exam.env["LC_ALL"] == "C.UTF-8"
    assert "SECRET" not in exam.env
