"""The front page, and those that mostly tell: about, connect, news."""

from starlette.requests import Request
from starlette.responses import Response

from calza.arena.store import agents, facts
from calza.arena.store.matches import Counts, Page

from .site import Site

LIVE, LATEST, NEWS = 6, 5, 2
BOT = """\
from calza import Bid, bid_odds


class MyBot:
    def act(self, view):
        legal = view.legal()
        bids = [Bid(least, face) for face, least in enumerate(legal.least) if least]
        if view.bid and (not bids or bid_odds(view, view.bid).holds < 0.35):
            return legal.calls[0]
        return max(bids, key=lambda bid: bid_odds(view, bid).holds)"""


async def home(site: Site, request: Request) -> Response:
    """What this is, and what is on."""
    many, counts, live, latest, news = await site.arena.store.read(
        lambda db: (
            agents.Count()(db),
            Counts()(db),
            Page("live", limit=LIVE)(db).rows,
            Page("finished", limit=LATEST)(db).rows,
            facts.News(limit=NEWS)(db),
        )
    )
    return site.page(request, "home.html", agents=many, counts=counts, live=live, latest=latest, news=news)


async def about(site: Site, request: Request) -> Response:
    """What Calza is."""
    return site.page(request, "about.html")


async def connect(site: Site, request: Request) -> Response:
    """How an agent comes to play here."""
    return site.page(request, "connect.html", settings=site.arena.settings, bot=BOT)


async def news(site: Site, request: Request) -> Response:
    """What was announced."""
    return site.page(request, "news.html", news=await site.arena.store.read(facts.News()))
