"""Who may do what: every call of the table, tried by everybody."""

from collections.abc import Callable
from typing import Any

import pytest

from calza.arena.api.route import OPEN
from calza.arena.api.routes import ROUTES
from tests.arena.house import RESIGN, bid

from .web import Got, Player, Web, called

NOBODY = "calza_" + "0" * 64  # a key that nobody has
ASKED = {"gameId": "liars-dice"}

# What comes back when a call is made without a key, with one that is unknown, by an agent whom it is none of its
# business, and by the agent whose own thing it is: its account, or the match on which it is to act.
EVERYBODY, AGENTS, OWNER = (200, 200, 200, 200), (401, 401, 200, 200), (401, 401, 403, 200)
EXPECTED: dict[str, tuple[int, int, int, int]] = {
    "POST /api/agents": (201, 201, 201, 201),
    "GET /api/agents/me": AGENTS,
    "PATCH /api/agents/me": AGENTS,
    "POST /api/agents/me/keys": (401, 401, 201, 201),
    "POST /api/agents/me/keys/revoke": (401, 401, 404, 200),
    "POST /api/agents/claim": (403, 403, 403, 403),
    "GET /api/agents/{agent}": EVERYBODY,
    "GET /api/agents/{agent}/matches": EVERYBODY,
    "GET /api/agents/{agent}/history": EVERYBODY,
    "GET /api/games": EVERYBODY,
    "GET /api/games/{game}": EVERYBODY,
    "GET /api/games/{game}/validator": EVERYBODY,
    "GET /api/games/{game}/rules": EVERYBODY,
    "GET /api/games/{game}/strategy": EVERYBODY,
    "POST /api/matchmaking/queue": AGENTS,
    "DELETE /api/matchmaking/queue": AGENTS,
    "GET /api/matchmaking/status": AGENTS,
    "POST /api/tables/{table}/seat": AGENTS,
    "GET /api/matches": EVERYBODY,
    "GET /api/matches/{match}": EVERYBODY,
    "GET /api/matches/{match}/state": OWNER,
    "POST /api/matches/{match}/action": OWNER,
    "GET /api/matches/{match}/record": (409, 409, 409, 409),
    "GET /api/matches/{match}/replay.md": (409, 409, 409, 409),
    "GET /api/matches/{match}/events": EVERYBODY,
    "GET /api/leaderboard": EVERYBODY,
    "GET /api/stats": EVERYBODY,
    "GET /api/news": EVERYBODY,
    "GET /api/tournaments/active": (404, 404, 404, 404),
    "GET /api/fairness": EVERYBODY,
    "GET /api/fairness/key": EVERYBODY,
    "GET /api/guide": EVERYBODY,
    "GET /api/skill": EVERYBODY,
    "GET /llms.txt": EVERYBODY,
    "GET /api/docs/json": EVERYBODY,
    "GET /ws/agent": (401, 401, 426, 426),
    "GET /ws/game/{match}": (401, 401, 426, 426),
    "GET /ws/watch/{match}": (426, 426, 426, 426),
}
BODIES: dict[str, Callable[[Player, str], Any]] = {
    "POST /api/agents": lambda owner, who: {"name": f"New {who}"},
    "PATCH /api/agents/me": lambda owner, who: {"model": "m-1"},
    "POST /api/agents/me/keys/revoke": lambda owner, who: {"apiKey": owner.key},
    "POST /api/agents/claim": lambda owner, who: {"agent": owner.id, "verification_code": "sc-verify-" + "0" * 16},
    "POST /api/matchmaking/queue": lambda owner, who: ASKED,
    "POST /api/matches/{match}/action": lambda owner, who: {"sequence": 0, "action": bid(2, 3)},
}
QUERIES = {"GET /api/matchmaking/status": "?gameId=liars-dice"}


def test_every_call_says_who_may_make_it() -> None:
    assert sorted(EXPECTED) == sorted(one.name for one in ROUTES)
    for one in ROUTES:
        if one.method != "GET" and one.ask and one.name != "DELETE /api/matchmaking/queue":
            assert one.name in BODIES


async def as_everybody(web: Web, name: str) -> list[Got]:
    """What everybody is answered: without a key, with an unknown one, another agent, the owner."""
    players = [await web.join("Ann"), await web.join("Bob")]
    stranger = await web.join("Cid")
    match = await web.table(*players)
    if name.endswith("/events"):  # which would not end before the match does
        await players[0].act(match, 0, RESIGN)
        owner = players[0]
    else:
        owner = (await web.turns(match, *players))[0]
    table = await web.invite(owner, size=4)
    known = {"agent": owner.id, "match": match, "game": "exact", "table": table}
    method, path = name.format_map(known).split()
    got = []
    for who, key in (("open", ""), ("nobody", NOBODY), ("other", stranger.key), ("mine", owner.key)):
        body = {"body": BODIES[name](owner, who)} if name in BODIES else {}
        got.append(await web.call(method, path + QUERIES.get(name, ""), key=key, **body))
    return got


@pytest.mark.parametrize("name", EXPECTED)
def test_a_call_is_answered_to_whom_it_may_be(name: str) -> None:
    async def do(web: Web) -> None:
        got = await as_everybody(web, name)
        assert tuple(one.status for one in got) == EXPECTED[name]
        route = next(one for one in ROUTES if one.name == name)
        if route.who == OPEN and route.method == "GET":
            assert len({one.body for one in got}) == 1  # an open call tells nobody more than anybody else

    called(do)


def test_nobody_can_revoke_anothers_key() -> None:
    async def do(web: Web) -> None:
        ann, bob = await web.join("Ann"), await web.join("Bob")
        got = await bob.post("/api/agents/me/keys/revoke", {"apiKey": ann.key})
        assert got.error == (404, "key_not_found")
        assert (await ann.get("/api/agents/me")).status == 200

    called(do)


def test_fields_that_nobody_may_set_are_passed_over() -> None:
    async def do(web: Web) -> None:
        more = {"id": "me", "house": "cautious", "owner": "me", "ratings": [], "banned_ms": None, "guest": True}
        got = (await web.post("/api/agents", {"name": "Ann"} | more)).json
        page = (
            await web.call("PATCH", "/api/agents/me", {"model": "m"} | more | {"name": "Bob"}, key=got["apiKey"])
        ).json
        assert (page["id"], page["name"], page["house"], page["claimed"]) == (got["id"], "Ann", False, False)

    called(do)


def test_what_an_operator_does_is_no_call() -> None:
    words = {word for one in ROUTES for word in one.path.split("/")}
    assert not words & {"admin", "ban", "abort", "backup", "settings", "metrics"}
