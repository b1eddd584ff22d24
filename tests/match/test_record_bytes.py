"""The bytes of a match, as they have always been: of its record, and of all that the bots received.

Nothing but a change of the rules, the record or the messages may change a digest here. The compiled arena (`make fast`)
runs the same tests, so its records are those of pure Python.
"""

import gzip
from collections.abc import Callable, Mapping
from hashlib import sha256

import pytest

from arena.match.faults import Broken, FaultKind
from arena.match.record_file import to_bytes
from arena.match.scripted import ScriptedMatch
from engine.catalogue import game as find_game
from engine.contract import Value
from engine.dice import Seed
from engine.playouts import at_random
from protocol.codec import JSON, MSGPACK
from protocol.errors import ErrorKind
from protocol.messages import to_wire
from protocol.session import Refused

MATCHES: Mapping[str, tuple[str, int, Mapping[str, Value]]] = {
    "draftosaurus-summer": ("draftosaurus", 5, {}),
    "draftosaurus-winter": ("draftosaurus", 2, {"season": "winter", "discard_visibility": "hidden"}),
    "draftosaurus-both": ("draftosaurus", 3, {"season": "summer_winter", "commit": "pick_and_place"}),
    "dinodocus-basic": ("dinodocus", 4, {"real_bonus": True}),
    "dinodocus-advanced": ("dinodocus", 3, {"advanced": True, "offer_windows": "mutate_and_turn_start"}),
}


def played(name: str) -> ScriptedMatch:
    """One match with every kind of answer: good, malformed, refused, late, none; at last a bot breaks."""
    game_name, seats, options = MATCHES[name]
    match = ScriptedMatch(find_game(game_name), seats, options=options, strikes=1000)
    choose, answers = at_random(Seed(seats)), 0
    while answers < 30 and not match.referee.over:
        for seat in range(seats):
            if match.is_asked(seat):
                answers += 1
                answer(match, seat, choose(tuple(match.last(seat).legal)), answers)
    match.hear(0, Broken(FaultKind.CRASH, "it exited with status 1"))
    match.finish()
    return match


def answer(match: ScriptedMatch, seat: int, action: str, number: int) -> None:
    if number % 11 == 3:
        match.answer(seat, "no such action")
    elif number % 11 == 5:
        match.hear(seat, Refused(ErrorKind.WRONG_TYPE, 7, "byte 7: not this"), used=0.01)
    elif number % 11 == 7:
        match.answer(seat, action, used=1.0)
    elif number % 11 == 9:
        match.time_is_up(1.0)
    else:
        match.answer(seat, action, used=number / 1000)


def test_records_and_messages_have_the_bytes_that_they_have_always_had(golden: Callable[[str, str], None]):
    lines = []
    for name in MATCHES:
        match = played(name)
        frames = [to_wire(message) for sent in match.sent for message in sent]
        lines.append(f"{name:19} record  {digest(gzip.decompress(to_bytes(match.referee.record())))}")
        lines += [
            f"{name:19} {codec.name:7} {digest(b''.join(map(codec.encode, frames)))}" for codec in (MSGPACK, JSON)
        ]
    golden("match/bytes.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("name", MATCHES)
def test_these_matches_have_every_kind_of_answer(name):
    match = played(name)
    kinds = {kind for kind, _ in match.faults}
    assert {"malformed", "late", "crash"} <= kinds
    assert {decision.status for _, _, decision in match.referee.record().decisions()} >= {"accepted", "absent"}


def digest(data: bytes) -> str:
    return f"{len(data):7} bytes {sha256(data).hexdigest()[:32]}"
