"""The arena as an ASGI application: calls, sockets, and what an operator's programs look at."""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from resource import RUSAGE_SELF, getrusage

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from . import sockets
from .api.front import Front
from .api.limits import Limits
from .arena import Arena
from .errors import ArenaError
from .journal import Journal
from .live import Live
from .metrics import MEDIA, family, gauges, line
from .store.matches import Counts
from .store.waiting import Depth

SAFE = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
PAGE = os.sysconf("SC_PAGE_SIZE")


More = Callable[[Arena, Limits], list[BaseRoute]]


class App(Starlette):
    """Calls go to the front at once, since actions are most of what comes; all else goes through Starlette."""

    def __init__(self, front: Front, routes: list[BaseRoute]) -> None:
        super().__init__(routes=routes)
        self.front = front

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer whatever comes."""
        if scope["type"] == "websocket":
            await self.router(scope, receive, send)  # what Starlette would put around it is for answers
        elif scope["type"] == "http" and (asked := self.front.asked(scope, receive)):
            await self.front.answered(asked, send)
        else:
            await super().__call__(scope, receive, send)


def app(arena: Arena, limits: Limits | None = None, journal: Journal | None = None, more: More | None = None) -> App:
    """Everything that an arena serves; `more` are routes from outside, such as those of pages for people."""
    limits = limits or Limits(arena.settings, arena.clock)
    journal = journal or Journal(arena.settings.log_level)
    routes = [
        *sockets.routes(arena, limits, journal),
        *Health(arena, journal).routes(),
        *(more(arena, limits) if more else ()),
    ]
    made = App(Front(arena, limits, journal), routes)
    made.state.arena = arena
    return made


class Health:
    """Whether the arena works, and how much."""

    def __init__(self, arena: Arena, journal: Journal) -> None:
        self.arena, self.journal = arena, journal

    def routes(self) -> list[BaseRoute]:
        """Where it is asked."""
        return [
            Route("/healthz", self.alive),
            Route("/readyz", self.ready),
            Route("/metrics", self.metrics),
        ]

    async def alive(self, request: Request) -> Response:
        """This process answers."""
        return plain("ok")

    async def ready(self, request: Request) -> Response:
        """It can play: its store answers, and it is not stopping."""
        if self.arena.tables.stopping:
            return plain("stopping", 503)
        try:
            await self.arena.store.read(Depth())
        except ArenaError:
            return plain("the store cannot be reached", 503)
        return plain("ok")

    async def metrics(self, request: Request) -> Response:
        """All figures."""
        lines = [*self.journal.figures(), *self.counted()]
        with suppress(ArenaError):  # without its store, the rest is worth knowing all the more
            lines += await self.stored()
        return Response("\n".join(lines) + "\n", headers={"content-type": MEDIA} | SAFE)

    def counted(self) -> list[str]:
        """What is counted in this process."""
        tables, writer, labels = self.arena.tables, self.arena.store.writer, self.journal.labels()
        usage = getrusage(RUSAGE_SELF)
        figures = [
            ("calza_actions_total", "counter", "Actions that were played and stored.", tables.actions),
            ("calza_matches_held", "gauge", "Matches in memory.", len(tables.lives)),
            (
                "calza_waiting",
                "gauge",
                "Requests, sockets and streams that wait for news.",
                waiting(tables.lives.values()),
            ),
            ("calza_sockets", "gauge", "Open sockets.", self.arena.sockets),
            ("calza_cpu_seconds_total", "counter", "Processor time.", usage.ru_utime + usage.ru_stime),
            ("calza_memory_bytes", "gauge", "Memory in use.", memory()),
        ]
        lines = [
            one for name, kind, about, many in figures for one in family(name, kind, about, [line(name, labels, many)])
        ]
        if writer is not None:
            name = "calza_group_writes"
            lines += family(name, "histogram", "Writes that were committed together.", writer.sizes.lines(name, labels))
        return lines

    async def stored(self) -> list[str]:
        """What is counted in the store, the same on every node."""
        matches, depth = await self.arena.store.read(lambda db: (Counts()(db), Depth()(db)))
        return [
            *family(
                "calza_matches_live", "gauge", "Matches that are on.", [line("calza_matches_live", "", matches.live)]
            ),
            *family(
                "calza_matches_total",
                "counter",
                "Matches that have ended.",
                [line("calza_matches_total", "", matches.finished)],
            ),
            *family(
                "calza_queue_depth", "gauge", "Agents that wait, by game.", gauges("calza_queue_depth", "game", depth)
            ),
        ]


def waiting(lives: Iterable[Live]) -> int:
    """How many wait for news of matches."""
    return sum(len(live.waiters) for live in lives)


def memory() -> int:
    """Bytes that this process has in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * PAGE


def plain(text: str, status: int = 200) -> Response:
    """A word for a program."""
    return Response(f"{text}\n", status, media_type="text/plain", headers=SAFE)
