"""What nodes tell each other: this one hears itself at once, others after the commit, and after a gap `missed`."""

import asyncio
import logging
from typing import Any

import pytest
from sqlalchemy import text

from calza.arena.store import Store
from calza.arena.store.facts import Get, Put
from calza.arena.store.signals import MISSED

from .desk import Desk, Opened


class Heard:
    """What a node has heard; `until` waits for something."""

    def __init__(self, store: Store) -> None:
        self.all: list[tuple[str, str]] = []
        self.news = asyncio.Event()
        store.listen(self.hear)

    def hear(self, topic: str, text: str) -> None:
        self.all.append((topic, text))
        self.news.set()

    async def until(self, *wanted: tuple[str, str]) -> None:
        while not set(wanted) <= set(self.all):
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), 20)


def test_a_node_hears_itself_at_once(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        heard = Heard(desk.store)
        desk.store.send("match", "m")
        assert heard.all == [("match", "m")]

    opened(do)


def test_a_listener_that_fails_keeps_it_from_nobody(opened: Opened, caplog: pytest.LogCaptureFixture) -> None:
    async def do(desk: Desk) -> None:
        def fail(topic: str, text: str) -> None:
            raise ValueError("no")

        desk.store.listen(fail)
        heard = Heard(desk.store)
        with caplog.at_level(logging.ERROR):
            desk.store.send("match", "m")
        assert heard.all == [("match", "m")]
        assert "a listener failed at match" in caplog.text

    opened(do)


def test_other_nodes_hear_what_was_committed_before(postgres: Any) -> None:
    url = postgres.database()

    async def do(desk: Desk) -> None:
        other = await Store.open(url)
        here, there = Heard(desk.store), Heard(other)
        found: list[Any] = []
        other.listen(lambda *_: found.append(asyncio.ensure_future(other.read(Get("a")))))
        await desk.write(Put("a", "said"))
        desk.store.send("fact", "a b  c")
        await there.until(("fact", "a b  c"))
        assert await asyncio.gather(*found) == ["said"]
        other.send("back", "")
        await here.until(("back", ""))
        assert here.all == [("fact", "a b  c"), ("back", "")], "its own is not heard a second time"
        await other.close()

    Opened(url)(do)


def test_a_node_that_was_cut_off_hears_that_it_missed_something(postgres: Any) -> None:
    url = postgres.database()
    listening = "query = 'LISTEN calza' AND datname = current_database()"
    cut = text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {listening}")

    async def do(desk: Desk) -> None:
        here = Heard(desk.store)
        assert await desk.read(lambda db: db.scalar(cut))
        await here.until((MISSED, ""))
        other = await Store.open(url)
        other.send("match", "m")
        await here.until(("match", "m"))
        await other.close()

    Opened(url)(do)


def test_a_signal_names_what_has_changed_and_does_not_carry_it(postgres: Any) -> None:
    async def do(desk: Desk) -> None:
        with pytest.raises(AssertionError, match="does not carry it"):
            desk.store.send("match", "x" * 8000)

    Opened(postgres.database())(do)
