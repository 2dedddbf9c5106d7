"""One socket of a bot, and the player who is told things by it."""

import asyncio
import hashlib
import socket
from asyncio import StreamReader, StreamWriter
from contextlib import suppress

BACKLOG = 256 * 1024  # bytes that wait for a slow reader; with more it is dropped
PATIENCE = 5.0  # seconds for the last lines to be read
SOCKETS = 3  # of one player: a bot that comes back may be faster than the end of its old socket


class Line:
    """One socket."""

    def __init__(self, reader: StreamReader, writer: StreamWriter, now_ms: int) -> None:
        self.reader, self.writer, self.heard_ms = reader, writer, now_ms
        self.player: Player | None = None
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    @property
    def address(self) -> str:
        """Where the bot is."""
        return str((self.writer.get_extra_info("peername") or [""])[0])

    def tell(self, said: bytes) -> None:
        """Send a line, without waiting for the bot to read it."""
        if not self.writer.is_closing():
            self.writer.write(said)
            if self.writer.transport.get_write_buffer_size() > BACKLOG:
                self.writer.transport.abort()

    async def hear(self) -> bytes | None:
        """The next line; None after the last. ValueError when it is too long."""
        with suppress(ConnectionError):
            line = await self.reader.readline()
            if line.endswith(b"\n"):
                return line
        return None

    async def end(self) -> None:
        """Hang up after what was said; whoever does not read it is not waited for."""
        self.writer.close()
        try:
            async with asyncio.timeout(PATIENCE):
                await self.writer.wait_closed()
        except OSError:  # TimeoutError is one
            self.writer.transport.abort()


class Player:
    """Somebody who plays: a bot, known again by the hash of its uuid, which also salts the dice."""

    def __init__(self, name: str, token: str, agent: str = "") -> None:
        self.name, self.token, self.agent = name, token, agent
        self.seat = -1
        self.lines: list[Line] = []

    def take(self, line: Line) -> None:
        """Be told by this socket too; whatever it does, this player does."""
        line.player = self
        self.lines.append(line)
        for old in self.lines[:-SOCKETS]:
            self.lose(old)
            old.writer.close()

    def lose(self, line: Line) -> None:
        """A socket has gone."""
        if line in self.lines:
            self.lines.remove(line)

    def tell(self, said: bytes) -> None:
        """Send a line."""
        for line in self.lines:
            line.tell(said)


def token_of(uuid: str) -> str:
    """What is kept of a uuid: with the uuid itself anybody could take the seat."""
    return hashlib.sha256(b"calza joker 1" + uuid.encode()).hexdigest()
