"""The actions of matches, in their order: what an arena must not lose.

Two requests may want to be the same action of a match, even in one group of writes. The key of the table decides
which of them is stored, and its token says which one that was.
"""

from collections.abc import Sequence
from operator import attrgetter

from msgspec import Struct
from msgspec.structs import astuple
from sqlalchemy import Connection, bindparam, func, select, tuple_, update

from . import schema
from .done import NAMES, Done
from .rows import POSTGRESQL, Given, columns, transposed
from .seated import is_live
from .tray import tray_of

a, m = schema.actions, schema.matches


class Act(Struct, frozen=True):
    """An action is played; True when it is this request's that is stored, and not another one with its number.

    A match has to be looked at when its turn ends. That is written down for a turn that ends `sooner` than somebody
    looks at it anyway; whoever looks too soon finds the end of the turn in its last action.
    """

    done: Done
    sooner: bool = True

    def __call__(self, db: Connection) -> bool:
        return self.batch(db, [self])[0]

    @classmethod
    def batch(cls, db: Connection, writes: Sequence["Act"]) -> list[bool]:
        """Many at once, which costs each of them little."""
        # In one order, whoever writes: two nodes that play two actions in two orders would wait for each other.
        wanted = sorted((write.done for write in writes), key=attrgetter("match", "sequence"))
        stored = store(db, wanted)
        clocks = {one.done.match: one.done.due_ms for one in writes if one.sooner and one.done.token in stored}
        if clocks:
            CLOCK(db, sorted(clocks.items()))
        return [write.done.token in stored for write in writes]


class After(Struct, frozen=True):
    """The actions of a match that come after `sequence`; all of them after -1."""

    match: str
    sequence: int = -1

    def __call__(self, db: Connection) -> list[Done]:
        laid = [] if db.dialect.name == POSTGRESQL else tray_of(db).of(db, self.match)
        done = [Done(*row) for row in db.execute(AFTER, {"which": self.match, "last": self.sequence})]
        last = done[-1].sequence if done else self.sequence
        return done + [one for one in laid if one.sequence > last]


class Rearm(Struct, frozen=True):
    """A match has been looked at too soon: it is to be looked at again when the turn ends that follows `last`."""

    match: str
    last: int
    due_ms: int

    def __call__(self, db: Connection) -> None:
        # The match is held first: its last action is that of whoever held it before, seen from now on.
        held = db.execute(select(m.c.id).where(m.c.id == self.match, is_live()).with_for_update()).first()
        if held and last_of(db, self.match) == self.last:
            db.execute(update(m).where(m.c.id == self.match, m.c.due_ms < self.due_ms).values(due_ms=self.due_ms))


def last_of(db: Connection, match: str) -> int | None:
    """The sequence of the last action of a match that is on, also in this transaction; -1 before the first."""
    if db.dialect.name != POSTGRESQL:
        return tray_of(db).head(db, match)
    last: int | None = db.scalar(select(func.max(a.c.sequence)).where(a.c.match == match))
    return -1 if last is None else last


AFTER = (
    select(*columns(a, Done))
    .where(a.c.match == bindparam("which"), a.c.sequence > bindparam("last"))
    .order_by(a.c.sequence)
)
MANY = 400  # keys in one question

# Written out, because a move's share of one of these is most of what it costs. It selects from the match, so that
# nothing is stored of one that has ended, and waits for a node that is just ending it.
TYPES = ("text", "int", "int", "text", "bigint", "bigint", "text", "text", "bytea")
POSTGRES = f"""
    INSERT INTO actions ({NAMES}) SELECT played.* FROM matches
    JOIN unnest({", ".join(f"%s::{kind}[]" for kind in TYPES)}) AS played ({NAMES}) ON matches.id = played.match
    WHERE finished_ms IS NULL ORDER BY played.match, played.sequence FOR NO KEY UPDATE OF matches
    ON CONFLICT DO NOTHING"""
CLOCK = Given([m.c.id, m.c.due_ms], "UPDATE matches SET due_ms = new.due_ms FROM new WHERE matches.id = new.id")


def store(db: Connection, wanted: Sequence[Done]) -> set[bytes]:
    """Store those whose numbers are free and whose matches are on; returns the tokens of those that are stored."""
    if db.dialect.name != POSTGRESQL:
        return tray_of(db).lay(db, wanted)
    inserted = db.exec_driver_sql(POSTGRES, transposed([astuple(one) for one in wanted])).rowcount
    if inserted == len(wanted):
        return {one.token for one in wanted}
    numbers = [(one.match, one.sequence) for one in wanted]
    stored: set[bytes] = set()
    for start in range(0, len(numbers), MANY):
        asked = tuple_(a.c.match, a.c.sequence).in_(numbers[start : start + MANY])
        stored.update(db.scalars(select(a.c.token).where(asked)))
    return stored
