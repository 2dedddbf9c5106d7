"""Faults of an arena: those that pass are waited for, others are told."""

import socket
from collections.abc import Iterator

import pytest

from calza.client import ArenaRefusal, Client, ClientError, Retry, Unreached, Unreadable
from calza.client.caller import server_of
from tests.client.standin import KEY, ME, StandIn


@pytest.fixture
def arena() -> Iterator[StandIn]:
    """An arena."""
    with StandIn() as arena:
        yield arena


class Asking:
    """A client of an arena, and how long it waited between its tries."""

    def __init__(self, arena: StandIn, patience: float = 30.0) -> None:
        self.naps: list[float] = []
        self.client = Client(
            arena.url, KEY, retry=Retry(patience=patience), seed=1, now=lambda: sum(self.naps), sleep=self.naps.append
        )

    def __enter__(self) -> "Asking":
        return self

    def __exit__(self, *error: object) -> None:
        self.client.close()


@pytest.mark.parametrize("trouble", ["503", "502", "lose"])
def test_a_fault_that_passes_is_waited_for_longer_each_time(arena: StandIn, trouble: str) -> None:
    arena.trouble["me"].extend([trouble] * 4)
    with Asking(arena) as asking:
        assert asking.client.me().id == ME
        least = [0.25 * 2**tries / 2 for tries in range(4)]
        assert all(low <= nap <= 2 * low for low, nap in zip(least, asking.naps, strict=True))


def test_the_same_seed_waits_the_same(arena: StandIn) -> None:
    naps = []
    for _ in range(2):
        arena.trouble["me"].extend(["503"] * 3)
        with Asking(arena) as asking:
            asking.client.me()
            naps.append(asking.naps)
    assert naps[0] == naps[1]


def test_the_patience_that_the_arena_asks_for_is_kept(arena: StandIn) -> None:
    arena.trouble["me"].extend(["429"])
    arena.patience_ms = 3500
    with Asking(arena) as asking:
        asking.client.me()
        assert 3.5 < asking.naps[0] < 4.0


def test_patience_ends_and_the_fault_is_told(arena: StandIn) -> None:
    arena.trouble["me"].extend(["503"] * 100)
    with Asking(arena, patience=5.0) as asking:
        with pytest.raises(ArenaRefusal) as refusal:
            asking.client.me()
        assert refusal.value.status == 503
        assert 2.0 < sum(asking.naps) <= 5.0


def test_what_is_no_passing_fault_is_told_at_once(arena: StandIn) -> None:
    with Asking(arena) as asking:
        with pytest.raises(ArenaRefusal) as refusal:
            asking.client.state("nowhere")
        assert (refusal.value.status, refusal.value.code) == (404, "match_not_found")
        asking.client.key = "another"
        with pytest.raises(ArenaRefusal, match="401 unauthorized"):
            asking.client.me()
        assert asking.naps == []


def test_an_action_whose_answer_was_lost_is_played_once(arena: StandIn) -> None:
    arena.trouble["action"].extend(["lose", "503", "lose"])
    with Asking(arena) as asking:
        match = asking.client.queue("liars-dice").match_id
        assert match
        state = asking.client.state(match)
        asking.client.act(match, state.sequence, {"type": "bid", "quantity": 20, "faceValue": 6})
        table = arena.tables[0]
        assert arena.heard.count("action") == 4
        assert len(table.played) == 1


def test_a_registration_that_may_have_been_heard_is_not_repeated(arena: StandIn) -> None:
    arena.trouble["register"].extend(["503", "lose"])
    with Asking(arena) as asking, pytest.raises(Unreached) as fault:
        asking.client.register("crab")
    assert fault.value.sent
    assert arena.heard == ["register", "register"]


def test_an_arena_that_is_not_there_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    naps: list[float] = []
    retry = Retry(patience=1.0)
    with Client(f"127.0.0.1:{port}", retry=retry, now=lambda: sum(naps), sleep=naps.append) as client:
        with pytest.raises(Unreached, match=f"cannot reach http://127.0.0.1:{port}: "):
            client.register("crab")
        assert naps


def test_an_answer_of_something_else_is_told(arena: StandIn) -> None:
    arena.trouble["me"].append("html")
    with Client(arena.url, KEY) as client, pytest.raises(Unreadable, match="the answer to GET /api/agents/me"):
        client.me()


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("localhost:8000/", "http://localhost:8000"),
        ("arena.example", "https://arena.example"),
        ("https://arena.example/some/path?x=1", "https://arena.example"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("HTTP://Arena.Example:80", "http://arena.example"),
    ],
)
def test_an_address_is_scheme_host_and_port(text: str, server: str) -> None:
    assert server_of(text) == server


@pytest.mark.parametrize("text", ["", "ftp://arena.example", "http://", "http://a b", "http://x:99999999"])
def test_what_is_no_address_is_told(text: str) -> None:
    with pytest.raises(ClientError, match="no address of an arena"):
        server_of(text)
