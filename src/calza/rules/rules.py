"""A variant as data: everything that differs between two games of Liar's Dice, as one frozen value."""

import hashlib
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import fields

CAP = 255  # the greatest quantity any bid may name, where the rules set none

# The look-ahead is for Python, whose $ lets a last line break through; to other readers of the schema it says nothing.
Name = Annotated[str, Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$(?!\n)", max_length=40)]
Change = Annotated[int, Meta(ge=-15, le=15)]


class Raise(StrEnum):
    """The least quantity that raises a bid of q."""

    BARRED = "barred"  # none: not allowed
    ANY = "any"  # 1
    SAME = "same"  # q
    MORE = "more"  # q + 1
    HALF = "half"  # q / 2, rounded up
    OVER_HALF = "over-half"  # the least that is more than q / 2
    DOUBLE_PLUS_ONE = "double-plus-one"  # 2q + 1


class Starter(StrEnum):
    """Who opens the next round; a seat without dice passes it on clockwise."""

    CALLER = "caller"
    BIDDER = "bidder"
    LEFT_OF_CALLER = "left-of-caller"
    LEFT_OF_BIDDER = "left-of-bidder"


class Value(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What rules are made of."""


class Raising(Value, frozen=True, kw_only=True):
    """The least legal raise, by where the new face stands against the standing bid's face."""

    lower: Annotated[Raise, Meta(description="Least quantity on a lower face.")] = Raise.MORE
    same: Annotated[Raise, Meta(description="Least quantity on the same face.")] = Raise.MORE
    higher: Annotated[Raise, Meta(description="Least quantity on a higher face.")] = Raise.SAME
    to_wild: Annotated[
        Raise | None,
        Meta(description="Least quantity from a plain face to the wild one; unset, as for any other face."),
    ] = None
    from_wild: Annotated[
        Raise | None,
        Meta(description="Least quantity from the wild face to a plain one; unset, as for any other face."),
    ] = None


class Outcome(Value, frozen=True, kw_only=True):
    """What a call does to the dice, and who opens the next round."""

    caller: Annotated[Change, Meta(description="Dice the caller gains (+) or loses (-).")] = 0
    bidder: Annotated[Change, Meta(description="Dice the bidder gains (+) or loses (-).")] = 0
    others: Annotated[Change, Meta(description="Dice everybody else gains (+) or loses (-).")] = 0
    per_die: Annotated[
        bool, Meta(description="Losses count once for each die that the bid was off (once, when it was exact).")
    ] = False
    starts: Annotated[Starter, Meta(description="Who opens the next round.")] = Starter.CALLER


class CallRule(Value, frozen=True, kw_only=True):
    """One way to end a round: its name, when it may be made, and what each reveal does."""

    name: Annotated[Name, Meta(description="The call in notation.")]
    words: Annotated[
        tuple[str, ...], Meta(description="What people say for it, the first when printed; read like the name.")
    ] = ()
    short: Annotated[Outcome, Meta(description="When there are fewer dice than the bid.")]
    exact: Annotated[Outcome, Meta(description="When there are exactly as many.")]
    over: Annotated[Outcome, Meta(description="When there are more.")]
    min_players: Annotated[
        int, Meta(ge=2, le=15, description="Fewest players still in for the call to be allowed.")
    ] = 2
    in_special: Annotated[bool, Meta(description="Whether it may be made in a special round.")] = True
    needs_lost_die: Annotated[bool, Meta(description="Whether the caller must have lost a die before.")] = False


class Special(Value, frozen=True, kw_only=True):
    """The round after a player first falls to one die (palifico)."""

    raising: Annotated[Raising, Meta(description="How a bid is raised in that round.")] = Raising(
        lower=Raise.BARRED, higher=Raise.BARRED
    )
    wild: Annotated[bool, Meta(description="Whether the wild face stays wild.")] = False
    open_on_wild: Annotated[bool, Meta(description="Whether it may open on the wild face.")] = True
    min_players: Annotated[int, Meta(ge=2, le=15, description="Fewest players still in for such a round.")] = 3


class Rules(Value, frozen=True, kw_only=True):
    """A complete set of rules. Two games with equal `rules_id` are the same game."""

    name: Annotated[Name, Meta(description="The variant's name: small letters, digits and hyphens.")]
    title: Annotated[str, Meta(max_length=60, description="The name as people write it.")] = ""
    about: Annotated[str, Meta(max_length=300, description="One sentence for lists.")] = ""
    notes: Annotated[tuple[str, ...], Meta(description="Remarks printed below the rules.")] = ()
    min_players: Annotated[int, Meta(ge=2, le=15, description="Fewest seats.")] = 2
    max_players: Annotated[int, Meta(ge=2, le=15, description="Most seats.")] = 15
    dice: Annotated[
        int, Meta(ge=1, le=15, description="Dice in each cup at the start, where the match sets no other number.")
    ] = 5
    faces: Annotated[int, Meta(ge=2, le=20, description="Faces of a die.")] = 6
    wild: Annotated[int | None, Meta(description="The face that counts as every face; unset for none.")] = None
    raising: Annotated[Raising, Meta(description="How a bid is raised.")] = Raising()
    opening: Annotated[int, Meta(ge=1, le=CAP, description="Least quantity of a round's first bid.")] = 1
    open_on_wild: Annotated[bool, Meta(description="Whether a round may open on the wild face.")] = True
    cap: Annotated[
        Annotated[int, Meta(ge=1, le=CAP)] | Literal["dice"],
        Meta(description='The greatest quantity of a bid: a number, or "dice" for the dice in play.'),
    ] = CAP
    calls: Annotated[
        tuple[CallRule, ...], Meta(min_length=1, max_length=8, description="The calls; the first is the liar call.")
    ]
    gain: Annotated[
        Literal["start", "none"],
        Meta(description='The most dice a gain leads to: "start" for the number at the start, "none" for no limit.'),
    ] = "start"
    special: Annotated[Special | None, Meta(description="Special rounds; unset for none.")] = None
    reveal: Annotated[
        Literal["all", "matching"],
        Meta(description="What a call shows: every die, or only the dice that count for the bid."),
    ] = "all"
    end: Annotated[
        Literal["last", "round", "first-out"],
        Meta(description='When it ends: "last" player with dice, after one "round", or with the "first-out".'),
    ] = "last"

    @property
    def rules_id(self) -> str:
        """SHA-256 of what makes the game: canonical JSON, defaults and prose left out."""
        return digest(self)

    @property
    def shown(self) -> str:
        """The name as people read it."""
        return self.title or self.name


PROSE = ("name", "title", "about", "notes")


fields_of = lru_cache(maxsize=256)(fields)  # of a kind of struct: to find out takes longer than all the rest


@lru_cache(maxsize=256)
def digest(rules: Rules) -> str:
    """The `rules_id` of rules."""
    return hashlib.sha256(canonical(rules)).hexdigest()


def data(value: Any) -> Any:
    """A value of rules as plain data, whatever equals its default left out."""
    if isinstance(value, Struct) and value.__struct_config__.array_like:
        said = [getattr(value, field.name) for field in fields_of(type(value))]
        return [data(one) for one in said if one is not None]
    if isinstance(value, Struct):
        # msgspec's own omit_defaults compares by identity: an equal value read from a file would stay in.
        held = {field.encode_name: (getattr(value, field.name), field.default) for field in fields_of(type(value))}
        tag = value.__struct_config__
        named = {tag.tag_field: tag.tag} if tag.tag_field else {}
        return named | {name: data(one) for name, (one, default) in held.items() if one != default}
    if isinstance(value, tuple):
        return [data(one) for one in value]
    return str(value) if isinstance(value, StrEnum) else value


def canonical(rules: Rules) -> bytes:
    """The bytes that `rules_id` hashes."""
    game = {field: value for field, value in data(rules).items() if field not in PROSE}
    for call in game["calls"]:
        call.pop("words", None)
    return msgspec.json.encode(game, order="sorted")
