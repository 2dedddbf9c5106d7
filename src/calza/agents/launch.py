"""How a bot's process is started and ended. What it may use up is in `limits.py`, what it may reach in `jail.py`."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from msgspec import Struct

from calza.rules import CalzaError

from . import seccomp
from .limits import Limits, bounds, limit, listed, running

MOMENT = 1.0  # seconds; what is killed is gone in milliseconds
FILTER = "@filter"  # stands in argv for the descriptor that the filter is read from


class JailError(CalzaError):
    """This bot cannot be confined as asked."""


class Launch(Struct, frozen=True):
    """A command ready to start: `start` it, `kill` it.

    Start it from a thread that lives as long as the bot: the kernel ends the bot with the thread that started it, so
    that none outlives a host that was killed.
    """

    argv: tuple[str, ...]
    env: dict[str, str]
    folder: Path
    prepare: Callable[[], None]  # runs in the child before argv does
    holds: str  # "bwrap", "landlock" or "process": what confines it really
    limits: Limits
    filter: bytes = b""

    @contextmanager
    def settings(self) -> Iterator[dict[str, Any]]:
        """Arguments for `Popen` but its pipes; asyncio wants `args` apart. Leave the context when it has started."""
        filters = [descriptor(self.filter)] if self.filter else []
        try:
            yield {
                "args": [str(filters[0]) if word == FILTER else word for word in self.argv],
                "env": self.env,
                "cwd": self.folder,
                "preexec_fn": self.prepare,
                "pass_fds": filters,
                "start_new_session": True,
            }
        finally:
            for opened in filters:
                os.close(opened)

    def start(self, **pipes: Any) -> "subprocess.Popen[bytes]":
        """Start it; `pipes` are Popen's stdin, stdout, stderr and bufsize."""
        with self.settings() as settings:
            return subprocess.Popen(**settings, **pipes)

    def kill(self, process: "subprocess.Popen[bytes]") -> None:
        """End it and all that it started, for sure, and wait for that."""
        if process.returncode is not None:
            return  # it was killed before, and its number may be somebody else's by now
        if self.holds == "bwrap" and not has_ended(process.pid):
            # The first process of its namespace takes all others with it, and bwrap waits until they are gone.
            for child in children(process.pid):
                end(os.kill, child)
            has_ended(process.pid, MOMENT if children(process.pid) else 0.0)
        end(os.killpg, process.pid)  # before it is buried: until then nobody else gets its number
        process.wait()
        deadline = monotonic() + MOMENT
        while lives(process.pid) and monotonic() < deadline:
            sleep(0.001)


def has_ended(pid: int, patience: float = 0.0) -> bool:
    """Whether our child `pid` ends within so many seconds; it stays unburied."""
    deadline = monotonic() + patience
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if monotonic() >= deadline:
            return False
        sleep(0.001)
    return True


def lives(group: int) -> bool:
    """Whether anybody of a process group still runs."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # they are another user's: a jail's
    return any(state not in "ZX" for state, of in map(membership, listed()) if of == group)


def membership(process: Path) -> tuple[str, int]:
    """The state of a process, Z when it is only not buried yet, and its group."""
    try:
        state, _, group = (process / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[:3]
    except OSError:
        return "X", 0
    return state, int(group)


def end(kill: Callable[[int, int], None], pid: int) -> None:
    """SIGKILL; who is gone already needs none."""
    with suppress(ProcessLookupError, PermissionError):
        kill(pid, signal.SIGKILL)


def children(pid: int) -> list[int]:
    """The processes that `pid` has started and not yet buried."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def descriptor(content: bytes) -> int:
    """A file in memory to read `content` from; one for each start, for readers would share a position."""
    opened = os.memfd_create("filter")
    os.write(opened, content)
    os.lseek(opened, 0, os.SEEK_SET)
    return opened


def searched() -> list[str]:
    """The host's PATH without the shims of version managers: scripts that look for the program in somebody's home."""
    path = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return [folder for folder in path if os.path.basename(folder) != "shims"]


def environment(path: Sequence[str], folder: Path, limits: Limits) -> dict[str, str]:
    """All that a bot sees of the environment: nothing of the host's."""
    java = f"-Xmx{limits.memory_mb // 2}m -XX:CompressedClassSpaceSize=64m -XX:ReservedCodeCacheSize=64m"
    return {
        "PATH": os.pathsep.join(path),
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",  # else a set's order, and with it a bot's play, differs from run to run
        "OMP_NUM_THREADS": "1",  # a bot has one core, and NumPy reserves memory for each thread
        "OPENBLAS_NUM_THREADS": "1",
        "JAVA_TOOL_OPTIONS": f"{java} -XX:-UsePerfData",  # else it reserves gigabytes, and stops
    }


def die_with(parent: int) -> None:
    """End this process when the thread that started it ends; `parent` may have gone before we asked."""
    seccomp.control(seccomp.DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def tied(limits: Limits) -> Callable[[], None]:
    """Preparation at level `process`: limits, and a group that it cannot leave, where the kernel can hold it."""
    counted = os.geteuid() != 0
    most = bounds(limits, running(os.getuid()) + limits.processes + limits.threads if counted else None)
    filter = seccomp.program(seccomp.in_its_group()) if seccomp.lacking() is None else b""
    parent = os.getpid()

    def prepare() -> None:
        limit(most)
        die_with(parent)
        if filter:
            seccomp.install(filter)

    return prepare
