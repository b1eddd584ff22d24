"""Whole matches between real processes."""

import asyncio
import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio

import arena
from arena import running
from arena.errors import RecordError, RosterError, SettingError, StoreError
from arena.match import play as matches
from arena.match import record_file
from arena.match.bot import Bot
from arena.match.clock import TimeControl, now
from arena.match.company import open_company
from arena.match.launch import SpawnerLauncher, usable_cpus
from arena.match.packing import SUFFIX
from arena.match.record import Header, MatchRecord, Player, Status
from arena.match.record_file import from_bytes, load, save, to_bytes
from arena.replay.moments import states
from arena.replay.verify import verify
from arena.roster.entries import Entry
from benchmarks import void_at_will
from engine.catalogue import game as find_game
from engine.draftosaurus import Draftosaurus
from engine.errors import SetupError
from protocol.codec import JSON, MSGPACK
from protocol.messages import Decide, Message, Start, to_wire
from tests.machine import at_best, bot_python
from tests.match import light_bot
from tests.sizes import sweep

BOTS = Path(__file__).parents[2] / "bots" / "python"
IN_JSON = f"env DINOBOT_CODEC=json {bot_python()} {BOTS / 'random_bot.py'}"


def heard_by_bots(setup) -> tuple[list[tuple[str, Message]], MatchRecord]:
    """All that the bots are told, and the record."""
    told = []

    def listen(bot: Bot, way: str, message: Any) -> None:
        if way == ">":
            told.append((bot.entry.name, message))

    match = running.run(lambda: matches.play(setup, listener=listen))
    return told, match.record()


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_player_count_with_both_codecs_at_one_table(seats):
    record = arena.play(
        *["greedy", IN_JSON, "random", IN_JSON, "greedy"][:seats],
        seed=seats,
        options={"season": "winter"},
        sandbox=at_best(),
    )
    assert record.verdict.faults == ()
    assert record.verdict.void is None
    assert {d.status for _, _, d in record.decisions()} <= {Status.ACCEPTED, Status.FORCED}
    assert verify(record) is None


@pytest.mark.parametrize(
    "options", [{}, {"season": "summer_winter", "commit": "pick_and_place"}], ids=["plain", "double"]
)
def test_two_runs_with_one_seed_give_the_same_record_apart_from_times(options):
    first, second = (
        arena.play("random", "greedy", IN_JSON, seed=11, options=options, sandbox=at_best()) for _ in range(2)
    )
    assert to_bytes(first.without_times()) == to_bytes(second.without_times())
    assert from_bytes(to_bytes(first)) == first


SAYS_ON_LEAVING = """
import json, os, sys
def say(**message): os.write(1, json.dumps(message).encode() + b"\\n")
say(type="hello", protocol=1, name="x", version="1", games=["draftosaurus"])
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        say(type="ready")
    elif message["type"] == "decide":
        say(type="move", id=message["id"], action=%s)
    elif message["type"] == "end":
        os.write(2, b"goodbye from %s")
"""


def test_each_seat_has_its_own_last_words_in_the_record_and_a_faulty_one_what_it_was_told_last(tmp_path):
    commands = []
    for name, action in (("calm", 'message["legal"][0]'), ("odd", '"nonsense"'), ("quiet", 'message["legal"][0]')):
        path = tmp_path / name / f"{name}.py"
        path.parent.mkdir()
        path.write_text(SAYS_ON_LEAVING % (action, name))
        commands.append(f"{sys.executable} {path}")
    record = arena.play(*commands, seed=1, sandbox=at_best())
    assert [fault.seat for fault in record.verdict.faults] == [1] * 4
    assert [account.stderr for account in record.verdict.accounts] == [
        f"goodbye from {one}" for one in ("calm", "odd", "quiet")
    ]
    assert [account.last_told is not None for account in record.verdict.accounts] == [False, True, False]


def test_other_seeds_and_other_bot_seeds_give_other_matches():
    plain = arena.play("random", "random", seed=1).without_times().steps
    assert arena.play("random", "random", seed=2).without_times().steps != plain
    assert arena.play("random", "random", seed=1, bot_seed=1).without_times().steps != plain


def test_no_bot_is_told_the_seed():
    seed = 9_182_736_455_463_728_190
    told, record = heard_by_bots(matches.MatchSetup(matches.find_all(["random", "greedy"]), seed=seed))
    assert record.header.seed == seed
    assert any(isinstance(message, Start) for _, message in told)
    for _, message in told:
        for codec in (MSGPACK, JSON):
            frame = codec.encode(to_wire(message))
            assert str(seed).encode() not in frame
            assert seed.to_bytes(8) not in frame


def test_without_a_seed_one_is_drawn_that_nobody_can_guess():
    seeds = {arena.play("random", "random").header.seed for _ in range(3)}
    assert len(seeds) == 3
    assert min(seeds) > 2**64


def test_a_finished_match_has_the_state_that_its_record_leads_to():
    setup = matches.MatchSetup(matches.find_all(["random", "greedy"]), "dinodocus", seed=3)
    match = running.run(lambda: matches.play(setup))
    assert match.state == states(match.record())[-1]


def test_each_bot_is_told_only_its_own_views():
    told, _ = heard_by_bots(matches.MatchSetup(matches.find_all(["random", "greedy"]), seed=3))
    for name, message in told:
        if isinstance(message, Decide):
            assert message.view["seat"] == ("random", "greedy").index(name)


def test_a_bot_that_sits_twice_has_two_processes_and_two_names():
    record = arena.play("random", "random", seed=1)
    assert [player.name for player in record.header.players] == ["random#1", "random#2"]


def test_cpu_time_is_measured_and_can_be_charged():
    record = arena.play("greedy", "random", seed=5, clock=TimeControl(charge="cpu"))
    assert record.verdict.faults == ()
    greedy, random = record.verdict.accounts
    assert greedy.cpu_us > random.cpu_us > 0
    assert sum(d.used_us for _, _, d in record.decisions() if d.seat == 0) <= greedy.cpu_us * 1.1


def resident_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


def test_one_process_plays_many_matches_without_growth():
    warm, last, most_kb = sweep((100, 299, 2048), (200, 999, 4096))
    entries = matches.find_all(["random", IN_JSON])
    game = find_game("draftosaurus")
    header = Header("m", game.name, game.edition, {}, 0, tuple(Player(e.name, "1", "") for e in entries))

    async def play() -> tuple[list[list[int]], list[int]]:
        async with open_company(SpawnerLauncher()) as company:
            bots = await company.hire(entries)
            pids = [os.getpid(), *(bot.process.pid for bot in bots)]
            sizes, descriptors = [], []
            for seed in range(last + 1):
                match = await company.play(game, replace(header, seed=seed), bots)
                assert match.record().verdict.faults == ()
                if seed in (warm, last):
                    sizes.append([resident_kb(pid) for pid in pids])
                    descriptors.append(len(os.listdir("/proc/self/fd")))
            assert all(bot.is_usable for bot in bots)
        return sizes, descriptors

    (before, after), descriptors = trio.run(play)
    for old, new in zip(before, after):
        assert new - old < most_kb, "a process has grown by 5 or 10 KiB a match"
    assert descriptors[0] == descriptors[1]


def test_a_record_is_written_whole_and_read_again(tmp_path):
    record = arena.play("random", "greedy", seed=7, path=tmp_path / "deep" / f"a{SUFFIX}")
    assert record.path == tmp_path / "deep" / f"a{SUFFIX}"
    assert load(record.path) == record
    assert [path.name for path in record.path.parent.iterdir()] == [f"a{SUFFIX}"]
    assert record_file.fresh_path(tmp_path / "deep", record.header).name == f"draftosaurus-7{SUFFIX}"


def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path):
    record = arena.play("random", "greedy", seed=7)
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    save(record, tmp_path / "pipe")
    assert from_bytes(os.read(reader, 1 << 20)) == record
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()


TALKS = """
import sys
import dinobot

class Talks:
    def __init__(self, start): print("start")
    def decide(self, question): return question["legal"][0]
    def end(self, end): pass

dinobot.run(name="talks", version="3.7", games=["draftosaurus"], player=Talks)
print("the end", file=sys.stderr)
"""


def test_a_bots_last_words_and_its_own_version_are_kept(tmp_path):
    (tmp_path / "dinobot.py").write_text((BOTS / "dinobot.py").read_text())
    (tmp_path / "talks.py").write_text(
        TALKS.replace("import dinobot", "import atexit, dinobot\natexit.register(print, 'bye')")
    )
    record = arena.play(f"{sys.executable} {tmp_path / 'talks.py'}", "greedy", seed=7, sandbox=at_best())
    assert record.header.players[0].version == "3.7"
    assert record.verdict.accounts[0].stderr.startswith("start\n")
    assert "bye" in record.verdict.accounts[0].stderr, "what it wrote after the match"
    again = arena.play(f"{sys.executable} {tmp_path / 'talks.py'}", "greedy", seed=7, sandbox=at_best())
    assert again.without_times() == record.without_times()


def test_a_record_shows_itself_in_a_notebook():
    record = arena.play("random", "greedy", seed=7)
    page = record._repr_html_()
    assert "<table>" in page
    assert "greedy" in page
    nasty = replace(record, header=replace(record.header, players=tuple(Player("<b>", "1", "") for _ in range(2))))
    assert "<b>" not in nasty._repr_html_()


def test_records_of_other_formats_and_games_are_refused_in_words(tmp_path):
    record = arena.play("random", "greedy", seed=7)
    newer = replace(record, header=replace(record.header, format=99))
    with pytest.raises(RecordError, match="format 99 is newer than this arena"):
        from_bytes(to_bytes(newer))
    with pytest.raises(RecordError, match="No such file"):
        load(tmp_path / "nothing")
    (tmp_path / "text").write_text("hello")
    with pytest.raises(RecordError, match="not a record: it begins with b'hello'"):
        load(tmp_path / "text")


def test_mistakes_are_found_before_any_process_is_started():
    with pytest.raises(SetupError, match="1 seat is not possible"):
        arena.play("random")
    with pytest.raises(SetupError, match="season"):
        arena.play("random", "random", options={"season": "spring"})
    for setting in ({"seed": 7.5}, {"seed": 10**1000}, {"strikes": 0}, {"bot_seed": "1"}, {"sandbox": "soft"}):
        with pytest.raises(SettingError, match=next(iter(setting))):
            arena.play("random", "random", **setting)
    with pytest.raises(RosterError, match="'nosuch' is not a bot"):
        arena.play("random", "nosuch")


def test_what_the_loop_is_busy_with_is_noted_and_not_charged(tmp_path):
    """Answers that take 20 ms, while something else holds up the loop for two seconds, three times."""
    (tmp_path / "dinobot.py").write_text((BOTS / "dinobot.py").read_text())
    (tmp_path / "talks.py").write_text("import time\n" + TALKS.replace("return", "time.sleep(0.02); return"))
    entries = matches.find_all([f"{sys.executable} {tmp_path / 'talks.py'}", "greedy"])
    header = Header("m", "draftosaurus", 1, {}, 0, tuple(Player(e.name, "1", "") for e in entries))

    async def hold_up():
        for _ in range(3):
            await trio.sleep(0.01)
            time.sleep(2)

    async def play():
        async with open_company(SpawnerLauncher()) as company, trio.open_nursery() as nursery:
            bots = await company.hire(entries)
            nursery.start_soon(hold_up)
            return (await company.play(find_game("draftosaurus"), header, bots)).record()

    record = trio.run(play)
    assert record.verdict.faults == ()
    assert record.verdict.delay_us >= 500_000
    assert max(one.used_us for _, _, one in record.decisions()) < 1_700_000


def test_who_had_the_cores_is_known_since_the_open_question_and_not_since_the_match_began(tmp_path):
    """Else a bot could get back time that others had the cores long before it was asked."""
    (tmp_path / "dinobot.py").write_text((BOTS / "dinobot.py").read_text())
    (tmp_path / "talks.py").write_text("import time\n" + TALKS.replace("return", "time.sleep(0.08); return"))
    entries = matches.find_all([f"{sys.executable} {tmp_path / 'talks.py'}", "greedy"])
    setup = matches.MatchSetup(entries, seed=7, sandbox=at_best())
    seen = []
    running.run(lambda: matches.play(setup, watcher=lambda referee: seen.append((now(), referee.inquire().wall_s))))
    (first, _), *_, (last, span_s) = seen
    assert last - first > 0.8, "it was asked more than ten times"
    assert span_s < (last - first) / 4


def test_an_honest_bot_on_an_overloaded_machine_is_never_blamed():
    """It needs 30 ms of CPU time for an answer and has 60 ms, beside twice as many busy loops as there are cores."""
    entries = [Entry("light", "1", light_bot.command(), BOTS), void_at_will.entry("honest", 0)]
    clocks = [void_at_will.PATIENT, void_at_will.CLOCKS["honest"]]
    setup = matches.MatchSetup(entries, seed=1, clocks=clocks, sandbox="none")
    with void_at_will.busy(2 * len(usable_cpus())):
        record = running.run(lambda: matches.play(setup)).record()
    assert record.verdict.faults == ()
    assert record.verdict.void is None
    assert verify(record) is None


class Rigged(Draftosaurus):
    """A game with a bug."""

    def apply(self, state, actions):
        if -1 not in actions:
            raise RuntimeError("a bug in the rules")
        return super().apply(state, actions)


def test_a_bug_in_the_arena_makes_the_match_void_and_the_bots_are_told():
    entries = matches.find_all(["random", "greedy"])
    told = []

    async def play():
        listener = lambda bot, way, message: told.append(message.type) if way == ">" else None  # noqa: E731
        async with open_company(SpawnerLauncher(), listener=listener) as company:
            bots = await company.hire(entries)
            header = Header("m", "draftosaurus", 1, {}, 0, tuple(Player(e.name, "1", "") for e in entries))
            match = await company.play(Rigged(), header, bots)
            return match.record(), [bot.is_usable for bot in bots]

    record, usable = trio.run(play)
    assert record.verdict.void == "RuntimeError: a bug in the rules"
    assert [fault.kind for fault in record.verdict.faults] == ["arena"]
    assert usable == [True, True]
    assert told.count("end") == 2


async def _in_asyncio():
    return arena.play("random", "greedy", seed=7)


def test_a_match_can_be_played_in_a_notebook_and_in_a_thread():
    plain = arena.play("random", "greedy", seed=7).without_times()
    assert asyncio.run(_in_asyncio()).without_times() == plain
    with ThreadPoolExecutor() as pool:
        assert pool.submit(arena.play, "random", "greedy", seed=7).result().without_times() == plain
    assert trio.run(_in_asyncio).without_times() == plain


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_lost_spawner_makes_the_match_void_and_loses_no_record(tmp_path, number):
    """A bot without a sandbox can kill or stop the process that started it."""
    code = (BOTS / "dinobot.py").read_text().replace('if __name__ == "__main__"', "if False")
    (tmp_path / "dinobot.py").write_text(code)
    (tmp_path / "bad.py").write_text(
        "import os, dinobot\n"
        "class Bad:\n"
        "    def __init__(self, start): pass\n"
        f"    def decide(self, question): os.kill(os.getppid(), {int(number)}); return question['legal'][0]\n"
        "dinobot.run(name='bad', version='1', games=['draftosaurus'], player=Bad)\n"
    )
    record = arena.play(f"{sys.executable} {tmp_path / 'bad.py'}", "greedy", seed=7, sandbox="none")
    if number == signal.SIGKILL:
        assert record.verdict.void is not None
        assert "the process that starts the bots" in record.verdict.void
    assert [fault.kind for fault in record.verdict.faults] == (["arena"] if number == signal.SIGKILL else [])


async def _failing(*errors: Exception) -> None:
    async def fail(error: Exception) -> None:
        raise error

    async with trio.open_nursery() as nursery:
        for error in errors:
            nursery.start_soon(fail, error)


def test_what_several_tasks_say_alike_is_said_once():
    with pytest.raises(StoreError, match="the disk is full"):
        running.run(lambda: _failing(StoreError("the disk is full"), StoreError("the disk is full")))
    with pytest.raises(ExceptionGroup):
        running.run(lambda: _failing(StoreError("the disk is full"), ValueError("a bug")))
