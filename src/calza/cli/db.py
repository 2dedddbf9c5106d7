"""`calza db`: the store of an arena: what is in it, bringing it up to date, copying it while it is used."""

import os
from pathlib import Path
from typing import Any

import click
from sqlalchemy import Connection

from calza.arena.errors import StoreError
from calza.arena.store import agents, seeds
from calza.arena.store.backup import backup as copy
from calza.arena.store.engines import Address, read_address
from calza.arena.store.matches import Counts
from calza.arena.store.store import opened
from calza.arena.store.versions import Version, upgrade_to_newest, version

from . import Verbs
from .settings import STORE, settings_options, sourced

OLD = 1  # exit status of a store that must be upgraded before it is used


@click.group(cls=Verbs)
def db() -> None:
    """Look after the store of an arena."""


@db.command()
@settings_options(STORE)
def status(config: str | None, **options: Any) -> None:
    """Say where the store is, whether it is up to date, and what is in it.

    The exit status is 1 when `calza db upgrade` is needed.
    """
    address = address_of(config, options)
    there(address)
    with opened(address) as engine, engine.connect() as connection:
        found = version(connection)
        click.echo(f"store    {address.shown}\nversion  {sentence(found)}")
        if found.current:
            for name, number in contents(connection).items():
                click.echo(f"{name:<8} {number:,}")
    if not found.current:
        raise click.exceptions.Exit(OLD)


@db.command()
@settings_options(STORE)
def upgrade(config: str | None, **options: Any) -> None:
    """Bring the store up to date; one that is not there is made.

    Stop the arena and make a backup first. Either all of it is done, or nothing.
    """
    address = address_of(config, options)
    with opened(address) as engine, engine.begin() as connection:
        before, after = upgrade_to_newest(connection)
    if before.current:
        click.echo(f"{address.shown} is up to date.")
    elif before.revision is None:
        click.echo(f"{address.shown} was made, with version {after.revision}.")
    else:
        click.echo(f"{address.shown} was brought from version {before.revision} to {after.revision}.")


@db.command()
@click.argument("file", type=click.Path(path_type=Path))
@settings_options(STORE)
def backup(file: Path, config: str | None, **options: Any) -> None:
    """Copy an SQLite store into FILE, as it is at one moment, while the arena runs.

    FILE is a store itself: `calza serve --db sqlite:///FILE` uses it.
    """
    address = address_of(config, options)
    copy(address, file)
    click.echo(f"{address.shown} was copied into {file} ({file.stat().st_size:,} bytes).")


def address_of(config: str | None, options: dict[str, Any]) -> Address:
    """Where the store is, by the settings."""
    return read_address(sourced(config, options).settings.store)


def there(address: Address) -> None:
    """Looking at a store must not make one."""
    if address.file and not os.path.exists(address.file):
        raise StoreError(f"there is no store at {address.file} yet; `calza serve` or `calza db upgrade` makes it")


def sentence(found: Version) -> str:
    """What is to be done about a version."""
    if found.current:
        return f"{found.revision}, up to date"
    if found.revision is None:
        return "none: nothing is in it; `calza serve` or `calza db upgrade` makes the tables"
    return f"{found.revision}, and this calza needs {found.newest}: make a backup, then run `calza db upgrade`"


def contents(connection: Connection) -> dict[str, int]:
    """How much is in a store."""
    matches = Counts()(connection)
    return {
        "agents": agents.Count()(connection),
        "live": matches.live,
        "finished": matches.finished,
        "seeds": seeds.Unused()(connection),
    }
