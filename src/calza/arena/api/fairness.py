"""Proofs that the dice are fair: commitments by number, and the key with which results are signed."""

from calza.arena.store import seeds

from .asked import Asked
from .asks import SeedsQuery
from .replies import PublicKey, Seed, Seeds

STATEMENT = '{"arena":"calza","match":"<match id>","record":"<SHA-256 of the record\'s bytes, in hexadecimal>"}'


async def page(asked: Asked) -> Seeds:
    """Commitments, latest first."""
    query = asked.query(SeedsQuery)
    found = await asked.arena.store.read(seeds.Page(query.limit, query.cursor))
    told = [
        Seed(
            number=one.number, commitment=one.commitment, match_id=one.match, seed=one.seed.hex() if one.seed else None
        )
        for one in found
    ]
    more = told[-1].number if len(told) == query.limit and told[-1].number > 1 else None
    return Seeds(seeds=told, cursor=more)


async def key(asked: Asked) -> PublicKey:
    """The public key."""
    return PublicKey(public_key=asked.arena.signer.public, statement=STATEMENT)
