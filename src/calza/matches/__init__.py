"""Matches as records: playing one to its end, writing and reading it, replaying it, proving it.

Not here: what draws a record (show), the agents themselves, files and clocks; a Record goes in, a Record comes out.
May import: calza.rules.
Start reading: `record.py` (bytes to Record and back), `replay.py` (Record to game), `verify.py`.
Tests: `tests/matches/`, golden records in `tests/records/`.
"""

from .record import read_record, record_schema, write_record
from .replay import Step, game_of, replay
from .run import run
from .verify import Verdict, verify

__all__ = [
    "Step",
    "Verdict",
    "game_of",
    "read_record",
    "record_schema",
    "replay",
    "run",
    "verify",
    "write_record",
]
