"""Seeds that the arena has committed to, by number: drawn ahead of time, used strictly in their order."""

from typing import ClassVar

from msgspec import Struct
from sqlalchemy import Connection, func, insert, select

from . import schema

s, m = schema.seeds, schema.matches


class Numbered(Struct, frozen=True):
    """A seed as everybody may know it."""

    number: int
    commitment: str
    match: str | None  # that took it
    seed: bytes | None  # once that match has ended


class Draw(Struct, frozen=True):
    """New seeds and their commitments, numbered on from the last; returns the number of the last of these."""

    drawn: tuple[tuple[bytes, str], ...]
    one_at_a_time: ClassVar[bool] = True

    def __call__(self, db: Connection) -> int:
        last = db.scalar(select(func.max(s.c.number))) or 0
        rows = [
            {"number": number, "seed": seed, "commitment": commitment}
            for number, (seed, commitment) in enumerate(self.drawn, last + 1)
        ]
        if rows:
            db.execute(insert(s), rows)
        return last + len(rows)

    def __repr__(self) -> str:
        return f"Draw({len(self.drawn)} seeds)"


class Unused(Struct, frozen=True):
    """How many seeds are left."""

    def __call__(self, db: Connection) -> int:
        return db.scalar(select(func.count()).select_from(s).where(s.c.match.is_(None))) or 0


class Page(Struct, frozen=True):
    """The seeds with numbers below `before`, latest first."""

    limit: int = 100
    before: int | None = None

    def __call__(self, db: Connection) -> list[Numbered]:
        found = select(s.c.number, s.c.commitment, s.c.match, s.c.seed, m.c.finished_ms)
        found = found.outerjoin(m, m.c.id == s.c.match).order_by(s.c.number.desc()).limit(self.limit)
        if self.before is not None:
            found = found.where(s.c.number < self.before)
        return [
            Numbered(number, commitment, match, None if finished_ms is None else seed)
            for number, commitment, match, seed, finished_ms in db.execute(found)
        ]
