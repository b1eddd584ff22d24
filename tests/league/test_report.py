"""The report of a league: one file, safe, and the same for the same results."""

import json
import math
import random
import re
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from arena.league import page
from arena.league.elo import Result, outcome
from arena.league.fit import fit
from arena.league.knock_out import Bracket, champion
from arena.league.report import (
    MOST_FAULTS,
    MOST_MATCHES,
    MOST_ZONES,
    SECTIONS,
    Report,
    facts,
    faults,
    ratings,
    render,
    reproduce,
    scores,
    times,
)
from arena.league.report.drawing import Axis
from arena.league.report.facts import league_of
from arena.league.report.page import STYLE
from arena.league.residuals import compare_hosts
from arena.league.schedule import bracket
from arena.league.standings import standings
from arena.league.store import COLUMNS, Row, open_store
from arena.league.ties import Course, PlayedTables
from arena.match.hosts import Host

NAMES = ("aurora", "basalt", "comet", "delta", "ember", "fjord", "gale", "heron")
ZONES = ("FS", "WT", "KJ", "PL", "MD", "SI", "RV", "rex")


def table_of(dice: random.Random, names: Sequence[str], bots: Sequence[str]) -> tuple[list[int], list[dict[str, int]]]:
    """Scores and their parts: the names come in pairs of bots that are hardly different, the better ones first."""
    parts = []
    for seat, bot in enumerate(bots):
        level = 5.2 - 2.4 * (names.index(bot) // 2) / len(names) - 0.02 * (names.index(bot) % 2) - 0.08 * seat
        parts.append({zone: max(0, round(dice.gauss(level, 2.2))) for zone in ZONES})
    return [sum(part.values()) for part in parts], parts


def times_of(dice: random.Random, slowness: float) -> dict[str, int]:
    each = sorted(round(slowness * dice.lognormvariate(0, 0.8)) for _ in range(21))
    return {"decisions": 21, "total_us": sum(each), "p99_us": each[-1], "most_us": each[-1], "cpu_us": sum(each) // 2}


def faults_of(dice: random.Random, seats: int) -> list[dict[str, Any]]:
    kind, text = dice.choice(
        (("late", "no answer within 100 ms and a bank of 0 ms"), ("illegal", "T@FS: the forest holds D"))
    )
    if dice.random() > 0.01:
        return []
    return [{"kind": kind, "seat": dice.randrange(seats), "decision": dice.randrange(1, 80), "text": text}]


def match(plan: int, block: int, bots: Sequence[str], names: Sequence[str], dice: random.Random) -> Row:
    scores, parts = table_of(dice, names, bots)
    return Row(
        match=f"{dice.getrandbits(96):024x}",
        plan=plan,
        block=block,
        rotation=plan % len(bots),
        seed=block,
        bots=tuple(bots),
        ranks=tuple(1 + sum(other > score for other in scores) for score in scores),
        scores=tuple(scores),
        breakdown=tuple(parts),
        faults=tuple(faults_of(dice, len(bots))),
        times=tuple(times_of(dice, 200 * 3 ** (names.index(bot) % 7)) for bot in bots),
        steps=84,
        digest="0" * 16,
    )


def simulated(blocks: int, names: Sequence[str] = NAMES, seats: int = 4) -> list[Row]:
    """A league whose tables are drawn by lot, and played in all rotations."""
    dice = random.Random(7)
    rows: list[Row] = []
    for block in range(blocks):
        table = dice.sample(list(names), seats)
        for turn in range(seats):
            rows.append(match(len(rows), block, table[turn:] + table[:turn], names, dice))
    return rows


def report_of(rows: Sequence[Row], names: Sequence[str] = NAMES, **changes: Any) -> Report:
    settings = {
        "game": "draftosaurus",
        "edition": 1,
        "options": {"season": "summer"},
        "seed": 7,
        "schedule": ["round_robin", 4],
        "challengers": [],
        "clock": {"hello_ms": 10000, "prepare_ms": 10000, "bank_ms": 10000, "increment_ms": 100, "charge": "wall"},
        "strikes": 3,
        "memory_mb": 256,
        "bots": {name: ["1.0", f"{number:016x}"] for number, name in enumerate(names)},
    }
    given = {
        "name": "spring",
        "settings": settings,
        "rows": rows,
        "planned": len(rows),
        "command": "arena league run tournaments/spring.toml",
        "arena": "0.1.0",
        "sandbox": "full",
    }
    return Report(**{**given, **changes})


class Page(HTMLParser):
    """A page taken apart: headings, tables, links, drawings; and an error for a tag that is not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.headings: list[str] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.words: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids |= {value for name, value in attrs if name == "id" and value}
        if tag != "meta":
            self.open.append(tag)
        if tag in ("h1", "h2", "h3"):
            self.headings.append("")
        if tag == "table":
            self.tables[f"table {len(self.tables)}"] = []
        if tag == "tr":
            self._table().append([])
        if tag in ("th", "td"):
            self._table()[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag == "caption":
            self.tables[self.words[-1]] = self.tables.pop(next(reversed(self.tables)))

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        self.words.append(data)
        if {"h1", "h2", "h3"} & set(self.open):
            self.headings[-1] += data
        if {"td", "th"} & set(self.open) and "svg" not in self.open:
            self._table()[-1][-1] += data

    def _table(self) -> list[list[str]]:
        return self.tables[next(reversed(self.tables))]

    def rows(self, caption: str) -> dict[str, list[str]]:
        """The rows of a table, by the name of the bot."""
        head, *rows = self.tables[caption]
        at = head.index("bot")
        return {row[at]: row for row in rows if len(row) == len(head)}

    @property
    def text(self) -> str:
        return " ".join(self.words)


def page_of(rows: Sequence[Row], names: Sequence[str] = NAMES, **changes: Any) -> Page:
    return Page(render(report_of(rows, names, **changes)))


def results_of(rows: Sequence[Row]) -> list[Result]:
    return [Result(row.plan, row.block, row.bots, row.ranks, row.scores) for row in rows]


LEAGUE = simulated(60)


def test_a_league_has_all_sections_and_each_is_linked_to() -> None:
    names = [Host(name, 4, 100, "3.11.7", "x86_64", 1) for name in ("one", "other")]
    hosts = compare_hosts(LEAGUE, {row.match: names[row.block % 2] for row in LEAGUE}, fit(results_of(LEAGUE)))
    page = page_of(LEAGUE, hosts=hosts)
    titles = [title for _, title, _ in SECTIONS]
    assert [heading for heading in page.headings if heading in titles] == titles
    assert page.headings[0] == "spring"
    links = {value[1:] for tag, name, value in page.attributes if (tag, name) == ("a", "href") and value[0] == "#"}
    assert links == {key for key, _, _ in SECTIONS} <= page.ids


def test_the_table_has_the_numbers_of_the_standings() -> None:
    faults = Counter(row.bots[fault["seat"]] for row in LEAGUE for fault in row.faults)
    rows = page_of(LEAGUE).rows("Standings")
    for standing in standings(results_of(LEAGUE), NAMES, faults):
        rating, margin = standing.rating, f"{standing.margin:+.1f}".replace("-", "−")
        assert rows[standing.bot][:3] == [
            standing.rank.replace("-", "–"),
            standing.bot,
            f"{rating.value:.0f} ±{rating.high - rating.value:.0f}",
        ]
        assert rows[standing.bot][4:11] == [
            f"{standing.elo:.0f}",
            f"{standing.games}",
            f"{standing.wins}",
            f"{standing.shared}",
            f"{standing.mean_score:.1f}",
            margin,
            f"{standing.faults}",
        ]


def test_who_is_not_separated_is_said_in_words() -> None:
    page = page_of(LEAGUE)
    first = standings(results_of(LEAGUE), NAMES)[0]
    assert first.not_separated
    assert "not separated from" in page.tables["Standings"][1][0]
    assert page.rows("Standings")[first.bot][-1].startswith(first.not_separated[0])


def test_intervals_are_drawn_with_their_numbers_as_title() -> None:
    page = page_of(LEAGUE)
    for standing in standings(results_of(LEAGUE), NAMES):
        rating = standing.rating
        told = f"{standing.bot}: {rating.value:.0f}, 95 % interval {rating.low:.0f} to {rating.high:.0f}"
        assert told in page.words


def test_the_crosstable_has_shares_games_and_likelihoods() -> None:
    bots = [standing.bot for standing in standings(results_of(LEAGUE), NAMES)]
    row = page_of(LEAGUE).rows("Crosstable")[bots[0]]
    met = [row for row in LEAGUE if {bots[0], bots[-1]} <= set(row.bots)]
    won = sum(outcome(*(row.ranks[row.bots.index(bot)] for bot in (bots[0], bots[-1]))) for row in met)
    likely = fit(results_of(LEAGUE), NAMES).superiority(bots[0], bots[-1])
    assert likely > 0.99
    assert row[-1] == f"{100 * won / len(met):.0f}{len(met)} · >99"
    assert row[2] == ""


def page_from_store(folder: Path, *parts: Sequence[Row]) -> str:
    """The page of a league whose results came into its store in this order."""
    report = report_of(LEAGUE)
    rest = {"name": report.name, "planned": report.planned, "sandbox": report.sandbox, "order": list(NAMES)}
    with open_store(folder, create=True) as store:
        store.settle({**report.settings, **rest})
        for rows in parts:
            store.add(rows)
        return page.page(store, report.command)


def test_the_order_of_results_does_not_matter(tmp_path) -> None:
    shuffled = LEAGUE.copy()
    random.Random(3).shuffle(shuffled)
    whole = page_from_store(tmp_path / "whole", LEAGUE)
    assert page_from_store(tmp_path / "shuffled", shuffled[:100], shuffled[100:]) == whole
    report = report_of(LEAGUE)
    turned = dict(reversed(list(report.settings.items())))
    turned["bots"] = dict(reversed(turned["bots"].items()))
    assert render(replace(report, settings=turned)) == render(report)


def test_a_result_that_comes_twice_counts_once(tmp_path) -> None:
    twice = page_from_store(tmp_path / "twice", LEAGUE, LEAGUE[:50])
    assert twice == page_from_store(tmp_path / "once", LEAGUE)


def test_results_are_read_once_and_not_kept() -> None:
    """A generator is enough, and no result is alive when the page is drawn."""
    alive: list[weakref.ref[Row]] = []
    kept: list[int] = []

    class Watched(Row):
        """A row that can be watched."""

        __slots__ = ("__weakref__",)

    def rows() -> Iterator[Row]:
        for row in LEAGUE:
            one = Watched(*(getattr(row, name) for name in COLUMNS))
            alive.append(weakref.ref(one))
            yield one
            kept.append(sum(ref() is not None for ref in alive[-20:-1]))

    assert render(replace(report_of(LEAGUE), rows=rows())) == render(report_of(LEAGUE))
    assert max(kept) == 0


HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "' onload='alert(3)",
    "\u202egnp.exe\u2066",
    "x" * 5000,
    "&lt;b&gt;",
    "</title></style><b>",
    "line\nbreak\x00\ud800",
)


def hostile_report() -> Report:
    rows = [
        replace(
            row,
            breakdown=tuple({HOSTILE[seat]: 3, **part} for seat, part in enumerate(row.breakdown)),
            faults=({"kind": HOSTILE[0], "seat": 0, "decision": 3, "text": HOSTILE[row.plan % 8]},),
        )
        for row in simulated(20, HOSTILE)
    ]
    report = report_of(rows, HOSTILE, name=HOSTILE[0], command=HOSTILE[1], arena=HOSTILE[6], sandbox=HOSTILE[2])
    bots = {name: [HOSTILE[0], HOSTILE[1]] for name in HOSTILE}
    return replace(report, settings={**report.settings, "bots": bots, "options": {HOSTILE[0]: HOSTILE[1]}})


def test_names_and_words_of_strangers_stay_text() -> None:
    text = render(hostile_report())
    page = Page(text)
    tags = {tag for tag, _, _ in page.attributes}
    assert not tags & {"script", "img", "iframe", "object", "link", "base", "form"}
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert not re.search(r"<(script|img|b>&)", text.split("</style>", 1)[1])
    assert HOSTILE[0] in page.rows("Standings")
    text.encode("utf-8")


def test_nothing_turns_the_direction_of_writing() -> None:
    text = render(hostile_report())
    assert r"\u202egnp.exe\u2066" in text
    assert text.replace("\n", "").isprintable()


def test_long_names_are_shortened_and_do_not_fill_the_page() -> None:
    assert len(render(hostile_report())) < 300_000


def test_nothing_is_fetched_from_anywhere() -> None:
    text = render(hostile_report())
    addresses = [value for _, name, value in Page(text).attributes if name in ("href", "src", "action", "xlink:href")]
    assert addresses
    assert all(re.fullmatch(r"#[a-z]+|records/[0-9a-f]{2}/[0-9a-f]{24}\.match\.jsonl\.gz", one) for one in addresses)
    assert not re.search(r"https?:|//|url\(|@import", text)


def test_the_page_forbids_scripts_and_foreign_content() -> None:
    policy = next(value for tag, name, value in page_of(LEAGUE).attributes if tag == "meta" and name == "content")
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")


@pytest.mark.parametrize("records", ["javascript:alert(1)", "//elsewhere/records", "a b/ü"])
def test_a_folder_of_records_cannot_lead_elsewhere(records: str) -> None:
    rows = [replace(LEAGUE[0], faults=({"kind": "late", "seat": 0, "decision": 3, "text": ""},))]
    links = [value for tag, name, value in page_of(rows, records=records).attributes if (tag, name) == ("a", "href")]
    assert not re.match(r"[a-z]+:|//", links[-1])
    assert unquote(links[-1]).endswith(f"/{rows[0].match[:2]}/{rows[0].match}.match.jsonl.gz")


def test_a_fault_is_shown_with_the_command_that_replays_it() -> None:
    fault = {"kind": "late", "seat": 2, "decision": 14, "text": "no answer within 100 ms"}
    row = replace(LEAGUE[0], faults=(fault, {"kind": "no-hello", "seat": 1, "decision": None, "text": "silence"}))
    page = page_of([row])
    record = f"records/{row.match[:2]}/{row.match}.match.jsonl.gz"
    assert f"arena replay {record} --decision 14" in page.words
    assert f"arena replay {record}" in page.words
    assert ("a", "href", record) in page.attributes
    assert page.rows("Faults by bot and kind")[row.bots[2]] == [row.bots[2], "1", "0", "1"]
    assert "no answer within increment and bank (strike)" in page.text


def test_of_many_faults_each_bot_and_kind_has_its_first_ones_listed() -> None:
    flood = {"kind": "late", "seat": 0, "decision": 1, "text": "again"}
    rows = [replace(row, faults=(flood,) * 3) for row in LEAGUE]
    rows[-1] = replace(rows[-1], faults=({**flood, "kind": "crash", "text": "the rare one"},))
    page = page_of(rows)
    assert "the rare one" in page.words
    assert page.words.count("again") == MOST_FAULTS - 1
    assert f"{MOST_FAULTS} of {3 * 239 + 1}" in page.text


def test_a_league_without_results_says_so() -> None:
    page = page_of([], planned=100)
    assert "No match has been played yet, so there is nothing to rate." in page.words
    assert "0 of 100 matches of the plan are played." in page.text
    assert page.headings == ["spring", "Reproduce this league"]
    assert set(page.rows("Bots")) == set(NAMES)


def test_one_result_is_enough_for_a_report() -> None:
    page = page_of(LEAGUE[:1], planned=240)
    assert "1 of 240 matches of the plan are played." in page.text
    assert "A line needs at least two blocks of matches, and there is one." in page.words


def test_bots_that_never_played_are_listed_without_numbers() -> None:
    page = page_of(LEAGUE, (*NAMES, "zephyr"))
    assert page.rows("Standings")["zephyr"] == ["–", "zephyr", *["–"] * 10]
    assert "Not played yet" in page.words
    assert page.rows("Matches by bot and seat")["zephyr"] == ["zephyr", "0", "0", "0", "0", "0"]


def test_a_league_of_ties_has_nobody_in_front() -> None:
    page = page_of([replace(row, ranks=(1,) * 4, scores=(30,) * 4) for row in LEAGUE])
    assert "All bots are level." in page.words
    assert {row[2].split()[0] for row in page.rows("Standings").values()} == {"1500"}


def test_two_bots_are_enough() -> None:
    page = page_of(simulated(30, NAMES[:2], 2), NAMES[:2])
    assert len(page.rows("Crosstable")) == 2
    assert "2 bots at tables of 2." in page.text


def test_tables_of_several_sizes_have_their_own_seats() -> None:
    wider = [
        replace(row, plan=row.plan + 240, block=row.block + 60, match=f"w{row.match}")
        for row in simulated(20, NAMES, 5)
    ]
    page = page_of(LEAGUE + wider)
    assert "8 bots at tables of 4 and 5." in page.text
    assert {"Seat effects at tables of 4", "Seat effects at tables of 5"} <= set(page.tables)
    assert "seat 4 of 5" in page.tables["Matches by bot and seat"][0]


def test_groups_of_bots_that_never_met_are_pointed_out() -> None:
    rows = [row for row in simulated(200) if set(row.bots) in (set(NAMES[:4]), set(NAMES[4:]))]
    assert len({frozenset(row.bots) for row in rows}) == 2
    assert "The bots form 2 groups that never met, not even through other bots." in page_of(rows).text


def test_zones_are_means_of_a_match() -> None:
    mine = [part["FS"] for row in LEAGUE for bot, part in zip(row.bots, row.breakdown) if bot == "ember"]
    assert page_of(LEAGUE).rows("Points by zone")["ember"][1] == f"{sum(mine) / len(mine):.1f}"


def test_zones_that_are_numbered_anew_in_each_match_are_taken_together() -> None:
    parts: tuple[dict[str, int], ...] = ({"d1": 10, "d6": 1, "hidden": 2}, {"d2": 3}, {"d4": 6, "d5": 6}, {})
    page = page_of([replace(LEAGUE[0], breakdown=parts)])
    assert page.tables["Points by zone"][0] == ["bot", "d1, d2 …", "number of d…", "hidden", "all"]
    assert page.rows("Points by zone")[LEAGUE[0].bots[0]][1:4] == ["11.0", "2.0", "2.0"]


def test_numbered_zones_that_are_always_there_stay_apart() -> None:
    rows = [replace(row, breakdown=({"round1": 1, "round2": 2},) * 4) for row in LEAGUE[:8]]
    assert page_of(rows).tables["Points by zone"][0] == ["bot", "round1", "round2", "all"]


def test_of_very_many_zones_the_largest_are_shown() -> None:
    part = {f"card {chr(97 + k // 26)}{chr(97 + k % 26)}": k for k in range(100)}
    head = page_of([replace(LEAGUE[0], breakdown=(part,) * 4)]).tables["Points by zone"][0]
    assert head == ["bot", *list(part)[-MOST_ZONES:], "all"]


def test_times_add_up_over_matches() -> None:
    mine = [one for row in LEAGUE for bot, one in zip(row.bots, row.times) if bot == "delta"]
    row = page_of(LEAGUE).rows("Decision times")["delta"]
    assert row[1] == f"{21 * len(mine):,}"
    assert row[2] == f"{sum(one['total_us'] for one in mine) / 21 / len(mine) / 1000:.3g} ms"
    assert row[4] == f"{max(one['most_us'] for one in mine) / 1000:.3g} ms"


@pytest.mark.parametrize(
    ("micros", "words"), [(0, "0 µs"), (999, "999 µs"), (1234, "1.23 ms"), (999_600, "1 s"), (5_000_000_000, "5,000 s")]
)
def test_durations_are_told_in_fitting_units(micros: int, words: str) -> None:
    times = dict.fromkeys(("total_us", "p99_us", "most_us", "cpu_us"), micros) | {"decisions": 1}
    page = page_of([replace(LEAGUE[0], times=(times,) * 4)])
    assert page.rows("Decision times")[LEAGUE[0].bots[0]][2] == words


def test_a_bot_that_always_takes_as_long_still_has_a_bar_to_point_at() -> None:
    times = dict.fromkeys(("total_us", "p99_us", "most_us", "cpu_us"), 5000) | {"decisions": 1}
    text = render(report_of([replace(LEAGUE[0], times=(times,) * 4)]))
    bars = text.partition(">Decision times</caption>")[2]
    assert re.findall(r'<rect [^>]*width="([^"]*)"[^>]*class="reach"', bars) == ["1"] * 4


def test_meetings_are_counted_with_their_least_and_most() -> None:
    met = Counter(frozenset(pair) for row in LEAGUE for pair in combinations(row.bots, 2))
    counts = [met[frozenset(pair)] for pair in combinations(NAMES, 2)]
    assert f"Meetings of two bots: {min(counts)} to {max(counts)}." in page_of(LEAGUE).text


def test_what_is_needed_to_play_it_again_is_there() -> None:
    deck = json.dumps(list(range(1000)))
    settings = {**report_of([]).settings, "options": {"deck": deck}, "name": "never shown", "order": ["never shown"]}
    page = page_of(LEAGUE, settings=settings, planned=500)
    assert "arena league run tournaments/spring.toml" in page.words
    assert f"({len(deck):,} characters)" in page.text
    assert "never shown" not in page.text
    for words in ("draftosaurus", "round robin, tables of 4", "240 of 500 planned are played", "full", "0.1.0"):
        assert words in page.words
    assert page.rows("Bots")["basalt"] == ["basalt", "1.0", f"{1:016x}"]


def test_drawings_have_titles_and_tables_have_heads() -> None:
    text = render(report_of(LEAGUE))
    drawings = re.findall(r"<svg[^>]*>(?:<title>)?", text)
    assert all(one.endswith("<title>") or 'aria-hidden="true"' in one for one in drawings)
    assert all("scope=" in cell for cell in re.findall(r"<th\b[^>]*>", text))


def test_a_big_league_is_a_small_file() -> None:
    names = [f"bot-{number:02d}" for number in range(60)]
    text = render(report_of(simulated(100, names), names))
    assert len(text.encode()) < 1_000_000
    assert len(Page(text).rows("Crosstable")) == 60


def test_of_very_many_bots_matrices_and_drawings_show_the_first_and_say_so(monkeypatch) -> None:
    monkeypatch.setattr(facts, "MOST_DRAWN", 5)
    for module in (ratings, scores):
        monkeypatch.setattr(module, "MOST_DRAWN", 5)
    page = page_of(LEAGUE)
    best = [standing.bot for standing in standings(results_of(LEAGUE), NAMES)]
    assert list(page.rows("Crosstable")) == list(page.rows("Meetings of two bots")) == best[:5]
    assert len(page.rows("Standings")) == 8
    words = "Only the first 5 of 8 bots in the order of the standings are shown."
    assert page.text.count(words) == 4  # crosstable, ratings, scores, meetings
    met = Counter(frozenset(pair) for row in LEAGUE for pair in combinations(row.bots, 2))
    assert f"Meetings of two bots: {min(met.values())} to {max(met.values())}." in page.text, "of all bots"


def test_tables_of_very_many_bots_end_somewhere_and_say_so(monkeypatch) -> None:
    for module in (facts, faults, reproduce, scores, times):
        monkeypatch.setattr(module, "MOST_LISTED", 3)
    page = page_of(LEAGUE)
    captions = ("Standings", "Matches by bot and seat", "Points by zone", "Decision times", "Bots")
    assert {len(page.rows(caption)) for caption in captions} == {3}
    assert page.text.count("Only the first 3 of 8 bots in the order of the standings are shown.") == len(captions)


def test_a_league_that_is_too_large_to_fit_again_and_again_is_fitted_once(monkeypatch) -> None:
    monkeypatch.setattr(facts, "POINTS", ((240 * 8 - 1, 5), (math.inf, 1)))
    assert "This league is too large to fit its ratings again at earlier moments." in page_of(LEAGUE).words


# Where the curves of the ratings have points


def stops(*blocks: Sequence[str]) -> list[int]:
    """After how many matches a league is fitted that plays each of these tables in all rotations."""
    dice = random.Random(7)
    rows: list[Row] = []
    for block, bots in enumerate(blocks):
        rows += [match(len(rows) + turn, block, [*bots[turn:], *bots[:turn]], NAMES, dice) for turn in range(len(bots))]
    return [count for count, _ in league_of(report_of(rows)).milestones]


AB, CD = NAMES[:2], NAMES[2:4]


def test_a_league_is_fitted_at_ends_of_blocks_from_the_one_that_has_seen_all_bots() -> None:
    assert stops(AB, AB, AB) == [2, 4, 6]
    assert stops(AB, CD, AB, CD) == [4, 6, 8]
    assert stops(AB, CD, AB) == [4, 6], "after half of the matches"
    assert stops(NAMES[:3], NAMES[3:6], NAMES[:3], NAMES[3:6], NAMES[:3]) == [6, 9, 12, 15]


def test_a_league_that_sees_a_bot_late_is_fitted_from_its_first_block() -> None:
    assert stops(AB, AB, CD) == [2, 4, 6]
    assert stops(AB, CD) == [2, 4], "after more than half of the matches"


# Rounds, matches, dates, colours

SCRIPT = "<script>alert(1)</script>"


def cup(bots: Sequence[str], matches: int = 100) -> Report:
    """A knock-out in which the bot that comes first here wins every match; only so many matches are played."""
    rows, places = list[Row](), list(bots)
    while len(places) > 1:
        tables = bracket(places, 2)
        for table in (table for table in tables if len(table) > 1):
            block = len(rows) // 2
            for turn in range(2):
                seated = table[turn:] + table[:turn]
                one = match(len(rows), block, seated, bots, random.Random(len(rows)))
                scores = tuple(20 - bots.index(bot) for bot in seated)
                ranks = tuple(1 + (score < max(scores)) for score in scores)
                rows.append(replace(one, scores=scores, ranks=ranks, faults=()))
        places = [min(table, key=bots.index) for table in tables]
    rows = rows[:matches]
    rounds = tuple(Bracket(tuple(bots), 2, tuple(bots)).rounds(PlayedTables(rows)))
    return report_of(rows, bots, course=Course(rounds=rounds, champion=champion(rounds)))


def test_the_bracket_comes_first_with_byes_results_and_what_decided() -> None:
    page = Page(render(cup(NAMES[:7])))
    assert page.headings[1:3] == ["Bracket", "Standings"]
    _, *ties = page.tables["Ties"]
    assert [tie[0] for tie in ties] == ["Round 1"] * 4 + ["Round 2"] * 2 + ["Final"]
    assert ties[0][1:4] == ["aurora bye", "aurora", "bye"]
    assert ties[1][1:4] == ["basalt 2 · 38gale 4 · 28", "basalt", "ranks"]
    assert ties[-1][1:4] == ["aurora 2 · 40basalt 4 · 38", "aurora", "ranks"]
    assert "has won the league." in page.text
    assert sum(one[:2] == ("a", "href") for one in page.attributes if one[2].startswith("records/")) == 12 + 12


def test_a_bracket_that_is_not_over_shows_what_is_open() -> None:
    page = Page(render(cup(NAMES[:4], matches=3)))
    _, first, second = page.tables["Ties"]
    assert (first[2], first[3]) == ("aurora", "ranks")
    assert (second[2], second[3]) == ("open", "1 of 2 matches")
    assert "has won" not in page.text


def test_names_in_a_bracket_are_escaped() -> None:
    text = render(cup([SCRIPT, "b", "c"]))
    assert "<script" not in text
    assert "&lt;script&gt;" in text


def test_matches_are_listed_up_to_a_limit_with_links_to_records_that_exist() -> None:
    rows = simulated(60)
    page = page_of(rows, has_record=lambda one: one != rows[0].match)
    _, first, second, *_ = page.tables["Matches"]
    assert len(page.tables["Matches"]) == 1 + MOST_MATCHES
    assert first[-1] == "missing"
    assert second[-1] == rows[1].match[:8]
    assert f"The first {MOST_MATCHES} of 240, in plan order" in page.text
    assert all(f"{bot} {score}" in second[1] for bot, score in zip(rows[1].bots, rows[1].scores))
    assert "All of them, in plan order" in page_of(simulated(2)).text


def test_matches_of_a_league_by_meetings_are_called_by_their_ids() -> None:
    """Its places in the plan are the numbers of meetings, so that many matches have the same."""
    settings = {**report_of([]).settings, "scheme": "meetings"}
    page, places = page_of(LEAGUE, settings=settings), page_of(LEAGUE)
    head, first, *_ = page.tables["Matches"]
    assert (head[0], first[-1]) == ("bots by seat: points", LEAGUE[0].match[:8])
    assert "by the number of the meeting" in page.text
    faulty = next(row for row in LEAGUE if any(fault["seat"] is not None for fault in row.faults))
    assert f"match {faulty.match[:8]}, seat" in page.text
    assert f"match {faulty.plan:,}, seat" not in page.text
    assert f"match {faulty.plan:,}, seat" in places.text
    labels = [
        value for _, name, value in page.attributes if name == "aria-label" and value.startswith("record of match")
    ]
    assert labels
    assert {len(label.split()[-1]) for label in labels} == {8}


def test_dates_are_those_of_the_store() -> None:
    day = 86_400
    for seen, words in ((3, "Played on 1 January 1970."), (9 * day, "Played from 1 January 1970 to 10 January 1970.")):
        runs = {"first": 1, "began": seen, "seen": seen, "new": 1}
        assert words in page_of(LEAGUE, settings={**report_of([]).settings, "runs": runs}).text
    assert "Played" not in page_of(LEAGUE).text


def test_lines_of_different_bots_look_different() -> None:
    names = [f"bot-{number:02d}" for number in range(30)]
    text = render(report_of(simulated(100, names), names))
    looks = re.findall(r'<g class="bot (c\d d\d)">', text)
    assert len(looks) == len(set(looks)) == 30
    for look in {part for one in looks for part in one.split()} - {"d0"}:
        assert f".{look}" in STYLE


# Axes


def test_a_value_beyond_an_end_of_an_axis_stays_at_that_end() -> None:
    axis = Axis(low=10, high=20, start=100, end=300)
    assert [axis.at(value) for value in (-5, 10, 15, 20, 25)] == [100, 100, 200, 300, 300]
