"""What the attacks share: a folder for all workers of a run, and what is made there once for all of them."""

import fcntl
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.theatre import TIERS, USERS

collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]


@pytest.fixture(params=USERS)
def user(request: pytest.FixtureRequest) -> str:
    """Who runs the arena."""
    who: str = request.param
    return who


@pytest.fixture(params=TIERS)
def tier(request: pytest.FixtureRequest) -> str:
    """What holds the bots back."""
    name: str = request.param
    return name


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all workers, if there are several."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "workshop"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def once(workshop: Path) -> Callable[[str, Callable[[], dict[str, Any]]], dict[str, Any]]:
    """once(name, find) is what the first call of find gave, here or in another worker."""

    def get(name: str, find: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        path = workshop / f"{name}.json"
        with open(workshop / f"{name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                path.write_text(json.dumps(find()))
            found: dict[str, Any] = json.loads(path.read_text())
        return found

    return get
