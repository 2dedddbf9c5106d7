"""Matches: where they stand, who plays them, and what became of them."""

from typing import Any

from msgspec import Struct
from sqlalchemy import Column, Connection, Select, exists, func, literal, select, tuple_, update

from . import schema
from .ending import Ending, Finish, Habits, Rate
from .opening import Joining, Open, Seats
from .rows import POSTGRESQL, Part, after, columns, part
from .seated import LIVE, Match, Player, Rating, Seated, is_live, matches, seated, size_class

__all__ = [
    "LIVE",
    "ById",
    "Come",
    "Counted",
    "Counts",
    "Ending",
    "Exported",
    "Finish",
    "Habits",
    "Held",
    "Joining",
    "Live",
    "LiveOf",
    "Match",
    "OfAgent",
    "Open",
    "Out",
    "Overdue",
    "Page",
    "Player",
    "Rate",
    "Rating",
    "RecordOf",
    "Seated",
    "Seats",
    "Since",
    "Stands",
    "Start",
    "Told",
    "size_class",
]

a, m, p = schema.actions, schema.matches, schema.players
BEGAN = (p.c.created_ms, p.c.match)
Matches = Select[tuple[Any, ...]]  # a question for them


class Come(Struct, frozen=True):
    """A player has come to its match; False when it had before, or does not play there."""

    match: str
    agent: str
    at_ms: int

    def __call__(self, db: Connection) -> bool:
        mine = update(p).where(p.c.match == self.match, p.c.agent == self.agent, p.c.came_ms.is_(None))
        return db.execute(mine.values(came_ms=self.at_ms)).rowcount == 1


class Start(Struct, frozen=True):
    """The first turn begins; False when it had before."""

    match: str
    at_ms: int
    due_ms: int

    def __call__(self, db: Connection) -> bool:
        new = update(m).where(m.c.id == self.match, m.c.status == "not_started")
        return db.execute(new.values(status="active", started_ms=self.at_ms, due_ms=self.due_ms)).rowcount == 1


class Out(Struct, frozen=True):
    """A player is out of a match that goes on; False when it was before."""

    match: str
    joined: int
    out_ms: int

    def __call__(self, db: Connection) -> bool:
        mine = update(p).where(p.c.match == self.match, p.c.joined == self.joined, p.c.out_ms.is_(None))
        return db.execute(mine.values(out_ms=self.out_ms)).rowcount == 1


class ById(Struct, frozen=True):
    """A match and its players."""

    id: str

    def __call__(self, db: Connection) -> Seated | None:
        return next(iter(seated(db, db.execute(matches.where(m.c.id == self.id)).all())), None)


class Live(Struct, frozen=True):
    """All matches that have not ended, oldest first."""

    def __call__(self, db: Connection) -> list[Seated]:
        return seated(db, db.execute(matches.where(is_live()).order_by(m.c.created_ms, m.c.id)).all())


class Overdue(Struct, frozen=True):
    """Matches that are to be looked at because their turn may have ended, longest ago first."""

    now_ms: int
    limit: int = 100

    def __call__(self, db: Connection) -> list[str]:
        late = select(m.c.id).where(is_live(), m.c.due_ms <= self.now_ms)
        return list(db.scalars(late.order_by(m.c.due_ms).limit(self.limit)))


class Stands(Struct, frozen=True):
    """When these matches are to be looked at, when those that have ended did, and what other nodes have played.

    The last is a number of actions; in SQLite, where there are no other nodes, it is 0.
    """

    ids: tuple[str, ...]

    def __call__(self, db: Connection) -> dict[str, tuple[int | None, int | None, int]]:
        shared = db.dialect.name == POSTGRESQL
        played = select(func.count()).where(a.c.match == m.c.id).scalar_subquery() if shared else literal(0)
        found = select(m.c.id, m.c.due_ms, m.c.finished_ms, played).where(m.c.id.in_(self.ids))
        return {id: (due, finished, many) for id, due, finished, many in db.execute(found)}


class Held(Struct, frozen=True):
    """A match that somebody is still in."""

    match: str
    game: str
    known: bool  # to that agent: it has been told, or has come


class LiveOf(Struct, frozen=True):
    """The matches that somebody is still in, oldest first."""

    agent: str
    game: str | None = None

    def __call__(self, db: Connection) -> list[Held]:
        known = func.coalesce(p.c.told_ms, p.c.came_ms).is_not(None)
        found = select(p.c.match, p.c.game, known).where(p.c.agent == self.agent, p.c.out_ms.is_(None))
        # The game is looked at here: databases would read the index of all that the agent ever played of it.
        held = [Held(match, game, bool(known)) for match, game, known in db.execute(found.order_by(*BEGAN))]
        return [one for one in held if self.game in (None, one.game)]


class Told(Struct, frozen=True):
    """A player has been told of its match, though it may not have come yet."""

    match: str
    agent: str
    at_ms: int

    def __call__(self, db: Connection) -> None:
        mine = update(p).where(p.c.match == self.match, p.c.agent == self.agent, p.c.told_ms.is_(None))
        db.execute(mine.values(told_ms=self.at_ms))


class Page(Struct, frozen=True):
    """Matches that are `live`, `finished`, or either (None); newest first, finished ones by their end.

    Those of one agent are always in the order in which they began.
    """

    status: str | None = None
    game: str | None = None
    agent: str | None = None
    limit: int = 20
    cursor: str | None = None

    def __call__(self, db: Connection) -> Part[Seated]:
        found = matches
        if self.status is not None:
            found = found.where(is_live() if self.status == "live" else m.c.finished_ms.is_not(None))
        if self.game is not None:
            # Few are live: for those, databases are kept from reading the index of all the matches of a game.
            found = found.where((m.c.game.concat("") if self.status == "live" else m.c.game) == self.game)
        if self.agent is None:
            by_end = self.status == "finished"
            return listed(db, found, m.c.finished_ms if by_end else m.c.created_ms, m.c.id, self.limit, self.cursor)
        if self.status == "live":  # few are live, and many may be those of an agent
            at_it = exists().where(p.c.match == m.c.id, p.c.agent == self.agent)
            return listed(db, found.where(at_it), m.c.created_ms, m.c.id, self.limit, self.cursor)
        found = found.join(p, p.c.match == m.c.id).where(p.c.agent == self.agent)
        if self.game is not None:
            found = found.where(p.c.game == self.game)  # the index that is read knows it too
        return listed(db, found, p.c.created_ms, p.c.match, self.limit, self.cursor)


class OfAgent(Struct, frozen=True):
    """The matches of an agent, newest first."""

    agent: str
    limit: int = 20
    cursor: str | None = None

    def __call__(self, db: Connection) -> Part[Seated]:
        return Page(agent=self.agent, limit=self.limit, cursor=self.cursor)(db)


def listed(
    db: Connection, found: Matches, by: Column[Any], id: Column[str], limit: int, cursor: str | None
) -> Part[Seated]:
    """The matches of `found` that come after the cursor, greatest first."""
    if cursor is not None:
        found = found.where(tuple_(by, id) < tuple_(*after(cursor, int)))
    rows = db.execute(found.order_by(by.desc(), id.desc()).limit(limit + 1)).all()
    few = part(rows, limit, lambda row: (getattr(row, by.name), row.id))
    return Part(seated(db, few.rows), few.cursor)


class RecordOf(Struct, frozen=True):
    """The record of a match that has ended, as it was signed."""

    id: str

    def __call__(self, db: Connection) -> bytes | None:
        return db.scalar(select(m.c.record).where(m.c.id == self.id))


class Exported(Struct, frozen=True):
    """A match that has ended, as it is given away."""

    id: str
    finished_ms: int
    record: bytes
    signature: str | None


class Since(Struct, frozen=True):
    """The matches that have ended since then, in the order of their ends."""

    ms: int
    cursor: str | None = None
    limit: int = 100

    def __call__(self, db: Connection) -> Part[Exported]:
        found = select(*columns(m, Exported)).where(m.c.finished_ms.is_not(None), m.c.finished_ms >= self.ms)
        if self.cursor is not None:
            found = found.where(tuple_(m.c.finished_ms, m.c.id) > tuple_(*after(self.cursor, int)))
        rows = db.execute(found.order_by(m.c.finished_ms, m.c.id).limit(self.limit + 1))
        return part([Exported(*row) for row in rows], self.limit, lambda one: (one.finished_ms, one.id))


class Counted(Struct, frozen=True):
    """How many matches there are."""

    live: int
    finished: int


class Counts(Struct, frozen=True):
    """How many matches are on, and how many have ended."""

    def __call__(self, db: Connection) -> Counted:
        # Without a time in the question SQLite would read an index of all the matches.
        live = db.scalar(select(func.count()).select_from(m).where(is_live(), m.c.created_ms > 0)) or 0
        finished = db.scalar(select(func.sum(schema.games.c.matches))) or 0
        return Counted(live, int(finished))
