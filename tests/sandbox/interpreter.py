"""What the table of system calls says, and what the filter made of it decides, without the kernel.

The program is run by an interpreter of our own, so that it can be tried for the machine that we are not on.
"""

import errno
import struct
from collections.abc import Iterable, Iterator
from itertools import product

from arena.sandbox import calls, seccomp
from arena.sandbox.calls import ALWAYS, ERRNO, FORK, FULL, LITE, OWN, TABLE, Group, Test
from arena.sandbox.seccomp import MACHINES

ME = 4711
"""The process that a filter is built for."""


def decide(program: bytes, machine: str, number: int, arguments: tuple[int, ...] = (), arch: int | None = None) -> int:
    """The action that the program ends with for this call."""
    return run(program, machine, number, arguments, arch)[0]


def run(
    program: bytes, machine: str, number: int, arguments: tuple[int, ...] = (), arch: int | None = None
) -> tuple[int, int]:
    """Run a program in classic BPF on one call: the action, and after how many instructions."""
    registers = [value & 0xFFFFFFFFFFFFFFFF for value in (*arguments, *[0] * 6)[:6]]
    data = struct.pack("=IIQ6Q", number, seccomp.AUDIT_ARCH[machine] if arch is None else arch, 0, *registers)
    place = accumulator = steps = 0
    while True:
        steps += 1
        code, skip_if, skip_else, value = struct.unpack_from("=HBBI", program, 8 * place)
        place += 1
        if code == seccomp.LOAD:
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif code == seccomp.AND:
            accumulator &= value
        elif code == seccomp.JUMP:
            place += value
        elif code == seccomp.JUMP_EQUAL:
            place += skip_if if accumulator == value else skip_else
        elif code == seccomp.JUMP_AT_LEAST:
            place += skip_if if accumulator >= value else skip_else
        else:
            assert code == seccomp.RETURN
            return int(value), steps


def holds(test: Test, arguments: tuple[int, ...], own_pid: int) -> bool:
    argument, mask, values, wanted = test
    meant = [calls.of_process(own_pid, value) if value in OWN else value for value in values]
    return (arguments[argument] & 0xFFFFFFFF & mask in meant) == wanted


def groups_by_number(machine: str, lite: bool, may_fork: bool) -> dict[int | None, list[Group]]:
    place = MACHINES.index(machine)
    others = {LITE: not lite, FULL: lite, FORK: not may_fork}
    found: dict[int | None, list[Group]] = {}
    for group in TABLE:
        for _name, *numbers in () if others.get(group.tier) else group.calls:
            found.setdefault(numbers[place], []).append(group)
    return found


NO_GROUP = Group(ERRNO | errno.ENOSYS, "there is no such call", calls.ALL, ALWAYS, ())


def decides(groups: list[Group], arguments: tuple[int, ...], own_pid: int) -> Group:
    """The group that decides: the first one whose tests all hold."""
    return next((g for g in groups if all(holds(test, arguments, own_pid) for test in g.tests)), NO_GROUP)


def telling_words(groups: Iterable[Group]) -> list[int]:
    """Words that make every test of these groups hold, and fail, and their neighbours."""
    words = {0, 1, 2, 0o755, 0o4755, 0x7FFFFFFF, 0xFFFFFFFF, ME, *(calls.of_process(ME, own) for own in OWN)}
    for _, mask, values, _ in (test for group in groups for test in group.tests):
        words |= {word for value in (*values, mask) if value >= 0 for word in (value, value ^ 1, value + 1, value - 1)}
        words |= {mask & -mask, mask ^ (mask & -mask)}
    return sorted({word & 0xFFFFFFFF for word in words})


def telling_arguments(groups: list[Group], others: int = 0) -> Iterator[tuple[int, ...]]:
    """For each argument that is looked at, every such word; for two of them, every pair."""
    looked_at = sorted({test[0] for group in groups for test in group.tests})
    for words in product(telling_words(groups), repeat=len(looked_at)):
        arguments = [others] * 6
        for argument, word in zip(looked_at, words, strict=True):
            arguments[argument] = word
        yield tuple(arguments)
