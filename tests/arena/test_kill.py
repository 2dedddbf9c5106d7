"""What was acknowledged stays, whatever is killed: every move is in the record, none twice, and every match goes on."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import Connection, select

from calza.arena.store import schema
from calza.arena.store.matches import Counts
from calza.arena.store.store import Store
from calza.matches import read_record
from tests.arena.load import Crowd, Move
from tests.arena.server import Server, running
from tests.postgres import Server as Postgres

AGENTS = 12


async def survive(server: Server, url: str, kills: int, kill: Callable[[], None], seed: int) -> None:
    """Let agents play while something is killed again and again; then look whether anything is missing."""
    chance, crowd = Random(seed), Crowd(server.url, AGENTS, seed)
    async with asyncio.TaskGroup() as group:
        group.create_task(crowd.play())
        for _ in range(kills):
            await crowd.after(chance.randrange(20, 200))
            await asyncio.to_thread(kill)
        crowd.enough = True
    assert server.stop() == 0
    await look(url, crowd)


async def look(url: str, crowd: Crowd) -> None:
    """Compare the store with what the agents remember."""
    store = await Store.open(url)
    try:
        check(crowd, *await store.read(stored))
    finally:
        await store.close()


def stored(db: Connection) -> tuple[Any, ...]:
    """Everything that is in the store about matches."""
    a, m, p = schema.actions, schema.matches, schema.players
    return (
        db.execute(select(a.c.match, a.c.sequence, a.c.seat, a.c.text).order_by(a.c.match, a.c.sequence)).all(),
        {(row.match, row.seat): row.agent for row in db.execute(select(p.c.match, p.c.seat, p.c.agent))},
        dict(db.execute(select(m.c.id, m.c.record)).all()),
        Counts()(db),
    )


def check(
    crowd: Crowd, actions: Any, seats: dict[tuple[str, int], str], records: dict[str, bytes], counts: Any
) -> None:
    """Nothing acknowledged is missing, nothing is there that nobody sent, and everything has come to its end."""
    by_agent: dict[str, dict[Move, str]] = {player.id: {} for player in crowd.players}
    lengths: dict[str, int] = {}
    for match, sequence, seat, text in actions:
        assert sequence == lengths.get(match, 0), "a number is missing"
        lengths[match] = sequence + 1
        if (agent := seats[match, seat]) in by_agent:
            by_agent[agent][match, sequence] = text
    for player in crowd.players:
        played = by_agent[player.id]
        assert player.acknowledged.items() <= played.items(), "an acknowledged move is lost"
        assert all(text in player.sent[move] for move, text in played.items()), "a move that nobody sent"
    assert counts.live == 0
    assert all(len(read_record(record).actions) == lengths[match] for match, record in records.items())
    assert sum(len(player.acknowledged) for player in crowd.players) > AGENTS, "nothing was tried"


def again(server: Server) -> None:
    """Kill the arena, and start it again."""
    server.kill()
    server.start()


def test_ten_kills_of_the_arena_lose_nothing(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        url = f"sqlite:///{tmp_path}/data/arena.sqlite"
        asyncio.run(survive(server, url, 10, lambda: again(server), seed=1))


def test_kills_of_postgresql_lose_nothing(tmp_path: Path, postgres: Postgres) -> None:
    def kill() -> None:
        postgres.kill()
        postgres.start()

    url = postgres.database()
    with running(tmp_path, db=url) as server:
        asyncio.run(survive(server, url, 3, kill, seed=2))


@pytest.mark.slow
def test_two_hundred_kills_of_the_arena_lose_nothing(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        url = f"sqlite:///{tmp_path}/data/arena.sqlite"
        asyncio.run(survive(server, url, 200, lambda: again(server), seed=3))


@pytest.mark.slow
def test_two_hundred_kills_on_postgresql_lose_nothing(tmp_path: Path, postgres: Postgres) -> None:
    chance, url = Random(4), postgres.database()

    def kill() -> None:
        if chance.random() < 0.5:
            postgres.kill()
            postgres.start()
        else:
            again(server)

    with running(tmp_path, db=url) as server:
        asyncio.run(survive(server, url, 200, kill, seed=4))
