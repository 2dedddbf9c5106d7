"""A bot online: it signs in, waits, plays, waits again, and stops when it is told to."""

import asyncio
import json
import stat
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from calza.agents.entry import parse_entry
from calza.client import ArenaRefusal, AsyncClient, ClientError, Retry, Unreached
from calza.client.account import sign_in
from calza.client.errors import Superseded
from calza.client.events import Away, Back, Dropped, Ended, Event, Known, Matched, Queued, Registered, Stopping
from calza.client.keys import Keys
from calza.client.replies import Agent
from calza.client.session import Session, Wish
from calza.rules import CATALOG
from tests.client.standin import KEY, ME, StandIn

HASTY = Retry(patience=0.2, least=0.01, most=0.05)


@pytest.fixture
def arena() -> Iterator[StandIn]:
    """An arena."""
    with StandIn(seed=5) as arena:
        yield arena


class Online:
    """A bot online, and what was told of it."""

    def __init__(self, arena: StandIn, folder: Path) -> None:
        self.arena, self.folder = arena, folder
        self.told: list[Event] = []

    async def run(
        self, then: Callable[[Session], Awaitable[None]] | None = None, bot: str = "cautious", **wish: object
    ) -> None:
        """Be online until it is enough, while `then` happens."""
        async with AsyncClient(self.arena.url, KEY, retry=HASTY, seed=1) as client:
            entry = parse_entry(bot, folder=self.folder)
            asked = Wish(**wish)  # type: ignore[arg-type]
            agent = Agent(id=ME, name="crab")
            rules, log = CATALOG[asked.game], self.folder / "log"
            session = Session(client, agent, rules, entry, log, asked, self.told.append, draw=lambda: 1)
            running = asyncio.create_task(session.run())
            try:
                if then:
                    await then(session)
                await running
            finally:
                running.cancel()
                await asyncio.wait({running})

    def kinds(self) -> list[type]:
        """What kinds of things were told."""
        return [type(one) for one in self.told]


@pytest.fixture
def online(arena: StandIn, tmp_path: Path) -> Online:
    """A bot that may go online."""
    return Online(arena, tmp_path)


def heard(arena: StandIn, moment: str) -> Awaitable[None]:
    """Wait until the arena has heard something."""
    return asyncio.to_thread(arena.until, moment)


# --- waiting and playing


@pytest.mark.parametrize("http", [False, True], ids=["sockets", "http"])
def test_it_plays_as_many_matches_as_are_wanted(online: Online, http: bool) -> None:
    asyncio.run(online.run(matches=3, http=http, players=3, lane="standard", opponents="agents", game="joker"))
    assert online.kinds() == [Matched, Ended] * 3
    assert [table.game.over for table in online.arena.tables] == [True] * 3
    asked = online.arena.asked
    assert asked
    assert len(asked.pop("salt")) == 16
    assert asked == {"gameId": "joker", "lane": "standard", "players": 3, "opponents": "agents"}
    if http:
        assert not any("socket" in one for one in online.arena.heard)


def test_a_match_that_is_found_is_played_without_asking_again(online: Online) -> None:
    arena = online.arena
    arena.waits = 99

    async def find(session: Session) -> None:
        await heard(arena, "agent socket")
        await heard(arena, "queue")
        await asyncio.to_thread(arena.find)

    asyncio.run(online.run(find, matches=1))
    assert online.kinds() == [Queued, Matched, Ended]
    assert online.told[0] == Queued(game="liars-dice", position=1)
    assert arena.heard.count("queue") == 1


def test_over_http_it_asks_until_a_match_is_found(online: Online) -> None:
    online.arena.waits = 1
    asyncio.run(online.run(matches=1, http=True))
    assert online.kinds() == [Queued, Matched, Ended]
    assert online.arena.heard.count("queue") == 2


def test_an_arena_that_is_away_while_it_waits_is_waited_for(online: Online) -> None:
    online.arena.trouble["queue"].extend(["503", "lose", "502"] * 6)
    asyncio.run(online.run(matches=1))
    assert online.kinds() == [Away, Back, Matched, Ended]


def test_a_match_that_is_not_there_is_dropped(online: Online) -> None:
    arena = online.arena
    arena.trouble["state"].append("404")
    asyncio.run(online.run(matches=1))
    assert online.kinds() == [Dropped, Matched, Ended]


def test_only_one_connection_of_an_agent_waits(online: Online) -> None:
    arena = online.arena
    arena.waits = 99

    async def replace(session: Session) -> None:
        await heard(arena, "agent socket")
        await heard(arena, "queue")
        await asyncio.to_thread(arena.tell, {"type": "replaced"})

    with pytest.raises(Superseded, match="another connection of crab has taken over"):
        asyncio.run(online.run(replace))


def test_a_key_that_is_not_known_any_more_is_told(online: Online) -> None:
    online.arena.known = False
    with pytest.raises(ArenaRefusal) as refusal:
        asyncio.run(online.run())
    assert refusal.value.status == 401


def test_a_bot_that_does_not_start_never_queues(online: Online) -> None:
    (online.folder / "half.py").write_text("class Half(")
    with pytest.raises(ClientError, match=r"half cannot be started: half\.py cannot be loaded: SyntaxError"):
        asyncio.run(online.run(bot="half.py"))
    assert "queue" not in online.arena.heard


def test_a_bot_that_broke_is_started_anew_for_the_next_match(online: Online) -> None:
    (online.folder / "breaks.py").write_text("class Breaks:\n    def act(self, view):\n        1 / 0\n")
    asyncio.run(online.run(bot="breaks.py", matches=2))
    ends = [one.reason for one in online.told if isinstance(one, Ended)]
    assert ends == ["resigned", "resigned"]


# --- stopping


def test_who_stops_while_it_waits_leaves_the_queue(online: Online) -> None:
    arena = online.arena
    arena.waits = 99

    async def stop(session: Session) -> None:
        await heard(arena, "queue")
        session.stop()

    asyncio.run(online.run(stop))
    assert arena.heard[-1] == "leave"
    assert arena.tables == []


def test_who_stops_while_it_plays_finishes_the_match(online: Online) -> None:
    arena = online.arena
    arena.held = True

    async def stop(session: Session) -> None:
        await heard(arena, "game socket")
        session.stop()
        await asyncio.to_thread(arena.release)

    asyncio.run(online.run(stop))
    assert online.kinds() == [Matched, Stopping, Ended]
    assert len(arena.tables) == 1


def test_a_match_that_is_found_while_it_leaves_is_played(online: Online) -> None:
    arena = online.arena
    arena.waits = 99

    async def stop(session: Session) -> None:
        await heard(arena, "queue")
        arena.agents.clear()  # who hears nothing of it
        await asyncio.to_thread(arena.find)
        session.stop()

    asyncio.run(online.run(stop))
    assert [kind for kind in online.kinds() if kind is not Queued] == [Stopping, Matched, Ended]


def test_who_stops_while_the_arena_is_away_does_not_wait_for_it(online: Online) -> None:
    arena = online.arena
    arena.trouble["queue"].extend(["503"] * 999)
    arena.trouble["leave"].extend(["503"] * 999)

    async def stop(session: Session) -> None:
        while Away not in online.kinds():
            await asyncio.sleep(0.01)
        session.stop()

    with pytest.raises(ClientError, match="the queue was not left, the arena answered 503"):
        asyncio.run(online.run(stop))


# --- who it is


def signed_in(arena: StandIn, keys: Keys, name: str = "crab", model: str | None = None) -> list[Event]:
    """Sign in; what was told."""
    told: list[Event] = []

    async def be() -> None:
        async with AsyncClient(arena.url, retry=HASTY) as client:
            await sign_in(client, name, model, keys, told.append)
            assert client.key == KEY

    asyncio.run(be())
    return told


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    """Where keys are kept."""
    return Keys(tmp_path / "keys.json")


def test_an_agent_registers_once_and_is_known_from_then_on(arena: StandIn, keys: Keys) -> None:
    [new] = signed_in(arena, keys)
    assert isinstance(new, Registered)
    assert KEY not in json.dumps(str(new))
    assert stat.S_IMODE(keys.path.stat().st_mode) == 0o600
    assert signed_in(arena, keys, "CRAB") == [Known(name="crab", id=ME, server=arena.url)]
    assert arena.heard == ["register", "me"]


def test_a_model_is_told_once(arena: StandIn, keys: Keys) -> None:
    signed_in(arena, keys)
    signed_in(arena, keys, model="one")
    signed_in(arena, keys, model="one")
    assert arena.names["crab"]["model"] == "one"
    with pytest.raises(ClientError, match="crab plays as model one, which cannot be changed"):
        signed_in(arena, keys, model="two")


def test_a_name_that_somebody_else_has_is_told(arena: StandIn, keys: Keys) -> None:
    signed_in(arena, keys)
    keys.path.unlink()
    with pytest.raises(ClientError, match=r"somebody is called crab at .*choose another --name"):
        signed_in(arena, keys)


def test_a_key_that_is_refused_is_kept_all_the_same(arena: StandIn, keys: Keys) -> None:
    signed_in(arena, keys)
    before = keys.path.read_bytes()
    arena.known = False
    with pytest.raises(ClientError, match=r"does not know the key of crab in .*remove the entry"):
        signed_in(arena, keys)
    assert keys.path.read_bytes() == before


def test_who_cannot_keep_a_key_does_not_register(arena: StandIn, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        signed_in(arena, Keys(tmp_path / "file" / "keys.json"))
    assert arena.heard == []


def test_an_arena_that_is_not_there_is_told(keys: Keys) -> None:
    arena = StandIn()
    arena.socket.close()
    with pytest.raises(Unreached):
        signed_in(arena, keys)
