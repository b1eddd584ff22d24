"""A Dask cluster on this machine, on the loopback interface: `python -m arena.cluster.local WORKERS FOLDER`.

It writes its scheduler's address to stdout, and ends when stdin does. Its worker processes end when it does, because
Dask's workers watch their parent, and the arena's workers end with those, because their stdin closes.
"""

import asyncio
import logging
import os
import sys

import dask
from distributed import LocalCluster

from arena.cluster.hand import LOCAL_WORKERS
from arena.match.launch import usable_cpus

QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.disk": False,
    "distributed.admin.system-monitor.gil.enabled": False,
}
"""What nobody looks at here, because there is no dashboard."""


async def serve(workers: int, folder: str) -> None:
    os.environ[LOCAL_WORKERS] = str(workers)
    os.environ["PYTHONWARNINGS"] = "ignore::UserWarning:multiprocessing.resource_tracker"  # about our sudden end
    threads = max(1, len(usable_cpus()) // workers)
    async with LocalCluster(
        n_workers=workers,
        threads_per_worker=threads,
        asynchronous=True,
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # else its HTTP server takes port 8787 of all interfaces
        memory_limit=0,  # bots have their own limits, and are not the worker's memory
        local_directory=folder,
        silence_logs=logging.CRITICAL,
    ) as cluster:
        os.write(1, f"{cluster.scheduler_address}\n".encode())
        await asyncio.to_thread(_until_stdin_ends)
        os._exit(0)  # at once: to close it takes seconds, and changes nothing


def _until_stdin_ends() -> None:
    while os.read(0, 1 << 10):
        pass


if __name__ == "__main__":
    with dask.config.set(QUIET):
        asyncio.run(serve(int(sys.argv[1]), sys.argv[2]))
