"""An action as the store has it."""

from msgspec import Struct


class Done(Struct, frozen=True, array_like=True, gc=False):
    """An action, as it was played."""

    match: str
    sequence: int
    seat: int
    text: str  # in notation
    at_ms: int
    due_ms: int | None  # when the turn that follows ends
    say: str | None = None
    usage: str | None = None  # JSON: what it cost its agent
    token: bytes = b""  # of the request: 16 random bytes


FIELDS = Done.__struct_fields__
NAMES = ", ".join(f'"{name}"' for name in FIELDS)
