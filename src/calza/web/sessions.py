"""The session of a browser: the cookie that holds its token, and who that is."""

from starlette.requests import HTTPConnection
from starlette.responses import Response

from calza.arena.arena import Arena
from calza.arena.people import LIFE_MS, Signed
from calza.arena.store.people import Who

COOKIE = "calza_session"


async def who(arena: Arena, request: HTTPConnection) -> Who | None:
    """Who asks; None for somebody without a session."""
    token = request.cookies.get(COOKIE)
    return await arena.people.of(token) if token else None


def of(request: HTTPConnection) -> Who | None:
    """The same, once it was found for a page."""
    found: Who | None = getattr(request.state, "who", None)
    return found


def browser_of(request: HTTPConnection) -> str:
    """What a browser says it is."""
    return request.headers.get("user-agent", "")


def keep(reply: Response, signed: Signed, *, secure: bool) -> None:
    """Let the browser keep its token where no script sees it."""
    reply.set_cookie(
        COOKIE, signed.token, max_age=LIFE_MS // 1000, path="/", httponly=True, samesite="lax", secure=secure
    )


def forget(reply: Response, *, secure: bool) -> None:
    """Let the browser throw it away."""
    reply.delete_cookie(COOKIE, path="/", httponly=True, samesite="lax", secure=secure)
