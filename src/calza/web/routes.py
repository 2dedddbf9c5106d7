"""Every page, and where it is."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route, WebSocketRoute
from starlette.types import Scope

from calza.arena.api.limits import Limits
from calza.arena.arena import Arena

from . import agents, claim, editor, fairness, front, games, matches, people, play, standings, table, tables, tutorial
from .assets import assets
from .feed import Feeds
from .site import Handler, Site, environment

PAGES: tuple[tuple[str, Handler], ...] = (
    ("/", front.home),
    ("/about", front.about),
    ("/agents/{agent}", agents.page),
    ("/connect", front.connect),
    ("/fairness", fairness.page),
    ("/games", games.listed),
    ("/games/{game}", games.page),
    ("/leaderboard", standings.page),
    ("/matches", matches.listed),
    ("/matches/{match}", matches.page),
    ("/matches/{match}/odds", table.odds),
    ("/news", front.news),
    ("/rules/new/{name}.toml", editor.download),
    ("/tutorial", tutorial.page),
)
FORMS: tuple[tuple[str, Handler], ...] = (
    ("/account", people.account),
    ("/claim", claim.page),
    ("/play", play.page),
    ("/rules/new", editor.page),
    ("/sign-in", people.sign_in),
    ("/sign-up", people.sign_up),
    ("/tables/{code}", tables.page),
)
ACTS: tuple[tuple[str, Handler], ...] = (("/matches/{match}/act", table.act),)


def routes(arena: Arena, limits: Limits) -> list[BaseRoute]:
    """All pages of an arena, their files, and a page for browsers that ask for one that there is not."""
    environment()  # made now: the first reader should not have to wait for it
    site = Site(arena, limits)
    return [
        *(Route(path, site.answers(handle), methods=["GET"]) for path, handle in PAGES),
        *(Route(path, site.answers(handle), methods=["GET", "POST"]) for path, handle in FORMS),
        *(Route(path, site.answers(handle), methods=["POST"]) for path, handle in ACTS),
        WebSocketRoute("/ws/table/{match}", Feeds(arena, limits).of_socket),
        Route("/static/{name}", assets().answer),
        Elsewhere("/{path:path}", site.answers(missing)),
    ]


async def missing(site: Site, request: Request) -> Response:
    """No such page."""
    return site.fault(request, 404)


class Elsewhere(Route):
    """Whatever else a browser asks for to show it; programs are answered by the arena."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether somebody wants to look at a page."""
        accept = dict(scope.get("headers", ())).get(b"accept", b"")
        if scope["type"] != "http" or b"text/html" not in accept or scope["path"].startswith("/api/"):
            return Match.NONE, {}
        return super().matches(scope)
