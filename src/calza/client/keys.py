"""The keys of one's agents, in a file that nobody else may read: one for each server and name."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import Struct

from .errors import ClientError


class Key(Struct, frozen=True):
    """What is kept of an agent."""

    name: str
    id: str
    key: str


Kept = dict[str, list[Key]]  # by server


class Keys:
    """The file. It is replaced as a whole, so that whoever reads it finds the old one or the new one."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or usual_path()

    def find(self, server: str, name: str) -> Key | None:
        """The key of an agent; names are the same in any case."""
        return next((one for one in self._read().get(server, []) if same(one.name, name)), None)

    def check(self) -> None:
        """OSError or ClientError when a key could not be kept: before one is asked for that is told only once."""
        with self._alone():
            self._write(self._read())

    def keep(self, server: str, key: Key) -> None:
        """Keep a key, in place of the one that the agent had."""
        with self._alone():
            kept = self._read()
            others = [one for one in kept.get(server, []) if not same(one.name, key.name)]
            self._write(kept | {server: [*others, key]})

    def _read(self) -> Kept:
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=Kept)
        except FileNotFoundError:
            return {}
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise ClientError(
                f"{self.path} holds no keys that can be read ({error}); mend it or move it away"
            ) from None

    def _write(self, kept: Kept) -> None:
        text = msgspec.json.format(msgspec.json.encode(kept), indent=2) + b"\n"
        path = self.path.resolve()  # which may be a link to where somebody keeps such files
        new = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While nobody else changes the file."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(self.path.with_name(self.path.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def same(one: str, other: str) -> bool:
    """Whether two names are the same to an arena."""
    return one.lower() == other.lower()


def usual_path() -> Path:
    """Where keys are kept: ~/.config/calza/keys.json, or below $XDG_CONFIG_HOME."""
    return home("XDG_CONFIG_HOME", ".config") / "keys.json"


def home(variable: str, usual: str) -> Path:
    """Our folder in one that the user may have moved; a relative path there means nothing (XDG base directories)."""
    named = os.environ.get(variable, "")
    return (Path(named) if os.path.isabs(named) else Path.home() / usual) / "calza"
