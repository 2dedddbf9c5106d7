"""A finished match of a running arena: fetched, and everything compared that the arena says of it.

The dice and the actions are proved by `calza.matches.verify`, as those of any record; here it is what only an arena
adds: the seed that was committed to under a number, and the signature.
"""

import hashlib
import re
from urllib.parse import unquote

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from msgspec import Struct

from calza.matches import read_record
from calza.rules import Record, RecordError
from calza.rules.record import HmacSource

from . import calls
from .client import Client
from .errors import ArenaRefusal, ClientError
from .replies import MatchPage, Seed
from .retry import Retry

PLACE = re.compile(r"(?P<server>https?://[^/]+)/(?:api/)?matches/(?P<match>[^/?#]+)(?:/[a-z.]*)?(?:[?#].*)?")
BRIEFLY = Retry(patience=3.0)


class Published(Struct, frozen=True):
    """What an arena says of a match that has ended."""

    server: str
    match: str
    document: bytes  # of the record
    page: MatchPage
    seed: Seed | None
    key: str  # with which the arena signs

    @property
    def record(self) -> Record:
        """The record; RecordError when it is damaged."""
        return read_record(self.document)

    def check(self, record: Record) -> None:
        """RecordError when the record is not the one of this match, of this seed, and signed."""
        if record.id != self.match:
            raise RecordError(f"the record is that of another match, {record.id}")
        if not isinstance(record.dice, HmacSource):
            raise RecordError("the dice were not committed to")
        check_seed(record.dice, self.page.seed_number, self.seed, self.match)
        check_signature(self.key, self.page.signature, self.match, self.document)


def published(address: str) -> Published:
    """What an arena says of the match at an address; ClientError when there is none, or none that has ended."""
    found = PLACE.fullmatch(address.strip())
    if found is None:
        raise ClientError(f"{address[:80]!r} is no address of a match; write http://127.0.0.1:8000/matches/<id>")
    match = unquote(found["match"])
    with Client(found["server"], retry=BRIEFLY) as client:
        try:
            page = client.do(calls.match(match))
            document = client.do(calls.document(match))
        except ArenaRefusal as refusal:
            raise why_not(refusal, client.server, match) from None
        seeds = client.do(calls.seed(page.seed_number)).seeds
        key = client.do(calls.public_key()).public_key
    return Published(client.server, match, document, page, seeds[0] if seeds else None, key)


def why_not(refusal: ArenaRefusal, server: str, match: str) -> ClientError:
    """Why a match cannot be proved."""
    match refusal.code:
        case "match_not_found":
            return ClientError(f"there is no match {match} at {server}")
        case "match_live":
            return ClientError(f"match {match} is still on; its dice can be checked when it has ended")
    return refusal


def check_seed(dice: HmacSource, number: int, seed: Seed | None, match: str) -> None:
    """The seed of the dice is the one that the arena has committed to under this number."""
    if seed is None or seed.number != number:
        raise RecordError(f"the arena has committed to no seed under number {number}")
    if seed.match_id != match:
        raise RecordError(f"seed {number} was for another match, {seed.match_id}")
    if seed.commitment != dice.commitment:
        raise RecordError(f"seed {number} was committed to as {seed.commitment}, not as {dice.commitment}")


def check_signature(key: str, signature: str | None, match: str, document: bytes) -> None:
    """The record is signed with the arena's key."""
    if signature is None:
        raise RecordError("the record is not signed")
    said = {"arena": "calza", "match": match, "record": hashlib.sha256(document).hexdigest()}
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(signature), msgspec.json.encode(said, order="sorted"))
    except (InvalidSignature, ValueError):
        raise RecordError(f"the signature is not one of this record by the arena's key {key}") from None
