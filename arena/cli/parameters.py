"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.terminal import say
from arena.match.clock import MOST_MS


def milliseconds(value: int | None) -> int | None:
    """A time that every language can read. A `max` of the option would put this long number into the help."""
    if value is not None and value > MOST_MS:
        raise typer.BadParameter(f"expected at most {MOST_MS}")
    return value


def file_path(text: str) -> Path:
    """A path from the command line, which must not be empty."""
    if not text:
        raise typer.BadParameter("'' is not a file name")
    return Path(text)


Bots = Annotated[
    list[str],
    typer.Argument(
        metavar="BOT",
        help="A folder with bot.toml, a built-in name such as greedy or search, or a command line in quotes.",
    ),
]
RecordFile = Annotated[Path, typer.Argument(metavar="FILE", parser=file_path, help="A record, *.match.jsonl.gz.")]
NewestOrFile = Annotated[
    Path | None,
    typer.Argument(
        metavar="[FILE]",
        parser=file_path,
        help="A record, *.match.jsonl.gz. Default: the newest in matches/ and in this directory.",
    ),
]
GameOption = Annotated[str, typer.Option(metavar="NAME", help="A game; `arena games` lists them.")]
RuleOption = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="A rule option, such as season=winter. Can be repeated."),
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        help="Seed of dice and deals, to repeat a match. Bots can guess a small one. Default: a new random seed.",
    ),
]
LeagueSeed = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        help="Seed of schedule and deals, to repeat them. Bots can find the deals from it. Default: a new secret.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        parser=file_path,
        help="File for the record. Default: a new file in matches/, GAME-SEED.match.jsonl.gz.",
    ),
]
Bank = Annotated[int, typer.Option(metavar="MS", min=0, callback=milliseconds, help="Time of each bot for the match.")]
Increment = Annotated[
    int, typer.Option(metavar="MS", min=0, callback=milliseconds, help="Time for each decision; used first.")
]
Prepare = Annotated[
    int, typer.Option(metavar="MS", min=1, callback=milliseconds, help="Time for hello, and again for ready.")
]
LEAST_MEMORY, MOST_MEMORY, MOST_THREADS = 16, 65536, 4096
"""As in a tournament file."""
MEMORY_MB, THREADS = 256, 8
"""Those of Policy in arena/sandbox/policy.py, which a test compares: help must not import the sandbox."""
Memory = Annotated[
    int,
    typer.Option(
        metavar="MB",
        min=LEAST_MEMORY,
        max=MOST_MEMORY,
        help="The most memory of a bot, for bots that ask for it: memory_mb in bot.toml.",
    ),
]
Threads = Annotated[
    int,
    typer.Option(
        metavar="COUNT",
        min=1,
        max=MOST_THREADS,
        help="Threads of a bot, in addition to one for each core and those of its runtime.",
    ),
]
Workers = Annotated[int | None, typer.Option(metavar="NUMBER", min=1, help="Worker processes.")]
STRIKES, PREPARE_MS = 3, 10_000
MOST_STRIKES = 1000
"""As in a tournament file."""
Strikes = Annotated[
    int, typer.Option(metavar="NUMBER", min=1, max=MOST_STRIKES, help="This many bad answers disqualify.")
]
AskForced = Annotated[bool, typer.Option("--ask-forced", help="Also ask when there is only one legal action.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Sandbox = Annotated[
    str,
    typer.Option(
        metavar="TIER",
        help="Sandbox tier: auto, full, lite, or none for bots that you trust. `arena doctor` explains them.",
        callback=lambda word: _tier(word),
    ),
]


def _tier(word: str) -> str:
    from arena.sandbox.policy import CHOICES

    if word not in CHOICES:
        raise typer.BadParameter(f"{word}: choose one of {', '.join(CHOICES)}")
    if word == "none":
        say("without a sandbox a bot can do all that you can do.")
    return word
