"""Which deal each match has: no deal twice where a bot might remember it, and none that a bot could find."""

import hashlib
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import arena
from arena.cli import duel
from arena.errors import SettingError, StoreError
from arena.league import fixtures
from arena.league import run as league
from arena.league.beginning import as_kept
from arena.league.deals import PROCESSES_NOTE, SHARED_NOTE, begun, seeds
from arena.league.kinds import Duel, Gauntlet, RoundRobin
from arena.league.secret import Secret, of_seed
from arena.league.store import open_store
from arena.league.tournament import Tournament, read_tournament
from arena.league.wire import RECORDS, record_path
from arena.match.clock import TimeControl
from arena.match.record_file import load
from arena.roster.entries import Entry, find
from arena.roster.folders import KITS
from tests.cli.command import here
from tests.league.small_league import GOOD, Pretended, play, rows, small_bot, small_league

SECRETS = st.binary(min_size=16, max_size=16).map(bytes.hex)
KINDS = {
    "round_robin": {"seats": (3,), "kind": RoundRobin(12)},
    "gauntlet": {"seats": (2, 3), "kind": Gauntlet(("a",), 9)},
    "duel": {"seats": (4,), "kind": Duel("a", "b", 10)},
}


def tournament(kind="round_robin", bots="abcde", **keys):
    entries = tuple(Entry(bot, "1", (bot,), Path("/strangers"), digest=f"{bot}0") for bot in bots)
    return Tournament(Path("x.toml"), "x", "draftosaurus", 1, entries, **{**KINDS[kind], **keys})


def fixtures_of(one):
    return [fixture for block in fixtures.blocks_of(one, one.kind.plan(one.entrants)) for fixture in block]


def planned_of(one):
    return [fixture for block in fixtures.blocks_of(one, one.kind.whole(one.entrants)) for fixture in block]


# Fresh and shared


@given(SECRETS, st.sampled_from(sorted(KINDS)))
def test_with_fresh_deals_no_two_matches_of_a_league_share_one(secret, kind):
    planned = fixtures_of(tournament(kind, secret=secret, deals="fresh"))
    for what in ("seed", "bot_seed", "match"):
        assert len({fixture[what] for fixture in planned}) == len(planned)


@given(SECRETS, st.sampled_from(sorted(KINDS)))
def test_with_shared_deals_a_block_has_one_and_its_bots_still_receive_other_seeds(secret, kind):
    planned = fixtures_of(tournament(kind, secret=secret, deals="shared"))
    deals = Counter((fixture["block"], fixture["seed"]) for fixture in planned)
    assert len(deals) == len({fixture["seed"] for fixture in planned}) == planned[-1]["block"] + 1
    assert len({fixture["bot_seed"] for fixture in planned}) == len(planned)
    assert len({fixture["match"] for fixture in planned}) == len(planned)


@given(SECRETS, st.sampled_from(sorted(KINDS)), st.sampled_from(["fresh", "shared"]), st.randoms(use_true_random=False))
def test_the_same_secret_is_the_same_league_in_whatever_order_bots_are_named(secret, kind, deals, dice):
    one = tournament(kind, secret=secret, deals=deals)
    other = replace(one, entries=tuple(dice.sample(one.entries, len(one.entries))))
    assert fixtures_of(one) == fixtures_of(one) == fixtures_of(other)


@given(SECRETS, SECRETS, st.sampled_from(sorted(KINDS)))
def test_another_secret_shares_no_deal_and_no_id(secret, another, kind):
    assume(secret != another)
    one, other = (fixtures_of(tournament(kind, secret=digits)) for digits in (secret, another))
    for what in ("seed", "bot_seed", "match"):
        assert not {fixture[what] for fixture in one} & {fixture[what] for fixture in other}


@given(SECRETS, st.integers(0, 3), st.integers(0, 3))
def test_a_fresh_deal_is_another_one_for_each_rotation_and_attempt(secret, rotation, attempt):
    one = tournament(secret=secret, deals="fresh")
    here, there = seeds(one, "x", rotation, attempt), seeds(one, "x", attempt, rotation)
    assert (here == there) == (rotation == attempt)
    shared = replace(one, deals="shared")
    assert seeds(shared, "x", rotation, attempt) == seeds(shared, "x", rotation, attempt + 1)


def test_the_files_of_a_bot_belong_to_the_ids_of_its_matches():
    one = tournament(secret="0" * 32)
    changed = replace(one, entries=(replace(one.entries[0], digest="another"), *one.entries[1:]))
    for before, after in zip(fixtures_of(one), fixtures_of(changed)):
        assert (before["match"] == after["match"]) == ("a" not in before["bots"])
        assert before["seed"] == after["seed"], "which changes no deal"


STRANGERS = {
    "a folder of its own": lambda folder: Entry("x", "1", ("x",), folder),
    "one that is called greedy": lambda folder: Entry("greedy", "1", ("x",), folder),
    "a command line that names a built-in file": lambda _: Entry(
        "greedy", "1", ("x", "greedy.py"), KITS / "python", files=(KITS / "python" / "greedy.py",)
    ),
    "a folder beside the built-in ones": lambda _: Entry("greedy", "1", ("x",), KITS.parent),
    "another program in the folder of the built-in ones": lambda _: Entry("greedy", "1", ("x",), KITS / "python"),
}


@pytest.mark.parametrize("stranger", STRANGERS.values(), ids=STRANGERS)
def test_deals_are_fresh_where_any_bot_is_a_strangers(tmp_path, stranger):
    own = find("greedy"), find("random")
    league_of = lambda *entries, **keys: replace(tournament(), entries=entries, seats=(2,), **keys)  # noqa: E731
    assert not league_of(*own).is_fresh
    assert league_of(*own, stranger(tmp_path)).is_fresh
    assert not league_of(*own, stranger(tmp_path), deals="shared").is_fresh, "unless the file says so"


def test_deals_are_fresh_at_tables_of_three_and_where_processes_play_on(tmp_path):
    path = tmp_path / "x.toml"
    found = {}
    for keys in (
        "",
        'deals = "fresh"',
        'processes = "worker"',
        "[schedule]\nseats = [3]",
        "[schedule]\nseats = [2, 3]",
    ):
        path.write_text(f'name = "x"\nbots = ["greedy", "random", {{ bot = "random", name = "y" }}]\n{keys}\n')
        found[keys] = read_tournament(path).is_fresh
    assert list(found.values()) == [False, True, True, True, True]


# The beginning


@pytest.fixture
def pretended(monkeypatch):
    workers = Pretended()
    monkeypatch.setattr(league, "Workers", workers)
    return workers


def settings_of(folder):
    with open_store(folder) as store:
        return store.settings()


@pytest.mark.usefixtures("pretended")
def test_a_league_draws_a_secret_once_and_goes_on_with_it(tmp_path):
    path = small_league(tmp_path, seed=None, blocks=3, processes="match")
    first = play(path, tmp_path / "one")
    secret = Secret(settings_of(tmp_path / "one")["secret"])
    assert first.notes == [f"a secret decides all deals. Its commitment: {secret.commitment}"]
    assert settings_of(tmp_path / "one")["commitment"] == secret.commitment
    assert play(path, tmp_path / "one", blocks=5).new == 4
    assert settings_of(tmp_path / "one")["secret"] == secret.digits
    play(path, tmp_path / "two", blocks=5)
    one, two = rows(tmp_path / "one"), rows(tmp_path / "two")
    assert len(one) == len(two) == 10
    assert not {row.seed for row in one} & {row.seed for row in two}
    assert not {row.match for row in one} & {row.match for row in two}
    assert all(2**100 < row.seed < 2**128 for row in one), "but for once in millions of times"


@pytest.mark.usefixtures("pretended")
def test_a_seed_in_the_file_is_the_same_league_everywhere_and_is_warned_of(tmp_path):
    path = small_league(tmp_path, seed=5, blocks=3, processes="match")
    notes = play(path, tmp_path / "one").notes
    play(path, tmp_path / "two")
    assert rows(tmp_path / "one") == rows(tmp_path / "two")
    assert settings_of(tmp_path / "one")["secret"] == of_seed(5).digits
    assert notes == [
        "seed 5 decides all deals: a bot that guesses or knows it can find every deal. Leave it out, except to reproduce "
        "a league."
    ]


@pytest.mark.usefixtures("pretended")
@pytest.mark.parametrize(
    ("before", "now", "words"), [(None, 5, "seed was null, now 5"), (5, None, "seed was 5, now null")]
)
def test_a_league_keeps_its_secret_or_its_seed(tmp_path, before, now, words):
    play(small_league(tmp_path, seed=before, blocks=2), tmp_path / "results")
    with pytest.raises(SettingError, match=words):
        play(small_league(tmp_path, seed=now, blocks=2), tmp_path / "results")


@pytest.mark.usefixtures("pretended")
def test_a_league_keeps_to_its_deals(tmp_path):
    path = small_league(tmp_path, deals="shared", processes="match", blocks=2)
    assert SHARED_NOTE in play(path, tmp_path / "results").notes
    play(small_league(tmp_path, processes="match", blocks=3), tmp_path / "results")
    assert len({row.seed for row in rows(tmp_path / "results")}) == 3, "also if the file says nothing any more"
    with pytest.raises(SettingError, match='deals was "shared", now "fresh"'):
        play(small_league(tmp_path, deals="fresh", processes="match", blocks=2), tmp_path / "results")
    with pytest.raises(SettingError, match='deals: "shared" and processes = "worker" exclude each other'):
        play(small_league(tmp_path, blocks=2), tmp_path / "results")


@pytest.mark.usefixtures("pretended")
def test_processes_that_play_on_are_warned_of(tmp_path):
    for processes in ("block", "worker"):
        path = small_league(tmp_path, processes=processes, blocks=2)
        assert PROCESSES_NOTE.format(processes) in play(path, tmp_path / processes).notes


@pytest.mark.parametrize("change", [{"secret": "0" * 32}, {"secret": "none"}, {"commitment": "0" * 64}], ids=str)
def test_a_secret_that_was_changed_is_noticed(change):
    secret = of_seed(1)
    settings = {"secret": secret.digits, "commitment": secret.commitment, "deals": "fresh", **change}
    with pytest.raises(StoreError, match="the secret in the store does not match its commitment"):
        begun(tournament(), settings)


# Attempts


@pytest.mark.parametrize("deals", ["fresh", "shared"])
def test_a_match_that_did_not_count_is_dealt_again_if_deals_are_fresh(tmp_path, monkeypatch, deals):
    seen = []

    def fate(fixture):
        if fixture["at"] != 2:
            return None
        seen.append((fixture["match"], fixture["seed"], fixture["bot_seed"]))
        return {"void": "no"} if len(seen) < 6 else None

    monkeypatch.setattr(league, "Workers", Pretended(fate))
    path = small_league(tmp_path, seed=None, deals=deals, processes="match", blocks=3)
    while len(seen) < 6:  # after three attempts it is left out, and each later run tries once
        play(path, tmp_path / "results")
    ids, dealt, received = map(set, zip(*seen))
    assert len(ids) == 1
    assert len(dealt) == len(received) == (6 if deals == "fresh" else 1)
    (row,) = [row for row in rows(tmp_path / "results") if row.match in ids]
    assert row.seed == seen[-1][1], "what is kept is what was dealt"


@pytest.mark.usefixtures("processes")
def test_the_record_holds_the_seeds_that_were_dealt(tmp_path):
    path = small_league(tmp_path, ("first", "last"), seed=None, blocks=2)
    play(path, tmp_path / "results")
    for row in rows(tmp_path / "results"):
        header = load(record_path(tmp_path / "results" / RECORDS, row.match)).header
        assert (header.format, header.seed, header.match) == (2, row.seed, row.match)
        assert header.bot_seed not in (0, header.seed)
    assert len({row.seed for row in rows(tmp_path / "results")}) == 4


# What nobody is shown


@pytest.mark.usefixtures("pretended")
def test_nothing_shows_the_secret_before_it_is_published(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    small_league(tmp_path, seed=None, blocks=3)
    said = here(monkeypatch, capsys, "league", "run", "small.toml")
    secret = Secret(settings_of(Path("leagues/small"))["secret"])
    shown = said.out + said.err
    for words in (["status"], ["status", "--json"], ["standings", "--json"], ["export"]):
        shown += here(monkeypatch, capsys, "league", words[0], "small.toml", *words[1:]).out
    here(monkeypatch, capsys, "league", "report", "small.toml")
    page = Path("leagues/small/report.html").read_text()
    assert secret.digits not in shown + page
    for text in (said.err, shown, page, here(monkeypatch, capsys, "league", "export", "small.toml").out):
        assert secret.commitment in text


@pytest.mark.usefixtures("pretended")
def test_ids_confirm_no_guess_of_a_seed(tmp_path):
    """Who has the file, all bots and the source can work out the ids of every small seed."""
    found = {}
    for seed in (3, None):
        path = small_league(tmp_path, seed=seed, blocks=4, name=f"seed-{seed}")
        play(path, tmp_path / "results" / str(seed))
        told = {row.match for row in rows(tmp_path / "results" / str(seed))}
        with open_store(tmp_path / "results" / str(seed)) as store:
            league_ = as_kept(store, begun(read_tournament(path), store.settings()), tmp_path / "results" / str(seed))
        guesses = [replace(league_, seed=guess, secret="") for guess in range(-50, 50)]
        guesses += [replace(guess, is_old=True, by_meetings=False) for guess in guesses]
        found[seed] = [guess.seed for guess in guesses if told & {fixture["match"] for fixture in planned_of(guess)}]
    assert found == {3: [3], None: []}


# Single matches and duels


@pytest.mark.usefixtures("processes")
def test_a_match_without_a_seed_has_one_of_128_bits_and_is_played_again_by_it():
    first = arena.play("random", "random", sandbox="none")
    assert 2**64 < first.header.seed < 2**128, "but for once in a long while"
    again = arena.play("random", "random", seed=first.header.seed, sandbox="none")
    assert again.without_times() == first.without_times()


@pytest.mark.usefixtures("processes")
@pytest.mark.usefixtures("pretended")
def test_a_duel_shares_deals_and_says_what_that_assumes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for how in GOOD:
        small_bot(tmp_path, how)
    words = ("duel", "first", "last", "--sandbox", "none", "--units", "16")
    for deals, each in (("shared", 2), ("fresh", 1)):
        before = set(Path("leagues").glob("*"))
        ended = here(monkeypatch, capsys, *words, *(["--deals", deals] if deals == "fresh" else []))
        (folder,) = set(Path("leagues").glob("*")) - before
        assert set(Counter(row.seed for row in rows(folder)).values()) == {each}
        assert (SHARED_NOTE in ended.err) == (deals == "shared")
        assert "a secret decides all deals. Its commitment: " in ended.err
    ended = here(monkeypatch, capsys, *words, "--deals", "new")
    assert ended.code == 2
    assert "--deals new: expected shared or fresh" in ended.err


def test_a_duel_of_an_older_arena_is_found_under_its_name(tmp_path, monkeypatch):
    """Its seed was 1 unless somebody said otherwise; with --seed 1 it goes on."""
    monkeypatch.chdir(tmp_path)
    small_bot(tmp_path, "first"), small_bot(tmp_path, "last")
    clock = TimeControl(bank_ms=10_000, increment_ms=100)
    entries = duel._entries("first", "last", [])
    one = Tournament(Path("duel"), "duel", "draftosaurus", 1, entries, seed=1, deals="shared", clock=clock)
    named = [[entry.name, entry.digest, *entry.command] for entry in entries]
    what = json.dumps(["draftosaurus", {}, 2, 1, 10_000, 100, named], sort_keys=True)
    assert duel.name_of(one) == f"duel-{hashlib.sha256(what.encode()).hexdigest()[:8]}"
