"""People and guests: their passwords, and the sessions of their browsers."""

from typing import Any, ClassVar

from msgspec import Struct
from sqlalchemy import Connection, delete, insert, select

from calza.arena import names

from . import agents, schema
from .agents import Agent, Register
from .rows import columns

MOST = 20  # sessions of one person; the oldest make room

a, p, s = schema.agents, schema.people, schema.sessions


class Session(Struct, frozen=True):
    """A browser that is signed in, or plays as a guest."""

    hash: bytes  # of its token, which nobody but the browser has
    agent: str
    browser: str
    created_ms: int
    expires_ms: int


class Who(Struct, frozen=True):
    """Somebody in a browser."""

    agent: Agent
    session: Session


class NewPerson(Struct, frozen=True):
    """A new account; `name_taken` when another agent has its name or one that looks alike."""

    agent: Agent
    password: str
    one_at_a_time: ClassVar[bool] = True

    def __call__(self, db: Connection) -> str | None:
        if taken := Register(self.agent)(db):
            return taken
        db.execute(insert(p).values(agent=self.agent.id, password=self.password, created_ms=self.agent.created_ms))
        return None


class NameTaken(Struct, frozen=True):
    """Whether somebody who is no guest has a name, or one that looks like it."""

    name: str

    def __call__(self, db: Connection) -> bool:
        alike = (a.c.outline == names.outline(self.name)) & ~a.c.guest
        return db.execute(select(a.c.id).where(alike).limit(1)).first() is not None


class IsPerson(Struct, frozen=True):
    """Whether somebody has an account with a password, and is no program."""

    agent: str

    def __call__(self, db: Connection) -> bool:
        return db.execute(select(p.c.agent).where(p.c.agent == self.agent)).first() is not None


class PasswordOf(Struct, frozen=True):
    """A person by name, in whatever case, with the password as it is kept."""

    name: str

    def __call__(self, db: Connection) -> tuple[Agent, str] | None:
        found = select(*columns(a, Agent), p.c.password).join(p, p.c.agent == a.c.id)
        row = db.execute(found.where(a.c.name_key == names.key_of(self.name))).first()
        return (Agent(*row[:-1]), row[-1]) if row else None


class SignIn(Struct, frozen=True):
    """A new session; those that are over are thrown away. Returns the hashes of those that had to make room."""

    session: Session

    def __call__(self, db: Connection) -> list[bytes]:
        db.execute(delete(s).where(s.c.expires_ms <= self.session.created_ms))
        mine = select(s.c.hash).where(s.c.agent == self.session.agent).order_by(s.c.created_ms.desc(), s.c.hash)
        oldest = list(db.scalars(mine).all()[MOST - 1 :])
        if oldest:
            db.execute(delete(s).where(s.c.hash.in_(oldest)))
        db.execute(insert(s).values({name: getattr(self.session, name) for name in Session.__struct_fields__}))
        return oldest


class SignOut(Struct, frozen=True):
    """Sessions of somebody end: the one whose hash begins so, or all; returns the hashes of those that did."""

    agent: str
    begins: str = ""  # in hexadecimal

    def __call__(self, db: Connection) -> list[bytes]:
        mine = [one.hash for one in SessionsOf(self.agent, 0)(db) if one.hash.hex().startswith(self.begins)]
        if mine:
            db.execute(delete(s).where(s.c.hash.in_(mine)))
        return mine


class BySession(Struct, frozen=True):
    """Who has a session; None when it is over, or was ended."""

    hash: bytes
    now_ms: int

    def __call__(self, db: Connection) -> Who | None:
        found = select(*columns(s, Session)).where(s.c.hash == self.hash, s.c.expires_ms > self.now_ms)
        row: Any = db.execute(found).first()
        if row is None:
            return None
        session = Session(*row)
        agent = agents.ById(session.agent)(db)
        return Who(agent, session) if agent else None


class SessionsOf(Struct, frozen=True):
    """The sessions of somebody that are not over, newest first."""

    agent: str
    now_ms: int

    def __call__(self, db: Connection) -> list[Session]:
        mine = select(*columns(s, Session)).where(s.c.agent == self.agent, s.c.expires_ms > self.now_ms)
        return [Session(*row) for row in db.execute(mine.order_by(s.c.created_ms.desc(), s.c.hash))]
