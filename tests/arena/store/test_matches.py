"""Matches: coming, beginning, and lists of them that stay in order while others are added."""

import pytest

from calza.arena.errors import ArenaError
from calza.arena.store.matches import (
    ById,
    Come,
    Exported,
    Held,
    Live,
    LiveOf,
    OfAgent,
    Overdue,
    Page,
    Since,
    Start,
    Told,
)
from calza.arena.store.rows import Part
from calza.arena.store.seated import Seated

from .desk import NOW, Desk, Opened


def ids(part: Part[Seated]) -> list[str]:
    return [one.match.id for one in part.rows]


async def all_ids(desk: Desk, limit: int = 3, **what: str) -> list[str]:
    """Page after page."""
    seen, cursor = [], None
    while True:
        part = await desk.read(Page(limit=limit, cursor=cursor, **what))
        seen += ids(part)
        if (cursor := part.cursor) is None:
            return seen


async def filled(desk: Desk) -> None:
    """Eight finished matches and four live ones of two games, two by two at the same time."""
    await desk.agents("Ann", "Bob", "Cid")
    for one in range(12):
        make = desk.finished if one < 8 else desk.table
        await make(f"m{one:02}", "Ann", "Cid" if one % 3 else "Bob", game=("dudo", "joker")[one % 2], at=NOW + one // 2)


def test_a_player_comes_once_and_a_match_begins_once(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.table("m", "Ann", "Bob")
        assert [await desk.write(Come("m", agent, NOW + 3)) for agent in ("Ann", "Ann", "Cid")] == [True, False, False]
        assert [await desk.write(Start("m", NOW + at, NOW + 99)) for at in (4, 5)] == [True, False]
        found = await desk.read(ById("m"))
        assert found
        assert (found.match.status, found.match.started_ms, found.match.due_ms) == ("active", NOW + 4, NOW + 99)
        assert [one.came_ms for one in found.players] == [NOW + 3, None]
        assert await desk.read(ById("n")) is None

    opened(do)


def test_an_agent_is_told_of_its_match_once(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.table("m", "Ann", "Bob")
        assert await desk.read(LiveOf("Ann")) == [Held("m", "dudo", False)]
        await desk.write(Told("m", "Ann", NOW))
        await desk.write(Come("m", "Bob", NOW))
        assert await desk.read(LiveOf("Ann")) == await desk.read(LiveOf("Bob")) == [Held("m", "dudo", True)]
        assert await desk.read(LiveOf("Ann", "joker")) == []

    opened(do)


def test_all_that_have_not_ended_are_found(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await filled(desk)
        assert [one.match.id for one in await desk.read(Live())] == ["m08", "m09", "m10", "m11"]
        assert await desk.read(Overdue(NOW + 1004)) == ["m08", "m09"]
        assert await desk.read(Overdue(NOW + 9999, limit=3)) == ["m08", "m09", "m10"]

    opened(do)


def test_lists_are_newest_first_and_their_pages_hold_everything_once(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await filled(desk)
        everything = [f"m{one:02}" for one in range(12)][::-1]
        bobs = [f"m{one:02}" for one in (9, 6, 3, 0)]
        assert await all_ids(desk) == everything
        assert await all_ids(desk, status="live") == everything[:4]
        assert await all_ids(desk, status="finished") == everything[4:]
        assert await all_ids(desk, game="joker") == everything[::2]
        assert await all_ids(desk, game="dudo", status="finished") == everything[5::2]
        assert await all_ids(desk, game="dudo", status="live") == ["m10", "m08"]
        assert await all_ids(desk, agent="Bob") == bobs
        assert await all_ids(desk, agent="Bob", status="live") == bobs[:1]
        assert await all_ids(desk, agent="Bob", status="finished") == bobs[1:]
        assert await all_ids(desk, agent="Bob", game="joker") == ["m09", "m03"]
        assert await all_ids(desk, agent="Bob", game="joker", status="finished") == ["m03"]
        assert await all_ids(desk, agent="nobody") == []
        assert ids(await desk.read(OfAgent("Bob", 2))) == bobs[:2]

    opened(do)


def test_a_page_is_the_same_whatever_is_added_before_it(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await filled(desk)
        first = await desk.read(Page(limit=5, status="finished"))
        await desk.finished("new", "Ann", "Bob", at=NOW + 99)
        second = await desk.read(Page(limit=5, status="finished", cursor=first.cursor))
        assert ids(first) + ids(second) == [f"m{one:02}" for one in range(8)][::-1]

    opened(do)


@pytest.mark.parametrize("cursor", ["", "nonsense", "x.m01", ".", "9" * 30 + ".m01", "1e5.m"])
def test_a_cursor_that_we_did_not_give_is_refused(opened: Opened, cursor: str) -> None:
    async def do(desk: Desk) -> None:
        await filled(desk)
        with pytest.raises(ArenaError) as error:
            await desk.read(Page(cursor=cursor))
        assert (error.value.status, error.value.code) == (400, "invalid_input")

    opened(do)


def test_an_id_that_cannot_be_one_is_nobodys(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        assert await desk.read(ById("a'; DROP TABLE matches")) is None
        assert await desk.read(ById("x" * 10_000)) is None
        for id in ("a\0b", "\ud800")[not desk.store.shared :]:  # SQLite takes the first
            with pytest.raises(ArenaError) as error:
                await desk.read(ById(id))
            assert error.value.status == 400

    opened(do)


def test_what_has_ended_is_exported_in_the_order_of_its_end(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await filled(desk)
        part = await desk.read(Since(NOW + 5001, limit=4))
        assert part.rows[0] == Exported("m02", NOW + 5001, b"record of m02", None)
        assert [one.id for one in part.rows] == ["m02", "m03", "m04", "m05"]
        rest = await desk.read(Since(NOW + 5001, part.cursor, 4))
        assert ([one.id for one in rest.rows], rest.cursor) == (["m06", "m07"], None)

    opened(do)
