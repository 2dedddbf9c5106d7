"""What stands before every call: its number, the limits, who asks; and behind it: refusals, faults, the log.

Plain ASGI, and one look at a tree of paths instead of a pattern for each: an action costs little more than its match.
"""

from collections.abc import Iterable
from time import perf_counter
from typing import Any

from starlette.types import Receive, Scope, Send

from calza.arena.arena import Arena
from calza.arena.errors import ArenaError
from calza.arena.journal import Journal

from .asked import Asked
from .limits import Limits
from .paths import Calls, Paths
from .reply import Reply, json, refusal
from .route import OPEN, Route
from .routes import ROUTES

HERE = "/api/"  # everything below is a call or nothing
STRANGE = "(no such call)"  # how logs and figures name what anybody may make up


class Front:
    """All calls of the table; pages, streams and sockets are left to those who come after."""

    def __init__(self, arena: Arena, limits: Limits, journal: Journal, table: Iterable[Route] = ROUTES) -> None:
        self.arena, self.limits, self.journal = arena, limits, journal
        self.paths = Paths(table)

    def asked(self, scope: Scope, receive: Receive) -> Asked | None:
        """The call that this is, if it is one."""
        path = scope["path"]
        calls, params = self.paths.find(path)
        if calls is None and not path.startswith(HERE):
            return None
        if calls is not None and (route := calls.get(scope["method"])) and route.handle is None:
            return None
        return Asked(self.arena, scope, receive, params, calls)

    async def answered(self, asked: Asked, send: Send) -> None:
        """Answer a call."""
        began, method, request = perf_counter(), asked.scope["method"], self.arena.draw(8).hex()
        route = found(asked.calls, method)
        name = route.name if route else STRANGE
        reply = await self.answer(asked, route, name, request)
        await reply.send(send, request.encode(), method == "HEAD")
        self.journal.answered(
            f"{name} held" if asked.held else name,
            reply.status,
            perf_counter() - began,
            request=request,
            agent=asked.agent.id if asked.agent else None,
            match=asked.path.get("match") if asked.sequence is not None else None,  # else it may be anything
            sequence=asked.sequence,
        )

    async def answer(self, asked: Asked, route: Route | None, name: str, request: str) -> Reply:
        """What a call is answered with, whatever happens."""
        try:
            return await self.called(asked, route) if route else self.strange(asked)
        except ArenaError as error:
            return refusal(error)
        except Exception as error:
            self.journal.failed(name, request, error)
            return refusal(ArenaError(500, "internal_error", "a fault of the arena; it has been written down"))

    async def called(self, asked: Asked, route: Route) -> Reply:
        """Do what was asked, if whoever asks may."""
        self.limits.of_address(asked.address)
        if route.who != OPEN:
            asked.agent = await self.arena.accounts.agent_of(asked.key)
            self.limits.of_key(asked.agent.id, asked.address)
        if route.scarce:
            self.limits.of_registration(asked.address)
        assert route.handle
        answer: Any = await route.handle(asked)
        return answer if isinstance(answer, Reply) else json(answer, route.status)

    def strange(self, asked: Asked) -> Reply:
        """What is no call, or no call of this method."""
        self.limits.of_address(asked.address)
        calls = asked.calls
        if calls is None:
            raise ArenaError(404, "not_found", "there is no such call; GET /api/guide tells which there are")
        allowed = ", ".join(methods(calls))
        error = ArenaError(405, "method_not_allowed", f"this address takes {allowed}")
        return refusal(error, ((b"allow", allowed.encode()),))


def found(calls: Calls | None, method: str) -> Route | None:
    """The call of a method; HEAD asks for what GET would answer, without its body."""
    if calls is None:
        return None
    route = calls.get(method) or (calls.get("GET") if method == "HEAD" else None)
    return route if route and route.handle else None


def methods(calls: Calls) -> list[str]:
    """What an address takes."""
    heads = ["HEAD"] * any(one.method == "GET" and one.handle is not None for one in calls.values())
    return sorted([*calls, *heads])
