"""Texts that models read, with $names filled in.

Not here: rules and strategy, which are made from data (`calza.rules.describe`, `../strategy.py`).
May import: the standard library.
Start reading: `guide.md`.
Tests: `tests/arena/api/test_texts.py`.
"""

from functools import cache
from importlib.resources import files
from string import Template


@cache
def template(name: str) -> Template:
    """A text as it is written."""
    return Template((files(__package__) / f"{name}.md").read_text(encoding="utf-8"))


def filled(name: str, **values: object) -> str:
    """A text, ready to be read."""
    return template(name).substitute(values)
