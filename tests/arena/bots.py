"""Bots of the joker TCP game, for tests: a line that is written, lines that are read, and one that plays."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

PATIENCE = 20.0


class Bot:
    """A socket of the game."""

    def __init__(self, name: str, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.name, self.uuid = name, str(UUID(int=number))
        self.reader, self.writer = reader, writer
        self.hand: list[int] = []

    @classmethod
    async def dial(cls, port: int, name: str = "Bot", number: int = 1) -> "Bot":
        return cls(name, number, *await asyncio.open_connection("127.0.0.1", port))

    def send(self, message: Any) -> None:
        self.write(json.dumps(message).encode() + b"\n")

    def write(self, said: bytes) -> None:
        self.writer.write(said)

    def connect(self) -> None:
        self.send({"Connect": {"name": self.name, "uuid": self.uuid}})

    def bid(self, number: int, face: int) -> None:
        self.send({"IThinkThereAre": {"number": number, "face": face}})

    async def hear(self) -> Any:
        """The next message; None when the arena has hung up."""
        async with asyncio.timeout(PATIENCE):
            line = await self.reader.readline()
        if not line:
            return None
        assert line.endswith(b"\n")
        said = json.loads(line)
        if isinstance(said, dict) and "YouRolled" in said:
            self.hand = said["YouRolled"]["hand"]
        return said

    async def until(self, name: str) -> Any:
        """The fields of the next message of this name; what comes before is passed over."""
        while True:
            said = await self.hear()
            assert said is not None, f"the arena has hung up before {name}"
            if said == name or (isinstance(said, dict) and name in said):
                return said if said == name else said[name]

    async def end(self) -> None:
        self.writer.close()
        await self.writer.wait_closed()

    async def play(self) -> str:
        """Play a whole game as a simple bot would; returns who won."""
        while True:
            said = await self.hear()
            match said:
                case {"GameEnded": {"winner": winner}}:
                    return str(winner)
                case {"Turn": {"number": number, "face": face, "next_player": name}} if name == self.name:
                    self.act(number, face)

    def act(self, number: int, face: int) -> None:
        """Bid what is held, and call what is more than half of a guess."""
        if number == 0:
            self.bid(1, max(self.hand))
        elif number > len(self.hand):
            self.send("Liar")
        else:
            self.bid(number + 1, face)


@asynccontextmanager
async def dialled(port: int, *names: str) -> AsyncIterator[list[Bot]]:
    """Bots on sockets that are not connected to any game yet."""
    bots = [await Bot.dial(port, name, number) for number, name in enumerate(names, 1)]
    try:
        yield bots
    finally:
        for bot in bots:
            await bot.end()
