"""A league by places in its plan becomes a league by meetings, so that its roster may change.

Leagues that an older arena began are planned by places, and go on so, to the same matches. When their roster changes
for the first time, each block becomes the next meeting of its table, in the order of the plan. Ids, deals and records
stay as they are. Such results do not follow from the secret by the rules of meetings, so an audit counts them only.
"""

from collections import Counter
from dataclasses import replace
from itertools import groupby

from arena.league.meetings import block_of
from arena.league.store import MEETINGS, Row, Store

MOVED = "by_places"
"""The setting that counts the results that were played by places."""


def to_meetings(store: Store) -> None:
    """Number all results of a league as meetings of its founders."""
    keys = store.lineup().keys
    met, moved = Counter[int](), list[Row]()
    for _, block in groupby(store.rows(), lambda row: row.block):
        rows = list(block)
        versions = sorted(keys[bot] for bot in rows[0].bots)
        table = block_of(versions, 0)
        number, met[table] = met[table], met[table] + 1
        here = block_of(versions, number)
        moved += [replace(row, plan=number, block=here, versions=tuple(keys[bot] for bot in row.bots)) for row in rows]
    store.renumber(moved, {"scheme": MEETINGS, MOVED: len(moved)})
