"""`arena bench kits`: its report, in a run too short to mean anything."""

import pytest

from arena.bench import kits
from arena.errors import LaunchError
from arena.roster.kits import LANGUAGES, create
from tests.machine import need_program, need_sandbox


@pytest.fixture
def few(monkeypatch):
    """Languages that are built in no time, and one whose toolchain is not here."""
    monkeypatch.setattr(kits, "LANGUAGES", {language: LANGUAGES[language] for language in ("c", "rust", "shell")})
    monkeypatch.setattr(kits, "SLICE_S", 0.01)

    def create_some(folder, language):
        if language == "rust":
            raise LaunchError("Rust needs cargo")
        return create(folder, language)

    monkeypatch.setattr(kits, "create", create_some)


@pytest.mark.usefixtures("few")
def test_each_language_stands_beside_c():
    need_program("cc")
    need_sandbox()
    c, shell, rust = kits.measure(slices=2)["rows"]
    assert (c["language"], c["ratio_to_c"]) == ("c", 1.0)
    assert shell["language"] == "shell"
    assert shell["ratio_to_c"] > 1
    assert rust == {"language": "rust", "skipped": "Rust needs cargo"}
    assert c["start_ms"] > 0


class Stepping:
    """A clock that goes on by a tenth of a second each time it is read."""

    def __init__(self) -> None:
        self.read = 0

    def perf_counter(self) -> float:
        self.read += 1
        return self.read / 10


@pytest.mark.usefixtures("few")
def test_a_round_trip_is_the_time_of_a_slice_by_its_questions(monkeypatch):
    need_program("cc")
    need_sandbox()
    monkeypatch.setattr(kits, "time", Stepping())
    monkeypatch.setattr(kits, "SLICE_S", 0.25)
    c, shell, _ = kits.measure(slices=1)["rows"]
    assert [(row["round_trip_us"], row["start_ms"]) for row in (c, shell)] == [(100_000.0, 100.0)] * 2


@pytest.mark.usefixtures("few")
def test_a_kit_that_cannot_be_built_is_left_out_with_the_reason(monkeypatch):
    async def fail(*_words):
        return "exits with 2"

    monkeypatch.setattr(kits, "build", fail)
    rows = kits.measure(slices=1)["rows"]
    assert {row["language"]: row["skipped"] for row in rows}["c"] == "the build exits with 2"
