"""Files that are written whole or not at all; a record never over another."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from errno import ENOTDIR
from itertools import count
from pathlib import Path

from calza.matches import write_record
from calza.rules import Record


def match_folder() -> Path:
    """Where records are kept unless somebody says otherwise."""
    base = os.environ.get("XDG_DATA_HOME", "")
    # The XDG specification has relative paths ignored.
    return (Path(base) if os.path.isabs(base) else Path.home() / ".local" / "share") / "calza" / "matches"


def save(record: Record, folder: Path) -> Path:
    """Write `record` into `folder`, which is made if need be; returns the file. OSError leaves nothing behind."""
    make(folder)
    with partly(folder / record.id, write_record(record)) as part:
        path = next(path for path in names(record, folder) if not path.exists())
        part.rename(path)
    remember(folder)
    return path


def put(path: Path, content: bytes) -> None:
    """Write a file in place of what is there, which stays when that fails; a device or a pipe is written as it is."""
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
        else:
            with partly(path.resolve(), content) as part:
                part.rename(path.resolve())
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None  # a full disk does not say which file


@contextmanager
def partly(path: Path, content: bytes) -> Iterator[Path]:
    """The content on the disk beside `path`, to be renamed; gone when anything fails."""
    part = path.with_name(f".{path.name}-{os.getpid()}.part")
    try:
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield part
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def make(folder: Path) -> None:
    """Make a folder unless it is there."""
    if folder.exists() and not folder.is_dir():  # mkdir would say that it exists, which tells nobody what is wrong
        raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR), str(folder))
    folder.mkdir(parents=True, exist_ok=True)


def names(record: Record, folder: Path) -> Iterator[Path]:
    """Names for the file: the same dice may be played twice in a second."""
    started = datetime.fromisoformat(record.started).astimezone(UTC)
    stem = f"{started:%Y-%m-%d-%H%M%S}-{record.id}"
    yield folder / f"{stem}.json"
    yield from (folder / f"{stem}-{again}.json" for again in count(2))


def remember(folder: Path) -> None:
    """Have the folder's own entry on the disk as well: a renamed file is lost with it."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
