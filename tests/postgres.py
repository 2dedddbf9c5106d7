"""A PostgreSQL of our own: a server in a temporary folder, on a free port of this machine, for one run of the tests."""

import itertools
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

USER = "postgres"  # PostgreSQL refuses to run as root
READY = "ready to accept connections"
SETTINGS = [
    "max_connections=60",
    "shared_buffers=64MB",
    "logging_collector=off",
    "log_min_messages=warning",
    "recovery_init_sync_method=syncfs",
]  # or each start after a kill syncs every file of every database


class Server:
    """One server, which may be killed and started again."""

    def __init__(self, programs: Path) -> None:
        self.programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="calza-pg-"))
        self.numbers = itertools.count()
        self.starter = ThreadPoolExecutor(1)  # what a thread has started ends with it: this one lives as long as we do
        self.process: subprocess.Popen[str] | None = None
        if os.geteuid() == 0:
            shutil.chown(self.folder, USER, USER)
        made = self.command("initdb", "--pgdata", str(self.data), "--username", "calza", "--auth=trust",
                            "--encoding=UTF8", "--locale=C", "--no-sync")  # fmt: skip
        subprocess.run(made, check=True, capture_output=True, cwd="/", timeout=60)
        self.port = free_port()
        self.start()

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def command(self, program: str, *words: str) -> list[str]:
        """A program of PostgreSQL, as a user that it accepts; it ends when this process does."""
        user = ["--reuid", USER, "--regid", USER, "--init-groups"] if os.geteuid() == 0 else []
        return ["setpriv", *user, "--pdeathsig", "INT", str(self.programs / program), *words]

    def start(self, tries: int = 10) -> None:
        """Start, and wait until it answers. After a kill its port or its memory may not be free at once."""
        words = ["-D", str(self.data), "-k", str(self.folder), "-h", "127.0.0.1", "-p", str(self.port)]
        settings = [word for setting in SETTINGS for word in ("-c", setting)]
        with (self.folder / "log").open("w") as log:
            command = self.command("postgres", *words, *settings)
            start = self.starter.submit(subprocess.Popen, command, cwd="/", stdout=log, stderr=log, text=True)
            self.process = start.result()
        ask = ["--host", "127.0.0.1", "--port", str(self.port), "--quiet"]
        while subprocess.run([self.programs / "pg_isready", *ask]).returncode:
            if self.process.poll() is not None:
                assert tries, (self.folder / "log").read_text()
                time.sleep(0.2)
                self.start(tries - 1)
                return

    def kill(self) -> None:
        """End it as a power cut would: all its processes at once, none of which hears of it."""
        assert self.process
        pid = self.process.pid
        self.process.send_signal(signal.SIGSTOP)  # it must not start others meanwhile
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        self.end(signal.SIGKILL)
        while any(map(running, children)):  # what is left of it holds memory, without which it does not start again
            time.sleep(0.001)

    def end(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it by its id."""
        assert self.process
        self.process.send_signal(how)
        self.process.wait(30)

    def url(self, name: str) -> str:
        return f"postgresql://calza@127.0.0.1:{self.port}/{name}"

    def database(self) -> str:
        """The URL of a new, empty database."""
        name = f"calza_{next(self.numbers)}_{secrets.token_hex(4)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)


def running(pid: int) -> bool:
    """Whether a process still has anything."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def programs() -> Path | None:
    """The folder of the newest PostgreSQL on this machine."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda one: int(one.parts[4]))
    if found:
        return found[-1].parent
    elsewhere = shutil.which("postgres")
    return Path(elsewhere).resolve().parent if elsewhere else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server for the whole run."""
    if (where := programs()) is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    server = Server(where)
    try:
        yield server
    finally:
        server.end()
        shutil.rmtree(server.folder, ignore_errors=True)
