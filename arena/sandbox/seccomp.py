"""The filter on a bot's system calls: what the table in `calls` allows passes, everything else answers an error.

Theory of operation. `build` turns the table into a program in classic BPF, in which the kernel takes such filters:

    foreign architecture, or x32    -> the process is killed: their numbers mean other calls
    then a binary search over the ranges of numbers that share a fate, whose leaves are an answer
    or a block that looks at the arguments and then answers

The search keeps the way short, and decides a call without arguments by its number alone. Such calls the kernel finds
out when the filter is installed (it tries every number), and lets them pass from then on without running the program.

The number of the process that the program is for comes last, into the gaps of a template that is made only once.
"""

import ctypes
import os
import struct
import sys
from errno import ENOSYS

from arena.sandbox import calls
from arena.sandbox.calls import ALL, ALWAYS, ERRNO, FORK, FULL, KILL_PROCESS, LITE, TABLE, Test
from arena.sandbox.kernel import libc

MACHINES = ("x86_64", "aarch64")  # the order of the numbers in the table
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
SECCOMP = {"x86_64": 317, "aarch64": 277}  # the number of seccomp() itself
X32 = 0x40000000  # set in the numbers of the x32 calls, which come under x86_64's name

# Classic BPF, as far as it is used here.
LOAD, AND, JUMP, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x54, 0x05, 0x15, 0x35, 0x06
FARTHEST = 255  # instructions that a conditional jump can skip
SIZE, VALUE = 8, 4  # of an instruction, and the offset of its value
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data

PR_SET_NO_NEW_PRIVS = 38
SECCOMP_SET_MODE_FILTER, SECCOMP_GET_ACTION_AVAIL = 1, 2

Rules = tuple[tuple[int, tuple[Test, ...]], ...]  # what befalls one call: answers and their tests; the last has none
UNKNOWN: Rules = ((ERRNO | ENOSYS, ALWAYS),)


Template = tuple[bytes, tuple[tuple[int, int], ...]]  # a program, and which of OWN belongs where

_templates: dict[tuple[str, bool, bool], Template] = {}


def build(machine: str, lite: bool, may_fork: bool, own_pid: int = 0) -> bytes:
    """The program for a bot on this machine, as `uname -m` names it.

    `lite` is for a bot without a process namespace, which may signal none but own_pid, itself. In both tiers a bot
    may set its own limits, as process 0 or as own_pid if that is given.
    """
    if machine not in MACHINES:
        raise ValueError(f"no system call filter for {machine}, only for {' and '.join(MACHINES)}")
    if lite and own_pid <= 0:
        raise ValueError("a filter of tier lite needs own_pid, the process that the bot may signal")
    kind = machine, lite, may_fork
    if kind not in _templates:
        _templates[kind] = template(*kind)
    code, gaps = _templates[kind]
    program = bytearray(code)
    for offset, meaning in gaps:
        struct.pack_into("=I", program, offset, calls.of_process(own_pid, meaning))
    return bytes(program)


def template(machine: str, lite: bool, may_fork: bool) -> Template:
    """The program for all processes, and its gaps."""
    program = Program()
    search = program.search(ranges(rules_by_number(machine, lite, may_fork)))
    if machine == "x86_64":
        search = program.jump(JUMP_AT_LEAST, X32, program.answer(KILL_PROCESS), search)
    program.load(NUMBER)
    program.jump(JUMP_EQUAL, AUDIT_ARCH[machine], len(program.code) - 1, program.answer(KILL_PROCESS))
    program.load(ARCHITECTURE)
    last = len(program.code) - 1
    gaps = tuple((SIZE * (last - place) + VALUE, meaning) for place, meaning in program.gaps)
    return b"".join(reversed(program.code)), gaps


def rules_by_number(machine: str, lite: bool, may_fork: bool) -> dict[int, Rules]:
    """What the table says of each call that it names."""
    tiers = (ALL, LITE if lite else FULL, *((FORK,) if may_fork else ()))
    column = 1 + MACHINES.index(machine)
    rules: dict[int, Rules] = {}
    for group in TABLE:
        for call in group.calls if group.tier in tiers else ():
            number = call[column]
            if isinstance(number, int):
                others = rules.get(number, ())
                if not others or others[-1][1]:  # or it is decided already
                    rules[number] = (*others, (group.answer, group.tests))
    return {number: found if found[-1][1] == ALWAYS else (*found, *UNKNOWN) for number, found in rules.items()}


def ranges(rules: dict[int, Rules]) -> list[tuple[int, Rules]]:
    """The first number of each range of calls that share a fate, in order, with that fate."""
    fates: list[tuple[int, Rules]] = [(0, UNKNOWN)]
    for number in sorted(rules):
        for start, fate in ((number, rules[number]), (number + 1, UNKNOWN)):
            if fates[-1][0] == start:
                fates.pop()
            if not fates or fates[-1][1] != fate:
                fates.append((start, fate))
    return fates


class Program:
    """A program that is written from its end to its beginning, for jumps only go forward.

    A place in it is the index of an instruction in `code`, counted from the end.
    """

    def __init__(self) -> None:
        self.code: list[bytes] = []
        self.gaps: list[tuple[int, int]] = []
        self.answers: dict[int, int] = {}
        self.blocks: dict[Rules, int] = {}

    def write(self, code: int, skip_if: int, skip_else: int, value: int) -> int:
        self.code.append(struct.pack("=HBBI", code, skip_if, skip_else, value))
        return len(self.code) - 1

    def load(self, offset: int) -> int:
        return self.write(LOAD, 0, 0, offset)

    def is_near(self, place: int) -> bool:
        return len(self.code) - place <= FARTHEST - 2  # two more instructions may come between, see jump

    def answer(self, action: int) -> int:
        """The place of an instruction that ends with this action, not too far to jump to."""
        place = self.answers.get(action)
        if place is None or not self.is_near(place):
            place = self.answers[action] = self.write(RETURN, 0, 0, action)
        return place

    def near(self, place: int) -> int:
        if self.is_near(place):
            return place
        return self.write(JUMP, 0, 0, len(self.code) - place - 1)

    def jump(self, code: int, value: int, place_if: int, place_else: int) -> int:
        place_if = self.near(place_if)
        place_else = self.near(place_else)
        here = len(self.code)
        return self.write(code, here - place_if - 1, here - place_else - 1, value)

    def search(self, fates: list[tuple[int, Rules]]) -> int:
        """The place where the number of the call, which is loaded, is looked up in these ranges."""
        if len(fates) == 1:
            return self.block(fates[0][1])
        middle = len(fates) // 2
        upper = self.search(fates[middle:])
        lower = self.search(fates[:middle])
        return self.jump(JUMP_AT_LEAST, fates[middle][0], upper, lower)

    def block(self, rules: Rules) -> int:
        """The place where a call with these rules is decided."""
        if rules[0][1] == ALWAYS:
            return self.answer(rules[0][0])
        if rules not in self.blocks:
            self.blocks[rules] = self.alternatives(rules)
        return self.blocks[rules]

    def alternatives(self, rules: Rules) -> int:
        place = self.answer(rules[-1][0])
        for answer, tests in reversed(rules[:-1]):
            fails, place = place, self.answer(answer)
            for test in reversed(tests):
                place = self.test(test, place, fails)
        return place

    def test(self, test: Test, holds: int, fails: int) -> int:
        argument, mask, values, wanted = test
        found, place = (holds, fails) if wanted else (fails, holds)
        for value in reversed(values):
            is_gap = value in calls.OWN
            place = self.jump(JUMP_EQUAL, 0 if is_gap else value, found, place)
            if is_gap:
                self.gaps.append((place, value))
        if mask != calls.WORD:
            self.write(AND, 0, 0, mask)
        return self.load(ARGUMENTS + 8 * argument)  # its low word, for both machines are little-endian


def install(program: bytes) -> None:
    """Put this process, and whatever it executes, under the filter for good. It can no longer gain privileges."""
    check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    number = SECCOMP[os.uname().machine]
    instructions = ctypes.cast(ctypes.c_char_p(program), ctypes.c_void_p).value
    filter = struct.pack("@HP", len(program) // 8, instructions)  # struct sock_fprog
    check(libc.syscall(number, SECCOMP_SET_MODE_FILTER, 0, filter), "seccomp")


def check(result: int, what: str) -> None:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")


def is_possible() -> str | None:
    """None if a filter can be installed here, or else why not."""
    if sys.platform != "linux":
        return f"system call filters are Linux's, this is {sys.platform}"
    machine = os.uname().machine
    if machine not in MACHINES:
        return f"no system call filter for {machine}, only for {' and '.join(MACHINES)}"
    if struct.calcsize("P") != 8:
        return f"this Python has 32 bits, the system call filter is for 64 bits of {machine}"
    action = struct.pack("=I", KILL_PROCESS)
    if libc.syscall(SECCOMP[machine], SECCOMP_GET_ACTION_AVAIL, 0, action) < 0:
        return f"the kernel refuses system call filters: {os.strerror(ctypes.get_errno())}"
    return None
