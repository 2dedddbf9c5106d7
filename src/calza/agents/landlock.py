"""Landlock: a process gives up its own access to files, for itself and all that it starts; no privileges needed.

Where namespaces are blocked, this and seccomp are the jail. It holds less than bubblewrap, and cannot more:
- names, sizes and dates of files outside can be asked for one by one (stat), never their contents or a folder's list;
- there is no /tmp: a shared one would be a way from bot to bot, and Landlock cannot make another;
- process numbers are the host's, though none can be listed, and none can be signalled or changed;
- without root the bot has the host's user id, so its share of processes is counted together with that user's.
"""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable
from pathlib import Path

from .seccomp import libc

CREATE, ADD_RULE, RESTRICT = 444, 445, 446
VERSION, PATH_BENEATH = 1, 1

# Rights over files, by bit: include/uapi/linux/landlock.h
EXECUTE, WRITE_FILE, READ_FILE, READ_FOLDER, TRUNCATE = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
READ = EXECUTE | READ_FILE | READ_FOLDER
RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}  # how many of the bits each ABI knows; 16 from the fifth on
ALL_RIGHTS = 16
TCP = 0b11  # bind and connect, from ABI 4
SCOPED = 0b11  # abstract sockets and signals to processes outside, from ABI 6
SCOPES = 6  # the ABI that brought them


def abi() -> int:
    """The version of Landlock that this kernel has; 0 when it has none or does not run it."""
    return max(0, int(libc().syscall(CREATE, None, 0, VERSION)))


def restrict(abi: int, reads: Iterable[Path], writes: Iterable[Path]) -> None:
    """Leave this process, for ever, only reading and running below `reads`, and all below `writes`.

    Whoever calls has no privileges, or has set no_new_privs.
    """
    rights = (1 << RIGHTS.get(abi, ALL_RIGHTS)) - 1
    # An older kernel refuses a longer struct only if what it does not know is not 0.
    ruleset = called(CREATE, *packed(struct.pack("=QQQ", rights, TCP * (abi >= 4), SCOPED * (abi >= SCOPES))), 0)
    for path in reads:
        allow(ruleset, path, READ & rights)
    for path in writes:
        allow(ruleset, path, rights)
    called(RESTRICT, ruleset, 0)
    os.close(ruleset)


def allow(ruleset: int, path: Path, rights: int) -> None:
    """Add `rights` below `path`; a path that is not there needs none."""
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not stat.S_ISDIR(os.fstat(opened).st_mode):
        rights &= OF_A_FILE
    beneath = ctypes.create_string_buffer(struct.pack("=Qi", rights, opened), 12)
    called(ADD_RULE, ruleset, PATH_BENEATH, ctypes.addressof(beneath), 0)
    os.close(opened)


def packed(content: bytes) -> tuple[ctypes.Array[ctypes.c_char], int]:
    """A struct and its size, as system calls take them."""
    return ctypes.create_string_buffer(content, len(content)), len(content)


def called(number: int, *arguments: object) -> int:
    """A system call, with an exception where it fails."""
    words = [ctypes.c_ulong(word) if isinstance(word, int) else word for word in arguments]
    if (done := int(libc().syscall(ctypes.c_long(number), *words))) < 0:
        raise OSError(ctypes.get_errno(), f"Landlock's system call {number}")
    return done
