"""One match: follow it, let the bot act, and come back on a new line whenever one breaks."""

from collections.abc import Mapping
from typing import Any

from calza.rules import AgentFault, Rules

from .async_client import AsyncClient
from .errors import ClientError, Superseded
from .events import Failed, Fallback, Matched, Tell
from .line import HttpLine, Line, LineLost, NoSocket, Refused, SocketLine, Taken, YourTurn, lost, open_socket
from .outage import Outage
from .position import RESIGN, against, position_of
from .replies import GameOver
from .seat import Seat

AGAIN = 60.0  # seconds after which a socket is tried again that could not be opened
LEAST, MOST = 0.2, 86400.0  # seconds that a bot is given at any rate, and at most
TRIES = 2  # answers to one turn that may be wrong
WRONG = ("invalid_action", "invalid_input")
LOST_TRACK = ("stale_sequence", "not_your_turn", "game_already_over")

# What follows from a fault of the bot's.
RESIGNS = "it resigns the match"
CLOCK = "the arena's clock decides"
ONCE_MORE = "it is asked once more"


class Match:
    """A match and the bot in it."""

    def __init__(
        self, client: AsyncClient, id: str, rules: Rules, seat: Seat, tell: Tell, outage: Outage, http: bool
    ) -> None:
        self.client, self.id, self.rules, self.seat = client, id, rules, seat
        self.tell, self.outage, self.http = tell, outage, http
        self.met = False  # whether it was told who plays
        self.sockets = True  # whether one could be opened the last time
        self.turn: YourTurn | None = None  # the last one heard
        self.answer: Mapping[str, Any] | None = None  # to it; None when there is none
        self.wrong = 0  # answers to it

    async def play(self) -> GameOver:
        """Play to the end, whatever becomes of the lines."""
        taken = False
        while True:
            try:
                if over := await self._look():
                    return over
                if taken:
                    raise Superseded("another connection plays this match as the same agent")
                return await self._on_a_line()
            except Taken:  # by somebody else, or a finished match whose end was lost on the way
                taken = True
            except LineLost as broken:
                await self.outage.wait(broken.why, broken.asked)

    async def _look(self) -> GameOver | None:
        """See whether the match goes on; say who plays."""
        try:
            state = await self.client.state(self.id)
        except ClientError as fault:
            raise lost(fault) from None
        self.outage.back()
        if isinstance(state, GameOver):
            return state
        if not self.met:
            self.met = True
            self.tell(Matched(match=self.id, game=state.game_id, against=against(state.view)))
        return None

    async def _on_a_line(self) -> GameOver:
        """Play on one line, to the end of the match or of the line."""
        line = await self._line()
        try:
            while True:
                match await line.hear():
                    case GameOver() as over:
                        return over
                    case YourTurn() as turn:
                        await self._turn(line, turn)
                    case Refused() as refused:
                        await self._refused(line, refused)
        finally:
            await line.close()

    async def _line(self) -> Line:
        """A socket; where none can be had, HTTP for a while."""
        if self.http:
            return HttpLine(self.client, self.id)
        try:
            line = SocketLine(await open_socket(self.client, f"/ws/game/{self.id}"))
        except NoSocket as none:
            if self.sockets:
                self.tell(Fallback(why=str(none)))
            self.sockets = False
            return HttpLine(self.client, self.id, AGAIN)
        self.sockets = True
        return line

    # --- turns

    async def _turn(self, line: Line, turn: YourTurn) -> None:
        """Act; a turn that is told again gets the same answer again, which the arena plays once."""
        if self.turn and turn.sequence < self.turn.sequence:
            return
        if self.turn is None or turn.sequence > self.turn.sequence:
            self.outage.over()
            self.turn, self.answer, self.wrong = turn, None, 0
            self.answer = await self._asked(turn)
        await self._send(line, turn)

    async def _send(self, line: Line, turn: YourTurn) -> None:
        if self.answer is not None:
            await line.send(turn.sequence, self.answer)

    async def _refused(self, line: Line, refused: Refused) -> None:
        """What was sent was refused: ask the bot again, look again, or send it again later."""
        if self.turn is None or refused.code in LOST_TRACK:
            raise LineLost("")  # on a new line the arena tells where we are
        if refused.code in WRONG:
            self.answer = await self._asked(self.turn, AgentFault("illegal", refused.details or refused.code))
        else:
            await self.outage.wait("", refused.seconds)
        await self._send(line, self.turn)

    async def _asked(self, turn: YourTurn, fault: AgentFault | None = None) -> Mapping[str, Any] | None:
        """What the bot does, None when it does nothing; after a `fault` it may be asked once more."""
        position = position_of(turn.view, self.rules, turn.sequence)
        while True:
            if fault:
                then = self._then(fault)
                self.tell(Failed(match=self.id, kind=fault.kind, why=fault.why, detail=fault.detail, then=then))
                if then != ONCE_MORE:
                    return RESIGN if then == RESIGNS else None
                await self.seat.refused(fault.why)
            try:
                return await self.seat.act(position, self._left(turn))
            except AgentFault as failed:
                fault = failed

    def _then(self, fault: AgentFault) -> str:
        """What follows from a fault."""
        if fault.kind == "crash":
            return RESIGNS
        self.wrong += 1
        return ONCE_MORE if fault.kind != "timeout" and self.wrong < TRIES else CLOCK

    def _left(self, turn: YourTurn) -> float | None:
        """Seconds that the bot has; some of the turn's are for the way."""
        left = self.client.left(turn.turn_ends_at)
        return None if left is None else min(max(LEAST, left / 2, left - 2), MOST)
