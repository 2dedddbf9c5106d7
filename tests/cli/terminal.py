"""Commands as processes of their own, in a pipe or a terminal. Nothing waits by the clock; it waits for words."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType

CALZA = [sys.executable, "-m", "calza"]
PATIENCE = 30  # seconds after which a word does not come any more
EAGER = 0.2  # seconds until a key is pressed again
# Makes the terminal that it is given the one from which Ctrl-C comes.
CONTROL = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x07|\r")


def stopped(process: subprocess.Popen[bytes], number: signal.Signals) -> tuple[int, str]:
    """Send a signal until the process ends; its status and what it still wrote. Once may be too early."""
    while True:
        process.send_signal(number)
        try:
            rest, _ = process.communicate(timeout=EAGER)
        except subprocess.TimeoutExpired:
            continue
        return process.returncode, rest.decode()


def piped(
    *args: str, typed: str = "", env: Mapping[str, str] | None = None, wrap: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """A command that ran in a pipe."""
    whole = os.environ | dict(env or {})
    return subprocess.run([*wrap, *CALZA, *args], input=typed, capture_output=True, text=True, env=whole, timeout=60)


class Terminal:
    """A command in a terminal of its own."""

    def __init__(self, *args: str, columns: int = 80, env: Mapping[str, str] | None = None) -> None:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        self.file, self.screen, self.seen = ours, "", 0
        plain = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", CONTROL, *CALZA, *args],
            stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
            env=plain | {"TERM": "xterm-256color", "PYTHONUTF8": "1"} | dict(env or {}),
        )  # fmt: skip
        os.close(theirs)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self.file)
        self.process.kill()
        self.process.wait()

    def until(self, words: str) -> str:
        """What is on the screen since the last time, up to `words`."""
        while (found := self.screen.find(words, self.seen)) < 0:
            assert self.more(), f"{words!r} did not come after {self.screen[self.seen :]!r}"
        start, self.seen = self.seen, found + len(words)
        return self.screen[start : self.seen]

    def more(self, patience: float = PATIENCE) -> bool:
        """Read on; False when the command has ended, or is silent for so many seconds."""
        ready, _, _ = select.select([self.file], [], [], patience)
        try:
            chunk = os.read(self.file, 65536) if ready else b""
        except OSError:  # Linux tells the end of a terminal as an error
            chunk = b""
        self.screen += chunk.decode(errors="replace")
        return bool(chunk)

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self.file, keys.encode())

    def interrupt(self) -> int:
        """Press Ctrl-C until the command ends; its exit status as a shell would tell it.

        Once may be too early: between its prompt and its reading, Python notes Ctrl-C only with the next key. And twice
        may be too late: the second kills a Python that is taking itself down, which in a shell is 130 as well.
        """
        pressed = 0
        while (status := self.process.poll()) is None:
            self.type("\x03")
            pressed += 1
            while self.more(EAGER):
                pass
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(EAGER)
        return 128 + signal.SIGINT if pressed > 1 and status == -signal.SIGINT else status

    def end(self) -> int:
        """Read to the end; the exit status."""
        while self.more():
            pass
        return self.process.wait(PATIENCE)

    @property
    def lines(self) -> list[str]:
        """Everything that was on the screen, without its codes."""
        return CODES.sub("", self.screen).split("\n")
