"""Rules as the fields of a form, made from their types: a new field of `Rules` is a new field here.

A field is named as errors name it: `raising.lower`, `calls[0].short.caller`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.inspect import (
    BoolType,
    Field,
    IntType,
    Metadata,
    NoneType,
    StrType,
    StructType,
    Type,
    UnionType,
    VarTupleType,
    type_info,
)
from msgspec.structs import replace

from calza.rules import Rules
from calza.rules.read import bare, words

FORM: Any = type_info(Rules)
MOST_CALLS = 8  # that rules can have
SEVERAL = ("group", "maybe", "list")  # kinds of fields that have others in them
NUMBER = re.compile(r"-?[0-9]{1,9}")
Said = Mapping[str, str]  # a form as it was sent


class Entry(Struct, frozen=True):
    """A field of the form."""

    path: str
    word: str  # its own name, without those it stands in
    about: str
    kind: str  # "number", "text", "choice", "check", "lines"; and of several: "group", "maybe", "list"
    value: str = ""
    least: int | None = None
    most: int | None = None
    options: tuple[str, ...] = ()
    optional: bool = False
    parts: tuple["Entry", ...] = ()  # of a group; of a list, each a group of its own

    @property
    def key(self) -> str:
        """Its path without numbers, as one word of the catalogue."""
        return re.sub(r"\[\d+\]", "", self.path).replace(".", "-")


def entries(rules: Rules) -> tuple[Entry, ...]:
    """The form that says `rules`."""
    return group(FORM, Form(flat(msgspec.to_builtins(rules))), "")


def entries_of(said: Said) -> tuple[Entry, ...]:
    """The form as it was sent, whatever is wrong with it."""
    return group(FORM, Form(said), "")


class Form:
    """What stands in a form, by path."""

    def __init__(self, said: Said) -> None:
        self.said = said

    def text(self, path: str) -> str:
        """What was written, or nothing."""
        return self.said.get(path, "")

    def many(self, path: str) -> int:
        """How many things a list has."""
        return sum(f"{path}[{number}].name" in self.said for number in range(MOST_CALLS))


# --- the form


def group(kind: StructType, form: Form, path: str) -> tuple[Entry, ...]:
    """The fields of a value that has some."""
    return tuple(entry(field, form, f"{path}{field.encode_name}") for field in kind.fields)


def entry(field: Field, form: Form, path: str) -> Entry:
    """One field."""
    ways, optional = ways_of(field.type)
    said = Entry(path, field.encode_name, described(field.type), "text", form.text(path), optional=optional)
    match ways[0]:
        case StructType() as inside:
            return replace(said, kind="maybe" if optional else "group", parts=group(inside, form, f"{path}."))
        case VarTupleType(item_type=StructType() as inside):
            parts = tuple(
                Entry(f"{path}[{number}]", str(number), "", "group", parts=group(inside, form, f"{path}[{number}]."))
                for number in range(form.many(path))
            )
            return replace(said, kind="list", parts=parts)
        case VarTupleType():
            return replace(said, kind="lines")
        case BoolType():
            return replace(said, kind="check")
        case IntType(ge=least, le=most) if len(ways) == 1 and not optional:
            return replace(said, kind="number", least=least, most=most)
        case StrType(max_length=most):
            return replace(said, most=most)
    known = words(field.type)
    return replace(said, kind="choice", options=tuple(known)) if known and not counts(ways) else said


def ways_of(kind: Type) -> tuple[list[Type], bool]:
    """What may stand in a field, and whether nothing may too."""
    kind = bare(kind)
    every = [bare(one) for one in kind.types] if isinstance(kind, UnionType) else [kind]
    ways = [one for one in every if not isinstance(one, NoneType)]
    return ways, len(ways) < len(every)


def counts(ways: list[Type]) -> bool:
    """Whether a number may stand there."""
    return any(isinstance(one, IntType) for one in ways)


def described(kind: Type) -> str:
    """What a field is for."""
    schema = kind.extra_json_schema if isinstance(kind, Metadata) else None
    return str((schema or {}).get("description", ""))


def flat(value: Any, path: str = "") -> dict[str, str]:
    """Rules as the fields of a form that was sent."""
    match value:
        case dict():
            own = {path: "on"} if path else {}
            return own | {
                at: one
                for name, part in value.items()
                for at, one in flat(part, f"{path}.{name}" if path else name).items()
            }
        case list() | tuple() if value and isinstance(value[0], dict):
            return {at: one for number, part in enumerate(value) for at, one in flat(part, f"{path}[{number}]").items()}
        case list() | tuple():
            return {path: "\n".join(value)}
        case bool():
            return {path: "on"} if value else {}
        case None:
            return {}
    return {path: str(value)}


# --- what was sent, as a document of rules


def document(said: Said) -> dict[str, Any]:
    """What a form says, for `rules_from` to judge; fields that nobody filled in are left to their defaults."""
    return dict(values(FORM, Form(said), ""))


def values(kind: StructType, form: Form, path: str) -> Iterator[tuple[str, Any]]:
    """Each field with its value."""
    for field in kind.fields:
        here = f"{path}{field.encode_name}"
        value = value_of(field.type, form, here)
        if value is not None:
            yield field.encode_name, value


def value_of(kind: Type, form: Form, path: str) -> Any:
    """What was filled in; None where nothing was."""
    ways, optional = ways_of(kind)
    text = form.text(path)
    match ways[0]:
        case StructType() as inside:
            return None if optional and not text else dict(values(inside, form, f"{path}."))
        case VarTupleType(item_type=StructType() as inside):
            return [dict(values(inside, form, f"{path}[{number}].")) for number in range(form.many(path))]
        case VarTupleType():
            return [line.strip() for line in text.splitlines() if line.strip()]
        case BoolType():
            return text != ""
        case StrType():
            return text.strip()
    text = text.strip()
    return int(text) if counts(ways) and NUMBER.fullmatch(text) else text or None
