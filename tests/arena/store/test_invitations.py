"""Tables that fill by a link: each chair once, each table begun once, however many come at once."""

import asyncio

from calza.arena.store.invitations import (
    Began,
    Begin,
    ByCode,
    Chair,
    Filling,
    HostedBy,
    Invitation,
    Invite,
    Sit,
    StandUp,
)

from .desk import DAY, NOW, Desk, Opened

AGAIN = 10_000


def chair(name: str) -> Chair:
    """Somebody who sits down."""
    return Chair(name, name, "", NOW)


async def invited(desk: Desk, code: str = "code", size: int = 3, at: int = NOW) -> Invitation:
    """A table that Ann has opened."""
    table = Invitation(code, "Ann", "dudo", size, at, at + DAY)
    await desk.write(Invite(table, (chair("Ann"),)))
    return table


async def sitting(desk: Desk, code: str = "code") -> list[str]:
    """Who sits there."""
    found = await desk.read(ByCode(code, NOW))
    return [one.agent for one in found.chairs] if found else []


def test_a_table_is_kept_as_it_was_opened(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann")
        for code, counts in (("one", True), ("two", False)):
            table = Invitation(code, "Ann", "dudo", 2, NOW, NOW + DAY, counts=counts)
            await desk.write(Invite(table, (chair("Ann"),)))
            assert await desk.read(ByCode(code, NOW)) == Filling(table, (chair("Ann"),))
        assert await desk.read(ByCode("three", NOW)) is None

    opened(do)


def test_chairs_are_taken_once_in_the_order_of_sitting_down(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob", "Cid", "Dan")
        await invited(desk)
        for name, why in (("Bob", None), ("Bob", None), ("Cid", None), ("Dan", "full"), ("Ann", None)):
            assert await desk.write(Sit("code", chair(name))) == why
        assert await sitting(desk) == ["Ann", "Bob", "Cid"]
        assert await desk.write(StandUp("code", "Bob"))
        assert not await desk.write(StandUp("code", "Bob"))
        assert await desk.write(Sit("code", chair("Dan"))) is None
        assert await sitting(desk) == ["Ann", "Cid", "Dan"]

    opened(do)


def test_of_many_who_come_at_once_as_many_sit_as_there_are_chairs(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        names = [f"Player {number}" for number in range(12)]
        await desk.agents("Ann", *names)
        await invited(desk, size=4)
        said = await asyncio.gather(*(desk.write(Sit("code", chair(one))) for one in names))
        assert sorted(said, key=str) == [None] * 3 + ["full"] * 9
        assert len(await sitting(desk)) == 4

    opened(do)


def test_a_full_table_begins_once(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob", "Cid")
        await invited(desk, size=2)
        assert not await desk.write(Begin("code", NOW, AGAIN))
        await desk.write(Sit("code", chair("Bob")))
        said = await asyncio.gather(*(desk.write(Begin("code", NOW, AGAIN)) for _ in range(5)))
        assert sorted(said) == [False] * 4 + [True]
        assert await desk.write(Sit("code", chair("Cid"))) == "begun"
        assert await desk.write(Sit("code", chair("Bob"))) is None
        assert not await desk.write(StandUp("code", "Bob"))
        assert await sitting(desk) == ["Ann", "Bob"]

    opened(do)


def test_a_table_whose_match_was_not_opened_begins_again_later(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await invited(desk, size=2)
        await desk.write(Sit("code", chair("Bob")))
        assert await desk.write(Begin("code", NOW, AGAIN))
        assert not await desk.write(Begin("code", NOW + AGAIN - 1, AGAIN))
        assert await desk.write(Begin("code", NOW + AGAIN, AGAIN))
        await desk.table("match", "Ann", "Bob")
        await desk.write(Began("code", "match"))
        assert not await desk.write(Begin("code", NOW + DAY, AGAIN))
        found = await desk.read(ByCode("code", NOW))
        assert found
        assert found.table.match == "match"

    opened(do)


def test_a_table_that_nobody_began_is_cleared_away_with_the_next(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann")
        await invited(desk, "old")
        assert await desk.read(ByCode("old", NOW + DAY - 1))
        assert await desk.read(ByCode("old", NOW + DAY)) is None
        assert await desk.read(HostedBy("Ann", NOW)) == 1
        await invited(desk, "new", at=NOW + DAY)
        assert await desk.read(ByCode("old", NOW)) is None
        assert await desk.read(HostedBy("Ann", NOW + DAY)) == 1

    opened(do)
