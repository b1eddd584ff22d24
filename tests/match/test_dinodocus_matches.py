"""Dinodocus over the real referee, with bots that crash, hang and cheat in the very phases in which others wait for them.

In `offer` several seats are asked at once; in `answer`, `bonus` and `react` it need not be the current player who is.
Whatever a bot does there, the fault is told as what it was, the phase's fallback is played, the others finish their
match, the record is true, and nobody learns of a card that is hidden from him. Nothing here waits for anything but the
arena itself.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import running
from arena.match import play as matches
from arena.match.bot import Bot
from arena.match.clock import TimeControl
from arena.match.faults import POLICY, Blame, FaultKind
from arena.match.record import Decision, MatchRecord, Status, Step
from arena.match.record_file import from_bytes, to_bytes
from arena.match.referee import Referee
from arena.match.scripted import ScriptedMatch
from arena.match.seeds import old_bot_seed
from arena.replay.ask import AskTerms, examine
from arena.replay.moments import RecordedQuestion, disqualified, questions, states
from arena.replay.verify import verify
from arena.roster.entries import Entry
from engine.contract import CHANCE, Value
from engine.dice import Seed
from engine.dinodocus import GAME, Dinodocus
from engine.dinodocus.cards import canonical
from engine.dinodocus.state import State
from protocol.codec import JSON, MSGPACK
from protocol.contract import Codec
from protocol.messages import MOST_NOTE, Decide, End, Message, Move, Ready, Start, to_wire
from tests.engine.dinodocus_witness import twin
from tests.sizes import sweep
from tests.strategies import setups

BOT = Path(__file__).with_name("phase_bot.py")
SEAT = 1
GENEROUS = TimeControl(hello_ms=60_000, prepare_ms=60_000, bank_ms=60_000, increment_ms=1_000)
SHORT = replace(GENEROUS, bank_ms=0)  # one second for each decision
MANY = 99
"""More strikes than any match here has."""
STRUCK = ("late", "illegal", "malformed")


def small_deck(size: int = 8) -> str:
    """So few cards and so many real dinosaurs that there is a bonus in every match."""
    pairs = [(head, legs) for head in range(size) for legs in range(size)]
    species = {ref: (h, a, (h + a) % size, (h + 2 * a) % size) for ref, (h, a) in enumerate(pairs, 1)}

    def diet(head: int) -> str:
        return "HHC"[head % 3]

    cards = [
        {
            "id": f"{letter}{i + 1}", "part": letter, "syllable": "abcdefgh"[i], "attack": (i * (part + 3)) % 4,
            "defence": (i * 7 + part) % 3, "refs": [ref for ref, four in species.items() if four[part] == i],
            **({"diet": diet(i)} if letter == "H" else {}),
        }
        for part, letter in enumerate("HAPT")
        for i in range(size)
    ]  # fmt: skip
    listed = [{"ref": ref, "name": "Some", "diet": diet(four[0])} for ref, four in species.items()]
    return json.dumps({"format": 1, "label": "a | b", "species": listed, "cards": cards})


DECK = small_deck()
CARD = re.compile(r"\b[HAPT][1-8]\b")
"""A card of this deck; those in examples of the grammar have two digits."""


@dataclass(frozen=True)
class Table:
    """What is played."""

    seats: int
    seed: int
    options: Mapping[str, Value] = field(default_factory=dict)


TABLES = {
    # With these seeds seat 1 comes to all phases that are asked for below.
    "offers": Table(3, 14, {"advanced": True, "real_bonus": True, "deck": DECK}),
    "feeding": Table(4, 57),
    "basic": Table(6, 5),
    "advanced": Table(4, 5, {"advanced": True}),
    "turn starts": Table(
        5, 6, {"advanced": True, "offer_windows": "mutate_and_turn_start", "help_events_public": False}
    ),
}
PLACES = {
    "offers": "discard:1,draw:2,mutate:2,bonus:1,offer:2,answer:2,react:1",
    "feeding": "herb:1,carn:1,alloc:1",
}
HANDS = "discard:1,mutate:2,offer:2,answer:2,react:1"
"""Where a card of somebody else's hand can be named."""


# Playing


@dataclass(frozen=True)
class Played:
    """A match, and all that its bots were told and said: seat, > or <, message, in the order of time."""

    record: MatchRecord
    log: list[tuple[int, str, Any]]

    def told(self, seat: int) -> list[Message]:
        return [message for other, way, message in self.log if way == ">" and other == seat]

    @cached_property
    def positions(self) -> list[State]:
        return states(self.record)

    @property
    def decided(self) -> list[tuple[State, Decision]]:
        """Every decision, with the position in which it was made."""
        return [(self.positions[index], decision) for _, index, decision in self.record.decisions()]

    @cached_property
    def recorded(self) -> tuple[list[Start], list[RecordedQuestion]]:
        """What the record says that the bots were told."""
        return questions(self.record)


def entry(table: Table, seat: int, *words: str) -> Entry:
    """A bot whose choices depend on the table, and not on the seed that the arena gives it."""
    seed = str(old_bot_seed(table.seed, 0, seat))
    return Entry(f"seat{seat}", "1", (sys.executable, "-I", "-S", str(BOT), seed, *words), BOT.parent)


def play(
    table: Table,
    words: Mapping[int, tuple[str, ...]],
    strikes: int = 3,
    clock: TimeControl = GENEROUS,
    listener: Callable[[int, str, object], None] = lambda seat, way, message: None,
) -> Played:
    """The match. One that the machine was too busy for is played again, which is what the arena says to do."""
    entries = [entry(table, seat, *words.get(seat, ())) for seat in range(table.seats)]
    clocks = [clock if seat == SEAT else GENEROUS for seat in range(table.seats)]
    setup = matches.MatchSetup(entries, "dinodocus", table.options, table.seed, clocks, strikes, sandbox="none")
    for _ in range(3):
        log: list[tuple[int, str, Any]] = []

        def listen(bot: Bot, way: str, message: object, log: list[tuple[int, str, Any]] = log) -> None:
            log.append((int(bot.entry.name.removeprefix("seat")), way, message))
            listener(*log[-1])

        record = running.run(partial(matches.play, setup, listener=listen)).record()
        if not any(fault.kind == "overload" for fault in record.verdict.faults):
            break
    return Played(record, log)


@cache
def played(table: str, fault: str = "none", at: str = "", strikes: int = 3, clock: TimeControl = GENEROUS) -> Played:
    return play(TABLES[table], {SEAT: (fault, at)}, strikes, clock)


# What holds for every match


def check_the_match(match: Played) -> None:
    """It counts, it can be kept and played again, and the others played as if nothing had happened."""
    record = match.record
    verdict = record.verdict
    assert verdict.void is None
    assert from_bytes(to_bytes(record)) == record
    assert verify(record) is None
    assert {fault.seat for fault in verdict.faults} <= {SEAT}
    assert all(POLICY[FaultKind(fault.kind)].blame is Blame.BOT for fault in verdict.faults)
    assert disqualified(record) <= {SEAT}
    for position, decision in match.decided:
        if decision.status not in ("accepted", "forced"):
            assert decision.seat == SEAT
            assert decision.action == due(position, SEAT)
    seats = len(record.header.players)
    if disqualified(record):
        assert verdict.ranks[SEAT] == seats > max(rank for seat, rank in enumerate(verdict.ranks) if seat != SEAT)
    for seat in set(range(seats)) - {SEAT}:
        (end,) = (message for message in match.told(seat) if isinstance(message, End))
        assert (tuple(end.scores), tuple(end.ranks)) == (verdict.scores, verdict.ranks)
        assert [(fault["seat"], fault["kind"]) for fault in end.faults] == [(f.seat, f.kind) for f in verdict.faults]


def due(position: State, seat: int) -> str:
    """What RULES.md says is played for a seat that does not answer."""
    phase, legal = position.phase.value, GAME.legal(position, seat)
    if phase == "alloc":
        fed = sorted((d for d in position.dinos if d.owner == seat), key=lambda dino: (-dino.periods, dino.id))
        return "give:" + ",".join(f"d{id_}" for id_ in sorted(dino.id for dino in fed[: position.periods]))
    if phase == "answer":
        return f"no:{GAME.view(position, seat)['offers'][0]['card']}"
    if phase in ("draw", "herb", "carn"):
        return legal[0]
    return {"discard": "ok", "mutate": "end", "bonus": "no", "offer": "pass", "react": "pass"}[phase]


def written(codec: Codec, message: Message) -> bytes:
    return codec.encode(to_wire(message))


def check_that_replay_equals_play(match: Played, form: Callable[[Message], object] = lambda message: message) -> None:
    """The questions that a record tells are those that were asked."""
    starts, asked = match.recorded
    for seat, start in enumerate(starts):
        found: list[Message] = [start, *(question.decide for question in asked if question.decision.seat == seat)]
        sent = [message for message in match.told(seat) if isinstance(message, Start | Decide)]
        assert list(map(form, found)) == list(map(form, sent))


def check_that_what_is_hidden_stays_hidden(match: Played) -> None:
    """No question names a card that its seat cannot know."""
    before = {number: match.positions[index] for number, index, _ in match.record.decisions()}
    for question in match.recorded[1]:
        seat, decide, position = question.decision.seat, question.decide, before[question.number]
        view = {name: part for name, part in decide.view.items() if name not in ("cards", "options")}
        names = position.setup.cards.names
        known = {*names(position.hands[seat]), *names(position.shown)}
        known |= {card for dino in position.dinos for card in names(dino.body.cards)}
        known |= {card for pile in position.discards for card in names(pile)}
        assert named([view, decide.legal], position) <= known
        assert [hand for hand in decide.view["hands"] if hand is not None] == [names(position.hands[seat])]
        for event in decide.events:
            assert event["event"] != "draw" or event["seat"] == seat or event["card"] is None


def named(value: object, position: State) -> set[str]:
    """The cards that are named anywhere in it."""
    return set(re.findall(r"\b[HAPT]\d+\b", json.dumps(value))) & set(position.setup.cards.ids)


# Faults, phase by phase


@dataclass(frozen=True)
class Case:
    """A bot that misbehaves in some phases, and what has to come of it."""

    fault: str
    at: str
    status: str
    """Of the decisions at which it misbehaves."""
    out: str | None = None
    """What it is disqualified for, at the last of them."""
    words: str = ""
    """Some of what each fault says."""
    table: str = "offers"
    strikes: int = MANY
    clock: TimeControl = GENEROUS

    def __str__(self) -> str:
        return f"{self.fault}@{re.sub(r':.', '', self.at).replace(',', '+')}"

    def play(self) -> Played:
        return played(self.table, self.fault, self.at, self.strikes, self.clock)


def everywhere(fault: str, status: str, words: str = "", table: str = "offers", **more: Any) -> Case:
    return Case(fault, PLACES[table], status, words=words, table=table, **more)


def out(fault: str, at: str, kind: str, words: str, **more: Any) -> Case:
    """It is disqualified there and then, without having answered."""
    table = "feeding" if at.partition(":")[0] in PLACES["feeding"] else "offers"
    return Case(fault, at, "absent", kind, words, **{"table": table, **more})


def hangs(at: str) -> Case:
    """It says nothing, and one strike is enough."""
    return Case("hang", at, "late", "strikes", NO_ANSWER, strikes=1, clock=SHORT)


NO_ANSWER = "no answer within "
"""What follows is how long the referee waited: the clock, and more on a busy machine."""
CASES = [
    # Its process ends.
    *(
        out("crash", at, "crash", "exited with status 3")
        for at in [*PLACES["offers"].split(","), *PLACES["feeding"].split(",")]
    ),
    out("segfault", "answer:3", "crash", "was ended by signal 11 (SIGSEGV)"),
    out("half-and-leave", "offer:3", "crash", "left this unfinished"),
    out("close", "bonus:2", "closed", "it closed its stdout, but its process keeps running"),
    # It says nothing, or says it too late: with the next answer, all of it or the second half.
    *(hangs(at) for at in ("offer:2", "react:1")),
    Case("late", "answer:2,react:1", "late", words=NO_ANSWER, clock=SHORT),
    Case("half", "bonus:1,offer:2", "late", words=NO_ANSWER, clock=SHORT),
    Case("late", "herb:1,alloc:1", "late", words=NO_ANSWER, clock=SHORT, table="feeding"),
    # It says too much, or what is no message.
    out("flood", "offer:2", "flood", "more than 2097152 bytes on stdout"),
    out("garbage", "react:1", "protocol", r"b'\xc1\xff"),
    out("thinking", "answer:1", "protocol", "print to stderr (SPEC 2.1): b'hm, "),
    everywhere("chatter", "accepted"),
    everywhere("chatter", "accepted", table="feeding"),
    # It says the wrong thing.
    everywhere("malformed", "malformed", "'give up' is malformed, expected "),
    everywhere("other-phase", "malformed", " is malformed, expected "),
    everywhere("other-phase", "malformed", " is malformed, expected ", table="feeding"),
    everywhere("long-action", "malformed", "$.action: expected a string of at most 4096 characters"),
    everywhere("future-id", "malformed", "the id of the latest decide, got "),
    Case("foreign-card", HANDS, "illegal", "strikes", words=" is not legal, the ", strikes=5),
    Case("impossible", "draw:2,mutate:2", "illegal", words=" is not legal, "),
    everywhere("impossible", "illegal", " is not legal, ", table="feeding"),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_bot_that_fails_in_a_phase_harms_nobody_but_itself(case: Case) -> None:
    match = case.play()
    check_the_match(match)
    check_the_faults(match, case)
    check_that_replay_equals_play(match)
    check_that_what_is_hidden_stays_hidden(match)


def check_the_faults(match: Played, case: Case) -> None:
    """They are where they should be, of the right kind, and told to the bot itself."""
    places = found_places(match, case)
    failed = {number: decision for _, number, decision in places}
    assert {place for place, _, _ in places} == set(case.at.split(",")), "choose another seed for this table"
    assert {decision.status for decision in failed.values()} == {case.status}
    rest = {d.status for number, _, d in match.record.decisions() if d.seat == SEAT and number not in failed}
    assert rest <= {"accepted", "forced", *(["absent"] if case.out else [])}
    faults = match.record.verdict.faults
    expected = [(case.status, number) for number in failed if case.status in STRUCK]
    expected += [(case.out, max(failed))] if case.out else []
    assert [(fault.kind, fault.decision) for fault in faults] == expected
    texts = [fault.text for fault in faults if fault.kind != "strikes"]
    assert all(case.words in text for text in texts)
    if case.words == NO_ANSWER:
        assert min(int(text.partition(NO_ANSWER)[2].split()[0]) for text in texts) >= case.clock.increment_ms
    if case.status in STRUCK:
        assert [d.reason for d in failed.values()] == texts
        check_what_the_bot_is_told(match, list(failed.values()))
    said = match.record.verdict.accounts[SEAT].stderr.splitlines()
    assert said == [f"{case.fault} in {place.partition(':')[0]}" for place, _, _ in places]


def found_places(match: Played, case: Case) -> list[tuple[str, int, Decision]]:
    """The decisions at which it misbehaved: `offer:2`, its number, and what became of it."""
    asked: dict[str, int] = {}
    found = []
    for number, index, decision in match.record.decisions():
        if decision.seat == SEAT and decision.status is not Status.FORCED:
            phase = match.positions[index].phase.value
            asked[phase] = asked.get(phase, 0) + 1
            if f"{phase}:{asked[phase]}" in case.at.split(","):
                found.append((f"{phase}:{asked[phase]}", number, decision))
    return found


def check_what_the_bot_is_told(match: Played, failed: list[Decision]) -> None:
    """Its next question says what was played and why; after the last one there may be none."""
    lasts = [m.last for m in match.told(SEAT) if isinstance(m, Decide) and m.last]
    told = [(last["status"], last["played"], last["reason"]) for last in lasts if last["status"] != "accepted"]
    expected = [(d.status, d.action, d.reason) for d in failed]
    assert told in (expected, expected[:-1])


def test_a_note_is_cut_and_no_other_seat_sees_it() -> None:
    match = everywhere("chatter", "accepted").play()
    notes = {decision.note for _, decision in match.decided if decision.note}
    (note,) = notes
    assert note.startswith("to nobody else: ")
    assert len(note) == MOST_NOTE
    for seat in range(3):
        assert not any("to nobody else" in json.dumps(to_wire(message)) for message in match.told(seat))


@pytest.mark.parametrize("fault", ["foreign-card", "malformed"])
def test_no_fault_tells_others_what_is_in_a_hand(fault: str) -> None:
    """The words of a fault name the hand, as they should, to the bot itself; hands stay hidden also after the end."""
    case = next(case for case in CASES if case.fault == fault and case.table == "offers")
    match = case.play()
    reasons = [decision.reason for _, decision in match.decided if decision.reason]
    assert any(CARD.search(reason.partition("Legal:")[2]) for reason in reasons)
    for seat in (0, 2):
        (end,) = (message for message in match.told(seat) if isinstance(message, End))
        assert [card for told in end.faults for card in CARD.findall(told["text"])] == []


# Offers are made at once


class Gate:
    """Lets the last seat answer an offer only when the referee has the answers of all others."""

    def __init__(self, path: Path, last: int) -> None:
        os.mkfifo(path)
        self.path = path
        self._last = last
        self._fd = os.open(path, os.O_RDWR)
        self._open: set[int] = set()

    def listen(self, seat: int, way: str, message: object) -> None:
        if way == ">" and isinstance(message, Decide) and message.phase == "offer":
            self._open.add(seat)
        elif way == "<" and isinstance(message, Move):
            self._open.discard(seat)
        else:
            return
        if self._open == {self._last}:
            os.write(self._fd, b"!")

    def close(self) -> None:
        os.close(self._fd)


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    made = Gate(tmp_path / "gate", last=3)
    yield made
    made.close()


def rounds(log: list[tuple[int, str, Any]]) -> Iterator[tuple[dict[int, Decide], list[tuple[int, Move]]]]:
    """Of each round of offers the questions and the answers, in the order of time; nothing is told in between."""
    asked: dict[int, Decide] = {}
    answers: list[tuple[int, Move]] = []
    for seat, way, message in log:
        if way == ">" and isinstance(message, Decide) and message.phase == "offer" and not answers:
            asked[seat] = message
        elif asked:
            assert way == "<", f"seat {seat} is told something before all have answered"
            assert isinstance(message, Move)
            answers.append((seat, message))
            if len(answers) == len(asked):
                yield asked, answers
                asked, answers = {}, []


def test_nobody_sees_an_offer_before_all_have_answered(gate: Gate) -> None:
    match = play(TABLES["advanced"], {3: ("none", "", str(gate.path))}, listener=gate.listen)
    check_the_match(match)
    waited = 0
    for asked, answers in rounds(match.log):
        given = {seat: move.action.removeprefix("give:") for seat, move in answers if move.action != "pass"}
        if 3 in asked:
            assert answers[-1][0] == 3
            waited += len(asked) > 1 and bool(given.keys() - {3})
        for seat, decide in asked.items():
            view = {name: part for name, part in decide.view.items() if name != "cards"}
            known = {card for cards in decide.view["shown"] for card in cards}
            text = json.dumps([view, decide.legal, decide.events, decide.last])
            for other, card in given.items():
                assert other == seat or card in known or card not in text
    assert waited > 5, "often enough it had something to wait for"
    assert match.record.without_times() == good("advanced").record.without_times(), "and the delay changes nothing"


@cache
def good(table: str) -> Played:
    return play(TABLES[table], {})


def test_the_offers_of_others_count_when_one_crashes_in_the_same_round() -> None:
    at, nth, theirs = next(rounds_with_others(good("advanced")))
    match = play(TABLES["advanced"], {SEAT: ("crash", f"offer:{nth}")})
    check_the_match(match)
    assert match.record.steps[at].actions == {**theirs, SEAT: "pass"}
    given = {(seat, action.removeprefix("give:")) for seat, action in theirs.items() if action != "pass"}
    assert given <= {(one["seat"], one["card"]) for one in GAME.view(match.positions[at + 1], None)["offers"]}
    answers = [d.action for position, d in match.decided if position.phase.value == "answer"]
    assert {card for _, card in given} <= {action.partition(":")[2] for action in answers}


def rounds_with_others(match: Played) -> Iterator[tuple[int, int, dict[int, str]]]:
    """Rounds in which seat 1 and somebody else offer a card: the step, how often seat 1 has been asked, what others do."""
    nth = 0
    for at, (position, step) in enumerate(zip(match.positions, match.record.steps)):
        if position.phase.value == "offer" and SEAT in step.actions:
            nth += 1
            theirs = {seat: action for seat, action in step.actions.items() if seat != SEAT}
            if step.actions[SEAT] != "pass" and set(theirs.values()) - {"pass"}:
                yield at, nth, theirs


# Again


@pytest.mark.parametrize("table", ["basic", "advanced"])
def test_two_matches_with_one_seed_give_the_same_record_apart_from_times(table: str) -> None:
    first, second = good(table), play(TABLES[table], {})
    assert to_bytes(first.record.without_times()) == to_bytes(second.record.without_times())
    assert not first.record.verdict.faults
    assert verify(first.record) is None


@pytest.mark.parametrize("table", ["basic", "advanced", "turn starts"])
def test_the_questions_of_a_record_are_those_that_were_asked_byte_by_byte(table: str) -> None:
    match = good(table)
    check_the_match(match)
    check_that_what_is_hidden_stays_hidden(match)
    for codec in (JSON, MSGPACK):
        check_that_replay_equals_play(match, partial(written, codec))


def test_a_bot_that_is_asked_again_fails_again_in_the_same_phases() -> None:
    case = next(case for case in CASES if case.fault == "foreign-card")
    record, table = case.play().record, TABLES[case.table]
    own = [question for question in questions(record)[1] if question.decision.seat == SEAT]
    found = running.run(lambda: examine(record, entry(table, SEAT, case.fault, case.at), own, AskTerms(sandbox="none")))
    assert len(found.answers) == len(own) > 20
    assert not found.differing
    assert [answer.given.reason for answer in found.answers] == [question.decision.reason for question in own]
    sound = running.run(lambda: examine(record, entry(table, SEAT), own, AskTerms(sandbox="none")))
    assert [str(answer.question.decision.status) for answer in sound.differing] == ["illegal"] * 5


def test_a_deck_of_ones_own_is_told_recorded_and_replayed() -> None:
    match = good("offers")
    check_the_match(match)
    check_that_replay_equals_play(match)
    record = from_bytes(to_bytes(match.record))
    assert record.header.options == {"advanced": True, "real_bonus": True, "deck": canonical(DECK)}
    assert verify(record) is None
    assert GAME.outcome(states(record)[-1]).scores == record.verdict.scores
    for seat in range(3):
        start, first = (next(m for m in match.told(seat) if isinstance(m, kind)) for kind in (Start, Decide))
        assert json.loads(str(start.options["deck"])) == json.loads(DECK)
        assert len(first.view["cards"]) == 32
    assert any(event["event"] == "bonus" for m in match.told(0) if isinstance(m, Decide) for event in m.events)
    other = replace(record, header=replace(record.header, options={"advanced": True, "real_bonus": True}))
    assert verify(other) is not None, "the same steps mean nothing with other cards"


# What is hidden changes no byte


class Twisted(Dinodocus):
    """Dinodocus in which, before the question after so many steps, all is exchanged that a seat cannot know."""

    def __init__(self, seat: int, after: int, dice: Seed) -> None:
        self.seat, self.after, self.dice = seat, after, dice
        self.steps = 0
        self.is_twisted = False

    def apply(self, state: State, actions: Mapping[int, str]) -> State:
        state = GAME.apply(state, actions)
        self.steps += 1
        if self.is_twisted or self.steps < self.after or GAME.to_act(state) in ((), (CHANCE,)):
            return state
        self.is_twisted = True
        return twin(state, self.seat, self.dice)


@settings(max_examples=sweep(12, 250), deadline=None)
@given(setups(GAME), st.integers(0, 999), st.integers(10, 120), st.data())
def test_a_seat_is_sent_the_same_bytes_whatever_is_hidden_from_it(setup, seed, after, data) -> None:
    seats, options = setup
    seat = data.draw(st.integers(0, seats - 1))
    game = Twisted(seat, after, Seed(data.draw(st.integers(0, 99))))
    # All questions are put, because which of them leave no choice follows from what is hidden.
    plain, twisted = (ScriptedMatch(one, seats, options=options, seed=seed, ask_forced=True) for one in (GAME, game))
    while not game.is_twisted and not plain.referee.over:
        for other in [
            one for one in range(seats) if plain.is_asked(one)
        ]:  # who is asked later is asked after the twist
            plain.answer(other)
            twisted.answer(other)
    sent = [[MSGPACK.encode(to_wire(message)) for message in match.sent[seat]] for match in (plain, twisted)]
    assert sent[0] == sent[1]


class Reached(Exception):
    """The match has come to where it is to stop."""


class Dealt(Dinodocus):
    """Dinodocus in which chance does what it is told."""

    def __init__(self, deals: list[str]) -> None:
        self.deals = deals[::-1]

    def deal(self, _state: State, _dice: object) -> str:
        if not self.deals:
            raise Reached
        return self.deals.pop()


def refereed(record: MatchRecord, steps: list[dict[int, str]], seat: int) -> list[bytes]:
    """What a seat is sent when this is played, at the times of the record."""
    referee = Referee(Dealt([step[CHANCE] for step in steps if CHANCE in step]), record.header)
    sent: list[tuple[int, Message]] = []
    referee.begin(0.0, [None] * len(record.header.players))
    with suppress(Reached):
        for index in range(len(record.header.players)):
            referee.heard(index, Ready(), 0.0, 0.0)
        for index, (step, actions) in enumerate(zip(record.steps, steps)):
            sent += referee.outbox()
            if index >= len(referee.steps):  # else nobody had to be asked
                for decision in step.decisions:
                    if decision.status is not Status.FORCED:
                        referee.repeat(replace(decision, action=actions[decision.seat]))
    sent += referee.outbox()
    return [MSGPACK.encode(to_wire(message)) for other, message in sent if other == seat]


def exchanged(text: str, cards: tuple[str, str]) -> str:
    """An action with each of two cards in the place of the other."""
    other = dict(zip(cards, reversed(cards)))
    return re.sub(r"[HAPT]\d+", lambda found: other.get(found[0], found[0]), text)


def draws(match: Played, seat: int) -> Iterator[tuple[int, tuple[str, str], int]]:
    """Draws of others: the step, the card and one that it might have been, and the step that shows either to this seat."""
    steps = match.record.steps
    hidden = [p.phase.value == "card" and p.current != seat for p in match.positions]
    for at, position in enumerate(match.positions):
        if hidden[at]:
            deck, drawn = position.setup.cards, steps[at].chance
            left = deck.names(position.decks[position.draw])
            alike = [card for card in left if card != drawn and deck.plain[card][2] == deck.plain[drawn][2]]  # in diet
            if alike:
                pair = (drawn, alike[at % len(alike)])
                later = range(at + 1, len(steps))
                yield at, pair, next((i for i in later if not hidden[i] and names_one(steps[i], pair)), len(steps))


def names_one(step: Step, cards: tuple[str, str]) -> bool:
    return any(exchanged(action, cards) != action for action in step.actions.values())


@pytest.mark.parametrize("table", ["basic", "advanced", "turn starts"])
def test_another_card_drawn_by_another_seat_changes_no_byte_until_it_is_shown(table: str) -> None:
    match = good(table)
    usual = [step.actions for step in match.record.steps]
    compared = 0
    for seat in (0, len(match.record.header.players) - 1):
        longest = sorted(draws(match, seat), key=lambda found: found[0] - found[2])
        for at, pair, shown in longest[:4]:
            other = [{who: exchanged(action, pair) for who, action in actions.items()} for actions in usual[at:shown]]
            told = refereed(match.record, usual[:shown], seat)
            assert told == refereed(match.record, [*usual[:at], *other], seat)
            compared += shown - at
    assert compared > 200, "steps between a draw and what shows it"
