"""A user's variant as text becomes rules, or a RulesError says which field is wrong and what it may be.

A document is TOML, or the JSON that `calza rules show --json` prints. What a field may be is read from the types in
`rules.py`, so a new field needs nothing here. TOML has no null: `false` takes away what may be absent.
"""

import re
import tomllib
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import msgspec
from msgspec.inspect import (
    BoolType,
    EnumType,
    Field,
    FloatType,
    IntType,
    LiteralType,
    Metadata,
    NoneType,
    StrType,
    StructType,
    Type,
    UnionType,
    VarTupleType,
    type_info,
)

from .catalog import CATALOG
from .check import check
from .describe import join
from .errors import RulesError
from .rules import PROSE, Rules

SHOWN = 40  # characters of a wrong value that an error repeats
NAME_LENGTH = 40


def read_rules(text: str, name: str = "") -> Rules:
    """The rules that `text` describes, checked; `name` (a file's, say) is theirs when they give none."""
    return rules_from(parse(text), name)


def rules_from(document: dict[str, Any], name: str = "") -> Rules:
    """The rules that a document describes, as `read_rules`."""
    document = extended(document)
    claimed = document.pop("rulesId", None)
    if own := legal_name(name):
        document.setdefault("name", own)
    rules = msgspec.convert(taken(document, type_info(Rules), ""), Rules)
    check(rules)
    if claimed not in (None, rules.rules_id):
        raise RulesError("rulesId", f"is {shown(claimed)}, but these rules have {rules.rules_id}; leave it out")
    return rules


def parse(text: str) -> dict[str, Any]:
    """The document as plain data. One that opens with a brace is JSON, which TOML never is."""
    text = text.removeprefix("\ufeff")
    try:
        document: dict[str, Any] = msgspec.json.decode(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulesError("", not_toml(str(error))) from error
    except msgspec.DecodeError as error:
        what = uncapital(str(error).removeprefix("JSON is malformed: "))
        raise RulesError("", f"this is not JSON: {what}") from error
    except RecursionError as error:
        raise RulesError("", "this is nested too deeply for rules") from error
    except ValueError as error:  # numbers of thousands of digits, text that is no Unicode
        raise RulesError("", f"this cannot be read: {uncapital(str(error).partition(';')[0])}") from error
    return document


def not_toml(message: str) -> str:
    """What TOML's reader says, with the place first: it comes as `Invalid value (at line 3, column 5)`."""
    what, _, place = message.rpartition(" (at ")
    place = place.rstrip(")").replace("end of document", "the end of the document")
    return f"{place} is not TOML: {uncapital(what)}"


def uncapital(text: str) -> str:
    """Text that can follow a colon."""
    return text[:1].lower() + text[1:]


def legal_name(text: str) -> str:
    """The name nearest to `text` that rules may have; empty when nothing of it can stay."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:NAME_LENGTH].strip("-")


# --- extending a variant of the catalogue


def extended(document: dict[str, Any]) -> dict[str, Any]:
    """The document on top of the variant that it extends, if it does; a document of its own in any case."""
    document = document.copy()
    if "extends" not in document:
        return document
    parent = document.pop("extends")
    if not isinstance(parent, str) or parent not in CATALOG:
        hint = did_you_mean(parent, CATALOG)
        raise RulesError("extends", f"is {shown(parent)}, but must be a known variant: {listed(CATALOG)}{hint}")
    inherited = msgspec.to_builtins(CATALOG[parent])
    return merged({field: value for field, value in inherited.items() if field not in PROSE}, document)


def merged(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """`over` laid on `under`: tables key by key, everything else as a whole."""
    both = under | over
    for key in under.keys() & over.keys():
        if isinstance(under[key], dict) and isinstance(over[key], dict):
            both[key] = merged(under[key], over[key])
    return both


# --- whether each value may stand where it stands


def taken(value: Any, kind: Type, path: str) -> Any:
    """`value` as msgspec converts it to `kind`, or the error that names the field at fault."""
    kind = bare(kind)
    if isinstance(kind, UnionType):
        if value is None or value is False:
            if any(isinstance(one, NoneType) for one in kind.types):
                return None
        kind = next((one for one in kind.types if isinstance(value, dict) and isinstance(one, StructType)), kind)
    if isinstance(kind, StructType) and isinstance(value, dict):
        return table(value, kind, path)
    if isinstance(kind, VarTupleType) and isinstance(value, list | tuple) and right_length(value, kind):
        return [taken(one, kind.item_type, f"{path}[{at}]") for at, one in enumerate(value)]
    if not fits(value, kind):
        raise RulesError(path, f"is {shown(value)}, but must be {allowed(kind)}{hint_for(value, kind)}")
    return value


def table(value: dict[str, Any], kind: StructType, path: str) -> dict[str, Any]:
    """A table whose keys are all known and whose values all fit."""
    fields = {field.encode_name: field for field in kind.fields}
    for unknown in (key for key in value if key not in fields):
        known = ["extends", *fields] if kind.cls is Rules else fields
        why = f"is not a key here; the keys are {listed(known, 'and', quote='')}"
        raise RulesError(inside(path, printable(unknown) or '""'), why + did_you_mean(unknown, known, quote=""))
    for key, field in fields.items():
        if field.required and key not in value:
            raise RulesError(inside(path, key), f"is missing, but must be {allowed(bare(field.type))}: {about(field)}")
    return {key: taken(one, fields[key].type, inside(path, key)) for key, one in value.items()}


def inside(path: str, key: str) -> str:
    """The path of a key in the table at `path`."""
    return f"{path}.{key}" if path else key


def bare(kind: Type) -> Type:
    """A type without its description."""
    return kind.type if isinstance(kind, Metadata) else kind


def about(field: Field) -> str:
    """What a field is for, as it follows a colon."""
    described = field.type.extra_json_schema if isinstance(field.type, Metadata) else None
    return uncapital((described or {}).get("description", "it has no default").rstrip("."))


def fits(value: Any, kind: Type) -> bool:
    """Whether a value that is no table and no list may stand here."""
    match bare(kind):
        case UnionType(types=types):
            return any(fits(value, one) for one in types)
        case IntType(ge=least, le=most):
            return type(value) is int and between(least, value, most)
        case FloatType(ge=least, le=most):
            return type(value) in (int, float) and between(least, value, most)
        case StrType(max_length=most, pattern=pattern):
            short = isinstance(value, str) and (most is None or len(value) <= most)
            # Rules are printed in terminals: text may have line breaks, and nothing that steers a screen.
            return short and " ".join(value.split()).isprintable() and bool(re.fullmatch(pattern or "(?s).*", value))
        case BoolType():
            return isinstance(value, bool)
    return isinstance(value, str) and value in words(kind)


def right_length(value: Sequence[Any], kind: VarTupleType) -> bool:
    """Whether a list is neither too short nor too long."""
    return between(kind.min_length, len(value), kind.max_length)


def between(least: float | None, value: float, most: float | None) -> bool:
    """Whether a number lies within bounds, where there are any."""
    return (least is None or least <= value) and (most is None or value <= most)


def words(kind: Type) -> list[str]:
    """The words that an enumeration knows, in its own order."""
    match bare(kind):
        case UnionType(types=types):
            return [word for one in types for word in words(one)]
        case EnumType(cls=cls):
            return [str(one.value) for one in cls]
        case LiteralType(values=values):
            return [str(one) for one in values]
    return []


# --- what an error says


def allowed(kind: Type) -> str:
    """What may stand here, in words."""
    match bare(kind):
        case UnionType(types=types):
            ways = [allowed(one) for one in types if not isinstance(one, NoneType)]
            return ", or ".join(ways + ["false for none"] * (len(ways) < len(types)))
        case IntType(ge=least, le=most):
            return "a whole number" if least is None else f"a whole number from {least} to {most}"
        case FloatType(ge=least, le=most):
            return "a number" if least is None else f"a number from {least:g} to {most:g}"
        case StrType(pattern=None, max_length=most):
            return f"printable text of at most {most} characters" if most else "printable text"
        case StrType(max_length=most):
            return f"small letters and digits, with single hyphens between them, at most {most} in all"
        case BoolType():
            return "true or false"
        case StructType():
            return "a table"
        case VarTupleType(item_type=item, min_length=least, max_length=most):
            things = "tables" if isinstance(bare(item), StructType) else "texts"
            return f"a list of {things}" if most is None else f"a list of {least} to {most} {things}"
    return listed(words(kind))


def hint_for(value: Any, kind: Type) -> str:
    """What was perhaps meant by a wrong word or name."""
    if isinstance(kind, StrType) and kind.pattern and isinstance(value, str) and (name := legal_name(value)):
        return f'; did you mean "{name}"?'
    return did_you_mean(value, words(kind))


def did_you_mean(value: Any, known: Iterable[str], quote: str = '"') -> str:
    """The known word nearest to `value`, as the end of a sentence; empty when none is near."""
    near = get_close_matches(value, list(known), 1) if isinstance(value, str) else []
    return f"; did you mean {quote}{near[0]}{quote}?" if near else ""


def listed(known: Iterable[str], joint: str = "or", quote: str = '"') -> str:
    """Words as a list in a sentence."""
    return join([f"{quote}{word}{quote}" for word in known], joint)


def shown(value: Any) -> str:
    """A wrong value as an error repeats it: short, and nothing that a terminal obeys."""
    match value:
        case str():
            return f'"{printable(value)}"'
        case bool():
            return str(value).lower()
        case int():
            return str(value) if abs(value) < 10**12 else "a very large number"
        case dict():
            return "a table"
        case list() | tuple():
            return f"a list of {len(value)}" if value else "an empty list"
        case None:
            return "null"
        case float():
            return str(value)
    return "a date or time"


def printable(text: str) -> str:
    """The start of a text, with a mark for each sign that cannot be printed."""
    start = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text[:SHOWN])
    return start + "..." * (len(text) > SHOWN)


# --- the schema


def rules_schema() -> dict[str, Any]:
    """The JSON Schema of a document that `read_rules` reads."""
    schema = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(Rules)))  # its defaults are tuples
    for part in schema["$defs"].values():
        for field in part.get("properties", {}).values():
            ways = field.get("anyOf", [])
            if {"type": "null"} in ways:
                ways[ways.index({"type": "null"})] = {"enum": [None, False]}
    rules = schema["$defs"].pop("Rules")
    extra = {
        "extends": {
            "description": "A known variant, whose fields hold where this document has none of its own.",
            "enum": list(CATALOG),
        },
        "rulesId": {"description": "Of the rules described here: refused when it is another's.", "type": "string"},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rules of a game of Liar's Dice",
        "description": "A variant, as TOML or JSON. Where it has no name, its file gives it one.",
        "type": "object",
        "properties": extra | rules["properties"],
        "anyOf": [{"required": ["calls"]}, {"required": ["extends"]}],
        "additionalProperties": False,
        "$defs": schema["$defs"],
    }
