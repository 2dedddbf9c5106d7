"""Accounts: signing up, in and out, the sessions of browsers, and what is tried against them."""

import httpx
import pytest

from calza.arena.people import LIFE_MS, OF_ADDRESS, OF_NAME
from calza.arena.store import agents
from calza.arena.store.people import MOST
from calza.web.people import NEXT
from tests.arena.house import Place

from .pages import EVIL, HERE, Page, visited
from .people import Browser

PASSWORD = "correct horse battery"
COOKIE = "calza_session"


async def sign_up(browser: Browser, name: str = "Ann", **more: str) -> httpx.Response:
    """Make an account."""
    return await browser.send("/sign-up", **({"name": name, "password": PASSWORD} | more))


async def sign_in(browser: Browser, name: str = "Ann", password: str = PASSWORD, **more: str) -> httpx.Response:
    """Come back."""
    return await browser.send("/sign-in", name=name, password=password, **more)


async def from_address(browser: Browser, address: str) -> Browser:
    """The same browser at another address."""
    browser.client._transport = httpx.ASGITransport(browser.site, client=(address, 1))
    return browser


def sessions(page: Page) -> list[str]:
    """The sessions that can be ended on a page."""
    return [one["value"] for one in page.all("input") if one.get("name") == "session"]


def cookie_of(reply: httpx.Response) -> str:
    """How the session's cookie is set."""
    [said] = [one for one in reply.headers.get_list("set-cookie") if one.startswith(COOKIE)]
    return said


# --- up, in and out


def test_a_person_has_a_page_that_nobody_can_claim_and_a_guest_one_under_its_name() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann, gus = Browser(place), Browser(place)
        await sign_up(ann)
        match = await gus.play("Gus")
        rows = (await place.arena.tables.live(match)).rows
        guest = next(row.agent for row in rows if not row.house)
        found = await place.arena.store.read(agents.ByName("Ann"))
        assert found
        for id, kind, name in ((found.id, "Player", "Ann"), (guest, "Guest", "Gus")):
            page = await ann.open(f"/agents/{id}")
            assert f"{kind} {name}" in page.text
            assert id[:8] not in page.text.replace(f"/agents/{id}", "")
            assert not [link for link in page.links() if link.startswith("/claim?")]

    visited(do)


def test_somebody_signs_up_out_and_in_again() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place, agent="Firefox/1.0")
        reply = await sign_up(ann)
        assert (reply.status_code, reply.headers["location"]) == (303, "/play")
        page = await ann.open("/account")
        assert "Ann" in page.text
        assert "Firefox/1.0" in page.text
        assert "this browser" in page.text
        assert ann.reply.headers["cache-control"] == "no-store"
        [this, every] = sessions(page)
        assert every == "all"
        token = ann.client.cookies[COOKIE]
        reply = await ann.send("/account", session=this)
        assert reply.headers["location"] == "/"
        assert COOKIE not in ann.client.cookies
        assert (await ann.client.get("/account")).headers["location"] == "/sign-in"
        ann.client.cookies.set(COOKIE, token, domain="127.0.0.1")  # the token itself is worth nothing any more
        assert (await ann.client.get("/account")).headers["location"] == "/sign-in"
        ann.client.cookies.delete(COOKIE, domain="127.0.0.1")
        for name in ("Ann", "ann", " ANN "):
            assert (await sign_in(Browser(place), name)).status_code == 303

    visited(do)


def test_a_session_that_was_ended_from_elsewhere_is_over() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        one, other = Browser(place, agent="One/1.0"), Browser(place, agent="Other/1.0")
        await sign_up(one)
        await place.clock.turn(1000)
        await sign_in(other)
        page = await one.open("/account")
        assert "Other/1.0" in page.text
        newest, mine, _ = sessions(page)
        assert (await one.send("/account", session=newest)).headers["location"] == "/account"
        assert sessions(await one.open("/account")) == [mine, "all"]
        assert (await other.client.get("/account")).headers["location"] == "/sign-in"

    visited(do)


def test_signing_out_everywhere_ends_all_sessions_of_one_person() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        bob = Browser(place)
        await sign_up(bob, "Bob")
        anns = [Browser(place) for _ in range(3)]
        await sign_up(anns[0])
        for one in anns[1:]:
            await sign_in(one)
        assert (await anns[1].send("/account", session="all")).headers["location"] == "/"
        for one in anns:
            assert (await one.client.get("/account")).headers["location"] == "/sign-in"
        assert "Bob" in (await bob.open("/account")).text

    visited(do)


def test_nobody_ends_the_sessions_of_others() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann, bob = Browser(place), Browser(place)
        await sign_up(ann)
        await sign_up(bob, "Bob")
        of_ann = sessions(await ann.open("/account"))[0]
        assert (await bob.send("/account", session=of_ann)).headers["location"] == "/account"
        assert sessions(await ann.open("/account"))[0] == of_ann
        for wrong in ("", "0", of_ann[:8], EVIL):
            assert (await bob.send("/account", session=wrong)).status_code == 400
        for said in ({"token": "x"}, {"origin": "http://evil.example"}):
            assert (await ann.send("/account", session="all", **said)).status_code == 403  # type: ignore[arg-type]
        assert "Ann" in (await ann.open("/account")).text
        assert (await client.post("/account", data={"session": "all"})).headers["location"] == "/sign-in"

    visited(do)


def test_ending_a_session_closes_its_feeds_and_no_others() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        one = Browser(place)
        other = Browser(place, one.site)
        await sign_up(one)
        await sign_in(other)
        match = await one.play("")
        mine, theirs = [await feed.open() for feed in (one.feed(match), other.feed(match))]
        for feed in (mine, theirs):
            assert (await feed.hear())["you"] >= 0
        await one.send("/account", session=sessions(await one.open("/account"))[-2])
        gone, kept = (mine, theirs) if COOKIE not in one.client.cookies else (theirs, mine)
        assert await gone.end() == (4401, "you have signed out")
        kept.send({"type": "action", "sequence": 0, "payload": {"type": "nonsense"}})
        while (await kept.hear())["type"] != "error":
            pass
        await kept.leave()

    visited(do)


def test_a_new_session_takes_the_place_of_the_one_before() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        browser = Browser(place)
        await browser.play("Guest of honour")
        guest = browser.client.cookies[COOKIE]
        await sign_up(browser)
        assert browser.client.cookies[COOKIE] != guest
        assert await place.arena.people.of(guest) is None

    visited(do)


def test_somebody_has_so_many_sessions_and_the_oldest_make_room() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        first = await place.arena.people.sign_up("Ann", PASSWORD, "first")
        for _ in range(MOST):
            await place.clock.turn(1)
            last = await place.arena.people.signed(first.agent, "later")
        assert await place.arena.people.of(first.token) is None
        who = await place.arena.people.of(last.token)
        assert who
        assert len(await place.arena.people.sessions(who)) == MOST

    visited(do)


def test_a_session_that_made_room_closes_its_feeds() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        await sign_up(ann)
        match = await ann.play("")
        feed = await ann.feed(match).open()
        who = await place.arena.people.of(ann.client.cookies[COOKIE])
        assert who
        for _ in range(MOST):
            await place.clock.turn(1)
            await place.arena.people.signed(who.agent, "later")
        assert (await feed.end())[0] == 4401

    visited(do)


def test_sessions_run_out() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        await sign_up(ann)
        await place.leap(LIFE_MS - 1)
        assert (await ann.client.get("/account")).status_code == 200
        await place.leap(1)
        assert (await ann.client.get("/account")).headers["location"] == "/sign-in"

    visited(do)


# --- what is tried


def test_a_wrong_password_and_an_unknown_name_are_answered_alike() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        await sign_up(Browser(place))
        await place.agent("Agent without a password")
        said = set()
        for name in ("Ann", "Nobody", "Agent without a password", EVIL, ""):
            browser = Browser(place)
            reply = await sign_in(browser, name, "wrong password")
            assert reply.status_code == 403
            assert "There is no account with this name and this password" in Page(reply.text).text
            assert "wrong password" not in reply.text
            assert COOKIE not in browser.client.cookies
            said.add(Page(reply.text).text.count("There is no account"))
        assert said == {1}

    visited(do)


def test_wrong_passwords_are_limited_by_address() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        site = Browser(place).site
        await sign_up(Browser(place, site))
        for number in range(OF_ADDRESS):
            assert (await sign_in(Browser(place, site), f"Name {number}", "wrong password")).status_code == 403
        reply = await sign_in(Browser(place, site))
        assert reply.status_code == 429
        assert "Too many wrong passwords; try again in 91 s." in Page(reply.text).text
        assert (await sign_in(await from_address(Browser(place, site), "192.0.2.7"))).status_code == 303
        await place.clock.turn(100_000)
        assert (await sign_in(Browser(place, site))).status_code == 303

    visited(do)


def test_wrong_passwords_are_limited_by_name_from_wherever_they_come() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        people = place.arena.people
        ann = await people.sign_up("Ann", PASSWORD, "")
        now = place.clock.now_ms()
        for number in range(OF_NAME):
            people.count("ann", f"192.0.2.{number}")
            assert people.of_address.take(f"192.0.2.{number}", now) == 0
        browser = await from_address(Browser(place), "198.51.100.1")
        assert (await sign_in(browser)).status_code == 429
        assert (await sign_in(browser, "ANN")).status_code == 429
        await place.clock.turn(60_000)
        assert (await sign_in(browser)).status_code == 303
        assert await people.of(ann.token)

    visited(do)


def test_right_passwords_are_not_counted() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        site = Browser(place).site
        await sign_up(Browser(place, site))
        for _ in range(OF_ADDRESS + 2):
            assert (await sign_in(Browser(place, site))).status_code == 303

    visited(do)


def test_whoever_is_banned_is_out_and_stays_out() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        await sign_up(ann)
        who = await place.arena.people.of(ann.client.cookies[COOKIE])
        assert who
        await place.arena.store.write(agents.Ban(who.agent.id, place.clock.now_ms()))
        assert (await ann.client.get("/account")).headers["location"] == "/sign-in"
        reply = await sign_in(Browser(place))
        assert reply.status_code == 403
        assert "This account may not play here any more" in Page(reply.text).text

    visited(do)


# --- names and passwords


@pytest.mark.parametrize(
    ("said", "status", "why"),
    [
        ({"password": "seven77"}, 400, "A password has 8 to 200 characters"),
        ({"password": "x" * 201}, 400, "A password has 8 to 200 characters"),
        ({"password": ""}, 400, "A password has 8 to 200 characters"),
        ({"name": ""}, 400, "A name has 1 to 64 letters"),
        ({"name": EVIL}, 400, "A name has 1 to 64 letters"),
        ({"name": "A" * 65}, 400, "A name has 1 to 64 letters"),
        ({"name": "Calza staff"}, 400, "That name is the arena's own"),
        ({"name": "B0b"}, 409, "Somebody has this name, or one that looks like it"),
    ],
)
def test_an_account_that_cannot_be_is_refused_with_a_reason(said: dict[str, str], status: int, why: str) -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        await place.agent("bob")
        ann = Browser(place)
        reply = await sign_up(ann, **said)
        assert reply.status_code == status
        page = Page(reply.text)
        assert why in page.text
        fields = {one["id"]: one.get("value", "") for one in page.all("input") if "id" in one}
        assert fields == {"name": ({"name": "Ann"} | said)["name"][:64], "password": ""}
        assert COOKIE not in ann.client.cookies

    visited(do)


def test_any_sign_may_stand_in_a_password() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        odd = " pässwörd\t🎲 "
        await sign_up(Browser(place), password=odd)
        assert (await sign_in(Browser(place), password=odd)).status_code == 303
        assert (await sign_in(Browser(place), password=odd.strip())).status_code == 403
        await sign_up(Browser(place), name="Bob", password="x" * 200)
        assert (await sign_in(Browser(place), "Bob", "x" * 200)).status_code == 303
        assert (await sign_in(Browser(place), "Bob", "x" * 201)).status_code == 403

    visited(do)


def test_two_who_take_a_name_at_once_get_one_account() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        one, other = Browser(place), Browser(place)
        await sign_up(one)
        assert (await sign_up(other)).status_code == 409
        assert (await sign_up(other, "ann")).status_code == 409
        assert (await client.post("/api/agents", json={"name": "ANN"})).status_code == 409

    visited(do)


def test_accounts_are_scarce_at_an_address() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        site = Browser(place).site
        for name in ("Ann", "Bob"):
            assert (await sign_up(Browser(place, site), name)).status_code == 303
        assert (await sign_up(Browser(place, site), "Cleo")).status_code == 429

    visited(do, registrations_per_hour=2)


# --- cookies, and where one goes on


@pytest.mark.parametrize(
    ("settings", "headers", "secure"),
    [
        ({}, {}, False),
        ({"public_url": "https://calza.example"}, {}, True),
        ({"public_url": "http://calza.example"}, {}, False),
    ],
)
def test_no_script_and_no_other_site_sees_the_cookie(
    settings: dict[str, str], headers: dict[str, str], secure: bool
) -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        reply = await ann.client.get("/sign-up", headers=headers)
        [page] = reply.headers.get_list("set-cookie")
        number = page.partition("=")[2].partition(";")[0]
        token = next(one["value"] for one in Page(reply.text).all("input") if one.get("name") == "token")
        said = {"token": token, "name": "Ann", "password": PASSWORD}
        origin = {"origin": settings.get("public_url", HERE), "cookie": f"calza_page={number}"}
        reply = await ann.client.post("/sign-up", data=said, headers=headers | origin)
        for cookie in (page, cookie_of(reply)):
            parts = [one.strip().lower() for one in cookie.split(";")[1:]]
            assert "httponly" in parts
            assert "samesite=lax" in parts
            assert "path=/" in parts
            assert ("secure" in parts) == secure
            assert not any(one.startswith("domain") for one in parts)

    visited(do, **settings)


def test_behind_tls_the_cookie_travels_by_tls_alone() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        ann.client.base_url = httpx.URL("https://calza.example")
        reply = await sign_up(ann, origin="https://calza.example")
        assert reply.status_code == 303
        assert "secure" in cookie_of(reply).lower()

    visited(do)


@pytest.mark.parametrize("where", ["/play", "/tables/abc", "/matches/abc", "/games/liars-dice"])
def test_whoever_signs_in_goes_on_where_they_were(where: str) -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        page = await ann.open(f"/sign-up?next={where}")
        assert where in [one.get("value") for one in page.all("input")]
        assert f"/sign-in?next={where}" in {one.replace("%2F", "/") for one in page.links()}
        assert (await sign_up(ann, next=where)).headers["location"] == where

    visited(do)


@pytest.mark.parametrize(
    "where",
    [
        "https://evil.example", "//evil.example", "/\\evil.example", "/play/../..//evil.example", "/play?x", "/play\n",
        "/matches//evil", "/matches/a/b", "javascript:alert(1)", "/account", " /play", "/tables/" + "a" * 65, EVIL, "",
    ],
)  # fmt: skip
def test_nobody_is_led_away_by_a_link_to_signing_in(where: str) -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        reply = await sign_up(ann, next=where)
        assert reply.headers["location"] == "/play"
        page = Page((await client.get("/sign-in", params={"next": where})).text)
        assert [one["value"] for one in page.all("input") if one.get("name") == "next"] == ["/play"]
        assert not NEXT.fullmatch(where)

    visited(do)


def test_a_form_for_signing_from_elsewhere_is_refused() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        await sign_up(Browser(place))
        for path in ("/sign-up", "/sign-in"):
            said = {"name": "Ann", "password": PASSWORD}
            assert (await Browser(place).send(path, token="", **said)).status_code == 403
            assert (await Browser(place).send(path, origin="http://evil.example", **said)).status_code == 403
            assert (await client.post(path, data=said)).status_code == 403

    visited(do)
