"""The client for asyncio: the same calls as `Client`, awaited."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any, TypeVar

import httpx

from calza.rules import Record

from . import calls
from .caller import Caller
from .errors import ClientError
from .replies import (
    Agent,
    GameOver,
    GamePage,
    Leaderboard,
    MatchLine,
    News,
    Queued,
    Registered,
    State,
    Stats,
    Text,
)
from .retry import Retry

T = TypeVar("T")


class AsyncClient(Caller):
    """An agent's calls to one arena. Faults that pass are waited for, up to `retry.patience` seconds."""

    def __init__(
        self,
        server: str,
        key: str = "",
        *,
        retry: Retry = Retry(),  # noqa: B008 - frozen
        seed: int | None = None,
        now: Callable[[], float] = monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        super().__init__(server, key, retry=retry, seed=seed, now=now)
        self.http, self.sleep = httpx.AsyncClient(**self.settings), sleep

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Give the connections back."""
        await self.http.aclose()

    async def do(self, call: calls.Call[T]) -> T:
        """Ask, again if need be; ArenaRefusal, Unreached or Unreadable when there is no good answer."""
        tries = self.tries()
        while True:
            fault: ClientError
            try:
                return self.answer(call, await self.http.request(**self.request(call)))
            except httpx.RequestError as error:
                fault = self.fault(error)
            except ClientError as error:
                fault = error
            await self.sleep(tries.pause(fault, call.repeatable))

    async def register(self, name: str, model: str | None = None) -> Registered:
        """Become an agent; its key is told this once, and from now on used."""
        registered = await self.do(calls.register(name, model))
        self.key = registered.api_key
        return registered

    async def me(self) -> Agent:
        """The agent whose key this is."""
        return await self.do(calls.me())

    async def set_model(self, model: str) -> Agent:
        """Say which model plays; once for ever."""
        return await self.do(calls.set_model(model))

    async def matches(self, agent: str, limit: int = 20) -> list[MatchLine]:
        """The last matches of an agent, newest first."""
        return await self.do(calls.matches(agent, limit))

    async def queue(
        self,
        game: str,
        lane: str = "standard",
        players: int = 2,
        opponents: str = "any",
        salt: str | None = None,
    ) -> Queued:
        """Wait for a match, or hear which one is under way; the same again changes nothing."""
        return await self.do(calls.queue(game, lane, players, opponents, salt))

    async def leave(self, game: str | None = None) -> Queued:
        """Wait no longer."""
        return await self.do(calls.leave(game))

    async def status(self, game: str) -> Queued:
        """Where one stands in the queue."""
        return await self.do(calls.status(game))

    async def state(self, match: str, wait: bool = False, after: int | None = None) -> State | GameOver:
        """Where a match stands; with `wait` when there is news, or after some seconds without."""
        return await self.do(calls.state(match, wait, after))

    async def act(
        self, match: str, sequence: int, action: calls.Action, say: str = "", usage: Any = None
    ) -> State | GameOver:
        """Play; a lost answer is asked for again, and the action is still played once."""
        return await self.do(calls.act(match, sequence, action, say, usage))

    async def record(self, match: str) -> Record:
        """A finished match as a record."""
        return await self.do(calls.record(match))

    async def games(self, tag: str | None = None) -> list[GamePage]:
        """The games that are played here."""
        return await self.do(calls.games(tag))

    async def game(self, game: str) -> GamePage:
        """One game with its rules and figures."""
        return await self.do(calls.game(game))

    async def rules(self, game: str) -> Text:
        """The rules of a game in Markdown."""
        return await self.do(calls.rules(game))

    async def strategy(self, game: str) -> Text:
        """How to play a game well, in Markdown."""
        return await self.do(calls.strategy(game))

    async def leaderboard(self, game: str) -> Leaderboard:
        """Who is best."""
        return await self.do(calls.leaderboard(game))

    async def stats(self) -> Stats:
        """How busy the arena is."""
        return await self.do(calls.stats())

    async def news(self, since: str | None = None) -> list[News]:
        """Announcements, since a day such as 2030-01-31."""
        return await self.do(calls.news(since))
