"""A match ends, once: its record, who won, what that does to ratings, and the sums that are kept of all matches."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import astuple
from sqlalchemy import Connection

from . import schema
from .rows import POSTGRESQL, Given, adding, names
from .seated import Rating, size_class, written
from .tray import tray_of

m, p, r, h = schema.matches, schema.players, schema.ratings, schema.rating_history

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
    """A match ends; None, and nothing changes, when it had ended before, or has actions that the record lacks.

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

    def __call__(self, db: Connection) -> "Changes | None":
        return self.batch(db, [self])[0]

    @classmethod
    def batch(cls, db: Connection, writes: Sequence["Finish"]) -> list["Changes | None"]:
        """Many at once, which costs each of them little; it comes to the same as one after another."""
        on, ratings = begun(db, writes)
        ends: list[End] = []
        mine: list[bool] = []
        for write in writes:
            match = on.get(write.match)
            mine.append(match is not None and match.actions == write.actions)
            if mine[-1]:
                ends.append((write, on.pop(write.match)))
        changes = end(db, ends, ratings) if ends else {}
        tray_of(db).end([write.match for write, _ in ends])
        return [changes[write.match] if is_mine else None for write, is_mine in zip(writes, mine, strict=True)]


class Begun(Struct, frozen=True):
    """What an end has to know of its match."""

    game: str
    began_ms: int
    actions: int


Change = tuple[Rating, Rating]  # before and after
Changes = tuple[Change | None, ...]  # of the players of a match, in the order of joining
End = tuple[Finish, Begun]
Kind = tuple[str, str, str]  # of a rating: whose it is, the game, and the class of the table's size


def begun(db: Connection, writes: Sequence[Finish]) -> tuple[dict[str, Begun], dict[Kind, Rating]]:
    """Those of their matches that are on, and what is known of the players."""
    matches = sorted({write.match for write in writes})
    if db.dialect.name == POSTGRESQL:
        LOCK(db, [(match,) for match in matches])
    else:
        tray_of(db).file(db, matches)
    # Both are asked for at once, since every row that is read is a step more.
    asked = {(write.match, one.agent, size_class(len(write.players))) for write in writes for one in write.players}
    on: dict[str, Begun] = {}
    ratings: dict[Kind, Rating] = {}
    for match, agent, size, game, began_ms, actions, mu, sigma in ON(db, sorted(asked)):
        on[match] = Begun(game, began_ms, actions)
        if mu is not None:
            ratings[agent, game, size] = Rating(mu, sigma)
    return on, ratings


def end(db: Connection, ends: Sequence[End], ratings: dict[Kind, Rating]) -> dict[str, Changes]:
    """Write down how matches ended; returns what that did to ratings, by match."""
    END(db, [(one.match, one.status, one.reason, one.record, one.signature, one.finished_ms) for one, _ in ends])
    changes: dict[str, Changes] = {write.match: (None,) * len(write.players) for write, _ in ends}
    changes |= rate_all(db, [one for one in ends if one[0].rate is not None], ratings)
    OUT(
        db,
        [
            (write.match, one.joined, one.outcome, one.place, one.dice_left, one.out_ms or write.finished_ms)
            + ((written(change[0]), written(change[1])) if change else (None, None))
            for write, _ in ends
            for one, change in zip(write.players, changes[write.match], strict=True)
        ],
    )
    add_up(db, ends)
    return changes


def rate_all(db: Connection, ends: Sequence[End], now: dict[Kind, Rating]) -> dict[str, Changes]:
    """Change the ratings of all who played, from what they are `now`; returns how, by match.

    Who has played several matches comes to the next with what the one before has made of it.
    """
    sums: dict[Kind, tuple[int, int]] = {}
    points: list[tuple[Any, ...]] = []
    changes: dict[str, Changes] = {}
    for write, match in ends:
        assert write.rate
        size = size_class(len(write.players))
        kinds = [(one.agent, match.game, size) for one in write.players]
        before = [now.get(kind, write.fresh) for kind in kinds]
        after = write.rate([(one.agent, was.mu, was.sigma) for one, was in zip(write.players, before, strict=True)])
        for one, kind, (mu, sigma) in zip(write.players, kinds, after, strict=True):
            now[kind] = Rating(mu, sigma)
            games, wins = sums.get(kind, (0, 0))
            sums[kind] = games + 1, wins + (one.outcome == "win")
            points.append((*kind, write.finished_ms, write.match, mu, sigma))
        changes[write.match] = tuple((was, now[kind]) for was, kind in zip(before, kinds, strict=True))
    STRENGTH(db, [(*kind, now[kind].mu, now[kind].sigma, now[kind].ordinal, *sums[kind]) for kind in sums])
    POINTS(db, points)
    return changes


def add_up(db: Connection, ends: Sequence[End]) -> None:
    """Add matches to the sums that are kept of all."""
    played, by_game, by_day = Sums(), Sums(), Sums()
    for write, match in ends:
        for one in write.habits:
            agent, *how = astuple(one)
            played.add((agent, match.game), *how)
        won = any(one.outcome == "win" for one in write.players)
        by_game.add((match.game,), 1, int(won), write.finished_ms - match.began_ms)
        by_day.add((day(write.finished_ms),), 1)
    PLAYED(db, played.rows())
    GAMES(db, by_game.rows())
    DAYS(db, by_day.rows())


class Sums(dict[tuple[str, ...], list[Any]]):
    """Numbers added up by key."""

    def add(self, key: tuple[str, ...], *more: float) -> None:
        had = self.get(key)
        self[key] = [one + other for one, other in zip(had, more, strict=True)] if had else list(more)

    def rows(self) -> list[tuple[Any, ...]]:
        """In the order of their keys."""
        return [(*key, *self[key]) for key in sorted(self)]


# So that no node stores an action of a match that another is just ending: those that wait for this lock see the end,
# and those that had it before are counted by the statement that follows. In the order in which actions lock them.
LOCK = Given([m.c.id], "SELECT id FROM matches WHERE id IN (SELECT id FROM new) ORDER BY id FOR UPDATE")
ON = Given(
    [p.c.match, p.c.agent, r.c.size],
    """SELECT new."match", new.agent, new.size, matches.game, coalesce(started_ms, created_ms),
        (SELECT count(*) FROM actions WHERE actions."match" = new."match"), mu, sigma
    FROM new JOIN matches ON matches.id = new."match"
    LEFT JOIN ratings ON ratings.agent = new.agent AND ratings.game = matches.game AND ratings.size = new.size
    WHERE finished_ms IS NULL""",
)
END = Given(
    [m.c.id, m.c.status, m.c.reason, m.c.record, m.c.signature, m.c.finished_ms],
    """UPDATE matches SET status = new.status, reason = new.reason, record = new.record, signature = new.signature,
        finished_ms = new.finished_ms, due_ms = NULL
    FROM new WHERE matches.id = new.id""",
)
OUT = Given(
    [p.c.match, p.c.joined, p.c.outcome, p.c.place, p.c.dice_left, p.c.out_ms, p.c.before, p.c.after],
    """UPDATE players SET outcome = new.outcome, place = new.place, dice_left = new.dice_left,
        out_ms = coalesce(players.out_ms, new.out_ms), "before" = new."before", "after" = new."after"
    FROM new WHERE players."match" = new."match" AND players.joined = new.joined""",
)
STRENGTH = adding(r, latest=("mu", "sigma", "ordinal"))
POINTS = Given(list(h.c), f"INSERT INTO rating_history ({names(h.c)}) SELECT * FROM new")
PLAYED, GAMES, DAYS = adding(schema.habits), adding(schema.games), adding(schema.days)


def day(ms: int) -> str:
    """The day of a time, in UTC."""
    return datetime.fromtimestamp(ms / 1000, UTC).date().isoformat()
