"""Watching: the story of a match as a stream of events and over a socket, from where somebody lost sight of it."""

import asyncio
from typing import Any

import httpx
import msgspec
import pytest

from calza.arena.clock import settle
from calza.arena.events import story
from calza.arena.spectators import OVER
from calza.arena.store.matches import RecordOf
from calza.matches import read_record
from tests.arena.api.web import Player, Web, called
from tests.arena.house import LIAR, RESIGN, bid
from tests.arena.wire import Closed, Site, Socket, Stream, dialled


async def two(web: Web, **more: Any) -> tuple[str, Player, Player]:
    """A match between two agents, and who is to act first."""
    match = await web.table(await web.join("Ann"), await web.join("Bob"), **more)
    first, other = await web.turns(match, *web.players)
    return match, first, other


def watch(web: Web, match: str, last: str = "") -> Stream:
    return Stream(web, f"/api/matches/{match}/events", {"last-event-id": last} if last else {})


async def finished(web: Web) -> str:
    """A match of four actions: two bids, a call and a resignation."""
    match, first, other = await two(web)
    await first.act(match, 0, bid(1, 3), say="three?")
    await other.act(match, 1, bid(2, 3))
    await first.act(match, 2, LIAR)
    turn, _ = await web.turns(match, first, other)
    await turn.act(match, 3, RESIGN)
    return match


def test_a_match_is_told_from_its_first_action_to_its_end() -> None:
    async def do(web: Web) -> None:
        match, first, other = await two(web)
        stream = watch(web, match)
        await web.clock.turn(0)
        assert (stream.status, stream.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        assert stream.headers["cache-control"] == "no-store"
        [(kind, id, hello)] = stream.events
        assert (kind, id, hello["status"], hello["sequence"]) == ("hello", "", "active", 0)
        assert (hello["view"]["you"], hello["view"]["myDice"]) == ("", [])
        await first.act(match, 0, bid(1, 3), say="three?")
        await other.act(match, 1, LIAR)
        await web.clock.turn(0)
        _, made, call = stream.events
        assert made[:2] == ("action", "0")
        assert made[2] | {"at": ""} == {
            "type": "action", "sequence": 0, "seat": made[2]["seat"], "agentId": first.id, "action": "1x3", "at": "",
            "events": [{"type": "bid", "seat": made[2]["seat"], "quantity": 1, "face": 3}],
            "say": {"from": first.id, "text": "three?", "untrusted": True},
        }  # fmt: skip
        assert call[:2] == ("action", "1")
        assert [len(dice) for dice in call[2]["events"][0]["shown"]] == [5, 5]
        turn, _ = await web.turns(match, first, other)
        await turn.act(match, 2, RESIGN)
        await asyncio.wait_for(stream.task, 5)
        assert stream.over
        kind, id, over = stream.events[-1]
        assert (kind, id, over["reason"], over["sequence"]) == ("over", OVER, "resigned", 3)
        assert over["record"].endswith(f"/api/matches/{match}/record")

    called(do)


def test_a_lost_stream_is_taken_up_where_it_broke() -> None:
    async def do(web: Web) -> None:
        match = await finished(web)
        whole = watch(web, match)
        await asyncio.wait_for(whole.task, 5)
        told = [id for _, id, _ in whole.events]
        assert told == ["", "0", "1", "2", "3", OVER]
        for last in ("0", "1", "3"):
            rest = watch(web, match, last)
            await asyncio.wait_for(rest.task, 5)
            assert [id for _, id, _ in rest.events] == ["", *map(str, range(int(last) + 1, 4)), OVER]
            assert rest.events[1:] == whole.events[int(last) + 2 :]
        by_query = Stream(web, f"/api/matches/{match}/events?after=1")
        await asyncio.wait_for(by_query.task, 5)
        assert [id for _, id, _ in by_query.events] == ["", "2", "3", OVER]
        again = watch(web, match, OVER)
        await asyncio.wait_for(again.task, 5)
        assert (again.status, again.raw) == (204, b"")

    called(do)


@pytest.mark.parametrize("last", ["x", "-1", "9" * 400, "1.5", "\u0663", "999999999"])
def test_a_last_event_that_never_was_does_no_harm(last: str) -> None:
    async def do(web: Web) -> None:
        match = await finished(web)
        stream = Stream(web, f"/api/matches/{match}/events", {"last-event-id": last.encode().decode("latin-1")})
        await asyncio.wait_for(stream.task, 5)
        assert [id for _, id, _ in stream.events][-1] == OVER

    called(do)


def test_a_silent_stream_shows_that_it_is_alive() -> None:
    async def do(web: Web) -> None:
        match, first, _ = await two(web)
        async with asyncio.timeout(10):
            async for told in story(web.arena, match, -1, silence=0.01):
                if told is None:
                    await first.act(match, 0, RESIGN)
        assert told

    called(do)


def test_who_stops_watching_is_forgotten() -> None:
    async def do(web: Web) -> None:
        match, _, _ = await two(web)
        live = await web.arena.tables.live(match)
        streams = [watch(web, match) for _ in range(3)]
        await web.clock.turn(0)
        assert live.followers == 3
        for stream in streams:
            await stream.leave()
        assert (live.followers, live.waiters) == (0, {})

    called(do)


def test_there_is_nothing_to_watch_where_there_is_no_match() -> None:
    async def do(web: Web) -> None:
        for match in ("a" * 20, "%00", "a" * 300):
            stream = watch(web, match)
            await asyncio.wait_for(stream.task, 5)
            assert (stream.status, msgspec.json.decode(stream.raw)["error"]) == (404, "match_not_found")
            socket = await Socket(web, f"/ws/watch/{match}").open()
            with pytest.raises(Closed) as closed:
                await socket.hear()
            assert closed.value.code == 4404

    called(do)


@pytest.mark.parametrize("method", ["HEAD", "POST", "DELETE"])
def test_a_stream_can_only_be_read(method: str) -> None:
    async def do(web: Web) -> None:
        match, _, _ = await two(web)
        got = await asyncio.wait_for(web.call(method, f"/api/matches/{match}/events"), 5)
        assert (got.status, got.headers["allow"]) == (405, "GET")

    called(do)


def test_a_socket_tells_the_same_story() -> None:
    async def do(web: Web) -> None:
        match = await finished(web)
        stream, socket = watch(web, match), await Socket(web, f"/ws/watch/{match}").open()
        await asyncio.wait_for(stream.task, 5)
        heard = [await socket.hear() for _ in stream.events]
        with pytest.raises(Closed) as closed:
            await socket.hear()
        assert closed.value.code == 1000
        assert heard == [data for _, _, data in stream.events]
        later = await Socket(web, f"/ws/watch/{match}?after=2").open()
        assert [(await later.hear())["type"] for _ in range(3)] == ["hello", "action", "over"]

    called(do)


def test_a_spectator_who_says_something_is_sent_away() -> None:
    async def do(web: Web) -> None:
        match, _, _ = await two(web)
        socket = await Socket(web, f"/ws/watch/{match}").open()
        await socket.hear()
        socket.send("hello")
        with pytest.raises(Closed) as closed:
            await socket.hear()
        assert closed.value.code == 1008

    called(do)


def test_watching_is_limited_like_any_request() -> None:
    async def do(web: Web) -> None:
        match, _, _ = await two(web)
        for _ in range(300):
            stream = watch(web, match)
            await web.clock.turn(0)
            await stream.leave()
            if stream.status != 200:
                break
        assert (stream.status, int(stream.headers["retry-after"]) > 0) == (429, True)
        with pytest.raises(Closed) as closed:
            await Socket(web, f"/ws/watch/{match}").open()
        assert closed.value.code == 429

    called(do, address_per_minute=100)


def test_hands_are_shown_as_far_as_the_reveal_of_the_variant_goes() -> None:
    async def do(web: Web) -> None:
        match, first, other = await two(web, game="exact")
        await first.act(match, 0, bid(1, 3))
        await other.act(match, 1, LIAR)
        stream = watch(web, match)
        await web.clock.turn(0)
        shown = stream.events[2][2]["events"][0]["shown"]
        assert {face for dice in shown for face in dice} <= {3}
        await stream.leave()

    called(do)


def test_after_the_end_the_record_tells_every_hand() -> None:
    async def do(web: Web) -> None:
        match = await finished(web)
        record = read_record(await web.arena.store.read(RecordOf(match)) or b"")
        assert record.dice.seed  # type: ignore[union-attr]

    called(do)


def test_a_real_reader_gets_the_stream_and_is_forgotten_when_it_goes() -> None:
    async def do(site: Site) -> None:
        web = site.web
        match, first, _ = await two(web)
        live = await web.arena.tables.live(match)
        url = f"http://127.0.0.1:{site.port}/api/matches/{match}/events"
        async with httpx.AsyncClient(trust_env=False) as client, client.stream("GET", url) as reply:
            lines = aiter(reply.aiter_lines())
            while await anext(lines) != "event: hello":
                pass
            await first.act(match, 0, bid(1, 3))
            while await anext(lines) != "id: 0":
                pass
            assert live.followers == 1
        async with asyncio.timeout(10):
            while live.followers:
                await settle()

    dialled(do)
