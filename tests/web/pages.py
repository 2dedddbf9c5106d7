"""An arena with pages, empty or with matches in it, and what tests look for in a page."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from html.parser import HTMLParser
from typing import Any

import httpx
from msgspec import Struct

from calza.arena.accounts import Registered
from calza.arena.app import app
from calza.arena.clock import settle
from calza.arena.messages import State, Usage
from calza.arena.store import facts
from calza.arena.store.matches import Joining
from calza.web import routes
from tests.arena.house import LIAR, Place, bid, opened

EVIL = "<script>window.hacked = 1</script>"
HERE = "http://127.0.0.1:8000"


class Filled(Struct):
    """What there is in a filled arena."""

    agents: list[Registered]
    finished: list[str]  # matches
    live: str


async def fill(place: Place, matches: int = 6) -> Filled:
    """Let some agents play some matches: a few to their end, one of which goes on."""
    arena = place.arena
    names = ["Ada", "Ben the Bold", "Cleo-7", "A name of sixty-four letters that somebody chose for whatever r"]
    agents = [await arena.accounts.register(name, f"model {name[:3]}") for name in names]
    await arena.accounts.claim(agents[0].agent.id, agents[0].code, None, "Mrs <b>Lovelace</b>")
    games = ("liars-dice", "joker", "exact", "spot-on", "liars-dice", "perudo")
    finished = []
    for number in range(matches):
        few = [agents[(number + one) % 4] for one in range(2 + number % 3)]
        match = await sit_down(place, few, games[number % len(games)])
        await play(place, match, few)
        finished.append(match)
        place.clock.now += 3_600_000  # nobody waits for it, so nobody need be woken on the way
    live = await sit_down(place, agents[:3], "liars-dice")
    await play(place, live, agents[:3], 7)
    await arena.store.write(facts.AddNews(place.clock.now_ms(), "The arena is open", f"Come in. {EVIL}"))
    return Filled(agents, finished, live)


async def sit_down(place: Place, agents: list[Registered], game: str) -> str:
    """A match among agents, to which all have come."""
    joining = [Joining(one.agent.id, one.agent.name, one.agent.id, queued=False) for one in agents]
    match = str(await place.arena.lobby.open_match(game, "fast", joining, rated=True))
    for one in agents:
        await place.arena.tables.state(one.agent.id, match)
    return match


async def play(place: Place, match: str, agents: list[Registered], moves: int = 2000) -> None:
    """Let agents that bid the least and call what is high make so many moves."""
    tables = place.arena.tables
    for number in range(moves):
        live = await tables.live(match)
        if live.finished:
            return
        turn = live.to_act()
        assert turn
        state = await tables.state(turn.agent, match)
        assert isinstance(state, State)
        say = f"I have {EVIL} at least" if number % 5 == 2 else ""
        place.clock.now += 1500
        await tables.act(turn.agent, match, state.sequence, move(state), say, Usage(tokens=120, cost=0.002))


def move(state: State) -> Any:
    """The least bid on the best own face, or a call when the standing bid is high."""
    view, may = state.view, state.view.legal_actions
    assert may
    face = max(set(view.my_dice), key=view.my_dice.count)
    least = may.least.get(str(face)) or 0
    own = view.my_dice.count(face)
    standing = view.current_bid
    if standing and ("challenge" in may.types) and (not least or least > own + view.total_dice_in_play / 4):
        return LIAR
    legal = [(quantity, int(one)) for one, quantity in may.least.items() if quantity]
    return bid(least, face) if least else bid(*min(legal)) if legal else LIAR


@asynccontextmanager
async def browser(place: Place) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody who reads pages."""
    transport = httpx.ASGITransport(app(place.arena, more=routes))
    headers = {"accept": "text/html,application/xhtml+xml"}
    async with httpx.AsyncClient(transport=transport, base_url=HERE, headers=headers) as client:
        yield client


def visited(do: Callable[[httpx.AsyncClient, Place], Coroutine[Any, Any, None]], **settings: Any) -> None:
    """Do something with the pages of a new arena."""

    async def all_of_it() -> None:
        async with opened(**settings) as place, browser(place) as client:
            await asyncio.wait_for(do(client, place), 60)
            await settle(2)

    asyncio.run(all_of_it())


VOID = "area base br col embed hr img input link meta source track wbr".split()


class Page(HTMLParser):
    """A page as a browser would read it; AssertionError for elements that are not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.headings: list[int] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)
        if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.headings.append(int(tag[1]))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.open):
            self.words.append(data)

    @property
    def text(self) -> str:
        """What can be read."""
        return " ".join(" ".join(self.words).split())

    def all(self, *tags: str) -> list[dict[str, str]]:
        """The attributes of all elements of some kinds."""
        return [attrs for tag, attrs in self.tags if tag in tags]

    def ids(self) -> list[str]:
        """All ids."""
        return [attrs["id"] for _, attrs in self.tags if "id" in attrs]

    def links(self) -> set[str]:
        """Where it leads."""
        return {attrs["href"] for attrs in self.all("a")}
