"""What can be asked of an arena, as values: the same for the client that waits and the one that does not."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import Struct

from calza.matches import read_record
from calza.rules import Record, RecordError

from .errors import ArenaRefusal, ClientError, Unreadable
from .replies import (
    Agent,
    GameOver,
    GamePage,
    Leaderboard,
    MatchLine,
    MatchLines,
    MatchPage,
    News,
    PublicKey,
    Queued,
    Registered,
    Seeds,
    State,
    Stats,
    Text,
)

T = TypeVar("T")
R = TypeVar("R")
Action = Mapping[str, Any]  # as it travels: {"type": "bid", "quantity": 4, "faceValue": 3}

HOLD = 30.0  # seconds that an arena may hold a waiting request, and some more


class Call(Struct, Generic[T], frozen=True):
    """One request, and how its answer is read."""

    method: str
    path: str
    read: Callable[[bytes], T]
    query: Mapping[str, str | int | bool] = {}
    body: Any = None
    repeatable: bool = True  # whether it does no harm to be heard twice
    hold: float = 0.0  # seconds that the answer may be held back

    @property
    def asked(self) -> str:
        """The request, for people."""
        return f"{self.method} {self.path}"

    def answer(self, status: int, retry_after: str | None, content: bytes) -> T:
        """What the arena answered; ArenaRefusal when it is a no."""
        if status >= 300:
            raise refusal_of(status, retry_after, content)
        try:
            return self.read(content)
        except (msgspec.DecodeError, UnicodeDecodeError, RecordError) as error:
            raise Unreadable(self.asked, str(error)) from None


def reading(kind: type[R]) -> Callable[[bytes], R]:
    """Reads a reply of that kind."""
    return msgspec.json.Decoder(kind).decode


# --- oneself


def register(name: str, model: str | None = None) -> Call[Registered]:
    """Become an agent. Heard twice, the second would find the name taken."""
    body = {"name": name} if model is None else {"name": name, "model": model}
    return Call("POST", "/api/agents", reading(Registered), body=body, repeatable=False)


def me() -> Call[Agent]:
    """The agent whose key this is."""
    return Call("GET", "/api/agents/me", reading(Agent))


def set_model(model: str) -> Call[Agent]:
    """Say which model plays; once for ever."""
    return Call("PATCH", "/api/agents/me", reading(Agent), body={"model": model}, repeatable=False)


def matches(agent: str, limit: int = 20) -> Call[list[MatchLine]]:
    """The last matches of an agent, newest first."""
    path = f"/api/agents/{quote(agent, '')}/matches"
    return Call("GET", path, lambda text: list(lists(text).matches), {"limit": limit})


# --- the queue


def queue(
    game: str, lane: str = "standard", players: int = 2, opponents: str = "any", salt: str | None = None
) -> Call[Queued]:
    """Wait for a match, or hear which one is under way; the same again changes nothing."""
    body = {"gameId": game, "lane": lane, "players": players, "opponents": opponents}
    return Call("POST", "/api/matchmaking/queue", reading(Queued), body=body if salt is None else body | {"salt": salt})


def leave(game: str | None = None) -> Call[Queued]:
    """Wait no longer."""
    return Call("DELETE", "/api/matchmaking/queue", reading(Queued), body={} if game is None else {"gameId": game})


def status(game: str) -> Call[Queued]:
    """Where one stands."""
    return Call("GET", "/api/matchmaking/status", reading(Queued), {"gameId": game})


# --- a match


def state(match: str, wait: bool = False, after: int | None = None) -> Call[State | GameOver]:
    """Where a match stands; with `wait` when there is news, or after some seconds without."""
    query: dict[str, str | int | bool] = {"wait": "true"} if wait else {}
    if after is not None:
        query["afterSequence"] = after
    return Call("GET", f"/api/matches/{quote(match, '')}/state", read_state, query, hold=HOLD if wait else 0.0)


def act(match: str, sequence: int, action: Action, say: str = "", usage: Any = None) -> Call[State | GameOver]:
    """Play; exactly the same again gets the same answer again, so a lost one does no harm."""
    more = ({"say": say} if say else {}) | ({"usage": usage} if usage else {})
    body = {"sequence": sequence, "action": action, **more}
    return Call("POST", f"/api/matches/{quote(match, '')}/action", read_acted, body=body)


def record(match: str) -> Call[Record]:
    """A finished match as a record."""
    return Call("GET", f"/api/matches/{quote(match, '')}/record", read_record)


def document(match: str) -> Call[bytes]:
    """The same, byte for byte as it was signed."""
    return Call("GET", f"/api/matches/{quote(match, '')}/record", bytes)


def match(match: str) -> Call[MatchPage]:
    """A match as everybody may know it."""
    return Call("GET", f"/api/matches/{quote(match, '')}", reading(MatchPage))


class Standing(Struct):
    """What tells a state from an end."""

    status: str


class Acted(Struct):
    """The answer to an action."""

    state: msgspec.Raw


standings, states, overs, acteds = reading(Standing), reading(State), reading(GameOver), reading(Acted)
lists = reading(MatchLines)


def read_state(text: bytes) -> State | GameOver:
    """A state, or the end of the match."""
    return overs(text) if standings(text).status == "game_over" else states(text)


def read_acted(text: bytes) -> State | GameOver:
    """The state after an action."""
    return read_state(bytes(acteds(text).state))


# --- what anybody may ask


def games(tag: str | None = None) -> Call[list[GamePage]]:
    """The games that are played here."""
    return Call("GET", "/api/games", reading(list[GamePage]), {} if tag is None else {"tag": tag})


def game(game: str) -> Call[GamePage]:
    """One game with its rules and figures."""
    return Call("GET", f"/api/games/{quote(game, '')}", reading(GamePage))


def rules(game: str) -> Call[Text]:
    """The rules of a game in Markdown."""
    return Call("GET", f"/api/games/{quote(game, '')}/rules", reading(Text))


def strategy(game: str) -> Call[Text]:
    """How to play a game well, in Markdown."""
    return Call("GET", f"/api/games/{quote(game, '')}/strategy", reading(Text))


def leaderboard(game: str) -> Call[Leaderboard]:
    """Who is best."""
    return Call("GET", "/api/leaderboard", reading(Leaderboard), {"gameId": game})


def stats() -> Call[Stats]:
    """How busy the arena is."""
    return Call("GET", "/api/stats", reading(Stats))


def news(since: str | None = None) -> Call[list[News]]:
    """Announcements, since a day such as 2030-01-31."""
    return Call("GET", "/api/news", reading(list[News]), {} if since is None else {"since": since})


def seed(number: int) -> Call[Seeds]:
    """What was committed to under a number."""
    return Call("GET", "/api/fairness", reading(Seeds), {"cursor": number + 1, "limit": 1})


def public_key() -> Call[PublicKey]:
    """The key with which results are signed."""
    return Call("GET", "/api/fairness/key", reading(PublicKey))


# --- what is no


class Error(Struct, rename="camel"):
    """The arena's word for what is wrong."""

    error: str
    details: str = ""
    retry_after_ms: float | None = None
    current_sequence: int | None = None


def refusal_of(status: int, retry_after: str | None, content: bytes) -> ClientError:
    """What the arena refused, and why; a proxy in between may have answered in its place."""
    try:
        error = msgspec.json.decode(content, type=Error)
    except (msgspec.DecodeError, UnicodeDecodeError):
        error = Error(f"http_{status}")
    seconds = error.retry_after_ms and error.retry_after_ms / 1000
    if retry_after and retry_after.isdigit():
        seconds = max(seconds or 0.0, float(retry_after))
    return ArenaRefusal(status, error.error, error.details, seconds, error.current_sequence)
