"""What `--json` prints has the shape that docs/schemas/ describes, for every command."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from jsonschema import Draft202012Validator

from arena.cli.app import build
from tests.cli.command import Ended, arena
from tests.machine import let_our_bots_play, need_sandbox, why_no_sandbox
from tests.tuning.test_tune_command import described

ROOT = Path(__file__).parents[2]
SCHEMAS = {path.stem: json.loads(path.read_text("utf-8")) for path in (ROOT / "docs" / "schemas").glob("*.json")}
SAFE = 2**53
"""Numbers above this are not exact in many languages."""
WITHOUT = {"human", "serve", "completion", "help", "league export"}
"""Commands without --json: two are for people, two print scripts and words, and an export has `-o FILE.json`."""
LINES = {"replay", "trace"}
"""Commands that print one value on each line."""
BAD_BOT = """
import json, sys
print(json.dumps({"type": "hello", "protocol": 1, "name": "bad", "version": "1", "games": ["draftosaurus"]}), flush=True)
print("thinking", flush=True)
sys.stdin.read()
"""
LEAGUE = (
    'name = "cup"\nbots = ["greedy", "random"]\nseed = 123456789012345678901\n[schedule]\nseats = [2]\nblocks = 2\n'
)
MATCH = "a.match.jsonl.gz"
SANDBOXED = {"league add", "league update", "league retire"}
"""Commands for a league of `league new`, in which your own bot plays in a sandbox."""
SAMPLES: dict[str, list[list[str]]] = {
    "demo": [["demo", "--seats", "2"]],
    "play": [
        ["play", "greedy", "random", "-o", MATCH],
        ["play", "greedy", "python3 bad.py", "-o", "b.match.jsonl.gz"],
        ["play", "greedy", "random", "--games", "2", "--no-record"],
    ],
    "stderr": [["stderr", MATCH]],
    "trace": [["trace", "random"], ["trace", "python3 bad.py"]],
    "new-bot": [["new-bot", "mine", "--lang", "python"], ["new-bot", "bare", "--lang", "other"]],
    "check": [["check", "python3 bad.py", "--game", "draftosaurus"]],
    "ask": [["ask", MATCH, "--all", "--bot", "random"], ["ask", MATCH, "--all", "--bot", "python3 bad.py"]],
    "whatif": [["whatif", MATCH, "--step", "3"], ["whatif", MATCH, "--step", "3", "--times", "2"]],
    "verify": [["verify", MATCH]],
    "replay": [["replay", MATCH], ["replay", "b.match.jsonl.gz", "--step", "3"]],
    "duel": [["duel", "greedy", "random", "--units", "16"]],
    "place": [["place", "novice", "--ladder", f"{ROOT}/tests/ladder/random-and-greedy.json", "--matches", "16"]],
    "tune": [
        ["tune", "share", "--seats", "2", "--iterations", "2", "--games-per-iteration", "4"],
        ["tune", "share", "--seats", "2", "--iterations", "2", "--games-per-iteration", "4", "--duel-units", "0"],
    ],
    "games": [["games"]],
    "rules": [["rules", "draftosaurus"], ["rules", "dinodocus"]],
    "position": [
        ["position", "draftosaurus", "summer | - | -"],
        ["position", "draftosaurus", "summer phase=deal | - | -"],
    ],
    "docs": [["docs"], ["docs", "check"]],
    "doctor": [["doctor"]],
    "league new": [["league", "new", "other.toml", "greedy", "random"]],
    "league run": [["league", "run", "cup.toml"]],
    "league add": [["league", "add", "other.toml", "./mine"]],
    "league update": [["league", "update", "other.toml"], ["league", "update", "other.toml", "--dry-run"]],
    "league retire": [["league", "retire", "other.toml", "mine"]],
    "league list": [["league", "list"]],
    "league status": [["league", "status", "cup.toml"]],
    "league standings": [["league", "standings", "cup.toml"], ["league", "standings", "cup.toml", "--all"]],
    "league history": [["league", "history", "cup.toml"]],
    "league report": [["league", "report", "cup.toml"]],
    "league site": [["league", "site", "cup.toml", "-o", "site"]],
    "league merge": [["league", "merge", "cup.toml", "copy"]],
    "league verify": [["league", "verify", "cup.toml"]],
    "league reveal": [["league", "reveal", "cup.toml"]],
    "league audit": [["league", "audit", "cup.toml"]],
}
"""Command lines of each command, in an order in which each finds what it needs."""


@pytest.fixture(scope="module")
def printed(tmp_path_factory) -> Iterator[dict[str, list[Ended]]]:
    """What the samples print."""
    before, folder = os.getcwd(), tmp_path_factory.mktemp("json")
    variables = pytest.MonkeyPatch()
    let_our_bots_play(variables.setenv)
    folder.chmod(0o755)  # bots of a root user are others
    (folder / "bad.py").write_text(BAD_BOT)
    (folder / "cup.toml").write_text(LEAGUE)
    described(folder)
    os.chdir(folder)
    try:
        found = {}
        for name, lines in SAMPLES.items():
            if name == "league merge":
                arena("league", "run", "cup.toml", "--folder", "copy")
            found[name] = [arena(*line, "--json") for line in lines]
        yield found
    finally:
        variables.undo()
        os.chdir(before)


def numbers(value: Any) -> Iterator[int]:
    """All whole numbers in a value."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from numbers(item)
    elif isinstance(value, int):
        yield value


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("name", SAMPLES)
def test_what_a_command_prints_has_the_shape_that_is_described(name, printed):
    if name in SANDBOXED:
        need_sandbox()
    for ended in printed[name]:
        assert ended.code in (0, 3) or (name == "doctor" and why_no_sandbox()), ended.err
        for text in ended.out.splitlines() if name in LINES else [ended.out]:
            value = json.loads(text)
            Draft202012Validator(SCHEMAS[name.replace(" ", "-")]).validate(value)
            assert all(abs(number) <= SAFE for number in numbers(value))


def commands_with_json() -> dict[str, bool]:
    """All commands, and whether each has --json."""
    found = {}
    for name, command in getattr(typer.main.get_command(build()), "commands", {}).items():
        for inner, one in getattr(command, "commands", {"": command}).items():
            found[f"{name} {inner}".strip()] = any("--json" in param.opts for param in one.params)
    return found


def test_every_command_but_a_few_has_json_and_a_schema():
    have = {name for name, has_json in commands_with_json().items() if has_json}
    assert commands_with_json().keys() - have <= WITHOUT
    benches = {name for name in have - {"bench all"} if name.startswith("bench ")}
    assert {name.replace(" ", "-") for name in have - benches} | {"bench"} == SCHEMAS.keys()
    assert SAMPLES.keys() == have - benches - {"bench all"}, "tests/bench hold these to their schemas"


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_valid_and_closed(name):
    """An object that has named fields has no others, so that a new field cannot be forgotten here."""
    Draft202012Validator.check_schema(SCHEMAS[name])

    def look(schema: Any) -> None:
        if isinstance(schema, dict):
            if "properties" in schema:
                assert schema["additionalProperties"] is False
                assert schema.keys() & {"description", "title"} or "required" in schema
            for value in schema.values():
                look(value)
        elif isinstance(schema, list):
            for value in schema:
                look(value)

    look(SCHEMAS[name])
    assert re.fullmatch(r"What `arena .*` prints.*", SCHEMAS[name]["title"])
