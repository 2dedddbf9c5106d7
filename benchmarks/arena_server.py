"""`python -m benchmarks.arena_server FOLDER`: an arena with two routes more, which do nothing: the floor."""

import asyncio
import socket
import sys
from typing import Any

import uvloop
from starlette.routing import BaseRoute, Match

from calza.arena.arena import Arena
from calza.arena.connections import sweep
from calza.arena.journal import Journal
from calza.arena.serve import Server, allow_many_connections, be_prompt
from calza.arena.settings import Settings
from calza.web import routes as pages

PLENTY = 100_000_000
ANSWER = b'{"ok":true}'
HEADERS = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(ANSWER))]


class Nothing(BaseRoute):
    """`POST /null` reads a body and answers; a socket at `/echo` says what it hears."""

    def matches(self, scope: Any) -> tuple[Match, Any]:
        """Whether this is one of the two."""
        return (Match.FULL if scope.get("path") in ("/null", "/echo") else Match.NONE), {}

    async def handle(self, scope: Any, receive: Any, send: Any) -> None:
        """Do nothing, as fast as can be."""
        if scope["type"] == "http":
            await receive()
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            await send({"type": "http.response.body", "body": ANSWER})
            return
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": message["text"]})


async def serve(folder: str) -> None:
    """Serve until told to stop; says its port."""
    settings = Settings(
        data=folder, requests_per_minute=PLENTY, address_per_minute=PLENTY, registrations_per_hour=PLENTY
    )  # fmt: skip
    journal = Journal(settings.log_level)
    journal.take_over()
    with socket.create_server(("127.0.0.1", 0), backlog=4096) as listening:
        arena = await Arena.open(settings)
        await arena.start()
        server = Server(arena, journal, lambda: print(listening.getsockname()[1], flush=True), pages)
        server.config.app.router.routes.insert(0, Nothing())  # type: ignore[union-attr]
        looking = asyncio.ensure_future(sweep(server.server_state.connections))
        await server.serve(sockets=[listening])
        looking.cancel()
        await arena.stop()
        await arena.close()


if __name__ == "__main__":
    allow_many_connections()
    be_prompt()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(sys.argv[1]))
