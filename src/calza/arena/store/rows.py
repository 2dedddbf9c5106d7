"""Rows and values: what every question and every write needs."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain
from typing import Any, Generic, TypeVar

from msgspec import Struct
from sqlalchemy import Column, Connection, Table, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import Insert

from calza.arena.errors import ArenaError

T = TypeVar("T")
Question = Callable[[Connection], T]  # asked of the store, or written to it: called with a connection, in a transaction

POSTGRESQL = "postgresql"
LARGEST = 32  # rows in one statement of SQLite
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


class Given:
    """A statement about rows that come with it, by the name `new`: done once for all of them, and fast.

    SQLite is given values, PostgreSQL an array of each column; both understand the rest. What counts is that there is
    only one statement: after each step of each, the thread has to wait for its turn in Python, which a busy event loop
    is slow to give away.
    """

    def __init__(self, columns: Sequence[Column[Any]], statement: str) -> None:
        self.head = f"WITH new ({names(columns)}) AS "
        self.row = f"({', '.join('?' * len(columns))})"
        kinds = [one.type.compile(postgresql.dialect()) for one in columns]  # type: ignore[no-untyped-call]
        self.arrays = ", ".join(f"%s::{kind}[]" for kind in kinds)
        self.statement = statement
        self.text = cache(self.text_of)

    def __call__(self, db: Connection, rows: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Do it; returns what it selects."""
        if db.dialect.name == POSTGRESQL:
            return selected(db, self.text(0), transposed(rows)) if rows else []
        found, start = [], 0
        while start < len(rows):
            # Powers of two, so that there are few statements, which SQLite then need not read again.
            size = min(LARGEST, 1 << (len(rows) - start).bit_length() - 1)
            flat = tuple(chain.from_iterable(rows[start : start + size]))
            found += selected(db, self.text(size), flat)
            start += size
        return found

    def text_of(self, rows: int) -> str:
        """The statement for so many rows; 0 stands for the arrays of any number."""
        given = f"VALUES {', '.join([self.row] * rows)}" if rows else f"SELECT * FROM unnest({self.arrays})"
        return f"{self.head}({given}) {self.statement}"


def selected(db: Connection, text: str, parameters: tuple[Any, ...]) -> list[Any]:
    """What a statement selects, if it does."""
    result = db.exec_driver_sql(text, parameters)
    return list(result.all()) if result.returns_rows else []


def names(columns: Iterable[Column[Any]]) -> str:
    """Columns as they are named in a statement."""
    return ", ".join(f'"{one.name}"' for one in columns)


def transposed(rows: Sequence[tuple[Any, ...]]) -> tuple[list[Any], ...]:
    """Columns from rows."""
    return tuple(list(column) for column in zip(*rows, strict=True))


def adding(table: Table, latest: tuple[str, ...] = ()) -> Given:
    """Adds each row to the one of the same key, and only replaces what is `latest`; no two rows may share their key."""
    key = list(table.primary_key)
    more = [
        f'"{one.name}" = {"" if one.name in latest else f""" "{table.name}"."{one.name}" + """}excluded."{one.name}"'
        for one in table.c
        if not one.primary_key
    ]
    return Given(
        list(table.c),
        f"""INSERT INTO "{table.name}" ({names(table.c)}) SELECT * FROM new WHERE true
        ON CONFLICT ({names(key)}) DO UPDATE SET {", ".join(more)}""",
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
