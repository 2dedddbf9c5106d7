"""Agents that play over HTTP for as long as they are told to, and remember what they sent and what was acknowledged."""

import asyncio
from contextlib import AsyncExitStack
from random import Random
from typing import Any

import httpx

Move = tuple[str, int]  # a match, and the sequence that was acted on
QUEUE = "/api/matchmaking/queue"
PASSING = (429, 502, 503)
AWAY = 0.05  # seconds until a server that is away is asked again


def text_of(action: dict[str, Any]) -> str:
    """An action in notation."""
    if action["type"] == "bid":
        return f"{action['quantity']}x{action['faceValue']}"
    return {"challenge": "liar", "resign": "resign"}[action["type"]]


def choose(view: dict[str, Any], chance: Random) -> dict[str, Any]:
    """Any sensible action: a low raise, or now and then a call."""
    legal = view["legalActions"]
    least = {int(face): quantity for face, quantity in legal["least"].items() if quantity}
    if "challenge" in legal["types"] and (not least or chance.random() < 0.35):
        return {"type": "challenge"}
    face = min(least, key=lambda face: (least[face], chance.random()))
    return {"type": "bid", "quantity": least[face], "faceValue": face}


class Player:
    """One agent."""

    http: httpx.AsyncClient

    def __init__(self, number: int, seed: int, game: str = "liars-dice") -> None:
        self.name, self.game, self.chance = f"Agent-{number}", game, Random(seed + number)
        opponents = "any" if number % 2 else "agents"
        self.wish = dict(gameId=game, lane="fast", players=2, opponents=opponents)
        self.id = ""
        self.sent: dict[Move, set[str]] = {}
        self.acknowledged: dict[Move, str] = {}
        self.ended: list[str] = []  # matches that it has seen the end of


class Crowd:
    """Many of them, at one server."""

    def __init__(self, url: str, many: int, seed: int = 1) -> None:
        self.url = url
        self.players = [Player(number, seed * 1000) for number in range(many)]
        self.enough = False
        self.tries = 0  # requests that were sent, answered or not
        self.began, self.progress = asyncio.Event(), asyncio.Event()

    async def play(self) -> None:
        """Play until it is enough; then every agent ends the match that it is in."""
        async with AsyncExitStack() as open:
            for player in self.players:
                player.http = await open.enter_async_context(httpx.AsyncClient(base_url=self.url, timeout=60))
                await self.register(player)
            self.began.set()
            async with asyncio.TaskGroup() as group:
                for player in self.players:
                    group.create_task(self.life(player))

    async def after(self, tries: int) -> None:
        """Come back when so many more requests have been sent."""
        await self.began.wait()
        until = self.tries + tries
        while self.tries < until:
            self.progress.clear()
            await self.progress.wait()

    async def ask(self, player: Player, method: str, path: str, **more: Any) -> Any:
        """An answer, however often the server dies meanwhile: the same request is sent again, as agents do."""
        while True:
            self.tries += 1
            self.progress.set()
            try:
                reply = await player.http.request(method, path, **more)
            except httpx.TransportError:
                await asyncio.sleep(AWAY)
                continue
            if reply.status_code not in PASSING:
                assert reply.status_code < 300, (method, path, more, reply.text)
                return reply.json()
            await asyncio.sleep(AWAY)

    async def life(self, player: Player) -> None:
        """Play match after match."""
        while not self.enough:
            await self.ask(player, "POST", QUEUE, json=player.wish)
            await self.found(player)
        await self.ask(player, "DELETE", QUEUE)
        await self.found(player)

    async def register(self, player: Player) -> None:
        """Become an agent."""
        reply = await self.ask(player, "POST", "/api/agents", json={"name": player.name})
        player.id = reply["id"]
        player.http.headers["authorization"] = f"Bearer {reply['apiKey']}"

    async def found(self, player: Player) -> None:
        """Play the match that the agent is in, if there is one."""
        answer = await self.ask(player, "GET", "/api/matchmaking/status", params={"gameId": player.game})
        if answer["status"] == "matched":
            await self.match(player, answer["matchId"])

    async def match(self, player: Player, match: str) -> None:
        """Play a match to its end."""
        while True:
            state = await self.ask(player, "GET", f"/api/matches/{match}/state", params={"wait": "true"})
            while state["status"] == "your_turn":
                state = await self.act(player, match, state)
            if state["status"] == "game_over":
                player.ended.append(match)
                return

    async def act(self, player: Player, match: str, state: Any) -> Any:
        """Play one action."""
        action = choose(state["view"], player.chance)
        move, text = (match, state["sequence"]), text_of(action)
        player.sent.setdefault(move, set()).add(text)
        body = {"sequence": state["sequence"], "action": action}
        reply = await self.ask(player, "POST", f"/api/matches/{match}/action", json=body)
        player.acknowledged[move] = text
        return reply["state"]
