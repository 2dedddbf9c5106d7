"""`calza export`: the finished matches of an arena as JSON lines, for training and study."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import click
import msgspec
from sqlalchemy import Engine

from calza.arena.errors import StoreError
from calza.arena.store import engines
from calza.arena.store.engines import Address
from calza.arena.store.matches import Exported, Since
from calza.arena.store.store import ask, opened
from calza.arena.store.versions import version

from .db import address_of, there
from .settings import STORE, settings_options

PAGE = 200  # records that are in memory at a time
COMPACT = -1  # JSON on one line


def moment(context: click.Context, option: click.Parameter, text: str | None) -> int:
    """A day, or a time in ISO 8601, as milliseconds since 1970; 0 for none. Without a zone it is in UTC."""
    if text is None:
        return 0
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(f"{text} is no date; write 2030-01-31 or 2030-01-31T18:00", context, option) from None
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)


@click.command()
@click.option("--since", metavar="DATE", callback=moment, help="Only what has ended since; in UTC if it names no zone.")
@settings_options(STORE)
def export(since: int, config: str | None, **options: Any) -> None:
    """Print the record of every finished match, a JSON document a line, in the order in which they ended.

    The arena may run meanwhile. Each line is a record that `calza verify -` proves.
    """
    address = address_of(config, options)
    there(address)
    check(address)
    engine = engines.reader(address)
    try:
        for one in finished(engine, since):
            click.echo(msgspec.json.format(one.record, indent=COMPACT))
    finally:
        engine.dispose()


def check(address: Address) -> None:
    """StoreError when the store is not one that can be read."""
    with opened(address) as engine, engine.connect() as connection:
        if not version(connection).current:
            raise StoreError("this store is not up to date; `calza db status` says what is to be done")


def finished(engine: Engine, since_ms: int, many: int = PAGE) -> Iterator[Exported]:
    """The finished matches, `many` at a time, so that neither memory nor a transaction grows with their number."""
    cursor: str | None = None
    while True:
        page = ask(engine, Since(since_ms, cursor, many))
        yield from page.rows
        if (cursor := page.cursor) is None:
            return
