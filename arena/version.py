"""Which arena this is."""

from importlib.metadata import version
from importlib.util import find_spec

VERSION = version("dino-arena")


def is_compiled() -> bool:
    """Whether the rules and the referee are compiled, as `make fast` does, or run as they are written, in Python."""
    found = find_spec("engine.playouts")
    return found is not None and not str(found.origin).endswith(".py")


def make() -> str:
    """Which of the two, in words."""
    return "compiled" if is_compiled() else "pure Python"
