"""The table of system calls: its numbers, what the program that is made of it decides, and what passes in the end."""

import errno
import platform
import shutil
import subprocess
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.sandbox import calls, seccomp
from arena.sandbox.calls import ALLOW, ERRNO, FORK, TABLE, Group, Test
from arena.sandbox.seccomp import MACHINES
from tests.sandbox.interpreter import ME, decide, decides, groups_by_number, run, telling_arguments, telling_words

MACHINE = platform.machine()


# -- the numbers, against the kernel's headers ------------------------------------------------------------------------


def numbers_of_headers(machine: str) -> dict[str, int]:
    header = "asm/unistd.h" if machine == MACHINE else "asm-generic/unistd.h"
    if machine == "x86_64" != MACHINE:
        pytest.skip("the numbers of x86_64 are in the headers of x86_64 only")
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("no cc")
    parts = ("SYS_CLONE3", "MEMFD_SECRET", "RENAMEAT", "NEW_STAT", "SET_GET_RLIMIT")  # of all that aarch64 wants
    wanted = [f"-D__ARCH_WANT_{part}" for part in parts]
    lines = f"#include <{header}>\n#include <asm/bitsperlong.h>\n"
    made = subprocess.run([compiler, "-E", "-dM", *wanted, "-"], input=lines, capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"no {header}")
    words = [line.split() for line in made.stdout.splitlines() if line.startswith("#define __NR")]
    values = {word[1]: word[2] for word in words if len(word) == 3}
    values.pop("__NR_syscalls", None)  # how many there are
    values |= {name: values.get(value, value) for name, value in values.items()}  # __NR_mmap is __NR3264_mmap
    return {name.removeprefix("__NR_"): int(value) for name, value in values.items() if value.isdecimal()}


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("machine", MACHINES)
def test_every_number_is_the_one_of_the_kernels_headers(machine: str) -> None:
    known = numbers_of_headers(machine)
    place = MACHINES.index(machine)
    newest = max(known.values())
    checked = 0
    for name, *numbers in (call for group in TABLE for call in group.calls):
        if numbers[place] is None or numbers[place] <= newest:
            assert known.get(name) == numbers[place], name
            checked += 1
    assert checked > 250
    assert known["seccomp"] == seccomp.SECCOMP[machine]


@pytest.mark.usefixtures("processes")
def test_a_number_is_given_wherever_the_machine_has_the_call() -> None:
    known = numbers_of_headers("aarch64")
    for name in {call[0] for group in TABLE for call in group.calls if call[2] is None}:
        assert name not in known, "asm-generic/unistd.h, which aarch64 follows, has it"


def test_numbers_from_424_on_are_the_same_on_both_machines() -> None:
    for _, one, other in (call for group in TABLE for call in group.calls):
        if max(one or 0, other or 0) >= 424:
            assert one == other


def test_every_group_has_a_reason_and_no_two_of_a_kind_the_same_call() -> None:
    for group in TABLE:
        assert len(group.reason) > 10
        assert len(set(group.calls)) == len(group.calls)


def test_a_group_that_can_never_decide_anything_is_not_in_the_table() -> None:
    """For at least one of its calls, one machine and one kind of bot, it is heard."""
    heard = {
        (number, answer, tests)
        for machine, lite, may_fork in product(MACHINES, (False, True), (False, True))
        for number, rules in seccomp.rules_by_number(machine, lite, may_fork).items()
        for answer, tests in rules
    }
    for group in TABLE:
        for call in group.calls:
            assert any((number, group.answer, group.tests) in heard for number in call[1:]), (group.reason, call)


def test_a_name_has_one_pair_of_numbers() -> None:
    pairs = {call for group in TABLE for call in group.calls}
    assert len({call[0] for call in pairs}) == len(pairs)


# -- what the program decides --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("may_fork", [False, True])
@pytest.mark.parametrize("lite", [False, True])
@pytest.mark.parametrize("machine", MACHINES)
def test_the_program_decides_as_the_table_says(machine: str, lite: bool, may_fork: bool) -> None:
    """Every number, and for those whose arguments are looked at, all that could make a difference."""
    program = seccomp.build(machine, lite, may_fork, own_pid=ME)
    groups = groups_by_number(machine, lite, may_fork)
    for number in range(600):
        for arguments in telling_arguments(groups.get(number, [])):
            wanted = decides(groups.get(number, []), arguments, ME).answer
            assert decide(program, machine, number, arguments) == wanted, (number, arguments)


@given(
    machine=st.sampled_from(MACHINES),
    lite=st.booleans(),
    may_fork=st.booleans(),
    own_pid=st.integers(1, 1 << 22),
    number=st.integers(0, 500) | st.integers(0, seccomp.X32 - 1),
    arguments=st.tuples(*[st.integers(0, (1 << 64) - 1) | st.sampled_from(telling_words(TABLE))] * 6),
)
def test_and_for_any_arguments_of_any_process(
    machine: str, lite: bool, may_fork: bool, own_pid: int, number: int, arguments: tuple[int, ...]
) -> None:
    program = seccomp.build(machine, lite, may_fork, own_pid)
    wanted = decides(groups_by_number(machine, lite, may_fork).get(number, []), arguments, own_pid)
    assert decide(program, machine, number, arguments) == wanted.answer


@pytest.mark.parametrize("machine", MACHINES)
def test_the_high_words_of_arguments_change_nothing(machine: str) -> None:
    program = seccomp.build(machine, lite=True, may_fork=False, own_pid=ME)
    for number, groups in groups_by_number(machine, lite=True, may_fork=False).items():
        for word in telling_words(groups) if number is not None else ():
            low = decide(program, machine, number, (word,) * 6)
            assert decide(program, machine, number, (word | 0xABCD << 32,) * 6) == low


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_that_the_table_does_not_name_do_not_exist(machine: str) -> None:
    program = seccomp.build(machine, lite=False, may_fork=True)
    named = {call[1 + MACHINES.index(machine)] for group in TABLE for call in group.calls}
    for number in {*range(600), 1000, seccomp.X32 - 1} - named:
        assert decide(program, machine, number) == ERRNO | errno.ENOSYS


# -- what passes, for the reader of a change --------------------------------------------------------------------------


def condition(test: Test) -> str:
    """A test in words, arguments counted from 1."""
    argument, mask, values, wanted = test
    what = f"argument {argument + 1}"
    if mask != calls.WORD and values in ((0,), (mask,)):
        much = "none" if values == (0,) else "all"
        return f"{what} has {much if wanted else 'not ' + much} of {mask:#x}"
    names = {calls.OWN_PID: "own-pid", calls.OWN_CLOCK: "own-clock"}
    shown = ",".join(names.get(value, f"{value:#x}") for value in values)
    return f"{what}{'' if mask == calls.WORD else f' & {mask:#x}'} {'is' if wanted else 'is not'} {shown}"


def ways(groups: list[Group]) -> str:
    """Under which conditions a call with these groups passes."""
    found = [
        " and ".join([*(["may fork"] if group.tier == FORK else []), *map(condition, group.tests)])
        for group in groups
        if group.answer == ALLOW
    ]
    return "" if "" in found else f": {', or '.join(found)}"


def passes(machine: str, lite: bool) -> str:
    """One line for each call that passes: name, number and conditions."""
    place = MACHINES.index(machine)
    names = {numbers[place]: name for group in TABLE for name, *numbers in group.calls}
    groups = groups_by_number(machine, lite, may_fork=True).items()
    return "".join(
        sorted(
            f"{names[number]} {number}{ways(found)}\n"
            for number, found in groups
            if number is not None and any(group.answer == ALLOW for group in found)
        )
    )


@pytest.mark.parametrize("lite", [False, True], ids=["full", "lite"])
@pytest.mark.parametrize("machine", MACHINES)
def test_what_passes_is_what_the_golden_text_says(machine: str, lite: bool, golden: Callable[[str, str], None]) -> None:
    golden(f"sandbox/calls-{'lite' if lite else 'full'}-{machine}.txt", passes(machine, lite))


# -- what kills, and how fast it is decided ---------------------------------------------------------------------------


@pytest.mark.parametrize("machine", MACHINES)
def test_foreign_architectures_kill(machine: str) -> None:
    program = seccomp.build(machine, lite=False, may_fork=True)
    i386, arm, other = 0x40000003, 0x40000028, seccomp.AUDIT_ARCH[MACHINES[1 - MACHINES.index(machine)]]
    for arch in (i386, arm, other, 0):
        assert decide(program, machine, 0, arch=arch) == calls.KILL_PROCESS


def test_x32_kills() -> None:
    program = seccomp.build("x86_64", lite=False, may_fork=True)
    assert decide(program, "x86_64", seccomp.X32) == calls.KILL_PROCESS
    assert decide(program, "x86_64", 0xFFFFFFFF) == calls.KILL_PROCESS


def test_without_an_own_pid_only_process_0_is_oneself() -> None:
    program = seccomp.build("x86_64", lite=False, may_fork=True)
    prlimit64 = 302
    assert decide(program, "x86_64", prlimit64, (0,)) == ALLOW
    assert decide(program, "x86_64", prlimit64, (ME,)) == ERRNO | errno.EPERM


def test_the_program_of_one_process_is_not_that_of_another() -> None:
    prlimit64 = 302
    for own, other in ((ME, 815), (815, ME)):
        program = seccomp.build("x86_64", lite=True, may_fork=False, own_pid=own)
        assert decide(program, "x86_64", prlimit64, (own,)) == ALLOW
        assert decide(program, "x86_64", prlimit64, (other,)) == ERRNO | errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_a_call_is_decided_in_few_steps(machine: str) -> None:
    program = seccomp.build(machine, lite=True, may_fork=False, own_pid=ME)
    assert len(program) // 8 < 400
    assert max(run(program, machine, number, (1 << 31,) * 6)[1] for number in range(600)) <= 40
    looked_at = {call[1 + MACHINES.index(machine)] for group in TABLE if group.tests for call in group.calls}
    others = set(range(600)) - looked_at
    assert max(run(program, machine, number)[1] for number in others) <= 14


def test_unknown_machines_are_refused() -> None:
    with pytest.raises(ValueError, match="no system call filter for riscv64, only for x86_64 and aarch64"):
        seccomp.build("riscv64", lite=False, may_fork=False)


def test_lite_needs_to_know_the_process() -> None:
    with pytest.raises(ValueError, match="needs own_pid"):
        seccomp.build("x86_64", lite=True, may_fork=False)
