"""Records that somebody names on a command line: a file, or `-` for standard input."""

import sys

from calza.matches import read_record
from calza.matches.record import LARGEST
from calza.rules import Record


def record_in(path: str) -> Record:
    """The record in a file; OSError when there is none, RecordError when it is damaged."""
    if path == "-":
        return read_record(sys.stdin.buffer.read(LARGEST + 1) if sys.stdin else b"")
    with open(path, "rb") as file:
        return read_record(file.read(LARGEST + 1))  # a device may never end
