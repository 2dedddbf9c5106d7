"""A real server: how it stops, what it writes down, and what an operator may ask it."""

import asyncio
import signal
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect

from tests.arena.load import QUEUE
from tests.arena.server import Server, running
from tests.postgres import Server as Postgres

WISH = {"gameId": "liars-dice", "lane": "standard", "players": 2, "opponents": "agents"}


class Table:
    """Two agents at a new match: who is to act, and who waits."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.http = httpx.AsyncClient(base_url=server.url, timeout=60)
        self.keys: list[str] = []
        self.match = ""

    def headers(self, seat: int) -> dict[str, str]:
        return {"authorization": f"Bearer {self.keys[seat]}"}

    async def open(self) -> None:
        for name in ("one", "two"):
            self.keys.append((await self.http.post("/api/agents", json={"name": name})).json()["apiKey"])
        for seat in (0, 1):
            reply = await self.http.post(QUEUE, json=WISH, headers=self.headers(seat))
        self.match = reply.json()["matchId"]
        states = [await self.state(seat) for seat in (0, 1)]
        if states[0]["status"] != "your_turn" and (await self.state(0))["status"] != "your_turn":
            self.keys.reverse()

    async def state(self, seat: int, **query: str) -> Any:
        path = f"/api/matches/{self.match}/state"
        return (await self.http.get(path, params=query, headers=self.headers(seat))).json()

    async def act(self, seat: int, sequence: int, **action: Any) -> httpx.Response:
        path = f"/api/matches/{self.match}/action"
        return await self.http.post(path, json={"sequence": sequence, "action": action}, headers=self.headers(seat))


def seated(server: Server, do: Callable[[Table], Coroutine[Any, Any, None]]) -> None:
    """Do something at a table."""

    async def all_of_it() -> None:
        table = Table(server)
        async with table.http, asyncio.timeout(60):
            await table.open()
            await do(table)

    asyncio.run(all_of_it())


# --- stopping


def test_a_stop_answers_those_who_wait_and_tells_sockets_to_come_back(tmp_path: Path) -> None:
    async def do(table: Table) -> None:
        address = f"ws://127.0.0.1:{server.port}"
        async with (
            connect(f"{address}/ws/agent", additional_headers=table.headers(0)) as agent,
            connect(f"{address}/ws/game/{table.match}", additional_headers=table.headers(0)) as game,
            connect(f"{address}/ws/watch/{table.match}") as watch,
        ):
            sockets = [agent, game, watch]
            for socket in sockets:
                await socket.recv()
            held = asyncio.create_task(table.state(1, wait="true"))
            await waited_for(table, 3)
            server.signal(signal.SIGTERM)
            assert (await held)["status"] == "waiting"
            for socket in sockets:
                await socket.wait_closed()
                assert socket.close_code == 1012

    with running(tmp_path) as server:
        seated(server, do)
        assert server.ended() == 0
        assert [line["event"] for line in server.log][-2:] == ["stopping", "stopped"]


async def waited_for(table: Table, many: int) -> None:
    """Come back when so many requests and sockets wait for news."""
    while f"calza_waiting {many}\n" not in (await table.http.get("/metrics")).text:
        pass


def test_a_match_goes_on_where_it_stood(tmp_path: Path) -> None:
    async def begin(table: Table) -> None:
        assert (await table.act(0, 0, type="bid", quantity=1, faceValue=3)).status_code == 200
        tables.append(table)

    async def go_on() -> None:
        [table] = tables
        async with httpx.AsyncClient(base_url=server.url) as table.http:
            state = await table.state(1)
            assert (state["status"], state["sequence"]) == ("your_turn", 1)
            repeated = await table.act(0, 0, type="bid", quantity=1, faceValue=3)
            assert repeated.status_code == 200
            assert (await table.act(1, 1, type="challenge")).status_code == 200

    tables: list[Table] = []
    with running(tmp_path) as server:
        seated(server, begin)
        assert server.stop() == 0
        server.start()
        asyncio.run(go_on())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_second_signal_ends_it_at_once(tmp_path: Path, number: signal.Signals) -> None:
    """The first does not, as long as somebody sends a request that does not come to its end."""

    async def do() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"POST /api/agents HTTP/1.1\r\nhost: here\r\ncontent-length: 9\r\n\r\n")
        await writer.drain()
        async with httpx.AsyncClient(base_url=server.url) as http:
            while (await http.get("/metrics")).status_code != 200:
                pass
        server.signal(number)
        while not any(line["event"] == "stopping" for line in server.log):
            await asyncio.sleep(0)
        server.signal(number)
        assert await reader.read() == b""
        writer.close()

    with running(tmp_path) as server:
        asyncio.run(do())
        assert server.ended() == 128 + number
        assert server.log[-1]["event"] == "stopping"


# --- what an operator sees


def test_it_is_not_ready_while_its_store_is_away(tmp_path: Path, postgres: Postgres) -> None:
    def status(path: str) -> int:
        return httpx.get(f"{server.url}{path}", timeout=30).status_code

    with running(tmp_path, db=postgres.database()) as server:
        assert (status("/healthz"), status("/readyz")) == (200, 200)
        postgres.kill()
        try:
            assert (status("/healthz"), status("/readyz"), status("/metrics")) == (200, 503, 200)
        finally:
            postgres.start()
        while status("/readyz") != 200:
            pass


def test_only_a_known_proxy_is_believed_for_whom_it_asks(tmp_path: Path) -> None:
    def registered(name: str, address: str) -> int:
        headers = {"x-forwarded-for": address}
        return httpx.post(f"{server.url}/api/agents", json={"name": name}, headers=headers).status_code

    strict = {"registrations_per_hour": "1"}
    with running(tmp_path / "open", **strict) as server:
        assert [registered("one", "192.0.2.1"), registered("two", "192.0.2.2")] == [201, 429]
    with running(tmp_path / "behind", proxies="127.0.0.1", **strict) as server:
        assert [registered("one", "192.0.2.1"), registered("two", "192.0.2.2")] == [201, 201]
        assert registered("three", "192.0.2.2") == 429


def test_the_log_says_who_did_what_in_which_match_and_holds_no_secret(tmp_path: Path) -> None:
    async def do(table: Table) -> None:
        assert (await table.act(0, 0, type="bid", quantity=1, faceValue=3)).status_code == 200
        secrets.extend([*table.keys, "faceValue"])
        [state] = [await table.state(0)]
        secrets.append(",".join(map(str, state["view"]["myDice"])))
        matches.append((table.match, state["view"]["you"]))

    secrets: list[str] = []
    matches: list[tuple[str, str]] = []
    with running(tmp_path, log_level="debug") as server:
        seated(server, do)
        figures = httpx.get(f"{server.url}/metrics").text
        [line] = [line for line in server.log if line.get("route", "").endswith("/action")]
        assert (line["match"], line["agent"]) == matches[0]
        assert (line["status"], line["sequence"]) == (200, 1)
        text = (tmp_path / "log").read_text() + figures
        assert not [secret for secret in secrets if secret in text]
        assert "calza_actions_total 1\n" in figures
        assert 'calza_requests_total{route="POST /api/matches/{match}/action",status="200"} 1\n' in figures
