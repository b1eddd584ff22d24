"""The Pythons of this machine: which versions there are, and one that every user can start."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
OWN = "{}.{}".format(*sys.version_info)
ORDINARY = 54321
"""The number of an ordinary user who has no name, no password and no home, as by `docker run --user 54321`."""
QUESTION = "import ensurepip, ssl, venv, sys; print('{}.{}'.format(*sys.version_info))"
"""What a Python needs to have for `python -m venv` and pip."""
ANSWER_S = 20


@dataclass(frozen=True, slots=True)
class Host:
    """What a matrix depends on."""

    is_root: bool
    pythons: dict[str, str | None]
    """By version; our own is the one that runs this."""
    open_python: str | None
    """One that an ordinary user can start; our own if that will do."""
    cannot_simulate: str = ""
    """Why container.py does not work here, if it does not."""

    @property
    def own_python(self) -> str:
        return self.pythons[OWN] or sys.executable


def survey(simulator: list[str]) -> Host:
    """Look at this machine. `simulator` is the beginning of a command that runs another one in a container."""
    is_root = os.geteuid() == 0
    pythons = {version: find(version) for version in (*VERSIONS, *({OWN} - {*VERSIONS}))}
    own = pythons[OWN] or sys.executable
    others = [path for path in pythons.values() if path] + [f"/usr/bin/python{version}" for version in VERSIONS]
    opened = next((path for path in (own, *others) if starts(path, as_ordinary=True)), None) if is_root else own
    tried = subprocess.run([*simulator, "true"], capture_output=True, text=True, timeout=ANSWER_S)
    return Host(is_root, pythons, opened, tried.stderr.strip() if tried.returncode else "")


def find(version: str) -> str | None:
    """A Python of this version that can make virtual environments."""
    return next((path for path in candidates(version) if starts(path) == version), None)


def candidates(version: str) -> Iterator[str]:
    """Where it may be: our own first, then on the PATH, then where pyenv, uv and distributions put it."""
    name = f"python{version}"
    if version == OWN:
        yield str(Path(sys.base_prefix, "bin", name))
    yield from filter(None, [shutil.which(name)])
    with suppress(RuntimeError):  # a user without a home
        pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
        uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or Path.home() / ".local" / "share" / "uv" / "python")
        for pattern in (pyenv / f"{version}.*", uv / f"cpython-{version}.*"):
            places = sorted(glob(str(pattern)), reverse=True)  # of a closed folder it finds nothing; Path.glob raises
            yield from (f"{place}/bin/{name}" for place in places)
    yield from (f"{folder}/{name}" for folder in ("/usr/local/bin", "/usr/bin", f"/opt/python/{version}/bin"))


def starts(python: str, as_ordinary: bool = False) -> str | None:
    """The version that it says it has, if it starts and has all that is needed."""
    who: dict[str, Any] = {"user": ORDINARY, "group": ORDINARY, "extra_groups": []} if as_ordinary else {}
    try:
        asked = subprocess.run(
            [python, "-I", "-c", QUESTION], capture_output=True, text=True, timeout=ANSWER_S, cwd="/", **who
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return asked.stdout.strip() if asked.returncode == 0 else None
