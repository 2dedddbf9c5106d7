"""The story of a match as everybody may watch it: who plays, every action with what happened, and how it ended.

Hands are in it as far as the reveal of the variant goes; the record, which has all of them, is named at the end.
`spectators.py` tells it.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress

from msgspec import UNSET, UnsetType

from calza.rules import Event, Game
from calza.rules.events import RoundBegan, round_began

from .arena import Arena
from .clock import iso
from .live import Live
from .messages import Message, Outcome, PlayerLine, Said, View
from .store.done import Done
from .views import results, view_of

SILENCE = 15.0  # seconds without news after which a stream shows that it is alive


class Hello(Message, frozen=True, kw_only=True, tag_field="type", tag="hello"):
    """The match as it is now. The actions that follow may be older than it: `sequence` is the next to be played."""

    match_id: str
    game_id: str
    status: str  # "not_started", "active", "completed", "aborted"
    sequence: int
    players: tuple[PlayerLine, ...]
    opening: RoundBegan
    view: View


class Happened(Message, frozen=True, kw_only=True, tag_field="type", tag="action"):
    """An action, and what happened."""

    sequence: int
    seat: int
    agent_id: str
    action: str
    at: str
    events: tuple[Event, ...]
    say: Said | UnsetType = UNSET


class Over(Message, frozen=True, kw_only=True, tag_field="type", tag="over"):
    """The end. From now on every hand may be known."""

    sequence: int
    reason: str
    results: tuple[Outcome, ...]
    record: str  # the address of the record


Told = Hello | Happened | Over


async def story(arena: Arena, match: str, after: int, silence: float = SILENCE) -> AsyncGenerator[Told | None, None]:
    """A match from the action that follows `after` to its end, and None after every silence; 404 if there is none."""
    live = await arena.tables.live(match)
    live.followers += 1
    try:
        yield hello(live)
        told = min(after + 1, live.sequence)
        while True:
            version = live.version
            for one in live.done[told:]:
                yield happened(live, one)
                told += 1
            if live.finished and told >= live.sequence:
                yield over(live, arena.tables.base)
                return
            if arena.tables.stopping:
                return
            if not await news(live, version, silence):
                yield None
    finally:
        live.followers -= 1


async def news(live: Live, version: int, seconds: float) -> bool:
    """Wait until a match is newer than `version`; False if it is not after so long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await live.changed(version)
    return live.version > version


def hello(live: Live) -> Hello:
    """What a spectator is told first."""
    view = view_of(live, -1)
    return Hello(
        match_id=live.match.id,
        game_id=live.match.game,
        status=live.match.status,
        sequence=live.sequence,
        players=view.players,
        opening=opening(live),
        view=view,
    )


def opening(live: Live) -> RoundBegan:
    """The first round, before anything was done."""
    return round_began(Game(live.game.table.rules, len(live.rows), seed=live.game.source).state)


def happened(live: Live, one: Done) -> Happened:
    """An action as it is told."""
    agent = live.rows[one.seat].agent
    return Happened(
        sequence=one.sequence,
        seat=one.seat,
        agent_id=agent,
        action=one.text,
        at=iso(one.at_ms),
        events=live.events[one.sequence],
        say=Said(from_=agent, text=one.say) if one.say else UNSET,
    )


def over(live: Live, base: str) -> Over:
    """The end as it is told."""
    return Over(
        sequence=live.sequence,
        reason=live.match.reason or "completed",
        results=results(live),
        record=f"{base}/api/matches/{live.match.id}/record",
    )
