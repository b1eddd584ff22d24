"""What the runner sends to Dask workers, as texts, and the keys of their tasks."""

import hashlib
import json
import socket
import uuid
from dataclasses import asdict, replace

from arena.cluster.luggage import Luggage
from arena.league.wire import Block, Setting


class Orders:
    """The orders of one session."""

    def __init__(self, setting: Setting, seats: int, luggage: Luggage) -> None:
        plain = asdict(replace(setting, records=""))  # records come back with the results
        self._setting = {key: value for key, value in plain.items() if key != "entries"}
        self._seats = seats
        self.luggage = luggage
        self._handed = 0
        self.league = hashlib.sha256(f"{socket.gethostname()} {setting.records}".encode()).hexdigest()[:16]
        self.run = uuid.uuid4().hex[:16]
        self.min_tier = setting.min_tier

    def slots(self, cores: int) -> int:
        """How many blocks a worker plays at once, so that no more bots think there than it has cores."""
        return max(1, cores // self._seats)

    def prepare(self, slots: int) -> str:
        return json.dumps(
            {
                "league": self.league,
                "run": self.run,
                "setting": self._setting,
                "entries": dict(self.luggage.entries),
                "slots": slots,
            }
        )

    def play(self, slot: int, block: Block) -> str:
        return json.dumps({"league": self.league, "run": self.run, "slot": slot, "block": block})

    def key(self, what: str) -> str:
        """The key of a task. No other has it, not even one of an earlier run: Dask takes equal keys for equal tasks."""
        self._handed += 1
        return f"arena-{what}-{self.run}-{self._handed}"


def digest_of(block: Block) -> str:
    """What a block is: its matches, and which attempt at each."""
    matches = [[fixture["match"], fixture.get("attempt", 0)] for fixture in block]
    return hashlib.sha256(json.dumps(matches).encode()).hexdigest()[:16]
