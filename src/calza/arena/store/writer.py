"""The thread that writes: it takes whatever waits, commits it together, and tells everybody at once."""

import asyncio
from collections.abc import Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from msgspec import Struct

from calza.arena.errors import StoreFault
from calza.arena.metrics import SIZES, Histogram

from .commit import Committer, Outcome
from .rows import Question

MOST = 2000  # writes in a group: as many as are done in the time in which nobody minds waiting


class Job(Struct):
    """A write, and who waits for it; nobody does for a signal."""

    write: Question[Any]
    future: "asyncio.Future[Any] | None"


class Writer:
    """All writing of one process."""

    def __init__(self, committer: Committer) -> None:
        self.committer = committer
        self.loop = asyncio.get_running_loop()
        self.jobs: SimpleQueue[Job | None] = SimpleQueue()
        self.sizes = Histogram(SIZES)  # of the groups that were written
        self.closed = False
        # A daemon: what nobody was told of is not waited for when the process is ended otherwise than by `close`.
        self.thread = Thread(target=self.run, name="calza-writer", daemon=True)
        self.thread.start()

    def write(self, write: Question[Any]) -> "asyncio.Future[Any]":
        """Put a write into the queue; its future is done when it is committed."""
        if self.closed:
            raise StoreFault("the store is closed")
        future: asyncio.Future[Any] = self.loop.create_future()
        self.jobs.put(Job(write, future))
        return future

    def post(self, write: Question[Any]) -> None:
        """Put a write into the queue that nobody waits for."""
        if not self.closed:
            self.jobs.put(Job(write, None))

    async def close(self) -> None:
        """Write what waits, then end."""
        if not self.closed:
            self.closed = True
            self.jobs.put(None)
            await self.loop.run_in_executor(None, self.thread.join)

    def run(self) -> None:
        """Write until closed."""
        while jobs := self.waiting():
            self.sizes.add(len(jobs))
            outcomes = self.committer.settle([job.write for job in jobs])
            settled = [(job.future, outcome) for job, outcome in zip(jobs, outcomes, strict=True) if job.future]
            self.loop.call_soon_threadsafe(tell, settled)
        self.committer.close()

    def waiting(self) -> list[Job]:
        """All that waits, once something does; nothing after the last."""
        job = self.jobs.get()
        jobs: list[Job] = []
        while job is not None:
            jobs.append(job)
            if len(jobs) == MOST:
                return jobs
            try:
                job = self.jobs.get_nowait()
            except Empty:
                return jobs
        if jobs:
            self.jobs.put(None)  # for the next time: these come first
        return jobs


def tell(settled: "Sequence[tuple[asyncio.Future[Any], Outcome]]") -> None:
    """Tell those who still wait what became of their writes."""
    for future, outcome in settled:
        if future.done():
            continue
        if outcome.error is not None:
            future.set_exception(outcome.error)
        else:
            future.set_result(outcome.value)
