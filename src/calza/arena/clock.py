"""Time as the arena knows it: milliseconds since 1970, and waiting. Tests turn a clock of their own by hand."""

import asyncio
import heapq
import time
from datetime import UTC, datetime
from functools import lru_cache
from typing import Protocol


class Clock(Protocol):
    """What tells the time."""

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Come back after so long."""
        ...


class RealClock:
    """The machine's clock. Steps of the machine's own clock while we run do not reach the players."""

    def __init__(self) -> None:
        self.offset = time.time() - time.monotonic()

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return int((time.monotonic() + self.offset) * 1000)

    async def sleep(self, seconds: float) -> None:
        """Come back after so long."""
        await asyncio.sleep(seconds)


class TurnedClock:
    """A clock that moves only when it is turned."""

    def __init__(self, now_ms: int = 1_700_000_000_000) -> None:
        self.now = now_ms
        self.sleepers: list[tuple[int, int, asyncio.Future[None]]] = []
        self.count = 0

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Come back when the clock has been turned so far."""
        future = asyncio.get_running_loop().create_future()
        self.count += 1  # equal times wake in the order in which they went to sleep
        heapq.heappush(self.sleepers, (self.now + int(seconds * 1000), self.count, future))
        await future

    async def turn(self, ms: int) -> None:
        """Let so much time pass, waking everybody on the way."""
        until = self.now + ms
        while self.sleepers and self.sleepers[0][0] <= until:
            self.now, _, future = heapq.heappop(self.sleepers)
            if not future.done():
                future.set_result(None)
            await settle()
        self.now = until
        await settle()


async def settle(turns: int = 50) -> None:
    """Let everything that can go on go on."""
    for _ in range(turns):
        await asyncio.sleep(0)


def iso(ms: int) -> str:
    """A time as people and programs write it, in UTC."""
    seconds, part = divmod(ms, 1000)
    return f"{iso_second(seconds)}.{part:03d}Z"


@lru_cache(maxsize=1 << 10)
def iso_second(seconds: int) -> str:
    """A whole second; most times that are told at once lie in a few of them."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").removesuffix("+00:00")
