"""A league whose secret is published can be checked by anybody: every deal, seat order and id."""

import shutil
import sqlite3
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arena.league import run as league
from arena.league.audit import audit
from arena.league.secret import Secret, of_seed
from arena.league.store import FILE, open_store
from arena.league.wire import RECORDS, record_path
from arena.match.record import BRANCH_FORMAT, Parent
from arena.match.record_file import load, save
from tests.cli.command import here
from tests.league.small_league import GOOD, Pretended, play, rows, small_bot, small_league

KINDS: dict[str, dict[str, Any]] = {
    "round_robin": {"seats": [3], "blocks": 4},
    "mixed": {"kind": "round_robin", "seats": [2, 3], "blocks": 6, "deals": "shared", "processes": "match"},
    "gauntlet": {"kind": "gauntlet", "challengers": ["third"], "blocks": 5},
    "adaptive": {"kind": "adaptive", "blocks": 40},
    "chain": {"kind": "chain", "blocks": 9},
    "knock_out": {"kind": "knock_out"},
    "groups": {"kind": "groups", "advance": 1},
    "separated": {"until": "separated", "blocks": 40},
}


@pytest.fixture
def cli(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(league, "Workers", Pretended())
    return partial(here, monkeypatch, capsys)


@pytest.fixture
def secret(cli, tmp_path):
    """Of a league that has been played, in leagues/small."""
    path = small_league(tmp_path, seed=None, blocks=6)
    assert cli("league", "run", path.name).code == 0
    return secret_of(Path("leagues/small"))


def secret_of(folder):
    with open_store(folder) as store:
        return Secret(store.settings()["secret"])


# Publishing


def test_a_secret_is_published_at_the_end_and_then_shown_and_checked(cli, secret):
    ended = cli("league", "audit", "small.toml")
    assert ended.code == 4
    assert ended.err == "arena: leagues/small: its secret is not published yet. Name it: --secret DIGITS.\n"
    ended = cli("league", "reveal", "small.toml")
    assert (ended.code, ended.out) == (0, f"secret {secret.digits}\ncommitment {secret.commitment}\n")
    assert ended.err.endswith(f":  arena league audit leagues/small --secret {secret.digits}\n")
    ended = cli("league", "audit", "small.toml")
    assert (ended.code, ended.out) == (
        0,
        "leagues/small: 12 matches, 0 records: the secret fits the commitment, and every deal, seat order and id follows "
        "from it\n",
    )
    assert f"published secret: {secret.digits}" in cli("league", "status", "small.toml").out
    cli("league", "report", "small.toml")
    assert secret.digits in Path("leagues/small/report.html").read_text()


def test_before_the_end_the_secret_is_published_only_if_somebody_insists(cli, tmp_path, monkeypatch):
    monkeypatch.setattr(league, "Workers", Pretended(lambda fixture: {"void": "no"} if fixture["at"] == 2 else None))
    path = small_league(tmp_path, seed=None, blocks=3)
    assert cli("league", "run", path).code == 1
    ended = cli("league", "reveal", path)
    assert (ended.code, ended.out) == (4, "")
    assert ended.err == (
        "arena: leagues/small: the league is not over: 5 of 6 matches are played. With the secret, bots can find the deals "
        "of the others. Wait for the end, or say --now.\n"
    )
    assert cli("league", "reveal", path, "--now").code == 0
    said = cli("league", "run", path).err
    assert "arena: the secret of this league is published: bots can find the deals of the remaining matches.\n" in said


def test_a_duel_can_be_published_and_checked(cli, tmp_path):
    for how in GOOD:
        small_bot(tmp_path, how)
    assert cli("duel", "first", "last", "--sandbox", "none").code == 0
    (folder,) = Path("leagues").iterdir()
    assert cli("league", "reveal", folder).code == 0
    assert cli("league", "audit", folder).code == 0


# Checking


@pytest.mark.usefixtures("cli")
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_league_follows_from_its_secret(tmp_path, kind):
    play(small_league(tmp_path, seed=None, **KINDS[kind]), tmp_path / "results")
    with open_store(tmp_path / "results") as store:
        found = audit(store, secret_of(tmp_path / "results"))
        assert (found.matches, found.again, found.wrong) == (store.count(), 0, None)
        assert found.matches > 5


@pytest.mark.usefixtures("cli")
def test_a_league_with_one_bot_per_author_follows_from_its_secret(tmp_path):
    path = small_league(tmp_path, seed=None, blocks=8)
    for bot in ("first", "third"):
        with (tmp_path / bot / "bot.toml").open("a") as file:
            file.write('author = "Ann"\n')
    play(path, tmp_path / "results", one_per_author=True)
    with open_store(tmp_path / "results") as store:
        assert store.settings()["authors"] == [["first", "third"]]
        assert not any({"first", "third"} <= set(row.bots) for row in store.rows())
        assert audit(store, secret_of(tmp_path / "results")).wrong is None


@pytest.mark.parametrize("authors", ["5", "[5]", '[["first", 5]]', '{"first": []}'])
def test_authors_in_a_damaged_store_are_refused_in_words(cli, secret, authors):
    with sqlite3.connect(Path("leagues/small") / FILE) as connection:
        connection.execute("INSERT INTO setting VALUES ('authors', ?)", (authors,))
    connection.close()
    ended = cli("league", "audit", "small.toml", "--secret", secret.digits)
    assert ended.code == 1
    assert "it is damaged: authors: expected lists of names, one for each author, got " in ended.err


def test_settings_that_no_league_can_have_are_refused_with_the_file(cli, secret):
    with sqlite3.connect(Path("leagues/small") / FILE) as connection:
        connection.execute("""UPDATE setting SET value = '["duel", 2]' WHERE key = 'schedule'""")
    connection.close()
    ended = cli("league", "audit", "small.toml", "--secret", secret.digits)
    assert ended.code == 1
    path = f"leagues/small/{FILE}"
    assert ended.err == f"arena: {path}: it is damaged: challengers: a duel has two, got 0. Restore it from a copy.\n"


def test_matches_that_were_dealt_again_are_counted(cli, tmp_path, monkeypatch):
    seen = []

    def fate(fixture):
        seen.append(fixture["at"])
        return {"void": "no"} if fixture["at"] in (2, 5) and seen.count(fixture["at"]) < 3 else None

    monkeypatch.setattr(league, "Workers", Pretended(fate))
    play(small_league(tmp_path, seed=None, blocks=6), tmp_path / "results")
    ended = cli("league", "audit", "results", "--secret", secret_of(tmp_path / "results").digits)
    assert ended.code == 0
    assert ended.out.endswith("\n2 of them were dealt again, after attempts that did not count\n")


@pytest.mark.parametrize(("deleted", "words"), [((0, 2), "2 meetings"), ((1,), "1 meeting"), ((3,), "")])
def test_meetings_that_are_missing_before_later_ones_are_counted(cli, tmp_path, deleted, words):
    """Who plays only those that suit them leaves gaps. The last ones may just not have been played yet."""
    play(small_league(tmp_path, GOOD[:2], seed=None, blocks=4), tmp_path / "results")
    with sqlite3.connect(tmp_path / "results" / FILE) as connection:
        connection.executemany("DELETE FROM result WHERE plan = ?", [(number,) for number in deleted])
    connection.close()
    ended = cli("league", "audit", "results", "--secret", secret_of(tmp_path / "results").digits)
    assert ended.code == 0
    assert ended.out.partition("\n")[2] == (
        f"{words} missing before later ones of the same versions\n" if words else ""
    )


def changed(**values):
    """Another value in the row of the third match."""

    def change(folder):
        with sqlite3.connect(folder / FILE) as connection:
            for column, value in values.items():
                third = "(SELECT match FROM result ORDER BY plan, block, rotation LIMIT 1 OFFSET 2)"
                connection.execute(f"UPDATE result SET {column} = ? WHERE match = {third}", (value,))
        connection.close()

    return change


CHEATS = {
    "a deal that somebody liked better": (changed(seed="4711"), "its deal does not follow from the secret"),
    "other seats": (changed(bots='["first","first"]'), "the versions of its bots are not known"),
    "another rotation": (changed(rotation=1), "the bots or their seats differ from the plan"),
    "a rotation that no table has": (changed(rotation=2), "its table has no such rotation"),
    "another id": (changed(match="0" * 24), "its id does not follow from the secret and what is played"),
    "another meeting": (changed(plan=999), "the bots or their seats differ from the plan"),
    "another block": (changed(block=999), "the bots or their seats differ from the plan"),
    "a version that nobody has": (
        changed(versions='["0000000000000000","0000000000000001"]'),
        "the versions of its bots are not known",
    ),
}


@pytest.mark.parametrize(("cheat", "words"), CHEATS.values(), ids=CHEATS)
def test_the_first_match_that_does_not_follow_is_named(cli, secret, cheat, words):
    cheat(Path("leagues/small"))
    ended = cli("league", "audit", "small.toml", "--secret", secret.digits)
    assert ended.code == 1
    assert ended.out.startswith("leagues/small: match ")
    assert ended.out.endswith(f"{words}\n")
    assert len(ended.out.splitlines()) == 1


def test_another_secret_does_not_fit_the_commitment(cli, secret):
    ended = cli("league", "audit", "small.toml", "--secret", "0" * 32)
    assert ended.code == 1
    assert ended.out.startswith(f"leagues/small: the secret does not match the commitment {secret.commitment}: ")


def test_who_noted_the_commitment_need_not_trust_the_one_in_the_store(cli, secret):
    words = ("league", "audit", "small.toml", "--secret", secret.digits, "--commitment")
    assert cli(*words, secret.commitment).code == 0
    assert cli(*words, of_seed(0).commitment).code == 1


def test_what_is_no_secret_is_refused(cli, secret):
    ended = cli("league", "audit", "small.toml", "--secret", secret.digits[:-1])
    assert ended.code == 4
    assert ended.err == "arena: --secret: expected 32 hexadecimal digits, as `arena league reveal` prints them.\n"


def test_a_store_without_its_settings_is_one_line(cli, secret):
    with sqlite3.connect(f"leagues/small/{FILE}") as connection:
        connection.execute("DELETE FROM setting WHERE key = 'clock'")
    connection.close()
    ended = cli("league", "audit", "small.toml", "--secret", secret.digits)
    assert ended.code == 1
    assert (
        ended.err == f"arena: leagues/small/{FILE}: the settings of this league are incomplete: 'clock' is missing.\n"
    )


@pytest.mark.usefixtures("processes")
def test_records_have_to_agree(tmp_path):
    play(small_league(tmp_path, ("first", "last"), seed=None, blocks=2), tmp_path / "results")
    secret = secret_of(tmp_path / "results")
    one, other, *_ = [record_path(tmp_path / "results" / RECORDS, row.match) for row in rows(tmp_path / "results")]
    with open_store(tmp_path / "results") as store:
        assert audit(store, secret).records == 4
        kept = load(one).header.seed
        shutil.copy(other, one)
        assert load(one).header.seed != kept
        assert audit(store, secret).wrong == (
            f"match {one.name.partition('.')[0]}, number 0 of the plan: the record {one} has another id or other seeds"
        )
        header = load(other).header
        branch = replace(
            header, parent=Parent(header.match, 0, "0" * 16, "open", "summer | - | -"), format=BRANCH_FORMAT
        )
        save(replace(load(other), header=branch), other)
        one.unlink()
        words = f"the record {other} is a branch, which continues another match"
        assert str(audit(store, secret).wrong).endswith(words)
        other.unlink()
        assert (audit(store, secret).records, audit(store, secret).wrong) == (2, None)
