"""Lines to a process and from it in time, and what it says on standard error, all within limits.

Whatever is at the other end, nothing here waits for ever, and nothing grows without end. What goes wrong is the bot's
fault, and said so; afterwards the process is gone with all that it started.
"""

import os
import select
import signal
import subprocess
from time import monotonic

from calza.rules import AgentFault

from .launch import Launch, has_ended
from .limits import MB

LINE = 1 << 16  # bytes of a bot's line
KEPT = 1 << 15  # bytes that are kept of the beginning of a match's log, and as many of its end
QUOTED = 4000  # of which a fault quotes the last
MOMENT = 1.0  # seconds for a process that has closed its output to end


class Log:
    """The first and the last of what a bot said on standard error in a match."""

    def __init__(self) -> None:
        self.first, self.last, self.lost = bytearray(), bytearray(), 0

    def add(self, part: bytes) -> None:
        """It said more."""
        room = KEPT - len(self.first)
        self.first += part[:room]
        self.last += part[room:]
        if (more := len(self.last) - KEPT) > 0:
            self.lost += more
            del self.last[:more]

    def __str__(self) -> str:
        between = f"\n[{self.lost:,} bytes are left out here]\n".encode() if self.lost else b""
        return (self.first + between + self.last).decode("utf-8", "replace")


class Wire:
    """A process that was started, and its pipes. `fault` is why it is gone."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.waiting = bytearray()  # for the bot
        self.heard = bytearray()  # from the bot, not yet a line
        self.deadline = 0.0  # of the last question
        self.fault: AgentFault | None = None
        try:
            pipe = subprocess.PIPE
            self.process = launch.start(stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
        except (OSError, subprocess.SubprocessError) as error:
            why = f"it cannot be started: {getattr(error, 'strerror', None) or error}"
            raise AgentFault("crash", why) from None
        self.since = monotonic()
        self.into, self.out, self.errors = (
            pipe.fileno() for pipe in (self.process.stdin, self.process.stdout, self.process.stderr) if pipe
        )
        self.reading, self.writing = select.poll(), select.poll()
        self.writing.register(self.into, select.POLLOUT)
        self.reading.register(self.out, select.POLLIN)
        for poll in (self.reading, self.writing):
            poll.register(self.errors, select.POLLIN)
        for one in (self.into, self.out, self.errors):
            os.set_blocking(one, False)
        # Its end is seen here, for its children may hold its pipes open.
        self.life = os.pidfd_open(self.process.pid)
        self.reading.register(self.life, select.POLLIN)
        self.plain = [(self.out, select.POLLIN)]  # what `reading` says when there is only an answer
        self.fresh()

    def fresh(self) -> None:
        """Begin a new match: its log and its allowance of output."""
        self.log, self.written = Log(), 0

    # --- lines

    def ask(self, text: bytes, seconds: float) -> bytes:
        """Send `text`; the line that comes back in so many seconds."""
        self.deadline = monotonic() + seconds
        self.tell(text)
        if self.waiting:
            self.send()
        elif not self.heard and self.reading.poll(seconds * 1000) == self.plain:
            # What nearly always happens, written out: one line, and nothing else.
            part = os.read(self.out, LINE)
            self.written += len(part)
            if part.find(b"\n") == len(part) - 1 >= 0:
                return part[:-1]
            self.take(part)
        return self.line()

    def tell(self, text: bytes) -> None:
        """Send as much of `text` as can be sent now; the rest waits."""
        if not self.waiting:
            try:
                sent = os.write(self.into, text)
            except BlockingIOError:
                sent = 0
            except OSError:
                raise self.ended() from None
            if sent == len(text):
                return
            text = text[sent:]
        self.waiting += text

    def send(self) -> None:
        """Write all that is waiting."""
        while self.waiting:
            try:
                del self.waiting[: os.write(self.into, self.waiting)]
            except BlockingIOError:
                ready = self.writing.poll(self.left())
                if not ready:
                    raise self.late("it did not read what it was told") from None
                if ready[0][0] == self.errors:
                    self.listen()
            except OSError:
                raise self.ended() from None

    def line(self) -> bytes:
        """The next line of the bot, in the time that `ask` gave it."""
        while (line := self.said()) is None:
            if not self.hear(self.left()):
                raise self.late("it did not answer in time")
        return line

    def left(self) -> float:
        """Milliseconds until it is too late."""
        return max(0.0, self.deadline - monotonic()) * 1000

    def said(self) -> bytes | None:
        """A line that is here, if one is."""
        end = self.heard.find(b"\n")
        if end < 0:
            return None
        line = bytes(self.heard[:end])
        del self.heard[: end + 1]
        return line

    def hear(self, milliseconds: float = 0) -> bool:
        """Take in what comes next; False when nothing came."""
        ready = [one for one, _ in self.reading.poll(milliseconds)]
        if ready == [self.life]:
            raise self.ended()
        if self.errors in ready:
            self.listen()
        if self.out in ready:
            part = os.read(self.out, LINE)
            self.written += len(part)
            self.take(part)
        return bool(ready)

    def take(self, part: bytes) -> None:
        """It wrote this."""
        if not part:
            raise self.ended()
        self.heard += part
        if len(self.heard) > LINE and b"\n" not in self.heard:
            raise self.end(f"it wrote a line of more than {LINE:,} bytes")
        self.check_output()

    def listen(self) -> None:
        """Take in some of the log."""
        part = os.read(self.errors, LINE)
        if not part:  # it closed its standard error, which it may
            self.reading.unregister(self.errors)
            self.writing.unregister(self.errors)
        self.written += len(part)
        self.log.add(part)
        self.check_output()

    def check_output(self) -> None:
        """End a bot that floods us."""
        if self.written > self.launch.limits.output_mb * MB:
            raise self.end(f"it wrote more than {self.launch.limits.output_mb} MB in one match")

    # --- what goes wrong

    def late(self, why: str) -> AgentFault:
        """It lives, but it is too late."""
        return AgentFault("timeout", why, self.tail)

    def ended(self) -> AgentFault:
        """It has closed a pipe, most likely by ending."""
        if not has_ended(self.process.pid, MOMENT):
            return self.end("it closed its standard input or output")
        self.kill()
        return self.end(f"its process {how_it_ended(self.process.returncode, self.launch.holds)}")

    def end(self, why: str) -> AgentFault:
        """End it; the fault that says why."""
        self.kill()
        self.fault = AgentFault("crash", why, self.tail)
        return self.fault

    @property
    def tail(self) -> str:
        """The end of the log."""
        return str(self.log)[-QUOTED:]

    # --- the end

    def hang_up(self, text: bytes) -> None:
        """Say a last thing and close the bot's standard input, for those that read to its end."""
        self.tell(text)
        if self.process.stdin:
            self.process.stdin.close()

    def kill(self) -> None:
        """End the process and all that it started; what it said last is still heard."""
        if self.process.returncode is not None:
            return
        self.launch.kill(self.process)
        while part := last_words(self.errors):
            self.log.add(part)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()
        os.close(self.life)
        self.fault = self.fault or AgentFault("crash", "its process was ended")


def last_words(pipe: int) -> bytes:
    """What is left in the pipe of a process that is gone; a pipe holds little."""
    try:
        return os.read(pipe, LINE)
    except BlockingIOError:
        return b""


def how_it_ended(code: int, holds: str) -> str:
    """An exit status in words."""
    number = -code if code < 0 else code - 128 if holds == "bwrap" and code > 128 else 0
    if not number:
        return f"ended with status {code}"
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    hints: dict[int, str] = {
        signal.SIGKILL: ", as when processor time or memory runs out",
        signal.SIGXFSZ: ": it wrote too large a file",
        signal.SIGSYS: ": it made a system call that is not allowed",
    }
    return f"was ended by {name}{hints.get(number, '')}"
