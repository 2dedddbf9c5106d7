"""The arena's application called in process, byte for byte, with a clock that is turned by hand."""

import asyncio
import io
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import unquote

import msgspec
from msgspec import Struct

from calza.arena.api.limits import Limits
from calza.arena.app import app
from calza.arena.journal import Journal
from calza.arena.settings import Settings
from calza.arena.store import agents, facts
from tests.arena.house import Place, opened

from . import documented

NOTHING = object()


class Got(Struct):
    """An answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)

    @property
    def error(self) -> tuple[int, str]:
        return self.status, self.json["error"]


class Held:
    """A request that has not been answered yet."""

    def __init__(self, task: "asyncio.Task[Got]", gone: asyncio.Event) -> None:
        self.task, self.gone = task, gone

    def leave(self) -> None:
        """Close the connection."""
        self.gone.set()


class Web:
    """An arena, and programs that call it."""

    def __init__(self, place: Place, settings: Settings | None = None) -> None:
        self.place, self.arena, self.clock = place, place.arena, place.clock
        self.log = io.BytesIO()
        self.players: list[Player] = []
        self.deep = True  # whether the shape of every answer is held against the OpenAPI document
        self.limits = Limits(settings or place.arena.settings, place.clock)
        self.app = app(place.arena, self.limits, Journal("debug", self.log))

    async def call(
        self, method: str, path: str, body: Any = NOTHING, *, key: str = "", raw: bytes | list[bytes] = b"",
        headers: dict[str, str] | None = None, address: str = "127.0.0.1", gone: asyncio.Event | None = None,
    ) -> Got:  # fmt: skip
        """Call the arena, as a server would."""
        sent = [msgspec.json.encode(body)] if body is not NOTHING else raw if isinstance(raw, list) else [raw]
        messages = [
            {"type": "http.request", "body": one, "more_body": number < len(sent)} for number, one in enumerate(sent, 1)
        ]
        answered = asyncio.Event()

        async def receive() -> Any:
            if messages:
                return messages.pop(0)
            await (gone or answered).wait()
            return {"type": "http.disconnect"}

        said: list[Any] = []

        async def send(message: Any) -> None:
            said.append(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                answered.set()

        keyed = {"authorization": f"Bearer {key}"} if key else {}
        await self.app(scope(method, path, keyed | (headers or {}), address), receive, send)
        await asyncio.sleep(0)  # in which the log is written
        start, *parts = said
        heads = {name.decode(): value.decode() for name, value in start["headers"]}
        got = Got(start["status"], heads, b"".join(one.get("body", b"") for one in parts))
        documented.check(method, unquote(path.partition("?")[0]), got.status, heads, got.body, deep=self.deep)
        return got

    async def get(self, path: str, key: str = "", **more: Any) -> Got:
        return await self.call("GET", path, key=key, **more)

    async def post(self, path: str, body: Any = NOTHING, key: str = "", **more: Any) -> Got:
        return await self.call("POST", path, body, key=key, **more)

    async def hold(self, path: str, key: str) -> Held:
        """Begin a request that is answered later."""
        gone = asyncio.Event()
        task = asyncio.ensure_future(self.get(path, key, gone=gone))
        await self.clock.turn(0)
        return Held(task, gone)

    # --- agents and their matches

    async def join(self, name: str, address: str = "127.0.0.1", **more: Any) -> "Player":
        """An agent that has registered."""
        got = await self.post("/api/agents", {"name": name} | more, address=address)
        assert got.status == 201, got
        self.players.append(Player(self, got.json["id"], got.json["apiKey"], name, got.json["verification_code"]))
        return self.players[-1]

    async def table(self, *players: "Player", come: bool = True, game: str = "liars-dice", lane: str = "fast") -> str:
        """A match, to which all have come."""
        for one in players:
            got = await one.post("/api/matchmaking/queue", {"gameId": game, "players": len(players), "lane": lane})
        while got.json["status"] != "matched":  # players far apart in skill wait for each other a little
            await self.clock.turn(1000)
            got = await players[-1].get(f"/api/matchmaking/status?gameId={game}")
        for one in players if come else ():
            await one.state(got.json["matchId"])
        return str(got.json["matchId"])

    async def invite(self, host: "Player", size: int = 2, game: str = "liars-dice") -> str:
        """A table that fills by link; returns its code."""
        return await self.arena.invitations.invite(await self.arena.accounts.by_id(host.id), game, size, [])

    async def announce(self, title: str, text: str) -> None:
        """What an operator does."""
        await self.arena.store.write(facts.AddNews(self.clock.now_ms(), title, text))

    async def ban(self, who: "Player") -> None:
        """The same."""
        await self.arena.store.write(agents.Ban(who.id, self.clock.now_ms()))

    async def turns(self, match: str, *players: "Player") -> list["Player"]:
        """The players in the order of their turns, from whoever is to act."""
        view = (await players[0].state(match)).json["view"]
        order = [one["id"] for one in view["players"]]
        at = order.index(view["currentPlayer"])
        by_id = {one.id: one for one in players}
        return [by_id[one] for one in order[at:] + order[:at]]


class Player:
    """An agent, and what it does."""

    def __init__(self, web: Web, id: str, key: str, name: str, code: str) -> None:
        self.web, self.id, self.key, self.name, self.code = web, id, key, name, code

    async def call(self, method: str, path: str, body: Any = NOTHING, **more: Any) -> Got:
        return await self.web.call(method, path, body, key=self.key, **more)

    async def get(self, path: str, **more: Any) -> Got:
        return await self.call("GET", path, **more)

    async def post(self, path: str, body: Any = NOTHING, **more: Any) -> Got:
        return await self.call("POST", path, body, **more)

    async def state(self, match: str, more: str = "") -> Got:
        return await self.get(f"/api/matches/{match}/state{more}")

    async def hold(self, match: str, more: str = "") -> Held:
        return await self.web.hold(f"/api/matches/{match}/state?wait=true{more}", self.key)

    async def act(self, match: str, sequence: Any, action: Any, **more: Any) -> Got:
        return await self.post(f"/api/matches/{match}/action", {"sequence": sequence, "action": action} | more)


def scope(method: str, path: str, headers: dict[str, str], address: str) -> dict[str, Any]:
    """A request as a server describes it."""
    where, _, query = path.partition("?")
    said = {"host": "test", "content-type": "application/json"} | headers
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(where),
        "raw_path": where.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in said.items()],
        "client": (address, 1),
        "server": ("test", 80),
    }


@asynccontextmanager
async def served(**settings: Any) -> AsyncIterator[Web]:
    """An arena of one's own."""
    async with opened(**settings) as place:
        yield Web(place)


def called(do: Callable[[Web], Coroutine[Any, Any, None]], **settings: Any) -> None:
    """Do something with a new arena."""

    async def all_of_it() -> None:
        async with served(**settings) as web:
            await asyncio.wait_for(do(web), 600)

    asyncio.run(all_of_it())
