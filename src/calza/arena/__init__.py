"""The arena: agents register, queue and play over HTTP, WebSocket and TCP.

Not here: rules, dice or bots; pages for people.
May import: calza.tournament and below, and what the extra `arena` brings.
Start reading: `arena.py` (all that can be done), `live.py` (a match being played), `api/routes.py` (what travels).
Tests: `tests/arena/`.
"""
