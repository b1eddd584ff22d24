"""One run of `arena tune`: it plays, compares what it has found with the start, and shows both."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import typer

from arena.cli.duel import name_of, plain_answer, show_answer
from arena.cli.league_folder import play_league
from arena.cli.tables import table
from arena.cli.terminal import say
from arena.errors import Interrupted, SettingError
from arena.files import write_whole
from arena.league.admission import differences
from arena.league.duel import Comparison
from arena.league.kinds import Duel
from arena.league.run import Progress
from arena.league.store import FILE, open_store
from arena.league.tournament import Tournament
from arena.roster.entries import Entry, base_of, with_values
from arena.roster.tunables import Number
from arena.texts import counted, one_line
from arena.tuning.found import TunedParameter, found, manifest_block, plain, values_file
from arena.tuning.kind import LEAST_ALIKE, Tuning
from arena.tuning.plot import svg

PLOT, VALUES = "course.svg", "tuned.toml"
WAY_ON = "Run the same command to continue."
LEAST_DUEL = 16
"""Units after which a duel first looks."""


@dataclass(slots=True)
class TuningRun:
    """What is tuned, where, and what has come of it."""

    entry: Entry
    """The bot with the values with which it begins."""
    kind: Tuning
    tournament: Tournament
    folder: Path
    word: str
    """How the user names the bot."""
    tuned: list[TunedParameter] = field(default_factory=list)
    iterations: int = 0
    answer: Comparison | None = None
    duel: Duel | None = None

    @property
    def values(self) -> dict[str, Number]:
        """What was found."""
        return {parameter.one.name: parameter.value for parameter in self.tuned}

    @property
    def better(self) -> Entry:
        """The bot with the values that were found."""
        return with_values(self.entry, self.values)

    @property
    def games(self) -> int:
        return 2 * self.kind.units * self.iterations

    def play(self) -> Progress:
        """Play what is missing, and write the picture and the values, also if the user stops it."""
        self._check_folder()
        try:
            progress = play_league(self.tournament, self.folder, WAY_ON)
        except Interrupted:
            self._look()
            raise
        if progress.is_decided:
            raise SettingError(
                f"{one_line(self.entry.name)}: both settings play alike: each of the first {LEAST_ALIKE} units was the "
                "same game twice, although the settings had exchanged seats. Does the bot read `tune` in its `start`, "
                "for every match? If it does, these parameters change nothing at this table."
            )
        self._look()
        return progress

    def _check_folder(self) -> None:
        """SettingError if the folder has the games of another bot, or of other files of this one."""
        if not (self.folder / FILE).exists():
            return
        with open_store(self.folder) as store:
            changes = differences(store.lineup(), self.tournament, self.folder)
        if changes:
            words = "; ".join(f"{one_line(one.name)} {one.words}" for one in changes)
            raise SettingError(
                f"{self.folder}: it has the games of another bot, or of other files of it: {words}. Leave out "
                "--folder, or name another one."
            )

    def _look(self) -> None:
        """Read what was played, and write the picture and the values."""
        if not (self.folder / FILE).exists():
            return
        with open_store(self.folder) as store:
            tournament = replace(self.tournament, secret=str(store.settings().get("secret", "")))
            if not tournament.secret:
                return
            ascent = self.kind.so_far(store, tournament.chance.dice)
        self.iterations, self.tuned = len(ascent.path), found(ascent)
        title = f"{self.entry.name}: {self.tournament.game}, {self.tournament.seats[0]} players"
        write_whole(self.folder / PLOT, svg(title, self.tuned, self.games).encode())
        remark = f"{one_line(self.entry.name)} after {counted(self.games, 'game')} of tuning."
        text = values_file(base_of(self.word), f"{self.entry.name[:57]}-tuned", self._chosen(), remark)
        write_whole(self.folder / VALUES, text.encode())

    def _chosen(self) -> dict[str, Number]:
        """All values that are not the bot's defaults."""
        return dict(self.better.chosen)

    def compare(self, units: int) -> None:
        """Play the final duel, if there is something to compare."""
        if units < LEAST_DUEL or not self.iterations or self.better.chosen == self.entry.chosen:
            return
        a, b = f"{self.entry.name[:57]}-tuned", self.entry.name
        self.duel = Duel(a, b, units, self.kind.is_on_score)
        seed = self.tournament.seed
        final = replace(
            self.tournament,
            path=Path(f"tune {self.word}: the final duel"),
            entries=(replace(self.better, name=a), replace(self.entry, name=b), *self.tournament.entries[2:]),
            kind=self.duel,
            seed=None if seed is None else seed + 1,  # other deals than those by which the values were found
            processes="match",
            minutes=None,
        )
        final = replace(final, name=name_of(final))
        folder = self.folder / final.name
        say(f"{counted(self.iterations, 'iteration')} played. Now a duel: is {a} better than {b}?")
        play_league(final, folder, WAY_ON)
        with open_store(folder) as store:
            self.answer = self.duel.compared(store)

    def plain(self, stopped: str) -> dict[str, Any]:
        """For programs."""
        return {
            "bot": self.entry.name,
            "game": self.tournament.game,
            "seats": self.tournament.seats[0],
            "on": "score" if self.kind.is_on_score else "rank",
            "folder": str(self.folder),
            "iterations": self.iterations,
            "games": self.games,
            "stopped": stopped,
            "parameters": list(plain(self.tuned)),
            "plot": str(self.folder / PLOT),
            "values": str(self.folder / VALUES),
            "duel": plain_answer(self.answer, self.duel) if self.answer and self.duel else None,
        }

    def show(self) -> None:
        """For people."""
        typer.echo(table(list(self._rows()), ["parameter", "range", "start", "tuned", "best, 95 %"]))
        typer.echo(f"\n{counted(self.games, 'game')} in {counted(self.iterations, 'iteration')}. For bot.toml:\n")
        typer.echo(manifest_block(self.entry.tunables, {**self.entry.values, **self.values}))
        if self.answer and self.duel:
            show_answer(self.answer, self.duel, self.folder)
        elif self.iterations and self.better.chosen == self.entry.chosen:
            typer.echo("The tuned values are those at the start: nothing to compare.")
        values = shlex.quote(str(self.folder / VALUES))
        typer.echo(f"course in {self.folder / PLOT}\nThe tuned bot plays:  arena play {values} greedy", err=True)

    def _rows(self) -> Iterator[list[str]]:
        for parameter in self.tuned:
            one, sure = parameter.one, parameter.interval
            best = f"{sure[0]:g} to {sure[1]:g}" if sure else "not seen"
            yield [one.name, f"{one.low:g} to {one.high:g}", f"{parameter.start:g}", f"{parameter.value:g}", best]
