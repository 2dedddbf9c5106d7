"""Dice that the house could not choose: commitments, the key, and how to check both by hand."""

from starlette.requests import Request
from starlette.responses import Response

from calza.arena.api.fairness import STATEMENT
from calza.arena.store import seeds
from calza.arena.store.matches import Page

from .asked import whole
from .site import Site

LINES = 25
AHEAD = 5  # commitments that are shown before they are used


async def page(site: Site, request: Request) -> Response:
    """Commitments, latest used first, with the key and a match to try it on."""
    before = whole(request, "before")
    last, unused, ended = await site.arena.store.read(
        lambda db: (seeds.Page(1)(db), seeds.Unused()(db), Page("finished", limit=1)(db).rows)
    )
    if before is None and last:
        before = last[0].number - unused + 1 + AHEAD
    found = await site.arena.store.read(seeds.Page(LINES, before))
    more = found[-1].number if len(found) == LINES and found[-1].number > 1 else None
    return site.page(
        request, "fairness.html", seeds=found, more=more, unused=unused, example=ended[0].match if ended else None,
        key=site.arena.signer.public, statement=STATEMENT,
    )  # fmt: skip
