"""A match in memory: it is what the store has, its turns end when they should, and nobody sleeps through its turn."""

import asyncio
from random import Random
from typing import Any

import pytest

from calza.arena.clock import settle
from calza.arena.course import HOUSE_LATE
from calza.arena.live import Live
from calza.arena.messages import GameOver, State
from calza.arena.moves import sent_move
from calza.arena.store.agents import Agent
from calza.arena.store.matches import ById, Overdue
from calza.arena.store.seated import Seated
from calza.rules import RESIGN as RESIGNS
from calza.rules.actions import parse_action
from tests.strategies import low_bids

from .house import RESIGN, Place, bid, played

WINDOW = 120_000
LOOK = 250  # milliseconds between looks at the clocks
NAMES = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay")


async def table(place: Place, players: int, **more: Any) -> tuple[Live, dict[str, Agent]]:
    agents = [await place.agent(name) for name in NAMES[:players]]
    live = await place.arena.tables.live(await place.match(*agents, **more))
    return live, {agent.id: agent for agent in agents}


async def some_move(place: Place, live: Live, agents: dict[str, Agent], chance: Random) -> None:
    """A legal move of whoever is to act; now and then somebody resigns."""
    rules, legal = live.game.table.rules, live.game.legal(live.game.turn)
    turn = live.to_act()
    assert turn
    if chance.random() < 0.1:
        row = chance.choice([row for row in live.rows if live.game.state.dice[row.seat]])
        await place.act(agents[row.agent], live.match.id, live.sequence, sent_move(RESIGNS, rules))
        return
    text = chance.choice(legal.calls if legal.calls and chance.random() < 0.4 else low_bids(legal) or legal.calls)
    await place.act(agents[turn.agent], live.match.id, live.sequence, sent_move(parse_action(str(text), rules), rules))


async def check_stored(place: Place, live: Live) -> None:
    assert await place.arena.store.read(ById(live.match.id)) == Seated(live.match, live.joined)


# --- what the store has


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("how", ["played", "aborted", "timeouts"])
def test_a_match_in_memory_is_the_one_that_is_stored_from_its_first_action_to_its_end(players: int, how: str) -> None:
    async def do(place: Place) -> None:
        chance = Random(players + 10)
        live, agents = await table(place, players)
        while not live.finished:
            if how == "timeouts" and chance.random() < 0.3:
                await place.leap(WINDOW)
            elif how == "aborted" and live.sequence >= players:
                await place.arena.tables.abort(live.match.id)
            else:
                await place.leap(chance.randrange(1000))
                await some_move(place, live, agents, chance)
            await check_stored(place, live)
        assert live.match.status == ("aborted" if how == "aborted" else "completed")
        assert (live.joined[0].after is None) == (how == "aborted")
        assert all(row.out_ms is not None for row in live.joined)

    played(do)


def test_who_went_out_before_the_end_went_out_then() -> None:
    async def do(place: Place) -> None:
        live, agents = await table(place, 4)
        first, second = list(agents.values())[:2]
        outs = {}
        for agent in (first, second):
            outs[agent.id] = place.clock.now
            await place.act(agent, live.match.id, live.sequence, RESIGN)
            await place.clock.turn(5000)
        await place.arena.tables.abort(live.match.id)
        assert {row.agent: row.out_ms for row in live.joined} == dict.fromkeys(agents, place.clock.now) | outs
        await check_stored(place, live)

    played(do)


# --- clocks


@pytest.mark.parametrize("seed", range(3))
def test_a_turn_ends_when_its_time_is_over_and_not_before(seed: int) -> None:
    async def do(place: Place) -> None:
        chance = Random(seed)
        live, agents = await table(place, 6)
        match, tables = live.match.id, place.arena.tables
        late = 0
        while not live.finished:
            live = await tables.live(match)
            assert live.due_ms is not None
            assert live.match.due_ms is not None
            assert live.match.due_ms <= live.due_ms, "somebody looks in time"
            due, sequence, left = live.due_ms, live.sequence, live.due_ms - place.clock.now
            match chance.randrange(8):
                case 0:
                    await place.leap(left - 1)
                    assert live.sequence == sequence, "not before"
                    await place.clock.turn(LOOK)
                    assert live.sequence == sequence + 1
                    assert live.done[-1].text == "forfeit:timeout"
                    late += 1
                case 1:
                    down = chance.choice((100, 30_000, 3_600_000))
                    await place.restart(down_ms=down)
                    tables = place.arena.tables
                    live = await tables.live(match)
                    assert live.due_ms is not None
                    assert down <= live.due_ms - due <= down + 1000, "the last sign of life may be a second old"
                case _:
                    await place.leap(min(left - 1, chance.randrange(WINDOW)))
                    assert live.sequence == sequence
                    await some_move(place, live, agents, chance)
                    if not live.finished:
                        assert live.due_ms == place.clock.now + WINDOW
        assert late or seed

    played(do)


def test_a_turn_of_the_house_that_nobody_makes_is_made_when_it_is_late() -> None:
    """The process is killed each time, just before the house would have moved, after players who took their time."""

    async def do(place: Place) -> None:
        a = await place.agent("Ann")
        await place.queue(a)
        await place.clock.turn(11_000)
        match = str((await place.queue(a)).match_id)
        chance, made = Random(3), 0
        await place.state(a, match)
        for _ in range(12):
            await settle()
            live = await place.arena.tables.live(match)
            if live.finished:
                break
            await place.clock.turn(chance.choice((10, 3000, 70_000)))
            legal = live.game.legal(live.game.turn)
            least = [(quantity, face) for face, quantity in enumerate(legal.least) if quantity]
            sequence = live.sequence
            answer = await place.act(a, match, sequence, bid(*min(least)) if least else {"type": "challenge"})
            if not isinstance(answer, State) or answer.status != "waiting":
                continue
            now = place.clock.now
            await place.restart()
            live = await place.arena.tables.live(match)
            assert live.due_ms is not None
            assert HOUSE_LATE <= live.due_ms - now <= HOUSE_LATE + 1000
            await place.leap(live.due_ms - place.clock.now - 1)
            assert live.sequence == sequence + 1, "not before"
            await place.clock.turn(LOOK)
            assert live.sequence > sequence + 1
            made += 1
        assert made > 3

    played(do, house=("cautious",))


# --- who is woken


class Socket:
    """What a socket of a seat does: it looks, tells, which may take a while, and waits for news."""

    def __init__(self, place: Place, live: Live, seat: int | None, slow: int) -> None:
        self.live, self.seat, self.slow = live, seat, slow
        self.looks = 0
        self.turns: list[int] = []  # sequences at which it was to act
        self.task = asyncio.ensure_future(self.run(place))

    async def run(self, place: Place) -> None:
        while not (self.live.finished or place.arena.tables.stopping):
            version = self.live.version
            self.looks += 1
            if self.live.game.turn == self.seat and self.live.sequence not in self.turns:
                self.turns.append(self.live.sequence)
                for _ in range(self.slow):
                    await asyncio.sleep(0)
            await self.live.changed(version, self.seat)


@pytest.mark.parametrize("seed", range(3))
def test_every_seat_is_woken_for_each_of_its_turns_and_for_the_end(seed: int) -> None:
    async def do(place: Place) -> None:
        chance = Random(seed)
        live, agents = await table(place, 5)
        sockets = [Socket(place, live, seat, slow=chance.choice((0, 3))) for seat in range(5)]
        due: list[list[int]] = [[] for _ in range(5)]
        while not live.finished:
            await settle(10)
            due[live.game.turn].append(live.sequence)
            if chance.random() < 0.1:
                await place.leap(WINDOW)
            else:
                await some_move(place, live, agents, chance)
        await asyncio.wait_for(asyncio.gather(*(one.task for one in sockets)), 5)
        assert [one.turns for one in sockets] == due
        assert live.waiters == {}

    played(do)


def test_an_action_wakes_whoever_is_to_act_and_who_only_watches() -> None:
    async def do(place: Place) -> None:
        live, agents = await table(place, 4)
        sockets = [Socket(place, live, seat, slow=0) for seat in (*range(4), None)]
        await settle()
        before = [one.looks for one in sockets]
        turn = live.to_act()
        assert turn
        await place.act(agents[turn.agent], live.match.id, 0, bid(1, 2))
        await settle()
        woken = [one.seat for one, looks in zip(sockets, before, strict=True) if one.looks > looks]
        assert woken == [live.game.turn, None]
        for one in sockets:
            one.task.cancel()
        await settle()
        assert live.waiters == {}

    played(do)


@pytest.mark.parametrize("what", ["stopped", "line lost", "heard of", "aborted", "resigned"])
def test_whatever_else_happens_wakes_everybody(what: str) -> None:
    async def do(place: Place) -> None:
        live, agents = await table(place, 2 if what == "resigned" else 4)
        with live.attended(0):
            pass
        if what == "line lost":
            live.heard_of(0)
        sockets = [Socket(place, live, seat, slow=0) for seat in (*range(len(agents)), None)]
        await settle()
        before = [one.looks for one in sockets]
        match what:
            case "stopped":
                place.arena.dismiss()
            case "line lost":
                with live.attended(0):
                    pass
            case "heard of":
                live.heard_of(0)
            case "aborted":
                await place.arena.tables.abort(live.match.id)
            case "resigned":
                answer = await place.act(next(iter(agents.values())), live.match.id, 0, RESIGN)
                assert isinstance(answer, GameOver)
        await settle()
        over = what in ("stopped", "aborted", "resigned")
        for one, looks in zip(sockets, before, strict=True):
            assert one.task.done() if over else one.looks > looks
            one.task.cancel()

    played(do)


def test_a_match_that_was_looked_at_too_soon_is_left_alone_until_its_turn_ends() -> None:
    async def do(place: Place) -> None:
        live, agents = await table(place, 3)
        await place.leap(WINDOW - 1000)
        await some_move(place, live, agents, Random(1))
        await place.leap(1000)
        assert await place.arena.store.read(Overdue(place.clock.now)) == []
        await check_stored(place, live)
        assert live.match.due_ms == live.due_ms == place.clock.now - 1000 + WINDOW

    played(do)
