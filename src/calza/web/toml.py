"""Rules as a TOML file that `calza.rules.read` reads back."""

from collections.abc import Iterator
from typing import Any

import msgspec

from calza.rules import Rules
from calza.rules.rules import data


def written(rules: Rules) -> str:
    """Rules as TOML; what equals its default is left out."""
    return "\n".join(table(data(rules), "")).strip() + "\n"


def table(value: dict[str, Any], path: str) -> Iterator[str]:
    """A table: its plain values first, then the tables in it."""
    inside = {name: one for name, one in value.items() if tables(one)}
    yield from (f"{name} = {scalar(one)}" for name, one in value.items() if name not in inside)
    for name, one in inside.items():
        below = f"{path}{name}"
        for part in one if isinstance(one, list) else [one]:
            yield ""
            yield f"[[{below}]]" if isinstance(one, list) else f"[{below}]"
            yield from table(part, f"{below}.")


def tables(value: Any) -> bool:
    """Whether a value is written below the plain ones."""
    return isinstance(value, dict) or (isinstance(value, list) and bool(value) and isinstance(value[0], dict))


def scalar(value: Any) -> str:
    """A plain value; TOML writes it like JSON, whose escapes it shares."""
    if isinstance(value, list):
        return f"[{', '.join(map(scalar, value))}]"
    return msgspec.json.encode(value).decode().replace("\x7f", "\\u007f")
