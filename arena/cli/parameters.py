"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from arena.match.clock import MOST_MS


def file_path(text: str) -> Path:
    """A file, as people name it."""
    if not text:
        raise typer.BadParameter("'' names no file")
    return Path(text)


Bots = Annotated[
    list[str],
    typer.Argument(
        metavar="BOT",
        help="A folder with bot.toml, a built-in name (random, greedy), or a command line in quotes.",
    ),
]
RecordFile = Annotated[Path, typer.Argument(metavar="FILE", parser=file_path, help="A record, *.match.jsonl.gz.")]
GameOption = Annotated[str, typer.Option(metavar="NAME", help="A name of `arena games`.")]
RuleOption = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="A rule option, as in season=winter. May be repeated."),
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        help="The seed of dice and deals, to see a match again: bots can find a small one. Without it: a new one.",
    ),
]
LeagueSeed = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        help="Of the plan and its deals, to reproduce them: bots can find the deals from it. Without it: a new secret.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        parser=file_path,
        help="The record. Without it: a new file in this directory, GAME-SEED.match.jsonl.gz.",
    ),
]
Bank = Annotated[int, typer.Option(metavar="MS", min=0, max=MOST_MS, help="A bot's time for the match.")]
Increment = Annotated[int, typer.Option(metavar="MS", min=0, max=MOST_MS, help="For each decision; used first.")]
Prepare = Annotated[int, typer.Option(metavar="MS", min=1, max=MOST_MS, help="Time for hello, and for ready.")]
AskForced = Annotated[bool, typer.Option("--ask-forced", help="Ask also where there is only one legal action.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Sandbox = Annotated[
    str,
    typer.Option(
        metavar="TIER",
        help="What holds the bots back: auto, full, lite, or none for bots that you trust. `arena doctor` explains.",
        callback=lambda word: _tier(word),
    ),
]


def _tier(word: str) -> str:
    from arena.sandbox.policy import CHOICES

    if word not in CHOICES:
        raise typer.BadParameter(f"{word}: choose one of {', '.join(CHOICES)}")
    if word == "none":
        typer.echo("arena: without a sandbox a bot can do all that you can do.", err=True)
    return word
