"""What a hostile bot would use up: processes, threads, memory, the disk, the processor.

A program for the inside of a jail like `attacks.py`; bounded in number and time, for a jail may not hold. Its argument
is the name of one attack, because a process may not survive two. It prints how much it got, which the probe judges.
"""

import ctypes
import json
import os
import signal
import sys
import threading
import time
from contextlib import suppress

MB = 1 << 20
MANY = 200  # processes, threads
HOARD = 512  # MB
PLACES = "/tmp /dev/shm /dev /var/tmp /run /".split()


def forks() -> int:
    """How many children can be had at once."""
    count, (ours, theirs) = 0, os.pipe()
    for _ in range(MANY):
        try:
            child = os.fork()
        except OSError:
            break
        if not child:
            os.close(theirs)
            os.read(ours, 1)  # until the first one ends
            os._exit(0)
        count += 1
    return count


def crowd() -> int:
    """How many threads can be had at once."""
    threading.stack_size(64 * 1024)
    until, count = threading.Event(), 0
    for _ in range(MANY):
        try:
            threading.Thread(target=until.wait, args=(20,), daemon=True).start()
        except (RuntimeError, MemoryError):
            break
        count += 1
    until.set()
    return count


def memory() -> int:
    """MB that could be written to."""
    hoard: list[bytearray] = []
    with suppress(MemoryError):
        while len(hoard) < HOARD // 8:
            hoard.append(bytearray(8 * MB))
    taken = len(hoard) * 8
    hoard.clear()
    return taken


def reuse() -> int:
    """MB that could be written to and kept, made read-only to look like none."""
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    taken = 0
    while taken < HOARD:
        area = libc.mmap(None, 8 * MB, 3, 0x22, -1, 0)
        if area in (None, ctypes.c_void_p(-1).value):
            break
        ctypes.memset(area, 1, 8 * MB)
        libc.mprotect(area, 8 * MB, 1)
        taken += 8
    return taken


def cpu() -> int:
    """Seconds survived; the probe sees how it ends."""
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    until = time.monotonic() + 6
    while time.monotonic() < until:
        pass
    return 6


def files() -> int:
    """MB written wherever anything can be."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    paths = [f"{place}/calza-flood-{os.getpid()}-{number}" for place in [os.getcwd(), *PLACES] for number in range(4)]
    try:
        return sum(filled(path, 6) for path in paths)
    finally:
        for path in filter(os.path.exists, paths):
            os.unlink(path)


def filled(path: str, most: int) -> int:
    """MB written to one file."""
    done = 0
    with suppress(OSError), open(path, "wb", buffering=0) as file:
        while done < most and file.write(bytes(MB)) == MB:
            done += 1
    return done


def core() -> None:
    """Crash, for the memory to be written somewhere."""
    ctypes.string_at(0)


def remain() -> None:
    """Leave somebody behind: out of the session, orphaned, deaf, and holding our output open."""
    left = 0
    for _ in range(3):
        with suppress(OSError):
            if not os.fork():
                linger()
            left += 1
    print(left, flush=True)
    time.sleep(30)


def linger() -> None:
    """Be the one who is left."""
    for name in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(name, signal.SIG_IGN)
    with suppress(OSError):
        os.setsid()
    with suppress(OSError):
        if os.fork():
            os._exit(0)
    time.sleep(30)
    os._exit(0)


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]]()), flush=True)
