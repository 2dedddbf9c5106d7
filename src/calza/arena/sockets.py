"""WebSockets: who opens one, which of two stays, and when they are closed.

Each socket has a task that reads and one that tells. Nobody waits for a slow reader: what tells it waits alone, and
`connections.py` drops it. Frames of a socket are answered in their order. An agent has one socket on which it is told
of matches and one for each match: those that it opened last, on whichever node. When the arena stops, all are told
to come back.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from .api.asked import is_id
from .api.limits import Limits
from .arena import Arena
from .errors import ArenaError
from .frames import Connected, Found, Replaced
from .journal import Journal
from .line import (
    AWAY,
    BACK,
    BROKEN,
    COME_BACK,
    DONE,
    NO_KEY,
    NO_MATCH,
    NOT_A_PLAYER,
    REFUSED,
    Doing,
    Gone,
    Line,
    refuse,
)
from .spectators import Spectators
from .turns import Turns

RECHECK = 5.0  # seconds between looks at the keys of open sockets: one may be revoked from outside this process
RACE_MS = 1000  # two sockets opened on two nodes within this time agree on which of them is the newer
TOPIC = "socket"

Place = tuple[str, str]  # what there is one socket for: an agent, and a match or nothing


class Sockets:
    """The sockets of agents on this node."""

    def __init__(self, arena: Arena, limits: Limits, journal: Journal) -> None:
        self.arena, self.limits, self.journal = arena, limits, journal
        self.places: dict[Place, Line] = {}
        self.lines: set[Line] = set()
        self.tasks: set[asyncio.Task[None]] = set()
        self.looking: asyncio.Task[None] | None = None
        arena.accounts.revoked.append(self.recheck)
        arena.store.listen(self.hear)

    def go(self, doing: Doing) -> asyncio.Task[None]:
        """Do something meanwhile."""
        task = asyncio.ensure_future(doing)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    # --- coming and going

    async def admit(self, socket: WebSocket) -> Line | None:
        """Who opens a socket; None when the upgrade was refused."""
        address, key = address_of(socket), key_of(socket)
        try:
            self.limits.of_address(address)
            agent = await self.arena.accounts.agent_of(key)
            self.limits.of_key(agent.id, address)
        except ArenaError as error:
            await refuse(socket, error, self.number())
            return None
        await socket.accept()
        return Line(socket, agent, key, (self.arena.clock.now_ms(), self.number()))

    def number(self) -> str:
        """The number of a request."""
        return self.arena.draw(8).hex()

    @asynccontextmanager
    async def open(self, line: Line, telling: Doing) -> AsyncIterator[None]:
        """A socket in its place, which is told things by a task of its own for as long as it is open."""
        place = (line.agent.id, line.match)
        older, self.places[place] = self.places.get(place), line
        self.lines.add(line)
        self.arena.sockets += 1
        try:
            if older:
                await self.replace(older)
            self.arena.store.send(TOPIC, " ".join((*place, str(line.birth[0]), line.birth[1])))
            if self.looking is None:
                self.looking = self.go(self.look_after())
            line.telling = asyncio.ensure_future(self.telling(line, telling))
            yield
        finally:
            self.lines.discard(line)
            self.arena.sockets -= 1
            if self.places.get(place) is line:
                del self.places[place]
            if line.telling is None:
                telling.close()
            else:
                await line.hush()

    async def replace(self, older: Line) -> None:
        """A newer socket has taken the place of this one; from now on it alone is told things."""
        await older.hush()
        last = () if older.match else (Replaced(),)
        self.go(older.close(DONE, "a newer socket has taken over", *last))  # which may take as long as it likes

    def hear(self, topic: str, text: str) -> None:
        """A socket was opened on some node: if it is newer, ours in that place has to go."""
        if topic != TOPIC:
            return
        agent, match, at_ms, number = text.split(" ")
        mine, other = self.places.get((agent, match)), (int(at_ms), number)
        if mine and mine.birth != other and not (self.just_opened(mine) and mine.birth > other):
            del self.places[agent, match]
            self.go(self.replace(mine))

    def just_opened(self, line: Line) -> bool:
        """Whether it is so new that another may have been opened before it and be heard of only now."""
        return self.arena.clock.now_ms() - line.birth[0] < RACE_MS

    async def telling(self, line: Line, telling: Doing) -> None:
        """Tell a socket things until it is gone; what goes wrong here closes it, and its agent comes back."""
        try:
            with suppress(*Gone):
                await telling
            if self.arena.tables.stopping:
                await line.close(AWAY, f"the arena is stopping; {COME_BACK}")
        except ArenaError:
            await line.close(BACK, f"a passing fault; {COME_BACK}")
        except Exception as error:
            self.journal.failed("WS", line.birth[1], error)
            await line.close(BROKEN, f"a fault of the arena; {COME_BACK}")

    async def look_after(self) -> None:
        """Close sockets whose keys do not open anything any more, as long as there are sockets."""
        while self.lines:
            await self.arena.clock.sleep(RECHECK)
            await self.check_keys({line.agent.id for line in self.lines})
        self.looking = None

    def recheck(self, agent: str) -> None:
        """The keys of an agent have changed."""
        self.go(self.check_keys({agent}))

    async def check_keys(self, agents: set[str]) -> None:
        """Close the sockets of these agents whose keys were revoked, and of agents that were banned."""
        for line in [line for line in self.lines if line.agent.id in agents]:
            try:
                await self.arena.accounts.agent_of(line.key)
            except ArenaError as error:
                if error.status < 500:
                    self.go(line.close(NO_KEY, error.details))

    # --- /ws/agent

    async def of_agent(self, socket: WebSocket) -> None:
        """`/ws/agent`: tells an agent of its matches. It says nothing itself."""
        if (line := await self.admit(socket)) is None:
            return
        async with self.open(line, self.tell_matches(line)):
            if await line.frame() is not None:
                await line.close(REFUSED, "this socket only tells; play on /ws/game/<matchId>")

    async def tell_matches(self, line: Line) -> None:
        """Tell an agent of every match that is found for it."""
        news = self.arena.feed(line.agent.id)
        try:
            await line.tell(Connected(agent_id=line.agent.id))
            while not self.arena.tables.stopping:
                news.clear()
                await self.tell_found(line)
                await news.wait()
        finally:
            self.arena.unfeed(line.agent.id, news)

    async def tell_found(self, line: Line) -> None:
        """Tell an agent of the matches that it does not know of; what cannot be told is kept for the next socket."""
        for match, game in await self.arena.lobby.found(line.agent):
            await line.tell(Found(match_id=match, game_id=game))
            await self.arena.lobby.told(line.agent, match)

    # --- /ws/game/:matchId

    async def of_game(self, socket: WebSocket) -> None:
        """`/ws/game/:matchId`: a seat at a table."""
        if (line := await self.admit(socket)) is None:
            return
        tables = self.arena.tables
        try:
            if not is_id(line.match):
                raise ArenaError(404, "match_not_found", "there is no such match")
            live = await tables.live(line.match)
            seat = tables.seat_of(live, line.agent.id)
            await tables.come(live, seat)
        except ArenaError as error:
            await line.close({403: NOT_A_PLAYER, 404: NO_MATCH}.get(error.status, BACK), error.details)
            return
        turns = Turns(tables, self.limits, self.journal, line, live, seat)
        async with self.open(line, turns.tell()):
            with live.attended(seat):
                while (frame := await line.frame()) is not None:
                    await turns.hear(frame, self.number())


class Endpoint:
    """Where a socket leads to. A function would be called by Starlette through wrappers that cost something a frame."""

    def __init__(self, handle: Callable[[WebSocket], Coroutine[Any, Any, None]]) -> None:
        self.handle = handle

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Look after a socket until it is closed."""
        await self.handle(WebSocket(scope, receive, send))


def key_of(socket: WebSocket) -> str:
    """The key that opens a socket, which its Authorization header alone holds; nothing for none.

    A page in a browser cannot send this header. What a page could send, a cookie, would count only beside an Origin
    that is the arena's own: browsers let any page open a socket anywhere.
    """
    scheme, _, key = socket.headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else ""


def address_of(socket: WebSocket) -> str:
    """Where a socket comes from."""
    return socket.client.host if socket.client else ""


def routes(arena: Arena, limits: Limits, journal: Journal) -> list[BaseRoute]:
    """Where sockets and streams are."""
    sockets, spectators = Sockets(arena, limits, journal), Spectators(arena, limits, journal)
    stream = Route("/api/matches/{match}/events", spectators.stream)
    stream.methods = {"GET"}  # and not HEAD, which Starlette would add: a stream is never over before it has begun
    return [
        WebSocketRoute("/ws/agent", Endpoint(sockets.of_agent)),
        WebSocketRoute("/ws/game/{match}", Endpoint(sockets.of_game)),
        WebSocketRoute("/ws/watch/{match}", Endpoint(spectators.of_socket)),
        stream,
    ]
