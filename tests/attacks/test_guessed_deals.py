"""Bots that want to know the deal: by trying secrets, and by memory. Each has a control in which it knows it all."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.match.record import MatchRecord, Step
from arena.match.record_file import load
from arena.replay.moments import game_of, states
from benchmarks.seer import OPPONENT, Claim, claims, pack, write_league
from tests.attacks.theatre import HERE, NOBODY, SYSTEM_PYTHON, USERS, put_up, run_as

CPU_S = 0.15
"""That the seer takes for a match here. benchmarks/seer.py gives it ten seconds, in a thousand matches."""
CONTROL_S = 60.0
"""That it may take where it has to find the deal, which ends its search: how fast the machine is does not matter then.
In an exam it never finds one."""
UNEXAMINED = "exam = false\n"
"""For leagues whose bots are known to play: an exam is four more matches. One league here begins with it, as usual."""
CLOCK = "[clock]\nhello_ms = 60000\nprepare_ms = 60000\nbank_ms = 60000\n"


def give(folder: Path, user: str) -> None:
    """Everything in a folder to a user, for everybody to read."""
    for path in (folder, *folder.rglob("*")):
        if os.geteuid() == 0:
            os.chown(path, *((NOBODY, NOBODY) if user == "ordinary" else (0, 0)))
        path.chmod(0o755 if path.is_dir() else 0o644)


def play(user: str, base: Path, file: Path, *words: str) -> Path:
    """Run a league; where its records are."""
    give(base / "bots", user)
    results = base / "league" / file.stem
    run_as(user, ["league_stage.py", str(file), str(results), *words], base)
    return results / "records"


# By trying


@contextmanager
def oracle(user: str, cpu_s: float) -> Iterator[Path]:
    with put_up(user) as base:
        pack(base / "bots", cpu_s, SYSTEM_PYTHON)
        yield base


def open_claims(user: str, tier: str, keys: str, *words: str, cpu_s: float = CONTROL_S) -> list[Claim]:
    """What the seer knows in a league with these keys."""
    with oracle(user, cpu_s) as base:
        file = write_league(base / "bots", "open", 2, f'{keys}sandbox = "{tier}"\n')
        return claims(base, play(user, base, file, *words))


def test_a_seer_knows_every_deal_that_follows_from_a_seed(user, tier):
    """The control: it needs no more than some milliseconds."""
    assert [one.is_right for one in open_claims(user, tier, f"seed = 0\n{UNEXAMINED}")] == [True] * 4


def test_a_seer_reads_the_seed_in_the_file():
    found = open_claims(USERS[0], "full", "seed = 20260704\n", cpu_s=CPU_S)
    assert [one.is_right for one in found] == [True] * 4


def test_a_seer_knows_every_deal_of_a_league_from_before_there_were_secrets():
    found = open_claims(USERS[0], "full", UNEXAMINED, "0")
    assert [one.is_right for one in found] == [True] * 4
    assert all(one.claim and str(one.claim["from"]) == "old seed 0" for one in found)


def test_a_seer_knows_no_deal_that_follows_from_a_secret(user, tier):
    """Not even if it has the whole source, the file, and all records of the league before."""
    with oracle(user, CPU_S) as base:
        for name in ("first", "second"):
            file = write_league(base / "bots", name, 2, f'sandbox = "{tier}"\n{UNEXAMINED}')
            records = play(user, base, file)
            found = claims(base, records)
            assert [one.claim for one in found] == [None] * 4
            assert min(one.tried for one in found) > 500, "it has really tried"
            shutil.copytree(records, base / "bots" / "seer" / "earlier" / name)


# By memory


@contextmanager
def savanna(user: str) -> Iterator[Path]:
    with put_up(user) as base:
        for name, source in (("elephant", (HERE / "elephant_bot.py").read_text()), ("other", OPPONENT)):
            (base / "bots" / name).mkdir()
            (base / "bots" / name / "bot.py").write_text(source)
            text = f'name = "{name}"\nversion = "1"\ncommand = ["{SYSTEM_PYTHON}", "-B", "bot.py"]\n'
            (base / "bots" / name / "bot.toml").write_text(text)
        yield base


def knew(record: MatchRecord) -> bool:
    """Whether the elephant said which hand the opponent was dealt in every round.

    One hand of six dinosaurs is the same in two fresh deals now and then; those of all rounds are not.
    """
    seat = [player.name for player in record.header.players].index("elephant")
    game, played = game_of(record), zip(record.steps, states(record)[1:])
    dealt = [game.view(state, 1 - seat)["hands"][1 - seat] for step, state in played if is_deal(step)]
    notes = [decision.note for _, _, decision in record.decisions() if decision.seat == seat and decision.note]
    return notes == [f"they hold {hand}" for hand in dealt]


def is_deal(step: Step) -> bool:
    return step.chance is not None and step.chance.startswith("deal:")


def remembered(user: str, tier: str, keys: str, *words: str) -> list[bool]:
    """Of three blocks of two matches: in which the elephant knew the hand."""
    with savanna(user) as base:
        file = base / "bots" / "memory.toml"
        file.write_text(
            f'name = "memory"\nbots = ["elephant", "other"]\nsandbox = "{tier}"\n{UNEXAMINED}{keys}'
            f"[schedule]\nseats = [2]\nblocks = 3\n{CLOCK}"
        )
        found = [load(path) for path in play(user, base, file, *words).glob("*/*.gz")]
    assert all(record.verdict.faults == () for record in found)
    return sorted(map(knew, found))


def test_a_bot_whose_process_plays_on_knows_the_hands_of_a_deal_that_comes_again(user, tier):
    """The control: such leagues were possible once. Now the old ones go on, and others are refused."""
    assert remembered(user, tier, 'processes = "block"\n', "0") == [False] * 3 + [True] * 3


def test_a_memory_is_worth_nothing_where_no_deal_comes_twice(user, tier):
    assert remembered(user, tier, 'processes = "worker"\n') == [False] * 6
