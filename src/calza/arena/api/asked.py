"""A request while it is being answered: who asks, for what, with which words."""

import asyncio
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import parse_qsl

import msgspec
from msgspec import Struct
from starlette.types import Receive, Scope

from calza.arena.arena import Arena
from calza.arena.errors import ArenaError
from calza.arena.store.agents import Agent

if TYPE_CHECKING:
    from .paths import Calls

T = TypeVar("T", bound=Struct)

LONGEST = 4096  # bytes of a body
MOST_PARAMETERS = 50


class Asked:
    """A request."""

    __slots__ = ("agent", "arena", "calls", "held", "path", "read", "receive", "scope", "sent", "sequence")

    def __init__(
        self, arena: Arena, scope: Scope, receive: Receive, path: dict[str, str], calls: "Calls | None"
    ) -> None:
        self.arena, self.scope, self.receive = arena, scope, receive
        self.path, self.calls = path, calls  # the names in its address, and what can be called there
        self.agent: Agent | None = None
        self.sequence: int | None = None  # of the match that it is about, once known
        self.held = False  # whether it waits for news
        self.read, self.sent = False, b""  # whether the whole body has come, and what has

    @property
    def me(self) -> Agent:
        """Who asks, where only agents may."""
        assert self.agent is not None
        return self.agent

    @property
    def match(self) -> str:
        """The match that it is about."""
        return self.id_of("match")

    def id_of(self, noun: str) -> str:
        """An id from the path."""
        return checked_id(self.path[noun], noun)

    @property
    def key(self) -> str:
        """The key that was sent, or nothing."""
        for name, value in self.scope["headers"]:
            if name == b"authorization":
                scheme, _, key = value.decode("latin-1").partition(" ")
                return key.strip() if scheme.lower() == "bearer" else ""
        return ""

    @property
    def address(self) -> str:
        """Where it comes from."""
        client = self.scope.get("client")
        return client[0] if client else ""

    def query(self, kind: type[T]) -> T:
        """What stands behind the question mark; unknown names are passed over."""
        text = self.scope["query_string"].decode("latin-1")
        try:
            said = dict(parse_qsl(text, max_num_fields=MOST_PARAMETERS)) if text else {}
            return msgspec.convert(said, kind, strict=False)
        except msgspec.ValidationError as error:
            raise ArenaError(400, "invalid_input", f"query: {sentence(error)}") from None
        except (ValueError, OverflowError):
            raise ArenaError(400, "invalid_input", "query: it has too many parameters") from None

    async def body(self, kind: type[T]) -> T:
        """What was sent, as a value; unknown names are passed over."""
        text = await self.bytes()
        try:
            made: T = decoder(kind).decode(text or b"{}")
            return made
        except msgspec.ValidationError as error:
            raise ArenaError(400, "invalid_input", f"body: {sentence(error)}") from None
        except (ValueError, RecursionError, OverflowError) as error:
            raise ArenaError(400, "invalid_input", f"body: it is not JSON ({sentence(error)})") from None

    async def bytes(self) -> bytes:
        """The body; nobody may send more than is needed for any call."""
        while not self.read:
            message = await self.receive()
            if message["type"] != "http.request":
                raise ArenaError(400, "invalid_input", "body: it was cut off")
            self.sent += message.get("body", b"")
            self.read = not message.get("more_body", False)
            if len(self.sent) > LONGEST:
                raise ArenaError(413, "too_large", f"a body has at most {LONGEST} bytes")
        return self.sent

    async def gone(self) -> None:
        """Come back when whoever asked has gone away; a server does not say so unasked."""
        while (await self.receive())["type"] != "http.disconnect":
            pass

    def watch(self) -> "asyncio.Task[None]":
        """The same as a task, which whoever starts it cancels."""
        self.held = True
        return asyncio.ensure_future(self.gone())


def is_id(text: str) -> bool:
    """Whether this can be the id of an agent or a match."""
    return len(text) <= 64 and text.isascii() and text.isalnum()


def checked_id(text: str, noun: str) -> str:
    """An id; what cannot be one is certainly nothing that exists."""
    if not is_id(text):
        raise ArenaError(404, f"{noun}_not_found", f"there is no such {noun}")
    return text


@lru_cache(maxsize=64)
def decoder(kind: type[T]) -> "msgspec.json.Decoder[T]":
    """What reads the body of a call; each is made once."""
    return msgspec.json.Decoder(kind)


def sentence(error: Exception) -> str:
    """What is wrong and where, in plain words."""
    why, _, path = str(error).replace("`", "").partition(" - at ")
    where = path.removeprefix("$").removeprefix(".")
    if why[1:2].islower():  # not "JSON"
        why = why[:1].lower() + why[1:]
    return f"{where}: {why}" if where else why


def printable(name: str, text: str, most: int, least: int = 0) -> str:
    """`text`, if it can be shown and stored."""
    if not (least <= len(text) <= most and text.isprintable()):
        raise ArenaError(400, "invalid_input", f"{name}: {least} to {most} printable characters")
    return text
