"""Keys of agents: random, findable in a leak by their prefix, and stored as hashes only."""

import hashlib
import re
from collections.abc import Callable

PREFIX = "calza_"
BYTES = 32
SHAPE = re.compile(r"calza_[0-9a-f]{64}")

Draw = Callable[[int], bytes]  # so many random bytes


def new_key(draw: Draw) -> str:
    """A key that nobody can guess."""
    return PREFIX + draw(BYTES).hex()


def hash_of(key: str) -> bytes | None:
    """What is stored of a key; None for what cannot be one, so that nobody looks it up."""
    return hashlib.sha256(key.encode()).digest() if SHAPE.fullmatch(key) else None


def new_id(draw: Draw) -> str:
    """An id of letters and digits, random from the first on: clients show the first eight."""
    alphabet = "abcdefghijkmnpqrstuvwxyz23456789"  # 32 signs, none of them easily taken for another
    return "".join(alphabet[byte % 32] for byte in draw(20))


def new_code(draw: Draw) -> str:
    """What the owner of an agent shows to claim it."""
    return "sc-verify-" + draw(8).hex()
