"""Records as files: what is refused on reading, and what of a record is time.

A forger can compute checksums, too. So each forgery here is signed again, and has to be found by what it says.
"""

import gzip
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.errors import RecordError, SettingError
from arena.files import write_whole
from arena.match.clock import MOST_MS, TimeControl
from arena.match.hosts import Host
from arena.match.packing import _START, MOST_BYTES, pack, signed
from arena.match.record import (
    FORMAT,
    MOST_PACKED,
    MOST_SEED,
    MOST_US,
    Account,
    Decision,
    FaultNote,
    MatchRecord,
    Status,
)
from arena.match.record_file import from_bytes, load, to_bytes
from tests.replay.test_replay import refereed, troubled

Lines = list[dict[str, Any]]


HOST = Host("vm", 8, 97, "3.11.7", "x86_64", 1)


@pytest.fixture(scope="module")
def record() -> MatchRecord:
    return refereed(troubled)


def forged(record: MatchRecord, change: Callable[[Lines], object]) -> bytes:
    """The file after a change to its lines, with checksums that fit."""
    lines = [json.loads(line) for line in body(record).splitlines()]
    change(lines)
    return sealed("".join(f"{json.dumps(line)}\n" for line in lines))


def body(record: MatchRecord) -> str:
    """The lines before the checksum."""
    return gzip.decompress(to_bytes(record)).decode().rpartition('{"sha256"')[0]


def sealed(text: str) -> bytes:
    return pack(signed(text.encode()))


# What is refused


def header(**fields: Any) -> Callable[[Lines], object]:
    return lambda lines: lines[0].update(fields)


def player(**fields: Any) -> Callable[[Lines], object]:
    return lambda lines: lines[0]["players"][1].update(fields)


def clock(**fields: Any) -> Callable[[Lines], object]:
    return lambda lines: lines[0]["players"][1]["clock"].update(fields)


def decision(**fields: Any) -> Callable[[Lines], object]:
    return lambda lines: lines[3]["decisions"][1].update(fields)


def verdict(**fields: Any) -> Callable[[Lines], object]:
    return lambda lines: lines[-1].update(fields)


def fault(**fields: Any) -> Callable[[Lines], object]:
    return lambda lines: lines[-1]["faults"][0].update(fields)


def same_seat_twice(lines: Lines) -> None:
    lines[3]["decisions"][1]["seat"] = 0


def decided_twice(lines: Lines) -> None:
    lines[3]["decisions"].append(dict(lines[3]["decisions"][1]))


def other_order(lines: Lines) -> None:
    lines[3]["decisions"].reverse()


def decisions_of_chance(lines: Lines) -> None:
    lines[1]["decisions"] = lines[3]["decisions"]


REFUSED = [
    (header(format=0), "line 1: not the header of a record: format: expected an integer >= 1, got 0"),
    (header(format=float("inf")), "line 1: not the header of a record: format: expected an integer >= 1, got inf"),
    (header(format=1.0), "line 1: not the header of a record: format: "),
    (header(format="1"), "line 1: not the header of a record: format: "),
    (header(strikes=0), "line 1: not a header: strikes: "),
    (header(strikes=True), "line 1: not a header: strikes: "),
    (header(edition=0), "line 1: not a header: edition: "),
    (header(seed=MOST_SEED), "line 1: not a header: seed: "),
    (header(seed=-MOST_SEED), "line 1: not a header: seed: "),
    (header(seed="7"), "line 1: not a header: seed: "),
    (header(bot_seed=MOST_SEED), "line 1: not a header: bot_seed: "),
    (header(match="x" * 257), "line 1: not a header: match: "),
    (header(players=[{"name": "a", "version": "", "digest": ""}] * 65), "line 1: not a header: players: "),
    (header(format=1, sandbox="full", layers=[""] * 65), "line 1: not a header: layers: "),
    (player(layers=[""] * 65), "line 1: not a header: players.1.layers: "),
    (header(players=[]), "line 4: decisions of the seats [0, 1], but "),
    (player(name=""), "line 1: not a header: players.1.name: "),
    (player(name="x" * 65), "line 1: not a header: players.1.name: "),
    (player(name="bot\n1"), "line 1: not a header: players.1.name: "),
    (player(name="\u202ebot"), "line 1: not a header: players.1.name: "),
    (player(version="1" * 257), "line 1: not a header: players.1.version: "),
    (header(host={}), "line 1: not a header: host.name: "),
    (header(host={**HOST.plain(), "name": "x" * 65}), "line 1: not a header: host.name: "),
    (header(host={**HOST.plain(), "speed": 0}), "line 1: not a header: host.speed: "),
    (header(host={**HOST.plain(), "speed": 100_001}), "line 1: not a header: host.speed: "),
    (header(host={**HOST.plain(), "cores": 0}), "line 1: not a header: host.cores: "),
    (header(host={**HOST.plain(), "calibration": "1"}), "line 1: not a header: host.calibration: "),
    (clock(bank_ms=-1), "line 1: not a header: clock.bank_ms: expected an integer from 0 to 2^53, got -1"),
    (clock(increment_ms=MOST_MS + 1), "line 1: not a header: clock.increment_ms: "),
    (clock(prepare_ms=0), "line 1: not a header: clock.prepare_ms: expected an integer from 1 to 2^53, got 0"),
    (clock(bank_ms=1e400), "line 1: not a header: players.1.clock.bank_ms: "),
    (clock(charge="xyz"), "line 1: not a header: clock.charge: expected 'wall' or 'cpu', got 'xyz'"),
    (same_seat_twice, "line 4: decisions of the seats [0, 0], but each of 0 to 1 decides once, in this order"),
    (decided_twice, "line 4: decisions of the seats [0, 1, 1], but each of 0 to 1 decides once, in this order"),
    (other_order, "line 4: decisions of the seats [1, 0], but each of 0 to 1 decides once, in this order"),
    (decisions_of_chance, "line 2: a step of chance has decisions of the seats [0, 1]"),
    (decision(seat=2), "line 4: decisions of the seats [0, 2], but each of 0 to 1 decides once, in this order"),
    (decision(seat=-1), "line 4: not a step: decisions.1.seat: "),
    (decision(used_us=-1), "line 4: not a step: decisions.1.used_us: "),
    (decision(used_us=MOST_US + 1), "line 4: not a step: decisions.1.used_us: "),
    (decision(used_us=10**30), "line 4: not a step: decisions.1.used_us: "),
    (decision(status="lucky"), "line 4: not a step: decisions.1.status: "),
    (verdict(scores=[2**53 + 1, 0]), "not a verdict: scores.0: "),
    (verdict(ranks=[0, 1]), "not a verdict: ranks.0: "),
    (verdict(scores=[1]), "scores: 1 of them, but there are 2 players"),
    (verdict(ranks=[1, 2, 3]), "ranks: 3 of them, but there are 2 players"),
    (verdict(breakdown=[]), "breakdown: 0 of them, but there are 2 players"),
    (verdict(accounts=[{}]), "accounts: 1 of them, but there are 2 players"),
    (verdict(accounts=[{}, {}, {}]), "accounts: 3 of them, but there are 2 players"),
    (verdict(accounts=[{"cpu_us": -1}, {}]), "not a verdict: accounts.0.cpu_us: "),
    (verdict(delay_us=-1), "not a verdict: delay_us: "),
    (fault(seat=2), "faults: seat 2, but there are 2 players"),
    (fault(seat=-1), "not a verdict: faults.0.seat: "),
    (fault(decision=0), "not a verdict: faults.0.decision: "),
    (fault(decision=99), "faults: decision 99, but "),
]  # fmt: skip


@pytest.mark.parametrize(("change", "words"), REFUSED, ids=lambda value: value if isinstance(value, str) else "")
def test_a_forged_record_is_refused_on_reading(record, change, words):
    with pytest.raises(RecordError) as refused:
        from_bytes(forged(record, change))
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_is_only_signed_again_is_read(record):
    assert from_bytes(forged(record, lambda lines: None)) == record
    large = header(seed=MOST_SEED - 1, bot_seed=1 - MOST_SEED)
    assert from_bytes(forged(record, large)).header.seed == MOST_SEED - 1
    assert from_bytes(forged(record, verdict(accounts=[{}, {}]))).verdict.accounts == (Account(), Account())


def test_a_number_beyond_all_numbers_is_refused(record):
    lines = body(record)
    for number in ("1e999", "-1e999", "9" * 5000, "null", "[]"):
        with pytest.raises(RecordError, match="line 1: not the header of a record"):
            from_bytes(sealed(lines.replace(f'"format":{FORMAT}', f'"format":{number}')))


def test_what_a_forger_writes_into_a_name_is_spelled_out_and_cut(record):
    zones = verdict(breakdown=[{"\x1b[2J" * 1000: "x"}, {}])
    with pytest.raises(RecordError) as refused:
        from_bytes(forged(record, zones))
    assert "\\x1b[2J" in str(refused.value)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize("flipped", range(-8, 0))
def test_the_crc_and_the_length_at_the_end_of_the_file_are_checked(record, flipped):
    """By every gzip; and so by us, also if whoever changed them has computed the digest at the beginning again."""
    data = bytearray(to_bytes(record))
    data[flipped] ^= 1
    data[_START - 32 : _START] = hashlib.sha256(data[_START:]).digest()
    with pytest.raises(RecordError, match="the end of the gzip file does not match its contents"):
        from_bytes(bytes(data))


def test_what_follows_the_end_of_the_compressed_lines_is_refused(record):
    data = to_bytes(record)
    for more in (b"\0", bytes(200_000)):
        rest = data[_START:-8] + more + data[-8:]
        with pytest.raises(RecordError, match="it does not decompress: "):
            from_bytes(data[: _START - 32] + hashlib.sha256(rest).digest() + rest)


def test_a_record_whose_lines_do_not_fit_their_checksum_is_refused(record):
    lines = body(record)
    for text in (lines, lines + '{"sha256":"0"}\n', lines + "x"):
        with pytest.raises(RecordError):
            from_bytes(pack(text.encode()))


# What is written


def test_a_file_is_on_the_disk_before_it_gets_its_name(tmp_path, monkeypatch):
    """A power cut between the two would leave an empty record under a good name. Both calls really happen."""
    calls = list[tuple[str, str, int | str]]()
    fsync, rename = os.fsync, os.replace

    def noted_fsync(fd: int) -> None:
        calls.append(("fsync", os.readlink(f"/proc/self/fd/{fd}"), os.fstat(fd).st_size))
        fsync(fd)

    def noted_replace(part: Path, path: Path) -> None:
        calls.append(("replace", str(part), str(path)))
        rename(part, path)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_replace)
    path = tmp_path / "new" / "a"
    write_whole(path, b"whole")
    (_, part, size), last = calls
    assert size == 5
    assert last == ("replace", part, str(path))
    assert path.read_bytes() == b"whole"


# What is no file


def test_only_ordinary_files_are_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    kinds = {tmp_path: "a folder", pipe: "a pipe", Path("/dev/zero"): "a device", Path("/dev/null"): "a device"}
    for path, kind in kinds.items():
        with pytest.raises(RecordError) as refused:
            load(path)
        assert str(refused.value) == f"{path}: this is {kind}, not an ordinary file"


def test_a_file_that_is_too_large_is_not_read_to_its_end(tmp_path):
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(MOST_PACKED + 1)
    with pytest.raises(RecordError, match=f"it has more than {MOST_PACKED:,} bytes"):
        load(path)


def test_a_small_file_that_unpacks_to_too_much_is_refused(record):
    first, second, *_ = body(record).encode().splitlines()
    steps = (second + b" " * (1 << 20) + b"\n") * (MOST_BYTES >> 20)
    with pytest.raises(RecordError, match=f"it does not decompress to at most {MOST_BYTES} bytes"):
        from_bytes(pack(first + b"\n" + steps))


def test_a_name_that_no_file_can_have_is_words():
    with pytest.raises(RecordError, match="no file can have this name"):
        load(Path("a\0b"))


# Times


def timed(record: MatchRecord, ms: int) -> MatchRecord:
    """The same match on a machine that takes so long."""
    late = f"no answer within {ms} ms, with 100 ms for each decision and 0 ms left in the bank"
    busy = f"the referee itself was kept waiting for {ms / 1000:.3f} s while answers were due"
    last = {"id": 1, "status": "late", "played": "T", "used_ms": ms, "reason": late}
    told = {"type": "decide", "id": 2, "clock": {"bank_ms": 5000 - ms, "increment_ms": 100}, "last": last}
    decisions = (Decision(0, "T", used_us=ms * 1000), Decision(1, "T", Status.LATE, ms * 1000, reason=late))
    changed = replace(
        record.verdict,
        faults=(FaultNote("late", 1, 2, late), FaultNote("overload", None, 3, busy)),
        void=busy,
        accounts=(Account(cpu_us=ms, peak_kb=ms), Account(cpu_us=ms, last_told=told)),
        delay_us=ms,
    )
    steps = [*record.steps[:2], replace(record.steps[2], decisions=decisions)]
    return replace(record, steps=steps, verdict=changed)


def test_records_of_the_same_match_differ_only_in_times(record):
    quick, slow = timed(record, 1001), timed(record, 1234)
    assert quick != slow
    assert to_bytes(quick.without_times()) == to_bytes(slow.without_times())


def test_the_host_is_kept_and_is_what_differs_between_machines(record):
    known = replace(record, header=replace(record.header, host=HOST))
    assert from_bytes(to_bytes(known)) == known
    assert known.without_times() == record.without_times()


def test_a_record_without_a_host_is_written_as_before_there_were_hosts(record):
    assert "host" not in json.loads(body(record).splitlines()[0])


def test_what_is_no_time_stays(record):
    told = {"type": "start", "clock": {"bank_ms": 5}}
    kept = replace(
        record, verdict=replace(record.verdict, accounts=(Account(stderr="3 ms", last_told=told), Account()))
    )
    bare = kept.without_times()
    assert bare.verdict.accounts == kept.verdict.accounts
    assert [f.text for f in bare.verdict.faults if f.kind != "late"] == [
        f.text for f in kept.verdict.faults if f.kind != "late"
    ]
    statuses = [(d.action, d.status, d.answer, d.note) for _, _, d in kept.decisions()]
    assert [(d.action, d.status, d.answer, d.note) for _, _, d in bare.decisions()] == statuses


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"clock": None, "last": None},
        {"clock": 3, "last": "?"},
        {"clock": {}, "last": {}},
        {"clock": {"bank_ms": 7}, "last": {"status": "late"}},
        {"clock": [], "last": {"status": [], "reason": "3 ms"}},
        {"clock": {}, "last": {"status": "late", "reason": {"ms": 3}}},
    ],
)
def test_a_forged_last_message_is_no_obstacle(record, told):
    """Nobody can say what a bot was told last, so any map is read."""
    read = from_bytes(forged(record, verdict(accounts=[{"last_told": {"type": "decide", **told}}, {}])))
    assert read.without_times().verdict.accounts[0].last_told["type"] == "decide"


# Clocks


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"hello_ms": 0}, "clock.hello_ms: expected an integer from 1 to 2^53, got 0. Write 2000 for two seconds."),
        ({"prepare_ms": 0}, "clock.prepare_ms: expected an integer from 1 to 2^53, got 0."),
        ({"bank_ms": -1}, "clock.bank_ms: expected an integer from 0 to 2^53, got -1."),
        ({"bank_ms": True}, "clock.bank_ms: expected an integer from 0 to 2^53, got True."),
        ({"increment_ms": 1.5}, "clock.increment_ms: expected an integer from 0 to 2^53, got 1.5."),
        ({"increment_ms": "2s"}, "clock.increment_ms: expected an integer from 0 to 2^53, got '2s'."),
        ({"increment_ms": MOST_MS + 1}, "clock.increment_ms: expected an integer from 0 to 2^53, got 90"),
        ({"charge": "xyz"}, "clock.charge: expected 'wall' or 'cpu', got 'xyz'."),
        ({"charge": None}, "clock.charge: expected 'wall' or 'cpu', got None."),
    ],
)
def test_a_clock_that_cannot_be_is_named(values, words):
    with pytest.raises(SettingError) as refused:
        TimeControl(**values)
    assert str(refused.value).startswith(words)


def test_the_least_and_the_most_that_a_clock_can_have():
    TimeControl(1, 1, 0, 0, "cpu")
    TimeControl(MOST_MS, MOST_MS, MOST_MS, MOST_MS)
