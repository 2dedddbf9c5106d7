"""Every word of the pages, from one catalogue: `english.toml`. Another language is another file with the same keys.

A text may hold a little markup, and names in braces for what is filled in. That is escaped, whoever says it.
"""

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from itertools import count
from typing import Any

from markupsafe import Markup

ENGLISH = "english.toml"


class Texts:
    """A catalogue: `t("match.title", name=...)` is one text of it."""

    def __init__(self, lines: dict[str, str]) -> None:
        self.lines = lines

    def __call__(self, key: str, **values: Any) -> Markup:
        """The text of a key; with `n`, its form for one or for many if it has two."""
        if key not in self.lines:
            key = f"{key}.{'one' if values['n'] == 1 else 'many'}"
        return Markup(self.lines[key]).format(**values)

    def has(self, key: str) -> bool:
        """Whether there is such a text."""
        return key in self.lines

    def all(self, key: str, **values: Any) -> list[Markup]:
        """The paragraphs, or points, under a key."""
        return [self(f"{key}.{number}", **values) for number in range(self.many(key))]

    def many(self, key: str) -> int:
        """How many paragraphs there are under a key."""
        return next(number for number in count() if f"{key}.{number}" not in self.lines)

    def parts(self, key: str) -> range:
        """The numbers of the parts under a key, each of which has a title."""
        return range(next(number for number in count() if f"{key}.{number}.title" not in self.lines))


@cache
def english() -> Texts:
    """The English catalogue."""
    text = (files(__package__) / ENGLISH).read_text(encoding="utf-8")
    return Texts(dict(flat(tomllib.loads(text))))


def flat(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text with its key: names and numbers, joined by dots."""
    if isinstance(value, str):
        yield path, " ".join(value.split())
        return
    for name, one in value.items() if isinstance(value, dict) else enumerate(value):
        yield from flat(one, f"{path}.{name}" if path else str(name))
