"""`arena place`: how strong is my bot, on a scale that does not change?"""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.exits import Exit
from arena.cli.league_folder import HOME, play_league
from arena.cli.options import changed_options
from arena.cli.parameters import (
    MEMORY_MB,
    PREPARE_MS,
    STRIKES,
    THREADS,
    AsJson,
    GameOption,
    LeagueSeed,
    Memory,
    Prepare,
    RuleOption,
    Sandbox,
    Strikes,
    Threads,
    Workers,
    file_path,
    milliseconds,
)
from arena.cli.progress import LeagueLine, duration
from arena.cli.tables import table
from arena.cli.terminal import say
from arena.texts import counted, one_line

if TYPE_CHECKING:
    from arena.ladder.conduct import Conduct
    from arena.ladder.frozen import Ladder
    from arena.league.kinds import Placing
    from arena.league.placing import LadderPlace
    from arena.league.store import Store
    from arena.league.tournament import Tournament
    from arena.match.clock import TimeControl
    from arena.roster.entries import Entry

MOST_MATCHES = 3_000
LEAST_WIDTH = 1.0
PLACED = "-placed"
"""What follows the name of a bot that is called as a rung is."""


def place(
    bot: Annotated[str, typer.Argument(metavar="BOT", help="A folder, a name, or a command line.")],
    game: GameOption = "draftosaurus",
    option: RuleOption = None,
    seats: Annotated[
        int, typer.Option(metavar="NUMBER", min=2, help="Players at the table; the others are rungs.")
    ] = 2,
    until: Annotated[
        float,
        typer.Option(metavar="ELO", min=LEAST_WIDTH, help="End when the rating is known to so many points up or down."),
    ] = 25.0,
    matches: Annotated[
        int, typer.Option(metavar="NUMBER", min=16, max=10**9, help="Maximum number of matches.")
    ] = MOST_MATCHES,
    minutes: Annotated[
        float | None, typer.Option(metavar="NUMBER", min=0, help="Stop after this time; the same command continues.")
    ] = None,
    ladder: Annotated[
        Path | None,
        typer.Option(metavar="OUT", parser=file_path, help="The file of another ladder. Default: the frozen one."),
    ] = None,
    seed: LeagueSeed = None,
    bank_ms: Annotated[
        int | None,
        typer.Option(
            metavar="MS", min=0, callback=milliseconds, help="Time of each bot for the match. Default: as frozen."
        ),
    ] = None,
    increment_ms: Annotated[
        int | None,
        typer.Option(
            metavar="MS", min=0, callback=milliseconds, help="Time for each decision; used first. Default: as frozen."
        ),
    ] = None,
    prepare_ms: Prepare = PREPARE_MS,
    workers: Workers = None,
    processes: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help="match: new processes for each match. worker: they keep running, which is faster, for bots that "
            "remember nothing.",
        ),
    ] = "match",
    sandbox: Sandbox = "auto",
    memory_mb: Memory = MEMORY_MB,
    threads: Threads = THREADS,
    strikes: Strikes = STRIKES,
    as_json: AsJson = False,
) -> None:
    """Find the place of a bot on a frozen ladder.

    The bot plays against bots of known strength, most against those near it, until its rating is known to 25 Elo points
    up or down (--until), or until 3,000 matches are played (--matches). Ratings of the ladder never change, so
    placements can be compared over months. Run the same command again to continue.

    Every match has a new deal. Illegal and late answers are counted apart; what they cost is part of the strength.
    """
    from arena.ladder.conduct import conduct_of
    from arena.ladder.frozen import ladder_of
    from arena.league.kinds import Placing
    from arena.league.store import open_store
    from arena.league.tournament import Tournament
    from engine.catalogue import game as find_game

    if processes not in ("match", "worker"):
        raise typer.BadParameter(f"--processes {processes}: expected match or worker")
    played = find_game(game)
    options = changed_options(played, option or [])
    played.start(seats, options)  # SetupError, before any bot is looked up
    frozen = ladder_of(played, options, seats, ladder)
    for remark in frozen.remarks:
        say(remark)
    own = _entry(bot, frozen, game)
    kind = Placing(own.name, frozen.scale, max(1, matches // seats), until)
    tournament = Tournament(
        path=Path(f"place {bot}"),
        name="place",
        game=game,
        edition=played.edition,
        entries=(own, *frozen.entries),
        options=options,
        seed=seed,
        deals="fresh",
        kind=kind,
        seats=(seats,),
        minutes=minutes,
        clock=_clock(frozen, bank_ms, increment_ms, prepare_ms),
        strikes=strikes,
        sandbox=sandbox,
        memory_mb=memory_mb,
        threads=threads,
        workers=workers,
        processes=processes,
    )
    tournament = replace(tournament, name=name_of(tournament))
    folder = HOME / tournament.name
    line = LeagueLine(lambda store: _so_far(kind, store))
    progress = play_league(tournament, folder, "Run the same command to continue.", line=line)
    with open_store(folder) as store:
        found, conduct = kind.placed(store), conduct_of(store, kind.bot)
        seconds = _seconds(store)
    for rung, count in conduct.others.items():
        say(
            f"the rung {one_line(rung)} made {counted(count, 'mistake')}, such as late answers: it was weaker here "
            "than its rating. Use fewer --workers, or more time."
        )
    if as_json:
        typer.echo(json.dumps(_plain(found, conduct, kind, frozen, folder, seconds), indent=2))
    else:
        _show(found, conduct, kind, frozen, folder, seconds)
    if progress.given_up:
        raise typer.Exit(Exit.FAILURE)


def _entry(word: str, ladder: "Ladder", game: str) -> "Entry":
    """The bot, under a name that no rung has."""
    from arena.errors import RosterError
    from arena.match.play import find_all

    (entry,) = find_all([word])
    if not entry.plays(game):
        raise RosterError(f"{one_line(entry.name)} does not play {game}. Name another --game.")
    if entry.name in {rung.name for rung in ladder.entries}:
        return replace(entry, name=f"{entry.name[: 64 - len(PLACED)]}{PLACED}")
    return entry


def _clock(ladder: "Ladder", bank_ms: int | None, increment_ms: int | None, prepare_ms: int) -> "TimeControl":
    """The clock of the ladder, with the times that the user gives instead."""
    control = replace(ladder.control, hello_ms=prepare_ms, prepare_ms=prepare_ms)
    bank = control.bank_ms if bank_ms is None else bank_ms
    return replace(control, bank_ms=bank, increment_ms=control.increment_ms if increment_ms is None else increment_ms)


def name_of(placing: "Tournament") -> str:
    """A name from all that decides its matches, so that the same command finds its results again."""
    bots = [[entry.name, entry.digest, *entry.command] for entry in placing.entries]
    clock = [placing.clock.bank_ms, placing.clock.increment_ms, placing.clock.prepare_ms]
    limits = [placing.memory_mb, placing.strikes, placing.threads, placing.processes, placing.sandbox == "none"]
    what = [placing.game, placing.options, *placing.seats, placing.seed, clock, bots, limits, placing.kind.identity()]
    return f"place-{hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:8]}"


def _so_far(kind: "Placing", store: "Store") -> list[str]:
    """What stands in the line of progress."""
    rating = kind.placed(store).rating
    return [f"{rating.value:.0f} ± {(rating.high - rating.low) / 2:.0f}"]


def _seconds(store: "Store") -> int:
    """How long the last run took."""
    from arena.league.heartbeat import runs_of

    runs = runs_of(store.settings())
    return 0 if runs is None else max(0, runs.seen - runs.began)


def _half(interval: Any) -> float:
    return float(interval.high - interval.low) / 2


def _show(
    found: "LadderPlace", conduct: "Conduct", kind: "Placing", ladder: "Ladder", folder: Path, seconds: int
) -> None:
    bot, rating = one_line(found.bot), found.rating
    anchors = ", ".join(f"{name} has {elo:g}" for name, elo in ladder.file.anchor.items())
    typer.echo(
        f"{bot}: {rating.value:.0f} ± {_half(rating):.0f} Elo ({rating.low:.0f} to {rating.high:.0f}); {anchors}."
    )
    typer.echo(_rung(found))
    parts = f"±{_half(found.own):.0f} from {counted(conduct.matches, 'match')}, ±{_half(found.rungs):.0f}"
    typer.echo(f"The interval: {parts} from the ratings of the rungs themselves.{_why_not(found, kind)}")
    if odd := found.misfit:
        side = "more" if odd.surprise > 0 else "less"
        typer.echo(
            f"It won {side} against {odd.rung} than this rating says: {odd.points:g} of {odd.games} games, "
            f"{odd.expected:.1f} expected. One number does not say all about this bot."
        )
    rows = [
        [one.rung, f"{one.rating:.0f}", str(one.games), f"{one.points:g}", f"{one.expected:.1f}", _percent(one)]
        for one in reversed(found.against)
    ]
    typer.echo(f"\n{table(rows, ['rung', 'rating', 'games', 'points', 'expected', 'better'], names=0)}\n")
    typer.echo(_conduct(conduct))
    cpu = conduct.cpu_us / 1e6
    each = f", {cpu / conduct.decisions * 1000:.1f} ms a decision" if conduct.decisions else ""
    typer.echo(
        f"Cost: {counted(conduct.matches, 'match')}; the last run took {duration(seconds)}. CPU: {cpu:.1f} s of the bot"
        f"{each}; {conduct.all_cpu_us / 1e6:.1f} s of all bots."
    )
    typer.echo(f"results in {folder}", err=True)


def _rung(found: "LadderPlace") -> str:
    below, above = found.below, found.above
    if below is None:
        assert above is not None, "a ladder has rungs"
        return f"Rung: below {above.rung}, the lowest; weaker than it with {_sure(1 - above.superiority)}."
    if above is None:
        return f"Rung: above {below.rung}, the highest; better than it with {_sure(below.superiority)}."
    return (
        f"Rung: between {below.rung} and {above.rung}; better than {below.rung} with {_sure(below.superiority)}, than "
        f"{above.rung} with {_sure(above.superiority)}."
    )


def _sure(likelihood: float) -> str:
    """Nothing is certain."""
    if 0.001 <= likelihood <= 0.999:
        return f"{100 * likelihood:.0f} %" if 0.01 <= likelihood <= 0.99 else f"{100 * likelihood:.1f} %"
    return "more than 99.9 %" if likelihood > 0.5 else "less than 0.1 %"


def _percent(one: Any) -> str:
    return _sure(one.superiority).replace("more than ", "> ").replace("less than ", "< ")


def _why_not(found: "LadderPlace", kind: "Placing") -> str:
    """Why the interval is wider than it should be."""
    if _half(found.rating) <= kind.until:
        return ""
    if found.is_within(kind.until):
        return " More matches would hardly help: the ladder itself is not known better."
    return f" ±{kind.until:g} takes more matches: raise --matches."


def _conduct(conduct: "Conduct") -> str:
    from arena.ladder.conduct import ANSWERS

    shares = ", ".join(f"{kind} {100 * conduct.share(kind):.2f} %" for kind in ANSWERS)
    lost = f"disqualified in {conduct.lost:,} of {counted(conduct.matches, 'match')}"
    return f"Answers: {counted(conduct.decisions, 'decision')}; {shares}; {lost}. The rating counts what came of it."


def _plain(
    found: "LadderPlace", conduct: "Conduct", kind: "Placing", ladder: "Ladder", folder: Path, seconds: int
) -> dict[str, Any]:
    from arena.ladder.conduct import ANSWERS

    return {
        "bot": found.bot,
        "game": ladder.file.game,
        "seats": ladder.file.seats,
        "rating": _estimate(found.rating),
        "from_matches": _estimate(found.own),
        "from_rungs": _estimate(found.rungs),
        "until": kind.until,
        "is_within": _half(found.rating) <= kind.until,
        "more_would_help": not found.is_within(kind.until),
        "above": found.below.rung if found.below else None,
        "below": found.above.rung if found.above else None,
        "misfit": found.misfit.rung if found.misfit else None,
        "rungs": [
            {
                "bot": one.rung,
                "rating": one.rating,
                "games": one.games,
                "points": one.points,
                "expected": round(one.expected, 2),
                "superiority": round(one.superiority, 6),
            }
            for one in found.against
        ],
        "ladder": {
            "frozen": ladder.file.made.at,
            "anchor": dict(ladder.file.anchor),
            "records": ladder.file.made.records,
            "remarks": list(ladder.remarks),
        },
        "conduct": {
            "decisions": conduct.decisions,
            **{str(kind): round(conduct.share(kind), 6) for kind in ANSWERS},
            "disqualified": conduct.lost,
            "faults": dict(conduct.faults),
            "faults_of_rungs": dict(conduct.others),
        },
        "cost": {
            "matches": conduct.matches,
            "seconds": seconds,
            "cpu_s": round(conduct.cpu_us / 1e6, 3),
            "all_cpu_s": round(conduct.all_cpu_us / 1e6, 3),
        },
        "folder": str(folder),
    }


def _estimate(one: Any) -> dict[str, float]:
    return {key: round(getattr(one, key), 1) for key in ("value", "error", "low", "high")}
