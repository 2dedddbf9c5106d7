"""Tables that are being filled: who opened one, who sits at it, and the match that it has become."""

from typing import ClassVar

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import Connection, delete, func, insert, or_, select, update

from . import schema
from .rows import columns

t, c = schema.tables, schema.chairs


class Invitation(Struct, frozen=True):
    """A table; whoever knows its code may sit down."""

    code: str
    host: str
    game: str
    size: int
    created_ms: int
    expires_ms: int
    begun_ms: int | None = None
    match: str | None = None
    counts: bool = True  # for ratings, if everybody who sits there can be rated


class Chair(Struct, frozen=True):
    """Somebody who sits there."""

    agent: str
    name: str
    house: str
    since_ms: int


class Filling(Struct, frozen=True):
    """A table and who sits there, in the order in which they sat down."""

    table: Invitation
    chairs: tuple[Chair, ...]

    @property
    def free(self) -> int:
        """How many may still sit down."""
        return self.table.size - len(self.chairs)


class Invite(Struct, frozen=True):
    """A new table at which some sit already; those that nobody began in time are cleared away."""

    table: Invitation
    chairs: tuple[Chair, ...]

    def __call__(self, db: Connection) -> None:
        past = select(t.c.code).where(t.c.expires_ms <= self.table.created_ms)
        db.execute(delete(c).where(c.c.table.in_(past)))
        db.execute(delete(t).where(t.c.expires_ms <= self.table.created_ms))
        db.execute(insert(t), asdict(self.table))
        db.execute(
            insert(c), [asdict(one) | {"table": self.table.code, "number": n} for n, one in enumerate(self.chairs)]
        )


class Sit(Struct, frozen=True):
    """Somebody sits down; a word says why not: `begun`, `full`. Whoever sits there already is left in peace."""

    code: str
    chair: Chair
    one_at_a_time: ClassVar[bool] = True

    def __call__(self, db: Connection) -> str | None:
        agents = set(db.scalars(select(c.c.agent).where(c.c.table == self.code)))
        if self.chair.agent in agents:
            return None
        table = db.execute(select(t.c.size, t.c.begun_ms).where(t.c.code == self.code)).first()
        if table is None or table.begun_ms is not None:
            return "begun"
        if len(agents) >= table.size:
            return "full"
        last = db.scalar(select(func.max(c.c.number)).where(c.c.table == self.code))
        db.execute(insert(c).values(table=self.code, number=(last or 0) + 1, **asdict(self.chair)))
        return None


class StandUp(Struct, frozen=True):
    """Somebody leaves a table that has not begun; False when nobody was there to leave."""

    code: str
    agent: str
    one_at_a_time: ClassVar[bool] = True

    def __call__(self, db: Connection) -> bool:
        waits = select(t.c.code).where(t.c.code == self.code, t.c.begun_ms.is_(None))
        gone = delete(c).where(c.c.table.in_(waits), c.c.agent == self.agent)
        return db.execute(gone).rowcount == 1


class Begin(Struct, frozen=True):
    """A table that is full begins, once: True for whoever is to open its match. What failed may be tried again."""

    code: str
    now_ms: int
    again_ms: int
    one_at_a_time: ClassVar[bool] = True

    def __call__(self, db: Connection) -> bool:
        late = or_(t.c.begun_ms.is_(None), t.c.begun_ms <= self.now_ms - self.again_ms)
        sit = select(func.count()).select_from(c).where(c.c.table == self.code).scalar_subquery()
        waits = update(t).where(t.c.code == self.code, t.c.match.is_(None), late, t.c.size == sit)
        return db.execute(waits.values(begun_ms=self.now_ms)).rowcount == 1


class Began(Struct, frozen=True):
    """The match that a table has become."""

    code: str
    match: str

    def __call__(self, db: Connection) -> None:
        db.execute(update(t).where(t.c.code == self.code).values(match=self.match))


class ByCode(Struct, frozen=True):
    """A table by its code; None for one that is no more."""

    code: str
    now_ms: int

    def __call__(self, db: Connection) -> Filling | None:
        found = select(*columns(t, Invitation)).where(t.c.code == self.code, t.c.expires_ms > self.now_ms)
        row = db.execute(found).first()
        if row is None:
            return None
        sitting = select(*columns(c, Chair)).where(c.c.table == self.code).order_by(c.c.number)
        return Filling(Invitation(*row), tuple(Chair(*one) for one in db.execute(sitting)))


class HostedBy(Struct, frozen=True):
    """How many tables that have not begun somebody keeps open."""

    host: str
    now_ms: int

    def __call__(self, db: Connection) -> int:
        open = t.c.begun_ms.is_(None) & (t.c.expires_ms > self.now_ms)
        return db.scalar(select(func.count()).select_from(t).where(t.c.host == self.host, open)) or 0
