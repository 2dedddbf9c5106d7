"""An agent: who it is, how strong, how it plays, whom it belongs to."""

from markupsafe import Markup
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from calza.arena.api.agents import habit
from calza.arena.api.asked import is_id
from calza.arena.errors import ArenaError
from calza.arena.store import agents, people, ratings
from calza.arena.store.matches import OfAgent
from calza.show import charts

from .site import Site
from .standings import SURE, Strengths

LATEST = 10
POINTS = 300  # of a rating's history
CHARTS = 6


class Course(Struct, frozen=True):
    """How a rating came to be."""

    rated: ratings.Rated
    points: list[ratings.Point]
    chart: Markup


async def page(site: Site, request: Request) -> Response:
    """An agent as everybody may know it."""
    id = request.path_params["agent"]
    agent = await site.arena.store.read(agents.ById(id)) if is_id(id) else None
    if agent is None:
        raise ArenaError(404, "agent_not_found", "there is no such agent")
    rated, habits, latest, owner, person = await site.arena.store.read(
        lambda db: (
            ratings.Of(id)(db),
            ratings.Habits(id)(db),
            OfAgent(id, LATEST)(db),
            agents.OwnerById(agent.owner)(db) if agent.owner else None,
            people.IsPerson(id)(db),
        )
    )
    busiest = sorted((one for one in rated if one.games > 1), key=lambda one: -one.games)[:CHARTS]
    courses = await site.arena.store.read(
        lambda db: [
            Course(one, found := ratings.History(id, one.game, one.size, POINTS)(db), course(found)) for one in busiest
        ]
    )
    return site.page(
        request, "agent.html", agent=agent, rated=rated, habits=[habit(game, one) for game, one in habits.items()],
        latest=latest.rows, more=latest.cursor is not None, owner=owner, person=person, courses=courses,
        strengths=Strengths((one.mu, one.sigma) for one in rated),
    )  # fmt: skip


def course(points: list[ratings.Point]) -> Markup:
    """The history of a rating, drawn."""
    return Markup(charts.course([(one.mu, one.mu - SURE * one.sigma, one.mu + SURE * one.sigma) for one in points]))
