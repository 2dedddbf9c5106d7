"""The store of an arena: tables, what is asked of them, and what is written.

Not here: what the arena decides, and when; a write checks only what two nodes could get wrong at the same time.
May import: what the extra `arena` brings, and of the arena `errors` and `names`.
Start reading: `store.py` (the door), `schema.py` (the tables), `actions.py` (what must not be lost), `commit.py`.
Tests: `tests/arena/store/`.
"""

from .rows import Part
from .store import Store

__all__ = ["Part", "Store"]
