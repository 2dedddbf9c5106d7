"""Thousands of requests that are nearly right: none is a fault of the arena's, and no match is stuck afterwards."""

import asyncio
from random import Random
from typing import Any

import msgspec
import pytest

from tests.arena.house import LIAR, bid

from .web import Got, Player, Web, called

VALUES = (
    "null", "true", "-1", "0", "1", "255", "1e400", "-0.0", "4.5", "123456789012345678901234567890", '""', '"\\ud800"',
    '"\\u0000"', "[]", "{}", "[[[[[[]]]]]]", '{"type":"bid"}', '"' + "x" * 300 + '"', '"standard"', '"exact"', '"4"',
)  # fmt: skip
SIGNS = ("%00", "%2e%2e/", "//", "é", "%ff", "?", "&", "=", "+", "\x7f", "#", "a" * 70, "~", "-", "0")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "BREW")


class Requests:
    """Right requests of somebody who plays, and what becomes of them."""

    def __init__(self, random: Random, who: Player, match: str, state: dict[str, Any]) -> None:
        self.random, self.who = random, who
        action = random.choice([bid(random.randint(1, 12), random.randint(1, 6)), LIAR, {"type": "resign"}])
        act = {"sequence": state.get("sequence", 0), "action": action, "say": "hm", "usage": {"tokens": 5, "cost": 0.1}}
        queue = {"gameId": "liars-dice", "lane": "fast", "players": 2, "salt": "s", "opponents": "any", "matches": 1}
        self.right: list[tuple[str, str, Any]] = [
            *[("POST", f"/api/matches/{match}/action", act)] * 6,
            ("POST", "/api/matchmaking/queue", queue),
            ("DELETE", "/api/matchmaking/queue", {"gameId": "liars-dice"}),
            ("GET", "/api/matchmaking/status?gameId=liars-dice", None),
            ("GET", f"/api/matches/{match}/state?wait=true&afterSequence=3", None),
            ("GET", f"/api/matches/{match}/state", None),
            ("GET", f"/api/matches/{match}", None),
            ("GET", f"/api/matches/{match}/record", None),
            ("GET", f"/api/matches/{match}/replay.md", None),
            ("GET", "/api/matches?status=live&gameId=liars-dice&limit=5&cursor=1.a", None),
            ("GET", f"/api/agents/{who.id}/matches?limit=3&cursor=1.a", None),
            ("GET", f"/api/agents/{who.id}/history?gameId=exact&size=3-6", None),
            ("GET", "/api/leaderboard?gameId=liars-dice&size=2&by=agent&limit=3&cursor=1~2.5.a", None),
            ("GET", "/api/games?tag=wild", None),
            ("GET", "/api/games/liars-dice/strategy", None),
            ("GET", "/api/news?since=2024-01-01", None),
            ("GET", "/api/fairness?limit=3&cursor=7", None),
            ("POST", "/api/agents", {"name": f"Bot {random.randrange(10**6)}", "model": "m"}),
            ("PATCH", "/api/agents/me", {"model": "m"}),
            ("POST", "/api/agents/claim", {"agent": who.id, "verification_code": "sc-verify-0", "name": "G"}),
        ]

    def one(self) -> tuple[str, str, bytes, str]:
        """A request that is nearly right: its method, address, body and key."""
        method, path, value = self.random.choice(self.right)
        body, key = msgspec.json.encode(value) if value is not None else b"", self.who.key
        for _ in range(self.random.choice((0, 1, 1, 1, 2, 3))):
            match self.random.randrange(10):
                case 0:
                    method = self.random.choice(METHODS)
                case 1:
                    key = self.text(key)
                case 2 | 3:
                    path = "/" + self.text(path[1:])
                case 4 | 5 | 6:
                    body = self.value(body)
                case _:
                    body = self.bytes(body)
        return method, path, body, key.encode("ascii", "ignore").decode()

    def text(self, text: str) -> str:
        """A text with something put in, taken out, or doubled."""
        at = self.random.randrange(len(text) + 1)
        match self.random.randrange(3):
            case 0:
                return text[:at] + self.random.choice(SIGNS) + text[at:]
            case 1:
                return text[:at] + text[at + self.random.randint(1, 4) :]
        return text[:at] + text[max(0, at - 5) :]

    def value(self, body: bytes) -> bytes:
        """JSON with another value or another name somewhere."""
        words = body.replace(b",", b"\0,\0").replace(b":", b"\0:\0").replace(b"}", b"\0}").split(b"\0")
        words[self.random.randrange(len(words))] = self.random.choice(VALUES).encode()
        return b"".join(words)

    def bytes(self, body: bytes) -> bytes:
        """Bytes with one of them changed, gone, or new."""
        at = self.random.randrange(len(body) + 1)
        new = bytes([self.random.randrange(256)])
        return body[:at] + self.random.choice((b"", new, new * 5000)) + body[at + self.random.randrange(2) :]


async def sent(web: Web, request: tuple[str, str, bytes, str]) -> Got:
    """Send it; held requests are answered when their time is up."""
    method, path, body, key = request
    task = asyncio.ensure_future(web.call(method, path, raw=body, key=key))
    if "wait" in path:
        while not task.done():
            await web.clock.turn(20)
    return await task


async def on(web: Web, players: list[Player], match: str) -> str:
    """The match, or another if it is over."""
    if (await players[0].state(match)).json.get("status") in ("not_started", "waiting", "your_turn"):
        return match
    for one in players:
        await one.call("DELETE", "/api/matchmaking/queue")
    for one in players:
        await one.post("/api/matchmaking/queue", {"gameId": "liars-dice", "lane": "fast"})
    while "matchId" not in (got := (await players[0].get("/api/matchmaking/status?gameId=liars-dice")).json):
        await web.clock.turn(1000)
    return str(got["matchId"])


def tried(many: int, seed: int) -> None:
    """So many requests, then every match to its end."""

    async def do(web: Web) -> None:
        random, web.deep = Random(seed), False
        players = [await web.join("Ann"), await web.join("Bob")]
        match = await web.table(*players)
        seen = set()
        for number in range(many):
            if number % 20 == 0:
                match = await on(web, players, match)
                states = [(await one.state(match)).json for one in players]
            which = random.randrange(2)
            request = Requests(random, players[which], match, states[which]).one()
            got = await sent(web, request)
            assert got.status < 500, (seed, number, request, got)
            seen.add(got.status)
        assert seen >= {200, 201, 400, 401, 404, 405, 409, 413}
        assert all(line["status"] < 500 for line in map(msgspec.json.decode, web.log.getvalue().splitlines()))
        for _ in range(30):
            if (await web.get("/api/stats")).json["matches"]["live"] == 0:
                return
            await web.clock.turn(60_000)
        raise AssertionError("a match is stuck")

    called(do, hold=0.02, fast_turn=30.0, standard_turn=30.0, **dict.fromkeys(FREE, 10**9))


FREE = ("requests_per_minute", "address_per_minute", "registrations_per_hour")


@pytest.mark.parametrize("seed", range(4))
def test_no_request_is_a_fault_of_the_arena_and_no_match_is_stuck(seed: int) -> None:
    tried(2_500, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_nor_is_any_of_a_million(seed: int) -> None:
    tried(10_000, seed)
