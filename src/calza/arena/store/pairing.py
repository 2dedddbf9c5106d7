"""What matchmaking asks: who the waiting are, how strong they are, and who has not heard of a match yet."""

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct
from sqlalchemy import Connection, select

from . import schema
from .agents import Agent
from .opening import PLAYING
from .rows import columns
from .seated import Rating, is_live
from .waiting import Queue, Waiting

a, m, p, r = schema.agents, schema.matches, schema.players, schema.ratings


class Some(Struct, frozen=True):
    """Agents by their ids."""

    ids: tuple[str, ...]

    def __call__(self, db: Connection) -> dict[str, Agent]:
        found = [Agent(*row) for row in db.execute(select(*columns(a, Agent)).where(a.c.id.in_(self.ids)))]
        return {one.id: one for one in found}


class Looked(Struct, frozen=True):
    """Everybody who can sit down now, and what decides who plays whom."""

    queue: list[Waiting]  # in the order in which they came
    skills: dict[tuple[str, str, str], float]  # by agent, game and size of the table
    last: dict[str, frozenset[str]]  # who sat at the table at which somebody sat last, itself included


class Look(Struct, frozen=True):
    """The queue, without those who play as many matches already as they can hold."""

    now_ms: int
    house: tuple[str, ...]  # who may fill a table

    def __call__(self, db: Connection) -> Looked:
        waiting = Queue(self.now_ms)(db)
        if not waiting:
            return Looked([], {}, {})
        agents = list(dict.fromkeys(one.agent for one in waiting))
        plays: dict[str, int] = dict(db.execute(PLAYING, {"agents": agents}).all())
        queue = [one for one in waiting if plays.get(one.agent, 0) < one.capacity]
        return Looked(queue, skills(db, [*agents, *self.house]), last_tables(db, agents))


class Found(Struct, frozen=True):
    """The matches of an agent, with their games, that were made since and that it does not know of."""

    agent: str
    since_ms: int

    def __call__(self, db: Connection) -> list[tuple[str, str]]:
        waits = (p.c.agent == self.agent, p.c.out_ms.is_(None), p.c.created_ms >= self.since_ms)
        found = select(p.c.match, p.c.game).join(m, m.c.id == p.c.match).where(*waits, *UNTOLD, is_live())
        return [(match, game) for match, game in db.execute(found.order_by(p.c.created_ms, p.c.match))]


UNKNOWN = Rating().mu
UNTOLD = (p.c.told_ms.is_(None), p.c.came_ms.is_(None))


def skills(db: Connection, agents: Sequence[str]) -> dict[tuple[str, str, str], float]:
    """How strong everybody is, at every kind of table at which they have been rated."""
    found = select(r.c.agent, r.c.game, r.c.size, r.c.mu).where(r.c.agent.in_(agents))
    return {(agent, game, size): mu for agent, game, size, mu in db.execute(found)}


def last_tables(db: Connection, agents: Sequence[str]) -> dict[str, frozenset[str]]:
    """Who sat at the table at which somebody sat last."""
    newest = select(p.c.match).where(p.c.agent == a.c.id).order_by(p.c.created_ms.desc(), p.c.match.desc()).limit(1)
    last = dict(db.execute(select(a.c.id, newest.scalar_subquery()).where(a.c.id.in_(agents))).all())
    sat: dict[str, set[str]] = defaultdict(set)
    matches = sorted({match for match in last.values() if match})
    for match, agent in db.execute(select(p.c.match, p.c.agent).where(p.c.match.in_(matches))):
        sat[match].add(agent)
    return {agent: frozenset(sat[match]) for agent, match in last.items() if match}
