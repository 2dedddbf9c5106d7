"""The OpenAPI document: what outside judges say of it, and that every answer is in it."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jsonschema
import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.specs.openapi.definitions import OPENAPI_31

from calza.arena.api.routes import ROUTES
from tests.arena.house import RESIGN

from .documented import DOCUMENT
from .web import Web, served

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
QUICK = settings(
    max_examples=8, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


def test_the_document_is_valid_by_the_meta_schema_of_openapi() -> None:
    jsonschema.Draft202012Validator(OPENAPI_31).validate(DOCUMENT)
    for schema in DOCUMENT["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
    schemathesis.openapi.from_dict(DOCUMENT).validate()


def test_every_reference_in_the_document_leads_somewhere() -> None:
    def references(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            yield from (one for name, one in value.items() if name == "$ref")
            value = list(value.values())
        if isinstance(value, list):
            for one in value:
                yield from references(one)

    for one in references(DOCUMENT):
        found = DOCUMENT
        for part in one.removeprefix("#/").split("/"):
            found = found[part]


def test_every_call_is_in_the_document_once() -> None:
    said = [f"{method.upper()} {path}" for path, calls in DOCUMENT["paths"].items() for method in calls]
    assert said == list(dict.fromkeys(said))
    assert sorted(said) == sorted(one.name for one in ROUTES)
    names = [one["operationId"] for calls in DOCUMENT["paths"].values() for one in calls.values()]
    assert len(set(names)) == len(names)


class Running:
    """A server on a free port of this machine, and what is on it."""

    def __init__(self) -> None:
        self.ready = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.serve()))

    async def serve(self) -> None:
        async with served(hold=0.02, requests_per_minute=10**6, address_per_minute=10**6, **LIMITS) as web:
            await self.fill(web)
            config = uvicorn.Config(web.app, port=0, log_config=None, access_log=False, ws="websockets-sansio")
            self.server = uvicorn.Server(config)
            task = asyncio.ensure_future(self.server.serve())
            while not self.server.started:
                await asyncio.sleep(0.01)
            self.url = f"http://127.0.0.1:{self.server.servers[0].sockets[0].getsockname()[1]}"
            self.ready.set()
            while not task.done():  # nobody else turns this arena's clock, by which held requests end
                await web.clock.turn(5)
                await asyncio.sleep(0.005)

    async def fill(self, web: Web) -> None:
        """A match that is on, one that is over, and somebody who waits."""
        ann, bob, cid = [await web.join(name) for name in ("Ann", "Bob", "Cid")]
        over = await web.table(ann, bob)
        await ann.act(over, 0, RESIGN)
        live = await web.table(ann, bob)
        self.keys = {"ann": ann.key, "cid": cid.key}
        tables = [await web.invite(ann), await web.invite(bob, size=6)]
        self.known = {
            "agent": [ann.id, bob.id], "match": [live, over], "game": ["liars-dice", "spot-on"], "table": tables,
        }  # fmt: skip
        self.over = over


LIMITS: dict[str, Any] = {"registrations_per_hour": 10**6}


@contextmanager
def running() -> Iterator[Running]:
    server = Running()
    server.thread.start()
    assert server.ready.wait(30)
    try:
        yield server
    finally:
        server.server.should_exit = True
        server.thread.join(30)


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running() as one:
        yield one


def tried(server: Running, name: str, how: settings) -> None:
    """Send what the document allows, and what it nearly allows; see what comes back."""
    schema = schemathesis.openapi.from_dict(DOCUMENT)
    method, _, path = name.partition(" ")
    operation = schema[path][method]
    # A key that is revoked on the way must not be the one that the other calls need.
    key = server.keys["cid" if "/keys" in path else "ann"]

    @how
    @given(st.data())
    def send(data: Any) -> None:
        mode = data.draw(st.sampled_from(list(schemathesis.GenerationMode)))
        case = data.draw(operation.as_strategy(generation_mode=mode))
        for noun in set(case.path_parameters or {}) & set(server.known):
            if path.endswith("/events") or data.draw(st.booleans()):
                one = server.over if path.endswith("/events") else data.draw(st.sampled_from(server.known[noun]))
                case.path_parameters[noun] = one
        case.call_and_validate(
            base_url=server.url, headers={"Authorization": f"Bearer {key}"}, checks=CHECKS, timeout=20
        )

    send()


@pytest.mark.parametrize("name", [one.name for one in ROUTES])
def test_a_running_server_answers_as_the_document_says(server: Running, name: str) -> None:
    tried(server, name, QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("name", [one.name for one in ROUTES])
def test_a_running_server_answers_as_the_document_says_at_length(server: Running, name: str) -> None:
    tried(server, name, settings(QUICK, max_examples=300))
