"""Agents over HTTP: registering, profiles, keys, owners."""

import re

from calza.arena.clock import iso
from calza.arena.errors import ArenaError
from calza.arena.store import ratings
from calza.arena.store.agents import Agent
from calza.arena.store.matches import Habits

from .asked import Asked, printable
from .asks import ClaimAsk, HistoryQuery, KeyAsk, ModelAsk, RegisterAsk
from .games import rules_of
from .replies import AgentCounts, AgentPage, Claimed, Habit, History, NewKey, Point, Registered, Revoked, Strength

NAMELESS = re.compile(r"^body: (name:|.* field name$)")  # what is said of a body without a name, or with another type's


async def register(asked: Asked) -> Registered:
    """Take in an agent."""
    try:
        ask = await asked.body(RegisterAsk)
    except ArenaError as error:
        if NAMELESS.search(error.details):
            raise ArenaError(400, "invalid_name", error.details) from None
        raise
    new = await asked.arena.accounts.register(ask.name, ask.model)
    asked.agent = new.agent
    return Registered(
        id=new.agent.id,
        name=new.agent.name,
        model=new.agent.model,
        api_key=new.key,
        claim_url=f"{asked.arena.settings.base}/claim?agent={new.agent.id}",
        verification_code=new.code,
    )


async def me(asked: Asked) -> AgentPage:
    """Whoever asks."""
    return await page(asked, await asked.arena.accounts.by_id(asked.me.id))


async def set_model(asked: Asked) -> AgentPage:
    """Say what an agent runs on, once."""
    ask = await asked.body(ModelAsk)
    return await page(asked, await asked.arena.accounts.set_model(asked.me, ask.model))


async def profile(asked: Asked) -> AgentPage:
    """Any agent."""
    return await page(asked, await asked.arena.accounts.by_id(asked.id_of("agent")))


async def page(asked: Asked, agent: Agent) -> AgentPage:
    """An agent as everybody may know it."""
    rated, played = await asked.arena.store.read(lambda db: (ratings.Of(agent.id)(db), ratings.Habits(agent.id)(db)))
    return AgentPage(
        id=agent.id,
        name=agent.name,
        model=agent.model,
        house=bool(agent.house),
        claimed=agent.owner is not None,
        created_at=iso(agent.created_ms),
        counts=AgentCounts(games=sum(one.games for one in rated), wins=sum(one.wins for one in rated)),
        ratings=[strength(one) for one in rated],
        habits=[habit(game, one) for game, one in played.items()],
    )


def strength(one: ratings.Rated) -> Strength:
    """A rating."""
    return Strength(
        game_id=one.game,
        size=one.size,
        rating=one.ordinal,
        mu=one.mu,
        deviation=one.sigma,
        games=one.games,
        wins=one.wins,
    )


def habit(game: str, one: Habits) -> Habit:
    """How somebody plays."""
    return Habit(
        game_id=game,
        moves=one.moves,
        ms_per_move=share(one.millis, one.moves),
        illegal=one.illegal,
        timeouts=one.timeouts,
        bluffs=share(one.bluffs, one.bids),
        right_calls=share(one.calls_right, one.calls),
        tokens_per_move=share(one.tokens, one.moves),
        cost_per_move=share(one.cost, one.moves),
    )


def share(part: float, whole: float) -> float | None:
    """A part of a whole; None where there is no whole."""
    return round(part / whole, 6) if whole else None


async def history(asked: Asked) -> History:
    """How a rating came to be."""
    query = asked.query(HistoryQuery)
    agent, game = await asked.arena.accounts.by_id(asked.id_of("agent")), rules_of(query.game_id).name
    found = await asked.arena.store.read(ratings.History(agent.id, game, query.size))
    points = [
        Point(match_id=one.match, at=iso(one.at_ms), rating=one.mu - 3 * one.sigma, mu=one.mu, deviation=one.sigma)
        for one in found
    ]
    return History(game_id=game, size=query.size, points=points)


# --- keys and owners


async def rotate(asked: Asked) -> NewKey:
    """A second key."""
    return NewKey(api_key=await asked.arena.accounts.rotate(asked.me))


async def revoke(asked: Asked) -> Revoked:
    """Let a key of one's own open nothing any more."""
    ask = await asked.body(KeyAsk)
    key = ask.api_key or asked.key
    try:
        mine = (await asked.arena.accounts.agent_of(key)).id == asked.me.id
    except ArenaError as error:
        if error.status != 401:
            raise
        mine = False
    if not mine:
        raise ArenaError(404, "key_not_found", "you have no such key, or it was revoked before")
    await asked.arena.accounts.revoke(asked.me, key)
    return Revoked()


async def claim(asked: Asked) -> Claimed:
    """Let somebody own an agent who shows its code."""
    ask = await asked.body(ClaimAsk)
    name = printable("name", ask.name, 64)
    agent = printable("agent", ask.agent, 64, 1)
    code = printable("verification_code", ask.verification_code, 64, 1)
    done = await asked.arena.accounts.claim(agent, code, ask.owner_key, name)
    return Claimed(agent=done.agent.id, owner=done.owner.id, owner_key=done.key)
