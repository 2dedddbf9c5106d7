"""Agents, their keys, and the people who own them."""

from typing import Any, ClassVar

from msgspec import Struct
from sqlalchemy import BindParameter, Connection, Select, bindparam, delete, func, insert, null, or_, select, update

from calza.arena import names

from . import schema
from .rows import columns, new

LIVE_KEYS = 2  # so that one can be changed for another without a pause

t, k, o = schema.agents, schema.keys, schema.owners


class Agent(Struct, frozen=True):
    """Somebody who plays."""

    id: str
    name: str
    model: str | None = None
    house: str = ""  # the spec of a house bot
    created_ms: int = 0
    owner: str | None = None
    banned_ms: int | None = None
    guest: bool = False  # came through a gateway, and has no key


class Owner(Struct, frozen=True):
    """Somebody who answers for agents."""

    id: str
    name: str
    created_ms: int


class Key(Struct, frozen=True):
    """A key of an agent, as its hash."""

    hash: bytes
    created_ms: int
    revoked_ms: int | None


class Register(Struct, frozen=True):
    """A new agent, and its key if it has one; `name_taken` when another has its name or one that looks alike.

    Guests are not compared for looks: their names are given by programs that cannot choose again.
    """

    agent: Agent
    key_hash: bytes | None = None
    code: str = ""
    one_at_a_time: ClassVar[bool] = True

    def __call__(self, db: Connection) -> str | None:
        key, outline = names.key_of(self.agent.name), names.outline(self.agent.name)
        alike = t.c.name_key == key
        if not self.agent.guest:
            alike = or_(alike, (t.c.outline == outline) & ~t.c.guest)
        if db.execute(select(t.c.id).where(alike).limit(1)).first():
            return "name_taken"
        said = {name: getattr(self.agent, name) for name in self.agent.__struct_fields__}
        db.execute(insert(t).values(**said, name_key=key, outline=outline, code=self.code))
        if self.key_hash is not None:
            created = self.agent.created_ms
            db.execute(insert(k).values(hash=self.key_hash, agent=self.agent.id, created_ms=created))
        return None


class SetModel(Struct, frozen=True):
    """An agent says what it runs on, once; False when it had said so before."""

    agent: str
    model: str

    def __call__(self, db: Connection) -> bool:
        unsaid = update(t).where(t.c.id == self.agent, t.c.model.is_(None))
        return db.execute(unsaid.values(model=self.model)).rowcount == 1


class AddKey(Struct, frozen=True):
    """One more key; False when the agent has two that are not revoked, or does not exist."""

    agent: str
    hash: bytes
    at_ms: int

    def __call__(self, db: Connection) -> bool:
        if not db.execute(select(t.c.id).where(t.c.id == self.agent).with_for_update()).first():
            return False
        live = select(func.count()).where(k.c.agent == self.agent, k.c.revoked_ms.is_(None))
        if (db.scalar(live) or 0) >= LIVE_KEYS:
            return False
        db.execute(insert(k).values(hash=self.hash, agent=self.agent, created_ms=self.at_ms))
        return True


class RevokeKey(Struct, frozen=True):
    """A key is good for nothing from now on; False when it was already, or is unknown."""

    hash: bytes
    at_ms: int

    def __call__(self, db: Connection) -> bool:
        live = update(k).where(k.c.hash == self.hash, k.c.revoked_ms.is_(None))
        return db.execute(live.values(revoked_ms=self.at_ms)).rowcount == 1


class RevokeKeys(Struct, frozen=True):
    """All keys of an agent are good for nothing from now on; returns how many there were."""

    agent: str
    at_ms: int

    def __call__(self, db: Connection) -> int:
        live = update(k).where(k.c.agent == self.agent, k.c.revoked_ms.is_(None))
        return db.execute(live.values(revoked_ms=self.at_ms)).rowcount


class Claim(Struct, frozen=True):
    """An owner takes an agent that shows its code; False when the code is wrong or somebody else has it."""

    agent: str
    code: str
    owner: str
    at_ms: int

    def __call__(self, db: Connection) -> bool:
        free = or_(t.c.owner.is_(None), t.c.owner == self.owner)
        claimed = update(t).where(t.c.id == self.agent, t.c.code == self.code, t.c.code != "", free)
        first = func.coalesce(t.c.claimed_ms, self.at_ms)
        return db.execute(claimed.values(owner=self.owner, claimed_ms=first)).rowcount == 1


class NewOwner(Struct, frozen=True):
    """Somebody new who owns agents; False when there is one with this id or key."""

    owner: Owner
    key_hash: bytes

    def __call__(self, db: Connection) -> bool:
        said = dict(id=self.owner.id, key_hash=self.key_hash, name=self.owner.name, created_ms=self.owner.created_ms)
        return db.execute(new(o, db.dialect.name), said).rowcount == 1


class Ban(Struct, frozen=True):
    """An agent may not play any more and waits no more, or may again when `at_ms` is None; False if there is none."""

    agent: str
    at_ms: int | None

    def __call__(self, db: Connection) -> bool:
        if self.at_ms is not None:
            db.execute(delete(schema.waiting).where(schema.waiting.c.agent == self.agent))
        until = null() if self.at_ms is None else self.at_ms
        return db.execute(update(t).where(t.c.id == self.agent).values(banned_ms=until)).rowcount == 1


class ByKey(Struct, frozen=True):
    """Whose key this is; None for one that is unknown or revoked."""

    hash: bytes

    def __call__(self, db: Connection) -> Agent | None:
        return one(db, BY_KEY, which=self.hash)


class ById(Struct, frozen=True):
    """An agent, by its id."""

    id: str

    def __call__(self, db: Connection) -> Agent | None:
        return one(db, BY_ID, which=self.id)


class ByName(Struct, frozen=True):
    """An agent, by its name in whatever case."""

    name: str

    def __call__(self, db: Connection) -> Agent | None:
        return one(db, BY_NAME, which=names.key_of(self.name))


class House(Struct, frozen=True):
    """The house bots, in the order of their ids."""

    def __call__(self, db: Connection) -> list[Agent]:
        return [Agent(*row) for row in db.execute(everybody().where(t.c.house != "").order_by(t.c.id))]


class Everybody(Struct, frozen=True):
    """All agents but guests, in the order of their ids, from after `after` on."""

    limit: int = 100
    after: str = ""

    def __call__(self, db: Connection) -> list[Agent]:
        found = everybody().where(t.c.id > self.after, ~t.c.guest).order_by(t.c.id).limit(self.limit)
        return [Agent(*row) for row in db.execute(found)]


class KeysOf(Struct, frozen=True):
    """All keys that an agent has or had, oldest first."""

    agent: str

    def __call__(self, db: Connection) -> list[Key]:
        found = select(*columns(k, Key)).where(k.c.agent == self.agent).order_by(k.c.created_ms, k.c.hash)
        return [Key(*row) for row in db.execute(found)]


class OwnerByKey(Struct, frozen=True):
    """Whose key this is, of those who own agents."""

    hash: bytes

    def __call__(self, db: Connection) -> Owner | None:
        row = db.execute(select(*columns(o, Owner)).where(o.c.key_hash == self.hash)).first()
        return Owner(*row) if row else None


class OwnerById(Struct, frozen=True):
    """Somebody who owns agents, by their id."""

    id: str

    def __call__(self, db: Connection) -> Owner | None:
        row = db.execute(select(*columns(o, Owner)).where(o.c.id == self.id)).first()
        return Owner(*row) if row else None


class OwnedBy(Struct, frozen=True):
    """The agents that somebody owns."""

    owner: str

    def __call__(self, db: Connection) -> list[Agent]:
        return [Agent(*row) for row in db.execute(everybody().where(t.c.owner == self.owner).order_by(t.c.id))]


class Count(Struct, frozen=True):
    """How many agents there are, without guests and the house."""

    def __call__(self, db: Connection) -> int:
        return db.scalar(select(func.count()).select_from(t).where(~t.c.guest, t.c.house == "")) or 0


def everybody() -> Select[Any]:
    return select(*columns(t, Agent))


WHICH: BindParameter[Any] = bindparam("which")
BY_KEY = everybody().join(k, k.c.agent == t.c.id).where(k.c.hash == WHICH, k.c.revoked_ms.is_(None))
BY_ID = everybody().where(t.c.id == WHICH)
BY_NAME = everybody().where(t.c.name_key == WHICH)


def one(db: Connection, question: Select[Any], **asked: object) -> Agent | None:
    """The agent that a question is about: it is made once, which takes longer than to ask it."""
    row = db.execute(question, asked).first()
    return Agent(*row) if row else None
