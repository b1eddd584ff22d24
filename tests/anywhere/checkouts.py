"""Copies of the project with a virtual environment of their own, made as a visitor makes them: by make and pip."""

import os
import shutil
import stat
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.anywhere.commands import ROOT, Crew
from tests.anywhere.debian import SYSTEM_PATH, Debian, wheels
from tests.anywhere.machines import ODD_NAME, Checkout
from tests.anywhere.pythons import ORDINARY, Host

NOT_COPIED = (".git", ".venv*", "__pycache__", "build", "dist", "leagues", "node_modules", "target", ".*_cache")
OF_OTHERS = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV")
"""Variables of the make and the Python that run us, which are not those of a visitor."""
INSTALL_S = 300


@dataclass(frozen=True, slots=True)
class Copy:
    """A checkout that is ready, or why it is not; and the system that it is in, if that is not this one."""

    folder: Path
    failed: str = ""
    system: Debian | None = None

    @property
    def python(self) -> str:
        return str(self.folder / ".venv" / "bin" / "python")

    def within(self, words: Sequence[str], folder: Path, is_root: bool) -> Sequence[str]:
        """The words that run a command where this checkout is."""
        return self.system.entered(words, folder, 0 if is_root else ORDINARY) if self.system else words


def prepare(checkout: str, host: Host, stage: Path, crew: Crew, log: Path) -> Copy:
    """Make a copy below the stage, and install what `arena demo` and the tests for every machine need."""
    folder = stage / "checkouts" / (ODD_NAME if checkout == Checkout.ODD else checkout)
    found = host.open_python if checkout == Checkout.OPEN else host.pythons.get(checkout)
    python = found or host.own_python
    copy(folder)
    environment = {name: value for name, value in os.environ.items() if name not in OF_OTHERS}
    made = install(Copy(folder), python, True, crew, log, environment)
    if checkout == Checkout.OPEN and host.is_root:
        give(folder, ORDINARY)
    return made


def prepare_bare(checkout: str, system: Debian, crew: Crew, log: Path) -> Copy:
    """The same in a bare system, by the user whose checkout it is."""
    folder, is_root = system.stage / "checkouts" / checkout, checkout == Checkout.BARE_ROOT
    if system.failed:
        return Copy(folder, system.failed)
    copy(folder)
    if not is_root:
        give(folder, ORDINARY)
    environment = {"PATH": SYSTEM_PATH, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels(system.stage))}
    environment |= {"HOME": str(folder), "PIP_NO_CACHE_DIR": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return install(Copy(folder, system=system), "python3", is_root, crew, log, environment)


def install(checkout: Copy, python: str, is_root: bool, crew: Crew, log: Path, environment: Mapping[str, str]) -> Copy:
    """Let make and pip do what they do for a visitor."""
    folder = checkout.folder
    pip = [".venv/bin/python", "-m", "pip", "install", "--quiet", "--constraint", "constraints.txt"]
    for words in (["make", ".venv/.installed", f"PYTHON={python}"], [*pip, *needed_by_tests()]):
        ended = crew.run(checkout.within(words, folder, is_root), log, INSTALL_S, folder, environment)
        if ended.code != 0:
            return replace(checkout, failed=f"{' '.join(words[:4])} {ended}; log: {log}")
    return checkout


def copy(folder: Path) -> None:
    """The files of the project as they are now, readable for all, without what was built or played."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode == 0:
        for name in filter(None, listed.stdout.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
    else:  # an archive without its history
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*NOT_COPIED), dirs_exist_ok=True)
    for path in (folder, *folder.rglob("*")):
        readable = 0o755 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o644
        path.chmod(path.stat().st_mode | readable)


def needed_by_tests() -> list[str]:
    """What the tests for every machine need besides the arena."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed: list[str] = project["optional-dependencies"]["anywhere"]
    return needed


def give(folder: Path, user: int) -> None:
    """All of it belongs to this user."""
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user, user, follow_symlinks=False)
