"""What the tests do with a store."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from itertools import count
from typing import Any

from sqlalchemy import Connection

from calza.arena.store import Store
from calza.arena.store.actions import Act, After
from calza.arena.store.agents import Agent, Register
from calza.arena.store.done import Done
from calza.arena.store.matches import Ending, Finish, Joining, Match, Open, Seated
from calza.arena.store.seeds import Draw
from calza.arena.store.waiting import Enter, Waiting

NOW = 1_700_000_000_000
DAY = 86_400_000


def seat(seed: bytes, match: str, salts: Sequence[str]) -> list[int]:
    """Seats in the order of joining, backwards."""
    return list(range(len(salts)))[::-1]


def stronger(before: list[tuple[str, float, float]]) -> list[tuple[float, float]]:
    """A rating that is easily checked: the first gains what the others lose."""
    return [(mu + (len(before) - 1 if not place else -1), sigma - 0.5) for place, (_, mu, sigma) in enumerate(before)]


class Desk:
    """A store, and short words for what is asked of it."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.read, self.write = store.read, store.write
        self.numbers = count()

    def token(self) -> bytes:
        return next(self.numbers).to_bytes(16, "big")

    async def agents(self, *names: str, **more: Any) -> list[Agent]:
        """New agents, whose ids are their names."""
        made = [Agent(name, name, created_ms=NOW, **more) for name in names]
        for one in made:
            assert await self.write(Register(one)) is None
        return made

    async def seeds(self, many: int = 20) -> int:
        return await self.write(Draw(tuple((b"seed%d" % one, f"commitment{one}") for one in range(many))))

    async def enter(self, agent: str, game: str = "dudo", **more: Any) -> Waiting | None:
        return await self.write(Enter(waiting(agent, game, **more)))

    async def open(
        self, id: str, *agents: str, game: str = "dudo", queued: bool = False, at: int = NOW, **more: Any
    ) -> Seated | None:
        """A match of those who sit down at it."""
        joining = tuple(Joining(one, one, f"salt of {one}", queued=queued) for one in agents)
        match = Match(id, game, "fast", len(agents), created_ms=at, due_ms=at + 1000, **more)
        return await self.write(Open(match, joining, seat))

    async def table(self, id: str, *agents: str, **more: Any) -> Seated:
        """The same, with a seed drawn for it."""
        await self.seeds(1)
        opened = await self.open(id, *agents, **more)
        assert opened
        return opened

    def done(self, match: str, sequence: int, text: str = "1x2", **more: Any) -> Done:
        at = NOW + sequence
        return Done(match, sequence, sequence % 2, text, at, at + 1000, token=self.token(), **more)

    async def act(self, match: str, sequence: int, text: str = "1x2", **more: Any) -> bool:
        return await self.write(Act(self.done(match, sequence, text, **more)))

    async def played(self, match: str) -> list[str]:
        return [one.text for one in await self.read(After(match))]

    def finish(self, id: str, *agents: str, actions: int = 0, at: int = NOW + 5000, **more: Any) -> Finish:
        """The end of a match: the first of its players has won."""
        ends = tuple(
            Ending(joined, agent, "loss" if joined else "win", joined + 1, 0 if joined else 3)
            for joined, agent in enumerate(agents)
        )
        return Finish(id, at, "completed", b"record of " + id.encode(), actions, ends, **more)

    async def finished(self, id: str, *agents: str, at: int = NOW, rate: Any = stronger, **more: Any) -> None:
        """A match from its beginning to its end."""
        await self.table(id, *agents, at=at, **more)
        assert await self.write(self.finish(id, *agents, at=at + 5000, rate=rate))


def waiting(agent: str, game: str = "dudo", **more: Any) -> Waiting:
    said: dict[str, Any] = dict(
        lane="fast", players=2, salt=f"salt of {agent}", agents_only=False, capacity=1,
        since_ms=NOW, expires_ms=NOW + DAY,
    )  # fmt: skip
    return Waiting(agent, game, **(said | more))


class Opened:
    """Opens a store, does something with it, and closes it."""

    def __init__(self, url: str) -> None:
        self.url = url

    def __call__(self, do: Callable[[Desk], Coroutine[Any, Any, None]]) -> None:
        async def all_of_it() -> None:
            store = await Store.open(self.url)
            try:
                await asyncio.wait_for(do(Desk(store)), 60)
            finally:
                await store.close()

        asyncio.run(all_of_it())


def broken(why: Exception) -> Callable[[Connection], None]:
    """A write that fails."""

    def write(_: Connection) -> None:
        raise why

    return write
