"""Records as JSON: one document a match. What cannot be read says precisely why."""

import re
from typing import Any

import msgspec

from calza.rules import Record, RecordError
from calza.rules.record import FORMAT
from calza.rules.rules import data

ACTION_PATH = re.compile(r"\$\.actions\[(\d+)\]")
LARGEST = 64 * 2**20  # bytes; a match of ten thousand actions has less than one


def write_record(record: Record) -> bytes:
    """One JSON document, the same bytes for an equal record; an action a line, so that people can read and diff it."""
    fields = data(record)
    actions = fields.pop("actions", [])
    head = msgspec.json.format(msgspec.json.encode({"format": record.format, **fields}), indent=2)
    lines = ",\n    ".join(msgspec.json.encode(action).decode() for action in actions)
    return head[:-2] + f',\n  "actions": [\n    {lines}\n  ]\n}}\n'.encode()


def read_record(text: bytes | str) -> Record:
    """Read a record; RecordError says what is wrong with it and where."""
    if len(text) > LARGEST:
        raise RecordError(f"the record has {len(text):,} bytes; a match needs fewer than {LARGEST:,}")
    try:
        raw = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RecordError(f"this is not a whole JSON document ({error}); was it cut off?") from None
    check_format(raw)
    try:
        return msgspec.convert(raw, Record)
    except msgspec.ValidationError as error:
        why, _, path = str(error).partition(" - at ")
        action = ACTION_PATH.search(path)
        where = path.strip("`").removeprefix("$").removeprefix(".")
        raise RecordError(f"{where or 'the record'}: {why}", int(action[1]) if action else None) from None


def check_format(raw: Any) -> None:
    """A record says which format it has; others than ours are named."""
    if not isinstance(raw, dict) or "format" not in raw:
        raise RecordError("this is JSON, but not a record: it has no format number")
    version = raw["format"]
    if version != FORMAT or isinstance(version, bool):
        age = "newer than" if isinstance(version, int) and version > FORMAT else "not one of"
        raise RecordError(f"format {str(version)[:20]} is {age} the formats that this version reads ({FORMAT})")


def record_schema() -> dict[str, Any]:
    """The JSON Schema of a record."""
    schema = msgspec.json.schema(Record)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A match of Liar's Dice", **schema}
