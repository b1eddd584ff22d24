"""The matrix and its table: which machines are tried where, what gives a simulation away, and what is printed."""

import os
import select
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.anywhere.__main__ import slug
from tests.anywhere.commands import Crew
from tests.anywhere.debian import Source, requirements, source
from tests.anywhere.machines import TABLE, Checkout, Machine, Who, matrix
from tests.anywhere.pythons import ORDINARY, OWN, VERSIONS, Host, find
from tests.anywhere.tables import WIDTH, exit_code, row, table
from tests.anywhere.toolchains import is_toolchain, without_toolchains
from tests.anywhere.visits import Visit, count, differences

HERE = "/opt/python/bin/python3"
ROOTS = Host(True, {**dict.fromkeys(VERSIONS), OWN: HERE}, "/usr/bin/python3")
USERS = Host(False, {**dict.fromkeys(VERSIONS), OWN: HERE}, HERE)


def by_name(host: Host) -> dict[str, Machine]:
    return {machine.name: machine for machine in matrix(host)}


def visit(name: str = "container, user", **changes: Any) -> Visit:
    machine = replace(by_name(ROOTS)["container, user"], name=name, skip=changes.pop("skip", ""))
    return Visit(machine, **{"tier": "lite", "demo": "ok", "passed": 9, "seconds": 12.3, **changes})


# The matrix


def test_names_are_unique_and_so_are_their_logs():
    names = [machine.name for machine in matrix(ROOTS)]
    assert len(set(map(slug, names))) == len(names)


def test_every_machine_expects_something_by_which_it_can_be_told():
    assert all(machine.expects for machine in TABLE)


def test_root_tries_both_users():
    machines = by_name(ROOTS)
    assert machines["container, root"].flags == ()
    assert machines["container, user"].flags == ("--user", str(ORDINARY))
    assert [machines[f"container, {who}"].expects["is_root"] for who in ("root", "user")] == [True, False]


def test_an_ordinary_user_tries_no_machine_of_root_and_is_the_ordinary_user():
    machines = by_name(USERS)
    assert {machine.skip for machine in machines.values() if machine.who is Who.ROOT} == {"not started by root"}
    assert machines["container, user"].flags == ()
    assert machines["container, user"].checkout == Checkout.OWN
    assert not any(machine.expects["is_root"] for machine in machines.values())


def test_a_python_that_is_not_there_is_named():
    missing = next(version for version in VERSIONS if version != OWN)
    assert by_name(ROOTS)[f"Python {missing}"].skip == f"no Python {missing} found"
    assert by_name(ROOTS)[f"Python {OWN}"].skip == ""


def test_a_private_python_is_tried_only_where_there_is_one():
    name = "container, root, private Python"
    assert by_name(ROOTS)[name].skip == ""
    assert by_name(replace(ROOTS, open_python=HERE))[name].skip == "every user can start this Python"


def test_what_cannot_be_simulated_is_left_out_and_the_rest_is_not():
    machines = by_name(replace(ROOTS, cannot_simulate="no filters here"))
    assert machines["container, user"].skip == "no filters here"
    assert machines["LC_ALL=C, TERM=dumb"].skip == ""


def test_a_machine_that_is_not_what_it_says_is_found_out():
    expects = {"landlock": "ENOSYS", "cores": 1, "home": None}
    assert differences(expects, {"landlock": "ENOSYS", "cores": 1, "home": None, "term": "dumb"}) == []
    assert differences(expects, {"landlock": "works", "cores": 1}) == [
        "it is not such a machine: landlock is 'works', not 'ENOSYS'"
    ]


def test_our_own_python_is_found():
    assert find(OWN) is not None
    assert find("2.0") is None


# Toolchains


@pytest.mark.parametrize("name", ["cc", "gcc", "gcc-12", "x86_64-linux-gnu-g++-12", "clang-15", "go", "node", "rustc"])
def test_a_compiler_is_a_toolchain_whatever_its_version(name):
    assert is_toolchain(name)


@pytest.mark.parametrize("name", ["python3", "python3.12", "make", "git", "sh", "gcore", "x86_64", "nodename"])
def test_other_programs_are_not(name):
    assert not is_toolchain(name)


def test_a_path_without_toolchains_has_everything_else_and_the_first_of_each_name(tmp_path):
    for place, name in (("a", "sh"), ("a", "cc"), ("b", "sh"), ("b", "make")):
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / name).touch(0o755)
    (tmp_path / "b" / "notes.txt").touch(0o644)
    path = without_toolchains(f"{tmp_path}/a:{tmp_path}/none:{tmp_path}/b", tmp_path / "bin")
    assert path == str(tmp_path / "bin")
    assert {link.name: os.readlink(link) for link in (tmp_path / "bin").iterdir()} == {
        "sh": f"{tmp_path}/a/sh",
        "make": f"{tmp_path}/b/make",
    }


# A bare system


def test_apts_source_is_found_in_both_of_its_forms(tmp_path):
    assert source(tmp_path) is None
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / "sources.list.d" / "a.sources").write_text(
        "Enabled: no\nTypes: deb\nURIs: http://off/x\nSuites: s\n\n"
        "# a comment\nTypes: deb deb-src\nURIs: http://mirror/debian\nSuites: trixie trixie-updates\nComponents: main\n"
    )
    assert source(tmp_path) == Source("http://mirror/debian", "trixie", ("main",))
    (tmp_path / "sources.list").write_text(
        "# deb http://no/debian bookworm main\ndeb-src http://no/debian bookworm main\n"
        "deb [arch=amd64 signed-by=/x.gpg] https://other/ubuntu noble main universe # yes\n"
    )
    assert source(tmp_path) == Source("https://other/ubuntu", "noble", ("main", "universe"))


def test_pip_is_given_all_that_the_project_names():
    assert {"hatchling", "editables", "trio>=0.27", "pytest>=8.0"} <= set(requirements())


# Commands


def is_gone(process: str) -> bool:
    """Whether it ends soon; its parent need not have noticed."""
    try:
        pidfd = os.pidfd_open(int(process))
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([pidfd], [], [], 10)[0])
    finally:
        os.close(pidfd)


def test_a_command_that_takes_too_long_is_ended_with_all_that_it_has_started(tmp_path):
    ended = Crew().run(["sh", "-c", "echo begun; sleep 1000 & echo $!; wait"], tmp_path / "log", 2, tmp_path, {})
    assert ended.code is None
    assert str(ended) == "took more than 2 s"
    begun, child = ended.output.split()
    assert begun == "begun"
    assert is_gone(child)


def test_ctrl_c_ends_the_command_that_is_waited_for(tmp_path, monkeypatch):
    started = []

    def interrupted(process, _seconds):
        started.append(process)
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess.Popen, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Crew().run(["sleep", "1000"], tmp_path / "log", 60, tmp_path, {})
    assert started[0].returncode == -signal.SIGKILL


def test_the_log_has_every_command_its_output_and_its_end(tmp_path):
    crew, log = Crew(), tmp_path / "log"
    crew.run(["sh", "-c", "echo one >&2; exit 3"], log, 10, tmp_path, dict(os.environ))
    assert crew.run(["echo", "two words"], log, 10, tmp_path, dict(os.environ)).output == "two words\n"
    assert log.read_text() == "$ sh -c 'echo one >&2; exit 3'\none\n[3]\n\n$ echo 'two words'\ntwo words\n[0]\n\n"


def test_after_an_interrupt_nothing_is_started(tmp_path):
    crew = Crew()
    crew.end_all()
    with pytest.raises(InterruptedError):
        crew.run(["true"], tmp_path / "log", 10, tmp_path, {})


# The table

RESULTS = """<testsuites><testsuite>
<testcase name="a"/><testcase name="b"/>
<testcase name="c"><failure message="no">x</failure></testcase>
<testcase name="d"><error message="no">x</error></testcase>
<testcase name="e"><skipped type="pytest.skip" message="no sandbox">x</skipped></testcase>
</testsuite></testsuites>"""


def test_tests_are_counted():
    came = visit(passed=0)
    count(came, RESULTS)
    assert (came.passed, came.failed, came.skips) == (2, 2, Counter({"no sandbox": 1}))


def test_a_row_has_what_ran_and_how_it_ended():
    assert row(visit(skips=Counter(x=2))).split() == [
        "container,",
        "user",
        "user",
        "lite",
        "ok",
        "9",
        "2",
        "0",
        "12",
        "s",
    ]
    assert row(visit(skip="no Python 3.14 found")).split() == ["container,", "user", "not", "tried"]


def test_the_table_fits_a_terminal_also_if_everything_goes_wrong():
    long = "it is not such a machine: " + "very " * 30
    wrong = [
        visit(machine.name, tier="full", demo="FAILED", passed=100, failed=100, seconds=1000.0, faults=[long])
        for machine in matrix(ROOTS)
    ]
    skipped = [visit("other", skip=long), visit("third", skips=Counter({long: 1000}))]
    lines = list(table([*wrong, *skipped]))
    assert max(map(len, lines)) <= WIDTH


def test_all_is_well_only_if_every_machine_is():
    well, bad, skipped = visit(), visit("bad", faults=["arena demo ended with 5"], log=Path("x.log")), visit(skip="no")
    assert [exit_code(those) for those in ([well], [well, skipped], [well, bad], [skipped])] == [0, 0, 1, 1]
    lines = list(table([well, bad, skipped]))
    assert lines[-1] == "1 of 2 machines are well, 1 not tried."
    assert lines[-5:-2] == ["bad FAILED:", "  arena demo ended with 5", "  log: x.log"]


def test_the_reasons_of_skips_are_counted():
    lines = list(
        table([visit(skips=Counter(why=2)), visit("b", skips=Counter(why=1, else_=1)), visit("c", skip="old")])
    )
    assert lines[lines.index("Tests that were skipped:") :][1:3] == ["    3  why", "    1  else_"]
    assert "    1  old" in lines


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_the_machines_can_be_listed():
    listed = subprocess.run(
        [sys.executable, "-m", "tests.anywhere", "--list"], capture_output=True, text=True, timeout=60
    )
    assert listed.returncode == 0, listed.stderr
    assert all(machine.name in listed.stdout for machine in TABLE)
