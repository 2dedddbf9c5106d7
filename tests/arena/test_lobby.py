"""The queue as agents meet it: what it answers, whom it seats, and what it tells whom."""

import asyncio

import pytest

from calza.arena.arena import Arena
from calza.arena.errors import ArenaError
from calza.arena.fairness import AHEAD
from calza.arena.messages import Queued
from calza.arena.store.agents import Agent, Claim, NewOwner, Owner
from calza.arena.store.matches import ById
from calza.arena.store.seeds import Page, Unused

from .house import RESIGN, Place, played


def names(place: Place, match: str) -> set[str]:
    return {row.name for row in place.arena.tables.lives[match].rows}


async def resign(place: Place, match: str, *agents: Agent) -> None:
    """All but the last go."""
    for agent in agents[:-1]:
        await place.act(agent, match, 0, RESIGN)


def test_the_second_of_two_is_seated_and_the_first_finds_out() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        assert await place.queue(a) == Queued(status="queued", position=1)
        assert await place.queue(a, players=5, lane="fast") == Queued(status="already_queued", position=1)
        matched = await place.queue(b)
        assert matched.status == "matched"
        assert await place.arena.lobby.status(a, "liars-dice") == matched
        assert await place.queue(a) == matched
        assert await place.arena.lobby.status(a, "joker") == Queued(status="not_queued")

    played(do)


def test_a_position_counts_those_before() -> None:
    async def do(place: Place) -> None:
        for number, name in enumerate(("Ann", "Bob", "Cid")):
            place.clock.now += 1
            agent = await place.agent(name)
            assert await place.queue(agent, players=4) == Queued(status="queued", position=number + 1)
        assert await place.arena.lobby.leave(agent, "joker") == Queued(status="not_queued")
        assert await place.arena.lobby.leave(agent, None) == Queued(status="left")

    played(do)


@pytest.mark.parametrize(("lane", "seconds"), [("fast", 20), ("standard", 40)])
def test_an_entry_lives_as_long_as_its_lane_says(lane: str, seconds: int) -> None:
    async def do(place: Place) -> None:
        a = await place.agent("Ann")
        await place.queue(a, lane=lane, opponents="agents")
        await place.clock.turn(seconds * 1000 - 1000)
        assert (await place.arena.lobby.status(a, "liars-dice")).status == "queued"
        await place.clock.turn(1500)
        assert (await place.arena.lobby.status(a, "liars-dice")).status == "not_queued"

    played(do, fast_queue=20.0, standard_queue=40.0)


def test_house_bots_fill_after_the_wait_and_are_marked() -> None:
    async def do(place: Place) -> None:
        a, b = await place.agent("Ann"), await place.agent("Bob")
        await place.queue(a, players=3)
        await place.queue(b, players=2, opponents="agents")
        await place.clock.turn(9_000)
        assert (await place.arena.lobby.status(a, "liars-dice")).status == "queued"
        await place.clock.turn(1_500)
        found = await place.arena.lobby.status(a, "liars-dice")
        seated = await place.arena.store.read(ById(str(found.match_id)))
        assert seated
        assert [bool(one.house) for one in seated.players] == [False, True, True]
        assert seated.match.rated
        assert (await place.arena.lobby.status(b, "liars-dice")).status == "queued", "it waits for agents only"

    played(do)


def test_an_agent_sits_at_as_many_tables_as_it_can_hold() -> None:
    async def do(place: Place) -> None:
        busy, others = await place.agent("Ann"), [await place.agent(name) for name in ("Bob", "Cid", "Dan")]
        first = await place.match(others[0], busy, come=False)
        assert (await place.queue(busy)).match_id == first, "it holds one, and plays one"
        assert (await place.queue(busy, matches=2)).status == "queued"
        second = await place.queue(others[1])
        assert second.status == "matched"
        assert (await place.queue(busy, matches=2)).status == "matched"
        # The queue of another game is waited in, and nobody is kept waiting by somebody who cannot sit down.
        assert (await place.queue(busy, "joker", matches=2)).status == "queued"
        place.clock.now += 1
        assert (await place.queue(others[2], "joker")).status == "queued"
        place.clock.now += 1
        assert (await place.queue(await place.agent("Eve"), "joker")).status == "matched"
        assert (await place.arena.lobby.status(others[2], "joker")).status == "matched"
        await resign(place, first, busy, others[0])
        await place.clock.turn(11_000)
        assert (await place.arena.lobby.status(busy, "joker")).status == "matched"

    played(do)


def test_agents_of_one_owner_play_unrated() -> None:
    async def do(place: Place) -> None:
        made = [await place.arena.accounts.register(name) for name in ("Ann", "Bob", "Cid")]
        await place.arena.store.write(NewOwner(Owner("o", "Olga", 0), b"x" * 32))
        for one in made[:2]:
            assert await place.arena.store.write(Claim(one.agent.id, one.code, "o", 0))
        a, b, c = [one.agent for one in made]
        match = await place.match(a, b)
        assert not place.arena.tables.lives[match].match.rated
        await resign(place, match, a, b)
        match = await place.match(a, c)
        assert place.arena.tables.lives[match].match.rated

    played(do)


def test_the_same_two_do_not_meet_again_while_a_third_waits_not_even_after_a_restart() -> None:
    async def do(place: Place) -> None:
        a, b, c = [await place.agent(name) for name in ("Ann", "Bob", "Cid")]
        await place.match(a, b, come=False)
        await place.clock.turn(6_000)  # nobody comes: no rating changes
        arena = await Arena.open(
            place.arena.settings, clock=place.clock, draw=place.arena.draw, store=place.arena.store
        )
        place.arena.lobby = arena.lobby
        async with arena.lobby.pairing:  # all three wait before anybody is seated
            asking = []
            for agent in (a, b, c):
                place.clock.now += 1
                asking.append(asyncio.ensure_future(place.queue(agent)))
                await asyncio.sleep(0)
        statuses = [one.status for one in await asyncio.gather(*asking)]
        assert statuses == ["matched", "queued", "matched"]

    played(do, fast_turn=5.0)


def test_a_match_is_told_until_it_is_known_and_for_a_minute() -> None:
    async def do(place: Place) -> None:
        a, b, c, d = [await place.agent(name) for name in ("Ann", "Bob", "Cid", "Dan")]
        lobby = place.arena.lobby
        await place.queue(a)
        match = str((await place.queue(b)).match_id)
        assert await lobby.found(b) == [], "its own call was answered with the match"
        assert await lobby.found(a) == await lobby.found(a) == [(match, "liars-dice")], "asking is not telling"
        await lobby.told(a, match)
        assert await lobby.found(a) == []
        await place.queue(c)
        second = str((await place.queue(d)).match_id)
        await place.state(c, second)
        assert await lobby.found(c) == [], "it has come"
        await place.clock.turn(1000)
        await resign(place, second, c, d)

    played(do)


def test_what_another_way_told_is_told_no_more() -> None:
    async def do(place: Place) -> None:
        lobby = place.arena.lobby
        pairs = [(await place.agent(f"A{one}x"), await place.agent(f"B{one}x")) for one in range(3)]
        matches = []
        for a, b in pairs:
            await place.queue(a)
            matches.append(str((await place.queue(b)).match_id))
        first, second, third = [a for a, _ in pairs]
        assert (await lobby.status(first, "liars-dice")).status == "matched"
        await resign(place, matches[1], pairs[1][1], second)
        assert [await lobby.found(one) for one in (first, second)] == [[], []]
        await place.clock.turn(61_000)
        assert await lobby.found(third) == []

    played(do)


@pytest.mark.parametrize(
    ("wrong", "status", "code"),
    [
        (dict(game="chess"), 404, "game_not_found"),
        (dict(lane="slow"), 400, "invalid_lane"),
        (dict(players=1), 400, "invalid_input"),
        (dict(players=7), 400, "invalid_input"),
        (dict(opponents="robots"), 400, "invalid_input"),
        (dict(salt="x" * 101), 400, "invalid_input"),
        (dict(matches=0), 400, "invalid_input"),
        (dict(matches=101), 400, "invalid_input"),
    ],
)
def test_what_cannot_be_asked_of_the_queue_is_refused(wrong: dict[str, object], status: int, code: str) -> None:
    async def do(place: Place) -> None:
        with pytest.raises(ArenaError) as error:
            await place.queue(await place.agent("Ann"), **wrong)  # type: ignore[arg-type]
        assert (error.value.status, error.value.code) == (status, code)
        assert error.value.details

    played(do)


def test_seeds_are_drawn_long_before_they_are_needed() -> None:

    async def do(place: Place) -> None:
        assert await place.arena.store.read(Unused()) == AHEAD
        [last] = await place.arena.store.read(Page(1))
        a, b = await place.agent("Ann"), await place.agent("Bob")
        match = await place.match(a, b)
        found = await place.arena.store.read(ById(match))
        assert found
        assert (found.match.seed_number, last.number) == (1, AHEAD)

    played(do)
