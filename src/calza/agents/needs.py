"""What a program needs to read besides its own folder: the system's libraries and the interpreter that runs it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from .launch import JailError, searched


class NoProgram(JailError):
    """There is nothing to start."""


SYSTEM = [Path(path) for path in "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix/store".split()]
# Of /etc what libraries and interpreters look up: no users, no hosts, no keys.
SETTINGS = [
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "alternatives",
    "localtime",
    "ssl/openssl.cnf",
    "java*",
    "python3*",
]
DEVICES = [Path("/dev", name) for name in "null full random urandom".split()]  # no /dev/zero: mapped, it is free memory
PATH = ["/usr/local/bin", "/usr/bin", "/bin"]

# An installation is known by one of these, and only its parts are shown: `~/.local` is one, and has more in it.
SIGNS = ["pyvenv.cfg", "lib/python3*", "lib/node_modules", "release"]
PARTS = ["bin", "lib", "lib64", "libexec", "conf", "pyvenv.cfg", "release"]


def program(name: str, folder: Path) -> Path:
    """The file that `name` starts: a path, seen from `folder`, or a command of the host's."""
    path = os.pathsep.join(searched())
    found = shutil.which(folder / name) if os.sep in name else shutil.which(name, path=path)
    if found is None:
        raise NoProgram(f"there is no program {name} to start")
    return Path(os.path.abspath(found))


def needed(program: Path) -> list[Path]:
    """All that `program` needs outside the system's own folders."""
    files = [*chain(program), *[link for shown in interpreters(program) for link in chain(shown)]]
    parts = dict.fromkeys(part for file in files for part in installed(file))
    shown = [*SYSTEM, *settings()]
    return [part for part in parts if not any(part.is_relative_to(path) for path in shown)]


def chain(program: Path) -> Iterator[Path]:
    """Every name on the way to the real file: each must be there for the next to be found."""
    for _ in range(40):  # as many links as the kernel follows
        yield program
        if not program.is_symlink():
            break
        program = Path(os.path.normpath(program.parent / program.readlink()))
    yield program.resolve()


def interpreters(program: Path) -> Iterator[Path]:
    """What a script names in its first line, and what a virtual environment was made from."""
    with program.open("rb") as file:
        first = file.readline(200)
    if first.startswith(b"#!") and (words := first[2:].split()):
        yield Path(os.fsdecode(words[0]))
    settings = program.parent.parent / "pyvenv.cfg"
    if settings.is_file():
        for line in settings.read_text().splitlines():
            name, _, value = line.partition("=")
            if name.strip() == "home":
                yield Path(value.strip(), "python3")


def installed(program: Path) -> list[Path]:
    """The parts of the installation that a program belongs to, or the program alone."""
    root = program.parent.parent
    if program.parent.name != "bin" or not any(any(root.glob(sign)) for sign in SIGNS):
        return [program]
    return [root / part for part in PARTS if (root / part).exists()]


def settings() -> list[Path]:
    """The files of /etc that are shown."""
    return [path for pattern in SETTINGS for path in sorted(Path("/etc").glob(pattern))]


def home() -> Path:
    """The user's home; `/` for a user who has none."""
    try:
        return Path.home().resolve()
    except (RuntimeError, OSError):
        return Path("/")


def unreachable(path: Path) -> Path | None:
    """The first step on the way to `path` that a user with no rights of its own cannot take."""
    closed = [step for step in reversed(path.parents) if not step.stat().st_mode & 0o001]
    return closed[0] if closed else unreadable(path)


def unreadable(path: Path) -> Path | None:
    """`path`, if a user with no rights of its own cannot read it."""
    least = 0o005 if path.is_dir() else 0o004
    return None if path.stat().st_mode & least == least else path
