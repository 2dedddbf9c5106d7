"""The page of a table for somebody who sits there, without scripts: what it shows, and what its forms do."""

import re

import httpx
import pytest

from calza.agents.odds import bid_odds
from calza.arena.clock import settle
from calza.arena.live import Live
from calza.arena.moves import LONGEST
from calza.arena.views import PLAYED
from calza.rules import Bid
from tests.arena.house import Place

from .pages import EVIL, Page, visited
from .people import Browser, alike, start_of, table_of, turns

PASSWORD = "correct horse battery"


async def live_of(place: Place, match: str) -> Live:
    """A match as the arena has it."""
    return await place.arena.tables.live(match)


async def signed_up(place: Place, name: str = "Ann") -> Browser:
    """Somebody with an account."""
    browser = Browser(place)
    assert (await browser.send("/sign-up", name=name, password=PASSWORD)).status_code == 303
    return browser


def wrong_in(text: str) -> str:
    """What the page says is wrong; nothing for nothing."""
    found = re.findall(r'<p class="note warn" role="alert" id="wrong"><b>.*?</b> (.*?)</p>', text)
    return str(found[0]) if found else ""


def value_of(page: Page, id: str) -> str:
    """What stands in a field."""
    return next(one.get("value", "") for one in page.all("input") if one.get("id") == id)


def calls(page: Page) -> list[str]:
    """The calls that can be pressed."""
    return [one["value"] for one in page.all("button") if one.get("name") == "action" and one["value"] != "resign"]


# --- playing by forms alone


@pytest.mark.parametrize("game", PLAYED)
def test_a_whole_match_is_played_by_forms_alone(game: str) -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        match = await ann.play(game=game, other1="steady")
        for _ in range(1000):
            page = await ann.open(f"/matches/{match}")
            if (await live_of(place, match)).finished:
                break
            if "it is your turn" not in page.text:
                await settle()
                continue
            least = re.findall(r"The least that may be bid: ([0-9x, ]+)\.", page.text)
            dice = sum(start_of(ann.reply.text)["table"]["view"]["table"]["dice"])
            bids = [Bid(*map(int, one.split("x"))) for one in least[0].split(", ")] if least else []
            bid = min(bids, key=lambda one: one.quantity, default=None)
            call = calls(page)[0] if calls(page) and (bid is None or 2 * bid.quantity > dice) else ""
            said = {"action": call} if call else {"action": "", "typed": str(bid)}
            reply = await ann.act(match, said.pop("action"), **said)
            assert (reply.status_code, reply.headers.get("location")) == (303, f"/matches/{match}"), wrong_in(
                reply.text
            )
        assert "Finished match" in page.text

    visited(do)


def test_who_is_not_to_act_has_no_form_but_may_resign() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        first, other = await turns(place, match, browsers)
        page = await other.open(f"/matches/{match}")
        assert not [one for one in page.all("input") if one.get("id") == "typed"]
        assert 'http-equiv="refresh"' in other.reply.text
        assert 'http-equiv="refresh"' not in (await first.client.get(f"/matches/{match}")).text
        reply = await other.send(f"/matches/{match}/act", f"/matches/{match}", sequence="0", action="2x3")
        assert reply.status_code == 409
        assert "It is the turn of" in wrong_in(reply.text)
        assert (await other.act(match, "resign", sure="yes")).status_code == 303
        assert (await live_of(place, match)).finished

    visited(do)


def test_what_is_said_with_a_bid_is_read_by_all_and_marked_as_somebodys_words() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        first, other = await turns(place, match, browsers)
        assert (await first.act(match, "", typed="2x3", say=f"{EVIL}\n{'x' * 500}")).status_code == 303
        for browser in (first, other, Browser(place)):
            page = await browser.open(f"/matches/{match}")
            assert EVIL not in browser.reply.text
            assert f"{EVIL} xxx" in page.text
            assert "own words" in page.text
            [said] = start_of(browser.reply.text)["table"]["view"]["talk"]
            assert (len(said["text"]), said["untrusted"]) == (LONGEST, True)

    visited(do)


# --- what is wrong


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "write a bid such as 4x3"),
        ("hello", "liar or resign"),
        ("4x", ""),
        ("x3", ""),
        ("0x3", "0x3"),
        ("2x7", ""),
        ("300x3", "300x3 is too many"),
        ("99999999999999999999x3", ""),
        ("2x99", "dice have faces 1 to 6"),
        ("-2x3", ""),
        ("liar", "no bid yet for liar to call"),
        ("exact", ""),
        ("bid", ""),
        ("2x3 2x4", ""),
        ("forfeit:timeout", ""),
        (EVIL, ""),
        ("x" * 5000, ""),
        ("٢x٣", ""),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence_and_what_was_typed_is_kept(typed: str, why: str) -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        first, _ = await turns(place, match, browsers)
        reply = await first.act(match, "", typed=typed, say="I <never> lie")
        assert reply.status_code == 400
        assert why in wrong_in(reply.text).lower()
        assert wrong_in(reply.text).endswith(".")
        assert not set("{}[]") & set(wrong_in(reply.text))
        assert EVIL not in reply.text
        page = Page(reply.text)
        assert value_of(page, "typed") == typed[:40]
        assert value_of(page, "say") == "I <never> lie"
        assert next(one for one in page.all("input") if one.get("id") == "typed")["aria-describedby"].endswith(" wrong")
        assert (await live_of(place, match)).sequence == 0
        assert (await first.act(match, "", typed="2x3")).status_code == 303

    visited(do)


@pytest.mark.parametrize("game", PLAYED)
def test_numbers_of_any_size_are_refused_in_words(game: str) -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob", game=game)
        first, _ = await turns(place, match, browsers)
        for typed in ("0x3", "300x3", "9999x3", "1x0", "1x21", "9999x9999"):
            reply = await first.act(match, "", typed=typed)
            assert reply.status_code == 400
            assert not set("{}[]") & set(wrong_in(reply.text)), typed

    visited(do)


def test_a_bid_that_is_too_low_is_refused_with_the_least() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        first, other = await turns(place, match, browsers)
        await first.act(match, "", typed="4x5")
        reply = await other.act(match, "", typed=" 4x3 ")
        assert reply.status_code == 400
        assert wrong_in(reply.text) == "4x3 is too low after four fives; 5x3 is legal."
        assert value_of(Page(reply.text), "typed").strip() == "4x3"

    visited(do)


def test_resigning_wants_to_be_confirmed() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob", "Cleo")
        first, _, _ = await turns(place, match, browsers)
        for said in ({"action": "resign"}, {"action": "", "typed": "resign"}):
            reply = await first.act(match, **said)
            assert reply.status_code == 400
            assert "use the button below to confirm it" in wrong_in(reply.text)
        assert (await live_of(place, match)).sequence == 0
        page = await first.open(f"/matches/{match}")
        assert [one["value"] for one in page.all("button") if one.get("value") == "resign"] == ["resign"]
        assert [one["value"] for one in page.all("input") if one.get("name") == "sure"] == ["yes"]
        assert (await first.act(match, "resign", sure="yes")).status_code == 303
        page = await first.open(f"/matches/{match}")
        assert "You have no dice left. Others play on; you may watch." in page.text
        assert not [one for one in page.all("button") if one.get("name") == "action"]

    visited(do)


def test_a_form_of_a_turn_that_is_over_plays_nothing() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        first, other = await turns(place, match, browsers)
        await first.act(match, "", typed="2x3")
        await other.act(match, "", typed="2x4")
        reply = await first.act(match, "", typed="5x5", sequence="0")
        assert reply.status_code == 409
        assert "The sequence is 2, not 0" in wrong_in(reply.text)
        assert value_of(Page(reply.text), "typed") == "5x5"
        assert (await live_of(place, match)).sequence == 2
        # The very action that was played is not played twice, and is no mistake either.
        assert (await first.act(match, "", typed="2x3", sequence="0")).status_code == 303
        assert (await live_of(place, match)).sequence == 2
        for number in ("", "-1", "x", "1e3", "٢", "1" * 10):
            assert (await first.act(match, "", typed="5x5", sequence=number)).status_code == 403

    visited(do)


def test_a_form_without_its_number_or_from_elsewhere_plays_nothing() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        first, other = await turns(place, match, browsers)
        page = await other.open(f"/matches/{match}")
        theirs = next(one["value"] for one in page.all("input") if one.get("name") == "token")
        for token in ("", "x", theirs):
            assert (await first.act(match, "", typed="2x3", token=token)).status_code == 403
        reply = await first.send(
            f"/matches/{match}/act", f"/matches/{match}", origin="http://evil.example", sequence="0", typed="2x3"
        )
        assert reply.status_code == 403
        assert (await live_of(place, match)).sequence == 0

    visited(do)


# --- whose table it is


def test_a_stranger_watches_and_does_nothing_else() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, _ = await table_of(place, "Ann", "Bob")
        other = Browser(place)
        await other.play("Cleo")
        for browser in (other, Browser(place)):
            page = await browser.open(f"/matches/{match}")
            assert "Live match" in page.text
            assert not page.all("form")
            start = start_of(browser.reply.text)
            assert (start["table"]["you"], start["table"]["view"]["myDice"], start["odds"], start["talk"]) == (
                -1,
                [],
                None,
                0,
            )
            said = {"sequence": "0", "typed": "2x3"}
            assert (await browser.send(f"/matches/{match}/act", "/play", **said)).status_code == 403
            assert (await browser.client.get(f"/matches/{match}/odds")).status_code == 403
            assert "Odds" not in (await browser.open(f"/matches/{match}?odds")).text
        for missing in ("nosuch", "%3Cb%3E", "a" * 65):
            assert (await other.send(f"/matches/{missing}/act", "/play", sequence="0", typed="2x3")).status_code == 404
            assert (await client.get(f"/matches/{missing}/odds")).status_code == 404

    visited(do)


def test_whoever_has_signed_out_is_a_stranger() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        first, _ = await turns(place, match, browsers)
        await first.open(f"/matches/{match}")
        await first.send("/account", session="all")
        reply = await first.send(f"/matches/{match}/act", "/play", sequence="0", typed="2x3")
        assert reply.status_code == 403
        assert "sign in again" in reply.text

    visited(do)


def test_the_page_holds_no_dice_of_others() -> None:
    async def do(place: Place) -> list[bytes]:
        match, browsers = await table_of(place, "Ann", "Bob", "Cleo")
        seen: list[bytes] = []
        for typed in ("1x2", "2x3", "3x4", "3x5"):
            for path in ("", "?odds", "/odds"):
                reply = await browsers[0].client.get(f"/matches/{match}{path}")
                assert reply.status_code == 200
                seen.append(reply.content)
            first, *_ = await turns(place, match, browsers)
            assert (await first.act(match, "", typed=typed)).status_code == 303
        return seen

    alike(do)


def test_the_page_is_kept_by_nobody_and_its_length_tells_nothing() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        match = await ann.play()
        replies = [
            await ann.client.get(f"/matches/{match}"),
            await ann.client.get(f"/matches/{match}/odds"),
            await ann.act(match, "", typed="nonsense"),
        ]
        for reply in replies:
            assert reply.headers["cache-control"] == "no-store"
            assert "content-encoding" not in reply.headers
            assert "script-src 'self'" in reply.headers["content-security-policy"]

    visited(do)


# --- odds


def test_odds_are_those_of_the_own_seat() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        first, other = await turns(place, match, browsers)
        await first.act(match, "", typed="2x3")
        live = await live_of(place, match)
        for browser in (first, other):
            page = await browser.open(f"/matches/{match}")
            assert f"/matches/{match}?odds#odds-title" in page.links()
            start = start_of(browser.reply.text)
            odds = (await browser.client.get(start["odds"])).json()
            view = live.game.view(start["table"]["you"])
            assert odds["sequence"] == 1
            assert odds["standing"] == {
                "quantity": 2, "faceValue": 3,
                "holds": bid_odds(view, Bid(2, 3)).holds, "exactly": bid_odds(view, Bid(2, 3)).exactly,
            }  # fmt: skip
            assert [(one["quantity"], one["faceValue"]) for one in odds["raises"]] == [
                (view.least(face), face) for face in range(1, 7) if view.least(face)
            ]
            page = await browser.open(f"/matches/{match}?odds")
            assert "For what you know" in page.text
            assert len(page.all("tr")) == 2 + len(odds["raises"])

    visited(do)


def test_in_a_rated_match_everybody_reckons_for_themselves() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = await signed_up(place)
        match = await ann.play("", other1="easy", rated="on")
        page = await ann.open(f"/matches/{match}?odds")
        assert "rated" in page.text
        assert "For what you know" not in page.text
        assert start_of(ann.reply.text)["odds"] is None
        reply = await ann.client.get(f"/matches/{match}/odds")
        assert reply.status_code == 403
        assert "reckons for themselves" in reply.text
        match = await ann.play("", other1="easy")
        assert (await ann.client.get(f"/matches/{match}/odds")).status_code == 200

    visited(do)


def test_there_are_no_odds_after_the_end() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        match = await ann.play()
        await ann.act(match, "resign", sure="yes")
        while not (await live_of(place, match)).finished:
            await place.clock.turn(1000)
        assert (await ann.client.get(f"/matches/{match}/odds")).status_code == 409
        reply = await ann.send(f"/matches/{match}/act", "/play", sequence="0", typed="2x3")
        assert (reply.status_code, reply.headers["location"]) == (303, f"/matches/{match}")

    visited(do)
