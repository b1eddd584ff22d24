"""Makes a frozen ladder from a league that has been played."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from arena.errors import SettingError
from arena.files import write_whole
from arena.ladder.frozen import FORMAT, LEAST, LadderFile, Made, Neighbours, Rung
from arena.ladder.rungs import digest_of
from arena.league.fit import Fit, fit
from arena.league.results import outcomes_of
from arena.league.statistics import Estimate
from arena.league.store import Store
from arena.league.tournament import Tournament
from arena.roster.entries import built_in, is_built_in
from arena.roster.folders import KITS
from arena.version import VERSION

PLACES = 1
"""Decimals of ratings in a file; covariances have one more."""


def freeze(store: Store, tournament: Tournament, commands: Sequence[str]) -> LadderFile:
    """The ladder of a league: all its bots, with the ratings that its results give them.

    SettingError if the league cannot be a ladder.
    """
    _check(store, tournament)
    fitted = fit(outcomes_of(store), tournament.bots)
    order = sorted(tournament.bots, key=lambda bot: (fitted.rating(bot).value, bot))
    anchor = dict(tournament.anchor)
    notes = _Notes.of(store)
    return LadderFile(
        format=FORMAT,
        game=tournament.game,
        edition=tournament.edition,
        options=dict(tournament.options),
        seats=tournament.seats[0],
        anchor=anchor,
        clock=tournament.league_clock.plain(),
        seat_effects=[round(one.elo.value, PLACES) for one in fitted.seats],
        rungs=[_rung(bot, tournament, fitted.anchored(bot, anchor), notes) for bot in order],
        covariance=[[round(_shared(fitted, a, b, anchor), PLACES + 1) for b in order] for a in order],
        neighbours=[_neighbours(fitted, bot, below) for below, bot in pairwise(order)],
        made=Made(
            at=f"{datetime.now(UTC):%Y-%m-%d}",
            arena=VERSION,
            commands=list(commands),
            matches=store.count(),
            records=notes.records,
        ),
    )


def write_ladder(ladder: LadderFile, path: Path) -> None:
    """Write the file of a ladder, with the rows of the covariance on one line each."""
    plain = ladder.model_dump(mode="json")
    rows = [json.dumps(row) for row in plain["covariance"]]
    text = json.dumps({**plain, "covariance": [f"@{at}" for at in range(len(rows))]}, indent=2, ensure_ascii=False)
    for at, row in enumerate(rows):
        text = text.replace(f'"@{at}"', row, 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, f"{text}\n".encode())


def _check(store: Store, tournament: Tournament) -> None:
    name = tournament.path
    if len(tournament.seats) != 1:
        raise SettingError(f"{name}: a ladder has tables of one size. Name one in schedule.seats.")
    if len(tournament.bots) < max(LEAST, tournament.seats[0] - 1):
        raise SettingError(f"{name}: a ladder needs more bots. Add some.")
    if not tournament.anchor:
        raise SettingError(f"{name}: a ladder counts from a bot whose rating is fixed: anchor = {{ greedy = 1500 }}.")
    if missing := sorted({*tournament.bots} - outcomes_of(store).played()):
        raise SettingError(f"{name}: {', '.join(missing)} has not played yet. Run it for longer.")
    for entry in tournament.entries:
        if not (entry.folder.is_relative_to(KITS) or is_built_in(entry)):
            raise SettingError(f"{name}: {entry.name} is not one of the bots that come with the arena, in {KITS}.")


class _Notes:
    """What the results say about each bot in addition to its rating, and the digest of all records."""

    def __init__(self) -> None:
        self.matches, self.decisions, self.cpu_us = Counter[str](), Counter[str](), Counter[str]()
        self.faults: dict[str, Counter[str]] = {}
        self.records = ""

    @classmethod
    def of(cls, store: Store) -> "_Notes":
        notes, played = cls(), list[str]()
        for row in store.rows():
            played.append(f"{row.match} {row.digest}\n")
            for bot, times in zip(row.bots, row.times or ({},) * len(row.bots)):
                notes.matches[bot] += 1
                notes.decisions[bot] += times.get("decisions", 0)
                notes.cpu_us[bot] += times.get("cpu_us", 0)
            for fault in row.faults:
                if fault["seat"] is not None:
                    notes.faults.setdefault(row.bots[fault["seat"]], Counter())[fault["kind"]] += 1
        notes.records = hashlib.sha256("".join(sorted(played)).encode()).hexdigest()
        return notes


def _rung(bot: str, tournament: Tournament, rating: Estimate, notes: _Notes) -> Rung:
    entry = next(one for one in tournament.entries if one.name == bot)
    file = _description(tournament.words.get(bot, bot), tournament.path.parent)
    files, digest = digest_of(entry, file, tournament.game)
    decisions = max(1, notes.decisions[bot])
    return Rung(
        bot=bot,
        file=file,
        version=entry.version,
        command=_portable(entry.command),
        files=files,
        digest=digest,
        rating=round(rating.value, PLACES),
        low=round(rating.low, PLACES),
        high=round(rating.high, PLACES),
        matches=notes.matches[bot],
        faults=dict(sorted(notes.faults.get(bot, {}).items())),
        cpu_ms=round(notes.cpu_us[bot] / 1000 / decisions, 2),
    )


def _description(word: str, folder: Path) -> str:
    """The description of a bot that a tournament file names so, relative to the folder of the arena's bots."""
    path = built_in().get(word) or folder / word
    path = path / "bot.toml" if path.is_dir() else path
    return str(path.resolve().relative_to(KITS))


def _portable(command: Sequence[str]) -> list[str]:
    """The words of a command, without the place of the interpreter on this machine."""
    first, *rest = command
    return [Path(first).name.rstrip("0123456789.") if Path(first).is_absolute() else first, *rest]


def _shared(fitted: Fit, a: str, b: str, anchor: Mapping[str, float]) -> float:
    """The covariance of two ratings that are counted from the mean of the anchors."""
    at = {bot: number for number, bot in enumerate(fitted.bots)}
    c, i, j, held = fitted.covariance, at[a], at[b], [at[bot] for bot in anchor]
    count = len(held)
    theirs = sum(c[h][k] for h in held for k in held) / count**2
    return c[i][j] - sum(c[i][h] + c[j][h] for h in held) / count + theirs


def _neighbours(fitted: Fit, bot: str, below: str) -> Neighbours:
    apart = fitted.difference(bot, below)
    return Neighbours(
        bot=bot,
        below=below,
        elo=round(apart.value, PLACES),
        low=round(apart.low, PLACES),
        high=round(apart.high, PLACES),
        superiority=round(fitted.superiority(bot, below), 4),
    )
