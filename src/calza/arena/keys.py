"""Keys of agents: random, findable in a leak by their prefix, and stored as hashes only."""

import hashlib
import re
import secrets
from collections.abc import Callable

PREFIX = "calza_"
BYTES = 32
SHAPE = re.compile(r"calza_[0-9a-f]{64}")

BLOCK = 4096  # random bytes that are asked of the system at once

Draw = Callable[[int], bytes]  # so many random bytes


class Drawn:
    """The system's random bytes. They are taken a block at a time, since every action and every request needs some."""

    def __init__(self) -> None:
        self.block, self.at = b"", 0

    def __call__(self, many: int) -> bytes:
        """So many bytes, which nobody else is given."""
        if self.at + many > len(self.block):
            self.block, self.at = secrets.token_bytes(max(BLOCK, many)), 0
        self.at += many
        return self.block[self.at - many : self.at]


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
