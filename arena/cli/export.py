"""Results of a league as tables for other programs: CSV, JSON and Parquet.

A league may have more results than memory, so they are written as they are read, some thousands at a time.
"""

import csv
import errno
import io
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from arena.errors import SettingError
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
GROUP = 1 << 16
"""Rows in a row group of Parquet, which is written at once: smaller groups are larger files."""


def seat_rows(store: "Store") -> Iterator[SeatRow]:
    """One dict for each seat of each match."""
    commitment = store.settings().get("commitment", "")
    return ({**flat, "commitment": commitment} for row in store.rows() for flat in _flat(row))


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


def write_rows(rows: Iterable[SeatRow], output: Path) -> None:
    """Write a file completely or not at all; the end of its name says in which format."""
    from arena.files import writing_whole

    write = WRITERS[output.suffix]
    if write is _write_parquet:
        _check_pyarrow(output)
    try:
        if not output.parent.is_dir():  # more likely a typing error than a folder to make
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        with writing_whole(Path(os.path.realpath(output))) as file:
            write(rows, file)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(output)) from None  # not that of the temporary file


def _check_pyarrow(output: Path) -> None:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise SettingError(f"{output}: Parquet needs pyarrow. Install it: pip install pyarrow") from None


def _write_csv(rows: Iterable[SeatRow], file: BinaryIO) -> None:
    file.writelines(text.encode() for text in csv_texts(rows))


def _write_json(rows: Iterable[SeatRow], file: BinaryIO) -> None:
    file.writelines(text.encode() for text in json_texts(rows))


def _write_parquet(rows: Iterable[SeatRow], file: BinaryIO) -> None:
    import pyarrow
    import pyarrow.parquet

    types = {column: pyarrow.string() if column in TEXTS else pyarrow.int64() for column in COLUMNS}
    schema, rest = pyarrow.schema(types.items()), iter(rows)
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        while batch := list(islice(rest, GROUP)):
            writer.write_table(pyarrow.Table.from_pylist(batch, schema))


WRITERS = {".csv": _write_csv, ".json": _write_json, ".parquet": _write_parquet}
"""By the end of a file's name."""
