"""Facts, which stay as they were first said, and announcements."""

import asyncio

from calza.arena.store.facts import AddNews, Get, Item, News, Put

from .desk import NOW, Desk, Opened


def test_a_fact_stays_as_it_was_said_first(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        assert await desk.read(Get("key")) is None
        said = await asyncio.gather(*(desk.write(Put("key", f"{one}")) for one in range(9)))
        assert len(set(said)) == 1
        assert await desk.read(Get("key")) == said[0]

    opened(do)


def test_what_is_logged_of_a_fact_is_its_name() -> None:
    assert repr(Put("signing key", "secret")) == "Put('signing key')"


def test_announcements_are_latest_first(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        numbers = [await desk.write(AddNews(NOW + at, title, "text")) for at, title in ((5, "b"), (0, "a"), (5, "c"))]
        items = [Item(numbers[2], NOW + 5, "c", "text"), Item(numbers[0], NOW + 5, "b", "text")]
        assert await desk.read(News(NOW + 1)) == items
        assert len(await desk.read(News())) == 3
        assert await desk.read(News(limit=1)) == items[:1]

    opened(do)
