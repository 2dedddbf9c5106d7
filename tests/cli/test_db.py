"""`calza db`: the store of an arena, while it runs and while it does not."""

import asyncio
from pathlib import Path

import httpx
import pytest

from calza.cli import main
from tests.arena.server import running
from tests.arena.test_serve import Table
from tests.cli.test_serve import revision, sentence


def said(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> list[str]:
    """What a command of `calza db` prints."""
    assert main(["db", *words]) == status
    return capsys.readouterr().out.splitlines()


def test_a_new_store_is_made_and_up_to_date(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = ["--data", f"{tmp_path}/data"]
    assert said(capsys, "upgrade", *store) == [f"sqlite:///{tmp_path}/data/arena.sqlite was made, with version 0004."]
    assert said(capsys, "upgrade", *store) == [f"sqlite:///{tmp_path}/data/arena.sqlite is up to date."]
    lines = dict(line.split(maxsplit=1) for line in said(capsys, "status", *store))
    assert lines == {
        "store": f"sqlite:///{tmp_path}/data/arena.sqlite",
        "version": "0004, up to date",
        "agents": "0",
        "live": "0",
        "finished": "0",
        "seeds": "0",
    }


def test_looking_at_a_store_makes_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["status"], ["backup", f"{tmp_path}/copy"]):
        assert main(["db", *words, "--data", f"{tmp_path}/none"]) == 2
        assert capsys.readouterr().err.startswith("calza: there is no store at ")
    assert not list(tmp_path.iterdir())


def test_a_store_of_a_newer_calza_is_not_touched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = ["--data", f"{tmp_path}/data"]
    said(capsys, "upgrade", *store)
    revision(tmp_path, "9999")
    for verb in ("status", "upgrade"):
        status = main(["db", verb, *store])
        assert sentence(status, *capsys.readouterr()) == (
            "this store was made by a newer calza; install that one, or go back to a backup"
        )


def test_a_backup_of_a_running_arena_is_a_store_that_serves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = tmp_path / "copy.sqlite"

    async def play() -> None:
        async with table.http:
            await table.open()
            assert (await table.act(0, 0, type="bid", quantity=1, faceValue=3)).status_code == 200
            [line] = await asyncio.to_thread(said, capsys, "backup", str(copy), "--data", server.options["--data"])
            assert line.startswith(f"sqlite:///{tmp_path}/data/arena.sqlite was copied into {copy} (")
            assert (await table.act(1, 1, type="challenge")).status_code == 200

    async def go_on(url: str) -> None:
        async with httpx.AsyncClient(base_url=url) as table.http:
            state = await table.state(1)
            assert (state["status"], state["sequence"]) == ("your_turn", 1)
            assert (await table.act(1, 1, type="challenge")).status_code == 200

    with running(tmp_path) as server:
        table = Table(server)
        asyncio.run(play())
    with running(tmp_path, db=f"sqlite:///{copy}") as server:
        asyncio.run(go_on(server.url))
    status = main(["db", "backup", str(copy), "--data", f"{tmp_path}/data"])
    assert sentence(status, *capsys.readouterr()) == f"{copy} is there already; give the backup another name"
