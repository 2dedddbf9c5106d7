"""The agent's own socket: the arena says when a match is found, so that nobody has to ask."""

import asyncio

import msgspec
from msgspec import Struct
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from .async_client import AsyncClient
from .calls import reading
from .errors import ClientError
from .line import NoSocket, open_socket

APART = 1.0  # seconds that the arena wants between two openings
LISTENING, ASKING = 15.0, 2.0  # seconds after which the queue is asked, with a socket and without


class Notice(Struct, rename="camel"):
    """What the arena says to an agent."""

    type: str
    match_id: str = ""
    game_id: str = ""


notices = reading(Notice)


class Notices:
    """What has been heard of matches of one game."""

    def __init__(self, client: AsyncClient, game: str) -> None:
        self.client, self.game = client, game
        self.woken = asyncio.Event()
        self.found: str | None = None  # the match that was found last
        self.open = False
        self.replaced = False  # whether a newer connection of the same agent has taken over

    async def listen(self) -> None:
        """Listen on one socket after the other, until another connection takes over or our key is refused."""
        tries = 0
        while not self.replaced:
            try:
                await self._on(await open_socket(self.client, "/ws/agent"))
                tries = 0
            except NoSocket:
                tries += 1
            except ClientError:
                return  # every call over HTTP says the same, and is heard
            await asyncio.sleep(APART + self.client.retry.pause(tries + 1, self.client.chance))

    async def _on(self, socket: ClientConnection) -> None:
        """Listen on one socket until it closes."""
        self.open = True
        try:
            while True:
                self._hear(await socket.recv())
        except ConnectionClosed:
            pass
        finally:
            self.open = False
            await socket.close()

    def _hear(self, frame: str | bytes) -> None:
        """Take in what was said."""
        try:
            notice = notices(frame if isinstance(frame, bytes) else frame.encode())
        except (msgspec.DecodeError, UnicodeDecodeError):
            return
        if notice.type == "match_found" and notice.game_id == self.game:
            self.found = notice.match_id
        self.replaced = self.replaced or notice.type == "replaced"
        if self.found or self.replaced:
            self.woken.set()

    def forget(self) -> None:
        """Whatever was found before is known by now, or over."""
        self.found = None
        self.woken.clear()

    async def wait(self) -> str | None:
        """The match that is found, or None when it is time to ask the queue again."""
        try:
            async with asyncio.timeout(LISTENING if self.open else ASKING):
                await self.woken.wait()
        except TimeoutError:
            pass
        self.woken.clear()
        found, self.found = self.found, None
        return found
