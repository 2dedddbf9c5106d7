"""The pages of a filled arena, served on loopback by a thread for a real browser."""

import asyncio
import socket
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

import uvicorn

from calza.arena.app import app
from calza.web import routes
from tests.arena.house import Place, opened

from .pages import Filled, fill

T = TypeVar("T")


class Served:
    """The arena, where it is, and what is in it."""

    def __init__(self, matches: int = 6) -> None:
        self.matches, self.ready, self.end = matches, threading.Event(), asyncio.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.serve()), daemon=True)

    def __enter__(self) -> "Served":
        self.thread.start()
        assert self.ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.call_soon_threadsafe(self.end.set)
        self.thread.join(30)

    async def serve(self) -> None:
        """Serve until told to stop."""
        self.loop = asyncio.get_running_loop()
        async with opened(address_per_minute=100_000) as place:
            self.place: Place = place
            self.filled: Filled = await fill(place, self.matches)
            arena = place.arena
            site = app(arena, more=routes)
            with socket.socket() as listening:
                listening.bind(("127.0.0.1", 0))
                self.base = f"http://127.0.0.1:{listening.getsockname()[1]}"
                server = Quiet(uvicorn.Config(site, lifespan="off", log_level="error"))
                serving = asyncio.ensure_future(server.serve(sockets=[listening]))
                self.ready.set()
                await self.end.wait()
                arena.dismiss()
                server.should_exit = server.force_exit = True
                await serving

    def do(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Do something in the arena, from another thread."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(30)


class Quiet(uvicorn.Server):
    """uvicorn, which leaves the signals of the process to pytest."""

    def install_signal_handlers(self) -> None:
        """Install none."""
