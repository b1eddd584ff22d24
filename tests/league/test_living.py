"""Leagues whose roster changes, that are shared by machines and merged: nothing is played twice, nothing is lost."""

import json
import re
import shutil
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena import running
from arena.cli.standings import standings_table, versions_of
from arena.cli.status import status_of
from arena.errors import BotRefused, SettingError, StoreError
from arena.league import evidence, results
from arena.league import run as league
from arena.league.admission import version_of
from arena.league.audit import audit
from arena.league.deals import kept_secret
from arena.league.lineup import RosterChange
from arena.league.missing import missing_of
from arena.league.run import Manner
from arena.league.share import Share
from arena.league.store import open_store
from arena.league.tournament import read_tournament
from arena.roster.copies import kept
from tests.league.small_league import GOOD, Pretended, Refereed, play, rows, small_bot, small_league, watch_nothing
from tests.machine import need_tier
from tests.sizes import sweep
from tests.strange_programs import strange_bot


class Stop(Exception):
    """The runner is gone."""


def stop_after(matches):
    def watch(progress, _store):
        if progress.new >= matches:
            raise Stop

    return watch


def update(path, folder, *bots):
    return running.run(lambda: league.update(path, folder, bots or None))


def run(path, folder, manner=league.USUAL, watch=watch_nothing):
    return running.run(lambda: league.run(read_tournament(path), folder, watch, manner))


def standings_of(folder):
    with open_store(folder) as store:
        return [repr(standing) for standing in results.all_versions(store)]


@pytest.fixture
def workers(monkeypatch):
    pretended = Pretended()
    monkeypatch.setattr(league, "Workers", pretended)
    return pretended


# One change


def test_a_bot_that_joins_plays_its_own_matches_only(tmp_path, workers):
    path = small_league(tmp_path, GOOD[:3])
    play(path, tmp_path / "results")
    before = rows(tmp_path / "results")
    small_league(tmp_path, GOOD)
    changes, _ = update(path, tmp_path / "results")
    assert [(one.name, one.verb) for one in changes] == [("last", "joins")]
    progress = play(path, tmp_path / "results")
    assert (progress.new, progress.done, progress.total) == (6, 12, 12)
    new = [row for row in rows(tmp_path / "results") if row not in before]
    assert len(new) == 6
    assert all("last" in row.bots for row in new)
    assert len(workers.played) == len(set(workers.played)) == 12


def test_a_new_version_plays_again_and_the_old_one_keeps_its_results(tmp_path, workers):
    path = small_league(tmp_path, GOOD[:3])
    play(path, tmp_path / "results")
    (tmp_path / "first" / "bot.toml").write_text((tmp_path / "first" / "bot.toml").read_text().replace('"1"', '"2"'))
    changes, _ = update(path, tmp_path / "results", "first")
    assert [(one.name, one.verb) for one in changes] == [("first", "gets a new version")]
    progress = play(path, tmp_path / "results")
    assert (progress.new, progress.done, progress.total) == (4, 6, 6)
    with open_store(tmp_path / "results") as store:
        assert {one.bot for one in results.table(store)} == {"first", "second", "third"}
        every = {one.bot: one.games for one in results.all_versions(store)}
    assert every == {"first": 4, "first 1": 4, "second": 6, "third": 6}
    assert len(workers.played) == 10


@pytest.mark.usefixtures("workers")
def test_a_league_with_a_new_version_is_not_complete_until_that_has_played(tmp_path):
    path = small_league(tmp_path, GOOD[:3])
    play(path, tmp_path / "results")
    assert state(tmp_path / "results") == ("complete", 6)
    (tmp_path / "first" / "bot.toml").write_text((tmp_path / "first" / "bot.toml").read_text().replace('"1"', '"2"'))
    update(path, tmp_path / "results", "first")
    assert state(tmp_path / "results") == ("stopped", 2), "the results of the old version are of another bot"
    play(path, tmp_path / "results")
    assert state(tmp_path / "results") == ("complete", 6)


def state(folder):
    with open_store(folder) as store:
        found = status_of(store)
    return found.state, found.played


@pytest.mark.usefixtures("workers")
def test_the_table_of_all_versions_has_the_number_of_each(tmp_path):
    path = small_league(tmp_path, GOOD[:3])
    play(path, tmp_path / "results")
    (tmp_path / "first" / "bot.toml").write_text((tmp_path / "first" / "bot.toml").read_text().replace('"1"', '"2"'))
    update(path, tmp_path / "results", "first")
    with open_store(tmp_path / "results") as store:
        lines = standings_table(results.all_versions(store), versions_of(store)).splitlines()
    cells = {tuple(re.split(" {2,}", line)[1:3]) for line in lines[2:6]}
    assert cells == {("first", "2"), ("first 1", "1"), ("second", "1"), ("third", "1")}


@pytest.mark.usefixtures("workers")
def test_a_bot_that_retires_keeps_its_results_and_has_no_place(tmp_path):
    path = small_league(tmp_path)
    play(path, tmp_path / "results")
    small_league(tmp_path, GOOD[1:])
    changes, _ = update(path, tmp_path / "results")
    assert [(one.name, one.verb) for one in changes] == [("first", "retires")]
    progress = play(path, tmp_path / "results")
    assert (progress.new, progress.done, progress.total) == (0, 6, 6)
    with open_store(tmp_path / "results") as store:
        assert [one.bot for one in results.table(store)] == ["second", "third", "last"]
        assert "first 1" in {one.bot for one in results.all_versions(store)}
        assert audit(store, kept_secret(store.settings())).wrong is None


@pytest.mark.usefixtures("workers")
def test_a_roster_cannot_become_smaller_than_a_table(tmp_path):
    path = small_league(tmp_path, GOOD[:3], seats=[3], blocks=2)
    play(path, tmp_path / "results")
    path.write_text(path.read_text().replace('"first", ', "").replace("[3]", "[2]"))
    with pytest.raises(SettingError, match="another league: schedule was"):
        update(path, tmp_path / "results")


@pytest.mark.usefixtures("workers")
def test_an_anchor_holds_the_scale(tmp_path):
    path = small_league(tmp_path, anchor=None)
    path.write_text(path.read_text().replace("[schedule]", "[anchor]\nthird = 2000\n[schedule]"))
    play(path, tmp_path / "results")
    with open_store(tmp_path / "results") as store:
        found = {one.bot: one.rating for one in results.table(store)}
    assert (found["third"].value, found["third"].low, found["third"].high) == (2000, 2000, 2000)
    assert found["first"].value > 2000 > found["last"].value


@pytest.mark.usefixtures("workers")
def test_a_league_that_goes_on_for_ever_takes_in_a_change_of_its_file(tmp_path):
    path = small_league(tmp_path, GOOD[:3])
    told = list[str]()

    def watch(progress, _store):
        told.extend(word for word in progress.warnings if word not in told)
        if progress.new == 10 and not told:
            small_league(tmp_path, GOOD)
        if len(told) and progress.new >= 30:
            raise Stop

    with pytest.raises(Stop):
        run(path, tmp_path / "results", Manner(forever=True), watch)
    assert told == ["last joins"]
    found = rows(tmp_path / "results")
    assert len(found) > 12, "more than the plan has"
    assert any("last" in row.bots for row in found)
    assert len({(row.block, row.rotation) for row in found}) == len(found)


@pytest.mark.usefixtures("workers")
def test_a_league_that_goes_on_for_ever_first_ends_the_meetings_that_were_interrupted(tmp_path):
    path = small_league(tmp_path, GOOD[:3], seats=[3], blocks=1)
    with pytest.raises(Stop):
        run(path, tmp_path / "results", Manner(forever=True), stop_after(10))
    found = rows(tmp_path / "results")
    blocks = Counter(row.block for row in found)
    assert sorted(blocks.values()) == [1, 3, 3, 3]
    (half,) = [block for block, count in blocks.items() if count == 1]
    with pytest.raises(Stop):
        run(path, tmp_path / "results", Manner(forever=True), stop_after(2))
    assert Counter(row.block for row in rows(tmp_path / "results")) == {**blocks, half: 3}


@pytest.mark.usefixtures("workers")
def test_too_few_bots_for_a_table_are_refused_also_if_only_some_changes_are_taken_in(tmp_path):
    path = small_league(tmp_path, GOOD[:3], seats=[3], blocks=1)
    play(path, tmp_path / "results")
    small_league(tmp_path, GOOD[1:], seats=[3], blocks=1)
    with pytest.raises(SettingError, match="a table has 3 seats, and 2 bots would be left"):
        update(path, tmp_path / "results", "first")
    assert [one.name for one in update(path, tmp_path / "results")[0]] == ["last", "first"]


@pytest.mark.usefixtures("workers")
def test_a_running_league_takes_in_a_change_of_its_roster_at_once(tmp_path):
    path = small_league(tmp_path, GOOD[:3], blocks=20)
    running.run(lambda: league.begin(read_tournament(path), tmp_path / "results"))
    small_league(tmp_path, GOOD, blocks=20)
    (newcomer,) = [entry for entry in read_tournament(path).entries if entry.name == "last"]
    version = version_of(kept(newcomer, tmp_path / "results" / "bots", tmp_path / "results" / "unpacked"), "last")
    small_league(tmp_path, GOOD[:3], blocks=20)
    tournament = read_tournament(path)
    small_league(tmp_path, GOOD, blocks=20)

    def watch(progress, store):
        if progress.new == 10 and store.epoch() == 0:
            store.enlist([version], [RosterChange(1, "2026-01-01T00:00:00Z", "last", version.key)])

    progress = running.run(lambda: league.run(tournament, tmp_path / "results", watch))
    assert (progress.warnings, progress.has_news) == ([], False)
    found = rows(tmp_path / "results")
    assert len(found) == len({row.match for row in found}) == progress.total == progress.done
    assert sum("last" in row.bots for row in found) == 28, "as many blocks as a founder, 14 of 20 with 3 bots"


# Exams


@pytest.mark.usefixtures("processes")
def test_a_bot_that_cannot_start_is_refused_before_the_first_match(tmp_path):
    path = small_league(tmp_path, ("first", "last", "crash"), exam=True)
    with pytest.raises(BotRefused) as refusal:
        play(path, tmp_path / "results")
    assert str(refusal.value).startswith("crash did not get through its trial match: crash: it exited with status 1")
    assert str(refusal.value).endswith("`arena league run` and `update` have --keep-going.")
    progress = run(path, tmp_path / "results", Manner(keep_going=True))
    assert progress.warnings[0].startswith("crash is left out: it did not get through its trial match: crash: ")
    assert (progress.done, progress.total) == (2, 2)
    assert not any("crash" in row.bots for row in rows(tmp_path / "results"))


@pytest.mark.usefixtures("processes")
def test_an_exam_counts_for_nothing(tmp_path):
    path = small_league(tmp_path, ("first", "last"), exam=True, blocks=1)
    assert play(path, tmp_path / "results").done == len(rows(tmp_path / "results")) == 2
    assert len(list((tmp_path / "results" / "exams").rglob("*.gz"))) == 2


@pytest.mark.usefixtures("processes")
def test_copies_from_another_machine_are_built_here_or_refused_with_the_reason(tmp_path):
    need_tier("full")
    path = small_league(tmp_path, ("last",), exam=True)
    strange_bot(tmp_path)
    strange_bot(tmp_path, "second", build="echo no compiler here; exit 1")
    path.write_text(path.read_text().replace('["last"]', '["first", "second", "last"]'))
    with pytest.raises(BotRefused, match=r"^second did not get .*: it cannot be built .*: no compiler here\n"):
        play(path, tmp_path / "results")
    progress = run(path, tmp_path / "results", Manner(keep_going=True))
    (left_out,) = progress.warnings
    assert left_out.startswith("second is left out: it did not get through its trial match: it cannot be built in")
    assert (progress.done, progress.total) == (2, 2)
    assert [fault for row in rows(tmp_path / "results") for fault in row.faults] == []


# Shares


def shares(path, base, count, folder):
    """Every share in a folder of its own."""
    for number in range(1, count + 1):
        run(path, folder / f"{number}", Manner(share=Share(number, count, base)))
    return [folder / f"{number}" for number in range(1, count + 1)]


def test_shares_of_a_league_make_the_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(league, "Workers", Refereed())
    path = small_league(tmp_path, blocks=9)
    running.run(lambda: league.begin(read_tournament(path), tmp_path / "base"))
    folders = shares(path, tmp_path / "base", 3, tmp_path)
    assert sum(len(rows(folder)) for folder in folders) == 18
    for folder in [*reversed(folders), folders[1]]:
        evidence.merge_folders(tmp_path / "base", folder)
    play(path, tmp_path / "whole")
    assert [row.match for row in rows(tmp_path / "base")] == [row.match for row in rows(tmp_path / "whole")]
    assert standings_of(tmp_path / "base") == standings_of(tmp_path / "whole")
    assert play(path, tmp_path / "base").new == 0


@pytest.mark.usefixtures("workers")
def test_a_league_that_follows_its_results_has_no_shares(tmp_path):
    path = small_league(tmp_path, kind="adaptive", blocks=9)
    running.run(lambda: league.begin(read_tournament(path), tmp_path / "base"))
    with pytest.raises(SettingError, match="depends on its results, so it has no shares"):
        run(path, tmp_path / "share", Manner(share=Share(1, 2, tmp_path / "base")))


@pytest.mark.usefixtures("workers")
def test_a_league_must_have_begun_before_it_is_shared(tmp_path):
    path = small_league(tmp_path, blocks=9)
    with pytest.raises(StoreError, match="there is no league here"):
        run(path, tmp_path / "share", Manner(share=Share(1, 2, tmp_path / "base")))


@pytest.mark.usefixtures("workers")
def test_what_is_missing_is_known_before_it_is_played(tmp_path):
    path = small_league(tmp_path, blocks=9)
    tournament = read_tournament(path)
    assert missing_of(tournament, tmp_path / "results").matches == 18
    with pytest.raises(Stop):
        play(path, tmp_path / "results", stop_after(5))
    found = missing_of(tournament, tmp_path / "results")
    assert (found.matches, found.planned, found.is_limit) == (13, 18, False)
    play(path, tmp_path / "results")
    assert missing_of(tournament, tmp_path / "results").matches == 0


# A season

CHANGES = st.one_of(
    st.tuples(st.just("join"), st.sampled_from(GOOD)),
    st.tuples(st.just("update"), st.sampled_from(GOOD)),
    st.tuples(st.just("retire"), st.sampled_from(GOOD)),
    st.tuples(st.just("kill"), st.integers(1, 9)),
    st.tuples(st.just("share"), st.integers(1, 4)),
    st.tuples(st.just("merge"), st.integers(0, 9)),
    st.tuples(st.just("run"), st.none()),
)


class Season:
    """A league to which things happen."""

    def __init__(self, folder: Path, **keys) -> None:
        self.home, self.base = folder, folder / "league"
        self.keys = keys
        self.bots = list(GOOD[:3])
        self.played = Refereed()
        self.shards = list[Path]()
        self.updates = 0
        self.path = self.write()

    def write(self):
        texts = {bot: (self.home / bot / "bot.py").read_text() for bot in GOOD if (self.home / bot).exists()}
        path = small_league(self.home, sorted(self.bots, key=GOOD.index), **self.keys)
        for bot, text in texts.items():
            (self.home / bot / "bot.py").write_text(text)
        return path

    def happen(self, what, how):
        getattr(self, what)(how)

    def join(self, bot):
        if bot not in self.bots:
            self.bots.append(bot)
            self.write()
            update(self.path, self.base, bot)

    def retire(self, bot):
        if bot in self.bots and len(self.bots) > 3:
            self.bots.remove(bot)
            self.write()
            update(self.path, self.base, bot)

    def update(self, bot):
        if bot in self.bots:
            self.updates += 1
            with (self.home / bot / "bot.py").open("a") as file:
                file.write(f"# {self.updates}\n")
            update(self.path, self.base, bot)

    def kill(self, matches):
        with suppress(Stop):
            run(self.path, self.base, watch=stop_after(matches))

    def share(self, of):
        number = len(self.shards)
        folder = self.home / f"share-{number}"
        run(self.path, folder, Manner(share=Share(1 + number % of, of, self.base)))
        self.shards.append(folder)

    def merge(self, number):
        if self.shards:
            evidence.merge_folders(self.base, self.shards[number % len(self.shards)])

    def run(self, _how=None):
        run(self.path, self.base)


@pytest.mark.thorough
@settings(max_examples=sweep(8, 100), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(CHANGES, max_size=8), st.sampled_from([{}, {"blocks": 5}, {"seats": [3], "blocks": 3}]))
def test_whatever_happens_in_a_season_every_match_of_the_roster_is_played_and_none_twice(happenings, keys):
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        one = Season(Path(name), **keys)
        patch.setattr(league, "Workers", one.played)
        running.run(lambda: league.begin(read_tournament(one.path), one.base))
        for what, how in happenings:
            one.happen(what, how)
        while one.shards:
            one.merge(0)
            one.shards.pop(0)
        one.run()
        found = rows(one.base)
        assert len({(row.block, row.rotation) for row in found}) == len({row.match for row in found}) == len(found)
        shared = sum(what == "share" for what, _ in happenings)
        assert len(one.played.played) == len(set(one.played.played)) or shared, "only shares may play a match twice"
        with open_store(one.base) as store:
            lineup = store.lineup()
            assert missing_of(read_tournament(one.path), one.base).matches == 0
            assert audit(store, kept_secret(store.settings())).wrong is None
            assert list(evidence.verify_league(store, lambda *_: None)) == []
        assert set(lineup.current) == set(one.bots)
        _assert_same_as_undisturbed(one, found)


def _assert_same_as_undisturbed(one, found):
    """The same results in another order, and a league that began with the last roster."""
    copy = one.home / "copy"
    with open_store(one.base) as store, open_store(copy, create=True) as other:
        other.settle(store.settings())
        other.enlist(store.lineup().versions.values(), store.lineup().changes)
        other.add(reversed(found))
    assert standings_of(copy) == standings_of(one.base)
    if one.keys:
        return
    run(one.path, one.home / "undisturbed")
    with open_store(one.base) as store:
        current = set(store.lineup().keys.values())
    today = [(row.match, row.seed, row.ranks) for row in found if current.issuperset(row.versions)]
    assert today == [(row.match, row.seed, row.ranks) for row in rows(one.home / "undisturbed")]


def test_results_of_other_rosters_are_merged_by_version(tmp_path, monkeypatch):
    monkeypatch.setattr(league, "Workers", Refereed())
    path = small_league(tmp_path, GOOD[:3])
    running.run(lambda: league.begin(read_tournament(path), tmp_path / "here"))
    shutil.copytree(tmp_path / "here", tmp_path / "there")
    small_league(tmp_path, GOOD)
    update(path, tmp_path / "there")
    play(path, tmp_path / "there")
    assert evidence.merge_folders(tmp_path / "here", tmp_path / "there") == 12
    assert {row.epoch for row in rows(tmp_path / "there")} == {1}
    assert {row.epoch for row in rows(tmp_path / "here")} == {0}, "epochs are those of the store"
    with open_store(tmp_path / "here") as store:
        assert {one.bot for one in results.table(store)} == {"first", "second", "third"}
        assert {one.bot for one in results.all_versions(store)} == {"first", "second", "third", "last 1"}
    play(replace(read_tournament(path)), tmp_path / "here")
    assert len(rows(tmp_path / "here")) == 12


def test_a_version_with_a_false_key_is_not_merged(tmp_path, monkeypatch):
    monkeypatch.setattr(league, "Workers", Refereed())
    path = small_league(tmp_path, GOOD[:3])
    running.run(lambda: league.begin(read_tournament(path), tmp_path / "here"))
    shutil.copytree(tmp_path / "here", tmp_path / "there")
    with open_store(tmp_path / "there", create=True) as store:
        (any_version, *_) = store.lineup().versions.values()
        store.enlist([replace(any_version, key="0" * 16)])
    with pytest.raises(StoreError, match="version 0000000000000000 has another key"):
        evidence.merge_folders(tmp_path / "here", tmp_path / "there")


@pytest.mark.usefixtures("workers")
def test_the_roster_of_a_league_by_places_may_change_too(tmp_path):
    """An older arena planned it; its results stay, and what is missing goes by meetings."""
    path = small_league(tmp_path, GOOD[:3], blocks=6)
    monkey = pytest.MonkeyPatch()
    monkey.setattr("arena.league.kinds.RoundRobin.may_change", False)
    play(path, tmp_path / "results")
    monkey.undo()
    before = rows(tmp_path / "results")
    assert [row.plan for row in before] == list(range(12))
    small_bot(tmp_path, "last")
    path.write_text(path.read_text().replace('"third"]', '"third", "last"]'))
    update(path, tmp_path / "results")
    progress = play(path, tmp_path / "results")
    after = rows(tmp_path / "results")
    assert {row.match for row in before} <= {row.match for row in after}
    assert progress.new == len(after) - len(before) == 8
    assert all("last" in row.bots for row in after if row.match not in {one.match for one in before})
    with open_store(tmp_path / "results") as store:
        found = audit(store, kept_secret(store.settings()))
        assert (found.wrong, found.by_places) == (None, 12)
        assert json.loads(json.dumps(store.settings()))["scheme"] == "meetings"
