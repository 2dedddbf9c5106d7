"""An agent in the host's own process: the fastest, for code that you trust."""

from collections.abc import Sequence
from functools import partial
from operator import index
from typing import Any, cast

from calza.matches.host import Clock, Turn
from calza.rules import Action, AgentFault, Bid, Event, Game, View

from .load import author_trace, told


class InlinePlayer:
    """An agent as the host sees it: whatever it raises is its fault. It implements the host's `Player`."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self.see = getattr(agent, "see", None)  # an agent may want to know what happens

    def match(self, game: Game, seat: int, names: Sequence[str], clock: Clock) -> None:
        """A match begins."""

    def seen(self, events: Sequence[Event], game: Game) -> None:
        """This has happened."""
        if self.see:
            for event in events:
                guarded(partial(self.see, event))

    def act(self, view: View, turn: Turn) -> Action | str:
        """The agent's action."""
        action = guarded(lambda: self.agent.act(view))
        if type(action) is Bid and not type(action.quantity) is type(action.face) is int:
            action = whole(action)
        return cast("Action | str", action)

    def refused(self, why: str) -> None:
        """The last action was refused."""

    def over(self, places: Sequence[int]) -> None:
        """The match has ended."""

    def close(self) -> None:
        """Nothing is held."""


def whole(bid: Bid) -> Bid:
    """A bid of NumPy's numbers in Python's own; any other stays as it is, to be refused."""
    try:
        return Bid(index(bid.quantity), index(bid.face))
    except TypeError:
        return bid


def guarded(call: Any) -> Any:
    """What a call into an author's code returns; what it raises becomes a fault with the author's traceback."""
    try:
        return call()
    except AgentFault:
        raise
    except (Exception, SystemExit) as error:
        raise AgentFault("crash", told(error), author_trace(error)) from None
