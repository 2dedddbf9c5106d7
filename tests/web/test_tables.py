"""A table that fills by its link: from many browsers, with bots and with agents, until its host begins."""

import asyncio
import re
import shlex

import httpx
import pytest

from calza.arena.clock import settle
from calza.arena.invitations import AGAIN_MS, LIFE_MS, MOST, STRENGTHS
from calza.arena.store import invitations
from calza.arena.store.invitations import Filling
from tests.arena.api.web import Web
from tests.arena.house import Place
from tests.arena.wire import Socket

from .pages import EVIL, HERE, Page, visited
from .people import Browser, table_of
from .test_commands import commands

INVITED = {"other1": "invited"}


async def opened(browser: Browser, game: str = "liars-dice", name: str = "Ann", **others: str) -> str:
    """Open a table by link; returns its path."""
    reply = await browser.send("/play", name=name, game=game, **(others or INVITED))
    assert reply.status_code == 303, reply.text
    return str(reply.headers["location"])


async def sit(browser: Browser, path: str, name: str = "Bob") -> httpx.Response:
    """Sit down there."""
    return await browser.send(path, "/play", do="sit", name=name)


async def filling(place: Place, path: str) -> Filling:
    """Who sits there."""
    return await place.arena.invitations.look(path.removeprefix("/tables/"))


async def names(place: Place, path: str) -> list[str]:
    """The same by name."""
    return [one.name for one in (await filling(place, path)).chairs]


async def refused(browser: Browser, path: str, status: int, why: str, **said: str) -> None:
    """A button does not do it, and its page says why."""
    reply = await browser.send(path, "/play", **said)
    assert (reply.status_code, why in Page(reply.text).text) == (status, True), Page(reply.text).text


def buttons(page: Page) -> set[str]:
    """What can be done at a table."""
    return {one["value"] for one in page.all("button") if one.get("name") == "do"}


def match_of(reply: httpx.Response) -> str:
    """The match that has begun."""
    assert reply.status_code == 303, reply.text
    [match] = re.findall(r"^/matches/([a-z0-9]+)$", reply.headers["location"])
    return str(match)


def test_whoever_has_the_link_sits_down_and_the_host_begins() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann, bob = Browser(place), Browser(place)
        path = await opened(ann)
        page = await ann.open(path)
        assert f"{HERE}{path}" in page.text
        assert "One chair is free" in page.text
        assert buttons(page) == {"begin", "bot"}
        assert buttons(await bob.open(path)) == {"sit"}
        assert (await sit(bob, path)).headers["location"] == path
        assert buttons(await bob.open(path)) == {"leave"}
        assert buttons(await ann.open(path)) == {"begin", "away"}
        match = match_of(await ann.send(path, do="begin"))
        for browser in (ann, bob):
            assert "Your dice" in (await browser.open(path)).text
            assert browser.reply.url.path == f"/matches/{match}"
        live = await place.arena.tables.live(match)
        assert {one.name for one in live.joined} == {"Ann", "Bob"}
        assert live.started
        assert not live.match.rated

    visited(do)


# --- agents


def seat_command(page: str) -> tuple[str, str, dict[str, str]]:
    """Method, address and headers of the command that seats an agent, as a page says it."""
    [said] = [one for one in commands(page) if "curl" in one]
    key, line = said.splitlines()
    assert key.startswith("KEY=calza_")
    words = shlex.split(line)
    assert words[:3] == ["curl", "-s", "-X"]
    name, value = words[words.index("-H") + 1].split(": ")
    return words[3], words[4], {name: value}


def test_people_bots_and_agents_sit_at_one_table() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann, bob = Browser(place), Browser(place)
        path = await opened(ann, other1="invited", other2="invited", other3="easy")
        await sit(bob, path)
        agent = await place.arena.accounts.register("Deep Thought")
        method, address, headers = seat_command((await ann.client.get(path)).text)
        headers = {name: value.replace("$KEY", agent.key) for name, value in headers.items()}
        news = await Socket(Web(place), "/ws/agent", agent.key).open()
        assert (await news.hear())["type"] == "connected"
        reply = await client.request(method, address, headers=headers)
        assert (reply.status_code, reply.json()["status"]) == (200, "seated")
        assert await names(place, path) == ["Ann", "House honest", "Bob", "Deep Thought"]
        assert "Deep Thought" in (await bob.open(path)).text
        match = match_of(await ann.send(path, do="begin"))
        assert await news.hear() == {"type": "match_found", "matchId": match, "gameId": "liars-dice"}
        assert (await client.request(method, address, headers=headers)).json()["matchId"] == match
        for browser in (ann, bob):
            await browser.open(f"/matches/{match}")
        assert (await place.state(agent.agent, match)).status in ("waiting", "your_turn")
        live = await place.arena.tables.live(match)
        assert live.started
        assert not live.match.rated
        assert agent.key not in (await client.get(path, follow_redirects=True)).text

    visited(do)


def test_programs_read_of_a_table_of_people_what_is_documented() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        web = Web(place)  # holds every answer against the OpenAPI document
        live = await place.arena.tables.live(match)
        guest = live.joined[0].agent
        paths = [f"/api/matches/{match}", f"/api/agents/{guest}/matches"]
        for status in ("live", "finished"):
            if status == "finished":
                await browsers[0].act(match, "resign", sure="yes")
            for path in (*paths, f"/api/matches?status={status}"):
                got = await web.get(path)
                assert got.status == 200
                assert match.encode() in got.body
            assert (await web.get(f"/api/agents/{guest}")).json["ratings"] == []

    visited(do)


def test_an_agent_that_is_sent_away_may_be_seated_again() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        path = await opened(ann)
        agent = await place.arena.accounts.register("Deep Thought")
        for _ in range(2):
            await place.arena.invitations.sit(path.removeprefix("/tables/"), agent.agent)
            assert await names(place, path) == ["Ann", "Deep Thought"]
            assert "curl" not in (await ann.client.get(path)).text
            await ann.send(path, do="away", what=agent.agent.id)
            assert await names(place, path) == ["Ann"]

    visited(do)


# --- codes and chairs


def test_a_code_is_one_that_nobody_guesses_and_no_page_lists_it() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        path = await opened(ann)
        assert re.fullmatch("/tables/[a-z2-9]{20}", path)
        for public in ("/", "/play", "/matches", "/matches?status=live", "/games/liars-dice"):
            assert path not in (await client.get(public)).text
        reply = await client.get(path)
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["referrer-policy"] == "same-origin"

    visited(do)


def test_leaving_and_being_sent_away_free_the_chair() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann, bob = Browser(place), Browser(place)
        path = await opened(ann, other1="invited", other2="easy")
        await sit(bob, path)
        assert await names(place, path) == ["Ann", "House honest", "Bob"]
        assert (await bob.send(path, do="leave")).headers["location"] == "/play"
        assert await names(place, path) == ["Ann", "House honest"]
        await sit(bob, path)
        for chair in (await filling(place, path)).chairs[1:]:
            assert (await ann.send(path, do="away", what=chair.agent)).headers["location"] == path
        assert await names(place, path) == ["Ann"]
        assert buttons(await bob.open(path)) == {"sit"}

    visited(do)


def test_whoever_opened_a_table_stays_at_it() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        path = await opened(ann)
        await refused(ann, path, 409, "stays at it", do="leave")
        [chair] = (await filling(place, path)).chairs
        await refused(ann, path, 409, "stays at it", do="away", what=chair.agent)

    visited(do)


def test_bots_are_seated_one_by_one_or_fill_all_free_chairs() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        five = {f"other{number}": "invited" for number in range(1, 6)}
        path = await opened(ann, **five)
        await ann.send(path, do="bot", what="sly")
        assert [one.house for one in (await filling(place, path)).chairs] == ["", STRENGTHS["sly"][0]]
        live = await place.arena.tables.live(match_of(await ann.send(path, do="begin", what="sly")))
        assert sorted(one.house for one in live.joined) == sorted(("", *STRENGTHS["sly"]))

    visited(do)


@pytest.mark.parametrize("strength", STRENGTHS)
def test_no_bot_sits_down_at_a_full_table(strength: str) -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        path = await opened(ann, **{f"other{number}": "invited" for number in range(1, 6)})
        for _ in range(5):
            assert (await ann.send(path, do="bot", what=strength)).headers["location"] == path
        assert len({one.house for one in (await filling(place, path)).chairs}) == 6
        await refused(ann, path, 409, "Every chair at this table is taken", do="bot", what=strength)

    visited(do)


def test_a_full_table_has_no_chair_for_anybody_else() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann, bob, cleo = [Browser(place) for _ in range(3)]
        path = await opened(ann)
        await sit(bob, path)
        assert buttons(await cleo.open(path)) == set()
        await refused(cleo, path, 409, "Every chair at this table is taken", do="sit", name="Cleo")
        assert "calza_session" not in cleo.client.cookies
        assert await names(place, path) == ["Ann", "Bob"]

    visited(do)


def test_whoever_sits_already_is_left_in_peace() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann, bob = Browser(place), Browser(place)
        path = await opened(ann)
        for _ in range(2):
            assert (await sit(bob, path)).headers["location"] == path
        assert await names(place, path) == ["Ann", "Bob"]
        match = match_of(await ann.send(path, do="begin"))
        assert (await bob.client.get(path)).headers["location"] == f"/matches/{match}"

    visited(do)


def test_a_table_is_not_begun_with_free_chairs() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        path = await opened(ann)
        await refused(ann, path, 409, "Not every chair is taken", do="begin")
        await refused(ann, path, 400, "A house bot is easy, steady, sly", do="begin", what="mighty")
        await refused(ann, path, 400, "A house bot is easy, steady, sly", do="bot", what=EVIL)
        assert await names(place, path) == ["Ann"]

    visited(do)


def test_a_table_that_has_begun_leads_to_its_match() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann, bob, cleo = [Browser(place) for _ in range(3)]
        path = await opened(ann)
        await sit(bob, path)
        match = match_of(await ann.send(path, do="begin"))
        assert (await cleo.client.get(path)).headers["location"] == f"/matches/{match}"
        for browser, said in (
            (cleo, {"do": "sit", "name": "Cleo"}), (bob, {"do": "leave"}), (ann, {"do": "away", "what": "x"}),
            (ann, {"do": "begin"}), (ann, {"do": "bot", "what": "easy"}),
        ):  # fmt: skip
            reply = await browser.send(path, "/play", **said)
            assert (reply.status_code, reply.headers["location"]) == (303, f"/matches/{match}"), said
        assert (await sit(bob, path)).headers["location"] == path
        assert await names(place, path) == ["Ann", "Bob"]

    visited(do)


def test_two_who_begin_at_once_begin_one_match() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann, bob = Browser(place), Browser(place)
        path = await opened(ann)
        await sit(bob, path)
        page = await ann.open(path)
        token = next(one["value"] for one in page.all("input") if one.get("name") == "token")
        said = {"token": token, "do": "begin"}
        replies = await asyncio.gather(*(ann.client.post(path, data=said, headers={"origin": HERE}) for _ in range(3)))
        assert {one.status_code for one in replies} <= {303, 409}
        begun = {match_of(one) for one in replies if one.status_code == 303}
        assert len(begun) == 1
        await settle()
        assert match_of(await ann.send(path, "/play", do="begin")) in begun
        assert len((await client.get("/api/matches?status=live")).json()["matches"]) == 1

    visited(do)


def test_a_table_whose_match_could_not_be_opened_is_begun_again() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann, bob = Browser(place), Browser(place)
        path = await opened(ann)
        await sit(bob, path)
        code, now = path.removeprefix("/tables/"), place.clock.now_ms()
        assert await place.arena.store.write(invitations.Begin(code, now, AGAIN_MS))  # and then the process was killed
        await refused(ann, path, 409, "This table is just beginning", do="begin")
        await place.clock.turn(AGAIN_MS)
        match_of(await ann.send(path, do="begin"))

    visited(do)


def test_two_who_sit_down_on_the_last_chair_at_once_get_one() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        path = await opened(ann)
        others = [Browser(place) for _ in range(4)]
        replies = await asyncio.gather(*(sit(one, path, f"B{number}") for number, one in enumerate(others)))
        assert sorted(one.status_code for one in replies) == [303, 409, 409, 409]
        assert len((await filling(place, path)).chairs) == 2

    visited(do)


def test_an_unknown_code_and_one_whose_time_is_over_are_404() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        path = await opened(ann)
        for wrong in ("/tables/nosuch", "/tables/%3Cb%3E", f"/tables/{'a' * 65}", f"{path}x", path.upper()):
            assert (await client.get(wrong)).status_code == 404, wrong
            assert (await ann.send(wrong, "/play", do="sit")).status_code in (404, 405), wrong
        await place.leap(LIFE_MS - 1)
        assert (await ann.client.get(path)).status_code == 200
        await place.leap(1)
        assert "there is no such table, or nobody began it in time" in (await ann.client.get(path)).text.lower()
        assert (await ann.send(path, "/play", do="begin", what="easy")).status_code == 404
        await opened(ann)  # clears it away

    visited(do)


def test_only_the_host_seats_bots_sends_away_and_begins() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann, bob, stranger = [Browser(place) for _ in range(3)]
        path = await opened(ann, other1="invited", other2="invited")
        await sit(bob, path)
        host = (await filling(place, path)).table.host
        for said in ({"do": "begin", "what": "easy"}, {"do": "bot", "what": "easy"}, {"do": "away", "what": host}):
            await refused(bob, path, 403, "Whoever opened the table decides that", **said)
            await refused(stranger, path, 403, "You do not sit at this table", **said)
        await refused(stranger, path, 403, "You do not sit at this table", do="leave")
        assert await names(place, path) == ["Ann", "Bob"]

    visited(do)


def test_nonsense_changes_nothing() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        path = await opened(ann)
        for said in ({}, {"do": ""}, {"do": EVIL}, {"do": "away", "what": "nobody"}, {"do": "away", "what": EVIL}):
            assert (await ann.send(path, **said)).headers["location"] == path
        assert await names(place, path) == ["Ann"]
        for token in ("", "x"):
            assert (await ann.send(path, token=token, do="begin", what="easy")).status_code == 403
        assert (await ann.send(path, origin="http://evil.example", do="begin", what="easy")).status_code == 403
        assert (await filling(place, path)).table.begun_ms is None

    visited(do)


def test_a_name_that_cannot_be_gets_no_chair() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        path = await opened(Browser(place))
        await place.agent("Deep Thought")
        for name, status in (("<b>", 400), ("admin", 400), ("Deep_Thought", 409), ("A" * 51, 400)):
            bob = Browser(place)
            await refused(bob, path, status, "That did not work", do="sit", name=name)
            assert "calza_session" not in bob.client.cookies
        assert await names(place, path) == ["Ann"]

    visited(do)


def test_nobody_keeps_more_and_more_tables_open() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        paths = [await opened(ann) for _ in range(MOST)]
        await refused(ann, "/play", 409, f"You keep {MOST} tables open already", game="joker", **INVITED)
        await ann.send(paths[0], do="begin", what="easy")
        await opened(ann)

    visited(do)


def test_a_table_counts_if_nobody_is_a_guest_and_its_host_wants_it_to() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann, bob, guest = [Browser(place) for _ in range(3)]
        for browser, name in ((ann, "Ann"), (bob, "Bob")):
            await browser.send("/sign-up", name=name, password="correct horse battery")
        for more, other, counts in (
            ({"rated": "on"}, bob, True), ({}, bob, False), ({"rated": "on"}, guest, False), ({}, guest, False),
        ):  # fmt: skip
            path = await opened(ann, **INVITED, **more)
            await sit(other, path, "Cleo")
            live = await place.arena.tables.live(match_of(await ann.send(path, do="begin")))
            assert live.match.rated == counts, (more, other)

    visited(do)
