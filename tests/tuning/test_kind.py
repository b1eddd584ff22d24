"""The league that a tuning plays: what meets, how it resumes, and that another course has other matches."""

import json
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest

from arena import running
from arena.errors import SettingError
from arena.league import run as league
from arena.league.fixtures import blocks_of, match_ids
from arena.league.run import Manner, Progress
from arena.league.store import open_store
from arena.league.tournament import Tournament
from arena.roster.entries import find, read
from arena.roster.tunables import Tunable
from arena.tuning.found import found, manifest_block, plain, values_file
from arena.tuning.kind import IGNORED, Tuning
from arena.tuning.plot import svg
from arena.tuning.units import alike, units_of
from tests.league.small_league import HOST, Pretended, small_bot, watch_nothing
from tests.tuning.objective import tuned

PACE = Tunable("pace", 0.0, 1.0, 0.9)
DEPTH = Tunable("depth", 1, 6, 2, True)


def settings_of(fixture: dict[str, Any]) -> list[dict[str, Any]]:
    return [values or {} for values in fixture["tune"]]


def pretended(worth: Callable[[dict[str, Any]], float], crash_at: int | None = None) -> Pretended:
    """Workers by which the points of a seat follow from its values, and from luck that the deal decides."""

    def fate(fixture: dict[str, Any]) -> dict[str, Any]:
        if fixture["at"] == crash_at:
            raise KeyboardInterrupt
        luck = Random(f"{fixture['seed']}")
        scores = [round(1000 * worth(values) + luck.gauss(0, 50)) for values in settings_of(fixture)]
        ranks = [1 + sum(other > score for other in scores) for score in scores]
        digest = json.dumps(scores)
        return {
            "ranks": ranks, "scores": scores, "breakdown": [{} for _ in scores], "faults": [], "times": [],
            "steps": 1, "digest": f"{hash(digest) & (1 << 64) - 1:016x}",
        }  # fmt: skip

    return Pretended(fate, host=HOST)


def peak(values: dict[str, Any]) -> float:
    return -((values.get("pace", 0.5) - 0.3) ** 2) if values else 0.0


def tuning(folder: Path, **changes: Any) -> Tournament:
    """A tuning of a small bot, which nobody starts."""
    entry = read(small_bot(folder, "first") / "bot.toml")
    entry = replace(entry, tunables=(DEPTH, PACE))
    kind = Tuning(entry.name, (PACE,), (0.9,), 6, 8)
    kind = replace(
        kind, **{name: changes.pop(name) for name in ("iterations", "units", "is_on_score") if name in changes}
    )
    others = tuple(find(name) for name in changes.pop("field", ()))
    entries = (replace(entry, name="first+"), replace(entry, name="first-"), *others)
    return Tournament(
        path=Path("tune first"), name="tune", game="draftosaurus", edition=1, entries=entries, seed=7, deals="shared",
        kind=kind, seats=(len(entries),), sandbox="none", processes="worker", exam=False, **changes,
    )  # fmt: skip


def play(tournament: Tournament, folder: Path, workers: Pretended) -> Progress:
    way = Manner(hire=workers)
    return running.run(lambda: league.run(tournament, folder, watch_nothing, way))


def course(tournament: Tournament, folder: Path) -> Any:
    with open_store(folder) as store:
        tournament = replace(tournament, secret=store.settings()["secret"])
        assert isinstance(tournament.kind, Tuning)
        return tournament.kind.so_far(store, tournament.chance.dice)


def fixtures_of(tournament: Tournament) -> list[Any]:
    assert isinstance(tournament.kind, Tuning)
    tournament = replace(tournament, secret="00" * 16)
    part = next(tournament.kind.parts(tournament.entrants, None))
    return list(part)


def test_a_unit_is_two_matches_with_exchanged_settings_and_one_deal(tmp_path):
    tournament = replace(tuning(tmp_path, field=("random", "greedy")), secret="00" * 16)
    first, second = fixtures_of(tournament)[:2]
    swapped = {"first+": "first-", "first-": "first+"}
    assert second.bots == tuple(swapped.get(bot, bot) for bot in first.bots)
    assert first.deal == second.deal
    assert first.tune == second.tune
    values = dict(first.tune)
    assert set(values) == {"first+", "first-"}
    assert values["first+"] != values["first-"]
    (block,) = list(blocks_of(tournament, [first, second]))
    assert block[0]["seed"] == block[1]["seed"]
    assert block[0]["bot_seed"] == block[1]["bot_seed"], "a bot that uses chance gets the same one with either setting"
    seat = block[0]["bots"].index("first+")
    assert block[0]["tune"][seat] == dict(values["first+"])
    assert [bot for bot, chosen in zip(block[0]["bots"], block[0]["tune"]) if chosen is None] == [
        bot for bot in first.bots if bot in ("random", "greedy")
    ]


def test_other_values_are_another_match(tmp_path):
    tournament = replace(tuning(tmp_path), secret="00" * 16)
    first = fixtures_of(tournament)[0]
    match_id = match_ids(tournament)
    assert match_id(first) == match_id(replace(first))
    assert match_id(first) != match_id(replace(first, tune=(("first+", (("pace", 0.5),)), first.tune[1])))


def test_it_climbs_and_its_course_follows_from_the_store(tmp_path):
    tournament = tuning(tmp_path, iterations=60)
    progress = play(tournament, tmp_path / "league", pretended(peak))
    assert progress.done == 60 * 8 * 2
    ascent = course(tournament, tmp_path / "league")
    assert len(ascent.path) == 60
    assert ascent.proposal[0] == pytest.approx(0.3, abs=0.1)


def test_stopped_anywhere_and_run_again_it_plays_the_same_matches(tmp_path):
    tournament, whole, halves = tuning(tmp_path), pretended(peak), [pretended(peak, 37), pretended(peak)]
    play(tournament, tmp_path / "whole", whole)
    with pytest.raises(BaseException):  # noqa: B017, PT011
        play(tournament, tmp_path / "halves", halves[0])
    play(tournament, tmp_path / "halves", halves[1])
    assert sorted({*halves[0].played, *halves[1].played}) == sorted(whole.played)
    assert course(tournament, tmp_path / "halves").path == course(tournament, tmp_path / "whole").path


def test_more_iterations_continue_the_course(tmp_path):
    first = pretended(peak)
    play(tuning(tmp_path), tmp_path / "league", first)
    before = course(tuning(tmp_path), tmp_path / "league").path
    more, longer = pretended(peak), tuning(tmp_path, iterations=9)
    play(longer, tmp_path / "league", more)
    assert len(more.played) == 3 * 16
    assert course(longer, tmp_path / "league").path[:6] == before


def test_another_tuning_is_refused(tmp_path):
    play(tuning(tmp_path), tmp_path / "league", pretended(peak))
    with pytest.raises(SettingError, match=r"has the results of another league: .*units"):
        play(tuning(tmp_path, units=4), tmp_path / "league", pretended(peak))


def test_a_bot_that_ignores_its_values_is_noticed(tmp_path):
    progress = play(tuning(tmp_path), tmp_path / "league", pretended(lambda values: 0.5))
    assert progress.done < progress.total
    noticed = pretended(lambda values: 0.5)
    noticed._fate = lambda fixture: {
        "ranks": [1, 2], "scores": [3, 2], "breakdown": [{}, {}], "faults": [], "times": [], "steps": 1,
        "digest": f"{fixture['seed'] % (1 << 64):016x}",
    }  # fmt: skip
    progress = play(tuning(tmp_path), tmp_path / "other", noticed)
    assert (progress.stopped, progress.is_decided, progress.done) == (IGNORED, True, 32)


# What was found


def test_what_was_found_is_a_block_and_a_file_that_the_arena_reads(tmp_path):
    folder = small_bot(tmp_path, "first")
    parameters = (DEPTH, Tunable("a.b", 0.0, 1.0, 0.25))
    (folder / "bot.toml").write_text(
        (folder / "bot.toml").read_text() + manifest_block(parameters, {"depth": 4, "a.b": 0.5})
    )
    entry = read(folder / "bot.toml")
    assert entry.values == {"a.b": 0.5, "depth": 4}
    path = tmp_path / "tuned.toml"
    path.write_text(values_file(str(folder), 'a "tuned" one', {"a.b": 0.125}, "After 12 games."))
    assert (find(str(path)).name, find(str(path)).values) == ('a "tuned" one', {"a.b": 0.125, "depth": 4})
    assert tomllib.loads(path.read_text())["bot"] == str(folder)


def test_the_picture_is_one_that_a_browser_can_show():
    ascent = tuned(1, 80)
    picture = svg("<b>&\x1b", found(ascent), 1280)
    root = ElementTree.fromstring(picture)
    words = "".join(root.itertext())
    assert "<b>&\\x1b" in words
    for parameter in found(ascent):
        assert f"{parameter.one.name}: {parameter.value:g} (" in words
    assert picture.count("1,280 games") == 4
    assert picture.count("L") > 4 * 70, "the course has its points"


def test_for_programs_there_is_every_parameter():
    first = next(plain(found(tuned(1, 5))))
    assert first == {
        "name": "depth", "min": 1, "max": 9, "whole": True, "start": 3, "value": first["value"], "low": None, "high": None,
    }  # fmt: skip


# What units are worth


def test_units_are_the_mean_of_their_games_and_twins_are_noticed(tmp_path):
    tournament = tuning(tmp_path, iterations=2, units=2)
    play(tournament, tmp_path / "league", pretended(peak))
    with open_store(tmp_path / "league") as store:
        rows = list(store.rows(0, 2))
    (first, second) = rows[:2]
    by_hand = [(row.scores[row.bots.index("first+")] - row.scores[row.bots.index("first-")]) for row in (first, second)]
    assert units_of(rows, "first+", "first-", True)[0] == sum(by_hand) / 2
    assert set(units_of(rows, "first+", "first-", False)) <= {-1.0, -0.5, 0.0, 0.5, 1.0}
    assert units_of(rows[::-1], "first-", "first+", True) == [
        -worth for worth in units_of(rows, "first+", "first-", True)
    ]
    assert next(alike([first, replace(second, digest=first.digest), *rows[2:]]))
    assert not any(alike(rows))
