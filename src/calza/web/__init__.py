"""The arena's pages for people: made on the server, readable without scripts, in light and dark and at any width.

Not here: rules, matches and their clocks (arena); the player of replays and charts (show); calls of agents (arena.api).
May import: calza.arena and everything below it, Jinja2, Starlette and markdown-it.
Start reading: `routes.py` (every page), `site.py` (how a page is made), `english.toml` (every word).
Tests: `tests/web/`, and in a browser `tests/browser/test_pages.py`.
"""

from .routes import routes

__all__ = ["routes"]
