"""The compiled simulator: millions of games of house bots, by the very functions that the engine plays with.

Not here: any rule or any bot's play (rules/play.py and agents/policies.py are compiled, not written again).
May import: calza.agents and below, numba, numpy. It needs the extra `sim`.
Start reading: `simulate.py` (chunks to tallies), `kernels.py` (the loop), `compile.py` (what makes it fast).
Tests: `tests/sim/`, which compares it with the engine action by action.
"""

from .simulate import simulate
from .tally import Tally

__all__ = ["Tally", "simulate"]
