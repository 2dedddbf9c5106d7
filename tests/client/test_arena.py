"""The clients at a real arena: every call, and whole matches."""

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from calza.agents.entry import parse_entry
from calza.client import ArenaRefusal, AsyncClient, Client, Retry
from calza.client.events import Event, Matched
from calza.client.match import Match
from calza.client.outage import Outage
from calza.client.position import rules_of
from calza.client.replies import GameOver, Queued, State
from calza.client.seat import Seat
from calza.matches import verify
from calza.rules import CATALOG
from tests.arena.server import CALZA, Server, running


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An arena where the house plays at once."""
    with running(tmp_path_factory.mktemp("arena")) as server:
        yield server


def move(state: State) -> dict[str, Any]:
    """Something legal."""
    return {"type": "challenge"} if state.view.current_bid else {"type": "bid", "quantity": 1, "faceValue": 2}


def test_an_agent_registers_and_plays_to_the_end(arena: Server) -> None:
    with Client(arena.url) as client:
        new = client.register("crab", "some-model")
        assert new.api_key == client.key
        assert new.claim_url == f"{arena.url}/claim?agent={new.id}"
        assert (client.me().name, client.me().model) == ("crab", "some-model")
        match = client.queue("liars-dice", "fast").match_id
        assert match
        state = client.state(match, wait=True)
        while isinstance(state, State):
            acts = state.status == "your_turn"
            state = client.act(match, state.sequence, move(state)) if acts else client.state(match, wait=True)
        own = state.of(new.id)
        assert own
        assert (own.place, own.outcome) in ((1, "win"), (2, "loss"))
        assert client.state(match) == state
        verify(client.record(match))
        assert [line.id for line in client.matches(new.id)] == [match]
        assert client.leave("liars-dice") == Queued(status="not_queued")
        assert client.status("liars-dice") == Queued(status="not_queued")
        with pytest.raises(ArenaRefusal) as refusal:
            client.set_model("another")
        assert refusal.value.code == "model_already_set"


def test_the_client_for_asyncio_plays_to_the_end(arena: Server) -> None:
    async def play() -> None:
        async with AsyncClient(arena.url) as client:
            new = await client.register("lobster")
            assert (await client.set_model("some-model")).model == "some-model"
            match = (await client.queue("joker", "fast", 3)).match_id
            assert match
            state = await client.state(match, wait=True)
            while isinstance(state, State):
                if state.status == "your_turn":
                    state = await client.act(match, state.sequence, move(state), "hm", {"tokens": 3, "cost": 0.5})
                else:
                    state = await client.state(match, wait=True, after=state.sequence)
            assert state.of(new.id)
            assert len(state.results) == 3
            verify(await client.record(match))

    asyncio.run(play())


def test_what_anybody_may_ask(arena: Server) -> None:
    assert arena.process
    data = arena.options["--data"]
    subprocess.run([*CALZA, "admin", "announce", "Open", "We are.", "--data", data], check=True, capture_output=True)
    with Client(arena.url) as client:
        client.register("starfish")
        match = client.queue("dudo").match_id
        assert match
        assert isinstance(client.act(match, client.state(match).sequence, {"type": "resign"}), GameOver)
        assert {"joker", "perudo"} <= {game.id for game in client.games()}
        assert client.games("no-such-tag") == []
        page = client.game("joker")
        assert (page.id, page.rules_id, rules_of(page)) == ("joker", CATALOG["joker"].rules_id, CATALOG["joker"])
        assert client.rules("joker").content.startswith("# ")
        assert client.strategy("joker").game_id == "joker"
        assert "starfish" in [one.name for one in client.leaderboard("dudo").agents]
        stats = client.stats()
        assert stats.agents >= 1
        assert stats.matches.finished >= 1
        assert [(one.title, one.text) for one in client.news("2000-01-01")] == [("Open", "We are.")]
        assert client.news("2999-01-01") == []


def test_both_clients_ask_the_same(arena: Server) -> None:
    async def asked() -> list[Any]:
        async with AsyncClient(arena.url) as client:
            return [await client.games(), await client.rules("joker"), await client.news(), await client.stats()]

    replies = asyncio.run(asked())
    with Client(arena.url) as client:
        assert replies == [client.games(), client.rules("joker"), client.news(), client.stats()]
    public = [name for name in vars(Client) if not name.startswith("_")]
    assert public == [name for name in vars(AsyncClient) if not name.startswith("_")]


def test_a_refused_action_says_why_and_where_the_match_is(arena: Server) -> None:
    with Client(arena.url) as client:
        client.register("shrimp")
        match = client.queue("liars-dice", "fast").match_id
        assert match
        sequence = client.state(match, wait=True).sequence
        with pytest.raises(ArenaRefusal, match="30 dice") as refusal:
            client.act(match, sequence, {"type": "bid", "quantity": 31, "faceValue": 6})
        assert refusal.value.code == "invalid_action"
        with pytest.raises(ArenaRefusal) as refusal:
            client.act(match, sequence + 7, {"type": "challenge"})
        assert (refusal.value.code, refusal.value.current_sequence) == ("stale_sequence", sequence)
        with pytest.raises(ArenaRefusal) as refusal:
            client.state("nowhere")
        assert (refusal.value.status, refusal.value.code) == (404, "match_not_found")
        client.key = "another"
        with pytest.raises(ArenaRefusal) as refusal:
            client.me()
        assert refusal.value.code == "unauthorized"


def test_a_registration_is_taken_once(arena: Server) -> None:
    with Client(arena.url) as client:
        client.register("prawn")
        with pytest.raises(ArenaRefusal) as refusal:
            client.register("PRAWN")
        assert (refusal.value.status, refusal.value.code) == (409, "name_taken")


@pytest.mark.parametrize("http", [False, True], ids=["socket", "http"])
@pytest.mark.parametrize("game", [name for name, rules in CATALOG.items() if rules.end == "last"])
def test_a_bot_plays_every_variant_to_its_end(arena: Server, tmp_path: Path, game: str, http: bool) -> None:
    told: list[Event] = []

    async def play() -> GameOver:
        async with AsyncClient(arena.url, retry=Retry(patience=1.0)) as client:
            await client.register(f"{game} {http}")
            match = (await client.queue(game, "fast", 3)).match_id
            assert match
            rules = rules_of(await client.game(game))
            seat = await Seat.take(parse_entry("cautious"), tmp_path / "log", seed=1)
            outage = Outage(told.append, client.retry, client.chance)
            try:
                over = await Match(client, match, rules, seat, told.append, outage, http).play()
            finally:
                await seat.close()
            record = await client.record(match)
            verify(record)
            assert not [entry for entry in record.actions if entry.action == "resign" or ":" in entry.action]
            return over

    over = asyncio.run(play())
    [matched] = told
    assert isinstance(matched, Matched)
    assert (matched.match, matched.game) == (over.match_id, game)
    assert all(name.startswith("House ") for name in matched.against)
