"""A game socket: an agent is told its turns, and plays."""

from contextlib import suppress
from time import perf_counter

from .api.limits import Limits
from .errors import ArenaError
from .frames import Connected, over, read, refused, your_turn
from .journal import Journal
from .line import DONE, Gone, Line
from .live import Live
from .tables import Tables
from .views import acts, game_over

NAME = "WS /ws/game/{match}"  # as logs and figures name it


class Turns:
    """One seat of a match, and the socket of whoever sits there."""

    def __init__(self, tables: Tables, limits: Limits, journal: Journal, line: Line, live: Live, seat: int) -> None:
        self.tables, self.limits, self.journal = tables, limits, journal
        self.line, self.live, self.seat = line, live, seat
        self.turn = -1  # the sequence of the last turn that was told

    # --- out

    async def tell(self) -> None:
        """Tell every turn of the agent, and the end."""
        live = self.live
        live.followers += 1
        try:
            await self.line.tell(Connected(match_id=live.match.id))
            while not self.tables.stopping:
                version = live.version
                if live.finished:
                    envelope = game_over(live, self.seat, self.tables.base)
                    await self.line.close(DONE, "the match is over", over(envelope))
                    return
                if self.turn < live.sequence:
                    await self.tell_turn()
                await live.changed(version, self.seat)
        finally:
            live.followers -= 1

    async def tell_turn(self) -> None:
        """Tell the agent that it is to act, if it is."""
        if acts(self.live, self.seat):
            self.turn = self.live.sequence
            await self.line.tell(your_turn(self.live, self.seat))

    # --- in

    async def hear(self, frame: str | bytes, request: str) -> None:
        """Play what an agent sends, or say why not. What it is told next is the acknowledgement."""
        began, status = perf_counter(), 200
        try:
            self.limits.of_key(self.line.agent.id)
            await self.play(frame)
        except ArenaError as error:
            status = error.status
            await self.refuse(error)
        except Exception as error:
            status = 500
            self.journal.failed(NAME, request, error)
            await self.refuse(ArenaError(500, "internal_error", "a fault of the arena; it has been written down"))
        agent, match = self.line.agent.id, self.live.match.id
        self.journal.answered(
            NAME, status, perf_counter() - began,
            request=request, agent=agent, match=match, sequence=self.live.sequence,
        )  # fmt: skip

    async def play(self, frame: str | bytes) -> None:
        """Play an action."""
        act, told = read(frame), self.line.told
        await self.tables.hear(self.live, self.seat, act.sequence, act.payload, act.say, act.usage)
        if self.line.told == told and self.turn == self.live.sequence:
            # An action that was played long ago, again: the turn that followed it was told long ago too.
            with suppress(*Gone):
                await self.tell_turn()

    async def refuse(self, error: ArenaError) -> None:
        """Say why not."""
        with suppress(*Gone):
            await self.line.tell(refused(error))
