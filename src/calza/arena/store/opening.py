"""From the queue to a table, in one transaction: nobody sits down twice, and every seed is used in its turn."""

from collections.abc import Callable
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import asdict, replace
from sqlalchemy import BindParameter, Connection, bindparam, delete, func, insert, select, update

from . import schema
from .seated import Match, Player, Seated

m, p, s, w = schema.matches, schema.players, schema.seeds, schema.waiting

Seats = Callable[[bytes, str, list[str]], list[int]]  # the seats from the seed, the match's id and the salts


class Joining(Struct, frozen=True):
    """Somebody who is to sit down."""

    agent: str
    name: str
    salt: str
    house: str = ""
    queued: bool = True  # False for house bots and for guests, who need not have waited


class Open(Struct, frozen=True):
    """A match begins, with the lowest seed that nobody has used.

    Returns None, and changes nothing, when somebody does not wait any more, when somebody plays as many matches
    already as it can hold, or when there is no seed left.
    """

    match: Match  # its seed, number and commitment are drawn here
    players: tuple[Joining, ...]  # in the order of joining
    seat: Seats
    one_at_a_time: ClassVar[bool] = True

    def __call__(self, db: Connection) -> Seated | None:
        if not self.all_wait(db):
            return None
        drawn = db.execute(UNUSED).first()
        if drawn is None:
            return None
        number, seed, commitment = drawn
        db.execute(TAKEN, {"which": number, "match": self.match.id})
        match = replace(self.match, seed_number=number, seed=seed, commitment=commitment)
        db.execute(insert(m), asdict(match))
        sitting = self.sitting(seed)
        more = {"match": match.id, "game": match.game, "created_ms": match.created_ms}
        db.execute(insert(p), [asdict(one) | more for one in sitting])
        if waited := self.waited():
            db.execute(GONE, {"game": match.game, "agents": waited})
        return Seated(match, sitting)

    def sitting(self, seed: bytes) -> tuple[Player, ...]:
        """The players where the seed puts them."""
        seats = self.seat(seed, self.match.id, [one.salt for one in self.players])
        return tuple(
            Player(joined, one.agent, one.name, one.salt, one.house, seat)
            for joined, (one, seat) in enumerate(zip(self.players, seats, strict=True))
        )

    def waited(self) -> list[str]:
        """Those who must come from the queue."""
        return [one.agent for one in self.players if one.queued]

    def all_wait(self, db: Connection) -> bool:
        """Whether all who should be are still in the queue, and none of them plays too much."""
        waited = self.waited()
        if not waited:
            return True
        # Somebody who is just leaving has its row locked: it is passed over rather than waited for.
        rows = db.execute(WAITING, {"game": self.match.game, "agents": waited}).all()
        asked = {one.agent: one.salt for one in self.players}
        if len(rows) < len(waited) or any(not self.suits(row, asked[row.agent]) for row in rows):
            return False
        capacity = {row.agent: row.capacity for row in rows}
        return all(many < capacity[agent] for agent, many in db.execute(PLAYING, {"agents": waited}))

    def suits(self, row: Any, salt: str) -> bool:
        """Whether somebody still waits for this table, and did not leave meanwhile and come back for another."""
        return (row.lane, row.players, row.salt) == (self.match.lane, self.match.size, salt)


AGENTS: BindParameter[list[str]] = bindparam("agents", expanding=True)
UNUSED = select(s.c.number, s.c.seed, s.c.commitment).where(s.c.match.is_(None)).order_by(s.c.number).limit(1)
TAKEN = update(s).where(s.c.number == bindparam("which"))
MINE = (w.c.game == bindparam("game")) & w.c.agent.in_(AGENTS)
WAITING = select(w.c.agent, w.c.lane, w.c.players, w.c.salt, w.c.capacity).where(MINE).with_for_update(skip_locked=True)
GONE = delete(w).where(MINE)
PLAYING = select(p.c.agent, func.count()).where(p.c.agent.in_(AGENTS), p.c.out_ms.is_(None)).group_by(p.c.agent)
