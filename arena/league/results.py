"""The standings of a league, from its store."""

from collections.abc import Sequence

from arena.league import elo, standings
from arena.league.store import NEVER, Store


def table(
    store: Store, bots: Sequence[str] = (), before: int = NEVER, seats: int | None = None
) -> tuple[standings.Standing, ...]:
    """The standings from all results, from those before a place in the plan, or from tables of one size."""
    found = (elo.Result(*outcome) for outcome in store.outcomes(before))
    results = [result for result in found if seats is None or len(result.bots) == seats]
    return standings.standings(results, bots or store.settings().get("order", ()), store.faults(seats))
