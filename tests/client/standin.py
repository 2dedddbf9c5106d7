"""A small arena with troubles that a real one cannot be made to have at will: they are ordered beforehand.

It has one agent, who plays a real game against house bots, the same every time. It speaks the arena's contract as far
as a player needs it, on a port of its own, in a thread of its own.
"""

import asyncio
import json
import socket
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from threading import Thread
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from calza.agents import HouseAgent, parse_agent
from calza.rules import CATALOG, CalzaError, Game, IllegalAction
from calza.rules.charts import SPECIAL

ME = "me000001"
KEY = "calza_" + "0" * 64


def sight(game: Game, seat: int, ids: list[str]) -> dict[str, Any]:
    """A match as the arena shows it to one of its players."""
    s, view = game.state, game.view(seat)
    others = [(seat + step) % s.seats for step in range(1, s.seats)]
    bid = {"playerId": ids[s.bidder], "quantity": s.quantity, "faceValue": s.face} if s.quantity else None
    return {
        "you": ids[seat],
        "myDice": list(view.cup),
        "opponents": [{"id": ids[one], "diceCount": s.dice[one]} for one in others if s.dice[one]],
        "currentBid": bid,
        "recentBids": [],
        "totalDiceInPlay": s.total,
        "round": s.round,
        "isYourTurn": game.turn == seat,
        "currentPlayer": ids[s.turn],
        "players": [{"id": one, "name": one.upper(), "diceCount": s.dice[at]} for at, one in enumerate(ids)],
        "table": {
            "seat": seat,
            "dice": s.dice,
            "start": s.start,
            "special": s.mode == SPECIAL,
            "used": [one for one, used in enumerate(s.used) if used],
            "bids": [[one, str(bid)] for one, bid in game.said],
            "turn": game.turn,
            "round": s.round,
            "news": "of a later version",
        },
    }


def notation(action: dict[str, Any]) -> str:
    """An action that travelled, in notation."""
    match action:
        case {"type": "bid", "quantity": quantity, "faceValue": face}:
            return f"{quantity}x{face}"
        case {"type": "challenge"}:
            return "liar"
        case {"type": "exact"}:
            return "exact-gain" if action.get("reward") == "gain_one" else "exact"
    return "resign"


class No(Exception):
    """A refusal."""

    def __init__(self, status: int, error: str, **more: Any) -> None:
        self.status, self.body = status, {"error": error, **more}


class Table:
    """One match: the agent in seat 0, house bots in the others, who play at once unless they are `held`."""

    def __init__(self, id: str, game: str, players: int, seed: int) -> None:
        self.id, self.name, self.ids = id, game, [ME, *(f"house{seat}" for seat in range(1, players))]
        self.game = Game(CATALOG[game], players, seed=seed)
        self.houses = [HouseAgent(parse_agent("cautious"), seed + seat) for seat in range(players)]
        self.played: dict[int, dict[str, Any]] = {}  # what the agent did, by sequence
        self.reason, self.held, self.stubborn = "completed", False, 0
        self.changed = asyncio.Event()

    def go_on(self) -> None:
        """Let the house bots play until the agent is to act."""
        while not self.held and not self.game.over and self.game.turn != 0:
            seat = self.game.turn
            self.game.step(self.houses[seat].act(self.game.view(seat)))
        self.changed.set()
        self.changed = asyncio.Event()

    def act(self, sequence: int, action: dict[str, Any]) -> None:
        """Play for the agent, by the contract's order of checks."""
        if self.played.get(sequence) == action:
            return
        game, now = self.game, {"currentSequence": self.game.sequence}
        if game.over:
            raise No(409, "game_already_over")
        if action["type"] != "resign" and game.turn != 0:
            raise No(409, "not_your_turn", **now)
        if action["type"] != "resign" and sequence != game.sequence:
            raise No(409, "stale_sequence", **now)
        try:
            if self.stubborn:
                self.stubborn -= 1
                raise No(400, "invalid_action", details="not today")
            game.play(0, notation(action))
        except IllegalAction as error:
            raise No(400, "invalid_action", details=str(error)) from None
        except CalzaError as error:
            raise No(400, "invalid_input", details=str(error)) from None
        if action["type"] == "resign":
            self.reason = "resigned"
        self.played[sequence] = action
        self.go_on()

    def state(self) -> dict[str, Any]:
        """What the agent is told."""
        game = self.game
        named = {"matchId": self.id, "gameId": self.name, "sequence": game.sequence, "gameType": "sequential"}
        if not game.over:
            status = "your_turn" if game.turn == 0 else "waiting"
            return {"status": status, **named, "view": sight(game, 0, self.ids), "turnEndsAt": "2999-01-01T00:00:00Z"}
        results = [
            {"agentId": one, "outcome": "win" if place == 1 else "loss", "place": place, "diceLeft": dice}
            for one, place, dice in zip(self.ids, game.places, game.state.dice, strict=True)
        ]
        return {
            "status": "game_over",
            **named,
            "reason": self.reason,
            "results": results,
            "rating": {"before": 25.0, "after": 26.125},
            "replayUrl": f"/matches/{self.id}",
            "view": sight(game, 0, self.ids),
        }


class Cut(Response):
    """A reply that breaks off before its end."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"100")]})
        await send({"type": "http.response.body", "body": b"{", "more_body": True})


class StandIn:
    """The arena. `trouble[what]` are the troubles that the next requests of a kind meet, in their order:

    `503`, `429`, `502`: refused; `html`: answered by something else; `lose`: done, but the answer is lost; and for
    sockets `refuse`: none is opened; `drop`: closed when the agent acts, before its action is read; `lose`: after it.
    """

    def __init__(self, seed: int = 1, waits: int = 0) -> None:
        self.seed, self.waits = seed, waits  # queue calls before a match is found
        self.trouble: dict[str, deque[str]] = defaultdict(deque)
        self.heard: list[str] = []
        self.names: dict[str, dict[str, Any]] = {}
        self.known = True  # whether the key is
        self.tables: list[Table] = []
        self.asked: dict[str, Any] | None = None  # of the queue
        self.queued = 0
        self.held, self.patience_ms, self.stubborn = False, 10, 0
        self.games: list[WebSocket] = []
        self.agents: list[WebSocket] = []
        self.moments: dict[str, Future[None]] = defaultdict(Future)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        config = uvicorn.Config(self.app(), log_level="critical", ws="websockets-sansio", lifespan="off")
        self.server = uvicorn.Server(config)
        self.thread = Thread(target=self.server.run, kwargs={"sockets": [self.socket]}, daemon=True)

    def __enter__(self) -> "StandIn":
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.server.should_exit = True
        self.thread.join()

    # --- what tests do to it

    def until(self, moment: str) -> None:
        """Wait until it has heard something, such as `queue` or `game socket`."""
        self.moments[moment].result(30)

    def again(self, moment: str) -> None:
        """Wait for the next such moment."""
        self.moments[moment] = Future()

    def run(self, what: Callable[[], Awaitable[None]]) -> None:
        """Do something in its thread."""
        asyncio.run_coroutine_threadsafe(what(), self.loop).result(30)  # type: ignore[arg-type]

    def drop(self, code: int) -> None:
        """Close every socket of a match."""

        async def close() -> None:
            for one in self.games:
                await one.close(code)
            self.games.clear()

        self.run(close)

    def tell(self, message: dict[str, Any]) -> None:
        """Say something to the agent on its own socket."""

        async def say() -> None:
            for one in self.agents:
                await one.send_json(message)

        self.run(say)

    def time_out(self) -> None:
        """The agent's time is up."""

        async def forfeit() -> None:
            for table in self.tables:
                table.game.forfeit(0, "timeout")
                table.reason = "timeout"
                table.go_on()
            await self.push()

        self.run(forfeit)

    def release(self) -> None:
        """Let the house bots play on."""

        async def play() -> None:
            self.held = False
            for table in self.tables:
                table.held = False
                table.go_on()
            await self.push()

        self.run(play)

    # --- the arena

    def app(self) -> Starlette:
        """Its routes."""
        routes = {
            "register": ("POST", "/api/agents", self.register),
            "me": ("GET", "/api/agents/me", self.me),
            "model": ("PATCH", "/api/agents/me", self.model),
            "queue": ("POST", "/api/matchmaking/queue", self.queue),
            "leave": ("DELETE", "/api/matchmaking/queue", self.leave),
            "status": ("GET", "/api/matchmaking/status", self.status),
            "state": ("GET", "/api/matches/{id}/state", self.state),
            "action": ("POST", "/api/matches/{id}/action", self.action),
        }
        http = [
            Route(path, self.troubled(what, answer), methods=[method])
            for what, (method, path, answer) in routes.items()
        ]
        sockets = [WebSocketRoute("/ws/agent", self.agent_socket), WebSocketRoute("/ws/game/{id}", self.game_socket)]
        return Starlette(routes=[*http, *sockets])

    def hear(self, what: str) -> str:
        """Note that something came; the trouble that it meets."""
        self.loop = asyncio.get_running_loop()
        self.heard.append(what)
        if not self.moments[what].done():
            self.moments[what].set_result(None)
        return self.trouble[what].popleft() if self.trouble[what] else ""

    def troubled(
        self, what: str, answer: Callable[[Request], Awaitable[Any]]
    ) -> Callable[[Request], Awaitable[Response]]:
        """A route that meets the troubles that were ordered for it."""

        async def route(request: Request) -> Response:
            trouble = self.hear(what)
            if trouble.isdigit():
                more = {"retryAfterMs": self.patience_ms} if trouble == "429" else {}
                return JSONResponse({"error": "trouble", **more}, int(trouble))
            if trouble == "html":
                return HTMLResponse("<html>It works!</html>")
            try:
                if what != "register" and not self.knows(request.headers):
                    raise No(401, "unauthorized")
                reply = await answer(request)
            except No as no:
                return JSONResponse(no.body, no.status)
            if trouble == "lose":
                return Cut()
            return reply if isinstance(reply, Response) else JSONResponse(reply, 201 if what == "register" else 200)

        return route

    def knows(self, headers: Any) -> bool:
        """Whether the key is right."""
        return self.known and headers.get("Authorization") == f"Bearer {KEY}"

    def table(self, id: str) -> Table:
        """A match."""
        for table in self.tables:
            if table.id == id:
                return table
        raise No(404, "match_not_found")

    @property
    def live(self) -> Table | None:
        """The match that is being played."""
        return next((table for table in self.tables if not table.game.over), None)

    async def register(self, request: Request) -> Any:
        asked = await request.json()
        if asked["name"].lower() in self.names:
            raise No(409, "name_taken", details=f"{asked['name']} is taken")
        agent = {"id": ME, "name": asked["name"], "model": asked.get("model")}
        self.names[asked["name"].lower()] = agent
        claim = f"{self.url}/claim?agent={ME}"
        return {**agent, "apiKey": KEY, "claim_url": claim, "verification_code": "sc-verify-" + "0" * 16}

    async def me(self, request: Request) -> Any:
        return next(iter(self.names.values()), {"id": ME, "name": "crab", "model": None})

    async def model(self, request: Request) -> Any:
        agent = next(iter(self.names.values()))
        if agent["model"]:
            raise No(409, "model_already_set")
        agent["model"] = (await request.json())["model"]
        return agent

    async def queue(self, request: Request) -> Any:
        self.asked = await request.json()
        if self.live:
            return {"status": "matched", "matchId": self.live.id}
        self.queued += 1
        if self.queued > self.waits:
            return {"status": "matched", "matchId": self.begin().id}
        return {"status": "queued" if self.queued == 1 else "already_queued", "position": 1}

    def begin(self) -> Table:
        """Open a table for who is in the queue."""
        assert self.asked
        number = len(self.tables)
        table = Table(f"{number:03}match", self.asked["gameId"], self.asked["players"], self.seed + number)
        table.held, table.stubborn = self.held, self.stubborn
        table.go_on()
        self.tables.append(table)
        self.queued = 0
        return table

    def find(self) -> None:
        """Find a match for who is in the queue, and say so."""

        async def found() -> None:
            table = self.begin()
            for one in self.agents:
                await one.send_json({"type": "match_found", "matchId": table.id, "gameId": table.name})

        self.run(found)

    async def leave(self, request: Request) -> Any:
        waiting, self.queued = self.queued, 0
        return {"status": "left" if waiting else "not_queued"}

    async def status(self, request: Request) -> Any:
        return {"status": "matched", "matchId": self.live.id} if self.live else {"status": "not_queued"}

    async def state(self, request: Request) -> Any:
        table = self.table(request.path_params["id"])
        if request.query_params.get("wait") == "true" and table.state()["status"] == "waiting":
            await table.changed.wait()
        return table.state()

    async def action(self, request: Request) -> Any:
        table, asked = self.table(request.path_params["id"]), await request.json()
        table.act(asked["sequence"], asked["action"])
        return {"success": True, "state": table.state()}

    # --- sockets

    async def accepted(self, socket: WebSocket, what: str) -> str | None:
        """Open a socket; the trouble that it meets, None when it was not opened."""
        trouble = self.hear(what)
        if trouble == "refuse" or not self.knows(socket.headers):
            refusal = JSONResponse({"error": "no"}, 503 if trouble == "refuse" else 401)
            await socket.send_denial_response(refusal)
            return None
        await socket.accept()
        return trouble

    async def agent_socket(self, socket: WebSocket) -> None:
        if await self.accepted(socket, "agent socket") is None:
            return
        self.agents.append(socket)
        await socket.send_json({"type": "connected", "agentId": ME})
        try:
            await socket.receive()
        finally:
            self.agents.remove(socket)

    async def game_socket(self, socket: WebSocket) -> None:
        trouble = await self.accepted(socket, "game socket")
        if trouble is None:
            return
        try:
            table = self.table(socket.path_params["id"])
        except No:
            await socket.close(4404)
            return
        self.games.append(socket)
        await socket.send_json({"type": "connected", "matchId": table.id})
        await self.say(socket, table)
        try:
            while True:
                frame = json.loads(await socket.receive_text())
                self.hear("action frame")
                if trouble == "drop":
                    await socket.close(1011)
                    return
                try:
                    table.act(frame["sequence"], frame["payload"])
                except No as no:
                    await socket.send_json({"type": "error", **no.body})
                    continue
                if trouble == "lose":
                    await socket.close(1011)
                    return
                await self.say(socket, table)
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            if socket in self.games:
                self.games.remove(socket)

    async def push(self) -> None:
        """Tell every socket what is new."""
        for one in list(self.games):
            await self.say(one, self.table(one.path_params["id"]))

    async def say(self, socket: WebSocket, table: Table) -> None:
        """Tell the agent what it has to know now."""
        state = table.state()
        match state.pop("status"):
            case "your_turn":
                await socket.send_json({"type": "your_turn", **state})
            case "game_over":
                await socket.send_json({"type": "game_over", **state})
                await socket.close(1000)
