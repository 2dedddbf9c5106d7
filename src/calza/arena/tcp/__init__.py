"""The joker game's TCP protocol, on a port of its own: bots that were written for it play here unchanged.

Not here: matches, dice and clocks, which are the arena's like those of any other match.
May import: `calza.arena`, `calza.rules`.
Start reading: `messages.py` (what travels), `story.py` (a match as bots are told of it), `gateway.py`.
Tests: `tests/arena/test_tcp.py`.
"""

from .gateway import Gateway

__all__ = ["Gateway"]
