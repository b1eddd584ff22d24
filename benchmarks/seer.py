"""Whether a bot can know a deal: one that has the whole source, the file, all earlier records, and time to try.

Two leagues of the seer (seer_bot.py) and an opponent are played. The records of the first lie in the seer's folder
during the second. What it claims to know is compared with the seeds in the records. As a control a short league with
`seed = 0` in its file is played first: there it has to know every deal.

    python benchmarks/seer.py                                # 1,000 matches, 10 s of CPU each: 90 minutes on two cores
    python benchmarks/seer.py --matches 1000 --cpu-s 0.1     # some minutes
    python benchmarks/seer.py --folder seer                  # after Ctrl-C, the same command continues
"""

import argparse
import json
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import cache_from_source
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena import running
from arena.league import run as league
from arena.league.store import Store
from arena.league.tournament import read_tournament
from arena.league.wire import RECORDS
from arena.match.record_file import load

ROOT = Path(__file__).parents[1]
OPPONENT = """\
import json
import sys

hello = {"type": "hello", "protocol": 1, "name": "other", "version": "1", "games": ["draftosaurus"]}
print(json.dumps(hello), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "decide":
        print(json.dumps({"type": "move", "id": message["id"], "action": message["legal"][-1]}), flush=True)
    elif message["type"] == "bye":
        break
"""
CLOCK = "[clock]\nhello_ms = 60000\nprepare_ms = 7200000\nbank_ms = 600000\n"


def pack(folder: Path, cpu_s: float, python: str = "{python}") -> None:
    """Folders of the seer, with all that it can have, and of its opponent."""
    for name in ("seer", "other"):
        (folder / name).mkdir(parents=True)
    (folder / "seer" / "source.zip").write_bytes(source())
    shutil.copy(Path(__file__).with_name("seer_bot.py"), folder / "seer")
    (folder / "other" / "other.py").write_text(OPPONENT)
    commands = {"seer": ["seer_bot.py", str(cpu_s)], "other": ["other.py"]}
    for name, words in commands.items():
        command = json.dumps([python, "-B", *words])
        (folder / name / "bot.toml").write_text(f'name = "{name}"\nversion = "1"\ncommand = {command}\n')
    shutil.copytree(folder / "other", folder / "seer" / "rivals" / "other")


@cache
def source() -> bytes:
    """The arena and the engine in one file, because what the seer has is digested in every league and at every start.

    Byte code that is there already lies beside its module. Python compiles a module whose byte code does not fit.
    """
    written = BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED) as archive:
        for path in sorted(path for name in ("arena", "engine") for path in (ROOT / name).rglob("*")):
            if path.is_dir() or "__pycache__" in path.parts:
                continue
            archive.write(path, path.relative_to(ROOT))
            compiled = Path(cache_from_source(path))
            if path.suffix == ".py" and compiled.exists():
                archive.write(compiled, path.relative_to(ROOT).with_suffix(".pyc"))
    return written.getvalue()


def write_league(folder: Path, name: str, blocks: int, keys: str = "") -> Path:
    """A tournament file of the two, of which the seer has a copy."""
    path = folder / f"{name}.toml"
    path.write_text(
        f'name = "{name}"\nbots = ["seer", "other"]\n{keys}[schedule]\nseats = [2]\nblocks = {blocks}\n{CLOCK}'
    )
    shutil.copy(path, folder / "seer" / f"{name}.league")
    return path


@dataclass(frozen=True, slots=True)
class Claim:
    """What the seer said in one match."""

    match: str
    truth: int
    claim: dict[str, object] | None
    tried: int

    @property
    def is_right(self) -> bool:
        return self.claim is not None and self.claim["seed"] == self.truth


def claims(folder: Path, records: Path) -> list[Claim]:
    """What the seer knew in each match."""
    found = []
    for path in sorted((folder / records).glob("*/*.gz")):
        record = load(path)
        names = [player.name for player in record.header.players]
        words = record.verdict.accounts[names.index("seer")].stderr.splitlines()[0]
        kind, _, said = words.partition(" ")
        told = json.loads(said)
        claim = told if kind == "SEER" else None
        found.append(Claim(record.header.match, record.header.seed, claim, told["tried"]))
    return found


def watch_nothing(_progress: league.Progress, _store: Store) -> None:
    """Nobody looks."""


def run(path: Path) -> list[Claim]:
    """Play the league, and let the seer keep its records."""
    folder, name = path.parent, path.stem
    records, copied = folder / "leagues" / name / RECORDS, folder / "seer" / "earlier" / name
    if not copied.exists():  # else it was played whole before the program was interrupted
        tournament = read_tournament(path)
        running.run(lambda: league.run(tournament, folder / "leagues" / name, watch_nothing))
        shutil.copytree(records, copied)
    return claims(folder, records)


def told(name: str, found: Sequence[Claim], took_s: float) -> str:
    right = [one for one in found if one.is_right]
    tried = sum(one.tried for one in found)
    text = f"{name}: {len(right)} of {len(found)} deals known; {tried:,} guesses in all, {took_s:.0f} s"
    if right:
        slowest = max(float(str(one.claim["ms"])) for one in right if one.claim)
        text += f"; the slowest took {slowest:g} ms of CPU"
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=1000, help="without a seed, in two leagues")
    parser.add_argument("--cpu-s", type=float, default=10.0, help="that the seer takes for each match")
    parser.add_argument("--folder", type=Path, help="keep the leagues here, and continue those that are here")
    given = parser.parse_args()
    with TemporaryDirectory() as name:
        folder: Path = given.folder or Path(name)
        if not (folder / "seer").exists():
            pack(folder, given.cpu_s)
        folder.chmod(0o755)  # an arena that is root gives its bots other user numbers
        plans = {"control": (4, "seed = 0\n"), "first": (given.matches // 4, ""), "second": (given.matches // 4, "")}
        known = {}
        for league_name, (blocks, keys) in plans.items():
            began = time.monotonic()
            found = run(write_league(folder, league_name, blocks, keys))
            sys.stdout.write(told(league_name, found, time.monotonic() - began) + "\n")
            sys.stdout.flush()
            known[league_name] = sum(one.is_right for one in found), len(found)
    return 0 if known["control"] == (8, 8) and not known["first"][0] + known["second"][0] else 1


if __name__ == "__main__":
    sys.exit(main())
