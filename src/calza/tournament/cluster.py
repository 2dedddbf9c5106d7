"""Who plays the chunks: several machines, as a Ray cluster. A node plays them with the function that one process does.

Nothing is sent but the plan and the numbers of the games. So every node needs this version of calza, the programs that
commands name, and the files of the bots, the same ones at the same paths; who has another says so before it plays.
Logs of bots stay on the node that wrote them. A node that dies costs some seconds and no game: what it had not given
back is played on another.
"""

import os
import re
import secrets
import socket
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from signal import SIGTERM, getsignal, signal
from typing import Any
from urllib.parse import urlsplit
from weakref import finalize

from msgspec import Struct

from calza import __version__
from calza.rules import CalzaError

from .competition import version, versions
from .field import Field
from .plan import Plan
from .play import Played
from .pools import AHEAD, Pool, timed
from .stage import Chunk

RETRIES = 5  # of a chunk whose node died under it: a bot that takes its node down must not go round all of them
PATIENCE = 5.0  # seconds for a cluster to answer
LOOPBACK = "127.0.0.1"
ADDRESS = re.compile(r"(ray://)?[^/\s:]+:[0-9]{1,5}")


def nodes(address: str) -> Pool:
    """A cluster: `HOST:PORT` or `ray://HOST:PORT`; `auto` is one that was started on this machine, else one of our own.

    The pool joins it when it is first used, and leaves it when nobody holds the pool any more; a cluster of our own
    ends with that.
    """
    if address != "auto" and not ADDRESS.fullmatch(address):
        raise CalzaError(f"there is no cluster {address!r}; write auto, ray://HOST:PORT, or HOST:PORT")
    return Nodes(address)


class Nodes:
    """Plays chunks on a cluster."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.ray: Any = None

    def __call__(self, plan: Plan, chunks: Sequence[Chunk], folder: Path) -> Iterator[tuple[Chunk, Played, float]]:
        """The chunks, as the cluster finishes them."""
        if not chunks:
            return
        ray = self.joined()
        play = ray.remote(play_there).options(num_cpus=1, max_retries=RETRIES)
        order = ray.put(Order(plan, folder.absolute(), Path.cwd(), versions(plan), __version__))
        todo, running = list(reversed(chunks)), dict[Any, Chunk]()
        try:
            while todo or running:
                while todo and len(running) < AHEAD * cores(ray):
                    chunk = todo.pop()
                    running[play.remote(order, chunk)] = chunk
                for done in ray.wait(list(running), num_returns=1)[0]:
                    yield running.pop(done), *fetched(ray, done)
        finally:
            for unwanted in running:
                ray.cancel(unwanted, force=True)  # a slow bot may keep a node busy for minutes

    def joined(self) -> Any:
        """Ray, when this process is part of the cluster."""
        if self.ray is None:
            where = found() if self.address == "auto" else self.address
            self.ray = loaded(where)
            if not self.ray.is_initialized():  # else our caller has joined one
                join(self.ray, where, named=self.address != "auto") if where else start(self.ray)
                with suppress(ValueError):  # not in the main thread
                    # Ray's compiled half would answer it with a dump of addresses; its other half ends in peace.
                    signal(SIGTERM, getsignal(SIGTERM))
                finalize(self, self.ray.shutdown)
        return self.ray


def cores(ray: Any) -> int:
    """How many chunks can be played at once; nodes come and go."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def fetched(ray: Any, done: Any) -> tuple[Played, float]:
    """A chunk that has been played, or why it could not be."""
    try:
        played: tuple[Played, float] = ray.get(done)
        return played
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, CalzaError):
            raise CalzaError(str(error.cause)) from None
        raise CalzaError(f"a node of the cluster failed ({error.cause!r}); has it calza {__version__}?") from error
    except (ray.exceptions.RayError, ConnectionError) as error:
        raise CalzaError(f"the cluster lost games again and again ({first(error)}); start again to go on") from None


def first(error: BaseException) -> str:
    """The first line of what an error says."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


# --- joining a cluster

QUIET = {"log_to_driver": False, "logging_level": "CRITICAL"}

# Ray reads these when it is imported; whoever has set one of them otherwise is left in peace.
ALWAYS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # else it says on our standard output what has become of its nodes
}
# Else Ray turns the loopback into an address that others can reach.
AT_HOME = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}


def found() -> str:
    """The cluster that a user of this machine wants joined: named in the environment, or left by `ray start`."""
    left = Path(os.environ.get("RAY_TMPDIR") or "/tmp", "ray", "ray_current_cluster")
    with suppress(OSError):
        if where := os.environ.get("RAY_ADDRESS") or left.read_text().strip():
            knock(where)  # it may have died since
            return where
    return ""


def host_of(address: str) -> tuple[str, int]:
    """Host and port of an address."""
    parts = urlsplit(f"//{address.removeprefix('ray://')}")
    try:
        return parts.hostname or "", parts.port or 0
    except ValueError as error:
        raise CalzaError(f"there is no cluster at {address}: {first(error)}") from None


def knock(address: str) -> None:
    """OSError when nobody answers, which Ray would find out in two minutes."""
    socket.create_connection(host_of(address), PATIENCE).close()


def loaded(where: str) -> Any:
    """Ray, told to be quiet and, unless others are to be met, to stay at home."""
    local = not where or host_of(where)[0] in (LOOPBACK, "localhost")
    for name, value in {**ALWAYS, **(AT_HOME if local else {})}.items():
        os.environ.setdefault(name, value)
    try:
        if where.startswith("ray://"):
            import_module("grpc")  # Ray can do without, its client cannot
        return import_module("ray")
    except ImportError:
        raise CalzaError('to play on more than one machine takes Ray: pip install "calza[cluster]"') from None


def join(ray: Any, where: str, named: bool) -> None:
    """Become part of a cluster; of one that was not `named` Ray knows how to prove that we may."""
    try:
        knock(where)
        ray.init(where if named else None, **QUIET)
    except (Exception, SystemExit) as error:
        raise CalzaError(f"the cluster at {where} cannot be joined: {first(error)}") from None


def start(ray: Any) -> None:
    """A cluster of our own, which nobody else can reach or join."""
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))  # else Ray leaves one in the user's home
    try:
        # Without a dashboard Ray still starts its process, for nothing but to ask the network which cloud this is.
        # A port that is taken keeps it from that.
        with socket.create_server((LOOPBACK, 0)) as taken:
            ray.init("local", include_dashboard=False, dashboard_port=taken.getsockname()[1], **QUIET)
    except (Exception, SystemExit) as error:
        raise CalzaError(f"Ray cannot be started on this machine: {first(error)}") from None


# --- on a node


class Order(Struct, frozen=True):
    """What a node has to know of a tournament."""

    plan: Plan
    folder: Path
    home: Path  # where paths start
    versions: list[str]  # of the bots
    calza: str


HELD: list[tuple[Order, Field]] = []  # one at most


def play_there(order: Order, chunk: Chunk) -> tuple[Played, float]:
    """Play a chunk in this process, which keeps its bots from chunk to chunk."""
    if not HELD or HELD[0][0] != order:
        while HELD:
            HELD.pop()[1].close()
        HELD.append((order, settled(order)))
    return timed(order.plan, chunk, HELD[0][1])


def settled(order: Order) -> Field:
    """The players on this node, if they are those that are meant."""
    here = socket.gethostname()
    if order.calza != __version__:
        raise CalzaError(f"{here} has calza {__version__}, but the tournament is played with {order.calza}")
    with suppress(OSError):  # house bots need no files
        os.chdir(order.home)
    for entry, meant in zip(order.plan.entries, order.versions, strict=True):
        try:
            same = version(entry) == meant
        except OSError as error:
            raise CalzaError(f"{entry.name} is not on {here} ({error}); put its files where they are here") from None
        if not same:
            raise CalzaError(f"{entry.name} is another one on {here}; put the same files there as here")
    return Field(order.plan, order.folder)
