"""Records as data for pages: that the data says what the record says, and that a seat's data holds no secret."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import RecordError
from arena.match.clock import TimeControl
from arena.match.faults import Broken, FaultKind
from arena.match.record import MatchRecord, Step
from arena.match.scripted import ScriptedMatch
from arena.replay.moments import moments, questions, together
from arena.replay.patches import patch, patched
from arena.replay.reel import MOST_STEPS, no_pictures, reel_of, terminal_pictures
from arena.replay.seen import sentence
from engine.catalogue import game as find_game
from engine.contract import CHANCE, plain
from tests.web.matches import NAMES, played, with_text

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab-+", max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "b", "-", "+", "0", ""]), inner),
    max_leaves=12,
)
MATCHES = [
    ("draftosaurus", 2, {}),
    ("draftosaurus", 5, {"season": "summer_winter"}),
    ("draftosaurus", 2, {"discard_visibility": "hidden", "discard_timing": "with_pick"}),
    ("dinodocus", 2, {}),
    ("dinodocus", 4, {"advanced": True}),
    ("dinodocus", 6, {"hand_parts_public": False}),
]


@given(JSON, JSON)
def test_a_patch_makes_the_second_value_of_the_first(before, after):
    change = patch(before, after)
    assert json.dumps(patched(before, json.loads(json.dumps(change))), sort_keys=True) == json.dumps(
        after, sort_keys=True
    )
    assert (change is None) == (json.dumps(before, sort_keys=True) == json.dumps(after, sort_keys=True))


def expanded(reel: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The facts of every moment, from the patches."""
    found: list[dict[str, Any]] = [{}]
    for moment in reel["moments"]:
        found.append(patched(found[-1], moment.get("patch")))
    return found[1:]


@pytest.mark.parametrize(("game", "seats", "options"), MATCHES)
def test_a_reel_has_the_views_and_the_points_of_every_moment(game, seats, options):
    record = played(game, seats, options, bad_seat=1)
    rules, facts = find_game(game), expanded(reel_of(record))
    shown = moments(record)
    assert len(facts) == len(shown) == len(record.steps) + 1
    for moment, fact in zip(shown[::7], facts[::7]):
        for place, seat in enumerate((None, *range(seats))):
            view = json.loads(json.dumps(rules.view(moment.state, seat)))
            assert {**fact["public"], **fact["private"][place]} == view
        tally = rules.tally(moment.state)
        assert (fact["scores"], fact["breakdown"]) == (list(tally.scores), [dict(part) for part in tally.breakdown])
        assert (fact["leaders"], fact["out"]) == (list(moment.leaders), sorted(moment.out))
    assert facts[-1]["scores"] == list(record.verdict.scores)
    assert facts[-1]["ranks"] == list(record.verdict.ranks)


@pytest.mark.parametrize("clock", [TimeControl(bank_ms=500, increment_ms=30), TimeControl(bank_ms=0, increment_ms=130)])
def test_the_bank_after_a_decision_is_what_the_next_question_of_the_seat_says(clock):
    record = played("draftosaurus", 3, clock=clock)
    left: dict[int, int] = {}
    after = {one["number"]: one for moment in reel_of(record)["moments"] for one in moment.get("decisions", ())}
    asked = 0
    for question in questions(record)[1]:
        seat = question.decision.seat
        if seat in left:
            assert question.decide.clock["bank_ms"] == left[seat]
            asked += 1
        left[seat] = after[question.number]["bank_ms"]
    assert asked > 20
    assert clock.bank_ms == 0 or min(left.values()) < clock.bank_ms


def test_what_happened_is_said_in_sentences():
    said = [text for moment in reel_of(played("draftosaurus", 2))["moments"] for text in moment.get("said", ())]
    assert said[0] == "Round 1: every player gets a new hand"
    assert said[1].startswith("Die: greedy rolled ")
    assert said[2].startswith("Picked: greedy ")
    assert not any("  " in text or "\n" in text for text in said)


def test_names_with_hyphens_stay_whole():
    names = ["my-bot-of-the-day", "another-bot-with-hyphens", "the-third-of-these-bots", "a-b-c-d-e-f-g"]
    said = [
        text for moment in reel_of(played("draftosaurus", 4, names=names))["moments"] for text in moment.get("said", ())
    ]
    assert not any("- " in text for text in said)
    assert all(any(name in text for text in said) for name in names)


@pytest.mark.parametrize(
    ("paragraph", "text"),
    [
        ("Picked      greedy T-Rex (T),\n            random D", "Picked: greedy T-Rex (T), random D"),
        ("Passed on   your hand is now T", "Passed on: your hand is now T"),
        ("The heap stays: 4 tokens.", "The heap stays: 4 tokens."),
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
    ],
)
def test_a_paragraph_for_a_terminal_becomes_a_sentence(paragraph, text):
    assert sentence(paragraph) == text


def test_hostile_texts_are_cut_and_spelled_out():
    record = played("draftosaurus", 2, stderr="\x1b[2J" + "x" * 99_999 + "\nlast words\u202e")
    record = with_text(record, 3, note="\x1b]0;owned\x07\n" + "n" * 9999, answer="a" * 9999, reason="</script>")
    reel = reel_of(record)
    (decision, *_) = reel["moments"][3]["decisions"]
    assert decision["note"].startswith("\\x1b]0;owned\\x07\nnnn")
    assert len(decision["note"]) < 1200
    assert len(decision["answer"]) < 1200
    assert len(reel["stderr"][0]) < 4100
    assert reel["stderr"][0].endswith("xx\nlast words\\u202e")
    assert "\x1b" not in json.dumps(reel, ensure_ascii=False)


def test_a_record_that_is_not_true_has_a_complaint():
    record = played("draftosaurus", 2)
    assert reel_of(record)["complaint"] is None
    false = replace(record, verdict=replace(record.verdict, scores=(99, 1)))
    assert (
        reel_of(false)["complaint"]
        == f"step {len(record.steps)}: the scores: the record says (99, 1), the rules say {record.verdict.scores}"
    )


def test_faults_before_the_first_step_are_at_moment_0():
    broken = [None, Broken(FaultKind.CRASH, "exit status 1")]
    record = ScriptedMatch(find_game("draftosaurus"), 2, broken=broken).finish()
    assert reel_of(record)["moments"][0]["faults"] == [
        {"seat": 1, "kind": "crash", "text": "exit status 1", "out": True}
    ]


def test_a_record_with_too_many_steps_is_refused():
    record = played("draftosaurus", 2)
    with pytest.raises(RecordError, match="10,001 steps, and a page can show 10,000"):
        reel_of(replace(record, steps=[record.steps[0]] * (MOST_STEPS + 1)))


def test_a_game_without_a_board_brings_its_drawings():
    record = played("draftosaurus", 2)
    rules, last = find_game("draftosaurus"), moments(record)[-1].state
    facts = expanded(reel_of(record, pictures=terminal_pictures))
    drawn = [rules.draw(rules.view(last, seat), rules.tally(last), plain).split("\n") for seat in (None, 0, 1)]
    every = rules.draw(together([rules.view(last, 0), rules.view(last, 1)]), rules.tally(last), plain).split("\n")
    assert facts[-1]["drawing"] == [*drawn, every]
    assert "drawing" not in expanded(reel_of(record, pictures=no_pictures))[-1]


# What one seat could know


class Blindfold:
    """A game that shows itself to one seat only: views, events and points of all others are refused."""

    def __init__(self, game: Any, seat: int) -> None:
        self._game, self._seat = game, seat

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def view(self, state: Any, seat: int | None) -> Any:
        assert seat == self._seat
        return self._game.view(state, seat)

    def events(self, before: Any, after: Any, seat: int | None) -> Any:
        assert seat == self._seat
        return self._game.events(before, after, seat)

    def private(self, *_: Any) -> Any:
        raise AssertionError

    witnessed = private


@pytest.mark.parametrize(("game", "seats", "options"), MATCHES)
def test_the_reel_of_a_seat_is_made_of_its_own_views_and_events_only(game, seats, options, monkeypatch):
    record = played(game, seats, options, bad_seat=0)
    monkeypatch.setattr("arena.replay.reel.game_of", lambda _record: Blindfold(find_game(game), 1))
    reel = reel_of(record, 1, terminal_pictures)
    facts = expanded(reel)
    assert all(part is None for fact in facts for place, part in enumerate(fact["private"]) if place != 2)
    assert all(drawn is None for fact in facts for place, drawn in enumerate(fact["drawing"]) if place != 2)
    assert facts[-1]["scores"] == list(record.verdict.scores), "all seats receive the result"


def twin(record: MatchRecord, seat: int) -> tuple[MatchRecord, MatchRecord]:
    """Two matches that this seat cannot tell apart, cut off while that is so: chance did something else in a step."""
    game = find_game(record.header.game)
    states = [moment.state for moment in moments(record)]
    for at, step in enumerate(record.steps):
        for other in _others(game, states[at], step):
            try:
                after = game.apply(states[at], {CHANCE: other})
            except Exception:
                continue
            if after == states[at + 1] or game.view(after, seat) != game.view(states[at + 1], seat):
                continue
            if game.events(states[at], after, seat) == game.events(states[at], states[at + 1], seat):
                steps = list(record.steps[: at + 1])
                changed = [*steps[:at], replace(step, chance=other)]
                return replace(record, steps=steps), replace(record, steps=changed)
    raise AssertionError("no step of this match hides anything from this seat")


def _others(game: Any, state: Any, step: Step) -> list[str]:
    """What chance might have done instead: another draw, or a deal with two hands exchanged."""
    if step.chance is None:
        return []
    kind, _, hands = step.chance.partition(":")
    first, *rest = hands.split(",")
    return [*game.legal(state, CHANCE), f"{kind}:{','.join([first, *rest[::-1]])}"]


@pytest.mark.parametrize(
    ("game", "seats", "options"),
    [("draftosaurus", 3, {}), ("draftosaurus", 5, {}), ("dinodocus", 3, {}), ("dinodocus", 4, {"advanced": True})],
)
def test_two_matches_that_a_seat_cannot_tell_apart_give_it_the_same_bytes(game, seats, options):
    one, other = twin(played(game, seats, options), 0)
    assert reel_of(one) != reel_of(other), "they differ"
    assert json.dumps(reel_of(one, 0)) == json.dumps(reel_of(other, 0))


def test_the_reel_of_a_seat_has_no_seed_and_nothing_that_other_bots_said():
    record = played("draftosaurus", 3, seed=123456789012345678901234567890, stderr="a secret", notes=["a note"])
    text = json.dumps(reel_of(record, 1))
    assert "123456789012345678901234567890" not in text
    own = [one for moment in reel_of(record, 1)["moments"] for one in moment.get("decisions", ()) if one["seat"] == 1]
    others = [
        one for moment in reel_of(record, 1)["moments"] for one in moment.get("decisions", ()) if one["seat"] != 1
    ]
    assert all(one["note"] == "a note" for one in own if one.get("status") is None)
    assert all(one.keys() <= {"number", "seat", "action", "status"} for one in others)
    assert reel_of(record, 1)["stderr"] == ["", "a secret", ""]
    assert text.count("a secret") == 1


def test_hidden_parts_of_other_seats_actions_are_left_out():
    options = {"discard_visibility": "hidden", "discard_timing": "with_pick"}
    record = played("draftosaurus", 2, options)
    decisions = [one for moment in reel_of(record, 0)["moments"] for one in moment.get("decisions", ())]
    assert any(one["action"] is None for one in decisions if one["seat"] == 1)
    assert all(one["action"] for one in decisions if one["seat"] == 0)
    assert any("@" in (one["action"] or "") for one in decisions if one["seat"] == 1), "placing is public"
    assert not any("x" in (one["action"] or "") for one in decisions if one["seat"] == 1)


def test_details_of_other_seats_faults_are_left_out():
    record = played("draftosaurus", 3, bad_seat=2)
    mine, theirs = (
        [one for moment in reel_of(record, seat)["moments"] for one in moment.get("faults", ())] for seat in (2, 0)
    )
    assert "Legal:" in mine[0]["text"] or "nonsense" in mine[0]["text"]
    assert theirs[0]["text"].startswith("a text that is not an action")
    assert [one["kind"] for one in mine] == [one["kind"] for one in theirs]


def test_points_that_depend_on_hidden_cards_are_not_known():
    facts = expanded(reel_of(played("dinodocus", 4, {"advanced": True}), 0))
    assert any(fact["breakdown"][1]["hidden"] is None for fact in facts), "others may have hidden period cards"
    assert all(fact["breakdown"][0]["hidden"] is not None for fact in facts), "its own it knows"
    assert None not in facts[-1]["scores"]


def test_a_false_record_does_not_show_a_seat_what_the_rules_say():
    _, false = twin(played("draftosaurus", 3), 0)
    assert "the rules say deal:" in reel_of(false)["complaint"]
    assert reel_of(false, 0)["complaint"] == "step 1: it does not follow the rules"


def test_a_seat_that_is_not_there_is_refused():
    with pytest.raises(RecordError, match="there is no seat 2: this match has seats 0 to 1"):
        reel_of(played("draftosaurus", 2, names=NAMES), 2)
