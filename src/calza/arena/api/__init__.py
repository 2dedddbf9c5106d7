"""The arena's mouth: HTTP calls in, JSON out, all of them from one table of routes.

Not here: anything that decides; sockets and streams (`../sockets.py`); pages for people.
May import: calza.arena and below.
Start reading: `routes.py` (the table), `front.py` (what stands before every call), `matches.py` (the hot calls).
Tests: `tests/arena/api/`.
"""
