"""What the arena knows of itself, and what it announces."""

from msgspec import Struct
from sqlalchemy import Connection, insert, select

from . import schema
from .rows import columns, new

f, n = schema.facts, schema.news


class Get(Struct, frozen=True):
    """A fact, by its name."""

    name: str

    def __call__(self, db: Connection) -> str | None:
        return db.scalar(select(f.c.value).where(f.c.name == self.name))


class Put(Struct, frozen=True):
    """A fact, for ever; returns the value that stands, which is that of whoever came first."""

    name: str
    value: str

    def __call__(self, db: Connection) -> str:
        db.execute(new(f, db.dialect.name), {"name": self.name, "value": self.value})
        return str(db.scalar(select(f.c.value).where(f.c.name == self.name)))

    def __repr__(self) -> str:
        return f"Put({self.name!r})"  # the signing key is a fact


class Item(Struct, frozen=True):
    """An announcement."""

    id: int
    at_ms: int
    title: str
    text: str


class AddNews(Struct, frozen=True):
    """An announcement; returns its number."""

    at_ms: int
    title: str
    text: str

    def __call__(self, db: Connection) -> int:
        new = insert(n).values(at_ms=self.at_ms, title=self.title, text=self.text).returning(n.c.id)
        return int(db.execute(new).scalar_one())


class News(Struct, frozen=True):
    """What was announced since then, latest first."""

    since_ms: int = 0
    limit: int = 100

    def __call__(self, db: Connection) -> list[Item]:
        found = select(*columns(n, Item)).where(n.c.at_ms >= self.since_ms)
        return [Item(*row) for row in db.execute(found.order_by(n.c.at_ms.desc(), n.c.id.desc()).limit(self.limit))]
