"""A match of a running arena proved from outside, and every lie that such an arena could tell."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from calza.client import Client, ClientError
from calza.client.proof import Published, published
from calza.client.replies import GameOver
from calza.rules import RecordError
from tests.arena.server import Server, running

OTHER = "0" * 64


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An arena."""
    with running(tmp_path_factory.mktemp("arena")) as server:
        yield server


@pytest.fixture(scope="module")
def ended(server: Server) -> Published:
    """What it says of a match that has ended."""
    with Client(server.url) as client:
        client.register("crab")
        match = client.queue("liars-dice", "fast").match_id
        assert match
        over = client.act(match, client.state(match).sequence, {"type": "resign"})
        assert isinstance(over, GameOver)
        return published(over.replay_url)


def test_an_honest_arena_is_believed(server: Server, ended: Published) -> None:
    ended.check(ended.record)
    for address in ("/matches/{}", "/api/matches/{}", "/api/matches/{}/record", "/matches/{}?at=3#7"):
        assert published(server.url + address.format(ended.match)) == ended


def test_every_lie_is_named(ended: Published) -> None:
    def says(why: str, lie: Published) -> None:
        with pytest.raises(RecordError, match=why):
            lie.check(lie.record)

    seed, page = ended.seed, ended.page
    assert seed
    assert page.signature
    says("the record is that of another match", replace(ended, match="another"))
    says(f"committed to no seed under number {page.seed_number}", replace(ended, seed=None))
    says("committed to no seed under number", replace(ended, seed=replace(seed, number=seed.number + 1)))
    says("was for another match", replace(ended, seed=replace(seed, match_id="another")))
    says(f"was committed to as {OTHER}", replace(ended, seed=replace(seed, commitment=OTHER)))
    says("the record is not signed", replace(ended, page=replace(page, signature=None)))
    says("the signature is not one of this record", replace(ended, key=OTHER))
    says("the signature is not one of this record", replace(ended, key="nonsense"))
    says("the signature is not one of this record", replace(ended, page=replace(page, signature=OTHER * 2)))
    changed = ended.document.replace(b'"crab"', b'"crad"')
    assert changed != ended.document
    says("the signature is not one of this record", replace(ended, document=changed))
    says("this is not a whole JSON document", replace(ended, document=ended.document[:-10]))


def test_what_cannot_be_proved_is_said(server: Server, tmp_path: Path) -> None:
    def says(why: str, address: str) -> None:
        with pytest.raises(ClientError, match=why):
            published(address)

    with Client(server.url) as client:
        client.register("lobster")
        match = client.queue("liars-dice", "fast", opponents="agents").match_id
        assert match is None
        client.leave()
        match = client.queue("joker", "fast").match_id
        says(f"match {match} is still on; its dice can be checked when it has ended", f"{server.url}/matches/{match}")
    says(f"there is no match nosuch at {server.url}", f"{server.url}/matches/nosuch")
    says("is no address of a match; write http://127.0.0.1:8000/matches/<id>", server.url)
    says("is no address of a match", f"{server.url}/agents/nosuch")
