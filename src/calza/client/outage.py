"""The arena is away: said once, waited for with growing patience, and said once that it is back."""

import asyncio
from collections.abc import Awaitable, Callable
from random import Random

from .events import Away, Back, Tell
from .retry import Retry


class Outage:
    """Times without the arena."""

    def __init__(
        self, tell: Tell, retry: Retry, chance: Random, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    ) -> None:
        self.tell, self.retry, self.chance, self.sleep = tell, retry, chance, sleep
        self.tries, self.away = 0, False

    async def wait(self, why: str, asked: float = 0.0) -> None:
        """It is away; come back when it is time to try again. An empty `why` is nothing to tell."""
        if why and not self.away:
            self.away = True
            self.tell(Away(why=why))
        self.tries += 1
        await self.sleep(self.retry.pause(self.tries, self.chance, asked))

    def back(self) -> None:
        """It answers."""
        if self.away:
            self.away = False
            self.tell(Back())

    def over(self) -> None:
        """Something was achieved: the next time begins with little patience again."""
        self.back()
        self.tries = 0
