"""How a game moves: the only code that does, run as Python by the engine and compiled by the simulator.

Everything here is written in the subset that numba compiles: scalars, `for`, `if`, indexing; no
strings, no exceptions, no `None`. `s` is a state (a `State`, or a row of a record array with the same fields), `c` the
charts of the rules, `cups` the matching dice: `cups[seat][face]` dice of a seat count for a bid on `face`.

A state knows nothing hidden. `s.row` is where the floors after the standing bid begin in `c.floor`, so that the least
legal quantity of a face is `c.floor[s.row + face]`.
"""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from .charts import (
    BIDDER,
    FIRST_OUT,
    LEFT_OF_BIDDER,
    LEFT_OF_CALLER,
    MET,
    NEVER,
    ONE_ROUND,
    OVER,
    PLAIN,
    SHORT,
    SPECIAL,
)
from .errors import Refusal

COMPILABLE: list[Callable[..., Any]] = []

# Plain integers, since compiled code returns them.
FINE: Final = int(Refusal.FINE)
TOO_LOW: Final = int(Refusal.TOO_LOW)
TOO_MANY: Final = int(Refusal.TOO_MANY)
FACE_BARRED: Final = int(Refusal.FACE_BARRED)
NO_SUCH_FACE: Final = int(Refusal.NO_SUCH_FACE)
NO_SUCH_CALL: Final = int(Refusal.NO_SUCH_CALL)
NOTHING_TO_CALL: Final = int(Refusal.NOTHING_TO_CALL)
CALL_BARRED: Final = int(Refusal.CALL_BARRED)
NOTHING_LOST: Final = int(Refusal.NOTHING_LOST)


F = TypeVar("F", bound=Callable[..., Any])


def compilable(function: F) -> F:
    """Mark `function` as written in the subset that numba compiles."""
    COMPILABLE.append(function)
    return function


@compilable
def after(s: Any, seat: int) -> int:
    """The next seat clockwise that has dice."""
    while True:
        seat += 1
        if seat == s.seats:
            seat = 0
        if s.dice[seat] > 0:
            return seat


@compilable
def count(s: Any, c: Any, cups: Any, face: int) -> int:
    """Dice on the table that count for `face`."""
    total = 0
    for seat in range(s.seats):
        if s.dice[seat] > 0:
            total += cups[seat][face]
    return total


@compilable
def bid_refusal(s: Any, c: Any, quantity: int, face: int) -> int:
    """Why the seat to act may not bid this; FINE if it may."""
    if face < 1 or face >= c.width:
        return NO_SUCH_FACE
    least = c.floor[s.row + face]
    if least <= quantity <= s.most:
        return FINE
    if quantity > s.most:
        return TOO_MANY
    return FACE_BARRED if least > s.most else TOO_LOW


@compilable
def call_refusal(s: Any, c: Any, which: int) -> int:
    """Why the seat to act may not make this call; FINE if it may."""
    if which < 0 or which >= c.calls:
        return NO_SUCH_CALL
    if s.quantity == 0:
        return NOTHING_TO_CALL
    if s.playing < c.min_players[which] or (s.mode == SPECIAL and not c.in_special[which]):
        return CALL_BARRED
    if c.needs_lost_die[which] and s.dice[s.turn] >= s.start[s.turn]:
        return NOTHING_LOST
    return FINE


@compilable
def open_round(s: Any, c: Any) -> None:
    """Clear the bids and say what a bid may be in this round."""
    width = c.width
    s.quantity = 0
    s.face = 0
    s.bidder = -1
    s.base = s.mode * (c.cap + 1) * width * width
    s.row = s.base
    s.most = c.cap
    if c.cap_is_dice and s.total < c.cap:
        s.most = s.total


@compilable
def bid(s: Any, c: Any, quantity: int, face: int) -> None:
    """The seat to act bids; the bid is taken as legal."""
    s.row = s.base + (quantity * c.width + face) * c.width
    s.quantity = quantity
    s.face = face
    s.bidder = s.turn
    # Mostly the next seat has dice, and a call to `after` costs a tenth of a bid.
    seat = s.turn + 1
    if seat == s.seats:
        seat = 0
    s.turn = seat if s.dice[seat] > 0 else after(s, seat)


@compilable
def change_dice(s: Any, c: Any, seat: int, amount: int) -> int:
    """Give (+) or take (-) dice; 1 when the seat has fallen to one die for the first time."""
    before = s.dice[seat]
    left = before + amount
    if amount > 0 and c.gain_limited and left > s.start[seat]:
        left = max(before, s.start[seat])
    if left <= 0:
        left = 0
        s.playing -= 1
        s.out[seat] = s.wave
    s.dice[seat] = left
    s.total += left - before
    if left == 1 and before > 1 and s.used[seat] == 0:
        s.used[seat] = 1
        return 1
    return 0


@compilable
def call(s: Any, c: Any, which: int, have: int) -> None:
    """The seat to act makes a legal call and `have` dice count for the bid: settle, and open the next round."""
    off = have - s.quantity
    found = MET if off == 0 else (OVER if off > 0 else SHORT)
    row = which * 3 + found
    times = abs(off) if c.per_die[row] and off != 0 else 1
    caller = s.turn
    bidder = s.bidder
    s.wave += 1
    fell = 0
    amount = c.change[row * 3]
    if amount != 0:
        fell += change_dice(s, c, caller, amount if amount > 0 else amount * times)
    amount = c.change[row * 3 + 1]
    if amount != 0:
        fell += change_dice(s, c, bidder, amount if amount > 0 else amount * times)
    amount = c.change[row * 3 + 2]
    if amount != 0:
        for seat in range(s.seats):
            if s.dice[seat] > 0 and seat != caller and seat != bidder:
                fell += change_dice(s, c, seat, amount if amount > 0 else amount * times)
    starts = c.starts[row]
    opener = bidder if starts == BIDDER or starts == LEFT_OF_BIDDER else caller
    next_round(s, c, opener, starts >= LEFT_OF_CALLER, fell, c.end == ONE_ROUND)


@compilable
def next_round(s: Any, c: Any, opener: int, pass_on: bool, fell: int, ended: bool) -> None:
    """End the game, or open a round at `opener`, passing on clockwise when it must or has no dice."""
    s.mode = SPECIAL if fell > 0 and s.playing >= c.special_from else PLAIN
    if ended or s.playing <= 1 or (c.end == FIRST_OUT and s.playing < s.seats):
        s.over = 1
    else:
        s.round += 1
    s.turn = opener
    if s.playing > 0 and (pass_on or s.dice[opener] == 0):
        s.turn = after(s, opener)
    open_round(s, c)


@compilable
def penalize(s: Any, c: Any, seat: int) -> None:
    """Take a die as if `seat` had made a wrong liar call: the policy for a late or illegal move."""
    s.wave += 1
    fell = change_dice(s, c, seat, -1)
    next_round(s, c, seat, c.starts[OVER] == LEFT_OF_CALLER, fell, c.end == ONE_ROUND)


@compilable
def leave(s: Any, c: Any, seat: int) -> None:
    """`seat` is out at once; the round dies with it and the next seat clockwise opens another."""
    s.wave += 1
    change_dice(s, c, seat, -s.dice[seat])
    next_round(s, c, seat, True, 0, False)


@compilable
def standing(s: Any, seat: int) -> int:
    """Orders the seats of a finished game: the higher, the better."""
    if s.dice[seat] == 0:
        return int(s.out[seat])
    return NEVER + int(s.dice[seat] - s.start[seat])  # several are left only where a game may end before one has won


@compilable
def place(s: Any, seat: int) -> int:
    """The place of `seat`, from 1; equal ones share a place and leave out the next."""
    own = standing(s, seat)
    better = 1
    for other in range(s.seats):
        if standing(s, other) > own:
            better += 1
    return better
