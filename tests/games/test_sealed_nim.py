"""A game that is not part of this repository's packages: Sealed Nim comes through its entry points alone, and all works.

The package in sealed_nim/ is installed for these tests as pip would do it, into a folder that the commands find through
PYTHONPATH. Nothing here imports it by name.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.check.questions import ExamTable, rare, scripted
from arena.match.record import MatchRecord, Status
from arena.match.record_file import load
from arena.match.scripted import ScriptedMatch
from arena.replay.moments import questions
from arena.replay.verify import verify
from arena.replay.whatif import branch_points, check_parent
from engine import catalogue
from engine.conformance import Witness, check_game, check_playout
from engine.contract import CHANCE, Dice, Game, Seat
from engine.dice import Seed
from engine.errors import IllegalAction, MalformedAction, NotationError
from tests.cli.command import Command, Ended, arena, here
from tests.machine import at_best
from tests.replay.test_whatif import branched
from tests.sizes import sweep
from tests.strategies import ChosenDice, chosen_moves, setups

PROJECT = Path(__file__).with_name("sealed_nim")
RULES = PROJECT / "sealed_nim" / "RULES.md"
BOT = f"{sys.executable} -I -S {Path(__file__).with_name('any_game_bot.py')} sealed_nim"
OPEN = "bid heap=6 | hand=1245 lost=3 | hand=2345 lost=1"
"""The first round, and nobody has bid yet."""
SEEDS = [Seed(number) for number in range(100)]


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Iterator[Path]:
    """The folder of installed packages: the game's modules, and the entry points that its pyproject.toml names."""
    folder = install(tmp_path_factory.mktemp("site-packages"), "arena.games", "arena.words")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield folder
    for module in ("sealed_nim", "sealed_nim.words"):
        sys.modules.pop(module, None)


def install(folder: Path, *groups: str) -> Path:
    """The folder, with the package in it and its entry points of these groups."""
    shutil.copytree(PROJECT / "sealed_nim", folder / "sealed_nim", ignore=shutil.ignore_patterns("__pycache__"))
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    info = folder / f"sealed_nim-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    for group in groups:
        with (info / "entry_points.txt").open("a") as points:
            points.write(f"[{group}]\n")
            points.writelines(f"{name} = {value}\n" for name, value in project["entry-points"][group].items())
    return folder


@pytest.fixture(scope="module")
def game(installed) -> Game[Any]:
    """The game from that folder, and from nowhere else."""
    found = catalogue.game("sealed_nim")
    assert Path(sys.modules[type(found).__module__].__file__).is_relative_to(installed)
    return found


@pytest.fixture(scope="module")
def command(installed, processes) -> Command:  # noqa: ARG001
    """The command line where the package is installed."""
    return partial(arena, PYTHONPATH=str(installed))


@pytest.fixture
def quickly(game, monkeypatch, capsys) -> Command:
    """The command line in this process, for what needs no second proof that a new process finds the game."""
    assert game.name in catalogue.names()
    return partial(here, monkeypatch, capsys)


# Through the entry point, and only there


def test_the_catalogue_finds_it(game):
    assert game.name == "sealed_nim"
    assert "sealed_nim" in catalogue.names()
    assert "sealed_nim" not in catalogue.SHIPPED


@pytest.mark.usefixtures("processes")
def test_where_it_is_not_installed_it_is_unknown():
    ended = arena("rules", "sealed_nim")
    assert ended.code == 4
    assert ended.err.startswith("arena: unknown game 'sealed_nim'. Games: ")


def test_it_needs_nothing_but_the_engine_and_the_standard_library():
    nodes = [node for path in PROJECT.rglob("*.py") for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    imported = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    assert {name.partition(".")[0] for name in imported} - sys.stdlib_module_names == {"engine"}


# Conformance


def twin(state: Any, seat: Seat | None, dice: Dice) -> Any:
    """The same state, but the others have lost another card, or so it may be."""
    players = [
        player if other == seat else redrawn(player, dice, f"twin.{other}")
        for other, player in enumerate(state.players)
    ]
    return replace(state, players=tuple(players))


def redrawn(player: Any, dice: Dice, name: str) -> Any:
    cards = sorted(player.hand + player.lost)
    lost = dice.draw(name, cards, len(player.lost))
    return replace(player, hand="".join(card for card in cards if card not in lost), lost="".join(lost))


def rotate(state: Any) -> Any:
    return replace(state, players=state.players[-1:] + state.players[:-1])


def pieces(state: Any) -> list[str]:
    """The five cards of each player, wherever they are."""
    return ["".join(sorted(player.hand + player.lost + player.played)) for player in state.players]


WITNESS: Witness[Any] = Witness(pieces, twin, rotate)


def test_every_player_count_and_option_value_conforms(game):
    assert check_game(game, WITNESS) == 3 * (1 + 1 + 2)  # player counts; the defaults, other values of bust and of last


@settings(max_examples=sweep(12, 250), suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_options_dice_and_moves_conform(game, data):
    seats, options = data.draw(setups(game))
    check_playout(game, game.start(seats, options), ChosenDice(data), chosen_moves(data), WITNESS)


# Rules


@pytest.mark.rule("S-01")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_all_have_five_cards_and_the_heap_is_empty(game, seats):
    assert game.format(game.start(seats, {})) == "deal heap=0" + " | hand=12345" * seats


@pytest.mark.rule("S-02")
def test_the_deal_takes_a_card_that_only_its_owner_knows(game):
    before = game.start(2, {})
    after = game.apply(before, {CHANCE: "deal:3,1"})
    assert [player["hand"] for player in game.view(after, 0)["players"]] == ["1245", "????"]
    assert [player["lost"] for player in game.view(after, 0)["players"]] == ["3", "?"]
    assert [player["lost"] for player in game.view(after, None)["players"]] == ["?", "?"]
    assert game.events(before, after, 1) == [{"event": "deal", "lost": "1"}]


@pytest.mark.rule("S-03")
def test_the_heap_grows_by_the_die_and_one_for_each_player(game):
    state = game.parse(
        "roll heap=2 | hand=245 lost=3 played=1 tokens=1 | hand=345 lost=1 played=2 tokens=2 | hand=135 lost=2 played=4"
    )
    after = game.apply(state, {CHANCE: "roll:6"})
    assert (after.heap, after.phase) == (2 + 6 + 3, "bid")
    assert game.events(state, after, 0) == [{"event": "roll", "die": 6, "heap": 11}]


@pytest.mark.rule("S-02")
@pytest.mark.parametrize("deal", ["deal:3", "deal:3,1,2", "deal:3,6", "deal:31", "3,1"])
def test_a_deal_takes_one_card_from_each_player(game, deal):
    with pytest.raises(MalformedAction, match=r"^chance: .* expected deal: and a card for each seat, deal:3,1"):
        game.apply(game.start(2, {}), {CHANCE: deal})


@pytest.mark.rule("S-02")
def test_every_card_can_be_lost(game):
    start = game.start(2, {})
    assert {game.deal(start, seed) for seed in SEEDS} > {f"deal:{card},{card}" for card in "12345"}


@pytest.mark.rule("S-03")
def test_every_round_has_a_roll_of_its_own(game):
    first = game.apply(game.start(2, {}), {CHANCE: "deal:1,1"})
    second = game.apply(game.apply(first, {CHANCE: "roll:1"}), {0: "bid:2", 1: "bid:2"})
    assert {game.deal(first, seed) for seed in SEEDS} == {f"roll:{number}" for number in range(1, 7)}
    assert [game.deal(first, seed) for seed in SEEDS] != [game.deal(second, seed) for seed in SEEDS]


def test_a_guess_can_be_any_card_that_was_not_bid(game):
    state = game.parse(
        "roll heap=0 | hand=245 lost=3 played=1 tokens=1 emptied=1 | hand=345 lost=1 played=2 tokens=2 emptied=1"
    )
    view = game.view(state, 0)
    assert {game.determinize(view, seed).players[1].lost for seed in SEEDS} == set("1345")


@pytest.mark.rule("S-04")
def test_only_a_card_in_hand_can_be_bid(game):
    state = game.parse(OPEN)
    with pytest.raises(IllegalAction) as refusal:
        game.apply(state, {0: "bid:3", 1: "bid:3"})
    assert str(refusal.value) == (
        "seat 0: bid:3 is not legal, the hand holds 1245 (S-04). Legal: bid:1 bid:2 bid:4 bid:5."
    )
    for nonsense in ("bid:6", "bid:", "bid:12", "3", "roll:3", "bid:3\n"):
        with pytest.raises(MalformedAction, match=r"^seat 1: .* expected bid: and the number of a card in hand"):
            game.apply(state, {0: "bid:1", 1: nonsense})


@pytest.mark.rule("S-04")
def test_bids_are_seen_by_all_when_all_are_made(game):
    state = game.parse(OPEN)
    after = game.apply(state, {0: "bid:4", 1: "bid:2"})
    bids = [{"event": "bid", "seat": 0, "card": "4", "taken": 4}, {"event": "bid", "seat": 1, "card": "2", "taken": 2}]
    assert game.witnessed(state, after, [0, 1, None]) == [bids] * 3
    assert [player["played"] for player in game.view(after, None)["players"]] == ["4", "2"]


@pytest.mark.rule("S-05", "S-06", "S-07", "S-09", "S-10")
@pytest.mark.parametrize(
    ("head", "bids", "tokens", "points"),
    [
        pytest.param("heap=8", "23", [2, 3], [2, 3], id="all bids stand"),
        pytest.param("heap=6", "54", [0, 4], [0, 4], id="the highest falls"),
        pytest.param("heap=7", "44", [0, 0], [0, 0], id="equal bids fall together"),
        pytest.param("heap=6", "5442", [0, 0, 0, 2], [0, 0, 0, 2], id="bids fall until it is enough"),
        pytest.param("heap=6", "42", [4, 2], [6, 4], id="both empty the heap"),
        pytest.param("heap=4", "54", [0, 4], [0, 6], id="one empties the heap"),
        pytest.param("heap=6 bust=all", "54", [0, 0], [0, 0], id="all bids fall"),
        pytest.param("heap=6 bust=all", "42", [4, 2], [6, 4], id="no bid falls"),
        pytest.param("heap=6 last=0", "42", [4, 2], [4, 2], id="the last token is worth nothing"),
        pytest.param("heap=6 last=-2", "42", [4, 2], [2, 0], id="the last token costs points"),
    ],
)
def test_who_takes_how_much(game, head, bids, tokens, points):
    state = game.parse(f"bid {head}" + " | hand=2345 lost=1" * len(bids))
    after = game.apply(state, {seat: f"bid:{card}" for seat, card in enumerate(bids)})
    assert [player.tokens for player in after.players] == tokens
    assert after.heap == state.heap - sum(tokens)
    assert [player.played for player in after.players] == list(bids)
    assert list(game.tally(after).scores) == points


@pytest.mark.rule("S-08")
def test_after_four_rounds_the_most_points_win(game):
    state = game.parse(
        "bid heap=9 | hand=5 lost=1 played=234 tokens=5"
        " | hand=2 lost=1 played=345 tokens=4 emptied=2 | hand=1 lost=5 played=234 tokens=2"
    )
    assert game.outcome(state) is None
    after = game.apply(state, {seat: game.fallback(state, seat) for seat in range(3)})
    outcome = game.outcome(after)
    assert game.to_act(after) == ()
    assert (outcome.scores, outcome.ranks) == ((10, 10, 3), (1, 1, 3))
    assert [dict(part) for part in outcome.breakdown][1] == {"tokens": 6, "last": 4}


@pytest.mark.rule("S-11")
@pytest.mark.parametrize(
    ("answers", "heap"),
    [({0: "yes", 2: "yes"}, 10), ({0: "yes", 2: "no"}, 19), ({0: "no", 2: "no"}, 19)],
    ids=["all agree", "one does not", "none does"],
)
def test_a_full_heap_is_halved_if_all_with_the_fewest_tokens_want_it(game, answers, heap):
    state = game.parse(
        "roll heap=14 | hand=24 lost=3 played=15 | hand=35 lost=1 played=24 tokens=2 | hand=13 lost=2 played=45"
    )
    assert game.apply(state, {CHANCE: "roll:1"}).phase == "halve", "14 + 1 + 3 are just enough"
    full = game.apply(state, {CHANCE: "roll:2"})
    assert game.to_act(full) == (0, 2)
    assert game.legal(full, 0) == ("halve:no", "halve:yes")
    assert game.legal(full, 1) == ()
    after = game.apply(full, {seat: f"halve:{answer}" for seat, answer in answers.items()})
    assert (after.phase, after.heap) == ("bid", heap)
    assert game.events(full, after, 1) == [{"event": "halve", "halved": heap < 19, "heap": heap}]


@pytest.mark.rule("S-11")
def test_below_18_tokens_nobody_is_asked_to_halve(game):
    state = game.parse("roll heap=10 | hand=24 lost=3 played=15 | hand=35 lost=1 played=24")
    assert game.apply(state, {CHANCE: "roll:5"}).phase == "bid"
    assert game.apply(state, {CHANCE: "roll:6"}).phase == "halve"
    with pytest.raises(MalformedAction, match=r"expected halve:yes or halve:no"):
        game.apply(game.apply(state, {CHANCE: "roll:6"}), {0: "bid:2", 1: "halve:no"})


# Position texts


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ("bid", "bet", "head: a position begins with a phase, one of deal, roll, halve, bid, over, not 'bet'."),
        ("bid", "over", "head: phase over after 0 of 4 rounds (S-08)."),
        ("heap=6", "heap=x", "head: heap=x: expected a number from 0 to 40."),
        ("heap=6", "heap=9", "head: there are more tokens than the rolls so far can bring (S-03)."),
        ("heap=6", "heap=6 last=7", "head: sealed_nim: option last does not take '7'. Allowed: 2, 0, -2."),
        ("heap=6", "heap=6 die=3", "head: die=3 has no place here, expected heap, bust, last."),
        (" | hand=2345 lost=1", "", "head: sealed_nim: 1 seat is not possible, it takes 2 to 4."),
        ("bid", "halve", "head: phase halve with 6 tokens in the heap, expected 18 or more (S-11)."),
        ("hand=1245", "hand=1255", "seat 0: hand, lost and played are not together 12345 (S-01)."),
        ("hand=1245 lost=3", "hand=12345", "seat 0: expected one card lost (S-02)."),
        ("bid heap=6", "deal", "seat 0: expected no card lost (S-02)."),
        ("hand=2345", "hand=234 played=5", "seat 1: played=5: expected 0 cards, as many as of seat 0 (S-04)."),
        ("lost=3", "lost=3 emptied=1", "seat 0: emptied=1: expected a number from 0 to 0."),
        (
            "lost=3",
            "lost=3 cards=5",
            "seat 0: cards=5 has no place here, expected hand, lost, played, tokens, emptied.",
        ),
    ],
)
def test_what_no_match_leads_to_is_refused_in_words(game, right, wrong, complaint):
    assert OPEN.count(right) == 1
    with pytest.raises(NotationError) as refusal:
        game.parse(OPEN.replace(right, wrong))
    assert str(refusal.value) == complaint


def test_a_hand_may_be_written_in_any_order(game):
    assert game.parse(OPEN.replace("hand=1245", "hand=5142")) == game.parse(OPEN)


def test_the_position_of_the_rules_is_one(game):
    (text,) = re.findall(r"^    (bid .*)$", RULES.read_text("utf-8"), re.MULTILINE)
    assert game.format(game.parse(text)) == text


# Commands


def test_it_is_listed(command):
    listed = next(row for row in json.loads(command("games", "--json").out) if row["name"] == "sealed_nim")
    assert (listed["edition"], listed["seats"]) == (1, [2, 3, 4])
    assert listed["about"].startswith("Take tokens from one heap with sealed bids")


def test_its_rules_are_printed_with_options_actions_and_an_example(command):
    printed = command("rules", "sealed_nim", "--full", "--options", "--actions", "--view").out
    assert printed.startswith(RULES.read_text("utf-8"))
    rest = printed.removeprefix(RULES.read_text("utf-8"))
    assert re.search(r"^last .*2 0 -2 +points for those who empty the heap +S-10$", rest, re.MULTILINE)
    assert re.search(r"^bid +bid: and the number of a card in hand, bid:3$", rest, re.MULTILINE)
    view = json.loads(rest[rest.index("\n{") :])
    assert view["phase"] == "bid"
    assert set(view["players"][1]["hand"]) == {"?"}


def test_a_position_is_played_on_and_drawn(command):
    ended = command("position", "sealed_nim", OPEN, "--play", "bid:4,bid:2", "--seat", "1")
    assert ended.code == 0
    assert ended.out.startswith(
        "roll heap=0 | hand=125 lost=3 played=4 tokens=4 emptied=1 | hand=345 lost=1 played=2 tokens=2 emptied=1\n"
        "\n"
        "roll, round 2 of 4, 0 tokens in the heap\n"
        "\n"
        "seat 0  6 points, rank 1\n"
        "  hand ???    lost ?  played 4     tokens 4\n"
        "\n"
        "seat 1  4 points, rank 2\n"
        "  hand 345    lost 1  played 2     tokens 2\n"
        "\n"
        "chance may play: roll:1 roll:2 roll:3 roll:4 roll:5 roll:6\n"
    )


def test_the_points_of_a_position_are_counted(quickly):
    told = json.loads(quickly("position", "sealed_nim", OPEN, "--play", "bid:4,bid:2", "--json").out)
    assert (told["scores"], told["ranks"]) == ([6, 4], [1, 2])
    assert told["breakdown"] == [{"tokens": 4, "last": 2}, {"tokens": 2, "last": 2}]


def test_a_position_that_cannot_be_is_refused_in_words(quickly):
    ended = quickly("position", "sealed_nim", OPEN.replace("1245", "1255"))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "arena: seat 0: hand, lost and played are not together 12345 (S-01).\n"


def test_where_no_bot_of_ours_knows_it_the_way_out_is_named(quickly):
    ended = quickly("demo", "--game", "sealed_nim")
    assert ended.code == 2
    assert "no built-in bot plays sealed_nim. Bring your own" in ended.err
    ended = quickly("trace", BOT, "--game", "sealed_nim")
    assert ended.code == 2
    assert "--opponent random: it does not play sealed_nim" in ended.err


# Matches without processes


def test_a_bid_is_seen_by_nobody_before_the_last_is_made(game):
    match = ScriptedMatch(game, 3)
    match.answer(0)
    match.answer(2)
    assert [len(sent) for sent in match.sent] == [2, 2, 2], "start and the first question"
    match.answer(1)
    assert [event["event"] for event in match.last(0).events] == ["bid", "bid", "bid", "roll"]


def test_the_lowest_card_is_bid_for_a_seat_that_is_late(game):
    match = ScriptedMatch(game, 2)
    lowest = match.last(1).legal[0]
    match.answer(0, used=0.2)
    match.time_is_up(0.6)
    assert match.faults == [("late", 1)]
    assert match.last(1).last["played"] == lowest
    assert verify(match.finish()) is None


def test_a_card_that_was_lost_is_no_answer(game):
    match = ScriptedMatch(game, 2)
    (lost,) = {f"bid:{card}" for card in "12345"} - set(match.last(0).legal)
    match.answer(0, lost)
    match.answer(1, "banana")
    assert match.faults == [("illegal", 0), ("malformed", 1)]
    assert f"{lost} is not legal, the hand holds" in match.last(0).last["reason"]


def test_when_the_heap_is_full_only_the_poorest_are_asked(game):
    match = ScriptedMatch(game, 4, seed=8)
    while match.last(1).phase == "bid":
        for seat in range(4):
            match.answer(seat, match.last(seat).legal[0 if seat == 0 else -1])
    assert match.last(1).phase == "halve"
    assert [match.is_asked(seat) for seat in range(4)] == [False, True, True, True]


# Matches between processes


@pytest.fixture(scope="module")
def played(command, tmp_path_factory) -> tuple[Ended, Path]:
    """A match of three bots, and its record."""
    sandbox = ("--sandbox", at_best())
    path = tmp_path_factory.mktemp("records") / "a.match.jsonl.gz"
    return command(
        "play", BOT, BOT, BOT, "--game", "sealed_nim", "--option", "last=-2", "--seed", 5, "-o", path, *sandbox
    ), path


@pytest.fixture(scope="module")
def record(played) -> MatchRecord:
    return load(played[1])


def test_a_match_is_played_and_shown(played, record):
    ended, path = played
    assert ended.code == 0, ended
    assert "over, round 4 of 4" in ended.out
    assert f"recorded in {path}" in ended.err
    assert (record.header.game, record.header.edition, record.header.options) == ("sealed_nim", 1, {"last": -2})
    assert record.verdict.faults == ()
    statuses = [[decision.status for decision in step.decisions] for step in record.steps if step.chance is None]
    assert statuses == [[Status.ACCEPTED] * 3] * 3 + [[Status.FORCED] * 3], "the last card is nobody's choice"


@pytest.mark.usefixtures("installed")
def test_no_bot_is_told_what_others_hold(record):
    _, asked = questions(record)
    assert len(asked) == 9
    for question in asked:
        for seat, player in enumerate(question.decide.view["players"]):
            is_own = seat == question.decision.seat
            assert ("?" in player["hand"], player["lost"] == "?") == (not is_own, not is_own)


@pytest.mark.usefixtures("installed")
def test_it_can_be_played_on_from_any_step(record):
    for point in branch_points(record)[:: sweep(3, 1)]:
        for cards in ("open", 0, 1, 2):
            branch = branched(point, cards)
            assert verify(branch) is None
            assert check_parent(branch, record) is None


def test_its_record_is_verified(command, played, record):
    _, path = played
    ended = command("verify", path)
    assert (ended.code, ended.out) == (0, f"{path}: ok, {len(record.steps)} steps\n")


@pytest.mark.usefixtures("installed")
def test_a_record_with_another_deal_is_not_true(record):
    deal, *others = record.steps
    complaint = verify(replace(record, steps=[replace(deal, chance="deal:1,1,1"), *others]))
    assert str(complaint) == f"step 1: chance: the record says deal:1,1,1, the rules say {deal.chance}"


def test_its_record_is_replayed_with_hidden_cards_hidden(command, played, record):
    _, path = played
    lines = command("replay", path).out.splitlines()
    assert sum(line.startswith("── step ") for line in lines) == len(record.steps) + 1
    assert "chance  deal" in lines
    assert not [line for line in lines if re.match(r"  hand \d", line)]


def test_a_replay_can_show_what_all_hold(quickly, played, record):
    _, path = played
    moment = json.loads(quickly("replay", path, "--step", "1", "--seat", "all", "--json").out)
    lost = [player["lost"] for player in moment["view"]["players"]]
    assert f"deal:{','.join(lost)}" == record.steps[0].chance


def test_its_decisions_are_put_before_a_bot_again(command, played):
    _, path = played
    told = json.loads(command("ask", path, "--all", "--bot", BOT, "--json", "--sandbox", at_best()).out)
    assert (told["answered"], told["agree"], told["failure"]) == (9, 9, None)


def test_one_decision_is_shown_with_the_answer_of_a_bot(quickly, played):
    _, path = played
    shown = quickly("ask", path, "--decision", "5", "--bot", BOT, "--sandbox", at_best())
    assert shown.code == 0
    assert "seat 1 (any game#2), bid" in shown.out
    assert "They agree." in shown.out


@pytest.mark.usefixtures("installed")
def test_a_bot_that_crashes_while_all_bid_is_the_only_one_to_blame(command, tmp_path):
    path = tmp_path / "b.match.jsonl.gz"
    ended = command(
        "play", BOT, f"{BOT} 2", BOT, "--game", "sealed_nim", "--seed", 5, "-o", path, "--sandbox", at_best()
    )
    assert ended.code == 3, ended
    assert "any game#2 (seat 1), decision 5: disqualified, crash: it exited with status 1" in ended.out
    record = load(path)
    assert verify(record) is None
    assert [(fault.kind, fault.seat, fault.decision) for fault in record.verdict.faults] == [("crash", 1, 5)]
    assert record.verdict.ranks[1] == 3
    assert record.verdict.accounts[1].stderr == "I give up\n"
    for seat in (0, 2):
        statuses = [decision.status for _, _, decision in record.decisions() if decision.seat == seat]
        assert statuses == [Status.ACCEPTED] * 3 + [Status.FORCED]
    first, *rest = [decision for _, _, decision in record.decisions() if decision.seat == 1]
    assert first.status is Status.ACCEPTED
    assert {decision.status for decision in rest} == {Status.ABSENT}
    bids = [decision.action for decision in rest]
    assert bids == sorted(bids), "the lowest card is bid for it"


def test_people_read_what_the_actions_led_to_in_a_replay(quickly, played):
    _, path = played
    shown = quickly("replay", path, "--step", "3")
    assert re.search(r"any game#2 bid \d and got \d tokens?\.", shown.out), shown.out


# People


def person(site_packages: Path, *answers: str, game: str = "sealed_nim", folder: Path) -> str:
    """What somebody reads who plays against a bot and gives these answers."""
    words = ["human", BOT, "--game", game, "--seed", "5", "-o", str(folder / "h.match.jsonl.gz")]
    ended = subprocess.run(
        [sys.executable, "-m", "arena", *words, "--sandbox", at_best()],
        input="".join(f"{answer}\n" for answer in answers),
        env={**os.environ, "PYTHONPATH": str(site_packages)},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended
    assert "The match is over." in ended.stderr
    return ended.stderr


@pytest.mark.usefixtures("processes")
def test_a_person_plays_it_in_the_words_of_its_package(installed, tmp_path):
    told = person(installed, "r", "1", "bid:9", "2", "1", folder=tmp_path)
    assert re.search(r"^You have lost your card \d\.$", told, re.MULTILINE)
    assert re.search(r"^Which card do you bid for the \d+ tokens\?$", told, re.MULTILINE)
    assert re.search(r"bid:\d  take \d, if the heap can pay for all bids$", told, re.MULTILINE)
    assert "If the heap cannot pay for all bids, the highest bids fall." in told
    assert "'bid:9' is not one of the choices." in told
    assert re.search(r"^you bid \d and got \d tokens?\.$", told, re.MULTILINE)
    assert re.search(r"^any game bid \d and got \d tokens?\.$", told, re.MULTILINE)


@pytest.mark.usefixtures("processes")
def test_a_person_plays_it_where_it_has_no_words(tmp_path):
    told = person(install(tmp_path, "arena.games"), "1", "2", "1", folder=tmp_path)
    assert "bid: bid: and the number of a card in hand, bid:3" in told
    assert re.search(r"^you: bid card \d, taken \d$", told, re.MULTILINE)
    assert re.search(r"^any game: bid card \d, taken \d$", told, re.MULTILINE)


# A new bot


@pytest.fixture(scope="module")
def bidder(command, tmp_path_factory) -> tuple[Ended, Path]:
    """A new bot from a kit, and what was said when it was made."""
    folder = tmp_path_factory.mktemp("new") / "bidder"
    return command("new-bot", folder, "--lang", "python", "--game", "sealed_nim"), folder


def test_a_new_bot_from_a_kit_plays_it(command, bidder):
    made, folder = bidder
    assert made.code == 0, made
    assert f"arena play {folder} {folder} --game sealed_nim" in made.out, "greedy does not play it"
    ended = command("play", folder, folder, "--game", "sealed_nim", "--sandbox", at_best())
    assert ended.code == 0, ended
    assert "over, round 4 of 4" in ended.out


def test_a_new_bot_from_a_kit_passes_its_check(command, bidder):
    ended = command("check", bidder[1], "--sandbox", at_best())
    assert ended.code == 0, ended


def test_a_bot_that_fails_only_in_the_rare_phase_fails_its_check(command, bidder, tmp_path):
    shutil.copytree(bidder[1], tmp_path / "bidder")
    starter = tmp_path / "bidder" / "bot.py"
    decide = "    def decide(self, question):\n"
    failing = decide + '        assert question["phase"] != "halve", "I never thought of that"\n'
    starter.write_text(starter.read_text("utf-8").replace(decide, failing), "utf-8")
    ended = command("check", tmp_path / "bidder", "--sandbox", at_best())
    assert ended.code == 3, ended
    assert "I never thought of that" in ended.out


@pytest.mark.usefixtures("game")
def test_the_examiner_leads_a_match_to_its_rare_phase():
    setting = rare("sealed_nim")["halve"]
    table, choose, number, asked = ExamTable(setting), scripted(setting), 0, []
    while (question := table.question(number := number + 1)) is not None:
        asked.append(question.phase)
        table.overrule(question, choose(tuple(question.legal)))
    assert "halve" in asked
