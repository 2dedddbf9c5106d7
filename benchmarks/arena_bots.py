"""Bots that cost next to nothing: raw sockets, and a script instead of thought.

They raise the bid by one die, and call it when it is more than half of all dice. Whose turn it is stands in every
answer.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from time import perf_counter

import msgspec
from msgspec import Struct

PLENTY = 2**20  # bytes of a line that a stream may have
LENGTH = re.compile(rb"content-length: (\d+)")
Wait = Callable[[], Awaitable[None]]  # until the next action may be sent


class Seen(Struct, rename="camel"):
    """What a bot looks at in a view."""

    you: str
    current_player: str | None
    total_dice_in_play: int
    current_bid: dict[str, int | str] | None


class State(Struct, rename="camel"):
    """Where a match stands."""

    sequence: int
    view: Seen
    status: str = ""


class Acted(Struct):
    """The answer to an action."""

    state: State


class Frame(Struct, rename="camel"):
    """What a socket is told."""

    type: str
    sequence: int = 0
    view: Seen | None = None


read_acted = msgspec.json.Decoder(Acted).decode
read_state = msgspec.json.Decoder(State).decode
read_frame = msgspec.json.Decoder(Frame).decode


def action(view: Seen) -> str:
    """What a bot does, as JSON."""
    bid = view.current_bid
    quantity = 0 if bid is None else int(bid["quantity"])
    if quantity > view.total_dice_in_play // 2:
        return '{"type":"challenge"}'
    return f'{{"type":"bid","quantity":{quantity + 1},"faceValue":2}}'


class Http:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def dial(cls, port: int) -> "Http":
        """A new one."""
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=PLENTY))

    async def ask(self, method: str, path: str, body: str = "", key: str = "") -> bytes:
        """The body of an answer, which must be a good one."""
        who = f"authorization: Bearer {key}\r\n" if key else ""
        self.writer.write(
            f"{method} {path} HTTP/1.1\r\nhost: x\r\n{who}content-length: {len(body)}\r\n\r\n{body}".encode()
        )
        head = await self.reader.readuntil(b"\r\n\r\n")
        found = LENGTH.search(head)
        answer = await self.reader.readexactly(int(found[1]) if found else 0)
        assert head.startswith(b"HTTP/1.1 2"), (head, answer)
        return answer

    def close(self) -> None:
        """Hang up."""
        self.writer.close()


class Socket:
    """One WebSocket. Its frames are masked with nothing, which costs nothing."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    @classmethod
    async def dial(cls, port: int, path: str, key: str = "") -> "Socket":
        """A new one; without a key it is that of a page."""
        one = cls(*await asyncio.open_connection("127.0.0.1", port, limit=PLENTY))
        who = f"authorization: Bearer {key}\r\n" if key else "origin: http://x\r\n"
        one.writer.write(
            f"GET {path} HTTP/1.1\r\nhost: x\r\n{who}connection: upgrade\r\nupgrade: websocket\r\n"
            "sec-websocket-version: 13\r\nsec-websocket-key: MDEyMzQ1Njc4OTAxMjM0NQ==\r\n\r\n".encode()
        )
        head = await one.reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101"), head
        return one

    def send(self, text: str) -> None:
        """Send a frame."""
        many = len(text)
        size = bytes([0x80 | many]) if many < 126 else b"\xfe" + many.to_bytes(2, "big")
        self.writer.write(b"\x81" + size + b"\0\0\0\0" + text.encode())

    async def hear(self) -> bytes | None:
        """The next frame of text; None when the other side closes. Pings are answered."""
        while True:
            first, size = await self.reader.readexactly(2)
            if size == 126:
                size = int.from_bytes(await self.reader.readexactly(2), "big")
            said = await self.reader.readexactly(size)
            if first == 0x81:
                return said
            if first == 0x89:
                self.writer.write(b"\x8a" + bytes([0x80 | size]) + b"\0\0\0\0" + said)
            if first == 0x88:
                return None

    def close(self) -> None:
        """Hang up."""
        self.writer.close()


class Table:
    """Two agents at one match."""

    state: State  # where the match began

    def __init__(self, port: int, keys: list[str], ids: list[str], match: str) -> None:
        self.port, self.keys, self.ids, self.match = port, keys, ids, match
        self.latencies: list[tuple[float, float]] = []  # of each action: when it was sent, seconds until it was played
        self.sockets: list[Socket] = []

    @property
    def actions(self) -> int:
        """How many were played."""
        return len(self.latencies)

    @classmethod
    async def open(cls, http: Http, port: int, name: str) -> "Table":
        """Two new agents at a new match."""
        made = [
            msgspec.json.decode(await http.ask("POST", "/api/agents", f'{{"name":"{name}-{seat}"}}')) for seat in "ab"
        ]
        keys = [one["apiKey"] for one in made]
        table = cls(port, keys, [one["id"] for one in made], await seated(http, keys))
        table.state = [await table.come(http, key) for key in keys][-1]
        return table

    async def come(self, http: Http, key: str) -> State:
        """One of the two has come to the match."""
        return read_state(await http.ask("GET", f"/api/matches/{self.match}/state", key=key))

    # --- over HTTP

    async def step(self, http: Http) -> bool:
        """Play the next action, whoever's it is; whether the match goes on."""
        state = self.state
        assert state.view.current_player is not None
        key = self.keys[self.ids.index(state.view.current_player)]
        body = f'{{"sequence":{state.sequence},"action":{action(state.view)}}}'
        began = perf_counter()
        self.state = read_acted(await http.ask("POST", f"/api/matches/{self.match}/action", body, key)).state
        self.latencies.append((began, perf_counter() - began))
        return self.state.view.current_player is not None

    async def play_http(self, http: Http, wait: Wait | None = None) -> None:
        """Play the match to its end, over one connection."""
        if wait:
            await wait()
        while await self.step(http):
            if wait:
                await wait()

    # --- over sockets

    async def dial(self) -> None:
        """Open a socket for each."""
        self.sockets = [await Socket.dial(self.port, f"/ws/game/{self.match}", key) for key in self.keys]

    async def play_sockets(self, wait: Wait | None = None) -> None:
        """Play the match to its end. An action is acknowledged by the turn that follows."""
        sent = [0.0]
        await asyncio.gather(*(self.seat(socket, sent, wait) for socket in self.sockets))
        for socket in self.sockets:
            socket.close()

    async def seat(self, socket: Socket, sent: list[float], wait: Wait | None) -> None:
        """Play at one seat."""
        while (said := await socket.hear()) is not None:
            frame = read_frame(said)
            if sent[0] and frame.type in ("your_turn", "game_over"):
                self.latencies.append((sent[0], perf_counter() - sent[0]))
                sent[0] = 0.0
            if frame.type == "your_turn" and frame.view is not None:
                if wait:
                    await wait()
                sent[0] = perf_counter()
                socket.send(f'{{"type":"action","sequence":{frame.sequence},"payload":{action(frame.view)}}}')
            else:
                assert frame.type in ("connected", "game_over"), said


async def seated(http: Http, keys: list[str]) -> str:
    """A new match of two agents, who alone are in the queue."""
    wish = '{"gameId":"liars-dice","lane":"fast","players":2,"opponents":"agents"}'
    for key in keys:
        answer = msgspec.json.decode(await http.ask("POST", "/api/matchmaking/queue", wish, key))
    return str(answer["matchId"])
