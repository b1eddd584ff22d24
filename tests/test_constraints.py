"""constraints.txt holds every package that is installed here to one version."""

import re
import tomllib

from tests.anywhere.debian import requirements
from tests.selection import TESTS
from tests.test_compiled import build_hook

PINNED = re.compile(r"([a-z0-9-]+)==[0-9][0-9a-z.]*(?: ; .+)?")
NAME = re.compile(r"[A-Za-z0-9._-]+")


def test_every_package_that_is_named_is_held_to_a_version():
    """Else a new release of it could fail any test. Way out: make constraints."""
    lines = (TESTS.parent / "constraints.txt").read_text("utf-8").splitlines()
    pins = [PINNED.fullmatch(line) for line in lines if not line.startswith("#")]
    pinned = {pin[1] for pin in pins if pin}
    assert None not in pins
    settings = tomllib.loads((TESTS.parent / "pyproject.toml").read_text("utf-8"))
    project, compiling = settings["project"], build_hook(settings)["dependencies"]
    extras = [one for extra in project["optional-dependencies"].values() for one in extra]
    needed = {name(one) for one in (*requirements(), *compiling, *extras)} - {project["name"]}
    assert needed - pinned == set()


def name(requirement: str) -> str:
    """As constraints spell it."""
    found = NAME.match(requirement)
    assert found, requirement
    return found[0].lower().replace("_", "-")
