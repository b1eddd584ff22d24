"""Fit the weights of bots/python/draftosaurus_weights.py by regression on self-play.

    .venv/bin/python -m benchmarks.fit_planner            # all boards and table sizes: some minutes
    .venv/bin/python -m benchmarks.fit_planner --games 500 --season winter --seats 2 3

In each game all seats play at random until some turn, so that bad positions are met too, and from then on by the policy
with the weights found so far. After each of these placements, the points still to come are explained by what the zoo
holds and by how many turns are left (ridge regression): the sum of (a + b * x) * x, x = turns to come / 12. This is
repeated with the new weights, and the last rounds are averaged. The same arguments give the same weights. Those of
other boards and table sizes are left as they are.
"""

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

BOTS = Path(__file__).parents[1] / "bots" / "python"
sys.path.insert(0, str(BOTS))

from draftosaurus_match import Manners, Match  # noqa: E402
from draftosaurus_pens import TURNS, Weights  # noqa: E402
from draftosaurus_position import LAST, PICK, Position  # noqa: E402
from draftosaurus_summer import SummerZoo  # noqa: E402
from draftosaurus_weights import WEIGHTS  # noqa: E402
from draftosaurus_winter import WinterZoo  # noqa: E402

ROUNDS, COUNTED = 10, 6
"""Rounds of self-play, and how many of the last are averaged: each policy answers the one before, back and forth."""
RIDGE = 3.0
SEATS = (2, 3, 4, 5)
SEASONS = ("summer", "winter")

Zoo = SummerZoo | WinterZoo
Features = dict[str, float]


def features(zoo: Zoo, others: list[int]) -> Features:
    """What a zoo holds, as the weights name it."""
    found = {name: float(times) for pen in zoo.pens for name, times in pen.pen.features(pen)}
    if isinstance(zoo, SummerZoo):
        found["KJ" if zoo.king < 0 else f"KJ{min(3, max(-3, others[zoo.king]))}"] = 1
        if zoo.island < 0:
            found["SI"] = 1
        elif zoo.counts[zoo.island] == 1:
            found["SI1"] = 1
        return found
    found["LO" if zoo.lookout < 0 else "LO1"] = 1
    found["QZ" if zoo.guest < 0 else "QZ1"] = 1
    found["BR1"] = sum(ahead != 0 for ahead in zoo.ahead)
    found["BR2"] = sum(max(0, abs(ahead) - 1) for ahead in zoo.ahead)
    return found


def points_now(zoo: Zoo, others: list[int]) -> float:
    """What the zoo would score if the game ended here."""
    if isinstance(zoo, WinterZoo):
        zoo = zoo.copy()
        zoo.release(others)
    return zoo.score(others)


def new_game(match: Match, chance: random.Random) -> Position:
    bag = [dino for dino in range(6) for _ in range(match.supply)]
    chance.shuffle(bag)
    kind = SummerZoo if match.season == "summer" else WinterZoo
    zoos = [kind(match) for _ in range(match.seats)]
    faces = [chance.randrange(6) for _ in range(12)]
    hands: list[list[int]] = [[] for _ in zoos]
    return Position(match, zoos, hands, bag, 0, match.free_seats(chance.randrange(match.seats)), faces)


MANNERS = Manners(0.3, 0.3)


def random_turn(position: Position, chance: random.Random) -> None:
    """All seats pick, place and discard at random, by the rules."""
    picks = [chance.choice(hand) for hand in position.hands]
    for seat, (zoo, dino, hand) in enumerate(zip(position.zoos, picks, position.hands)):
        hand.remove(dino)
        slots = zoo.places(dino, 0, position.face(seat), position.others()[seat])
        zoo.put(dino, chance.choice(sorted(slots)))
    for hand in position.hands if position.match.seats == 2 else ():
        hand.remove(chance.choice(hand))
    position.hands = position.hands[-1:] + position.hands[:-1]
    position.turn += 1


def samples(match: Match, chance: random.Random) -> Iterator[tuple[Features, int, float]]:
    """Of one game: features, turns to come, and how many points were still to come."""
    position, begin = new_game(match, chance), chance.randrange(LAST)
    seen = []
    while position.turn <= LAST:
        if not position.turn % match.turns:
            position.deal()
        if position.turn < begin:
            random_turn(position, chance)
            continue
        position.play_turn(PICK, [])
        turns, others = LAST + 1 - position.turn, position.others()
        for seat, zoo in enumerate(position.zoos if turns else ()):
            seen.append((seat, features(zoo, others[seat]), turns, points_now(zoo, others[seat])))
    scores, others = position.zoos, position.others()
    final = [points_now(zoo, own) for zoo, own in zip(scores, others)]
    for seat, found, turns, points in seen:
        yield found, turns, final[seat] - points


def fit(match: Match, games: int, chance: random.Random) -> Weights:
    """The weights that explain the points to come."""
    data = [sample for _ in range(games) for sample in samples(match, chance)]
    names = sorted({name for found, _, _ in data for name in found})
    column = {name: k for k, name in enumerate(names)}
    rows = np.zeros((len(data), 2 * len(names) + 2))
    target = np.array([points for _, _, points in data])
    for row, (found, turns, _) in zip(rows, data):
        x = turns / TURNS
        row[-2:] = x, x * x
        for name, times in found.items():
            row[2 * column[name] : 2 * column[name] + 2] = times * x, times * x * x
    ridge = RIDGE * np.eye(rows.shape[1])
    ridge[-2:] = 0
    solved = np.linalg.solve(rows.T @ rows + ridge, rows.T @ target)
    return {name: (round(float(solved[2 * k]), 2), round(float(solved[2 * k + 1]), 2)) for name, k in column.items()}


def fitted(season: str, seats: int, games: int) -> Weights:
    weights: Weights = {}
    chance, rounds = random.Random(f"{season} {seats}"), []
    for _ in range(ROUNDS):
        weights = fit(Match(season, seats, {}, weights, MANNERS), games, chance)
        rounds.append(weights)
    return mean(rounds[-COUNTED:])


def mean(found: list[Weights]) -> Weights:
    """The mean of several weights; one without a feature has nothing for it."""
    names = sorted({name for weights in found for name in weights})
    pairs = {name: [weights.get(name, (0.0, 0.0)) for weights in found] for name in names}
    return {
        name: (round(sum(a for a, _ in each) / len(each), 2), round(sum(b for _, b in each) / len(each), 2))
        for name, each in pairs.items()
    }


def written(found: dict[tuple[str, int], Weights]) -> str:
    """The module of weights."""
    lines = [
        '"""What the contents of pens are worth beside their points, as benchmarks/fit_planner.py has found."""',
        "",
        "# By board and number of seats: a and b of draftosaurus_pens.py.",
        "WEIGHTS = {",
    ]
    for (season, seats), weights in found.items():
        lines.append(f'    ("{season}", {seats}): {{')
        lines += [f'        "{name}": ({a}, {b}),' for name, (a, b) in weights.items()]
        lines.append("    },")
    return "\n".join([*lines, "}", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--season", nargs="*", default=SEASONS, choices=SEASONS)
    parser.add_argument("--seats", nargs="*", type=int, default=SEATS, choices=SEATS)
    given = parser.parse_args()
    found = dict(WEIGHTS)
    found |= {(season, seats): fitted(season, seats, given.games) for season in given.season for seats in given.seats}
    (BOTS / "draftosaurus_weights.py").write_text(written(found), "utf-8")


if __name__ == "__main__":
    main()
