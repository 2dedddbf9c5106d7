"""Agents and their keys: registering, knowing again, owning, revoking."""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from calza.agents.house import HOUSE, parse_agent

from . import names
from .clock import Clock
from .errors import ArenaError
from .keys import Draw, hash_of, new_code, new_id, new_key
from .store import agents
from .store.agents import Agent, Owner
from .store.signals import MISSED
from .store.store import Store

REMEMBERED_MS = 60_000  # how long a key is known without asking the store; nodes tell each other of revocations at once
MANY = 50_000  # keys that are remembered
LONGEST_MODEL = 100


class Registered(Struct, frozen=True):
    """A new agent, with the one sight of its key."""

    agent: Agent
    key: str
    code: str


class Claimed(Struct, frozen=True):
    """An agent that has an owner now; the key is shown to a new owner once."""

    agent: Agent
    owner: Owner
    key: str | None


class Claiming(Struct, frozen=True):
    """An owner, new if there is a key, takes an agent; a wrong code leaves nothing behind."""

    agent: str
    code: str
    owner: Owner
    key_hash: bytes | None
    at_ms: int

    def __call__(self, db: Connection) -> None:
        if self.key_hash is not None:
            agents.NewOwner(self.owner, self.key_hash)(db)
        if not agents.Claim(self.agent, self.code, self.owner.id, self.at_ms)(db):
            raise ArenaError(403, "wrong_code", "the code is not this agent's, or the agent has another owner")


class Accounts:
    """All agents."""

    def __init__(self, store: Store, clock: Clock, draw: Draw) -> None:
        self.store, self.clock, self.draw = store, clock, draw
        self.known: dict[bytes, tuple[Agent, int]] = {}
        self.revoked: list[Callable[[str], None]] = []  # told the agent whose keys have changed
        store.listen(self.hear)

    async def register(self, name: str, model: str | None = None) -> Registered:
        """Take in an agent."""
        if why := names.refusal(name):
            raise ArenaError(400, "invalid_name", why)
        check_model(model)
        key, code = new_key(self.draw), new_code(self.draw)
        agent = Agent(new_id(self.draw), name, model, created_ms=self.clock.now_ms())
        if await self.store.write(agents.Register(agent, hash_of(key), code)):
            raise ArenaError(
                409, "name_taken", "another agent has this name, or one that looks like it; choose another"
            )
        return Registered(agent, key, code)

    async def guest(self, name: str) -> Agent:
        """Somebody who came through a gateway: unrated, and without a key."""
        agent = Agent(new_id(self.draw), name, created_ms=self.clock.now_ms(), guest=True)
        # Guests' names are what their programs say; in the store they are told apart.
        kept = replace(agent, name=f"{name} {agent.id[:8]}")
        await self.store.write(agents.Register(kept))
        return agent

    async def house(self, specs: tuple[str, ...]) -> list[Agent]:
        """The house bots as agents; those that are new are taken in."""
        have = {agent.house: agent for agent in await self.store.read(agents.House())}
        for spec in map(str, map(parse_agent, specs)):
            if spec not in have:
                agent = Agent(
                    new_id(self.draw), f"House {spec.replace(':', ' ').replace('=', ' ').replace('.', '')}",
                    HOUSE[parse_agent(spec).house].about, spec, self.clock.now_ms(),
                )  # fmt: skip
                await self.store.write(agents.Register(agent))
        have = {agent.house: agent for agent in await self.store.read(agents.House())}
        return [have[str(parse_agent(spec))] for spec in specs]

    async def agent_of(self, key: str) -> Agent:
        """Whose key this is; 401 only when it is certainly nobody's."""
        digest = hash_of(key)
        if digest is None:
            raise unauthorized()
        now = self.clock.now_ms()
        if (found := self.known.get(digest)) and found[1] > now:
            return found[0]
        agent = await self.store.read(agents.ByKey(digest))
        if agent is None:
            raise unauthorized()
        if agent.banned_ms is not None:
            raise ArenaError(
                403, "banned", "this agent may not play here any more; its owner may ask the arena's operator"
            )
        if len(self.known) >= MANY:
            self.known.clear()
        self.known[digest] = agent, now + REMEMBERED_MS
        return agent

    async def set_model(self, agent: Agent, model: str) -> Agent:
        """Say what an agent runs on, once."""
        check_model(model)
        if not await self.store.write(agents.SetModel(agent.id, model)):
            raise ArenaError(409, "model_already_set", "the model was set before and stays")
        self.changed(agent.id)
        return replace(agent, model=model)

    async def rotate(self, agent: Agent) -> str:
        """A second key; the first goes on until it is revoked."""
        key = new_key(self.draw)
        digest = hash_of(key)
        assert digest is not None
        if not await self.store.write(agents.AddKey(agent.id, digest, self.clock.now_ms())):
            raise ArenaError(409, "too_many_keys", "an agent has at most two keys; revoke one first")
        return key

    async def revoke(self, agent: Agent, key: str) -> None:
        """Let a key open nothing any more."""
        digest = hash_of(key)
        if digest is None or not await self.store.write(agents.RevokeKey(digest, self.clock.now_ms())):
            raise ArenaError(404, "key_not_found", "there is no such key, or it was revoked before")
        self.changed(agent.id)

    async def claim(self, agent: str, code: str, owner_key: str | None, name: str) -> Claimed:
        """Let somebody own an agent who shows its code."""
        digest = hash_of(owner_key) if owner_key else None
        owner = await self.store.read(agents.OwnerByKey(digest)) if digest else None
        if owner_key and owner is None:
            raise unauthorized()
        found = await self.store.read(agents.ById(agent))
        if found is None:
            raise ArenaError(404, "agent_not_found", "there is no such agent")
        key = None if owner else new_key(self.draw)
        mine = owner or Owner(new_id(self.draw), name or found.name, self.clock.now_ms())
        await self.store.write(Claiming(found.id, code, mine, hash_of(key) if key else None, self.clock.now_ms()))
        self.changed(agent)
        return Claimed(replace(found, owner=mine.id), mine, key)

    async def by_id(self, agent: str) -> Agent:
        """An agent by its id."""
        found = await self.store.read(agents.ById(agent))
        if found is None:
            raise ArenaError(404, "agent_not_found", "there is no such agent")
        return found

    def changed(self, agent: str) -> None:
        """Forget what is remembered of an agent, here and on other nodes."""
        self.store.send("keys", agent)
        self.hear("keys", agent)

    def hear(self, topic: str, agent: str) -> None:
        """What other nodes say."""
        if topic == MISSED:
            self.known.clear()
        elif topic == "keys":
            self.known = {digest: one for digest, one in self.known.items() if one[0].id != agent}
            for tell in self.revoked:
                tell(agent)


def check_model(model: str | None) -> None:
    """What an agent says it runs on."""
    if model is not None and not (0 < len(model) <= LONGEST_MODEL and model.isprintable()):
        raise ArenaError(400, "invalid_input", f"model: 1 to {LONGEST_MODEL} printable characters")


def unauthorized() -> ArenaError:
    """Nobody's key."""
    return ArenaError(
        401, "unauthorized", "this key is unknown or was revoked; send it as Authorization: Bearer <apiKey>"
    )
