"""The seeds that bots receive. None reveals anything about the deal, or about another bot's seed."""

import hashlib

BITS = 128
"""Of a seed that cannot be found by trying."""
DOMAIN = "dino-arena"
"""How every text begins, so that no digest here is one of another program."""
OLD_FORMAT = 1
"""Of records whose bots' seeds follow from the deal."""


def bot_seed_of(seed: int, bot_seed: int) -> int:
    """The number that the bots' seeds of a match are made from. The deal cannot be computed from it."""
    return int.from_bytes(hashlib.sha256(f"{DOMAIN} bots:{seed}:{bot_seed}".encode()).digest()[: BITS // 8])


def old_bot_seed(seed: int, bot_seed: int, seat: int) -> int:
    """What a seat received while records had format 1: a digest of the deal's seed, which confirms a guess of it."""
    return int.from_bytes(hashlib.sha256(f"bot:{seed}:{bot_seed}:{seat}".encode()).digest()[:8]) >> 1
