"""A bot that starts slowly is examined in few processes, and the verdict is that of a bot that starts fast."""

import json

import pytest

from arena.check import plain, probe
from tests.check.test_broken_bots import BOTS
from tests.cli.command import here


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(("name", "found", "most"), [("good", [], 20), ("seat-of-the-first", ["second-match"], 60)])
def test_a_slow_start_costs_few_starts_and_hides_nothing(name, found, most, monkeypatch, capsys):
    """Forty or more processes are started for a bot that starts fast."""

    started = []
    begin = probe.Probe.__init__

    def count(self: probe.Probe, *words: object) -> None:
        started.append(self)
        begin(self, *words)  # type: ignore[arg-type]

    monkeypatch.setattr(plain, "SLOW_START_S", -1.0)
    monkeypatch.setattr(probe.Probe, "__init__", count)
    ended = here(monkeypatch, capsys, "check", BOTS / "python" / f"{name}.toml", "--sandbox", "none", "--json")
    report = json.loads(ended.out)
    assert [finding["id"] for finding in report["findings"]] == ["slow-start", *found]
    (start,) = [exam for exam in report["exams"] if exam["exam"] == "start"]
    assert start["reason"] == "slow: some exams share processes"
    assert len(started) <= most
    assert not [one for one in started if one.exit is None], "none is left"
