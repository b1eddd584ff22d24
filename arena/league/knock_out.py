"""The bracket of a knock-out: who meets whom, from the names and the results so far."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from arena.errors import StoreError
from arena.league import schedule
from arena.league.store import Row, Store
from arena.league.ties import Course, PlayedTables, Round, Tie


@dataclass(frozen=True, slots=True)
class Bracket:
    """The bots of a knock-out by their places in it, best first, and the number of seats at a table."""

    places: tuple[str, ...]
    size: int
    order: tuple[str, ...]
    """All bots in the order of the file, which decides if ranks and points do not."""

    def round(self, places: Sequence[str], met: PlayedTables) -> Round:
        """The ties of the bots that are left."""
        tables = schedule.bracket(places, self.size)
        return tuple(Tie(tuple(table), met.block(table), self.order) for table in tables)

    def rounds(self, met: PlayedTables) -> Iterator[Round]:
        """All rounds up to the first that is not over."""
        places, is_over = self.places, True
        while len(places) > 1 and is_over:
            ties = self.round(places, met)
            yield ties
            places, is_over = tuple(tie.best for tie in ties), all(tie.is_over for tie in ties)

    def parts(
        self, next_round: Callable[[Sequence[Sequence[str]]], schedule.Schedule], rows: Callable[[], Iterable[Row]]
    ) -> Iterator[schedule.Schedule]:
        """The rounds as parts of a plan. `next_round` makes one, given the winners of each round so far."""
        places, winners = self.places, list[list[str]]()
        while len(round_ := next_round(winners)):
            yield round_
            ties = self.round(places, PlayedTables(rows()))
            places = tuple(tie.best for tie in ties)
            winners.append([tie.best for tie in ties if not tie.is_bye])


def length(bots: Sequence[str], size: int) -> int:
    """How many matches a knock-out has. It does not depend on the winners."""
    places, matches = list(bots), 0
    while len(places) > 1:
        tables = schedule.bracket(places, size)
        matches += sum(len(table) for table in tables if len(table) > 1)
        places = [table[0] for table in tables]
    return matches


def champion(rounds: Sequence[Round]) -> str | None:
    """The winner of the final, if it is over."""
    return rounds[-1][0].winner if rounds and len(rounds[-1]) == 1 else None


def course(bots: Sequence[str], size: int, store: Store) -> Course:
    """How a knock-out went. StoreError if a result is of no table of it."""
    found = rounds(Bracket(tuple(bots), size, tuple(bots)), store, store.rows())
    return Course(rounds=found, champion=champion(found))


def rounds(bracket: Bracket, store: Store, rows: Iterable[Row]) -> tuple[Round, ...]:
    """The rounds so far. There are few results, because a bracket has fewer tables than bots.

    StoreError if results are left over: the file has other bots, or another order, than when they were played.
    """
    played = list(rows)
    found = tuple(bracket.rounds(PlayedTables(played)))
    _check_all_found(store, played, (row for round_ in found for tie in round_ for row in tie.rows))
    return found


def _check_all_found(store: Store, rows: Iterable[Row], found: Iterable[Row]) -> None:
    known = {row.match for row in found}
    for row in rows:
        if row.match not in known:
            raise StoreError(f"{store.path}: it is damaged: match {row.match}: the bracket has no such table.")
