"""The queue over HTTP."""

from calza.arena.errors import ArenaError
from calza.arena.messages import QueueAsk, Queued

from .asked import Asked, printable
from .asks import LeaveAsk, QueueQuery


async def enter(asked: Asked) -> Queued:
    """Wait for a match, or be told of the one that is on."""
    ask = await asked.body(QueueAsk)
    printable("salt", ask.salt, 100)
    return await asked.arena.lobby.queue(asked.me, ask)


async def leave(asked: Asked) -> Queued:
    """Wait no more."""
    ask = await asked.body(LeaveAsk)
    return await asked.arena.lobby.leave(asked.me, ask.game_id)


async def status(asked: Asked) -> Queued:
    """Where an agent stands."""
    query = asked.query(QueueQuery)
    if isinstance(query.lane, str):
        raise ArenaError(400, "invalid_input", "lane: leave it out; you wait in one lane of a game")
    return await asked.arena.lobby.status(asked.me, query.game_id)
