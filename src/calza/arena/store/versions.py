"""The schema's version: whether a store is one that this calza can use, and how it becomes one.

The tables are made and changed by the revisions in `migrations/versions` alone, so that a store made today and one
made long ago and upgraded are the same.
"""

from pathlib import Path
from typing import NamedTuple

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from calza.arena.errors import StoreError

from .rows import take_turn

TABLE = "calza_schema"  # the table that holds the version; by its name a store is known to be ours
FOLDER = Path(__file__).with_name("migrations")


class Version(NamedTuple):
    """Of what version a store is: a revision, or None for a store without tables."""

    revision: str | None
    newest: str

    @property
    def current(self) -> bool:
        """Whether nothing is to be done."""
        return self.revision == self.newest


def version(db: Connection, folder: Path = FOLDER) -> Version:
    """The version of a store; StoreError when it is not ours, or newer than this calza."""
    revisions = ScriptDirectory(str(folder))
    newest = str(revisions.get_current_head())
    tables = inspect(db).get_table_names()
    if not tables:
        return Version(None, newest)
    if TABLE not in tables:
        raise StoreError("this database holds something else than an arena; give it another one, or an empty one")
    found = db.scalar(text(f"SELECT version_num FROM {TABLE}"))
    if found not in {one.revision for one in revisions.walk_revisions()}:
        raise StoreError("this store was made by a newer calza; install that one, or go back to a backup")
    return Version(found, newest)


def check(db: Connection, folder: Path = FOLDER) -> None:
    """Make the tables of a store that has none; StoreError when it cannot be used as it is."""
    take_turn(db)  # two nodes may find it empty at the same time
    found = version(db, folder)
    if found.revision is None:
        upgrade(db, folder)
    elif not found.current:
        raise StoreError("this store was made by an older calza; back it up, and run `calza db upgrade`")


def upgrade_to_newest(db: Connection, folder: Path = FOLDER) -> tuple[Version, Version]:
    """Bring a store up to date; returns its version before and after."""
    take_turn(db)
    before = version(db, folder)
    if not before.current:
        upgrade(db, folder)
    return before, version(db, folder)


def upgrade(db: Connection, folder: Path = FOLDER) -> None:
    """Bring a store to the newest revision, within the transaction that the connection is in."""
    config = Config()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.attributes["connection"] = db
    command.upgrade(config, "head")
