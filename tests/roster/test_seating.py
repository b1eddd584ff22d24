"""Who may sit at one table: bots that do not see each other, and one of each author if the league says so."""

from collections import Counter
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arena.errors import RosterError, SettingError
from arena.league import fixtures
from arena.league.schedule import Schedule, gauntlet, round_robin, top_up
from arena.league.tournament import Tournament, read_tournament
from arena.roster.entries import Entry, as_whole, find
from arena.roster.seating import authors, check_apart, check_results
from tests.cli.command import arena
from tests.league.small_league import plan_of, small_bot, small_league

BOTS = tuple("abcdefghijkl")
MANY = tuple(f"bot-{number:02}" for number in range(24))


# Bots that see each other


def described(folder: Path, name: str = "mine") -> Entry:
    return Entry(name, "1", ("./bot",), folder)


def test_bots_in_folders_of_their_own_are_apart(tmp_path):
    check_apart([described(tmp_path / "one", "a"), described(tmp_path / "one-more", "b"), described(tmp_path / "two")])
    check_apart([find("greedy"), find("random"), find("greedy")])


@pytest.mark.parametrize("inner", ["inner", "deep/inner"])
def test_a_bot_within_the_folder_of_another_is_refused(tmp_path, inner):
    outer, inner = described(tmp_path, "a"), described(tmp_path / inner, "b")
    with pytest.raises(
        RosterError, match=f"^b and a would see each other's files in {inner.folder} and {tmp_path}. Give"
    ):
        check_apart([inner, outer])
    with pytest.raises(RosterError, match=r"^a and b would see each other's files"):
        check_apart([described(Path("/elsewhere")), outer, inner])


def test_command_lines_of_one_folder_are_apart_only_if_they_are_of_one_script(tmp_path):
    for name in ("one.sh", "other.sh", "bot.toml"):
        (tmp_path / name).write_text('name = "x"\ncommand = ["true"]\n')
    one, again, other = (find(f"sh {tmp_path}/{words}") for words in ("one.sh 1", "one.sh 2", "other.sh"))
    check_apart([one, again])
    for pair in (
        (one, other),
        (other, one),
        (one, find(str(tmp_path))),
        (find("true", tmp_path), find("cat", tmp_path)),
    ):
        with pytest.raises(RosterError, match=f"would see each other's files in {tmp_path}. Give each bot a folder"):
            check_apart(pair)


def test_the_folder_of_a_command_line_is_looked_at_too(tmp_path):
    (tmp_path / "one.sh").write_text("")
    entry = find(f"sh {tmp_path}/one.sh")
    check_apart([entry])
    (tmp_path / "tool").touch(0o755)
    (tmp_path / "tool").chmod(0o4755)
    with pytest.raises(RosterError, match="tool: it has a set-user-ID or set-group-ID bit"):
        check_apart([entry])


@pytest.mark.usefixtures("processes")
def test_two_scripts_of_one_folder_are_refused_by_every_command_that_plays_in_a_sandbox(tmp_path):
    for name in ("one", "other"):
        (tmp_path / f"{name}.sh").write_text("")
    words = [f"sh {tmp_path}/{name}.sh" for name in ("one", "other")]
    (tmp_path / "league.toml").write_text(f'name = "x"\nbots = ["{words[0]}", "{words[1]}"]\n')
    for command in (["play", *words], ["duel", *words], ["league", "run", tmp_path / "league.toml"]):
        ended = arena(*command)
        assert (ended.code, ended.out) == (4, "")
        assert ended.err == (
            f"arena: one and other would see each other's files in {tmp_path}. Give each bot a folder of its own, or use "
            "--sandbox none.\n"
        )


def test_results_may_lie_in_the_folder_of_a_bot_only_where_it_does_not_see_them(tmp_path):
    entries = [described(tmp_path / "elsewhere", "a"), described(tmp_path / "mine")]
    for name in ("leagues/x", "mine/leagues/x", "mine/records"):
        check_results(tmp_path / name, entries)
    for name in ("mine", "mine/results", "mine/lib/leagues"):
        with pytest.raises(RosterError, match=rf"^mine would see the results in {tmp_path}/{name}, which is in its"):
            check_results(tmp_path / name, entries)


@pytest.mark.usefixtures("processes")
def test_a_league_is_not_begun_where_a_bot_would_see_it(tmp_path):
    path = small_league(tmp_path, ("first", "second"), sandbox="full")
    ended = arena("league", "run", path, "--folder", tmp_path / "first" / "results")
    assert ended.code == 4
    assert "first would see the results in" in ended.err
    assert not (tmp_path / "first" / "results").exists()


def test_in_a_league_all_that_a_command_line_sees_is_digested(tmp_path):
    (tmp_path / "bot.sh").write_text("")
    before = find(f"sh {tmp_path}/bot.sh")
    (tmp_path / "helper").write_text("")
    after = find(f"sh {tmp_path}/bot.sh")
    assert after.digest == before.digest
    assert as_whole(after).digest != before.digest
    (tmp_path / "league.toml").write_text('name = "x"\nbots = ["sh bot.sh", "greedy"]\n')
    first = read_tournament(tmp_path / "league.toml").entries[0]
    (tmp_path / "helper").write_text("x")
    assert read_tournament(tmp_path / "league.toml").entries[0].digest != first.digest


# Authors


def written(folder: Path, authors: dict[str, str | None], **keys: Any) -> Path:
    """A league of small bots, of these authors."""
    path = small_league(folder, tuple(authors), **keys)
    for name, author in authors.items():
        manifest = small_bot(folder, "first", name) / "bot.toml"
        manifest.write_text(manifest.read_text() + (f'author = "{author}"\n' if author else ""))
    path.write_text(path.read_text().replace("[schedule]", "[schedule]\none_per_author = true"))
    return path


def refusal(path: Path) -> str:
    with pytest.raises(SettingError) as error:
        read_tournament(path)
    return str(error.value).removeprefix(f"{path}: schedule.one_per_author: ")


def tables(plan: Schedule) -> list[tuple[str, ...]]:
    return [fixture.bots for fixture in plan if fixture.rotation == 0]


def test_bots_of_one_author_never_meet_in_a_league_that_says_so(tmp_path):
    path = written(tmp_path, {"a": "Ann", "b": "Ann", "c": "Bob", "d": None})
    tournament = read_tournament(path)
    assert tournament.one_per_author
    met = {frozenset(table) for table in tables(plan_of(tournament))}
    assert met == {frozenset(pair) for pair in ("ac", "ad", "bc", "bd", "cd")}
    path.write_text(path.read_text().replace("one_per_author = true", "one_per_author = false"))
    free = read_tournament(path)
    assert len(tables(plan_of(free))) == 6


def test_a_bot_without_an_author_is_its_own_and_those_of_one_folder_are_of_one(tmp_path):
    small_bot(tmp_path, "first", "mine")
    (tmp_path / "league.toml").write_text(
        'name = "x"\nbots = ["mine", { bot = "mine", name = "again" }, "greedy", { bot = "greedy", name = "greedy-2" }]\n'
    )
    known = authors(read_tournament(tmp_path / "league.toml").entries)
    assert known["mine"] == known["again"]
    assert len({*known.values()}) == 3, "the arena's own bots may meet"


@pytest.mark.parametrize(
    ("seats", "keys", "words"),
    [
        ([3], {}, "3 seats, but only 2 authors: a, b, c; d. Add bots of others, take fewer seats, or leave it out."),
        ([2, 4], {}, "4 seats, but only 2 authors: a, b, c; d. Add bots of others, take fewer seats, or leave it out."),
        (
            [3],
            {"kind": "gauntlet", "challengers": ["d"]},
            "2 seats beside d, but only 1 author: a, b, c. Add bots of others, take fewer seats, or leave it out.",
        ),
        (
            [2],
            {"kind": "gauntlet", "challengers": ["a", "d"]},
            "1 seat beside a, but only 0 authors: none. Add bots of others, take fewer seats, or leave it out.",
        ),
        (
            [2],
            {"kind": "knock_out"},
            "a and b and c have one author, and in a league of this kind any two may meet. Leave one out, or take another kind.",
        ),
    ],
)  # fmt: skip
def test_a_league_whose_tables_are_impossible_is_refused_when_it_is_read(tmp_path, seats, keys, words):
    path = written(tmp_path, {"a": "Ann", "b": "Ann", "c": "Ann", "d": "Bob"}, seats=seats, **keys)
    assert refusal(path) == words
    path.write_text(path.read_text().replace("one_per_author = true", ""))
    assert isinstance(read_tournament(path), Tournament)


def test_who_has_one_author_is_kept_with_the_roster(tmp_path):
    path = written(tmp_path, {"a": "Ann", "b": "Ann", "c": "Bob"})
    assert fixtures.roster(read_tournament(path))["authors"] == [["a", "b"]]
    path.write_text(path.read_text().replace("one_per_author = true", ""))
    assert "authors" not in fixtures.roster(read_tournament(path)), "as in leagues that know nothing of authors"


teams = st.lists(st.sampled_from("ABCDEF"), min_size=len(BOTS), max_size=len(BOTS)).map(lambda by: dict(zip(BOTS, by)))
few = st.integers(2, 5)
seeds = st.integers(0, 2**32)


def check_alone(plan: list[tuple[str, ...]], by: dict[str, str]) -> None:
    for table in plan:
        assert len({by[bot] for bot in table}) == len(table)


@given(teams, few, st.integers(1, 60), seeds)
def test_no_table_has_two_bots_of_one_author(by, seats, blocks, seed):
    assume(len({*by.values()}) >= seats)
    check_alone(tables(round_robin(BOTS, seats, blocks, seed, by)), by)
    check_alone(tables(round_robin(BOTS, {2, seats}, blocks, seed, by)), by)
    undecided = list(islice(combinations(BOTS, 2), 20))
    check_alone(tables(top_up(BOTS, {2, seats}, blocks, seed, undecided, [BOTS[:2]], 3, by)), by)


@given(teams, few, st.integers(1, 60), seeds)
def test_no_challenger_meets_a_bot_of_its_author(by, seats, blocks, seed):
    new, field = BOTS[:2], BOTS[2:]
    assume(all(len({by[bot] for bot in field} - {by[one]}) >= seats - 1 for one in new))
    plan = tables(gauntlet(new, field, seats, blocks, seed, by))
    check_alone(plan, by)
    assert all(len({*table} & {*new}) == 1 for table in plan)


@given(teams, few, seeds)
def test_without_a_budget_every_table_that_may_be_is_played_once(by, seats, seed):
    assume(len({*by.values()}) >= seats)
    possible = [table for table in combinations(BOTS, seats) if len({by[bot] for bot in table}) == seats]
    plan = round_robin(BOTS, seats, None, seed, by)
    assert Counter(frozenset(table) for table in tables(plan)) == Counter(map(frozenset, possible))
    assert len(plan) == seats * len(possible)


@given(st.lists(st.sampled_from("ABCDEFGH"), min_size=24, max_size=24), st.integers(1, 80), seeds)
def test_in_a_sample_the_bots_of_one_author_play_equally_often(by, blocks, seed):
    assume(len({*by}) >= 5)
    count = Counter(bot for table in tables(round_robin(MANY, 5, blocks, seed, dict(zip(MANY, by)))) for bot in table)
    for author in {*by}:
        played = [count[bot] for bot, its in zip(MANY, by) if its == author]
        assert max(played) - min(played) <= 1


@given(st.permutations([author for author in "ABCDEFG" for _ in range(4)][:24]), st.integers(1, 80), seeds)
def test_in_a_sample_all_play_nearly_equally_often_if_no_author_has_more_than_a_seats_share(by, blocks, seed):
    """Four of 24 bots have a fifth of the seats at most, so that their author need not sit at every table."""
    count = Counter(dict.fromkeys(MANY, 0))
    for table in tables(round_robin(MANY, 5, blocks, seed, dict(zip(MANY, by)))):
        count.update(table)
        assert max(count.values()) - min(count.values()) <= 2


@given(st.sampled_from([2, 3, {2, 4}]), st.integers(1, 40), seeds)
def test_where_each_bot_has_an_author_of_its_own_nothing_changes(seats, blocks, seed):
    own = {bot: f"author of {bot}" for bot in BOTS}
    assert [*round_robin(BOTS, seats, blocks, seed, own)] == [*round_robin(BOTS, seats, blocks, seed)]
    assert [*gauntlet(BOTS[:1], BOTS[1:], seats, blocks, seed, own)] == [
        *gauntlet(BOTS[:1], BOTS[1:], seats, blocks, seed)
    ]
    assert [*top_up(BOTS, seats, blocks, seed, [("a", "b")], authors=own)] == [
        *top_up(BOTS, seats, blocks, seed, [("a", "b")])
    ]


def test_a_schedule_for_too_few_authors_is_refused():
    by = dict.fromkeys(BOTS, "Ann")
    with pytest.raises(SettingError, match="expected at most 1, the number of authors for a table, got 2"):
        round_robin(BOTS, 2, 5, 0, by)
    with pytest.raises(SettingError, match="expected at most 1, the number of authors for a table, got 2"):
        gauntlet(BOTS[:1], BOTS[1:], 2, 5, 0, by)
    with pytest.raises(SettingError, match="expected at most 1, the number of authors for a table, got 2"):
        top_up(BOTS, 2, 5, 0, [], authors=by)
