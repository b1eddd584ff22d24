"""How fast the referee is, compared with a referee in C that only writes and reads.

Both play the same games with the same bots, written in C, which answer at once with the first legal action. The games
of the C referee are a script: exactly the bytes that ours sends. So its speed is the limit of pipes and machine.

By default our referee keeps such bots on its own core (arena/match/placement.py). That is compared with the C referee
on all cores, and so are bots on all cores; both referees on one core are compared, too.
"""

import os
import resource
import shutil
import struct
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from json import loads
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

import trio

from arena.bench.pure import why_not
from arena.match.bot import Bot
from arena.match.clock import now
from arena.match.company import Company, open_company
from arena.match.cores import BY_USE, FREE
from arena.match.launch import SpawnerLauncher, usable_cpus
from arena.match.record import Header, Player
from arena.match.record_file import to_bytes
from arena.match.referee import Referee
from arena.roster.entries import Entry
from engine.catalogue import game as find_game
from protocol.codec import MSGPACK
from protocol.messages import Decide, End, Message, Move, Ready, to_wire

GAME = "draftosaurus"
SEATS = 5
GAMES = 20
"""Different games in a script."""
ROUNDS = 12
SLICE_S = 0.4
SHARE, CPU_US, DELAY_MS = 0.28, 42.0, 1.0
"""The budgets."""
COMPILED_SHARE, COMPILED_CPU_US = 0.42, 27.0
"""Those of the compiled arena (`make fast`)."""


def measure(rounds: int = ROUNDS) -> dict[str, Any]:
    """Games per second of both referees in each placement, and what ours costs and charges."""
    if shutil.which("cc") is None:
        return {"rows": [], "checks": _checks(None, None, None, "there is no C compiler, `cc`")}
    with TemporaryDirectory() as folder:
        return trio.run(_measure, Path(folder), rounds)


async def _measure(folder: Path, rounds: int) -> dict[str, Any]:
    bot, limit = (compile_c(folder, name) for name in ("bot", "limit"))
    script = folder / "script"
    script.write_bytes(_script())
    everywhere = usable_cpus()
    usual, free = Pair("default placement", everywhere), Pair("free placement", everywhere, affinity=FREE)
    pairs = (usual, free, Pair("one core", everywhere[-1:], affinity=FREE))
    async with open_company(SpawnerLauncher()) as company:
        teams = [await company.hire([_entry(bot, pair.name)] * SEATS) for pair in pairs]
        for pair, team in zip(pairs, teams):
            for one in team:
                one.keep_on(pair.cores)
        for _ in range(rounds):
            for pair, team in zip(pairs, teams):
                os.sched_setaffinity(0, pair.cores)
                if pair is not usual:  # which is compared with the C referee on all cores
                    pair.limit.append(_limit(limit, script, bot))
                await pair.play(replace(company, affinity=pair.affinity, places=tuple(pair.cores)), team)
        os.sched_setaffinity(0, everywhere)
    usual.limit = free.limit
    delays = await _delays(bot)
    ping = [_ping(limit) for _ in range(3)]
    rows = [{"what": "C round trips of 300 bytes, one pair of processes", "per_s": round(max(ping))}]
    rows += [row for pair in pairs[1:] for row in pair.rows()]
    rows.insert(2, usual.own_row())
    p99 = quantiles(delays, n=100)[98]
    return {"rows": rows, "checks": _checks(usual.share, usual.cpu_us, p99)}


@dataclass(slots=True)
class Pair:
    """Both referees in one placement, slice by slice."""

    name: str
    cores: Sequence[int]
    limit: list[dict[str, float]] = field(default_factory=list)
    games: list[float] = field(default_factory=list)
    decisions: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    affinity: str = BY_USE

    async def play(self, company: Company, bots: Sequence[Bot]) -> None:
        """One slice of ours: whole scripts, with the records made ready to be written."""
        games = decisions = 0
        cpu, start = _cpu_s(), now()
        while (spent := now() - start) < SLICE_S:
            for seed in range(GAMES):
                record = (await company.play(find_game(GAME), _header(seed), bots)).record()
                to_bytes(record)
                games += 1
                decisions += sum(d.status == "accepted" for _, _, d in record.decisions())
        self.games.append(games / spent)
        self.decisions.append(decisions / spent)
        self.cpu.append((_cpu_s() - cpu) * 1e6 / decisions)

    @property
    def share(self) -> float:
        return median(self.games) / median(run["games"] * GAMES / run["seconds"] for run in self.limit)

    @property
    def cpu_us(self) -> float:
        return median(self.cpu)

    def rows(self) -> Iterator[dict[str, Any]]:
        c_games = median(run["games"] * GAMES / run["seconds"] for run in self.limit)
        c_answers = median(run["answers"] / run["seconds"] for run in self.limit)
        c_cpu = median(run["cpu_seconds"] / run["answers"] for run in self.limit) * 1e6
        yield _row(f"C referee without rules, {SEATS} C bots, {self.name}", c_games, c_answers, c_cpu, 1.0)
        yield self.own_row()

    def own_row(self) -> dict[str, Any]:
        rates = median(self.games), median(self.decisions)
        return _row(f"our referee, {SEATS} C bots, {self.name}", *rates, self.cpu_us, self.share)


def _row(what: str, games: float, decisions: float, cpu_us: float, share: float) -> dict[str, Any]:
    rates = {"games_per_s": round(games, 1), "decisions_per_s": round(decisions)}
    return {"what": what, **rates, "cpu_us_per_decision": round(cpu_us, 1), "share_of_c": round(share, 3)}


async def _delays(program: Path) -> list[float]:
    """For each decision of some games: by how many milliseconds the bot was charged more than it took."""
    told: dict[tuple[Bot, int], float] = {}
    taken: dict[Bot, list[float]] = {}

    def listen(bot: Bot, _direction: str, message: object) -> None:
        if isinstance(message, Decide):
            told[bot, message.id] = now()
        elif isinstance(message, Move) and message.note:
            taken.setdefault(bot, []).append(int(message.note) * 1e-6 - told[bot, message.id] * 1e3)

    charged: dict[Bot, list[float]] = {}
    async with open_company(SpawnerLauncher(), listener=listen) as company:
        bots = await company.hire([_entry(program, "stamp", "--stamp")] * SEATS)
        for seed in range(GAMES * 5):
            record = (await company.play(find_game(GAME), _header(seed), bots)).record()
            for _, _, decision in record.decisions():
                if decision.status == "accepted":
                    charged.setdefault(bots[decision.seat], []).append(decision.used_us / 1e3)
    return _delays_ms(charged, taken)


def _delays_ms(charged: Mapping[Any, Sequence[float]], taken: Mapping[Any, Sequence[float]]) -> list[float]:
    """Clocks of two processes do not agree to the last microsecond: a bot is never charged less than it took."""
    return [max(0.0, c - t) for bot in charged for c, t in zip(charged[bot], taken[bot], strict=True)]


def _entry(program: Path, name: str, *words: str) -> Entry:
    return Entry(name, "1", (str(program), *words), program.parent)


def _header(seed: int) -> Header:
    players = tuple(Player("c", "1", "") for _ in range(SEATS))
    return Header("bench", GAME, find_game(GAME).edition, {}, seed, players)


def _script() -> bytes:
    """What our referee sends in some games, as limit.c reads it."""
    script = struct.pack(">I", SEATS)
    first = 1
    for seed in range(GAMES):
        referee = Referee(find_game(GAME), _header(seed), [first] * SEATS)
        referee.begin(0.0, [None] * SEATS)
        while turn := referee.outbox():
            script += struct.pack(">I", len(turn)) + b"".join(_frame(seat, message) for seat, message in turn)
            for seat, message in turn:
                first = max(first, getattr(message, "id", 0) + 1)
                _answer(referee, seat, message)
    return script


def _frame(seat: int, message: Message) -> bytes:
    frame = MSGPACK.encode(to_wire(message))
    return struct.pack(">III", seat, not isinstance(message, End), len(frame)) + frame


def _answer(referee: Referee, seat: int, message: Message) -> None:
    if isinstance(message, Decide):
        referee.heard(seat, Move(message.id, message.legal[0]), 0.0, 0.0)
    elif not isinstance(message, End):
        referee.heard(seat, Ready(), 0.0, 0.0)


def compile_c(folder: Path, name: str) -> Path:
    """A program of this package that is written in C."""
    source = folder / f"{name}.c"
    source.write_text((files("arena.bench") / source.name).read_text("utf-8"))
    subprocess.run(["cc", "-O2", "-o", str(folder / name), str(source)], check=True)
    return folder / name


def _limit(program: Path, script: Path, bot: Path) -> dict[str, float]:
    words = [str(program), str(script), str(SLICE_S), str(bot)]
    parsed: dict[str, float] = loads(subprocess.run(words, check=True, capture_output=True).stdout)
    return parsed


def _ping(program: Path) -> float:
    ran = loads(subprocess.run([str(program), "--ping", "0.3", "300"], check=True, capture_output=True).stdout)
    return float(ran["roundtrips"]) / float(ran["seconds"])


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _checks(
    share: float | None, cpu_us: float | None, delay_ms: float | None, reason: str = ""
) -> list[dict[str, Any]]:
    pure, fast = why_not(False), why_not(True)
    return [
        _check("referee.share_of_c", share, "ratio", SHARE, "higher", pure or reason),
        _check("referee.cpu_us_per_decision", cpu_us, "us", CPU_US, "lower", pure or reason),
        _check("referee.delay_p99_ms", delay_ms, "ms", DELAY_MS, "lower", reason),
        _check("referee.compiled_share_of_c", share, "ratio", COMPILED_SHARE, "higher", fast or reason),
        _check("referee.compiled_cpu_us_per_decision", cpu_us, "us", COMPILED_CPU_US, "lower", fast or reason),
    ]


def _check(name: str, value: float | None, unit: str, budget: float, better: str, reason: str) -> dict[str, Any]:
    if reason or value is None:
        return {
            "name": name,
            "value": None,
            "unit": unit,
            "budget": budget,
            "better": better,
            "ok": None,
            "reason": reason,
        }
    ok = value >= budget if better == "higher" else value <= budget
    return {"name": name, "value": round(value, 3), "unit": unit, "budget": budget, "better": better, "ok": ok}
