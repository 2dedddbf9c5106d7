"""Groups of writes: what one of them does wrong costs the others nothing, and nobody is told of what is not stored."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from sqlalchemy import Connection, event, text

from calza.arena.clock import settle as settle_down
from calza.arena.errors import ArenaError, StoreFault
from calza.arena.store import Store, engines
from calza.arena.store.actions import Act
from calza.arena.store.commit import Committer, Outcome
from calza.arena.store.done import Done
from calza.arena.store.facts import AddNews, Get, News, Put
from calza.arena.store.rows import take_turn
from calza.arena.store.writer import GATHER, MOST, Writer

from .desk import NOW, Desk, Opened, broken


class Wrong(Exception):
    """What a write may raise."""


Write = Callable[[Connection], Any]


def settle(store: Store, writes: list[Write]) -> tuple[list[Outcome], int]:
    """What became of a group of exactly these, and in how many transactions."""
    # A committer of its own: nothing else gets into its groups. In memory there is one connection only.
    one = store.committer if store.address.in_memory else Committer(engines.writer(store.address))
    done: list[str] = []
    for what in ("commit", "rollback"):
        event.listen(one.engine, what, lambda _: done.append("one"))
    outcomes = one.settle(writes)
    if one is not store.committer:
        one.close()
    return outcomes, len(done)


def test_what_waits_together_is_committed_together(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        outcomes, transactions = settle(desk.store, [Put(f"{one}", "said") for one in range(1000)])
        assert outcomes == [Outcome("said")] * 1000
        assert transactions == 1

    opened(do)


def test_what_comes_while_the_thread_writes_waits_and_is_one_group(on_disk: Opened) -> None:
    async def do(desk: Desk) -> None:
        commits: list[str] = []
        event.listen(desk.store.committer.engine, "commit", lambda _: commits.append("one"))
        held = Event()
        first = asyncio.ensure_future(desk.write(lambda _: held.wait(10)))
        rest = [asyncio.ensure_future(desk.write(Put(f"{one}", "said"))) for one in range(100)]
        await settle_down()
        held.set()
        assert await first
        assert await asyncio.gather(*rest) == ["said"] * 100
        assert len(commits) <= 2

    on_disk(do)


def test_what_others_write_is_noticed_also_when_a_connection_breaks_just_then(tmp_path: Path) -> None:
    """The number by which SQLite tells of it begins anew with each connection."""
    url = f"sqlite:///{tmp_path}/arena.sqlite"

    async def do() -> None:
        store, other = await Store.open(url), await Store.open(url)
        assert not await store.written_by_others()
        assert not await store.written_by_others()
        await other.write(Put("who", "another"))
        store.committer.drop()
        assert await store.written_by_others()
        assert not await store.written_by_others()
        await store.close()
        await other.close()

    asyncio.run(do())


def test_one_that_raises_among_a_thousand_takes_nobody_with_it(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        writes: list[Write] = [Put(f"{one}", "said") for one in range(1000)]
        writes[617] = broken(Wrong("617"))
        outcomes, transactions = settle(desk.store, writes)
        assert [place for place, one in enumerate(outcomes) if one.error] == [617]
        assert isinstance(outcomes[617].error, Wrong)
        assert await desk.read(Get("616")) == await desk.read(Get("618")) == "said"
        assert transactions < 10

    opened(do)


def test_several_that_raise_are_told_so_each_for_itself(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        writes: list[Write] = [Put(f"{one}", "said") for one in range(100)]
        bad = (0, 1, 50, 98, 99)
        for one in bad:
            writes[one] = broken(Wrong(str(one)))
        outcomes, _ = settle(desk.store, writes)
        assert {place: str(one.error) for place, one in enumerate(outcomes) if one.error} == {n: str(n) for n in bad}
        for one in range(100):
            assert await desk.read(Get(f"{one}")) == (None if one in bad else "said")

    opened(do)


def test_one_of_a_batch_that_the_database_refuses_takes_nobody_with_it(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.table("m", "Ann", "Bob")
        acts: list[Write] = [Act(desk.done("m", sequence)) for sequence in range(64)]
        acts[40] = Act(desk.done("m", 2**70))
        outcomes, _ = settle(desk.store, acts)
        assert [place for place, one in enumerate(outcomes) if one.error] == [40]
        assert isinstance(outcomes[40].error, ArenaError), "what cannot be stored is the fault of whoever sent it"
        assert outcomes[40].error.status == 400
        assert len(await desk.played("m")) == 63

    opened(do)


def test_what_was_done_before_a_write_raised_is_taken_back(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        def halfway(db: Connection) -> None:
            Put("half", "done")(db)
            raise Wrong

        with pytest.raises(Wrong):
            await desk.write(halfway)
        assert await desk.read(Get("half")) is None
        assert await desk.write(Put("half", "again")) == "again"

    opened(do)


def test_a_commit_that_fails_is_not_acknowledged(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        def fails_at_its_commit(db: Connection) -> None:
            if desk.store.shared:
                db.execute(text("CREATE TABLE late (n int UNIQUE DEFERRABLE INITIALLY DEFERRED)"))
                db.execute(text("INSERT INTO late VALUES (1), (1)"))
            else:
                db.execute(text("PRAGMA defer_foreign_keys = ON"))
                db.execute(text("INSERT INTO keys VALUES (x'00', 'nobody', 0, NULL)"))

        with pytest.raises(StoreFault, match="not known whether this was stored; send it again, unchanged"):
            await desk.write(fails_at_its_commit)
        if not desk.store.address.in_memory:  # which is gone with its connection
            assert await desk.write(Put("after", "it goes on")) == "it goes on"

    opened(do)


def test_a_broken_connection_is_made_anew_and_everything_is_done_again(postgres: Any) -> None:
    async def do(desk: Desk) -> None:
        times = []

        def cut(db: Connection) -> str:
            times.append(1)
            if len(times) == 1:
                db.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
            return "done"

        _, said = await asyncio.gather(desk.write(AddNews(NOW, "x", "")), desk.write(cut))
        assert said == "done"
        assert len(await desk.read(News())) == 1

    Opened(postgres.database())(do)


def test_a_write_that_breaks_every_connection_does_not_stop_the_others_for_ever(postgres: Any) -> None:
    def cut(db: Connection) -> None:
        db.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))

    async def do(desk: Desk) -> None:
        desk.store.committer.patience = 0.1
        with pytest.raises(StoreFault):
            await desk.write(cut)
        said = ""
        while not said:  # after a moment in which the database is not asked
            with suppress(StoreFault):
                said = await desk.write(Put("after", "it goes on"))
        assert said == "it goes on"

    Opened(postgres.database())(do)


def test_a_clash_with_another_node_is_tried_again(postgres: Any) -> None:
    async def do(desk: Desk) -> None:
        times = []

        def clash(db: Connection) -> str:
            times.append(1)
            if len(times) < 4:
                db.execute(text("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$"))
            return "done"

        assert await desk.write(clash) == "done"
        assert len(times) == 4

    Opened(postgres.database())(do)


def test_two_nodes_that_wait_for_each_other_both_get_through(postgres: Any) -> None:
    """A real deadlock: PostgreSQL ends one of the two after a second, and that one is done again."""
    url = postgres.database()

    async def do(desk: Desk) -> None:
        other = await Store.open(url)
        for name in ("x", "y"):
            await desk.write(Put(name, ""))
        reached = {"x": Event(), "y": Event()}

        def both(first: str, then: str) -> Callable[[Connection], str]:
            def write(db: Connection) -> str:
                for name in (first, then):
                    db.execute(
                        text("UPDATE facts SET value = value || :first WHERE name = :name"),
                        dict(first=first, name=name),
                    )
                    if name == first:
                        reached[first].set()
                        assert reached[then].wait(10)
                return first

            return write

        try:
            assert await asyncio.gather(desk.write(both("x", "y")), other.write(both("y", "x"))) == ["x", "y"]
        finally:
            await other.close()
        assert sorted(await desk.read(Get("x")) or "") == ["x", "y"]

    Opened(url)(do)


def test_an_administrator_who_cancels_the_wait_for_a_turn_ends_no_writer(postgres: Any) -> None:
    url = postgres.database()

    async def do(desk: Desk) -> None:
        waiter = await Store.open(url)
        held, free = Event(), Event()

        def hold(db: Connection) -> None:
            take_turn(db)
            held.set()
            assert free.wait(10)

        holding = asyncio.ensure_future(desk.write(hold))
        await asyncio.to_thread(held.wait, 10)
        seeds = asyncio.ensure_future(Desk(waiter).seeds(3))
        cancel = text("SELECT pg_cancel_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        while not await desk.read(lambda db: db.execute(cancel).all()):
            pass
        with pytest.raises(StoreFault):
            await seeds
        free.set()
        await holding
        assert await Desk(waiter).seeds(3) == 3
        await waiter.close()

    Opened(url)(do)


def test_a_closed_store_takes_no_more(on_disk: Opened) -> None:
    async def do() -> None:
        store = await Store.open(on_disk.url)
        last = asyncio.ensure_future(store.write(Put("last", "kept")))
        await asyncio.sleep(0)
        await store.close()
        assert await last == "kept", "what waited is written"
        with pytest.raises(StoreFault, match="the store is closed"):
            await store.write(Put("late", "lost"))

    asyncio.run(do())


def test_who_waits_no_more_keeps_nobody_from_being_told(on_disk: Opened) -> None:
    async def do(desk: Desk) -> None:
        gone = asyncio.ensure_future(desk.write(Put("a", "")))
        here = asyncio.ensure_future(desk.write(Put("b", "told")))
        await asyncio.sleep(0)
        gone.cancel()
        assert await here == "told"
        assert await desk.read(Get("a")) == "", "it was in the queue already"

    on_disk(do)


# --- the thread


class TurnedLoop(asyncio.SelectorEventLoop):
    """An event loop whose time moves only when it is turned."""

    now = 100.0

    def time(self) -> float:
        return self.now


class Noted:
    """Stands in for whoever commits: notes its groups, and takes as long as it is told to."""

    def __init__(self) -> None:
        self.groups: list[list[Any]] = []
        self.free, self.closed = Event(), False
        self.faults: list[Exception] = []
        self.dropped = 0
        self.free.set()

    def settle(self, writes: Sequence[Any]) -> list[Outcome]:
        self.groups.append(list(writes))
        assert self.free.wait(10)
        if self.faults:
            raise self.faults.pop()
        return [Outcome(one) for one in writes]

    def drop(self) -> None:
        self.dropped += 1

    def close(self) -> None:
        self.closed = True


def gathering(do: Callable[[Writer, Noted, TurnedLoop], Coroutine[Any, Any, None]]) -> None:
    """Do something with a writer, in an event loop that is turned by hand."""
    loop, noted = TurnedLoop(), Noted()

    async def all_of_it() -> None:
        writer = Writer(noted)  # type: ignore[arg-type]
        await do(writer, noted, loop)
        await writer.close()
        assert (noted.closed, writer.thread.is_alive()) == (True, False)

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(all_of_it())


def write(writer: Writer, word: str) -> "asyncio.Future[Any]":
    return writer.write(word)  # type: ignore[arg-type]


def test_who_comes_alone_is_written_at_once_and_who_comes_soon_after_is_gathered() -> None:
    async def do(writer: Writer, noted: Noted, loop: TurnedLoop) -> None:
        assert await write(writer, "alone") == "alone"
        first = write(writer, "first")
        await settle_down()
        writer.post("second")  # type: ignore[arg-type]
        third = write(writer, "third")
        loop.now += GATHER * 0.9
        await settle_down()
        assert noted.groups == [["alone"]]
        loop.now += GATHER * 0.2
        assert (await first, await third) == ("first", "third")
        assert noted.groups == [["alone"], ["first", "second", "third"]]

    gathering(do)


def test_actions_and_all_else_are_written_by_turns() -> None:
    async def do(writer: Writer, noted: Noted, loop: TurnedLoop) -> None:
        acts = [Act(Done("m", one, 0, "1x2", 0, 0)) for one in range(4)]
        noted.free.clear()
        first = writer.write(acts[0])
        await settle_down()
        more = [write(writer, "an end"), writer.write(acts[1]), write(writer, "another"), writer.write(acts[2])]
        noted.free.set()
        while not more[-1].done():
            loop.now += GATHER
            await settle_down()
        await asyncio.gather(first, *more)
        assert noted.groups == [[acts[0]], ["an end", "another"], [acts[1], acts[2]]]

    gathering(do)


def test_a_fault_of_ours_does_not_end_the_thread_that_writes() -> None:
    async def do(writer: Writer, noted: Noted, loop: TurnedLoop) -> None:
        noted.faults = [RuntimeError("which nobody thought of")]
        with pytest.raises(StoreFault):
            await write(writer, "first")
        loop.now += GATHER
        assert await write(writer, "second") == "second"
        assert noted.dropped == 1

    gathering(do)


def test_what_came_during_a_long_write_follows_at_once() -> None:
    async def do(writer: Writer, noted: Noted, loop: TurnedLoop) -> None:
        noted.free.clear()
        first = write(writer, "first")
        while not noted.groups:
            await asyncio.sleep(0)
        second = write(writer, "second")
        loop.now += GATHER
        await settle_down()
        assert noted.groups == [["first"]], "one group at a time"
        noted.free.set()
        assert (await first, await second) == ("first", "second")

    gathering(do)


def test_whoever_waits_when_a_writer_is_closed_is_written_and_told() -> None:
    async def do(writer: Writer, noted: Noted, loop: TurnedLoop) -> None:
        await write(writer, "before")
        gathered = write(writer, "gathered")  # its group is not due yet
        await settle_down()
        await writer.close()
        assert (gathered.done(), gathered.result()) == (True, "gathered")
        with pytest.raises(StoreFault, match="the store is closed"):
            write(writer, "late")
        writer.post("late")  # type: ignore[arg-type]
        loop.now += GATHER
        await settle_down()
        assert noted.groups == [["before"], ["gathered"]]
        await writer.close()

    gathering(do)


def test_a_writer_is_closed_while_it_writes_and_many_wait() -> None:
    async def do(writer: Writer, noted: Noted, loop: TurnedLoop) -> None:
        noted.free.clear()
        futures = [write(writer, "first")]
        while not noted.groups:
            await asyncio.sleep(0)
        futures += [write(writer, str(one)) for one in range(MOST[1] + 1)]
        closing = asyncio.ensure_future(writer.close())
        await settle_down()
        assert not closing.done()
        noted.free.set()
        await closing
        assert [one.result() for one in futures] == ["first", *map(str, range(MOST[1] + 1))]
        assert list(map(len, noted.groups)) == [1, MOST[1], 1]

    gathering(do)
