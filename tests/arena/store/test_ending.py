"""The end of a match: once, with everything that was played, and with sums that are right."""

import asyncio
from typing import Any

from calza.arena.store import Store
from calza.arena.store.agents import Agent, Register
from calza.arena.store.matches import ById, Counted, Counts, Habits, LiveOf, Out, RecordOf
from calza.arena.store.ratings import Games, History, Of, Point, Rated, Sum
from calza.arena.store.ratings import Habits as HabitsOf
from calza.arena.store.seated import Rating

from .desk import DAY, NOW, Desk, Opened, stronger


def test_a_match_ends_with_its_record_and_places(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob", "Cid")
        await desk.table("m", "Ann", "Bob", "Cid")
        await desk.write(Out("m", 2, NOW + 7))
        assert await desk.write(desk.finish("m", "Ann", "Bob", "Cid", signature="signed"))
        found = await desk.read(ById("m"))
        assert found
        match = found.match
        assert (match.status, match.reason, match.finished_ms, match.due_ms, match.signature) == (
            "completed", "completed", NOW + 5000, None, "signed",
        )  # fmt: skip
        assert [(one.outcome, one.place, one.dice_left, one.out_ms) for one in found.players] == [
            ("win", 1, 3, NOW + 5000), ("loss", 2, 0, NOW + 5000), ("loss", 3, 0, NOW + 7),
        ]  # fmt: skip
        assert await desk.read(RecordOf("m")) == b"record of m"
        assert await desk.read(LiveOf("Ann")) == []

    opened(do)


def test_a_match_ends_once(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.table("m", "Ann", "Bob")
        ends = [desk.finish("m", "Ann", "Bob", at=NOW + one, rate=stronger) for one in range(5)]
        assert sorted(await asyncio.gather(*map(desk.write, ends))) == [False] * 4 + [True]
        [rated] = await desk.read(Of("Ann"))
        assert rated.games == 1
        assert await desk.read(Counts()) == Counted(0, 1)
        assert not await desk.write(desk.finish("never", "Ann", "Bob"))

    opened(do)


def test_a_match_does_not_end_while_the_record_lacks_an_action(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.table("m", "Ann", "Bob")
        await desk.act("m", 0)
        assert not await desk.write(desk.finish("m", "Ann", "Bob", actions=0))
        assert await desk.read(Counts()) == Counted(1, 0)
        assert await desk.read(Of("Ann")) == []
        assert await desk.write(desk.finish("m", "Ann", "Bob", actions=1))

    opened(do)


def test_a_match_that_is_aborted_changes_no_rating(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.table("m", "Ann", "Bob")
        assert await desk.write(desk.finish("m", "Ann", "Bob", status="aborted"))
        found = await desk.read(ById("m"))
        assert found
        assert (found.match.status, found.players[0].before, await desk.read(Of("Ann"))) == ("aborted", None, [])

    opened(do)


def test_every_rating_begins_where_the_one_before_ended(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob", "Cid")
        fresh = Rating()
        await desk.finished("m1", "Ann", "Bob")
        await desk.finished("m2", "Ann", "Cid", at=NOW + DAY)
        await desk.finished("m3", "Bob", "Ann", "Cid", at=NOW + 2 * DAY)
        first = await desk.read(ById("m1"))
        second = await desk.read(ById("m2"))
        assert first
        assert second
        once = Rating(fresh.mu + 1, fresh.sigma - 0.5)
        twice = Rating(fresh.mu + 2, fresh.sigma - 1)
        assert [(one.before, one.after) for one in first.players] == [
            (fresh, once), (fresh, Rating(fresh.mu - 1, fresh.sigma - 0.5)),
        ]  # fmt: skip
        assert (second.players[0].before, second.players[0].after) == (once, twice)
        large, small = sorted(await desk.read(Of("Ann")), key=lambda one: one.games)
        assert small == Rated("dudo", "2", twice.mu, twice.sigma, twice.ordinal, 2, 2)
        assert (large.size, large.games, large.wins, large.mu) == ("3-6", 1, 0, fresh.mu - 1)
        assert await desk.read(History("Ann", "dudo", "2")) == [
            Point("m1", NOW + 5000, once.mu, once.sigma), Point("m2", NOW + DAY + 5000, twice.mu, twice.sigma),
        ]  # fmt: skip
        assert [one.match for one in await desk.read(History("Ann", "dudo", "2", limit=1))] == ["m2"]

    opened(do)


def test_two_nodes_that_end_two_matches_of_an_agent_at_once_lose_no_rating(postgres: Any) -> None:
    url = postgres.database()

    async def do(desk: Desk) -> None:
        other = Desk(await Store.open(url))
        rivals = [f"A{one:02}" for one in range(16)]
        await desk.agents("Ann", *rivals)
        await desk.seeds(16)
        for rival in rivals:
            assert await desk.open(f"m{rival}", "Ann", rival)
        ends = [desk.finish(f"m{rival}", "Ann", rival, rate=stronger) for rival in rivals]
        done = await asyncio.gather(*(node.write(end) for end in ends for node in (desk, other)))
        assert done.count(True) == 16
        [rated] = await desk.read(Of("Ann"))
        assert (rated.mu, rated.games, rated.wins) == (Rating().mu + 16, 16, 16)
        assert len(await desk.read(History("Ann", "dudo", "2"))) == 16
        everybody = [await desk.read(Of(one)) for one in ("Ann", *rivals)]
        assert sum(one[0].mu for one in everybody) == 17 * Rating().mu, "what one gained the others lost"
        await other.store.close()

    Opened(url)(do)


def test_an_action_that_comes_while_another_node_ends_the_match_is_in_the_record_or_refused(postgres: Any) -> None:
    url = postgres.database()

    async def do(desk: Desk) -> None:
        other = Desk(await Store.open(url))
        await desk.agents("Ann", "Bob")
        await desk.seeds(40)
        for round_ in range(40):
            match = f"m{round_}"
            await desk.open(match, "Ann", "Bob")
            acted, ended = await asyncio.gather(
                desk.act(match, 0), other.write(other.finish(match, "Ann", "Bob", actions=0))
            )
            assert acted != ended
            assert len(await desk.read(lambda db, match=match: RecordOf(match)(db) or b"")) == (
                0 if acted else 11 + len(match) - 1
            )
        await other.store.close()

    Opened(url)(do)


def test_sums_are_kept_of_all_matches(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        habits = (Habits("Ann", moves=3, millis=900, bids=2, bluffs=1, calls=1, calls_right=1, tokens=70, cost=0.5),)
        for number in range(2):
            await desk.table(f"m{number}", "Ann", "Bob")
            assert await desk.write(desk.finish(f"m{number}", "Ann", "Bob", habits=habits))
        assert await desk.read(HabitsOf("Ann")) == {"dudo": Habits("Ann", 6, 1800, 0, 0, 4, 2, 2, 2, 140, 1.0)}
        await desk.table("a", "Ann", "Bob", game="joker")
        await desk.write(desk.finish("a", "Ann", "Bob", status="aborted"))
        assert await desk.read(Games()) == {"dudo": Sum(2, 2, 10_000), "joker": Sum(1, 1, 5000)}
        assert await desk.read(HabitsOf("Bob")) == {}

    opened(do)


def test_a_house_bot_is_rated_like_everybody(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann")
        await desk.write(Register(Agent("h", "House bluffer", house="bluffer")))
        await desk.finished("m", "h", "Ann")
        [rated] = await desk.read(Of("h"))
        assert rated.wins == 1

    opened(do)
