"""The numbers by which `planner` and `search` weigh Dinodocus. Each has a name, by which it can be tuned.

benchmarks/dinodocus_weights.py fits the first table to games, benchmarks/dinodocus_policy.py tunes the second.
"""

LEAST, MOST = -4, 4
"""Margins below and above count as these."""

CHANCES: dict[str, tuple[float, ...]] = {
    # The chance of a dinosaur to get through a round, by a margin from -4 to 4: the factors of the estimate. `next` is
    # for those whose owner has the next turn, `late` for all others.
    # by its strength over the reach of the others' best carnivore
    "prey-late": (0.394, 0.428, 0.523, 0.541, 0.541, 0.544, 0.59, 0.638, 0.767),
    "prey-next": (0.574, 0.612, 0.689, 0.842, 0.842, 0.911, 0.938, 0.982, 0.995),
    # one with a fern, by its strength over the defence of the others' best herbivore
    "rob-late": (0.437, 0.637, 0.769, 0.861, 0.947, 0.995, 0.995, 0.995, 0.995),
    "rob-next": (0.888, 0.995, 0.995, 0.995, 0.995, 0.995, 0.995, 0.995, 0.995),
    # one without, if none is left, by its defence over the weakest that holds one
    "seek-late": (0.235, 0.235, 0.235, 0.397, 0.438, 0.544, 0.995, 0.995, 0.995),
    "seek-next": (0.0226, 0.0256, 0.0457, 0.398, 0.722, 0.873, 0.873, 0.974, 0.974),
    # a carnivore, by its attack over the others' weakest dinosaur
    "hunt-late": (0.497, 0.497, 0.497, 0.497, 0.521, 0.609, 0.691, 0.85, 0.992),
    "hunt-next": (0.219, 0.219, 0.219, 0.431, 0.78, 0.931, 0.995, 0.995, 0.995),
    # one that can be eaten, by how many older ones can be eaten, too
    "queue-late": (0.578, 0.995, 0.995, 0.995),
    "queue-next": (0.816, 0.88, 0.989, 0.989),
    # one that can be eaten, by how many more carnivores can
    "pack-late": (0.995, 0.973, 0.824, 0.529),
    "pack-next": (0.995, 0.933, 0.933, 0.933),
    # one with a fern while others are left, by its strength over the reach of the others' best carnivore
    "calm-late": (0.321, 0.48, 0.64, 0.725, 0.845, 0.845, 0.845, 0.845, 0.845),
    "calm-next": (0.721, 0.995, 0.995, 0.995, 0.995, 0.995, 0.995, 0.995, 0.995),
    # The same as the policy sees it in the middle of a turn: the greater the steps, the more it wants to climb them.
    # own ones: strength over the reach of the others' best carnivore
    "guard": (0.2, 0.2, 0.2, 0.25, 0.35, 0.65, 0.85, 0.93, 0.96),
    # others: strength over the reach of the own best carnivore
    "bite": (0.3, 0.3, 0.3, 0.35, 0.75, 0.85, 0.92, 0.96, 0.98),
    # own carnivores: attack over the others' weakest
    "find": (0.2, 0.2, 0.3, 0.35, 0.45, 0.9, 0.93, 0.95, 0.96),
    # others' carnivores: attack over the own weakest
    "spare": (0.4, 0.45, 0.5, 0.6, 0.7, 0.85, 0.9, 0.93, 0.95),
    # own hungry herbivores without a fern to take: defence over the weakest that holds one
    "graze": (0.2, 0.2, 0.2, 0.2, 0.3, 0.9, 0.93, 0.95, 0.95),
    # own ones with a fern: strength over the others' best herbivore
    "fend": (0.6, 0.65, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99),
    # others with a fern: strength over the own best hungry herbivore
    "snatch": (0.7, 0.7, 0.7, 0.75, 0.9, 0.92, 0.94, 0.96, 0.98),
}

SCALARS: dict[str, float] = {
    # the chance that a dinosaur that has survived one round survives the next one
    "ageing": 0.65,
    # what a card must promise to be played: kept in hand it may repair a dinosaur
    "thrift": 0.05,
    # how much the best of the others counts more than their mean
    "rivals": 0.5,
    # how far scores still spread, for each root of a period card that is left
    "spread": 1.5,
    # the policy hatches, if it can, unless a card promises more than this
    "egg": 1.3,
    # how much it counts that an own carnivore reaches more, and that one of the others reaches less
    "eager": 0.7,
    "wary": 0.2,
    # and discards one of two cards of a part if it adds less than this
    "weak": 3,
    # what a dinosaur is worth beside what it still earns
    "age": 0,
    # in so many deals `planner` looks at each action
    "deals": 12,
    # so many turns a playout of `search` goes on with two players, and with more
    "turns": 4.0,
    "turns_of_many": 2.0,
    # the estimate before the playouts counts like so many of them
    "trust": 3,
    # accepted offers a turn from which on a card is worth having only to be offered again
    "busy": 1.2,
}


def first(row: tuple[float, ...]) -> int:
    """What the first number of a row stands for: the least margin, or a count of 0."""
    return LEAST if len(row) > MOST else 0


WEIGHTS: dict[str, float] = {
    **{f"{name}{at:+d}": chance for name, row in CHANCES.items() for at, chance in enumerate(row, first(row))},
    **SCALARS,
}
