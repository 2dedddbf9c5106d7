"""Liar's Dice: one definition of the game that is played, compiled, printed, recorded and verified.

Here: the names that most programs need, loaded when they are asked for, so that `import calza` costs nothing.
Not here: anything else; the rooms are listed in `docs/map.md`.
May import: every room, lazily.
Start reading: `docs/map.md`.
Tests: `tests/test_package.py`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calza.agents import Agent, HouseAgent, Odds, bid_odds, parse_agent
    from calza.matches import read_record, replay, run, verify, write_record
    from calza.rules import (
        CATALOG,
        RESIGN,
        Action,
        Bid,
        Call,
        CalzaError,
        Game,
        HmacDice,
        IllegalAction,
        Legal,
        MixDice,
        Player,
        Record,
        Refusal,
        Rules,
        Setup,
        View,
        parse_action,
    )

__version__ = "0.1.0"

ROOMS = {
    "calza.rules": (
        "CATALOG RESIGN Action Bid Call CalzaError Game HmacDice IllegalAction Legal MixDice Player Record "
        "Refusal Rules Setup View parse_action"
    ),
    "calza.matches": "read_record replay run verify write_record",
    "calza.agents": "Agent HouseAgent Odds bid_odds parse_agent",
}
HOMES = {name: room for room, names in ROOMS.items() for name in names.split()}

__all__ = [
    "CATALOG",
    "RESIGN",
    "Action",
    "Agent",
    "Bid",
    "Call",
    "CalzaError",
    "Game",
    "HmacDice",
    "HouseAgent",
    "IllegalAction",
    "Legal",
    "MixDice",
    "Odds",
    "Player",
    "Record",
    "Refusal",
    "Rules",
    "Setup",
    "View",
    "bid_odds",
    "parse_action",
    "parse_agent",
    "read_record",
    "replay",
    "run",
    "verify",
    "write_record",
]


def __getattr__(name: str) -> Any:
    """The public name from its room."""
    if name not in HOMES:
        raise AttributeError(f"module 'calza' has no attribute {name!r}")
    return getattr(import_module(HOMES[name]), name)
