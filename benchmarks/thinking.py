"""What are bots that think charged where bots may share the referee's core, and where they may not?

    python benchmarks/thinking.py [--rounds 40]

Each table plays the same matches twice, by turns: placed by use, which is the default, and on all cores
(arena/match/placement.py). Compared are the median and the mean of what the bots that think are charged for a decision.
It takes a C compiler, and a machine that has nothing else to do.
"""

import argparse
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory

import trio

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.bench.referee import compile_c
from arena.match.bot import Bot
from arena.match.company import Company, open_company
from arena.match.cores import BY_USE, FREE
from arena.match.launch import SpawnerLauncher
from arena.match.record import Header, Player
from arena.roster.entries import Entry
from engine.catalogue import game as find_game

GAME = find_game("draftosaurus")
TABLES = {
    "two think for 20 ms": [20_000] * 2,
    "five think for 2 ms": [2_000] * 5,
    "two think for 1.5 ms": [1_500] * 2,
    "one thinks for 5 ms, four do not": [5_000, 0, 0, 0, 0],
}
"""By seat, the microseconds that a bot thinks."""
UNCHANGED = 0.03


async def played(company: Company, bots: Sequence[Bot], thinks: Sequence[int], seed: int) -> tuple[list[int], int]:
    """What those who think were charged for each decision, and how many questions found all bots on one core."""
    players = tuple(Player("c", "1", "") for _ in thinks)
    record = (await company.play(GAME, Header("bench", "draftosaurus", GAME.edition, {}, seed, players), bots)).record()
    accepted = (one for _, _, one in record.decisions() if one.status == "accepted")
    return [one.used_us for one in accepted if thinks[one.seat]], record.verdict.shared


async def compare(program: Path, thinks: Sequence[int], rounds: int) -> tuple[str, bool]:
    """A row of the table, and whether the charges are the same within 3 %."""
    charged: dict[str, list[int]] = {FREE: [], BY_USE: []}
    shared = 0
    entries = [Entry(f"think-{us}", "1", (str(program), "--think-us", str(us)), program.parent) for us in thinks]
    async with AsyncExitStack() as stack:
        companies = {
            rule: await stack.enter_async_context(open_company(SpawnerLauncher(), affinity=rule)) for rule in charged
        }
        teams = {rule: await company.hire(entries) for rule, company in companies.items()}
        for seed in range(rounds):
            for rule in (FREE, BY_USE) if seed % 2 else (BY_USE, FREE):
                used, together = await played(companies[rule], teams[rule], thinks, seed)
                charged[rule] += used
                shared += together
    changes = [how(charged[BY_USE]) / how(charged[FREE]) - 1 for how in (median, mean)]
    figures = f"median {median(charged[FREE]):6.0f} us {changes[0]:+6.1%}   mean {changes[1]:+6.1%}"
    return f"{figures}   {shared} questions on one core", max(map(abs, changes)) <= UNCHANGED


async def main(rounds: int) -> int:
    good = True
    with TemporaryDirectory() as folder:
        program = compile_c(Path(folder), "bot")
        for name, thinks in TABLES.items():
            words, is_unchanged = await compare(program, thinks, rounds)
            sys.stdout.write(f"{name:33}{words}{'' if is_unchanged else '   NOT AS IT SHOULD BE'}\n")
            sys.stdout.flush()
            good = good and is_unchanged
    return 0 if good else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40, help="matches of each table, in each placement")
    sys.exit(trio.run(main, parser.parse_args().rounds))
