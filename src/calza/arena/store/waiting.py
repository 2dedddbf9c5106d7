"""The queue: who waits for which game. Somebody waits once for a game, whatever it asks a second time."""

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import Connection, delete, func, select

from . import schema
from .rows import columns, new

t, p = schema.waiting, schema.players


class Waiting(Struct, frozen=True):
    """Somebody in the queue."""

    agent: str
    game: str
    lane: str
    players: int  # at the table that it wants
    salt: str
    agents_only: bool
    capacity: int  # matches that it can hold at once
    since_ms: int
    expires_ms: int


class Enter(Struct, frozen=True):
    """Somebody queues; returns the row that stands, which is the one before if there is one that has not expired.

    Returns None, and leaves no row, for somebody who has just sat down to play this game and can hold no more.
    """

    row: Waiting

    def __call__(self, db: Connection) -> Waiting | None:
        mine = (t.c.agent == self.row.agent) & (t.c.game == self.row.game)
        db.execute(delete(t).where(mine, t.c.expires_ms <= self.row.since_ms))
        entered = db.execute(new(t, db.dialect.name), asdict(self.row)).rowcount == 1
        # Asked after the insertion: that waits for another node which is just taking this agent to a table.
        if entered and self.plays(db):
            db.execute(delete(t).where(mine))
        row = db.execute(select(*columns(t, Waiting)).where(mine)).first()
        return Waiting(*row) if row else None

    def plays(self, db: Connection) -> bool:
        """Whether it plays this game, and as much as it can hold."""
        games = list(db.scalars(select(p.c.game).where(p.c.agent == self.row.agent, p.c.out_ms.is_(None))))
        return self.row.game in games and len(games) >= self.row.capacity


class Leave(Struct, frozen=True):
    """Somebody leaves the queue of a game, or every queue; returns how many those were."""

    agent: str
    game: str | None = None

    def __call__(self, db: Connection) -> int:
        gone = delete(t).where(t.c.agent == self.agent)
        return db.execute(gone if self.game is None else gone.where(t.c.game == self.game)).rowcount


class Expire(Struct, frozen=True):
    """Who has waited for too long waits no more; returns how many those were."""

    now_ms: int

    def __call__(self, db: Connection) -> int:
        return db.execute(delete(t).where(t.c.expires_ms <= self.now_ms)).rowcount


class Position(Struct, frozen=True):
    """Whose turn it is, from 1, among those who want the same table; None for somebody who does not wait."""

    agent: str
    game: str

    def __call__(self, db: Connection) -> int | None:
        me = db.execute(select(t).where(t.c.agent == self.agent, t.c.game == self.game)).first()
        if me is None:
            return None
        before = (t.c.since_ms < me.since_ms) | ((t.c.since_ms == me.since_ms) & (t.c.agent <= me.agent))
        same = (t.c.game == me.game) & (t.c.lane == me.lane) & (t.c.players == me.players)
        return db.scalar(select(func.count()).select_from(t).where(same, before))


class Of(Struct, frozen=True):
    """What somebody waits for."""

    agent: str

    def __call__(self, db: Connection) -> list[Waiting]:
        found = select(*columns(t, Waiting)).where(t.c.agent == self.agent).order_by(t.c.game)
        return [Waiting(*row) for row in db.execute(found)]


class Queue(Struct, frozen=True):
    """All who wait, in the order in which they came."""

    now_ms: int

    def __call__(self, db: Connection) -> list[Waiting]:
        found = select(*columns(t, Waiting)).where(t.c.expires_ms > self.now_ms)
        return [Waiting(*row) for row in db.execute(found.order_by(t.c.since_ms, t.c.agent, t.c.game))]


class Depth(Struct, frozen=True):
    """How many wait for each game."""

    def __call__(self, db: Connection) -> dict[str, int]:
        return dict(db.execute(select(t.c.game, func.count()).group_by(t.c.game)).all())
