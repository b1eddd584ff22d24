"""A record of an earlier edition of a game plays as it was played. tests/golden/old holds what edition 1 recorded."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from arena import running
from arena.cli.film import as_lines, film_of
from arena.errors import RecordError
from arena.league import evidence
from arena.league.run import row_of
from arena.league.worker import match_message
from arena.match.packing import pack, signed
from arena.match.record_file import from_bytes
from arena.replay.ask import examine, questions_of
from arena.replay.moments import questions, states
from arena.replay.verify import verify
from arena.roster.entries import find
from engine.catalogue import game

OLD = Path(__file__).parents[1] / "golden" / "old"
DINODOCUS = game("dinodocus")


@pytest.fixture(scope="module")
def record():
    """An advanced match of two random bots, when there were 3 rounds of offers unless an option said otherwise."""
    return from_bytes(pack(signed((OLD / "dinodocus-edition-1.jsonl").read_bytes())))


def with_header(record, **changed):
    return replace(record, header=replace(record.header, **changed))


def test_a_record_of_edition_1_is_true_by_the_defaults_of_edition_1(record):
    assert (record.header.edition, record.header.options, DINODOCUS.edition) == (1, {"advanced": True}, 2)
    assert verify(record) is None
    found = verify(with_header(record, edition=2))
    assert found is not None, "the control: by the defaults of today it is another match"


def test_it_may_not_list_what_was_a_default_then_nor_what_is_one_now(record):
    for rounds in (3, None):
        found = verify(with_header(record, options={"advanced": True, "offer_rounds": rounds}))
        assert str(found) == f"option offer_rounds: {rounds} is the default, which a header does not list"


def test_the_same_match_can_be_written_as_one_of_today(record):
    assert verify(with_header(record, edition=2, options={"advanced": True, "offer_rounds": 3})) is None


def test_it_replays_to_its_last_state(record):
    assert DINODOCUS.outcome(states(record)[-1]).scores == record.verdict.scores
    shown = film_of(record)
    assert shown.complaint is None
    assert next(as_lines(shown, [0], "spectator")) == "dinodocus  offer_rounds=3  advanced=true  seed 4"


@pytest.mark.usefixtures("processes")
def test_bots_of_today_are_asked_by_the_options_of_today(record):
    starts, asked = questions(record)
    assert {(start.edition, start.options["offer_rounds"]) for start in starts} == {(2, 3)}
    assert {question.decide.view["options"]["offer_rounds"] for question in asked} == {3}
    found = running.run(lambda: examine(record, find("random"), questions_of(record)))
    assert len(found.answers) == len(asked) > 100
    assert found.differing == ()


def test_it_proves_a_result_of_a_league_of_edition_1(record):
    fixture = {"match": record.header.match, "plan": 0, "block": 0, "rotation": 0, "seed": 4}
    fixture["bots"] = tuple(player.name for player in record.header.players)
    row = row_of(fixture, json.loads(json.dumps(match_message(fixture, record))))
    bots = {player.name: [player.version, player.digest] for player in record.header.players}
    settings = {"game": "dinodocus", "edition": 1, "options": {"advanced": True}, "bots": bots}
    assert evidence.check(row, record, settings) is None
    assert evidence.check(row, record, {**settings, "edition": 2}) == "the record says edition 1, the result 2"


def test_an_edition_that_cannot_be_played_any_more_is_refused_in_words(record):
    later = with_header(record, edition=3)
    with pytest.raises(
        RecordError, match=r"dinodocus was played in edition 3, and this arena has edition 2\. Use arena"
    ):
        states(later)
