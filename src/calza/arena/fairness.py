"""Dice that the arena could not choose: seeds committed to by number, salts of the players, results that are signed."""

import hashlib
from collections.abc import Sequence

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from calza.rules import HmacDice
from calza.rules.dice import commitment

SEED = 32  # bytes
AHEAD = 1000  # seeds that are committed to before they are needed

__all__ = ["AHEAD", "SEED", "Signer", "commitment", "digest", "seats_of"]


def digest(record: bytes) -> str:
    """What a result's signature speaks of: the SHA-256 of the record's bytes."""
    return hashlib.sha256(record).hexdigest()


class Signer:
    """The arena's Ed25519 key."""

    def __init__(self, secret: bytes) -> None:
        self.key = Ed25519PrivateKey.from_private_bytes(secret)

    @classmethod
    def draw(cls) -> bytes:
        """A new secret key."""
        return Ed25519PrivateKey.generate().private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())

    @property
    def public(self) -> str:
        """The public key in hexadecimal."""
        return self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def sign(self, match: str, record: bytes) -> str:
        """A signature over the match's id and its record."""
        return self.key.sign(statement(match, digest(record))).hex()


def statement(match: str, sha256: str) -> bytes:
    """The bytes that are signed."""
    return msgspec.json.encode({"arena": "calza", "match": match, "record": sha256}, order="sorted")


def seats_of(seed: bytes, match: str, salts: Sequence[str]) -> list[int]:
    """The seat of every player, in the order of joining."""
    order = HmacDice(seed, match, salts).seating(len(salts))
    return [order.index(player) for player in range(len(salts))]
