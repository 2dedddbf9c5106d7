"""The port: bots connect, wait in the lobby until a table is full, and play.

There is one lobby. While a game is on to which any bot is connected it is closed, and whoever is new has come too late;
a game that all its bots have left keeps nobody waiting. Bots come back to their seats by their uuids, also after this
process was started again: the store knows who sits where.
"""

import asyncio
import logging
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from calza.arena.api.limits import Limits
from calza.arena.arena import Arena
from calza.arena.errors import ArenaError
from calza.arena.settings import Settings
from calza.arena.store import matches

from .game import GATEWAY, UNABLE, Game
from .line import Line, Player, token_of
from .messages import LONGEST, Connect, Disconnect, Message, Unknown, action_of, no, read, say

LOOK = 0.25  # seconds between looks at the lobby
IDLE_MS = 600_000  # how long a socket may say nothing that belongs to nobody at a table
MOST = 1000  # sockets

log = logging.getLogger(__name__)


class Gateway:
    """All bots that play by TCP. One process of an arena has it."""

    def __init__(self, arena: Arena, settings: Settings) -> None:
        self.arena, self.settings = arena, settings
        self.limits = Limits(settings, arena.clock)
        self.most, self.idle_ms = MOST, IDLE_MS
        self.lobby: list[Player] = []
        self.since_ms = 0  # when the first of them came
        self.games: list[Game] = []
        self.lines: set[Line] = set()
        self.tasks: set[asyncio.Task[None]] = set()
        self.server: asyncio.Server | None = None

    # --- starting and stopping

    async def start(self) -> int:
        """Listen; returns the port. Matches that are on are gone on with."""
        await self.take_up()
        port = self.settings.tcp or 0
        self.server = await asyncio.start_server(self.meet, self.settings.host, port, limit=LONGEST)
        self.go(self.look_after())
        return int(self.server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Hang up. The seats stay, and the clocks of the arena run on."""
        if self.server is not None:
            self.server.close()
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    async def take_up(self) -> None:
        """Go on with matches that were begun elsewhere: by this process before it was started again, or by another."""
        here = {game.match for game in self.games}
        for one in await self.arena.store.read(matches.Live()):
            if one.match.gateway == GATEWAY and one.match.id not in here:
                self.begin(Game.again(self.arena, one))

    def go(self, doing: Coroutine[Any, Any, None]) -> None:
        """Do something meanwhile."""
        task = asyncio.ensure_future(doing)
        self.tasks.add(task)
        task.add_done_callback(self.done)

    def done(self, task: asyncio.Task[None]) -> None:
        """Something has ended; what should not happen is written down."""
        self.tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.error("a task of the TCP gateway failed", exc_info=error)

    # --- the lobby

    async def look_after(self) -> None:
        """Fill the lobby from the house when its bots have waited long enough; close sockets that nobody uses."""
        while True:
            now = self.arena.clock.now_ms()
            if self.lobby and now - self.since_ms >= self.settings.fill_after * 1000:
                self.open()
            for line in [line for line in self.lines if not self.at_table(line) and now - line.heard_ms > self.idle_ms]:
                line.writer.close()
            await self.arena.clock.sleep(LOOK)

    def at_table(self, line: Line) -> bool:
        """Whether a socket belongs to somebody who waits or plays."""
        player = line.player
        return player is not None and (player in self.lobby or self.game_of(player) is not None)

    def game_of(self, player: Player) -> Game | None:
        """The game that somebody plays."""
        return next((game for game in self.on if player in game.players), None)

    @property
    def on(self) -> list[Game]:
        """The games that are not over."""
        return [game for game in self.games if not game.over]

    def open(self) -> None:
        """Begin a game with everybody in the lobby, and open the next lobby."""
        players, self.lobby = self.lobby, []
        self.begin(Game(self.arena, players, self.settings.tcp_players))

    def begin(self, game: Game) -> None:
        """Let a game run."""
        self.games.append(game)
        self.go(self.run(game))

    async def run(self, game: Game) -> None:
        """A game until it is over."""
        try:
            await game.run()
        finally:
            self.games.remove(game)

    # --- one socket

    def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Somebody has connected."""
        self.go(self.welcome(reader, writer))

    async def welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Talk with a bot until it has gone."""
        line = Line(reader, writer, self.arena.clock.now_ms())
        self.lines.add(line)
        try:
            self.limits.of_address(line.address)
            if len(self.lines) > self.most:
                raise ArenaError(503, "full", "too many bots are connected; come back later")
            await self.talk(line)
        except ArenaError as error:
            line.tell(no(error.details))
        finally:
            self.lines.discard(line)
            self.leave(line)
            await line.end()

    async def talk(self, line: Line) -> None:
        """Answer line after line."""
        while True:
            try:
                if (said := await line.hear()) is None:
                    return
            except ValueError:
                line.tell(no(f"a line has at most {LONGEST} bytes"))
                return
            line.heard_ms = self.arena.clock.now_ms()
            try:
                if not await self.answer(line, read(said)):
                    return
            except Unknown as error:
                line.tell(no(str(error)))
            with suppress(ConnectionError):
                await line.writer.drain()  # whoever does not read is not read either
            await asyncio.sleep(0)

    async def answer(self, line: Line, message: Message) -> bool:
        """Do what a bot says; False when its socket is to be closed."""
        match message:
            case Connect():
                return await self.connect(line, message)
            case Disconnect():
                return False
        if line.player is None:
            line.tell(say("Unconnected"))
            return True
        game = self.game_of(line.player)
        if said := UNABLE if game is None else await game.act(line.player, action_of(message)):
            line.tell(said)
        return True

    def leave(self, line: Line) -> None:
        """A socket has gone; its player leaves the lobby, but no game."""
        if (player := line.player) is not None:
            player.lose(line)
            if not player.lines and player in self.lobby:
                self.lobby.remove(player)

    # --- connecting

    async def connect(self, line: Line, ask: Connect) -> bool:
        """Let somebody come back, or into the lobby; False when its socket is to be closed."""
        token = token_of(ask.uuid)
        if self.arena.store.shared and self.seat_of(token) is None:
            with suppress(ArenaError):
                await self.take_up()
        if found := self.seat_of(token):
            game, player = found
            self.seat(line, player)
            for said in game.welcome(player):
                line.tell(said)
            return True
        if waits := next((one for one in self.lobby if one.token == token), None):
            self.seat(line, waits)
            line.tell(say("AlreadyConnected"))
        elif any(game.attended for game in self.on):
            line.tell(say("GameAlreadyStarted"))
        elif self.taken(ask.name):
            line.tell(no(f"the name {ask.name} is taken; choose another"))
            return False
        else:
            self.enter(line, Player(ask.name, token))
        return True

    def seat_of(self, token: str) -> tuple[Game, Player] | None:
        """The game that somebody plays, and who that is there."""
        return next(((game, one) for game in self.on for one in game.players if one.token == token), None)

    def taken(self, name: str) -> bool:
        """Whether somebody who may sit at the next table has this name."""
        return name in [one.name for one in self.lobby] + [one.name for one in self.arena.lobby.house]

    def enter(self, line: Line, player: Player) -> None:
        """Somebody new comes into the lobby."""
        self.seat(line, player)
        if not self.lobby:
            self.since_ms = self.arena.clock.now_ms()
        self.lobby.append(player)
        size = self.settings.tcp_players
        line.tell(say("Connected", number_of_players=size, already_connected=len(self.lobby)))
        if len(self.lobby) == size:
            self.open()

    def seat(self, line: Line, player: Player) -> None:
        """Let a socket be this player's; who it was before has gone."""
        if line.player is not player:
            self.leave(line)
            player.take(line)
