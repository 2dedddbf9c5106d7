"""The end of a match: once, with everything that was played, and with sums that are right."""

import asyncio
from typing import Any

from sqlalchemy import Connection, select

from calza.arena.store import Store, schema
from calza.arena.store.agents import Agent, Register
from calza.arena.store.matches import ById, Counted, Counts, Finish, Habits, LiveOf, Out, RecordOf
from calza.arena.store.ratings import Games, History, Of, Point, Rated, Sum
from calza.arena.store.ratings import Habits as HabitsOf
from calza.arena.store.seated import Rating
from calza.arena.store.tray import tray_of

from .desk import DAY, NOW, Desk, Opened, stronger

TABLES = {
    "first": ("Ann", "Bob"), "acted": ("Bob", "Ann"), "second": ("Cid", "Ann"), "three": ("Bob", "Ann", "Cid"),
    "joker": ("Ann", "Bob"), "aborted": ("Ann", "Bob"),
}  # fmt: skip
ENDED = ("matches", "players", "actions", "ratings", "rating_history", "habits", "games", "days")


def rows(db: Connection) -> dict[str, list[Any]]:
    """All that an end may change."""
    tables = [schema.metadata.tables[name] for name in ENDED]
    return {table.name: list(db.execute(select(table).order_by(*table.primary_key))) for table in tables}


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
        [changes] = [one for one in await asyncio.gather(*map(desk.write, ends)) if one is not None]
        [rated] = await desk.read(Of("Ann"))
        assert rated.games == 1
        found = await desk.read(ById("m"))
        assert found
        assert changes == tuple((one.before, one.after) for one in found.players)
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
        assert sum(one is not None for one in done) == 16
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


def test_ends_that_are_written_together_come_to_the_same_as_one_by_one(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob", "Cid")
        for id, players in TABLES.items():
            await desk.table(id, *players, game="joker" if id == "joker" else "dudo")
        await desk.act("acted", 0)
        await desk.write(Out("three", 2, NOW + 7))
        how = (Habits("Bob", moves=3, bluffs=1, cost=0.5), Habits("Ann", moves=2, tokens=7, cost=0.25))
        ends = [
            desk.finish("first", "Ann", "Bob", rate=stronger, habits=how, signature="signed"),
            desk.finish("acted", "Bob", "Ann", rate=stronger, habits=how, actions=0),
            desk.finish("second", "Cid", "Ann", rate=stronger, habits=how[1:]),
            desk.finish("first", "Ann", "Bob", rate=stronger, habits=how, at=NOW + 9000),
            desk.finish("never", "Ann", "Bob", rate=stronger),
            desk.finish("three", "Bob", "Ann", "Cid", rate=stronger, habits=how, at=NOW + DAY),
            desk.finish("joker", "Ann", "Bob", rate=stronger, habits=how, fresh=Rating(10.5, 2.25)),
            desk.finish("aborted", "Ann", "Bob", status="aborted"),
            desk.finish("acted", "Bob", "Ann", rate=stronger, habits=how, actions=1, at=NOW + DAY),
        ]

        def both(db: Connection) -> None:
            point = db.begin_nested()
            apart = [end(db) for end in ends], rows(db)
            point.rollback()
            tray_of(db).forget()
            together = Finish.batch(db, ends), rows(db)
            assert together == apart
            ended = [one is not None for one in together[0]]
            assert ended == [True, False, True, False, False, True, True, True, True]

        await desk.write(both)
        assert [(one.games, one.wins) for one in await desk.read(Of("Ann"))].count((3, 1)) == 1

    opened(do)


def test_ends_of_an_agent_that_are_written_together_rate_it_one_after_another(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob", "Cid")
        await desk.table("m1", "Ann", "Bob")
        await desk.table("m2", "Cid", "Ann")
        ends = [desk.finish("m1", "Ann", "Bob", rate=stronger), desk.finish("m2", "Cid", "Ann", rate=stronger)]
        assert None not in await desk.write(lambda db: Finish.batch(db, ends))
        first, second = await desk.read(ById("m1")), await desk.read(ById("m2"))
        assert first
        assert second
        fresh = Rating()
        once, twice = Rating(fresh.mu + 1, fresh.sigma - 0.5), Rating(fresh.mu, fresh.sigma - 1)
        assert (first.players[0].before, first.players[0].after) == (fresh, once)
        assert (second.players[1].before, second.players[1].after) == (once, twice)
        assert await desk.read(Of("Ann")) == [Rated("dudo", "2", twice.mu, twice.sigma, twice.ordinal, 2, 1)]

    opened(do)


def test_an_end_that_fails_takes_none_of_its_neighbours_with_it(opened: Opened) -> None:
    def wrong(before: list[tuple[str, float, float]]) -> list[tuple[float, float]]:
        raise ZeroDivisionError

    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        ends = []
        for number in range(12):
            await desk.table(f"m{number}", "Ann", "Bob")
            ends.append(desk.finish(f"m{number}", "Ann", "Bob", rate=wrong if number == 7 else stronger))
        done = await asyncio.gather(*map(desk.write, ends), return_exceptions=True)
        assert [isinstance(one, tuple) for one in done] == [number != 7 for number in range(12)]
        assert isinstance(done[7], ZeroDivisionError)
        assert await desk.read(Counts()) == Counted(1, 11)
        [rated] = await desk.read(Of("Ann"))
        assert (rated.games, rated.mu) == (11, Rating().mu + 11)

    opened(do)


def test_many_matches_end_together(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        names = [f"A{one:02}" for one in range(45)]
        await desk.agents("Ann", *names)
        for name in names:
            await desk.table(f"m{name}", "Ann", name)
        habits = tuple(Habits(name, moves=1) for name in ("Ann", *names))
        ends = [desk.finish(f"m{name}", "Ann", name, rate=stronger, habits=habits) for name in names]
        assert None not in await desk.write(lambda db: Finish.batch(db, ends))
        assert await desk.read(Games()) == {"dudo": Sum(45, 45, 45 * 5000)}
        assert (await desk.read(HabitsOf("A44")))["dudo"].moves == 45
        assert len(await desk.read(History("Ann", "dudo", "2", limit=100))) == 45
        assert [(one.games, one.wins) for one in await desk.read(Of("A44"))] == [(1, 0)]

    opened(do)


def test_a_house_bot_is_rated_like_everybody(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann")
        await desk.write(Register(Agent("h", "House bluffer", house="bluffer")))
        await desk.finished("m", "h", "Ann")
        [rated] = await desk.read(Of("h"))
        assert rated.wins == 1

    opened(do)
