"""An arena in memory whose clock, chance and dice are turned by hand."""

import asyncio
import heapq
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from random import Random
from typing import Any

from calza.arena.arena import Arena
from calza.arena.clock import TurnedClock, settle
from calza.arena.messages import GameOver, QueueAsk, Queued, State
from calza.arena.settings import Settings
from calza.arena.store.agents import Agent
from calza.arena.store.store import Store
from calza.rules import HmacDice

LIAR = {"type": "challenge"}
RESIGN = {"type": "resign"}


def bid(quantity: int, face: int) -> dict[str, Any]:
    return {"type": "bid", "quantity": quantity, "faceValue": face}


class Place:
    """The arena, and what tests do in it."""

    def __init__(self, arena: Arena, clock: TurnedClock) -> None:
        self.arena, self.clock = arena, clock

    async def agent(self, name: str) -> Agent:
        return (await self.arena.accounts.register(name)).agent

    async def queue(self, agent: Agent, game: str = "liars-dice", **more: Any) -> Queued:
        return await self.arena.lobby.queue(agent, QueueAsk(game_id=game, **more))

    async def match(self, *agents: Agent, game: str = "liars-dice", come: bool = True, lane: str = "fast") -> str:
        """A match between some agents, to which all have come."""
        for agent in agents:
            queued = await self.queue(agent, game, players=len(agents), lane=lane)
        assert queued.status == "matched"
        match = str(queued.match_id)
        if come:
            for agent in agents:
                await self.state(agent, match)
        return match

    async def state(self, agent: Agent, match: str) -> State | GameOver:
        return await self.arena.tables.state(agent.id, match)

    async def act(self, agent: Agent, match: str, sequence: int, action: Any, **more: Any) -> State | GameOver:
        return await self.arena.tables.act(agent.id, match, sequence, action, **more)

    async def restart(self, down_ms: int = 0) -> None:
        """The process is killed, and started again after a while."""
        old = self.arena
        tasks = [*old.loops, *old.tables.tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        old.store.listeners.heard.clear()
        self.clock.now += down_ms
        self.arena = await Arena.open(
            old.settings, clock=self.clock, draw=old.draw, store=old.store, deal=old.tables.deal
        )
        await self.arena.start()
        await settle()

    async def leap(self, ms: int) -> None:
        """Let time pass at once: what would have been done on the way is done now."""
        clock = self.clock
        clock.now += ms
        clock.sleepers = [(max(at, clock.now), number, future) for at, number, future in clock.sleepers]
        heapq.heapify(clock.sleepers)
        await clock.turn(0)

    async def to_act(self, match: str, *agents: Agent) -> Agent:
        """Whose turn it is, of those."""
        turn = (await self.arena.tables.live(match)).to_act()
        return next(agent for agent in agents if turn and agent.id == turn.agent)


@asynccontextmanager
async def opened(url: str = "sqlite://", seed: int = 1, deal: Any = HmacDice, **changed: Any) -> AsyncIterator[Place]:
    clock = TurnedClock()
    settings = Settings(**({"fill_after": 10.0} | changed))
    arena = await Arena.open(settings, clock=clock, draw=Random(seed).randbytes, store=await Store.open(url), deal=deal)
    await arena.start()
    place = Place(arena, clock)
    try:
        yield place
    finally:
        await place.arena.stop()
        await place.arena.close()


def played(do: Callable[[Place], Coroutine[Any, Any, None]], **settings: Any) -> None:
    """Do something in a new arena."""

    async def all_of_it() -> None:
        async with opened(**settings) as place:
            await asyncio.wait_for(do(place), 60)

    asyncio.run(all_of_it())
