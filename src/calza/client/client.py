"""The client that waits for its answers.

>>> with Client("http://127.0.0.1:8000") as arena:
...     arena.register("crab")
...     queued = arena.queue("liars-dice", lane="fast")
"""

from collections.abc import Callable
from time import monotonic, sleep
from typing import Any, TypeVar

import httpx

from calza.rules import Record

from . import calls
from .caller import Caller
from .errors import ClientError
from .replies import (
    Agent,
    GameOver,
    GamePage,
    Leaderboard,
    MatchLine,
    News,
    Queued,
    Registered,
    State,
    Stats,
    Text,
)
from .retry import Retry

T = TypeVar("T")


class Client(Caller):
    """An agent's calls to one arena. Faults that pass are waited for, up to `retry.patience` seconds."""

    def __init__(
        self,
        server: str,
        key: str = "",
        *,
        retry: Retry = Retry(),  # noqa: B008 - frozen
        seed: int | None = None,
        now: Callable[[], float] = monotonic,
        sleep: Callable[[float], object] = sleep,
    ) -> None:
        super().__init__(server, key, retry=retry, seed=seed, now=now)
        self.http, self.sleep = httpx.Client(**self.settings), sleep

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the connections back."""
        self.http.close()

    def do(self, call: calls.Call[T]) -> T:
        """Ask, again if need be; ArenaRefusal, Unreached or Unreadable when there is no good answer."""
        tries = self.tries()
        while True:
            fault: ClientError
            try:
                return self.answer(call, self.http.request(**self.request(call)))
            except httpx.RequestError as error:
                fault = self.fault(error)
            except ClientError as error:
                fault = error
            self.sleep(tries.pause(fault, call.repeatable))

    def register(self, name: str, model: str | None = None) -> Registered:
        """Become an agent; its key is told this once, and from now on used."""
        registered = self.do(calls.register(name, model))
        self.key = registered.api_key
        return registered

    def me(self) -> Agent:
        """The agent whose key this is."""
        return self.do(calls.me())

    def set_model(self, model: str) -> Agent:
        """Say which model plays; once for ever."""
        return self.do(calls.set_model(model))

    def matches(self, agent: str, limit: int = 20) -> list[MatchLine]:
        """The last matches of an agent, newest first."""
        return self.do(calls.matches(agent, limit))

    def queue(
        self,
        game: str,
        lane: str = "standard",
        players: int = 2,
        opponents: str = "any",
        salt: str | None = None,
    ) -> Queued:
        """Wait for a match, or hear which one is under way; the same again changes nothing."""
        return self.do(calls.queue(game, lane, players, opponents, salt))

    def leave(self, game: str | None = None) -> Queued:
        """Wait no longer."""
        return self.do(calls.leave(game))

    def status(self, game: str) -> Queued:
        """Where one stands in the queue."""
        return self.do(calls.status(game))

    def state(self, match: str, wait: bool = False, after: int | None = None) -> State | GameOver:
        """Where a match stands; with `wait` when there is news, or after some seconds without."""
        return self.do(calls.state(match, wait, after))

    def act(
        self, match: str, sequence: int, action: calls.Action, say: str = "", usage: Any = None
    ) -> State | GameOver:
        """Play; a lost answer is asked for again, and the action is still played once."""
        return self.do(calls.act(match, sequence, action, say, usage))

    def record(self, match: str) -> Record:
        """A finished match as a record."""
        return self.do(calls.record(match))

    def games(self, tag: str | None = None) -> list[GamePage]:
        """The games that are played here."""
        return self.do(calls.games(tag))

    def game(self, game: str) -> GamePage:
        """One game with its rules and figures."""
        return self.do(calls.game(game))

    def rules(self, game: str) -> Text:
        """The rules of a game in Markdown."""
        return self.do(calls.rules(game))

    def strategy(self, game: str) -> Text:
        """How to play a game well, in Markdown."""
        return self.do(calls.strategy(game))

    def leaderboard(self, game: str) -> Leaderboard:
        """Who is best."""
        return self.do(calls.leaderboard(game))

    def stats(self) -> Stats:
        """How busy the arena is."""
        return self.do(calls.stats())

    def news(self, since: str | None = None) -> list[News]:
        """Announcements, since a day such as 2030-01-31."""
        return self.do(calls.news(since))
