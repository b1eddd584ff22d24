"""Where the arena keeps what it remembers about this user and this machine, as the XDG specification defines it."""

import os
from pathlib import Path

WAY_OUT = "you have no home folder. Set XDG_STATE_HOME to a folder of your own"
"""For the error of a caller that cannot do without the folder."""


def state_folder() -> Path | None:
    """The arena's state folder, which may not exist yet; None if the user has no home folder."""
    named = os.environ.get("XDG_STATE_HOME", "")
    try:
        base = Path(named) if named.startswith("/") else Path.home() / ".local" / "state"
    except RuntimeError:
        return None
    return base / "dino-arena"
