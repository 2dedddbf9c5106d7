"""Players of another programming game: classes with one method `move`, which run here unchanged.

`move(bids, dice)` or `move(bids, dice, n_dice)`, returning "Liar", "Spot on" (", lose two" or ", gain one") or a tuple
(quantity, value); `get_info(dice, bids, n_dice, player_order)` is called before each move where there is one.
"""

import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, SupportsIndex

from calza.rules import Action, AgentFault, Bid, NotationError, View, parse_action

from .protocol import sayable


class Player:
    """The base class that such a module imports as `from player import Player`."""

    def __init__(self, index: int = 0) -> None:
        self.index = index


def provide_base() -> None:
    """Make `from player import Player` work, for a bot that has not brought a module of that name."""
    module = ModuleType("player", Player.__doc__)
    module.Player = Player  # type: ignore[attr-defined]
    sys.modules["player"] = module


def is_player(kind: type) -> bool:
    """Whether a class is such a player and not an agent."""
    return callable(getattr(kind, "move", None)) and not callable(getattr(kind, "act", None))


class MovePlayer:
    """An agent that asks such a player."""

    def __init__(self, kind: type) -> None:
        self.kind = kind
        self.player: Any = None
        self.seat = -1

    def act(self, view: View) -> Action:
        """The player's move as an action."""
        if self.player is None or self.seat != view.seat:
            self.sit_down(view.seat)
        bids = [(bid.quantity, bid.face) for _, bid in view.bids]
        dice, n_dice = list(view.cup), list(view.dice)
        if callable(getattr(self.player, "get_info", None)):
            self.player.get_info(list(dice), list(bids), list(n_dice), list(range(len(n_dice))))
        move = self.player.move(bids, dice, n_dice) if self.wide else self.player.move(bids, dice)
        return read_move(move, view)

    def sit_down(self, seat: int) -> None:
        """Make the player, with its seat where it wants to know it."""
        self.player, self.seat = self.kind(seat) if takes(self.kind, seat) else self.kind(), seat
        self.player.index = seat
        self.wide = takes(self.player.move, [], [], [])


def takes(call: Callable[..., object], *values: object) -> bool:
    """Whether `call` can be called with these."""
    try:
        inspect.signature(call).bind(*values)
    except (TypeError, ValueError):
        return False
    return True


def read_move(move: object, view: View) -> Action:
    """A move's return value as an action."""
    if isinstance(move, str):
        try:
            return parse_action(move, view.rules)
        except NotationError as error:
            raise AgentFault("malformed", str(error), sayable(move)) from None
    if isinstance(move, tuple) and len(move) == 2 and all(isinstance(one, SupportsIndex) for one in move):
        quantity, face = move
        return Bid(quantity.__index__(), face.__index__())
    shown = f"{move!r:.60}"
    raise AgentFault("malformed", f"a move is a string or a tuple (quantity, value), not {shown}", shown)
