"""Rules to charts: the only place that turns a rule's words into numbers.

Charts are flat lists of ints, which are fast to index as Python lists and, as arrays, in compiled code. Faces count
from 1 as people count them; index 0 of a face means "no bid yet" or nothing.
"""

from functools import lru_cache

from msgspec import Struct

from .rules import CAP, Raise, Raising, Rules, Starter

PLAIN, SPECIAL = 0, 1  # modes of a round
NEVER = CAP + 1  # a floor that no bid reaches
SHORT, MET, OVER = 0, 1, 2  # what a reveal finds
CALLER, BIDDER, LEFT_OF_CALLER, LEFT_OF_BIDDER = range(4)
UNTIL_LAST, ONE_ROUND, FIRST_OUT = 0, 1, 2
NO_LIMIT = 10**6

STARTERS = tuple(Starter)
ENDS = ("last", "round", "first-out")


class Charts(Struct, frozen=True):
    """What `play` reads."""

    # A tuple because its length is then a constant of the compiled code; as a number it would be one more load.
    faces: tuple[int, ...]
    width: int  # faces + 1: in Python a number is faster than a length
    wild: list[int]  # [mode]: the wild face, or 0
    cap: int
    cap_is_dice: int
    floor: list[int]  # [row + face]: the least legal quantity; `row` is where the standing bid's floors begin
    special_from: int  # players still in for a special round; NO_LIMIT for never
    gain_limited: int
    end: int
    calls: int
    min_players: list[int]  # [call]
    in_special: list[int]  # [call]
    needs_lost_die: list[int]  # [call]
    change: list[int]  # [(call * 3 + found) * 3 + role]: dice for caller, bidder, everybody else
    per_die: list[int]  # [call * 3 + found]
    starts: list[int]  # [call * 3 + found]


@lru_cache(maxsize=256)
def draw_charts(rules: Rules) -> Charts:
    """The charts of `rules`, which are taken as checked."""
    outcomes = [outcome for call in rules.calls for outcome in (call.short, call.exact, call.over)]
    return Charts(
        faces=tuple(range(1, rules.faces + 1)),
        width=rules.faces + 1,
        wild=[rules.wild or 0, rules.wild or 0 if rules.special and rules.special.wild else 0],
        cap=CAP if rules.cap == "dice" else rules.cap,
        cap_is_dice=int(rules.cap == "dice"),
        floor=floors(rules),
        special_from=rules.special.min_players if rules.special else NO_LIMIT,
        gain_limited=int(rules.gain == "start"),
        end=ENDS.index(rules.end),
        calls=len(rules.calls),
        min_players=[call.min_players for call in rules.calls],
        in_special=[int(call.in_special) for call in rules.calls],
        needs_lost_die=[int(call.needs_lost_die) for call in rules.calls],
        change=[dice for one in outcomes for dice in (one.caller, one.bidder, one.others)],
        per_die=[int(one.per_die) for one in outcomes],
        starts=[STARTERS.index(one.starts) for one in outcomes],
    )


def floors(rules: Rules) -> list[int]:
    """Every floor, in the order of mode, standing quantity, standing face, new face."""
    cap = CAP if rules.cap == "dice" else rules.cap
    flat: list[int] = []
    for mode in (PLAIN, SPECIAL) if rules.special else (PLAIN,):
        raising, wild, opening = raising_in(rules, mode)
        flat += opening * (rules.faces + 1)  # quantity 0 stands for "no bid yet", on whatever face
        faces = range(1, rules.faces + 1)
        words = [[word(raising, wild, face, new) for new in faces] for face in faces]
        for quantity in range(1, cap + 1):
            least = {raise_: min(least_after(raise_, quantity), NEVER) for raise_ in Raise}
            flat += [NEVER] * (rules.faces + 1)
            for row in words:
                flat += [NEVER, *(least[one] for one in row)]
    return flat


def raising_in(rules: Rules, mode: int) -> tuple[Raising, int, list[int]]:
    """Raising, the wild face and the floors of an opening bid, in a mode."""
    raising, wild, open_on_wild = rules.raising, rules.wild or 0, rules.open_on_wild
    if mode == SPECIAL and rules.special:
        raising, open_on_wild = rules.special.raising, rules.special.open_on_wild
        wild = wild if rules.special.wild else 0
    # The face that is wild in plain rounds is the one that may be barred from opening, wild now or not.
    barred = None if open_on_wild else rules.wild
    opening = [NEVER if face in (0, barred) else rules.opening for face in range(rules.faces + 1)]
    return raising, wild, opening


def word(raising: Raising, wild: int, face: int, new: int) -> Raise:
    """The word that says how `new` may follow a bid on `face`."""
    if new == wild != face and raising.to_wild:
        return raising.to_wild
    if face == wild != new and raising.from_wild:
        return raising.from_wild
    if new == face:
        return raising.same
    return raising.higher if new > face else raising.lower


def least_after(word: Raise, quantity: int) -> int:
    """The least quantity that `word` allows after a bid of `quantity`."""
    return {
        Raise.BARRED: NEVER,
        Raise.ANY: 1,
        Raise.SAME: quantity,
        Raise.MORE: quantity + 1,
        Raise.HALF: (quantity + 1) // 2,
        Raise.OVER_HALF: quantity // 2 + 1,
        Raise.DOUBLE_PLUS_ONE: 2 * quantity + 1,
    }[word]
