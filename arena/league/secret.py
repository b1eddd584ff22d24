"""The secret of a league: 128 bits that decide every deal, and that no bot can find.

Theory of operation. A league draws its secret when it begins and keeps it in its store. Everything that chance decides
follows from it by HMAC-SHA256. Each purpose has its own key, HMAC(secret, purpose):

    plan    the dice of the schedule: which bots meet, in which circle
    deal    the seed of a deal, 128 bits, from its name (arena.league.deals says what a name is)
    bots    the seed from which the bots' own seeds of a match follow, 128 bits
    match   the id of a match, 96 bits, from all that is played in it

A bot receives its match's id, the names at its table, its seat and its own seed. None of them confirms a guess of the
deal: they are outputs under other keys, and 2**128 secrets are too many to try. An id is still a function of what is
played, so that no match counts twice.

The commitment is a digest of the secret. It is shown when the league begins. When the secret is published at the end,
anybody can check that the organiser did not choose the deals (arena.league.audit).

A seed in a tournament file becomes a secret too, so that a league can be reproduced: the same seed gives the same
league. But anybody who guesses the seed then knows the secret.
"""

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from arena.match.seeds import BITS, DOMAIN

DIGITS = BITS // 4
ID_DIGITS = 24
"""Of a match."""


class Chance(Protocol):
    """What decides a league's plan, deals and ids."""

    @property
    def dice(self) -> int:
        """The seed of the schedule's own dice."""

    def deal(self, name: Sequence[str | int]) -> int:
        """The seed of the deal of this name."""

    def bot_seed(self, name: Sequence[str | int]) -> int:
        """The seed from which the seeds of a match's bots follow."""

    def match_id(self, played: Mapping[str, Any]) -> str:
        """An id for what is played."""


@dataclass(frozen=True, slots=True)
class Secret:
    """The secret of a league, and what follows from it."""

    digits: str = field(repr=False)  # no log and no traceback shows it
    """128 bits in hexadecimal."""

    @property
    def commitment(self) -> str:
        return hashlib.sha256(f"{DOMAIN} commitment:{self.digits}".encode()).hexdigest()

    @property
    def dice(self) -> int:
        return self._number("plan", [])

    def deal(self, name: Sequence[str | int]) -> int:
        return self._number("deal", name)

    def bot_seed(self, name: Sequence[str | int]) -> int:
        return self._number("bots", name)

    def match_id(self, played: Mapping[str, Any]) -> str:
        return self._digest("match", played).hex()[:ID_DIGITS]

    def _number(self, purpose: str, what: object) -> int:
        return int.from_bytes(self._digest(purpose, what)[: BITS // 8])

    def _digest(self, purpose: str, what: object) -> bytes:
        key = hmac.digest(bytes.fromhex(self.digits), f"{DOMAIN} {purpose}".encode(), "sha256")
        return hmac.digest(key, json.dumps(what, sort_keys=True).encode(), "sha256")


def drawn() -> Secret:
    """A new secret."""
    return Secret(secrets.token_hex(BITS // 8))


def of_seed(seed: int) -> Secret:
    """The secret of a seed. It is as easy to guess as the seed."""
    return Secret(hashlib.sha256(f"{DOMAIN} seed:{seed}".encode()).hexdigest()[:DIGITS])


def is_secret(text: str) -> bool:
    """Whether a text has the form of a secret."""
    return re.fullmatch(f"[0-9a-f]{{{DIGITS}}}", text) is not None
