"""Passwords: kept as scrypt hashes only, whose cost stands beside them so that it may grow."""

import hashlib
import hmac

from .errors import ArenaError
from .keys import Draw

LEAST, MOST = 8, 200  # characters
COST, BLOCK, TIMES = 2**14, 8, 5  # 16 MiB; of the parameters that OWASP's Password Storage Cheat Sheet calls enough
SALT, LENGTH = 16, 32  # bytes
MEMORY = 64 * 2**20


def kept(password: str, draw: Draw) -> str:
    """A password as it is kept."""
    salt = draw(SALT)
    return f"scrypt:{COST}:{BLOCK}:{TIMES}:{salt.hex()}:{hashed(password, salt, COST, BLOCK, TIMES).hex()}"


def fits(password: str, kept: str) -> bool:
    """Whether this is the password that was kept; takes as long when it is not."""
    _, cost, block, times, salt, digest = kept.split(":")
    tried = hashed(password, bytes.fromhex(salt), int(cost), int(block), int(times))
    return hmac.compare_digest(tried, bytes.fromhex(digest))


def hashed(password: str, salt: bytes, cost: int, block: int, times: int) -> bytes:
    """The slow part."""
    said = password.encode()
    return hashlib.scrypt(said, salt=salt, n=cost, r=block, p=times, maxmem=MEMORY, dklen=LENGTH)


def check(password: str) -> None:
    """What a password has to be."""
    if not LEAST <= len(password) <= MOST:
        raise ArenaError(400, "invalid_password", f"a password has {LEAST} to {MOST} characters")


# What is compared with when there is no such person, so that nobody can tell by the time that it takes.
NOBODY = f"scrypt:{COST}:{BLOCK}:{TIMES}:{'00' * SALT}:{'00' * LENGTH}"
