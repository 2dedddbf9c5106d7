"""From the queue to a table: seeds in their order, nobody at two tables, all or nothing."""

import asyncio
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from calza.arena.store import Store
from calza.arena.store.matches import ById, Joining, LiveOf, Match, Open, Out, Page
from calza.arena.store.seeds import Unused
from calza.arena.store.waiting import Leave, Of

from .desk import NOW, Desk, Opened, seat


def test_a_table_takes_the_lowest_seed_and_the_seats_that_it_gives(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob", "Cid")
        await desk.seeds(3)
        for agent in ("Ann", "Bob"):
            await desk.enter(agent)
        assert await desk.open("m", "Ann", "Bob", queued=True)
        found = await desk.read(ById("m"))
        assert found
        match = found.match
        assert (match.seed_number, match.seed, match.commitment, match.status) == (
            1,
            b"seed0",
            "commitment0",
            "not_started",
        )
        assert [(one.agent, one.joined, one.seat, one.salt) for one in found.players] == [
            ("Ann", 0, 1, "salt of Ann"), ("Bob", 1, 0, "salt of Bob"),
        ]  # fmt: skip
        assert await desk.read(Of("Ann")) == await desk.read(Of("Bob")) == []
        assert [one.match for one in await desk.read(LiveOf("Ann"))] == ["m"]
        second = await desk.open("n", "Cid", "Ann")
        assert second
        assert second.match.seed_number == 2
        assert await desk.read(Unused()) == 1

    opened(do)


def test_a_table_is_opened_only_when_all_still_wait_for_it(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob", "Cid", "Dan", "Eve")
        await desk.seeds(3)
        for agent, what in dict(
            Ann={}, Bob={}, Cid=dict(lane="standard"), Dan=dict(players=3), Eve=dict(salt="new")
        ).items():
            await desk.enter(agent, **what)
        for other in ("Cid", "Dan", "Eve"):
            assert await desk.open("m", "Ann", other, queued=True) is None
        await desk.write(Leave("Bob"))
        assert await desk.open("m", "Ann", "Bob", queued=True) is None
        assert (await desk.read(Page())).rows == []
        assert await desk.read(Unused()) == 3
        assert len(await desk.read(Of("Ann"))) == 1

    opened(do)


def test_nobody_sits_at_more_tables_than_it_can_hold(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob", "Cid")
        await desk.seeds(9)
        await desk.enter("Ann", "dudo", capacity=2)
        await desk.enter("Ann", "joker", capacity=2)
        await desk.enter("Ann", "exact", capacity=2)
        for game in ("dudo", "joker", "exact"):
            await desk.enter("Bob", game, capacity=5)
        opened_ = [
            await desk.open(f"m{game}", "Ann", "Bob", game=game, queued=True) for game in ("dudo", "joker", "exact")
        ]
        assert [bool(one) for one in opened_] == [True, True, False]
        assert await desk.write(desk.finish("mdudo", "Ann", "Bob"))
        assert await desk.open("m4", "Ann", "Bob", game="exact", queued=True)

    opened(do)


def test_who_is_out_of_a_match_may_sit_down_again(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob", "Cid")
        await desk.seeds(2)
        assert await desk.open("m", "Ann", "Bob", "Cid")
        assert [await desk.write(Out("m", 0, NOW + 7)) for _ in range(2)] == [True, False]
        for agent in ("Ann", "Bob"):
            await desk.enter(agent, "joker")
        assert await desk.open("n", "Ann", "Bob", game="joker", queued=True) is None, "Bob still plays"
        await desk.write(Leave("Bob"))
        await desk.agents("Dan")
        await desk.enter("Dan", "joker")
        assert await desk.open("n", "Ann", "Dan", game="joker", queued=True)

    opened(do)


def test_without_a_seed_there_is_no_table(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.enter("Ann")
        await desk.enter("Bob")
        assert await desk.open("m", "Ann", "Bob", queued=True) is None
        assert len(await desk.read(Of("Ann"))) == 1

    opened(do)


def test_two_tables_in_one_group_never_share_a_player_or_a_seed(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob", "Cid", "Dan", "Eve")
        await desk.seeds(9)
        for agent in ("Ann", "Bob", "Cid", "Dan", "Eve"):
            await desk.enter(agent)
        tables = [("m1", "Ann", "Bob"), ("m2", "Bob", "Cid"), ("m3", "Cid", "Dan"), ("m4", "Eve", "Ann")]
        opened_ = await asyncio.gather(*(desk.open(*table, queued=True) for table in tables))
        assert [one.match.seed_number if one else None for one in opened_] == [1, None, 2, None]

    opened(do)


def test_two_nodes_that_seat_the_same_agents_open_one_table(postgres: Any) -> None:
    url = postgres.database()

    async def do(desk: Desk) -> None:
        other = Desk(await Store.open(url))
        everybody = [one.id for one in await desk.agents(*(f"A{one:02}" for one in range(20)))]
        await desk.seeds(100)
        for agent in everybody:
            await desk.enter(agent)
        opening = [
            node.open(f"{order[at]} on {name}", *order[at : at + 2], queued=True)
            for name, node, order in (("one", desk, everybody), ("two", other, everybody[::-1]))
            for at in range(0, 20, 2)
        ]
        won = [one for one in await asyncio.gather(*opening) if one]
        assert len(won) == 10
        assert sorted(player.agent for one in won for player in one.players) == everybody
        assert sorted(one.match.seed_number for one in won) == list(range(1, 11))
        await other.store.close()

    Opened(url)(do)


def test_a_seed_is_not_in_what_is_logged_of_a_match(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        found = await desk.table("m", "Ann", "Bob")
        assert "seed0" not in repr(found)
        wrong = Open(Match("m", "dudo", "fast", 1), (Joining("nobody", "x", "x", queued=False),), seat)
        await desk.seeds(2)
        with pytest.raises(IntegrityError) as error:
            await desk.write(wrong)
        assert "seed0" not in f"{error.value} {error.value.orig}"

    opened(do)
