"""A copy of a store, made while it is used."""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from calza.arena.errors import StoreError

from .engines import Address


def backup(address: Address, path: Path) -> None:
    """Copy an SQLite store as it is at one moment; StoreError for PostgreSQL, which has a program for that."""
    if address.kind != "sqlite":
        raise StoreError(
            "PostgreSQL is copied while it runs by its own program: pg_dump --format=custom --file=FILE NAME"
        )
    if not os.path.exists(address.file):
        raise StoreError(f"there is no store at {address.file}")
    try:
        with closing(sqlite3.connect(address.file)) as source:
            copy(source, path)
    except sqlite3.Error as error:
        raise StoreError(f"{address.file} cannot be copied: {error}") from error


def copy(source: sqlite3.Connection, path: Path) -> None:
    """Copy a database into a new file, which has its name only when it is whole."""
    if path.exists():
        raise StoreError(f"{path} is there already; give the backup another name")
    part = path.with_name(f"{path.name}.part")
    try:
        os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600))  # seeds and keys are in it
        with closing(sqlite3.connect(part)) as target:
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE").close()  # one file, with nothing beside it
        sync(part)
        part.rename(path)
        sync(path.parent)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Wait until a file or folder is on disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
