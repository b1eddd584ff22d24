"""Every rule of a RULES.md is cited by a test, and no test cites a rule that does not exist."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
ENGINE = TESTS.parent / "engine"
RULES = sorted([*ENGINE.glob("*/RULES.md"), *TESTS.glob("games/*/*/RULES.md")])
DEFINED = re.compile(r"^(?:- \*\*|\| )([A-Z]-\d\d)\b", re.MULTILINE)


@cache
def cited() -> frozenset[str]:
    """The ids in all rule marks, whether or not their tests were selected for this run."""
    return frozenset(_cited())


def _cited() -> Iterator[str]:
    texts = (path.read_text("utf-8") for path in TESTS.rglob("test_*.py"))
    for text in (text for text in texts if "mark.rule(" in text):  # to parse all of them takes two seconds
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.rule":
                yield from (ast.literal_eval(argument) for argument in node.args)


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.parent.name)
def test_every_rule_is_cited_by_a_test(path):
    assert not set(DEFINED.findall(path.read_text("utf-8"))) - cited()


def test_every_cited_rule_exists():
    defined = {rule for path in RULES for rule in DEFINED.findall(path.read_text("utf-8"))}
    assert not cited() - defined


def test_every_rule_that_the_code_cites_exists():
    for path in RULES:
        defined = set(DEFINED.findall(path.read_text("utf-8")))
        for source in path.parent.glob("*.py"):
            assert not set(re.findall(r"\b[A-Z]-\d\d\b", source.read_text("utf-8"))) - defined, source.name
