"""Playing at once: a game against house bots in one click, as a guest or with an account."""

import gc

import httpx
import pytest
from starlette.requests import Request

from calza.arena.invitations import MOST, STRENGTHS
from calza.arena.store.seated import Match, Player
from calza.arena.views import PLAYED
from calza.rules import CATALOG
from tests.arena.house import Place

from .pages import EVIL, HERE, Page, visited
from .people import Browser

PASSWORD = "correct horse battery"
SIZES = [(game, size) for game in PLAYED for size in range(2, min(6, CATALOG[game].max_players) + 1)]


async def signed_up(place: Place, name: str = "Ann") -> Browser:
    """Somebody with an account."""
    browser = Browser(place)
    reply = await browser.send("/sign-up", name=name, password=PASSWORD)
    assert reply.status_code == 303, reply.text
    return browser


async def sitting(place: Place, match: str) -> tuple[Match, list[Player]]:
    """A match, and who plays in it, in the order of joining."""
    live = await place.arena.tables.live(match)
    return live.match, list(live.joined)


def wrong_in(browser: Browser) -> str:
    """What a page says is wrong."""
    [note] = [one for one in Page(browser.reply.text).all("p") if one.get("id") == "wrong"]
    assert note["role"] == "alert"
    return Page(browser.reply.text).text.partition("That did not work. ")[2]


# --- at once


def test_one_click_on_the_front_page_deals() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        browser = Browser(place)
        page = await browser.open("/")
        form = {one["name"]: one["value"] for one in page.all("input") if one.get("type") == "hidden"}
        reply = await browser.client.post("/play", data=form, headers={"origin": HERE})
        assert reply.status_code == 303
        match, players = await sitting(place, reply.headers["location"].removeprefix("/matches/"))
        assert match.game == "liars-dice"
        assert [bool(one.house) for one in players] == [False, True, True]
        assert "Your dice" in (await browser.open(reply.headers["location"])).text

    visited(do)


def test_a_guest_plays_every_variant_at_every_size() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        for game, size in SIZES:
            browser = Browser(place)
            others = {f"other{number}": "easy" for number in range(1, size)}
            match, players = await sitting(place, await browser.play(game=game, **others))
            assert (match.game, match.size, match.rated) == (game, size, False)
            assert len({one.agent for one in players}) == size
            page = await browser.open(f"/matches/{match.id}")
            assert CATALOG[game].shown in page.text

    visited(do)


@pytest.mark.parametrize("strength", STRENGTHS)
def test_bots_are_as_strong_as_was_asked_and_nobody_sits_twice(strength: str) -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        others = {f"other{number}": strength for number in range(1, 6)}
        _, players = await sitting(place, await Browser(place).play(**others))
        assert sorted(one.house for one in players) == sorted(("", *STRENGTHS[strength]))

    visited(do)


def test_chairs_of_nobody_are_passed_over() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match = await Browser(place).play(other1="", other2="sly", other3="", other5="easy")
        _, players = await sitting(place, match)
        assert [one.house for one in players] == ["", STRENGTHS["sly"][0], STRENGTHS["easy"][0]]

    visited(do)


def test_the_form_starts_from_the_game_that_a_link_names() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        for asked, shown in (("joker", "joker"), ("chess", "liars-dice"), (EVIL, "liars-dice")):
            page = await Browser(place).open(f"/play?game={asked}")
            games = [one["value"] for one in page.all("option") if "selected" in one and one["value"] in PLAYED]
            assert games == [shown]

    visited(do)


# --- names of guests


def test_a_guest_is_called_as_it_says_and_many_may_be_called_so() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        for _ in range(2):
            _, players = await sitting(place, await Browser(place).play("  Ann "))
            assert players[0].name == "Ann"
        _, players = await sitting(place, await Browser(place).play(""))
        assert players[0].name.startswith("Guest ")

    visited(do)


def test_a_guest_is_called_the_same_in_every_match() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        browser = Browser(place)
        for _ in range(2):
            _, players = await sitting(place, await browser.play("A" * 50))
            assert players[0].name == "A" * 50
        assert "A" * 50 in (await browser.open("/account")).text

    visited(do)


@pytest.mark.parametrize(
    ("name", "status", "why"),
    [
        ("Ann <b>", 400, "ASCII"),
        ("Änne", 400, "ASCII"),
        ("A" * 51, 400, "50"),
        ("A" * 5000, 400, "letters"),
        ("An  n", 400, "two in a row"),
        ("__", 400, "letter or a digit"),
        ("House cautious", 400, "the arena's own"),
        ("Adm1n", 400, "the arena's own"),
        ("deep thought", 409, "Somebody has this name"),
        ("Deep_Th0ught", 409, "Somebody has this name"),
    ],
)
def test_a_name_that_cannot_be_is_refused_and_nobody_becomes_a_guest(name: str, status: int, why: str) -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        await place.agent("Deep Thought")
        browser = Browser(place)
        reply = await browser.send("/play", name=name, game="joker", other1="sly", other2="easy")
        assert reply.status_code == status
        assert why in wrong_in(browser)
        page = Page(reply.text)
        assert {one["value"] for one in page.all("option") if "selected" in one} >= {"joker", "sly", "easy"}
        assert next(one["value"] for one in page.all("input") if one.get("id") == "name") == name
        assert "calza_session" not in browser.client.cookies

    visited(do)


# --- forms that are not ours, or nonsense


def test_a_form_without_its_number_or_from_elsewhere_is_refused() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        said = {"name": "Ann", "game": "joker", "other1": "easy"}
        for token in ("", "x", "A" * 86 + "==", "ä"):
            assert (await Browser(place).send("/play", token=token, **said)).status_code == 403
        for origin in ("http://evil.example", "null", f"{HERE}.evil.example", HERE.replace("8000", "8001")):
            assert (await Browser(place).send("/play", origin=origin, **said)).status_code == 403
        for fetched in ("cross-site", "same-site", "none"):
            browser = Browser(place)
            browser.client.headers["sec-fetch-site"] = fetched
            assert (await browser.send("/play", origin=None, **said)).status_code == 403
        one, other = Browser(place), Browser(place)
        page = await one.open("/play")
        number = next(field["value"] for field in page.all("input") if field.get("name") == "token")
        assert (await other.send("/play", token=number, **said)).status_code == 403
        assert (await client.post("/play", data=said)).status_code == 403
        assert (await one.send("/play", token=number, **said)).status_code == 303

    visited(do)


def test_forms_that_are_refused_are_not_kept_in_memory() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        async def kept() -> int:
            for path in ("/play", "/claim", "/sign-in"):
                assert (await client.post(path, data={"token": "x"})).status_code == 403
            gc.collect()
            return sum(isinstance(one, Request) for one in gc.get_objects())

        before = await kept()
        assert await kept() == before

    visited(do)


def test_a_browser_that_does_not_say_where_it_comes_from_may_send_its_own_form() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        said = {"name": "Ann", "game": "joker", "other1": "easy"}
        assert (await Browser(place).send("/play", origin=None, **said)).status_code == 303

    visited(do)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"game": "chess", "other1": "easy"}, 404),
        ({"game": EVIL, "other1": "easy"}, 404),
        ({"game": "liars-dice"}, 400),
        ({"game": "liars-dice", "other1": "", "other2": ""}, 400),
        ({"game": "liars-dice", "other1": "mighty"}, 400),
        ({"game": "liars-dice", "other9": "easy"}, 400),
        ({}, 404),
    ],
)
def test_nonsense_is_answered_in_a_sentence(said: dict[str, str], status: int) -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        browser = Browser(place)
        reply = await browser.send("/play", name="Ann", **said)
        assert reply.status_code == status
        assert wrong_in(browser)
        assert EVIL not in reply.text
        assert "calza_session" not in browser.client.cookies

    visited(do)


def test_a_form_that_cannot_be_read_is_refused() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        headers = {"content-type": "application/x-www-form-urlencoded"}
        for body, status in (
            (b"\xff\xfe", 400),
            (b"a=b&" * 600, 400),
            (b"name=" + b"a" * 70_000, 413),
            (b"{}", 403),
            (b"name=%ff&token=%ed%a0%80", 403),
            (b"", 403),
        ):
            assert (await client.post("/play", content=body, headers=headers)).status_code == status, body[:9]

    visited(do)


# --- how many


def test_nobody_plays_more_and_more_matches_at_once() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        browser = Browser(place)
        matches = [await browser.play() for _ in range(MOST)]
        reply = await browser.send("/play", game="joker", other1="easy")
        assert reply.status_code == 409
        assert f"You play {MOST} matches already" in wrong_in(browser)
        await browser.act(matches[0], "resign", sure="yes")
        assert (await browser.send("/play", game="joker", other1="easy")).status_code == 303

    visited(do)


def test_an_address_makes_so_many_guests_and_no_more() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        site = Browser(place).site
        for _ in range(3):
            await Browser(place, site).play()
        browser = Browser(place, site)
        reply = await browser.send("/play", game="joker", other1="easy")
        assert reply.status_code == 429
        assert "Too many registrations from your address; wait 21 min." in wrong_in(browser)
        await place.leap(3_600_000)
        await browser.play()

    visited(do, registrations_per_hour=3)


# --- what counts


def test_guests_are_unrated_and_people_rated_unless_they_choose_otherwise() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        guest = Browser(place)
        match, _ = await sitting(place, await guest.play("Bob", other1="easy", rated="on"))
        assert not match.rated
        assert "rated" not in {one.get("name") for one in (await guest.open("/play")).all("input")}
        ann = await signed_up(place)
        box = next(one for one in (await ann.open("/play")).all("input") if one.get("name") == "rated")
        assert "checked" in box
        for more, counts in (({"rated": "on"}, True), ({}, False)):
            match, players = await sitting(place, await ann.play("", other1="easy", **more))
            assert (match.rated, players[0].name) == (counts, "Ann")

    visited(do)


def test_a_person_keeps_the_name_of_the_account_whatever_the_form_says() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = await signed_up(place)
        _, players = await sitting(place, await ann.play("Somebody else", other1="easy"))
        assert players[0].name == "Ann"

    visited(do)
