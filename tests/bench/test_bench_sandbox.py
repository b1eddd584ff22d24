"""`arena bench sandbox`: its report, in a run too short to mean anything."""

import shutil

import pytest

from arena.bench import sandbox
from arena.bench.sandbox import measure
from arena.match.tiers import probe
from arena.sandbox.policy import Policy, Tier
from tests.bench.shape import must_be_described

TIERS = ["none", "lite", "full"]
BOTS = ["C bot, start to hello", "Python bot, start to hello", "Node bot, start to hello", "Java bot, start to hello"]
needs_c = pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler (cc)")
needs_full = pytest.mark.skipif(probe(Tier.FULL, Policy())[1] is not None, reason="tier full does not work here")


@needs_c
@needs_full
def test_every_bot_is_measured_in_every_tier_or_has_a_reason():
    report = measure(rounds=1, trips=20)
    must_be_described(report)
    rows = report["rows"]
    assert [(row["what"], row["tier"]) for row in rows] == [
        (what, tier) for what in [*BOTS, "question and answer, C bot"] for tier in TIERS
    ]
    for row in rows:
        assert row.get("skipped") or (row["median"] > 0 and row["unit"] in ("ms", "us")), row
        assert row["tier"] == "none" or "skipped" in row or "added" in row
    added, ratio = report["checks"]
    assert (added["name"], added["unit"], added["budget"], added["better"]) == (
        "sandbox.start_added_ms",
        "ms",
        12,
        "lower",
    )
    assert (ratio["name"], ratio["unit"], ratio["budget"]) == ("sandbox.roundtrip_ratio", "ratio", 1.05)
    for check in (added, ratio):
        assert check["ok"] is (check["value"] <= check["budget"])


def test_without_toolchains_there_are_reasons_instead_of_numbers(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None)
    report = measure(rounds=1, trips=20)
    skipped = {row["what"]: row["skipped"] for row in report["rows"] if row["tier"] == "none" and "skipped" in row}
    assert skipped["C bot, start to hello"] == "there is no cc"
    assert skipped["Node bot, start to hello"] == "there is no node"
    assert skipped["Java bot, start to hello"] == "there is no javac"
    assert skipped["question and answer, C bot"] == "there is no cc"
    assert [(check["value"], check["ok"], check["reason"]) for check in report["checks"]] == [
        (None, None, "there is no cc")
    ] * 2


@needs_c
def test_without_the_tier_there_is_a_reason(monkeypatch):
    monkeypatch.setattr(sandbox, "probe", lambda tier, policy: ((), "namespaces are refused"))
    report = measure(rounds=1, trips=20)
    assert {row.get("skipped") for row in report["rows"] if row["tier"] != "none"} == {"namespaces are refused"}
    assert [check["reason"] for check in report["checks"]] == ["namespaces are refused"] * 2
