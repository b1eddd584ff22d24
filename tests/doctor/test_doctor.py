"""`arena doctor`: what it finds here, what it would say elsewhere, and that its canaries can fail."""

import json
import os
import re
import signal
import sys
import tempfile
from dataclasses import fields, replace
from pathlib import Path

import pytest
import typer

from arena.cli.doctor import ATTACKS as TITLES
from arena.cli.doctor import CORES, LACKS, WORDS, lack_and_fix, lines, plain, verdict, why_and_fix
from arena.doctor import canaries
from arena.doctor import machine as doctor
from arena.doctor.canaries import ATTACKS, Canary, Flight, fly
from arena.doctor.machine import (
    Cause,
    Disk,
    Facts,
    MachineReport,
    TierReport,
    Tool,
    diagnose,
    inspect_machine,
    maps_uid,
    masks_proc,
)
from arena.doctor.resources import CoreShares, Lack, Resources, judge, look, reaches_autogroup
from arena.errors import LaunchError
from arena.match.hosts import Host
from arena.match.launch import SpawnerLauncher
from arena.match.tiers import probe
from arena.roster.kits import LANGUAGES
from arena.sandbox.policy import Policy, Tier
from arena.sandbox.runtime import home
from arena.words.lines import WIDTH
from tests.cli.command import arena

DOC = (Path(__file__).parents[2] / "docs" / "sandbox.md").read_text("utf-8")
WORKING = [tier for tier in (Tier.FULL, Tier.LITE) if probe(tier, Policy())[1] is None]
needs_a_sandbox = pytest.mark.skipif(not WORKING, reason="no sandbox works here")

FULL = TierReport(Tier.FULL, True, ("namespaces", "private root", "seccomp"))
LITE = TierReport(Tier.LITE, True, ("limits", "landlock 7", "seccomp"))
ALL_HELD = Flight("full", sys.executable, 0.1, tuple(Canary(attack, True, "Permission denied") for attack in ATTACKS))
WELL = MachineReport(
    python="3.11.7",
    is_venv=True,
    cores=4,
    user="me",
    facts=Facts(),
    tiers=(FULL, LITE),
    flight=ALL_HELD,
    tools=(Tool("cc", "cc 12.2"), Tool("go", None)),
    browser=Tool("browser", None),
    disk=Disk(Path("/home/me"), 2048, False),
)


def text(report: MachineReport) -> str:
    return "\n".join(lines(report))


def prose(report: MachineReport) -> str:
    """The same, whatever the lines are."""
    return " ".join(text(report).split())


def without_ways_out(shown: str) -> list[str]:
    """The lines but commands that get one of their own, however long they are, so that they can be copied."""
    return re.sub(r"(Fix:\n)    \S.*", r"\1", shown).splitlines()


# Here


@needs_a_sandbox
def test_the_doctor_finds_a_sandbox_and_attacks_it_in_vain():
    ended = arena("doctor")
    assert ended.code == 0, ended.out + ended.err
    assert f"--sandbox auto chooses {WORKING[0]}." in ended.out
    assert len(re.findall(r"^  held ", ended.out, re.MULTILINE)) == 10
    assert "BROKEN" not in ended.out
    assert ended.out.endswith("The sandbox works: strangers' bots can play here.\n")
    assert max(map(len, without_ways_out(ended.out))) <= WIDTH
    assert not ended.err


@needs_a_sandbox
def test_the_json_says_the_same():
    ended = arena("doctor", "--json")
    told = json.loads(ended.out)
    assert (ended.code, told["ok"], told["auto"]) == (0, True, WORKING[0])
    assert [tier["tier"] for tier in told["tiers"]] == ["full", "lite"]
    assert "seccomp" in told["tiers"][0]["layers"] + told["tiers"][1]["layers"]
    assert [canary["attack"] for canary in told["attacks"]["canaries"]] == list(ATTACKS)
    assert all(canary["held"] and canary["answer"] for canary in told["attacks"]["canaries"])
    assert told["attacks"]["seconds"] < 2
    assert set(told["toolchains"]) >= {tool for kit in LANGUAGES.values() for tool in kit.tools} - {"awk"}
    assert told["records"]["free_mb"] > 0
    assert told["host"]["speed"] > 0


@pytest.mark.anywhere
@pytest.mark.parametrize("tier", WORKING)
def test_every_tier_holds_against_all_canaries_and_nothing_is_left(tier):
    before = {folder: set(os.listdir(folder)) for folder in (home(), Path(tempfile.gettempdir())) if folder.is_dir()}
    flight = fly(SpawnerLauncher(tier))
    assert [canary for canary in flight.canaries if not canary.held] == []
    assert flight.seconds < 2
    for folder, names in before.items():
        assert [name for name in set(os.listdir(folder)) - names if "arena-canary" in name] == []


@pytest.mark.anywhere
@pytest.mark.parametrize("folder", ["/nonexistent", "/proc"])
def test_a_home_that_takes_no_file_leaves_no_attack_untried(folder, monkeypatch):
    monkeypatch.setattr(canaries, "home", lambda: Path(folder))
    (read,) = [canary for canary in fly(SpawnerLauncher(Tier.NONE)).canaries if canary.attack == "home"]
    assert read.held is False, "without a sandbox a bot reads what its user can read"


@pytest.mark.anywhere
@pytest.mark.parametrize("tier", [*WORKING, Tier.NONE])
def test_a_long_path_of_temporary_files_leaves_no_attack_untried(tier, monkeypatch):
    """It is one that all can reach, as those of pytest cannot: a bot of a root user is somebody else."""
    with tempfile.TemporaryDirectory(prefix="x" * 150) as folder:
        os.chmod(folder, 0o755)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        flight = fly(SpawnerLauncher(tier))
        monkeypatch.undo()
    assert [canary for canary in flight.canaries if canary.held is None] == []
    (connect,) = [canary for canary in flight.canaries if canary.attack == "socket"]
    assert connect.held is (tier is not Tier.NONE)


@pytest.mark.anywhere
def test_without_a_sandbox_the_canaries_are_broken():
    flight = fly(SpawnerLauncher(Tier.NONE))
    held = {canary.attack for canary in flight.canaries if canary.held is not False}
    assert held <= {"shadow"}, "only who is not root is kept from the passwords without a sandbox"
    assert not flight.all_held
    report = replace(WELL, flight=flight)
    assert re.search(r"^  BROKEN   leave a file in this machine's /tmp +it got through$", text(report), re.MULTILINE)
    assert f"does NOT hold: {10 - len(held)} attacks got through. Do not run strangers' bots here." in prose(report)
    assert not report.is_well


def test_a_canary_that_cannot_be_started_is_not_held(monkeypatch):
    monkeypatch.setattr(canaries, "pythons", lambda: ["/no/such/python"])
    flight = fly(SpawnerLauncher(Tier.NONE))
    assert {canary.held for canary in flight.canaries} == {None}
    assert flight.canaries[0].answer == "the program could not be executed: No such file or directory"
    shown = prose(replace(WELL, flight=flight))
    assert "10 attacks could not be tried, so it is not known whether the sandbox holds." in shown


def test_a_canary_that_stops_halfway_leaves_the_rest_untried(monkeypatch):
    program = canaries.PROGRAM.replace('"network": lambda:', '"network": lambda: os._exit(3) or')
    monkeypatch.setattr(canaries, "PROGRAM", program)
    flight = fly(SpawnerLauncher(Tier.NONE))
    untried = {canary.attack: canary.answer for canary in flight.canaries if canary.held is None}
    assert untried == dict.fromkeys(ATTACKS[ATTACKS.index("network") :], "the program exited with status 3")


def test_the_systems_python_is_taken_if_bots_cannot_use_ours(monkeypatch):
    monkeypatch.setattr(canaries, "pythons", lambda: ["/no/such/python", sys.executable])
    flight = fly(SpawnerLauncher(Tier.NONE))
    assert flight.python == sys.executable
    shown = prose(replace(WELL, flight=replace(flight, python="/usr/bin/python3.9")))
    assert f"Bots cannot run {sys.executable} here" in shown
    assert "The attacks used /usr/bin/python3.9." in shown


def test_a_version_is_the_first_line_or_nothing(monkeypatch):
    monkeypatch.setattr(
        doctor,
        "TOOLS",
        {
            "two lines": (("printf", "one\ntwo\n"),),
            "warns": (("sh", "-c", "echo oops >&2; echo one"),),
            "on stderr": (("sh", "-c", "echo one >&2"),),
            "fails": (("sh", "-c", "echo oops; exit 1"),),
            "absent": (("no-such-program",),),
        },
    )
    tools = inspect_machine(Path.cwd()).tools
    found = {"two lines": "one", "warns": "one", "on stderr": "one", "fails": None, "absent": None}
    assert {tool.name: tool.version for tool in tools} == found


def test_a_program_that_does_not_print_its_version_is_ended(monkeypatch):
    monkeypatch.setattr(doctor, "VERSION_S", 0.1)
    process = doctor._ask([("sleep", "20")])
    assert doctor._version(process) is None
    assert process.returncode == -signal.SIGKILL


# Elsewhere

REFUSED = "could not start a process for a bot: full sandbox: {}: Operation not permitted"
NAMESPACES, PROC = REFUSED.format("new namespaces"), REFUSED.format("mount /tmp/proc")
APPARMOR = {"kernel.apparmor_restrict_unprivileged_userns": 1}


@pytest.mark.parametrize(
    ("tier", "facts", "said", "cause"),
    [
        (Tier.FULL, Facts(system="darwin"), "", Cause.SYSTEM),
        (Tier.LITE, Facts(system="darwin"), "", Cause.SYSTEM),
        (Tier.FULL, Facts(machine="riscv64"), "", Cause.MACHINE),
        (Tier.LITE, Facts(machine="armv7l"), "", Cause.MACHINE),
        (Tier.FULL, Facts(seccomp="the kernel refuses"), "", Cause.SECCOMP),
        (Tier.LITE, Facts(seccomp="the kernel refuses"), "", Cause.SECCOMP),
        (Tier.FULL, Facts(is_root=True, has_bot_uids=False), "Invalid argument", Cause.ROOTLESS),
        (Tier.LITE, Facts(is_root=True, has_bot_uids=False), "Invalid argument", Cause.ROOTLESS),
        (Tier.FULL, Facts(kernel="5.10.0-30-amd64"), "", Cause.OLD_KERNEL),
        (Tier.FULL, Facts(is_root=True, is_container=True), NAMESPACES, Cause.CONTAINER_ROOT),
        (Tier.FULL, Facts(sysctl={"user.max_user_namespaces": 0}), NAMESPACES, Cause.NO_USER_NAMESPACES),
        (Tier.FULL, Facts(sysctl={"kernel.unprivileged_userns_clone": 0}), NAMESPACES, Cause.USERNS_CLONE),
        (Tier.FULL, Facts(sysctl=APPARMOR), REFUSED.format("uid_map"), Cause.APPARMOR),
        (Tier.FULL, Facts(sysctl=APPARMOR, is_root=True), "something else", Cause.OTHER),
        (Tier.FULL, Facts(is_proc_masked=True, is_container=True), PROC, Cause.MASKED_PROC),
        (Tier.FULL, Facts(is_proc_masked=True, is_container=True), NAMESPACES, Cause.CONTAINER),
        (Tier.FULL, Facts(), NAMESPACES, Cause.OTHER),
        (Tier.LITE, Facts(landlock_abi=2, landlock="too old"), "", Cause.OLD_LANDLOCK),
        (Tier.LITE, Facts(landlock_abi=0, landlock="not enabled: add it to the kernel's parameter lsm="), "", Cause.LANDLOCK_OFF),
        (Tier.LITE, Facts(landlock_abi=0, landlock="the kernel has no Landlock"), "", Cause.NO_LANDLOCK),
        (Tier.LITE, Facts(), "", Cause.OTHER),
    ],
)  # fmt: skip
def test_a_missing_tier_has_a_cause(tier, facts, said, cause):
    assert diagnose(tier, facts, said) is cause


@pytest.mark.parametrize(
    ("tier", "facts", "why", "fix"),
    [
        (TierReport(Tier.FULL, False, cause=Cause.SYSTEM), Facts(system="darwin"), "this is macOS", "virtual machine"),
        (TierReport(Tier.LITE, False, cause=Cause.MACHINE), Facts(machine="riscv64"), "this is riscv64", "64-bit system"),
        (TierReport(Tier.LITE, False, cause=Cause.SECCOMP), Facts(seccomp="no filters"), "no filters", "CONFIG_SECCOMP_FILTER"),
        (TierReport(Tier.FULL, False, cause=Cause.OLD_KERNEL), Facts(kernel="5.10.0"), "Linux 5.10.0 is too old", "newer kernel"),
        (TierReport(Tier.FULL, False, cause=Cause.APPARMOR), Facts(), "AppArmor", "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"),
        (TierReport(Tier.FULL, False, cause=Cause.MASKED_PROC), Facts(), "parts of /proc", "--security-opt systempaths=unconfined"),
        (TierReport(Tier.LITE, False, cause=Cause.OLD_LANDLOCK), Facts(landlock_abi=1), "ABI 1 here", "newer kernel"),
        (TierReport(Tier.LITE, False, cause=Cause.LANDLOCK_OFF), Facts(), "turned off", "lsm=landlock"),
        (TierReport(Tier.FULL, False, cause=Cause.OTHER), Facts(), "not known", "arena doctor --json"),
        (FULL, Facts(), "", ""),
    ],
)  # fmt: skip
def test_a_cause_has_words_and_a_way_out(tier, facts, why, fix):
    words = why_and_fix(tier, facts)
    assert why in words[0]
    assert fix in words[1]


def test_every_cause_and_every_attack_has_words():
    assert set(WORDS) == set(Cause)
    assert tuple(TITLES) == ATTACKS


def test_the_next_best_tier_is_chosen_and_the_way_to_the_best_is_shown():
    full = TierReport(Tier.FULL, False, said=REFUSED.format("uid_map"), cause=Cause.APPARMOR)
    shown = text(replace(WELL, tiers=(full, LITE)))
    assert "  full  missing  AppArmor does not let ordinary users create" in shown
    assert "uid_map: Operation not permitted" in " ".join(shown.split())
    assert "\n    sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0\n" in shown
    assert "--sandbox auto chooses lite." in shown


def test_a_mac_has_no_sandbox_and_hears_what_it_can_do():
    tiers = tuple(TierReport(tier, False, cause=Cause.SYSTEM) for tier in (Tier.FULL, Tier.LITE))
    report = replace(WELL, facts=Facts(system="darwin", machine="arm64", kernel="23.1"), tiers=tiers, flight=None)
    assert not report.is_well
    assert "macOS 23.1, arm64, 4 cores" in text(report)
    assert "--sandbox auto runs bots that come with the arena without a sandbox" in text(report)
    assert " ".join(text(report).split()).endswith(verdict(report))
    told = plain(report)
    assert (told["ok"], told["auto"], told["attacks"]) == (False, None, None)
    assert told["tiers"][0]["way_out"] == "run the arena in a virtual machine with Linux"


def test_the_speed_of_this_machine_is_shown():
    host = Host("\x1bvm", 4, 97, "3.11.7", "x86_64", 1)
    assert "speed 97, measured on 4 cores at once; 100 is the reference machine. Leagues call it \\x1bvm" in prose(
        replace(WELL, host=host)
    )
    assert plain(replace(WELL, host=host))["host"] == {"id": host.id, **host.plain()}


def test_a_speed_that_cannot_be_measured_is_no_obstacle(monkeypatch):
    def fails():
        raise LaunchError("no")

    monkeypatch.setattr(doctor, "this_host", fails)
    assert doctor._host() is None
    assert "speed it cannot be measured" in prose(WELL)
    assert plain(WELL)["host"] is None


def test_no_sandbox_is_exit_code_5(monkeypatch):
    from arena.cli import doctor as command

    monkeypatch.setattr(doctor, "inspect_machine", lambda folder: replace(WELL, tiers=(), flight=None))
    with pytest.raises(typer.Exit) as ended:
        command.doctor()
    assert ended.value.exit_code == 5


def test_on_another_system_nothing_is_tried(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    report = inspect_machine(Path.cwd())
    assert [tier.cause for tier in report.tiers] == [Cause.SYSTEM, Cause.SYSTEM]
    assert report.flight is None


def test_a_tier_whose_program_cannot_start_does_not_work(monkeypatch):
    monkeypatch.setattr(doctor, "TOOLS", {})
    monkeypatch.setattr(doctor, "probe", lambda _tier, _policy: ((), NAMESPACES))
    report = inspect_machine(Path.cwd())
    assert [(tier.works, tier.said, tier.layers) for tier in report.tiers] == [(False, NAMESPACES, ())] * 2
    assert (report.flight, report.resources) == (None, None)


def test_scarce_and_visible_disks_are_pointed_out():
    shown = prose(replace(WELL, disk=Disk(Path("/opt/arena"), 512, True)))
    assert "0.5 GB free in /opt/arena (low); every bot can read this folder" in shown


def test_a_missing_program_is_missing_and_no_more():
    shown = text(WELL)
    programs = "  cc       cc 12.2, for bots in C\n  go       missing, for bots in Go\n  browser  missing, only for "
    assert programs in shown
    assert shown.endswith("The sandbox works: strangers' bots can play here.")


@pytest.mark.parametrize(
    ("uid_map", "exists"),
    [
        ("         0          0 4294967295\n", True),
        ("0 1000 1\n", False),
        ("0 1000 1\n1 100000 65536\n", False),
        ("", False),
    ],
)
def test_user_numbers_exist_or_not(uid_map, exists):
    assert maps_uid(uid_map, 2_100_000_000) is exists


@pytest.mark.parametrize(
    ("mountinfo", "is_masked"),
    [
        ("22 1 0:20 / /proc rw - proc proc rw\n", False),
        ("22 1 0:20 / /proc rw - proc proc rw\n30 22 0:28 / /proc/sys/fs/binfmt_misc rw - autofs x rw\n", False),
        ("22 1 0:20 / /proc rw - proc proc rw\n31 22 0:29 / /proc/acpi ro - tmpfs tmpfs ro\n", True),
    ],
)
def test_a_masked_proc_is_seen(mountinfo, is_masked):
    assert masks_proc(mountinfo) is is_masked


# Who shares out what bots use

ALL = ("memory", "pids", "cpu")


@pytest.mark.parametrize(
    ("controllers", "why", "autogroup", "found"),
    [
        (ALL, "", True, Resources(ALL, CoreShares.CGROUP)),
        (ALL, "", False, Resources(ALL, CoreShares.CGROUP)),
        (("memory", "pids"), "", True, Resources(("memory", "pids"), CoreShares.AUTOGROUP, Lack.SOME_CONTROLLERS)),
        (("memory", "pids"), "", False, Resources(("memory", "pids"), CoreShares.NOTHING, Lack.SOME_CONTROLLERS)),
        ((), "", True, Resources((), CoreShares.AUTOGROUP, Lack.NO_CONTROLLERS)),
        (None, "not delegated", False, Resources((), CoreShares.NOTHING, Lack.NOT_DELEGATED)),
        (None, "read-only", False, Resources((), CoreShares.NOTHING, Lack.READ_ONLY)),
        (None, "no version 2", True, Resources((), CoreShares.AUTOGROUP, Lack.NO_VERSION_2)),
        (None, "", False, Resources((), CoreShares.NOTHING, Lack.OTHER)),
    ],
)
def test_what_bots_use_is_shared_out_by_someone_or_no_one(controllers, why, autogroup, found):
    assert judge(controllers, why, autogroup) == found


@pytest.mark.parametrize(
    ("groups", "is_first", "weighed", "reaches"),
    [
        ("0::/\n", True, False, True),
        ("0::/user.slice/user-1000.slice/session-1.scope\n", True, False, True),
        ("0::/user.slice/user-1000.slice/session-1.scope\n", True, True, False),
        ("4:memory:/x\n1:cpu,cpuacct:/\n0::/\n", True, False, True),
        ("1:cpu:/docker/ab\n", True, False, False),
        ("1:cpu:/a:b\n", True, False, False),
        ("1:cpu:/\n", False, False, False),
        ("2:cpuacct:/x\n0::/\n", False, False, True),
    ],
)
def test_autogroup_is_only_for_processes_of_no_cpu_group(groups, is_first, weighed, reaches):
    assert reaches_autogroup(groups, is_first, weighed) is reaches


def test_every_lack_has_words_and_a_way_out_and_so_has_every_way_to_share_cores():
    assert set(LACKS) == set(Lack)
    assert set(CORES) == set(CoreShares)
    for lack in Lack:
        why, fix = lack_and_fix(Resources(("memory",), CoreShares.NOTHING, lack), Facts())
        assert why
        assert fix
        assert "{" not in why + fix


@pytest.mark.parametrize(
    ("is_root", "line"),
    [
        (False, "  Fix: systemd-run --user --scope -p Delegate=yes arena ..."),
        (True, "  Fix: systemd-run --scope -p Delegate=yes arena ..."),
    ],
)
def test_where_nothing_is_delegated_the_doctor_says_what_is_watched_and_how_to_change_that(is_root, line):
    report = replace(WELL, resources=judge(None, "not delegated", False), facts=Facts(is_root=is_root))
    assert line in text(report).splitlines()
    shown = prose(report)
    assert "memory limits on each process, and a check five times a second; kernel memory is not counted" in shown
    assert "threads limits on each user, and a check five times a second" in shown
    assert "cores nothing divides them: a bot with many busy threads slows its opponent down" in shown
    assert plain(report)["resources"]["way_out"] in line


def test_where_bots_have_groups_with_all_controllers_there_is_nothing_to_do():
    report = replace(WELL, resources=judge(ALL, "", False))
    shown = prose(report)
    assert "memory each bot's control group, including kernel memory" in shown
    assert "cores each bot's control group gets the same share" in shown
    assert "Fix:" not in shown
    told = plain(report)["resources"]
    assert told == {"controllers": ALL, "cores": "cgroup", "lack": None, "why": None, "way_out": None}


@needs_a_sandbox
def test_the_doctor_says_what_the_bots_of_this_machine_have():
    layers, _ = probe(WORKING[0], Policy())
    found = look(layers)
    named = [layer for layer in layers if layer.split()[0] == "cgroup"]
    assert named == (
        [] if found.lack and "controllers" not in found.lack else [" ".join(("cgroup", *found.controllers))]
    )
    assert json.loads(arena("doctor", "--json").out)["resources"]["cores"] == found.cores


# What the document says


def test_the_document_has_every_limit_and_its_default():
    table = dict(re.findall(r"^\| `(\w+)` \| (\d+|on) \|", DOC, re.MULTILINE))
    assert table == {field.name: "on" if field.default is True else str(field.default) for field in fields(Policy)}


def test_the_document_has_every_cause_and_its_way_out():
    rows = {
        cause: (why, fix) for cause, why, fix in re.findall(r"^\| `([\w ]+)` \| (.+) \| (.+) \|$", DOC, re.MULTILINE)
    }
    for cause, (why, fix) in WORDS.items():
        assert rows[cause][1].strip("`") == fix.strip("`")
        pattern = re.sub(r"\\{\w+\\}", ".+", re.escape(why))
        assert re.fullmatch(pattern, rows[cause][0])


@pytest.mark.parametrize("tier", WORKING)
def test_the_document_explains_every_layer(tier):
    layers, _ = probe(tier, Policy())
    for layer in layers:
        name = "cgroup" if layer.startswith("cgroup") else re.sub(r" [0-9]+$", "", layer)
        assert f"| `{name}` |" in DOC


def test_the_document_has_every_lack_of_groups_and_its_way_out():
    rows = {
        lack: (why, fix) for lack, why, fix in re.findall(r"^\| `([\w -]+)` \| (.+) \| (.+) \|$", DOC, re.MULTILINE)
    }
    for lack in Lack:
        why, fix = lack_and_fix(Resources(("memory", "pids"), CoreShares.NOTHING, lack), Facts())
        assert rows[lack][0] == why
        assert rows[lack][1].replace("\\|", "|").strip("`") == fix
