"""Programs of this machine that look as if they came from another one, and bots that need them."""

import json
import shutil
from pathlib import Path

from tests.league.small_league import small_bot

ENV = Path(shutil.which("env") or "/usr/bin/env").resolve()
"""A program that a bot can be started with, and that a build can copy at once."""
COPIED = f"cp {ENV} runs/env"


def for_another_machine(program: bytes) -> bytes:
    """The same bytes with another processor in their header: s390x, on which nobody runs these tests."""
    order = "little" if program[5] == 1 else "big"
    return program[:18] + (22).to_bytes(2, order) + program[20:]  # type: ignore[arg-type]


def for_another_libc(program: bytes) -> bytes:
    """The same bytes with a loader that no machine has."""
    at = program.index(b"/ld-")
    start = program.rindex(b"/lib", 0, at)
    name = program[start : program.index(b"\0", start)]
    return program.replace(name, b"/nowhere/ld".ljust(len(name), b"x")[: len(name)], 1)


def strange_bot(folder: Path, how: str = "first", build: str = COPIED, files: str = "") -> Path:
    """A bot that is started by a program for another machine; its build makes one for this machine."""
    home = small_bot(folder, how)
    (home / "runs").mkdir()
    (home / "runs" / "env").write_bytes(for_another_machine(ENV.read_bytes()))
    (home / "runs" / "env").chmod(0o755)
    command, words = json.dumps(["runs/env", "python3", "-I", "-S", "bot.py", how]), json.dumps(["sh", "-c", build])
    manifest = f'name = "{how}"\nversion = "1"\ncommand = {command}\nbuild = {words}\n{files}'
    (home / "bot.toml").write_text(manifest)
    return home
