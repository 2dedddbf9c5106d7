"""Somebody in a browser: forms that are filled in and sent, and the feed of a live table."""

import asyncio
import re
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import httpx
import msgspec
from starlette.applications import Starlette

from calza.arena.app import app
from calza.arena.clock import settle
from calza.rules import HmacDice
from calza.rules.dice import Hand
from calza.web import routes
from tests.arena.api.web import scope
from tests.arena.house import Place, opened
from tests.arena.wire import Closed, Socket

from .pages import HERE, Page

HOST = HERE.removeprefix("http://")


class Browser:
    """A browser of one's own, with its cookies."""

    def __init__(self, place: Place, site: Starlette | None = None, agent: str = "Test/1.0") -> None:
        self.place, self.site = place, site or app(place.arena, more=routes)
        headers = {"accept": "text/html", "user-agent": agent}
        transport = httpx.ASGITransport(self.site)
        self.client = httpx.AsyncClient(transport=transport, base_url=HERE, headers=headers)
        self.reply = httpx.Response(0)

    async def open(self, path: str) -> Page:
        """Look at a page."""
        self.reply = await self.client.get(path, follow_redirects=True)
        return Page(self.reply.text)

    async def send(self, path: str, form: str = "", origin: str | None = HERE, **said: str) -> httpx.Response:
        """Send a form of the page `form` to `path`, with what was filled in."""
        page = await self.open(form or path)
        tokens = [one["value"] for one in page.all("input") if one.get("name") == "token"]
        fields = {"token": tokens[0] if tokens else ""} | said
        headers = {"origin": origin} if origin else {}
        self.reply = await self.client.post(path, data=fields, headers=headers)
        return self.reply

    async def play(self, name: str = "Ann", game: str = "liars-dice", **others: str) -> str:
        """Begin a match; returns its id."""
        reply = await self.send("/play", name=name, game=game, **(others or {"other1": "easy"}))
        assert reply.status_code == 303, reply.text
        await settle()
        return reply.headers["location"].removeprefix("/matches/")

    async def act(self, match: str, action: str, **said: str) -> httpx.Response:
        """Act on the table's page."""
        page = await self.open(f"/matches/{match}")
        sequence = next(one["value"] for one in page.all("input") if one.get("name") == "sequence")
        reply = await self.send(
            f"/matches/{match}/act", f"/matches/{match}", **({"sequence": sequence, "action": action} | said)
        )
        await settle()
        return reply

    def feed(self, match: str, **headers: str) -> "Feed":
        """The feed of a match, as a page opens it."""
        return Feed(self, match, headers)


class Feed(Socket):
    """A feed."""

    def __init__(self, browser: Browser, match: str, headers: dict[str, str]) -> None:
        self.raw = list[bytes]()
        self.came: asyncio.Queue[Any] = asyncio.Queue()
        self.sent: asyncio.Queue[Any] = asyncio.Queue()
        self.came.put_nowait({"type": "websocket.connect"})
        cookies = "; ".join(f"{name}={value}" for name, value in browser.client.cookies.items())
        sent = {"host": HOST, "origin": HERE, "cookie": cookies} | headers
        said = scope("GET", f"/ws/table/{match}", sent, "127.0.0.1") | {
            "type": "websocket", "scheme": "ws", "subprotocols": [], "extensions": {"websocket.http.response": {}},
        }  # fmt: skip
        self.task = asyncio.ensure_future(browser.site(said, self.came.get, self.take))

    async def end(self) -> tuple[int, str]:
        """Why it is closed, after whatever is told before."""
        try:
            while True:
                await self.hear()
        except Closed as closed:
            return closed.code, closed.reason


def start_of(text: str) -> Any:
    """The data from which the script of a table starts."""
    return msgspec.json.decode(re.findall(r'<script type="application/json" id="table-start">(.*?)</script>', text)[0])


class OtherCups:
    """Dice under which whoever joined first has the same cup, and everybody else another one."""

    def __init__(self, seed: bytes, match: str, salts: Sequence[str]) -> None:
        self.honest, self.players = HmacDice(seed, match, salts), len(salts)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.honest, name)

    def roll(self, round: int, dice: Sequence[int], faces: int) -> list[Hand]:
        own = self.honest.seating(self.players).index(0)
        there = self.honest.roll(round + 1000, dice, faces)
        return [one if seat == own else there[seat] for seat, one in enumerate(self.honest.roll(round, dice, faces))]


def alike(do: Callable[[Place], Coroutine[Any, Any, list[bytes]]]) -> None:
    """What is seen in two arenas that differ in others' cups alone is the same, byte for byte."""

    async def seen(deal: Any) -> list[bytes]:
        async with opened(deal=deal) as place:
            return await asyncio.wait_for(do(place), 60)

    assert asyncio.run(seen(HmacDice)) == asyncio.run(seen(OtherCups))


async def table_of(place: Place, *names: str, game: str = "liars-dice") -> tuple[str, list[Browser]]:
    """A match among guests, who have all come; returns its id and their browsers."""
    site = Browser(place).site
    browsers = [Browser(place, site) for _ in names]
    others = {f"other{number}": "invited" for number in range(1, len(names))}
    reply = await browsers[0].send("/play", name=names[0], game=game, **others)
    path = reply.headers["location"]
    for name, browser in zip(names[1:], browsers[1:], strict=True):
        assert (await browser.send(path, do="sit", name=name)).status_code == 303
    match = (await browsers[0].send(path, do="begin")).headers["location"].removeprefix("/matches/")
    for browser in browsers:
        await browser.open(f"/matches/{match}")
    return match, browsers


async def turns(place: Place, match: str, browsers: list[Browser]) -> list[Browser]:
    """The browsers in the order of their turns, from whoever is to act; they joined in their order."""
    live = await place.arena.tables.live(match)
    order = sorted(
        range(len(browsers)),
        key=lambda number: (live.seats[live.joined[number].agent] - live.game.turn) % len(browsers),
    )
    return [browsers[number] for number in order]


__all__ = ["Browser", "Closed", "Feed", "OtherCups", "alike", "start_of", "table_of", "turns"]
