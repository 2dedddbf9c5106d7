"""Whether an answer is one that the OpenAPI document tells of: its status, its word, its headers, its shape."""

from functools import cache
from typing import Any

import jsonschema
import msgspec

from calza.arena.api import openapi
from calza.arena.api.paths import Paths
from calza.arena.api.routes import ROUTES

DOCUMENT = msgspec.json.decode(msgspec.json.encode(openapi.document(ROUTES, "http://127.0.0.1:8000")))
PATHS = Paths(ROUTES)
ANYWHERE = {(404, "not_found"), (405, "method_not_allowed"), (429, "rate_limited")}  # also where there is no call


def check(method: str, path: str, status: int, headers: dict[str, str], body: bytes, *, deep: bool = True) -> None:
    """AssertionError if the document does not tell of this answer."""
    calls, _ = PATHS.find(path)
    if calls is None and not path.startswith("/api/"):
        return
    route = calls and calls.get("GET" if method == "HEAD" else method)
    assert headers["x-request-id"]
    if route is None or (calls and method == "HEAD" and route.handle is None):
        assert (status, msgspec.json.decode(body)["error"]) in ANYWHERE if body else status in (404, 405, 429)
        return
    answer = DOCUMENT["paths"][route.path][route.method.lower()]["responses"].get(str(status))
    assert answer, f"{route.name} answers {status}, which is not documented: {body!r}"
    for name in answer["headers"]:
        assert name.lower() in headers, f"{route.name} answers {status} without {name}"
    if method == "HEAD":
        assert body == b""
    elif (kinds := answer.get("content")) and headers["content-type"].partition(";")[0] == "application/json":
        said = msgspec.json.decode(body)
        if deep:
            judge(route.path, route.method.lower(), status).validate(said)
        elif status >= 400:
            assert said["error"] in kinds["application/json"]["schema"]["allOf"][1]["properties"]["error"]["enum"]


@cache
def judge(path: str, method: str, status: int) -> Any:
    """What judges the shape of an answer."""
    answer = DOCUMENT["paths"][path][method]["responses"][str(status)]
    schema = answer["content"]["application/json"]["schema"]
    return jsonschema.Draft202012Validator(schema | {"components": DOCUMENT["components"]})
