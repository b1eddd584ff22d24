"""`arena check`: good bots pass, faulty ones get just the finding that is theirs, in words that authors understand.

Bots with every single defect are in tests/broken_bots; here are the examiner's own parts, and one bot of each family.
"""

import json
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.building.build import Way
from arena.check import farewell, lasting, plain, probe, special, talk
from arena.check.advice import BY_LANGUAGE, fix, table
from arena.check.attribution import attribute
from arena.check.building import lacking
from arena.check.examiner import ExamOutcome, ExamResult, Terms, chosen_exams, hold_exam, open_tiers, why_skipped
from arena.check.exams import EXAMS, Exam
from arena.check.findings import FINDINGS, Level
from arena.check.languages import Language, guess
from arena.check.probe import READABLE, Failed
from arena.check.questions import ExamSetting, ExamTable, phases_of, rare, scripted, settings, variants
from arena.check.room import Room, Trouble
from arena.check.special import nulls, strange
from arena.cli.check import ExamProgress, lines, repeated, warnings
from arena.match.clock import TimeControl
from arena.match.launch import SpawnerLauncher
from arena.roster.entries import Entry, Limits, find
from arena.roster.trust import Whose
from arena.sandbox.policy import Tier
from engine.catalogue import game as find_game
from engine.catalogue import names
from protocol.errors import ErrorKind
from protocol.messages import from_wire, to_wire
from tests.cli.command import arena, here
from tests.machine import why_no_sandbox

ROOT = Path(__file__).parents[2]
FAULTY = Path(__file__).parents[1] / "match" / "faulty_bot.py"
LIMIT = 60.0


def faulty(fault: str, at: str = "1", folder: str = "") -> Entry:
    command = (sys.executable, "-I", "-S", str(FAULTY), fault, at, folder, "json")
    return Entry("faulty", "1", command, FAULTY.parent)


def room_of(entry: Entry, *tiers: Tier) -> Room:
    """A room without a sandbox, in which the bot has said that it plays."""
    room = Room(entry, {tier: SpawnerLauncher(tier) for tier in tiers or (Tier.NONE,)}, "draftosaurus", False)
    room.exam = "test"
    return room


def hold(room: Room, *exams: Callable[[Room], Awaitable[object]]) -> list[tuple[str, str]]:
    """Hold these exams: the id and what was seen of each trouble."""

    async def main() -> None:
        with trio.fail_after(LIMIT):
            for exam in exams:
                await exam(room)

    try:
        trio.run(main)
    finally:
        for launcher in room.launchers.values():
            launcher.close()
    return [(trouble.id, trouble.raw) for trouble in room.troubles]


# Good bots


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("name", ["random", "greedy"])
def test_the_built_in_bots_pass_without_a_word(name):
    ended = arena("check", name, "--json")
    report = json.loads(ended.out)
    missing = ["sandbox"] if why_no_sandbox() else []
    assert report["findings"] == []
    assert report["ok"]
    assert ended.code == 0
    assert [one["exam"] for one in report["exams"]] == [exam.name for exam in EXAMS]
    assert {one["exam"]: one["outcome"] for one in report["exams"]} == {
        exam.name: "skipped" if exam.name in ("build", *missing) else "passed" for exam in EXAMS
    }
    assert report["bot"]["language"] == "python"
    assert report["tiers"][-1] == "none"


# Faulty bots


SEEN = [
    ("print", "hello", plain.start, "text"),
    ("crash", "hello", plain.start, "exits-early"),
    ("half-a-frame", "hello", plain.start, "truncated"),
    ("wrong-revision", "hello", plain.start, "wrong-revision"),
    ("unframed", "hello", plain.start, "unframed"),
    ("crash", "3", plain.match, "crash"),
    ("segfault", "3", plain.match, "crash"),
    ("print", "3", plain.match, "text"),
    ("junk", "3", plain.match, "unknown-message"),
    ("too-deep", "3", plain.match, "too-deep"),
    ("future-id", "3", plain.match, "wrong-id"),
    ("illegal", "3", plain.match, "illegal-action"),
    ("malformed", "3", plain.match, "illegal-action"),
    ("twice", "3", plain.match, "double-answer"),
    ("blank-lines", "3", plain.match, "hang"),
    ("endless-line", "3", plain.match, "too-long"),
    ("stderr-and-on", "3", plain.match, "stderr-flood"),
    ("crash", "bye", farewell.goodbye, "exit-status"),
    ("illegal", "2", farewell.goodbye, "illegal-action"),
    ("print", "end", plain.match, "text"),
    ("crash", "end", plain.match, "crash"),
]


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(("fault", "at", "exam", "expected"), SEEN, ids=[f"{row[0]}@{row[1]}" for row in SEEN])
def test_what_goes_wrong_is_called_by_its_name(fault, at, exam, expected):
    exams = [exam] if exam is plain.start else [plain.start, exam]
    found = hold(room_of(faulty(fault, at)), *exams)
    assert {id for id, _ in found} == {expected}


WAITS = [("hang", "hello", "silent"), ("hang", "start", "no-ready"), ("hang", "2", "hang"), ("stop", "2", "hang")]


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(("fault", "at", "expected"), WAITS)
def test_a_bot_that_says_nothing_is_waited_for_and_then_called_by_its_name(fault, at, expected, monkeypatch):
    monkeypatch.setattr(talk, "BEYOND_S", -4.0)
    monkeypatch.setattr(probe.Probe.expect, "__defaults__", (1.0,))
    exams = [plain.start] if at == "hello" else [plain.start, plain.match]
    room = room_of(faulty(fault, at))
    room.hello_s = 2.0
    assert hold(room, *exams) == [(expected, expected)]


def test_a_bot_has_as_long_for_hello_as_in_a_match():
    assert TimeControl().hello_ms == probe.HELLO_S * 1000


@pytest.mark.usefixtures("processes")
def test_a_message_in_a_buffer_is_found_when_stdin_is_closed(tmp_path):
    source = 'import sys; sys.stdout.write(\'{"type":"hello"}\\n\'); sys.stdin.read()'
    source = source.replace('"hello"', '"hello","protocol":1,"name":"x","version":"1","games":["draftosaurus"]')
    room = room_of(Entry("buffered", "1", (sys.executable, "-c", source), tmp_path))
    room.hello_s = 1.0
    assert hold(room, plain.start) == [("not-flushed", "not-flushed")]


@pytest.mark.usefixtures("processes")
def test_a_command_that_cannot_be_executed_is_not_a_bot_that_exits(tmp_path):
    (tmp_path / "script").write_text("no program")
    for command in ("no-such-program", "./script"):
        assert hold(room_of(Entry("absent", "1", (command,), tmp_path)), plain.start) == [("cannot-start",) * 2]


@pytest.mark.usefixtures("processes")
def test_what_fails_only_in_a_special_situation_has_its_name():
    room = room_of(faulty("crash", "end"))
    assert ("merged-frames", "crash") in hold(room, plain.start, special.framing)


@pytest.mark.usefixtures("processes")
def test_floods_do_not_fill_the_examiner():
    for fault in ("junk", "stale-moves", "four-gigabytes", "stderr-flood"):
        room = room_of(faulty(fault, "2"))
        assert hold(room, plain.start, plain.match)
        assert all(len(trouble.seen) < 2000 and len(trouble.stderr) < 70_000 for trouble in room.troubles)


@pytest.mark.parametrize(("kind", "level"), [("stderr-flood", "error"), ("exits-early", None), ("crash", None)])
def test_a_flood_for_which_an_arena_ends_a_bot_is_an_error(kind, level):
    room = Room(find("random"), {Tier.NONE: None}, "draftosaurus", False)
    room.failed(Failed(kind, "it wrote too much"))
    assert [(trouble.id, trouble.level) for trouble in room.troubles] == [(kind, level)]


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(("fault", "found"), [("none", 0), ("child", 1), ("daemon", 1), ("respawner", 1)])
def test_processes_left_behind_are_found_and_ended(fault, found, tmp_path):
    room = room_of(faulty(fault, "2", str(tmp_path)))
    assert hold(room, plain.start, farewell.children) == found * [("children-left", "children-left")]
    assert not [path for path in Path("/proc").glob("[0-9]*/cmdline") if str(tmp_path).encode() in contents(path)]


def contents(path: Path) -> bytes:
    with suppress(OSError):
        return path.read_bytes()
    return b""


@pytest.mark.usefixtures("processes")
def test_a_child_with_a_name_that_is_not_text_is_still_shown():
    child = b'sh -c "sleep 2; : \xff" >/dev/null 2>&1 &'
    command: list[str | bytes] = [sys.executable, "-I", "-S", str(farewell.WARDEN), "token", "sh", "-c", child]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
    assert re.search(rb"\ntoken \d+ \(sh -c sleep 2; : \xff\)\n", ended.stderr)


@pytest.mark.usefixtures("processes")
def test_a_bot_that_does_not_send_hello_again_is_reported_and_does_not_play():
    room = room_of(faulty("none"))

    async def change(room: Room) -> None:
        room.entry = faulty("crash", "hello")

    assert hold(room, plain.start, change, lasting.several) == [("exits-early", "exits-early")]


PLAYER = """
import json, sys
def say(**message):
    print(json.dumps(message), flush=True)
say(type="hello", protocol=1, name="written", version="1", games=["draftosaurus"])
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        start = message
        say(type="ready")
    elif message["type"] == "decide":
        DECIDE
        say(type="move", id=message["id"], action=message["legal"][0])
    elif message["type"] == "bye":
        break
"""


@pytest.mark.usefixtures("processes")
def test_a_defect_of_another_seat_is_not_one_of_the_second_match(tmp_path):
    source = PLAYER.replace("DECIDE", "[10][start['seat']]")
    entry = Entry("written", "1", (sys.executable, "-I", "-S", "-c", source), tmp_path)
    exams = [plain.start, plain.match, plain.phases, lasting.matches, lasting.determinism, lasting.memory]
    assert set(hold(room_of(entry), *exams)) == {("crash", "crash")}


@pytest.mark.usefixtures("processes")
def test_the_number_of_a_later_match_is_shown(tmp_path):
    decide = "globals().setdefault('seen', set()).add(start['seats']); 1 / (len(seen) < 3)"
    source = PLAYER.replace("DECIDE", decide)
    room = room_of(Entry("written", "1", (sys.executable, "-I", "-S", "-c", source), tmp_path))
    assert set(hold(room, plain.start, plain.phases)) == {("second-match", "crash")}
    assert room.troubles[0].where["match_number"] == 3


def test_short_matches_keep_the_table_of_each_question():
    script = lasting.script_of(ExamSetting("draftosaurus", 2))
    assert [then.asked for then, _ in script.asked] == [1, 2, 3]
    for then, question in script.asked:
        assert list(then.game.legal(then.state, 0)) == question.legal


# Builds


def test_a_build_with_a_missing_program_names_how_to_install_it(monkeypatch):
    assert lacking(Language.UNKNOWN) == lacking(Language.PYTHON) == ""
    monkeypatch.setattr("shutil.which", lambda _: None)
    assert lacking(Language.CPP) == "C++ needs c++ and make, not installed here: sudo apt install g++ make."


# Causes and consequences


def trouble(exam: str, kind: str, raw: str | None = None, **more: Any) -> Trouble:
    return Trouble(exam, kind, raw or kind, "seen", **more)


CASES = {
    "the same in a special situation is only seen again": (
        [trouble("match", "crash"), trouble("framing", "split-frames", "crash")],
        {"crash": ("framing",)},
    ),
    "a special situation is the cause if a plain match works": (
        [trouble("framing", "split-frames", "crash")],
        {"split-frames": ()},
    ),
    "a crash in one phase explains nothing else": (
        [trouble("phases", "crash"), trouble("unknown fields", "unknown-fields", "crash")],
        {"crash": (), "unknown-fields": ()},
    ),
    "a consequence of a later finding belongs to it": (
        [
            trouble("framing", "merged-frames", "crash", follows=("second-match",)),
            trouble("matches", "second-match", "crash"),
        ],
        {"second-match": ("framing",)},
    ),
    "a bye that is ignored is not a framing error": (
        [trouble("framing", "merged-frames", "bye-ignored"), trouble("goodbye", "bye-ignored")],
        {"bye-ignored": ("framing",)},
    ),
    "a refused message may be refused for another reason elsewhere": (
        [trouble("match", "wrong-id"), trouble("matches", "second-match", "wrong-time")],
        {"wrong-id": ("matches",)},
    ),
    "of two that may follow from each other the first is shown": (
        [
            trouble("framing", "merged-frames", "crash", follows=("second-match",)),
            trouble("matches", "second-match", "crash", follows=("merged-frames",)),
        ],
        {"merged-frames": ("matches",)},
    ),
    "a bot that takes each read for a message has one thing to fix": (
        [
            trouble("framing", "merged-frames", "crash", follows=("split-frames",)),
            trouble("framing", "split-frames", "crash"),
            trouble("largest message", "large-message", "crash", follows=("split-frames",)),
            trouble("matches", "owed-ready", "crash", follows=("merged-frames", "split-frames")),
        ],
        {"split-frames": ("largest message", "matches")},
    ),
    "a crash with the same last line at the same place is the same": (
        [
            trouble("phases", "crash", stderr='File "bot.py", line 5\nKeyError: 5'),
            trouble("clock", "low-clock", "crash", stderr='starts\nFile "bot.py", line 5\nKeyError: 5'),
            trouble("matches", "second-match", "crash", stderr='File "bot.py", line 6\nKeyError: 5'),
        ],
        {"crash": ("clock",), "second-match": ()},
    ),
    "a crash after an answer that did not count is not explained by another one of its kind": (
        [
            trouble("phases", "crash", stderr="KeyError: 5", follows=("after-fault",)),
            trouble("clock", "after-fault", "crash", stderr="KeyError: 5"),
        ],
        {"after-fault": ("phases",)},
    ),
    "one sandbox finding for all tiers": (
        [trouble("match", "sandbox", "crash"), trouble("sandbox", "sandbox", "crash")],
        {"sandbox": ("sandbox",)},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_causes_are_separated_from_consequences(case):
    troubles, expected = CASES[case]
    assert {finding.id: finding.also for finding in attribute(troubles, Language.UNKNOWN)} == expected


def test_the_worst_level_counts_and_is_shown():
    (finding,) = attribute(
        [
            trouble("match", "stderr-flood", where={"seats": 2}),
            Trouble("phases", "stderr-flood", "stderr-flood", "beyond 16 MiB", where={"seats": 5}, level="error"),
            trouble("goodbye", "stderr-flood"),
        ],
        Language.UNKNOWN,
    )
    assert (finding.level, finding.exam, finding.seen) == (Level.ERROR, "phases", "beyond 16 MiB")
    assert (finding.where, finding.also) == ({"seats": 5}, ("match", "goodbye"))


def test_an_error_in_a_special_situation_is_not_swallowed_by_a_warning():
    flood = trouble("unknown fields", "unknown-fields", "stderr-flood", level="error")
    (finding,) = attribute([trouble("match", "stderr-flood"), flood], Language.UNKNOWN)
    assert (finding.id, finding.level, finding.exam) == ("stderr-flood", Level.ERROR, "unknown fields")


@pytest.mark.usefixtures("processes")
def test_a_bot_that_plays_no_game_of_ours_fails(tmp_path):
    source = PLAYER.replace('"draftosaurus"', '"chess"')
    entry = Entry("written", "1", (sys.executable, "-I", "-S", "-c", source), tmp_path, games=("draftosaurus",))
    room = room_of(entry)
    assert hold(room, plain.start, plain.hello) == [("games-differ", "games-differ")]
    assert room.troubles[0].level == "error"


@pytest.mark.parametrize(("refused", "remark"), [({Tier.LITE}, "lite: no Landlock"), (set(), None)])
def test_the_exam_of_the_sandbox_names_a_tier_that_this_machine_does_not_have(refused, remark, monkeypatch):
    async def play_in(_room: Room, tier: Tier) -> str | None:
        return f"{tier}: no Landlock" if tier in refused else None

    monkeypatch.setattr(plain, "_play_in", play_in)
    room = Room(find("random"), dict.fromkeys((Tier.FULL, Tier.LITE, Tier.NONE)), "draftosaurus", False)
    trio.run(plain.sandbox, room)
    assert room.remark == remark


def test_after_a_retreat_from_the_sandbox_the_rest_is_examined_but_not_after_a_crash():
    room = room_of(faulty("none"), Tier.FULL, Tier.NONE)
    room.exam = "start"
    room.retreat(Failed("crash", "a read-only file system"))
    (phases,) = [exam for exam in EXAMS if exam.name == "phases"]
    before = [ExamResult("start", ExamOutcome.FAILED, 1)]
    assert room.home is Tier.NONE
    assert why_skipped(phases, before, room) is None
    room.exam = "match"
    room.failed(Failed("crash", "division by zero"))
    assert why_skipped(phases, [*before, ExamResult("match", ExamOutcome.FAILED, 1)], room) is not None
    for launcher in room.launchers.values():
        launcher.close()


@pytest.mark.parametrize(("comes_again", "name"), [(True, "low-clock"), (False, "crash")])
def test_a_crash_that_comes_only_sometimes_is_not_named_after_the_situation(comes_again, name):
    held = []

    async def clock(room: Room) -> None:
        held.append(room)
        if len(held) == 1 or comes_again:
            room.failed(Failed("crash", "it ended"), "low-clock")

    room = room_of(faulty("none"))
    result = trio.run(hold_exam, Exam("clock", clock, ""), room, [])
    room.launchers[Tier.NONE].close()
    assert (len(held), result.outcome) == (2, ExamOutcome.FAILED)
    assert [trouble.id for trouble in room.troubles] == [name]
    assert ("only sometimes" in room.troubles[0].seen) is not comes_again


# The matches


@pytest.mark.parametrize("game", names())
def test_every_setting_can_be_played_and_asks_well_formed_questions(game):
    for setting in settings(game):
        table, number = ExamTable(setting), 0
        from_wire(to_wire(table.start()))
        while (question := table.question(number := number + 1)) is not None:
            wire = to_wire(question)
            for form in (wire, strange(wire), nulls(wire)):
                from_wire(form)
            table.take(question, question.legal[-1])
        assert number > 5
        from_wire(strange(to_wire(table.end())))
        assert table.end().void is None


@pytest.mark.parametrize(("game", "phase"), [(game, phase) for game in names() for phase in rare(game)])
def test_rare_phases_are_reached_by_their_script(game, phase):
    setting = rare(game)[phase]
    table, choose, number, phases = ExamTable(setting), scripted(setting), 0, []
    while phase not in phases and (question := table.question(number := number + 1)) is not None:
        phases.append(question.phase)
        table.overrule(question, choose(tuple(question.legal)))
    assert phases[-1] == phase


def test_every_phase_of_every_game_is_asked_about():
    for game in names():
        grammar = set(map(str, find_game(game).grammar))
        own = set().union(*(phases_of(find_game(game), setting.seats, setting.options) for setting in settings(game)))
        assert grammar <= own | rare(game).keys()


def test_the_options_that_add_phases_are_found():
    assert {} in variants("draftosaurus")
    assert {"season": "winter"} in variants("draftosaurus")
    assert {"advanced": True} in variants("dinodocus")


def test_an_answer_is_played_before_the_next_question():
    table = ExamTable(ExamSetting("draftosaurus", 2))
    first = table.question(1)
    table.take(first, first.legal[-1])
    last = table.question(2).last
    assert (last["id"], last["status"], last["played"]) == (1, "accepted", first.legal[-1])


def test_equal_answers_get_equal_questions():
    def asked() -> list[object]:
        table, found = ExamTable(ExamSetting("dinodocus", 3, seat=1)), list[object]()
        while (question := table.question(len(found) + 1)) is not None:
            found.append(question)
            table.take(question, question.legal[0])
        return found

    assert asked() == asked()


# Words


LANGUAGES = [
    (("python3", "bot.py"), (), Language.PYTHON),
    (("/usr/bin/python3.11", "-u", "x"), (), Language.PYTHON),
    (("node", "bot.js"), (), Language.JAVASCRIPT),
    (("node", "dist/bot.js"), ("tsconfig.json",), Language.TYPESCRIPT),
    (("java", "-jar", "bot.jar"), (), Language.JAVA),
    (("target/release/bot",), ("Cargo.toml",), Language.RUST),
    (("./bot",), ("go.mod",), Language.GO),
    (("./bot",), ("bot.c", "Makefile"), Language.C),
    (("./bot",), ("bot.cpp", "dinobot.h"), Language.CPP),
    (("./bot.sh",), (), Language.SHELL),
    (("./bot",), (), Language.UNKNOWN),
]


@pytest.mark.parametrize(("command", "files", "language"), LANGUAGES)
def test_the_language_is_guessed(command, files, language, tmp_path):
    for name in files:
        (tmp_path / name).touch()
    assert guess(Entry("x", "1", command, tmp_path)) is language


def test_every_kind_of_the_protocol_is_a_finding():
    assert {kind.value for kind in ErrorKind} <= FINDINGS.keys()


def test_advice_is_for_findings_and_ends_like_a_sentence():
    assert {finding for finding, _ in BY_LANGUAGE} <= FINDINGS.keys()
    for finding in FINDINGS:
        for language in Language:
            assert re.search(r"[.)?]$", fix(finding, language)), (finding, language)
    assert "fflush(stdout)" in fix("not-flushed", Language.C)
    assert "sys.stdout.buffer.flush()" in fix("not-flushed", Language.PYTHON)


@pytest.mark.parametrize("language", Language)
def test_in_every_language_the_fix_says_where_to_write_files_and_who_allows_memory(language):
    words = fix("sandbox", language)
    assert "folder is read-only: write temporary files to $TMPDIR, in tier full only" in words
    assert "/scratch" not in words
    words = fix("memory-limit", language)
    assert "The maximum is 256 MB; only a league's own file can allow more (memory_mb)" in words
    assert "[limits]" not in words, "more than it may have is not its own choice"


def test_a_bot_that_fails_only_in_lite_gets_advice_for_lite():
    where = {"tier": "lite", "plays_in": "full"}
    (finding,) = attribute([trouble("sandbox", "sandbox", "crash", where=where)], Language.PYTHON)
    assert finding.what == "it plays in the tier full of the sandbox, but not in lite"
    assert "$TMPDIR" in finding.why
    assert "without temporary files" in finding.fix


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(("asked", "words"), [(256, ""), (64, "bot.toml asks for only 64 MB")])
def test_the_limit_of_bot_toml_is_named_if_it_is_less_than_it_may_be(asked, words):
    entry = Entry("small", "1", (sys.executable, "-c", ""), ROOT, limits=Limits(memory_mb=asked))
    found = []

    async def small(room: Room) -> None:
        async with room.open() as probe:
            found.append(probe.failed("memory-limit", "the process used more than 64 MB of memory").advice)

    hold(room_of(entry), small)
    assert found[0].startswith(words)
    assert bool(found[0]) == bool(words)


@pytest.mark.usefixtures("processes")
def test_only_bytes_that_are_not_text_lead_to_words_about_lengths():
    json_room, early_room = room_of(faulty("print", "3")), room_of(faulty("print", "hello"))
    hold(json_room, plain.start, plain.match)
    hold(early_room, plain.start)
    assert json_room.troubles[0].advice == ""
    assert early_room.troubles[0].advice == "", "it is text"
    assert not READABLE.search(r"text on stdout: b'>\x00\x00\x00\x85\xa4type'"), "it is a length"


def test_the_page_has_every_exam_and_every_finding():
    page = (ROOT / "docs" / "check.md").read_text("utf-8")
    assert table() in page
    assert all(f"| `{finding}` |" in table() for finding in FINDINGS)
    for exam in EXAMS:
        assert f"| {exam.name} | {exam.tries} |" in page


@pytest.mark.usefixtures("processes")
def test_the_words_for_a_bot_that_fails(golden):
    ended = arena("check", f"{sys.executable} -I -S {FAULTY} crash 3", "--sandbox", "none", "--game", "draftosaurus")
    assert ended.code == 3
    assert max(map(len, ended.out.splitlines()[:-1])) <= 80
    out = ended.out.replace(sys.executable, "PYTHON").replace(str(FAULTY), "FAULTY")
    golden("cli/check-crash.txt", out + re.sub(r" +\d+\.\d s", "  # s", ended.err))


def test_the_words_for_all_findings_fit_the_terminal():
    from arena.check.examiner import BotReport

    troubles = [trouble("match", id, where={"game": "x", "seats": 2, "decision": 3}) for id in FINDINGS]
    for language in Language:
        findings = attribute(troubles, language)
        report = BotReport(
            find("random"), "1", language, (Tier.FULL,), (ExamResult("match", ExamOutcome.FAILED, 1),), findings
        )
        assert all(len(line) <= 80 for line in list(lines(report, "random"))[:-1])


def test_warnings_do_not_fail_a_bot():
    assert {name for name, meaning in FINDINGS.items() if meaning.level is Level.WARNING} == {
        "nondeterministic", "name-differs", "games-differ", "double-answer", "stderr-flood", "slow-start",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("why", "said"), [(None, "one match runs without a sandbox, for comparison"), ("none works", "has no sandbox for")]
)
def test_the_author_reads_whether_the_machine_has_a_sandbox(monkeypatch, why, said):
    monkeypatch.setattr("arena.match.tiers.why_no_sandbox", lambda _entry: why)
    first, *others = warnings(find("random"), Whose.YOURS, "auto", Way.YES)
    assert said in first
    assert not others


def test_the_next_command_repeats_the_options():
    assert repeated("./my bot", {"--game": None}, {"--trust": False}) == "arena check './my bot'"
    said = {"--game": "dinodocus", "--sandbox": "full", "--build": "sandboxed"}
    again = "arena check x --game dinodocus --sandbox full --build sandboxed --trust"
    assert repeated("x", said, {"--no-build": False, "--trust": True}) == again


def test_a_passed_exam_shows_what_could_not_be_tried(capsys):
    ExamProgress().show("sandbox", ExamResult("sandbox", ExamOutcome.PASSED, 1200, "lite: no Landlock here"))
    assert capsys.readouterr().err == "  sandbox          passed     1.2 s  lite: no Landlock here\n"


def test_exams_that_fail_as_the_match_did_are_counted_in_one_line(capsys):
    progress = ExamProgress()
    progress.show("match", ExamResult("match", ExamOutcome.FAILED, 100))
    for exam in ("phases", "framing"):
        progress.show(exam, ExamResult(exam, ExamOutcome.FAILED, 100, is_known=True))
    progress.show("clock", ExamResult("clock", ExamOutcome.FAILED, 100))
    progress.close()
    assert [line.split(maxsplit=2)[0] for line in capsys.readouterr().err.splitlines()] == ["match", "clock", "2"]


@pytest.mark.usefixtures("processes")
def test_mistakes_on_the_command_line():
    assert arena("check", "random", "--sandbox", "iron").code == 2
    assert arena("check", "random", "--game", "chess").code == 4
    assert arena("check", "no-such-bot").code == 4


def test_the_tiers_are_those_that_were_asked_for():
    launchers = open_tiers(find("greedy"), Terms("none"))
    assert list(launchers) == [Tier.NONE]


def test_single_exams_are_held_with_those_that_they_need():
    names = [exam.name for exam in chosen_exams(frozenset({"clock", "hello"}))]
    assert names == ["build", "start", "hello", "match", "clock"]
    assert chosen_exams(frozenset()) == list(EXAMS)


@pytest.mark.parametrize(
    ("words", "code", "shown"),
    [
        (("--explain", "memory-limit"), 0, "In Python: Keep less: the traceback names the line."),
        (("--explain", "crash"), 0, "\n  In C: To see why, run"),
        (("--explain", "memory-limits"), 2, ": there is no finding memory-limits. Did you mean memory-limit? See"),
        (("--explain", "xyz"), 2, ": there is no finding xyz. Findings: text, unframed, "),
        (("greedy", "--exam", "clocks"), 2, "goodbye, sandbox. Did you mean clock? See"),
    ],
)
def test_a_finding_is_explained_without_a_bot(monkeypatch, capsys, words, code, shown):
    ended = here(monkeypatch, capsys, "check", *words)
    assert ended.code == code
    assert shown in ended.out + ended.err
