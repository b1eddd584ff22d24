"""Tables over real HTTP: who may ask for what, what a stream carries, and what becomes of strangers' requests."""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena.match.record_file import load
from arena.replay.verify import verify
from arena.roster.entries import built_in, is_ready
from tests.web.server import PlayServer, playing
from tests.web.table import OPEN, bots, here, plan

pytest.importorskip("uvicorn", reason="needs the extra `web`")
FULL = plan("draftosaurus", *here("Ann"), *bots("random"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("matches")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[PlayServer]:
    with playing(folder, "--sandbox", "none") as made:
        yield made


def test_two_browsers_play_a_match_that_is_recorded_and_can_be_watched_again(server: PlayServer, folder: Path):
    table, tokens = server.open("draftosaurus", *here("Ann"), OPEN)
    status, lobby = server.get(f"/play/api/tables/{table}")
    assert (status, [place["taken"] for place in json.loads(lobby)["places"]]) == (200, [True, False])
    status, joined = server.post(f"tables/{table}/sit", {"seat": 1, "name": "Bob"})
    assert status == 200
    tokens[1] = joined["tokens"]["1"]
    with server.stream(table, tokens[0], tokens[1]) as stream:
        while not (last := stream.next()).get("record"):
            if last["stage"] == "asked":
                assert server.answer(table, tokens[last["seat"]], last) == (200, {})
    assert verify(load(folder / last["record"])) is None
    status, replay = server.get(f"/play/replay/{last['record']}")
    assert (status, b"Ann" in replay) == (200, True)
    status, record = server.get(f"/play/record/{last['record']}")
    assert (status, record) == (200, (folder / last["record"]).read_bytes())


def test_a_stream_does_not_show_that_another_has_answered(server: PlayServer):
    table, tokens = server.open("draftosaurus", *here("Ann", "Bob"))
    with server.stream(table, tokens[0]) as ann, server.stream(table, tokens[1]) as bob:
        first, other = ann.until("asked"), bob.until("asked")
        asked = ann.last
        assert server.answer(table, tokens[1], other) == (200, {})
        bob.until("sent")  # the news has been through the loop that serves both streams
        assert "refused" in server.answer(table, tokens[0], first, "nonsense")[1]
        with server.stream(table, tokens[0]) as again:
            again.next()
            assert again.last == asked
        assert server.answer(table, tokens[0], first) == (200, {})
        assert ann.next()["version"] > first["version"]
        assert ann.until("asked")["question"]["phase"] == "place"


def test_one_stream_can_carry_several_seats_of_one_screen(server: PlayServer):
    table, tokens = server.open("draftosaurus", *here("Ann", "Bob"))
    with server.stream(table, tokens[0], tokens[1]) as both:
        seen: set[int] = set()
        while seen != {0, 1}:
            seen.add(both.until("asked")["seat"])


def test_a_browser_comes_back_to_its_seat(server: PlayServer):
    table, tokens = server.open("draftosaurus", *here("Ann"), *bots("random"))
    with server.stream(table, tokens[0]) as stream:
        stream.until("asked")
        before = stream.last
    with server.stream(table, tokens[0]) as stream:
        stream.next()
        assert stream.last == before


def test_a_refusal_names_the_rule_and_the_rule_has_a_place_on_the_page_of_rules(server: PlayServer):
    table, tokens = server.open("draftosaurus", *here("Ann"), *bots("random"))
    with server.stream(table, tokens[0]) as stream:
        page = stream.until("asked")
        while page["question"]["phase"] != "place":
            server.answer(table, tokens[0], page)
            page = stream.until("asked")
    (picked,) = {choice["action"][0] for choice in page["question"]["choices"]}
    status, answer = server.answer(table, tokens[0], page, f"{'D' if picked == 'T' else 'T'}@RV")
    assert status == 200
    (rule,) = re.findall(r"\(([DX]-\d+)\)", answer["refused"])
    assert f'id="{rule}"'.encode() in server.get("/rules/draftosaurus")[1]


def test_a_bot_gives_a_hint(server: PlayServer):
    table, tokens = server.open("dinodocus", *here("Ann"), *bots("random"))
    with server.stream(table, tokens[0]) as stream:
        page = stream.until("asked")
    question = page["question"]["id"]
    status, hint = server.post(f"tables/{table}/hint", {"question": question, "bot": "greedy"}, tokens[0])
    assert status == 200, hint
    assert hint["action"] in [choice["action"] for choice in page["question"]["choices"]]
    assert server.post(f"tables/{table}/hint", {"question": question, "bot": "/bin/sh"}, tokens[0])[0] == 404
    assert server.post(f"tables/{table}/hint", {"question": question + 1, "bot": "greedy"}, tokens[0])[0] == 409


def test_only_who_holds_a_seat_can_look_at_it_and_act_for_it(server: PlayServer):
    table, tokens = server.open("draftosaurus", *here("Ann"), *bots("random"))
    other, others = server.open("draftosaurus", *here("Eve"), *bots("random"))
    for token in (None, "", "x", others[0]):
        for what in ("answer", "hint", "leave"):
            assert (
                server.post(f"tables/{table}/{what}", {"question": 1, "action": "T", "bot": "greedy"}, token)[0] == 403
            )
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        assert server.get(f"/play/api/tables/{table}/events", **headers)[0] == 403
    assert server.get(f"/play/api/tables/{other}x")[0] == 404
    assert tokens[0].encode() not in server.get(f"/play/api/tables/{table}")[1]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"host": "evil.example", "origin": "http://evil.example"}, 421),
        ({"content-type": "text/plain"}, 400),
        ({"content-type": "application/x-www-form-urlencoded"}, 400),
    ],
)
def test_a_page_of_another_site_cannot_open_a_table(server: PlayServer, headers: dict[str, str], status: int):
    assert server.post("tables", {"plan": FULL}, **headers)[0] == status


def test_a_request_without_an_origin_does_not_open_a_table(server: PlayServer):
    body = json.dumps({"plan": FULL}).encode()
    with server.request("POST", "/play/api/tables", body, content_type="application/json") as response:
        assert response.status == 403


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b"[" * 15_000, 400),
        (b'{"plan": 1}', 400),
        (b'{"plan": "' + b"x" * 17_000 + b'"}', 400),
        (b" " * 100_000, 413),
    ],
)
def test_a_malformed_request_is_declined(server: PlayServer, body: bytes, status: int):
    assert server.post("tables", body)[0] == status


@pytest.mark.parametrize(
    "path",
    [
        "/play/record/..%2f..%2fetc%2fpasswd",
        "/play/record/%2e%2e",
        "/play/replay/x",
        "/play/record/",
        "/rules/..",
        "/rules/x",
    ],
)
def test_no_address_leads_out_of_the_records_and_the_rules(server: PlayServer, path: str):
    assert server.get(path)[0] == 404


def test_a_table_has_a_limited_number_of_streams(server: PlayServer):
    from arena.web.play.routes import MOST_STREAMS

    table, tokens = server.open("draftosaurus", *here("Ann"), OPEN)
    with ExitStack() as stack:
        for _ in range(MOST_STREAMS):
            stack.enter_context(server.stream(table, tokens[0])).next()
        with server.stream(table, tokens[0]) as refused:
            assert refused.status == 503


def test_the_pages_and_what_they_load_come_from_the_server_alone(server: PlayServer):
    status, page = server.get("/play/")
    assert (status, b"http" in page) == (200, False)
    status, script = server.get("/play/play.js")
    assert (status, b"innerHTML" in script) == (200, False)
    assert server.get("/play/play.css")[0] == 200
    offer = json.loads(server.get("/play/api/offer")[1])
    assert [bot["name"] for bot in offer["bots"]] == sorted(filter(is_ready, built_in()))
