"""What if: branches of records play to the end and are true, show nothing hidden, and cannot lie about their parents."""

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import running
from arena.cli.film import as_lines, film_of
from arena.errors import RecordError, SettingError
from arena.league import evidence
from arena.match import person
from arena.match import play as matches
from arena.match.clock import TimeControl
from arena.match.packing import pack, signed
from arena.match.record import BRANCH_FORMAT, FORMAT, MOST_POSITION, OPEN, Cards, MatchRecord, Parent, Player, Status
from arena.match.record_file import from_bytes, to_bytes
from arena.match.scripted import FAST, ScriptedMatch
from arena.match.seeds import bot_seed_of
from arena.replay.moments import game_of, moments, questions, states
from arena.replay.verify import verify
from arena.replay.whatif import BranchPoint, branch_point, branch_points, check_parent, entry_of, has_changed, summary
from arena.roster.entries import Entry, find
from engine.catalogue import game as find_game
from protocol.codec import JSON
from protocol.messages import Decide, Message, to_wire
from tests.sizes import sweep

OLD = Path(__file__).parents[1] / "golden" / "old"
Choice = Callable[[Decide], str]
Table = tuple[str, int, dict[str, Any], int]

DRAFTOSAURUS: list[Table] = [
    ("draftosaurus", 2, {}, 1),
    ("draftosaurus", 2, {"season": "winter"}, 2),
    ("draftosaurus", 2, {"discard_timing": "with_pick"}, 3),
    ("draftosaurus", 3, {}, 4),
    ("draftosaurus", 3, {"first_roller": "random"}, 5),
    ("draftosaurus", 3, {"season": "summer_winter"}, 6),
    ("draftosaurus", 4, {}, 7),
    ("draftosaurus", 4, {"season": "winter"}, 8),
    ("draftosaurus", 5, {"commit": "pick_and_place"}, 9),
    ("draftosaurus", 5, {}, 10),
]
DINODOCUS: list[Table] = [
    ("dinodocus", 2, {}, 11),
    ("dinodocus", 2, {"advanced": True}, 4),
    ("dinodocus", 2, {"draw_mode": "may_stop", "real_bonus": True}, 6),
    ("dinodocus", 2, {"draw_mode": "may_stop", "hand_parts_public": False}, 13),
    ("dinodocus", 2, {"draw_mode": "may_stop", "carn_duty": "free", "start_tie": "random"}, 7),
    ("dinodocus", 2, {"draw_mode": "may_stop", "advanced": True, "offer_windows": "mutate_and_turn_start"}, 13),
    ("dinodocus", 3, {"draw_mode": "may_stop"}, 6),
    ("dinodocus", 3, {"draw_mode": "may_stop", "advanced": True, "hand_parts_public": False}, 6),
    ("dinodocus", 3, {"draw_mode": "may_stop", "unfed_discard": "immediate"}, 13),
    ("dinodocus", 4, {"draw_mode": "may_stop", "advanced": True}, 6),
]
"""Where players may stop drawing, matches are shorter, and there is less to hide."""


# Matches without processes


def lively(seed: int) -> Choice:
    """Mostly the last legal action, with which matches are short, and often any other."""
    chance = random.Random(seed)
    return lambda question: question.legal[-1] if chance.random() < 0.85 else chance.choice(question.legal)


def short(question: Decide) -> str:
    return question.legal[-1]


def finished(match: ScriptedMatch, choose: Choice, used: float = 0.0) -> MatchRecord:
    while not match.referee.over:
        for seat in range(len(match.sent)):
            if match.is_asked(seat):
                match.answer(seat, choose(match.last(seat)), used)
    return match.referee.record()


@cache
def recorded(name: str, seats: int, options: tuple[tuple[str, Any], ...] = (), seed: int = 1) -> MatchRecord:
    return finished(ScriptedMatch(find_game(name), seats, options=dict(options), seed=seed, match="m1"), lively(seed))


def of(table: Table) -> MatchRecord:
    name, seats, options, seed = table
    return recorded(name, seats, tuple(options.items()), seed)


def begun(point: BranchPoint, cards: Cards = OPEN, seed: int = 5) -> ScriptedMatch:
    """A branch that the scripted referee plays, with the fields that `setup` and `MatchSetup.header` give it."""
    header, control = point.record.header, point.setup([PLAYER] * len(point.record.header.players), cards, seed)
    return ScriptedMatch(
        point.game,
        len(header.players),
        match=f"{header.game}-{len(header.players)}p",
        options=control.options,
        seed=control.seed,
        bot_seed=bot_seed_of(seed, control.bot_seed),
        parent=control.parent,
        format=BRANCH_FORMAT,
    )


PLAYER = Entry("bot", "1", ("true",), Path())


def branched(point: BranchPoint, cards: Cards = OPEN, seed: int = 5, choose: Choice = short) -> MatchRecord:
    return finished(begun(point, cards, seed), choose)


def as_file(record: MatchRecord) -> MatchRecord:
    return from_bytes(to_bytes(record))


# A branch is a match like any other


@pytest.mark.parametrize("table", DRAFTOSAURUS + DINODOCUS, ids=str)
def test_a_branch_from_any_step_plays_to_the_end_and_is_true(table):
    parent = of(table)
    game, points, everybody = game_of(parent), branch_points(parent), [OPEN, *range(table[1])]
    assert [point.step for point in points] == list(range(len(parent.steps))), "all but the end"
    for number, point in enumerate(points[:: sweep(5, 1)]):
        cards = everybody[number % len(everybody)]
        branch = as_file(branched(point, cards, seed=point.step))
        assert verify(branch) is None
        cited = branch.header.parent
        assert (cited.match, cited.step, cited.cards) == ("m1", point.step, cards)
        assert point.step == 0 or cited.state == parent.steps[point.step - 1].state
        here = game.parse(cited.position)
        assert here == point.state if cards == OPEN else game.view(here, cards) == game.view(point.state, cards)
        if number % sweep(4, 16) == 0:
            assert check_parent(branch, parent) is None


@pytest.mark.parametrize("table", [DRAFTOSAURUS[0], DINODOCUS[1]], ids=str)
def test_with_the_seed_and_the_answers_of_the_parent_an_open_branch_is_its_rest(table):
    parent = of(table)
    for point in branch_points(parent)[::7]:
        rest = parent.steps[point.step :]
        match = begun(point, OPEN, parent.header.seed)
        for step in rest:
            for decision in step.decisions:
                if decision.status is Status.ACCEPTED:
                    match.answer(decision.seat, decision.action)
        branch = match.referee.record()
        assert [step.state for step in branch.steps] == [step.state for step in rest]
        assert branch.verdict.scores == parent.verdict.scores


def test_the_same_seed_gives_the_same_bytes_and_another_one_other_cards():
    point = branch_point(of(DRAFTOSAURUS[5]), 20)
    first, again, other = (branched(point, 1, seed) for seed in (5, 5, 6))
    assert to_bytes(first) == to_bytes(again)
    assert first.header.parent.position != other.header.parent.position


def test_a_branch_can_be_branched():
    parent = of(DRAFTOSAURUS[3])
    branch = as_file(branched(branch_point(parent, 9), 2))
    twig = as_file(branched(branch_point(branch, 4), 0))
    assert verify(twig) is None
    assert check_parent(twig, branch) is None
    assert check_parent(twig, parent) is not None


def test_a_branch_is_shown_and_asked_from_its_position():
    point = branch_point(of(DRAFTOSAURUS[3]), 9)
    branch = branched(point, 2)
    assert moments(branch)[0].state == states(branch)[0] == point.game.parse(branch.header.parent.position)
    starts, asked = questions(branch)
    assert [start.seat for start in starts] == [0, 1, 2]
    assert asked[0].decide.view == point.game.view(states(branch)[asked[0].number - 1], asked[0].decision.seat)
    lines = list(as_lines(film_of(branch), [0], "spectator"))
    assert lines[1] == "what if: plays on after step 9 of m1, hidden cards drawn from what seat 2 could know"
    assert "with open cards" in list(as_lines(film_of(branched(point)), [0], "spectator"))[1]


def test_a_branch_of_an_earlier_edition_has_the_options_that_were_defaults_then():
    parent = from_bytes(pack(signed((OLD / "dinodocus-edition-1.jsonl").read_bytes())))
    branch = as_file(branched(branch_point(parent, 30), 1))
    assert (branch.header.edition, branch.header.options) == (2, {"advanced": True, "offer_rounds": 3})
    assert verify(branch) is None
    assert check_parent(branch, parent) is None
    older = replace(branch, header=replace(branch.header, edition=1, options={"advanced": True}))
    assert "played in edition 1, and this arena has edition 2" in str(verify(older)), "its position is one of edition 2"


def test_a_deck_of_ones_own_goes_with_the_position():
    deck = json.loads((Path(__file__).parents[2] / "engine/dinodocus/decks/house-60.json").read_text("utf-8"))
    deck["label"] = "a deck | with = signs"
    parent = recorded("dinodocus", 2, (("deck", json.dumps(deck)), ("draw_mode", "may_stop")), 4)
    branch = as_file(branched(branch_point(parent, 20), 0))
    assert verify(branch) is None
    assert check_parent(branch, parent) is None


def test_a_branch_as_this_arena_wrote_it_once_stays_true():
    branch = from_bytes(pack(signed((OLD / "format-3.jsonl").read_bytes())))
    assert (branch.header.format, branch.header.parent.cards, branch.header.parent.step) == (3, 1, 14)
    assert verify(branch) is None


# What a seat receives


def messages_to(seat: int, point: BranchPoint, cards: Cards, seed: int) -> bytes:
    match = begun(point, cards, seed)
    finished(match, lively(seed))
    return encoded(match.sent[seat])


def encoded(sent: Sequence[Message]) -> bytes:
    return b"".join(JSON.encode(to_wire(message)) for message in sent)


def twins(point: BranchPoint, seat: int, seed: int = 1) -> list[BranchPoint]:
    """Two parents that look the same to a seat: what it cannot know differs, and so do their seeds and their ends."""
    return [branch_point(branched(point, seat, seed + i), 0) for i in range(2)]


@cache
def with_secrets(table: int, seat: int) -> list[BranchPoint]:
    """The moments of a match at which something is hidden from a seat, so that its guesses differ."""
    points = branch_points(of(SECRETIVE[table]))
    return [point for point in points if len({point.parent(seat, seed).position for seed in (1, 2)}) == 2]


SECRETIVE: list[Table] = [
    *(DRAFTOSAURUS[number] for number in (0, 2, 3, 6, 8)),
    ("dinodocus", 2, {}, 11),
    ("dinodocus", 3, {"advanced": True, "hand_parts_public": False}, 6),
]


@settings(max_examples=sweep(20, 200), deadline=None)
@given(st.data())
def test_nothing_that_was_hidden_from_a_seat_changes_a_byte_that_it_receives(data):
    table = data.draw(st.integers(0, len(SECRETIVE) - 1))
    seat, seed = data.draw(st.integers(0, SECRETIVE[table][1] - 1)), data.draw(st.integers(0, 10**6))
    one, other = twins(data.draw(st.sampled_from(with_secrets(table, seat))), seat)
    assert one.state != other.state
    assert messages_to(seat, one, seat, seed) == messages_to(seat, other, seat, seed)


@pytest.mark.parametrize("table", [2, 5])
def test_the_control_with_open_cards_the_messages_do_depend_on_what_is_hidden(table):
    pairs = [twins(point, 0) for point in with_secrets(table, 0)[:6]]
    assert any(messages_to(0, one, OPEN, 5) != messages_to(0, other, OPEN, 5) for one, other in pairs)


@pytest.mark.usefixtures("processes")
def test_real_bots_receive_nothing_hidden_either():
    entries = [find("greedy")] * 3
    parents = twins(branch_point(of(DRAFTOSAURUS[3]), 3), 1)
    assert parents[0].state != parents[1].state
    told = []
    for parent in parents:
        heard: list[dict[str, Any]] = []
        setup = parent.setup(entries, 1, seed=9)
        match = running.run(partial(matches.play, setup, listener=partial(overhear, heard)))
        assert verify(match.record()) is None
        told.append(heard)
    assert told[0] == told[1]
    assert len(told[0]) > 60


def overhear(heard: list[dict[str, Any]], _bot: object, direction: str, item: Any) -> None:
    if direction == ">":
        wire = to_wire(item)
        wire.pop("clock", None)  # times differ from run to run
        if wire.get("last"):
            wire["last"] = {**wire["last"], "used_ms": 0}
        heard.append(wire)


# Players, clocks, rules of conduct


def test_clocks_go_on_with_what_was_left_in_the_bank():
    game = find_game("draftosaurus")
    match = ScriptedMatch(game, 2, clock=replace(FAST, bank_ms=5000, increment_ms=100))
    while not match.referee.over:
        for seat in (0, 1):
            if match.is_asked(seat):
                match.answer(seat, used=0.3 if seat == 0 else 0.05)  # 200 ms of it from the bank
    parent = match.referee.record()
    point = branch_point(parent, 3)
    assert sum(len(step.decisions) for step in parent.steps[:3]) == 2, "one decision of each seat"
    assert [clock.bank_ms for clock in point.clocks] == [4800, 5000]
    assert point.clocks[0] == replace(parent.header.players[0].clock, bank_ms=4800)
    setup = point.setup([PLAYER] * 2)
    assert setup.clocks == point.clocks


def test_a_bot_in_the_seat_of_a_person_has_the_usual_clock():
    parent = of(DRAFTOSAURUS[0])
    players = replace(parent.header.players[0], clock=person.CLOCK), parent.header.players[1]
    point = branch_point(replace(parent, header=replace(parent.header, players=players)), 5)
    assert point.clocks == (TimeControl(), FAST)


def test_strikes_and_disqualifications_stay_with_the_parent_but_its_rules_go_on():
    match = ScriptedMatch(find_game("draftosaurus"), 2, strikes=1, ask_forced=True)
    match.answer(1, "nonsense")
    parent = match.finish()
    assert match.faults == [("malformed", 1), ("strikes", 1)]
    point = branch_point(parent, 10)
    setup = point.setup([PLAYER] * 2)
    assert (setup.strikes, setup.ask_forced) == (1, True)
    assert branched(point).verdict.faults == ()


def test_a_branch_needs_a_step_at_which_something_follows_and_a_player_for_each_seat():
    parent = of(DRAFTOSAURUS[0])
    for step in (-1, 53):
        with pytest.raises(SettingError, match="this match has steps 0 to 52"):
            branch_point(parent, step)
    with pytest.raises(SettingError, match="the game is over there"):
        branch_point(parent, 52)
    point = branch_point(parent, 5)
    with pytest.raises(SettingError, match="3 players for a match with 2 seats"):
        point.setup([PLAYER] * 3)
    for cards in cast(list[Cards], [2, -1, "closed", True]):
        with pytest.raises(SettingError, match="cards: expected 'open', or a seat from 0 to 1"):
            point.setup([PLAYER] * 2, cards)


def test_only_a_true_record_has_branches():
    parent = of(DRAFTOSAURUS[0])
    forged = replace(parent, verdict=replace(parent.verdict, scores=(99, 0)))
    with pytest.raises(RecordError, match="the record does not follow the rules: step 52: the scores"):
        branch_point(forged, 5)


def test_a_void_match_can_be_played_on():
    match = ScriptedMatch(find_game("draftosaurus"), 2)
    match.answer(0)
    match.answer(1)
    match.referee.fail("the power went out")
    parent = match.referee.record()
    assert parent.verdict.void
    branch = branched(branch_point(parent, len(parent.steps)))
    assert (verify(branch), branch.verdict.void, check_parent(branch, parent)) == (None, None, None)


def test_the_bots_of_a_record_are_found_by_name_but_never_executed_by_it(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "bot.toml").write_text('name = "mine"\ncommand = ["true"]\n')
    (tmp_path / "bot.toml").write_text('name = ".."\ncommand = ["true"]\n')
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "bot.toml").write_text('name = "third"\ncommand = ["true"]\n')
    found = {name: entry_of(Player(name, "1", ""), tmp_path) for name in ("mine", "greedy#2", "random-3")}
    assert [entry.name for entry in found.values() if entry] == ["mine", "greedy", "random"]
    for name in ("true", "python3 x.py", "../mine", "mine/", "..", ".", "other", str(folder), "~"):
        assert entry_of(Player(name, "1", ""), folder if name in ("..", "../mine") else tmp_path) is None
    greedy = find("greedy")
    assert not has_changed(Player("greedy", "1", greedy.digest), greedy)
    assert has_changed(Player("greedy", "1", "0" * 32), greedy)
    assert not has_changed(Player("greedy", "1", "0" * 40), greedy), "a digest of another kind says nothing"


def test_a_folder_here_is_preferred_to_a_built_in_bot_unless_that_one_played(tmp_path):
    (tmp_path / "greedy").mkdir()
    (tmp_path / "greedy" / "bot.toml").write_text('name = "greedy"\ncommand = ["true"]\n')
    ours = find("greedy")
    assert entry_of(Player("greedy", "1", "0" * 32), tmp_path).command == ("true",)
    assert entry_of(Player("greedy", "1", ours.digest), tmp_path) == ours


def test_a_summary_counts_wins_alone_and_leaves_out_void_matches():
    def ended(scores: tuple[int, ...], ranks: tuple[int, ...], void: str | None = None) -> MatchRecord:
        parent = of(DRAFTOSAURUS[0])
        return replace(parent, verdict=replace(parent.verdict, scores=scores, ranks=ranks, void=void))

    runs = [ended((5, 3), (1, 2)), ended((4, 4), (1, 1)), ended((1, 9), (2, 1)), ended((0, 50), (2, 1), "void")]
    first, second = summary(runs)
    assert (first.wins, first.scores, first.margins) == (1, (5, 4, 1), (2, 0, -8))
    assert (second.wins, second.scores, second.margins) == (1, (3, 4, 9), (-2, 0, 8))


# Lies


@pytest.fixture(scope="module")
def parent() -> MatchRecord:
    return of(DRAFTOSAURUS[3])


@pytest.fixture(scope="module")
def drawn(parent) -> MatchRecord:
    return branched(branch_point(parent, 3), 2)


def citing(branch: MatchRecord, **changed: Any) -> MatchRecord:
    return replace(branch, header=replace(branch.header, parent=replace(branch.header.parent, **changed)))


def again(branch: MatchRecord, **changed: Any) -> MatchRecord:
    """A branch that is true in itself, with another beginning or another seed."""
    cited = replace(branch.header.parent, **changed.pop("parent", {}))
    header = replace(branch.header, parent=cited, **changed)
    match = ScriptedMatch(
        find_game(header.game), len(header.players), seed=header.seed, options=header.options, parent=cited,
        format=BRANCH_FORMAT,
    )  # fmt: skip
    record = finished(match, short)
    assert verify(record) is None
    return record


@pytest.mark.parametrize(
    ("lie", "words"),
    [
        ({"match": "m2"}, "the parent: the branch says 'm2', its parent 'm1'"),
        ({"step": 10}, "the digest of the state there: the branch says"),
        ({"step": 38}, "step 38 of the parent: the game is over there"),
        ({"step": 99}, "step 99 of the parent: this match has steps 0 to 38"),
        ({"state": "0" * 16}, "the digest of the state there: the branch says '0000000000000000', its parent"),
        ({"cards": OPEN}, "its position is not that of its parent, though its cards are open"),
        ({"cards": 0}, "its position does not fit what seat 0 could know"),
    ],
)
def test_a_lie_about_the_parent_is_found_with_the_parent_at_hand(parent, drawn, lie, words):
    assert check_parent(drawn, parent) is None, "the control"
    lying = citing(drawn, **lie)
    assert verify(lying) is None, "which only the parent shows"
    assert words in str(check_parent(lying, parent))


def test_cards_that_were_chosen_instead_of_drawn_are_found(parent, drawn):
    other = branched(branch_point(parent, 3), 2, seed=6)
    picked = again(drawn, parent={"position": other.header.parent.position})
    assert "fits what seat 2 could know, but it is not what its seed draws" in str(check_parent(picked, parent))


def test_the_parent_must_be_the_same_game_and_true(parent, drawn):
    assert "it is not a branch" in str(check_parent(parent, parent))
    forged = replace(parent, verdict=replace(parent.verdict, scores=(99, 0, 0)))
    assert "the parent is not true: " in str(check_parent(drawn, forged))
    assert "the number of players" in str(check_parent(drawn, of(DRAFTOSAURUS[6])))
    assert "the options" in str(check_parent(drawn, of(DRAFTOSAURUS[4])))
    assert "the game" in str(check_parent(drawn, of(DINODOCUS[7])))


@pytest.mark.parametrize(
    ("position", "words"),
    [
        ("", "the position of the header: head: a position begins with a season"),
        ("\x1b[2J", "a position begins with a season, one of summer, winter, summer_winter, not '\\x1b[2J'"),
        ("summer | - | -", "has other players than the header itself"),
        ("winter | - | - | -", "has other options than the header itself"),
        ("summer round=9 turn=1 phase=pick | - | - | -", "round=9: expected a number from 1 to"),
        ("summer | FS=TTTTTTTT | - | -", "seat 0: FS=TTTTTTTT"),
    ],
)
def test_a_position_that_is_not_one_is_refused_in_words(drawn, position, words):
    bad = citing(drawn, position=position)
    found = verify(bad)
    assert found is not None
    assert found.step == 0
    assert words in str(found)
    for play_again in (states, questions, moments, film_of):
        with pytest.raises(RecordError, match="the position of the header"):
            play_again(bad)


@settings(max_examples=sweep(60, 1000), deadline=None)
@given(st.data())
def test_any_text_as_a_position_is_true_or_refused(data):
    branch = branched_once(data.draw(st.sampled_from((0, 1))))
    words = branch.header.parent.position.split(" ")
    strange = st.text(max_size=12) | st.sampled_from(words) | st.sampled_from(("phase=over", "turn=50", "bag=T", "|"))
    for _ in range(data.draw(st.integers(1, 3))):
        words[data.draw(st.integers(0, len(words) - 1))] = data.draw(strange)
    changed = citing(branch, position=" ".join(words))
    found = verify(changed)
    assert found is not None or states(changed)[0] == states(branch)[0]


@cache
def branched_once(table: int) -> MatchRecord:
    return branched(branch_point(of((DRAFTOSAURUS[3], DINODOCUS[1])[table]), 20), 1)


# Files


def forged(record: MatchRecord, **fields: Any) -> bytes:
    """The file with other fields in its header, signed again; None removes a field."""
    import gzip

    first, *lines = gzip.decompress(to_bytes(record)).decode().splitlines()[:-1]
    header = {name: value for name, value in {**json.loads(first), **fields}.items() if value is not None}
    return pack(signed("".join(f"{line}\n" for line in (json.dumps(header), *lines)).encode()))


def cited_by(record: MatchRecord, **fields: Any) -> dict[str, Any]:
    parent: Parent = record.header.parent
    plain = {name: getattr(parent, name) for name in ("match", "step", "state", "cards", "position")}
    return {name: value for name, value in {**plain, **fields}.items() if value is not None}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"position": "x" * (MOST_POSITION + 1)}, "line 1: not a header: parent.position: String should have at most"),
        ({"match": "x" * 300}, "line 1: not a header: parent.match: String should have at most 256"),
        ({"step": -1}, "parent.step: Input should be greater than or equal to 0"),
        ({"step": 10**400}, "line 1: not a header: parent.step"),
        ({"step": "9"}, "parent.step: Input should be a valid integer"),
        ({"state": "G" * 16}, "parent.state: String should match pattern"),
        ({"cards": "closed"}, "parent.cards"),
        ({"cards": True}, "parent.cards"),
        ({"cards": -1}, "parent.cards"),
        ({"cards": 3}, "parent: cards from the view of seat 3, but there are 3 players"),
        ({"position": None}, "parent.position: Field required"),
        ({"position": ["x"] * 100_000}, "parent.position: Input should be a valid string"),
    ],
    ids=lambda one: str(one)[:40],
)
def test_a_header_with_a_bad_parent_is_refused_in_words(drawn, change, words):
    with pytest.raises(RecordError) as refused:
        from_bytes(forged(drawn, parent=cited_by(drawn, **change)))
    assert words in str(refused.value)
    assert len(str(refused.value)) < 500


def test_branches_have_a_format_of_their_own(parent, drawn):
    assert (parent.header.format, as_file(drawn).header.format) == (FORMAT, BRANCH_FORMAT)
    with pytest.raises(RecordError, match="line 1: format 2 with a parent, but 3 is the format of branches"):
        from_bytes(forged(drawn, format=2))
    with pytest.raises(RecordError, match="line 1: format 3 with no parent, but 3 is the format of branches"):
        from_bytes(forged(drawn, parent=None))
    with pytest.raises(RecordError, match="format 4 is newer than this arena, which reads up to 3"):
        from_bytes(forged(parent, format=4))
    header = replace(drawn.header, format=FORMAT)
    assert "format 2 with a parent" in str(verify(replace(drawn, header=header))), "also in memory"


def test_records_of_ordinary_matches_are_written_as_before(parent):
    import gzip

    header = json.loads(gzip.decompress(to_bytes(parent)).splitlines()[0])
    assert header["format"] == 2
    assert "parent" not in header


# Leagues


def test_no_league_counts_a_branch(drawn):
    from arena.league.run import row_of
    from arena.league.worker import match_message

    header = drawn.header
    fixture = {"match": header.match, "plan": 0, "block": 0, "rotation": 0, "seed": header.seed, "epoch": 0}
    fixture |= {"bots": tuple(player.name for player in header.players), "versions": ()}
    row = row_of(fixture, json.loads(json.dumps(match_message(fixture, drawn))))
    settings_of = {"bots": {player.name: (player.version, player.digest) for player in header.players}}
    assert evidence.check(row, drawn, settings_of) == (
        "the record is a branch, which continues another match, and no league counts it"
    )
    ordinary = replace(drawn, header=replace(header, parent=None, format=FORMAT))
    assert "which continues" not in str(evidence.check(row, ordinary, settings_of)), "the control"
