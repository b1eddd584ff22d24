"""Which system calls of a program the sandbox would refuse.

    python tests/attacks/runtimes/trace_calls.py [--fork] PROGRAM WORD...

Run the program without a sandbox, under strace, and print on stderr each call that the table in arena/sandbox/calls.py
does not let pass, with its answer and how often it was made. `--fork` is for bots that may have several processes. A
bot is traced in a match: arena play --sandbox none 'python .../trace_calls.py ./bot' greedy
"""

import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from errno import errorcode
from pathlib import Path
from platform import machine

sys.path.insert(0, str(Path(__file__).parents[3]))

from arena.sandbox import calls, seccomp

STRACE = ("strace", "-f", "-n", "-qq", "-e", "raw=all", "-e", "signal=none", "-o")
LINE = re.compile(r"(\d+) +\[ *(\d+)\] (\w+)\(([^)=<]*)")
TIERS = {"full": False, "lite": True}


def answer(rules: seccomp.Rules, arguments: list[int], own_pid: int) -> int:
    """What the table answers to a call with these rules."""
    return next(action for action, tests in rules if all(holds(test, arguments, own_pid) for test in tests))


def holds(test: calls.Test, arguments: list[int], own_pid: int) -> bool:
    argument, mask, values, wanted = test
    meant = [calls.of_process(own_pid, value) if value in calls.OWN else value for value in values]
    return (arguments[argument] & mask in meant) == wanted


def refused(lines: Iterable[str], may_fork: bool = False) -> Iterator[tuple[str, str]]:
    """The calls of a trace that do not pass, as text, each with the answers of the tiers that refuse it."""
    rules = {tier: seccomp.rules_by_number(machine(), lite, may_fork) for tier, lite in TIERS.items()}
    own_pid = 0
    for pid, number, name, words in (found.groups() for line in lines if (found := LINE.match(line))):
        own_pid = own_pid or int(pid)
        arguments = [int(word, 16) for word in words.split(", ") if word.strip()]
        padded = [*arguments, *[0] * 6][:6]
        answers = {tier: answer(rules[tier].get(int(number), seccomp.UNKNOWN), padded, own_pid) for tier in TIERS}
        if set(answers.values()) != {calls.ALLOW}:
            yield (
                text(name, arguments, rules["lite"].get(int(number), seccomp.UNKNOWN)),
                ", ".join(f"{tier}: {word(action)}" for tier, action in answers.items()),
            )


def text(name: str, arguments: list[int], rules: seccomp.Rules) -> str:
    """The call, with those of its arguments that the table looks at."""
    seen = {test[0] for _, tests in rules for test in tests}
    return f"{name}({', '.join(hex(a) if i in seen else '_' for i, a in enumerate(arguments))})"


def word(action: int) -> str:
    if action == calls.ALLOW:
        return "passes"
    return errorcode.get(action & 0xFFFF, "does nothing")


def main(words: list[str]) -> int:
    may_fork = words[:1] == ["--fork"]
    with tempfile.NamedTemporaryFile("r", prefix="calls-") as trace:
        ended = subprocess.run([*STRACE, trace.name, *words[may_fork:]], check=False)
        found = Counter(refused(trace, may_fork))
    for (call, answers), count in found.most_common():
        sys.stderr.write(f"{call}  {answers}  {count} x\n")
    sys.stderr.write(f"{len(found)} kinds of calls are refused\n")
    return ended.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
