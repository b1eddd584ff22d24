"""The site over real connections: its pages and documents, what it refuses, and what it makes of hostile names."""

import csv
import gzip
import io
import json
import os
import re
import socket
from html.parser import HTMLParser
from pathlib import Path
from typing import cast
from urllib.parse import urljoin, urlsplit

import pytest
from starlette.routing import Route

from arena.errors import ArenaError, StoreError
from arena.league import results
from arena.league.lineup import BotVersion, RosterChange
from arena.league.store import FILE, Store, open_store, read_store
from arena.league.wire import RECORDS, record_path
from arena.web import serving
from arena.web.guard import MOST_BODY, MOST_TARGET, POLICY, is_ours
from arena.web.serving import address_of, bound, is_open
from arena.web.site.edition import bot_slug
from arena.web.site.exhibit import EAGER, Exhibit, Tempo
from arena.web.site.hall import Hall, free_slug
from arena.web.site.index import LOST, SHARED, WON, IndexedMatch, MatchFilter, MatchIndex
from arena.web.site.ledger import LeagueLedger
from arena.web.site.openapi import SCHEMAS, openapi
from arena.web.site.routes import site_routes
from arena.web.site.table import API, PAGES
from arena.web.site.written import write_site
from tests.league.small_league import GOOD
from tests.league.test_report import HOSTILE
from tests.league.test_store import begun, row
from tests.web.site_server import SiteClient, played_league, received, served


class Links(HTMLParser):
    """What a page leads to, and which attributes and elements it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append((tag, found))
        self.links += [value for key in ("href", "src", "action") if (value := found.get(key))]


@pytest.fixture(scope="module")
def league(tmp_path_factory) -> Path:
    return played_league(tmp_path_factory.mktemp("league"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory) -> Path:
    """A league of bots whose names, zones and faults want to be more than text."""
    names = HOSTILE[:6]
    found = []
    for plan in range(40):
        pair = names[plan % 6], names[(plan + 1 + plan // 6 % 5) % 6]
        fault = {"kind": HOSTILE[0], "seat": 0, "decision": 3, "text": HOSTILE[plan % 8]}
        parts = tuple({name: 3, "FS": 4} for name in pair)
        found.append(row(plan, bots=pair, breakdown=parts, faults=(fault,)))
    bots = {name: [HOSTILE[0], HOSTILE[1]] for name in names}
    folder = tmp_path_factory.mktemp("hostile") / "small"
    return begun(folder, found, name=HOSTILE[0], bots=bots, order=list(names), options={HOSTILE[0]: HOSTILE[1]})


@pytest.fixture(scope="module")
def site(league, hostile) -> "SiteClient":  # type: ignore[misc]
    with served(league, hostile, names=("arena.example",)) as client:
        yield client


def walked(site: SiteClient, start: str) -> dict[str, str]:
    """The texts of all pages that links lead to, by address. Replays and downloads are opened, but not searched."""
    found, waiting = dict[str, str](), [start]
    while waiting:
        address = waiting.pop()
        if address in found:
            continue
        answer = site.get(address)
        assert answer.status == 200, (address, answer.text)
        is_page = answer.headers["content-type"].startswith("text/html") and "/replays/" not in address
        found[address] = answer.text if is_page else ""
        if is_page:
            for link in Links(answer.text).links:
                target = urlsplit(urljoin(address, link))
                assert (target.scheme, target.netloc) == ("", ""), f"{address} leads elsewhere: {link}"
                waiting.append(target.path + (f"?{target.query}" if target.query else ""))
    return found


# Pages


@pytest.mark.thorough
def test_every_link_of_every_page_leads_to_a_page(site):
    pages = walked(site, "/small/index.html")
    kinds = {re.sub(r"[0-9a-f]{24}", "ID", address.partition("?")[0]) for address in pages}
    assert {f"/small/bots/{bot}.html" for bot in GOOD} <= kinds
    assert {"/small/matches/ID.html", "/small/replays/ID.html", "/small/records/ID.match.jsonl.gz"} <= kinds
    assert {"/small/pairs/first/last.html", "/small/figures.html", "/small/data.html", "/index.html"} <= kinds


def test_the_standings_are_those_of_the_command_line(site, league):
    with open_store(league) as store:
        found = results.table(store)
    document = json.loads(site.get("/api/leagues/small/standings.json").body)
    assert [(one["bot"], one["rank"]) for one in document["standings"]] == [
        (one.bot, [one.best, one.worst]) for one in found
    ]
    page = site.get("/small/").text
    places = [page.index(f'href="bots/{one.bot}.html"') for one in found]
    assert places == sorted(places)
    assert f"<b>{found[0].rating.value:.0f}</b>" in page


def test_pages_have_a_text_for_chats(site):
    page = site.get("/small/").text
    assert '<meta property="og:title" content="small · Dino Arena">' in page
    assert re.search(
        '<meta property="og:description" content="draftosaurus: 12 of 12 matches played. [a-z]+ leads.">', page
    )


def test_versions_of_a_bot_stand_on_one_scale(tmp_path):
    """1.3 is +42 ± 20 over 1.2."""
    old, new, other = (BotVersion(f"{n:016x}", name, version, f"d{n}", ("x",)) for n, name, version in (
        (1, "a", "1.2"), (2, "a", "1.3"), (3, "b", "7")))  # fmt: skip
    found = [row(n, versions=_keys(n, old), ranks=(1, 2), scores=(20, 19)) for n in range(8)]
    found += [row(n, versions=_keys(n, new), ranks=(2, 1) if n % 2 == 0 else (1, 2)) for n in range(8, 24)]
    folder = begun(tmp_path / "living", found)
    with open_store(folder, create=True) as store:
        changes = [RosterChange(0, "2026-01-01T00:00:00Z", one.name, one.key) for one in (old, other)]
        store.enlist([old, new, other], [*changes, RosterChange(1, "2026-02-01T00:00:00Z", "a", new.key)])
    with served(folder) as site:
        page = site.get("/living/bots/a.html").text
        older = site.get(f"/living/bots/{bot_slug('a 1.2')}.html").text
    words = re.search(r"1\.3 is (\+\d+) ± (\d+) over 1\.2", page)
    with open_store(folder) as store:
        from arena.league.fit import fit

        difference = fit(results.outcomes_of(store, store.lineup().labels)).difference("a", "a 1.2")
    assert words is not None
    assert int(words[1]) == round(difference.value)
    assert int(words[2]) == round((difference.high - difference.low) / 2)
    assert "2026-02-01" in page
    assert "Not in the standings now" in older


def _keys(plan: int, one: BotVersion) -> tuple[str, str]:
    return (one.key, f"{3:016x}") if plan % 2 else (f"{3:016x}", one.key)


# Matches


def test_matches_are_filtered_and_paged(tmp_path):
    with served(begun(tmp_path / "many", [row(plan) for plan in range(120)])) as site:

        def count(query: str) -> int:
            return json.loads(site.get(f"/api/leagues/many/matches.json?{query}").body)["count"]

        assert count("") == 120
        assert count("bot=a&against=b") == 120
        assert (count("bot=a&result=won") + count("bot=b&result=won"), count("bot=a&result=shared")) == (120, 0)
        assert (count("faults=1"), count("bot=a&faults=1"), count("bot=b&faults=1")) == (1, 1, 0)
        assert (count("seats=2"), count("seats=3")) == (120, 0)
        first = site.get("/many/matches/index.html").text
        assert first.index(f"{119:024x}") < first.index(f"{118:024x}"), "newest first"
        last = site.get("/many/matches/page-3.html").text
        assert last.count("<tr>") == 1 + 20
        assert site.get("/many/matches/page-4.html").status == 404
        filtered = site.get("/many/matches/index.html?bot=a&result=won&page=2").text
        assert 'href="../matches/index.html?bot=a&amp;result=won"' in filtered, "newer"


def test_the_index_finds_what_a_walk_over_all_matches_finds():
    index, matches = MatchIndex(), []
    for at in range(300):
        bots = [("a", "b"), ("b", "c"), ("c", "a", "d"), ("a", "d", "b")][at % 4]
        ranks = [(1, 2, 3), (1, 1, 3), (2, 1, 1), (3, 2, 1)][at // 4 % 4][: len(bots)]
        matches.append(IndexedMatch(f"{at:024x}", (at, at, 0), bots, ranks, tuple(range(len(bots))), 5, at % 7))
        index.add(matches[-1])
    assert [index.match(at) for at in range(300)] == matches
    for wanted in (
        MatchFilter("a"), MatchFilter("a", "d"), MatchFilter("a", result=WON), MatchFilter("a", result=SHARED),
        MatchFilter("d", "a", LOST, 3), MatchFilter(seats=2), MatchFilter(faults=True), MatchFilter("b", faults=True),
        MatchFilter("nobody"),
    ):  # fmt: skip
        expected = [at for at in range(249, -1, -1) if _is_wanted(matches[at], wanted)]
        assert list(index.find(wanted, 250)) == expected, wanted


def _is_wanted(one: IndexedMatch, wanted: MatchFilter) -> bool:
    seat = one.bots.index(wanted.bot) if wanted.bot in one.bots else None
    if (wanted.bot and seat is None) or (wanted.against and wanted.against not in one.bots):
        return False
    if wanted.seats not in (0, len(one.bots)):
        return False
    if wanted.faults and not (one.faulty if seat is None else one.faulty >> seat & 1):
        return False
    if not wanted.result or seat is None:
        return True
    return wanted.result == (LOST if one.ranks[seat] != 1 else WON if one.ranks.count(1) == 1 else SHARED)


def test_a_record_is_sent_as_it_is_and_a_replay_is_one_page(site, league):
    match = json.loads(site.get("/api/leagues/small/matches.json").body)["matches"][0]["match"]
    record = site.get(f"/small/records/{match}.match.jsonl.gz")
    assert record.body == record_path(league / RECORDS, match).read_bytes()
    assert match in gzip.decompress(record.body).decode().partition("\n")[0]
    replay = site.get(f"/small/replays/{match}.html")
    assert replay.text.startswith("<!doctype html>\n<!-- Dino Arena replay -->")
    assert replay.headers["content-security-policy"] == "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    assert "script-src 'sha256-" in replay.text


def test_a_record_that_is_a_link_is_not_sent(tmp_path):
    folder = begun(tmp_path / "linked", [row(0), row(1)])
    target = record_path(folder / RECORDS, row(0).match)
    target.parent.mkdir(parents=True)
    target.symlink_to("/etc/passwd")
    with served(folder) as site:
        answer = site.get(f"/linked/records/{row(0).match}.match.jsonl.gz")
        missing = site.get(f"/linked/records/{row(1).match}.match.jsonl.gz")
    assert (answer.status, answer.text) == (
        404,
        f"The record of the match {row(0).match} is a link, not an ordinary file.\n",
    )
    assert missing.status == 404


def test_all_results_can_be_downloaded(site):
    rows = list(csv.DictReader(io.StringIO(site.get("/small/results.csv").text)))
    assert len(rows) == 24
    assert {one["bot"] for one in rows} == set(GOOD)
    standings = list(csv.DictReader(io.StringIO(site.get("/small/standings.csv").text)))
    assert {one["bot"] for one in standings} == set(GOOD)


# Programs


def fits(value: object, schema: dict, where: str = "") -> None:
    """Fails unless a document has the form that its schema says; nothing may be there that the schema does not name."""
    if "oneOf" in schema:
        schema = (
            {"type": "null"} if value is None else next(one for one in schema["oneOf"] if one.get("type") != "null")
        )
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    types: dict = {
        "integer": int,
        "number": (int, float),
        "string": str,
        "boolean": bool,
        "null": type(None),
        "array": list,
    }
    assert any(isinstance(value, types.get(kind, dict)) for kind in kinds), (where, value)
    if isinstance(value, list):
        for at, one in enumerate(value):
            fits(one, schema["items"], f"{where}[{at}]")
    elif isinstance(value, dict) and "properties" in schema:
        assert set(value) == set(schema["properties"]), where
        for key, one in value.items():
            fits(one, schema["properties"][key], f"{where}.{key}")


def test_every_document_is_what_the_openapi_document_says(site):
    document = json.loads(site.get("/api/openapi.json").body)
    assert document == json.loads(json.dumps(openapi()))
    match = json.loads(site.get("/api/leagues/small/matches.json").body)["matches"][0]["match"]
    for path, operations in document["paths"].items():
        (schema,) = operations["get"]["responses"]["200"]["content"]["application/json"]["schema"].values()
        for names in ({"league": "small", "bot": "first"}, {"league": "small-2", "bot": bot_slug(HOSTILE[0])}):
            if "{match}" in path and names["league"] != "small":
                continue
            answer = site.get(path.format(**names, match=match))
            assert answer.status == 200, path
            fits(json.loads(answer.body), SCHEMAS[schema.rpartition("/")[2]], path)


def test_every_route_is_in_the_table_and_in_the_document():
    """A route that nobody has written down is found here."""
    paths = {re.sub(r":site_\w+", "", one.path) for one in site_routes(Hall(())) if isinstance(one, Route)}
    api = {path for path in paths if path.startswith("/api/")}
    assert api - {"/api/openapi.json"} == set(openapi()["paths"]) == {
        "/api/leagues.json", *(f"/api/leagues/{{league}}/{one.path}" for one in API)
    }  # fmt: skip
    assert {f"/{{league}}/{one.path}" for one in PAGES} < paths - api
    parameters = {one["name"] for one in openapi()["paths"]["/api/leagues/{league}/matches.json"]["get"]["parameters"]}
    assert parameters == {"league", "bot", "against", "result", "seats", "faults", "page"}


def test_an_error_of_the_api_is_json(site):
    answer = site.get("/api/leagues/small/bots/nobody.json")
    assert answer.status == 404
    assert json.loads(answer.body) == {
        "error": "No bot of this league has the address nobody. The standings list all of them."
    }


def test_what_has_not_changed_is_not_sent_again(site):
    first = site.get("/small/")
    again = site.get("/small/", headers={"if-none-match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


# What is refused


def test_every_answer_forbids_foreign_scripts_and_frames(site):
    for path in ("/", "/small/", "/nothing/at/all", "/static/live.js", "/api/openapi.json", "/small/results.csv"):
        headers = site.get(path).headers
        assert headers["content-security-policy"] == POLICY, path
        assert headers["x-content-type-options"] == "nosniff", path
    assert "script-src 'self';" in POLICY
    assert "frame-ancestors 'none'" in POLICY
    assert "unsafe" not in POLICY


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "", "a b", "[::1", "x@y"]
)
def test_a_host_that_is_not_ours_is_refused(site, host):
    answer = site.get("/small/", headers={"Host": host})
    assert answer.status in (400, 421)
    assert "first" not in answer.text


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:9", "[::1]:80", "LOCALHOST.", "arena.example", "x.localhost"])
def test_a_host_that_is_ours_is_not(site, host):
    assert site.get("/small/", headers={"Host": host}).status == 200


def test_addresses_are_ours_because_rebinding_needs_a_name():
    assert is_ours("10.1.2.3", frozenset())
    assert not is_ours("router", frozenset())
    assert is_ours("router", frozenset(("router",)))


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"])
def test_pages_can_only_be_read(site, method):
    own = {"Origin": site.address}
    assert (site.get("/small/", method, own).status, site.get("/nothing.html", method, own).status) in (
        (405, 405),
        (405, 404),
    )
    foreign = site.get("/small/", method, {"Origin": "http://evil.example"})
    assert (foreign.status, foreign.text[:36]) == (403, "This request comes from a page of an")
    assert site.get("/small/", method).status == 403


def test_head_is_get_without_its_text(site):
    head, get = site.get("/small/", "HEAD"), site.get("/small/")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["etag"] == get.headers["etag"]
    assert site.get("/small/events", "HEAD").status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/../etc/passwd", "/small/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/static/..%2fapp.py", "/static/../app.py",
        "/static/site.css/", "/static/", "//small/", "/small//index.html", "/small/records/../league.sqlite3",
        "/small/league.sqlite3", "/small/records/%00.match.jsonl.gz", "/small/bots/..%5c..%5cx.html", "/small/bots/a%00.html",
        "/small/bots/%3Cscript%3E.html", "/small/matches/0123.html", "/small/matches/ZZZZZZZZZZZZZZZZZZZZZZZZ.html",
        f"/small/matches/{0:024x}.html", "/small/replays/x.html", "/nothing/", "/small/pairs/first/first.html",
        "/small/pairs/first/nobody.html", "/small/matches/page-0.html", "/small/matches/page-99999999999.html",
        "/api/leagues/nothing/status.json", "/small/Index.html", "/small/index.html;x", "/~/index.html",
    ],
)  # fmt: skip
def test_paths_that_lead_nowhere_are_refused_in_words(site, path):
    answer = site.get(path)
    assert answer.status == 404
    assert len(answer.text.split()) >= 5
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("colour=red", '"colour" is not one of bot, against,'),
        ("bot=nobody", 'bot: no bot of this league has the address "nobody"'),
        ("result=won", "it is the result of a bot"),
        ("bot=first&result=best", 'result: "best" is not one of won, shared, lost.'),
        ("seats=two", 'seats: "two" is not a number.'),
        ("page=-1", 'page: "-1" is not a number.'),
        ("page=0", "page: pages are counted from 1."),
        ("faults=no", 'faults: "no" is not 1.'),
        ("bot=first&bot=last", "A name stands twice"),
        ("page=%F0%9F%A6%95", "is not a number."),
        ("page=99999999999999999999", "is not a number."),
    ],
)
def test_queries_that_make_no_sense_are_refused_in_words(site, query, words):
    for path in ("/small/matches/index.html", "/api/leagues/small/matches.json"):
        answer = site.get(f"{path}?{query}")
        assert answer.status == 400
        assert words in answer.text.replace("\\", "").replace("'", '"')


def test_what_takes_no_query_says_so(site):
    assert site.get("/small/index.html?x=1").text == "This address takes nothing after a question mark.\n"


def test_requests_that_are_too_large_are_refused(site):
    assert site.get(f"/small/?{'x' * MOST_TARGET}").status == 414
    assert site.get("/small/", "POST", {"Origin": site.address, "content-length": str(MOST_BODY + 1)}).status == 413
    assert site.get("/small/", "POST", {"Origin": site.address, "content-length": "1e9"}).status in (400, 413)
    assert site.get("/small/", headers={"X-Long": "x" * 100_000}).status in (400, 431)


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x01\x02\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", b"G" * 70_000, b"\x16\x03\x01\x02\x00\x01\x00\x01",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"CONNECT evil.example:80 HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)  # fmt: skip
def test_a_server_survives_what_is_no_request(site, data):
    answer = site.raw(data)
    assert b"200 OK" not in answer.partition(b"\r\n")[0] or b"chunked\r\n\r\nzz" in data
    assert b"Traceback" not in answer
    assert site.get("/small/").status == 200


# Strangers


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: local",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nContent-Length: 9\r\n\r\n",
    ],
)
def test_a_connection_whose_request_does_not_come_is_closed(tmp_path, monkeypatch, sent):
    monkeypatch.setattr(serving, "REQUEST_S", 0.05)
    with served(tmp_path) as site, socket.create_connection(("127.0.0.1", site.port), timeout=60) as talk:
        talk.sendall(sent)
        while received(talk):
            pass


def test_a_second_request_that_does_not_come_whole_is_waited_for_as_long_as_a_first_one(tmp_path, monkeypatch):
    with served(tmp_path) as site, socket.create_connection(("127.0.0.1", site.port), timeout=60) as talk:
        talk.sendall(b"HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert received(talk).endswith(b"\r\n\r\n")
        monkeypatch.setattr(serving, "REQUEST_S", 0.05)
        talk.sendall(b"HEAD /")
        assert not received(talk)


def test_a_connection_that_only_listens_is_not_closed(tmp_path, monkeypatch):
    made: list[serving.PromptConnection] = []
    monkeypatch.setattr(serving, "PromptConnection", kept_in(made))
    with served(tmp_path) as site, socket.create_connection(("127.0.0.1", site.port), timeout=60) as talk:
        talk.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200 OK" in received(talk)
        assert [connection.is_request_due for connection in made] == [False]


def kept_in(made):
    class KeptConnection(serving.PromptConnection):
        def __init__(self, *given, **named):
            super().__init__(*given, **named)
            made.append(self)

    return KeptConnection


def test_hostile_names_are_text_everywhere(site):
    pages = walked(site, "/small-2/index.html")
    assert len([address for address in pages if "/pairs/" in address]) >= 20
    for address, text in pages.items():
        for tag, attributes in Links(text).tags:
            assert tag not in ("iframe", "object", "embed", "base", "img"), address
            assert not any(name.startswith("on") or name == "style" for name in attributes), address
            if tag == "script":
                assert attributes["src"].endswith("static/live.js"), address
        assert "<script>alert" not in text
        assert re.fullmatch(r"[\w./~?=&-]+", address), "names are not part of addresses"


def test_a_secret_is_shown_only_when_it_has_been_published(tmp_path):
    folder = begun(tmp_path / "secret", [row(0), row(1)], secret="5ec4e7" * 8, commitment="c0ffee")
    addresses = ["/secret/", "/secret/figures.html", "/secret/data.html", "/secret/results.csv", "/secret/standings.csv",
                 f"/secret/matches/{row(0).match}.html", *(f"/api/leagues/secret/{one.path}" for one in API if "{" not in one.path)]  # fmt: skip
    edition = Exhibit(folder, "secret", EAGER).refresh()
    assert "5ec4e7" not in repr(edition.settings) + repr(edition.league.report)
    with served(folder) as site:
        assert not [address for address in addresses if "5ec4e7" in site.get(address).text]
        with open_store(folder, create=True) as store:
            store.settle({"revealed": True})
        assert "5ec4e7" in site.get("/secret/figures.html").text


def test_a_league_that_cannot_be_read_is_named_and_the_others_are_shown(tmp_path, league):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / FILE).write_text("hello " * 1000)
    with served(tmp_path, league) as site:
        answer = site.get("/broken/")
        assert (answer.status, "not the file of a league, or damaged" in answer.text) == (503, True)
        home = site.get("/").text
        assert "not the file of a league, or damaged" in home
        assert site.get("/small/").status == 200
        assert 'href="small/index.html"' in site.get("/").text


def test_parts_of_addresses_are_harmless_and_differ():
    slugs = [bot_slug(name) for name in ("greedy", "Greedy", "a b", "../x", "<b>", "", ".", "a.", "x" * 65, "é")]
    assert len(set(slugs)) == len(slugs)
    assert all(re.fullmatch(r"[a-z0-9~][a-z0-9._-]*", slug) for slug in slugs)
    assert [free_slug(name, {"api", "x"}) for name in ("api", "x", "..", "a/b c", "-")] == [
        "api-2", "x-2", "league", "a-b-c", "league",
    ]  # fmt: skip


# Reading


def test_a_store_is_read_without_a_trace(tmp_path):
    folder = begun(tmp_path / "quiet", [row(0)])
    before = sorted(os.listdir(folder))
    with read_store(folder) as store:
        assert store.row(row(0).match) == row(0)
        assert store.row("f" * 24) is None
        with pytest.raises(StoreError, match="readonly"):
            store.settle({"name": "mine"})
    assert sorted(os.listdir(folder)) == before


def test_a_store_that_begins_to_change_while_it_is_read_is_read_again(tmp_path):
    folder = begun(tmp_path / "late", [row(0)])
    with pytest.raises(StoreError, match="began to change"), read_store(folder):
        (folder / f"{FILE}-wal").touch()  # as a runner does that begins now


def test_an_exhibit_grows_by_what_is_new_and_is_what_a_new_one_would_be(tmp_path):
    folder = begun(tmp_path / "growing", [row(plan) for plan in range(0, 20, 2)])
    exhibit = Exhibit(folder, "growing", EAGER)
    first = exhibit.refresh()
    with open_store(folder, create=True) as store:
        store.add([row(plan) for plan in range(19, 0, -2)])
        grown = exhibit.refresh()
        fresh = Exhibit(folder, "growing", EAGER).refresh()
    assert (first.count, grown.count, first.number, grown.number) == (10, 20, 1, 2)
    assert grown.league.table == fresh.league.table
    assert grown.seats == fresh.seats
    assert [grown.index.match(at) for at in range(20)] == [fresh.index.match(at) for at in range(20)]
    assert grown.index.match(19).match == row(1).match, "the last that came"
    assert len(first.league.census.outcomes) == 10, "an edition does not change"


def test_a_league_is_looked_at_again_by_the_cpu_time_of_looks_not_by_how_long_they_lasted(tmp_path):
    """On a busy machine a look may last for minutes: the page must not show old results for hours."""
    folder = begun(tmp_path / "busy", [row(0)])
    now, spent = (
        iter(range(0, 1_000_000, 60)),
        iter([0.0, 0.0, 0.1, 0.2]),
    )  # a look takes minutes, and 0.2 s of CPU time
    exhibit = Exhibit(folder, "busy", Tempo(), lambda: next(now), lambda: next(spent))
    exhibit.refresh()
    looked = next(now) - 60
    assert exhibit._next_look - looked == pytest.approx(0.2 / Tempo().share)


def test_a_result_that_comes_while_the_others_are_read_counts_once(tmp_path):
    folder = begun(tmp_path / "racing", [row(0), row(1)])

    class Racing:
        """A store that gets a result between two looks at it."""

        def __init__(self, store: Store) -> None:
            self._store = store

        def __getattr__(self, name: str):
            return getattr(self._store, name)

        def arrivals(self, after: int = 0):
            found = self._store.arrivals(after)
            with open_store(folder, create=True) as writing:
                writing.add([row(2)])
            return found

    with open_store(folder, create=True) as store:
        ledger = LeagueLedger.of(cast(Store, Racing(store)), store.lineup())
        assert len(ledger.index) == 3
        store.add([row(3)])
        ledger.grow(store)
    assert [ledger.index.match(at).place[0] for at in range(4)] == [2, 0, 1, 3]
    assert ledger.census.pairs.games("a", "b") == 4


def test_results_that_have_no_order_of_arrival_are_shown_in_plan_order(tmp_path):
    folder = begun(tmp_path / "old", [row(plan) for plan in (3, 1, 2, 0)])
    with open_store(folder, create=True) as store:
        store._connection.execute("DROP TABLE arrival")
        store._connection.execute("PRAGMA user_version = 3")
    edition = Exhibit(folder, "old", EAGER).refresh()
    assert [edition.index.match(at).place[0] for at in range(4)] == [0, 1, 2, 3]


# Where it listens


def test_a_port_that_is_taken_is_refused_with_the_way_out():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(
            ArenaError, match=rf"port {port} is taken by another program. Choose another one: --port {port + 1}"
        ):
            bound("127.0.0.1", port)


def test_a_host_that_is_not_this_machine_is_refused():
    with pytest.raises(ArenaError, match="Name an address of this machine"):
        bound("192.0.2.1", 0)


def test_what_is_open_to_others_is_known():
    for host, is_for_all in (("127.0.0.1", False), ("0.0.0.0", True)):
        listening = bound(host, 0)
        assert is_open(listening) is is_for_all
        assert address_of(listening).startswith("http://127.0.0.1:")
        listening.close()


# Files


def test_written_pages_are_the_served_ones_without_what_needs_a_server(tmp_path, league):
    written = write_site([league], tmp_path / "out", replays=5)
    assert (written.replays, written.matches) == (5, 12)
    with served(league) as site:
        for path in (*(tmp_path / "out").rglob("*.html"), *(tmp_path / "out").rglob("*.csv")):
            address = path.relative_to(tmp_path / "out").as_posix()
            assert _still(site.get(f"/{address}").text) == _still(path.read_text()), address


def _still(text: str) -> str:
    """A page without what only a server has, and what only files have to say."""
    text = re.sub(r'<form.*?</form>|<script type="module"[^>]*></script>| data-events="[^"]*"', "", text)
    text = re.sub(r'<p class="note">Of 12 matches.*?</p>|<p>Of 12 matches.*?</p>', "", text)
    text = re.sub(
        r'<p class="next">.*?</p>|<p><a href="[^"]*openapi.json">.*?</p>|<tr><td class="left"><a href="[^"]*matches.json">.*?</tr>',
        "",
        text,
    )
    text = re.sub(
        r'<td class="left">(<a[^>]*>replay</a> · <a[^>]*>record</a>|<span class="quiet">–</span>)</td>', "", text
    )
    text = re.sub(r'<a href="[^"]*" aria-label="[^"]*" class="watch">.*?</a>', "", text)
    return re.sub(r'<a href="[^"]*matches/[0-9a-f]{24}.html"[^>]*>(.*?)</a>', r"\1", text)


@pytest.mark.thorough
def test_every_link_of_the_files_leads_to_a_file(tmp_path, league, hostile):
    out = tmp_path / "out"
    write_site([league, hostile], out, replays=3)
    for path in out.rglob("*.html"):
        if path.parent.name == "replays":
            continue
        for link in Links(path.read_text()).links:
            target = urlsplit(link)
            assert not target.scheme
            assert (path.parent / target.path if target.path else path).resolve().is_file(), (path, link)


def test_what_is_left_out_of_the_files_is_said(tmp_path, league):
    write_site([league], tmp_path / "out", replays=5)
    text = (tmp_path / "out" / "small" / "matches" / "index.html").read_text()
    assert "Of 12 matches, the newest 5 have a page, a replay and their record here." in text
    write_site([league], tmp_path / "out", replays=12)  # the same folder again
    assert "Of 12 matches" not in (tmp_path / "out" / "small" / "matches" / "index.html").read_text()


def test_a_folder_with_other_files_is_not_written_into(tmp_path, league):
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(ArenaError, match="this folder has other files in it"):
        write_site([league], tmp_path)
    assert os.listdir(tmp_path) == ["thesis.txt"]


def test_an_empty_site_says_how_to_begin(tmp_path):
    with served(tmp_path) as site:
        assert "arena league run FILE" in site.get("/").text
