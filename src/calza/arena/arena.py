"""The arena as one value: the store, the clock, and everything that can be asked. No HTTP is in here."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from calza.rules import HmacDice

from .accounts import Accounts
from .clock import Clock, RealClock
from .errors import ArenaError
from .fairness import Signer
from .invitations import Invitations
from .keys import Draw, Drawn, new_id
from .live import Deal, Live
from .lobby import Lobby
from .people import People
from .settings import Settings
from .store import facts, nodes, waiting
from .store.signals import MISSED
from .store.store import Store
from .tables import Tables

BEAT = 1.0  # seconds between a node's signs of life
GRACE_MS = 5000  # without any sign of life of several nodes, after which the arena counts as having been down
PAIR = 0.5  # seconds between looks at the queue
SWEEP = 0.25  # and at the clocks

log = logging.getLogger(__name__)


class Arena:
    """One node of an arena; several share a store."""

    def __init__(self, store: Store, settings: Settings, clock: Clock, draw: Draw, secret: bytes, deal: Deal) -> None:
        self.store, self.settings, self.clock, self.draw = store, settings, clock, draw
        self.signer = Signer(secret)
        self.node = new_id(draw)
        self.accounts = Accounts(store, clock, draw)
        self.people = People(store, clock, draw)
        self.lobby = Lobby(store, clock, settings, draw)
        self.invitations = Invitations(store, clock, draw, self.accounts, self.lobby)
        self.tables = Tables(store, clock, settings, self.signer, lambda: draw(16), settings.base, deal)
        self.feeds: dict[str, set[asyncio.Event]] = {}  # by agent: whoever wants to know that a match was found
        self.loops: list[asyncio.Task[None]] = []
        self.sockets = 0  # that are open
        store.listen(self.hear)

    @classmethod
    async def open(
        cls, settings: Settings, *, clock: Clock | None = None, draw: Draw | None = None,
        store: Store | None = None, deal: Deal = HmacDice,
    ) -> "Arena":  # fmt: skip
        """An arena on the store that the settings name."""
        store = store or await Store.open(settings.store, alone=True)
        drawn = draw(32) if draw else Signer.draw()
        secret = await store.write(facts.Put("signing key", drawn.hex()))
        arena = cls(store, settings, clock or RealClock(), draw or Drawn(), bytes.fromhex(secret), deal)
        arena.lobby.house = await arena.accounts.house(settings.house)
        await arena.lobby.draw_seeds()
        return arena

    async def start(self) -> None:
        """Give back the time that the arena was down, and begin to look after queue and clocks."""
        await self.wake()
        self.loops = [
            asyncio.ensure_future(self.again(BEAT, self.beat)),
            asyncio.ensure_future(self.again(PAIR, self.pair)),
            asyncio.ensure_future(self.again(SWEEP, self.tables.sweep)),
        ]

    async def again(self, seconds: float, do: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do something for ever; a store that is away for a while does not end it, and neither does a fault of ours."""
        failing = False
        while True:
            try:
                await do()
                failing = False
            except Exception as error:
                if not failing:  # told once, not four times a second
                    log.warning("not done: %s", do.__name__, exc_info=error)
                failing = True
            await self.clock.sleep(seconds)

    async def wake(self) -> None:
        """Give back the time in which no node could do anything. A store that is ours alone tells that time exactly."""
        grace = GRACE_MS if self.store.shared else 0
        await self.store.write(nodes.Wake(self.node, self.clock.now_ms(), grace))
        await self.tables.look_at_all()
        self.tables.cut_off = False

    async def beat(self) -> None:
        """Give a sign of life, and look whether an administrator has written to a store that is ours alone."""
        try:
            alive = nodes.Beat(self.node, self.clock.now_ms())
            await (self.wake() if self.tables.cut_off else self.store.write(alive))
        except ArenaError:
            self.tables.cut_off = True
            raise
        if await self.store.written_by_others():
            self.store.listeners.tell(MISSED, "")

    async def pair(self) -> None:
        """Look at the queue."""
        await self.store.write(waiting.Expire(self.clock.now_ms()))
        await self.lobby.pair()

    def dismiss(self) -> None:
        """Let nobody wait any longer: held requests are answered, sockets and streams told to come back."""
        self.tables.stopping = True
        for live in self.tables.lives.values():
            live.wake()
        for agent in self.feeds:
            self.tell(agent)

    async def stop(self) -> None:
        """Stop looking after things; what is being written is finished, and everybody who waits is woken."""
        for loop in self.loops:
            loop.cancel()
        await asyncio.gather(*self.loops, *self.tables.tasks, return_exceptions=True)
        with suppress(ArenaError):  # without its store there is no time to be noted
            await self.beat()
        self.dismiss()

    async def close(self) -> None:
        """Close the store."""
        await self.store.close()

    # --- news between nodes

    def hear(self, topic: str, text: str) -> None:
        """What this node or another has done."""
        if topic == "found":
            self.tell(text)
        elif topic == "match":
            self.look(text)
        elif topic == MISSED:
            for agent in self.feeds:
                self.tell(agent)
            for live in self.tables.lives.values():
                if not live.finished:
                    self.go(self.catch_up(live))

    def tell(self, agent: str) -> None:
        """Wake whoever waits for a match of an agent."""
        for event in self.feeds.get(agent, ()):
            event.set()

    def look(self, match: str) -> None:
        """Catch up with a match that another node may have moved, if anybody waits for it here."""
        live = self.tables.lives.get(match)
        if self.store.shared and live and (live.waiters or live.followers) and not live.finished:
            self.go(self.catch_up(live))

    async def catch_up(self, live: Live) -> None:
        """The same; what the store cannot say just now is asked again later."""
        with suppress(ArenaError):
            await self.tables.catch_up(live)

    def go(self, doing: Coroutine[Any, Any, None]) -> None:
        """Do something meanwhile."""
        task = asyncio.ensure_future(doing)
        self.tables.tasks.add(task)
        task.add_done_callback(self.tables.tasks.discard)

    def feed(self, agent: str) -> asyncio.Event:
        """An event that is set whenever a match was found for an agent; `unfeed` ends it."""
        event = asyncio.Event()
        self.feeds.setdefault(agent, set()).add(event)
        return event

    def unfeed(self, agent: str, event: asyncio.Event) -> None:
        """Nobody waits for it any more."""
        events = self.feeds.get(agent, set())
        events.discard(event)
        if not events:
            self.feeds.pop(agent, None)
