"""A match and who sits at it, as the store has them."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, select

from . import schema
from .rows import columns

LIVE = ("not_started", "active")

m, p = schema.matches, schema.players


class Rating(Struct, frozen=True):
    """How strong somebody is, and how sure that is."""

    mu: float = 25.0
    sigma: float = 25 / 3

    @property
    def ordinal(self) -> float:
        """What it is worth almost surely: by this the leaderboard ranks."""
        return self.mu - 3 * self.sigma


class Match(Struct, frozen=True):
    """A match, without its record."""

    id: str
    game: str
    lane: str
    size: int
    status: str = "not_started"  # then "active", then "completed" or "aborted"
    seed_number: int = 0
    commitment: str = ""
    seed: bytes = b""
    created_ms: int = 0
    started_ms: int | None = None
    due_ms: int | None = None  # when it is to be looked at: at the end of the turn, or before
    finished_ms: int | None = None
    reason: str | None = None
    rated: bool = True
    gateway: str = ""  # through which its players came, if not the API
    signature: str | None = None

    def __repr__(self) -> str:
        # The seed is a secret while the match is on, and what is written into a log stays there.
        return f"Match(id={self.id!r}, game={self.game!r}, status={self.status!r}, seed_number={self.seed_number})"


class Player(Struct, frozen=True):
    """Somebody at the table."""

    joined: int  # from 0, in the order in which salts count
    agent: str
    name: str
    salt: str
    house: str
    seat: int
    came_ms: int | None = None
    out_ms: int | None = None
    outcome: str | None = None  # "win", "loss", "draw"
    place: int | None = None
    dice_left: int | None = None
    before: Rating | None = None
    after: Rating | None = None


class Seated(Struct, frozen=True):
    """A match and its players in the order of joining."""

    match: Match
    players: tuple[Player, ...]


def size_class(size: int) -> str:
    """Tables that are rated together: two play another game than many."""
    return "2" if size == 2 else "3-6"


matches = select(*columns(m, Match))
players = select(p.c.match, *columns(p, Player)).order_by(p.c.match, p.c.joined)


def seated(db: Connection, rows: Iterable[Sequence[Any]]) -> list[Seated]:
    """Matches with their players, in the order of `rows`."""
    found = [Match(*row) for row in rows]
    sitting: dict[str, list[Player]] = {one.id: [] for one in found}
    for start in range(0, len(found), 500):  # SQLite and PostgreSQL bound the parameters of a statement
        for row in db.execute(players.where(p.c.match.in_([one.id for one in found[start : start + 500]]))):
            sitting[row[0]].append(player(row))
    return [Seated(one, tuple(sitting[one.id])) for one in found]


def player(row: Sequence[Any]) -> Player:
    """A player from a row of `players`."""
    said = [*row[1:-2], read(row[-2]), read(row[-1])]
    return Player(*said)


def read(text: object) -> Rating | None:
    return None if text is None else msgspec.json.decode(str(text), type=Rating)


def written(rating: Rating) -> str:
    """A rating as it stands in a row."""
    return msgspec.json.encode(rating).decode()


def is_live() -> ColumnElement[bool]:
    """Written like the condition of the partial indexes, which is how databases know that they may use them."""
    return m.c.finished_ms.is_(None)
