"""Results as tables for other programs: a row for each seat of each match, as CSV and as JSON.

A league may have more results than memory, so the texts come in pieces.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from arena.league.shapes import TIMES
from arena.texts import cell

if TYPE_CHECKING:
    from arena.league.store import Row, Store

SeatRow = dict[str, Any]
TEXTS = frozenset(("match", "seed", "bot", "faults", "digest", "commitment"))
COLUMNS = (
    "match", "plan", "block", "rotation", "seed", "seats", "seat", "bot", "rank", "score", "faults", *TIMES, "steps",
    "digest", "commitment",
)  # fmt: skip
"""All columns; those that are not TEXTS hold whole numbers."""
AT_ONCE = 4096
"""Rows of seats that are written at once."""


def seat_rows(store: "Store") -> Iterator[SeatRow]:
    """One dict for each seat of each match."""
    return flat_rows(store.rows(), store.settings().get("commitment", ""))


def flat_rows(rows: "Iterable[Row]", commitment: str) -> Iterator[SeatRow]:
    """The same for some results of a league with this commitment."""
    return ({**flat, "commitment": commitment} for row in rows for flat in _flat(row))


def _flat(row: "Row") -> Iterator[SeatRow]:
    """One dict for each seat of a match."""
    for seat, bot in enumerate(row.bots):
        faults = [fault["kind"] for fault in row.faults if fault["seat"] == seat]
        times = {key: row.times[seat][key] if row.times else None for key in TIMES}
        yield {
            "match": row.match, "plan": row.plan, "block": row.block, "rotation": row.rotation, "seed": str(row.seed),
            "seats": len(row.bots), "seat": seat, "bot": bot, "rank": row.ranks[seat], "score": row.scores[seat],
            "faults": " ".join(faults), **times, "steps": row.steps, "digest": row.digest,
        }  # fmt: skip


def csv_texts(rows: Iterable[SeatRow], columns: Sequence[str] = COLUMNS) -> Iterator[str]:
    """The text of a CSV file in pieces, of which the first begins with the header."""
    rest, text = iter(rows), io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    while batch := list(islice(rest, AT_ONCE)):
        writer.writerows({key: cell(value) for key, value in row.items()} for row in batch)
        yield text.getvalue()
        text.seek(0)
        text.truncate()
    yield text.getvalue()


def json_texts(rows: Iterable[SeatRow]) -> Iterator[str]:
    """The text of a JSON file in pieces: a list with one object for each row."""
    between = "[\n "
    for row in rows:
        yield between + json.dumps(row, indent=1).replace("\n", "\n ")  # a line break inside of a text is escaped
        between = ",\n "
    yield "[]\n" if between == "[\n " else "\n]\n"
