"""What travels: one JSON value a line. A message is its name, or an object of its name with its fields.

A bot may write `"Liar"` or `{"Liar": {}}`. To a bot a message without fields is always its bare name, and none has a
field that the protocol does not know: public bots stop reading there.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from calza.rules import Action, Bid, Call, CalzaError

LONGEST = 4096  # bytes of a line
SHORT = Meta(min_length=1, max_length=64)
BYTE = Meta(ge=0, le=255)


class Unknown(CalzaError):
    """A line that is no message; says why."""


class Connect(Struct, frozen=True):
    """Somebody wants to play; `uuid` is how it is known again."""

    name: Annotated[str, SHORT]
    uuid: Annotated[str, SHORT]


class Disconnect(Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody goes; its seat stays."""


class IThinkThereAre(Struct, frozen=True, forbid_unknown_fields=True):
    """A bid."""

    number: Annotated[int, BYTE]
    face: Annotated[int, BYTE]


class Liar(Struct, frozen=True, forbid_unknown_fields=True):
    """The call that there are fewer."""


class Exactly(Struct, frozen=True, forbid_unknown_fields=True):
    """The call that there are just as many."""


Message = Connect | Disconnect | IThinkThereAre | Liar | Exactly
KINDS: dict[str, type[Message]] = {kind.__name__: kind for kind in (Connect, Disconnect, IThinkThereAre, Liar, Exactly)}


def read(line: bytes) -> Message:
    """The message of a bot; Unknown if it is none."""
    try:
        said: Any = msgspec.json.decode(line)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise Unknown(f"this line is not JSON: {error}") from None
    if isinstance(said, str):
        said = {said: {}}
    if not isinstance(said, dict) or len(said) != 1:
        raise Unknown('a message is its name, or {"Name": {its fields}}')
    [(name, fields)] = said.items()
    if name not in KINDS:
        raise Unknown(f"there is no message {name[:40]!r}; there are {', '.join(KINDS)}")
    return filled(KINDS[name], fields)


def filled(kind: type[Message], fields: Any) -> Message:
    """A message with its fields."""
    try:
        message = msgspec.convert(fields, kind)
    except (msgspec.ValidationError, OverflowError) as error:
        raise Unknown(f"{kind.__name__}: {str(error).replace('`', '').replace('$.', '')}") from None
    if isinstance(message, Connect) and any(ord(sign) < 32 or ord(sign) == 127 for sign in message.name):
        raise Unknown("Connect: a name has no control characters")
    return message


def action_of(message: IThinkThereAre | Liar | Exactly) -> Action:
    """The action that a message stands for, in the words of the rules of `joker`."""
    match message:
        case IThinkThereAre(number=number, face=face):
            return Bid(number, face)
        case Liar():
            return Call("liar")
    return Call("exact")


def say(name: str, **fields: Any) -> bytes:
    """A message to a bot, as a line."""
    return msgspec.json.encode({name: fields} if fields else name) + b"\n"


def no(why: str) -> bytes:
    """What is answered to a line that is no message. The name is spelt like that in the protocol."""
    return say("UnkownMessage", message=why)
