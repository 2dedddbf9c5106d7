"""Who meets whom: from the stages that are over to the next one.

Everything here is a function of the plan and of what has been played, so a tournament that was killed goes on with the
very tables that it would have had.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb
from random import Random

from msgspec import Struct

from .plan import Plan, PlanError
from .stage import Stage

MOST_TABLES = 200_000
TRIES = 20_000  # tables that a Swiss round looks at

Table = tuple[int, ...]


class Past(Struct, frozen=True):
    """A stage that is over, and what it came to."""

    stage: Stage
    shares: tuple[float, ...]  # [entry]: of the points that it could have won in it; 0.0 for who sat out
    benched: tuple[int, ...] = ()  # who failed too often and sat out most of it


def next_stage(plan: Plan, past: Sequence[Past]) -> Stage | None:
    """The stage that follows; None when the tournament is over."""
    tables, name = PAIRINGS[plan.format](plan, past)
    if not tables:
        return None
    first = past[-1].stage.units.stop if past else 0
    return Stage(len(past), first, tuple(tables), plan.groups, plan.portion, name)


Pairing = Callable[[Plan, Sequence[Past]], tuple[list[Table], str]]


# --- everybody at once


def round_robin(plan: Plan, past: Sequence[Past]) -> tuple[list[Table], str]:
    """Every table there can be."""
    if past:
        return [], ""
    few_enough(comb(len(plan.entries), plan.players))
    return list(combinations(range(len(plan.entries)), plan.players)), ""


def gauntlet(plan: Plan, past: Sequence[Past]) -> tuple[list[Table], str]:
    """Every table at which the first entry sits."""
    if past:
        return [], ""
    few_enough(comb(len(plan.entries) - 1, plan.players - 1))
    return [(0, *others) for others in combinations(range(1, len(plan.entries)), plan.players - 1)], ""


def few_enough(tables: int) -> None:
    """PlanError for more tables than anybody can play."""
    if tables > MOST_TABLES:
        raise PlanError(f"{tables:,} tables are too many; take fewer bots, smaller tables, or the format swiss")


# --- Swiss: winners meet winners


def swiss(plan: Plan, past: Sequence[Past]) -> tuple[list[Table], str]:
    """Tables of bots that have done about equally well, and have met as rarely as can be."""
    if len(past) >= swiss_rounds(plan):
        return [], ""
    order = swiss_order(plan, past)
    met = meetings(past)
    playing = order[: len(order) - len(order) % plan.players]
    tables: list[Table] | None = None
    for often in range(len(past) + 1):
        tables = tables or paired(playing, plan.players, Met(met, often), [TRIES])
    return [tuple(sorted(table)) for table in tables or grouped(playing, plan.players)], f"round {len(past) + 1}"


class Met(Struct, frozen=True):
    """Says whether two have met at most so often."""

    times: dict[frozenset[int], int]
    most: int

    def __call__(self, one: int, other: int) -> bool:
        return self.times.get(frozenset((one, other)), 0) <= self.most


def paired(order: Sequence[int], players: int, may: Callable[[int, int], bool], tries: list[int]) -> list[Table] | None:
    """Tables of neighbours in the standings, as near as can be, of whom everybody may meet everybody; None if none."""
    if not order:
        return []
    first, *others = order
    friends = [one for one in others if may(first, one)]
    for company in combinations(friends, players - 1):
        tries[0] -= 1
        if tries[0] < 0:
            return None
        if all(may(one, other) for one, other in combinations(company, 2)):
            rest = paired([one for one in others if one not in company], players, may, tries)
            if rest is not None:
                return [(first, *company), *rest]
    return None


def grouped(order: Sequence[int], players: int) -> list[Table]:
    """Tables of neighbours, whoever they have met: where nobody has the time to find better ones."""
    return [tuple(order[at : at + players]) for at in range(0, len(order), players)]


def swiss_rounds(plan: Plan) -> int:
    """As many rounds as were asked for, or as it takes to leave one bot unbeaten, and one more."""
    rounds, left = 1, len(plan.entries)
    while left > 1:
        rounds, left = rounds + 1, -(-left // plan.players)
    return plan.rounds or rounds


def swiss_order(plan: Plan, past: Sequence[Past]) -> list[int]:
    """The bots, best first; at the end those who have sat out least often, of whom some will."""
    entries = list(range(len(plan.entries)))
    Random(plan.seed).shuffle(entries)
    played = [sum(one in table for over in past for table in over.stage.tables) for one in entries]
    share = {
        one: sum(over.shares[one] for over in past) / games if games else 0.0
        for one, games in zip(entries, played, strict=True)
    }
    order = sorted(entries, key=lambda one: -share[one])
    over = len(order) % plan.players
    if not over:
        return order
    most = dict(zip(entries, played, strict=True))
    # Whoever has played most sits out; of those the one that stands last.
    resting = sorted(order, key=lambda one: (-most[one], -order.index(one)))[:over]
    return [one for one in order if one not in resting] + resting


def meetings(past: Sequence[Past]) -> dict[frozenset[int], int]:
    """How often two bots have sat at one table."""
    met: dict[frozenset[int], int] = {}
    for over in past:
        for table in over.stage.tables:
            for pair in combinations(table, 2):
                met[frozenset(pair)] = met.get(frozenset(pair), 0) + 1
    return met


# --- knock-out: the best of each table goes on


def knock_out(plan: Plan, past: Sequence[Past]) -> tuple[list[Table], str]:
    """Tables of those who are still in; the seeding is the order of the entries."""
    still = survivors(plan, past)
    if len(still) == 1:
        return [], ""
    tables = seeded(still, plan.players)
    return [tuple(sorted(table)) for table in tables if len(table) > 1], stage_name(len(tables))


def survivors(plan: Plan, past: Sequence[Past]) -> list[int]:
    """Who is still in, in the order of the seeding."""
    out = eliminated(past)
    return [one for one in range(len(plan.entries)) if one not in out]


def eliminated(past: Sequence[Past]) -> dict[int, int]:
    """Who is out, and in which stage that happened."""
    return {
        one: over.stage.number
        for over in past
        for table in over.stage.tables
        for one in table
        if one != winner(table, over)
    }


def winner(table: Table, over: Past) -> int:
    """The best of a table; of equals the one that was seeded higher."""
    return max(table, key=lambda one: (over.shares[one], -one))


def seeded(still: Sequence[int], players: int) -> list[list[int]]:
    """Tables of nearly one size, the seeds dealt out to and fro, so that the best meet last; one alone has a bye."""
    many = -(-len(still) // players)
    tables: list[list[int]] = [[] for _ in range(many)]
    for at, one in enumerate(still):
        row, place = divmod(at, many)
        tables[place if row % 2 == 0 else many - 1 - place].append(one)
    return tables


def stage_name(tables: int) -> str:
    """What people call a stage of so many tables."""
    return {1: "final", 2: "semi-final", 4: "quarter-final"}.get(tables, f"round of {tables} tables")


def no_pairing(plan: Plan, past: Sequence[Past]) -> tuple[list[Table], str]:
    """A league is never over: `league.py` chooses its tables by what is least known."""
    raise AssertionError("a league has stages of its own")


PAIRINGS: dict[str, Pairing] = {
    "round-robin": round_robin,
    "gauntlet": gauntlet,
    "swiss": swiss,
    "knock-out": knock_out,
    "league": no_pairing,
}
