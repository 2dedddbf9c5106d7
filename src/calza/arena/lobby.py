"""The queue: agents wait here until `matchmaking.py` says who plays whom, and are told where to go."""

import asyncio
from collections.abc import Sequence

from calza.rules import CATALOG

from .clock import Clock
from .errors import ArenaError, StoreFault
from .fairness import AHEAD, SEED, commitment, seats_of
from .keys import Draw, new_id
from .matchmaking import House, Seating, Waiter, tables
from .messages import QueueAsk, Queued
from .settings import Settings
from .store import matches, pairing, seeds, waiting
from .store.agents import Agent
from .store.matches import Held, Joining, Match, Open, size_class
from .store.pairing import UNKNOWN, Looked
from .store.store import Store
from .views import PLAYED

FOUND_MS = 60_000  # how long a match that was found is told to an agent that comes back
LONGEST_SALT = 100


class Lobby:
    """Who waits."""

    def __init__(self, store: Store, clock: Clock, settings: Settings, draw: Draw) -> None:
        self.store, self.clock, self.settings, self.draw = store, clock, settings, draw
        self.house: list[Agent] = []
        self.pairing = asyncio.Lock()

    # --- what an agent asks

    async def queue(self, agent: Agent, ask: QueueAsk) -> Queued:
        """Wait for a match, or be told of the one that is on."""
        check(ask)
        held = await self.store.read(matches.LiveOf(agent.id))
        mine = [one for one in held if one.game == ask.game_id]
        if mine and len(held) >= ask.matches:
            return await self.matched(agent, mine[-1])
        now = self.clock.now_ms()
        asked = waiting.Waiting(
            agent=agent.id, game=ask.game_id, lane=ask.lane, players=ask.players, salt=ask.salt or agent.id,
            agents_only=ask.opponents == "agents", capacity=ask.matches, since_ms=now,
            expires_ms=now + self.settings.queue_ms(ask.lane),
        )  # fmt: skip
        stands = await self.store.write(waiting.Enter(asked))
        await self.pair()
        before = {one.match for one in mine}
        now_held = await self.store.read(matches.LiveOf(agent.id, ask.game_id))
        if new := [one for one in now_held if one.match not in before]:
            return await self.matched(agent, new[-1])
        position = await self.store.read(waiting.Position(agent.id, ask.game_id))
        if stands is None or position is None:
            raise StoreFault("your match began and ended while you queued; queue again")
        return Queued(status="queued" if stands == asked else "already_queued", position=position)

    async def leave(self, agent: Agent, game: str | None) -> Queued:
        """Wait no more."""
        if game is not None:
            known(game)
        gone = await self.store.write(waiting.Leave(agent.id, game))
        return Queued(status="left" if gone else "not_queued")

    async def status(self, agent: Agent, game: str) -> Queued:
        """Where an agent stands."""
        known(game)
        held = await self.store.read(matches.LiveOf(agent.id, game))
        if held:
            return await self.matched(agent, held[-1])
        position = await self.store.read(waiting.Position(agent.id, game))
        return Queued(status="queued", position=position) if position else Queued(status="not_queued")

    async def matched(self, agent: Agent, held: Held) -> Queued:
        """A match is on, and the agent need not be told of it in another way."""
        if not held.known:
            await self.told(agent, held.match)
        return Queued(status="matched", match_id=held.match)

    async def found(self, agent: Agent) -> list[tuple[str, str]]:
        """Matches, with their games, that an agent does not know of yet."""
        return await self.store.read(pairing.Found(agent.id, self.clock.now_ms() - FOUND_MS))

    async def told(self, agent: Agent, match: str) -> None:
        """An agent knows of its match, whichever node it asks."""
        await self.store.write(matches.Told(match, agent.id, self.clock.now_ms()))

    # --- opening tables

    async def pair(self) -> None:
        """Open every table that can be opened now."""
        async with self.pairing:
            now = self.clock.now_ms()
            found = await self.store.read(pairing.Look(now, tuple(one.id for one in self.house)))
            waiters = [waiter(one, found) for one in found.queue]
            house = [House(one.id, found.skills) for one in self.house]
            queue = {(one.agent, one.game): one for one in found.queue}
            for seating in tables(waiters, house, now, int(self.settings.fill_after * 1000)):
                await self.open(seating, queue)

    async def open(self, seating: Seating, queue: dict[tuple[str, str], waiting.Waiting]) -> str | None:
        """Open a table; None when another node was faster with one of its players."""
        who = await self.store.read(pairing.Some(seating.agents))
        joining = []
        for one in seating.agents:
            waits = queue.get((one, seating.game))
            salt = waits.salt if waits else one
            joining.append(Joining(one, who[one].name, salt, who[one].house, queued=waits is not None))
        fair = rated(list(who.values()))
        return await self.open_match(seating.game, seating.lane, joining, rated=fair)

    async def open_match(
        self, game: str, lane: str, joining: Sequence[Joining], *, rated: bool, gateway: str = ""
    ) -> str | None:
        """Open a match for those who sit down at it, in the order of joining; returns its id."""
        await self.draw_seeds()
        now = self.clock.now_ms()
        match = Match(
            new_id(self.draw), game, lane, len(joining),
            created_ms=now, due_ms=now + self.settings.turn_ms(lane), rated=rated, gateway=gateway,
        )  # fmt: skip
        if await self.store.write(Open(match, tuple(joining), seats_of)) is None:
            return None
        for one in joining:
            self.store.send("found", one.agent)
        return match.id

    async def draw_seeds(self) -> None:
        """Commit to seeds long before they are needed."""
        if await self.store.read(seeds.Unused()) < AHEAD // 2:
            drawn = [self.draw(SEED) for _ in range(AHEAD)]
            await self.store.write(seeds.Draw(tuple((seed, commitment(seed)) for seed in drawn)))


def waiter(one: waiting.Waiting, found: Looked) -> Waiter:
    """Somebody in the queue, with what decides where to sit."""
    return Waiter(
        agent=one.agent, game=one.game, lane=one.lane, players=one.players, since_ms=one.since_ms,
        mu=found.skills.get((one.agent, one.game, size_class(one.players)), UNKNOWN),
        agents_only=one.agents_only, last_table=found.last.get(one.agent, frozenset()),
    )  # fmt: skip


def check(ask: QueueAsk) -> None:
    """What an agent asks of the queue must be possible."""
    known(ask.game_id)
    if ask.lane not in ("fast", "standard"):
        raise ArenaError(
            400, "invalid_lane", "lane is fast (you hold a socket) or standard (you wake every few minutes)"
        )
    rules = CATALOG[ask.game_id]
    most = min(6, rules.max_players)
    if not rules.min_players <= ask.players <= most:
        raise ArenaError(
            400, "invalid_input", f"players: {rules.min_players} to {most} sit at a table of {ask.game_id}"
        )
    if ask.opponents not in ("any", "agents"):
        raise ArenaError(400, "invalid_input", "opponents is any or agents")
    if len(ask.salt) > LONGEST_SALT:
        raise ArenaError(400, "invalid_input", f"salt: at most {LONGEST_SALT} characters")
    if not 1 <= ask.matches <= 100:
        raise ArenaError(400, "invalid_input", "matches: you can hold 1 to 100 at once")


def known(game: str) -> None:
    """A game that is played here."""
    if game not in PLAYED:
        raise ArenaError(404, "game_not_found", f"there is no game {game[:40]!r}; there are {', '.join(PLAYED)}")


def rated(players: Sequence[Agent]) -> bool:
    """Whether a match counts: not among guests, and not between agents of one owner."""
    owners = [one.owner for one in players if one.owner]
    return not any(one.guest for one in players) and len(owners) == len(set(owners))
