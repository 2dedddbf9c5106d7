"""Playing at once: a game against house bots in one click, or a table at which others sit down by a link.

Somebody without a session becomes a guest.
"""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from calza.arena.errors import ArenaError
from calza.arena.invitations import LARGEST, STRENGTHS, check
from calza.arena.people import Signed
from calza.arena.store.agents import Agent
from calza.arena.views import PLAYED

from . import asked, forms, sessions
from .site import SAFE, Site

INVITED = "invited"  # a chair for somebody who has the link
OTHERS = ("", *STRENGTHS, INVITED)  # whoever may sit opposite; nobody first
FIRST = ("easy", "steady")  # unless something else was chosen


async def page(site: Site, request: Request) -> Response:
    """The form: what is played, and against whom."""
    if request.method == "POST":
        return await sent(site, request)
    return shown(site, request, {"game": asked.chosen(request, "game", PLAYED, PLAYED[0])})


def shown(site: Site, request: Request, said: dict[str, str], wrong: str = "", status: int = 200) -> Response:
    """The form, with what was said in it."""
    others = [said.get(f"other{number}", "") for number in range(1, LARGEST)]
    if not any(others):
        others = [*FIRST, *[""] * (LARGEST - 1 - len(FIRST))]
    return site.page(request, "play.html", status, said=said, others=others, kinds=OTHERS, wrong=wrong)


async def sent(site: Site, request: Request) -> Response:
    """Begin what was asked for."""
    said = await asked.form(request)
    forms.check(request, said.get("token", ""), site.arena.settings.public_url)
    others = [one for number in range(1, LARGEST) if (one := said.get(f"other{number}", "")) in OTHERS[1:]]
    bots = [one for one in others if one != INVITED]
    arena, game = site.arena, said.get("game", "")
    try:
        check(game, 1 + len(others))  # first: nobody becomes a guest for nothing
        me, new = await somebody(site, request, said.get("name", ""))
        if len(bots) == len(others):
            match = await arena.invitations.play(me, game, bots, counts="rated" in said)
            where = f"/matches/{match}"
        else:
            code = await arena.invitations.invite(me, game, 1 + len(others), bots, counts="rated" in said)
            where = f"/tables/{code}"
    except ArenaError as error:
        if error.status >= 500:
            raise
        return shown(site, request, said, error.details, error.status)
    return go(site, request, where, new)


async def somebody(site: Site, request: Request, name: str) -> tuple[Agent, Signed | None]:
    """Whoever asks: who has a session, or a new guest."""
    if (who := sessions.of(request)) is not None:
        return who.agent, None
    site.limits.of_registration(request.client.host if request.client else "")
    new = await site.arena.people.guest(name, sessions.browser_of(request))
    return new.agent, new


def go(site: Site, request: Request, where: str, new: Signed | None) -> Response:
    """On to another page, with a session if it is new."""
    reply = RedirectResponse(where, 303, headers=SAFE)
    if new is not None:
        sessions.keep(reply, new, secure=site.secure(request))
    return reply
