"""Replays as files: what is in the bytes, how they are written, and what the commands say."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.match.record_file import save
from arena.replay.reel import reel_of
from arena.web.boards import board_for
from arena.web.replay_page import HEAD, data, page, replay_page
from tests.cli.command import Command, here
from tests.web.matches import played, with_text

HOSTILE = "</script><script>alert(1)</script><!-- ]]> & \u2028 'x' \"y\" <img src=x onerror=alert(1)>"


def script_of(text: str) -> str:
    (found,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    return found


def reel_in(text: str) -> Any:
    (found,) = re.findall(r'<script type="application/json" id="reel">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


@pytest.mark.parametrize("game", ["draftosaurus", "dinodocus"])
def test_the_policy_allows_the_one_script_and_the_one_style_and_nothing_else(game):
    text = replay_page(played(game, 2)).decode()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in (script_of(text), style)]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )
    assert text.index("Content-Security-Policy") < text.index("<style>") < text.index("<script")


def test_the_file_needs_nothing_else():
    text = replay_page(played("draftosaurus", 5)).decode()
    addresses = set(
        re.findall(r"\b(?:https?:)?//[a-z0-9.-]+\.[a-z]+[^\s\"']*", script_of(text) + text[: text.index("<body")])
    )
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<link|\bsrc=|@import|url\(", text[: text.index('<script type="application/json"')])


def test_the_same_record_gives_the_same_bytes():
    assert replay_page(played("dinodocus", 3)) == replay_page(played("dinodocus", 3))


def test_the_data_is_the_reel():
    record = played("dinodocus", 2)
    assert reel_in(replay_page(record).decode()) == json.loads(json.dumps(reel_of(record)))


def test_no_text_of_a_bot_ends_its_place_in_the_page():
    record = with_text(
        played("draftosaurus", 2, names=[HOSTILE[:64].replace("\u2028", ""), "b"], stderr=HOSTILE), 3, note=HOSTILE
    )
    text = replay_page(record).decode()
    assert text.lower().count("<script") == text.lower().count("</script") == 2
    assert text.count("<!--") == 1, "our own mark"
    assert "<img" not in text
    assert "onerror=alert" in json.dumps(reel_in(text)), "but it is there, as text"
    assert "\u2028" not in text


def test_a_lone_surrogate_stays_an_escape():
    assert json.loads(data({"a": "x\udc80<"})) == {"a": "x\udc80<"}
    reel = {**reel_of(played("draftosaurus", 2)), "match": "\udc80"}
    assert reel_in(page(reel, board_for("draftosaurus")).decode())["match"] == "\udc80"


def test_the_longest_match_of_draftosaurus_is_smaller_than_300_kb():
    assert len(replay_page(played("draftosaurus", 5, {"season": "summer_winter"}))) < 300_000


@pytest.mark.parametrize("seats", [2, 6])
def test_300_steps_of_dinodocus_are_smaller_than_300_kb(seats):
    reel = reel_of(played("dinodocus", seats))
    size, moments = len(page(reel, board_for("dinodocus"))), len(data(reel["moments"]))
    assert size - moments + 300 * moments / len(reel["moments"]) < 300_000


# Commands


@pytest.fixture
def command(monkeypatch, capsys, tmp_path) -> Command:
    monkeypatch.chdir(tmp_path)
    save(played("draftosaurus", 3, notes=["a note of one seat"]), Path("m.match.jsonl.gz"))
    return lambda *words: here(monkeypatch, capsys, *words)


def test_replay_writes_a_page_and_names_it(command):
    ended = command("replay", "m.match.jsonl.gz", "--html", "new/out.html")
    assert (ended.code, ended.out, ended.err) == (0, "new/out.html\n", "")
    assert Path("new/out.html").read_bytes().startswith(HEAD)
    ended = command("replay", "m.match.jsonl.gz", "--html", "new/out.html", "--step", "5")
    assert (ended.code, ended.out) == (0, "new/out.html#step=5\n"), "an older page may be replaced"


def test_the_page_of_a_seat_holds_what_the_seat_could_know(command):
    assert command("replay", "m.match.jsonl.gz", "--html", "seat.html", "--seat", "1").code == 0
    text = Path("seat.html").read_text()
    reel = reel_in(text)
    assert (reel["only"], reel["seed"]) == (1, None)
    noted = {one["seat"] for moment in reel["moments"] for one in moment.get("decisions", ()) if "note" in one}
    assert noted == {1}
    whole = replay_page(played("draftosaurus", 3))
    for moment in reel_in(whole.decode())["moments"]:
        if len(moment.get("chance", "")) > 8:
            assert moment["chance"] not in text, "a deal shows all hands"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--html", "m.match.jsonl.gz"), "this file is there already, and is not a replay page"),
        (("--html", "text.html"), "this file is there already, and is not a replay page"),
        (("--html", "."), "this is a directory"),
        (("--html", "link.html"), "this is not an ordinary file"),
        (("--html", "text.html/out.html"), "no page can be written there"),
        (("--html", ""), "'' is not a file name"),
        (("--html", "out.html", "--json"), "use --html or --json, not both"),
        (("--html", "out.html", "--seat", "7"), "--seat 7: expected 0, 1, 2 or all"),
    ],
)
def test_no_other_file_is_replaced(command, words, complaint):
    Path("text.html").write_text("<!doctype html><title>mine</title>")
    Path("link.html").symlink_to("out.html")
    before = Path("m.match.jsonl.gz").read_bytes()
    ended = command("replay", "m.match.jsonl.gz", *words)
    assert ended.code == 2
    assert complaint in " ".join(ended.err.split())
    assert "Traceback" not in ended.err
    assert Path("m.match.jsonl.gz").read_bytes() == before
    assert Path("text.html").read_text() == "<!doctype html><title>mine</title>"
    assert not Path("out.html").exists()


def test_a_record_that_is_not_true_is_shown_with_its_complaint(command):
    record = played("draftosaurus", 2)
    save(replace(record, verdict=replace(record.verdict, scores=(99, 1))), Path("false.match.jsonl.gz"))
    ended = command("replay", "false.match.jsonl.gz", "--html", "false.html")
    assert (ended.code, ended.out) == (0, "false.html\n")
    assert "false.match.jsonl.gz: this record is not true: step 52: the scores" in ended.err
    assert "the record says (99, 1)" in reel_in(Path("false.html").read_text())["complaint"]
