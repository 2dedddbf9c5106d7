"""A real arena under load: what a request costs beside one that does nothing, how long it takes, what stays in memory.

Processor time is that of the server alone, in all its threads; whoever asks runs in this process. Ours and the floor
are measured by turns in the same server, and a ratio is taken of neighbours.
"""

import asyncio
import gc
import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from .arena_bots import Http, Socket, Table
from .measure import Figure, per_second

TURNS = 3  # of each side
AT_ONCE = 256  # matches, when the cost of an action is measured
CROWD = 1000  # matches, when it is measured how long one takes
IDLE = 5000  # sockets
ASKS = 40  # of each connection that asks for nothing
BODY = '{"sequence":7,"action":{"type":"bid","quantity":4,"faceValue":3}}'
TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
names = count()


class Server:
    """An arena in a process of its own."""

    def __init__(self, folder: str) -> None:
        self.began = perf_counter()
        with open(f"{folder}/log", "w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.arena_server", folder],
                stdout=subprocess.PIPE, stderr=log, text=True, cwd=Path(__file__).parents[1],
            )  # fmt: skip
        assert self.process.stdout
        self.port = int(self.process.stdout.readline())
        self.ready = perf_counter() - self.began

    @property
    def seconds(self) -> float:
        """Processor time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    @property
    def memory(self) -> int:
        """Bytes in memory."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * PAGE

    def stop(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait()


@contextmanager
def running() -> Iterator[Server]:
    """An arena with a new store."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder)
        try:
            yield server
        finally:
            server.stop()


def figures() -> Iterator[Figure]:
    """Everything that is measured."""
    yield asyncio.run(cost("POST action", "POST null", "1/3", 1 / 3, play_http, ask_http))
    yield asyncio.run(cost("WebSocket action", "WebSocket echo", "1/2", 1 / 2, play_sockets, ask_sockets))
    yield asyncio.run(patience())
    yield asyncio.run(idle())


Doing = Coroutine[Any, Any, int]  # does something; says how often
Work = Callable[
    [Server, list[Table]], Coroutine[Any, Any, Doing]
]  # opens its connections; what it does then is measured


async def cost(ours: str, floor: str, target: str, least: float, play: Work, ask: Work) -> Figure:
    """What an action costs, beside what nothing costs."""
    with running() as server:
        rates: list[tuple[float, float]] = []
        for _ in range(TURNS):
            tables = await opened(server, AT_ONCE)
            rates.append((await rate(server, play, tables), await rate(server, ask, tables)))
    ratio = median(mine / nothing for mine, nothing in rates)
    return Figure(
        f"{ours}, of {floor}",
        ours=per_second(median(mine for mine, _ in rates), "cpu"),
        floor=per_second(median(nothing for _, nothing in rates), "cpu"),
        ratio=f"{ratio:.2f}",
        target=target,
    )


async def rate(server: Server, work: Work, tables: list[Table]) -> float:
    """How often something is done in a second of the server's processor time."""
    doing = await work(server, tables)
    before = server.seconds
    many = await doing
    return many / max(server.seconds - before, 1 / TICK)


async def opened(server: Server, many: int) -> list[Table]:
    """So many new matches."""
    http = await Http.dial(server.port)
    tables = [await Table.open(http, server.port, name()) for _ in range(many)]
    http.close()
    return tables


def name() -> str:
    """A name that looks like no other: letters alone are never taken for each other."""
    number = next(names)
    return "".join("abcdefgh"[number >> 3 * place & 7] for place in range(8))


async def play_http(server: Server, tables: list[Table]) -> Doing:
    """All matches over HTTP, to their ends."""
    lines = [await Http.dial(server.port) for _ in tables]
    return played(tables, [table.play_http(line) for table, line in zip(tables, lines, strict=True)])


async def play_sockets(server: Server, tables: list[Table]) -> Doing:
    """All matches over sockets, to their ends."""
    for table in tables:
        await table.dial()
    return played(tables, [table.play_sockets() for table in tables])


async def played(tables: list[Table], matches: list[Coroutine[Any, Any, None]]) -> int:
    """Play matches; returns the number of their actions."""
    await asyncio.gather(*matches)
    return sum(table.actions for table in tables)


async def ask_http(server: Server, tables: list[Table]) -> Doing:
    """As many connections, which ask for nothing."""
    lines = [await Http.dial(server.port) for _ in tables]

    async def ask(line: Http) -> None:
        for _ in range(ASKS):
            await line.ask("POST", "/null", BODY)
        line.close()

    return asked([ask(line) for line in lines])


async def ask_sockets(server: Server, tables: list[Table]) -> Doing:
    """As many sockets, which hear what they say."""
    lines = [await Socket.dial(server.port, "/echo") for _ in tables]

    async def ask(line: Socket) -> None:
        for _ in range(ASKS):
            line.send(BODY)
            await line.hear()
        line.close()

    return asked([ask(line) for line in lines])


async def asked(asking: list[Coroutine[Any, Any, None]]) -> int:
    """Ask; returns how often."""
    await asyncio.gather(*asking)
    return ASKS * len(asking)


async def patience() -> Figure:
    """How long an action takes with a thousand matches at half of what the server can do.

    A thousand are on all the time that is looked at: they have begun one after another, and one that ends is followed
    by another.
    """
    with running() as server:
        tables = await opened(server, CROWD)
        doing, began = await play_sockets(server, tables), perf_counter()
        full = await doing / (perf_counter() - began)
        pause = 2 * CROWD / full  # of each match, between two actions
        span = pause * sum(table.actions for table in tables) / CROWD  # of a match
        firsts, seconds = await opened(server, CROWD), await opened(server, CROWD)
        slots = zip(firsts, seconds, strict=True)
        with undisturbed():
            began = perf_counter()
            await asyncio.gather(*(one_by_one(slot, span * at / CROWD, pause) for at, slot in enumerate(slots)))
        outcomes = await ended(server)
    acts = [act for table in (*firsts, *seconds) for act in table.latencies]
    late = sorted(seconds for at, seconds in acts if span <= at - began < 2 * span)
    return Figure(
        f"99 of 100 actions at half load, {CROWD} matches",
        ours=f"{late[int(len(late) * 0.99)] * 1000:.0f} ms",
        floor=f"full load {per_second(full, 'actions')}; half of them take {late[len(late) // 2] * 1000:.1f} ms",
        target="50 ms",
        fault=f"{outcomes} matches ended by time-out" if outcomes else "",
    )


@contextmanager
def undisturbed() -> Iterator[None]:
    """Python's search for lost cycles among thousands of bots would be taken for a pause of the server."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


async def one_by_one(tables: tuple[Table, ...], later: float, pause: float) -> None:
    """Play matches one after another, beginning some seconds later."""
    await asyncio.sleep(later)
    for table in tables:
        await table.dial()
        await table.play_sockets(every(pause))


def every(seconds: float) -> Callable[[], Awaitable[None]]:
    """A wait that lets an action be sent so often."""
    due = 0.0

    async def wait() -> None:
        nonlocal due
        due = max(perf_counter(), due + seconds)
        await asyncio.sleep(due - perf_counter())

    return wait


async def ended(server: Server) -> int:
    """How many matches ended by a time-out."""
    http, cursor, many = await Http.dial(server.port), "", 0
    while True:
        text = (await http.ask("GET", f"/api/matches?status=finished&limit=100{cursor}")).decode()
        many += text.count('"reason":"timeout"')
        found = text.rpartition('"cursor":')[2].strip(' "}')
        if found == "null":
            return many
        cursor = f"&cursor={found}"


async def idle() -> Figure:
    """What a socket costs on which nothing happens."""
    with running() as server:
        http = await Http.dial(server.port)
        keys = [await register(http) for _ in range(IDLE)]
        before = server.memory
        lines = [await Socket.dial(server.port, "/ws/agent", key) for key in keys]
        for line in lines:
            await line.hear()
        each = (server.memory - before) / IDLE
        for line in lines:
            line.close()
    return Figure(f"an idle socket of {IDLE:,}", ours=f"{each / 1000:.1f} KB", target="50 KB")


async def register(http: Http) -> str:
    """The key of a new agent."""
    text = (await http.ask("POST", "/api/agents", f'{{"name":"{name()}"}}')).decode()
    return text.partition('"apiKey":"')[2].partition('"')[0]
