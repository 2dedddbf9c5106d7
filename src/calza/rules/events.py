"""What happened, as values in order. Everybody at the table may know all of it: events hold no hidden dice.

Python's search for lost cycles passes them over (`gc=False`): there is none in them, and a server holds many.
"""

from functools import lru_cache

from .actions import Call, Forfeit, Penalty
from .charts import SPECIAL
from .dice import Hand
from .play import place
from .rules import Value
from .state import State
from .table import Table


class RoundBegan(Value, frozen=True, kw_only=True, gc=False, tag="round"):
    """Everybody rolls; `seat` opens."""

    round: int
    seat: int
    dice: tuple[int, ...]
    special: bool = False


class BidMade(Value, frozen=True, kw_only=True, gc=False, tag="bid"):
    """`seat` bid."""

    seat: int
    quantity: int
    face: int


@lru_cache(maxsize=1 << 12)
def bid_made(seat: int, quantity: int, face: int) -> BidMade:
    """A bid: equal ones are one value, of which a server holds many."""
    return BidMade(seat=seat, quantity=quantity, face=face)


class Called(Value, frozen=True, kw_only=True, gc=False, tag="call"):
    """`seat` called on the bid of `bidder`, and the cups were lifted: `count` dice counted for the bid."""

    seat: int
    call: str
    bidder: int
    quantity: int
    face: int
    count: int
    shown: tuple[tuple[int, ...], ...]  # the dice of every seat that the reveal shows, lowest first


class DiceChanged(Value, frozen=True, kw_only=True, gc=False, tag="dice"):
    """`seat` gained (+) or lost (-) dice and has `left`."""

    seat: int
    change: int
    left: int


class Forfeited(Value, frozen=True, kw_only=True, gc=False, tag="forfeit"):
    """`seat` left the game; nothing of its hand is shown."""

    seat: int
    reason: str


class Penalized(Value, frozen=True, kw_only=True, gc=False, tag="penalty"):
    """The host took a die of `seat`; nothing is shown."""

    seat: int
    reason: str


class Out(Value, frozen=True, kw_only=True, gc=False, tag="out"):
    """`seat` has no dice left."""

    seat: int


class GameOver(Value, frozen=True, kw_only=True, gc=False, tag="over"):
    """The game has ended with these places, by seat."""

    places: tuple[int, ...]


Event = RoundBegan | BidMade | Called | DiceChanged | Forfeited | Penalized | Out | GameOver


def round_began(s: State) -> RoundBegan:
    """The round that `s` has opened."""
    return RoundBegan(round=s.round, seat=s.turn, dice=tuple(s.dice), special=s.mode == SPECIAL)


def round_ended(
    table: Table,
    before: State,
    hands: list[Hand],
    cups: list[Hand],
    seat: int,
    ply: Call | Forfeit | Penalty,
    now: State,
) -> list[Event]:
    """What happened when `ply` of `seat` ended a round, from the state `before`, with those hands, to `now`."""
    first: Event
    if isinstance(ply, Call):
        first = called(table, before, hands, cups, ply)
    else:
        first = (Forfeited if isinstance(ply, Forfeit) else Penalized)(seat=seat, reason=ply.reason)
    # Clockwise from the actor, so that a table reads them in the order people would settle them.
    clockwise = [(seat + step) % now.seats for step in range(now.seats)]
    changed = [one for one in clockwise if before.dice[one] != now.dice[one]]
    events: list[Event] = [first]
    if not isinstance(ply, Forfeit):
        events += [
            DiceChanged(seat=one, change=now.dice[one] - before.dice[one], left=now.dice[one]) for one in changed
        ]
    events += [Out(seat=one) for one in changed if not now.dice[one]]
    if now.over:
        return [*events, GameOver(places=tuple(place(now, one) for one in range(now.seats)))]
    return [*events, round_began(now)]


@lru_cache(maxsize=1 << 14)
def shown_of(hand: Hand, counting: tuple[int, ...]) -> tuple[int, ...]:
    """The dice of a hand that are shown, lowest first: those of the faces that count, or all when none is named."""
    return tuple(one for one, dice in enumerate(hand) if not counting or one in counting for _ in range(dice))


def called(table: Table, before: State, hands: list[Hand], cups: list[Hand], call: Call) -> Called:
    """A call on the standing bid, with what the reveal shows."""
    face = before.face
    # A bid on the wild face itself counts only that face; plain bids count both.
    counting = () if table.rules.reveal == "all" else (face, table.charts.wild[before.mode] or face)
    shown = tuple([shown_of(hand, counting) for hand in hands])
    return Called(
        seat=before.turn,
        call=call.name,
        bidder=before.bidder,
        quantity=before.quantity,
        face=face,
        count=sum(hand[face] for hand in cups),
        shown=shown,
    )
