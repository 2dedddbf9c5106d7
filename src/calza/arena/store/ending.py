"""A match ends, once: its record, who won, what that does to ratings, and the sums that are kept of all matches."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import Connection, bindparam, func, insert, select, update

from . import schema
from .rows import sum_of
from .seated import Rating, is_live, size_class, written

a, m, p = schema.actions, schema.matches, schema.players
ratings, habits, games, days = schema.ratings, schema.habits, schema.games, schema.days

# Mu and sigma of everybody after the match, from their agents, mu and sigma before it; both in the order of joining.
Rate = Callable[[list[tuple[str, float, float]]], Sequence[tuple[float, float]]]


class Ending(Struct, frozen=True):
    """What a match came to for one player."""

    joined: int
    agent: str
    outcome: str  # "win", "loss", "draw"
    place: int
    dice_left: int
    out_ms: int | None = None  # when it went out, if before the end


class Habits(Struct, frozen=True):
    """How somebody played: sums, to which those of more matches are added."""

    agent: str
    moves: int = 0
    millis: int = 0
    illegal: int = 0
    timeouts: int = 0
    bids: int = 0
    bluffs: int = 0
    calls: int = 0
    calls_right: int = 0
    tokens: int = 0
    cost: float = 0.0


class Finish(Struct, frozen=True):
    """A match ends; False, and nothing changes, when it had ended before, or has actions that the record lacks.

    The latter happens when another node stored one after the record was made: make it again, and try again.
    """

    match: str
    finished_ms: int
    reason: str
    record: bytes
    actions: int  # in the record
    players: tuple[Ending, ...]  # in the order of joining
    status: str = "completed"  # or "aborted"
    signature: str | None = None
    habits: tuple[Habits, ...] = ()
    rate: Rate | None = None
    fresh: Rating = Rating()  # of whoever has not been rated before
    one_at_a_time: ClassVar[bool] = True

    def __call__(self, db: Connection) -> bool:
        match = db.execute(ON, {"which": self.match}).first()
        if match is None or db.scalar(PLAYED, {"which": self.match}) != self.actions:
            return False
        self.end(db)
        if self.rate is not None:
            self.rate_all(db, match.game, size_class(match.size), self.rate)
        if self.habits:
            sums = sum_of(habits, db.dialect.name, ("agent", "game"))
            db.execute(sums, [asdict(one) | {"game": match.game} for one in self.habits])
        began = match.created_ms if match.started_ms is None else match.started_ms
        won = any(one.outcome == "win" for one in self.players)
        more = dict(game=match.game, matches=1, decisive=int(won), millis=self.finished_ms - began)
        db.execute(sum_of(games, db.dialect.name, ("game",)), more)
        db.execute(sum_of(days, db.dialect.name, ("day",)), dict(day=day(self.finished_ms), matches=1))
        return True

    def end(self, db: Connection) -> None:
        """Write down how the match ended."""
        said = dict(status=self.status, reason=self.reason, record=self.record, signature=self.signature)
        db.execute(END, said | dict(which=self.match, finished_ms=self.finished_ms, due_ms=None))
        ends = [
            dict(outcome=one.outcome, place=one.place, left=one.dice_left, out=one.out_ms or self.finished_ms)
            for one in self.players
        ]
        db.execute(OUT, [end | self.seat(one) for one, end in zip(self.players, ends, strict=True)])

    def rate_all(self, db: Connection, game: str, size: str, rate: Rate) -> None:
        """Change the ratings of all who played."""
        agents = [one.agent for one in self.players]
        kind = dict(game=game, size=size)
        old = {row.agent: Rating(row.mu, row.sigma) for row in db.execute(RATED, kind | dict(agents=agents))}
        before = [old.get(agent, self.fresh) for agent in agents]
        changed = rate([(agent, one.mu, one.sigma) for agent, one in zip(agents, before, strict=True)])
        lines, points, changes = [], [], []
        for one, was, (mu, sigma) in zip(self.players, before, changed, strict=True):
            now = Rating(mu, sigma)
            rated = kind | dict(agent=one.agent, mu=mu, sigma=sigma)
            lines.append(rated | dict(ordinal=now.ordinal, games=1, wins=int(one.outcome == "win")))
            points.append(rated | dict(match=self.match, at_ms=self.finished_ms))
            changes.append(self.seat(one) | dict(was=written(was), now=written(now)))
        db.execute(sum_of(ratings, db.dialect.name, ("agent", "game", "size"), ("mu", "sigma", "ordinal")), lines)
        db.execute(insert(schema.rating_history), points)
        db.execute(CHANGED, changes)

    def seat(self, one: Ending) -> dict[str, Any]:
        """Whose row it is."""
        return dict(which=self.match, who=one.joined)


# Locked, so that no node stores an action of a match that another is just ending.
ON = select(m.c.game, m.c.size, m.c.created_ms, m.c.started_ms).where(m.c.id == bindparam("which"), is_live())
ON = ON.with_for_update()
PLAYED = select(func.count()).where(a.c.match == bindparam("which"))
END = update(m).where(m.c.id == bindparam("which"))
MINE = (p.c.match == bindparam("which")) & (p.c.joined == bindparam("who"))
OUT = (
    update(p)
    .where(MINE)
    .values(
        outcome=bindparam("outcome"),
        place=bindparam("place"),
        dice_left=bindparam("left"),
        out_ms=func.coalesce(p.c.out_ms, bindparam("out")),
    )
)
CHANGED = update(p).where(MINE).values(before=bindparam("was"), after=bindparam("now"))
RATED = select(ratings.c.agent, ratings.c.mu, ratings.c.sigma).where(
    ratings.c.agent.in_(bindparam("agents", expanding=True)),
    ratings.c.game == bindparam("game"),
    ratings.c.size == bindparam("size"),
)


def day(ms: int) -> str:
    """The day of a time, in UTC."""
    return datetime.fromtimestamp(ms / 1000, UTC).date().isoformat()
