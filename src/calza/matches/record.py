"""Records as JSON: one document a match. What cannot be read says precisely why."""

import re
from functools import lru_cache
from typing import Any

import msgspec
from msgspec.structs import fields

from calza.rules import Record, RecordError, Rules
from calza.rules.record import FORMAT
from calza.rules.rules import data

ACTION_PATH = re.compile(r"\$\.actions\[(\d+)\]")
LARGEST = 64 * 2**20  # bytes; a match of ten thousand actions has less than one


def write_record(record: Record) -> bytes:
    """One JSON document, the same bytes for an equal record; an action a line, so that people can read and diff it."""
    said: dict[str, Any] = {"format": record.format}
    for field in HEAD:
        value = getattr(record, field.name)
        if value != field.default:
            said[field.encode_name] = written_rules(value) if isinstance(value, Rules) else data(value)
    head = msgspec.json.format(msgspec.json.encode(said), indent=2)
    lines = b",\n    ".join(
        msgspec.json.encode(one if one.at is not None else (one.seat, one.action)) for one in record.actions
    )
    return b'%b,\n  "actions": [\n    %b\n  ]\n}\n' % (head[:-2], lines)


HEAD = [field for field in fields(Record) if field.name not in ("format", "actions")]


@lru_cache(maxsize=256)
def written_rules(rules: Rules) -> msgspec.Raw:
    """The rules as JSON; most records share theirs with many others, and they take longer than all the rest."""
    return msgspec.Raw(msgspec.json.encode(data(rules)))


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
