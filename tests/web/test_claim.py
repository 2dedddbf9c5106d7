"""Claiming an agent on its page."""

import re

import httpx
import pytest

from calza.arena.accounts import Registered
from tests.arena.house import Place

from .pages import HERE, visited

FORM = {"content-type": "application/x-www-form-urlencoded"}


async def form(client: httpx.AsyncClient, agent: str) -> str:
    """Open the form; returns the number that it carries."""
    reply = await client.get(f"/claim?agent={agent}")
    return re.findall(r'name="token" value="([^"]+)"', reply.text)[0]


async def send(
    client: httpx.AsyncClient, new: Registered, token: str, origin: str | None = HERE, **said: str
) -> httpx.Response:
    """Send the form of an agent."""
    fields = {"agent": new.agent.id, "code": new.code, "name": "Grace", "key": "", "token": token} | said
    headers = {"origin": origin} if origin else {}
    return await client.post("/claim", data=fields, headers=headers)


def key_in(reply: httpx.Response) -> str:
    """The owner key on a page."""
    return re.findall(r"calza_[0-9a-f]{64}", reply.text)[0]


def test_whoever_has_the_code_becomes_the_owner() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        new = await place.arena.accounts.register("Mine")
        reply = await send(client, new, await form(client, new.agent.id))
        assert reply.status_code == 200
        assert "Mine now belongs to Grace" in reply.text
        assert reply.headers["cache-control"] == "no-store"
        assert "Grace" in (await client.get(f"/agents/{new.agent.id}")).text
        second = await place.arena.accounts.register("Mine too")
        again = await send(client, second, await form(client, second.agent.id), key=key_in(reply), name="")
        assert "Mine too now belongs to Grace" in again.text
        assert not re.findall(r"calza_[0-9a-f]{64}", again.text)

    visited(do)


def test_the_form_says_what_is_wrong_and_keeps_what_was_written() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        new = await place.arena.accounts.register("Mine")
        for said, status in (
            ({"code": "sc-verify-0000000000000000"}, 403),
            ({"code": ""}, 400),
            ({"agent": "no such"}, 400),
            ({"agent": "nobody"}, 404),
            ({"key": "calza_" + "0" * 64}, 401),
            ({"name": "x" * 65}, 400),
            ({"name": "a\x00b"}, 400),
        ):
            reply = await send(client, new, await form(client, new.agent.id), **said)
            assert reply.status_code == status, said
            assert 'role="alert"' in reply.text
            assert "now belongs to" not in reply.text
        assert 'value="Grace"' in (await send(client, new, await form(client, "x"), code="")).text
        assert (await place.arena.accounts.by_id(new.agent.id)).owner is None

    visited(do)


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
def test_another_site_cannot_send_the_form(origin: str) -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        new = await place.arena.accounts.register("Mine")
        token = await form(client, new.agent.id)
        assert (await send(client, new, token, origin)).status_code == 403
        assert (await place.arena.accounts.by_id(new.agent.id)).owner is None

    visited(do)


def test_a_form_without_its_number_or_its_cookie_is_refused() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        new = await place.arena.accounts.register("Mine")
        token = await form(client, new.agent.id)
        for wrong in ("", "x" * 43, "é"):
            assert (await send(client, new, wrong, None)).status_code == 403
        client.cookies.clear()
        assert (await send(client, new, token, None)).status_code == 403
        assert (await send(client, new, "", None)).status_code == 403
        assert (await place.arena.accounts.by_id(new.agent.id)).owner is None

    visited(do)


def test_the_cookie_is_for_this_form_alone() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        cookie = (await client.get("/claim")).headers["set-cookie"]
        for part in ("HttpOnly", "SameSite=strict", "Path=/claim", "Max-Age=7200"):
            assert part in cookie
        assert "Secure" not in cookie  # this arena is served without TLS

    visited(do)


def test_behind_tls_the_cookie_goes_only_there() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        assert "Secure" in (await client.get("/claim")).headers["set-cookie"]

    visited(do, public_url="https://arena.example")


def test_a_form_that_is_too_long_is_not_read() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        assert (await client.post("/claim", content=b"a=" + b"x" * 70_000, headers=FORM)).status_code == 413
        assert (await client.post("/claim", content=b"a=1&" * 600, headers=FORM)).status_code == 400
        assert (await client.post("/claim", content=b"a=\xff\xfe", headers=FORM)).status_code == 400

    visited(do)
