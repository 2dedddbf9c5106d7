"""The queue: once for a game, for a time, in the order of coming."""

import asyncio
from typing import Any

from calza.arena.store import Store
from calza.arena.store.nodes import Wake
from calza.arena.store.waiting import Depth, Enter, Expire, Leave, Of, Position, Queue

from .desk import NOW, Desk, Opened, waiting


def test_who_queues_twice_waits_once_as_it_asked_first(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann")
        first = await desk.enter("Ann")
        assert first == waiting("Ann")
        assert await desk.enter("Ann", lane="standard", players=6, salt="other", since_ms=NOW + 5) == first
        assert await desk.read(Of("Ann")) == [first]
        assert await desk.enter("Ann", "joker") == waiting("Ann", "joker")
        assert await desk.read(Depth()) == {"dudo": 1, "joker": 1}

    opened(do)


def test_a_row_that_has_expired_does_not_stand(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.enter("Ann", expires_ms=NOW + 100)
        await desk.enter("Bob", expires_ms=NOW + 200)
        assert [one.agent for one in await desk.read(Queue(NOW + 99))] == ["Ann", "Bob"]
        assert [one.agent for one in await desk.read(Queue(NOW + 100))] == ["Bob"]
        again = await desk.enter("Ann", since_ms=NOW + 100)
        assert again == waiting("Ann", since_ms=NOW + 100)
        assert await desk.write(Expire(NOW + 200)) == 1
        assert [one.agent for one in await desk.read(Queue(0))] == ["Ann"]

    opened(do)


def test_a_position_is_that_among_those_who_want_the_same_table(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob", "Cid", "Dan", "Eve")
        await desk.enter("Bob", since_ms=NOW)
        await desk.enter("Ann", since_ms=NOW)
        await desk.enter("Cid", since_ms=NOW + 1)
        await desk.enter("Dan", players=3)
        await desk.enter("Eve", lane="standard")
        found = [await desk.read(Position(one, "dudo")) for one in ("Ann", "Bob", "Cid", "Dan", "Eve")]
        assert found == [1, 2, 3, 1, 1]
        assert await desk.read(Position("Ann", "joker")) is None

    opened(do)


def test_who_leaves_waits_no_more(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        for game in ("dudo", "joker", "exact"):
            await desk.enter("Ann", game)
        await desk.enter("Bob")
        assert [await desk.write(Leave("Ann", "dudo")) for _ in range(2)] == [1, 0]
        assert await desk.write(Leave("Ann")) == 2
        assert await desk.read(Depth()) == {"dudo": 1}

    opened(do)


def test_who_has_just_sat_down_does_not_wait_for_the_same_game_again(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.table("m", "Ann", "Bob")
        assert await desk.enter("Ann") is None
        assert await desk.read(Of("Ann")) == []
        assert await desk.enter("Ann", "joker"), "another game may be waited for"
        assert await desk.enter("Ann", capacity=2), "and this one, by who can hold two"

    opened(do)


def test_who_queues_while_another_node_seats_it_does_not_wait_on(postgres: Any) -> None:
    """The same, when the other node has not committed yet: the insertion waits for it."""
    url = postgres.database()

    async def do(desk: Desk) -> None:
        other = Desk(await Store.open(url))
        await desk.agents("Ann", "Bob")
        await desk.seeds(40)
        for round_ in range(40):
            for agent in ("Ann", "Bob"):
                assert await desk.enter(agent)
            again = other.write(Enter(waiting("Ann", since_ms=NOW + 1)))
            opening = desk.open(f"m{round_}", "Ann", "Bob", queued=True)
            stood, match = await asyncio.gather(again, opening)
            assert match
            assert stood in (None, waiting("Ann"))
            assert await desk.read(Of("Ann")) == []
            assert await desk.write(desk.finish(f"m{round_}", "Ann", "Bob"))
        await other.store.close()

    Opened(url)(do)


def test_time_given_back_is_waiting_time_too(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann")
        await desk.enter("Ann", expires_ms=NOW + 100)
        await desk.write(Wake("n", NOW, 5000))
        await desk.write(Wake("n", NOW + 60_000, 5000))
        [row] = await desk.read(Of("Ann"))
        assert row.expires_ms == NOW + 60_100

    opened(do)
