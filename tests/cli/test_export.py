"""`calza export`: finished matches as JSON lines, from a store that is in use."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from calza.arena.store import engines
from calza.cli import main
from calza.cli.export import finished
from calza.matches import read_record, verify
from calza.rules import Record
from tests.arena.house import RESIGN, Place, opened
from tests.postgres import Server, postgres

from .terminal import piped

__all__ = ["postgres"]  # a fixture
DAY_MS = 86_400_000  # the clock of these arenas begins on 2023-11-14 at 22:13


async def resigned(place: Place, number: int) -> str:
    """A match that is over at once."""
    a, b = [await place.agent(f"{name} {number}") for name in ("Ann", "Bob")]
    match = await place.match(a, b)
    await place.act(await place.to_act(match, a, b), match, 0, RESIGN)
    return match


async def filled(url: str) -> list[str]:
    """A store with a match on each of five days, and one that is still on; those that have ended."""
    async with opened(url) as place:
        ended = []
        for number in range(5):
            ended.append(await resigned(place, number))
            await place.clock.turn(DAY_MS)
        await place.match(await place.agent("Cid"), await place.agent("Dot"))
        return ended


def exported(capsys: pytest.CaptureFixture[str], *args: str) -> list[Record]:
    """The records that are printed."""
    assert main(["export", *args]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    records = [read_record(line) for line in out.splitlines()]
    for record in records:
        verify(record)
    return records


def ids(records: list[Record]) -> list[str]:
    return [record.id for record in records]


def test_every_finished_match_is_a_line_in_the_order_of_their_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = asyncio.run(filled(f"sqlite:///{tmp_path}/arena.sqlite"))
    assert ids(exported(capsys, "--data", str(tmp_path))) == ended


@pytest.mark.parametrize(
    ("since", "kept"),
    [
        ("2023-11-14", 5),
        ("2023-11-15", 4),
        ("2023-11-15T22:13:20", 4),
        ("2023-11-15T22:13:21", 3),
        ("2023-11-15T23:13:20+01:00", 4),
        ("2023-11-19", 0),
    ],
)
def test_since_leaves_out_what_ended_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], since: str, kept: int
) -> None:
    ended = asyncio.run(filled(f"sqlite:///{tmp_path}/arena.sqlite"))
    assert ids(exported(capsys, "--data", str(tmp_path), "--since", since)) == ended[5 - kept :]


def test_an_arena_on_postgresql_is_exported_while_it_runs(postgres: Server, capsys: pytest.CaptureFixture[str]) -> None:
    url = postgres.database()

    async def while_it_runs() -> None:
        async with opened(url) as place:
            match = await resigned(place, 1)
            records = await asyncio.to_thread(exported, capsys, "--db", url)
            assert ids(records) == [match]

    asyncio.run(while_it_runs())


@pytest.mark.parametrize("many", [1, 2, 5, 6])
def test_pages_follow_each_other_without_a_gap(tmp_path: Path, many: int) -> None:
    ended = asyncio.run(filled(f"sqlite:///{tmp_path}/arena.sqlite"))
    engine = engines.reader(engines.read_address(f"sqlite:///{tmp_path}/arena.sqlite"))
    assert [one.id for one in finished(engine, 0, many)] == ended
    engine.dispose()


def test_a_line_can_be_verified(tmp_path: Path) -> None:
    asyncio.run(filled(f"sqlite:///{tmp_path}/arena.sqlite"))
    lines = piped("export", "--data", str(tmp_path)).stdout.splitlines()
    assert [json.loads(line)["format"] for line in lines] == [1] * 5
    assert piped("verify", "-", typed=lines[0]).returncode == 0


def test_what_cannot_be_exported_is_said_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def says(why: str, *args: str) -> None:
        assert main(["export", *args]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert re.fullmatch(f"calza: .*{why}.*\n", err), err

    says("there is no store at .*arena.sqlite yet", "--data", str(tmp_path))
    assert not list(tmp_path.iterdir())
    says("tomorrow is no date; write 2030-01-31", "--data", str(tmp_path), "--since", "tomorrow")
    (tmp_path / "arena.sqlite").write_text("this is something else\n" * 100)
    says("cannot be opened", "--data", str(tmp_path))
    (tmp_path / "empty.sqlite").touch()
    says("not up to date", "--db", f"sqlite:///{tmp_path}/empty.sqlite")
