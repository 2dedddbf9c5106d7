"""Records as files: written whole or not at all, and never over another."""

import os
from collections.abc import Iterator
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
    part = folder / f".{record.id}-{os.getpid()}.part"
    try:
        with part.open("xb") as file:
            file.write(write_record(record))
            file.flush()
            os.fsync(file.fileno())
        path = next(path for path in names(record, folder) if not path.exists())
        part.rename(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    remember(folder)
    return path


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
