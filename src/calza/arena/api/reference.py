"""`docs/reference/arena-api.md`, made from the table of routes, the frames of the sockets, and their types."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from calza.arena import frames, line
from calza.arena.events import Happened, Hello, Over
from calza.arena.messages import GameOver

from . import openapi
from .openapi import Schema
from .replies import Refused
from .route import AGENT, OPEN, PLAYER, USUAL, Route
from .texts import filled

WHO = {OPEN: "Open.", AGENT: "With a key.", PLAYER: "With the key of a player of the match."}
SOCKETS: tuple[tuple[str, str, tuple[Any, ...], tuple[Any, ...]], ...] = (
    ("/ws/agent", "agent", (frames.Connected, frames.Found, frames.Replaced), ()),
    ("/ws/game/{match}", "game", (frames.Connected, frames.YourTurn, GameOver, Refused), (frames.Act,)),
    ("/ws/watch/{match}", "watch", (Hello, Happened, Over), ()),
)  # path, text, frames of the server, frames of the agent
CLOSES = (
    (line.DONE, "it is done: the match is over, or a newer socket has taken over"),
    (line.REFUSED, "a frame was sent where none may be, or too much of it"),
    (line.BROKEN, "a fault of the arena"),
    (line.AWAY, "the arena is stopping"),
    (line.BACK, "a passing fault"),
    (line.NO_KEY, "the key was revoked, or the agent banned, while the socket was open"),
    (line.NOT_A_PLAYER, "the match is played by others"),
    (line.NO_MATCH, "there is no such match"),
)


def page(routes: Iterable[Route]) -> str:
    """The page."""
    routes = tuple(routes)
    document = openapi.document(routes, "")
    told = [kind for _, _, out, into in SOCKETS for kind in (*out, *into) if kind is not GameOver]
    _, more = msgspec.json.schema_components(told, ref_template=openapi.REF)
    types = document["components"]["schemas"] | {plain(name): one for name, one in more.items()}
    return filled(
        "reference",
        usual="\n".join(usual()),
        calls="\n\n".join(call(route, document["paths"][route.path][route.method.lower()]) for route in routes),
        sockets="\n\n".join(socket(*one) for one in SOCKETS),
        closes="\n".join(f"| {code} | {about} |" for code, about in CLOSES),
        values="\n\n".join(value(name, types[name]) for name in sorted(types)),
    )


def plain(name: str) -> str:
    """The name of a type; where two have the same, that of the rules says so."""
    module, _, last = name.rpartition(".")
    return last if not module or module.startswith("calza.arena") else f"Rules{last}"


# --- calls


def call(route: Route, said: Schema) -> str:
    """One call."""
    parts = [f"### {route.name}", f"{route.about} {WHO[route.who]}"]
    if said["parameters"]:
        parts.append(table("Parameter", "Type", rows_of(said["parameters"])))
    if route.ask:
        parts.append(f"Body: [`{route.ask.__name__}`](#{route.ask.__name__.lower()}).")
    parts.append("\n".join(["| Status | Answer |", "| --- | --- |", *answers(route, said["responses"])]))
    return "\n\n".join(parts)


def rows_of(parameters: Iterable[Schema]) -> Iterator[tuple[str, str, str]]:
    """Parameters as lines of a table."""
    for one in parameters:
        needed = "" if one["required"] or one["in"] == "path" else "; may be left out"
        yield f"`{one['name']}`", words(one["schema"]) + needed, one["description"]


def answers(route: Route, responses: Schema) -> Iterator[str]:
    """Answers of its own as lines of a table; those that any call may give are told once."""
    if route.given:
        kinds = [
            f"{media}: {words(kind['schema'])}"
            for media, kind in responses[str(route.status)].get("content", {}).items()
        ]
        yield f"| {route.status} | {'; '.join([route.given.about, *kinds])} |"
    for one in sorted(route.faults, key=lambda one: one.status):
        yield f"| {one.status} | `{one.code}`: {one.when} |"


def usual() -> Iterator[str]:
    """What any call may answer, as lines of a table."""
    for one in USUAL:
        heads = f" (with `{openapi.SENT_WITH[one.status]}`)" if one.status in openapi.SENT_WITH else ""
        yield f"| {one.status} | `{one.code}`: {one.when}{heads} |"


# --- types


def words(schema: Schema) -> str:
    """A type in words."""
    if "$ref" in schema:
        name = plain(schema["$ref"].rpartition("/")[2])
        return f"[`{name}`](#{name.lower()})"
    if "const" in schema:
        return f"`{shown(schema['const'])}`"
    if "enum" in schema:
        return " or ".join(f"`{shown(one)}`" for one in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(words(one) for one in schema["anyOf"])
    kind: Any = schema.get("type", "anything")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        return f"list of {words(schema.get('items', {}))}" if schema.get("items") is not False else "list"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {words(schema['additionalProperties'])}"
    return f"{kind}{bounds(schema)}"


def bounds(schema: Schema) -> str:
    """The least and the greatest that a number may be."""
    least, most = schema.get("minimum"), schema.get("maximum")
    return f" from {least} to {most}" if least is not None and most is not None else ""


def shown(value: Any) -> str:
    """A value as it stands in JSON."""
    return msgspec.json.encode(value).decode()


def value(name: str, schema: Schema) -> str:
    """One type."""
    parts = [f"### {name}", schema.get("description", "")]
    fields = schema.get("properties", {})
    if fields:
        parts.append(table("Field", "Type", field_rows(fields, set(schema.get("required", ())))))
    return "\n\n".join(part for part in parts if part)


def field_rows(fields: Schema, needed: set[str]) -> Iterator[tuple[str, str, str]]:
    """Fields as lines of a table."""
    for name, one in fields.items():
        default = f"; without it {shown(one['default'])}" if one.get("default") is not None else ""
        missing = default or ("" if name in needed else "; may be missing")
        yield f"`{name}`", words(one) + missing, about(one)


def about(schema: Schema) -> str:
    """What is said of a field, which may stand at one of its kinds."""
    found = [schema, *schema.get("anyOf", ())]
    return next((one["description"] for one in found if "description" in one), "")


def table(first: str, second: str, rows: Iterable[tuple[str, str, str]]) -> str:
    """A table of three columns."""
    lines = [f"| {name} | {kind} | {text} |" for name, kind, text in rows]
    return "\n".join([f"| {first} | {second} | |", "| --- | --- | --- |", *lines])


# --- sockets


def socket(path: str, text: str, out: tuple[Any, ...], into: tuple[Any, ...]) -> str:
    """One socket."""
    parts = [f"### {path}", filled(f"socket-{text}").strip(), f"From the server: {frames_of(out)}."]
    if into:
        parts.append(f"From the agent: {frames_of(into)}.")
    return "\n\n".join(parts)


def frames_of(kinds: tuple[Any, ...]) -> str:
    """Frames, each with a link to what is in it."""
    return ", ".join(f"[`{tag(one)}`](#{one.__name__.lower()})" for one in kinds)


def tag(kind: Any) -> str:
    """The `type` of a frame."""
    return kind.__struct_config__.tag or "game_over"
