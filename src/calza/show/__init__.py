"""What draws a match: the words of an event, films, the page that plays them, and charts.

Not here: any rule, any terminal, any file; text goes out. Of what is hidden, only a film holds anything.
May import: calza.matches, calza.rules.
Start reading: `words.py` (events as sentences), `film.py` (a record as moments), `player.py` (films as a page).
Tests: `tests/show/`.
"""

from .words import Cast, cast_of, tell, told

__all__ = ["Cast", "cast_of", "tell", "told"]
