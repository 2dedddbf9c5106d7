"""Actions: the key of the table decides which of two is stored, and nothing is stored of a match that has ended."""

import asyncio
from typing import Any

from calza.arena.store import Store
from calza.arena.store.actions import Act, After, Rearm
from calza.arena.store.done import Done
from calza.arena.store.matches import ById

from .desk import NOW, Desk, Opened


def test_an_action_is_stored_as_it_was_played(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.table("m", "Ann", "Bob")
        one = Done("m", 0, 1, "2x3", NOW, NOW + 9, say="two threes, really", usage='{"tokens":7}', token=b"t" * 16)
        assert await desk.write(Act(one))
        assert await desk.read(After("m")) == [one]
        assert await desk.read(After("m", 0)) == []

    opened(do)


def test_the_clock_of_a_match_is_that_of_its_last_action(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.table("m", "Ann", "Bob")
        await asyncio.gather(*(desk.act("m", sequence) for sequence in range(3)))
        found = await desk.read(ById("m"))
        assert found
        assert found.match.due_ms == NOW + 1002
        assert not await desk.act("m", 1)
        found = await desk.read(ById("m"))
        assert found
        assert found.match.due_ms == NOW + 1002

    opened(do)


async def due(desk: Desk, match: str = "m") -> int | None:
    found = await desk.read(ById(match))
    assert found
    return found.match.due_ms


def test_a_clock_is_left_alone_by_an_action_that_nobody_has_to_look_at_sooner(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.table("m", "Ann", "Bob")
        assert await desk.write(Act(desk.done("m", 0), sooner=False))
        assert await due(desk) == NOW + 1000
        assert await desk.write(Act(desk.done("m", 1)))
        assert await due(desk) == NOW + 1001
        racing = [Act(desk.done("m", 2), sooner=False), Act(desk.done("m", 2)), Act(desk.done("m", 3), sooner=False)]
        assert await desk.write(lambda db: Act.batch(db, racing)) == [True, False, True]
        assert await due(desk) == NOW + 1001, "of the two it was not the one that sets a clock"

    opened(do)


def test_who_looked_too_soon_looks_again_when_the_turn_ends(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.table("m", "Ann", "Bob")
        await desk.write(Rearm("m", -1, NOW + 1500))
        assert await due(desk) == NOW + 1500
        await desk.act("m", 0)
        await desk.write(Rearm("m", 0, NOW + 9000))
        assert await due(desk) == NOW + 9000
        await desk.write(Rearm("m", 0, NOW + 7000))
        assert await due(desk) == NOW + 9000, "somebody has given it more time"

    opened(do)


def test_who_looked_too_soon_leaves_the_clock_of_a_later_action_alone(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.table("m", "Ann", "Bob")
        await desk.act("m", 0)
        await asyncio.gather(desk.act("m", 1), desk.write(Rearm("m", 0, NOW + 9000)))
        assert await due(desk) == NOW + 1001
        await desk.write(desk.finish("m", "Ann", "Bob", actions=2))
        await desk.write(Rearm("m", 1, NOW + 9000))
        await desk.write(Rearm("never", -1, NOW + 9000))
        assert await due(desk) is None

    opened(do)


def test_an_action_of_another_node_keeps_its_clock_while_somebody_who_has_not_seen_it_looks(postgres: Any) -> None:
    url = postgres.database()

    async def do(desk: Desk) -> None:
        other = Desk(await Store.open(url))
        await desk.agents("Ann", "Bob")
        await desk.seeds(40)
        for round_ in range(40):
            match = f"m{round_}"
            await desk.open(match, "Ann", "Bob")
            one = Done(match, 0, 0, "1x2", NOW, NOW + 500, token=desk.token())
            assert (await asyncio.gather(desk.write(Act(one)), other.write(Rearm(match, -1, NOW + 9000))))[0]
            assert await due(desk, match) == NOW + 500
        await other.store.close()

    Opened(url)(do)


def test_of_two_actions_with_one_number_the_first_is_stored(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.table("m", "Ann", "Bob")
        assert await desk.act("m", 0, "1x2")
        assert not await desk.act("m", 0, "1x3")
        assert not await desk.act("m", 0, "1x2"), "another request, however alike"
        assert await desk.played("m") == ["1x2"]

    opened(do)


def test_of_equal_numbers_in_one_group_exactly_one_wins(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        for match in ("m", "n"):
            await desk.table(match, "Ann", "Bob")
        racing = [Act(desk.done(match, 0, f"{one + 1}x2")) for one in range(20) for match in ("m", "n")]
        won = await desk.write(lambda db: Act.batch(db, racing))
        assert won.count(True) == 2
        for match in ("m", "n"):
            [winner] = [one.done for one, mine in zip(racing, won, strict=True) if mine and one.done.match == match]
            assert await desk.read(After(match)) == [winner]

    opened(do)


def test_an_action_written_twice_is_stored_once_and_is_both_times_the_one(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.table("m", "Ann", "Bob")
        again = Act(desk.done("m", 0))
        assert await desk.write(again)
        assert await desk.write(again), "it was not known whether the first was committed"
        assert await desk.played("m") == ["1x2"]

    opened(do)


def test_nothing_is_stored_of_a_match_that_has_ended_or_never_was(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.finished("over", "Ann", "Bob")
        await desk.table("on", "Ann", "Bob")
        three = [Act(desk.done(match, 0)) for match in ("over", "on", "never")]
        assert await asyncio.gather(*map(desk.write, three)) == [False, True, False]
        assert await desk.write(lambda db: Act.batch(db, [Act(desk.done(m, 1)) for m in ("over", "on")])) == [
            False,
            True,
        ]
        assert await desk.played("over") == await desk.played("never") == []
        found = await desk.read(ById("over"))
        assert found
        assert found.match.due_ms is None

    opened(do)


def test_thousands_of_actions_go_in_one_batch(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.seeds(50)
        for match in range(50):
            await desk.open(f"m{match}", "Ann", "Bob")
        first = [Act(desk.done(f"m{match}", sequence)) for sequence in range(50) for match in range(50)]
        assert await desk.write(lambda db: Act.batch(db, first)) == [True] * 2500
        # One of them alone is too late: all 2,500 are asked for by their numbers.
        second = [Act(desk.done(f"m{match}", sequence)) for sequence in range(50, 100) for match in range(50)]
        second[1234] = Act(desk.done("m7", 3, "9x9"))
        assert (await desk.write(lambda db: Act.batch(db, second))).count(False) == 1
        assert await desk.played("m0") == ["1x2"] * 100

    opened(do)
