"""Copies of a store that is in use."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from calza.arena.errors import StoreError
from calza.arena.store import Store
from calza.arena.store.backup import backup
from calza.arena.store.engines import read_address
from calza.arena.store.facts import Get

from .desk import Desk, Opened


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_a_backup_made_under_load_is_a_whole_store(tmp_path: Path, kind: str) -> None:
    copy = tmp_path / "copy.sqlite"

    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.table("m", "Ann", "Bob")
        acknowledged: list[int] = []

        async def load() -> None:
            for sequence in range(500):
                assert await desk.act("m", sequence)
                acknowledged.append(sequence)

        loading = asyncio.ensure_future(load())
        while len(acknowledged) < 50:
            await asyncio.sleep(0)
        before = len(acknowledged)
        await desk.store.backup(copy)
        await loading

        other = await Store.open(f"sqlite:///{copy}")
        kept = await Desk(other).played("m")
        assert before <= len(kept) <= 500
        await other.close()

    Opened("sqlite://" if kind == "memory" else f"sqlite:///{tmp_path}/arena.sqlite")(do)
    assert os.stat(copy).st_mode & 0o777 == 0o600, "seeds and keys are in it"
    assert not list(tmp_path.glob("copy.sqlite[.-]*")), "one file, and nothing beside it"


def test_a_backup_replaces_nothing_and_leaves_nothing_half_done(tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"

    async def do(desk: Desk) -> None:
        copy.write_text("precious")
        with pytest.raises(StoreError, match=r"copy\.sqlite is there already; give the backup another name"):
            await desk.store.backup(copy)
        with pytest.raises(StoreError, match=r"nowhere.copy\.sqlite cannot be written: No such file or directory"):
            await desk.store.backup(tmp_path / "nowhere" / "copy.sqlite")
        assert copy.read_text() == "precious"

    Opened(f"sqlite:///{tmp_path}/arena.sqlite")(do)


def test_a_store_that_is_not_there_is_not_copied(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store at"):
        backup(read_address(f"sqlite:///{tmp_path}/none.sqlite"), tmp_path / "copy")
    (tmp_path / "text.sqlite").write_text("no database, but long enough to be looked at\n" * 100)
    with pytest.raises(StoreError, match="cannot be copied: file is not a database"):
        backup(read_address(f"sqlite:///{tmp_path}/text.sqlite"), tmp_path / "copy")
    assert not list(tmp_path.glob("copy*"))


def test_postgresql_has_a_program_for_that(postgres: Any, tmp_path: Path) -> None:
    async def do(desk: Desk) -> None:
        with pytest.raises(StoreError, match="pg_dump"):
            await desk.store.backup(tmp_path / "copy")
        assert await desk.read(Get("nothing")) is None

    Opened(postgres.database())(do)
