"""A decision seen from afterwards: what it gave up, and the sentence that says so.

The figures come from whoever judged it, such as `calza.agents.review`; here they only get their words.
"""

from msgspec import Struct

from calza.rules import Bid, Rules
from calza.rules.actions import bid_name, parse_action
from calza.rules.describe import said
from calza.rules.read import printable

from .words import Cast, address


class Decision(Struct, frozen=True, omit_defaults=True):
    """One decision of a player, in dice: what its seat gains in a round, less what the others gain on average."""

    action: int  # its number in the record
    seat: int
    round: int
    played: str
    expected: float  # dice, for what its player knew
    error: float  # standard error of that; 0 where it is exact
    best: str  # the best that was found beside it
    better: float  # dice to expect of that
    cost: float  # what was given up; below 0 where the best was played
    doubt: float  # standard error of the cost
    costly: bool = False  # whether it cost more than chance explains
    says: str = ""


def judged(decision: Decision, cast: Cast, rules: Rules) -> str:
    """A decision in plain words."""
    who = cast.of(decision.seat)
    did = f"{cast.does([decision.seat], *verbs(decision.played, rules))} {named(decision.played, rules)}"
    other = f"to {verbs(decision.best, rules)[1]} {named(decision.best, rules)}"
    if decision.costly:
        knew = f"{who} could know"
        return address(f"{did}. As far as {knew}, {other} was worth {decision.cost:.2f} dice more.")
    if decision.cost > 0:
        return address(f"{did}. Perhaps {other} was a little better, but not by more than chance explains.")
    return address(f"{did}. Nothing better was found; the next best was {other}.")


def verbs(action: str, rules: Rules) -> tuple[str, str]:
    """What one does, and what many do, to play an action."""
    return ("bids", "bid") if isinstance(parse_action(action, rules), Bid) else ("says", "say")


def named(action: str, rules: Rules) -> str:
    """An action as people say it."""
    one = parse_action(action, rules)
    if isinstance(one, Bid):
        return bid_name(one)
    return f'"{printable(next(said(call) for call in rules.calls if call.name == action))}"'
