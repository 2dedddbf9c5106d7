"""Who is how strong, how they play, and what is known of all matches together."""

from msgspec import Struct
from sqlalchemy import Connection, and_, func, select, tuple_

from . import agents, schema, waiting
from .matches import Counted, Counts
from .matches import Habits as Sums
from .rows import Part, after, columns, part

t, r, h, history, games = schema.agents, schema.ratings, schema.habits, schema.rating_history, schema.games
every = r.alias("every")
# What somebody has won of a game at tables of any size: what it spent is not known by size.
WON = select(func.sum(every.c.wins)).where(every.c.agent == r.c.agent, every.c.game == r.c.game).scalar_subquery()


class Standing(Struct, frozen=True):
    """A line of the leaderboard."""

    agent: str
    name: str
    model: str | None
    house: str
    mu: float
    sigma: float
    ordinal: float
    games: int
    wins: int
    tokens: int  # in all its matches of this game, at whatever table
    cost: float
    won: int  # of those

    @property
    def wins_per_dollar(self) -> float | None:
        """What it wins for a dollar, by its own account of what it costs."""
        return per(self.won, self.cost)


class Leaderboard(Struct, frozen=True):
    """The strongest of a game, by what they are worth almost surely; without those who are banned."""

    game: str
    size: str  # "2" or "3-6"
    limit: int = 100
    cursor: str | None = None

    def __call__(self, db: Connection) -> Part[Standing]:
        sums = [func.coalesce(h.c.tokens, 0), func.coalesce(h.c.cost, 0.0), WON]
        said = [t.c.id, t.c.name, t.c.model, t.c.house, r.c.mu, r.c.sigma, r.c.ordinal, r.c.games, r.c.wins]
        found = (
            select(*said, *sums)
            .select_from(r)
            .join(t, t.c.id == r.c.agent)
            .outerjoin(h, and_(h.c.agent == r.c.agent, h.c.game == r.c.game))
            .where(r.c.game == self.game, r.c.size == self.size, t.c.banned_ms.is_(None))
        )
        if self.cursor is not None:
            found = found.where(tuple_(r.c.ordinal, r.c.agent) < tuple_(*after(self.cursor, float)))
        rows = db.execute(found.order_by(r.c.ordinal.desc(), r.c.agent.desc()).limit(self.limit + 1))
        return part([Standing(*row) for row in rows], self.limit, lambda one: (repr(one.ordinal), one.agent))


class Rated(Struct, frozen=True):
    """A rating of an agent."""

    game: str
    size: str
    mu: float
    sigma: float
    ordinal: float
    games: int
    wins: int


class Of(Struct, frozen=True):
    """The ratings of an agent."""

    agent: str

    def __call__(self, db: Connection) -> list[Rated]:
        found = select(*columns(r, Rated)).where(r.c.agent == self.agent).order_by(r.c.game, r.c.size)
        return [Rated(*row) for row in db.execute(found)]


class Point(Struct, frozen=True):
    """A rating as it was after a match."""

    match: str
    at_ms: int
    mu: float
    sigma: float


class History(Struct, frozen=True):
    """How a rating came to be: its latest points, oldest first."""

    agent: str
    game: str
    size: str
    limit: int = 1000

    def __call__(self, db: Connection) -> list[Point]:
        mine = [history.c.agent == self.agent, history.c.game == self.game, history.c.size == self.size]
        latest = select(*columns(history, Point)).where(*mine)
        latest = latest.order_by(history.c.at_ms.desc(), history.c.match.desc()).limit(self.limit)
        return [Point(*row) for row in db.execute(latest)][::-1]


class Ratings(Struct, frozen=True):
    """What some agents are worth in a game: those that have been rated."""

    agents: tuple[str, ...]
    game: str
    size: str

    def __call__(self, db: Connection) -> dict[str, tuple[float, float]]:
        found = select(r.c.agent, r.c.mu, r.c.sigma)
        found = found.where(r.c.agent.in_(self.agents), r.c.game == self.game, r.c.size == self.size)
        return {agent: (mu, sigma) for agent, mu, sigma in db.execute(found)}


class ModelStanding(Struct, frozen=True):
    """What the agents that say they run on a model have in common."""

    model: str
    agents: int
    games: int
    wins: int
    mu: float  # the mean, by games played
    best: float  # what the best of them is worth almost surely
    tokens: int  # in all their matches of this game, at whatever table
    cost: float
    won: int  # of those

    @property
    def wins_per_dollar(self) -> float | None:
        """What they win for a dollar, by their own account of what they cost."""
        return per(self.won, self.cost)


class ByModel(Struct, frozen=True):
    """The leaderboard of models: strongest first."""

    game: str
    size: str

    def __call__(self, db: Connection) -> list[ModelStanding]:
        played, best = func.sum(r.c.games), func.max(r.c.ordinal)
        tokens, cost = func.coalesce(func.sum(h.c.tokens), 0), func.coalesce(func.sum(h.c.cost), 0.0)
        mean = func.sum(r.c.mu * r.c.games) / played
        found = (
            select(t.c.model, func.count(), played, func.sum(r.c.wins), mean, best, tokens, cost, func.sum(WON))
            .select_from(r)
            .join(t, t.c.id == r.c.agent)
            .outerjoin(h, and_(h.c.agent == r.c.agent, h.c.game == r.c.game))
            .where(r.c.game == self.game, r.c.size == self.size, t.c.model.is_not(None), t.c.banned_ms.is_(None))
            .group_by(t.c.model)
            .order_by(mean.desc(), t.c.model)
        )
        return [
            ModelStanding(model, many, int(n), int(wins), mu, top, int(spent), paid, int(won))
            for model, many, n, wins, mu, top, spent, paid, won in db.execute(found)
        ]


def per(wins: int, cost: float) -> float | None:
    """Wins for a dollar; None where nothing was spent."""
    return round(wins / cost, 6) if cost > 0 else None


class Habits(Struct, frozen=True):
    """How an agent plays, by game."""

    agent: str

    def __call__(self, db: Connection) -> dict[str, Sums]:
        found = select(h.c.game, *columns(h, Sums)).where(h.c.agent == self.agent).order_by(h.c.game)
        return {game: Sums(*sums) for game, *sums in db.execute(found)}


class Sum(Struct, frozen=True):
    """What is known of all the finished matches of a game."""

    matches: int
    decisive: int  # with a winner
    millis: int  # from their start to their end, together


class Games(Struct, frozen=True):
    """The sums of all games of which a match has ended."""

    def __call__(self, db: Connection) -> dict[str, Sum]:
        return {game: Sum(*sums) for game, *sums in db.execute(select(games.c.game, *columns(games, Sum)))}


class Stated(Struct, frozen=True):
    """The arena in figures."""

    agents: int
    matches: Counted
    queue: dict[str, int]  # how many wait, by game
    days: dict[str, int]  # matches that ended, by day, latest first


class Stats(Struct, frozen=True):
    """The arena in figures, with the latest days."""

    days: int = 30

    def __call__(self, db: Connection) -> Stated:
        d = schema.days
        latest = db.execute(select(d.c.day, d.c.matches).order_by(d.c.day.desc()).limit(self.days))
        return Stated(agents.Count()(db), Counts()(db), waiting.Depth()(db), dict(latest.all()))
