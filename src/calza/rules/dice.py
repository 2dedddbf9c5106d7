"""Where dice come from: two streams that anybody can re-derive. `docs/reference/dice.md` has them byte for byte.

`hmac-1` is for matches whose dice somebody may doubt: a 32-byte seed is committed to before the players are known,
each player may add a salt, and every die follows from both. `mix-1` is for tournaments and simulations, which roll
millions of hands: a counter-based mixer keyed by seed and game number, that compiled code runs too.

A roll is a hand as counts per face; index 0 is unused. No stream has a memory: any hand of any round can be asked for.
"""

import hashlib
import hmac
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, Protocol

from .errors import SetupError
from .play import compilable
from .record import HmacSource, MixSource, Source

Hand = tuple[int, ...]

M64: Final = 0xFFFFFFFFFFFFFFFF
GOLDEN: Final = 0x9E3779B97F4A7C15  # Steele, Lea and Flood 2014, SplitMix64, with Stafford's variant 13 below
BLOCK_TABLE: Final = 7776  # a block holds as many dice as keep faces ** dice within this: five of six faces
SEATS: Final = 16  # seats and blocks in the counter of a mix-1 hand
BLOCKS: Final = 256
ROUND: Final = SEATS * BLOCKS
SEED_BYTES: Final = 32
MOST_SEED: Final = 2**63 - 1


class Dice(Protocol):
    """A stream of dice for one match."""

    def source(self, open: bool) -> Source:
        """Where the dice come from, for a record; what was committed to is named only when `open`."""
        ...

    def roll(self, round: int, dice: Sequence[int], faces: int) -> list[Hand]:
        """What every seat rolls in `round`, as counts per face, with so many `dice` a seat."""
        ...

    def seating(self, players: int) -> list[int]:
        """Which player sits at each seat."""
        ...

    def starter(self, seats: int) -> int:
        """The seat that opens the first round."""
        ...


# --- hmac-1


def commitment(seed: bytes) -> str:
    """What is published of a seed before it is used: SHA-256 in hexadecimal."""
    return hashlib.sha256(b"calza seed 1" + seed).hexdigest()


def match_key(seed: bytes, match: str, salts: Sequence[str]) -> bytes:
    """The key of a match's dice; `salts` in the order of joining."""
    parts = (text.encode() for text in (match, *salts))
    message = b"calza match 1" + b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return hmac.digest(seed, message, "sha256")


class HmacDice:
    """The stream `hmac-1`; `rotation` turns the seating, so that games that share dice can share luck."""

    def __init__(self, seed: bytes, match: str = "", salts: Sequence[str] = (), rotation: int = 0) -> None:
        if len(seed) != SEED_BYTES:  # which a record could not hold
            raise SetupError(f"a seed of hmac-1 has {SEED_BYTES} bytes, not {len(seed)}")
        self.seed, self.rotation = seed, rotation
        self.key = match_key(seed, match, salts)

    def source(self, open: bool) -> Source:
        """Where the dice come from; the seed only when `open`."""
        seed = self.seed.hex() if open else None
        return HmacSource(commitment=commitment(self.seed), seed=seed, rotation=self.rotation)

    def roll(self, round: int, dice: Sequence[int], faces: int) -> list[Hand]:
        """What every seat rolls in `round`, as counts per face, with so many `dice` a seat."""
        return [self._hand(round, seat, one, faces) for seat, one in enumerate(dice)]

    def _hand(self, round: int, seat: int, dice: int, faces: int) -> Hand:
        counts = [0] * (faces + 1)
        for value in self._values(round.to_bytes(4, "big") + seat.to_bytes(4, "big"), faces, dice):
            counts[value + 1] += 1
        return tuple(counts)

    def seating(self, players: int) -> list[int]:
        """Which player sits at each seat."""
        return turned(
            shuffled(players, lambda n: self._values(b"seating" + n.to_bytes(4, "big"), n, 1)[0]), self.rotation
        )

    def starter(self, seats: int) -> int:
        """The seat that opens the first round."""
        return self._values(b"starter", seats, 1)[0]

    def _values(self, label: bytes, below: int, wanted: int) -> list[int]:
        """`wanted` even values below `below`: bytes of the stream, those that would favour low values skipped."""
        limit = 256 - 256 % below
        values: list[int] = []
        block = 0
        while len(values) < wanted:
            data = hmac.digest(self.key, label + block.to_bytes(4, "big"), "sha256")
            values += [byte % below for byte in data if byte < limit]
            block += 1
        return values[:wanted]


def shuffled(players: int, below: Callable[[int], int]) -> list[int]:
    """Fisher and Yates' shuffle of 0..players-1, from the last place down."""
    order = list(range(players))
    for last in range(players - 1, 0, -1):
        other = below(last + 1)
        order[last], order[other] = order[other], order[last]
    return order


def turned(order: list[int], rotation: int) -> list[int]:
    """The seating with everybody so many seats further on."""
    return [order[(seat - rotation) % len(order)] for seat in range(len(order))]


# --- mix-1, of which the arithmetic also runs compiled


@compilable
def mix(x: int) -> int:
    """A 64-bit number in which every bit of `x` has had its say."""
    x = (x + GOLDEN) & M64
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & M64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & M64
    return x ^ (x >> 31)


def u64(x: int) -> int:
    """`x` as an unsigned number of 64 bits. Compiled code has its own, which keeps the types apart."""
    return x & M64


def i64(x: int) -> int:
    """`x` as a signed number, for counting and indexing."""
    return x


@compilable
def below(x: int, n: int) -> int:
    """An even number below `n` (at most 2 ** 32) from 64 mixed bits; the bias is below n / 2 ** 32."""
    return i64((((x & M64) >> 32) * u64(n)) >> 32)


@compilable
def game_key(seed: int, game: int) -> int:
    """The key of a game's dice."""
    # Not mix(seed ^ game): different seeds would then play the same games in another order.
    return mix(mix(u64(seed)) + u64(game))


@compilable
def block_number(key: int, round: int, seat: int, block: int, size: int) -> int:
    """A number below `size` for one block of a hand; two neighbours share 64 mixed bits."""
    x = mix(key + u64(round * ROUND + (seat >> 1) * BLOCKS + block))
    return below(x << 32 if seat & 1 else x, size)


@compilable
def seating_number(key: int, last: int) -> int:
    """Where the shuffle of the seats sends place `last`."""
    return below(mix(key + u64(last)), last + 1)


@compilable
def starter_number(key: int, seats: int) -> int:
    """The seat that opens the first round."""
    return below(mix(key + u64(BLOCKS)), seats)


@lru_cache(maxsize=32)
def block_dice(faces: int) -> int:
    """How many dice of a hand come from one mixed number."""
    dice = 1
    while faces ** (dice + 1) <= BLOCK_TABLE:
        dice += 1
    return dice


def block_table(faces: int) -> tuple[tuple[Hand, ...], ...]:
    """[dice][number]: the hand that a block's number stands for, its digits in base `faces` being the dice."""
    table: list[tuple[Hand, ...]] = [((0,) * (faces + 1),)]
    known: dict[Hand, Hand] = {}
    for _ in range(block_dice(faces)):
        # The new die is the highest digit, so the hands with one die less come `faces` times over.
        longer = (
            (*hand[:face], hand[face] + 1, *hand[face + 1 :]) for face in range(1, faces + 1) for hand in table[-1]
        )
        table.append(tuple(known.setdefault(hand, hand) for hand in longer))
    return tuple(table)


class BlockTables(dict[int, tuple[tuple[Hand, ...], ...]]):
    """`block_table` by the number of faces, made when it is asked for."""

    def __missing__(self, faces: int) -> tuple[tuple[Hand, ...], ...]:
        self[faces] = table = block_table(faces)
        return table


BLOCK_TABLES: Final = BlockTables()


class MixDice:
    """The stream `mix-1`; `rotation` turns the seating, as for `hmac-1`."""

    def __init__(self, seed: int, game: int = 0, rotation: int = 0) -> None:
        if not 0 <= seed <= MOST_SEED:
            raise SetupError(f"a seed of mix-1 is a whole number from 0 to {MOST_SEED}, not {seed}")
        self.seed, self.game, self.rotation = seed, game, rotation
        self.key = game_key(seed, game)

    def source(self, open: bool) -> Source:
        """Where the dice come from."""
        return MixSource(seed=self.seed, game=self.game, rotation=self.rotation)

    def roll(self, round: int, dice: Sequence[int], faces: int) -> list[Hand]:
        """What every seat rolls in `round`, as counts per face, with so many `dice` a seat."""
        table = BLOCK_TABLES[faces]
        hands = []
        counter = self.key + round * ROUND + GOLDEN
        x = 0
        try:
            for seat, one in enumerate(dice):
                # `block_number` written out, which a test compares: calls would double the price of a round.
                if seat & 1:
                    half = x & 0xFFFFFFFF
                else:
                    x = counter & M64
                    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & M64
                    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & M64
                    x ^= x >> 31
                    half = x >> 32
                    counter += BLOCKS
                row = table[one]
                hands.append(row[half * len(row) >> 32])
        except IndexError:  # more dice than a block holds
            return [self._hand(round, seat, one, faces) for seat, one in enumerate(dice)]
        return hands

    def _hand(self, round: int, seat: int, dice: int, faces: int) -> Hand:
        table = BLOCK_TABLES[faces]
        most = len(table) - 1
        hand = [0] * (faces + 1)
        for block in range((dice + most - 1) // most):
            row = table[min(most, dice - block * most)]
            part = row[block_number(self.key, round, seat, block, len(row))]
            hand = [have + more for have, more in zip(hand, part, strict=True)]
        return tuple(hand)

    def seating(self, players: int) -> list[int]:
        """Which player sits at each seat."""
        return turned(shuffled(players, lambda n: seating_number(self.key, n - 1)), self.rotation)

    def starter(self, seats: int) -> int:
        """The seat that opens the first round."""
        return starter_number(self.key, seats)
