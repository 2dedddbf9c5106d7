"""The leaderboard: who is how strong, and how sure that is, by agent and by model."""

from collections.abc import Iterable

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from calza.arena.store import ratings
from calza.arena.store.matches import Rating
from calza.arena.views import PLAYED
from calza.show import charts

from .asked import chosen
from .site import Site

SIZES = ("2", "3-6")
LINES = 50
SURE = 3  # deviations that a rating is almost surely within


class Strengths:
    """Ratings as lines of one chart: a dot, and the span that it is almost surely in."""

    def __init__(self, known: Iterable[tuple[float, float]]) -> None:
        ends = [mu + side * SURE * sigma for mu, sigma in known for side in (-1, 1)]
        self.scale = charts.scale_over(ends or [0.0, 50.0])

    def axis(self) -> Markup:
        """What stands above it."""
        return Markup(charts.axis(self.scale, [(at, f"{at:g}".replace("-", "−")) for at in charts.ticks(self.scale)]))

    def line(self, mu: float, sigma: float) -> Markup:
        """One of them."""
        low, high = mu - SURE * sigma, mu + SURE * sigma
        return Markup(charts.whisker(self.scale, mu, low, high, Rating().mu))


async def page(site: Site, request: Request) -> Response:
    """The leaderboard of a game and a size of table."""
    game = chosen(request, "game", PLAYED, PLAYED[0])
    size = chosen(request, "size", SIZES, SIZES[0])
    by = chosen(request, "by", ("agent", "model"), "agent")
    asked = dict(game=game, size=size, by=by)
    if by == "model":
        models = await site.arena.store.read(ratings.ByModel(game, size))
        return site.page(request, "leaderboard.html", asked=asked, sizes=SIZES, models=models)
    above, _, cursor = request.query_params.get("cursor", "").rpartition("~")
    part = await site.arena.store.read(ratings.Leaderboard(game, size, LINES, cursor or None))
    first = int(above) + 1 if above.isdigit() and len(above) < 9 else 1
    more = f"{first - 1 + len(part.rows)}~{part.cursor}" if part.cursor else None
    strengths = Strengths((one.mu, one.sigma) for one in part.rows)
    return site.page(
        request, "leaderboard.html", asked=asked, sizes=SIZES, models=None,
        agents=part.rows, first=first, cursor=more, strengths=strengths,
    )  # fmt: skip
