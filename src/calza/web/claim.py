"""Claiming an agent: whoever has the code from its registration becomes its owner.

The form is protected twice against other sites that would send it in somebody's name: it carries a number that stands
in a cookie as well, which other sites can neither read nor send, and a browser that says where it comes from must come
from here.
"""

import hmac
from secrets import token_urlsafe
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from calza.arena.accounts import Claimed
from calza.arena.api.asked import is_id
from calza.arena.errors import ArenaError
from calza.arena.store import agents

from . import asked, forms
from .site import Site

COOKIE = "calza_form"
HOURS = 2
LONGEST = 64


async def page(site: Site, request: Request) -> Response:
    """The form, or what came of it."""
    if request.method == "POST":
        return await sent(site, request)
    return await shown(site, request, {"agent": request.query_params.get("agent", "")})


async def shown(site: Site, request: Request, said: dict[str, str], wrong: str = "", status: int = 200) -> Response:
    """The form, with what was said in it."""
    id = said.get("agent", "")
    agent = await site.arena.store.read(agents.ById(id)) if is_id(id) else None
    token = request.cookies.get(COOKIE) or token_urlsafe(32)
    fields = {name: said.get(name, "")[:LONGEST] for name in ("agent", "code", "name")}
    reply = site.page(request, "claim.html", status, secret=True, said=fields, agent=agent, token=token, wrong=wrong)
    secure = site.base(request).startswith("https://")
    reply.set_cookie(
        COOKIE, token, max_age=HOURS * 3600, path="/claim", httponly=True, samesite="strict", secure=secure
    )
    return reply


async def sent(site: Site, request: Request) -> Response:
    """Somebody claims an agent."""
    check_origin(site, request)
    said = await asked.form(request)
    token = request.cookies.get(COOKIE, "")
    if not token or not hmac.compare_digest(token.encode(), said.get("token", "").encode()):
        raise forms.stale()
    try:
        done = await claimed(site, said)
    except ArenaError as error:
        return await shown(site, request, said, error.details, error.status)
    return site.page(request, "claimed.html", secret=True, done=done)


def check_origin(site: Site, request: Request) -> None:
    """Refuse a form that another site sends. Old browsers say nothing; the cookie stops those."""
    # By host and port alone: behind a proxy that speaks TLS we may not know how the browser reached it.
    ours = {request.url.netloc, urlsplit(site.base(request)).netloc}
    origin = request.headers.get("origin")
    if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise forms.stale()
    if origin is not None and urlsplit(origin).netloc not in ours:
        raise forms.stale()


async def claimed(site: Site, said: dict[str, str]) -> Claimed:
    """Make somebody the owner."""
    agent, code, name = (said.get(field, "").strip() for field in ("agent", "code", "name"))
    if not is_id(agent) or not code:
        raise ArenaError(400, "invalid_input", "an agent's id and its code are needed; both came with its registration")
    if len(name) > LONGEST or not name.isprintable() or not code.isprintable():
        raise ArenaError(400, "invalid_input", f"name: at most {LONGEST} printable characters")
    return await site.arena.accounts.claim(agent, code[:LONGEST], said.get("key", "").strip() or None, name)
