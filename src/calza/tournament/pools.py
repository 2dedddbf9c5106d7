"""Who plays the chunks: this process, or several on this machine; `cluster.py` has more machines."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from multiprocessing.util import Finalize
from os import getpid
from pathlib import Path
from sys import platform
from time import perf_counter

from calza.agents.launch import die_with
from calza.rules import CalzaError

from .field import Field
from .plan import Plan
from .play import Played, play_chunk
from .stage import Chunk

AHEAD = 4  # chunks a process that are handed out before they are needed

# Plays chunks and gives each back with its seconds when it is done, in whatever order.
Pool = Callable[[Plan, Sequence[Chunk], Path], Iterator[tuple[Chunk, Played, float]]]


def here(plan: Plan, chunks: Sequence[Chunk], folder: Path) -> Iterator[tuple[Chunk, Played, float]]:
    """One after the other in this process."""
    field = Field(plan, folder)
    try:
        for chunk in chunks:
            yield chunk, *timed(plan, chunk, field)
    finally:
        field.close()


def timed(plan: Plan, chunk: Chunk, field: Field) -> tuple[Played, float]:
    """A chunk, and the seconds that it took."""
    begun = perf_counter()
    return play_chunk(plan, chunk, field), perf_counter() - begun


def processes(many: int) -> Pool:
    """As many processes on this machine."""
    return here if many == 1 else lambda plan, chunks, folder: spread(plan, chunks, folder, many)


def spread(plan: Plan, chunks: Sequence[Chunk], folder: Path, many: int) -> Iterator[tuple[Chunk, Played, float]]:
    """The chunks, as several processes finish them."""
    todo = list(reversed(chunks))
    running: dict[Future[tuple[Played, float]], Chunk] = {}
    # Fresh processes: a fork would copy the threads of whoever calls us.
    pool = ProcessPoolExecutor(many, get_context("spawn"), begin, (getpid(), plan, folder)) if todo else None
    try:
        while pool and (todo or running):
            while todo and len(running) < many * AHEAD:
                chunk = todo.pop()
                running[pool.submit(play_there, chunk)] = chunk
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield running.pop(future), *future.result()
    except BrokenExecutor:
        raise CalzaError("a process that played games was stopped from outside; start again to go on") from None
    finally:
        if pool:
            stop(pool, at_once=bool(running))


def stop(pool: ProcessPoolExecutor, at_once: bool) -> None:
    """End the processes; what they have not finished is played another time."""
    players = list((pool._processes or {}).values())
    pool.shutdown(wait=not at_once, cancel_futures=True)
    for player in players if at_once else ():
        player.terminate()  # a slow bot may keep it busy for minutes
    for player in players:
        player.join()


# --- in the other process

FIELD: list[Field] = []


def begin(parent: int, plan: Plan, folder: Path) -> None:
    """What a new process does first: it ends with its parent, and keeps its bots from chunk to chunk."""
    if platform == "linux":
        die_with(parent)
    FIELD.append(Field(plan, folder))
    Finalize(None, FIELD[0].close, exitpriority=10)


def play_there(chunk: Chunk) -> tuple[Played, float]:
    """Play a chunk in this process."""
    return timed(FIELD[0].plan, chunk, FIELD[0])
