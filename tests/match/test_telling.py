"""Of long output, the lines are shown that say why: as runtimes and compilers really print them."""

import pytest

from arena.match.telling import FEW, LONGEST, telling, telling_of_build

NOISE = [f"thinking about move {i}" for i in range(40)]
GO = [
    "panic: assignment to entry in nil map",
    "",
    "goroutine 1 [running]:",
    "main.decide(0xc000012345)",
    "\t/home/ann/bot.go:9 +0x1b",
    *(
        line
        for i in range(20)
        for line in (f"bot/dinobot.step{i}({{0x50c717, 0x5}}, ...)", f"\t/home/ann/dinobot.go:{i} +0x1")
    ),
    "\t/usr/local/go/src/runtime/panic.go:860 +0x13a",
    "main.main()",
]
ASAN = [
    "==17==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000014 at pc 0x5581",
    "READ of size 4 at 0x602000000014 thread T0",
    "    #0 0x5581 in decide /home/ann/bot.c:7",
    *(f"  0x0c047fff{i:04x}: fa fa fa fa" for i in range(40)),
    "==17==ABORTING",
]
MAVEN = [
    "[INFO] -------------------------------------------------------------",
    "[ERROR] COMPILATION ERROR : ",
    "[INFO] -------------------------------------------------------------",
    "[ERROR] /home/ann/src/main/java/Bot.java:[10,15] illegal start of expression",
    "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.13.0:compile: Compilation failure",
    "[ERROR] /home/ann/src/main/java/Bot.java:[10,15] illegal start of expression",
    "[ERROR] ",
    "[ERROR] -> [Help 1]",
    "[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.",
    "[ERROR] Re-run Maven using the -X switch to enable full debug logging.",
    "[ERROR] [Help 1] http://cwiki.apache.org/confluence/display/MAVEN/MojoFailureException",
    "\x1b[0m\x1b[0m",
]  # fmt: skip


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (GO, ["panic: assignment to entry in nil map", "    /home/ann/bot.go:9 +0x1b", "main.main()"]),
        (
            [*NOISE, *GO],
            ["thinking about move 0", "panic: assignment to entry in nil map", "    /home/ann/bot.go:9 +0x1b"],
        ),
        (ASAN, [ASAN[0], ASAN[2], "==17==ABORTING"]),
        ([*NOISE, *ASAN], [ASAN[0], ASAN[2]]),
        (
            [*NOISE, "Traceback (most recent call last):", *[f"  File {i}" for i in range(30)], "KeyError: 'x'"],
            ["KeyError: 'x'"],
        ),
        (["warning: old Node", *NOISE], ["warning: old Node", NOISE[-1]]),
    ],
    ids=["go", "go after noise", "asan", "asan after noise", "python", "neither"],
)
def test_the_reason_is_shown_whether_it_stands_first_or_last(output, words):
    shown = telling("\n".join(output))
    assert [word for word in words if word not in shown] == []
    assert len(shown) < 30


def test_a_gap_says_how_many_lines_are_left_out():
    shown = telling("\n".join(NOISE))
    assert f"... {len(NOISE) - 14} more lines ..." in shown
    assert telling("\n".join(NOISE[:FEW])) == NOISE[:FEW], "and few lines have none"


def test_of_a_build_with_maven_the_words_of_the_compiler_are_left():
    assert telling_of_build("\n".join(MAVEN)) == [
        "[ERROR] /home/ann/src/main/java/Bot.java:[10,15] illegal start of expression",
        MAVEN[4],
    ]


def test_the_first_errors_of_a_compiler_come_before_what_follows_from_them():
    printed = [
        "cc -c bot.c",
        "bot.c:3:5: error: expected ';'",
        "    3 |     int x",
        *(f"bot.c:{i}:1: error: later" for i in range(9, 50)),
        "make: *** [bot] Error 1",
    ]
    shown = telling_of_build("\n".join(printed))
    assert shown[1:3] == printed[1:3]
    assert shown[-1] == printed[-1]


def test_colours_and_controls_do_not_reach_the_reader():
    assert telling("\x1b[1m\x1b[31merror\x1b[0m: \x1b]0;title\x07no\tsuch \x9b2J\x00file\r") == [
        "error: no   such \\x9b2J\\x00file"
    ]


def test_no_line_is_longer_than_a_person_reads():
    assert all(len(line) <= LONGEST + len("...") for line in telling("x" * 100_000))


def test_output_of_any_length_is_read_quickly():
    assert len(telling("a: b\n" * 200_000)) < 30


def test_where_a_long_stack_is_cut_the_frames_of_the_authors_own_code_are_kept():
    runtime = [line for i in range(20) for line in (f"runtime.f{i}()", f"\t/usr/local/go/src/runtime/f.go:{i} +0x1")]
    own = ["main.decide(0x1)", "\t/home/ann/my-bot/bot.go:11 +0x1"]
    kit = ["bot/dinobot.answer(0x1)", "\t/home/ann/my-bot/dinobot/dinobot.go:11 +0x1"]
    shown = telling("\n".join(["fatal error: runtime: out of memory", *runtime, *kit, *own, *runtime]))
    assert own[0] in shown
    assert "    /home/ann/my-bot/bot.go:11 +0x1" in shown
    assert len(shown) < 30


def test_addresses_inside_a_runtime_are_left_out():
    printed = [
        " 1: 0xb76db1 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [/usr/bin/node]",
        "FATAL ERROR: x",
        "rax    0x1",
        "  eden space 4480K,  52% used [0x1, 0x2, 0x3)",
    ]
    assert telling("\n".join(printed)) == ["FATAL ERROR: x"]
