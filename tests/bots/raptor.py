"""raptor's program, built once on this machine."""

from pathlib import Path

import pytest

from arena.errors import LaunchError
from arena.match.compiling import make_ready
from arena.roster.entries import Entry, find


def raptor() -> Entry:
    """The built-in bot; skips where there is no compiler, which on CI is a failure."""
    bot = find("raptor")
    try:
        make_ready(bot)
    except LaunchError as missing:
        pytest.skip(str(missing))
    return bot


def program() -> Path:
    return raptor().folder / "raptor"
