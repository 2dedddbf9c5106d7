"""Connections to the two databases, set up so that what is committed stays."""

import os
from typing import Any

from msgspec import Struct
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import StaticPool

from calza.arena.errors import StoreError

from .rows import POSTGRESQL

BUSY_MS = 5000  # that SQLite waits for another process: a backup, or an administrator
READERS = {"sqlite": 2, POSTGRESQL: 4}  # questions that are asked at the same time
CONNECT: dict[str, Any] = dict(connect_timeout=5, application_name="calza", keepalives_idle=30, tcp_user_timeout=10_000)

COMMON: dict[str, Any] = {"hide_parameters": True}  # what is in an error gets into logs, and seeds are parameters
ANY_THREAD: dict[str, Any] = {"connect_args": {"check_same_thread": False}}

EXAMPLES = "sqlite:///arena.sqlite or postgresql://user@host/name"


class Address(Struct, frozen=True):
    """Where a store is."""

    url: URL

    @property
    def shown(self) -> str:
        """The address without its password."""
        return self.url.set(drivername=self.kind).render_as_string(hide_password=True)

    @property
    def kind(self) -> str:
        """`sqlite` or `postgresql`."""
        return self.url.get_backend_name()

    @property
    def file(self) -> str:
        """The file of an SQLite database; empty for one in memory."""
        name = self.url.database or ""
        return "" if self.kind != "sqlite" or name == ":memory:" else name

    @property
    def in_memory(self) -> bool:
        """Whether it lives and dies with this process."""
        return self.kind == "sqlite" and not self.file


def read_address(text: str) -> Address:
    """Where a store is, from a URL; StoreError when that is none."""
    try:
        url = make_url(text)
    except ArgumentError:
        raise StoreError(f"this is no address of a store; write one like {EXAMPLES}") from None
    match url.drivername:
        case "sqlite":
            return Address(url)
        case "postgresql" | "postgres" | "postgresql+psycopg":
            return Address(url.set(drivername="postgresql+psycopg"))
    raise StoreError(f"a store cannot be kept in {url.drivername}; write an address like {EXAMPLES}")


def writer(address: Address) -> Engine:
    """Connections that write."""
    if address.kind == POSTGRESQL:
        engine = create_engine(address.url, pool_size=1, max_overflow=1, connect_args=CONNECT, **COMMON)
        event.listen(engine, "connect", never_acknowledge_early)
        return engine
    if address.in_memory:
        engine = create_engine(address.url, poolclass=StaticPool, **COMMON, **ANY_THREAD)
        return set_up(engine, "BEGIN", ["foreign_keys = ON"])
    make_private(address.file)
    engine = create_engine(address.url, pool_size=1, max_overflow=1, **COMMON, **ANY_THREAD)
    durable = ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", f"busy_timeout = {BUSY_MS}"]
    return set_up(engine, "BEGIN IMMEDIATE", durable)


def reader(address: Address) -> Engine:
    """Connections that read, each from a state of the store in which nothing changes while it looks."""
    many = READERS[address.kind]
    if address.kind == POSTGRESQL:
        snapshots = "REPEATABLE READ"
        pool = dict(pool_size=many, max_overflow=0)
        engine = create_engine(address.url, isolation_level=snapshots, connect_args=CONNECT, **pool, **COMMON)
        event.listen(engine, "connect", read_only)
        return engine
    engine = create_engine(address.url, pool_size=many, max_overflow=0, **COMMON, **ANY_THREAD)
    return set_up(engine, "BEGIN", [f"busy_timeout = {BUSY_MS}", "query_only = ON"])


def set_up(engine: Engine, begin: str, pragmas: list[str]) -> Engine:
    """Begin transactions in our words: Python's would begin them only at the first change."""

    def connect(connection: Any, _: object) -> None:
        connection.isolation_level = None
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}").close()

    event.listen(engine, "connect", connect)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
    return engine


def never_acknowledge_early(connection: Any, _: object) -> None:
    """A server may be told to say that a commit is done before it is; moves are lost by that."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
        )
    connection.commit()


def read_only(connection: Any, _: object) -> None:
    connection.read_only = True


def make_private(file: str) -> None:
    """Make the file and its folder, for nobody else to read: seeds and keys are in it."""
    if folder := os.path.dirname(file):
        os.makedirs(folder, exist_ok=True)
    os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
