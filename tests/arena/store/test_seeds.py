"""Seeds: numbered without gaps, shown when their match has ended, and not before."""

import asyncio
from typing import Any

from calza.arena.store import Store
from calza.arena.store.seeds import Draw, Numbered, Page, Unused

from .desk import Desk, Opened


def test_seeds_are_numbered_from_one_without_gaps(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        assert await desk.read(Unused()) == 0
        assert await asyncio.gather(desk.seeds(3), desk.seeds(2), desk.seeds(0)) == [3, 5, 5]
        assert [one.number for one in await desk.read(Page())] == [5, 4, 3, 2, 1]
        assert await desk.read(Unused()) == 5

    opened(do)


def test_a_seed_is_shown_once_its_match_has_ended(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.seeds(3)
        assert await desk.open("m", "Ann", "Bob")
        assert await desk.open("n", "Ann", "Bob")
        assert await desk.write(desk.finish("n", "Ann", "Bob"))
        assert await desk.read(Page()) == [
            Numbered(3, "commitment2", None, None),
            Numbered(2, "commitment1", "n", b"seed1"),
            Numbered(1, "commitment0", "m", None),
        ]

    opened(do)


def test_pages_of_seeds_go_down_by_number(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.seeds(7)
        first = await desk.read(Page(3))
        assert [one.number for one in first] == [7, 6, 5]
        await desk.seeds(4)
        assert [one.number for one in await desk.read(Page(3, first[-1].number))] == [4, 3, 2]
        assert [one.number for one in await desk.read(Page(3, 2))] == [1]

    opened(do)


def test_nodes_that_draw_at_once_number_on_from_each_other(postgres: Any) -> None:
    url = postgres.database()

    async def do(desk: Desk) -> None:
        other = Desk(await Store.open(url))
        lasts = await asyncio.gather(*(node.seeds(5) for _ in range(20) for node in (desk, other)))
        assert sorted(lasts) == list(range(5, 205, 5))
        assert [one.number for one in await desk.read(Page(300))] == list(range(200, 0, -1))
        await other.store.close()

    Opened(url)(do)


def test_what_is_logged_of_a_draw_holds_no_seed() -> None:
    assert repr(Draw(((b"secret", "c"),))) == "Draw(1 seeds)"
