"""The place where a jail is attacked: the bot's folder, and beside it secrets, servers and a process to aim at."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from . import needs
from .jail import Mechanism, jailed
from .launch import JailError
from .limits import Limits


class Site(Struct, frozen=True):
    """The place where attacks are made, and what they are aimed at."""

    folder: Path
    targets: dict[str, Any]
    python: Path


@contextmanager
def site(mechanism: Mechanism | None = None) -> Iterator[Site]:
    """Set the place up, for an interpreter that `mechanism` can jail; all of it is gone afterwards."""
    with ExitStack() as stack:
        top = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="calza-jail-"))).resolve()
        folder, beside = top / "bot", top / "beside"
        for made in (top, folder, beside):
            made.mkdir(exist_ok=True)
            made.chmod(0o755)
        python = interpreter(mechanism, folder)
        for name, mode in (("secret", 0o644), ("open", 0o666)):
            (beside / name).write_text("a secret")
            (beside / name).chmod(mode)  # open to everybody: only the jail is in the way
        beside.chmod(0o777)
        victim = stack.enter_context(bystander())
        yield Site(folder, {**files(beside), **servers(stack, beside), **people(victim, python)}, python)


def interpreter(mechanism: Mechanism | None, folder: Path) -> Path:
    """A Python that the jail's user can reach: ours, or else the system's."""
    for path in filter(None, [sys.executable, shutil.which("python3", path="/usr/bin:/usr/local/bin")]):
        try:
            if mechanism:
                jailed([path], folder, Limits(), mechanism)
        except JailError as error:
            why = str(error)
        else:
            return Path(path)
    raise JailError(f"it cannot be tried: {why}")


@contextmanager
def bystander() -> Iterator[int]:
    """A process of the host's, with a canary in its environment."""
    argv = ["/bin/sh", "-c", "read gone"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, env={"CANARY": "calza"}, start_new_session=True) as victim:
        try:
            yield victim.pid
        finally:
            victim.kill()


def files(beside: Path) -> dict[str, Any]:
    return {"secret": str(beside / "secret"), "open": str(beside / "open")}


def people(victim: int, python: Path) -> dict[str, Any]:
    """Who is there; of our own environment only as much as an attack needs to know it again."""
    home = needs.home()
    ours = Path("/proc/self/environ").read_bytes()[:60].hex()
    # A folder on the way to the interpreter is shown, with nothing in it but that way.
    below = [path for path in needs.needed(python) if path != home and path.is_relative_to(home)]
    shown = [path.relative_to(home).parts[0] for path in below]
    if home == Path("/"):  # of a user who has none
        shown = os.listdir(home)
    return {"victim": victim, "host": os.getpid(), "home": str(home), "shown": shown, "environ": ours}


def servers(stack: ExitStack, beside: Path) -> dict[str, Any]:
    """Servers on loopback and on Unix sockets; a connection is a success by itself, so nobody answers."""
    token = beside.parent.name
    tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    udp.bind(("127.0.0.1", 0))
    for kind, name in (("STREAM", f"\0{token}"), ("DGRAM", f"\0{token}-datagrams"), ("STREAM", str(beside / "socket"))):
        server = stack.enter_context(socket.socket(socket.AF_UNIX, getattr(socket, f"SOCK_{kind}")))
        server.bind(name)
        if kind == "STREAM":
            server.listen()
    (beside / "socket").chmod(0o777)
    ports = {"tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1]}
    return ports | {"abstract": token, "datagrams": f"{token}-datagrams", "socket": str(beside / "socket")}
