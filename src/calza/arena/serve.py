"""One process that serves an arena: from the first byte it listens for to the last that it writes.

A stop is asked for by SIGTERM or SIGINT. Then nobody new is let in, held requests are answered, sockets are told to
come back, what is being written is finished, and the clocks stand still until the arena runs again. A second signal
ends the process at once, which loses nothing that was acknowledged.
"""

import asyncio
import errno
import fcntl
import gc
import os
import resource
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from types import FrameType
from typing import Any

import uvicorn
import uvloop
from msgspec.structs import replace

from calza.rules import CalzaError

from .app import More, app
from .arena import Arena
from .connections import FRAME, IDLE, Http, Socket, sweep
from .journal import Journal
from .settings import Settings, address
from .store import engines
from .store.store import reason
from .tcp import Gateway

PING = 30.0  # seconds between two looks whether the other side of a socket is still there
GRACE = 10.0  # seconds that a stop waits for those who are being answered
LATE = 1.0  # and then for what is left of them
BACKLOG = 2048
YOUNG = 5_000  # new objects, after which Python looks for lost cycles among them
OLDER = 100  # such looks, after which it looks among all that have come since
SWITCH = 0.0005  # seconds that a thread of Python waits for its turn
LOOPBACK = ("127.0.0.1", "localhost", "0.0.0.0")

Say = Callable[[str], object]
Ready = Callable[[int | None], object]  # told when agents may come, and on which port the joker TCP game is


class ServeError(CalzaError):
    """The arena cannot be served like this; whoever tried is told why, and what to do."""


def serve(settings: Settings, say: Say, more: More | None = None) -> None:
    """Serve an arena until a signal comes, with `more` routes; ServeError or StoreError when that cannot be."""
    read = engines.read_address(settings.store)
    if settings.workers > 1 and read.kind == "sqlite":
        raise ServeError(
            "--workers above 1 needs PostgreSQL (--db postgresql://user@host/name): SQLite lets one process write at "
            "a time, and several would not hear of each other's moves"
        )
    with ExitStack() as open:
        if read.file:
            open.enter_context(alone(read.file))
        listening = open.enter_context(listen(settings.host, settings.port))
        settings = replace(settings, port=listening.getsockname()[1])
        if settings.workers > 1:
            from .workers import Parent

            Parent(settings, listening, lambda tcp: say(welcome(settings, tcp)), more).run()
        else:
            run(Node(settings, listening, lambda tcp: say(welcome(settings, tcp)), more))


# --- before anything is served


@contextmanager
def alone(file: str) -> Iterator[None]:
    """Keep an SQLite store to this process: another server would not hear of what this one plays."""
    try:
        engines.make_private(file)
        lock = os.open(f"{file}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        folder = os.path.dirname(file) or "."
        raise ServeError(
            f"the store cannot be kept in {folder}: {reason(error)}; choose another folder with --data"
        ) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise ServeError(
            f"another calza serve uses {file}; stop that one, or choose another folder with --data"
        ) from None
    try:
        yield
    finally:
        os.close(lock)


def listen(host: str, port: int) -> socket.socket:
    """The socket that requests come to."""
    try:
        kind, *_, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        one = socket.socket(kind, socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        why = reason(error) if isinstance(error, OSError) else "this is no name"
        raise ServeError(f"--host {host}: there is no such address here: {why}") from None
    try:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind(where)
        one.listen(BACKLOG)
    except OSError as error:
        one.close()
        raise ServeError(refused(error, host, port)) from None
    return one


def refused(error: OSError, host: str, port: int) -> str:
    """Why nothing can be listened for there."""
    match error.errno:
        case errno.EADDRINUSE:
            return f"port {port} of {host} is taken by another program; choose another with --port, or 0 for any"
        case errno.EADDRNOTAVAIL:
            return f"--host {host} is no address of this machine; 127.0.0.1 is for it alone, 0.0.0.0 for everybody"
        case errno.EACCES:
            return f"port {port} is for administrators; choose one above 1023 with --port"
    return f"nothing can be listened for on {host}, port {port}: {reason(error)}"


def welcome(settings: Settings, tcp: int | None) -> str:
    """What is said when agents may come."""
    here = address(settings.host, settings.port)
    places = [settings.public_url] if settings.public_url else []
    places += [here, f"http://localhost:{settings.port}"] if settings.host in LOOPBACK else [here]
    lines = [
        f"The arena is open: {'  '.join(places)}",
        f"  let a bot play     {command()} connect --server {settings.base} --name my-bot --agent cautious",
        f"  for agents         {settings.base}/api/guide",
        f"  store              {engines.read_address(settings.store).shown}",
    ]
    if tcp is not None:
        lines.append(f"  joker over TCP     {settings.host}:{tcp}")
    return "\n".join([*lines, "Ctrl-C stops it."])


def command() -> str:
    """`calza` as it can be typed where this process was started."""
    found, started = shutil.which("calza"), sys.argv[0]
    if found and os.path.exists(started) and os.path.samefile(found, started):
        return "calza"
    if os.path.basename(started) == "calza" and os.access(started, os.X_OK):
        near = os.path.relpath(started)
        return started if near.startswith("..") else near if os.sep in near else f"./{near}"
    return f"{sys.executable} -m calza"


# --- serving


def run(node: "Node") -> None:
    """Serve in an event loop of its own."""
    allow_many_connections()
    be_prompt()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(node.serve())


def allow_many_connections() -> None:
    """As many as the system lets this process have."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def be_prompt() -> None:
    """Let nobody wait long for Python itself: for its search for lost cycles, or for the turn of a thread.

    What is loaded stays, and what lives long, such as a match, is nearly all made of what can have no cycles: so
    only new objects are searched often, few at a time.
    """
    gc.freeze()
    gc.set_threshold(YOUNG, OLDER, 10)
    sys.setswitchinterval(SWITCH)


class Node:
    """A process that serves; `number` tells it from others, and only the first has the gateway."""

    def __init__(
        self,
        settings: Settings,
        listening: socket.socket,
        ready: Ready,
        more: More | None = None,
        number: int | None = None,
    ) -> None:
        self.settings, self.listening, self.ready, self.more, self.number = settings, listening, ready, more, number
        self.journal = Journal(settings.log_level, worker=number)

    async def serve(self) -> None:
        """Serve until told to stop."""
        self.journal.take_over()
        asyncio.get_running_loop().set_exception_handler(self.fault)
        async with AsyncExitStack() as open:
            arena = await Arena.open(self.settings)
            open.push_async_callback(arena.close)
            await arena.start()
            open.push_async_callback(arena.stop)
            tcp: int | None = None
            if self.settings.tcp is not None and not self.number:
                gateway = Gateway(arena, self.settings)
                tcp = await started(gateway, self.settings)
                open.push_async_callback(gateway.stop)
            server = Server(arena, self.journal, lambda: self.started(tcp), self.more)
            sweeping = asyncio.ensure_future(sweep(server.server_state.connections))
            open.callback(sweeping.cancel)
            await server.serve(sockets=[self.listening])
        self.journal.say("info", "stopped")

    def started(self, tcp: int | None) -> None:
        """Requests are answered from now on."""
        self.journal.say("info", "serving", host=self.settings.host, port=self.settings.port, tcp=tcp, pid=os.getpid())
        self.ready(tcp)

    def fault(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What nobody has waited for has failed."""
        self.journal.failed("event loop", "", context.get("exception") or RuntimeError())


async def started(gateway: Gateway, settings: Settings) -> int:
    """The port of the gateway, which listens now."""
    try:
        return await gateway.start()
    except OSError as error:
        raise ServeError(refused(error, settings.host, settings.tcp or 0).replace("--port", "--tcp")) from None


class Server(uvicorn.Server):
    """uvicorn, which stops as the arena does."""

    def __init__(self, arena: Arena, journal: Journal, ready: Callable[[], object], more: More | None = None) -> None:
        proxies = list(arena.settings.proxies)
        super().__init__(
            uvicorn.Config(
                app(arena, journal=journal, more=more),
                http=Http,
                ws=Socket,
                ws_max_size=FRAME,
                ws_ping_interval=PING,
                ws_per_message_deflate=False,  # it would keep more memory for a socket than all the rest
                lifespan="off",
                interface="asgi3",
                log_config=None,
                log_level="error",
                access_log=False,
                proxy_headers=bool(proxies),
                forwarded_allow_ips=proxies,
                server_header=False,
                timeout_keep_alive=IDLE,
                timeout_graceful_shutdown=LATE,  # type: ignore[arg-type]  # it may be a part of a second too
            )
        )
        self.arena, self.journal, self.ready = arena, journal, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets)
        self.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let nobody in any more, then see everybody off; uvicorn alone would cut them off first."""
        self.journal.say("info", "stopping")
        for server in self.servers:
            server.close()
        self.arena.dismiss()
        if tasks := set(self.server_state.tasks):
            await asyncio.wait(tasks, timeout=GRACE)
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal has come. The second ends the process: what it has acknowledged is stored."""
        if self.should_exit:
            os._exit(128 + sig)
        self.should_exit = True
