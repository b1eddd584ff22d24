"""The arithmetic of `arena bench`: what becomes of times that were measured. Here a clock says them."""

import shutil
from types import SimpleNamespace

import pytest

from arena.bench import engine, kits, league, playouts, referee, sandbox
from arena.bench.engine import PlayoutContest
from arena.bench.kits import Runner
from arena.bench.league import Pace
from arena.bench.peers import Peers
from arena.bench.playouts import CONTESTS, PlayoutRow
from arena.bench.pure import PureRow
from arena.bench.referee import Pair
from arena.bench.sandbox import TimedBot
from arena.league.run import Progress
from arena.sandbox.policy import Tier
from engine.catalogue import game as find_game


class Ticking:
    """A clock that goes on by a second each time it is read."""

    def __init__(self) -> None:
        self.read = 0

    def perf_counter(self) -> float:
        self.read += 1
        return float(self.read)

    monotonic = perf_counter


# Rules


def test_a_slice_of_playouts_counts_decisions_and_games_per_second(monkeypatch):
    monkeypatch.setattr(playouts, "time", Ticking())
    monkeypatch.setattr(playouts, "SLICE_S", 4.5)
    row = PlayoutRow("nim", play=lambda: 10)
    row.measure()
    assert row.rates == [(40 / 5, 4 / 5)]


def test_the_best_slice_of_playouts_counts():
    assert PlayoutRow("nim", int, [(3.0, 1.0), (9.0, 2.0), (5.0, 8.0)]).best == (9.0, 2.0)


def test_a_row_of_playouts_is_compared_with_the_fastest_peer():
    row, peers = PlayoutRow("nim", int, [(90.4, 9.4)]), [PlayoutRow(name, int, [(rate, 1.0)]) for name, rate in PEERS]
    assert engine._shown(row, peers) == {"name": "nim", "decisions_per_s": 90, "games_per_s": 9, "ratio": 3.01}
    assert engine._shown(row, [])["ratio"] is None


PEERS = [("hearts", 30.0), ("skat", 20.0)]


def contest(slowest: float = 60.0, *, has_peers: bool = True, pure: float = 0.0) -> PlayoutContest:
    """Two rows of ours; with `pure`, in pure Python the slower one has this rate, and the other one half of its own."""
    ours = [PlayoutRow("a", int, [(500.0, 1.0)]), PlayoutRow("b", int, [(slowest, 1.0)])]
    rows = [PlayoutRow(name, int, [(rate, 1.0)]) for name, rate in PEERS]
    other = PlayoutRow("hearts, uniform chance", int, [(45.0, 1.0)])
    peers = Peers(rows, [other]) if has_peers else Peers(missing={"hearts": "there is no OpenSpiel"})
    twins = [PureRow(row.name, None, [(rate, 1.0)]) for row, rate in zip(ours, (250.0, pure)) if pure]
    return PlayoutContest(CONTESTS[0], ours, peers, twins)


def found(*contests: PlayoutContest) -> dict[str, tuple[float | None, bool | None]]:
    return {check["name"]: (check["value"], check["ok"]) for check in engine._checks(*contests)}


@pytest.fixture(params=[False, True], ids=["pure", "compiled"])
def compiled(request, monkeypatch) -> bool:
    """Whether this arena is compiled, as it pretends."""
    monkeypatch.setattr("arena.bench.pure.is_compiled", lambda: request.param)
    return bool(request.param)


def test_our_slowest_row_is_compared_with_the_fastest_peer_of_its_kind_of_arena(compiled):
    nothing = (None, None)
    for rate, pure, fast in (
        (48.0, (1.6, True), (1.6, False)),
        (47.9, (1.6, False), (1.6, False)),
        (84.0, (2.8, True), (2.8, True)),
    ):
        checks = found(contest(rate, pure=20.0 * compiled), contest(rate, pure=20.0 * compiled))
        assert checks["engine.vs_openspiel"] == (nothing if compiled else pure)
        assert checks["engine.compiled_vs_openspiel"] == (fast if compiled else nothing)
        assert checks["engine.vs_gin_rummy"] == (round(rate / 30, 2), rate >= 60)


@pytest.mark.parametrize(("pure", "value", "ok"), [(30.0, 2.0, True), (30.1, 1.99, False), (20.0, 2.0, True)])
def test_the_least_gain_over_pure_python_counts(monkeypatch, pure, value, ok):
    monkeypatch.setattr("arena.bench.pure.is_compiled", lambda: True)
    assert found(contest(), contest(60.0, pure=pure))["engine.compiled_vs_pure"] == (value, ok)
    assert [row.get("ratio_to_pure") for row in contest(60.0, pure=pure).rows()] == [
        2.0,
        round(60 / pure, 2),
        None,
        None,
        None,
    ]


def test_all_peers_have_rows_and_those_that_are_missing_a_reason():
    assert [(row["name"], row["ratio"]) for row in contest().rows()][2:] == [
        ("hearts", 1.0),
        ("skat", 0.67),
        ("hearts, uniform chance", 1.5),
    ]
    assert list(contest(has_peers=False).rows())[2:] == [{"name": "hearts", "skipped": "there is no OpenSpiel"}]


def test_what_this_arena_cannot_measure_has_a_reason(compiled):
    checks = engine._checks(contest(has_peers=False), contest())
    other = "this arena is compiled; `make bench` measures pure Python"
    if not compiled:
        other = "this arena runs in pure Python; `make bench-fast` measures the compiled one"
    assert {check["name"]: check["reason"] for check in checks if check["value"] is None} == {
        "engine.vs_openspiel": other if compiled else "there is no OpenSpiel",
        "engine.compiled_vs_openspiel": "there is no OpenSpiel" if compiled else other,
        "engine.compiled_vs_pure": "" if compiled else other,
    }


def test_every_playout_of_ours_has_other_dice():
    asked = []
    play = playouts._playouts(find_game("draftosaurus"), 2, {}, lambda legal: asked.append(legal) or legal[0])
    first = play()
    assert play() == first == len(asked) / 2
    assert asked[:first] != asked[first:]


def test_every_variant_is_played_with_every_number_of_seats():
    names = [row.name for row in playouts.our_rows(CONTESTS[1])]
    assert names == [f"dinodocus {variant} {seats}p" for variant in ("basic", "advanced") for seats in range(2, 7)]


# Leagues


def test_a_pace_counts_each_match_once_and_leaves_the_start_out(monkeypatch):
    monkeypatch.setattr(league, "time", Ticking())
    pace = Pace()
    for new in (0, 1, 1, 2, 3, 3, 4, 5, 6, 7, 8):
        pace.watch(Progress(8, new=new), None)
    assert pace.ends == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    assert pace.rate(1) == 1.0


def test_the_fastest_league_counts_and_the_slowest_is_shown():
    runs = [{"matches": number, "matches_per_s": rate} for number, rate in enumerate((20.0, 100.0, 9.0))]
    assert league._fastest(runs) == {"matches": 1, "matches_per_s": 100.0, "slowest_per_s": 9.0}


RATES = {1: 0.5, 2: 1.0, 3: 0.95, 4: 0.85}
"""What so many workers reach of the speed of two."""


@pytest.mark.parametrize(
    ("cores", "workers", "values"),
    [
        (1, [1], [(14.6, False), (150.0, True), (10.0, True), (None, None), (0.9, True)]),
        (2, [1, 2, 3, 4], [(14.6, False), (150.0, True), (20.0, True), (0.85, False), (0.9, True)]),
        (8, [1, 2], [(14.6, False), (150.0, True), (20.0, True), (None, None), (0.9, True)]),
    ],
)
def test_leagues_are_played_by_as_many_workers_as_tell_something_about_the_cores(monkeypatch, cores, workers, values):
    played = []

    def row(folder, _bot, kind):
        played.append(folder.name)
        fastest = 20.0 if kind.is_python else {"match": 29.13, "worker": 300.0}[kind.processes]
        rate = fastest * RATES[kind.workers] * (0.9 if kind.is_cluster else 1)
        return {"where": kind.is_cluster, "processes": kind.processes, "workers": kind.workers, "matches_per_s": rate}

    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(league, "compile_c", lambda folder, _name: folder)
    monkeypatch.setattr(league, "usable_cpus", lambda: range(cores))
    monkeypatch.setattr(league, "_row", row)
    report = league.measure()
    kinds = [(False, processes, number) for processes in ("match", "worker") for number in workers]
    kinds += [(False, "match", min(2, cores)), (True, "match", min(2, cores))]
    assert [(row["where"], row["processes"], row["workers"]) for row in report["rows"]] == kinds
    assert played == [str(number) for number in range(league.ROUNDS) for _ in kinds]
    assert [(check["value"], check["ok"]) for check in report["checks"]] == values


def test_without_a_compiler_no_league_is_played_for_a_reason(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    report = league.measure()
    assert report["rows"] == []
    assert [(check["value"], check["ok"]) for check in report["checks"]] == [(None, None)] * 5
    assert {check["reason"] for check in report["checks"]} == {"there is no C compiler, `cc`"}


# Referees


def pair(games: list[float]) -> Pair:
    """Slices of a referee in C that plays 2 scripts, 400 answers and 0.002 s of CPU time a second."""
    c = {"games": 2.0 * 0.5, "answers": 400 * 0.5, "seconds": 0.5, "cpu_seconds": 0.001}
    return Pair("one core", [0], [c] * 3, games, decisions=[100.4, 90.0, 110.0], cpu=[31.0, 30.04, 12.0])


def test_the_share_of_c_compares_games_with_games():
    assert pair([10.0, 8.0, 30.0]).share == 10 / (2 * referee.GAMES)


def test_both_referees_have_a_row():
    c, ours = pair([10.04, 8.0, 30.0]).rows()
    assert c == {
        "what": "C referee without rules, 5 C bots, one core",
        "games_per_s": 40.0,
        "decisions_per_s": 400,
        "cpu_us_per_decision": 5.0,
        "share_of_c": 1.0,
    }
    assert ours == {
        "what": "our referee, 5 C bots, one core",
        "games_per_s": 10.0,
        "decisions_per_s": 100,
        "cpu_us_per_decision": 30.0,
        "share_of_c": 0.251,
    }


def test_a_delay_is_what_was_charged_beyond_what_was_taken():
    assert referee._delays_ms({"a": [3.0, 2.0], "b": [5.0]}, {"b": [4.5], "a": [1.0, 2.5]}) == [2.0, 0.0, 0.5]


@pytest.mark.parametrize(
    ("measured", "verdicts"),
    [((0.28, 42.0, 1.0), [True] * 3), ((0.2799, 42.01, 1.001), [False] * 3), ((0.5, 3.0, 0.1), [True] * 3)],
)
def test_a_referee_keeps_a_budget_that_it_just_reaches(monkeypatch, measured, verdicts):
    monkeypatch.setattr("arena.bench.pure.is_compiled", lambda: False)
    assert [check["ok"] for check in referee._checks(*measured)] == [*verdicts, None, None]


@pytest.mark.parametrize(
    ("measured", "verdicts"),
    [((0.42, 27.0, 1.0), [True] * 3), ((0.4199, 27.01, 1.001), [False] * 3)],
)
def test_a_compiled_referee_has_budgets_of_its_own(monkeypatch, measured, verdicts):
    monkeypatch.setattr("arena.bench.pure.is_compiled", lambda: True)
    assert [check["ok"] for check in referee._checks(*measured)] == [None, None, *verdicts]


def test_without_a_compiler_no_referee_is_measured_for_a_reason(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    checks = referee.measure()["checks"]
    assert [(check["name"], check["value"], check["ok"]) for check in checks] == [
        ("referee.share_of_c", None, None),
        ("referee.cpu_us_per_decision", None, None),
        ("referee.delay_p99_ms", None, None),
        ("referee.compiled_share_of_c", None, None),
        ("referee.compiled_cpu_us_per_decision", None, None),
    ]
    assert checks[2]["reason"] == "there is no C compiler, `cc`"


# The sandbox


SAMPLES = {Tier.NONE: [10.0, 20.0, 30.0], Tier.FULL: [13.0, 22.0, 31.0]}


def test_what_a_tier_adds_is_the_median_of_differences_within_rounds():
    rows = list(sandbox._rows("start", "ms", SAMPLES, {Tier.LITE: "it does not work here"}))
    assert rows == [
        {"what": "start", "tier": "none", "median": 20.0, "unit": "ms"},
        {"what": "start", "tier": "lite", "skipped": "it does not work here"},
        {"what": "start", "tier": "full", "median": 22.0, "unit": "ms", "added": 2.0},
    ]
    assert sandbox._ratio(SAMPLES, Tier.FULL) == 1.1


@pytest.mark.parametrize(
    ("added", "trip", "verdicts"), [(12.0, 105.0, [True, True]), (12.1, 106.0, [False, False]), (1, 100, [True, True])]
)
def test_a_sandbox_keeps_a_budget_that_it_just_reaches(added, trip, verdicts):
    bot = TimedBot("C", times_ms={Tier.NONE: [1.0], Tier.FULL: [1.0 + added]})
    checks = sandbox._checks(bot, {Tier.NONE: [100.0], Tier.FULL: [float(trip)]})
    assert [check["ok"] for check in checks] == verdicts


def test_a_round_trip_is_timed_after_a_tenth_of_the_messages(monkeypatch):
    clock, sent = Ticking(), []
    monkeypatch.setattr(sandbox, "time", clock)
    monkeypatch.setattr(sandbox, "_trips", lambda _process, _frame, trips: sent.append((clock.read, trips)))
    with open("/dev/null", "rb") as null:
        process = SimpleNamespace(stdin=null.fileno(), stdout=null.fileno())
        assert sandbox._trip_us(process, b"", 200) == 5000.0
    assert sent == [(0, 20), (1, 200)]


# Kits


def test_kits_are_compared_with_c_slice_by_slice_after_the_warm_up():
    def runner(language: str, *trips_us: float) -> Runner:
        return Runner(language, None, None, 12.34, [999.0] * kits.WARM_UP + [*trips_us])

    c, shell = list(kits._rows([runner("c", 10, 20, 40), runner("shell", 30, 40, 160)], {}))
    assert c == {"language": "c", "round_trip_us": 20, "ratio_to_c": 1.0, "start_ms": 12.3}
    assert shell == {"language": "shell", "round_trip_us": 40, "ratio_to_c": 3.0, "start_ms": 12.3}


def test_without_the_kit_in_c_there_is_no_ratio_and_what_is_left_out_has_a_reason():
    shell = Runner("shell", None, None, 1.0, [1.0] * kits.WARM_UP + [7.0])
    assert list(kits._rows([shell], {"c": "there is no cc"})) == [
        {"language": "shell", "round_trip_us": 7.0, "start_ms": 1.0},
        {"language": "c", "skipped": "there is no cc"},
    ]


def test_the_question_to_the_kits_is_a_real_choice():
    question = kits._question()
    assert len(question.legal) > 1
    assert question.view["phase"] == question.phase
