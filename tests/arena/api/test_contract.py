"""The wire contract, row by row: every call, status word, error code and header that agents rely on."""

import re
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Any

import jsonschema
import pytest

from calza.arena.api.routes import ROUTES
from calza.arena.errors import StoreFault
from calza.arena.views import PLAYED
from tests.arena.house import LIAR, RESIGN, bid

from .web import Got, Player, Web, called

ABOUT = "Bluffing and bidding game with hidden dice. Make escalating claims or challenge your opponents."
Row = Callable[[Web], Coroutine[Any, Any, None]]
ROWS: dict[str, Row] = {}


def row(name: str) -> Callable[[Row], Row]:
    """A row of the contract, by the call that it is about."""

    def keep(check: Row) -> Row:
        ROWS[name] = check
        return check

    return keep


def utc(text: str) -> datetime:
    """A time as the contract writes it."""
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", text)
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


async def pair(web: Web) -> tuple[str, Player, Player]:
    """A match of two, and who is to act first."""
    match = await web.table(await web.join("Ann"), await web.join("Bob"))
    return match, *(await web.turns(match, *web.players))


async def ended(web: Web) -> tuple[str, Player, Player]:
    """A match that has ended: the first of the two has resigned."""
    match, first, other = await pair(web)
    assert (await first.act(match, 0, RESIGN)).status == 200
    return match, first, other


def test_every_row_is_a_call_of_the_table() -> None:
    assert set(ROWS) <= {re.sub("{.*?}", ":id", one.name) for one in ROUTES}


@pytest.mark.parametrize("name", ROWS)
def test_row(name: str) -> None:
    called(ROWS[name])


# --- agents


@row("POST /api/agents")
async def registering(web: Web) -> None:
    got = await web.post("/api/agents", {"name": "deep thought_7-x", "model": "m-1"})
    assert got.status == 201
    assert set(got.json) >= {"id", "name", "model", "apiKey", "claim_url", "verification_code"}
    assert (got.json["name"], got.json["model"]) == ("deep thought_7-x", "m-1")
    assert re.fullmatch("sc-verify-[0-9a-f]{16}", got.json["verification_code"])
    assert got.json["claim_url"].endswith(f"/claim?agent={got.json['id']}")
    assert re.fullmatch("[A-Za-z0-9]+", got.json["id"])
    assert (await web.get("/api/agents/me", got.json["apiKey"])).json["id"] == got.json["id"]
    assert (await web.post("/api/agents", {"name": "DEEP Thought_7-X"})).error == (409, "name_taken")
    assert (await web.post("/api/agents", {"name": "Silent"})).json["model"] is None
    for name in ("", "X" * 65, "änn", "a.b", "a\nb", None, 7):
        assert (await web.post("/api/agents", {"name": name})).error == (400, "invalid_name"), name
    assert (await web.post("/api/agents", {})).error == (400, "invalid_name")
    assert (await web.post("/api/agents", {"name": "Ok", "model": 7})).error == (400, "invalid_input")


@row("GET /api/agents/me")
async def oneself(web: Web) -> None:
    ann = await web.join("Ann", model="m-1")
    assert {name: (await ann.get("/api/agents/me")).json[name] for name in ("id", "name", "model")} == {
        "id": ann.id, "name": "Ann", "model": "m-1",
    }  # fmt: skip


@row("PATCH /api/agents/me")
async def model(web: Web) -> None:
    ann = await web.join("Ann")
    got = await ann.call("PATCH", "/api/agents/me", {"model": "m-2"})
    assert (got.status, got.json["id"], got.json["model"]) == (200, ann.id, "m-2")
    assert (await ann.call("PATCH", "/api/agents/me", {"model": "m-3"})).error == (409, "model_already_set")
    assert (await ann.get("/api/agents/me")).json["model"] == "m-2"
    assert (await ann.call("PATCH", "/api/agents/me", {"model": ""})).error == (400, "invalid_input")


@row("GET /api/agents/:id")
async def profile(web: Web) -> None:
    _, first, other = await ended(web)
    page = (await web.get(f"/api/agents/{other.id}")).json
    assert (page["name"], page["model"], page["counts"]) == (other.name, None, {"games": 1, "wins": 1})
    assert [(one["gameId"], one["games"]) for one in page["ratings"]] == [("liars-dice", 1)]
    assert not {first.key, other.key, "apiKey", "verification_code"} & set(page)
    assert (await web.get("/api/agents/nosuch")).error == (404, "agent_not_found")


@row("GET /api/agents/:id/matches")
async def matches(web: Web) -> None:
    match, first, _ = await ended(web)
    line = (await web.get(f"/api/agents/{first.id}/matches?limit=5")).json["matches"][0]
    assert (line["id"], line["gameId"], line["status"]) == (match, "liars-dice", "completed")
    assert utc(line["createdAt"]) <= utc(line["finishedAt"])
    await web.clock.turn(60_000)
    later = await web.table(*web.players, come=False)
    lines = (await web.get(f"/api/agents/{first.id}/matches")).json["matches"]
    assert [one["id"] for one in lines] == [later, match]
    assert (lines[0]["status"], lines[0]["finishedAt"]) == ("not_started", None)
    assert (await web.get(f"/api/agents/{first.id}/matches?limit=0")).error == (400, "invalid_input")


# --- games


@row("GET /api/games")
async def games(web: Web) -> None:
    found = (await web.get("/api/games")).json
    assert [one["id"] for one in found] == list(PLAYED)
    for one in found:
        assert set(one) == {"id", "name", "description", "minPlayers", "maxPlayers", "estimatedDuration", "tags"}
    tagged = (await web.get("/api/games?tag=exact-call")).json
    assert 0 < len(tagged) < len(found)
    assert (await web.get("/api/games?tag=chess")).json == []


@row("GET /api/games/:id")
async def game(web: Web) -> None:
    page = (await web.get("/api/games/liars-dice")).json
    assert {name: page[name] for name in page if name not in ("rules", "rulesData", "rulesId", "stats")} == {
        "id": "liars-dice",
        "name": "Liar's Dice",
        "description": ABOUT,
        "minPlayers": 2,
        "maxPlayers": 6,
        "estimatedDuration": "5-15 minutes",
        "tags": ["hidden-info", "stochastic", "simultaneous", "multiplayer", "bluffing"],
    }
    assert page["stats"] == {"matches": 0, "averageDurationMs": None, "decisiveShare": 0}
    await ended(web)
    stats = (await web.get("/api/games/liars-dice")).json["stats"]
    assert (stats["matches"], stats["decisiveShare"]) == (1, 1)
    assert stats["averageDurationMs"] >= 0
    assert (await web.get("/api/games/chess")).error == (404, "game_not_found")


@row("GET /api/games/:id/validator")
async def validator(web: Web) -> None:
    judge = jsonschema.Draft202012Validator((await web.get("/api/games/liars-dice/validator")).json)
    for action in (bid(4, 3), LIAR, RESIGN):
        judge.validate(action)
    for wrong in ({"type": "bid"}, {"type": "exact"}, bid(31, 3), bid(1, 7), bid(1, 1) | {"x": 1}):
        assert not judge.is_valid(wrong)
    assert (await web.get("/api/games/chess/validator")).error == (404, "game_not_found")


@row("GET /api/games/:id/rules")
async def rules(web: Web) -> None:
    for kind in ("rules", "strategy"):
        got = (await web.get(f"/api/games/liars-dice/{kind}")).json
        assert got["gameId"] == "liars-dice"
        assert got["version"]
        assert got["content"].startswith("# ")
        assert (await web.get(f"/api/games/chess/{kind}")).error == (404, "game_not_found")


# --- the queue


@row("POST /api/matchmaking/queue")
async def queueing(web: Web) -> None:
    ann, bob, cid = [await web.join(name) for name in ("Ann", "Bob", "Cid")]

    async def queue(who: Player, **ask: Any) -> Got:
        return await who.post("/api/matchmaking/queue", {"gameId": "liars-dice"} | ask)

    assert (await queue(ann)).json == {"status": "queued", "position": 1}
    assert (await queue(ann, lane="fast", players=3)).json == {"status": "already_queued", "position": 1}
    got = (await queue(bob, salt="pepper", opponents="agents")).json
    assert got == {"status": "matched", "matchId": got["matchId"]}
    assert (await queue(ann)).json == got
    assert (await queue(cid, gameId="chess")).error == (404, "game_not_found")
    assert (await queue(cid, lane="slow")).error == (400, "invalid_lane")
    for wrong in ({"players": 1}, {"players": 7}, {"players": "2"}, {"opponents": "no"}, {"salt": 5}, {"salt": "\n"}):
        assert (await queue(cid, **wrong)).error == (400, "invalid_input")
    assert (await cid.post("/api/matchmaking/queue", {})).error == (400, "invalid_input")


@row("DELETE /api/matchmaking/queue")
async def leaving(web: Web) -> None:
    ann = await web.join("Ann")
    assert (await ann.call("DELETE", "/api/matchmaking/queue")).json == {"status": "not_queued"}
    for body in ({}, {"gameId": "liars-dice"}):
        await ann.post("/api/matchmaking/queue", {"gameId": "liars-dice"})
        assert (await ann.call("DELETE", "/api/matchmaking/queue", body)).json == {"status": "left"}
    assert (await ann.call("DELETE", "/api/matchmaking/queue", {"gameId": "chess"})).error == (404, "game_not_found")


@row("GET /api/matchmaking/status")
async def standing(web: Web) -> None:
    ann, bob = await web.join("Ann"), await web.join("Bob")
    address = "/api/matchmaking/status?gameId=liars-dice"
    assert (await ann.get(address)).json == {"status": "not_queued"}
    await ann.post("/api/matchmaking/queue", {"gameId": "liars-dice"})
    assert (await ann.get(address)).json == {"status": "queued", "position": 1}
    got = await bob.post("/api/matchmaking/queue", {"gameId": "liars-dice"})
    assert (await ann.get(address)).json == got.json
    assert (await ann.get("/api/matchmaking/status")).error == (400, "invalid_input")
    assert (await ann.get(address + "&lane=fast")).error == (400, "invalid_input")
    assert (await ann.get("/api/matchmaking/status?gameId=chess")).error == (404, "game_not_found")


@row("POST /api/tables/:id/seat")
async def sitting_down(web: Web) -> None:
    ann, bob, cid = [await web.join(name) for name in ("Ann", "Bob", "Cid")]
    code = await web.invite(ann)
    address = f"/api/tables/{code}/seat"
    assert (await ann.post(address)).json == {"status": "seated", "gameId": "liars-dice", "free": 1}
    for _ in range(2):
        assert (await bob.post(address)).json == {"status": "seated", "gameId": "liars-dice", "free": 0}
    assert (await cid.post(address)).error == (409, "table_full")
    match = await web.arena.invitations.begin(code)
    for one in (ann, bob):
        said = {"status": "matched", "gameId": "liars-dice", "free": 0, "matchId": match}
        assert (await one.post(address)).json == said
        assert (await one.get("/api/matchmaking/status?gameId=liars-dice")).json["matchId"] == match
    assert (await cid.post(address)).error == (409, "table_begun")
    for wrong in ("nosuch", "a-b", "a" * 65):
        assert (await cid.post(f"/api/tables/{wrong}/seat")).error == (404, "table_not_found")
    assert (await web.post(address)).error == (401, "unauthorized")


# --- matches


@row("GET /api/matches/:id/state")
async def reading(web: Web) -> None:
    ann, bob, cid = [await web.join(name) for name in ("Ann", "Bob", "Cid")]
    match = await web.table(ann, bob, come=False)
    got = (await ann.state(match)).json
    assert (got["status"], got["sequence"], got["matchId"], got["gameId"]) == ("not_started", 0, match, "liars-dice")
    await bob.state(match)
    first, other = await web.turns(match, ann, bob)
    mine, theirs = (await first.state(match, "?wait=false")).json, (await other.state(match)).json
    assert (mine["status"], theirs["status"]) == ("your_turn", "waiting")
    assert utc(mine["turnEndsAt"]) == utc(theirs["turnEndsAt"])
    assert mine["gameType"] == "sequential"
    assert (await cid.state(match)).error == (403, "not_a_player")
    assert (await cid.state("nosuch")).error == (404, "match_not_found")
    assert (await web.get(f"/api/matches/{match}/state")).error == (401, "unauthorized")
    assert (await ann.state(match, "?wait=perhaps")).error == (400, "invalid_input")


@row("POST /api/matches/:id/action")
async def acting(web: Web) -> None:
    match, first, other = await pair(web)
    got = await first.act(match, 0, bid(2, 3))
    assert (got.status, got.json["success"]) == (200, True)
    assert got.json["state"] == (await first.state(match)).json
    assert got.json["state"]["sequence"] == 1
    got = await other.act(match, 1, bid(1, 3))
    assert got.error == (400, "invalid_action")
    assert isinstance(got.json["details"], str)
    assert (await other.act(match, 1, LIAR)).status == 200
    assert (await other.act("nosuch", 1, LIAR)).error == (404, "match_not_found")
    assert (await (await web.join("Cid")).act(match, 1, LIAR)).error == (403, "not_a_player")


@row("GET /api/matches/:id")
async def summary(web: Web) -> None:
    match, first, _ = await pair(web)
    page = (await web.get(f"/api/matches/{match}")).json
    assert (page["status"], page["finishedAt"], page["record"], page["signature"]) == ("active", None, None, None)
    assert page["view"]["myDice"] == []
    await first.act(match, 0, RESIGN)
    page = (await web.get(f"/api/matches/{match}")).json
    assert (page["status"], page["reason"]) == ("completed", "resigned")
    assert page["record"]["id"] == match
    assert page["record"]["dice"]["seed"]
    assert (await web.get("/api/matches/nosuch")).error == (404, "match_not_found")


# --- the arena


@row("GET /api/stats")
async def stats(web: Web) -> None:
    await ended(web)
    await web.players[0].post("/api/matchmaking/queue", {"gameId": "liars-dice"})
    got = (await web.get("/api/stats")).json
    assert (got["agents"], got["queue"], list(got["matchesPerDay"].values())) == (2, {"liars-dice": 1}, [1])


@row("GET /api/news")
async def news(web: Web) -> None:
    assert (await web.get("/api/news")).json == []
    await web.announce("Two tables", "We have two tables now.")
    assert [one["title"] for one in (await web.get("/api/news?since=2023-11-14")).json] == ["Two tables"]
    assert (await web.get("/api/news?since=2023-11-15")).json == []
    for wrong in ("yesterday", "2023-02-30"):
        assert (await web.get(f"/api/news?since={wrong}")).error == (400, "invalid_input")


@row("GET /api/leaderboard")
async def leaderboard(web: Web) -> None:
    _, first, other = await ended(web)
    agents = [one for one in (await web.get("/api/leaderboard?gameId=liars-dice")).json["agents"] if not one["house"]]
    assert [one["id"] for one in agents] == [other.id, first.id]
    assert agents[0]["rating"] > agents[1]["rating"]
    assert agents[0]["deviation"] > 0
    assert (await web.get("/api/leaderboard?gameId=chess")).error == (404, "game_not_found")


@row("GET /api/guide")
async def guide(web: Web) -> None:
    got = await web.get("/api/guide")
    assert (got.status, got.headers["content-type"]) == (200, "text/plain; charset=utf-8")


@row("GET /api/docs/json")
async def document(web: Web) -> None:
    assert (await web.get("/api/docs/json")).json["openapi"].startswith("3.1")


@row("GET /api/tournaments/active")
async def tournament(web: Web) -> None:
    assert (await web.get("/api/tournaments/active")).error == (404, "no_active_tournament")


# --- what holds for every call


def test_an_unknown_key_is_401_and_a_store_that_is_away_503() -> None:
    async def do(web: Web) -> None:
        ann = await web.join("Ann")
        for key in ("", "x", "calza_" + "0" * 64, ann.key[:-1], ann.key.upper()):
            got = await web.get("/api/agents/me", key)
            assert got.error == (401, "unauthorized")
            assert got.headers["www-authenticate"] == "Bearer"
        await web.clock.turn(10_000)  # until keys are looked up again

        async def away(*_: Any) -> Any:
            raise StoreFault

        web.arena.store.read = away  # type: ignore[method-assign]
        for path in ("/api/agents/me", f"/api/agents/{ann.id}", "/api/matches/nosuch"):
            got = await ann.get(path)
            assert got.error == (503, "try_again")
            assert got.headers["retry-after"] == "1"

    called(do)


def test_every_limit_answers_429_and_lets_the_repeated_request_through() -> None:
    async def do(web: Web) -> None:
        web.deep = False
        ann = await web.join("Ann")
        bob = await web.join("Bob", address="10.0.0.2")

        async def until_refused(call: Callable[[int], Coroutine[Any, Any, Got]]) -> int:
            for number in range(100):
                if (got := await call(number)).status == 429:
                    assert set(got.json) - {"details"} == {"error", "retryAfterMs"}
                    assert got.json["error"] == "rate_limited"
                    wait = got.json["retryAfterMs"]
                    assert got.headers["retry-after"] == str(-(-wait // 1000))
                    assert (await call(number)).status == 429
                    await web.clock.turn(wait)
                    assert (await call(number + 1)).status in (200, 201)
                    return number
            raise AssertionError("there is no limit")

        many = await until_refused(lambda number: ann.get("/api/agents/me", address=f"10.0.1.{number}"))
        assert many == 20
        assert (await bob.get("/api/agents/me", address="10.0.0.3")).status == 200
        assert await until_refused(lambda number: web.get("/api/games", address="10.0.0.4")) == 70
        assert await until_refused(
            lambda number: web.post("/api/agents", {"name": f"Bot {number}"}, address="10.0.0.5")
        ) == 60  # fmt: skip
        # Of the sixth version everybody has a whole network.
        assert await until_refused(lambda number: web.get("/api/games", address=f"2001:db8::{number + 1:x}")) == 70

    called(do, requests_per_minute=20, address_per_minute=70, registrations_per_hour=60)


def test_a_held_request_does_not_use_up_anything_but_its_own_token() -> None:
    async def do(web: Web) -> None:
        match, first, other = await pair(web)
        held = await other.hold(match)
        await first.act(match, 0, bid(2, 3))
        assert (await held.task).json["status"] == "your_turn"

    called(do, requests_per_minute=8)
