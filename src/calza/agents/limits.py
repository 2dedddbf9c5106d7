"""What one bot may use up, as values for the kernel (setrlimit): it needs no root for them, and they hold everywhere.

Only output is limited by who reads it (`wire.py`). Two need an explanation:

Memory. RLIMIT_AS alone stops Node and Java, which reserve far more than they use. RLIMIT_DATA counts what can be
written, so honest programs meet that one; but memory made read-only again is not counted, so RLIMIT_AS, `reserve_mb`
higher, bounds what a hostile one can take. Both hold for each process; a jailed bot has one, unless `processes` says
more.

Processes. RLIMIT_NPROC counts threads too, and by user: exactly where the bot has a user id or a user namespace of its
own. Root is not counted, so at level `process` nothing holds a fork bomb of root's.
"""

import os
import resource
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

MB = 1 << 20
STACK = 8 * MB
Positive = Annotated[int, Meta(ge=1)]


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """What one bot may use up. With one process memory and processor time hold for the bot, with more for each."""

    memory_mb: Positive = 512
    cpu_seconds: Positive = 600  # of one process, which is made anew between matches long before
    output_mb: Positive = 16  # what it may write to standard output and standard error in one match
    start_seconds: Positive = 10  # to say hello; a virtual machine takes its time
    file_mb: Positive = 16  # the largest file, and in bubblewrap's jail all of /tmp
    open_files: Positive = 128
    processes: Positive = 1  # 1: threads only, and a jail refuses every fork
    threads: Positive = 64  # in all processes together; Java starts about 20, Node 11
    reserve_mb: Positive = 1536  # address space beyond memory_mb


def bounds(limits: Limits, tasks: int | None) -> Mapping[str, int]:
    """Values for setrlimit; `tasks` are processes and threads of its user, None where that is not limited here."""
    most = {
        "CPU": limits.cpu_seconds,
        "DATA": limits.memory_mb * MB,
        "AS": (limits.memory_mb + limits.reserve_mb) * MB,
        "STACK": STACK,
        "FSIZE": limits.file_mb * MB,
        "NOFILE": limits.open_files,
        "CORE": 1,  # 0 would still start the program that core_pattern may name; 1 does not (core(5))
        "MSGQUEUE": 0,
        "MEMLOCK": 0,
        "NICE": 0,
        "RTPRIO": 0,
    }
    return most if tasks is None else most | {"NPROC": tasks}


def limit(bounds: Mapping[str, int]) -> None:
    """Limit this process and all that it becomes or starts."""
    for name, value in bounds.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.getrlimit(kind)
        least = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (least, least))


def running(uid: int) -> int:
    """How many processes and threads a user has."""
    return sum(threads(process / "status", uid) for process in listed())


def threads(status: Path, uid: int) -> int:
    """The threads of one process; none if it is not `uid`'s or gone."""
    try:
        fields = dict(line.split(":", 1) for line in status.read_text("utf-8", "replace").splitlines() if ":" in line)
    except OSError:
        return 0
    return int(fields["Threads"]) if int(fields["Uid"].split()[0]) == uid else 0


def listed() -> list[Path]:
    """Every process."""
    return [Path(entry.path) for entry in os.scandir("/proc") if entry.name.isdigit()]
