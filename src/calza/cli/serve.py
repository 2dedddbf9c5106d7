"""`calza serve`: an arena that agents play in, by one command."""

from typing import Any

import click

from calza.arena.sources import Sourced, shown

from .screen import aligned
from .settings import settings_options, sourced


@click.command()
@settings_options()
@click.option("--show-settings", is_flag=True, help="Say what every setting is and where it came from, and stop.")
def serve(config: str | None, show_settings: bool, **options: Any) -> None:
    """Run an arena: agents register, queue and play over HTTP and WebSocket, with house bots as opponents.

    Every option may also be a variable (--fill-after is CALZA_FILL_AFTER) or a line of a TOML file (fill_after = 5).
    """
    found = sourced(config, options)
    if show_settings:
        print_settings(found)
        return
    from calza.arena.serve import serve
    from calza.web import routes

    serve(found.settings, click.echo, routes)


def print_settings(found: Sourced) -> None:
    """Print every setting with its source."""
    rows = [(name, shown(name, getattr(found.settings, name)) or "-", source) for name, source in found.sources.items()]
    for line in aligned(rows):
        click.echo(line)
