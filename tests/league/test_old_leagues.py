"""What an older arena has begun goes on as it was. tests/golden/old holds what that arena itself wrote, as text."""

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import astuple, replace
from pathlib import Path

import pytest

from arena import running
from arena.cli.secret import about
from arena.errors import RecordError, SettingError
from arena.league import evidence, fixtures
from arena.league import run as league
from arena.league.audit import Findings, audit
from arena.league.deals import kept_secret
from arena.league.kinds import KINDS, ScheduleKeys
from arena.league.old_leagues import OldSeed
from arena.league.store import FILE, Row, open_store
from arena.league.tournament import Tournament, read_tournament
from arena.league.wire import RECORDS, record_path
from arena.match.packing import pack, signed
from arena.match.record_file import from_bytes, load, to_bytes
from arena.match.referee import bot_seed_for
from arena.match.seeds import old_bot_seed
from arena.replay.ask import examine, questions_of
from arena.replay.moments import states
from arena.replay.verify import verify
from arena.roster.entries import Entry, find
from tests.cli.command import here
from tests.league.small_league import GOOD, Pretended, play, rows, small_league

OLD = Path(__file__).parents[1] / "golden" / "old"


def old_leagues():
    """Each league that the old arena played: its settings, its budget, its results."""
    found = {}
    for line in map(json.loads, (OLD / "leagues.jsonl").read_text().splitlines()):
        if isinstance(line, dict):
            results = list[Row]()
            found[line["settings"]["name"]] = (line["settings"], line["blocks"], results)
        else:
            match, plan, block, rotation, seed, bots, ranks, scores = line
            result = (match, plan, block, rotation, int(seed), tuple(bots), tuple(ranks), tuple(scores))
            results.append(Row(*result, breakdown=({},) * len(bots), faults=(), times=(), steps=1, digest=""))
    return found


LEAGUES = old_leagues()


def tournament_of(settings, blocks, seed):
    """What its file says. The bots have no files, so none can have changed."""
    entries = [
        Entry(name, "1", ("bot", name), Path("/"), digest="e3b0c44298fc1c14", files=(), named=()) for name in GOOD
    ]
    name, *seats = settings["schedule"]
    return Tournament(
        Path("old.toml"), settings["name"], "draftosaurus", 1, tuple(entries), seed=seed, sandbox="none",
        kind=KINDS[name].from_keys(ScheduleKeys(tuple(seats), blocks, challengers=tuple(settings["challengers"]))),
        seats=tuple(seats),
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where nothing is really played: who wins follows from the deal, so that another deal is noticed."""
    monkeypatch.setattr(league, "Workers", Pretended())
    return tmp_path / "results"


def keep(folder, settings, results):
    with open_store(folder, create=True) as store:
        store.settle(settings)
        store.add(results)


@pytest.mark.parametrize("is_named", [True, False], ids=["its seed is named", "its seed is left out"])
@pytest.mark.parametrize("name", LEAGUES)
def test_an_old_league_goes_on_with_the_same_ids_and_deals(folder, name, is_named):
    settings, blocks, results = LEAGUES[name]
    keep(folder, settings, results[: len(results) // 2])
    progress = play(tournament_of(settings, blocks, settings["seed"] if is_named else None), folder)
    assert rows(folder) == results
    assert progress.new == len(results) - len(results) // 2
    assert progress.notes == [
        f"an older arena began this league, and it goes on by the old rules: its deals follow from seed {settings['seed']}, so "
        "bots can find them."
    ]
    with open_store(folder) as store:
        assert store.settings().items() >= settings.items()
        assert not {"secret", "commitment", "deals"} & store.settings().keys()


def test_an_old_league_with_another_seed_is_another_league(folder):
    settings, blocks, results = LEAGUES["round_robin"]
    keep(folder, settings, results)
    with pytest.raises(SettingError, match="seed was 0, now 5"):
        play(tournament_of(settings, blocks, 5), folder)


def test_an_old_league_cannot_go_on_with_fresh_deals(folder):
    settings, blocks, results = LEAGUES["round_robin"]
    keep(folder, settings, results)
    with pytest.raises(SettingError, match=r"old\.toml: deals: an older arena began this league with shared deals"):
        play(tournament_of(settings, blocks, 0), folder, deals="fresh")


def test_an_old_league_may_keep_its_processes(folder):
    settings, blocks, results = LEAGUES["round_robin"]
    keep(folder, settings, results[:3])
    assert play(tournament_of(settings, blocks, 0), folder, processes="worker").done == len(results)
    assert rows(folder) == results


def test_status_reveal_and_audit_say_that_a_league_is_old(folder, monkeypatch, capsys):
    settings, _, results = LEAGUES["duel"]
    keep(folder, settings, results)
    words = "an older arena began it: the deals follow from seed 1, and bots can find them"
    assert here(monkeypatch, capsys, "league", "status", folder).out.splitlines()[3] == words == about(settings)[0]
    ended = here(monkeypatch, capsys, "league", "reveal", folder)
    assert (ended.code, ended.err) == (4, f"arena: {folder}: an older arena began this league: it has no secret.\n")
    ended = here(monkeypatch, capsys, "league", "audit", folder, "--secret", "0" * 32)
    assert ended.code == 1
    assert ended.err.endswith("an older arena began this league, and it has no secret to check against.\n")


def test_the_roster_of_a_league_without_a_secret_cannot_change(tmp_path, monkeypatch):
    path = small_league(tmp_path, blocks=1, seed=7)
    tournament = replace(read_tournament(path), is_old=True, deals="shared")
    facts = {"name": "small", "planned": 2, "sandbox": "none", "order": list(tournament.bots)}
    with open_store(tmp_path / "results", create=True) as store:
        store.settle(fixtures.identity(tournament) | fixtures.roster(tournament) | facts)
    monkeypatch.setattr(league, "Workers", Pretended())
    with pytest.raises(SettingError, match="an arena without secrets began this league, and its roster cannot change"):
        running.run(lambda: league.update(path, tmp_path / "results"))


@pytest.mark.usefixtures("processes")
def test_the_bots_of_an_old_league_receive_the_seeds_that_they_would_have_received(tmp_path):
    path = small_league(tmp_path, blocks=1, seed=7, processes="match")
    tournament = replace(read_tournament(path), is_old=True, deals="shared")
    facts = {"name": "small", "planned": 2, "sandbox": tournament.sandbox, "order": list(tournament.bots)}
    with open_store(tmp_path / "results", create=True) as store:
        store.settle(fixtures.identity(tournament) | fixtures.roster(tournament) | facts)
    play(path, tmp_path / "results")
    for row in rows(tmp_path / "results"):
        record = load(record_path(tmp_path / "results" / RECORDS, row.match))
        header = record.header
        assert (header.format, header.bot_seed, header.seed) == (1, 0, row.seed)
        assert bot_seed_for(header, 1) == old_bot_seed(row.seed, 0, 1)
        assert verify(record) is None
    first, second = rows(tmp_path / "results")
    name = json.dumps(["round robin", "deal", *first.bots, 0])
    assert first.seed == second.seed == OldSeed(7).deal([name])


# Records of format 1


@pytest.fixture(scope="module")
def record():
    """A match of random, greedy and random, as the old arena recorded it."""
    return from_bytes(pack(signed((OLD / "format-1.jsonl").read_bytes())))


def test_a_record_of_format_1_is_read_verified_and_replayed(record):
    assert (record.header.format, record.header.seed, record.header.bot_seed) == (1, 11, 0)
    assert verify(record) is None
    assert len(states(record)) == len(record.steps) + 1
    assert from_bytes(to_bytes(record)) == record, "and written again as it was"


@pytest.mark.parametrize("layers", [[], ["limits", "seccomp"]])
def test_what_held_all_bots_back_in_format_1_is_told_of_each(layers):
    first, *others = (OLD / "format-1.jsonl").read_bytes().splitlines(keepends=True)
    first = json.dumps({**json.loads(first), "sandbox": "lite", "layers": layers}).encode() + b"\n"
    read = from_bytes(pack(signed(b"".join([first, *others]))))
    assert [(player.sandbox, list(player.layers)) for player in read.header.players] == [("lite", layers)] * 3
    assert from_bytes(to_bytes(read)) == read, "also when it is written again"


@pytest.mark.usefixtures("processes")
def test_a_bot_with_dice_answers_a_record_of_format_1_as_it_did_then(record):
    """It would not if it received a seed by the rule of today."""
    asked = [question for question in questions_of(record) if question.decision.seat in (0, 2)]
    found = running.run(lambda: examine(record, find("random"), asked))
    assert len(found.answers) == len(asked) > 20
    assert found.differing == ()
    newer = replace(record, header=replace(record.header, format=2))
    assert running.run(lambda: examine(newer, find("random"), asked)).differing, "the control: by the rule of today"


# A league that the arena began before it was divided into rooms, and was stopped halfway


@pytest.fixture
def begun(tmp_path):
    """The folder of its file and bots, with the store and the records in `results`, as they were."""
    league_folder = OLD / "league"
    shutil.copytree(league_folder / "bots", tmp_path / "bots")
    shutil.copy(league_folder / "old.toml", tmp_path)
    for text in (league_folder / "records").iterdir():
        path = record_path(tmp_path / "results" / RECORDS, text.stem)
        path.parent.mkdir(parents=True)
        path.write_bytes(pack(text.read_bytes()))
    with closing(sqlite3.connect(tmp_path / "results" / FILE)) as connection:
        connection.executescript((league_folder / "store.sql").read_text())
    return tmp_path


def unproved(folder):
    with open_store(folder) as store:
        return list(evidence.verify_league(store, lambda _done, _all: None))


def audited(folder):
    with open_store(folder) as store:
        return audit(store, kept_secret(store.settings()))


def test_the_store_of_a_league_that_was_begun_is_read_verified_and_audited(begun, monkeypatch, capsys):
    folder = begun / "results"
    assert unproved(folder) == []
    assert audited(folder) == Findings(matches=3, again=0, records=3)
    for command in ("standings", "status", "export"):
        ended = here(monkeypatch, capsys, "league", command, folder)
        assert (ended.code, "middle" in ended.out) == (0, True)
    assert here(monkeypatch, capsys, "league", "report", folder).code == 0
    assert "3 of 6 matches of the plan are played." in (folder / "report.html").read_text()


@pytest.mark.usefixtures("processes")
def test_a_league_that_was_begun_goes_on_to_the_results_that_it_would_have_had(begun):
    folder = begun / "results"
    before, rest = rows(folder), [json.loads(line) for line in (OLD / "league" / "rest.jsonl").read_text().splitlines()]
    progress = play(begun / "old.toml", folder)
    assert (progress.new, progress.done, progress.warnings) == (3, 6, [])
    after = rows(folder)
    assert after[:3] == before
    found = [
        [*astuple(row)[:4], str(row.seed), list(row.bots), list(row.ranks), list(row.scores), row.steps, row.digest]
        for row in after[3:]
    ]
    assert found == rest
    assert unproved(folder) == []
    assert audited(folder) == Findings(matches=6, again=0, records=6)


@pytest.mark.parametrize("path", sorted((OLD / "league" / "records").iterdir()), ids=lambda path: path.stem)
def test_a_record_of_format_2_is_read_verified_and_written_as_it_was(path):
    data = pack(path.read_bytes())
    record = from_bytes(data)
    assert record.header.format == 2
    assert [fault.kind for fault in record.verdict.faults] == ["malformed"]
    assert verify(record) is None
    assert to_bytes(record) == data
    broken = path.read_bytes().replace(b'"used_us":', b'"used_us":1', 1)
    with pytest.raises(RecordError, match="does not match the lines before it"):
        from_bytes(pack(broken))
