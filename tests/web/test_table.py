"""The tables at which people play: who sits where, what a seat's page holds, and what it must never show."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.match.record import Status
from arena.match.record_file import load
from arena.replay.moments import questions, states
from arena.replay.verify import verify
from arena.replay.whatif import branch_point, check_parent
from arena.running import run
from arena.web.play.hints import advise
from arena.web.play.plans import Declined, Reason
from arena.web.play.tables import AWAY_S, IDLE_S, MOST_TABLES, Chair, Table, TableStage
from arena.web.play.telling import SeatTelling
from engine.catalogue import game as find_game
from tests.web.table import OPEN, Evening, answer, bots, first, here, page, plan


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Evening]:
    made = Evening(tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize("game", ["draftosaurus", "dinodocus"])
def test_a_game_against_a_bot_is_recorded_like_any_other_match(evening: Evening, game: str):
    table, chairs = evening.open(game, *bots("random"), *here("Ann"))
    evening.play_out(table, chairs[1])
    shown = page(table, chairs[1])
    record = load(evening.folder / shown["record"])
    assert verify(record) is None
    assert [player.name for player in record.header.players] == ["random", "Ann"]
    assert record.verdict.faults == ()
    assert shown["stage"] == "over"
    assert shown["end"] == {
        "scores": list(record.verdict.scores),
        "ranks": list(record.verdict.ranks),
        "void": None,
        "faults": [],
    }


@pytest.mark.parametrize(("game", "options"), [("draftosaurus", {"season": "summer_winter"}), ("dinodocus", {})])
def test_a_page_is_made_from_the_messages_of_its_own_seat_and_from_nothing_else(
    evening: Evening, game: str, options: dict[str, str]
):
    table, chairs = evening.open(game, *here("Ann", "Bob"), *bots("random"), **options)
    pages: dict[int, list[bytes]] = {0: [], 1: []}

    def keep(shown: dict[str, Any]) -> str:
        pages[shown["seat"]].append(_without_version(table.page(chairs[shown["seat"]])))
        return first(shown)

    evening.play_out(table, *chairs.values(), choose=keep)
    starts, asked = questions(load(evening.folder / table.record))
    for seat in (0, 1):
        telling = SeatTelling(find_game(game), starts[seat])
        for shown, question in zip(
            pages[seat], [one.decide for one in asked if one.decision.seat == seat], strict=True
        ):
            telling.ask(question)
            head = {"seat": seat, "stage": "asked", **telling.about(), **telling.asked(())}
            tail = {"record": None, "trouble": "", "next": None}
            assert shown == json.dumps(head | tail, separators=(",", ":")).encode()


def test_while_others_decide_a_page_shows_what_its_seat_may_know_then(evening: Evening):
    table, chairs = evening.open("draftosaurus", *here("Ann", "Bob"))
    pages: list[bytes] = []
    table.listeners.append(lambda: pages.extend(table.page(chair) for chair in chairs.values()))
    evening.play_out(table, *chairs.values())
    game, passed = find_game("draftosaurus"), states(load(evening.folder / table.record))
    known = [[json.dumps(game.view(state, seat), sort_keys=True) for state in passed] for seat in (0, 1)]
    shown = [one for one in map(json.loads, pages) if one["stage"] in ("waiting", "over") and "view" in one]
    assert {one["seat"] for one in shown} == {0, 1}
    assert all(json.dumps(one["view"], sort_keys=True) in known[one["seat"]] for one in shown)


def _without_version(shown: bytes) -> bytes:
    return re.sub(rb'"version":\d+,', b"", shown)


def test_a_page_does_not_hold_the_hand_of_another_seat(evening: Evening):
    table, chairs = evening.open("draftosaurus", *here("Ann", "Bob"))
    evening.settle(*chairs.values())
    hands = [page(table, chairs[seat])["view"]["hands"] for seat in (0, 1)]
    assert hands[0][0]
    assert hands[1][1]
    assert hands[0][1] is None
    assert hands[1][0] is None
    assert hands[1][1].encode() not in table.page(chairs[0])
    assert " ".join(hands[1][1]).encode() not in table.page(chairs[0])


def _pages_of_bob(folder: Path, acts: Callable[[Table, dict[int, Chair]], object]) -> list[bytes]:
    """Every page that Bob's chair has from the first picks on to his next question, while these things happen."""
    evening = Evening(folder)
    table, chairs = evening.open("draftosaurus", *here("Ann", "Bob"))
    evening.settle(*chairs.values())
    pages = [table.page(chairs[1])]
    table.listeners.append(lambda: pages.append(table.page(chairs[1])))
    acts(table, chairs)
    evening.until(lambda: chairs[1].is_asked and b'"phase":"place"' in table.page(chairs[1]))
    evening.close()
    return [one for at, one in enumerate(pages) if at == 0 or one != pages[at - 1]]


def test_nobody_learns_that_another_has_already_answered(tmp_path: Path):
    ann_first = _pages_of_bob(tmp_path, lambda table, chairs: [answer(table, chairs[seat]) for seat in (0, 1)])
    bob_first = _pages_of_bob(tmp_path, lambda table, chairs: [answer(table, chairs[seat]) for seat in (1, 0)])
    assert [json.loads(one)["stage"] for one in ann_first] == ["asked", "sent", "waiting", "asked"]
    assert ann_first == bob_first


def test_nobody_learns_that_another_has_left_before_all_have_answered(tmp_path: Path):
    def leave_and_answer(table: Table, chairs: dict[int, Chair]) -> None:
        table.leave(chairs[0])
        answer(table, chairs[1])

    stays = _pages_of_bob(tmp_path, lambda table, chairs: [answer(table, chairs[seat]) for seat in (0, 1)])
    leaves = _pages_of_bob(tmp_path, leave_and_answer)
    assert leaves[:2] == stays[:2]
    assert [json.loads(one)["out"] for one in leaves] == [[], [], [0], [0]]


def test_who_leaves_is_replaced_by_the_arena_and_the_record_says_so(evening: Evening):
    table, chairs = evening.open("draftosaurus", *here("Ann", "Bob"))
    evening.settle(*chairs.values())
    table.leave(chairs[0])
    evening.play_out(table, chairs[1])
    record = load(evening.folder / table.record)
    assert verify(record) is None
    assert [fault.seat for fault in record.verdict.faults] == [0]
    statuses = {decision.status for _, _, decision in record.decisions() if decision.seat == 0}
    assert Status.ABSENT in statuses
    (fault,) = page(table, chairs[1])["end"]["faults"]
    assert "exited" in record.verdict.faults[0].text
    assert "exited" not in fault["text"]  # only a seat's own faults have details
    assert page(table, chairs[0])["record"] == table.record


def test_a_refused_action_is_explained_and_the_question_stays_open(evening: Evening):
    table, chairs = evening.open("draftosaurus", *here("Ann"), *bots("random"), first_roller="1")
    evening.settle(chairs[0])
    answer(table, chairs[0])
    evening.settle(chairs[0])
    shown = page(table, chairs[0])
    attempt = shown["question"]["attempts"][0]
    with pytest.raises(Declined, match=r"\((D|X)-\d+\)") as declined:
        table.answer(chairs[0], shown["question"]["id"], attempt, 0.0)
    assert declined.value.reason is Reason.REFUSED
    assert page(table, chairs[0]) == shown
    evening.play_out(table, chairs[0])
    assert load(evening.folder / table.record).verdict.faults == ()


def test_an_answer_counts_once_and_only_for_the_open_question(evening: Evening):
    table, chairs = evening.open("draftosaurus", *here("Ann", "Bob"))
    evening.settle(*chairs.values())
    number, action = page(table, chairs[0])["question"]["id"], first(page(table, chairs[0]))
    for wrong in (number + 1, str(number), None):
        with pytest.raises(Declined, match="not open any more"):
            table.answer(chairs[0], wrong, action, 0.0)
    table.answer(chairs[0], number, action, 0.0)
    with pytest.raises(Declined, match="not open any more"):
        table.answer(chairs[0], number, action, 0.0)


def test_a_match_begins_when_the_last_person_has_joined(evening: Evening):
    table, chairs = evening.open("draftosaurus", *here("Ann"), OPEN, *bots("random"))
    assert page(table, chairs[0])["stage"] == "lobby"
    assert [place["taken"] for place in table.lobby()["places"]] == [True, False, True]
    with pytest.raises(Declined, match="taken"):
        table.sit(0, "Eve", 0.0)
    bob = table.chair_of(table.sit(1, " Bob ", 0.0))
    table.begin_if_full()
    evening.settle(bob, chairs[0])
    assert page(table, bob)["names"] == ["Ann", "Bob", "random"]
    with pytest.raises(Declined, match="begun"):
        table.sit(1, "Eve", 0.0)


def test_a_chair_belongs_to_who_holds_its_token(evening: Evening):
    table, _ = evening.open("draftosaurus", *here("Ann"), OPEN)
    token = table.sit(1, "Bob", 0.0)
    assert table.chair_of(token).name == "Bob"
    for wrong in ("", token[:-1], token + "x", "\udc80"):
        with pytest.raises(Declined, match="not your seat"):
            table.chair_of(wrong)
    assert token not in repr(table)


def test_a_chair_that_is_not_visited_for_long_leaves_and_the_others_play_on(evening: Evening):
    table, chairs = evening.open("draftosaurus", *here("Ann", "Bob"))
    evening.settle(*chairs.values())
    table.arrive(chairs[1])
    evening.room.tidy(AWAY_S)
    assert not chairs[0].has_left
    evening.room.tidy(AWAY_S + 1)
    assert (chairs[0].has_left, chairs[1].has_left) == (True, False)
    evening.play_out(table, chairs[1])
    table.depart(chairs[1], 2000.0)
    evening.room.tidy(2000.0 + AWAY_S)
    assert table.id in evening.room.tables
    evening.room.tidy(2001.0 + AWAY_S)
    assert table.id not in evening.room.tables


def test_a_table_at_which_nothing_is_done_ends_even_if_somebody_looks_at_it(evening: Evening):
    table, chairs = evening.open("draftosaurus", *here("Ann"), *bots("random"))
    table.arrive(chairs[0])
    evening.room.tidy(IDLE_S)
    assert not chairs[0].has_left
    evening.room.tidy(IDLE_S + 1)
    evening.until(lambda: table.stage is TableStage.OVER)
    assert [fault.seat for fault in load(evening.folder / table.record).verdict.faults] == [0]


def test_there_is_room_for_a_limited_number_of_tables(evening: Evening):
    tables = [evening.open("draftosaurus", *here("Ann"), OPEN)[0] for _ in range(MOST_TABLES)]
    with pytest.raises(Declined, match="in use") as declined:
        evening.open("draftosaurus", *here("Ann"), OPEN)
    assert declined.value.reason is Reason.FULL
    tables[0].stage = TableStage.OVER
    evening.open("draftosaurus", *here("Ann"), OPEN)
    assert tables[0].id not in evening.room.tables


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ([], "needs a game"),
        ({"game": "draftosaurus"}, "needs a game"),
        (plan("chess", *here("Ann", "Bob")), "no game chess"),
        (plan("draftosaurus", *here("Ann")), "1 seat is not possible"),
        (plan("draftosaurus", *here(*"ABCDEF")), "at most 5"),
        (plan("draftosaurus", *bots("greedy", "random")), "At least one person"),
        (plan("draftosaurus", *here("Ann"), *bots("./my-bot")), "no bot ./my-bot"),
        (plan("draftosaurus", *here("Ann"), *bots("python3 -c 1")), "no bot python3"),
        (plan("draftosaurus", *here("Ann"), {"kind": "spy"}), "A place is"),
        (plan("draftosaurus", *here("Ann"), "greedy"), "A place is"),
        (plan("draftosaurus", *here("Ann\n"), *here("\u202eBob")), "visible characters"),
        (plan("draftosaurus", *here("", "Bob")), "visible characters"),
        (plan("draftosaurus", *here("Ann", "Bob"), season="spring"), "does not take"),
        (plan("draftosaurus", *here("Ann", "Bob"), moon="full"), "does not take"),
        (plan("dinodocus", *here("Ann", "Bob"), deck='{"cards": []}'), "does not take"),
        (plan("dinodocus", *here("Ann", "Bob"), deck="/etc/passwd"), "does not take"),
    ],
)
def test_a_plan_that_is_not_offered_is_declined(evening: Evening, asked: Any, reason: str):
    with pytest.raises(Declined, match=re.escape(reason)):
        evening.room.open(evening.room.offer.read(asked), 0.0)
    assert not evening.room.tables


def test_a_hint_is_the_answer_of_a_bot_that_was_sent_what_the_seat_was_sent(evening: Evening):
    table, chairs = evening.open("draftosaurus", *here("Ann"), *bots("greedy"))
    for _ in range(3):
        evening.settle(chairs[0])
        answer(table, chairs[0])
    evening.settle(chairs[0])
    telling = table.material(chairs[0], page(table, chairs[0])["question"]["id"])
    entry = evening.room.adviser("greedy", "draftosaurus")
    advice = run(lambda: advise(entry, telling.start, telling.questions, "none"))
    assert advice.action in telling.questions[-1].legal
    assert telling.meaning(advice.action)


def test_bots_at_a_table_are_in_the_sandbox_of_this_machine(tmp_path: Path):
    from arena.match.tiers import choose

    launcher = choose("auto")
    launcher.close()
    evening = Evening(tmp_path, sandbox="auto")
    table, chairs = evening.open("draftosaurus", *here("Ann"), *bots("random"))
    evening.settle(chairs[0])
    table.leave(chairs[0])
    evening.until(lambda: table.stage is TableStage.OVER)
    players = load(tmp_path / table.record).header.players
    assert [player.sandbox for player in players] == ["none", launcher.tier.value]


def test_a_match_that_is_stopped_leaves_no_process_and_no_record(evening: Evening):
    table, chairs = evening.open("draftosaurus", *here("Ann"), *bots("random"))
    evening.settle(chairs[0])
    table.close()
    evening.until(lambda: table.stage is TableStage.BROKEN)
    assert "stopped" in page(table, chairs[0])["trouble"]
    assert list(evening.folder.iterdir()) == []


def test_a_match_that_breaks_down_says_so_without_saying_what_it_knew(evening: Evening):
    table, chairs = evening.open("draftosaurus", *here("Ann"), OPEN)
    table.failed(ValueError("the hidden hand is TTT"))
    assert page(table, chairs[0])["stage"] == "broken"
    assert "TTT" not in table.page(chairs[0]).decode()


@pytest.mark.parametrize("game", ["draftosaurus", "dinodocus"])
def test_a_seat_can_be_taken_from_the_middle_of_a_record_and_the_branch_verifies(evening: Evening, game: str):
    first_table, chairs = evening.open(game, *here("Ann"), *bots("random"))
    evening.play_out(first_table, chairs[0])
    parent = load(evening.folder / first_table.record)
    point = branch_point(parent, len(parent.steps) // 2)
    asked = {"cards": "drawn", "places": [*here("Bea"), *bots("greedy")]}
    table, tokens = evening.room.open(evening.room.offer.branch(point, asked), 0.0)
    evening.play_out(table, table.chair_of(tokens[0]))
    branch = load(evening.folder / table.record)
    assert (branch.header.parent.step, branch.header.parent.cards) == (point.step, 0)
    assert (verify(branch), check_parent(branch, parent)) == (None, None)
    with pytest.raises(Declined, match="To play on"):
        evening.room.offer.branch(point, {"cards": 1, "places": here("Bea", "Bob")})
