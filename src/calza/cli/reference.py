"""`make docs`: the pages of docs/reference that are made from the code."""

from pathlib import Path
from typing import Any

import click
import msgspec

from calza.arena.api import reference
from calza.arena.api.routes import ROUTES
from calza.matches import record_schema
from calza.rules import CATALOG
from calza.rules.describe import describe
from calza.rules.read import rules_schema

from . import VERBS, calza, settings


def documents() -> dict[str, str]:
    """Every generated page by its name."""
    pages = {f"variants/{name}.md": describe(rules) for name, rules in CATALOG.items()}
    return {
        "arena-api.md": reference.page(ROUTES),
        "cli.md": commands(),
        "rules.schema.json": pretty(rules_schema()),
        "record.schema.json": pretty(record_schema()),
        "settings.md": settings.page(),
        **pages,
    }


def pretty(schema: dict[str, Any]) -> str:
    """JSON for people."""
    return msgspec.json.format(msgspec.json.encode(schema), indent=2).decode() + "\n"


def commands() -> str:
    """The help of every command, as it is printed."""
    parts = ["# Commands", "`python -m calza` is the same as `calza`."]
    for verb in VERBS:
        parts += helps(calza.get_command(click.Context(calza), verb), f"calza {verb}")
    return "\n\n".join(parts) + "\n"


def helps(command: click.Command | None, name: str) -> list[str]:
    """The help of a command and of those below it."""
    assert command
    context = click.Context(
        command, info_name=name, terminal_width=100, max_content_width=100, **calza.context_settings
    )
    parts = [f"## {name}", f"```text\n{command.get_help(context)}\n```"]
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            parts += helps(command.get_command(context, below), f"{name} {below}")
    return parts


def main() -> None:
    """Write them all."""
    folder = Path(__file__).parents[3] / "docs" / "reference"
    for name, text in documents().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote docs/reference/{name}")


if __name__ == "__main__":
    main()
