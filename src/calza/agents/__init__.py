"""Whoever plays: the agent's interface, odds, and the house bots.

Not here: running matches (matches), compiling policies (sim).
May import: calza.show, calza.matches, calza.rules.
Start reading: `agent.py` (what an agent is), `odds.py`, `policies.py` (the house bots' play), `house.py` (their names).
Tests: `tests/agents/`.
"""

from .agent import Agent
from .house import HOUSE, HouseAgent, parse_agent
from .odds import Odds, bid_odds

__all__ = ["HOUSE", "Agent", "HouseAgent", "Odds", "bid_odds", "parse_agent"]
