"""`arena place`: what it plays, what it prints, and how it goes on."""

import json
from functools import partial
from pathlib import Path

import pytest

from arena.ladder import freeze as freezing
from arena.ladder import rungs
from arena.league import run as league
from arena.league.audit import audit
from arena.league.secret import of_seed
from arena.league.store import open_store
from tests.cli.command import Command, here
from tests.ladder.small_ladder import small_ladder
from tests.league.small_league import Pretended, small_bot


@pytest.fixture
def bots(monkeypatch, tmp_path) -> Path:
    for module in (rungs, freezing):
        monkeypatch.setattr(module, "KITS", tmp_path)
    small_bot(tmp_path, "second")
    small_ladder(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(league, "Workers", Pretended(noise=12))
    return tmp_path


@pytest.fixture
def place(monkeypatch, capsys, bots) -> Command:
    ladder = bots / "small.json"
    return partial(here, monkeypatch, capsys, "place", "--sandbox", "none", "--seed", "1", "--ladder", ladder)


def leagues() -> list[Path]:
    return sorted(Path("leagues").iterdir())


def test_a_bot_is_placed_between_two_rungs(place):
    ended = place("second", "--until", "40")
    assert ended.code == 0, ended.err
    first, second, third, *_ = ended.out.splitlines()
    assert first.startswith("second: 1")
    assert first.endswith("; first has 1500.")
    assert second.startswith("Rung: between third and first; better than third with ")
    assert third.startswith("The interval: ±")
    assert "Answers: " in ended.out
    assert "illegal 0.00 %, late 0.00 %, malformed 0.00 %; disqualified in 0 of " in ended.out


def test_it_ends_when_the_rating_is_known_well_enough(place):
    found = json.loads(place("second", "--until", "40", "--json").out)
    assert found["is_within"]
    assert found["rating"]["high"] - found["rating"]["low"] <= 80
    assert found["cost"]["matches"] < 1500
    assert (found["above"], found["below"]) == ("third", "first")


def test_it_ends_with_its_budget_and_goes_on_with_a_larger_one(place):
    few = place("second", "--matches", "40", "--until", "5")
    assert "±5 takes more matches: raise --matches." in few.out
    assert "40 matches" in few.out
    more = json.loads(place("second", "--matches", "80", "--until", "5", "--json").out)
    assert more["cost"]["matches"] == 80
    assert len(leagues()) == 1


def test_what_is_played_in_two_runs_is_what_is_played_in_one(place):
    place("second", "--matches", "40", "--until", "5")
    twice = json.loads(place("second", "--matches", "120", "--until", "5", "--json").out)
    (folder,) = leagues()
    folder.rename("before")
    once = json.loads(place("second", "--matches", "120", "--until", "5", "--json").out)
    for one in (once, twice):
        one["cost"].pop("seconds")
    assert once == twice


def test_a_run_that_continues_with_another_end_plays_the_same_league(place):
    wide, narrow = (json.loads(place("second", "--until", until, "--json").out) for until in ("60", "30"))
    assert wide["cost"]["matches"] < narrow["cost"]["matches"]
    assert len(leagues()) == 1


def test_every_deal_is_fresh_and_can_be_audited(place):
    place("second", "--matches", "40")
    (folder,) = leagues()
    with open_store(folder) as store:
        rows = list(store.rows())
        assert len({row.seed for row in rows}) == len(rows) == 40
        found = audit(store, of_seed(1))
    assert (found.wrong, found.matches) == (None, 40)


def test_faults_are_told_apart_from_the_strength(place, monkeypatch):
    def fate(fixture):
        seat = fixture["bots"].index("second")
        found = {**workers._result(fixture), "ranks": [1 + (at == seat) for at in (0, 1)]}
        faults = [{"kind": kind, "seat": seat, "decision": 1, "text": ""} for kind in ("late", "illegal", "crash")]
        times = {"decisions": 10, "total_us": 5000, "p99_us": 900, "most_us": 900, "cpu_us": 4000}
        return {**found, "faults": faults, "times": [times, times]}

    workers = Pretended()
    monkeypatch.setattr(league, "Workers", Pretended(fate))
    ended = place("second", "--matches", "16")
    assert "second: " in ended.out
    assert "Rung: below last, the lowest; weaker than it with " in ended.out
    assert (
        "Answers: 160 decisions; illegal 10.00 %, late 10.00 %, malformed 0.00 %; disqualified in 16 of 16 matches."
        in ended.out
    )
    assert "CPU: 0.1 s of the bot, 0.4 ms a decision; 0.1 s of all bots." in ended.out


def test_a_rung_that_is_late_is_named(place, monkeypatch):
    def fate(fixture):
        seat = 1 - fixture["bots"].index("second")
        late = {"kind": "late", "seat": seat, "decision": 1, "text": ""}
        return {**workers._result(fixture), "faults": [late]}

    workers = Pretended()
    monkeypatch.setattr(league, "Workers", Pretended(fate))
    ended = place("second", "--matches", "16", "--json")
    mistakes = json.loads(ended.out)["conduct"]["faults_of_rungs"]
    assert sum(mistakes.values()) == 16
    for rung, count in mistakes.items():
        assert f"the rung {rung} made {count} mistakes, such as late answers: it was weaker here than its" in ended.err


def test_a_bot_with_the_name_of_a_rung_has_another(place, monkeypatch):
    def fate(fixture):
        bots = [{"first-placed": "second"}.get(bot, bot) for bot in fixture["bots"]]
        return workers._result({**fixture, "bots": bots})

    workers = Pretended()
    monkeypatch.setattr(league, "Workers", Pretended(fate))
    assert json.loads(place("first", "--matches", "16", "--json").out)["bot"] == "first-placed"


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (["second", "--game", "chess"], 4, "chess"),
        (["second", "--game", "dinodocus"], 4, 'a ladder with game "draftosaurus", but "dinodocus" is asked for'),
        (["second", "--seats", "3"], 4, "a ladder with seats 2, but 3 is asked for"),
        (["second", "--option", "season=winter"], 4, "a ladder with options {}"),
        (["second", "--ladder", "none.json"], 4, "Name the file of a ladder"),
        (["nobody"], 4, "is not a bot"),
        (["second", "--processes", "block"], 2, "--processes block: expected match or worker"),
        (["second", "--matches", "3"], 2, "--matches"),
        (["second", "--until", "0"], 2, "--until"),
    ],
)
def test_what_cannot_be_placed_is_refused_in_words(place, words, code, complaint):
    ended = place(*words)
    assert (ended.code, ended.out) == (code, "")
    assert complaint in ended.err
    assert "Traceback" not in ended.err
    assert not Path("leagues").exists()


def test_a_rung_that_changed_is_named_before_anything_is_played(place, bots):
    program = bots / "third" / "bot.py"
    program.write_text(program.read_text() + "\n")
    ended = place("second", "--matches", "16")
    assert "\narena: the rung third has changed since it was frozen on 2026-01-02" in ended.err
    assert ended.code == 0
