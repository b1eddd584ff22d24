"""`arena doctor`: whether strangers' bots can play on this machine, and what is missing."""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from arena.cli.exits import Exit
from arena.cli.paragraphs import paragraph
from arena.cli.parameters import AsJson
from arena.cli.terminal import painter
from arena.texts import counted, one_line
from arena.words.lines import WIDTH

if TYPE_CHECKING:
    from arena.doctor.canaries import Flight
    from arena.doctor.machine import Facts, MachineReport, TierReport
    from arena.doctor.resources import Resources

LITTLE_MB = 1024
"""Free space that a league fills soon."""
CONTAINER = (
    "docker run --user 1000 --security-opt seccomp=unconfined --security-opt apparmor=unconfined "
    "--security-opt systempaths=unconfined ..."
)
WORDS = {
    "system": (
        "the sandbox needs Linux, and this is {system}",
        "run the arena in a virtual machine with Linux",
    ),
    "machine": (
        "its system call filter supports x86_64 and aarch64, and this is {machine}",
        "run the arena on one of these machines, with a 64-bit system",
    ),
    "seccomp": (
        "{seccomp}",
        "boot a kernel with CONFIG_SECCOMP_FILTER; in a container: --security-opt seccomp=unconfined",
    ),
    "rootless": (
        "root has no user ids here to give to bots, as in rootless containers",
        "run the arena as an ordinary user of the container: podman run --user 1000 ...",
    ),
    "old kernel": (
        "Linux {kernel} is too old: the sandbox needs 5.14 or later",
        "boot a newer kernel",
    ),
    "container root": (
        "root cannot create namespaces here: CAP_SYS_ADMIN is missing, as usual in containers",
        CONTAINER,
    ),
    "no user namespaces": (
        "ordinary users cannot create namespaces: user.max_user_namespaces is 0",
        "sudo sysctl user.max_user_namespaces=15000",
    ),
    "userns clone": (
        "ordinary users cannot create namespaces: kernel.unprivileged_userns_clone is 0",
        "sudo sysctl kernel.unprivileged_userns_clone=1",
    ),
    "apparmor": (
        "AppArmor does not let ordinary users create namespaces, as in Ubuntu since 24.04",
        "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    "masked proc": (
        "the container hides parts of /proc, so bots cannot get a /proc of their own",
        CONTAINER,
    ),
    "container": (
        "the container does not allow namespaces",
        CONTAINER,
    ),
    "old landlock": (
        "Landlock has ABI {landlock_abi} here: the sandbox needs ABI 3 or later (Linux 6.2)",
        "boot a newer kernel (Ubuntu 22.04: sudo apt install linux-generic-hwe-22.04)",
    ),
    "landlock off": (
        "the kernel has Landlock, but it is turned off",
        "add this to the kernel's parameters: lsm=landlock,$(cat /sys/kernel/security/lsm)",
    ),
    "no landlock": (
        "the kernel has no Landlock, or the container hides it",
        "boot Linux 6.2 or later; in a container: a newer Docker, or --security-opt seccomp=unconfined",
    ),
    "other": (
        "the cause is not known",
        "please report this with what `arena doctor --json` prints",
    ),
}
"""For each cause: why a tier is missing, and the fix."""
UNIFIED = "boot with systemd.unified_cgroup_hierarchy=1"
LACKS = {
    "no version 2": ("this machine has no cgroup version 2", UNIFIED),
    "not delegated": (
        "the control group of this process is not delegated to its user",
        "systemd-run {user}--scope -p Delegate=yes arena ...",
    ),
    "read-only": (
        "control groups are read-only here, as in containers",
        "run the arena outside the container: systemd-run {user}--scope -p Delegate=yes arena ...",
    ),
    "no controllers": ("control groups have no controllers for memory, pids and cpu here", UNIFIED),
    "some controllers": (
        "control groups have controllers only for {controllers} here",
        "sudo mkdir -p {drop_in} && printf '[Service]\\nDelegate=cpu memory pids\\n' | "
        "sudo tee {drop_in}/delegate.conf && sudo systemctl daemon-reload  # then log in again",
    ),
    "other lack": (
        "control groups are refused for an unknown reason",
        "please report this with what `arena doctor --json` prints",
    ),
}
"""Why the kernel does not count everything that a bot uses, and the fix."""
BY_WATCHING = "limits on each process, and a check five times a second; kernel memory is not counted"
CORES = {
    "cgroup": "each bot's control group gets the same share",
    "autogroup": "autogroup gives each bot the same share (kernel.sched_autogroup_enabled)",
    "nothing": "nothing divides them: a bot with many busy threads slows its opponent down",
}
ATTACKS = {
    "shadow": "read the system's passwords, /etc/shadow",
    "home": "read a file of yours",
    "environment": "read the arena's environment variables",
    "network": "connect to a port of this machine",
    "socket": "connect to a unix socket",
    "temporary": "leave a file in this machine's /tmp",
    "folder": "change its own folder",
    "signal": "send the arena a signal",
    "processes": "start another process",
    "memory": "get more memory than its limit",
}
RUNTIMES = {"python3": ["Python"], "java": ["Java"], "rustc": ["Rust"]}
"""What bots of some languages need in addition to the programs that their kits name."""
BROWSER = "only for `arena bench web` and the tests; reports and replays open in any browser"
SYSTEMS = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}
NO_TIER = "runs bots that come with the arena without a sandbox, and refuses all others"
VERDICTS = {True: ("held", "green"), False: ("BROKEN", "red"), None: ("untried", "yellow")}


def doctor(as_json: AsJson = False) -> None:
    """Check whether strangers' bots can play on this machine.

    Tries each tier of the sandbox, attacks the best one from inside, and shows how to get what is missing.
    Exit code 5 if no sandbox works, or if it does not hold. `arena docs sandbox` describes the tiers.
    """
    from arena.doctor.machine import inspect_machine

    report = inspect_machine(Path.cwd())
    typer.echo(json.dumps(plain(report), indent=2) if as_json else "\n".join(lines(report)))
    raise typer.Exit(Exit.OK if report.is_well else Exit.ENVIRONMENT)


def why_and_fix(tier: "TierReport", facts: "Facts") -> tuple[str, str]:
    """Why a tier is missing, and the fix; both empty for a tier that works."""
    if tier.cause is None:
        return "", ""
    why, fix = WORDS[tier.cause]
    return why.format(**asdict(facts) | {"system": SYSTEMS.get(facts.system, facts.system)}), fix


# As text


def lines(report: "MachineReport") -> Iterator[str]:
    """The report: a table for each topic, and the verdict."""
    paint = painter()
    yield from _table("Machine", _machine(report))
    yield ""
    yield paint("Sandbox", "bold")
    for tier in report.tiers:
        yield from _tier(tier, report.facts)
    chosen = f"chooses {report.auto}" if report.auto else NO_TIER
    yield from paragraph(f"--sandbox auto {chosen}.", "  ", "  ")
    if report.resources:
        yield ""
        yield from _resources(report.resources, report.facts)
    if report.flight:
        yield ""
        yield from _attacks(report.flight)
    yield ""
    programs = [[tool.name, f"{tool.version or 'missing'}, for bots in {_users(tool.name)}"] for tool in report.tools]
    browser = [report.browser.name, f"{report.browser.version or 'missing'}, {BROWSER}"]
    yield from _table("Programs, all optional", [*programs, browser])
    yield ""
    yield from paragraph(verdict(report), "")


def _users(tool: str) -> str:
    """The languages whose bots need a program."""
    from arena.roster.kits import LANGUAGES

    return " and ".join(RUNTIMES.get(tool) or [kit.title for kit in LANGUAGES.values() if tool in kit.tools])


def _machine(report: "MachineReport") -> list[list[str]]:
    facts, disk = report.facts, report.disk
    python = f"{report.python}, {'in a' if report.is_venv else 'not in a'} virtual environment"
    system = SYSTEMS.get(facts.system, facts.system)
    system += f" {facts.kernel}, {facts.machine}, {counted(report.cores, 'core')}"
    system += ", in a container" if facts.is_container else ""
    bots = "each bot gets a user id of its own" if facts.is_root else "bots run as this user"
    room = f"{disk.free_mb / 1024:.1f} GB free in {disk.folder}"
    if disk.free_mb < LITTLE_MB:
        room += " (low)"
    if disk.is_seen_by_bots:
        room += "; every bot can read this folder, so keep records elsewhere"
    return [
        ["Python", python],
        ["system", system],
        ["speed", _speed(report)],
        ["user", f"{report.user}; {bots}"],
        ["records", room],
    ]


def _speed(report: "MachineReport") -> str:
    host = report.host
    if host is None:
        return "it cannot be measured"
    measured = "on its core" if host.cores == 1 else f"on {host.cores} cores at once"
    return f"{host.speed}, measured {measured}; 100 is the reference machine. Leagues call it {one_line(host.name)}"


def _tier(tier: "TierReport", facts: "Facts") -> Iterator[str]:
    paint = painter()
    indent = " " * 17
    if tier.works:
        yield from paragraph(", ".join(tier.layers), f"  {tier.tier:<6}{paint('works'.ljust(9), 'green')}", indent)
        return
    why, fix = why_and_fix(tier, facts)
    yield from paragraph(why, f"  {tier.tier:<6}{paint('missing'.ljust(9), 'yellow')}", indent)
    if tier.said:
        yield from paragraph(f"The error: {one_line(tier.said)}", indent, indent)
    yield from _way_out(fix, indent)


def _way_out(fix: str, indent: str) -> Iterator[str]:
    start = f"{indent}{painter()('Fix:', 'bold')}"
    if len(indent) + len(fix) < WIDTH - len("Fix: "):
        yield f"{start} {fix}"
    else:
        yield from (start, f"    {fix}")  # on one line, so that a user can copy it


def _resources(resources: "Resources", facts: "Facts") -> Iterator[str]:
    found = resources.controllers
    memory = "each bot's control group, including kernel memory" if "memory" in found else BY_WATCHING
    threads = "each bot's control group" if "pids" in found else "limits on each user, and a check five times a second"
    rows = [["memory", memory], ["threads", threads], ["cores", CORES[resources.cores]]]
    yield from _table("What limits the resources of bots", rows)
    why, fix = lack_and_fix(resources, facts)
    if why:
        yield from paragraph(f"{why[0].upper()}{why[1:]}.", "  ", "  ")
        yield from _way_out(fix, "  ")


def lack_and_fix(resources: "Resources", facts: "Facts") -> tuple[str, str]:
    """Why there is no control group with all controllers, and the fix; both empty if there is one."""
    if resources.lack is None:
        return "", ""
    why, fix = LACKS[resources.lack]
    words = {
        "controllers": " and ".join(resources.controllers),
        "user": "" if facts.is_root else "--user ",
        "drop_in": "/etc/systemd/system/user@.service.d",
    }
    return why.format(**words), fix.format(**words)


def _attacks(flight: "Flight") -> Iterator[str]:
    paint = painter()
    title = f"{len(flight.canaries)} attacks from inside {flight.tier}, in {flight.seconds:.1f} s"
    yield paint(title, "bold")
    widest = max(map(len, ATTACKS.values()))
    for canary in flight.canaries:
        word, colour = VERDICTS[canary.held]
        answer = "it got through" if canary.held is False else one_line(canary.answer)
        first = f"  {paint(word.ljust(9), colour)}{ATTACKS[canary.attack]:<{widest + 2}}"
        yield from paragraph(answer, first, " " * 11)
    if flight.python not in ("", sys.executable):
        note = f"Bots cannot run {sys.executable} here; is it in a private folder? The attacks used {flight.python}."
        yield from paragraph(note, "  ", "  ")


def verdict(report: "MachineReport") -> str:
    """The result, and what to do."""
    if report.flight is None:
        return (
            "No sandbox works here. Bots that come with the arena can still play; for your own bots add --sandbox none."
        )
    broken = [canary for canary in report.flight.canaries if canary.held is False]
    untried = [canary for canary in report.flight.canaries if canary.held is None]
    if broken:
        count = counted(len(broken), "attack")
        return f"The sandbox does NOT hold: {count} got through. Do not run strangers' bots here."
    if untried:
        return f"{counted(len(untried), 'attack')} could not be tried, so it is not known whether the sandbox holds."
    return "The sandbox works: strangers' bots can play here."


def _table(title: str, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield painter()(title, "bold")
    widest = max(len(name) for name, _ in rows)
    for name, text in rows:
        yield from paragraph(one_line(text), f"  {name:<{widest + 2}}", " " * (widest + 4))


# As JSON


def plain(report: "MachineReport") -> dict[str, Any]:
    """The report with the same words."""
    facts = report.facts
    return {
        "ok": report.is_well,
        "verdict": verdict(report),
        "python": {"version": report.python, "executable": sys.executable, "venv": report.is_venv},
        "machine": {**asdict(facts), "cores": report.cores},
        "host": None if report.host is None else {"id": report.host.id, **report.host.plain()},
        "user": report.user,
        "tiers": [_plain_tier(tier, facts) for tier in report.tiers],
        "auto": report.auto,
        "resources": None if report.resources is None else _plain_resources(report.resources, facts),
        "attacks": None if report.flight is None else _plain_attacks(report.flight),
        "toolchains": {tool.name: tool.version for tool in report.tools},
        "browser": report.browser.version,
        "records": {**asdict(report.disk), "folder": str(report.disk.folder)},
    }


def _plain_tier(tier: "TierReport", facts: "Facts") -> dict[str, Any]:
    why, fix = why_and_fix(tier, facts)
    return {**asdict(tier), "why": why or None, "way_out": fix or None}


def _plain_resources(resources: "Resources", facts: "Facts") -> dict[str, Any]:
    why, fix = lack_and_fix(resources, facts)
    return {**asdict(resources), "why": why or None, "way_out": fix or None}


def _plain_attacks(flight: "Flight") -> dict[str, Any]:
    canaries = [{**asdict(canary), "what": ATTACKS[canary.attack]} for canary in flight.canaries]
    return {**asdict(flight), "seconds": round(flight.seconds, 3), "canaries": canaries}
