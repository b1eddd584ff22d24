"""The workers of a league that are anywhere in a Dask cluster: an executor, as `Workers` is for this machine."""

from functools import partial
from pathlib import Path

import trio

from arena.cluster.bridge import Bridge, open_bridge
from arena.cluster.contact import check_security, session
from arena.cluster.luggage import Luggage, packed
from arena.cluster.orders import Orders
from arena.cluster.place import ClusterPlace, scheduler_at
from arena.cluster.shift import Shift
from arena.errors import LaunchError
from arena.league.executor import Hire, Notice, OnEvent, Parts, Supply
from arena.league.wire import Assignment, Setting

CONNECT_S = 10.0
"""How long the first connection to a scheduler may take."""
RECONNECT_S = 60.0
"""How long the league waits for a scheduler that has gone."""


def on_cluster(place: ClusterPlace, seats: int) -> Hire:
    """For `run`: play the league on this cluster, at tables of at most this many seats."""
    return partial(_hired, place, seats)


def _hired(place: ClusterPlace, seats: int, setting: Setting, _count: int, parts: Parts) -> "ClusterWorkers":
    return ClusterWorkers(place, seats, setting, parts)


class ClusterWorkers:
    """Plays the blocks of a plan on all workers of a cluster that can play them."""

    def __init__(self, place: ClusterPlace, seats: int, setting: Setting, parts: Parts) -> None:
        self._place = place
        self._seats = seats
        self._setting = setting
        self._supply = Supply(parts)

    def retry(self, fixture: Assignment) -> None:
        """Play this match once more."""
        self._supply.retry(fixture)

    async def work(self, on_event: OnEvent) -> None:
        """Play everything, and call `on_event` for each event at once: a part ends after its last event."""
        first = await self._supply.next()
        if first is None:  # a league that is complete needs no cluster
            return
        self._supply.give_back(first)
        entries = {name: self._setting.entry(name) for name in self._setting.entries}
        luggage = await trio.to_thread.run_sync(packed, entries, Path(self._setting.records).parent)
        async with scheduler_at(self._place) as address, open_bridge() as bridge:
            check_security(address)
            patience_s = CONNECT_S
            while not await self._play(bridge, address, patience_s, luggage, on_event):
                patience_s = RECONNECT_S
                on_event(Notice(f"the scheduler at {address} is gone; waiting for it, {RECONNECT_S:g} s at most"))

    async def _play(self, bridge: Bridge, address: str, patience_s: float, luggage: Luggage, on_event: OnEvent) -> bool:
        """Whether everything has been played; if not, the connection to the scheduler is lost."""
        try:
            async with session(bridge, address, patience_s) as contact:
                orders = Orders(self._setting, self._seats, luggage)
                shift = Shift(contact, orders, self._supply, Path(self._setting.records), on_event)
                await shift.work()
                return not contact.is_lost
        except (OSError, TimeoutError) as error:
            raise LaunchError(
                f"there is no Dask scheduler at {address}, after {patience_s:g} s: {error}. All results so far are "
                "saved. Start it (`arena docs cluster`), and run the same command again."
            ) from None
