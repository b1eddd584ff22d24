"""Control groups: which files are written, in which order, and what happens when that fails.

A folder stands in for the kernel's groups here: making a group fills it with the kernel's files. What real groups do is
in tests/attacks/test_resources.py.
"""

import errno
import fcntl
import os
import shutil
from pathlib import Path

import pytest

from arena.sandbox import cgroup, delegation
from arena.sandbox.cgroup import Leaf, Tree, limits

MEGA = 1 << 20
CELL = {"tier": "full", "memory_mb": 256, "scratch_mb": 64, "threads": 10, "processes": 1}
FILES = ("cgroup.procs", "cgroup.subtree_control", "cgroup.type", "cgroup.kill", "cgroup.freeze", "cgroup.controllers")
LIMITS = ("memory.max", "memory.swap.max", "memory.oom.group", "pids.max", "cpu.weight")


class StandIn:
    """A tree of groups that remembers what was written, and can refuse."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.written: list[tuple[str, str]] = []
        self.refuses: dict[tuple[str, str], list[int]] = {}
        """For what is written where, the errors, one for each time."""
        self.fill(root)

    def fill(self, group: Path) -> None:
        for name in (*FILES, *LIMITS):
            (group / name).touch()
        (group / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")

    def make(self, path: str) -> None:
        Path(path).mkdir()
        self.fill(Path(path))

    def write(self, path: str, text: str) -> None:
        where = str(Path(path).relative_to(self.root))
        if numbers := self.refuses.get((where, text)):
            raise OSError(numbers.pop(0), "refused", path)
        self.written.append((where, text))
        file = Path(path)
        if file.name == "cgroup.subtree_control":
            file.write_text(f"{file.read_text()} {text[1:]}".strip())
        elif file.name == "cgroup.procs":
            source = self.root / "cgroup.procs"
            source.write_text("\n".join(pid for pid in source.read_text().split() if pid != text))
        else:
            file.write_text(f"{text}\n")

    def remove(self, path: str) -> bool:
        if any(child.is_dir() for child in Path(path).iterdir()):
            return False
        shutil.rmtree(path)
        return True


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    stand_in = StandIn(tmp_path)
    for module in (cgroup, delegation):
        for name in ("make", "write", "remove"):
            monkeypatch.setattr(module, name, getattr(stand_in, name))
    return stand_in


def tree(groups: StandIn, *controllers: str) -> Tree:
    path = groups.root / "arena-1-0"
    groups.make(str(path))
    return Tree(str(path), os.open(path, os.O_RDONLY), controllers)


# The leaf of a bot


def test_a_leaf_has_a_limit_for_each_controller() -> None:
    """Its memory is the policy's, with the scratch space and what no process can help having; and an init counts."""
    assert limits(CELL, ("memory", "pids", "cpu")) == {
        "memory.max": (256 + 64 + 16) * MEGA,
        "memory.swap.max": 0,
        "memory.oom.group": 1,
        "pids.max": 10 + 1 + 1,
        "cpu.weight": 100,
    }


def test_without_an_init_there_is_one_process_less() -> None:
    assert limits(CELL | {"tier": "lite"}, ("pids",)) == {"pids.max": 10 + 1}


def test_without_controllers_there_is_nothing_to_limit() -> None:
    assert limits(CELL, ()) == {}


def test_the_limits_are_written_before_a_process_is_born_there(groups: StandIn) -> None:
    leaf = tree(groups, "memory", "pids").leaf(CELL)
    assert groups.written == [
        ("arena-1-0/1/memory.max", str(336 * MEGA)),
        ("arena-1-0/1/memory.swap.max", "0"),
        ("arena-1-0/1/memory.oom.group", "1"),
        ("arena-1-0/1/pids.max", "12"),
    ]
    leaf.remove()
    assert not os.path.exists(leaf.path)


def test_a_kernel_that_does_not_count_swap_has_no_limit_on_it(groups: StandIn) -> None:
    own = tree(groups, "memory")
    own._files.remove("memory.swap.max")
    own.leaf(CELL)
    assert [name for name, _ in groups.written] == ["arena-1-0/1/memory.max", "arena-1-0/1/memory.oom.group"]


def test_a_limit_that_is_refused_leaves_no_group(groups: StandIn) -> None:
    groups.refuses["arena-1-0/1/pids.max", "12"] = [errno.EINVAL]
    with pytest.raises(OSError, match="refused"):
        tree(groups, "pids").leaf(CELL)
    assert not (groups.root / "arena-1-0" / "1").exists()


@pytest.fixture
def leaf(groups: StandIn) -> Leaf:
    """One that this process is in."""
    made = tree(groups, "memory", "pids", "cpu").leaf(CELL)
    Path(made.path, "cgroup.procs").write_text(f"1\n{os.getpid()}\n")
    return made


def test_the_layer_names_the_controllers_in_force(leaf: Leaf) -> None:
    assert leaf.confirm() == "cgroup memory pids cpu"


def test_who_is_not_in_the_group_does_not_confirm_it(leaf: Leaf) -> None:
    Path(leaf.path, "cgroup.procs").write_text(f"1\n{os.getpid()}1\n")
    with pytest.raises(OSError, match="not in its control group"):
        leaf.confirm()


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_that_does_not_hold_is_not_confirmed(leaf: Leaf, name: str) -> None:
    Path(leaf.path, name).write_text("max\n")
    with pytest.raises(OSError, match=f"{name} does not hold: max instead of"):
        leaf.confirm()


@pytest.mark.parametrize(
    ("events", "peak", "found"),
    [
        ("low 0\nhigh 0\nmax 3\noom 1\noom_kill 2\noom_group_kill 1\n", "1048576\n", (True, 1024)),
        ("low 0\nmax 30\noom 0\noom_kill 0\n", "1048576\n", (False, 1024)),
        ("", "", (False, 0)),
    ],
)
def test_the_account_of_a_group_tells_who_ran_out_of_memory(leaf: Leaf, events: str, peak: str, found: object) -> None:
    Path(leaf.path, "memory.events").write_text(events)
    Path(leaf.path, "memory.peak").write_text(peak)
    assert leaf.account() == found


def test_a_group_that_still_has_processes_is_removed_later(groups: StandIn) -> None:
    own = tree(groups)
    first = own.leaf(CELL)
    Path(first.path, "child").mkdir()  # which stands in for a process that is still ending
    first.remove()
    assert os.path.exists(first.path)
    Path(first.path, "child").rmdir()
    own.leaf(CELL)
    assert not os.path.exists(first.path)


# The group that is delegated


def procs(groups: StandIn, *pids: int) -> None:
    (groups.root / "cgroup.procs").write_text("\n".join(map(str, pids)))


def test_all_processes_move_before_the_controllers_are_switched_on(groups: StandIn) -> None:
    procs(groups, 7, 8)
    assert delegation.arrange(str(groups.root)) == ("memory", "pids", "cpu")
    assert groups.written == [
        ("arena-referees/cgroup.procs", "7"),
        ("arena-referees/cgroup.procs", "8"),
        ("cgroup.subtree_control", "+memory"),
        ("cgroup.subtree_control", "+pids"),
        ("cgroup.subtree_control", "+cpu"),
        ("arena-referees/cpu.weight", "1000"),
    ]


def test_what_another_spawner_has_arranged_stays_as_it_is(groups: StandIn) -> None:
    delegation.arrange(str(groups.root))
    groups.written.clear()
    assert delegation.arrange(str(groups.root)) == ("memory", "pids", "cpu")
    assert groups.written == [("arena-referees/cpu.weight", "1000")]


def test_a_process_that_was_just_forked_moves_at_the_next_attempt(groups: StandIn) -> None:
    procs(groups, 7)
    groups.refuses["cgroup.subtree_control", "+memory"] = [errno.EBUSY, errno.EBUSY]
    assert delegation.arrange(str(groups.root)) == ("memory", "pids", "cpu")


def test_a_group_that_never_gets_empty_has_no_controllers(groups: StandIn) -> None:
    groups.refuses["cgroup.subtree_control", "+memory"] = [errno.EBUSY] * 100
    assert delegation.arrange(str(groups.root)) == ()


def test_a_controller_that_is_refused_is_left_out(groups: StandIn) -> None:
    groups.refuses["cgroup.subtree_control", "+cpu"] = [errno.EINVAL] * 100
    assert delegation.arrange(str(groups.root)) == ("memory", "pids")


def test_a_process_that_has_just_ended_is_no_reason_to_stop(groups: StandIn) -> None:
    procs(groups, 7, 8)
    groups.refuses["arena-referees/cgroup.procs", "7"] = [errno.ESRCH]
    assert delegation.arrange(str(groups.root)) == ("memory", "pids", "cpu")
    assert ("arena-referees/cgroup.procs", "8") in groups.written


def test_nobody_is_moved_in_the_root_of_all_groups(groups: StandIn) -> None:
    (groups.root / "cgroup.type").unlink()
    procs(groups, 7, 8)
    assert delegation.arrange(str(groups.root)) == ("memory", "pids", "cpu")
    assert [name for name, _ in groups.written] == ["cgroup.subtree_control"] * 3


def test_nobody_is_moved_for_a_group_without_controllers(groups: StandIn) -> None:
    (groups.root / "cgroup.controllers").write_text("hugetlb\n")
    procs(groups, 7, 8)
    assert delegation.arrange(str(groups.root)) == ()
    assert groups.written == []


def test_a_tree_has_the_controllers_of_its_group(groups: StandIn) -> None:
    own = delegation.plant(str(groups.root), ("memory", "pids"))
    assert own.controllers == ("memory", "pids")
    own.close()
    assert not os.path.exists(own.path)


def test_only_trees_that_nobody_holds_are_swept_away(groups: StandIn) -> None:
    alive = delegation.plant(str(groups.root), ())
    dead = delegation.plant(str(groups.root), ())
    dead.leaf(CELL)
    os.close(dead._lock)
    groups.make(str(groups.root / "another's"))
    groups.make(str(groups.root / "arena-referees"))
    delegation.sweep(str(groups.root))
    left = {path.name for path in groups.root.iterdir() if path.is_dir()}
    assert left == {Path(alive.path).name, "another's", "arena-referees"}
    assert (f"{Path(dead.path).name}/cgroup.kill", "1") in groups.written


def test_a_tree_that_is_swept_away_before_it_is_locked_is_made_again(
    groups: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = fcntl.flock
    held: list[int] = []

    def late(fd: int, how: int) -> None:
        if not held:
            held.append(fd)
            raise BlockingIOError
        lock(fd, how)

    monkeypatch.setattr(fcntl, "flock", late)
    assert delegation.plant(str(groups.root), ()).path.endswith("-1")


# Which group that is

HYBRID = "9:name=systemd:/user\n4:memory:/x\n0::/user.slice/a.scope\n"
MOUNT = "30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
OTHERS = "22 1 0:20 / /proc rw - proc proc rw\n31 25 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"


@pytest.mark.parametrize(
    ("own", "mounts", "found"),
    [
        ("0::/user.slice/a.scope\n", OTHERS + MOUNT, ("/sys/fs/cgroup/user.slice/a.scope", "")),
        ("0::/\n", MOUNT, ("/sys/fs/cgroup", "")),
        (HYBRID, OTHERS + MOUNT.replace("/sys/fs/cgroup", "/sys/fs/cgroup/unified"), ("/sys/fs/cgroup/unified/user.slice/a.scope", "")),
        ("0::/docker/ab\n", MOUNT.replace(" / /sys", " /docker/ab /sys"), ("/sys/fs/cgroup", "")),
        ("0::/docker/ab/c\n", MOUNT.replace(" / /sys", " /docker/ab /sys"), ("/sys/fs/cgroup/c", "")),
        ("0::/../other\n", MOUNT, ("", "no version 2")),
        (HYBRID, OTHERS, ("", "no version 2")),
        ("4:memory:/x\n", MOUNT, ("", "no version 2")),
        ("", "", ("", "no version 2")),
    ],
)  # fmt: skip
def test_the_own_group_is_found_as_a_folder(own: str, mounts: str, found: tuple[str, str]) -> None:
    assert delegation.find(own, mounts) == found


@pytest.mark.parametrize(
    ("name", "mark", "why"),
    [
        ("run-1.scope", b"1", ""),
        ("run-1.scope", None, "not delegated"),
        ("run-1.scope", b"0", "not delegated"),
        ("arena.service", None, "not delegated"),
        ("by-hand", None, ""),
    ],
)
def test_a_group_of_systemds_is_ours_only_if_it_is_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, mark: bytes | None, why: str
) -> None:
    group = tmp_path / name
    group.mkdir()
    StandIn(group)

    def marks(_path: str, _name: str) -> bytes:
        if mark is None:
            raise OSError(errno.ENODATA, "no such mark")
        return mark

    monkeypatch.setattr(os, "getxattr", marks)
    assert delegation.refusal(str(group)) == why


def systemctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """A stand-in for the program that asks a manager."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "systemctl").write_text(f"#!/bin/sh\n{body}\n")
    (folder / "systemctl").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def unit_of_user(tmp_path: Path, name: str) -> Path:
    group = tmp_path / "user.slice" / "user@1234.service" / "app.slice" / name
    group.mkdir(parents=True)
    StandIn(group)
    return group


SAYS = """
[ "$XDG_RUNTIME_DIR" = /run/user/1234 ] || exit 1
case "$*" in
*"--user show --property=Delegate --value -- yes.scope") echo yes ;;
*.scope) echo no ;;
*) echo "Failed to connect to bus" >&2; exit 1 ;;
esac"""


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("name", "why"), [("yes.scope", ""), ("no.scope", "not delegated"), ("lost.service", "not delegated")]
)
def test_the_manager_of_a_user_marks_no_group_and_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, why: str
) -> None:
    systemctl(tmp_path, monkeypatch, SAYS)
    assert delegation.refusal(str(unit_of_user(tmp_path, name))) == why


@pytest.mark.usefixtures("processes")
def test_where_no_manager_can_be_asked_nothing_is_delegated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert delegation.refusal(str(unit_of_user(tmp_path, "yes.scope"))) == "not delegated"


@pytest.mark.usefixtures("processes")
def test_only_the_first_spawner_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    systemctl(tmp_path, monkeypatch, "echo no")
    group = unit_of_user(tmp_path, "yes.scope")
    (group / "arena-referees").mkdir()
    assert delegation.refusal(str(group)) == ""


@pytest.mark.parametrize("closed", ["", "cgroup.procs", "cgroup.subtree_control"])
def test_a_group_in_which_we_may_not_write_is_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, closed: str
) -> None:
    StandIn(tmp_path)
    monkeypatch.setattr(os, "access", lambda path, _mode: str(path) != str(tmp_path / closed))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert delegation.refusal(str(tmp_path)) == "not delegated"


def test_root_who_may_not_write_is_in_a_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    StandIn(tmp_path)
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert delegation.refusal(str(tmp_path)) == "read-only"
