"""The secret of a league: what follows from it always does, and nothing else tells it."""

import hashlib
import hmac
import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arena.league.secret import Secret, drawn, is_secret, of_seed
from arena.match.seeds import bot_seed_of

SECRETS = st.binary(min_size=16, max_size=16).map(bytes.hex).map(Secret)
NAMES = st.lists(st.one_of(st.text(max_size=5), st.integers(0, 9)), max_size=4)
SECRET = Secret("00112233445566778899aabbccddeeff")


def test_it_is_all_as_published():
    """Who checks a league with a program of their own does this."""

    def output(purpose, what):
        key = hmac.new(bytes.fromhex(SECRET.digits), f"dino-arena {purpose}".encode(), hashlib.sha256).digest()
        return hmac.new(key, json.dumps(what, sort_keys=True).encode(), hashlib.sha256).hexdigest()

    name: list[str | int] = ['["round robin", "deal", "a", "b", 0]', 1, 0]
    assert SECRET.deal(name) == int(output("deal", name)[:32], 16)
    assert SECRET.bot_seed(name) == int(output("bots", name)[:32], 16)
    assert SECRET.dice == int(output("plan", [])[:32], 16)
    assert SECRET.match_id({"b": 1, "a": 2}) == output("match", {"a": 2, "b": 1})[:24]
    assert SECRET.commitment == hashlib.sha256(f"dino-arena commitment:{SECRET.digits}".encode()).hexdigest()
    assert of_seed(7).digits == hashlib.sha256(b"dino-arena seed:7").hexdigest()[:32]


def test_it_stays_as_it_is_for_ever():
    """A league that goes on, and one that was published, need the same numbers in every version."""
    assert SECRET.deal(["x", 0, 0]) == 296656715004722710631890179383920793097
    assert SECRET.match_id({"fixture": [0, 0, 1]}) == "d0a5dde5d47fa88146522dab"
    assert SECRET.commitment == "e02cdcd3d9210df97b813768ded95700bfc3a45031544391132487e2aaaa35b1"


@given(SECRETS, SECRETS, NAMES)
def test_another_secret_is_another_league(one, other, name):
    assume(one != other)
    for what in ("deal", "bot_seed"):
        assert getattr(one, what)(name) != getattr(other, what)(name)
    assert one.match_id({"fixture": name}) != other.match_id({"fixture": name})
    assert one.commitment != other.commitment
    assert one.dice != other.dice


@given(SECRETS, NAMES, NAMES)
def test_two_names_are_two_deals(secret, name, other):
    assume(name != other)
    assert secret.deal(name) != secret.deal(other)
    assert secret.bot_seed(name) != secret.bot_seed(other)
    assert secret.match_id({"fixture": name}) != secret.match_id({"fixture": other})


@given(SECRETS, NAMES)
def test_no_purpose_says_anything_of_another(secret, name):
    """They have keys of their own, so that what a bot receives is nothing that a deal is made of."""
    numbers = [secret.deal(name), secret.bot_seed(name), secret.deal([]), secret.bot_seed([]), secret.dice]
    assert len(set(numbers)) == (3 if name == [] else 5)
    assert all(0 <= number < 2**128 for number in numbers)
    assert not secret.match_id({"fixture": name}).startswith(f"{secret.deal(name):032x}"[:8])


def test_a_new_one_is_drawn_each_time_and_no_log_shows_it():
    assert len({drawn().digits for _ in range(100)}) == 100
    assert all(is_secret(drawn().digits) for _ in range(10))
    assert SECRET.digits not in repr(SECRET)


@pytest.mark.parametrize("text", ["", "0" * 31, "0" * 33, "g" * 32, "A" * 32, f"{'0' * 32}\n"])
def test_what_is_no_secret_is_known_as_such(text):
    assert not is_secret(text)


@given(st.integers(), st.integers())
def test_the_bots_of_a_single_match_receive_nothing_of_its_seed(seed, bot_seed):
    assert bot_seed_of(seed, bot_seed) not in (seed, bot_seed)
    assert bot_seed_of(seed, bot_seed) != bot_seed_of(seed, bot_seed + 1)
    assert bot_seed_of(seed, bot_seed) != bot_seed_of(seed + 1, bot_seed)
