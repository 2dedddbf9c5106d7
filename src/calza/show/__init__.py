"""What draws a match: the words of an event.

Not here: anything that is hidden from whoever reads, any rule, any terminal or page; text goes out.
May import: calza.matches, calza.rules.
Start reading: `words.py` (events as sentences).
Tests: `tests/show/`.
"""

from .words import Cast, cast_of, tell, told

__all__ = ["Cast", "cast_of", "tell", "told"]
