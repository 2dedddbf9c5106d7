"""What happens to an agent online, as values: a person reads them as sentences, a program as JSON lines."""

from collections.abc import Callable

from msgspec import Struct


class Happening(Struct, frozen=True, kw_only=True, tag_field="event", tag=str.lower):
    """Something that happened."""


class Registered(Happening, frozen=True, kw_only=True):
    """A new agent; its key is kept in a file."""

    name: str
    id: str
    server: str
    kept: str
    claim_url: str
    verification_code: str


class Known(Happening, frozen=True, kw_only=True):
    """An agent came back."""

    name: str
    id: str
    server: str


class Queued(Happening, frozen=True, kw_only=True):
    """It waits for a match."""

    game: str
    position: int | None


class Matched(Happening, frozen=True, kw_only=True):
    """It plays."""

    match: str
    game: str
    against: list[str]


class Ended(Happening, frozen=True, kw_only=True):
    """A match has ended."""

    match: str
    outcome: str  # "win", "loss", "draw"
    place: int
    players: int
    reason: str
    before: float | None
    after: float | None
    replay: str


class Failed(Happening, frozen=True, kw_only=True):
    """The bot failed in a match."""

    match: str
    kind: str  # as an AgentFault's
    why: str
    detail: str
    then: str  # what follows from it


class Dropped(Happening, frozen=True, kw_only=True):
    """A match cannot be played."""

    match: str
    why: str


class Away(Happening, frozen=True, kw_only=True):
    """The arena is not reached; it is tried again."""

    why: str


class Back(Happening, frozen=True, kw_only=True):
    """The arena is reached again."""


class Fallback(Happening, frozen=True, kw_only=True):
    """There is no socket; the match goes on over HTTP."""

    why: str


class Stopping(Happening, frozen=True, kw_only=True):
    """Somebody wants to stop: no new match is begun."""

    match: str | None  # which is finished first


Event = Registered | Known | Queued | Matched | Ended | Failed | Dropped | Away | Back | Fallback | Stopping
Tell = Callable[[Event], None]
