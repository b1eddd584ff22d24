"""What a league's results say: the standings, and who has won a duel."""

from collections.abc import Sequence

from arena.league import duel, elo, standings
from arena.league.store import NEVER, Store


def table(
    store: Store, bots: Sequence[str] = (), before: int = NEVER, seats: int | None = None
) -> tuple[standings.Standing, ...]:
    """The standings, from the results there are: all, those before a place in the plan, or of one size of table."""
    found = (elo.Result(*outcome) for outcome in store.outcomes(before))
    results = [result for result in found if seats is None or len(result.bots) == seats]
    return standings.standings(results, bots or store.settings().get("order", ()), store.faults(seats))


def duel_of(store: Store, a: str, b: str, is_on_score: bool) -> duel.Duel:
    """Whether A is better than B, going by the complete units in plan order."""
    results = [elo.Result(*outcome) for outcome in store.outcomes()]
    if is_on_score:
        return duel.duel_on_score(duel.exchanges_by_score(results, a, b))
    return duel.duel(duel.exchanges_by_rank(results, a, b))
