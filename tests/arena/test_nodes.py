"""Several nodes on one PostgreSQL: whoever serves an agent, it plays the same match."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from random import Random
from threading import Event
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import text, update

from calza.arena.arena import Arena
from calza.arena.clock import TurnedClock, settle
from calza.arena.course import HOUSE_LATE
from calza.arena.errors import ArenaError, StoreFault
from calza.arena.messages import GameOver, State
from calza.arena.settings import Settings
from calza.arena.store import waiting
from calza.arena.store.actions import Act, After
from calza.arena.store.agents import Agent
from calza.arena.store.done import Done
from calza.arena.store.matches import ById, LiveOf, Page, RecordOf
from calza.arena.store.ratings import History, Of
from calza.arena.store.schema import matches
from calza.arena.store.signals import MISSED
from calza.arena.store.store import Store
from calza.matches import read_record, verify
from calza.rules import Bid

from .house import LIAR, RESIGN, Place, bid

WINDOW = 120_000


class Nodes:
    """Some nodes, and what happens on them."""

    def __init__(self, places: list[Place], clock: TurnedClock) -> None:
        self.places, self.clock = places, clock
        self.first, self.second = places[:2]
        self.store = self.first.arena.store

    async def agents(self, *names: str) -> list[Agent]:
        return [await self.places[number % 2].agent(name) for number, name in enumerate(names)]

    async def texts(self, match: str) -> list[str]:
        return [one.text for one in await self.store.read(After(match))]


@asynccontextmanager
async def nodes(url: str, many: int, **changed: Any) -> AsyncIterator[Nodes]:
    clock, places = TurnedClock(), []
    try:
        for number in range(many):
            store = await Store.open(url)
            draw = Random(number).randbytes
            arena = await Arena.open(Settings(**changed), clock=clock, draw=draw, store=store)
            places.append(Place(arena, clock))
        yield Nodes(places, clock)
    finally:
        for place in places:
            await asyncio.gather(*place.arena.tables.tasks, return_exceptions=True)
            await place.arena.close()


@pytest.fixture
def share(postgres: Any) -> Callable[..., None]:
    """Does something on several nodes. Their loops do not run: the tests say who looks at what, and when."""

    def run(do: Callable[[Nodes], Coroutine[Any, Any, None]], many: int = 2, **changed: Any) -> None:
        async def all_of_it() -> None:
            async with nodes(postgres.database(), many, **changed) as found:
                await asyncio.wait_for(do(found), 60)

        asyncio.run(all_of_it())

    return run


async def refused(doing: Coroutine[Any, Any, Any]) -> ArenaError:
    with pytest.raises(ArenaError) as error:
        await doing
    return error.value


def test_any_node_serves_any_match(share: Any) -> None:
    async def do(here: Nodes) -> None:
        a, b = await here.agents("Ann", "Bob")
        match = await here.first.match(a, b)
        chance, sequence = Random(1), 0
        answer: State | GameOver | None = None
        while not isinstance(answer, GameOver):
            node = chance.choice(here.places)
            turn = await node.to_act(match, a, b)
            answer = await node.act(turn, match, sequence, LIAR if sequence % 2 else bid(5, 6))
            sequence += 1
        for place in here.places:
            assert isinstance(await place.state(a, match), GameOver)
        record = read_record(await here.store.read(RecordOf(match)) or b"")
        verify(record)
        assert [one.action for one in record.actions] == await here.texts(match)

    share(do)


def test_of_two_actions_that_race_on_two_nodes_one_is_acknowledged(share: Any) -> None:
    async def do(here: Nodes) -> None:
        a, b = await here.agents("Ann", "Bob")
        match = await here.first.match(a, b)
        for sequence in range(12):
            turn = await here.first.to_act(match, a, b)
            moves = (bid(1 + sequence, 2), bid(1 + sequence, 3))
            both = [place.act(turn, match, sequence, move) for place, move in zip(here.places, moves, strict=True)]
            answers = await asyncio.gather(*both, return_exceptions=True)
            states = [one for one in answers if isinstance(one, State)]
            errors = [one for one in answers if isinstance(one, ArenaError)]
            assert (len(states), len(errors)) == (1, 1)
            assert (errors[0].status, errors[0].more) == (409, {"currentSequence": sequence + 1})
            played = moves[answers.index(states[0])]
            assert (await here.texts(match))[sequence:] == [f"{played['quantity']}x{played['faceValue']}"]

    share(do)


def test_an_exact_repeat_on_another_node_gets_the_stored_answer(share: Any) -> None:
    async def do(here: Nodes) -> None:
        a, b = await here.agents("Ann", "Bob")
        match = await here.first.match(a, b)
        turn = await here.first.to_act(match, a, b)
        one, other = await asyncio.gather(*(place.act(turn, match, 0, bid(2, 3)) for place in here.places))
        assert one == other
        assert await here.texts(match) == ["2x3"]

    share(do)


def test_who_waits_on_another_node_is_woken(share: Any) -> None:
    async def do(here: Nodes) -> None:
        a, b = await here.agents("Ann", "Bob")
        match = await here.first.match(a, b)
        turn = await here.first.to_act(match, a, b)
        other = b if turn is a else a
        await here.second.state(other, match)
        held = asyncio.ensure_future(here.second.arena.tables.wait(other.id, match, None, 25.0))
        live = here.second.arena.tables.lives[match]
        live.followers += 1  # as a spectator's stream would
        while not live.waiters:
            await settle()
        follower = asyncio.ensure_future(live.changed(live.version))
        await here.first.act(turn, match, 0, bid(2, 3))
        assert (await asyncio.wait_for(held, 20)).status == "your_turn"
        await asyncio.wait_for(follower, 20)
        live.followers -= 1

    share(do)


def test_an_agent_hears_on_another_node_that_a_match_is_found_unless_it_knows(share: Any) -> None:
    async def do(here: Nodes) -> None:
        a, b = await here.agents("Ann", "Bob")
        await here.first.queue(a)
        heard = here.second.arena.feed(a.id)
        match = (await here.first.queue(b)).match_id
        await asyncio.wait_for(heard.wait(), 20)
        lobbies = [place.arena.lobby for place in here.places]
        assert await lobbies[1].found(a) == [(match, "liars-dice")]
        assert [await lobby.found(b) for lobby in lobbies] == [[], []], "its call on the first was answered with it"
        await lobbies[1].told(a, str(match))
        assert [await lobby.found(a) for lobby in lobbies] == [[], []]
        here.second.arena.unfeed(a.id, heard)

    share(do)


def test_a_node_that_was_cut_off_looks_at_everything_anew(share: Any) -> None:
    listening = "query = 'LISTEN calza' AND datname = current_database()"
    cut = text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {listening}")

    async def do(here: Nodes) -> None:
        a, b = await here.agents("Ann", "Bob")
        match = await here.first.match(a, b)
        turn = await here.first.to_act(match, a, b)
        other = b if turn is a else a
        held = asyncio.ensure_future(here.second.arena.tables.wait(other.id, match, None, 25.0))
        while match not in here.second.arena.tables.lives or not here.second.arena.tables.lives[match].waiters:
            await asyncio.sleep(0)
        missed = asyncio.Event()
        here.second.arena.store.listen(lambda topic, _: missed.set() if topic == MISSED else None)
        await here.store.read(lambda db: db.execute(cut).all())
        await here.first.act(turn, match, 0, bid(2, 3))
        assert (await asyncio.wait_for(held, 20)).status == "your_turn"
        await asyncio.wait_for(missed.wait(), 20)

    share(do)


def test_nobody_who_queues_on_both_nodes_sits_twice_and_seeds_are_used_in_their_order(share: Any) -> None:
    async def do(here: Nodes) -> None:
        agents = await here.agents(*(f"A{one:02}" for one in range(10)))
        for _ in range(3):
            answers = await asyncio.gather(*(place.queue(agent) for agent in agents for place in here.places))
            assert {one.status for one in answers} <= {"matched", "queued", "already_queued"}
            here.clock.now += 60_000  # by now everybody reaches everybody
            for _ in range(3):
                await asyncio.gather(*(place.arena.pair() for place in here.places))
            for agent, said in zip(agents, zip(answers[::2], answers[1::2], strict=True), strict=True):
                held = await here.store.read(LiveOf(agent.id))
                assert len(held) == 1
                assert {one.match_id for one in said if one.status == "matched"} <= {held[0].match}
                assert await here.store.read(waiting.Of(agent.id)) == []
            for number, one in enumerate((await here.store.read(Page("live", limit=100))).rows):
                first, second = (row.agent for row in one.players)
                node = here.places[number % 2]
                await node.arena.tables.act(first, one.match.id, 0, RESIGN)
                assert isinstance(await node.arena.tables.state(second, one.match.id), GameOver)
        found = (await here.store.read(Page(limit=100))).rows
        assert sorted(one.match.seed_number for one in found) == list(range(1, 16))

    share(do, fill_after=86_400.0)


def test_two_matches_of_an_agent_that_end_at_once_on_two_nodes_are_both_rated(share: Any) -> None:
    async def do(here: Nodes) -> None:
        a, b, c = await here.agents("Ann", "Bob", "Cid")
        found = []
        for other in (b, c):
            await here.first.queue(a, matches=2)
            found.append(str((await here.second.queue(other)).match_id))
        ends = [place.act(a, match, 0, RESIGN) for place, match in zip(here.places, found, strict=True)]
        over = await asyncio.gather(*ends)
        assert all(isinstance(one, GameOver) and one.rating for one in over)
        [rated] = await here.store.read(Of(a.id))
        points = await here.store.read(History(a.id, "liars-dice", "2"))
        assert (rated.games, len(points)) == (2, 2)
        rows = [row for match in found for row in await players(here, match) if row.agent == a.id]
        early, late = sorted(rows, key=lambda row: -row.after.mu)
        assert late.before == early.after
        assert (rated.mu, rated.sigma) == (late.after.mu, late.after.sigma)

    share(do)


async def players(here: Nodes, match: str) -> Any:
    found = await here.store.read(ById(match))
    assert found
    return found.players


def test_the_matches_of_a_node_that_is_killed_while_it_writes_go_on_at_the_next_request(share: Any) -> None:
    async def do(here: Nodes) -> None:
        a, b = await here.agents("Ann", "Bob")
        match = await here.first.match(a, b)
        turn = await here.first.to_act(match, a, b)
        await here.first.act(turn, match, 0, bid(2, 3))
        held, killed = Event(), Event()
        pids: list[int] = []

        def stuck(db: Any) -> None:
            pids.append(db.scalar(text("SELECT pg_backend_pid()")))
            held.set()
            killed.wait(20)

        sticking = asyncio.ensure_future(here.first.arena.store.write(stuck))
        await asyncio.to_thread(held.wait, 20)
        turn = await here.second.to_act(match, a, b)
        lost = asyncio.ensure_future(here.first.act(turn, match, 1, bid(3, 3)))  # it waits behind the other
        await settle()
        lost.cancel()
        end = text("SELECT pg_terminate_backend(:pid)")
        assert await here.second.arena.store.read(lambda db: db.scalar(end, {"pid": pids[0]}))

        answer = await here.second.act(turn, match, 1, bid(3, 3))
        assert (answer.status, answer.sequence) == ("waiting", 2)
        # What the first still had to write comes too late, whatever becomes of it.
        killed.set()
        with suppress(StoreFault):
            await sticking
        assert await here.texts(match) == ["2x3", "3x3"]
        turn = await here.second.to_act(match, a, b)
        assert isinstance(await here.second.act(turn, match, 2, RESIGN), GameOver)

    share(do)


def test_a_turn_that_ends_is_ruled_on_once_whoever_looks(share: Any) -> None:
    async def do(here: Nodes) -> None:
        a, b = await here.agents("Ann", "Bob")
        match = await here.first.match(a, b)
        turn = await here.first.to_act(match, a, b)
        here.clock.now += WINDOW - 1000
        await here.first.act(turn, match, 0, bid(2, 3))
        here.clock.now += WINDOW - 1
        await asyncio.gather(*(place.arena.tables.sweep() for place in here.places))
        assert await here.texts(match) == ["2x3"], "its clock began when the other had moved"
        here.clock.now += 1
        await asyncio.gather(*(place.arena.tables.sweep() for place in here.places))
        assert await here.texts(match) == ["2x3", "forfeit:timeout"]
        over = [await place.state(turn, match) for place in here.places]
        assert over[0] == over[1]
        assert isinstance(over[0], GameOver)
        assert over[0].reason == "timeout"

    share(do, many=3)


def test_the_house_moves_on_another_node_when_its_own_was_killed(share: Any) -> None:
    async def do(here: Nodes) -> None:
        [a] = await here.agents("Ann")
        await here.first.queue(a)
        here.clock.now += 11_000
        await here.first.arena.pair()
        match = str((await here.first.queue(a)).match_id)
        state = await here.first.state(a, match)
        while state.status != "your_turn":  # the house may open
            state = await here.first.arena.tables.wait(a.id, match, None, 25.0)
        # The first commits a move and is killed at once, before the house has moved.
        live, may = here.first.arena.tables.lives[match], state.view.legal_actions
        assert may
        quantity, face = next((least, face) for face, least in may.least.items() if least)
        now, seat = here.clock.now, live.seats[a.id]
        moved = Done(match, state.sequence, seat, f"{quantity}x{face}", now, now + HOUSE_LATE, token=b"t" * 16)
        assert await here.store.write(Act(moved))
        before = len(await here.texts(match))
        await here.second.arena.tables.sweep()
        assert len(await here.texts(match)) == before, "it is not late yet"
        here.clock.now += HOUSE_LATE
        await here.second.arena.tables.sweep()
        assert len(await here.texts(match)) > before
        assert (await here.second.state(a, match)).status in ("your_turn", "game_over")

    share(do, house=("cautious",))


def test_the_house_moves_in_time_on_another_node_whenever_its_own_dies(share: Any) -> None:
    """Its turns are short and a player's are long; who looks too soon in between must not look too late afterwards."""

    async def do(here: Nodes) -> None:
        [a] = await here.agents("Ann")
        await here.first.queue(a)
        here.clock.now += 11_000
        await here.first.arena.pair()
        match = str((await here.first.queue(a)).match_id)
        first, second = (place.arena.tables for place in here.places)
        state = await here.first.arena.tables.wait(a.id, match, None, 25.0)
        for think_ms in (10, 60_000, 3000, 119_000, 10, 60_000):
            if state.status == "game_over":
                break
            for tables in (first, second):  # the clock of the match may be that of a turn before
                here.clock.now += think_ms // 2
                await tables.sweep()
            may = state.view.legal_actions
            assert may
            quantity, face = next((least, int(face)) for face, least in may.least.items() if least)
            answer = await here.first.act(a, match, state.sequence, bid(quantity, face))
            assert answer.sequence == state.sequence + 1
            killed = list(first.tasks)  # those in which the house would have moved
            for task in killed:
                task.cancel()
            await asyncio.gather(*killed, return_exceptions=True)
            here.clock.now += HOUSE_LATE - 1
            await second.sweep()
            assert len(await here.texts(match)) == answer.sequence, "it is not late yet"
            here.clock.now += 1
            await second.sweep()
            assert len(await here.texts(match)) > answer.sequence
            state = await here.second.arena.tables.wait(a.id, match, None, 25.0)
        assert state.sequence > 4

    share(do, house=("cautious",))


def test_a_short_turn_is_looked_at_in_time_though_another_node_has_put_the_clock_up(share: Any) -> None:
    async def do(here: Nodes) -> None:
        [a] = await here.agents("Ann")
        await here.first.queue(a)
        here.clock.now += 11_000
        await here.first.arena.pair()
        match = str((await here.first.queue(a)).match_id)
        tables = here.first.arena.tables
        state = await tables.wait(a.id, match, None, 25.0)
        live, now = tables.lives[match], here.clock.now
        turn = Done(match, live.sequence - 1, 0, "", now, now + 60_000)
        live.done = [*live.done[:-1], turn]  # a player's turn, which ends in a minute
        live.match = replace(live.match, due_ms=now)  # as this node saw it last
        await here.store.write(lambda db: db.execute(update(matches).values(due_ms=now + 60_000)))
        may = state.view.legal_actions
        assert may
        quantity, face = next((least, int(face)) for face, least in may.least.items() if least)
        assert await tables.commit(live, live.seats[a.id], Bid(quantity, face))
        found = await here.store.read(ById(match))
        assert found
        assert found.match.due_ms == now + HOUSE_LATE

    share(do, house=("cautious",))


def test_a_node_that_joins_others_gives_no_time_back(share: Any) -> None:
    async def do(here: Nodes) -> None:
        a, b = await here.agents("Ann", "Bob")
        match = await here.first.match(a, b)
        due = (await here.first.arena.tables.live(match)).due_ms
        await here.first.arena.start()
        here.clock.now += 60_000
        await here.first.arena.beat()
        await here.second.arena.start()
        assert (await here.second.arena.tables.live(match)).due_ms == due
        await here.second.arena.stop()
        await here.first.arena.stop()
        third, now = here.places[2].arena, here.clock.now
        here.clock.now += 600_000
        await third.start()
        assert (await third.tables.live(match)).due_ms == (due or 0) + here.clock.now - now
        await third.stop()

    share(do, many=3)
