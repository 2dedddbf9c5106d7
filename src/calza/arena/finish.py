"""What a match comes to: places, ratings, and how everybody played."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from calza.matches import write_record
from calza.rules import Forfeit
from calza.tournament.openranks import Skill, rated
from calza.tournament.watch import BIDS, BLUFFS, CALLS, EXACTS, EXACTS_RIGHT, RIGHT, habits_of

from .fairness import Signer
from .live import Live
from .messages import Usage
from .store.matches import Ending, Finish, Habits, Rate
from .store.seated import Player


class Spent(Struct, frozen=True, omit_defaults=True):
    """What an action cost, as it stands beside it in the store: by the agent's own account, and in refused tries."""

    tokens: int = 0
    cost: float = 0.0
    illegal: int = 0  # tries that were refused since the agent's last action


def spent(usage: Usage | None, illegal: int) -> str | None:
    """The same as JSON; None for nothing."""
    if usage is None and not illegal:
        return None
    said = usage or Usage()
    return msgspec.json.encode(Spent(said.tokens, said.cost, illegal)).decode()


class Cost(Struct):
    """What all actions of a player cost; it grows."""

    millis: int = 0
    timeouts: int = 0
    tokens: int = 0
    cost: float = 0.0
    illegal: int = 0


REASONS = {"resign": "resigned", "timeout": "timeout"}


def settled(live: Live, now_ms: int, signer: Signer, *, aborted: bool = False) -> Finish:
    """The end of a match, ready to be written."""
    record = write_record(live.record(open=True))
    places = None if aborted else live.game.places
    reason = "aborted" if aborted else reason_of(live)
    return Finish(
        match=live.match.id,
        finished_ms=now_ms,
        reason=reason,
        record=record,
        actions=live.sequence,
        players=tuple(ending(live, row, places) for row in live.joined),
        status="aborted" if aborted else "completed",
        signature=signer.sign(live.match.id, record),
        habits=() if aborted else habits(live),
        rate=None if places is None or not live.match.rated else rate([places[row.seat] for row in live.joined]),
    )


def reason_of(live: Live) -> str:
    """Why a match is over."""
    _, ply = live.game.plies[-1]
    return REASONS.get(ply.reason, "completed") if isinstance(ply, Forfeit) else "completed"


def ending(live: Live, row: Player, places: Sequence[int] | None) -> Ending:
    """What the match came to for one player; without `places` it was aborted."""
    dice = live.game.state.dice[row.seat]
    if places is None:
        return Ending(row.joined, row.agent, "draw", 1, dice, row.out_ms)
    place = places[row.seat]
    return Ending(row.joined, row.agent, "win" if place == 1 else "loss", place, dice, row.out_ms)


def rate(places: Sequence[int]) -> Rate:
    """Ratings by place; a win over somebody of whom little is known moves little, by how Plackett-Luce works."""

    def after(before: list[tuple[str, float, float]]) -> Sequence[tuple[float, float]]:
        skills = rated([Skill(mu, sigma) for _, mu, sigma in before], places)
        return [(one.mu, one.sigma) for one in skills]

    return after


def habits(live: Live) -> tuple[Habits, ...]:
    """How everybody played."""
    acts = habits_of(live.game, live.events)
    costs = [Cost(illegal=illegal) for illegal in live.illegal]
    before = live.match.started_ms or live.match.created_ms
    for one in live.done:
        own = costs[one.seat]
        own.millis += max(0, one.at_ms - before)
        own.timeouts += one.text.endswith(":timeout")
        if one.usage:
            said = msgspec.json.decode(one.usage, type=Spent)
            own.tokens += said.tokens
            own.cost += said.cost
            own.illegal += said.illegal
        before = one.at_ms
    return tuple(habit(row.agent, acts[row.seat], costs[row.seat]) for row in live.joined)


def habit(agent: str, acts: Sequence[int], cost: Cost) -> Habits:
    """How one player played."""
    return Habits(
        agent=agent,
        moves=acts[BIDS] + acts[CALLS] + acts[EXACTS],
        millis=cost.millis,
        illegal=cost.illegal,
        timeouts=cost.timeouts,
        bids=acts[BIDS],
        bluffs=acts[BLUFFS],
        calls=acts[CALLS] + acts[EXACTS],
        calls_right=acts[RIGHT] + acts[EXACTS_RIGHT],
        tokens=cost.tokens,
        cost=cost.cost,
    )
