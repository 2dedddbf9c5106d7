"""What a connection may cost. Real sockets; time is told to `look`, which the arena calls once a second."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
import uvicorn
from uvicorn.server import ServerState
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from calza.arena.connections import FRAME, HEAD, REQUEST, STUCK, UNREAD, Http, Socket

WHOLE = b"GET / HTTP/1.1\r\nhost: here\r\n\r\n"
UPGRADE = (
    b"GET / HTTP/1.1\r\nhost: here\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
    b"sec-websocket-version: 13\r\nsec-websocket-key: MDEyMzQ1Njc4OTAxMjM0NQ==\r\n\r\n"
)
PING = b"\x89\xfd\0\0\0\0" + b"x" * 125  # a ping of 125 bytes, masked with nothing


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answers a request with what it has heard; on a socket echoes; `/flood` never stops talking."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": message["text"]})
        return
    body = b""
    while (message := await receive()).get("more_body"):
        body += message["body"]
    body += message.get("body", b"")
    await send({"type": "http.response.start", "status": 200, "headers": []})
    while scope["path"] == "/flood" and not scope["state"]["over"].is_set():
        await send({"type": "http.response.body", "body": b"x" * 60_000, "more_body": True})
        await asyncio.sleep(0)
    await send({"type": "http.response.body", "body": body})


class Place:
    """Where connections come to."""

    def __init__(self) -> None:
        config = uvicorn.Config(app, ws=Socket, ws_max_size=FRAME, lifespan="off", log_config=None, access_log=False)
        config.load()
        self.config, self.state, self.app_state = config, ServerState(), {"over": asyncio.Event()}
        self.port = 0
        self.heard = 0  # bytes that have come

    def protocol(self) -> Http:
        place = self

        class Counting(Http):
            def data_received(self, data: bytes) -> None:
                place.heard += len(data)
                super().data_received(data)

        return Counting(self.config, self.state, self.app_state)

    async def dial(self, *said: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(b"".join(said))
        return reader, writer

    def look(self, seconds: float) -> None:
        """Look at all connections as if it were later."""
        now = asyncio.get_running_loop().time() + seconds
        for connection in list(self.state.connections):
            connection.look(now)  # type: ignore[union-attr]

    async def until(self, true: Callable[[], bool]) -> None:
        """Let what is under way arrive."""
        while not true():
            await asyncio.sleep(0)


@asynccontextmanager
async def served() -> AsyncIterator[Place]:
    place = Place()
    server = await asyncio.get_running_loop().create_server(place.protocol, "127.0.0.1", 0)
    place.port = server.sockets[0].getsockname()[1]
    try:
        yield place
    finally:
        place.app_state["over"].set()
        for connection in list(place.state.connections):
            connection.transport.abort()
        server.close()
        await asyncio.gather(*place.state.tasks, return_exceptions=True)


def tried(do: Callable[[Place], Coroutine[Any, Any, None]]) -> None:
    async def all_of_it() -> None:
        async with served() as place, asyncio.timeout(30):
            await do(place)

    asyncio.run(all_of_it())


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"G",
        b"GET / HTTP/1.1\r\nhost: he",
        b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 5\r\n\r\nab",
    ],
)
def test_a_request_that_comes_drop_by_drop_is_not_waited_for(said: bytes) -> None:
    async def do(place: Place) -> None:
        reader, writer = await place.dial(said)
        await ended_in_time(place, reader, len(said))
        writer.close()

    tried(do)


@pytest.mark.parametrize("said", [b"\r\n", b"GET"])
def test_nor_is_the_one_that_follows(said: bytes) -> None:
    async def do(place: Place) -> None:
        reader, writer = await place.dial(WHOLE)
        await reader.readuntil(b"0\r\n\r\n")
        writer.write(said)
        await ended_in_time(place, reader, len(WHOLE + said))
        writer.close()

    tried(do)


async def ended_in_time(place: Place, reader: asyncio.StreamReader, many: int) -> None:
    """A connection on which so many bytes have come is closed when its time is over, and not before."""
    await place.until(lambda: len(place.state.connections) == 1 and place.heard == many)
    place.look(0)
    place.look(REQUEST - 1)
    assert all(not one.transport.is_closing() for one in place.state.connections)
    place.look(REQUEST + 1)
    assert all(one.transport.is_closing() for one in place.state.connections)
    await reader.read()


def test_a_connection_between_two_requests_is_kept() -> None:
    async def do(place: Place) -> None:
        reader, writer = await place.dial(WHOLE)
        await reader.readuntil(b"0\r\n\r\n")
        place.look(0)
        place.look(REQUEST + 1)
        writer.write(WHOLE)
        assert (await reader.readline()) == b"HTTP/1.1 200 OK\r\n"
        writer.close()

    tried(do)


def test_a_head_without_an_end_is_refused() -> None:
    async def do(place: Place) -> None:
        reader, writer = await place.dial(b"GET / HTTP/1.1\r\n", b"x: y\r\n" * HEAD)
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 431 ")
        assert msgspec.json.decode(body)["error"] == "invalid_input"
        writer.close()

    tried(do)


def test_what_is_no_request_is_told_so_in_json() -> None:
    async def do(place: Place) -> None:
        reader, writer = await place.dial(b"HELLO\r\n\r\n")
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 ")
        assert msgspec.json.decode(body) == {"error": "invalid_input", "details": "this is not HTTP/1.1"}
        writer.close()

    tried(do)


def test_who_does_not_read_is_dropped() -> None:
    async def do(place: Place) -> None:
        _, writer = await place.dial(WHOLE.replace(b"/ ", b"/flood "))
        await place.until(lambda: any(one.stuck for one in place.state.connections))  # type: ignore[union-attr]
        place.look(STUCK - 1)
        assert len(place.state.connections) == 1
        place.look(STUCK + 1)
        await place.until(lambda: not place.state.connections)
        writer.close()

    tried(do)


def test_pings_that_nobody_reads_the_answers_of_end_the_socket() -> None:
    async def do(place: Place) -> None:
        reader, writer = await place.dial(UPGRADE)
        await reader.readuntil(b"\r\n\r\n")
        reader.feed_data = lambda data: None  # type: ignore[method-assign]
        writer.transport.pause_reading()
        while place.state.connections:
            writer.write(PING * 500)
            await asyncio.sleep(0)
            for one in place.state.connections:
                assert one.transport.get_write_buffer_size() <= 2 * UNREAD
        writer.close()

    tried(do)


def test_a_frame_has_4096_bytes_at_most() -> None:
    async def do(place: Place) -> None:
        async with connect(f"ws://127.0.0.1:{place.port}/") as socket:
            await socket.send("x" * FRAME)
            assert await socket.recv() == "x" * FRAME
            await socket.send("x" * (FRAME + 1))
            with pytest.raises(ConnectionClosed) as closed:
                await socket.recv()
            assert closed.value.rcvd
            assert closed.value.rcvd.code == 1009

    tried(do)
