"""Whether a store is one that this calza can use, and how it becomes one."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from calza.arena.errors import StoreError
from calza.arena.store import Store
from calza.arena.store.engines import read_address
from calza.arena.store.facts import Get, Put
from calza.arena.store.schema import metadata
from calza.arena.store.store import opened as engine_of
from calza.arena.store.versions import FOLDER, TABLE, Version, check, upgrade_to_newest, version

from .desk import Desk, Opened

T = TypeVar("T")
NEWEST = str(ScriptDirectory(str(FOLDER)).get_current_head())

LATER = '''"""One more table, and one more column."""

import sqlalchemy as sa
from alembic import op

revision = "later"
down_revision = "{newest}"


def upgrade() -> None:
    op.create_table("more", sa.Column("id", sa.Integer(), nullable=False))
    with op.batch_alter_table("facts") as facts:
        facts.add_column(sa.Column("at_ms", sa.BigInteger(), nullable=True))
'''


def at(url: str, do: Callable[[Connection], T]) -> T:
    """Does something with a database."""
    with engine_of(read_address(url)) as engine, engine.begin() as db:
        return do(db)


def opens(url: str) -> None:
    async def open_and_close() -> None:
        await (await Store.open(url)).close()

    asyncio.run(open_and_close())


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """The revisions of a calza that is to come."""
    folder = tmp_path / "migrations"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "later.py").write_text(LATER.format(newest=NEWEST))
    return folder


def test_an_empty_database_becomes_a_store_and_stays_one(on_disk: Opened) -> None:
    newest = at(on_disk.url, version).newest
    assert at(on_disk.url, version) == Version(None, newest)
    opens(on_disk.url)
    assert at(on_disk.url, version) == Version(newest, newest)
    opens(on_disk.url)


def test_the_revisions_make_exactly_the_tables_of_the_schema(on_disk: Opened) -> None:
    opens(on_disk.url)

    def differences(db: Connection) -> list[Any]:
        settings = dict(compare_type=True, version_table=TABLE)
        return list(compare_metadata(MigrationContext.configure(db, opts=settings), metadata))

    assert at(on_disk.url, differences) == []


def test_the_revisions_make_exactly_what_the_schema_would(
    on_disk: Opened, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The same by what the database itself says of them: names of constraints and conditions of indexes too."""
    if on_disk.url.startswith("sqlite"):
        other = f"sqlite:///{tmp_path}/other.sqlite"
    else:
        other = request.getfixturevalue("postgres").database()
    opens(on_disk.url)
    at(other, metadata.create_all)
    assert at(on_disk.url, described) == at(other, described)


def described(db: Connection) -> dict[str, Any]:
    """Every table of a database."""
    found = inspect(db)
    return {
        table: (
            sorted(map(repr, found.get_columns(table))),
            found.get_pk_constraint(table),
            sorted(map(repr, found.get_foreign_keys(table))),
            sorted(map(repr, found.get_unique_constraints(table))),
            sorted(map(repr, indexes(found, table))),
        )
        for table in found.get_table_names()
        if table != TABLE
    }


def indexes(found: Any, table: str) -> list[dict[str, Any]]:
    """The indexes of a table, their conditions as text."""
    return [
        {**one, "dialect_options": {name: str(said) for name, said in one["dialect_options"].items()}}
        for one in found.get_indexes(table)
    ]


def test_a_database_that_holds_something_else_is_left_alone(on_disk: Opened) -> None:
    at(on_disk.url, lambda db: db.execute(text("CREATE TABLE agents (name text)")))
    with pytest.raises(StoreError, match="holds something else than an arena"):
        opens(on_disk.url)
    assert at(on_disk.url, lambda db: inspect(db).get_table_names()) == ["agents"]


def test_a_newer_store_is_not_used(on_disk: Opened, newer: Path) -> None:
    at(on_disk.url, lambda db: check(db, newer))
    with pytest.raises(StoreError, match="made by a newer calza; install that one, or go back to a backup"):
        opens(on_disk.url)
    with pytest.raises(StoreError, match="newer"):
        at(on_disk.url, upgrade_to_newest)


def test_an_older_store_is_used_when_its_operator_has_upgraded_it(on_disk: Opened, newer: Path) -> None:
    async def do(desk: Desk) -> None:
        await desk.write(Put("a", "kept"))

    on_disk(do)
    with pytest.raises(StoreError, match="older calza; back it up, and run `calza db upgrade`"):
        at(on_disk.url, lambda db: check(db, newer))
    assert at(on_disk.url, lambda db: upgrade_to_newest(db, newer)) == (
        Version(NEWEST, "later"),
        Version("later", "later"),
    )
    at(on_disk.url, lambda db: check(db, newer))
    assert "more" in at(on_disk.url, lambda db: inspect(db).get_table_names())
    assert at(on_disk.url, Get("a")) == "kept"
    assert at(on_disk.url, lambda db: upgrade_to_newest(db, newer)) == (
        Version("later", "later"),
        Version("later", "later"),
    )


def test_an_upgrade_that_fails_changes_nothing(on_disk: Opened, newer: Path) -> None:
    opens(on_disk.url)
    revision = newer / "versions" / "later.py"
    revision.write_text(revision.read_text() + '    op.execute("SELECT nonsense FROM nowhere")\n')
    with pytest.raises(StoreError, match="cannot be opened"):
        at(on_disk.url, lambda db: upgrade_to_newest(db, newer))
    opens(on_disk.url)
    assert "more" not in at(on_disk.url, lambda db: inspect(db).get_table_names())


def test_nodes_that_find_it_empty_at_the_same_time_make_it_once(on_disk: Opened) -> None:
    async def all_of_it() -> None:
        stores = await asyncio.gather(*(Store.open(on_disk.url) for _ in range(3)))
        for store in stores:
            await store.close()

    asyncio.run(all_of_it())
