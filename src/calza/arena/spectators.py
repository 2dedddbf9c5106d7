"""Whoever watches: the story of a match over a WebSocket, or as Server-Sent Events."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from time import perf_counter

import msgspec
from starlette.requests import Request
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from .api.asked import is_id
from .api.limits import Limits
from .api.reply import NOTHING, SAFE, Headers, refusal
from .arena import Arena
from .errors import ArenaError
from .events import Hello, Over, Told, story
from .journal import Journal
from .line import AWAY, COME_BACK, DONE, NO_MATCH, REFUSED, Gone, Line, refuse
from .store.agents import Agent

AGAIN = 2000  # milliseconds after which a browser that lost a stream comes back
OVER = "over"  # the Last-Event-ID of a stream that was read to its end
NUMBER = 9  # digits of a sequence that somebody may name
NAME = "GET /api/matches/{match}/events"  # as logs and figures name it
NOBODY = Agent("", "")
STREAM: Headers = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"content-security-policy", NOTHING),
    (b"x-accel-buffering", b"no"),  # a proxy must not wait for the end of a stream
    *SAFE,
)


class Spectators:
    """All of them on this node."""

    def __init__(self, arena: Arena, limits: Limits, journal: Journal) -> None:
        self.arena, self.limits, self.journal = arena, limits, journal

    def story(self, match: str, after: str) -> AsyncGenerator[Told | None, None]:
        """A match from where somebody has lost sight of it."""
        if not is_id(match):
            raise ArenaError(404, "match_not_found", "there is no such match")
        return story(self.arena, match, number(after))

    # --- over a WebSocket

    async def of_socket(self, socket: WebSocket) -> None:
        """`/ws/watch/:matchId`: a match as everybody may see it."""
        request = self.arena.draw(8).hex()
        try:
            self.limits.of_address(socket.client.host if socket.client else "")
        except ArenaError as error:
            await refuse(socket, error, request)
            return
        await socket.accept()
        line = Line(socket, NOBODY, "", (0, request))
        self.arena.sockets += 1
        line.telling = asyncio.ensure_future(self.tell(line))
        try:
            if await line.frame() is not None:
                await line.close(REFUSED, "spectators only watch")
        finally:
            self.arena.sockets -= 1
            await line.hush()

    async def tell(self, line: Line) -> None:
        """Tell a spectator what happens."""
        with suppress(*Gone):
            try:
                async with aclosing(self.story(line.match, line.socket.query_params.get("after", ""))) as told:
                    async for one in told:
                        if one is not None:
                            await line.tell(one)
            except ArenaError as error:
                await line.close(NO_MATCH if error.status == 404 else AWAY, error.details)
                return
            if self.arena.tables.stopping:
                await line.close(AWAY, f"the arena is stopping; {COME_BACK}")
            else:
                await line.close(DONE, "the match is over")

    # --- as Server-Sent Events

    @property
    def stream(self) -> "Stream":
        """`GET /api/matches/:id/events`."""
        return Stream(self)


class Stream:
    """The address of a stream: plain ASGI, because whoever stops reading says so only to those who listen."""

    def __init__(self, spectators: Spectators) -> None:
        self.all = spectators

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        arena, began, request = self.all.arena, perf_counter(), Request(scope)
        id, status, asked = arena.draw(8).hex(), 200, request.headers.get("last-event-id")
        try:
            self.all.limits.of_address(request.client.host if request.client else "")
            if asked == OVER:
                status = 204  # which tells a browser to come back no more
                await send(head(status, id))
                await send({"type": "http.response.body"})
            else:
                after = asked or request.query_params.get("after", "")
                await self.follow(self.all.story(request.path_params["match"], after), id, receive, send)
        except ArenaError as error:
            status = error.status
            await refusal(error).send(send, id.encode())
        self.all.journal.answered(f"{NAME} held", status, perf_counter() - began, request=id)

    async def follow(self, said: AsyncGenerator[Told | None, None], id: str, receive: Receive, send: Send) -> None:
        """Write a story for as long as somebody reads it."""
        async with aclosing(said):
            first = await anext(said)
            await send(head(200, id))
            await send(part(f"retry: {AGAIN}\n\n".encode() + written(first)))
            tasks = [asyncio.ensure_future(self.write(said, send)), asyncio.ensure_future(left(receive))]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.wait(tasks)
            for task in tasks:
                if not task.cancelled():
                    task.result()

    async def write(self, said: AsyncGenerator[Told | None, None], send: Send) -> None:
        """Write what follows, to the end."""
        with suppress(ArenaError):  # a passing fault: the browser comes back and goes on where it was
            async for one in said:
                await send(part(written(one)))
        await send({"type": "http.response.body", "body": b""})


async def left(receive: Receive) -> None:
    """Come back when whoever asked has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def number(text: str) -> int:
    """The sequence that somebody has seen; -1 for nothing, and for what is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= NUMBER else -1


def head(status: int, id: str) -> dict[str, object]:
    """The head of an answer."""
    headers = [*STREAM, (b"x-request-id", id.encode())]
    return {"type": "http.response.start", "status": status, "headers": headers}


def part(text: bytes) -> dict[str, object]:
    """A part of a stream."""
    return {"type": "http.response.body", "body": text, "more_body": True}


def written(one: Told | None) -> bytes:
    """One event; a comment shows that the stream is alive."""
    if one is None:
        return b": still here\n\n"
    if isinstance(one, Hello):
        return b"event: hello\ndata: " + msgspec.json.encode(one) + b"\n\n"
    kind, id = ("over", OVER) if isinstance(one, Over) else ("action", str(one.sequence))
    return f"event: {kind}\nid: {id}\ndata: ".encode() + msgspec.json.encode(one) + b"\n\n"
