"""Rows and values: what every question and every write needs."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Generic, TypeVar

from msgspec import Struct
from sqlalchemy import Column, Connection, Table, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import Insert

from calza.arena.errors import ArenaError

T = TypeVar("T")
Question = Callable[[Connection], T]  # asked of the store, or written to it: called with a connection, in a transaction

POSTGRESQL = "postgresql"
TURN = 0x63616C7A61  # "calza": the lock of what only one node does at a time


class Part(Struct, Generic[T], frozen=True):
    """A part of a long list; `cursor` asks for the next part, and is None after the last."""

    rows: list[T]
    cursor: str | None


def columns(table: Table, kind: type[Struct]) -> list[Column[Any]]:
    """The columns of a table that make up a value, in the order of its fields: `kind(*row)`."""
    return [table.c[name] for name in kind.__struct_fields__]


@cache
def new(table: Table, dialect: str) -> Insert:
    """An insertion that does nothing where there is a row of the same key; each database has a class of its own."""
    insert: Any = postgresql.insert if dialect == POSTGRESQL else sqlite.insert
    row = insert(table).on_conflict_do_nothing()
    return row.execution_options(preserve_rowcount=True)  # type: ignore[no-any-return]


@cache
def sum_of(table: Table, dialect: str, key: tuple[str, ...], latest: tuple[str, ...] = ()) -> Insert:
    """An insertion that adds to the row of the same key, and only replaces what is `latest`.

    Made once for each table: to make one takes longer than to use it.
    """
    insert: Any = postgresql.insert if dialect == POSTGRESQL else sqlite.insert
    row = insert(table)
    more = {one.name: one + row.excluded[one.name] for one in table.c if one.name not in key + latest}
    return row.on_conflict_do_update(  # type: ignore[no-any-return]
        index_elements=key, set_=more | {name: row.excluded[name] for name in latest}
    )


def take_turn(connection: Connection) -> None:
    """Keep the `one_at_a_time` writes of other nodes waiting until this transaction ends."""
    if connection.dialect.name == POSTGRESQL:  # SQLite has one writer anyway
        connection.execute(select(func.pg_advisory_xact_lock(TURN)))


def part(rows: Sequence[T], limit: int, key: Callable[[T], tuple[object, str]]) -> Part[T]:
    """The first `limit` of `rows`, of which one more was asked for to know whether the list goes on."""
    kept = list(rows[:limit])
    more = len(rows) > limit
    return Part(kept, "{}.{}".format(*key(kept[-1])) if more else None)


def after(cursor: str, number: Callable[[str], T]) -> tuple[T, str]:
    """What a cursor says: a number and an id."""
    try:
        first, _, last = cursor.rpartition(".")
        return number(first), last
    except ValueError:
        raise ArenaError(400, "invalid_input", "cursor: take it from the reply before, unchanged") from None
