"""How a page is made and sent: templates, headers, and pages for what goes wrong.

Names, models, talk and everything else that users wrote are somebody's words: templates escape them all, and the
content security policy runs no script and takes no style but our own files.
"""

import gzip
import logging
import re
from collections.abc import Awaitable, Callable
from functools import cache
from http import HTTPStatus
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import Response

from calza.arena import names
from calza.arena.api.limits import Limits
from calza.arena.arena import Arena
from calza.arena.errors import ArenaError
from calza.arena.people import called
from calza.arena.views import PLAYED
from calza.rules import CATALOG
from calza.rules.actions import Bid, bid_name, face_name, seat_name
from calza.rules.describe import capital

from . import figures, forms, markdown, sessions
from .assets import assets, packs
from .texts import english

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SAFE = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
WORTH = 1000  # bytes from which packing pays
HOST = re.compile(r"[A-Za-z0-9.\-]+(:\d+)?|\[[0-9A-Fa-f:.]+\](:\d+)?")
log = logging.getLogger("calza.web")

Handler = Callable[["Site", Request], Awaitable[Response]]


class Site:
    """The pages of an arena."""

    def __init__(self, arena: Arena, limits: Limits) -> None:
        self.arena, self.limits = arena, limits

    def answers(self, handle: Handler) -> Callable[[Request], Awaitable[Response]]:
        """A page with what goes wrong in it turned into a page too."""

        async def answer(request: Request) -> Response:
            try:
                self.limits.of_address(request.client.host if request.client else "")
                request.state.who = await sessions.who(self.arena, request)
                return await handle(self, request)
            except ArenaError as error:
                return self.fault(request, error.status, error.details)
            except Exception:
                log.exception("a page failed")
                return self.fault(request, 500)

        return answer

    def page(self, request: Request, name: str, status: int = 200, *, secret: bool = False, **values: Any) -> Response:
        """A page from its template. One with a `secret` is kept by nobody, and not packed: its length would tell."""
        number = forms.Number(request, self.arena.draw)
        known = dict(here=self.base(request), path=request.url.path, me=sessions.of(request), form_token=number)
        text = environment().get_template(name).render(known | values)
        headers = SAFE | {"cache-control": "no-store" if secret else "private, no-cache", "vary": "accept-encoding"}
        body = text.encode()
        if not secret and len(body) > WORTH and packs(request):
            body = gzip.compress(body, 5, mtime=0)
            headers["content-encoding"] = "gzip"
        reply = Response(body, status, headers, "text/html")
        if number.new:
            secure = self.secure(request)
            reply.set_cookie(forms.COOKIE, number.new, path="/", httponly=True, samesite="lax", secure=secure)
        return reply

    def secure(self, request: Request) -> bool:
        """Whether whoever reads the page reaches it by TLS."""
        return self.base(request).startswith("https://")

    def fault(self, request: Request, status: int, why: str = "") -> Response:
        """A page that says what went wrong."""
        kind = "missing" if status == 404 else "wrong" if status < 500 else "broken"
        reply = self.page(request, "error.html", status, kind=kind, why=why, phrase=HTTPStatus(status).phrase)
        if status == 503:
            reply.headers["retry-after"] = "1"
        return reply

    def base(self, request: Request) -> str:
        """The arena's address, as whoever reads the page reaches it."""
        if self.arena.settings.public_url or not HOST.fullmatch(request.url.netloc):
            return self.arena.settings.base
        return f"{request.url.scheme}://{request.url.netloc}"


@cache
def environment() -> Environment:
    """All templates, ready to be used, so that nobody at a table waits for one; and what they can call."""
    made = Environment(
        loader=PackageLoader(__package__), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip
    made.filters.update(
        called=called,
        day=figures.day,
        duration=figures.duration,
        markdown=markdown.html,
        money=figures.money,
        name=names.shown,
        number=figures.number,
        rating=figures.rating,
        share=figures.share,
        short=figures.short,
        when=figures.when,
    )
    made.globals.update(
        t=english(),
        asset=assets().path,
        games={name: CATALOG[name] for name in PLAYED},
        bid_words=lambda quantity, face: bid_name(Bid(quantity, face)),
        capital=capital,
        face_name=face_name,
        seat_name=seat_name,
    )
    for name in made.list_templates():
        made.get_template(name)
    return made
