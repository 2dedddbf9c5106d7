"""Records that somebody names on a command line: a file, or `-` for standard input.

What is no record at all is another mistake than a record that is false: it is a CalzaError, not a RecordError.
"""

import sys

from calza.matches import read_record
from calza.matches.record import LARGEST
from calza.rules import CalzaError, Record, RecordError


def record_in(path: str) -> Record:
    """The record in a file; OSError when there is no file, CalzaError when no record is in it."""
    try:
        return read_record(content(path))
    except RecordError as error:
        raise CalzaError(f"{named(path)}: {error}") from None


def content(path: str) -> bytes:
    """What is in the file, as far as a record may go: a device may never end."""
    if path == "-":
        return sys.stdin.buffer.read(LARGEST + 1) if sys.stdin else b""
    with open(path, "rb") as file:
        return file.read(LARGEST + 1)


def named(path: str) -> str:
    """What a sentence calls it."""
    return "standard input" if path == "-" else path
