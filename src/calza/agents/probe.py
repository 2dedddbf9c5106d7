"""A jail tries itself: every attack is really made, on targets that were set up for it, and on nothing else.

`available` makes those that take no time, once in a process, before a jail is used. `probe` makes all of them.
An attack that could not be tried proves nothing and counts as not held.
"""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from select import select
from time import monotonic
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from .jail import Mechanism, jailed, lacking
from .launch import JailError, Launch
from .limits import Limits
from .site import Site, site

# What succeeds at once or not at all: tried before every use.
QUICK = {
    "shadow": "read the system's users and passwords",
    "home": "list the host's home folder",
    "beside": "read a file beside its folder",
    "outside": "write outside its folder, or change a file there",
    "interpreter": "write into its own interpreter",
    "processes": "list, signal or change the host's processes",
    "environ": "read the environment of the host",
    "network": "reach a server on this machine, or open any socket",
    "sockets": "reach a Unix socket, abstract or not, or an inherited file",
    "trace": "trace a process or read its memory",
    "mounting": "mount, or make namespaces",
    "setuid": "become root or gain a privilege",
    "kernel": "reach io_uring, bpf, keyrings, the kernel's log",
    "shared": "take memory that no limit counts, or is shared",
    "limits": "raise its own limits",
}
LIMITS = Limits(memory_mb=96, reserve_mb=160, cpu_seconds=1, file_mb=4, processes=1, threads=24)
SEVERAL = Limits(memory_mb=96, cpu_seconds=5, processes=4, threads=8)
NEARBY = 24  # what else a user may start or end while its processes are counted
PATIENCE = 15.0  # seconds for any one attack


class Outcome(Struct, frozen=True):
    """How one attack went."""

    attack: str
    about: str
    held: bool
    saw: str


Confine = Callable[[Sequence[str], Path, Limits], Launch]


@cache
def available() -> tuple[Mechanism | None, str]:
    """The mechanism of jails on this machine, with the reason where there is none; each is tried before it is named."""
    reasons: list[str] = []
    for mechanism in Mechanism:
        why = refusal(mechanism)
        if why is None:
            return mechanism, "; ".join([*reasons, f"{mechanism} was tried and holds"])
        reasons.append(f"{mechanism}: {why}")
    return None, "; ".join(reasons)


@cache
def refusal(mechanism: Mechanism) -> str | None:
    """Why `mechanism` does not hold here; None if it was tried and does."""
    try:
        with working(mechanism) as (confine, place):
            open_doors = [outcome for outcome in quick(confine, place) if not outcome.held]
    except (JailError, OSError) as error:
        return str(error)
    return f"this was not held: {open_doors[0].about} ({open_doors[0].saw})" if open_doors else None


def probe(mechanism: Mechanism) -> list[Outcome]:
    """Every attack on a jail made by `mechanism`."""
    with working(mechanism) as (confine, place):
        return attacked(confine, place)


def attacked(confine: Confine, place: Site) -> list[Outcome]:
    """Every attack on what `confine` makes."""
    return [*quick(confine, place), *slow(confine, place)]


@contextmanager
def working(mechanism: Mechanism) -> Iterator[tuple[Confine, Site]]:
    """How a bot is put in a jail made by `mechanism`, and the place to attack it; JailError if none can be had here."""
    if why := lacking(mechanism):
        raise JailError(why)

    def confine(argv: Sequence[str], folder: Path, limits: Limits) -> Launch:
        return jailed(argv, folder, limits, mechanism)

    with site(mechanism) as place:
        harmless = attack(confine, place, ["pass"], LIMITS)
        if harmless.status:
            raise JailError(f"it starts no program here: {harmless.said}")
        yield confine, place


# --- attacks


def quick(confine: Confine, place: Site) -> Iterator[Outcome]:
    """Attacks that one process survives."""
    ended = attack(confine, place, [text_of("attacks"), json.dumps(place.targets), *QUICK], LIMITS)
    answers = {line["attack"]: line for line in map(json.loads, ended.out.splitlines())}
    for name in QUICK:
        yield judged(name, answers.get(name, {"broken": f"it ended with {ended.status}: {ended.said}"}))


def judged(name: str, answer: dict[str, Any]) -> Outcome:
    """A quick attack's outcome: what it got is a list of what succeeded."""
    if "broken" in answer:
        return Outcome(name, QUICK[name], False, f"not tried: {answer['broken']}")
    return Outcome(name, QUICK[name], not answer["got"], "; ".join(answer["got"]) or "refused")


def slow(confine: Confine, place: Site) -> Iterator[Outcome]:
    """Attacks that use something up, each in a jail of its own."""
    none = replace(LIMITS, cpu_seconds=5)
    yield counted(confine, place, "forks", "start another process", none, 0, "processes")
    most = SEVERAL.processes + SEVERAL.threads + NEARBY
    yield counted(confine, place, "forks", "fork without end, where it may fork", SEVERAL, most, "processes")
    yield counted(confine, place, "crowd", "start threads without end", none, LIMITS.threads + NEARBY, "threads")
    yield counted(confine, place, "memory", "fill the memory", none, LIMITS.memory_mb, "MB")
    most = LIMITS.memory_mb + LIMITS.reserve_mb
    yield counted(confine, place, "reuse", "fill the memory and hide it", none, most, "MB")
    yield counted(confine, place, "files", "fill the disk", none, LIMITS.file_mb, "MB")
    yield processor(confine, place)
    yield core(confine, place)
    yield leftover(confine, place)


def counted(confine: Confine, place: Site, name: str, about: str, limits: Limits, most: int, of: str) -> Outcome:
    """An attack that takes as much as it can get, and more than `most` is too much."""
    ended = attack(confine, place, [text_of("floods"), name], limits)
    if not ended.out.strip().isdigit():
        return Outcome(name, about, False, f"not tried: it ended with {ended.status}: {ended.said}")
    return Outcome(name, about, int(ended.out) <= most, f"{int(ended.out)} {of}, of {most}")


def processor(confine: Confine, place: Site) -> Outcome:
    """One that computes for ever."""
    since = monotonic()
    ended = attack(confine, place, [text_of("floods"), "cpu"], LIMITS)
    held = not ended.out and ended.status in (-signal.SIGKILL, 128 + signal.SIGKILL)
    return Outcome(
        "cpu", "compute for ever", held, f"ended with {ended.status} after {monotonic() - since:.1f} s, of 1"
    )


def core(confine: Confine, place: Site) -> Outcome:
    """One that crashes, for its memory to be written somewhere."""
    before = list(place.folder.iterdir())
    status = attack(confine, place, [text_of("floods"), "core"], LIMITS).status
    made = [path.name for path in place.folder.iterdir() if path not in before]
    crashed = status in (-signal.SIGSEGV, 128 + signal.SIGSEGV)
    saw = "none written" if crashed else f"not tried: ended with {status}"
    return Outcome("core", "leave a core dump", crashed and not made, ", ".join(made) or saw)


def leftover(confine: Confine, place: Site) -> Outcome:
    """One that starts others which leave its session; whoever remains holds our pipe open."""
    launch = confine(words(place, [text_of("floods"), "remain"]), place.folder, SEVERAL)
    with launch.start(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout
        ready = select([process.stdout], [], [], PATIENCE)[0]
        left = int(process.stdout.readline() or 0) if ready else 0
        launch.kill(process)
        gone = has_closed(process.stdout.fileno(), monotonic() + 3)
    saw = f"{left} started, {'none' if gone else 'some'} left after the kill" if left else "not tried: none started"
    return Outcome("remain", "leave processes behind", gone and left > 0, saw)


def has_closed(pipe: int, deadline: float) -> bool:
    """Whether everybody who could write into `pipe` is gone in time."""
    while select([pipe], [], [], max(0.0, deadline - monotonic()))[0]:
        if not os.read(pipe, 4096):
            return True
    return False


class Ended(Struct, frozen=True):
    """How an attacker ended: all that it wrote, its status, and the last line of its standard error."""

    out: bytes
    status: int
    said: str


def attack(confine: Confine, place: Site, program: Sequence[str], limits: Limits) -> Ended:
    """Let an attacker run in a jail of its own."""
    launch = confine(words(place, program), place.folder, limits)
    with launch.start(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            out, errors = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            launch.kill(process)
            out, errors = process.communicate()
        finally:
            launch.kill(process)
    said = errors.decode("utf-8", "replace").strip().splitlines()
    return Ended(out, process.returncode, said[-1] if said else "nothing")


@cache
def text_of(program: str) -> str:
    """Attacks as text, for an interpreter that cannot read our folder."""
    return Path(__file__).with_name(f"{program}.py").read_text("utf-8")


def words(place: Site, program: Sequence[str]) -> list[str]:
    """A program for the interpreter there."""
    return [str(place.python), "-I", "-S", "-c", *program]
