"""Results of a league as tables for other programs: CSV, JSON and Parquet.

A league may have more results than memory, so they are written as they are read, some thousands at a time.
"""

import errno
import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from arena.errors import SettingError
from arena.league.seat_rows import COLUMNS, TEXTS, SeatRow, csv_texts, json_texts

GROUP = 1 << 16
"""Rows in a row group of Parquet, which is written at once: smaller groups are larger files."""


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
