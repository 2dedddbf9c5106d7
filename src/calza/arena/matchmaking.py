"""Who plays whom: from the queue to tables. Nothing but decisions; nothing is stored here.

Whoever has waited longest leads. It is given the opponents nearest to it in skill, within a reach that grows while it
waits, so that nobody waits for ever for an equal. After a while house bots fill the table, unless it wants agents only.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from .store.matches import size_class
from .store.pairing import UNKNOWN

REACH = 4.0  # skill (mu) within which two who have just come are seated together
WIDER = 1.0  # by which it grows every second


class Waiter(Struct, frozen=True):
    """Somebody in the queue."""

    agent: str
    game: str
    lane: str
    players: int
    since_ms: int
    mu: float
    agents_only: bool = False
    last_table: frozenset[str] = frozenset()  # with whom it played its last match, itself included


class House(Struct, frozen=True):
    """A house bot that may fill a table."""

    agent: str
    skills: Mapping[tuple[str, str, str], float] = {}  # by agent, game and size of the table

    def mu(self, lead: Waiter) -> float:
        """Its skill at the table of `lead`."""
        return self.skills.get((self.agent, lead.game, size_class(lead.players)), UNKNOWN)


class Seating(Struct, frozen=True):
    """A table that is to be opened, in the order of joining."""

    game: str
    lane: str
    agents: tuple[str, ...]


def tables(waiting: Iterable[Waiter], house: Sequence[House], now_ms: int, fill_after_ms: int) -> list[Seating]:
    """The tables that can be opened now; nobody sits at two of one game."""
    opened: list[Seating] = []
    for _, group in groupby(sorted(waiting, key=lambda one: (*kind(one), one.since_ms, one.agent)), kind):
        left = list(group)
        for lead in list(left):
            if lead not in left:
                continue  # sits by now
            table = [lead, *opponents(lead, [one for one in left if one is not lead], now_ms)]
            seated = [one.agent for one in table]
            if len(table) < lead.players:
                if lead.agents_only or now_ms - lead.since_ms < fill_after_ms:
                    continue
                table = [one for one in table if not one.agents_only]
                seated = [one.agent for one in table]
                seated += fillers(lead, seated, house)
            if len(seated) == lead.players:
                left = [one for one in left if one not in table]
                opened.append(Seating(lead.game, lead.lane, tuple(seated)))
    return opened


def kind(one: Waiter) -> tuple[str, str, int]:
    """What tables somebody can sit at."""
    return one.game, one.lane, one.players


def opponents(lead: Waiter, others: Sequence[Waiter], now_ms: int) -> list[Waiter]:
    """The nearest of those within reach, of either side, as many as there are seats; not the same table again.

    Somebody out of reach is waited for rather than that: the reach grows.
    """
    near = [one for one in others if abs(one.mu - lead.mu) <= max(reach(lead, now_ms), reach(one, now_ms))]
    near.sort(key=lambda one: (abs(one.mu - lead.mu), one.since_ms))
    company, more = near[: lead.players - 1], near[lead.players - 1 :]
    full = len(company) == lead.players - 1
    if not full or len(others) == len(company) or not again(lead, company):
        return company
    for one in more:
        if not again(lead, other := [*company[:-1], one]):
            return other
    return company if more else []


def again(lead: Waiter, company: Sequence[Waiter]) -> bool:
    """Whether this is the table at which one of them sat last."""
    table = {lead.agent, *(one.agent for one in company)}
    return any(one.last_table == table for one in (lead, *company))


def reach(one: Waiter, now_ms: int) -> float:
    """How far from its own skill somebody is seated."""
    return REACH + WIDER * (now_ms - one.since_ms) / 1000


def fillers(lead: Waiter, seated: Sequence[str], house: Sequence[House]) -> list[str]:
    """House bots near in skill, each of them once; not the same table again when there are others."""
    many = lead.players - len(seated)
    near = [one.agent for one in sorted(house, key=lambda one: (abs(one.mu(lead) - lead.mu), one.agent))]
    if {*seated, *near[:many]} == lead.last_table and len(near) > many:
        near.pop(many - 1)
    return near[:many]
