"""The game itself: rules as data, the state, actions, dice and events.

Not here: reading or keeping records, agents, clocks, chance, anything that does IO.
May import: the standard library's pure parts and msgspec.
Start reading: `rules.py` (a variant), `play.py` (how a game moves), `game.py` (one game).
Tests: `tests/rules/` and the rulebook in `docs/rules/`.
"""

from .actions import RESIGN, Action, Bid, Call, Forfeit, Penalty, parse_action
from .catalog import CATALOG
from .dice import Dice, HmacDice, MixDice
from .errors import (
    AgentFault,
    CalzaError,
    IllegalAction,
    NotationError,
    RecordError,
    Refusal,
    RulesError,
    SetupError,
)
from .events import Event
from .game import Game
from .record import Player, Record, Setup
from .rules import CallRule, Outcome, Raise, Raising, Rules, Special, Starter
from .view import Legal, View

__all__ = [
    "CATALOG",
    "RESIGN",
    "Action",
    "AgentFault",
    "Bid",
    "Call",
    "CallRule",
    "CalzaError",
    "Dice",
    "Event",
    "Forfeit",
    "Game",
    "HmacDice",
    "IllegalAction",
    "Legal",
    "MixDice",
    "NotationError",
    "Outcome",
    "Penalty",
    "Player",
    "Raise",
    "Raising",
    "Record",
    "RecordError",
    "Refusal",
    "Rules",
    "RulesError",
    "Setup",
    "SetupError",
    "Special",
    "Starter",
    "View",
    "parse_action",
]
