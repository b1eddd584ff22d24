"""Results of a league as tables for other programs: CSV, JSON and Parquet."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import SettingError
from arena.texts import cell

if TYPE_CHECKING:
    from arena.league.store import Row, Store

KINDS = (".csv", ".json", ".parquet")


def seat_rows(store: "Store") -> list[dict[str, Any]]:
    """One dict for each seat of each match."""
    commitment = store.settings().get("commitment", "")
    return [{**flat, "commitment": commitment} for row in store.rows() for flat in _flat(row)]


def _flat(row: "Row") -> Iterator[dict[str, Any]]:
    """One dict for each seat of a match."""
    from arena.league.shapes import TIMES

    for seat, bot in enumerate(row.bots):
        faults = [fault["kind"] for fault in row.faults if fault["seat"] == seat]
        times = {key: row.times[seat][key] if row.times else None for key in TIMES}
        yield {
            "match": row.match, "plan": row.plan, "block": row.block, "rotation": row.rotation, "seed": str(row.seed),
            "seats": len(row.bots), "seat": seat, "bot": bot, "rank": row.ranks[seat], "score": row.scores[seat],
            "faults": " ".join(faults), **times, "steps": row.steps, "digest": row.digest,
        }  # fmt: skip


def csv_text(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: cell(value) for key, value in row.items()} for row in rows)
    return text.getvalue()


def write_rows(rows: list[dict[str, Any]], output: Path) -> None:
    """Write a file; the end of its name says in which format."""
    if output.suffix == ".parquet":
        _write_parquet(rows, output)
    else:
        output.write_text(csv_text(rows) if output.suffix == ".csv" else json.dumps(rows, indent=1) + "\n", "utf-8")


def _write_parquet(rows: list[dict[str, Any]], output: Path) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise SettingError(f"{output}: Parquet needs pyarrow. Install it: pip install pyarrow") from None
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), output)
