"""Which arena this is."""

import sys
from importlib.metadata import version
from importlib.util import find_spec

VERSION = version("dino-arena")
RUN_OURS = (sys.executable, "-P", "-m")
"""Runs the module of the arena that is named next. Without -P Python would take it from the current folder, if that has
a folder `arena` or `engine`: a stranger's, which would then run outside of every sandbox, or a checkout's, which is not
compiled."""


def is_compiled() -> bool:
    """Whether the rules and the referee are compiled, as `make fast` does, or run as they are written, in Python."""
    found = find_spec("engine.playouts")
    return found is not None and not str(found.origin).endswith(".py")


def make() -> str:
    """Which of the two, in words."""
    return "compiled" if is_compiled() else "pure Python"
