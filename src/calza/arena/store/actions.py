"""The actions of matches, in their order: what an arena must not lose.

Two requests may want to be the same action of a match, even in one group of writes. The key of the table decides
which of them is stored, and its token says which one that was.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple
from sqlalchemy import Connection, bindparam, select, tuple_

from . import schema
from .rows import POSTGRESQL, columns

a = schema.actions


class Done(Struct, frozen=True):
    """An action, as it was played."""

    match: str
    sequence: int
    seat: int
    text: str  # in notation
    at_ms: int
    due_ms: int | None  # when the turn that follows ends
    say: str | None = None
    usage: str | None = None  # JSON: what it cost its agent
    token: bytes = b""  # of the request: 16 random bytes


class Act(Struct, frozen=True):
    """An action is played; True when it is this request's that is stored, and not another one with its number."""

    done: Done

    def __call__(self, db: Connection) -> bool:
        return self.batch(db, [self])[0]

    @classmethod
    def batch(cls, db: Connection, writes: Sequence["Act"]) -> list[bool]:
        """Many at once, which costs each of them little."""
        # In one order, whoever writes: two nodes that play two actions in two orders would wait for each other.
        wanted = sorted((write.done for write in writes), key=attrgetter("match", "sequence"))
        stored = store(db, wanted)
        clocks = {one.match: one.due_ms for one in wanted if one.token in stored}
        if clocks:
            set_clocks(db, clocks)
        return [write.done.token in stored for write in writes]


class After(Struct, frozen=True):
    """The actions of a match that come after `sequence`; all of them after -1."""

    match: str
    sequence: int = -1

    def __call__(self, db: Connection) -> list[Done]:
        return [Done(*row) for row in db.execute(AFTER, {"which": self.match, "last": self.sequence})]


FIELDS = Done.__struct_fields__
NAMES = ", ".join(f'"{name}"' for name in FIELDS)
AFTER = (
    select(*columns(a, Done))
    .where(a.c.match == bindparam("which"), a.c.sequence > bindparam("last"))
    .order_by(a.c.sequence)
)
MANY = 400  # keys in one question

# Written out for each database, because a move's share of one of these is most of what it costs. They select from the
# match, so that nothing is stored of one that has ended; PostgreSQL also waits for a node that is just ending it.
SQLITE = f"""
    INSERT INTO actions ({NAMES}) SELECT {", ".join("?" + str(at) for at in range(1, len(FIELDS) + 1))}
    FROM matches WHERE id = ?1 AND finished_ms IS NULL ON CONFLICT DO NOTHING"""
SQLITE_CLOCK = "UPDATE matches SET due_ms = ?2 WHERE id = ?1"
TYPES = ("text", "int", "int", "text", "bigint", "bigint", "text", "text", "bytea")
POSTGRES = f"""
    INSERT INTO actions ({NAMES}) SELECT played.* FROM matches
    JOIN unnest({", ".join(f"%s::{kind}[]" for kind in TYPES)}) AS played ({NAMES}) ON matches.id = played.match
    WHERE finished_ms IS NULL ORDER BY played.match, played.sequence FOR NO KEY UPDATE OF matches
    ON CONFLICT DO NOTHING"""
POSTGRES_CLOCK = """
    UPDATE matches SET due_ms = clock.due_ms FROM unnest(%s::text[], %s::bigint[]) AS clock (id, due_ms)
    WHERE matches.id = clock.id"""


def store(db: Connection, wanted: Sequence[Done]) -> set[bytes]:
    """Store those whose numbers are free and whose matches are on; returns the tokens of those that are stored."""
    rows = [astuple(one) for one in wanted]
    if db.dialect.name == POSTGRESQL:
        inserted = db.exec_driver_sql(POSTGRES, transposed(rows)).rowcount
    else:
        inserted = db.exec_driver_sql(SQLITE, rows).rowcount
    if inserted == len(wanted):
        return {one.token for one in wanted}
    numbers = [(one.match, one.sequence) for one in wanted]
    stored: set[bytes] = set()
    for start in range(0, len(numbers), MANY):
        asked = tuple_(a.c.match, a.c.sequence).in_(numbers[start : start + MANY])
        stored.update(db.scalars(select(a.c.token).where(asked)))
    return stored


def set_clocks(db: Connection, clocks: dict[str, int | None]) -> None:
    """Set when the turns of matches end."""
    if db.dialect.name == POSTGRESQL:
        db.exec_driver_sql(POSTGRES_CLOCK, transposed(list(clocks.items())))
    else:
        db.exec_driver_sql(SQLITE_CLOCK, list(clocks.items()))


def transposed(rows: Sequence[tuple[Any, ...]]) -> tuple[list[Any], ...]:
    """Columns from rows: PostgreSQL takes an array of each."""
    return tuple(list(column) for column in zip(*rows, strict=True))
