"""Records that are small as files and large in memory: each is refused at its first line that is too much.

Whoever makes such a file can sign it. So each one here is packed and signed by the arena's own writer, and `arena verify`
reads it in a process whose memory is looked at when it has ended.
"""

import gzip
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.errors import RecordError
from arena.match.packing import MOST_LINE, MOST_VALUES, pack, signed
from arena.match.record import (
    MOST_DECISIONS,
    MOST_FAULTS,
    MOST_PLAYERS,
    MOST_STEPS,
    MOST_TEXT,
    Decision,
    FaultNote,
    MatchRecord,
    Step,
)
from arena.match.record_file import from_bytes, save, to_bytes
from arena.replay.moments import moments
from arena.replay.verify import verify
from protocol.errors import ErrorKind
from protocol.session import Refused
from tests.cli.command import prepared_arena
from tests.replay.test_replay import by_turns, refereed

MOST_MEMORY_MB = 400
"""A verify of an ordinary record takes 90 MB; the largest line that is read takes 250 MB more."""
PATIENCE_S = 120
"""What no file here needs, however busy the machine is; before there were limits, some of them took hours."""
STATE = "0123456789abcdef"


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    """A true record: the header, its steps, the verdict."""
    return gzip.decompress(to_bytes(refereed())).splitlines()[:-1]


MEASURED = """
import resource, sys
from arena.cli import main
try:
    main()
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)
"""
"""The command line, which tells at its end the most megabytes that it took."""


def verified(folder: Path, body: bytes) -> tuple[str, int]:
    """What `arena verify` says of a record with these lines, and the most megabytes that it took."""
    path, program = folder / "forged.match.jsonl.gz", folder / "measured.py"
    path.write_bytes(pack(signed(body)))
    program.write_text(MEASURED)
    ended = prepared_arena().run([str(program), "verify", str(path)], os.environ, folder, timeout_s=PATIENCE_S)
    assert ended.stderr.strip().isdecimal(), ended.stderr
    return ended.stdout.removeprefix(f"{path}: ").removesuffix("\n"), int(ended.stderr)


def with_header(lines: list[bytes], **fields: Any) -> list[bytes]:
    return [json.dumps(json.loads(lines[0]) | fields).encode(), *lines[1:]]


def with_verdict(lines: list[bytes], fields: str) -> list[bytes]:
    """The last line with more fields; they are text, for a list of millions takes long to dump."""
    return [*lines[:-1], lines[-1].removesuffix(b"}") + f",{fields}}}".encode()]


def many(what: str, count: int) -> str:
    return f"[{','.join([what] * count)}]"


def of_line_feeds(lines: list[bytes]) -> list[bytes]:
    return [lines[0], b"\n" * (60 << 20), lines[-1]]


def of_long_lines(lines: list[bytes]) -> list[bytes]:
    return [b" " * (60 << 20), *lines]


def of_steps(lines: list[bytes]) -> list[bytes]:
    step = f'{{"state":"{STATE}","chance":"x"}}'.encode()
    return [lines[0], *[step] * 1_000_000, lines[-1]]


def of_players(lines: list[bytes]) -> list[bytes]:
    return with_header(lines, players=[{"name": "a", "version": "", "digest": ""}] * 400_000)


def of_fewer_players(lines: list[bytes]) -> list[bytes]:
    return with_header(lines, players=[{"name": "a", "version": "", "digest": ""}] * 200_000)


def of_wrong_players(lines: list[bytes]) -> list[bytes]:
    return with_header(lines, players=[{}] * 500_000)


def of_options(lines: list[bytes]) -> list[bytes]:
    return with_header(lines, options={f"{number:x}": [] for number in range(200_000)})


def of_layers(lines: list[bytes]) -> list[bytes]:
    return with_header(lines, format=1, sandbox="full", layers=[0] * 1_000_000)


def of_faults(lines: list[bytes]) -> list[bytes]:
    return with_verdict(lines, '"faults":' + many('{"kind":"late","seat":0,"decision":1,"text":"?"}', 1_000_000))


def of_fewer_faults(lines: list[bytes]) -> list[bytes]:
    return with_verdict(lines, '"faults":' + many('{"kind":"late","seat":0,"decision":1,"text":"?"}', 200_000))


def of_wrong_faults(lines: list[bytes]) -> list[bytes]:
    return with_verdict(lines, '"faults":' + many("{}", 500_000))


def of_seats_in_a_step(lines: list[bytes]) -> list[bytes]:
    decisions = many('{"seat":0,"action":"T"}', 2_500_000)
    return [lines[0], f'{{"state":"{STATE}","decisions":{decisions}}}'.encode(), lines[-1]]


def of_fewer_seats_in_a_step(lines: list[bytes]) -> list[bytes]:
    decisions = many('{"seat":0,"action":"T"}', 300_000)
    return [lines[0], f'{{"state":"{STATE}","decisions":{decisions}}}'.encode(), lines[-1]]


def of_decisions(lines: list[bytes]) -> list[bytes]:
    players = [{"name": "a", "version": "", "digest": ""}] * MOST_PLAYERS
    decisions = ",".join(f'{{"seat":{seat},"action":"T"}}' for seat in range(MOST_PLAYERS))
    step = f'{{"state":"{STATE}","decisions":[{decisions}]}}'.encode()
    return [with_header(lines, players=players)[0], *[step] * 30_000, lines[-1]]


def of_values(lines: list[bytes]) -> list[bytes]:
    return with_verdict(lines, '"other":' + many("0", 7_000_000))


def of_maps(lines: list[bytes]) -> list[bytes]:
    return with_verdict(lines, '"accounts":[{"last_told":{"a":' + many("{}", 400_000) + "}},{}]")


def of_zones(lines: list[bytes]) -> list[bytes]:
    zones = ",".join(f'"{number:x}":[]' for number in range(200_000))
    return [*lines[:-1], f'{{"scores":[1,2],"ranks":[2,1],"breakdown":[{{{zones}}},{{}}]}}'.encode()]


LARGE: dict[Callable[[list[bytes]], list[bytes]], str] = {
    of_line_feeds: "line 2: not a step: ",
    of_long_lines: f"line 1: more than {MOST_LINE} bytes, the most that a line may have",
    of_steps: f"more than {MOST_STEPS:,} steps, the most that a record may have",
    of_players: f"line 1: more than {MOST_LINE} bytes, the most that a line may have",
    of_fewer_players: "line 1: not a header: players: ",
    of_wrong_players: "line 1: not a header: players.0.name: ",
    of_options: "line 1: not a header: options: Value error, it has 200000 entries, and 1000 are the most",
    of_layers: "line 1: not a header: layers.0: ",
    of_faults: f"more than {MOST_LINE} bytes, the most that a line may have",
    of_fewer_faults: "not a verdict: faults: ",
    of_wrong_faults: "not a verdict: faults.0.kind: ",
    of_seats_in_a_step: f"line 2: more than {MOST_LINE} bytes, the most that a line may have",
    of_fewer_seats_in_a_step: "line 2: not a step: decisions: ",
    of_decisions: f"more than {MOST_DECISIONS:,} decisions, the most that a record may have",
    of_values: f"more than {MOST_VALUES:,} values, the most that a line may have",
    of_maps: "ok, 52 steps",
    of_zones: "not a verdict: breakdown.0: Value error, it has 200000 entries, and 1000 are the most",
}


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(("attack", "words"), LARGE.items(), ids=[attack.__name__[3:] for attack in LARGE])
def test_a_small_file_that_means_a_large_record_is_refused_for_little_memory(lines, tmp_path, attack, words):
    said, peak_mb = verified(tmp_path, b"\n".join(attack(lines)) + b"\n")
    assert words in said
    assert len(said) < 500
    assert peak_mb < MOST_MEMORY_MB


@pytest.mark.thorough
def test_the_most_that_a_record_may_have_can_be_written_and_read():
    record = refereed()
    steps = [Step(STATE, None, (Decision(0, "T"), Decision(1, "T")))] * MOST_STEPS
    faults = (FaultNote("late", 0, 1, "?" * 20),) * MOST_FAULTS
    largest = replace(record, steps=steps, verdict=replace(record.verdict, faults=faults))
    assert from_bytes(to_bytes(largest)) == largest


def test_a_match_of_more_than_a_record_may_have_is_not_written():
    record = refereed()
    with pytest.raises(RecordError, match="more than 100,000 steps"):
        to_bytes(replace(record, steps=[Step(STATE, "x")] * (MOST_STEPS + 1)))
    with pytest.raises(RecordError, match="more than 200,000 decisions"):
        to_bytes(replace(record, steps=[Step(STATE, None, (Decision(0, "T"),) * 3)] * 70_000))


@pytest.mark.parametrize("field", ["action", "answer", "reason", "note"])
def test_a_text_that_is_too_long_is_refused(field):
    record = refereed()
    for length, is_taken in ((MOST_TEXT, True), (MOST_TEXT + 1, False)):
        long: dict[str, Any] = {field: "x" * length}
        decisions = (replace(record.steps[2].decisions[0], **long), *record.steps[2].decisions[1:])
        steps = [*record.steps[:2], replace(record.steps[2], decisions=decisions), *record.steps[3:]]
        data = to_bytes(replace(record, steps=steps))
        if is_taken:
            from_bytes(data)
        else:
            with pytest.raises(RecordError, match=f"line 4: not a step: decisions.0.{field}: "):
                from_bytes(data)


@pytest.mark.parametrize(
    "state",
    ["", "0123456789abcde", "0123456789abcdef0", "0123456789ABCDEF", f"{STATE}\n", "\x1b[2J\x1b[2J\x1b[2J\x1b[2"],
)
def test_the_digest_of_a_state_is_sixteen_hexadecimal_digits(state):
    record = refereed()
    with pytest.raises(RecordError, match=r"line 2: not a step: state: ") as refused:
        from_bytes(to_bytes(replace(record, steps=[replace(record.steps[0], state=state), *record.steps[1:]])))
    assert str(refused.value).isprintable()


def babbling(count: int) -> MatchRecord:
    """A match in which seat 1 is refused so many times at its second decision, and may."""

    def say(seat: int, question: Any) -> object:
        return Refused(ErrorKind.WRONG_TYPE, 0, "?") if seat == 1 and question.id == 2 else by_turns(seat, question)

    record = refereed(say)
    (fault,) = record.verdict.faults
    faults = (fault,) * count
    return replace(record, header=replace(record.header, strikes=2**53), verdict=replace(record.verdict, faults=faults))


@pytest.mark.usefixtures("processes")
def test_a_record_with_very_many_faults_is_verified_and_laid_out_in_time(tmp_path):
    """As many as a record may have, in time that grows with their number, and not with its square."""
    path = tmp_path / "babble.match.jsonl.gz"
    save(babbling(MOST_FAULTS), path)
    ended = prepared_arena().run(["arena", "verify", str(path)], os.environ, tmp_path, timeout_s=PATIENCE_S)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert sum(len(moment.faults) for moment in moments(babbling(MOST_FAULTS))) == MOST_FAULTS


def test_a_seat_that_is_refused_again_and_again_at_one_decision_has_a_true_record():
    assert verify(babbling(7)) is None
