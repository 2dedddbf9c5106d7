"""The feed of a live table: a socket of a browser, on which its page is told everything and plays.

A page of any site can open a socket here and the browser sends our cookie along, so the Origin must be our own.
"""

import asyncio
import logging
from contextlib import nullcontext, suppress
from weakref import WeakKeyDictionary

import msgspec
from msgspec import Raw
from starlette.requests import HTTPConnection
from starlette.websockets import WebSocket

from calza.arena.api.asked import is_id
from calza.arena.api.limits import Limits
from calza.arena.arena import Arena
from calza.arena.clock import iso
from calza.arena.errors import ArenaError
from calza.arena.events import Happened, Over, happened, opening, over
from calza.arena.frames import read, refused
from calza.arena.line import AWAY, BACK, COME_BACK, DONE, NO_KEY, Gone, Line, refuse
from calza.arena.live import Live
from calza.arena.messages import GameOver, Message, PlayerLine, View
from calza.arena.spectators import NOBODY, number
from calza.arena.store.people import Who
from calza.arena.views import acts, cast, ends_of, game_over, view_of
from calza.show.words import Cast, tell

from . import forms, sessions

FRESH_MS = 100  # how long what everybody may see is told again as it was written
log = logging.getLogger("calza.web")


class Table(Message, frozen=True, kw_only=True, tag_field="type", tag="table"):
    """A match as one reader sees it, and what has happened since it was told last."""

    match_id: str
    game_id: str
    rated: bool
    sequence: int
    status: str  # "not_started", "waiting", "your_turn", "game_over"
    you: int  # the reader's seat; -1 for a spectator
    view: View
    calls: tuple[str, ...]  # that are legal now, by name
    opening: str  # who opened the first round; empty for who knows it
    events: tuple[Happened, ...]
    says: tuple[tuple[str, ...], ...]  # each of them in sentences
    players: tuple[PlayerLine, ...]
    absent: tuple[int, ...]  # seats of players who have not come, or whose line was lost
    turn_ends_at: str | None
    now: str
    over: GameOver | Over | None


def table(live: Live, seat: int, told: int, now_ms: int, base: str) -> Table:
    """A frame for the reader at `seat`, who knows the first `told` actions."""
    view = view_of(live, seat)
    mine = acts(live, seat)
    done = live.done[told:]
    who, rules = Cast(cast(live).names, seat), live.game.table.rules
    return Table(
        match_id=live.match.id,
        game_id=live.match.game,
        rated=live.match.rated,
        sequence=live.sequence,
        status=status(live, seat),
        you=seat,
        view=view,
        calls=live.game.legal(seat).calls if mine else (),
        opening="" if told else " ".join(tell([opening(live)], who, rules)),
        events=tuple(happened(live, one) for one in done),
        says=tuple(tuple(tell(live.events[one.sequence], who, rules)) for one in done),
        players=view.players,
        absent=live.absent(),
        turn_ends_at=ends_of(live),
        now=iso(now_ms),
        over=end(live, seat, base),
    )


def status(live: Live, seat: int) -> str:
    """Where a match stands for somebody."""
    if live.finished:
        return "game_over"
    return "your_turn" if acts(live, seat) else "waiting" if live.started else "not_started"


def end(live: Live, seat: int, base: str) -> GameOver | Over | None:
    """How a match ended, if it has."""
    if not live.finished:
        return None
    return game_over(live, seat, base) if seat >= 0 else over(live, base)


def seat_of(live: Live, who: Who | None) -> int:
    """Where somebody sits; -1 for a spectator."""
    return live.seats.get(who.agent.id, -1) if who else -1


class Feeds:
    """All feeds on this node."""

    def __init__(self, arena: Arena, limits: Limits) -> None:
        self.arena, self.limits = arena, limits
        self.feeds: set[Feed] = set()
        self.public: WeakKeyDictionary[Live, tuple[int, int, int, Raw]] = WeakKeyDictionary()
        arena.people.ended.append(self.ended)

    async def of_socket(self, socket: WebSocket) -> None:
        """`/ws/table/:matchId`."""
        request = self.arena.draw(8).hex()
        try:
            self.limits.of_address(socket.client.host if socket.client else "")
            check_origin(socket, self.arena.settings.public_url)
            who = await sessions.who(self.arena, socket)
            live = await self.found(socket.path_params["match"])
            seat = seat_of(live, who)
            if seat >= 0:
                await self.arena.tables.come(live, seat)
        except ArenaError as error:
            await refuse(socket, error, request)
            return
        await socket.accept()
        line = Line(socket, who.agent if who else NOBODY, "", (0, request))
        await self.serve(Feed(self, line, live, seat, who))

    async def found(self, match: str) -> Live:
        """The match."""
        if not is_id(match):
            raise ArenaError(404, "match_not_found", "there is no such match")
        return await self.arena.tables.live(match)

    async def serve(self, feed: "Feed") -> None:
        """Tell and hear until it has gone."""
        self.feeds.add(feed)
        self.arena.sockets += 1
        feed.line.telling = asyncio.ensure_future(feed.tell())
        try:
            with feed.live.attended(feed.seat) if feed.seat >= 0 else nullcontext():
                while (frame := await feed.line.frame()) is not None:
                    await feed.hear(frame)
        finally:
            self.feeds.discard(feed)
            self.arena.sockets -= 1
            await feed.line.hush()

    def ended(self, session: bytes) -> None:
        """Somebody has signed out."""
        for feed in self.feeds:
            if feed.who and feed.who.session.hash == session:
                self.arena.go(feed.line.close(NO_KEY, "you have signed out"))

    def written(self, live: Live, seat: int, told: int) -> Raw:
        """A frame as it travels; what many spectators are told is written once."""
        now, base = self.arena.clock.now_ms(), self.arena.settings.base
        kept = self.public.get(live) if seat < 0 else None
        if kept and kept[:2] == (live.version, told) and now - kept[2] < FRESH_MS:
            return kept[3]
        text = Raw(msgspec.json.encode(table(live, seat, told, now, base)))
        if seat < 0:
            self.public[live] = live.version, told, now, text
        return text


class Feed:
    """One page at a table."""

    def __init__(self, feeds: Feeds, line: Line, live: Live, seat: int, who: Who | None) -> None:
        self.feeds, self.arena = feeds, feeds.arena
        self.line, self.live, self.seat, self.who = line, live, seat, who

    async def tell(self) -> None:
        """Tell where the match stands now, and after every change, to its end."""
        self.live.followers += 1
        try:
            with suppress(*Gone):
                await self.follow(number(self.line.socket.query_params.get("after", "")) + 1)
        except Exception:
            log.exception("a feed failed")
            await self.line.close(BACK, f"a fault of the arena; {COME_BACK}")
        finally:
            self.live.followers -= 1

    async def follow(self, told: int) -> None:
        """The same, from the action numbered `told` on."""
        live, told = self.live, min(told, self.live.sequence)
        while not self.arena.tables.stopping:
            version, sequence, over = live.version, live.sequence, live.finished
            await self.line.tell(self.feeds.written(live, self.seat, told))
            told = sequence
            if over:
                await self.line.close(DONE, "the match is over")
                return
            await live.changed(version)
        await self.line.close(AWAY, f"the arena is stopping; {COME_BACK}")

    async def hear(self, frame: str | bytes) -> None:
        """Play what the page sends, or say why not."""
        try:
            await self.play(frame)
        except ArenaError as error:
            await self.refuse(error)
        except Exception:
            log.exception("a feed failed")
            await self.refuse(ArenaError(500, "internal_error", "a fault of the arena; it has been written down"))

    async def play(self, frame: str | bytes) -> None:
        """Play an action."""
        self.feeds.limits.of_address(self.line.socket.client.host if self.line.socket.client else "")
        if self.who is None or self.seat < 0:
            raise ArenaError(403, "not_a_player", "you only watch this match")
        act = read(frame)
        if await sessions.who(self.arena, self.line.socket) is None:
            raise ArenaError(401, "unauthorized", "your session is over; sign in again")
        await self.arena.tables.act(self.who.agent.id, self.live.match.id, act.sequence, act.payload, act.say)

    async def refuse(self, error: ArenaError) -> None:
        """Say why not."""
        said = refused(error)
        assert isinstance(said, dict)
        with suppress(*Gone):
            await self.line.tell({"currentSequence": self.live.sequence} | said)


def check_origin(socket: HTTPConnection, public: str) -> None:
    """Refuse a socket that was not opened by one of our pages."""
    if not forms.is_ours(socket, socket.headers.get("origin", ""), public):
        raise ArenaError(403, "wrong_origin", "this socket is for the pages of this arena; agents use /ws/game")
