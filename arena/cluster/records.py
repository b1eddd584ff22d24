"""The records that come back from a cluster: checked, and written where the runner keeps them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.errors import RecordError
from arena.files import write_soon
from arena.league.wire import Block, record_path, unwritten
from arena.match.hosts import Host
from arena.match.packing import lines_of

Answered = Sequence[tuple[dict[str, Any], bytes | None]]
"""For each match that was played, the message of its worker, and the record, unless the match was void."""


def keep_records(folder: Path, block: Block, played: Answered) -> list[Host | None]:
    """Write the records of a block. RecordError if one is not the record of its match; StoreError if it cannot be.

    The runner syncs the folder before any result counts. Returns the host of each match, which its record names.
    """
    hosts = list[Host | None]()
    for fixture, (message, record) in zip(block, played):
        if message["match"] != fixture["match"]:
            raise RecordError(f"match {fixture['match']} was ordered, and {message['match']!r:.40} came back")
        hosts.append(None)
        if "void" in message:
            continue
        match, hosts[-1] = _header_of(record) if record is not None else (None, None)
        if record is None or match != fixture["match"]:
            raise RecordError(f"what came back is not a record of match {fixture['match']}")
        path = record_path(folder, fixture["match"])
        try:
            write_soon(path, record)
        except OSError as error:
            raise unwritten(path, error) from None
    return hosts


def _header_of(record: bytes) -> tuple[object, Host | None]:
    """The id and the host in its header. The digest of the whole file is checked, too."""
    try:
        header = json.loads(next(lines_of(record)))
        return header["match"], Host.from_plain(header["host"]) if header.get("host") else None
    except (ValueError, TypeError, KeyError):
        raise RecordError("what came back has no header of a record") from None
