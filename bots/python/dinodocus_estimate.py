"""What each player of Dinodocus will probably have at the end.

Theory of operation. That is the points, and what each dinosaur still earns: `life` by its age, times the chance to get
through the next round. The chance is a product of factors, looked up by margins: its strength over the reach of the
carnivores of others, its strength over the herbivores that may rob it, what a hungry herbivore can rob, and what a
carnivore finds to eat. The factors are in `WEIGHTS`; benchmarks/dinodocus_weights.py fits them to games.
"""

import math
from collections.abc import Sequence

from dinodocus_table import FERNS, LENGTH, OLD, Table, gain
from dinodocus_weights import CHANCES, LEAST, MOST, first

KINDS = ("prey", "rob", "seek", "hunt", "calm", "queue", "pack")


def factors(weights: dict[str, float], name: str) -> tuple[float, ...]:
    """A row of the weights."""
    return tuple(
        [weights[f"{name}{at:+d}"] for at in range(first(CHANCES[name]), MOST + 1) if f"{name}{at:+d}" in weights]
    )


class Estimate:
    """The estimate by these weights."""

    def __init__(self, weights: dict[str, float]) -> None:
        self.late = [factors(weights, f"{name}-late") for name in KINDS]
        self.next = [factors(weights, f"{name}-next") for name in KINDS]
        self.spread = weights["spread"]
        self.ageing = weights["ageing"]
        self.rivals = weights["rivals"]
        self.lives: dict[int, tuple[float, ...]] = {}

    def life(self, rounds: float) -> tuple[float, ...]:
        """By period cards: what a dinosaur earns in so many rounds if it survives the first of them."""
        key = int(4 * rounds)
        known = self.lives.get(key)
        if known is None:
            known = self.lives[key] = tuple([self._earned(periods, key / 4) for periods in range(OLD + 1)])
        return known

    def _earned(self, periods: int, rounds: float) -> float:
        total, chance = 0.0, 1.0
        while rounds > 0:
            total += chance * min(rounds, 1) * gain(periods)
            chance *= self.ageing
            periods += 1
            rounds -= 1
        return total

    def chances(self, table: Table) -> list[float]:  # noqa: C901  # split up, a playout takes half as long again
        """For each dinosaur the chance to get through its next round: to be fed when its owner ends a turn."""
        animals = table.animals
        late, soon, due = self.late, self.next, table.current
        # The best two of different owners are all one must know to find the best of the others.
        reach = reach2 = power = power2 = -9
        low = low2 = 99
        reach_of = power_of = low_of = -1
        held = 0
        least = 99  # the weakest that holds a fern
        for one in animals:
            owner, strength = one.owner, one.strength
            if one.meat:
                attack = one.attack
                if owner == reach_of:
                    if attack > reach:
                        reach = attack
                elif attack > reach:
                    reach2, reach, reach_of = reach, attack, owner
                elif attack > reach2:
                    reach2 = attack
            else:
                defence = one.defence
                if one.fed:
                    held += 1
                    if strength < least:
                        least = strength
                if owner == power_of:
                    if defence > power:
                        power = defence
                elif defence > power:
                    power2, power, power_of = power, defence, owner
                elif defence > power2:
                    power2 = defence
            if owner == low_of:
                if strength < low:
                    low = strength
            elif strength < low:
                low2, low, low_of = low, strength, owner
            elif strength < low2:
                low2 = strength
        chances = []
        full = held >= FERNS
        for one in animals:
            owner, strength = one.owner, one.strength
            prey, rob, seek, hunt, calm, queue, pack = soon if owner == due else late
            danger = reach2 if owner == reach_of else reach
            margin = strength - danger
            chance = prey[4 + (-4 if margin < -4 else 4 if margin > 4 else margin)]
            if margin < 0:
                older = packed = 0
                periods = one.periods
                for other in animals:
                    if other.owner != owner and other.meat and other.attack > strength:
                        packed += 1
                    if other.strength < danger and other.periods > periods:
                        older += 1
                chance *= queue[older if older < 3 else 3] * pack[packed - 1 if packed < 4 else 3]
            if one.meat:
                margin = one.attack - (low2 if owner == low_of else low)
                chance *= hunt[4 + (-4 if margin < -4 else 4 if margin > 4 else margin)]
            elif one.fed:
                margin = strength - (power2 if owner == power_of else power)
                chance *= (rob if full else calm)[4 + (-4 if margin < -4 else 4 if margin > 4 else margin)]
            elif full:
                margin = one.defence - least
                chance *= seek[4 + (-4 if margin < -4 else 4 if margin > 4 else margin)]
            chances.append(chance)
        return chances

    def names(self, table: Table) -> list[list[str]]:
        """For each dinosaur the names of its factors, as `chances` multiplies them."""
        named = []
        for one in table.animals:
            others = [other for other in table.animals if other.owner != one.owner]
            holders = [other.strength for other in table.animals if other.fed and not other.meat]
            who = "next" if one.owner == table.current else "late"
            danger = max([other.attack for other in others if other.meat], default=-9)
            margins = {"prey": one.strength - danger}
            if one.strength < danger:
                older = [other for other in table.animals if other.strength < danger and other.periods > one.periods]
                packed = [other for other in others if other.meat and other.attack > one.strength]
                margins.update({"queue": min(len(older), 3), "pack": min(len(packed) - 1, 3)})
            if one.meat:
                margins["hunt"] = one.attack - min([other.strength for other in others], default=99)
            elif one.fed:
                power = max([other.defence for other in others if not other.meat], default=-9)
                margins["rob" if len(holders) >= FERNS else "calm"] = one.strength - power
            elif len(holders) >= FERNS:
                margins["seek"] = one.defence - min(holders)
            named.append([f"{kind}-{who}{min(max(margin, LEAST), MOST):+d}" for kind, margin in margins.items()])
        return named

    def expected(self, table: Table) -> list[float]:
        """The points that each player will probably have."""
        points: list[float] = [score + LENGTH[count] for score, count in zip(table.points, table.hidden)]
        animals = table.animals
        if table.over or not animals:
            for one in animals:
                points[one.owner] += LENGTH[one.periods]
            return points
        count = len(animals)
        life = self.life(table.periods / (count if count > table.seats else table.seats))
        for one, chance in zip(animals, self.chances(table)):
            periods = one.periods
            points[one.owner] += LENGTH[periods] + chance * life[periods if periods < OLD else OLD]
        return points

    def lead(self, points: Sequence[float], seat: int) -> float:
        """How far a player is ahead of the others."""
        rivals = [score for other, score in enumerate(points) if other != seat]
        return points[seat] - self.rivals * max(rivals) - (1 - self.rivals) * sum(rivals) / len(rivals)

    def promise(self, table: Table, seat: int) -> float:
        """The chance to win, if scores spread the more the more period cards are left."""
        points = self.expected(table)
        if not self.spread:
            return self.lead(points, seat)
        unit = 1 + self.spread * math.sqrt(table.periods)
        own = points[seat]
        return 1 / sum([math.exp(min(50.0, (score - own) / unit)) for score in points])
