"""A league in shares: 16 processes in 16 folders, three of them killed, one share played twice, merged in any order.

Its standings must be the same bytes as those of the same league played by one process, every match once, every record
true. It has a seed, so that two leagues can be compared.

    python benchmarks/shards.py [--shares 16] [--killed 3] [--blocks 64] [--seed 1]
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
FILE = """\
name = "shared"
bots = ["greedy", "random", {{ bot = "random", name = "other" }}, {{ bot = "greedy", name = "twin" }}]
seed = {seed}
deals = "fresh"
[schedule]
blocks = {blocks}
"""


def arena(folder: Path, *words: str) -> str:
    """What a command prints; it must succeed."""
    command = [sys.executable, "-m", "arena", *words]
    ended = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True)
    if ended.returncode:
        raise SystemExit(f"arena {' '.join(words)}: {ended.stderr}")
    return ended.stdout


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def start(folder: Path, number: int, of: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "arena", "league", "run", "shared.toml", "--shard", f"{number}/{of}"]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=folder, env=environment(), stdout=quiet, stderr=quiet, start_new_session=True)


def play_shares(folder: Path, shares: int, killed: int, dice: random.Random) -> int:
    """All shares at once; some are killed. Returns how many of those were still running then."""
    running = {number: start(folder, number, shares) for number in range(1, shares + 1)}
    victims = [number for number in dice.sample(sorted(running), killed) if is_at_work(folder, number, shares, running)]
    for victim in victims:
        os.kill(running[victim].pid, signal.SIGKILL)
    for share in running.values():
        share.wait()
    start(folder, dice.randint(1, shares), shares).wait()
    return len(victims)


def is_at_work(folder: Path, number: int, of: int, running: Mapping[int, subprocess.Popen[bytes]]) -> bool:
    """Wait until a share has a record, or has ended. Whether it still plays."""
    records = folder / "leagues" / f"shared-shard-{number}-of-{of}" / "records"
    while running[number].poll() is None and not any(records.glob("*/*.gz")):
        time.sleep(0.05)
    return running[number].poll() is None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("shares", 16), ("killed", 3), ("blocks", 64), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    dice = random.Random(given.seed)
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # an arena that is root gives its bots other user numbers
        (folder / "shared.toml").write_text(FILE.format(seed=given.seed, blocks=given.blocks))
        arena(folder, "league", "new", "shared.toml")
        victims = play_shares(folder, given.shares, given.killed, dice)
        parts = [str(path) for path in (folder / "leagues").glob("shared-shard-*")]
        dice.shuffle(parts)
        arena(folder, "league", "merge", "leagues/shared", *parts, parts[0])
        before = arena(folder, "league", "run", "shared.toml", "--dry-run")
        arena(folder, "league", "run", "shared.toml")
        arena(folder, "league", "run", "shared.toml", "--folder", "alone")
        shared, alone = (arena(folder, "league", "standings", place, "--json") for place in ("leagues/shared", "alone"))
        proved = arena(folder, "league", "verify", "leagues/shared")
    sys.stdout.write(f"{len(parts)} shares, {victims} killed; after the merge: {before}{proved}")
    sys.stdout.write(f"standings are the same bytes: {shared == alone}\n")
    return shared != alone


if __name__ == "__main__":
    sys.exit(main())
