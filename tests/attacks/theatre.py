"""Where stages are put up: folders that everybody may read, and a process for each match, as root or as nobody.

A test that runs as root plays each match twice, as root and as an ordinary user; elsewhere there is only the latter.
Where root can make control groups, tests of resources also have a user to whom one is delegated.
"""

import atexit
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from arena.sandbox import cgroup, delegation
from tests import prepared
from tests.machine import is_confined, is_reachable
from tests.prepared import Prepared

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NOBODY = 12345
SYSTEM_PYTHON = "/usr/bin/python3"
USERS = ("root", "ordinary") if os.geteuid() == 0 else ("ordinary",)
DELEGATES = ("delegate",) if os.geteuid() == 0 and not delegation.base()[1] else ()
TIERS = ("none", "lite", "full")
NEEDED = (
    "annotated_doc", "annotated_types", "attr", "attrs", "idna", "msgpack", "outcome", "pydantic", "pydantic_core",
    "shellingham", "sniffio", "sortedcontainers", "tabulate", "trio", "typer", "typing_extensions.py",
    "typing_inspection",
)  # fmt: skip
SECONDS = 60
MISSING = re.compile(r"this machine has no sandbox .*?: ((?:full|lite): [^\"]*)|a sandboxed build needs the tier full")
"""What is said where a wall cannot be built. On CI that is a failure, or a broken wall would be skipped."""


@cache
def site_packages() -> Path:
    import trio

    return Path(trio.__file__).parents[1]


@cache
def shared_copy() -> tempfile.TemporaryDirectory[str]:
    """What the arena needs, where everybody can read it."""
    folder = tempfile.TemporaryDirectory(dir="/var/tmp", prefix="arena-")
    os.chmod(folder.name, 0o755)
    for name in ("arena", "engine", "protocol"):
        shutil.copytree(ROOT / name, Path(folder.name, name), ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("stage.py", "league_stage.py", "builder.py", "../prepared.py"):
        shutil.copy(HERE / name, folder.name)
    own = [path.name for path in site_packages().glob("dino_arena-*.dist-info")]  # which knows the version
    for name in (*NEEDED, *own):
        source = site_packages() / name
        if source.is_dir():
            shutil.copytree(source, Path(folder.name, name), ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy(source, folder.name)
    subprocess.run(["chmod", "-R", "a+rX", folder.name], check=True)
    return folder


@cache
def python_of(user: str) -> tuple[str, str, str]:
    """The interpreter, the folder with stage.py and the PYTHONPATH for a user."""
    if user == "root" or os.geteuid() != 0:
        return sys.executable, str(HERE), f"{ROOT}:{site_packages()}"
    python = sys.executable if is_reachable(Path(sys.executable)) else same_python()
    if all(map(is_reachable, (ROOT / "arena" / "match" / "launch.py", site_packages() / "trio", HERE / "stage.py"))):
        return python, str(HERE), f"{ROOT}:{site_packages()}"
    return python, shared_copy().name, shared_copy().name


def same_python() -> str:
    """An interpreter of the same version that everybody may execute."""
    asked = subprocess.run(
        [SYSTEM_PYTHON, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True
    )
    if asked.stdout.split() != [str(number) for number in sys.version_info[:2]]:
        pytest.skip(f"an ordinary user may not execute {sys.executable}, and {SYSTEM_PYTHON} is another version")
    return SYSTEM_PYTHON


@contextmanager
def put_up(user: str, where: str = "/var/tmp") -> Iterator[Path]:
    """The folders of a stage, which belong to the user."""
    with tempfile.TemporaryDirectory(dir=where, prefix="stage-") as name:
        base = Path(name)
        for folder in ("league", "home", "bots/witness", "bots/hostile"):
            (base / folder).mkdir(parents=True)
        for bot in ("witness", "hostile"):
            shutil.copy(HERE / "hostile_bot.py", base / "bots" / bot)
        if os.geteuid() == 0 and user != "root":
            for path in (base, *base.rglob("*")):
                os.chown(path, NOBODY, NOBODY)
        os.chmod(base, 0o755)
        for path in base.rglob("*"):
            os.chmod(path, 0o755 if path.is_dir() else 0o644)
        yield base


@contextmanager
def delegated_group() -> Iterator[str]:
    """A control group that belongs to the ordinary user: that is all that delegation is."""
    if is_confined():
        pytest.skip(
            "this process is held back itself, as in containers, where no bot can be started in a control group"
        )
    above, _ = delegation.base()
    delegation.arrange(above)
    group = f"{above}/test-{secrets.token_hex(4)}"
    os.mkdir(group)
    for path in (group, f"{group}/cgroup.procs", f"{group}/cgroup.subtree_control"):
        os.chown(path, NOBODY, NOBODY)
    try:
        yield group
    finally:
        for name in (f"{group}/{delegation.REFEREES}", group):
            assert cgroup.remove(name), f"something is left in {os.listdir(group)}"


def become_delegate(group: str) -> None:
    """Between fork and exec."""
    cgroup.write(f"{group}/cgroup.procs", "0")
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


@cache
def environment_of(user: str) -> dict[str, str]:
    """What a user's arenas have in common; one thing is known to nobody but them."""
    return {
        "PYTHONPATH": python_of(user)[2],
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "ARENA_SECRET": secrets.token_hex(16),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@cache
def prepared_for(user: str) -> Prepared:
    """What starts a user's programs. Its environment is that of the arena, where other processes look for secrets."""
    python, folder, _ = python_of(user)
    identity: dict[str, Any] = {}
    if os.geteuid() == 0 and user == "ordinary":
        identity = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    file = prepared.__file__ if folder == str(HERE) else str(Path(folder, "prepared.py"))
    started = Prepared([python, file, *prepared.ARENA], environment_of(user), cwd="/", **identity)
    atexit.register(started.close)
    return started


def run_as_delegate(
    words: list[str], environment: dict[str, str], base: Path, stdin: str
) -> subprocess.CompletedProcess[str]:
    with delegated_group() as group:
        return subprocess.run(
            [python_of("delegate")[0], *words],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=base / "league",
            env=environment,
            timeout=SECONDS,
            start_new_session=True,
            preexec_fn=partial(become_delegate, group),
        )


def run_as(user: str, words: list[str], base: Path, stdin: str = "") -> str:
    """The output of one of our programs, run by a user in the league's folder."""
    folder = python_of(user)[1]
    words = [str(Path(folder, words[0])), *words[1:]]
    environment = {**environment_of(user), "HOME": str(base / "home")}
    if user == "delegate":
        ended = run_as_delegate(words, environment, base, stdin)
    else:
        ended = prepared_for(user).run(
            words, environment, base / "league", stdin, has_own_session=True, timeout_s=SECONDS
        )
    if missing := MISSING.search(ended.stdout + ended.stderr):
        pytest.skip(f"{user}: {missing[1] or 'no full tier'}")
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def perform(user: str, tier: str, *attacks: str, **task: Any) -> dict[str, Any]:
    """One match with these attacks, and what was found. One that the machine was too busy for is played again."""
    for _ in range(3):
        found = perform_once(user, tier, *attacks, **task)
        if not any(kind == "overload" for kind, _, _ in found["faults"]):
            break
    return found


def perform_once(user: str, tier: str, *attacks: str, **task: Any) -> dict[str, Any]:
    with put_up(user, task.pop("where", "/var/tmp")) as base:
        if task.pop("set_user_id", False):
            task["program"] = str(make_set_user_id(base))
        task |= {"base": str(base), "tier": tier, "attacks": list(attacks)}
        found: dict[str, Any] = json.loads(run_as(user, ["stage.py"], base, json.dumps(task)))
    return found


def make_set_user_id(base: Path) -> Path:
    """A Python that is root for whoever executes it, in the bot's own folder."""
    path = base / "bots" / "hostile" / "python-of-root"
    shutil.copy(os.path.realpath(SYSTEM_PYTHON), path)
    os.chown(path, 0, 0)
    os.chmod(path, 0o4755)
    return path


def play_scene(user: str, tier: str, scene: str, **task: Any) -> dict[str, Any]:
    """What a scene without a match has shown."""
    with put_up(user) as base:
        task |= {"base": str(base), "tier": tier, "scene": scene}
        found: dict[str, Any] = json.loads(run_as(user, ["stage.py"], base, json.dumps(task)))
    return found
