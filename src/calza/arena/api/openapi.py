"""The table of routes as an OpenAPI 3.1 document: every call, every answer, every word of refusal."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from calza import __version__

from .replies import Problem
from .route import JSON, OPEN, Fault, Given, Route

Schema = dict[str, Any]

REF = "#/components/schemas/{name}"
ABOUT = "Liar's Dice for programs. `GET /api/guide` tells how to play here in plain words."
NAMES = {
    "agent": "The id of an agent.",
    "match": "The id of a match.",
    "game": "A game, as `/api/games` names it.",
    "table": "The code of a table, with which its link ends.",
}
HEADERS = {
    "X-Request-Id": "The number of the request. Name it when you ask the arena's operator about it.",
    "Retry-After": "Whole seconds after which the same request may be sent again.",
    "WWW-Authenticate": "The scheme by which a key is sent.",
}
SENT_WITH = {401: "WWW-Authenticate", 429: "Retry-After", 503: "Retry-After"}  # by status


def document(routes: Sequence[Route], base: str) -> Schema:
    """The whole document for an arena at `base`."""
    types = list(dict.fromkeys(kind for route in routes for kind in types_of(route)))
    schemas, components = msgspec.json.schema_components([*types, Problem], ref_template=REF)
    known = dict(zip(types, schemas, strict=False))
    paths: dict[str, Schema] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = operation(route, known, components)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Calza arena", "version": __version__, "description": ABOUT},
        "servers": [{"url": base}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
            "headers": {
                name: {"description": about, "required": True, "schema": {"type": "string"}}
                for name, about in HEADERS.items()
            },
        },
    }


def types_of(route: Route) -> Iterable[Any]:
    """All types that a call speaks of."""
    return [*(route.given.kinds if route.given else ()), *([route.ask] if route.ask else []), *queries(route)]


def queries(route: Route) -> list[type[Struct]]:
    """What stands behind the question mark."""
    return [route.query] if route.query else []


def operation(route: Route, known: dict[Any, Schema], components: Schema) -> Schema:
    """One call."""
    said: Schema = {
        "operationId": re.sub(r"\W+", "_", route.name).strip("_").lower(),
        "summary": route.about,
        "parameters": parameters(route, components),
        "responses": answers(route, known),
    }
    if route.who != OPEN:
        said["security"] = [{"key": []}]
    if route.ask:
        needed = bool(components[route.ask.__name__].get("required"))
        said["requestBody"] = {"required": needed, "content": {JSON: {"schema": known[route.ask]}}}
    return said


def parameters(route: Route, components: Schema) -> list[Schema]:
    """What stands in the path, and behind the question mark."""
    found = [
        {"name": name, "in": "path", "required": True, "description": NAMES[name], "schema": SHAPES[name]}
        for name in re.findall(r"{(\w+)}", route.path)
    ]
    for query in queries(route):
        schema = components.pop(query.__name__, None) or msgspec.json.schema(query)["$defs"][query.__name__]
        for name, one in schema["properties"].items():
            plain = without_null(one)
            about = plain.pop("description", "")
            needed = name in schema["required"]
            found.append({"name": name, "in": "query", "required": needed, "description": about, "schema": plain})
    return found


ID = {"type": "string", "pattern": "^[A-Za-z0-9]{1,64}$"}
SHAPES = {"agent": ID, "match": ID, "table": ID, "game": {"type": "string", "pattern": "^[a-z0-9-]{1,40}$"}}


def without_null(schema: Schema) -> Schema:
    """A schema of what cannot be null, because it is said in words or not at all."""
    plain = {name: one for name, one in schema.items() if name != "anyOf" and (name, one) != ("default", None)}
    kinds = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    return plain | (kinds[0] if len(kinds) == 1 else {"anyOf": kinds} if kinds else {})


# --- answers


def answers(route: Route, known: dict[Any, Schema]) -> Schema:
    """Every answer, by status."""
    found: dict[int, Schema] = {}
    if route.given:
        found[route.given.status] = done(route.given, known)
    if route.handle is None:
        found[204] = {"description": "there is nothing more to come", "headers": heads(204)}
    faults = route.refusals()
    for status in sorted({one.status for one in faults}):
        found[status] = refused(status, [one for one in faults if one.status == status])
    return {str(status): found[status] for status in sorted(found)}


def done(given: Given, known: dict[Any, Schema]) -> Schema:
    """The answer to a call that is done."""
    said: Schema = {"description": given.about, "headers": heads(given.status)}
    kinds = [known[kind] for kind in given.kinds]
    if kinds:
        said["content"] = {given.media: {"schema": kinds[0] if len(kinds) == 1 else {"anyOf": kinds}}}
    return said


def refused(status: int, faults: Sequence[Fault]) -> Schema:
    """The answer to a call that is not done."""
    words = {"properties": {"error": {"enum": [one.code for one in faults]}}}
    return {
        "description": "; ".join(f"`{one.code}`: {one.when}" for one in faults),
        "headers": heads(status),
        "content": {JSON: {"schema": {"allOf": [{"$ref": REF.format(name="Problem")}, words]}}},
    }


def heads(status: int) -> Schema:
    """The headers of an answer."""
    names = ["X-Request-Id", *([SENT_WITH[status]] if status in SENT_WITH else [])]
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
