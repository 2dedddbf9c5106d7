"""Actions as they travel, read into the game's own: `{"type": "bid", "quantity": 4, "faceValue": 3}` is 4x3."""

import unicodedata
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from calza.rules import RESIGN, Action, Bid, Call, Rules

from .errors import ArenaError

SHAPES = 'write {"type":"bid","quantity":4,"faceValue":3}, {"type":"challenge"}, {"type":"exact"} or {"type":"resign"}'
LONGEST = 140  # characters of table talk
MOST_DICE, MOST_FACES = 255, 20  # of a bid that travels


class Shape(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type", rename="camel"):
    """What an agent may send. A field too many is refused: it may be a typo that would cost a turn."""


class BidShape(Shape, frozen=True, kw_only=True, tag="bid"):
    """So many dice or more count for a face."""

    quantity: Annotated[int, Meta(ge=1, le=MOST_DICE, description="How many dice.")]
    face_value: Annotated[int, Meta(ge=1, le=MOST_FACES, description="The face.")]


class ChallengeShape(Shape, frozen=True, kw_only=True, tag="challenge"):
    """The liar call of any variant."""


class ExactShape(Shape, frozen=True, kw_only=True, tag="exact"):
    """The exact call, where the variant has one."""

    reward: Annotated[
        Literal["lose_two", "gain_one"] | UnsetType, Meta(description="In spot-on: what a right call brings.")
    ] = UNSET


class ResignShape(Shape, frozen=True, kw_only=True, tag="resign"):
    """Out of the game, in turn or not."""


AnyShape = BidShape | ChallengeShape | ExactShape | ResignShape
decode = msgspec.json.Decoder(AnyShape).decode


def read_move(raw: Any, rules: Rules) -> Action:
    """An action as it travelled; ArenaError `invalid_input` says what shape it should have had."""
    try:
        shape = decode(raw) if isinstance(raw, Raw) else msgspec.convert(raw, AnyShape)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OverflowError) as error:
        why = str(error).replace("`", "").replace("$.", "")
        raise ArenaError(400, "invalid_input", f"the action cannot be read: {why}; {SHAPES}") from None
    match shape:
        case BidShape(quantity=quantity, face_value=face):
            return Bid(quantity, face)
        case ExactShape(reward=reward):
            names = [call.name for call in rules.calls[1:]]
            if reward is not UNSET and len(names) < 2:
                raise ArenaError(400, "invalid_input", f"this game has no reward to choose; leave it out: {SHAPES}")
            # Where there is no such call its name stays, so that the rules refuse it in their own words.
            return Call(names[-1] if reward == "gain_one" else names[0] if names else "exact")
        case ChallengeShape():
            return Call(rules.calls[0].name)
    return RESIGN


def sent_move(action: Action, rules: Rules) -> dict[str, Any]:
    """An action as it travels: what `read_move` reads back."""
    match action:
        case Bid(quantity, face):
            return {"type": "bid", "quantity": quantity, "faceValue": face}
        case Call(name):
            names = [call.name for call in rules.calls]
            if name == names[0]:
                return {"type": "challenge"}
            return {"type": "exact"} | ({"reward": "gain_one"} if name == names[-1] and len(names) > 2 else {})
    return {"type": "resign"}


def clean_talk(text: str) -> str:
    """Table talk without what could disguise it: control and format characters, and line breaks."""
    kept = "".join(" " if unicodedata.category(one) in ("Zl", "Zp") or one in "\r\n\t" else one for one in text)
    return " ".join("".join(one for one in kept if unicodedata.category(one)[0] != "C").split())[:LONGEST]


def validator(rules: Rules) -> dict[str, Any]:
    """The JSON Schema of a legal action's shape in one variant."""
    most = rules.cap if isinstance(rules.cap, int) else MOST_DICE
    kinds: list[dict[str, Any]] = [
        shape(
            "bid",
            quantity={"type": "integer", "minimum": 1, "maximum": most},
            faceValue={"type": "integer", "minimum": 1, "maximum": rules.faces},
        ),
        shape("challenge"),
        *([shape("exact")] if len(rules.calls) > 1 else []),
        shape("resign"),
    ]
    if len(rules.calls) > 2:
        kinds[2]["properties"]["reward"] = {"enum": ["lose_two", "gain_one"], "default": "lose_two"}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "An action", "oneOf": kinds}


def shape(kind: str, **needed: Any) -> dict[str, Any]:
    """The schema of one type of action."""
    return {
        "type": "object",
        "properties": {"type": {"const": kind}, **needed},
        "required": ["type", *needed],
        "additionalProperties": False,
    }
