"""What a connection may cost: time for a request, bytes for its head, patience with whoever does not read.

uvicorn has no bounds for these. A connection that sends its request drop by drop, sends heads without an end, lets us
write and never reads, or never finishes closing, would be held for ever. Once a second `sweep` looks at all of them,
which costs a request nothing; bytes are counted as they come.
"""

import asyncio
from collections.abc import Iterable
from typing import Any

import msgspec
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from .api.reply import SAFE

REQUEST = 15.0  # seconds in which a request must have come, head and body
STUCK = 10.0  # seconds in which somebody must read what we write, or finish closing
IDLE = 75  # seconds that a connection is kept for another request; more than proxies keep theirs
HEAD = 16 * 1024  # bytes of a request before its body
UNREAD = 64 * 1024  # bytes of replies to pings that nobody reads
FRAME = 4096  # bytes of a frame


class Http(HttpToolsProtocol):
    """A connection that sends requests."""

    awaited: float | None = None  # since when a request is due, or part of it
    stuck: float | None = None  # since when nothing that we write is read
    heading = False  # whether the head of a request is coming
    got = 0  # bytes since the head began

    def connection_made(self, transport: Any) -> None:
        """It is open."""
        super().connection_made(transport)
        self.awaited = self.loop.time()

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self.awaited, self.heading, self.got = self.loop.time(), True, 0

    def on_headers_complete(self) -> None:
        """Its head has come."""
        self.heading = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """All of it has come."""
        self.awaited = None
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        """It becomes a WebSocket; a cycle with its parser would keep what it was in memory for long."""
        super().handle_websocket_upgrade()
        self.parser = None  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        """Bytes have come."""
        super().data_received(data)
        if self.heading:
            self.got += len(data)
            if self.got > HEAD and not self.transport.is_closing():
                self.refuse(431, f"the head of a request has at most {HEAD} bytes")

    def send_400_response(self, msg: str) -> None:
        """What came is no request."""
        self.refuse(400, "this is not HTTP/1.1")

    def refuse(self, status: int, details: str) -> None:
        """Say why, and close."""
        self.heading = False
        body = msgspec.json.encode({"error": "invalid_input", "details": details})
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body)), *SAFE]
        lines = b"".join(b"%s: %s\r\n" % pair for pair in headers)
        self.transport.write(STATUS_LINE[status] + lines + b"connection: close\r\n\r\n" + body)
        self.transport.close()

    def pause_writing(self) -> None:
        """What we write is not read."""
        super().pause_writing()
        self.stuck = self.loop.time()

    def resume_writing(self) -> None:
        """It is read again."""
        super().resume_writing()
        self.stuck = None

    def look(self, now: float) -> None:
        """End what has taken too long."""
        between = self.cycle is None or self.cycle.response_complete
        if between and self.awaited is None and self.timeout_keep_alive_task is None:
            self.awaited = now  # something came that was no request, and no timer of uvicorn's runs any more
        if self.awaited is not None and now - self.awaited > REQUEST:
            self.transport.close()
        drop_stuck(self, now)


class Socket(WebSocketsSansIOProtocol):
    """A connection that has become a WebSocket. Whoever does not answer pings is dropped by uvicorn."""

    stuck: float | None = None

    async def send(self, message: Any) -> None:
        """Send a frame, or a part of the answer that refuses the upgrade."""
        await super().send(message)
        if message["type"] == "websocket.http.response.body":
            self.handshake_complete = True  # else uvicorn complains of a socket that was neither opened nor refused

    def data_received(self, data: bytes) -> None:
        """Bytes have come."""
        super().data_received(data)
        if self.transport.get_write_buffer_size() > UNREAD:
            self.transport.abort()  # pings are answered without waiting for whoever sends them to read

    def pause_writing(self) -> None:
        """What we write is not read."""
        super().pause_writing()
        self.stuck = self.loop.time()

    def resume_writing(self) -> None:
        """It is read again."""
        super().resume_writing()
        self.stuck = None

    def look(self, now: float) -> None:
        """End what has taken too long."""
        drop_stuck(self, now)


def drop_stuck(connection: Http | Socket, now: float) -> None:
    """Forget a connection whose other side does not read, or does not let it be closed."""
    if connection.stuck is None and connection.transport.is_closing():
        connection.stuck = now
    if connection.stuck is not None and now - connection.stuck > STUCK:
        connection.transport.abort()


async def sweep(connections: Iterable[Any]) -> None:
    """Look at all connections, once a second, for ever."""
    loop = asyncio.get_running_loop()
    while True:
        await asyncio.sleep(1.0)
        for connection in list(connections):
            connection.look(loop.time())
