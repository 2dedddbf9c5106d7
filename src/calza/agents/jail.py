"""A bot that reaches nothing but its own folder: by bubblewrap, or by Landlock where namespaces are blocked.

Both run it without privileges, under the same list of denied system calls (`seccomp.py`) and the same limits
(`launch.py`), and for root as a user id of its own, drawn for each start, that owns nothing on this machine. What
differs is in `landlock.py`. Whether a mechanism holds here is not believed but tried: `probe.py`.
"""

import os
import secrets
import shutil
import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path

from . import landlock, needs, seccomp
from .launch import FILTER, JailError, Launch, die_with, environment
from .limits import MB, Limits, bounds, limit, running


class Mechanism(StrEnum):
    """What holds a jail, the better first."""

    BUBBLEWRAP = "bwrap"
    LANDLOCK = "landlock"


# Above every range that systemd, containers or people use (systemd.io/UIDS-GIDS).
STRANGERS = range(0x70000000, 0x7FFFFFFE)
COUNTED_APART = (5, 14)  # the Linux that counts a user's processes for each user namespace
OWN = 3  # processes of bubblewrap's own
STANDARD = ["stdin", "stdout", "stderr"]


def jailed(
    argv: Sequence[str], folder: Path, limits: Limits, mechanism: Mechanism, reads: Sequence[Path] = ()
) -> Launch:
    """`argv` in a jail, by `mechanism`, which must be there."""
    folder = folder.resolve()
    if needs.home().is_relative_to(folder):
        raise JailError(f"{folder} is no folder for a jail, as all in it could be read; give the bot one of its own")
    program = needs.program(argv[0], folder)
    shown = [*needs.needed(program), *[path.resolve() for path in reads]]
    env = environment([str(program.parent), *needs.PATH], folder, limits)
    words = (str(program), *argv[1:])
    stranger = own_user() if os.geteuid() == 0 else None
    if mechanism is Mechanism.LANDLOCK:
        if stranger:
            check(needs.unreachable, [folder, *shown])
        prepare = behind_landlock(limits, [*shown, folder], stranger, landlock.abi())
        return Launch(words, env, folder, prepare, mechanism, limits)
    if stranger:
        check(needs.unreadable, [folder, *shown])  # bubblewrap makes the ways there anew
    walls = [*namespaces(stranger), *mounts(folder, shown, limits), "--chdir", str(folder), "--"]
    inside = as_stranger(stranger) if stranger else counted(limits)
    filter = seccomp.program(seccomp.in_jail(limits.processes > 1))
    return Launch(
        (*walls, *inside, *words), env, folder, behind_bubblewrap(limits, stranger), mechanism, limits, filter
    )


def own_user() -> int:
    """A user id that nobody has, for one start: two bots of one id could signal each other."""
    lines = Path("/proc/self/uid_map").read_text().splitlines()
    first, _, count = max(([int(word) for word in line.split()] for line in lines), key=lambda line: line[2])
    if first + count > STRANGERS.stop:
        return STRANGERS.start + secrets.randbelow(len(STRANGERS))
    if count < 2:
        raise JailError("root has no other user id in this container")
    return first + count - 1 - secrets.randbelow(min(count - 1, 4096))


def check(closed: Callable[[Path], Path | None], paths: Sequence[Path]) -> None:
    """Raise if the jail's own user could not read one of `paths`."""
    for path in paths:
        if step := closed(path):
            way = "" if step == path else " (bubblewrap's jail would not need that)"
            raise JailError(f"{path}: root's jail is a stranger's, who may not read {step}{way}; try chmod o+rX {step}")


# --- bubblewrap


def namespaces(stranger: int | None) -> list[str]:
    """bwrap, and all that the bot has for itself. Root needs no user namespace, and must not: `--uid` would only
    rename it, and it would stay root to the host."""
    bwrap = shutil.which("bwrap") or "bwrap"
    apart = "--die-with-parent --unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try".split()
    if stranger is None:
        return [bwrap, *apart, "--unshare-user", "--hostname", "bot", "--seccomp", FILTER]
    drop = "--cap-drop ALL --cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP".split()
    return [bwrap, *apart, *drop, "--hostname", "bot", "--seccomp", FILTER]


def mounts(folder: Path, shown: Sequence[Path], limits: Limits) -> list[str]:
    """What the bot sees of files: all of it read-only but /tmp, which is its own and small."""
    words = ["--perms", "1777", "--size", str(limits.file_mb * MB), "--tmpfs", "/tmp", "--proc", "/proc"]
    there = [path for path in needs.SYSTEM if path.exists()]
    links = {path: path.readlink() for path in there if path.is_symlink()}
    linked = links | {Path("/dev/fd"): Path("/proc/self/fd")}
    linked |= {Path("/dev", name): Path(f"/proc/self/fd/{fd}") for fd, name in enumerate(STANDARD)}
    bound = [*[path for path in there if path not in links], *needs.settings(), *shown]
    words += ways([*bound, *linked, folder])
    words += [word for path in bound for word in ("--ro-bind", str(path), str(path))]
    # Not `--dev`, whose folder its owner could fill and whose /dev/zero is memory that no limit counts.
    words += [word for path in needs.DEVICES for word in ("--dev-bind-try", str(path), str(path))]
    words += [word for path, to in linked.items() for word in ("--symlink", str(to), str(path))]
    return [*words, "--ro-bind", str(folder), str(folder), "--remount-ro", "/"]


def ways(paths: Sequence[Path]) -> list[str]:
    """Make the folders above `paths`: bwrap would make them too, some for root's eyes only."""
    above = dict.fromkeys(step for path in paths for step in reversed(path.parents))
    made = [step for step in above if step not in (Path("/"), Path("/tmp"), Path("/proc"))]
    return [word for step in made for word in ("--perms", "0755", "--dir", str(step))]


def as_stranger(uid: int) -> list[str]:
    """Drop root for good, inside."""
    words = f"--reuid {uid} --regid {uid} --clear-groups --no-new-privs --inh-caps -all --bounding-set -all"
    return [shutil.which("setpriv") or "setpriv", *words.split(), "--"]


def counted(limits: Limits) -> list[str]:
    """Limit processes inside the user namespace, where only the bot's are counted."""
    if not counts_apart():
        return []
    tasks = limits.processes + limits.threads + OWN
    return [shutil.which("prlimit") or "prlimit", f"--nproc={tasks}:{tasks}", "--"]


def counts_apart() -> bool:
    """Whether this Linux counts a user namespace's processes by themselves."""
    major, minor = (int("".join(filter(str.isdigit, part))) for part in os.uname().release.split(".")[:2])
    return (major, minor) >= COUNTED_APART


def behind_bubblewrap(limits: Limits, stranger: int | None) -> Callable[[], None]:
    """Limits for bwrap and what it starts. Root is not counted; what setpriv makes of it is."""
    tasks = limits.processes + limits.threads
    if stranger is None:
        most = bounds(limits, None if counts_apart() else running(os.getuid()) + tasks + OWN)
    else:
        most = bounds(limits, tasks)
    return lambda: limit(most)


# --- Landlock


def behind_landlock(limits: Limits, shown: Sequence[Path], stranger: int | None, abi: int) -> Callable[[], None]:
    """What the child does to itself before it becomes the bot; all that can be made ready before is."""
    parent = os.getpid()
    tasks = limits.processes + limits.threads + (0 if stranger else running(os.getuid()))
    most = bounds(limits, tasks)
    reads = [*needs.SYSTEM, *needs.settings(), *shown]
    rules = seccomp.in_jail(limits.processes > 1)

    def prepare() -> None:
        if stranger:
            os.setgroups([])
            os.setresgid(stranger, stranger, stranger)
            os.setresuid(stranger, stranger, stranger)
        limit(most)
        die_with(parent)
        seccomp.control(seccomp.NO_NEW_PRIVILEGES, 1)
        landlock.restrict(abi, reads, needs.DEVICES)
        seccomp.install(seccomp.program([*rules, *seccomp.among_strangers(abi < landlock.SCOPES)]))

    return prepare


# --- what is missing

# What no attack of the probe's can show to be held, because it is not.
CANNOT = {
    Mechanism.BUBBLEWRAP: [
        "hide what /proc tells about the machine: its kernel, processors, memory and load",
        "limit the memory of all bots together: run the host under a cgroup (systemd: MemoryMax, TasksMax)",
    ],
    Mechanism.LANDLOCK: [
        "hide that a file is there, its size and its dates (stat); its contents are held",
        "hide process numbers; listing and signalling are held",
        "give a /tmp: a bot writes nowhere",
        "limit the memory of all bots together: run the host under a cgroup (systemd: MemoryMax, TasksMax)",
    ],
}


def lacking(mechanism: Mechanism) -> str | None:
    """Why `mechanism` cannot even be tried on this machine; None if it can."""
    if sys.platform != "linux":
        return "jails need Linux"
    if why := seccomp.lacking():
        return why
    if mechanism is Mechanism.LANDLOCK:
        return (
            None if landlock.abi() else "the kernel has no Landlock, or does not run it (Linux 5.13 and lsm=landlock)"
        )
    tools = ["bwrap", "setpriv" if os.geteuid() == 0 else "prlimit"]
    missing = [tool for tool in tools if not shutil.which(tool)]
    packages = {"bwrap": "bubblewrap"}
    if missing:
        return f"{missing[0]} is not installed (apt-get install {packages.get(missing[0], 'util-linux')})"
    return None
