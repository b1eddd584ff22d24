"""Builds the built-in bots that must be compiled, once, when they first play.

Their sources are copied and built with the kit's own means, and what they run is put into the cache, under the digest
of the sources: another arena has another folder (arena/roster/compiled.py). The build runs with the user's rights, as
it does when the arena itself is installed: the sources are the arena's.
"""

import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from arena.errors import Interrupted, LaunchError
from arena.roster.compiled import CACHE, sources
from arena.roster.entries import Entry, Recipe, recipe_of
from arena.texts import SENTENCE, one_line

LOG = "build.log"
OF_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")
"""Variables by which a make above, such as that of `make test`, would have a say."""


def make_ready(entry: Entry) -> None:
    """Build this bot if it comes with the arena, must be built and has not been. LaunchError says what is missing."""
    recipe = recipe_of(entry)
    if recipe is None:
        return
    cache = entry.folder.parent
    if (entry.folder / recipe.program).is_file():
        _check_owner(cache)
        return
    _check_tools(recipe)
    try:
        cache.mkdir(mode=0o755, parents=True, exist_ok=True)
        _check_owner(cache)
        with tempfile.TemporaryDirectory(prefix=f".{recipe.program}-", dir=cache) as bench:
            _build(recipe, Path(bench), entry.folder)
    except OSError as error:
        raise LaunchError(
            f"{recipe.program} cannot be built in {cache}: {error.strerror}. Set {CACHE} to a folder of your own."
        ) from None


def _build(recipe: Recipe, bench: Path, target: Path) -> None:
    for path in sources(recipe.sources):
        shutil.copy(path, bench)
    name = recipe.program
    sys.stderr.write(f"arena: {name} is built, once: {target}\n")
    status = _run(recipe, bench)
    if status == -signal.SIGINT:
        raise Interrupted("interrupted")
    if status != 0 or not (bench / name).is_file():
        said = (bench / LOG).read_text("utf-8", "replace").strip().splitlines() or [f"status {status}"]
        told = next((line for line in said if "error" in line), said[-1])
        raise LaunchError(f"{name} cannot be built: {shlex.join(recipe.build)}: {one_line(told, SENTENCE)}")
    ready = bench / "ready"
    ready.mkdir()
    (bench / name).rename(ready / name)
    ready.chmod(0o755)  # whatever the umask is: a root user's bots are others
    (ready / name).chmod(0o755)
    with suppress(OSError):  # another process was faster
        ready.rename(target)
    if not (target / name).is_file():
        raise LaunchError(f"{name} cannot be built in {target}: something else is there. Remove it.")


def _run(recipe: Recipe, bench: Path) -> int:
    """Run the build command; its output goes to a file. Returns its status."""
    env = {key: value for key, value in os.environ.items() if key not in OF_MAKE}
    with open(bench / LOG, "wb") as log:
        return subprocess.call(
            recipe.build, cwd=bench, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )


def _check_tools(recipe: Recipe) -> None:
    compiler = shlex.split(os.environ.get("CXX", "")) or ["g++"]
    if shutil.which(recipe.build[0]) is None or shutil.which(compiler[0]) is None:
        raise LaunchError(f"{recipe.program} needs make and a C++ compiler: sudo apt install g++ make")


def _check_owner(folder: Path) -> None:
    """LaunchError if others could have put a program here."""
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise LaunchError(f"{folder} is not a folder that only this user can write to. Set {CACHE} to another")
