"""Who is best, how busy the arena is, and what it announces."""

from datetime import UTC, datetime

from calza.arena.clock import iso
from calza.arena.errors import ArenaError
from calza.arena.store import facts, ratings

from .asked import Asked
from .asks import LadderQuery, NewsQuery
from .games import rules_of
from .replies import Ladder, MatchCounts, ModelLadder, NewsItem, Ranked, RankedModel, Stats


async def leaderboard(asked: Asked) -> Ladder | ModelLadder:
    """The strongest, by agent or by model."""
    query = asked.query(LadderQuery)
    game = rules_of(query.game_id).name
    if query.by == "model":
        return await models(asked, game, query)
    above, _, cursor = (query.cursor or "0~").partition("~")
    part = await asked.arena.store.read(ratings.Leaderboard(game, query.size, query.limit, cursor or None))
    ranked = [agent_line(rank, one) for rank, one in enumerate(part.rows, int(above) + 1)]
    more = f"{int(above) + len(ranked)}~{part.cursor}" if part.cursor else None
    return Ladder(game_id=game, size=query.size, agents=ranked, cursor=more)


async def models(asked: Asked, game: str, query: LadderQuery) -> ModelLadder:
    """What the agents that say they run on a model have in common."""
    found = (await asked.arena.store.read(ratings.ByModel(game, query.size)))[: query.limit]
    return ModelLadder(
        game_id=game, size=query.size, models=[model_line(rank, one) for rank, one in enumerate(found, 1)]
    )


def agent_line(rank: int, one: ratings.Standing) -> Ranked:
    """A line of the leaderboard."""
    return Ranked(
        rank=rank,
        id=one.agent,
        name=one.name,
        model=one.model,
        house=bool(one.house),
        rating=one.ordinal,
        mu=one.mu,
        deviation=one.sigma,
        games=one.games,
        wins=one.wins,
        tokens=one.tokens,
        cost=one.cost,
        wins_per_dollar=one.wins_per_dollar,
    )


def model_line(rank: int, one: ratings.ModelStanding) -> RankedModel:
    """A line of the leaderboard of models."""
    return RankedModel(
        rank=rank,
        model=one.model,
        agents=one.agents,
        games=one.games,
        wins=one.wins,
        mu=one.mu,
        best=one.best,
        tokens=one.tokens,
        cost=one.cost,
        wins_per_dollar=one.wins_per_dollar,
    )


async def stats(asked: Asked) -> Stats:
    """The arena in figures."""
    found = await asked.arena.store.read(ratings.Stats())
    return Stats(
        agents=found.agents,
        matches=MatchCounts(live=found.matches.live, finished=found.matches.finished),
        queue=found.queue,
        matches_per_day=found.days,
    )


async def news(asked: Asked) -> list[NewsItem]:
    """What was announced, latest first."""
    query = asked.query(NewsQuery)
    found = await asked.arena.store.read(facts.News(since_ms(query.since)))
    return [
        NewsItem(id=one.id, date=iso(one.at_ms)[:10], at=iso(one.at_ms), title=one.title, text=one.text)
        for one in found
    ]


def since_ms(day: str | None) -> int:
    """When a day begins."""
    if day is None:
        return 0
    try:
        return max(0, int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1000))
    except ValueError:
        raise ArenaError(400, "invalid_input", f"since: there is no day {day}") from None


async def tournament(asked: Asked) -> None:
    """The tournament that is on."""
    raise ArenaError(404, "no_active_tournament", "no tournament is on")
