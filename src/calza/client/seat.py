"""A bot in its seat of an online match. It runs in a thread of its own, so that the line to the arena stays awake.

The kernel ends a bot's process with the thread that started it; so one thread does all that is done with one bot.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from calza.agents.entry import Entry, Seated, seat
from calza.agents.process import BotProcess
from calza.matches.host import UNTIMED, Turn, fault_of
from calza.rules import CalzaError, Event, parse_action
from calza.rules.events import BidMade, RoundBegan

from .position import Position, travelling

T = TypeVar("T")


class Seat:
    """A bot that was started; `act` and `refused` raise AgentFault. `close` it."""

    def __init__(self, bot: Seated, thread: ThreadPoolExecutor) -> None:
        self.bot, self.thread = bot, thread
        self.begun = False
        self.doing: Future[Any] | None = None  # what the thread was last asked to do
        self.told = (0, 0)  # round, and bids of it, that the bot has heard of

    @classmethod
    async def take(cls, entry: Entry, log: Path, seed: int) -> "Seat":
        """Start a bot; AgentFault when it cannot be started."""
        thread = ThreadPoolExecutor(1, "bot")
        try:
            return cls(await asyncio.get_running_loop().run_in_executor(thread, seat, entry, log, seed), thread)
        except BaseException:
            thread.shutdown(wait=False)
            raise

    async def act(self, position: Position, left: float | None) -> Mapping[str, Any]:
        """The bot's action, ready to travel, in so many seconds."""
        return await self._do(lambda: self._act(position, left))

    async def refused(self, why: str) -> None:
        """Tell the bot that its last action was refused."""
        await self._do(lambda: self.bot.refused(why))

    async def over(self, places: Sequence[int]) -> None:
        """Tell the bot that the match has ended."""
        if self.begun:
            await self._do(lambda: self.bot.over(places))

    async def close(self) -> None:
        """End the bot; nobody waits for one that is thinking."""
        if self.doing and not self.doing.done() and isinstance(self.bot, BotProcess) and self.bot.alive:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.bot.process.pid, signal.SIGKILL)
        await self._do(self.bot.close)
        self.thread.shutdown()

    async def _do(self, what: Callable[[], T]) -> T:
        self.doing = doing = self.thread.submit(what)
        return await asyncio.wrap_future(doing)

    def _act(self, position: Position, left: float | None) -> Mapping[str, Any]:
        game, rules = position.game, position.game.table.rules
        try:
            self._tell(position)
            action = self.bot.act(position.view, Turn(left, None, 0.0))
            if isinstance(action, str):
                action = parse_action(action, rules)
            if refusal := game.refusal(position.seat, action):
                raise game.illegal(refusal, position.seat, action)
        except CalzaError as error:
            raise fault_of(error) from None
        return travelling(action, rules)

    def _tell(self, position: Position) -> None:
        """Tell the bot of the match, of this round and its bids, as far as it has not heard of them."""
        game, seat = position.game, position.seat
        if not self.begun:
            self.begun = True
            self.bot.match(game, seat, position.names, UNTIMED)
        round_, heard = self.told
        if game.state.round != round_:
            heard = 0
            self.bot.seen([opening(position)], game)
        events: list[Event] = [
            BidMade(seat=one, quantity=bid.quantity, face=bid.face) for one, bid in game.said[heard:]
        ]
        self.bot.seen(events, game)
        self.told = game.state.round, len(game.said)


def opening(position: Position) -> RoundBegan:
    """How the round began: whoever bid first has opened it, or is about to."""
    s, said = position.game.state, position.game.said
    return RoundBegan(
        round=s.round, seat=said[0][0] if said else s.turn, dice=tuple(s.dice), special=position.view.special
    )
