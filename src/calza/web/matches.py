"""Matches: a list with filters, a live one as everybody may see it, and one that has ended with every cup open."""

import asyncio
from functools import lru_cache

from markupsafe import Markup
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from calza.agents.chances import chances
from calza.agents.review import costliest, review
from calza.arena.api.asked import is_id
from calza.arena.errors import ArenaError
from calza.arena.fairness import digest
from calza.arena.live import Live
from calza.arena.store import agents
from calza.arena.store.matches import Page, RecordOf
from calza.arena.views import PLAYED
from calza.matches import read_record
from calza.rules.actions import seat_name, seat_of
from calza.show.film import Film, Moment, Round, film_of
from calza.show.player import theatre

from . import sessions, table
from .asked import chosen
from .site import Site

LINES = 25
STATUS = ("live", "finished")
REELS = 32  # matches whose films are kept


async def listed(site: Site, request: Request) -> Response:
    """Matches, newest first."""
    status, game = chosen(request, "status", STATUS), chosen(request, "game", PLAYED)
    agent, cursor = request.query_params.get("agent", ""), request.query_params.get("cursor") or None
    who = await site.arena.store.read(agents.ById(agent)) if is_id(agent) else None
    if agent and who is None:
        raise ArenaError(404, "agent_not_found", "there is no such agent")
    part = await site.arena.store.read(Page(status or None, game or None, agent or None, LINES, cursor))
    asked = dict(status=status, game=game, agent=agent)
    return site.page(
        request, "matches.html", asked=asked, statuses=STATUS, who=who, matches=part.rows, cursor=part.cursor
    )


async def page(site: Site, request: Request) -> Response:
    """One match."""
    match = request.path_params["match"]
    if not is_id(match):
        raise ArenaError(404, "match_not_found", "there is no such match")
    live = await site.arena.tables.live(match)
    if live.finished:
        return await ended(site, request, live)
    who = sessions.of(request)
    if who is not None and who.agent.id in live.seats:
        return await table.page(site, request, live, who.agent)
    return table.watched(site, request, live)


# --- one that has ended


class Scene(Struct, frozen=True):
    """A round of a film with its moments."""

    round: Round
    moments: list[Moment]


class Reel(Struct, frozen=True):
    """A match that has ended, ready for its page."""

    film: Film
    scenes: list[Scene]
    player: Markup
    sha256: str


async def ended(site: Site, request: Request, live: Live) -> Response:
    """A match that has ended."""
    record = await site.arena.store.read(RecordOf(live.match.id)) or b""
    seat = reviewed(request, live)
    # To find the chances of every bid takes a while, in which nobody at another table should wait.
    shown = await asyncio.to_thread(reel, record, seat)
    rows = sorted(live.rows, key=lambda row: (row.place or 0, row.seat))
    return site.page(
        request, "match.html", match=live.match, rules=live.game.table.rules, rows=rows, reel=shown, talk=live.talk,
        seats=live.rows, reviewed=seat, costliest=costliest(shown.film.review),
    )  # fmt: skip


def reviewed(request: Request, live: Live) -> int:
    """The seat whose decisions are looked at: the one that is asked for, or the reader's own; -1 for none."""
    asked = chosen(request, "review", [seat_name(row.seat) for row in live.rows])
    if asked:
        return seat_of(asked, len(live.rows))
    who = sessions.of(request)
    return live.seats.get(who.agent.id, -1) if who else -1


@lru_cache(maxsize=REELS)
def reel(record: bytes, seat: int) -> Reel:
    """The film of a record, with what the decisions of a seat gave up."""
    read = read_record(record)
    film = film_of(read, chances(read), review(read, seat) if seat >= 0 else ())
    scenes = [
        Scene(one, [moment for moment in film.moments if moment.round == at]) for at, one in enumerate(film.rounds)
    ]
    return Reel(film, scenes, Markup(theatre([film])), digest(record))
