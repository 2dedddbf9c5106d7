"""The line to one match: what the arena says of it comes in, actions go out. Over a socket, or over HTTP.

A line that breaks raises LineLost, and nothing is lost with it: on a new one the arena tells a pending turn again.
"""

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

import msgspec
from msgspec import Struct
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from .async_client import AsyncClient
from .calls import Error, reading
from .errors import ArenaRefusal, ClientError, Unreached, Unreadable
from .replies import GameOver, Reply, Sight, State

PING = 20.0  # seconds after which a silent socket is asked whether it is there, and as many for the answer
OPENING, CLOSING = 10.0, 2.0  # seconds
IDLE = 2.0  # seconds between two looks at a match in which nothing happens and the arena does not hold us


class LineLost(Exception):
    """The line is gone; another may be opened. `asked` are the seconds of patience that the arena asked for.

    An empty `why` is no trouble: a new line is wanted for another reason.
    """

    def __init__(self, why: str, asked: float = 0.0) -> None:
        super().__init__(why)
        self.why, self.asked = why, asked


class Taken(LineLost):
    """The arena has closed the line for good."""


class YourTurn(Reply, frozen=True, kw_only=True):
    """We are to act."""

    sequence: int
    view: Sight
    turn_ends_at: str | None = None


class Refused(Struct, frozen=True):
    """What we sent was refused."""

    code: str
    details: str = ""
    seconds: float = 0.0  # of patience that are asked for


News = YourTurn | GameOver | Refused


class Line(Protocol):
    """What a match is followed by."""

    async def hear(self) -> News:
        """What comes next; LineLost when the line breaks."""
        ...

    async def send(self, sequence: int, action: Mapping[str, Any]) -> None:
        """Act; what comes of it is heard."""
        ...

    async def close(self) -> None:
        """Hang up."""


# --- over a socket


class NoSocket(Exception):
    """The arena is there, or not, but opens no socket."""


async def open_socket(client: AsyncClient, path: str) -> ClientConnection:
    """A socket to the arena; NoSocket when there is none, ArenaRefusal when it does not know us."""
    try:
        return await connect(
            "ws" + client.server.removeprefix("http") + path,
            additional_headers={"Authorization": f"Bearer {client.key}"},
            proxy=None if client.local else True,
            compression=None,
            open_timeout=OPENING,
            close_timeout=CLOSING,
            ping_interval=PING,
            ping_timeout=PING,
        )
    except InvalidStatus as error:
        if error.response.status_code == 401:
            raise ArenaRefusal(401, "unauthorized") from None
        raise NoSocket(f"the arena answers {error.response.status_code} to a socket") from None
    except (OSError, TimeoutError, WebSocketException) as error:
        raise NoSocket(str(error) or type(error).__name__) from None


class Kind(Struct):
    """What tells frames apart."""

    type: str


kinds, turns, overs, errors = reading(Kind), reading(YourTurn), reading(GameOver), reading(Error)


def news_of(frame: str | bytes) -> News | None:
    """What a frame says; None for what is no news to a player."""
    text = frame.encode() if isinstance(frame, str) else frame
    try:
        match kinds(text).type:
            case "your_turn":
                return turns(text)
            case "game_over":
                return overs(text)
            case "error":
                error = errors(text)
                return Refused(error.error, error.details, (error.retry_after_ms or 0.0) / 1000)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Unreadable("the match's socket", str(error)) from None
    return None


class SocketLine:
    """A line over a socket."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    async def hear(self) -> News:
        """The next frame that is news."""
        while True:
            try:
                frame = await self.socket.recv()
            except ConnectionClosed as closed:
                raise broken(closed) from None
            if news := news_of(frame):
                return news

    async def send(self, sequence: int, action: Mapping[str, Any]) -> None:
        """Act."""
        frame = msgspec.json.encode({"type": "action", "sequence": sequence, "payload": action})
        try:
            await self.socket.send(frame.decode())
        except ConnectionClosed as closed:
            raise broken(closed) from None

    async def close(self) -> None:
        """Hang up."""
        await self.socket.close()


def broken(closed: ConnectionClosed) -> Exception:
    """What the end of a socket means."""
    code, reason = (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd else (0, "")
    match code:
        case 1000:
            return Taken("the arena closed the socket")
        case 4403:
            return ArenaRefusal(403, "not_a_player", "this agent does not play in that match")
        case 4404:
            return ArenaRefusal(404, "match_not_found", "there is no such match")
    return LineLost(f"the socket was closed with {code} {reason}".rstrip() if code else "the socket broke")


# --- over HTTP


class HttpLine:
    """A line of waiting requests; with `seconds` it breaks after so long, for a socket to be tried again."""

    def __init__(self, client: AsyncClient, match: str, seconds: float | None = None) -> None:
        self.client, self.match = client, match
        self.until = None if seconds is None else client.now() + seconds
        self.next: State | GameOver | Refused | None = None  # the answer to an action, not yet heard
        self.told: int | None = None  # the turn that was heard last

    async def hear(self) -> News:
        """What the next answer says, if it is news."""
        while True:
            news, self.next = self.next or await self._ask(), None
            if not isinstance(news, State):
                return news
            if news.status == "your_turn" and news.sequence != self.told:
                self.told = news.sequence
                return YourTurn(sequence=news.sequence, view=news.view, turn_ends_at=news.turn_ends_at)
            if self.until is not None and self.client.now() > self.until:
                raise LineLost("")  # time to try a socket again

    async def _ask(self) -> State | GameOver:
        """Wait for news, but not more often than there can be any."""
        started = self.client.now()
        try:
            state = await self.client.state(self.match, wait=True)
        except ClientError as fault:
            raise lost(fault) from None
        idle = isinstance(state, State) and (state.status != "your_turn" or state.sequence == self.told)
        if idle and self.client.now() - started < IDLE:
            await asyncio.sleep(IDLE)
        return state

    async def send(self, sequence: int, action: Mapping[str, Any]) -> None:
        """Act."""
        try:
            self.next = await self.client.act(self.match, sequence, action)
        except ArenaRefusal as refusal:
            if refusal.status not in (400, 409):
                raise lost(refusal) from None
            self.next = Refused(refusal.code, refusal.details)
        except ClientError as fault:
            raise lost(fault) from None

    async def close(self) -> None:
        """Nothing is held."""


def lost(fault: ClientError) -> Exception:
    """A fault that passes breaks the line; another is for whoever plays."""
    if isinstance(fault, ArenaRefusal) and fault.passing:
        return LineLost(str(fault), fault.retry_after or 0.0)
    return LineLost(str(fault)) if isinstance(fault, Unreached) else fault
