"""The referee without any process: what it says, when, and what it makes of answers, silence and nonsense."""

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arena.match.cores import Usage
from arena.match.faults import POLICY, Blame, Broken, Consequence, FaultKind, table
from arena.match.record import Player, Status
from arena.match.referee import MOST_PATIENCE, bot_seed_for, ranked
from arena.match.scripted import FAST, ScriptedMatch
from arena.match.scripted import header as scripted_header
from arena.replay.verify import verify
from engine.contract import Outcome
from engine.dice import Seed
from engine.draftosaurus import GAME, Draftosaurus
from protocol.codec import JSON, MSGPACK
from protocol.errors import ErrorKind
from protocol.messages import Decide, End, Move, Ready, Start, to_wire
from protocol.session import Refused, Stale
from tests.engine.draftosaurus_witness import twin
from tests.sizes import sweep
from tests.strategies import setups

Match = partial(ScriptedMatch, GAME)
header = partial(scripted_header, GAME)


def test_a_good_match_is_played_recorded_and_true():
    record = Match(3).finish()
    assert record.verdict.faults == ()
    assert record.verdict.void is None
    assert {d.status for _, _, d in record.decisions()} == {Status.ACCEPTED, Status.FORCED}
    assert verify(record) is None


def test_every_seat_is_told_start_questions_and_end():
    match = Match(2)
    match.finish()
    for told in match.sent:
        assert isinstance(told[0], Start)
        assert isinstance(told[-1], End)
        assert all(isinstance(message, Decide) for message in told[1:-1])
        assert [message.id for message in told[1:-1]] == list(range(1, len(told) - 1))


def test_nobody_is_told_anything_before_the_last_has_answered():
    match = Match(3)
    before = [len(told) for told in match.sent]
    match.answer(0)
    match.answer(2)
    assert [len(told) for told in match.sent] == before
    match.answer(1)
    assert [len(told) for told in match.sent] == [count + 1 for count in before]


def test_nobody_is_asked_before_the_last_is_ready():
    match = Match(2, ready=False)
    assert [[message.type for message in told] for told in match.sent] == [["start"]] * 2
    match.hear(1, Ready())
    assert len(match.sent[1]) == 1
    match.hear(0, Ready())
    assert isinstance(match.last(1), Decide)


def test_the_order_of_answers_changes_nothing():
    forwards, backwards = Match(4), Match(4)
    while not forwards.referee.over:
        for seat in range(4):
            if forwards.is_asked(seat):
                forwards.answer(seat)
        for seat in reversed(range(4)):
            if backwards.is_asked(seat):
                backwards.answer(seat)
    assert forwards.sent == backwards.sent
    assert forwards.referee.record() == backwards.referee.record()


def test_an_answer_to_another_question_is_not_one():
    """The session drops such answers; the referee does not rely on that."""
    match = Match(2)
    question = match.last(0)
    match.hear(0, Move(question.id + 1, question.legal[0]))
    assert match.is_asked(0)
    match.answer(0, question.legal[-1])
    assert not match.is_asked(0)
    assert match.referee.seats[0].decided.action == question.legal[-1]


# Time


def test_the_increment_is_free_and_the_bank_pays_the_rest():
    match = Match(2)
    match.answer(0, used=0.09)
    match.answer(1, used=0.25)
    assert [match.last(seat).clock["bank_ms"] for seat in (0, 1)] == [500, 350]
    assert [match.last(seat).last["used_ms"] for seat in (0, 1)] == [90, 250]


def test_silence_is_late_when_increment_and_bank_are_used_up():
    match = Match(2)
    match.answer(1)
    assert match.referee.deadline == pytest.approx(0.6)
    match.time_is_up(0.6)
    assert match.faults == [("late", 0)]
    assert match.last(0).last | {"reason": ""} == {
        "id": 1, "status": "late", "played": GAME.fallback(_first_state(), 0), "used_ms": 600, "reason": "",
    }  # fmt: skip
    assert match.last(0).clock["bank_ms"] == 0
    words = "no answer within 600 ms, with 100 ms for each decision and 500 ms left in the bank"
    assert match.last(0).last["reason"] == words


def _first_state():
    state, dice = GAME.start(2, {}), Seed(7)
    while GAME.to_act(state) == (-1,):
        state = GAME.apply(state, {-1: GAME.deal(state, dice)})
    return state


def test_an_answer_that_comes_too_late_is_late_even_if_nobody_looked_at_the_clock():
    match = Match(2)
    match.answer(1)
    match.answer(0, used=0.601)
    assert match.faults == [("late", 0)]


def test_each_seat_has_its_own_deadline():
    quick, slow = FAST, replace(FAST, bank_ms=5000)
    players = (Player("quick", "1", "", quick), Player("slow", "1", "", slow))
    match = Match(2, players=players)
    assert match.referee.deadline == pytest.approx(0.6)
    match.time_is_up(0.6)
    assert match.faults == [("late", 0)]
    assert match.is_asked(1)
    assert match.referee.deadline == pytest.approx(5.1)


def test_a_timer_that_fires_early_accuses_nobody():
    match = Match(2)
    match.time_is_up(0.3)
    assert match.faults == []
    assert match.referee.deadline == pytest.approx(0.6)


def test_a_late_answer_to_the_last_question_is_dropped():
    match = Match(2)
    match.answer(1)
    match.time_is_up(0.6)
    match.hear(0, Stale(Move(1, "T")))
    assert match.faults == [("late", 0)]
    assert match.is_asked(0)


def test_cpu_time_is_charged_where_it_is_wanted():
    match = Match(2, clock=replace(FAST, charge="cpu"))
    assert match.referee.charges_cpu
    match.answer(0, used=2.0, cpu=0.2)
    match.answer(1, used=0.1, cpu=0.7)
    assert match.faults == [("late", 1)]
    assert "ms of CPU time" in match.referee.faults[0].text
    assert match.last(0).clock["bank_ms"] == 400


def test_no_ready_in_time_disqualifies():
    match = Match(2, ready=False)
    match.hear(1, Ready())
    match.time_is_up(1.0)
    assert match.faults == [("not-ready", 0)]
    record = match.finish()
    assert record.verdict.ranks == (2, 1)
    assert {d.status for _, _, d in record.decisions() if d.seat == 0} == {Status.ABSENT}
    assert isinstance(match.last(0), End), "it is told the end all the same"


# Bad answers


def test_an_illegal_answer_is_explained_and_costs_a_strike():
    match = Match(2)
    absent = next(dino for dino in "TDCSGP" if dino not in match.last(0).legal)
    match.answer(0, absent)
    match.answer(1)
    assert match.faults == [("illegal", 0)]
    assert match.last(0).last["status"] == "illegal"
    assert f"{absent} is not legal" in match.last(0).last["reason"]
    step = match.referee.steps[-1].decisions[0]
    assert (step.answer, step.status) == (absent, Status.ILLEGAL)


def test_a_malformed_answer_is_another_fault():
    match = Match(2)
    match.answer(0, "banana")
    match.answer(1)
    assert match.faults == [("malformed", 0)]
    assert match.last(0).last["status"] == "malformed"


def test_a_refused_message_spends_the_answer():
    match = Match(2)
    match.hear(0, Refused(ErrorKind.WRONG_TYPE, 92, "byte 92: $.action: expected a string"))
    match.answer(1)
    assert match.faults == [("malformed", 0)]
    assert match.last(0).last["reason"].startswith("byte 92")


def test_the_time_of_a_refused_answer_is_charged():
    match = Match(2)
    match.hear(0, Refused(ErrorKind.WRONG_TYPE, 92, "byte 92: $.action: expected a string"), used=0.3)
    match.answer(1)
    assert match.last(0).clock["bank_ms"] == 300
    assert match.last(0).last["used_ms"] == 300


def test_a_refused_message_at_another_time_is_only_a_strike():
    match = Match(2)
    match.answer(0)
    match.hear(0, Refused(ErrorKind.WRONG_TIME, 92, "a ready between decisions"))
    match.answer(1)
    assert match.faults == [("malformed", 0)]
    assert match.last(0).last["status"] == "accepted"


def test_three_strikes_are_enough():
    match = Match(3)
    for _ in range(3):
        match.answer(0, "banana")
        match.answer(1)
        match.answer(2)
    assert match.faults == [("malformed", 0)] * 3 + [("strikes", 0)]
    told = len(match.sent[0])
    record = match.finish()
    assert len(match.sent[0]) == told + 1, "it is asked nothing more, and told the end"
    assert record.verdict.ranks[0] == 3
    assert verify(record) is None


def test_the_number_of_strikes_is_a_setting():
    match = Match(2, strikes=1)
    match.answer(0, "banana")
    assert match.faults == [("malformed", 0), ("strikes", 0)]


def test_a_broken_bot_is_out_and_the_others_finish():
    match = Match(3)
    match.answer(0)
    match.hear(1, Broken(FaultKind.CRASH, "it exited with status 1"))
    record = match.finish()
    assert match.faults == [("crash", 1)]
    assert record.verdict.ranks[1] == 3
    assert not any(isinstance(message, End) for message in match.sent[1])
    assert verify(record) is None
    assert record.verdict.faults[0].decision == 2


def test_a_bot_that_never_came_is_out_from_the_beginning():
    match = Match(2, broken=[Broken(FaultKind.NO_HELLO, "no hello"), None])
    assert match.sent[0] == []
    assert match.finish().verdict.ranks == (2, 1)


def test_a_match_without_any_bot_ends():
    nobody = Broken(FaultKind.NOT_STARTED, "no such program")
    match = Match(2, broken=[nobody, nobody])
    assert match.referee.over
    assert verify(match.referee.record()) is None


def test_what_comes_after_the_end_changes_nothing():
    match = Match(2)
    record = match.finish()
    match.hear(0, Refused(ErrorKind.WRONG_TIME, 1, "late nonsense"))
    match.hear(1, Broken(FaultKind.CRASH, "it left"))
    assert match.referee.record() == record


def test_the_disqualified_rank_below_all_others_and_among_themselves_by_the_game():
    outcome = Outcome((9, 8, 7, 6), (1, 2, 3, 4), ({}, {}, {}, {}))
    assert ranked(outcome, {0, 1}) == (3, 4, 1, 2)


# Not the bots' doing


def kept(seconds: float, hog: float = 0.0) -> Usage:
    """Others kept both seats from thinking for so long, and seat 1 used so much of it."""
    return Usage(100.0, 2, 2 * seconds, (0.0, hog), (seconds, seconds))


def test_who_is_late_because_others_had_the_cores_is_waited_for():
    match = Match(2)
    match.answer(1)
    match.referee.inquire = lambda: kept(0.3)
    match.time_is_up(0.6)
    assert match.faults == []
    assert match.referee.deadline == pytest.approx(0.9)
    match.answer(0, used=0.25)  # 0.85 s after the question, that is 0.55 s of its own
    assert match.faults == []
    assert [match.last(0).clock["bank_ms"], match.last(0).last["used_ms"]] == [0, 600], "all that it had, and no more"
    record = match.finish()
    assert match.referee.seats[0].spared_us == 250_000
    assert verify(record) is None


def test_who_is_silent_is_late_when_the_time_that_others_took_is_over_too():
    match = Match(2)
    match.answer(1)
    match.referee.inquire = lambda: kept(0.3)
    match.time_is_up(0.6)
    match.time_is_up(0.3)
    assert match.faults == [("late", 0)]
    assert match.last(0).last["used_ms"] == 900
    assert verify(match.finish()) is None


def test_an_answer_that_is_late_in_spite_of_the_time_that_others_took_is_late():
    match = Match(2)
    match.answer(1)
    match.referee.inquire = lambda: kept(0.3)
    match.answer(0, used=0.95)
    assert match.faults == [("late", 0)]


def test_where_nobody_else_had_the_cores_there_is_no_excuse():
    match = Match(2)
    match.answer(1)
    match.referee.inquire = lambda: Usage(100.0, 2, 0.0, (200.0, 0.0), (5000.0, 0.0))  # 58 threads of its own
    match.time_is_up(0.6)
    assert match.faults == [("late", 0)]


def test_a_bot_that_pays_for_cpu_time_gets_none_of_it_back():
    match = Match(2, clock=replace(FAST, charge="cpu"))
    match.referee.inquire = lambda: kept(10.0)
    match.answer(0, used=0.7, cpu=0.7)
    assert match.faults == [("late", 0)]


def test_who_gets_ready_late_because_others_had_the_cores_is_waited_for():
    match = Match(2, ready=False)
    match.hear(1, Ready())
    match.referee.inquire = lambda: kept(0.5)
    match.time_is_up(1.0)
    assert match.faults == []
    assert match.referee.deadline == pytest.approx(1.5)
    match.time_is_up(0.5)
    assert match.faults == [("not-ready", 0)]


def overloaded(hog: float = 0.0) -> ScriptedMatch:
    match = Match(2)
    match.answer(1)
    match.referee.inquire = lambda: kept(50.0, hog)
    match.time_is_up(0.6)
    assert match.referee.deadline == pytest.approx(0.6 * MOST_PATIENCE)
    match.time_is_up(0.6 * MOST_PATIENCE)
    return match


def test_when_others_have_all_cores_for_too_long_the_match_is_void_and_nobody_is_blamed():
    match = overloaded()
    record = match.referee.record()
    assert match.faults == [("overload", None)]
    assert record.verdict.void == "an answer did not come within 10.200 s, because others had the cores"
    assert record.verdict.suspects == ()
    assert match.last(0).void == record.verdict.void
    assert verify(record) is None, "as far as it went"


def test_a_void_match_names_the_seats_that_had_far_more_than_their_share():
    record = overloaded(hog=180.0).referee.record()
    assert record.verdict.suspects == (1,)
    assert record.verdict.void == (
        "an answer did not come within 10.200 s, because others had the cores; "
        "seat 1 used 180.000 s of CPU time meanwhile"
    )
    assert verify(record) is None


def test_a_delay_of_the_referee_itself_is_noted_and_excuses_nobody():
    match = Match(2)
    match.answer(1)
    match.referee.delayed(5.0)
    match.referee.delayed(0.1)
    match.time_is_up(0.6)
    assert match.faults == [("late", 0)]
    assert match.finish().verdict.delay_us == 5_000_000


def test_only_seats_that_owe_an_answer_have_a_reason_to_run():
    match = Match(3, ready=False)
    match.hear(0, Ready())
    assert match.referee.resting == [], "all may prepare"
    match.hear(1, Ready())
    match.hear(2, Ready())
    assert match.referee.resting == []
    match.answer(0)
    match.hear(1, Broken(FaultKind.CRASH, "it exited with status 1"))
    assert match.referee.resting == [0]
    match.finish()
    assert match.referee.resting == []


def test_an_arena_fault_makes_the_match_void_and_blames_no_seat():
    match = Match(2)
    match.referee.fail("OSError: out of pipes")
    match.collect()
    assert match.faults == [("arena", None)]
    assert match.referee.record().verdict.void == "OSError: out of pipes"
    assert match.last(1).faults == []


def test_forced_decisions_are_not_asked_unless_wanted():
    quiet, chatty = Match(2).finish(), Match(2, ask_forced=True).finish()
    assert any(d.status is Status.FORCED for _, _, d in quiet.decisions())
    assert all(d.status is Status.ACCEPTED for _, _, d in chatty.decisions())


# What is never told


def test_a_bots_seed_says_nothing_of_the_deal():
    seeds = {
        bot_seed_for(header(seed=seed, bot_seed=base), seat) for seed in (7, 8) for base in (0, 1) for seat in (0, 1)
    }
    assert len(seeds) == 4, "another deal changes nothing, another seat or base does"
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert Match(2, bot_seed=5).sent[0][0].match == Match(2, bot_seed=6).sent[0][0].match, "nor does the match's name"


def test_nobody_is_told_the_words_of_a_fault_of_another():
    """They can quote legal actions, that is, what a hand holds."""
    match = Match(2)
    absent = next(dino for dino in "TDCSGP" if dino not in match.last(0).legal)
    match.answer(0, absent)
    match.answer(1)
    match.finish()
    (fault,) = match.referee.faults
    own, other = (match.last(seat).faults for seat in (0, 1))
    assert own == [{"seat": 0, "kind": "illegal", "text": fault.text}]
    assert other == [{"seat": 0, "kind": "illegal", "text": POLICY[FaultKind.ILLEGAL].meaning}]
    assert absent in fault.text.split(), "there would be something to tell"


def test_records_of_the_first_format_keep_the_seeds_that_their_bots_received():
    old = header(seed=7, bot_seed=0, format=1)
    assert [bot_seed_for(old, seat) for seat in (0, 1)] == [4061371121314407085, 2357731284002769864]
    assert bot_seed_for(replace(old, seed=8), 0) != bot_seed_for(old, 0)


SECRET = 31415926535897932384


def test_the_seed_is_never_sent():
    match = Match(5, seed=SECRET)
    match.finish()
    needles = [str(SECRET).encode(), SECRET.to_bytes(9), SECRET.to_bytes(9, "little"), hex(SECRET)[2:].encode()]
    for message in (message for told in match.sent for message in told):
        for codec in (MSGPACK, JSON):
            assert not any(needle in codec.encode(to_wire(message)) for needle in needles)


class Twisted(Draftosaurus):
    """Draftosaurus in which, before a seat's question after so many steps, all is exchanged that it cannot know.

    It must be a real question: forced actions are played at once, and a deal from the exchanged bag could follow.
    """

    def __init__(self, seat, after, dice):
        self.seat, self.after, self.dice = seat, after, dice
        self.steps = 0
        self.is_twisted = False

    def apply(self, state, actions):
        state = GAME.apply(state, actions)
        self.steps += 1
        if self.is_twisted or self.steps < self.after or len(GAME.legal(state, self.seat)) < 2:
            return state
        self.is_twisted = True
        return twin(state, self.seat, self.dice)


@settings(max_examples=sweep(20, 600), deadline=None)
@given(setups(GAME), st.integers(0, 999), st.integers(1, 60), st.data())
def test_a_seat_is_sent_the_same_bytes_whatever_is_hidden_from_it(setup, seed, after, data):
    seats, options = setup
    assume(options["first_roller"] in (*range(seats), "random"))
    seat = data.draw(st.integers(0, seats - 1))
    game = Twisted(seat, after, Seed(data.draw(st.integers(0, 99))))
    plain, twisted = Match(seats, options=options, seed=seed), ScriptedMatch(game, seats, options=options, seed=seed)
    while True:
        sent = [[MSGPACK.encode(to_wire(message)) for message in match.sent[seat]] for match in (plain, twisted)]
        assert sent[0] == sent[1]
        if game.is_twisted or plain.referee.over:
            break
        for other in [one for one in range(seats) if plain.is_asked(one)]:  # seats that are asked later come too late
            plain.answer(other)
            twisted.answer(other)


# The policy


def test_every_fault_has_a_policy_and_only_bots_are_struck():
    assert set(POLICY) == set(FaultKind)
    for row in POLICY.values():
        assert (row.blame is Blame.BOT) == (row.consequence is not Consequence.VOID)


def test_the_documented_policy_is_the_policy():
    from tests.cli.test_docs import ROOT

    assert table() in (ROOT / "docs" / "faults.md").read_text("utf-8")
    assert all(f"| `{kind}` |" in table() for kind in FaultKind)
