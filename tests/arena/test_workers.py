"""Several processes at one PostgreSQL: any of them serves any match, and one that dies is replaced."""

import asyncio
import os
import select
import signal
import socket
from pathlib import Path

from tests.arena.load import Crowd
from tests.arena.server import PATIENCE, Server, running
from tests.arena.test_kill import look
from tests.cli.terminal import piped
from tests.postgres import Server as Postgres


def started(server: Server, number: int) -> list[int]:
    """The processes that have served as worker `number`, by the log."""
    return [line["pid"] for line in server.log if line["event"] == "serving" and line["worker"] == number]


def test_matches_go_on_when_one_of_two_workers_is_killed(tmp_path: Path, postgres: Postgres) -> None:
    url = postgres.database()

    async def play(server: Server) -> None:
        crowd = Crowd(server.url, 8)
        async with asyncio.TaskGroup() as group:
            group.create_task(crowd.play())
            for kills in range(1):
                while len(started(server, 1)) <= kills:
                    await crowd.after(20)
                await crowd.after(50)
                os.kill(started(server, 1)[-1], signal.SIGKILL)
            await crowd.after(100)
            crowd.enough = True
        assert server.stop() == 0
        await look(url, crowd)

    with running(tmp_path, db=url, workers="2") as server:
        asyncio.run(play(server))


def test_workers_end_when_their_parent_is_killed(tmp_path: Path, postgres: Postgres) -> None:
    with running(tmp_path, db=postgres.database(), workers="2") as server:
        server.kill()
        for number in range(2):
            gone(started(server, number)[0])


def test_a_worker_that_cannot_serve_says_why(tmp_path: Path, postgres: Postgres) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = piped("serve", "--port", "0", "--db", postgres.database(), "--workers", "2", "--tcp", port)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == (
        f"calza: port {port} of 127.0.0.1 is taken by another program; choose another with --tcp, or 0 for any"
    )


def gone(pid: int) -> None:
    """Come back when a process that is not our child has ended."""
    try:
        number = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([number], [], [], PATIENCE)[0], f"process {pid} has not ended"
    finally:
        os.close(number)
