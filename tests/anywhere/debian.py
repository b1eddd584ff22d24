"""A bare system of its own, made with debootstrap: Python, venv, make and git, and nothing else. Needs root and mounts.

Theory of operation. The mirror, the suite and the components are those of this machine's own apt. Packages of Python
come from a folder that is filled beforehand by pip, with this machine's settings, so that nothing inside has to know
them. Each command runs in a mount namespace of its own, whose root is the new system: /proc, /sys and /dev are there,
and the stage lies at the same path as outside. When the command ends, its mounts are gone.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.anywhere.commands import ROOT, Crew

SOURCES = Path("/etc/apt")
PACKAGES = "python3,python3-venv,make,git"
MARK = ".bare"
"""A file in the root of the system by which it is known from inside."""
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
ALONE = ("unshare", "--mount", "--propagation", "private")
"""With mounts of its own, of which nothing is left when the command has ended, however it did."""
ENTER = """
set -e
root=$1 stage=$2 user=$3 folder=$4
shift 4
mount --rbind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mkdir -p "$root$stage"
mount --bind "$stage" "$root$stage"
cd "$root"
pivot_root . .
umount -l .
cd "$folder"
exec setpriv --reuid "$user" --regid "$user" --clear-groups "$@"
"""
NEEDED = ("debootstrap", "unshare", "mount", "pivot_root")
VERSION = "import sys; print('{}.{}'.format(*sys.version_info))"
MAKE_S, DOWNLOAD_S = 600, 300


@dataclass(frozen=True, slots=True)
class Source:
    """Where apt gets packages from."""

    mirror: str
    suite: str
    components: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Debian:
    """A system below a folder, and the stage that is seen from inside; or why it could not be made."""

    root: Path
    stage: Path
    failed: str = ""

    def entered(self, words: Sequence[str], folder: Path, user: int) -> list[str]:
        """A command in a folder of the stage, as this user of the system."""
        place = [str(self.root), str(self.stage), str(user), str(folder)]
        return [*ALONE, "sh", "-c", ENTER, "enter", *place, *words]


def why_not() -> str:
    """Why no such system can be made here; empty if it can."""
    if os.geteuid() != 0:
        return "not started by root"
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        return f"there is no {missing[0]} here"
    if subprocess.run([*ALONE, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True).returncode:
        return "root may make no mounts here"
    return "" if source() else "apt has no source here"


def source(folder: Path = SOURCES) -> Source | None:
    """The first source of packages in apt's own settings, in either of its two forms."""
    files = sorted((*folder.glob("sources.list"), *folder.glob("sources.list.d/*")))
    texts = [(path.suffix, path.read_text("utf-8", "replace")) for path in files]
    found = (one for suffix, text in texts for one in (_stanzas(text) if suffix == ".sources" else _lines(text)))
    return next(found, None)


def _lines(text: str) -> Iterator[Source]:
    """deb [options] http://mirror/debian bookworm main contrib"""
    for line in text.splitlines():
        words = re.sub(r"\[.*?\]", "", line.partition("#")[0]).split()
        if len(words) > 3 and words[0] == "deb" and words[1].startswith("http"):
            yield Source(words[1], words[2], tuple(words[3:]))


def _stanzas(text: str) -> Iterator[Source]:
    """Types: deb, URIs: ..., Suites: ..., Components: ..., divided by empty lines."""
    for stanza in re.split(r"\n\s*\n", re.sub(r"(?m)^#.*\n?", "", text)):
        pairs = (line.partition(":")[::2] for line in stanza.splitlines() if line[:1].isalpha())
        fields = {key.lower(): value.split() for key, value in pairs}
        mirrors = [word for word in fields.get("uris", []) if word.startswith("http")]
        is_off = fields.get("enabled") == ["no"]
        if "deb" in fields.get("types", []) and mirrors and fields.get("suites") and not is_off:
            yield Source(mirrors[0], fields["suites"][0], tuple(fields.get("components", ["main"])))


def make(root: Path, stage: Path, crew: Crew, log: Path, packages: str = PACKAGES) -> Debian:
    """Make the system, and fill a folder with what pip needs in it."""
    made = Debian(root, stage)
    found = source()
    if found is None:
        return replace(made, failed="apt has no source here")
    words = [
        *ALONE,
        "debootstrap",
        "--variant=minbase",
        f"--include={packages}",
        f"--components={','.join(found.components)}",
    ]
    ended = crew.run([*words, found.suite, str(root), found.mirror], log, MAKE_S, stage, dict(os.environ) | _proxy())
    if ended.code != 0:
        return replace(made, failed=f"debootstrap {ended}; log: {log}")
    (root / MARK).touch()
    version = made.entered(["python3", "-c", VERSION], stage, 0)
    asked = crew.run(version, log, DOWNLOAD_S, stage, {"PATH": SYSTEM_PATH})
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary", ":all:"]
    download += ["--constraint", str(ROOT / "constraints.txt")]
    place = ["--dest", str(wheels(stage)), "--python-version", asked.output.strip()]
    ended = crew.run([*download, *place, *requirements()], log, DOWNLOAD_S, stage, dict(os.environ))
    return made if ended.code == 0 else replace(made, failed=f"pip download {ended}; log: {log}")


def _proxy() -> dict[str, str]:
    """Debootstrap does not read apt's settings."""
    asked = subprocess.run(["apt-config", "shell", "proxy", "Acquire::http::Proxy"], capture_output=True, text=True)
    named = re.fullmatch(r"proxy='(.+)'\n", asked.stdout)
    return {"http_proxy": named[1]} if named else {}


def wheels(stage: Path) -> Path:
    """Where pip finds everything inside."""
    return stage / "wheels"


def requirements() -> list[str]:
    """All that pip needs to install a checkout and the tests for every machine."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    own, more = project["project"]["dependencies"], project["project"]["optional-dependencies"]["anywhere"]
    return [*project["build-system"]["requires"], "editables", *own, *more]
