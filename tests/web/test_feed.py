"""The feed of a live table: what players and spectators are told, and how a page plays on it."""

import asyncio
from typing import Any

import httpx
import pytest

from calza.arena.clock import settle
from calza.arena.people import LIFE_MS
from calza.arena.store import agents
from tests.arena.house import LIAR, RESIGN, Place, bid

from .pages import EVIL, HERE, visited
from .people import Browser, Closed, Feed, alike, start_of, table_of, turns


async def open_feeds(match: str, *browsers: Browser, **headers: str) -> list[Feed]:
    """Feeds that have told their first frame."""
    return [await browser.feed(match, **headers).open() for browser in browsers]


def act(sequence: int, payload: Any, **more: Any) -> dict[str, Any]:
    """An action as a page sends it."""
    return {"type": "action", "sequence": sequence, "payload": payload} | more


async def latest(feed: Feed) -> Any:
    """The last frame of those that have come."""
    await settle()
    frame = await feed.hear()
    while not feed.quiet():
        frame = await feed.hear()
    return frame


async def refused_with(feed: Feed) -> int:
    """The status with which the feed is refused."""
    with pytest.raises(Closed) as closed:
        await feed.open()
    return closed.value.code


# --- what is told


def test_a_player_and_a_spectator_are_told_what_each_may_know() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        first, other = await turns(place, match, browsers)
        mine, theirs, watcher = await open_feeds(match, first, other, Browser(place, first.site))
        one, two, all_see = [await latest(feed) for feed in (mine, theirs, watcher)]
        assert (one["type"], one["matchId"], one["gameId"], one["rated"]) == ("table", match, "liars-dice", False)
        assert (one["status"], two["status"], all_see["status"]) == ("your_turn", "waiting", "waiting")
        assert sorted([one["you"], two["you"]]) == [0, 1]
        assert all_see["you"] == -1
        assert len(one["view"]["myDice"]) == len(two["view"]["myDice"]) == 5
        assert all_see["view"]["myDice"] == []
        assert one["view"]["legalActions"]["types"] == ["bid", "resign"]
        assert two["view"]["legalActions"] is None
        assert one["opening"] == "You open round 1."
        assert (one["events"], one["says"], one["absent"], one["over"]) == ([], [], [], None)
        assert one["turnEndsAt"] > one["now"]
        start = start_of((await first.client.get(f"/matches/{match}")).text)
        assert {name: start["table"][name] for name in one if name != "now"} == {
            name: one[name] for name in one if name != "now"
        }

    visited(do)


def test_what_is_played_is_told_to_everybody_once_and_in_words_of_their_own() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        first, other = await turns(place, match, browsers)
        feeds = await open_feeds(match, first, other, Browser(place, first.site))
        for feed in feeds:
            await latest(feed)
        feeds[0].send(act(0, bid(2, 3), say=f"  {EVIL} "))
        frames = [await latest(feed) for feed in feeds]
        for frame in frames:
            [event] = frame["events"]
            assert (event["sequence"], frame["sequence"]) == (0, 1)
            assert frame["view"]["currentBid"]["quantity"] == 2
            [said] = frame["view"]["talk"]
            assert (said["text"], said["untrusted"]) == (EVIL, True)
        assert frames[0]["says"] == [["You bid two threes."]]
        assert frames[1]["says"] == frames[2]["says"]
        assert frames[1]["says"][0][0].endswith(" bids two threes.")
        assert (frames[1]["status"], frames[1]["calls"]) == ("your_turn", ["liar"])

    visited(do)


def test_a_whole_match_is_played_over_feeds_and_ends_with_the_result() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        feeds = await open_feeds(match, *browsers, Browser(place, browsers[0].site))
        played, frames = 0, [await latest(feed) for feed in feeds]
        while frames[0]["status"] != "game_over":
            turn = next(number for number in (0, 1) if frames[number]["status"] == "your_turn")
            view = frames[turn]["view"]
            feeds[turn].send(act(frames[turn]["sequence"], LIAR if view["currentBid"] else bid(1, 2)))
            played += 1
            frames = [await latest_or_last(feed) for feed in feeds]
        winners = [frame["over"]["results"][0] for frame in frames[:2]]
        assert frames[2]["over"]["results"]
        assert winners[0] == winners[1]
        assert played > 8
        for feed in feeds:
            assert await feed.end() == (1000, "the match is over")

    async def latest_or_last(feed: Feed) -> Any:
        await settle()
        frame = await feed.hear()
        while not feed.quiet() and frame["status"] != "game_over":
            frame = await feed.hear()
        return frame

    visited(do)


def test_a_match_that_is_over_is_told_and_closed_at_once() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        await browsers[0].act(match, "resign", sure="yes")
        for browser in (*browsers, Browser(place)):
            [feed] = await open_feeds(match, browser)
            frame = await feed.hear()
            assert (frame["status"], frame["over"]["reason"]) == ("game_over", "resigned")
            assert await feed.end() == (1000, "the match is over")
            await asyncio.wait_for(feed.task, 5)

    visited(do)


def test_no_frame_tells_of_others_cups() -> None:
    async def do(place: Place) -> list[bytes]:
        match, browsers = await table_of(place, "Ann", "Bob", "Cleo")
        own, watcher = await open_feeds(match, browsers[0], Browser(place, browsers[0].site))
        for sequence, (quantity, face) in enumerate([(1, 2), (2, 3), (3, 4), (3, 5)]):
            first, *_ = await turns(place, match, browsers)
            [feed] = await open_feeds(match, first)
            feed.send(act(sequence, bid(quantity, face), say="I have nothing"))
            await latest(feed)
            await feed.leave()
        for feed in (own, watcher):
            await latest(feed)
        return own.raw + watcher.raw

    alike(do)


# --- playing


@pytest.mark.parametrize(
    ("frame", "error"),
    [
        ("nonsense", "invalid_input"),
        (b"\xff\x00", "invalid_input"),
        ("", "invalid_input"),
        ("[" * 3000, "invalid_input"),
        ({"type": "bid"}, "invalid_input"),
        ({"type": "action", "payload": LIAR}, "invalid_input"),
        ({"type": "action", "sequence": -1, "payload": LIAR}, "invalid_input"),
        ({"type": "action", "sequence": 10**30, "payload": LIAR}, "invalid_input"),
        (act(0, None), "invalid_input"),
        (act(0, {"type": "bid", "quantity": 2, "faceValue": 3, "x": 1}), "invalid_input"),
        (act(0, bid(2, 7)), "invalid_action"),
        (act(0, LIAR), "invalid_action"),
        (act(7, bid(2, 3)), "stale_sequence"),
    ],
)
def test_what_cannot_be_played_is_refused_and_the_feed_goes_on(frame: Any, error: str) -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        first, _ = await turns(place, match, browsers)
        [feed] = await open_feeds(match, first)
        await latest(feed)
        feed.send(frame)
        said = await feed.hear()
        assert (said["type"], said["error"], said["currentSequence"]) == ("error", error, 0)
        assert said["details"]
        feed.send(act(0, bid(2, 3)))
        assert (await latest(feed))["sequence"] == 1

    visited(do)


def test_who_is_not_to_act_and_who_only_watches_plays_nothing() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        first, other = await turns(place, match, browsers)
        stranger = Browser(place, first.site)
        await stranger.play("Cleo")
        for browser, error in ((other, "not_your_turn"), (stranger, "not_a_player"), (Browser(place), "not_a_player")):
            [feed] = await open_feeds(match, browser)
            await latest(feed)
            feed.send(act(0, bid(2, 3)))
            assert (await feed.hear())["error"] == error
        [feed] = await open_feeds(match, other)
        feed.send(act(0, RESIGN))  # in turn or not
        assert (await feed.end())[0] == 1000

    visited(do)


def test_the_very_action_sent_twice_is_played_once() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        first, _ = await turns(place, match, browsers)
        [feed] = await open_feeds(match, first)
        feed.send(act(0, bid(2, 3)))
        feed.send(act(0, bid(2, 3)))
        assert (await latest(feed))["sequence"] == 1
        assert (await place.arena.tables.live(match)).sequence == 1

    visited(do)


def test_pages_that_send_too_much_are_held_back() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        first, _ = await turns(place, match, browsers)
        [feed] = await open_feeds(match, first)
        await latest(feed)
        for _ in range(60):
            feed.send("x")
        said = {(await feed.hear())["error"] for _ in range(60)}
        assert said == {"invalid_input", "rate_limited"}

    visited(do, address_per_minute=50)


# --- who is let in


def test_a_page_of_another_site_opens_no_feed() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, [ann, _] = await table_of(place, "Ann", "Bob")
        for origin in (
            "http://evil.example",
            "",
            "null",
            f"{HERE}.evil.example",
            "http://127.0.0.1:8001",
            "HTTP://127",
        ):
            assert await refused_with(ann.feed(match, origin=origin)) == 403, origin
        assert await refused_with(Browser(place).feed(match, origin="http://evil.example")) == 403

    visited(do)


def test_behind_a_proxy_the_public_address_is_ours_too() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann, public = Browser(place), "https://calza.example"
        ann.client.base_url = httpx.URL(public)
        reply = await ann.send("/play", origin=public, game="joker", other1="easy")
        match = reply.headers["location"].removeprefix("/matches/")
        for origin in (public, HERE, HERE.replace("http:", "https:")):  # the last two are those of the Host
            [feed] = await open_feeds(match, ann, origin=origin)
            assert (await feed.hear())["you"] >= 0
        assert await refused_with(ann.feed(match, origin="http://calza.example")) == 403

    visited(do, public_url="https://calza.example/")


def test_there_is_no_feed_of_what_is_no_match() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        for match in ("nosuch", "a-b", "%3Cb%3E", "a" * 65):
            assert await refused_with(Browser(place).feed(match)) == 404

    visited(do)


def test_a_forged_cookie_only_watches() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, _ = await table_of(place, "Ann", "Bob")
        for token in ("", "x", "0" * 64, "Z" * 64, EVIL):
            [feed] = await open_feeds(match, Browser(place), cookie=f"calza_session={token}")
            assert (await feed.hear())["you"] == -1

    visited(do)


def test_feeds_are_limited_by_address() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann = Browser(place)
        match = await ann.play()
        codes = []
        for _ in range(60):
            try:
                await ann.feed(match).open()
            except Closed as closed:
                codes.append(closed.code)
        assert set(codes) == {429}

    visited(do, address_per_minute=30)


# --- sessions that end


def test_the_end_of_a_session_closes_the_feed() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, [ann, bob] = await table_of(place, "Ann", "Bob")
        mine, theirs = await open_feeds(match, ann, bob)
        await ann.send("/account", session="all")
        assert await mine.end() == (4401, "you have signed out")
        assert (await latest(theirs))["type"] == "table"

    visited(do)


@pytest.mark.parametrize("why", ["over", "banned"])
def test_a_session_that_has_run_out_plays_nothing(why: str) -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        first, _ = await turns(place, match, browsers)
        [feed] = await open_feeds(match, first)
        await latest(feed)
        if why == "over":
            place.clock.now += LIFE_MS
        else:
            live = await place.arena.tables.live(match)
            turn = live.to_act()
            assert turn
            await place.arena.store.write(agents.Ban(turn.agent, place.clock.now_ms()))
        feed.send(act(0, bid(2, 3)))
        assert (await feed.hear())["error"] == "unauthorized"

    visited(do)


# --- a line that is lost


def test_a_lost_line_shows_the_seat_as_absent_and_coming_back_takes_that_away() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, [ann, bob] = await table_of(place, "Ann", "Bob")
        seat = (await place.arena.tables.live(match)).joined[0].seat
        one, second, theirs = await open_feeds(match, ann, ann, bob)
        assert (await latest(theirs))["absent"] == []
        await one.leave()  # another page of hers is open
        await settle()
        assert theirs.quiet()
        await second.leave()
        assert (await latest(theirs))["absent"] == [seat]
        [again] = await open_feeds(match, ann)
        assert (await latest(theirs))["absent"] == []
        assert (await latest(again))["absent"] == []
        await again.leave()
        assert (await latest(theirs))["absent"] == [seat]
        await ann.open(f"/matches/{match}")  # a page without scripts is a sign of life too
        assert (await latest(theirs))["absent"] == []

    visited(do)


def test_whoever_has_not_come_is_absent() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        ann, bob = Browser(place), Browser(place)
        path = (await ann.send("/play", name="Ann", game="joker", other1="invited")).headers["location"]
        await bob.send(path, do="sit", name="Bob")
        match = (await ann.send(path, do="begin")).headers["location"].removeprefix("/matches/")
        live = await place.arena.tables.live(match)
        [feed] = await open_feeds(match, ann)
        frame = await latest(feed)
        assert (frame["status"], frame["absent"]) == ("not_started", [live.seats[live.joined[1].agent]])
        await open_feeds(match, bob)
        frame = await latest(feed)
        assert frame["absent"] == []
        assert frame["status"] != "not_started"

    visited(do)


def test_a_feed_goes_on_where_another_stopped_without_repeats() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, browsers = await table_of(place, "Ann", "Bob")
        for typed in ("1x2", "1x3", "2x3"):
            first, _ = await turns(place, match, browsers)
            await first.act(match, "", typed=typed)
        for after, sequences in (
            ("", [0, 1, 2]), ("0", [1, 2]), ("1", [2]), ("2", []), ("99", []), ("-1", [0, 1, 2]), ("x", [0, 1, 2]),
            ("9" * 40, [0, 1, 2]),
        ):  # fmt: skip
            [feed] = await open_feeds(f"{match}?after={after}", browsers[0])
            frame = await latest(feed)
            assert [one["sequence"] for one in frame["events"]] == sequences, after
            assert len(frame["says"]) == len(sequences)
            assert bool(frame["opening"]) == (sequences == [0, 1, 2])
            await feed.leave()

    visited(do)


# --- the arena stops


def test_an_arena_that_stops_tells_pages_to_come_back() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, [ann, _] = await table_of(place, "Ann", "Bob")
        feeds = await open_feeds(match, ann, Browser(place, ann.site))
        place.arena.dismiss()
        for feed in feeds:
            code, why = await feed.end()
            assert code == 1012
            assert "come back" in why

    visited(do)


def test_what_closes_leaves_nobody_waiting() -> None:
    async def do(client: httpx.AsyncClient, place: Place) -> None:
        match, [ann, _] = await table_of(place, "Ann", "Bob")
        feeds = await open_feeds(match, ann, Browser(place, ann.site))
        live = await place.arena.tables.live(match)
        assert (place.arena.sockets, live.followers) == (2, 2)
        for feed in feeds:
            await feed.leave()
        assert (place.arena.sockets, live.followers, live.waiters) == (0, 0, {})

    visited(do)
