"""Nodes: who is alive, and the time that passed while nobody was."""

from typing import Any

from calza.arena.store.actions import Act
from calza.arena.store.done import Done
from calza.arena.store.matches import ById
from calza.arena.store.nodes import Alive, Beat, Wake

from .desk import DAY, NOW, Desk, Opened

GRACE = 5000


async def due(desk: Desk, match: str) -> Any:
    found = await desk.read(ById(match))
    assert found
    return found.match.due_ms


def test_the_time_that_nobody_served_is_given_back(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.table("m", "Ann", "Bob")
        await desk.finished("over", "Ann", "Bob")
        assert await desk.write(Wake("a", NOW, GRACE)) == 0, "nobody ever served"
        await desk.write(Beat("a", NOW + 9000))
        assert await desk.write(Wake("b", NOW + 69_000, GRACE)) == 60_000
        assert (await due(desk, "m"), await due(desk, "over")) == (NOW + 61_000, None)

    opened(do)


def test_time_is_given_back_from_the_end_of_the_turn_though_nobody_wrote_it_beside_the_match(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        for match in ("late", "soon", "fresh"):
            await desk.table(match, "Ann", "Bob")
        for sequence in range(2):  # who acts soon has a clock that ends before that of the action before
            for match, due_ms in (("late", NOW + 5000 * (sequence + 1)), ("soon", NOW + 8000 - 7500 * sequence)):
                done = Done(match, sequence, 0, "1x2", NOW, due_ms, token=desk.token())
                assert await desk.write(Act(done, sooner=due_ms < NOW + 1000))
        await desk.write(Beat("a", NOW))
        for down in (1, 2):  # what was given back once stays so
            assert await desk.write(Wake("b", NOW + down * 60_000, GRACE)) == 60_000
            gone = down * 60_000
            assert [await due(desk, match) for match in ("late", "soon", "fresh")] == [
                NOW + 10_000 + gone, NOW + 500 + gone, NOW + 1000 + gone,
            ]  # fmt: skip
        assert len(await desk.played("late")) == 2

    opened(do)


def test_a_short_pause_is_not_given_back_and_neither_is_one_in_which_another_node_served(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.table("m", "Ann", "Bob")
        await desk.write(Beat("a", NOW))
        assert await desk.write(Wake("a", NOW + GRACE, GRACE)) == 0
        await desk.write(Beat("b", NOW + DAY // 2))
        assert await desk.write(Wake("a", NOW + DAY // 2 + 1, GRACE)) == 0
        assert await due(desk, "m") == NOW + 1000

    opened(do)


def test_two_nodes_that_wake_at_once_give_the_time_back_once(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.table("m", "Ann", "Bob")
        await desk.write(Beat("a", NOW))
        woken = [await desk.write(Wake(node, NOW + 60_000, GRACE)) for node in ("b", "c")]
        assert woken == [60_000, 0]
        assert await due(desk, "m") == NOW + 61_000

    opened(do)


def test_nodes_are_alive_for_as_long_as_they_say_so_and_forgotten_in_the_end(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.write(Beat("a", NOW))
        await desk.write(Beat("a", NOW + 1))
        await desk.write(Beat("b", NOW + 2))
        assert await desk.read(Alive(NOW + 1)) == ["a", "b"]
        assert await desk.read(Alive(NOW + 2)) == ["b"]
        await desk.write(Wake("c", NOW + 2 + DAY, GRACE))
        assert await desk.read(Alive(0)) == ["b", "c"]

    opened(do)
