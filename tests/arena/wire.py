"""Sockets and streams of an arena: in process, message by message, or over a real server on a port of its own."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from calza.arena.connections import sweep
from calza.arena.journal import Journal
from calza.arena.serve import Server
from tests.arena.api.web import Player, Web, scope, served

PATIENCE = 20.0  # seconds of the machine


class Closed(Exception):
    """The socket has closed; the code says why."""

    def __init__(self, code: int, reason: str = "") -> None:
        super().__init__(code, reason)
        self.code, self.reason = code, reason


class Socket:
    """A socket in process, as a server hands it to the application."""

    def __init__(self, web: Web, path: str, key: str = "") -> None:
        self.web, self.raw = web, list[bytes]()
        self.came: asyncio.Queue[Any] = asyncio.Queue()
        self.sent: asyncio.Queue[Any] = asyncio.Queue()
        self.came.put_nowait({"type": "websocket.connect"})
        keyed = {"authorization": f"Bearer {key}"} if key else {}
        said = scope("GET", path, keyed, "127.0.0.1") | {
            "type": "websocket", "scheme": "ws", "subprotocols": [], "extensions": {"websocket.http.response": {}},
        }  # fmt: skip
        self.task = asyncio.ensure_future(web.app(said, self.came.get, self.take))

    async def take(self, message: Any) -> None:
        """What the application sends; of a close, a server tells it at once."""
        self.sent.put_nowait(message)
        if message["type"] == "websocket.close":
            self.came.put_nowait({"type": "websocket.disconnect", "code": message["code"]})

    async def next(self) -> Any:
        """What the application sends next."""
        getting = asyncio.ensure_future(self.sent.get())
        await asyncio.wait([getting, self.task], return_when=asyncio.FIRST_COMPLETED, timeout=PATIENCE)
        if not getting.done():
            getting.cancel()
            assert self.task.done(), "nothing is sent"
            self.task.result()
            raise Closed(1006)
        return getting.result()

    async def open(self) -> "Socket":
        """Wait until it is accepted; Closed with the status of an answer that is none."""
        message = await self.next()
        if message["type"] == "websocket.http.response.start":
            raise Closed(message["status"])
        assert message["type"] == "websocket.accept"
        return self

    async def hear(self) -> Any:
        """The next frame; Closed when there is none."""
        message = await self.next()
        if message["type"] == "websocket.close":
            raise Closed(message["code"], message["reason"])
        self.raw.append(message["text"].encode())
        return msgspec.json.decode(message["text"])

    def quiet(self) -> bool:
        """Whether nothing was sent that was not heard."""
        return self.sent.empty()

    def send(self, frame: Any) -> None:
        """Send a frame: text or bytes as they are, anything else as JSON."""
        kind = "bytes" if isinstance(frame, bytes) else "text"
        said = frame if isinstance(frame, str | bytes) else msgspec.json.encode(frame).decode()
        self.came.put_nowait({"type": "websocket.receive", kind: said})

    async def leave(self) -> None:
        """Go away."""
        self.came.put_nowait({"type": "websocket.disconnect", "code": 1006})
        await asyncio.wait_for(self.task, PATIENCE)


class Stream:
    """A stream of events in process."""

    def __init__(self, web: Web, path: str, headers: dict[str, str] | None = None) -> None:
        self.web, self.gone, self.raw = web, asyncio.Event(), b""
        self.status, self.headers = 0, dict[str, str]()
        self.over = False
        self.task = asyncio.ensure_future(
            web.app(scope("GET", path, headers or {}, "127.0.0.1"), self.receive, self.send)
        )

    async def receive(self) -> Any:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.raw += message.get("body", b"")
            self.over = not message.get("more_body", False)

    @property
    def events(self) -> list[tuple[str, str, Any]]:
        """What was told: the kind, the id, and the data."""
        told = []
        for block in self.raw.decode().split("\n\n"):
            lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
            if "event" in lines:
                told.append((lines["event"], lines.get("id", ""), msgspec.json.decode(lines["data"])))
        return told

    async def leave(self) -> None:
        """Go away."""
        self.gone.set()
        await asyncio.wait_for(self.task, PATIENCE)


def socket_of(player: Player, match: str = "") -> Socket:
    """A socket of an agent: of a match, or the one on which it is told of matches."""
    return Socket(player.web, f"/ws/game/{match}" if match else "/ws/agent", player.key)


# --- over a real server


class Wire:
    """A real socket."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    async def hear(self) -> Any:
        """The next frame; Closed when there is none."""
        try:
            return msgspec.json.decode(await asyncio.wait_for(self.connection.recv(), PATIENCE))
        except ConnectionClosed:
            raise Closed(self.connection.close_code or 0, self.connection.close_reason or "") from None

    async def send(self, frame: Any) -> None:
        """Send a frame: text or bytes as they are, anything else as JSON."""
        said = frame if isinstance(frame, str | bytes) else msgspec.json.encode(frame).decode()
        with suppress(ConnectionClosed):
            await self.connection.send(said)

    async def close(self) -> None:
        await self.connection.close()


class Site:
    """An arena that listens."""

    def __init__(self, web: Web, server: Server, port: int) -> None:
        self.web, self.server, self.port = web, server, port
        self.wires: list[Wire] = []

    async def dial(self, path: str, key: str = "", **more: Any) -> Wire:
        """Open a socket."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        url = f"ws://127.0.0.1:{self.port}{path}"
        said = {"additional_headers": headers, "compression": None, "proxy": None} | more
        self.wires.append(Wire(await connect(url, **said)))
        return self.wires[-1]


@asynccontextmanager
async def listening(web: Web) -> AsyncIterator[Site]:
    """Serve it on a free port, in this loop."""
    ready = asyncio.Event()
    server = Server(web.arena, Journal("debug", web.log), ready.set)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        serving = asyncio.ensure_future(server.serve(sockets=[free]))
        sweeping = asyncio.ensure_future(sweep(server.server_state.connections))
        await asyncio.wait_for(ready.wait(), PATIENCE)
        site = Site(web, server, free.getsockname()[1])
        try:
            yield site
        finally:
            server.should_exit = True
            for wire in site.wires:
                await wire.close()
            await asyncio.wait_for(serving, PATIENCE)
            sweeping.cancel()


def dialled(do: Callable[[Site], Coroutine[Any, Any, None]], **settings: Any) -> None:
    """Do something with an arena that listens."""

    async def all_of_it() -> None:
        async with served(**settings) as web, listening(web) as site:
            await asyncio.wait_for(do(site), 100)

    asyncio.run(all_of_it())
