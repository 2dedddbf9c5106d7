"""System calls that a bot may not make, as a filter for the kernel (seccomp BPF), written here without a compiler.

A list of what is denied and not of what is allowed, because bots come in any language. It is the second wall: what it
denies is mostly what the first wall, namespaces or Landlock, has been broken with, or what that wall does not cover:
- new namespaces and mounts, tracing, keyrings, io_uring (it does what this filter denies), kernel-wide settings;
- sockets of every family, so there is no network even where there is no network namespace;
- memory that no limit counts: shared memory without a file, System V memory, memfd, stacks that grow;
- leaving one's process group, so that killing the group leaves nobody behind;
- calls newer than this list.
"""

import ctypes
import os
import platform
import struct
from collections.abc import Iterator, Sequence
from errno import EACCES, ENOMEM, ENOSYS, EPERM
from functools import cache

from msgspec import Struct

ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
LOAD, AND, JUMP_EQUAL, JUMP_MORE, JUMP_BITS, RETURN = 0x20, 0x54, 0x15, 0x25, 0x45, 0x06
NUMBER, ARCH, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
LAST = 462  # mseal; what came later is unknown here
X32 = 0x40000000 - 1  # above it are the calls of x32, which no bot needs and old holes came through

# The audit number of the machine, and the position of its numbers in CALLS.
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}

# Numbers on x86_64 and aarch64; -1 where a machine does not have the call. From 424 on they are the same everywhere.
CALLS: dict[str, tuple[int, int]] = {
    "acct": (163, 89), "add_key": (248, 217), "adjtimex": (159, 171), "bpf": (321, 280), "chmod": (90, -1),
    "chown": (92, -1), "chroot": (161, 51), "clock_adjtime": (305, 266), "clock_settime": (227, 112),
    "clone": (56, 220), "clone3": (435, 435), "delete_module": (176, 106), "fanotify_init": (300, 262),
    "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "fchown": (93, 55), "fchownat": (260, 54),
    "finit_module": (313, 273), "fork": (57, -1), "fremovexattr": (199, 16), "fsconfig": (431, 431),
    "fsetxattr": (190, 7), "fsmount": (432, 432), "fsopen": (430, 430), "fspick": (433, 433), "futimesat": (261, -1),
    "init_module": (175, 105), "inotify_add_watch": (254, 27), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "io_uring_setup": (425, 425), "ioctl": (16, 29), "ioperm": (173, -1),
    "iopl": (172, -1), "ioprio_set": (251, 30), "kcmp": (312, 272), "kexec_file_load": (320, 294),
    "kexec_load": (246, 104), "keyctl": (250, 219), "kill": (62, 129), "lchown": (94, -1), "lremovexattr": (198, 15),
    "lsetxattr": (189, 6), "memfd_create": (319, 279), "memfd_secret": (447, 447), "migrate_pages": (256, 238),
    "mmap": (9, 222), "modify_ldt": (154, -1), "mount": (165, 40), "mount_setattr": (442, 442),
    "move_mount": (429, 429), "move_pages": (279, 239), "mq_open": (240, 180), "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "open_tree": (428, 428), "perf_event_open": (298, 241), "personality": (135, 92),
    "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424), "pivot_root": (155, 41), "prlimit64": (302, 261),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "ptrace": (101, 117), "quotactl": (179, 60), "quotactl_fd": (443, 443),
    "reboot": (169, 142), "removexattr": (197, 14), "request_key": (249, 218), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "sched_setaffinity": (203, 122), "sched_setattr": (314, 274),
    "sched_setparam": (142, 118), "sched_setscheduler": (144, 119), "semget": (64, 190), "setdomainname": (171, 162),
    "sethostname": (170, 161), "setns": (308, 268), "setpgid": (109, 154), "setpriority": (141, 140),
    "setsid": (112, 157), "settimeofday": (164, 170), "setxattr": (188, 5), "shmget": (29, 194), "socket": (41, 198),
    "socketpair": (53, 199), "swapoff": (168, 225), "swapon": (167, 224), "syslog": (103, 116), "tgkill": (234, 131),
    "tkill": (200, 130), "truncate": (76, 45), "umount2": (166, 39), "unshare": (272, 97), "userfaultfd": (323, 282),
    "utime": (132, -1), "utimensat": (280, 88), "utimes": (235, -1), "vfork": (58, -1), "vhangup": (153, 58),
}  # fmt: skip

NEVER = (
    "acct add_key adjtimex bpf chroot clock_adjtime clock_settime delete_module fanotify_init finit_module fsconfig "
    "fsmount fsopen fspick init_module ioperm iopl kcmp kexec_file_load kexec_load keyctl memfd_secret migrate_pages "
    "modify_ldt mount mount_setattr move_mount move_pages mq_open msgget name_to_handle_at open_by_handle_at open_tree "
    "perf_event_open personality pidfd_getfd pivot_root process_madvise process_mrelease process_vm_readv "
    "process_vm_writev ptrace quotactl quotactl_fd reboot request_key semget setdomainname sethostname setns "
    "settimeofday shmget swapoff swapon syslog umount2 unshare userfaultfd vhangup"
).split()
# With ENOSYS, for which programs have a way out.
ABSENT = "clone3 io_uring_setup io_uring_enter io_uring_register memfd_create".split()
GROUP = ["setsid", "setpgid"]
# Landlock does not cover what a file is called and may be done with: that would reach every file of the same user.
FILES = (
    "chmod chown fchmod fchmodat fchmodat2 fchown fchownat fremovexattr fsetxattr futimesat inotify_add_watch lchown "
    "lremovexattr lsetxattr removexattr setxattr truncate utime utimensat utimes"
).split()

NAMESPACES = 0x7E020000 | 0x80  # every CLONE_NEW...
THREAD = 0x10000
SHARED_NOWHERE, GROWS_DOWN, HUGE = 0x21, 0x100, 0x40000
UNIX, DATAGRAM = 1, 2
TYPES_IN_TERMINAL, CONSOLE = 0x5412, 0x541C  # TIOCSTI, TIOCLINUX


class Rule(Struct, frozen=True):
    """Deny `call` with `error`; where `mask` is not 0 only if the masked argument is (or is not) `value`."""

    call: str
    error: int = EPERM
    argument: int = 0
    mask: int = 0
    value: int = 0
    unless: bool = False


def in_jail(children: bool) -> list[Rule]:
    """What is denied in every jail; without `children` a bot has threads, and no other process."""
    return [
        *[Rule(call) for call in NEVER + GROUP],
        *[Rule(call, ENOSYS) for call in ABSENT],
        *[Rule("clone", mask=1 << bit, value=1 << bit) for bit in range(32) if NAMESPACES >> bit & 1],
        *([] if children else [Rule("fork"), Rule("vfork"), Rule("clone", mask=THREAD, value=0)]),
        Rule("socket", EACCES),
        # A pair is a pipe, unless it is of datagrams: those may be sent to any address.
        Rule("socketpair", EACCES, 0, ~0, UNIX, unless=True),
        Rule("socketpair", EACCES, 1, 0xF, DATAGRAM),
        Rule("mmap", ENOMEM, 3, SHARED_NOWHERE, SHARED_NOWHERE),
        Rule("mmap", ENOMEM, 3, GROWS_DOWN, GROWS_DOWN),
        Rule("mmap", ENOMEM, 3, HUGE, HUGE),
        Rule("ioctl", EPERM, 1, ~0, TYPES_IN_TERMINAL),
        Rule("ioctl", EPERM, 1, ~0, CONSOLE),
    ]


def among_strangers(signals: bool) -> list[Rule]:
    """What is denied besides where the host's processes can be named; `signals` if nothing else holds those."""
    own = [
        *[Rule(call, EPERM, 0, ~0, 0, unless=True) for call in "prlimit64 sched_setaffinity sched_setattr".split()],
        *[Rule(call, EPERM, 0, ~0, 0, unless=True) for call in "sched_setparam sched_setscheduler".split()],
        *[Rule("setpriority", EPERM, argument, ~0, 0, unless=True) for argument in (0, 1)],
        Rule("ioprio_set"),
    ]
    return own + [Rule(call) for call in FILES] + (signals_to_itself() if signals else [])


def signals_to_itself() -> list[Rule]:
    """Only the process that installs the filter may be signalled, and by itself: so made after the fork."""
    own = [Rule(call, EPERM, 0, ~0, os.getpid(), unless=True) for call in "kill tgkill rt_sigqueueinfo".split()]
    return own + [Rule(call) for call in "tkill rt_tgsigqueueinfo pidfd_send_signal".split()]


def in_its_group() -> list[Rule]:
    """All that is denied to a bot that is only a process: to leave the group that is killed with it."""
    return [Rule(call) for call in GROUP]


def program(rules: Sequence[Rule]) -> bytes:
    """The filter that denies what `rules` say, for this machine."""
    audit, column = MACHINES[platform.machine()]
    return b"".join([*preamble(audit), *denials(rules, column), step(RETURN, ALLOW)])


def preamble(audit: int) -> Iterator[bytes]:
    """Calls in another machine's numbers would be misread; those of tomorrow are not known."""
    yield step(LOAD, ARCH)
    yield step(JUMP_EQUAL, audit, 1, 0)
    yield step(RETURN, KILL)
    yield step(LOAD, NUMBER)
    yield step(JUMP_MORE, X32, 1, 0)
    yield step(JUMP_MORE, LAST, 0, 1)
    yield step(RETURN, ERROR | ENOSYS)


def denials(rules: Sequence[Rule], column: int) -> Iterator[bytes]:
    """Steps for each rule whose call this machine has."""
    for rule in rules:
        number = CALLS[rule.call][column]
        if number >= 0:
            yield from denial(rule, number)


def denial(rule: Rule, number: int) -> Iterator[bytes]:
    """The steps of one rule; they leave the call's number loaded for the next."""
    if not rule.mask:
        yield step(JUMP_EQUAL, number, 0, 1)
        yield step(RETURN, ERROR | rule.error)
        return
    yield step(JUMP_EQUAL, number, 0, 5)
    # The low half: what is compared are the kernel's ints and flags that fit in it.
    yield step(LOAD, ARGUMENTS + 8 * rule.argument)
    yield step(AND, rule.mask & 0xFFFFFFFF)
    yield step(JUMP_EQUAL, rule.value, *((1, 0) if rule.unless else (0, 1)))
    yield step(RETURN, ERROR | rule.error)
    yield step(LOAD, NUMBER)


def step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """One instruction: struct sock_filter."""
    return struct.pack("=HBBI", code, then, otherwise, value)


class Fprog(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]


@cache
def libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def install(filter: bytes) -> None:
    """Put this process, and all it becomes or starts, under `filter` and without new privileges, for ever."""
    control(NO_NEW_PRIVILEGES, 1)
    fprog = Fprog(len(filter) // 8, filter)
    control(SET_SECCOMP, 2, ctypes.addressof(fprog))


NO_NEW_PRIVILEGES, SET_SECCOMP, GET_SECCOMP, DIE_WITH_PARENT = 38, 22, 21, 1


def control(option: int, *values: int) -> int:
    """prctl, with an exception where it fails."""
    padded = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    if (done := int(libc().prctl(option, *padded))) < 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")
    return done


def lacking() -> str | None:
    """Why there are no filters here; None if there are."""
    if platform.machine() not in MACHINES:
        return f"there is no list of system calls for {platform.machine()} processors"
    try:
        control(GET_SECCOMP)
    except OSError:
        return "the kernel has no seccomp"
    return None
