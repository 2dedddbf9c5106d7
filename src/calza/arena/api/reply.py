"""What goes back: a status, headers, bytes. All bytes of an answer are made here."""

from functools import cache
from typing import Any

import msgspec
from msgspec import Struct
from starlette.types import Send

from calza.arena.errors import ArenaError

Headers = tuple[tuple[bytes, bytes], ...]

# An answer is for whoever asked, is what it says it is, and is no page that could be framed or run.
SAFE: Headers = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
NOTHING = b"default-src 'none'; frame-ancestors 'none'"
encoder = msgspec.json.Encoder()


class Reply(Struct, frozen=True):
    """An answer."""

    body: bytes
    status: int = 200
    media: str = "application/json"
    headers: Headers = ()

    async def send(self, send: Send, request: bytes, head: bool = False) -> None:
        """Send it, or only its head, with the number of the request that it answers."""
        headers = [
            (b"content-length", b"%d" % len(self.body)),
            (b"x-request-id", request),
            *fixed(self.media),
            *self.headers,
        ]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if head else self.body})


@cache
def fixed(media: str) -> Headers:
    """Headers that are the same for all answers of a kind."""
    kind = media if media == "application/json" else f"{media}; charset=utf-8"
    return ((b"content-type", kind.encode()), (b"content-security-policy", NOTHING), *SAFE)


def json(value: Any, status: int = 200) -> Reply:
    """A value as JSON."""
    return Reply(encoder.encode(value), status)


def text(words: str, media: str) -> Reply:
    """A text."""
    return Reply(words.encode(), media=media)


def refusal(error: ArenaError, headers: Headers = ()) -> Reply:
    """Why something is not done."""
    said: dict[str, object] = {"error": error.code}
    if error.details:
        said["details"] = error.details
    return Reply(encoder.encode(said | error.more), error.status, headers=(*waits(error), *headers))


def waits(error: ArenaError) -> Headers:
    """What a client does next, as headers say it."""
    if error.status == 413:
        return ((b"connection", b"close"),)  # the rest of the body is not read
    if error.status == 401:
        return ((b"www-authenticate", b"Bearer"),)
    if error.status == 503:
        return ((b"retry-after", b"1"),)
    after = error.more.get("retryAfterMs")
    return ((b"retry-after", str(-(-after // 1000)).encode()),) if isinstance(after, int) else ()
