"""Agents, their keys, their names, and who owns them."""

import asyncio
from typing import Any

import pytest

from calza.arena.store import Store
from calza.arena.store.agents import (
    AddKey,
    Agent,
    Ban,
    ById,
    ByKey,
    ByName,
    Claim,
    Count,
    Everybody,
    House,
    Key,
    KeysOf,
    NewOwner,
    OwnedBy,
    Owner,
    OwnerByKey,
    Register,
    RevokeKey,
    RevokeKeys,
    SetModel,
)
from calza.arena.store.waiting import Of

from .desk import NOW, Desk, Opened

HASH = bytes(range(32))


def test_an_agent_is_found_by_its_key_its_id_and_its_name(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        ann = Agent("id1", "Ann Other", "gpt", created_ms=NOW)
        assert await desk.write(Register(ann, HASH, "code")) is None
        assert await desk.read(ByKey(HASH)) == await desk.read(ById("id1")) == ann
        assert await desk.read(ByName("ANN OTHER")) == ann
        assert await desk.read(KeysOf("id1")) == [Key(HASH, NOW, None)]
        assert [await desk.read(ByKey(b"x" * 32)), await desk.read(ById("id2")), await desk.read(ByName("x"))] == [
            None
        ] * 3

    opened(do)


@pytest.mark.parametrize("name", ["Ann Other", "ann other", "AnnOther", "ann_0ther", "Ann-Other"])
def test_a_name_like_one_that_is_taken_is_taken(opened: Opened, name: str) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann Other")
        assert await desk.write(Register(Agent("id2", name), HASH)) == "name_taken"
        assert await desk.read(ByKey(HASH)) is None
        assert await desk.write(Register(Agent("id2", "Ann Brother"), HASH)) is None

    opened(do)


def test_guests_are_not_compared_for_looks(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Bill")
        assert await desk.write(Register(Agent("g1", "Bi11", guest=True))) is None
        assert await desk.write(Register(Agent("g2", "bi11", guest=True))) == "name_taken"
        assert await desk.write(Register(Agent("id2", "B1ll"))) == "name_taken", "of Bill, not of the guest"
        assert await desk.write(Register(Agent("g3", "Cid", guest=True))) is None
        assert await desk.write(Register(Agent("id3", "C1d"))) is None
        assert await desk.read(Count()) == 2
        assert [one.id for one in await desk.read(Everybody())] == ["Bill", "id3"]

    opened(do)


def test_of_two_who_want_a_name_at_once_one_gets_it(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        same = [Register(Agent(f"id{one}", name)) for one, name in enumerate(("Ann", "ANN", "A-nn"))]
        assert sorted(map(str, await asyncio.gather(*map(desk.write, same)))) == ["None", "name_taken", "name_taken"]

    opened(do)


def test_of_two_nodes_that_want_a_name_at_once_one_gets_it(postgres: Any) -> None:
    url = postgres.database()

    async def do(desk: Desk) -> None:
        other = Desk(await Store.open(url))
        for round_ in range(20):
            two = [Register(Agent(f"{one}{round_}", f"{name} {round_:x}")) for one, name in enumerate(("Bill", "B1LL"))]
            got = await asyncio.gather(desk.write(two[0]), other.write(two[1]))
            assert sorted(map(str, got)) == ["None", "name_taken"]
        await other.store.close()

    Opened(url)(do)


def test_a_model_is_said_once(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann")
        assert [await desk.write(SetModel("Ann", one)) for one in ("gpt", "other")] == [True, False]
        found = await desk.read(ById("Ann"))
        assert found
        assert found.model == "gpt"

    opened(do)


def test_an_agent_has_two_live_keys_at_most(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann")
        tries = [desk.write(AddKey("Ann", bytes([one]) * 32, NOW + one)) for one in range(4)]
        assert sorted(await asyncio.gather(*tries)) == [False, False, True, True]
        first, second = [one.hash for one in await desk.read(KeysOf("Ann"))]
        assert [await desk.write(RevokeKey(first, NOW + 9)) for _ in range(2)] == [True, False]
        assert await desk.read(ByKey(first)) is None
        assert await desk.read(ByKey(second)) is not None
        assert await desk.write(AddKey("Ann", b"9" * 32, NOW))
        assert await desk.write(RevokeKeys("Ann", NOW + 10)) == 2
        assert [one.revoked_ms for one in await desk.read(KeysOf("Ann")) if one.hash == first] == [NOW + 9]
        assert not await desk.write(AddKey("nobody", b"8" * 32, NOW))

    opened(do)


def test_an_agent_is_claimed_with_its_code_by_one_owner(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.write(Register(Agent("Ann", "Ann"), code="secret"))
        await desk.agents("Bob")
        olga, otto = Owner("o1", "Olga", NOW), Owner("o2", "Otto", NOW)
        assert await desk.write(NewOwner(olga, b"1" * 32))
        assert await desk.write(NewOwner(otto, b"2" * 32))
        assert not await desk.write(NewOwner(Owner("o3", "Oscar", NOW), b"1" * 32)), "the key is Olga's"
        assert await desk.read(OwnerByKey(b"1" * 32)) == olga
        tries = [("Ann", "wrong", "o1"), ("Bob", "", "o1"), ("Ann", "secret", "o1"), ("Ann", "secret", "o2")]
        assert [await desk.write(Claim(*one, NOW)) for one in tries] == [False, False, True, False]
        assert await desk.write(Claim("Ann", "secret", "o1", NOW + 1)), "she has it already"
        assert [one.id for one in await desk.read(OwnedBy("o1"))] == ["Ann"]
        assert await desk.read(OwnedBy("o2")) == []

    opened(do)


def test_who_is_banned_waits_no_more(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.enter("Ann")
        await desk.enter("Bob")
        assert await desk.write(Ban("Ann", NOW))
        found = await desk.read(ById("Ann"))
        assert found
        assert found.banned_ms == NOW
        assert (await desk.read(Of("Ann")), len(await desk.read(Of("Bob")))) == ([], 1)
        assert await desk.write(Ban("Ann", None))
        found = await desk.read(ById("Ann"))
        assert found
        assert found.banned_ms is None
        assert not await desk.write(Ban("nobody", NOW))

    opened(do)


def test_the_house_is_listed_and_not_counted(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await desk.agents("Ann", "Bob")
        await desk.write(Register(Agent("h1", "House bluffer", house="bluffer")))
        assert [one.house for one in await desk.read(House())] == ["bluffer"]
        assert await desk.read(Count()) == 2
        assert [one.id for one in await desk.read(Everybody(2))] == ["Ann", "Bob"]
        assert [one.id for one in await desk.read(Everybody(2, "Bob"))] == ["h1"]

    opened(do)
