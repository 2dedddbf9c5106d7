"""The thread that writes: it is given whatever waits, commits it together, and tells everybody at once.

A thread that is woken, a transaction and a wait for the disk cost far more than one write more in a group. So a group
is given away only when the one before is done and `GATHER` has passed since that was begun: who comes alone does not
wait, and in a crowd nobody waits longer than that. Actions, which somebody waits for to act in turn, and all else, such
as the ends of matches, which take many times as long, are given away by turns.
"""

import asyncio
import logging
from collections.abc import Sequence
from queue import SimpleQueue
from threading import Thread
from typing import Any

from msgspec import Struct

from calza.arena.errors import StoreFault
from calza.arena.metrics import SIZES, Histogram

from .actions import Act
from .commit import Committer, Outcome
from .rows import Question

log = logging.getLogger(__name__)

GATHER = 0.004  # seconds between the beginnings of two groups, at least
MOST = 2000, 100  # actions in a group, or other writes: what is done in the time in which nobody minds waiting


class Job(Struct):
    """A write, and who waits for it; nobody does for a signal."""

    write: Question[Any]
    future: "asyncio.Future[Any] | None"


class Writer:
    """All writing of one process."""

    def __init__(self, committer: Committer) -> None:
        self.committer = committer
        self.loop = asyncio.get_running_loop()
        self.waiting: tuple[list[Job], list[Job]] = [], []  # actions, and all else
        self.kind = 0  # of the last group: which of them
        self.groups: SimpleQueue[list[Job]] = SimpleQueue()  # an empty one is the last
        self.busy = False  # whether the thread has a group, or is about to be given one
        self.began = -GATHER  # when it was given one last
        self.sizes = Histogram(SIZES)  # of the groups that were written
        self.closed = False
        # A daemon: what nobody was told of is not waited for when the process is ended otherwise than by `close`.
        self.thread = Thread(target=self.run, name="calza-writer", daemon=True)
        self.thread.start()

    def write(self, write: Question[Any]) -> "asyncio.Future[Any]":
        """Let a write wait for the next group; its future is done when it is committed."""
        if self.closed:
            raise StoreFault("the store is closed")
        future: asyncio.Future[Any] = self.loop.create_future()
        self.waiting[0 if isinstance(write, Act) else 1].append(Job(write, future))
        self.go_on()
        return future

    def post(self, write: Question[Any]) -> None:
        """Let a write wait for the next group that nobody waits for."""
        if not self.closed:
            self.waiting[1].append(Job(write, None))
            self.go_on()

    async def close(self) -> None:
        """Write what waits, then end."""
        if not self.closed:
            self.closed = True
            while any(self.waiting):
                self.groups.put(self.taken())
            self.groups.put([])
            await self.loop.run_in_executor(None, self.thread.join)

    # --- in the event loop

    def go_on(self) -> None:
        """Hand over what waits, if the thread has nothing to do: at once, or when the group before is old enough."""
        if not self.busy and any(self.waiting):
            self.busy = True
            self.loop.call_at(self.began + GATHER, self.hand_over)

    def hand_over(self) -> None:
        """Give the thread a group."""
        self.began = self.loop.time()
        self.groups.put(self.taken())

    def taken(self) -> list[Job]:
        """The next group of what waits: of the other kind than the last, if there is any."""
        if self.waiting[1 - self.kind]:
            self.kind = 1 - self.kind
        jobs, most = self.waiting[self.kind], MOST[self.kind]
        group = jobs[:most]
        del jobs[:most]
        return group

    def tell(self, settled: "Sequence[tuple[asyncio.Future[Any], Outcome]]") -> None:
        """Tell those who still wait what became of their writes; then the next group follows."""
        self.busy = False
        for future, outcome in settled:
            if future.done():
                continue
            if outcome.error is not None:
                future.set_exception(outcome.error)
            else:
                future.set_result(outcome.value)
        self.go_on()

    # --- in the thread

    def run(self) -> None:
        """Write until closed."""
        while jobs := self.groups.get():
            self.sizes.add(len(jobs))
            outcomes = self.settled([job.write for job in jobs])
            settled = [(job.future, outcome) for job, outcome in zip(jobs, outcomes, strict=True) if job.future]
            self.loop.call_soon_threadsafe(self.tell, settled)
        self.committer.close()

    def settled(self, writes: Sequence[Question[Any]]) -> list[Outcome]:
        """What became of each; a fault of ours must not end the thread, or everybody would wait for ever."""
        try:
            return self.committer.settle(writes)
        except Exception:
            log.exception("a group of writes failed")
            self.committer.drop()
            return [Outcome(error=StoreFault())] * len(writes)
