"""The processes that serve the arena, and the time that passed while there was none."""

from typing import ClassVar

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, delete, func, select, update

from . import schema
from .rows import POSTGRESQL, sum_of
from .seated import is_live
from .tray import tray_of

FORGOTTEN_MS = 86_400_000  # a node that has been silent for a day is not coming back: a restarted one has a new name

n, a, m, w = schema.nodes, schema.actions, schema.matches, schema.waiting


class Beat(Struct, frozen=True):
    """A node is alive."""

    node: str
    now_ms: int

    def __call__(self, db: Connection) -> None:
        beat = sum_of(n, db.dialect.name, ("node",), latest=("alive_ms",))
        db.execute(beat, {"node": self.node, "alive_ms": self.now_ms})


class Wake(Struct, frozen=True):
    """A node serves, or does so again; returns the milliseconds during which none did, which all clocks are given back.

    Those are the clocks of turns, and of waiting in the queue. Shorter than `grace_ms` is no interruption.
    """

    node: str
    now_ms: int
    grace_ms: int
    one_at_a_time: ClassVar[bool] = True

    def __call__(self, db: Connection) -> int:
        last = db.scalar(select(func.max(n.c.alive_ms)))
        gap = 0 if last is None else self.now_ms - last
        if gap <= self.grace_ms:
            gap = 0
        else:
            if db.dialect.name != POSTGRESQL:
                tray_of(db).file_all(db)  # the ends of turns are looked up under the matches
            db.execute(update(m).where(is_live(), m.c.due_ms.is_not(None)).values(due_ms=due(db) + gap))
            db.execute(update(w).values(expires_ms=w.c.expires_ms + gap))
        db.execute(delete(n).where(n.c.alive_ms < self.now_ms - FORGOTTEN_MS))
        Beat(self.node, self.now_ms)(db)
        return gap


def due(db: Connection) -> ColumnElement[int]:
    """When the turn of a match ends: as its last action says, or later if its clock was given time back since."""
    last = select(a.c.due_ms).where(a.c.match == m.c.id).order_by(a.c.sequence.desc()).limit(1).scalar_subquery()
    greater = func.greatest if db.dialect.name == POSTGRESQL else func.max
    return greater(m.c.due_ms, func.coalesce(last, 0))


class Alive(Struct, frozen=True):
    """The nodes that were alive since then."""

    since_ms: int

    def __call__(self, db: Connection) -> list[str]:
        return list(db.scalars(select(n.c.node).where(n.c.alive_ms >= self.since_ms).order_by(n.c.node)))
