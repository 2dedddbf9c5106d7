"""People in the store: a name once, sessions that end, and who has one."""

import asyncio

from calza.arena.store.agents import Agent, Register
from calza.arena.store.people import (
    MOST,
    BySession,
    NameTaken,
    NewPerson,
    PasswordOf,
    Session,
    SessionsOf,
    SignIn,
    SignOut,
)

from .desk import DAY, NOW, Desk, Opened


def session(number: int, agent: str = "Ann", at: int = NOW) -> Session:
    """A session of somebody."""
    return Session(number.to_bytes(32, "big"), agent, "Test/1.0", at, at + DAY)


async def person(desk: Desk, name: str = "Ann") -> Agent:
    """Somebody with an account."""
    agent = Agent(name, name, created_ms=NOW)
    assert await desk.write(NewPerson(agent, f"password of {name}")) is None
    return agent


def test_a_name_is_had_once_by_people_and_agents_together(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        said = await asyncio.gather(
            *(
                desk.write(NewPerson(Agent(f"id{number}", name), "x"))
                for number, name in enumerate(("Ann", "ann", "A nn"))
            )
        )
        assert sorted(said, key=str) == [None, "name_taken", "name_taken"]
        assert await desk.write(Register(Agent("id9", "ANN"))) == "name_taken"
        assert await desk.read(NameTaken("a-n-n"))
        assert not await desk.read(NameTaken("Anna"))

    opened(do)


def test_guests_take_no_names(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        for id in ("one", "two"):
            assert await desk.write(Register(Agent(id, f"Ann {id}", guest=True))) is None
        assert not await desk.read(NameTaken("Ann one"))

    opened(do)


def test_a_password_is_found_by_a_name_in_any_case(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        ann = await person(desk)
        await desk.agents("Bot")
        assert await desk.read(PasswordOf("aNN")) == (ann, "password of Ann")
        assert await desk.read(PasswordOf("Bot")) is None
        assert await desk.read(PasswordOf("Nobody")) is None

    opened(do)


def test_a_session_is_somebodys_until_it_runs_out(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        ann = await person(desk)
        await desk.write(SignIn(session(1)))
        who = await desk.read(BySession(session(1).hash, NOW + DAY - 1))
        assert who
        assert (who.agent, who.session) == (ann, session(1))
        assert await desk.read(BySession(session(1).hash, NOW + DAY)) is None
        assert await desk.read(BySession(session(2).hash, NOW)) is None
        await desk.write(SignIn(session(3, at=NOW + DAY)))  # clears away those that have run out
        assert await desk.read(SessionsOf("Ann", 0)) == [session(3, at=NOW + DAY)]

    opened(do)


def test_the_oldest_sessions_make_room(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await person(desk)
        await person(desk, "Bob")
        await desk.write(SignIn(session(1000, "Bob")))
        for number in range(MOST + 3):
            await desk.write(SignIn(session(number, at=NOW + number)))
        kept = [int.from_bytes(one.hash, "big") for one in await desk.read(SessionsOf("Ann", NOW))]
        assert kept == list(range(MOST + 3))[: -MOST - 1 : -1]
        assert len(await desk.read(SessionsOf("Bob", NOW))) == 1

    opened(do)


def test_only_ones_own_sessions_end(opened: Opened) -> None:
    async def do(desk: Desk) -> None:
        await person(desk)
        await person(desk, "Bob")
        for one in (session(1), session(2), session(3, "Bob")):
            await desk.write(SignIn(one))
        assert await desk.write(SignOut("Ann", session(3).hash.hex())) == []
        assert await desk.write(SignOut("Ann", session(1).hash.hex())) == [session(1).hash]
        assert await desk.write(SignOut("Ann", session(1).hash.hex())) == []
        assert await desk.write(SignOut("Ann")) == [session(2).hash]
        assert await desk.read(SessionsOf("Bob", NOW)) == [session(3, "Bob")]

    opened(do)
