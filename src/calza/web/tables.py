"""A table that is being filled: whoever has the link sits down, and whoever opened it begins.

Its address is its secret: nobody can guess it, and nothing links to it.
"""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from calza.arena.api.asked import is_id
from calza.arena.errors import ArenaError
from calza.arena.invitations import STRENGTHS, full
from calza.arena.people import Signed
from calza.arena.store.agents import Agent
from calza.arena.store.invitations import Filling

from . import asked, forms, sessions
from .play import go, somebody
from .site import SAFE, Site

Done = tuple[str, Signed | None]  # where to go on, and a session if it is new


async def page(site: Site, request: Request) -> Response:
    """The table, or what came of a button on it."""
    code = request.path_params["code"]
    if not is_id(code):
        raise ArenaError(404, "table_not_found", "there is no such table")
    if request.method == "POST":
        return await sent(site, request, code)
    return await shown(site, request, code)


async def shown(site: Site, request: Request, code: str, wrong: str = "", status: int = 200) -> Response:
    """The table; once it has begun, its match."""
    filling = await site.arena.invitations.look(code)
    if filling.table.match is not None:
        return RedirectResponse(f"/matches/{filling.table.match}", 303, headers=SAFE)
    who = sessions.of(request)
    return site.page(
        request, "filling.html", status, secret=True, filling=filling, wrong=wrong, strengths=tuple(STRENGTHS),
        seated=who is not None and sits(filling, who.agent.id),
        host=who is not None and filling.table.host == who.agent.id,
    )  # fmt: skip


async def sent(site: Site, request: Request, code: str) -> Response:
    """Do what a button asks for."""
    said = await asked.form(request)
    forms.check(request, said.get("token", ""), site.arena.settings.public_url)
    try:
        where, new = await done(site, request, code, said)
    except ArenaError as error:
        if error.status in (404, 500, 503):
            raise
        return await shown(site, request, code, error.details, error.status)
    return go(site, request, where, new)


async def done(site: Site, request: Request, code: str, said: dict[str, str]) -> Done:
    """The same; the host alone seats bots, sends others away, and begins."""
    tables, here = site.arena.invitations, f"/tables/{code}"
    if said.get("do") == "sit":
        if sessions.of(request) is None and not (await tables.look(code)).free:
            raise full()  # nobody becomes a guest for nothing
        me, new = await somebody(site, request, said.get("name", ""))
        await tables.sit(code, me)
        return here, new
    me = known(request)
    filling = await tables.look(code)
    if said.get("do") == "leave":
        await tables.stand_up(code, me.id)
        return "/play", None
    if filling.table.host != me.id:
        raise ArenaError(403, "not_the_host", "whoever opened the table decides that")
    match said.get("do"), said.get("what", ""):
        case "bot", strength:
            await tables.seat_bot(code, strength)
        case "away", agent:
            await tables.stand_up(code, agent)
        case "begin", strength:
            return f"/matches/{await tables.begin(code, strength)}", None
    return here, None


def known(request: Request) -> Agent:
    """Whoever asks."""
    who = sessions.of(request)
    if who is None:
        raise ArenaError(403, "not_seated", "you do not sit at this table; sit down, or sign in again")
    return who.agent


def sits(filling: Filling, agent: str) -> bool:
    """Whether somebody sits there."""
    return any(one.agent == agent for one in filling.chairs)
