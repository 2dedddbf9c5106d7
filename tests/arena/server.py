"""A real `calza serve`: a process of its own on a free port, which may be killed and started again."""

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

CALZA = [sys.executable, "-m", "calza"]
LAST = "Ctrl-C stops it."  # the last line that is said before agents may come
PLACE = re.compile(r"http://[^ ]+:(\d+)")
TCP = re.compile(r"joker over TCP +[^ ]+:(\d+)")
PATIENCE = 30  # seconds for a stop
QUICK = {"--fill-after": "0", "--registrations-per-hour": "100000", "--address-per-minute": "1000000"}


class Server:
    """The process, and where it is found."""

    def __init__(self, folder: Path, options: dict[str, str]) -> None:
        self.folder, self.options = folder, {"--data": str(folder / "data"), "--port": "0"} | QUICK | options
        folder.mkdir(exist_ok=True)
        self.said: list[str] = []
        self.port = 0
        self.process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self.process
        return self.process.pid

    @property
    def tcp(self) -> int:
        """The port of the joker TCP game."""
        return int(next(found[1] for line in self.said if (found := TCP.search(line))))

    @property
    def log(self) -> list[dict[str, Any]]:
        """What it has written down."""
        return [msgspec.json.decode(line) for line in (self.folder / "log").read_bytes().splitlines()]

    def start(self) -> None:
        """Start, and wait until agents may come; the second time on the same port."""
        words = [word for pair in self.options.items() for word in pair]
        # It ends with this process, however that ends.
        bound = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*bound, *CALZA, "serve", *words], stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self.process.stdout
        self.said = []
        while not self.said or self.said[-1] != LAST:
            line = self.process.stdout.readline()
            assert line, f"it ended after {self.said}: {(self.folder / 'log').read_text()}"
            self.said.append(line.rstrip("\n"))
        found = PLACE.search(self.said[0])
        assert found
        self.port = int(found[1])
        self.options["--port"] = found[1]

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self.process
        self.process.send_signal(number)

    def kill(self) -> None:
        """End it as a power cut would."""
        self.signal(signal.SIGKILL)
        self.ended()

    def stop(self) -> int:
        """Ask it to stop; its exit status."""
        self.signal(signal.SIGTERM)
        return self.ended()

    def ended(self) -> int:
        """Wait until it has ended; its exit status."""
        assert self.process
        status = self.process.wait(PATIENCE)
        assert self.process.stdout
        self.process.stdout.close()
        return status


@contextmanager
def running(folder: Path, **options: str) -> Iterator[Server]:
    """A server with its store in a folder; options by name: `fill_after="5"`."""
    server = Server(folder, {"--" + name.replace("_", "-"): value for name, value in options.items()})
    try:
        server.start()
        yield server
    finally:
        if server.process:
            server.kill()  # which does nothing to what has ended
