"""What is wrong with a database is said in one sentence, and what was acknowledged is there afterwards."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from calza.arena.errors import StoreError, StoreFault
from calza.arena.store import Store
from calza.arena.store.actions import Act, After
from calza.arena.store.facts import Get, Put

from .desk import Desk, Opened
from .test_signals import Heard


async def acting(desk: Desk, match: str, acknowledged: list[int]) -> None:
    """Plays on and on, as an agent would: what is not acknowledged is sent again, unchanged."""
    sequence = 0
    while True:
        act, stored = Act(desk.done(match, sequence)), None
        while stored is None:
            with suppress(StoreFault):
                stored = await desk.write(act)
        assert stored, "nobody else plays here"
        acknowledged.append(sequence)
        sequence += 1


def test_postgresql_is_killed_under_load_and_nothing_acknowledged_is_lost(postgres: Any) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.seeds(8)
        matches = [f"m{one}" for one in range(8)]
        for match in matches:
            await desk.open(match, "Ann", "Bob")
        acknowledged: dict[str, list[int]] = {match: [] for match in matches}
        players = [asyncio.ensure_future(acting(desk, match, acknowledged[match])) for match in matches]
        try:
            for _ in range(3):
                await killed(desk, postgres, acknowledged)
        finally:
            for player in players:
                player.cancel()
            await asyncio.gather(*players, return_exceptions=True)

    Opened(postgres.database())(do)


async def killed(desk: Desk, postgres: Any, acknowledged: dict[str, list[int]]) -> None:
    """PostgreSQL is killed while everybody plays, and has what was acknowledged when it is back."""
    many = min(map(len, acknowledged.values())) + 20
    while min(map(len, acknowledged.values())) < many:
        await asyncio.sleep(0.001)
    postgres.kill()
    known = {match: len(said) for match, said in acknowledged.items()}
    postgres.start()
    for match, least in known.items():
        stored = [one.sequence for one in await patiently(desk, match)]
        assert stored == list(range(len(stored))), "without gaps, and none twice"
        assert len(stored) >= least


async def patiently(desk: Desk, match: str) -> Any:
    while True:
        with suppress(StoreFault):
            return await desk.read(After(match))


def test_while_postgresql_is_away_everybody_is_told_to_try_again(postgres: Any) -> None:
    async def do(desk: Desk) -> None:
        heard = Heard(desk.store)
        desk.store.committer.patience = 0.1
        postgres.kill()
        try:
            for doing in (desk.read(Get("a")), desk.write(Put("a", "lost")), desk.write(Put("b", "lost"))):
                with pytest.raises(StoreFault, match="try again in a moment"):
                    await doing
        finally:
            postgres.start()
        await heard.until(("missed", ""))
        said = None
        while said is None:
            with suppress(StoreFault):
                said = await desk.write(Put("a", "found"))
        assert await desk.read(Get("a")) == said == "found"

    Opened(postgres.database())(do)


def test_a_write_waits_through_a_short_absence(postgres: Any) -> None:
    async def do(desk: Desk) -> None:
        postgres.kill()
        writing = asyncio.ensure_future(desk.write(Put("a", "kept")))
        postgres.start()
        assert await writing == "kept"

    Opened(postgres.database())(do)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("mysql://host/name", "a store cannot be kept in mysql; write an address like sqlite:///arena.sqlite"),
        ("nonsense", "this is no address of a store; write one like sqlite:///arena.sqlite"),
        ("sqlite:////proc/arena.sqlite", "sqlite:////proc/arena.sqlite cannot be opened: No such file or directory"),
        ("sqlite:////dev/null/arena.sqlite", "sqlite:////dev/null/arena.sqlite cannot be opened: File exists"),
        ("sqlite:////usr", "sqlite:////usr cannot be opened: Is a directory"),
        ("postgresql://calza:hidden@127.0.0.1:1/name", r"postgresql://calza:\*\*\*@127.0.0.1:1/name cannot be"),
    ],
)  # fmt: skip
def test_a_store_that_cannot_be_opened_says_why_in_one_line(url: str, why: str) -> None:
    with pytest.raises(StoreError, match=why) as error:
        asyncio.run(Store.open(url))
    assert "\n" not in str(error.value)
    assert "hidden" not in str(error.value)


def test_a_file_that_is_no_database_is_not_touched(tmp_path: Path) -> None:
    file = tmp_path / "arena.sqlite"
    file.write_text("precious, and no database at all; " * 100)
    with pytest.raises(StoreError, match=r"arena\.sqlite cannot be opened: file is not a database"):
        asyncio.run(Store.open(f"sqlite:///{file}"))
    assert file.read_text().startswith("precious")


@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_nothing_is_acknowledged_once_the_file_is_gone(tmp_path: Path, how: str) -> None:
    """SQLite itself would go on writing into a file that nobody can find any more."""
    file = tmp_path / "arena.sqlite"

    async def do(desk: Desk) -> None:
        await desk.write(Put("a", "kept"))
        file.rename(tmp_path / "moved.sqlite")
        if how == "replaced":
            file.touch()
        for _ in range(2):
            with pytest.raises(StoreFault, match="the file of the store is gone"):
                await desk.write(Put("b", "lost"))
        file.unlink(missing_ok=True)
        (tmp_path / "moved.sqlite").rename(file)
        assert await desk.write(Put("b", "kept")) == "kept"

    Opened(f"sqlite:///{file}")(do)


def test_a_full_disk_is_a_passing_fault(tmp_path: Path) -> None:
    async def do(desk: Desk) -> None:
        await desk.write(Put("a", "kept"))
        pages = await desk.read(lambda db: db.scalar(text("PRAGMA page_count")))
        await desk.write(lambda db: db.execute(text(f"PRAGMA max_page_count = {pages}")))
        with pytest.raises(StoreFault):
            await desk.write(Put("b", "x" * 100_000))
        assert await desk.read(Get("a")) == "kept"
        await desk.write(lambda db: db.execute(text("PRAGMA max_page_count = 1000000")))
        assert await desk.write(Put("b", "kept")) == "kept"

    Opened(f"sqlite:///{tmp_path}/arena.sqlite")(do)


def test_a_server_that_acknowledges_early_is_told_not_to(postgres: Any) -> None:
    url = postgres.database()

    async def do(desk: Desk) -> None:
        assert await desk.write(lambda db: db.scalar(text("SHOW synchronous_commit"))) == "on"

    async def early() -> None:
        store = await Store.open(url)
        name = url.rpartition("/")[2]
        await store.write(lambda db: db.execute(text(f"ALTER DATABASE {name} SET synchronous_commit = off")))
        await store.close()

    asyncio.run(early())
    Opened(url)(do)


def test_questions_change_nothing(on_disk: Opened) -> None:
    async def do(desk: Desk) -> None:
        with pytest.raises(StoreFault):
            await desk.read(Put("a", "lost"))
        assert await desk.read(Get("a")) is None

    on_disk(do)


def test_the_files_of_a_store_are_for_nobody_else(tmp_path: Path) -> None:
    async def do(desk: Desk) -> None:
        await desk.write(Put("a", "kept"))
        files = sorted(tmp_path.rglob("arena.sqlite*"))
        assert [(one.name, oct(one.stat().st_mode & 0o777)) for one in files] == [
            (f"arena.sqlite{end}", "0o600") for end in ("", "-shm", "-wal")
        ]

    Opened(f"sqlite:///{tmp_path}/new/folder/arena.sqlite")(do)


def test_what_a_database_says_of_an_error_holds_no_values(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        incomplete = text("INSERT INTO keys (hash, agent) VALUES (:hash, :agent)")
        with pytest.raises(IntegrityError, match="keys") as error:
            await desk.write(lambda db: db.execute(incomplete, dict(hash=b"secret", agent="x")))
        assert "secret" not in str(error.value)

    opened(do)
