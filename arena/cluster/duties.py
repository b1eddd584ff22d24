"""The functions that the runner calls on a Dask worker. They take and return plain values, and never raise on purpose.

In this order: `introduce` once, `receive` for each bot that the worker does not have yet, `prepare`, then `play` for
each block, and `dismiss` at the end. Only `prepare` and `play` take longer than a moment: they are tasks of Dask, which
run in threads. The others run in the worker's event loop.
"""

import json
import socket
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from arena import running
from arena.building.copies import built_here
from arena.cluster.hand import hand_of
from arena.cluster.luggage import arrived, lacking, take_piece
from arena.cluster.process import WorkerEnded, WorkerRefused
from arena.cluster.sameness import this_arena
from arena.errors import BuildFailed, LaunchError, RosterError
from arena.league.wire import Setting
from arena.roster.entries import Entry

if TYPE_CHECKING:
    from distributed import Worker as DaskWorker


def introduce(digests: list[str], dask_worker: "DaskWorker") -> dict[str, Any]:
    """Who this worker is, and which of these bots it does not have."""
    return {
        "arena": asdict(this_arena()),
        "host": socket.gethostname(),
        "cores": hand_of(dask_worker).cores,
        "lacks": lacking(digests),
    }


def receive(digest: str, sender: str, piece: bytes, is_last: bool) -> None:
    """Take a piece of a bot's archive."""
    take_piece(digest, sender, piece, is_last)


def prepare(order: str) -> dict[str, Any]:
    """Build bots that do not run here, start a process for the league, and report the tier of its sandbox."""
    from distributed import get_worker

    given = json.loads(order)
    try:
        entries = {name: _ready(arrived(name, plain)).plain() for name, plain in given["entries"].items()}
        setting = Setting(**given["setting"], entries=entries)
        tier = hand_of(get_worker()).prepare(given["league"], given["run"], setting, given["slots"])
    except (WorkerRefused, BuildFailed, LaunchError) as error:
        return {"refused": str(error)}
    except (WorkerEnded, RosterError) as error:
        return {"ended": str(error)}
    return {"ready": tier}


def _ready(entry: Entry) -> Entry:
    return running.run(lambda: built_here(entry, lambda _: None))


def play(order: str) -> dict[str, Any]:
    """Play a block. The results include the records."""
    from distributed import get_worker

    given = json.loads(order)
    return hand_of(get_worker()).play(given["league"], given["run"], given["slot"], given["block"])


def dismiss(league: str, run: str, dask_worker: "DaskWorker") -> None:
    """End the processes of a league."""
    hand_of(dask_worker).dismiss(league, run)
