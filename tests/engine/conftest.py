"""Tests of the rules count the lines that they reach, so what an earlier test has put into a cache must not hide any."""

import sys

import pytest


@pytest.fixture(autouse=True, scope="module")
def _empty_caches() -> None:
    for name in [name for name in sys.modules if name.startswith("engine.")]:
        for value in vars(sys.modules[name]).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()
