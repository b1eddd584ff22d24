"""Whether hosts differ: no alarm about equal hosts, and one about a host that costs a bot something."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from arena.cli.hosts import host_warnings
from arena.league.elo import Result
from arena.league.fit import fit
from arena.league.report import Report, render
from arena.league.residuals import HostComparison, compare_hosts
from arena.league.statistics import expected
from arena.league.store import Row
from arena.match.hosts import Host
from tests.sizes import sweep

BOTS = ("thinker", "basalt", "comet", "delta", "ember")
STRENGTHS = dict(zip(BOTS, (150.0, 80.0, 0.0, -60.0, -170.0)))
HOSTS = tuple(Host(name, 4, speed, "3.11.7", "x86_64", 1) for name, speed in (("a", 100), ("b", 98), ("c", 40)))
SLOW = "c"


def times(used_us: int) -> dict[str, int]:
    return {"decisions": 20, "total_us": 20 * used_us, "p99_us": used_us, "most_us": used_us, "cpu_us": 20 * used_us}


def late(seat: int) -> dict[str, object]:
    return {"kind": "late", "seat": seat, "decision": 3, "text": "no answer within 100 ms"}


def ranked(dice: random.Random, strengths: Sequence[float], luck: float) -> tuple[int, ...]:
    """Places by lot, with the odds of the Bradley-Terry model for two; `luck` is of a deal that all rotations share."""
    if len(strengths) == 2:
        first = dice.random() < expected(strengths[0] - strengths[1] + luck)
        return (1, 2) if first else (2, 1)
    scores = [strength + dice.gauss(0, 250) for strength in strengths]
    return tuple(1 + sum(other > score for other in scores) for score in scores)


def league(
    seed: int,
    blocks: int,
    seats: int = 2,
    effects: Mapping[tuple[str, str], float] = {},
    lateness: Mapping[str, float] = {},
    luck: float = 150.0,
) -> tuple[list[Row], dict[str, Host]]:
    """Blocks that go to hosts by lot. `effects` are Elo points of a bot on a host, `lateness` chances on hosts."""
    dice = random.Random(seed)
    rows: list[Row] = []
    played: dict[str, Host] = {}
    for block in range(blocks):
        table, host = dice.sample(BOTS, seats), dice.choice(HOSTS)
        deal = dice.gauss(0, luck)
        for turn in range(seats):
            bots = tuple(table[turn:] + table[:turn])
            strengths = [STRENGTHS[bot] + effects.get((bot, host.name), 0.0) for bot in bots]
            faults = tuple(late(seat) for seat in range(seats) if dice.random() < lateness.get(host.name, 0.0))
            used = tuple(times(100_000 // host.speed) for _ in bots)
            ranks = ranked(dice, strengths, deal if bots[0] == table[0] else -deal)
            match = f"{len(rows):024x}"
            played[match] = host
            rows.append(Row(
                match, len(rows), block, turn, block, bots, ranks, (0,) * seats, ({},) * seats, faults, used, 1, "",
            ))  # fmt: skip
    return rows, played


def compared(rows: Sequence[Row], hosts: Mapping[str, Host]) -> HostComparison:
    return compare_hosts(rows, hosts, fit(Result(row.plan, row.block, row.bots, row.ranks, row.scores) for row in rows))


def alarms(count: int, blocks: int, seats: int = 2, **effects) -> float:
    found = [compared(*league(seed, blocks, seats, **effects)).differ for seed in range(count)]
    return sum(found) / count


# How often there is an alarm


@pytest.mark.thorough
@pytest.mark.parametrize(("blocks", "seats"), [(4, 2), (30, 2), (120, 2), (60, 4)])
def test_equal_hosts_cause_no_more_than_one_alarm_in_twenty(blocks, seats):
    leagues = sweep(70, 1000)
    share = alarms(leagues, blocks, seats, lateness=dict.fromkeys("abc", 0.02))
    assert share <= 0.05 + 2 * (0.05 * 0.95 / leagues) ** 0.5


@pytest.mark.thorough
def test_some_equal_hosts_cause_an_alarm():
    """The test above would also pass if there were never one."""
    assert 0 < alarms(sweep(70, 1000), 120) <= 0.1


@pytest.mark.thorough
def test_a_host_that_costs_one_bot_its_strength_is_found():
    assert alarms(10, 600, effects={("thinker", SLOW): -250.0}) == 1.0


def test_a_host_on_which_bots_are_late_is_found():
    assert alarms(10, 200, lateness={"a": 0.01, "b": 0.01, SLOW: 0.2}) == 1.0


# What is found


@pytest.fixture(scope="module")
def slow() -> tuple[list[Row], dict[str, Host]]:
    return league(1, 500, effects={("thinker", SLOW): -250.0}, lateness={SLOW: 0.1})


def test_the_bot_and_the_host_are_named(slow):
    found = compared(*slow)
    worst = min((one for line in found.lines for one in line.scores), key=lambda one: one.chance)
    (line,) = (line for line in found.lines if worst in line.scores)
    assert (line.name, worst.bot) == (SLOW, "thinker")
    assert -0.4 < worst.value < -0.15
    assert found.is_unlikely(worst)


def test_the_pace_of_a_host_is_that_of_its_decisions(slow):
    paces = {line.name: line.pace for line in compared(*slow).lines}
    assert paces["a"] < paces["b"] < 1 < paces[SLOW]
    assert paces[SLOW] / paces["a"] == pytest.approx(100 / 40, rel=0.1)  # bots met the hosts a little unevenly


def test_counts_are_those_of_the_rows(slow):
    rows, hosts = slow
    for line in compared(rows, hosts).lines:
        own = [row for row in rows if hosts[row.match].name == line.name]
        assert line.matches == len(own)
        assert line.late == sum(len(row.faults) for row in own)
        assert line.speeds == tuple({hosts[row.match].speed for row in own})


def test_residuals_of_a_bot_add_up_to_nothing(slow):
    rows, hosts = slow
    found = compared(rows, hosts)
    for bot in BOTS:
        games = {
            line.name: sum(bot in row.bots for row in rows if hosts[row.match].name == line.name)
            for line in found.lines
        }
        sums = [one.value * games[line.name] for line in found.lines for one in line.scores if one.bot == bot]
        assert sum(sums) == pytest.approx(0, abs=1e-9)


def test_the_order_of_results_does_not_matter(slow):
    rows, hosts = slow
    assert compared(rows[::-1], hosts) == compared(rows, hosts)


def test_a_host_that_was_measured_again_is_the_same_host(slow):
    rows, hosts = slow
    again = {match: replace(host, speed=host.speed + int(match, 16) % 2) for match, host in hosts.items()}
    found = compared(rows, again)
    assert [line.speeds for line in found.lines] == [(100, 101), (98, 99), (40, 41)]
    assert found.chance == compared(rows, hosts).chance


def test_matches_of_unknown_hosts_count_as_played_elsewhere(slow):
    rows, hosts = slow
    known = {match: host for match, host in hosts.items() if host.name != "a"}
    found = compared(rows, known)
    assert [line.name for line in found.lines] == ["b", SLOW]
    assert found.lines[1].scores == compared(rows, hosts).lines[2].scores


def test_matches_of_one_block_are_not_more_evidence_because_they_are_more(slow):
    rows, hosts = slow
    copies = [replace(row, match=f"{row.plan:08x}".rjust(24, "f"), plan=row.plan + len(rows)) for row in rows]
    twice = compared([*rows, *copies], hosts | {copy.match: hosts[row.match] for row, copy in zip(rows, copies)})
    for line, other in zip(compared(rows, hosts).lines, twice.lines):
        errors = {one.bot: one.error for one in line.scores}
        assert {one.bot: one.error for one in other.scores} == pytest.approx(errors, rel=0.05)


def test_what_a_seat_is_worth_is_not_what_a_host_does():
    rows, _ = league(4, 200)
    first_wins = [replace(row, ranks=(1, 2) if row.plan % 8 else (2, 1)) for row in rows]
    hosts = {row.match: HOSTS[row.bots[0] > row.bots[1]] for row in rows}  # each bot has its seats mostly on one host
    assert not compared(first_wins, hosts).differ


def test_one_host_is_not_compared(slow):
    rows, hosts = slow
    assert compared(rows, dict.fromkeys(hosts, HOSTS[0])) == HostComparison((), 0)


def test_hosts_without_a_common_bot_are_not_tested():
    rows, _ = league(2, 40)
    hosts = {row.match: HOSTS["thinker" in row.bots or "basalt" in row.bots] for row in rows}
    rows = [row for row in rows if len({bot in ("thinker", "basalt") for bot in row.bots}) == 1]
    found = compared(rows, {row.match: hosts[row.match] for row in rows})
    assert (len(found.lines), found.tests, found.differ) == (2, 0, False)


def test_copies_of_a_bot_say_nothing_about_it():
    rows, hosts = league(3, 60)
    twins = [replace(row, bots=("comet", "comet")) for row in rows[:40]]
    found, without = compared([*twins, *rows[40:]], hosts), compared(rows[40:], hosts)
    for line, other in zip(found.lines, without.lines):
        assert [one.bot for one in line.scores] == [one.bot for one in other.scores]
        assert [one.value for one in line.scores] == pytest.approx([one.value for one in other.scores])


# In words


def test_the_warning_names_bot_host_and_way_out(slow):
    *first, last = host_warnings(compared(*slow))
    assert first[0].startswith("Hosts differ: on c (speed 40), ")
    assert any(
        ", thinker scores " in line and "points per 100 games less than its rating expects." in line for line in first
    )
    assert any("of 100 matches more than on all hosts." in line for line in first)
    assert 'charge = "cpu"' in last


def test_there_is_no_warning_without_an_alarm():
    found = compared(*league(5, 40))
    assert not found.differ
    assert list(host_warnings(found)) == []


def test_a_host_cannot_write_to_the_terminal(slow):
    rows, hosts = slow
    evil = {match: replace(host, name="\x1b]0;evil\x07\n" + host.name) for match, host in hosts.items()}
    for line in host_warnings(compared(rows, evil)):
        assert line.isprintable()


# In the report


def page(rows, hosts) -> str:
    settings = {"bots": {bot: ["1", ""] for bot in BOTS}}
    found = compared(rows, hosts)
    return render(Report("league", settings, rows, len(rows), "arena league run x.toml", "0.1.0", hosts=found))


def test_the_report_shows_hosts_and_what_differs(slow):
    text = page(*slow)
    assert '<h2 id="hosts">Hosts</h2>' in text
    assert "The hosts differ: if they did not" in text
    assert text.count("<bdi>c</bdi>") >= 2


def test_the_report_says_so_if_chance_explains_everything():
    assert "No bot did better or worse on one host than chance explains." in page(*league(5, 40))


def test_the_report_of_one_host_has_no_such_section(slow):
    rows, hosts = slow
    for known in ({}, dict.fromkeys(hosts, HOSTS[0])):
        assert 'id="hosts"' not in page(rows, known)
        assert 'href="#hosts"' not in page(rows, known)


def test_the_name_of_a_host_is_text_in_the_report(slow):
    rows, hosts = slow
    text = page(rows, {match: replace(host, name=f"<script>{host.name}") for match, host in hosts.items()})
    assert "<script" not in text
    assert "&lt;script&gt;" in text
