"""What the arena says of its work: a JSON line on standard error for whatever is done or fails, and figures of it all.

Nothing that was asked or answered is in here: no key, no body, no query, no die. Errors are told by their kinds and
the places in the code where they came from, because a message may quote what it is about.
"""

import asyncio
import logging
import sys
import time
import traceback
from collections import Counter
from contextlib import suppress
from typing import BinaryIO, Literal

import msgspec
from msgspec import Struct

from .clock import iso
from .metrics import Histogram, family, labelled, line
from .settings import Level

LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
QUIET = ("GET", "HEAD")  # who only asks is logged when everything is
FRAMES = 12  # places in the code that are told of an error

encoder = msgspec.json.Encoder()
Word = Literal["request", "fault", "serving", "stopping", "stopped", "note"]


class Answered(Struct, frozen=True, tag_field="event", tag="request", omit_defaults=True, gc=False):
    """A line of the log: a request was answered."""

    at: str
    level: Level
    route: str
    status: int
    ms: float
    request: str
    agent: str | None = None
    match: str | None = None
    sequence: int | None = None
    worker: int | None = None


class Journal:
    """The log and the figures of one process."""

    def __init__(self, level: Level = "info", out: BinaryIO | None = None, worker: int | None = None) -> None:
        self.level, self.worker = LEVELS[level], worker
        self.out: BinaryIO = out or sys.stderr.buffer
        self.requests: Counter[tuple[str, int]] = Counter()
        self.seconds: dict[str, Histogram] = {}
        self.faults = 0
        self.lines: list[Answered | dict[str, object]] = []  # that are still to be written

    def answered(
        self,
        name: str,
        status: int,
        seconds: float,
        *,
        request: str,
        agent: str | None = None,
        match: str | None = None,
        sequence: int | None = None,
    ) -> None:
        """A request was answered; `name` is that of its route, in which nothing is that was asked."""
        self.requests[name, status] += 1
        histogram = self.seconds.get(name)
        if histogram is None:
            histogram = self.seconds[name] = Histogram()
        histogram.add(seconds)
        level: Level = "debug" if status < 400 and name.startswith(QUIET) else "info"
        if self.level <= LEVELS[level]:
            ms = round(seconds * 1000, 2)
            line = Answered(now(), level, name, status, ms, request, agent, match, sequence, self.worker)
            self.lines.append(line)  # and not before: another thread may write the lines meanwhile
            self.write_soon()

    def failed(self, name: str, request: str, error: BaseException) -> None:
        """Something was not done, because of a fault of ours."""
        self.faults += 1
        self.say("error", "fault", where=name, request=request, **told(error))

    def say(self, level: Level, word: Word, **more: object) -> None:
        """Write a line, if such lines are wanted."""
        if LEVELS[level] < self.level:
            return
        said: dict[str, object] = {"at": now(), "level": level, "event": word}
        if self.worker is not None:
            said["worker"] = self.worker
        self.lines.append(said | more)
        self.write()

    def write_soon(self) -> None:
        """Write once for all that is answered in one turn of the event loop: to write takes longer than a line does."""
        if len(self.lines) == 1:
            try:
                asyncio.get_running_loop().call_soon(self.write)
            except RuntimeError:  # no loop runs: there are no others to wait for
                self.write()

    def write(self) -> None:
        """Write what there is to write."""
        lines, self.lines = self.lines, []
        with suppress(OSError, ValueError):  # when nobody reads it any more: no reason to stop playing
            self.out.write(encoder.encode_lines(lines))
            self.out.flush()

    def figures(self) -> list[str]:
        """What was counted here."""
        requests = [
            line("calza_requests_total", self.labels(route=name, status=status), many)
            for (name, status), many in sorted(self.requests.items())
        ]
        seconds = [
            one
            for name, histogram in sorted(self.seconds.items())
            for one in histogram.lines("calza_request_seconds", self.labels(route=name))
        ]
        faults = [line("calza_faults_total", self.labels(), self.faults)]
        return [
            *family("calza_requests_total", "counter", "Requests by route and status.", requests),
            *family("calza_request_seconds", "histogram", "Seconds until a request was answered.", seconds),
            *family("calza_faults_total", "counter", "What failed through a fault of the arena.", faults),
        ]

    def labels(self, **labels: object) -> str:
        """Labels of a figure, with the process that it is of when there are several."""
        return labelled(**labels) if self.worker is None else labelled(**labels, worker=self.worker)

    def take_over(self) -> None:
        """Write what Python's own logging is told, by our libraries and by asyncio, into this log from now on."""
        logging.basicConfig(level=logging.WARNING, handlers=[Passed(self)], force=True)


class Passed(logging.Handler):
    """Passes on what is logged by means of Python."""

    def __init__(self, journal: Journal) -> None:
        super().__init__()
        self.journal = journal

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        level: Level = "error" if record.levelno >= logging.ERROR else "warning"
        said: dict[str, object] = {"where": f"{record.name} {record.pathname}:{record.lineno}"}
        if record.name.startswith("calza."):  # messages of others may quote anything
            said["text"] = record.getMessage()
        self.journal.say(level, "note", **said, **(told(error) if error else {}))


def told(error: BaseException) -> dict[str, object]:
    """An error and its causes: their kinds, what the system says of them, and where in the code they came from."""
    kinds: list[str] = []
    one: BaseException | None = error
    while one is not None and len(kinds) < FRAMES:
        why = getattr(one, "strerror", None) or getattr(one, "sqlstate", None)
        kinds.append(f"{type(one).__name__}: {why}" if why else type(one).__name__)
        one = one.__cause__ or one.__context__
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    return {"error": kinds, "frames": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]}


def now() -> str:
    """The time as it stands in a log."""
    return iso(time.time_ns() // 1_000_000)
