"""The store of an arena: one database, asked and written to in whole transactions.

A question or a write is a value that is called with a connection: `await store.write(Act(done))` comes back when the
move is on disk. On SQLite and PostgreSQL one thread writes; what waits together is committed together. In memory
everything happens at once, in the event loop and without threads, so that a simulation is the same every time.
"""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from calza.arena.errors import StoreError, StoreFault

from . import engines, versions
from .backup import backup, copy
from .commit import UNSTORABLE, Committer, gone, told
from .engines import Address
from .rows import POSTGRESQL
from .signals import Ear, Listeners
from .tray import Tray
from .writer import Writer

T = TypeVar("T")


class Store:
    """An open store. Made by `open`; whoever opened it closes it."""

    def __init__(self, address: Address, writing: Engine, reading: Engine, alone: bool = False) -> None:
        self.url = address.shown
        self.shared = address.kind == POSTGRESQL  # other nodes may write too
        tray = Tray(alone or address.in_memory)
        self.address, self.reading = address, reading.execution_options(tray=tray)
        self.committer = Committer(writing.execution_options(tray=tray), address.file, tray)
        self.listeners = Listeners()
        self.writer = None if address.in_memory else Writer(self.committer)
        self.readers = None if address.in_memory else ThreadPoolExecutor(engines.READERS[address.kind], "calza-reader")
        self.ear: Ear | None = None
        self.listening: asyncio.Task[None] | None = None
        self.changes: tuple[int, int] | None = (
            None  # of an SQLite store by others, as a connection of ours saw them last
        )
        if self.shared:
            conninfo = address.url.set(drivername="postgresql").render_as_string(hide_password=False)
            self.ear = Ear(conninfo, self.listeners)
            self.listening = asyncio.create_task(self.ear.listen())

    @classmethod
    async def open(cls, url: str, *, alone: bool = False) -> "Store":
        """The store at `url`, made if there is none; StoreError when it cannot be used, with what to do about it.

        `sqlite:///FILE`, `sqlite://` for one in memory, or `postgresql://USER@HOST/NAME`. Whoever is `alone` with a
        file is the only one who plays matches in it.
        """
        address = engines.read_address(url)
        if address.in_memory:
            writing = made(address)
            return cls(address, writing, writing)
        writing = await asyncio.to_thread(made, address)
        store = cls(address, writing, engines.reader(address), alone)
        if store.ear is not None:
            await store.ear.ready.wait()
        return store

    async def read(self, question: Callable[[Connection], T]) -> T:
        """The answer to a question, from one state of the store; StoreFault when it cannot be had just now."""
        if self.readers is None:
            return ask(self.reading, question)
        return await asyncio.get_running_loop().run_in_executor(self.readers, ask, self.reading, question)

    async def write(self, write: Callable[[Connection], T]) -> T:
        """What the write returned, once it is committed.

        StoreFault when it could not be, or when it is not known whether it was: then try again, unchanged.
        """
        if self.writer is not None:
            return await self.writer.write(write)  # type: ignore[no-any-return]
        [outcome] = self.committer.settle([write])
        if outcome.error is not None:
            raise outcome.error
        return outcome.value  # type: ignore[no-any-return]

    def send(self, topic: str, text: str) -> None:
        """Tell the listeners of every node: those of this one at once, others after the next commit, if they live."""
        self.listeners.tell(topic, text)
        if self.writer is not None and self.ear is not None:
            self.writer.post(self.ear.notify(topic, text))

    async def written_by_others(self) -> bool:
        """Whether another process has written to an SQLite store since this was last asked."""
        if self.shared or self.address.in_memory:
            return False  # others tell us; there are none
        version = await self.write(changes)
        before, self.changes = self.changes, (self.committer.connections, version)
        return before not in (None, self.changes)

    def listen(self, heard: Callable[[str, str], None]) -> None:
        """Call `heard(topic, text)` in the event loop for whatever is sent, and `heard("missed", "")` after a gap."""
        self.listeners.heard.append(heard)

    async def backup(self, path: Path) -> None:
        """Copy the store into a new file while it is used; StoreError when that cannot be done."""
        if self.address.in_memory:
            with closing(self.reading.raw_connection()) as source:
                copy(cast(Any, source.driver_connection), path)
        else:
            await asyncio.to_thread(backup, self.address, path)

    async def close(self) -> None:
        """Write what waits, then let go of the database."""
        if self.listening is not None:
            self.listening.cancel()
            with suppress(asyncio.CancelledError):
                await self.listening
        if self.writer is not None:
            await self.writer.close()
        else:
            self.committer.close()
        if self.readers is not None:
            await asyncio.to_thread(self.readers.shutdown)
        self.reading.dispose()


def changes(db: Connection) -> int:
    """A number that is another one after every change to an SQLite store by somebody else."""
    return int(db.exec_driver_sql("PRAGMA data_version").scalar_one())


def made(address: Address) -> Engine:
    """Connections that write to a store which is known to be one."""
    with opened(address, keep=True) as engine, engine.begin() as db:
        versions.check(db)
    return engine


@contextmanager
def opened(address: Address, *, keep: bool = False) -> Iterator[Engine]:
    """Connections that write, closed afterwards if they are not kept; StoreError when there can be none."""
    engine: Engine | None = None
    try:
        engine = engines.writer(address)
        yield engine
    except Exception as error:
        keep = False
        if isinstance(error, DBAPIError | OSError):
            raise StoreError(f"the store {address.shown} cannot be opened: {reason(error)}") from error
        raise
    finally:
        if engine is not None and not keep:
            engine.dispose()


def reason(error: DBAPIError | OSError) -> str:
    """Why, in the words of whoever knows."""
    why = error.strerror if isinstance(error, OSError) else str(error.orig)
    return " ".join((why or "no reason is given").split())


def ask(engine: Engine, question: Callable[[Connection], T]) -> T:
    """The answer to a question; it is asked again when only the connection was too old."""
    for again in (True, False):
        try:
            with engine.connect() as db, db.begin():
                return question(db)
        except DBAPIError as error:
            if again and gone(error):
                continue
            raise (StoreFault() if gone(error) else told(error)) from error
        except UNSTORABLE as error:
            raise told(error) from error
    raise AssertionError("asked twice, and neither answered nor failed")
