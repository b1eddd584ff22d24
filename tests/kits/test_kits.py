"""Every starter kit with its real toolchain: the guide's path, the kit's own test, and its player and greedy bot."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from arena import running
from arena.match import play as matches
from arena.match.clock import TimeControl
from arena.match.launch import SpawnedProcess
from arena.roster.belongings import kept_digest
from arena.roster.entries import Entry, read
from arena.roster.folders import KITS
from arena.roster.kits import LANGUAGES
from benchmarks.newcomer import paths
from engine.dice import Seed
from engine.draftosaurus import GAME
from engine.playouts import at_random, steps
from protocol.messages import End
from tests.bots.processes import BOTS, Bot
from tests.cli.command import arena
from tests.machine import at_best, need_sandbox

OWN_TEST = {
    "python": [sys.executable, "-B", "-m", "unittest"],
    "javascript": ["npm", "test", "--silent"],
    "typescript": ["npm", "test", "--silent"],
    "rust": ["cargo", "test", "--release", "--locked", "--quiet"],
    "go": ["go", "test", "./..."],
    "java": ["mvn", "-q", "-B", "test"],
    "c": ["make", "--silent", "test"],
    "cpp": ["make", "--silent", "test"],
    "shell": ["sh", "test.sh"],
}
EDITS = {
    "python": r"s/\[-1\]/[0]/",
    "javascript": "s/at(-1)/at(0)/",
    "typescript": "s/at(-1)/at(0)/",
    "rust": "s/rfind/find/",
    "go": "s/len(dry)-1/0/",
    "java": "s/choice.size() - 1/0/",
    "c": "s/i = 0; i < legal.count; i++/i = legal.count; i-- > 0;/",
    "cpp": "s/legal.r/legal./g",
    "shell": "s/dry=$action/dry=${dry:-$action}/",
}
"""The first edit: the first of the actions that remain, not the last."""
MOST_LINES = 15
every_language = pytest.mark.parametrize("language", LANGUAGES)


def test_the_guide_goes_the_same_way_in_every_language():
    for language, kit in LANGUAGES.items():
        folder = f"my-{language}-bot"
        assert paths()[language] == [
            f"arena new-bot {folder} --lang {language}",
            f"sed -i '{EDITS[language]}' {folder}/{kit.starter}",
            f"arena check {folder}",
            f"arena play {folder} greedy",
        ]
    assert list(paths()) == list(LANGUAGES)


@every_language
def test_the_starter_is_short_and_one_place_of_it_can_be_edited(language):
    source = (KITS / language / LANGUAGES[language].starter).read_text("utf-8")
    assert len(source.splitlines()) <= MOST_LINES
    assert source.count("RV") == 1
    edited = subprocess.run(["sed", EDITS[language]], input=source, text=True, capture_output=True, check=True).stdout
    assert sum(one != other for one, other in zip(source.splitlines(), edited.splitlines())) in (1, 2)
    assert source.count("my-bot") >= 1
    assert '"draftosaurus", "dinodocus"' in source


@every_language
def test_what_a_new_bot_is_told_is_true(language):
    manifest = read(KITS / language / "bot.toml")
    assert (manifest.name, manifest.version, manifest.games) == ("my-bot", "1.0", ("draftosaurus", "dinodocus"))
    readme = (KITS / language / "README.md").read_text("utf-8")
    assert "arena check ." in readme
    assert "arena play . greedy" in readme
    assert "](.." not in readme, "a copy of the kit has no folder above"


@every_language
def test_the_guides_path_ends_with_a_bot_that_passes_and_plays(language, made):
    steps = made(language).steps
    assert [step.code for step in steps] == [0] * 4, steps[-1].output
    new, _, check, play = steps
    where = f"my-{language}-bot"
    assert (
        f"  arena check {where}\n  arena play {where} greedy{' --sandbox none' * (at_best() == 'none')}\n" in new.output
    )
    assert "passed" in check.output
    assert f"my-{language}-bot" in play.output


@every_language
def test_the_kits_own_test_runs_the_vectors_and_sees_a_wrong_one(language, made):
    bot = made(language)
    path = bot.folder / "vectors" / "decide.json"
    with bot.alone():
        good, before = path.read_text("utf-8"), kept_digest(read(bot.folder / "bot.toml"))
        passed = _own_test(language, bot.folder)
        after = kept_digest(read(bot.folder / "bot.toml"))
        path.write_text(json.dumps(_spoiled(json.loads(good))))
        failed = _own_test(language, bot.folder)
        path.write_text(good, "utf-8")
    assert passed.returncode == 0, passed.stdout
    assert after == before, "a tested bot is the same bot"
    assert failed.returncode != 0, failed.stdout


def _own_test(language: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        OWN_TEST[language], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )


def _spoiled(vector: dict[str, Any]) -> dict[str, Any]:
    """Another id on the wire than in the value."""
    return {
        **vector,
        "msgpack": vector["msgpack"].replace("a2696401", "a2696402"),
        "json": vector["json"].replace('"id":1', '"id":2'),
    }


SLOW = """
import json, sys, time
print('{"type": "hello", "protocol": 1, "name": "slow", "version": "1", "games": ["draftosaurus"]}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "decide":
        time.sleep(0.02)
        print(json.dumps({"type": "move", "id": message["id"], "action": message["legal"][0]}), flush=True)
    elif message["type"] == "bye":
        break
"""


@every_language
def test_a_bot_can_be_frozen_between_its_questions(language, made, tmp_path, monkeypatch):
    """Some system calls fail with EINTR when a process goes on."""
    need_sandbox()
    frozen = Counter[int]()
    freeze = SpawnedProcess.freeze

    def count(process):
        is_frozen = freeze(process)
        frozen[process.key] += is_frozen
        return is_frozen

    monkeypatch.setattr(SpawnedProcess, "freeze", count)
    (tmp_path / "slow.py").write_text(SLOW)
    slow = Entry("slow", "1", ("/usr/bin/python3", "-I", "-S", str(tmp_path / "slow.py")), tmp_path)
    clock = TimeControl(600_000, 600_000, 600_000)
    bot = made(language)
    with bot.unchanged():
        setup = matches.MatchSetup([read(bot.folder / "bot.toml"), slow], seed=5, clocks=[clock] * 2)
        record = running.run(lambda: matches.play(setup)).record()
    assert record.verdict.faults == ()
    assert {one.status for _, _, one in record.decisions()} <= {"accepted", "forced"}
    assert all(player.sandbox != "none" for player in record.header.players)
    assert max(frozen.values()) >= 5


# Greedy is the same in every language

VARIANTS: list[Mapping[str, Any]] = [
    {},
    {"season": "winter"},
    {"season": "summer_winter"},
    {"prairie_capacity": None, "zoo_scope": "pens_only", "trio_points": 6},
    {"season": "winter", "bridge_capacity": 2, "pyramid_fill": "left_to_right", "quarantine_move": "may"},
    {"season": "winter", "commit": "pick_and_place", "zoo_scope": "pens_only", "bridge_region": "both"},
    {"discard_timing": "with_pick", "discard_visibility": "hidden"},
]
"""All that changes greedy's estimates, or the form of its actions."""
PORTED = [language for language in LANGUAGES if language != "python"]


@pytest.fixture(scope="session")
def greedy() -> Any:
    """The player in Python, in this process."""
    sys.path.insert(0, str(BOTS))
    try:
        import greedy_draftosaurus
    finally:
        sys.path.remove(str(BOTS))
    return greedy_draftosaurus.GreedyPlayer


@pytest.mark.parametrize("language", PORTED)
def test_greedy_gives_the_same_answers_as_in_python(language, made, greedy):
    kit = made(language)
    asked = 0
    with kit.unchanged(), Bot(kit.folder / "greedy.toml", command=read(kit.folder / "greedy.toml").command) as bot:
        assert bot.greet().games == ["draftosaurus"]
        for number, options in enumerate(VARIANTS):
            for seats in GAME.seats:
                asked += _compare(bot, greedy, options, seats, seed=10 * number + seats)
    assert asked > 600


def _compare(bot: Bot, greedy: Any, options: Mapping[str, Any], seats: int, seed: int) -> int:
    """One game in which chance plays all seats, and seat 0 is asked each time what it would do."""
    bot.start(options, 0, seats)
    player = greedy({"seat": 0, "seats": seats})
    asked = 0
    for view, legal in _questions(options, seats, seed):
        bot.ask(view, legal)
        assert bot.answer() == player.decide({"view": view, "legal": list(legal)}), (view, legal)
        asked += 1
    bot.tell(End([0] * seats, [1] * seats, {}, []))
    return asked


def _questions(
    options: Mapping[str, Any], seats: int, seed: int
) -> Iterator[tuple[Mapping[str, Any], tuple[str, ...]]]:
    dice = Seed(seed)
    start = GAME.start(seats, options)
    for state in (start, *(state for _, state in steps(GAME, start, dice, at_random(dice)))):
        if 0 in GAME.to_act(state):
            yield GAME.view(state, 0), GAME.legal(state, 0)


# All languages in one league


def test_a_league_of_all_languages(made, tmp_path):
    kits = [made(language) for language in LANGUAGES]
    file = tmp_path / "languages.toml"
    file.write_text(
        f"""
name = "languages"
game = "draftosaurus"
bots = {json.dumps([str(kit.folder) for kit in kits])}
seed = 1
sandbox = "{at_best()}"

[schedule]
kind = "round_robin"
seats = [5]
blocks = 4
"""
    )
    place = ("--folder", tmp_path / "results")
    with ExitStack() as stack:
        for kit in kits:
            stack.enter_context(kit.unchanged())
        ran = arena("league", "run", file, *place)
    assert ran.code == 0, ran.err
    rows = json.loads(arena("league", "standings", file, "--json", *place).out)
    assert {row["bot"] for row in rows} == {f"my-{language}-bot" for language in LANGUAGES}
    assert all(row["games"] > 0 and row["faults"] == 0 for row in rows)
    records = sorted((tmp_path / "results" / "records").rglob("*.match.jsonl.gz"))
    assert len(records) == 20
    verified = arena("verify", *records)
    assert verified.code == 0, verified.out
