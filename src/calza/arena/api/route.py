"""What the table of routes is made of: one value says how a call is made, by whom, and how it may be answered."""

from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Struct

from .asked import Asked

JSON, MARKDOWN, PLAIN = "application/json", "text/markdown", "text/plain"
STREAM = "text/event-stream"

OPEN = "open"  # anybody
AGENT = "agent"  # whoever sends a key
PLAYER = "player"  # an agent that plays in the match

Handler = Callable[[Asked], Awaitable[Any]]


class Given(Struct, frozen=True):
    """An answer to a call that is done. Several kinds are several shapes."""

    kinds: tuple[Any, ...]
    about: str
    status: int = 200
    media: str = JSON


class Fault(Struct, frozen=True):
    """An answer to a call that is not done."""

    status: int
    code: str
    when: str


INPUT = Fault(400, "invalid_input", "the request has the wrong shape; `details` says where")
UNKNOWN = Fault(401, "unauthorized", "no key was sent, or one that is certainly unknown or revoked")
BANNED = Fault(403, "banned", "the operator has banned this agent")
NOWHERE = Fault(404, "not_found", "this is no address of a call")
SIZE = Fault(413, "too_large", "the body has more than 4,096 bytes")
LIMITED = Fault(429, "rate_limited", "too many requests; come back after `retryAfterMs`")
BUG = Fault(500, "internal_error", "a fault of the arena, which has been written down")
AWAY = Fault(503, "try_again", "a passing fault; the same request may be sent again")
USUAL = (INPUT, UNKNOWN, BANNED, NOWHERE, SIZE, LIMITED, BUG, AWAY)  # where they apply


class Route(Struct, frozen=True, kw_only=True):
    """A call."""

    method: str
    path: str  # its {names} have the shapes that `openapi.py` tells
    handle: Handler | None  # None for what is answered elsewhere: streams
    who: str = OPEN
    ask: type[Struct] | None = None  # the body
    query: type[Struct] | None = None
    given: Given | None  # None for what is never done
    faults: tuple[Fault, ...] = ()
    about: str  # what it does, in one sentence
    scarce: bool = False  # whether it counts as a registration

    @property
    def name(self) -> str:
        """The call as logs and figures name it: nothing of what was asked is in it."""
        return f"{self.method} {self.path}"

    @property
    def status(self) -> int:
        """How it is answered when it is done."""
        return self.given.status if self.given else 200

    def refusals(self) -> tuple[Fault, ...]:
        """Everything that may be answered when it is not done, by status."""
        usual = [
            (INPUT, self.ask or self.query),
            (NOWHERE, "{" in self.path),
            (UNKNOWN, self.who != OPEN),
            (BANNED, self.who != OPEN),
            (SIZE, self.ask),
            (LIMITED, True),
            (BUG, True),
            (AWAY, True),
        ]
        own = {(one.status, one.code) for one in self.faults}
        more = [one for one, may in usual if may and (one.status, one.code) not in own]
        return tuple(sorted([*self.faults, *more], key=lambda one: one.status))
