"""How a league with rounds went: its groups, the ties of its bracket, and who went on, and why.

A tie is one table of a knock-out with all its matches. Ranks decide it, then points, then the order in the file. A
group is a round robin whose bots are ranked by the opponents that they beat, then by points, then by the order in the
file. Pure: all of it follows from the names and the results.

A pair of one group may meet again in the final: whoever asks for ties or tables passes the results of one stage.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from arena.league.store import Row

BY_RANKS, BY_POINTS, BY_ORDER, BY_BYE = "ranks", "points", "order in the file", "bye"
"""Why a bot goes on."""


class PlayedTables:
    """The results of a knock-out by table, in plan order."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._blocks: dict[frozenset[str], dict[int, list[Row]]] = {}
        for row in rows:
            self._blocks.setdefault(frozenset(row.bots), {}).setdefault(row.block, []).append(row)

    def block(self, bots: Iterable[str]) -> tuple[Row, ...]:
        """The results of these bots. They meet in one block; only a damaged store has more."""
        return tuple(next(iter(self._blocks.get(frozenset(bots), {}).values()), ()))


@dataclass(frozen=True, slots=True)
class Tie:
    """A table of a knock-out. A bot alone at its table has a bye."""

    bots: tuple[str, ...]
    """As the bracket seats them: the one with the better place first."""
    rows: tuple[Row, ...]
    order: tuple[str, ...]
    """All bots in the order of the file."""

    @property
    def is_bye(self) -> bool:
        return len(self.bots) == 1

    @property
    def is_over(self) -> bool:
        return self.is_bye or len(self.rows) >= len(self.bots)

    @property
    def best(self) -> str:
        """The bot that goes on by the results so far."""
        return min(self.bots, key=self._key)

    @property
    def winner(self) -> str | None:
        return self.best if self.is_over else None

    @property
    def why(self) -> str:
        """What decided it."""
        if self.is_bye:
            return BY_BYE
        best, second, *_ = sorted(map(self._key, self.bots))
        return next(why for why, one, other in zip((BY_RANKS, BY_POINTS, BY_ORDER), best, second) if one != other)

    def ranks(self, bot: str) -> int:
        """The sum of its ranks in the matches of this tie: lower is better."""
        return sum(row.ranks[row.bots.index(bot)] for row in self.rows)

    def points(self, bot: str) -> int:
        return sum(row.scores[row.bots.index(bot)] for row in self.rows)

    def _key(self, bot: str) -> tuple[int, int, int]:
        return self.ranks(bot), -self.points(bot), self.order.index(bot)


Round = tuple[Tie, ...]
"""The ties of a round, byes included, in the order of the bracket."""


@dataclass(frozen=True, slots=True)
class GroupPlace:
    """A line in the table of a group."""

    bot: str
    games: int
    beaten: Fraction
    """Opponents that it beat, over all games; a tie counts one half."""
    met: int
    """Opponents that it met, over all games."""
    points: int

    @property
    def share(self) -> Fraction:
        return self.beaten / self.met if self.met else Fraction(0)

    @property
    def mean(self) -> Fraction:
        """Points of a game."""
        return Fraction(self.points, self.games) if self.games else Fraction(0)


@dataclass(frozen=True, slots=True)
class GroupTable:
    """A round robin inside a league: the table so far, best first, and how many of its matches are played."""

    name: str
    places: tuple[GroupPlace, ...]
    played: int
    planned: int
    advance: int
    """How many of its bots go on; none from a final."""

    @property
    def is_over(self) -> bool:
        return self.played >= self.planned

    @property
    def going_on(self) -> int:
        """How many of its bots have gone on."""
        return self.advance if self.is_over else 0

    @property
    def bots(self) -> tuple[str, ...]:
        return tuple(place.bot for place in self.places)


@dataclass(frozen=True, slots=True)
class Course:
    """How a league with rounds went so far. A league has groups, rounds of a knock-out, or both."""

    groups: tuple[GroupTable, ...] = ()
    rounds: tuple[Round, ...] = ()
    final: GroupTable | None = None
    """The final, if it is a round robin."""
    champion: str | None = None


class GroupTally:
    """Counts the results of a group one by one, because there may be more of them than memory."""

    def __init__(self, bots: Sequence[str]) -> None:
        self._bots = {bot: at for at, bot in enumerate(bots)}
        """In the order of the file."""
        self._games, self._met, self._points, self._halves = (Counter[str]() for _ in range(4))
        self.played = 0

    def has(self, bots: Iterable[str]) -> bool:
        return self._bots.keys() >= set(bots)

    def add(self, row: Row) -> None:
        self.played += 1
        for bot, rank, score in zip(row.bots, row.ranks, row.scores):
            self._games[bot] += 1
            self._met[bot] += len(row.bots) - 1
            self._points[bot] += score
            self._halves[bot] += sum((rank < other) + (rank <= other) for other in row.ranks) - 1  # without itself

    def table(self, name: str, planned: int, advance: int) -> GroupTable:
        places = sorted(
            map(self._place, self._bots), key=lambda place: (-place.share, -place.mean, self._bots[place.bot])
        )
        return GroupTable(name, tuple(places), self.played, planned, advance)

    def _place(self, bot: str) -> GroupPlace:
        beaten = Fraction(self._halves[bot], 2)
        return GroupPlace(bot, self._games[bot], beaten, self._met[bot], self._points[bot])
