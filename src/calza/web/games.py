"""The games that are played here: a list, and a page for each with its rules and what is known of its matches."""

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from calza.arena.api.games import MOST, advice, counted, line, rules_of
from calza.arena.store import ratings
from calza.arena.store.matches import Page
from calza.rules import Rules
from calza.rules.describe import describe

from .site import Site

BEST, LATEST = 5, 5


async def listed(site: Site, request: Request) -> Response:
    """All games."""
    sums = await site.arena.store.read(ratings.Games())
    return site.page(request, "games.html", sums=sums, line=line)


async def page(site: Site, request: Request) -> Response:
    """One game."""
    rules = rules_of(request.path_params["game"])
    name = rules.name
    sums, live, latest, best = await site.arena.store.read(
        lambda db: (
            ratings.Games()(db).get(name),
            Page("live", name, limit=LATEST)(db).rows,
            Page("finished", name, limit=LATEST)(db).rows,
            ratings.Leaderboard(name, "2", BEST)(db).rows,
        )
    )
    return site.page(
        request, "game.html", rules=rules, line=line(name), stats=counted(sums), printed=describe(here(rules)),
        advice=advice(name), live=live, latest=latest, best=best,
    )  # fmt: skip


def here(rules: Rules) -> Rules:
    """A game as it is played here, without the sentence that stands above it already."""
    return replace(rules, about="", max_players=min(MOST, rules.max_players))
