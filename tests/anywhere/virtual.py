"""`make anywhere-systemd`: control groups as systemd delegates them, in a virtual machine with a Debian of its own.

    python -m tests.anywhere.virtual [--keep]

Theory of operation. The machine is User Mode Linux: a kernel that is a program (Debian's package user-mode-linux), so it
needs no hardware for virtual machines, and is as fast as this machine but for system calls. The kernel has cgroup
version 2 with all controllers, whatever this machine has, but neither Landlock nor autogroup: bots play in full. The system is
that of debian.py with systemd, on a disk in a file. When it has booted, a unit runs each of STEPS as an ordinary
user and as root, in a session as a login opens one; the transcript is written to a folder of this machine. Needs root
and minutes, and a quiet machine: this kernel counts as used the time for which it waits for a core, and tests have limits
of CPU time. Exit code 1 if a step does not show what it has to.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.anywhere import debian
from tests.anywhere.__main__ import LOGS, say
from tests.anywhere.checkouts import prepare_bare
from tests.anywhere.commands import Crew
from tests.anywhere.machines import Checkout
from tests.anywhere.pythons import ORDINARY

KERNEL = "linux.uml"
PACKAGES = "systemd,systemd-sysv,dbus,dbus-user-session,libpam-systemd,procps"
MEMORY, DISK = "2G", "4G"
BOOT_S = 1800
USER = "visitor"
USERS = {USER: "--user ", "root": ""}
"""What a user adds to systemd-run, as the doctor says it."""
TESTS = "tests/sandbox/test_cgroup.py tests/attacks/test_resources.py"
RUN = "systemd-run {user}--scope -p Delegate=yes"
"""What docs/sandbox.md and the doctor tell people to do."""
ALL = "cgroup memory pids cpu"


@dataclass(frozen=True, slots=True)
class Step:
    """A command for sh, by each user, and what its output has to show."""

    name: str
    command: str
    shows: str


STEPS = (
    Step("nothing is delegated", "arena doctor", f"Fix: {RUN} arena"),
    Step("a scope, by the doctor's line", f"{RUN} arena doctor", ALL),
    Step("a service", "systemd-run {user}--quiet --wait --pipe -p Delegate=yes $(command -v arena) doctor", ALL),
    Step("a scope without delegation", "systemd-run {user}--scope arena doctor", f"Fix: {RUN} arena"),
    Step("tests", f"{RUN} python -m pytest -q -p no:cacheprovider {TESTS}", "passed"),
    Step("a league", f"cd $(mktemp -d) && {RUN} arena demo", "After 18 matches:"),
    Step("two arenas in one scope", f"{RUN} sh -c 'arena doctor & arena doctor; wait'", f"(?s){ALL}.*{ALL}"),
    Step("no group of a bot is left", "! find /sys/fs/cgroup -name 'arena-[0-9]*' | grep .", ""),
)
UNIT = """[Unit]
After=systemd-user-sessions.service user@{ordinary}.service
Wants=user@{ordinary}.service
[Service]
ExecStart=/bin/sh /steps/all
ExecStopPost=/bin/systemctl --no-block poweroff
"""
STEP = """
echo {mark} >>/out/log
systemd-run --quiet --wait --pipe --uid={user} -p PAMName=login sh /steps/{number} </dev/null >>/out/log 2>&1
echo "[$?]" >>/out/log
"""
FURNISH = """
set -e
useradd --create-home --uid {ordinary} {user}
mkdir -p /var/lib/systemd/linger /out
touch /var/lib/systemd/linger/{user}
echo "/dev/ubda / ext4 defaults 0 1" >/etc/fstab
systemctl --quiet enable steps
"""


def why_not() -> str:
    """Why it cannot be tried here; empty if it can."""
    missing = [name for name in (KERNEL, "mkfs.ext4") if shutil.which(name) is None]
    return debian.why_not() or (f"there is no {missing[0]} here (apt install user-mode-linux)" if missing else "")


def steps() -> list[tuple[str, str, Step]]:
    """What marks each in the transcript, who runs it, and what it is."""
    return [(f"== {step.name}, {user}", user, step) for user in USERS for step in STEPS]


def write_steps(folder: Path, checkout: Path, out: Path) -> None:
    """What the machine does: a file for each step, and one that runs them all."""
    folder.mkdir()
    lines = [f"mount -t hostfs none /out -o {out}\n"]
    for number, (mark, user, step) in enumerate(steps()):
        words = f'export PATH="{checkout}/.venv/bin:$PATH"; cd {checkout}; {filled(step.command, user)}\n'
        (folder / str(number)).write_text(words)
        lines.append(STEP.format(mark=shlex.quote(mark), user=user, number=number))
    (folder / "all").write_text("".join(lines))


def filled(text: str, user: str) -> str:
    return text.replace("{user}", USERS[user])


def faults(transcript: str) -> list[str]:
    """The steps that did not show what they had to."""
    found = []
    for mark, user, step in steps():
        told = transcript.partition(f"{mark}\n")[2].partition("\n== ")[0]
        plain = re.sub(r"\s+", " ", told)
        if not told.rstrip().endswith("[0]") or not re.search(filled(step.shows, user), plain):
            found.append(mark.removeprefix("== "))
    return found


def furnish(system: debian.Debian, folder: Path, out: Path, crew: Crew, log: Path) -> Path:
    """The disk of the machine: the system, the checkout at its place, and what is to be done."""
    inside = system.root / str(folder).lstrip("/")
    shutil.copytree(folder, inside, symlinks=True, dirs_exist_ok=True)
    subprocess.run(["chown", "-R", f"{ORDINARY}:{ORDINARY}", str(inside)], check=True)
    unit = system.root / "etc/systemd/system/steps.service"
    unit.write_text(UNIT.format(ordinary=ORDINARY) + "[Install]\nWantedBy=multi-user.target\n")
    write_steps(system.root / "steps", folder, out)
    words = FURNISH.format(ordinary=ORDINARY, user=USER)
    made = crew.run(
        system.entered(["sh", "-c", words], system.stage, 0), log, BOOT_S, system.stage, {"PATH": debian.SYSTEM_PATH}
    )
    disk = out / "disk"
    if made.code == 0:
        made = crew.run(
            ["mkfs.ext4", "-q", "-d", str(system.root), str(disk), DISK], log, BOOT_S, out, dict(os.environ)
        )
    if made.code != 0:
        raise SystemExit(f"the disk {made}; log: {log}")
    return disk


def main() -> None:
    if reason := why_not():
        say(f"Not tried: {reason}")
        return
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / "systemd.log"
    log.unlink(missing_ok=True)
    stage, crew = Path(tempfile.mkdtemp(prefix="dino-arena-", dir="/var/tmp")), Crew()
    os.chmod(stage, 0o755)
    root, out = stage.with_name(f"{stage.name}-root"), stage.with_name(f"{stage.name}-out")
    out.mkdir()
    try:
        system = debian.make(root, stage, crew, log, f"{debian.PACKAGES},{PACKAGES}")
        copy = prepare_bare(Checkout.BARE_USER, system, crew, log)
        if copy.failed:
            raise SystemExit(copy.failed)
        disk = furnish(system, copy.folder, out, crew, log)
        machine = [
            KERNEL,
            f"mem={MEMORY}",
            f"ubd0={disk}",
            "root=/dev/ubda",
            "rw",
            "con=null",
            "con0=null,fd:1",
            f"uml_dir={out}",
        ]
        crew.run(machine, log, BOOT_S, out, dict(os.environ) | {"TMPDIR": str(out)})
        transcript = (out / "log").read_text("utf-8", "replace") if (out / "log").exists() else ""
        log.with_name("systemd-transcript.log").write_text(transcript)
        bad = faults(transcript)
        say(
            transcript,
            *(f"FAILED: {name}" for name in bad),
            f"{len(steps()) - len(bad)} of {len(steps())} steps are well.",
        )
        sys.exit(bool(bad))
    finally:
        crew.end_all()
        if "--keep" in sys.argv:
            say(f"Kept: {stage}, {root}, {out}")
        else:
            for folder in (stage, root, out):
                shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
