"""A bot online: it waits for a match, plays it, and waits for the next, until it is enough."""

import asyncio
import secrets
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from calza.agents.entry import Entry
from calza.rules import AgentFault, Rules

from .async_client import AsyncClient
from .errors import ArenaRefusal, ClientError, Superseded
from .events import Dropped, Ended, Queued, Stopping, Tell
from .match import Match
from .notices import Notices
from .outage import Outage
from .replies import Agent, GameOver
from .replies import Queued as Waiting
from .retry import asked_for, passing
from .seat import Seat


class Wish(Struct, frozen=True, kw_only=True):
    """What to play."""

    game: str = "liars-dice"
    lane: str = "fast"
    players: int = 2
    opponents: str = "any"
    matches: int | None = None  # how many; None for no end
    http: bool = False  # never open a socket


class Session:
    """One agent with one bot. `draw` gives numbers for the bot's chance, which nobody else should know."""

    def __init__(
        self,
        client: AsyncClient,
        agent: Agent,
        rules: Rules,
        entry: Entry,
        log: Path,
        wish: Wish,
        tell: Tell,
        draw: Callable[[], int] = lambda: secrets.randbits(53),
    ) -> None:
        self.client, self.agent, self.rules, self.entry, self.log = client, agent, rules, entry, log
        self.wish, self.tell, self.draw = wish, tell, draw
        self.notices = Notices(client, wish.game)
        self.outage = Outage(tell, client.retry, client.chance)
        self.stopping = False
        self.playing: str | None = None
        self.search: asyncio.Task[str] | None = None

    async def run(self) -> None:
        """Play match after match."""
        listening = None if self.wish.http else asyncio.create_task(self.notices.listen())
        played = 0
        try:
            while not self.stopping and played != self.wish.matches:
                played += await self._once()
        finally:
            if listening:
                listening.cancel()
                await asyncio.wait({listening})

    def stop(self) -> None:
        """Begin no new match: leave the queue, or finish the match that is being played."""
        self.stopping = True
        if self.search:
            self.search.cancel()
        if self.playing or not self.search:
            self.tell(Stopping(match=self.playing))

    async def _once(self) -> bool:
        """One match; the bot starts first, so that nobody has to wait for one that does not."""
        try:
            seat = await Seat.take(self.entry, self.log, self.draw())
        except AgentFault as fault:
            raise ClientError(f"{self.entry.name} cannot be started: {fault.why}") from None
        try:
            match = await self._found()
            return match is not None and await self._play(match, seat)
        finally:
            await seat.close()

    # --- waiting

    async def _found(self) -> str | None:
        """The next match; None when we are to stop."""
        if self.stopping:
            return None
        self.search = search = asyncio.create_task(self._search())
        try:
            await asyncio.wait({search})
        finally:
            search.cancel()
            self.search = None
        return await self._leave() if search.cancelled() else search.result()

    async def _search(self) -> str:
        """Wait in the queue."""
        salt, told = secrets.token_hex(8), False
        place: int | None = None
        self.notices.forget()
        while True:
            if self.notices.replaced:
                raise Superseded(
                    f"another connection of {self.agent.name} has taken over; only one can wait for matches"
                )
            queued = await self._queue(salt)
            if queued.match_id:
                return queued.match_id
            if not told or queued.position != place:
                told, place = True, queued.position
                self.tell(Queued(game=self.wish.game, position=place))
            if found := await self.notices.wait():
                return found

    async def _queue(self, salt: str) -> Waiting:
        """Queue, or hear how it stands: an entry that has run out is made anew."""
        wish = self.wish
        while True:
            try:
                queued = await self.client.queue(wish.game, wish.lane, wish.players, wish.opponents, salt)
            except ClientError as fault:
                if not passing(fault):
                    raise
                await self.outage.wait(str(fault), asked_for(fault))
            else:
                self.outage.over()
                return queued

    async def _leave(self) -> str | None:
        """Leave the queue; a match that was found in the meantime is still played."""
        try:
            left = await self.client.leave(self.wish.game)
            return None if left.status == "left" else (await self.client.status(self.wish.game)).match_id
        except ClientError as fault:
            raise ClientError(f"the queue was not left, {fault}") from None

    # --- playing

    async def _play(self, match: str, seat: Seat) -> bool:
        """Play a match; False when there was none to play."""
        self.playing = match
        if self.stopping:
            self.tell(Stopping(match=match))
        try:
            playing = Match(self.client, match, self.rules, seat, self.tell, self.outage, self.wish.http)
            over = await playing.play()
        except ArenaRefusal as refusal:
            if refusal.status not in (403, 404):
                raise
            self.tell(Dropped(match=match, why=str(refusal)))
            await self.outage.wait("")
            return False
        finally:
            self.playing = None
        self.outage.over()
        self.tell(ended(over, self.agent.id))
        await seat.over(places(over))
        return True


def ended(over: GameOver, agent: str) -> Ended:
    """What a match came to for `agent`."""
    own = over.of(agent)
    return Ended(
        match=over.match_id,
        outcome=own.outcome if own else "",
        place=own.place if own else 0,
        players=len(over.results),
        reason=over.reason,
        before=over.rating.before if over.rating else None,
        after=over.rating.after if over.rating else None,
        replay=over.replay_url,
    )


def places(over: GameOver) -> list[int]:
    """The places by seat."""
    place = {one.agent_id: one.place for one in over.results}
    seated = [one.id for one in over.view.players] if over.view else []
    return [place.get(one, 0) for one in seated or place]
