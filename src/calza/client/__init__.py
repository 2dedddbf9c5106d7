"""The arena from an agent's side: calls over HTTP, and bots that play online.

Not here: the arena itself, bots and how they are started (agents), what is printed (cli).
May import: calza.agents, calza.show, calza.matches, calza.rules; httpx and websockets.
Start reading: `calls.py` (what can be asked), `client.py`, then `session.py` (a bot online) and `match.py` (one match).
Tests: `tests/client/`, at a real arena, and for troubles at a small one of their own in `standin.py`.
"""

from .async_client import AsyncClient
from .client import Client
from .errors import ArenaRefusal, ClientError, Unreached, Unreadable
from .retry import Retry

__all__ = ["ArenaRefusal", "AsyncClient", "Client", "ClientError", "Retry", "Unreached", "Unreadable"]
