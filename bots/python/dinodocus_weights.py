"""The numbers by which `planner` and `search` weigh Dinodocus. Each has a name, by which it can be tuned.

benchmarks/dinodocus_weights.py fits the first table to games, benchmarks/dinodocus_policy.py tunes the second.
"""

LEAST, MOST = -4, 4
"""Margins below and above count as these."""

CHANCES: dict[str, tuple[float, ...]] = {
    # The chance of a dinosaur to get through a round, by a margin from -4 to 4: the factors of the estimate. `next` is
    # for those whose owner has the next turn, `late` for all others.
    # by its strength over the reach of the others' best carnivore
    "prey-late": (0.0565, 0.0565, 0.0565, 0.0565, 0.282, 0.72, 0.97, 0.99, 0.99),
    "prey-next": (0.259, 0.259, 0.3, 0.3, 0.712, 0.712, 0.937, 0.937, 0.937),
    # one with a fern, by its strength over the defence of the others' best herbivore
    "rob-late": (0.034, 0.034, 0.35, 0.418, 0.418, 0.437, 0.439, 0.439, 0.439),
    "rob-next": (0.108, 0.687, 0.827, 0.827, 0.864, 0.864, 0.931, 0.931, 0.931),
    # one without, if none is left, by its defence over the weakest that holds one
    "seek-late": (0.2, 0.25, 0.3, 0.4, 0.55, 0.75, 0.85, 0.9, 0.92),
    "seek-next": (0.2, 0.25, 0.262, 0.262, 0.262, 0.99, 0.99, 0.99, 0.99),
    # a carnivore, by its attack over the others' weakest dinosaur
    "hunt-late": (0.561, 0.644, 0.644, 0.644, 0.644, 0.644, 0.644, 0.644, 0.99),
    "hunt-next": (0.694, 0.694, 0.694, 0.694, 0.778, 0.894, 0.894, 0.99, 0.99),
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
    "ageing": 0.75,
    # what a card must promise to be played: kept in hand it may repair a dinosaur
    "thrift": 0.5,
    # how much the best of the others counts more than their mean
    "rivals": 0.5,
    # the policy hatches no more if it has so many dinosaurs
    "broods": 9,
    # and discards one of two cards of a part if it adds less than this
    "weak": 2,
    # what a dinosaur is worth beside what it still earns
    "age": 0.0,
    # in so many deals `planner` looks at each action
    "deals": 12.0,
    # so many rounds a playout of `search` goes on
    "turns": 2.0,
    # the estimate before the playouts counts like so many of them
    "trust": 3.0,
    # accepted offers a turn from which on a card is worth having only to be offered again
    "busy": 1.2,
}

WEIGHTS: dict[str, float] = {
    **{f"{name}{margin:+d}": chance for name, row in CHANCES.items() for margin, chance in enumerate(row, LEAST)},
    **SCALARS,
}
