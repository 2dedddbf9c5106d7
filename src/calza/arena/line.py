"""One socket: frames out, frames in, closing. It may be gone at any time, and then it is merely over."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

import msgspec
from starlette.types import Message
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketDisconnected

from .api.reply import refusal
from .errors import ArenaError
from .frames import Frame
from .store.agents import Agent

DONE, REFUSED, BROKEN, AWAY, BACK = 1000, 1008, 1011, 1012, 1013  # close codes of RFC 6455 and its registry
NO_KEY, NOT_A_PLAYER, NO_MATCH = 4401, 4403, 4404
COME_BACK = "come back in a moment"

Gone = (WebSocketDisconnect, WebSocketDisconnected)
Doing = Coroutine[Any, Any, None]
Birth = tuple[int, str]  # when a socket was opened, and its number


class Line:
    """One open socket: of an agent with its key, or of a spectator, who is nobody."""

    def __init__(self, socket: WebSocket, agent: Agent, key: str, birth: Birth) -> None:
        self.socket, self.agent, self.key, self.birth = socket, agent, key, birth
        self.telling: asyncio.Task[None] | None = None
        self.told = 0  # frames

    @property
    def match(self) -> str:
        """The match that it is about; nothing for none."""
        return str(self.socket.path_params.get("match", ""))

    async def tell(self, said: Frame) -> None:
        """Send a frame, as soon as the other side reads; one of Gone when it has gone."""
        self.told += 1
        await self.socket.send({"type": "websocket.send", "text": msgspec.json.encode(said).decode()})

    async def frame(self) -> str | bytes | None:
        """The next frame that has come; None when the other side has gone."""
        message = await self.socket.receive()
        if message["type"] == "websocket.disconnect":
            return None
        text: str | None = message.get("text")
        return text if text is not None else bytes(message["bytes"])

    async def close(self, code: int, why: str, *last: Frame) -> None:
        """Close it after some last frames, if it is open."""
        with suppress(*Gone):
            for said in last:
                await self.tell(said)
            await self.socket.send({"type": "websocket.close", "code": code, "reason": why})

    async def hush(self) -> None:
        """Tell it nothing any more of what it was told."""
        if self.telling is not None:
            self.telling.cancel()
            await asyncio.wait([self.telling])


async def refuse(socket: WebSocket, error: ArenaError, request: str) -> None:
    """Refuse an upgrade, as a request is refused."""

    async def send(message: Message) -> None:
        await socket.send({**message, "type": f"websocket.{message['type']}"})

    with suppress(*Gone):
        await refusal(error).send(send, request.encode())
