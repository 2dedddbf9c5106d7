"""Accounts: signing up, in and out, and the list of one's sessions."""

import re
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from calza.arena.errors import ArenaError
from calza.arena.passwords import LEAST, MOST
from calza.arena.people import Signed

from . import asked, forms, sessions
from .site import SAFE, Site

# Where somebody may go on: nobody is sent elsewhere by a link to this page.
NEXT = re.compile(r"/play|/(tables|matches|games)/[a-z0-9-]{1,64}")
DEFAULT = "/play"

Sign = Callable[[Site, Request, dict[str, str]], Awaitable[Signed]]


async def sign_up(site: Site, request: Request) -> Response:
    """A new account."""
    return await signing(site, request, "sign_up", new_account)


async def sign_in(site: Site, request: Request) -> Response:
    """Somebody comes back."""
    return await signing(site, request, "sign_in", came_back)


async def new_account(site: Site, request: Request, said: dict[str, str]) -> Signed:
    """The same, done."""
    site.limits.of_registration(address_of(request))
    return await site.arena.people.sign_up(said.get("name", ""), said.get("password", ""), sessions.browser_of(request))


async def came_back(site: Site, request: Request, said: dict[str, str]) -> Signed:
    """The same, done."""
    browser = sessions.browser_of(request)
    return await site.arena.people.sign_in(said.get("name", ""), said.get("password", ""), browser, address_of(request))


async def signing(site: Site, request: Request, kind: str, sign: Sign) -> Response:
    """The form of a kind, or what came of it; a password is never shown again."""
    said = dict(request.query_params) if request.method == "GET" else await asked.form(request)
    wrong, status = "", 200
    where = said["next"] if NEXT.fullmatch(said.get("next", "")) else DEFAULT
    if request.method == "POST":
        forms.check(request, said.get("token", ""), site.arena.settings.public_url)
        try:
            return await signed(site, request, await sign(site, request, said), where)
        except ArenaError as error:
            if error.status >= 500:
                raise
            wrong, status = error.details, error.status
    return site.page(
        request, "signing.html", status, kind=kind, called=said.get("name", "")[:64], next=where, wrong=wrong,
        least=LEAST, most=MOST,
    )  # fmt: skip


async def signed(site: Site, request: Request, new: Signed, where: str) -> Response:
    """On with the new session; the one before ends."""
    if (who := sessions.of(request)) is not None:
        await site.arena.people.sign_out(who, who.session.hash.hex())
    reply = RedirectResponse(where, 303, headers=SAFE)
    sessions.keep(reply, new, secure=site.secure(request))
    return reply


async def account(site: Site, request: Request) -> Response:
    """Who one is, and where one is signed in."""
    who = sessions.of(request)
    if who is None:
        return RedirectResponse("/sign-in", 303, headers=SAFE)
    if request.method == "POST":
        return await ended(site, request)
    mine = await site.arena.people.sessions(who)
    return site.page(request, "account.html", secret=True, sessions=mine, this=who.session.hash)


async def ended(site: Site, request: Request) -> Response:
    """End one session, or all."""
    said = await asked.form(request)
    forms.check(request, said.get("token", ""), site.arena.settings.public_url)
    who = sessions.of(request)
    assert who is not None
    which = said.get("session", "")
    if which != "all" and not re.fullmatch(r"[0-9a-f]{64}", which):
        raise ArenaError(400, "invalid_input", "there is no such session")
    await site.arena.people.sign_out(who, "" if which == "all" else which)
    mine = which in ("all", who.session.hash.hex())
    reply = RedirectResponse("/" if mine else "/account", 303, headers=SAFE)
    if mine:
        sessions.forget(reply, secure=site.secure(request))
    return reply


def address_of(request: Request) -> str:
    """Where somebody is."""
    return request.client.host if request.client else ""
