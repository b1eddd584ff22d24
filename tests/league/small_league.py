"""Leagues that take a second: bots that start at once and always do the same, and workers that only pretend to play."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from random import Random
from typing import Any, cast

import trio

from arena import running
from arena.league import run as league
from arena.league.clocks import LeagueClock
from arena.league.deals import PROCESSES_NOTE, SEED_NOTE
from arena.league.executor import OnEvent, Played
from arena.league.kinds import GROUP_KEYS, RoundRobin
from arena.league.run import Progress
from arena.league.schedule import Schedule
from arena.league.store import COLUMNS, Row, Store, open_store
from arena.league.tournament import Tournament, read_tournament
from arena.league.wire import Assignment, Block, Setting, record_path
from arena.league.worker import match_message
from arena.match.hosts import Host
from arena.match.record import Header, Player
from arena.match.record_file import save
from arena.match.referee import Referee
from engine.catalogue import game as find_game
from protocol.messages import Decide, Move, Ready, Start

BOT = '''\
"""Plays a fixed one of the legal actions, or misbehaves in the way that it is told to."""

import json
import os
import signal
import sys
import time

HOW = sys.argv[1]
SHARES = {"first": 0, "second": 0.3, "third": 0.7, "last": 1}


def say(message):
    os.write(1, json.dumps(message).encode() + b"\\n")


def kill_above(word):
    """Kill who has this word in its command line, among those above us: it is the arena that is harmed, not we."""
    pid = os.getppid()
    while word not in open(f"/proc/{pid}/cmdline").read():
        pid = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
    os.kill(pid, signal.SIGKILL)


def move(message):
    legal = message["legal"]
    if HOW == "illegal" or (HOW == "illegal-once" and message["id"] == 1):
        return "nonsense"
    return legal[int(SHARES.get(HOW, 0) * (len(legal) - 1))]


if HOW == "crash":
    sys.exit("no wish to play")
if HOW == "mute":
    while os.read(0, 1 << 16):
        pass
say({"type": "hello", "protocol": 1, "name": HOW, "version": "1", "games": ["draftosaurus"]})
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        if HOW.startswith("kill-") and message["seat"] == 0:
            kill_above(HOW.removeprefix("kill-"))
        say({"type": "ready"})
    elif message["type"] == "decide" and HOW == "asleep":
        time.sleep(600)
    elif message["type"] == "decide" and HOW != "hang":
        say({"type": "move", "id": message["id"], "action": move(message)})
    elif message["type"] == "bye":
        break
'''
NOTES = f"arena: seed 0 decides all deals: {SEED_NOTE}\narena: {PROCESSES_NOTE.format('worker')}\n"
"""What is said at the beginning of a run of a small league."""
SHARES = {"first": 0, "second": 0.3, "third": 0.7, "last": 1}
GOOD = tuple(SHARES)
"""Bots that play, each in its own way."""
SCHEDULE = ("kind", "seats", "blocks", "minutes", "until", "challengers", *GROUP_KEYS)
PATIENT = {"hello_ms": 600_000, "prepare_ms": 600_000, "bank_ms": 600_000}
"""A clock by which nobody is late, however busy the machine is."""
HOST = Host("here", 4, 100, "3.11.7", "x86_64", 1)
"""The machine that plays what no process plays."""


def small_bot(folder: Path, how: str, name: str = "") -> Path:
    """The folder of a bot."""
    home = folder / (name or how)
    home.mkdir(parents=True, exist_ok=True)
    (home / "bot.py").write_text(BOT)
    command = json.dumps(["{python}", "-I", "-S", "bot.py", how])
    (home / "bot.toml").write_text(f'name = "{name or how}"\nversion = "1"\ncommand = {command}\n')
    return home


def small_league(folder: Path, bots: Sequence[str] = GOOD, clock: dict[str, int] = PATIENT, **keys: Any) -> Path:
    """The file of a league between such bots, which lie beside it. Keys of the schedule are given like all others.

    It has a seed, so that a test that fails does so again; `seed=None` leaves it out.
    """
    for how in bots:
        small_bot(folder, how)
    top = {
        "name": "small", "bots": list(bots), "seed": 0, "sandbox": "none", "processes": "worker", "workers": 1,
        "exam": False,
    }  # fmt: skip
    planned = {key: keys.pop(key) for key in SCHEDULE if key in keys}
    lines = [_line(key, value) for key, value in (top | keys).items() if value is not None]
    lines += ["[schedule]", *(_line(key, value) for key, value in planned.items())]
    lines += ["[clock]", *(_line(key, value) for key, value in clock.items())]
    path = folder / f"{(top | keys)['name']}.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


def _line(key: str, value: object) -> str:
    return f"{key} = {json.dumps(value)}"  # texts, numbers, truths and lists are written alike


def watch_nothing(_progress: Progress, _store: Store) -> None:
    """A league that nobody looks at."""


Watch = Callable[[Progress, Store], None]


def play(path: Path | Tournament, folder: Path, watch: Watch = watch_nothing, **changes: Any) -> Progress:
    """Run a league in this process; changes are of the tournament or its kind, not of the file."""
    tournament = path if isinstance(path, Tournament) else read_tournament(path)
    own = {key: value for key, value in changes.items() if key in {field.name for field in fields(Tournament)}}
    own_kind: Any = tournament.kind  # a dataclass, as every kind is
    kind = replace(own_kind, **{key: value for key, value in changes.items() if key not in own})
    return running.run(lambda: league.run(replace(tournament, **{"kind": kind, **own}), folder, watch))


def plan_of(tournament: Tournament) -> Schedule:
    """All fixtures of a league that does not follow its results."""
    assert isinstance(tournament.kind, RoundRobin)
    return tournament.kind.plan(tournament.entrants)


def rows(folder: Path) -> list[Row]:
    with open_store(folder) as store:
        return list(store.rows())


def ways(folder: Path) -> list[tuple[Any, ...]]:
    """The results without what differs from run to run, which is how long it took."""
    return [tuple(getattr(row, name) for name in COLUMNS if name != "times") for row in rows(folder)]


class Pretended:
    """Workers that play nothing: who is stronger mostly wins, as the deal has it. `fate` may end it otherwise.

    A fixture tells it also `at`, which is how many other matches were handed out before.
    """

    played: list[str]
    """The matches that were handed out, in order."""
    takes_s: float = 0.0
    """A match. Without it, a whole league may be over before its files are looked at again."""

    def __init__(
        self,
        fate: Callable[[Assignment], dict[str, Any] | None] = lambda fixture: None,
        noise: int = 10,
        host: Host = HOST,
    ) -> None:
        self.played = []
        self.host = host
        self._fate = fate
        self._noise = noise

    def __call__(self, _setting: Setting, _count: int, parts: Iterator[Iterator[Block]]) -> "_PretendedWorkers":
        return _PretendedWorkers(self, parts)

    def message(self, fixture: Assignment) -> dict[str, Any]:
        if fixture.get("exam"):
            return {"match": fixture["match"], "faults": []}
        self.played.append(fixture["match"])
        at = list(dict.fromkeys(self.played)).index(fixture["match"])
        return {"match": fixture["match"], **(self._fate({**fixture, "at": at}) or self._result(fixture))}

    def _result(self, fixture: Assignment) -> dict[str, Any]:
        dice = Random(f"{fixture['seed']} {fixture['bots']}")
        scores = [20 - 2 * GOOD.index(bot) + dice.randint(0, self._noise) for bot in fixture["bots"]]
        return {
            "ranks": [1 + sum(other > score for other in scores) for score in scores],
            "scores": scores,
            "breakdown": [{} for _ in scores],
            "faults": [],
            "times": [],
            "steps": 1,
            "digest": "",
        }


class Refereed(Pretended):
    """Workers that really play, and keep records, but without processes: the referee is told what the bots would say."""

    def __call__(self, setting: Setting, _count: int, parts: Iterator[Iterator[Block]]) -> "_PretendedWorkers":
        self._setting = setting
        return _PretendedWorkers(self, parts)

    def _result(self, fixture: Assignment) -> dict[str, Any]:
        setting, names = self._setting, fixture["bots"]
        clock = LeagueClock.from_plain(setting.clock).on(self.host)
        entries = [setting.entries[name] for name in names]
        players = tuple(Player(n, e["version"], e["digest"], clock) for n, e in zip(names, entries))
        game = find_game(setting.game)
        referee = Referee(game, Header(
            fixture["match"], setting.game, game.edition, setting.options, fixture["seed"], players,
            strikes=setting.strikes, bot_seed=fixture["bot_seed"], host=self.host,
        ))  # fmt: skip
        referee.begin(0.0, [None] * len(names))
        while not referee.over:
            for seat, message in referee.outbox():
                referee.asked(seat, 0.0, 0.0)
                said = Ready() if isinstance(message, Start) else self._move(names[seat], cast(Decide, message))
                referee.heard(seat, said, 0.001, 0.0)
        record = referee.record()
        save(record, record_path(Path(setting.records), fixture["match"]))
        return json.loads(json.dumps(match_message(fixture, record)))

    def _move(self, name: str, message: Decide) -> Move:
        return Move(message.id, message.legal[int(SHARES[name] * (len(message.legal) - 1))])


class _PretendedWorkers:
    def __init__(self, pretended: Pretended, parts: Iterator[Iterator[Block]]) -> None:
        self._pretended = pretended
        self._parts = parts
        self._retries: list[Assignment] = []

    def retry(self, fixture: Assignment) -> None:
        self._retries.append(fixture)

    async def work(self, on_event: OnEvent) -> None:
        for part in self._parts:
            while block := [self._retries.pop()] if self._retries else next(part, None):
                for fixture in block:
                    await trio.sleep(self._pretended.takes_s)
                    on_event(Played(fixture, self._pretended.message(fixture), self._pretended.host))


def inhabitants(folder: Path) -> list[int]:
    """The processes that live in a folder: runners that were started there, their workers and helpers, and bots of it."""
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                home = os.readlink(f"{entry.path}/cwd")
            except OSError:
                continue  # it has gone
            if Path(home).is_relative_to(folder):
                found.append(int(entry.name))
    return found
