"""Frames of agents' sockets, both ways."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from .api.asked import sentence
from .errors import ArenaError
from .live import Live
from .messages import GameOver, Message, Usage, View
from .views import ends_of, view_of

SHAPE = '{"type":"action","sequence":7,"payload":{"type":"bid","quantity":4,"faceValue":3}}'


class Connected(Message, frozen=True, kw_only=True, tag_field="type", tag="connected"):
    """The first frame."""

    agent_id: str | UnsetType = UNSET
    match_id: str | UnsetType = UNSET


class Found(Message, frozen=True, kw_only=True, tag_field="type", tag="match_found"):
    """Somebody to play with."""

    match_id: str
    game_id: str


class Replaced(Message, frozen=True, kw_only=True, tag_field="type", tag="replaced"):
    """A newer socket has taken over."""


class YourTurn(Message, frozen=True, kw_only=True, tag_field="type", tag="your_turn"):
    """The agent is to act."""

    match_id: str
    game_id: str
    sequence: int
    view: View
    turn_ends_at: str | None


class Act(Message, frozen=True, kw_only=True, tag_field="type", tag="action"):
    """An action of an agent. Unknown fields are passed over, except in the action itself."""

    sequence: Annotated[int, Meta(ge=0, le=2**31 - 1)]
    payload: Raw
    say: str = ""
    usage: Usage | None = None


Frame = Message | dict[str, Any] | Raw  # the last is one that is written already
decode = msgspec.json.Decoder(Act).decode


def read(frame: str | bytes) -> Act:
    """What an agent has sent; ArenaError `invalid_input` says what it should have been."""
    try:
        return decode(frame)
    except (msgspec.MsgspecError, ValueError, RecursionError, OverflowError) as error:
        raise ArenaError(400, "invalid_input", f"frame: {sentence(error)}; send {SHAPE}") from None


def your_turn(live: Live, seat: int) -> YourTurn:
    """It is the turn of `seat`."""
    return YourTurn(
        match_id=live.match.id,
        game_id=live.match.game,
        sequence=live.sequence,
        view=view_of(live, seat),
        turn_ends_at=ends_of(live),
    )


def over(envelope: GameOver) -> Frame:
    """How a match ended; the status is in the type."""
    said: dict[str, Any] = msgspec.to_builtins(envelope)
    del said["status"]
    return {"type": "game_over"} | said


def refused(error: ArenaError) -> Frame:
    """Why something was not done."""
    return {"type": "error", "error": error.code, "details": error.details or error.code} | error.more
