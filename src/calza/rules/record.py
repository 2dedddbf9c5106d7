"""A match as a record: rules, players, where the dice come from, and the ordered actions. All else follows from it."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from .rules import Rules

FORMAT: Final = 1

Seat = Annotated[int, Meta(ge=0, le=14)]
Count = Annotated[int, Meta(ge=0)]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]  # 32 bytes in hexadecimal


class Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """What records are made of."""


class Player(Part, frozen=True, kw_only=True):
    """Who played, in the order of joining."""

    name: str
    salt: str = ""
    agent: str = ""  # what played for it, such as `cautious:call=0.35`


class HmacSource(Part, frozen=True, kw_only=True, tag_field="stream", tag="hmac-1"):
    """Dice that were committed to; `seed` is hexadecimal and known once the match has ended."""

    commitment: Hash
    seed: Hash | None = None
    rotation: Count = 0  # of the seats, where several games share their dice


class MixSource(Part, frozen=True, kw_only=True, tag_field="stream", tag="mix-1"):
    """Dice of a tournament or simulation."""

    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)]
    game: Count = 0
    rotation: Count = 0


Source = HmacSource | MixSource


class Setup(Part, frozen=True, kw_only=True):
    """A position that a match starts from, if it is not the start of a game."""

    dice: tuple[Count, ...]  # of every seat, 0 for who is out
    start: tuple[Count, ...] = ()  # at the start of the match, where it matters
    turn: Seat | None = None  # without it: the seat after the last bidder, or the first
    cups: tuple[tuple[int, ...], ...] = ()  # the faces in every cup; an empty cup is rolled
    bids: tuple[tuple[Seat, str], ...] = ()  # of this round, the last one standing
    round: Annotated[int, Meta(ge=1)] = 1
    special: bool = False
    used: tuple[Seat, ...] = ()  # seats that have had their special round


class Entry(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One action: who, what, and when in milliseconds after the start."""

    seat: Seat
    action: str
    at: Count | None = None


class Record(Part, frozen=True, kw_only=True):
    """One match."""

    format: Literal[1] = 1  # a later number is a later format
    id: str = ""
    rules: Rules
    rules_id: Hash
    players: tuple[Player, ...]
    seats: tuple[Seat, ...] = ()  # which player sits at each seat, where the dice drew it; else they sit in order
    dice: Source
    start: tuple[Annotated[int, Meta(ge=1)], ...] = ()  # dice of every seat, where they differ from the rules'
    setup: Setup | None = None
    started: str = ""  # when, ISO 8601 in UTC
    actions: tuple[Entry, ...] = ()
    places: tuple[Annotated[int, Meta(ge=1)], ...] = ()  # of every seat, once the match has ended
