"""raptor's program, built once on this machine."""

from pathlib import Path

import pytest

from arena.errors import LaunchError
from arena.roster.entries import Entry, find


def raptor() -> Entry:
    """The built-in bot; skips where there is no compiler, which on CI is a failure."""
    try:
        return find("raptor")
    except LaunchError as missing:
        pytest.skip(str(missing))


def program() -> Path:
    return raptor().folder / "raptor"
