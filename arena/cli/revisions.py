"""An earlier version of a bot, from its git repository."""

import hashlib
import subprocess
from collections.abc import Sequence
from pathlib import Path

import typer

from arena.cli.building import LIMIT_S, build_all
from arena.cli.terminal import say
from arena.texts import cut, one_line

FOLDER = Path("leagues") / "revisions"
GIT_S = 60


def older_version(bot: str, revision: str) -> Path:
    """The folder of a bot as it was in a revision, checked out and built; found again the next time.

    It is a worktree of its own, so that neither the user's files nor their index change.
    """
    folder = Path(bot).expanduser().resolve()
    if not folder.is_dir():
        raise typer.BadParameter(f"--against: {one_line(bot, 80)} is not a folder, so it has no earlier version")
    top = Path(_git(folder, "rev-parse", "--show-toplevel"))
    commit = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    name = hashlib.sha256(f"{top}:{commit}".encode()).hexdigest()[:16]
    place = _place(folder, top)
    tree = place / name
    old = tree / folder.relative_to(top.resolve())
    if not tree.exists():
        place.mkdir(parents=True, exist_ok=True)
        _git(folder, "worktree", "prune")
        _git(folder, "worktree", "add", "--detach", "--force", str(tree), commit)
        try:
            if not old.is_dir():
                raise typer.BadParameter(f"--against {one_line(revision, 40)}: {folder.name} did not exist in it")
            _build(old)
        except BaseException:  # a version that is not built must not be found the next time
            _git(folder, "worktree", "remove", "--force", str(tree))
            raise
    say(f"{folder.name} as of {commit[:12]} is in {old}")
    return old


def _place(folder: Path, top: Path) -> Path:
    """Beside the leagues; if they are in the bot's folder, beside its repository, because no bot may lie in another."""
    here = FOLDER.absolute()
    return top.with_name(f"{top.name}-revisions") if here.is_relative_to(folder) else here


def _build(folder: Path) -> None:
    from arena.building.build import Way
    from arena.roster.entries import find

    build_all([find(str(folder))], Way.YES, LIMIT_S)


def _git(folder: Path, *words: str) -> str:
    command: Sequence[str] = ["git", "-C", str(folder), *words]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=GIT_S, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise typer.BadParameter("--against needs git, which is not installed here") from None
    if ended.returncode:
        said = one_line(cut(ended.stderr.strip() or "no such revision", 200))
        raise typer.BadParameter(f"--against: git {words[0]} in {folder}: {said}")
    return ended.stdout.strip()
