"""A whole match online is the same match, whatever happens to the lines that it is played on."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from calza.agents.entry import parse_entry
from calza.client import ArenaRefusal, AsyncClient, Retry
from calza.client.errors import Superseded
from calza.client.events import Away, Back, Ended, Event, Failed, Fallback, Matched
from calza.client.match import Match
from calza.client.outage import Outage
from calza.client.replies import GameOver
from calza.client.seat import Seat
from calza.rules import CATALOG
from tests.client.standin import KEY, ME, StandIn

HASTY = Retry(patience=0.2, least=0.01, most=0.05)


@pytest.fixture
def arena() -> Iterator[StandIn]:
    """An arena with a match that waits for us."""
    with StandIn(seed=5) as arena:
        yield arena


class Playing:
    """A bot plays a match, and what was told of it."""

    def __init__(self, arena: StandIn, folder: Path, bot: str = "cautious", http: bool = False) -> None:
        self.arena, self.folder, self.bot, self.http = arena, folder, bot, http
        self.told: list[Event] = []

    async def play(self, game: str = "liars-dice", players: int = 2) -> GameOver:
        """Play to the end."""
        async with AsyncClient(self.arena.url, KEY, retry=HASTY, seed=1) as client:
            id = (await client.queue(game, "fast", players)).match_id
            assert id
            seat = await Seat.take(parse_entry(self.bot, folder=self.folder), self.folder / "log", seed=1)
            outage = Outage(self.told.append, client.retry, client.chance)
            try:
                return await Match(client, id, CATALOG[game], seat, self.told.append, outage, self.http).play()
            finally:
                await seat.close()

    def run(self, game: str = "liars-dice", players: int = 2) -> GameOver:
        """The same, from start to end."""
        return asyncio.run(self.play(game, players))

    @property
    def kinds(self) -> list[type]:
        """What kinds of things were told."""
        return [type(one) for one in self.told]


def plies(arena: StandIn) -> Sequence[object]:
    """What was done in the first match."""
    return arena.tables[0].game.plies


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Sequence[object]:
    """What is done in the match when nothing goes wrong."""
    with StandIn(seed=5) as arena:
        Playing(arena, tmp_path_factory.mktemp("bot")).run()
        assert "action" not in arena.heard
        return plies(arena)


def test_over_http_it_is_the_same_match(arena: StandIn, tmp_path: Path, undisturbed: Sequence[object]) -> None:
    Playing(arena, tmp_path, http=True).run()
    assert plies(arena) == undisturbed


@pytest.mark.parametrize(
    "troubles",
    [
        {"game socket": ["drop"] * 4},
        {"game socket": ["lose"] * 4},
        {"game socket": ["drop", "lose", "refuse", "lose"], "action": ["lose", "503", "lose"]},
        {"state": ["503", "lose", "502"] * 3, "game socket": ["lose", "drop"]},
        {"state": ["503"] * 40},
        {"game socket": ["refuse"] * 99, "state": ["lose"] * 7, "action": ["lose", "502", "429"] * 9},
    ],
    ids=["before each action", "after each action", "in turns", "http too", "long away", "no sockets"],
)
def test_no_turn_is_lost_with_a_line(
    arena: StandIn, tmp_path: Path, undisturbed: Sequence[object], troubles: dict[str, list[str]]
) -> None:
    for what, some in troubles.items():
        arena.trouble[what].extend(some)
    Playing(arena, tmp_path).run()
    assert plies(arena) == undisturbed


def test_a_silent_arena_is_told_once_and_its_return_once(arena: StandIn, tmp_path: Path) -> None:
    arena.trouble["state"].extend(["503"] * 40)
    playing = Playing(arena, tmp_path)
    playing.run()
    assert playing.kinds == [Away, Back, Matched]


def test_a_line_that_breaks_while_the_others_play_is_opened_again(
    arena: StandIn, tmp_path: Path, undisturbed: Sequence[object]
) -> None:
    async def disturbed() -> None:
        arena.held = True
        playing = Playing(arena, tmp_path)
        match = asyncio.create_task(playing.play())
        await asyncio.to_thread(arena.until, "game socket")
        arena.again("game socket")
        await asyncio.to_thread(arena.drop, 1012)
        await asyncio.to_thread(arena.until, "game socket")
        await asyncio.to_thread(arena.release)
        await match
        assert playing.kinds in ([Matched, Away, Back], [Matched])

    asyncio.run(disturbed())
    assert plies(arena) == undisturbed


def test_over_http_it_waits_for_the_others(arena: StandIn, tmp_path: Path, undisturbed: Sequence[object]) -> None:
    async def waited() -> None:
        arena.held = True
        match = asyncio.create_task(Playing(arena, tmp_path, http=True).play())
        await asyncio.to_thread(arena.until, "state")
        await asyncio.to_thread(arena.release)
        await match

    asyncio.run(waited())
    assert plies(arena) == undisturbed


def test_without_sockets_it_is_said_once(arena: StandIn, tmp_path: Path) -> None:
    arena.trouble["game socket"].extend(["refuse"] * 99)
    playing = Playing(arena, tmp_path)
    playing.run()
    assert playing.kinds == [Matched, Fallback]
    assert playing.told[1] == Fallback(why="the arena answers 503 to a socket")


def test_a_match_that_somebody_else_has_taken_over_is_left_to_them(arena: StandIn, tmp_path: Path) -> None:
    async def taken() -> None:
        arena.held = True
        match = asyncio.create_task(Playing(arena, tmp_path).play())
        await asyncio.to_thread(arena.until, "game socket")
        await asyncio.to_thread(arena.drop, 1000)
        with pytest.raises(Superseded, match="another connection plays this match"):
            await match

    asyncio.run(taken())


@pytest.mark.parametrize(("code", "status"), [(4403, 403), (4404, 404)])
def test_a_match_that_is_not_ours_is_not_played(arena: StandIn, tmp_path: Path, code: int, status: int) -> None:
    async def refused() -> None:
        arena.held = True
        match = asyncio.create_task(Playing(arena, tmp_path).play())
        await asyncio.to_thread(arena.until, "game socket")
        await asyncio.to_thread(arena.drop, code)
        with pytest.raises(ArenaRefusal) as refusal:
            await match
        assert refusal.value.status == status

    asyncio.run(refused())


def test_a_key_that_is_revoked_in_a_match_is_told(arena: StandIn, tmp_path: Path) -> None:
    async def revoked() -> None:
        arena.held = True
        match = asyncio.create_task(Playing(arena, tmp_path).play())
        await asyncio.to_thread(arena.until, "game socket")
        arena.known = False
        await asyncio.to_thread(arena.drop, 1011)
        with pytest.raises(ArenaRefusal) as refusal:
            await match
        assert refusal.value.status == 401

    asyncio.run(revoked())


# --- bots that fail

STUMBLES = """
class Stumbles:
    tries = 0

    def act(self, view):
        self.tries += 1
        if self.tries % 2:
            return "1x1" if view.bid else "liar"
        return "liar" if view.bid else "1x2"
"""
INSISTS = """
class Insists:
    def act(self, view):
        return "30x6" if view.round > 1 or view.bid else "1x2"
"""
BREAKS = """
class Breaks:
    def act(self, view):
        if view.round > 1:
            raise KeyError("lost")
        return "liar" if view.bid else "1x2"
"""


@pytest.mark.parametrize("http", [False, True], ids=["socket", "http"])
def test_an_illegal_action_may_be_taken_back_once(arena: StandIn, tmp_path: Path, http: bool) -> None:
    (tmp_path / "stumbles.py").write_text(STUMBLES)
    playing = Playing(arena, tmp_path, "stumbles.py", http)
    assert playing.run().reason == "completed"
    faults = [one for one in playing.told if isinstance(one, Failed)]
    assert {(one.kind, one.then) for one in faults} == {("illegal", "it is asked once more")}


@pytest.mark.parametrize("http", [False, True], ids=["socket", "http"])
def test_a_bot_that_breaks_resigns(arena: StandIn, tmp_path: Path, http: bool) -> None:
    (tmp_path / "breaks.py").write_text(BREAKS)
    playing = Playing(arena, tmp_path, "breaks.py", http)
    assert playing.run().reason == "resigned"
    [fault] = [one for one in playing.told if isinstance(one, Failed)]
    assert (fault.kind, fault.then) == ("crash", "it resigns the match")
    assert "KeyError: 'lost'" in fault.why + fault.detail


def test_an_action_that_only_the_arena_refuses_is_taken_back_too(arena: StandIn, tmp_path: Path) -> None:
    arena.stubborn = 1
    playing = Playing(arena, tmp_path)
    assert playing.run().reason == "completed"
    [fault] = [one for one in playing.told if isinstance(one, Failed)]
    assert (fault.kind, fault.why, fault.then) == ("illegal", "not today", "it is asked once more")


@pytest.mark.parametrize("http", [False, True], ids=["socket", "http"])
def test_whoever_has_no_legal_action_leaves_it_to_the_clock(arena: StandIn, tmp_path: Path, http: bool) -> None:
    (tmp_path / "insists.py").write_text(INSISTS.replace("30x6", "31x6"))

    async def waited() -> GameOver:
        playing = Playing(arena, tmp_path, "insists.py", http)
        match = asyncio.create_task(playing.play())
        while not any(isinstance(one, Failed) and one.then == "the arena's clock decides" for one in playing.told):
            await asyncio.sleep(0.01)
        await asyncio.to_thread(arena.time_out)
        return await match

    assert asyncio.run(waited()).reason == "timeout"
    assert CATALOG["liars-dice"].cap == 30


def test_an_end_is_told_in_full(arena: StandIn, tmp_path: Path) -> None:
    from calza.client.session import ended, places

    over = Playing(arena, tmp_path).run()
    told = ended(over, ME)
    assert told == Ended(
        match="000match",
        outcome="win" if told.place == 1 else "loss",
        place=told.place,
        players=2,
        reason="completed",
        before=25.0,
        after=26.125,
        replay="/matches/000match",
    )
    assert places(over) == list(arena.tables[0].game.places)
