"""How long a newcomer takes to a bot that plays: the commands of docs/write-a-bot.md, timed, language by language.

    python benchmarks/newcomer.py              # all languages
    python benchmarks/newcomer.py rust go

Package managers keep what they have fetched, so the first run of a machine takes longer.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1]))

from tabulate import tabulate

from arena.roster.kits import LANGUAGES
from arena.roster.kits import language as language_of

GUIDE = Path(__file__).parents[1] / "docs" / "write-a-bot.md"


@dataclass(frozen=True)
class GuideStep:
    """A command of the guide, and how it went."""

    command: str
    seconds: float
    code: int
    output: str


def paths() -> Mapping[str, list[str]]:
    """The commands of each language, in the guide's order."""
    guide = GUIDE.read_text("utf-8")
    titles = {kit.title: language for language, kit in LANGUAGES.items()}
    sections = re.findall(r"^## (.+?)\n.*?^```sh\n(.*?)^```", guide, re.DOTALL | re.MULTILINE)
    return {titles[title]: block.splitlines() for title, block in sections if title in titles}


def walk(language: str, folder: Path, sandbox: str = "auto") -> Iterator[GuideStep]:
    """Do what the guide says, in this folder, as far as it goes well.

    With another sandbox than `auto` the match is played as `arena new-bot` says where no sandbox works.
    """
    own = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "XDG_STATE_HOME": f"{folder}/state",
    }
    environment = {**os.environ, **own}
    for command in paths()[language]:
        began = time.monotonic()
        words = shlex.split(command)
        if words[:2] == ["arena", "play"] and sandbox != "auto":
            words += ["--sandbox", sandbox]
        ended = subprocess.run(
            words, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        yield GuideStep(command, time.monotonic() - began, ended.returncode, ended.stdout)
        if ended.returncode:
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help=", ".join(LANGUAGES))
    rows = []
    for language in map(language_of, parser.parse_args().languages or LANGUAGES):
        with TemporaryDirectory() as name:
            Path(name).chmod(0o755)  # bots of a root user are others
            steps = list(walk(language, Path(name)))
        if steps[-1].code:
            sys.exit(f"{steps[-1].command}\n{steps[-1].output}")
        times = [step.seconds for step in steps]
        rows.append([language, *(f"{seconds:.1f}" for seconds in (*times, sum(times)))])
    sys.stdout.write(tabulate(rows, ["seconds", "new-bot", "edit", "check", "play", "all"]) + "\n")


if __name__ == "__main__":
    main()
