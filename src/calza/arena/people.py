"""People: guests, accounts with a password, and the sessions of their browsers. No cookies are in here.

A session is a random token; its hash is kept, like that of a key.
"""

import asyncio
import hashlib
import re
from collections.abc import Callable, Iterable

from msgspec import Struct

from . import names, passwords
from .api.limits import Buckets, network, spoken
from .clock import Clock
from .errors import ArenaError
from .keys import Draw, new_id
from .store import agents, people
from .store.agents import Agent
from .store.people import Session, Who
from .store.store import Store

TOKEN = re.compile(r"[0-9a-f]{64}")
LIFE_MS = 30 * 24 * 3_600_000  # of a session
SPAN_MS = 15 * 60_000
OF_NAME, OF_ADDRESS = 30, 10  # wrong passwords in such a span
LONGEST_BROWSER = 120
TOPIC = "session"
GUEST = "Guest"
LONGEST_GUEST = 50  # characters of a guest's name: in the store its id stands behind it


class Signed(Struct, frozen=True):
    """Somebody whose browser has a session now, with the one sight of its token."""

    agent: Agent
    token: str


class People:
    """Everybody who comes with a browser."""

    def __init__(self, store: Store, clock: Clock, draw: Draw) -> None:
        self.store, self.clock, self.draw = store, clock, draw
        self.of_name, self.of_address = Buckets(OF_NAME, SPAN_MS), Buckets(OF_ADDRESS, SPAN_MS)
        self.hashing = asyncio.Semaphore(1)  # a password takes a processor and much memory for a while
        self.ended: list[Callable[[bytes], None]] = []  # told the hash of a session that has ended
        store.listen(self.hear)

    # --- who somebody is

    async def guest(self, name: str, browser: str) -> Signed:
        """Somebody who only wants to play."""
        name = name.strip()
        if name:
            await self.check_name(name)
        id = new_id(self.draw)
        agent = Agent(id, name or f"{GUEST} {id[:4]}", created_ms=self.clock.now_ms(), guest=True)
        # In the store, names are told apart by the id: there may be many an Ann.
        kept = Agent(id, f"{agent.name} {id[:8]}", created_ms=agent.created_ms, guest=True)
        await self.store.write(agents.Register(kept))
        return await self.signed(agent, browser)

    async def check_name(self, name: str) -> None:
        """A guest's name is not that of somebody whom all know."""
        if why := names.refusal(name):
            raise ArenaError(400, "invalid_name", why)
        if len(name) > LONGEST_GUEST:
            raise ArenaError(400, "invalid_name", f"a guest's name has at most {LONGEST_GUEST} characters")
        if await self.store.read(people.NameTaken(name)):
            raise taken()

    async def sign_up(self, name: str, password: str, browser: str) -> Signed:
        """A new account."""
        name = name.strip()
        if why := names.refusal(name):
            raise ArenaError(400, "invalid_name", why)
        passwords.check(password)
        if await self.store.read(people.NameTaken(name)):
            raise taken()
        async with self.hashing:
            kept = await asyncio.to_thread(passwords.kept, password, self.draw)
        agent = Agent(new_id(self.draw), name, created_ms=self.clock.now_ms())
        if await self.store.write(people.NewPerson(agent, kept)):
            raise taken()
        return await self.signed(agent, browser)

    async def sign_in(self, name: str, password: str, browser: str, address: str) -> Signed:
        """Somebody comes back; wrong tries are limited by name and by address."""
        tried = names.key_of(name.strip())[:64], network(address)
        self.count(*tried)
        found = await self.store.read(people.PasswordOf(name.strip()))
        kept = found[1] if found else passwords.NOBODY
        async with self.hashing:
            fits = await asyncio.to_thread(passwords.fits, password[: passwords.MOST], kept)
        if found is None or not fits or len(password) > passwords.MOST:
            raise ArenaError(403, "wrong_password", "there is no account with this name and this password")
        self.of_name.give(tried[0])
        self.of_address.give(tried[1])
        if found[0].banned_ms is not None:
            raise ArenaError(403, "banned", "this account may not play here any more")
        return await self.signed(found[0], browser)

    def count(self, name: str, address: str) -> None:
        """Count a try before it is known whether it is wrong: many at once count too."""
        now = self.clock.now_ms()
        if wait := self.of_address.take(address, now):
            raise tired(wait)
        if wait := self.of_name.take(name, now):
            self.of_address.give(address)
            raise tired(wait)

    # --- sessions

    async def signed(self, agent: Agent, browser: str) -> Signed:
        """A new session."""
        token, now = self.draw(32).hex(), self.clock.now_ms()
        said = "".join(one for one in browser if one.isprintable())[:LONGEST_BROWSER]
        self.over(await self.store.write(people.SignIn(Session(hash_of(token), agent.id, said, now, now + LIFE_MS))))
        return Signed(agent, token)

    async def of(self, token: str) -> Who | None:
        """Whose session this is; None for nobody's."""
        if not TOKEN.fullmatch(token):
            return None
        who = await self.store.read(people.BySession(hash_of(token), self.clock.now_ms()))
        return None if who is None or who.agent.banned_ms is not None else who

    async def sessions(self, who: Who) -> list[Session]:
        """All sessions of somebody."""
        return await self.store.read(people.SessionsOf(who.agent.id, self.clock.now_ms()))

    async def sign_out(self, who: Who, begins: str) -> int:
        """End a session of somebody by the beginning of its hash, or all of them; returns how many have ended."""
        ended = await self.store.write(people.SignOut(who.agent.id, begins))
        self.over(ended)
        return len(ended)

    def over(self, ended: Iterable[bytes]) -> None:
        """Tell every node of sessions that have ended, by their hashes."""
        for hash in ended:
            self.store.send(TOPIC, hash.hex())

    def hear(self, topic: str, text: str) -> None:
        """What some node says."""
        if topic == TOPIC:
            for tell in self.ended:
                tell(bytes.fromhex(text))


def hash_of(token: str) -> bytes:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).digest()


def taken() -> ArenaError:
    """Somebody else has the name."""
    return ArenaError(409, "name_taken", "somebody has this name, or one that looks like it; choose another")


def tired(wait_ms: int) -> ArenaError:
    """Too many wrong passwords."""
    why = f"too many wrong passwords; try again in {spoken(wait_ms)}"
    return ArenaError(429, "rate_limited", why, retryAfterMs=wait_ms)


def called(agent: Agent) -> str:
    """What others call somebody: a guest's name as it was given."""
    return agent.name.removesuffix(f" {agent.id[:8]}") if agent.guest else agent.name
