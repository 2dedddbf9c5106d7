"""Several processes that serve one arena on PostgreSQL: a parent that listens, and workers that answer.

The parent answers nothing itself. It starts a worker anew that has died, sooner after the first time than after the
tenth, and passes on that all are to stop. A worker whose parent has died stops too: their pipe ends.
"""

import os
import signal
import socket
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from threading import Thread
from time import monotonic
from types import FrameType

from calza.rules import CalzaError

from .app import More
from .journal import Journal
from .serve import Node, Ready, ServeError, run
from .settings import Settings
from .store import engines
from .store.store import made

SPAWN = get_context("spawn")  # a fork would share what must not be shared: threads, connections, random numbers
SOON, LATER = 0.5, 30.0  # the first and the longest pause before a worker is started again
STEADY = 60.0  # seconds after which a worker is taken to be well
REFUSED = 2  # the exit status of a worker that cannot serve as things are


class Worker:
    """A place for a process, which is alive or to be started."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.process: SpawnProcess | None = None
        self.pipe: Connection | None = None  # says once that the worker is ready; ends when one of both has died
        self.born, self.due, self.pause = 0.0, 0.0, SOON

    def start(self, settings: Settings, listening: socket.socket, more: More | None) -> None:
        """Start the process."""
        self.pipe, theirs = SPAWN.Pipe()
        self.process = SPAWN.Process(
            target=work, args=(settings, listening, more, self.number, theirs), name=f"calza-{self.number}", daemon=True
        )
        self.process.start()
        theirs.close()
        self.born = monotonic()

    def died(self) -> int | None:
        """It is no more; returns its exit status."""
        assert self.process
        assert self.pipe
        self.process.join()
        self.pipe.close()
        status = self.process.exitcode
        self.process, self.pipe = None, None
        now = monotonic()
        self.pause = SOON if now - self.born > STEADY else min(2 * self.pause, LATER)
        self.due = now + self.pause
        return status


class Parent:
    """Looks after the workers."""

    def __init__(self, settings: Settings, listening: socket.socket, ready: Ready, more: More | None = None) -> None:
        self.settings, self.listening, self.ready, self.more = settings, listening, ready, more
        self.journal = Journal(settings.log_level)
        self.workers = [Worker(number) for number in range(settings.workers)]
        self.waited = {worker.number for worker in self.workers}  # for whom we wait before we say that all is well
        self.tcp: int | None = None
        self.refused = ""  # why the arena cannot be served
        self.stopping = False

    def run(self) -> None:
        """Look after them until a signal comes and all have ended; an error when the arena cannot be served."""
        made(engines.read_address(self.settings.store)).dispose()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.stop)
        while not self.stopping or any(worker.process for worker in self.workers):
            self.start()
            self.listen()
        if self.refused:
            raise ServeError(self.refused)

    def stop(self, number: int, frame: FrameType | None) -> None:
        """Pass a signal on; a worker that is told twice ends at once."""
        self.stopping = True
        for worker in self.workers:
            if worker.process is not None and worker.process.pid is not None:
                with suppress(ProcessLookupError):
                    os.kill(worker.process.pid, signal.SIGTERM)

    def start(self) -> None:
        """Start whoever is due."""
        for worker in self.workers:
            if worker.process is None and not self.stopping and worker.due <= monotonic():
                worker.start(self.settings, self.listening, self.more)
                if self.stopping and worker.process is not None:
                    worker.process.terminate()  # the signal came while it was being started

    def listen(self) -> None:
        """Wait for news of the workers, or until one is due."""
        alive = {one.process.sentinel: one for one in self.workers if one.process}
        pipes = {one.pipe: one for one in self.workers if one.pipe and one.number in self.waited}
        due = [one.due for one in self.workers if one.process is None]
        patience = max(0.0, min(due) - monotonic()) if due and not self.stopping else None
        news = set(wait([*alive, *pipes], patience))
        for pipe in pipes.keys() & news:  # first: whoever says why it dies is heard
            self.hear(pipes[pipe], pipe)
        for sentinel in alive.keys() & news:
            self.mourn(alive[sentinel])

    def hear(self, worker: Worker, pipe: Connection) -> None:
        """A worker is ready, or says why it cannot serve, or has died."""
        try:
            said = pipe.recv()
        except (EOFError, OSError):
            return
        if isinstance(said, str):
            self.refused = said
            self.stop(signal.SIGTERM, None)
            return
        self.tcp = said or self.tcp
        self.waited.discard(worker.number)
        if not self.waited:
            self.ready(self.tcp)

    def mourn(self, worker: Worker) -> None:
        """A worker has ended."""
        status = worker.died()
        if not self.stopping:
            self.journal.say("error", "fault", where=f"worker {worker.number}", exit=status, again=worker.pause)


def work(settings: Settings, listening: socket.socket, more: More | None, number: int, pipe: Connection) -> None:
    """Be a worker."""
    os.setsid()  # Ctrl-C is for the parent, which passes it on
    Thread(target=until_parent_dies, args=(pipe,), daemon=True).start()
    try:
        run(Node(settings, listening, pipe.send, more, number))
    except CalzaError as error:
        with suppress(OSError):
            pipe.send(str(error))  # heard by a parent that waits for us to be ready
        raise SystemExit(REFUSED) from None


def until_parent_dies(pipe: Connection) -> None:
    """Stop when the parent has died: nobody else could stop us then."""
    with suppress(EOFError, OSError):
        pipe.recv()
    os.kill(os.getpid(), signal.SIGTERM)
