"""What stands before every call: methods, headers, limits of size and time, faults, and what the log says."""

from typing import Any

import msgspec
import pytest

from calza.arena.api.front import Front
from calza.arena.api.route import Given, Route
from calza.arena.api.routes import ROUTES
from calza.arena.journal import Journal
from tests.arena.house import bid

from .web import Web, called, scope


def lines(web: Web) -> list[dict[str, Any]]:
    """What was logged."""
    return [msgspec.json.decode(one) for one in web.log.getvalue().splitlines()]


@pytest.mark.parametrize(
    "path", ["/api/", "/api/nope", "/api/agents", "/api/matches/x/nope", "/api//games", "/api/games/"]
)
def test_an_unknown_address_is_404_in_json(path: str) -> None:
    async def do(web: Web) -> None:
        got = await web.get(path if path != "/api/agents" else "/api/agents/me/nope")
        assert got.error == (404, "not_found")
        assert "/api/guide" in got.json["details"]

    called(do)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/api/agents/me", "GET, HEAD, PATCH"),
        ("GET", "/api/agents", "POST"),
        ("HEAD", "/api/agents", "POST"),
        ("POST", "/api/games", "GET, HEAD"),
        ("OPTIONS", "/api/matchmaking/queue", "DELETE, POST"),
        ("POST", "/api/matches/abc/events", "GET"),
        ("HEAD", "/api/matches/abc/events", "GET"),
        ("BREW", "/llms.txt", "GET, HEAD"),
    ],
)
def test_an_unknown_method_is_405_with_those_that_are_known(method: str, path: str, allowed: str) -> None:
    async def do(web: Web) -> None:
        got = await web.call(method, path)
        assert (got.status, got.headers["allow"]) == (405, allowed)

    called(do)


def test_head_answers_what_get_would_without_its_body() -> None:
    async def do(web: Web) -> None:
        for path in ("/api/guide", "/api/games/exact", "/api/agents/nosuch"):
            full, head = await web.get(path), await web.call("HEAD", path)
            assert (head.status, head.body) == (full.status, b"")
            assert head.headers["content-length"] == str(len(full.body))

    called(do)


def test_every_answer_has_its_number_and_may_be_neither_kept_nor_framed_nor_run() -> None:
    async def do(web: Web) -> None:
        numbers = set()
        for path in ("/api/guide", "/api/nope", "/api/agents/me", "/api/games"):
            heads = (await web.get(path)).headers
            numbers.add(heads["x-request-id"])
            assert heads["cache-control"] == "no-store"
            assert heads["x-content-type-options"] == "nosniff"
            assert heads["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
            assert heads["referrer-policy"] == "no-referrer"
            assert "access-control-allow-origin" not in heads
        assert len(numbers) == 4
        assert {one["request"] for one in lines(web)} == numbers

    called(do)


def test_a_body_has_at_most_4096_bytes() -> None:
    async def do(web: Web) -> None:
        for raw in ([b" " * 4097], [b" " * 2000] * 3):
            got = await web.post("/api/agents", raw=raw)
            assert got.error == (413, "too_large")
            assert got.headers["connection"] == "close"
        body = msgspec.json.encode({"name": "Ann"})
        assert (await web.post("/api/agents", raw=[body, b" " * (4096 - len(body))])).status == 201

    called(do)


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("agent=nosuch", "agent_not_found"),
        ("agent=%00", "agent_not_found"),
        ("gameId=chess", "game_not_found"),
        ("gameId=openspiel", "game_not_found"),  # a variant, but none that is played here
    ],
)
def test_a_list_of_what_is_not_there_is_404(query: str, code: str) -> None:
    async def do(web: Web) -> None:
        assert (await web.get(f"/api/matches?{query}")).error == (404, code)
        ann = await web.join("Ann")
        assert (await web.get(f"/api/matches?agent={ann.id}&gameId=exact")).json["matches"] == []

    called(do)


@pytest.mark.parametrize(
    ("body", "why"),
    [(b"nonsense", "body: it is not JSON (JSON is malformed"), (b"{}", "body: object missing required field name")],
)
def test_what_is_wrong_with_a_body_is_said_in_a_sentence(body: bytes, why: str) -> None:
    async def do(web: Web) -> None:
        assert (await web.post("/api/agents", raw=body)).json["details"].startswith(why)

    called(do)


def test_a_body_that_is_cut_off_is_no_body() -> None:
    async def do(web: Web) -> None:
        said = []
        parts = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]

        async def receive() -> Any:
            return parts.pop(0)

        async def send(message: Any) -> None:
            said.append(message)

        await web.app(scope("POST", "/api/agents", {}, "127.0.0.1"), receive, send)
        assert said[0]["status"] == 400

    called(do)


def test_a_fault_of_ours_is_a_500_that_tells_nothing_and_is_logged() -> None:
    async def broken(asked: Any) -> None:
        raise RuntimeError("the seed is hushhush")  # which is in no line number, time or id

    async def do(web: Web) -> None:
        route = Route(method="GET", path="/api/stats", handle=broken, given=Given((), ""), about="")
        web.app.front = Front(web.arena, web.limits, Journal("error", web.log), (route,))
        got = await web.get("/api/stats")
        assert got.error == (500, "internal_error")
        assert b"hushhush" not in got.body
        (line,) = lines(web)
        assert (line["level"], line["where"], line["request"]) == (
            "error",
            "GET /api/stats",
            got.headers["x-request-id"],
        )
        assert b"hushhush" not in web.log.getvalue()

    called(do)


def test_the_log_names_call_agent_match_and_sequence_and_no_secret() -> None:
    async def do(web: Web) -> None:
        ann, bob = await web.join("Ann"), await web.join("Bob")
        match = await web.table(ann, bob)
        first, _ = await web.turns(match, ann, bob)
        dice = (await first.state(match)).json["view"]["myDice"]
        await first.act(match, 0, bid(2, 3), say="hush-hush")
        await web.get("/api/agents/me?secret=hush-hush", "calza_hush-hush")
        await web.get("/api/hush-hush")
        line = next(one for one in lines(web) if one["route"] == "POST /api/matches/{match}/action")
        assert {name: line[name] for name in ("status", "agent", "match", "sequence", "level")} == {
            "status": 200, "agent": first.id, "match": match, "sequence": 1, "level": "info",
        }  # fmt: skip
        log = web.log.getvalue().decode()
        for secret in (ann.key, bob.key, ann.code, "hush-hush", str(dice).replace(" ", "")):
            assert secret not in log
        assert "(no such call)" in log

    called(do)


def test_paths_of_the_table_do_not_hide_each_other() -> None:
    found = set()
    for one in ROUTES:
        shape = one.method, "/".join("{}" if part.startswith("{") else part for part in one.path.split("/"))
        assert shape not in found
        found.add(shape)


async def silence() -> Any:
    """Nothing comes."""


def test_the_front_leaves_other_addresses_to_others() -> None:
    async def do(web: Web) -> None:
        assert (await web.get("/healthz")).body == b"ok\n"
        front = Front(web.arena, web.limits, Journal("error"))
        for path in ("/", "/matches/abc", "/apis", "/metrics"):
            assert front.asked(scope("GET", path, {}, ""), silence) is None

    called(do)
