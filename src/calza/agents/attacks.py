"""What a hostile bot would try that succeeds at once or not at all.

A program for the inside of a jail: standard library only, and given as text (`-c`).

Arguments: a JSON object of targets, all made for this, and names of attacks. It prints for each a line of JSON: what
succeeded, or that the attack itself broke, which proves nothing. Of what was not set up for it an attack proves that it
could be had, says no word of it, and leaves it as it was: a jail may not hold.
"""

import ctypes
import errno
import json
import mmap
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

Targets = dict[str, Any]
libc = ctypes.CDLL(None, use_errno=True)
REFUSALS = (OSError, ValueError, AttributeError)  # ValueError: setrlimit; AttributeError: a call that Python lacks
MB = 1 << 20
arm = os.uname().machine == "aarch64"
space = ctypes.create_string_buffer(256)


def got(**attempts: Callable[[], object]) -> list[str]:
    """What succeeded of `attempts`, in words."""
    done = []
    for name, attempt in attempts.items():
        try:
            result = attempt()
        except REFUSALS:
            continue
        done.append(f"{name.replace('_', ' ')}: {str(result)[:60]}")
    return done


def is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


inherited = [fd for fd in range(3, 256) if is_open(fd)]


def called(result: int) -> int:
    """The result of a C function, or its error."""
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def system(on_intel: int, on_arm: int, *words: int) -> str:
    """A system call; any answer but a refusal means that the kernel let us in."""
    if libc.syscall(ctypes.c_long(on_arm if arm else on_intel), *map(ctypes.c_long, words)) >= 0:
        return "done"
    if ctypes.get_errno() in (errno.EPERM, errno.EACCES, errno.ENOSYS):
        raise OSError(ctypes.get_errno(), "refused")
    return errno.errorcode[ctypes.get_errno()]


def read(path: str) -> bytes:
    """For what the probe has made; of anything else see `readable`."""
    with open(path, "rb") as file:
        return file.read(60)


def readable(path: str) -> str:
    """Proves that `path` could be read, without reading it."""
    with open(path, "rb"):
        return path


def write(path: str) -> str:
    with open(path, "ab") as file:
        file.write(b"calza")
    return path


def opens(path: str) -> str:
    """Proves that `path` could be written, and leaves it as it is."""
    with open(path, "ab"):
        return path


def leaves(path: str) -> str:
    """Make a file, and take it away again."""
    write(path)
    os.unlink(path)
    return path


def shadow(t: Targets) -> list[str]:
    return got(**{name: lambda name=name: readable(f"/etc/{name}") for name in ("shadow", "gshadow", "passwd")})


def home(t: Targets) -> list[str]:
    def others() -> str:
        more = set(os.listdir(t["home"])) - set(t["shown"])
        if not more:
            raise OSError("nothing but what is shown")
        return f"{len(more)} names"

    return got(list=others)


def beside(t: Targets) -> list[str]:
    up = os.path.join(os.getcwd(), "..", "beside")
    return got(
        read=lambda: read(t["secret"]),
        read_by_dots=lambda: read(up + "/secret"),
        list=lambda: os.listdir(up),
        link=lambda: os.link(t["secret"], "linked"),
        root=lambda: read(f"/proc/{t['victim']}/root{t['secret']}"),
    )


def outside(t: Targets) -> list[str]:
    new = os.path.dirname(t["secret"]) + "/new"
    places = ["/", "/usr", "/usr/lib", "/etc", "/var/tmp", "/dev", "/dev/shm", "/run", t["home"], os.getcwd()]
    done = got(
        new=lambda: write(new),
        change=lambda: write(t["open"]),
        cut=lambda: os.truncate(t["open"], 0),
        rename=lambda: os.rename(t["open"], t["open"] + "2"),
        remove=lambda: os.unlink(t["open"]),
        folder=lambda: os.mkdir(new + "d"),
        mode=lambda: os.chmod(t["open"], 0o777),
        dates=lambda: os.utime(t["open"], (1, 1)),
        label=lambda: os.setxattr(t["open"], "user.calza", b"1"),
    )
    return done + got(**{place: lambda place=place: leaves(f"{place}/calza-attack") for place in places})


def interpreter(t: Targets) -> list[str]:
    library = os.path.dirname(os.__file__)
    real = os.path.realpath(sys.executable)
    return got(
        program=lambda: opens(real),
        library=lambda: opens(os.__file__),
        new=lambda: leaves(library + "/calza_attack.py"),
        beside=lambda: leaves(os.path.dirname(sys.executable) + "/calza-attack"),
        mode=lambda: os.chmod(real, os.stat(real).st_mode & 0o7777),
    )


def processes(t: Targets) -> list[str]:
    pid = t["victim"]

    def listed() -> str:
        seen = [name for name in os.listdir("/proc") if name.isdigit() and not own(name)]
        if not seen:
            raise OSError("only our own")
        return f"{len(seen)} processes"

    def own(name: str) -> bool:
        with open(f"/proc/{name}/cmdline", "rb") as file:
            words = file.read()
        return b"bwrap" in words or b"REFUSALS" in words

    return got(
        list=listed,
        exists=lambda: os.kill(pid, 0),
        kill=lambda: os.kill(pid, signal.SIGTERM),
        kill_group=lambda: os.killpg(pid, signal.SIGTERM),
        pidfd=lambda: signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGTERM),
        limits=lambda: resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1)),
        priority=lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
        group_priority=lambda: os.setpriority(os.PRIO_PGRP, pid, 18),
        processors=lambda: os.sched_setaffinity(pid, [0]),
        schedule=lambda: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0)),
    )


def environ(t: Targets) -> list[str]:
    """The canary is in the environment of the probe's victim; the host's own environment is not to be seen either."""
    mine = {"PATH", "HOME", "LANG", "PWD", "LC_CTYPE", "JAVA_TOOL_OPTIONS"}
    mine |= {"PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}

    def inherited() -> str:
        if not (more := set(os.environ) - mine):
            raise OSError("none")
        return f"{len(more)} names"

    def read_one(pid: int) -> str:
        text = read(f"/proc/{pid}/environ")  # in a namespace of its own the number may be one of the jail's
        if b"CANARY" not in text and text.hex() != t["environ"]:
            raise OSError("nothing of the host")
        return "readable"

    pids = {"victim": t["victim"], "host": t["host"], "parent": os.getppid(), "first": 1}
    return got(inherited=inherited, **{name: lambda pid=pid: read_one(pid) for name, pid in pids.items()})


def network(t: Targets) -> list[str]:
    def reach(family: int, kind: int, address: tuple[str, int]) -> int:
        with socket.socket(family, kind) as tried:
            tried.settimeout(1)
            tried.connect(address)
            return tried.send(b"calza")

    def opened(family: int, kind: int) -> None:
        socket.socket(family, kind).close()

    tcp, udp = ("127.0.0.1", t["tcp"]), ("127.0.0.1", t["udp"])
    return got(
        tcp=lambda: reach(socket.AF_INET, socket.SOCK_STREAM, tcp),
        udp=lambda: reach(socket.AF_INET, socket.SOCK_DGRAM, udp),
        listen=lambda: socket.create_server(("127.0.0.1", 0)).getsockname(),
        netlink=lambda: opened(socket.AF_NETLINK, socket.SOCK_RAW),
        packet=lambda: opened(socket.AF_PACKET, socket.SOCK_RAW),
        vsock=lambda: opened(40, socket.SOCK_STREAM),
        kernel_crypto=lambda: opened(38, socket.SOCK_SEQPACKET),
    )


def sockets(t: Targets) -> list[str]:
    def reach(address: str) -> str:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as tried:
            tried.connect(address)
            return address

    def by_pair() -> int:
        ours, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        return ours.sendto(b"calza", "\0" + t["datagrams"])

    def descriptors() -> list[int]:
        if not inherited:
            raise OSError("none")
        return inherited

    return got(
        abstract=lambda: reach("\0" + t["abstract"]),
        file=lambda: reach(t["socket"]),
        datagram_pair=by_pair,
        inherited=descriptors,
    )


def trace(t: Targets) -> list[str]:
    pid = ctypes.c_long(t["victim"])
    return got(
        attach=lambda: called(libc.ptrace(16, pid, None, None)),
        seize=lambda: called(libc.ptrace(0x4206, pid, None, None)),
        traceme=lambda: called(libc.ptrace(0, 0, None, None)),
        memory=lambda: read(f"/proc/{t['victim']}/mem"),
        read=lambda: system(310, 270, t["victim"], 0, 0, 0, 0, 0),
    )


def mounting(t: Targets) -> list[str]:
    def mounted() -> int:
        here = os.fsencode(os.getcwd())
        called(libc.mount(b"none", here, b"tmpfs", 0, None))
        return called(libc.umount2(here, 2))

    return got(
        mount=mounted,
        user_namespace=lambda: called(libc.unshare(0x10000000)),
        mount_namespace=lambda: called(libc.unshare(0x20000)),
        chroot=lambda: os.chroot("/tmp"),
        fsopen=lambda: system(430, 430, 0, 0),
    )


def setuid(t: Targets) -> list[str]:
    def privileges() -> str:
        if libc.prctl(39, 0, 0, 0, 0) == 1:  # PR_GET_NO_NEW_PRIVS
            raise OSError("held")
        return "may gain new ones"

    def capable() -> list[int]:
        header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
        called(libc.capget(header, data))
        if not any(data):
            raise OSError("none")
        return list(data)

    def root() -> None:
        if os.getuid() != 0:
            raise OSError("nobody")

    return got(
        is_root=root,
        become=lambda: os.setuid(0),
        all_ids=lambda: os.setresuid(0, 0, 0),
        group=lambda: os.setgid(0),
        groups=lambda: os.setgroups([0]),
        privileges=privileges,
        capabilities=capable,
        own=lambda: os.chown(t["open"], 0, 0),
    )


def kernel(t: Targets) -> list[str]:
    room = ctypes.addressof(space)
    return got(
        io_uring=lambda: system(425, 425, 8, room),
        bpf=lambda: system(321, 280, 0, 0, 0),
        keyring=lambda: system(250, 219, 0, -3, 1),
        faults=lambda: system(323, 282, 1),
        events=lambda: system(298, 241, room, 0, -1, -1, 0),
        by_handle=lambda: system(304, 265, -100, 0, 0),
        log=lambda: called(libc.klogctl(10, None, 0)),
        host_name=lambda: socket.sethostname(socket.gethostname()),
        leave=lambda: os.setsid(),
    )


def shared(t: Targets) -> list[str]:
    """Memory that no limit counts, or that two bots could meet in."""
    return got(
        anonymous=lambda: mmap.mmap(-1, MB),
        zero=lambda: mmap.mmap(os.open("/dev/zero", os.O_RDWR), MB),
        memfd=lambda: os.memfd_create("calza"),
        growing=lambda: mmap.mmap(-1, MB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100),
        system_v=lambda: called(libc.shmctl(called(libc.shmget(0, MB, 0o1600)), 0, None)),  # 0: private; removed again
        messages=lambda: called(libc.msgctl(called(libc.msgget(0, 0o1600)), 0, None)),
        posix=lambda: leaves("/dev/shm/calza"),
    )


def limits(t: Targets) -> list[str]:
    def raised(kind: int) -> str:
        _, hard = resource.getrlimit(kind)
        if hard == resource.RLIM_INFINITY:
            return "no limit"
        resource.setrlimit(kind, (hard + 1, hard + 1))
        return f"{hard} + 1"

    kinds = "CPU DATA AS FSIZE NOFILE NPROC CORE STACK".split()
    return got(**{kind: lambda kind=kind: raised(getattr(resource, "RLIMIT_" + kind)) for kind in kinds})


def main() -> None:
    targets = json.loads(sys.argv[1])
    for name in sys.argv[2:]:
        try:
            line = {"attack": name, "got": globals()[name](targets)}
        except Exception as error:
            line = {"attack": name, "broken": repr(error)}
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
