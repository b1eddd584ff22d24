"""The files of ladders: what they hold, which rungs can play, and whether these are still what was frozen."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import SettingError
from arena.ladder import freeze as freezing
from arena.ladder import frozen, rungs
from arena.ladder.freeze import freeze, write_ladder
from arena.ladder.frozen import FOLDER, LadderFile, ladder_of, read_ladder
from arena.ladder.rungs import absence, digest_of, rung_entry
from arena.league import run as league
from arena.league.fit import fit
from arena.league.results import outcomes_of
from arena.league.store import open_store
from arena.league.tournament import read_tournament
from arena.match.faults import FaultKind
from arena.roster.folders import KITS
from engine.catalogue import game
from tests.ladder.small_ladder import small_ladder
from tests.league.small_league import Pretended, play, small_bot, small_league

GAME = game("draftosaurus")
ladders = pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)


@pytest.fixture
def bots(monkeypatch, tmp_path) -> Path:
    """The folder of the arena's bots."""
    folder = tmp_path / "bots"
    folder.mkdir()
    for module in (rungs, freezing):
        monkeypatch.setattr(module, "KITS", folder)
    return folder


# Those that are frozen


@ladders
def test_a_frozen_ladder_is_whole(path):
    ladder = read_ladder(path)
    assert path.stem == f"{ladder.game}-{ladder.seats}"
    assert game(ladder.game).edition >= ladder.edition
    count = len(ladder.rungs)
    assert [len(row) for row in ladder.covariance] == [count] * count
    ratings = [rung.rating for rung in ladder.rungs]
    assert ratings == sorted(ratings)
    assert {rung.bot: rung.rating for rung in ladder.rungs if rung.bot in ladder.anchor} == ladder.anchor
    assert [one.bot for one in ladder.neighbours] == [rung.bot for rung in ladder.rungs[1:]]
    assert len(ladder.seat_effects) == ladder.seats
    assert len(ladder.made.records) == 64


@ladders
def test_no_rung_of_a_frozen_ladder_was_late_or_wrong(path):
    assert {rung.bot: rung.faults for rung in read_ladder(path).rungs if rung.faults} == {}


@ladders
def test_a_frozen_ladder_can_be_made_again(path):
    """The command of the file names a tournament file with the same bots."""
    ladder = read_ladder(path)
    (command,) = ladder.made.commands
    tournament = read_tournament(FOLDER.parents[2] / command.split()[-1])
    assert {rung.bot for rung in ladder.rungs} == set(tournament.bots)
    assert (tournament.game, tournament.seats, tournament.anchor) == (ladder.game, (ladder.seats,), ladder.anchor)


# Reading


def test_a_ladder_is_read_as_it_was_written(bots):
    path = small_ladder(bots)
    ladder = ladder_of(GAME, {}, 2, path)
    assert ladder.remarks == ()
    assert ladder.scale.rungs == ("last", "third", "first")
    assert ladder.scale.ratings == (1300.0, 1400.0, 1500.0)
    before = path.read_bytes()
    write_ladder(read_ladder(path), path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seats": 3}, "a ladder with seats 3, but 2 is asked for. Name another file."),
        ({"game": "dinodocus"}, 'a ladder with game "dinodocus", but "draftosaurus" is asked for.'),
        ({"options": {"season": "winter"}}, 'a ladder with options {"season": "winter"}, but {} is asked for.'),
    ],
)
def test_a_ladder_for_something_else_is_refused(bots, change, words):
    with pytest.raises(SettingError) as refused:
        ladder_of(GAME, {}, 2, small_ladder(bots, **change))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not the file of a ladder: JSON: Invalid JSON"),
        ("{}", "not the file of a ladder: format: Field required"),
        ('{"format": 2}', "not the file of a ladder: format: Input should be less than or equal to 1"),
    ],
)
def test_what_is_not_a_ladder_is_refused(tmp_path, text, words):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(SettingError) as refused:
        read_ladder(path)
    assert words in str(refused.value)
    with pytest.raises(SettingError, match=r"No such file or directory\. Name the file of a ladder"):
        read_ladder(tmp_path / "none.json")


def test_what_has_no_ladder_is_refused_and_says_what_has(monkeypatch, tmp_path):
    monkeypatch.setattr(frozen, "FOLDER", tmp_path)
    with pytest.raises(SettingError, match=r"there is no frozen ladder for draftosaurus\. Make one of your own"):
        ladder_of(GAME, {}, 2)
    for name in ("draftosaurus-2", "draftosaurus-3", "dinodocus-4"):
        (tmp_path / f"{name}.json").touch()
    with pytest.raises(SettingError, match=r"with 4 players; there is one with 2 and 3\. Choose another --seats"):
        ladder_of(GAME, {}, 4)
    with pytest.raises(SettingError, match=r"with other options than the defaults \(season\). Leave them out"):
        ladder_of(GAME, {"season": "winter"}, 2)


# The rungs


def test_a_rung_whose_files_changed_is_named(bots):
    path = small_ladder(bots)
    program = bots / "third" / "bot.py"
    program.write_text(program.read_text() + "\n")
    (remark,) = ladder_of(GAME, {}, 2, path).remarks
    assert remark == (
        "the rung third has changed since it was frozen on 2026-01-02 (one of bot.py, bot.toml): its rating may be out "
        "of date. Use the arena that froze it, or renew the ladder: `arena docs place`."
    )


def test_a_rung_that_is_missing_is_left_out_and_named(bots):
    path = small_ladder(bots)
    (bots / "third" / "bot.toml").unlink()
    ladder = ladder_of(GAME, {}, 2, path)
    assert ladder.scale.rungs == ("last", "first")
    assert ladder.scale.covariance == ((20.0, 0.0), (0.0, 20.0))
    (remark,) = ladder.remarks
    assert remark.startswith("the rung third is absent: ")
    (bots / "last" / "bot.toml").unlink()
    with pytest.raises(SettingError, match="too few rungs of this ladder can play here"):
        ladder_of(GAME, {}, 2, path)


def test_a_rung_that_is_not_built_is_absent(bots):
    home = small_bot(bots, "first")
    toml = home / "bot.toml"
    toml.write_text('name = "first"\ncommand = ["./first"]\nbuild = ["make"]\n')
    entry = rung_entry("first", "first/bot.toml")
    assert absence(entry).startswith("./first is not built. Build it: `arena play ")
    toml.write_text('name = "first"\ncommand = ["no-such-program"]\n')
    assert absence(rung_entry("first", "first/bot.toml")) == "no-such-program is not installed. Install it"


def test_other_rules_are_named(bots):
    (remark,) = ladder_of(GAME, {}, 2, small_ladder(bots, edition=0)).remarks
    assert remark.startswith("the rules of draftosaurus have changed since this ladder was frozen (edition 0, now 1)")


def test_only_files_that_decide_how_it_plays_belong_to_a_rung():
    of = {name: digest_of(rung_entry(name, f"python/{name}.toml"), f"python/{name}.toml", name_of)[0]
          for name, name_of in (("greedy", "draftosaurus"), ("random", "dinodocus"))}  # fmt: skip
    assert of["greedy"] == ["greedy.toml", "greedy_bot.py", "greedy_draftosaurus.py"]
    assert of["random"] == ["random.toml", "random_bot.py"]
    other = digest_of(rung_entry("greedy", "python/greedy.toml"), "python/greedy.toml", "dinodocus")[0]
    assert other == ["dinodocus_judge.py", "greedy.toml", "greedy_bot.py", "greedy_dinodocus.py"]


def test_a_program_that_is_not_python_has_the_files_that_are_kept_of_it(bots):
    home = small_bot(bots, "first")
    (home / "bot.toml").write_text('name = "first"\ncommand = ["./first"]\nfiles = ["bot.py"]\n')
    entry = rung_entry("first", "first/bot.toml")
    assert digest_of(entry, "first/bot.toml", "draftosaurus")[0] == ["bot.py", "bot.toml"]


# Freezing


@pytest.fixture
def played(bots, monkeypatch, tmp_path):
    """A league of three that has been played, as tournament and folder."""
    monkeypatch.setattr(league, "Workers", Pretended(noise=16))
    path = small_league(bots, ["last", "third", "first"], kind="chain", blocks=60, anchor={"first": 1500})
    path.write_text(path.read_text().replace('anchor = {"first": 1500}', "anchor = { first = 1500 }"))
    play(path, tmp_path / "results")
    return read_tournament(path), tmp_path / "results"


def test_a_league_is_frozen_with_its_ratings_on_the_scale_of_the_anchor(played):
    tournament, folder = played
    with open_store(folder) as store:
        ladder = freeze(store, tournament, ["a command"])
        fitted = fit(outcomes_of(store), tournament.bots)
    assert [rung.bot for rung in ladder.rungs] == ["last", "third", "first"]
    last, third, first = ladder.rungs
    assert (first.rating, first.low, first.high) == (1500.0, 1500.0, 1500.0)
    assert third.rating - 1500 == pytest.approx(fitted.difference("third", "first").value, abs=0.1)
    assert ladder.covariance[1][1] == pytest.approx(fitted.difference("third", "first").error ** 2, rel=0.01)
    assert ladder.covariance[2] == [0.0, 0.0, 0.0]
    between = ladder.covariance[0][0] + ladder.covariance[1][1] - 2 * ladder.covariance[0][1]
    assert between == pytest.approx(fitted.difference("third", "last").error ** 2, rel=0.01)
    assert ladder.neighbours[0].elo == pytest.approx(third.rating - last.rating, abs=0.2)
    assert (ladder.made.matches, ladder.made.commands) == (120, ["a command"])
    assert last.files == ["bot.py", "bot.toml"]


def test_what_was_frozen_follows_from_the_results(played):
    tournament, folder = played
    with open_store(folder) as store:
        one, other = freeze(store, tournament, []), freeze(store, tournament, [])
    assert one == other
    assert LadderFile.model_validate(json.loads(json.dumps(one.model_dump(mode="json")))) == one


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"anchor": {}}, "a ladder counts from a bot whose rating is fixed: anchor = { greedy = 1500 }."),
        ({"seats": (2, 3)}, "a ladder has tables of one size. Name one in schedule.seats."),
    ],
)
def test_what_cannot_be_a_ladder_is_refused(played, change, words):
    tournament, folder = played
    with open_store(folder) as store, pytest.raises(SettingError) as refused:
        freeze(store, replace(tournament, **change), [])
    assert words in str(refused.value)


def test_a_bot_that_has_not_played_is_no_rung(bots, tmp_path):
    path = small_league(bots, ["last", "first"], kind="chain", anchor={"first": 1500})
    path.write_text(path.read_text().replace('anchor = {"first": 1500}', "anchor = { first = 1500 }"))
    tournament = read_tournament(path)
    refused = pytest.raises(SettingError, match=r"first, last has not played yet\. Run it for longer")
    with open_store(tmp_path / "empty", create=True) as store, refused:
        freeze(store, tournament, [])


def test_bots_of_other_folders_are_no_rungs(played, monkeypatch):
    tournament, folder = played
    monkeypatch.setattr(freezing, "KITS", KITS)
    with open_store(folder) as store, pytest.raises(SettingError, match="is not one of the bots that come with"):
        freeze(store, tournament, [])


def test_faults_are_counted_by_rung(played, monkeypatch, tmp_path):
    def fate(fixture):
        seat = fixture["bots"].index("third") if "third" in fixture["bots"] else None
        late = {"kind": FaultKind.LATE, "seat": seat, "decision": 1, "text": "late"}
        return None if seat is None else {**Pretended()._result(fixture), "faults": [late]}

    tournament, _ = played
    monkeypatch.setattr(league, "Workers", Pretended(fate))
    play(tournament, tmp_path / "late")
    with open_store(tmp_path / "late") as store:
        ladder = freeze(store, tournament, [])
    assert [sum(rung.faults.values()) > 0 for rung in ladder.rungs] == [rung.bot == "third" for rung in ladder.rungs]


# A rung that is compiled


@pytest.fixture
def compiled_rung(monkeypatch, tmp_path) -> str:
    """The file of a rung that two programs share, with a compiler that takes no time, and nothing built yet."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, script in (("g++", ""), ("make", f"echo $$ {tmp_path} > raptor; chmod 700 raptor")):
        (tools / name).write_text(f"#!/bin/sh\n{script}\n")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CXX", raising=False)
    return "cpp/raptor-1000.toml"


@pytest.mark.usefixtures("processes")
def test_a_compiled_rung_is_what_it_is_built_from(compiled_rung, monkeypatch, tmp_path):
    """Whatever the compiler makes of it: that differs from machine to machine."""
    entry = rung_entry("raptor-1000", compiled_rung)
    assert absence(entry) == ""
    files, digest = digest_of(entry, compiled_rung, "draftosaurus")
    assert "raptor-1000.toml" in files
    assert "raptor_rules.hpp" in files
    assert "bot.cpp" not in files
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "other"))
    again = rung_entry("raptor-1000", compiled_rung)
    assert absence(again) == ""
    assert (again.folder / "raptor").read_bytes() != (entry.folder / "raptor").read_bytes()
    assert digest_of(again, compiled_rung, "draftosaurus") == (files, digest)
    other = "cpp/raptor-8000.toml"
    assert digest_of(rung_entry("raptor-8000", other), other, "draftosaurus")[1] != digest


def test_a_compiled_rung_is_absent_where_there_is_no_compiler(compiled_rung, bots, monkeypatch, tmp_path):
    path = small_ladder(bots)
    plain = json.loads(path.read_text())
    plain["rungs"][1] |= {"bot": "raptor-1000", "file": str(KITS / compiled_rung)}
    path.write_text(json.dumps(plain))
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    ladder = ladder_of(GAME, {}, 2, path)
    assert ladder.scale.rungs == ("last", "first")
    assert ladder.remarks == (
        "the rung raptor-1000 is absent: raptor needs make and a C++ compiler: sudo apt install g++ make",
    )
