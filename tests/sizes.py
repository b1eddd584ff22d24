"""How large a sweep is: a sample of it in `make test`, the whole of it in `make sweeps`."""

import os
from typing import TypeVar

T = TypeVar("T")

IS_WHOLE = os.environ.get("ARENA_SWEEPS") == "whole"


def sweep(sample: T, whole: T) -> T:
    """The size of this run. `make sweeps` runs every file that imports this."""
    return whole if IS_WHOLE else sample
