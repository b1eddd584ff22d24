"""`make bench`: what becomes of the reports of two arenas, and when a figure is worse than it was."""

import json
from pathlib import Path

import pytest

from benchmarks import side_by_side
from benchmarks.side_by_side import (
    BASELINE,
    COMPILED,
    FIGURES,
    PURE,
    BenchSpread,
    change,
    compared,
    spreads,
)

BY_NAME = {figure.name: figure for figure in FIGURES}
SHARE, CPU = BY_NAME["referee / C"], BY_NAME["referee / C, CPU"]


def check(name: str, value: float | None) -> dict[str, object]:
    return {"name": name, "value": value}


def parts(share: float, *, prefix: str = "") -> dict[str, dict[str, object]]:
    """A round in which our referee is so fast."""
    ours = {"what": "our referee, 5 C bots, default placement", "games_per_s": 100 * share, "cpu_us_per_decision": 30.0}
    limit = {"what": "C referee without rules, 5 C bots, free placement", "cpu_us_per_decision": 10.0}
    checks = [check("referee.share_of_c", None), check(f"referee.{prefix}share_of_c", share)]
    league = [check("league.reused_matches_per_s_per_core", 200.0), check("league.crowded_share", None)]
    start = [{"start": "python", "ms": 10.0}, {"start": "play", "ms": 200.0, "ratio_to_python": 20.0}]
    return {
        "referee": {"rows": [limit, ours], "checks": checks},
        "league": {"rows": [], "checks": league},
        "start": {"rows": start, "checks": []},
    }


@pytest.mark.parametrize("prefix", ["", "compiled_"])
def test_a_figure_is_the_median_of_the_rounds_and_its_spread_reaches_from_the_lowest_to_the_highest(prefix):
    found = spreads([parts(share, prefix=prefix) for share in (0.5, 0.2, 0.4)], FIGURES)
    assert found["referee / C"] == BenchSpread(0.4, 0.2, 0.5)
    assert found["referee / C, CPU"].median == 3.0
    assert found["reused C bots / Python start"].median == 2.0
    assert found["arena play, ms"].median == 200.0
    assert not {"4 workers / 2", "Draftosaurus / OpenSpiel", "arena --help, ms"} & found.keys(), "not measured"


@pytest.mark.parametrize(
    ("figure", "now", "before", "said"),
    [
        (SHARE, (0.30, 0.29, 0.31), (0.40, 0.39, 0.41), "slower"),
        (CPU, (0.30, 0.29, 0.31), (0.40, 0.39, 0.41), "faster"),
        (SHARE, (0.40, 0.39, 0.41), (0.30, 0.29, 0.31), "faster"),
        (SHARE, (0.30, 0.29, 0.39), (0.40, 0.39, 0.41), ""),
        (SHARE, (0.39, 0.389, 0.391), (0.40, 0.399, 0.401), ""),
    ],
    ids=["lower", "lower is better", "higher", "the spreads touch", "a little"],
)
def test_only_what_noise_cannot_explain_is_a_change(figure, now, before, said):
    assert change(figure, BenchSpread(*now), BenchSpread(*before)) == said


def test_ratios_are_compared_with_those_of_the_same_arena():
    now = {PURE: {"referee / C": BenchSpread(0.3, 0.3, 0.3), "referee, games/s": BenchSpread(1, 1, 1)}}
    before = {"median": 0.4, "low": 0.4, "high": 0.4}
    kept = {"figures": {PURE: {"referee / C": before, "referee, games/s": before}, COMPILED: {"referee / C": before}}}
    assert list(compared(now, kept)) == ["slower, pure: referee / C: 0.3 (0.3-0.3), before 0.4 (0.4-0.4)"]


def test_both_arenas_measure_each_part_in_turn_unless_nothing_of_it_is_compiled(monkeypatch):
    asked = []
    monkeypatch.setattr(side_by_side, "report", lambda program, part: asked.append((str(program), part)) or {})
    found = side_by_side.measure({PURE: Path("p"), COMPILED: Path("c")}, (*side_by_side.BOTH, *side_by_side.ONE), 2)
    both = [(program, part) for part in side_by_side.BOTH for program in ("p", "c")]
    assert asked == [*both, *(("p", part) for part in side_by_side.ONE)] * 2
    assert [sorted(one) for one in found[COMPILED]] == [sorted(side_by_side.BOTH)] * 2


def test_what_is_kept_are_ratios_alone():
    kept = side_by_side.to_keep({PURE: spreads([parts(0.4)], FIGURES)}, {"rounds": 1})
    assert kept["made"] == {"rounds": 1}
    assert kept["figures"][PURE]["referee / C"] == {"median": 0.4, "low": 0.4, "high": 0.4}
    assert all(BY_NAME[name].is_ratio for name in kept["figures"][PURE])


def test_the_baseline_has_ratios_alone_and_says_how_it_was_made():
    baseline = json.loads(BASELINE.read_text("utf-8"))
    assert baseline["made"].keys() == {"date", "machine", "load", "command"}
    assert baseline["figures"].keys() == {PURE, COMPILED}
    for figures in baseline["figures"].values():
        assert "Draftosaurus / OpenSpiel" in figures
        assert all(BY_NAME[name].is_ratio for name in figures)


def test_a_figure_reads_a_part_that_is_measured():
    assert {figure.part for figure in FIGURES} == {*side_by_side.BOTH, *side_by_side.ONE}
    assert len(BY_NAME) == len(FIGURES)
