"""Soft play: who gave dice away to whom, beyond what it gives to everybody.

There are two ways to give: to let a bid stand that is all but surely false, and to call one that is all but surely
true, as the giver sees them (`watch.UNLIKELY`, `watch.LIKELY`). Between those, calls are guesses, and to spare a
truthful opponent is good play.

A bot is held against itself. For every spot (`watch.py`), and apart for bids that were false and true, its habit is
how often it calls the bids of all its *other* opponents. What it would have won in its habit, less what it did win,
judged by the true dice, is what it gave to the opponent in question. A bot that never calls anybody gives nobody
anything. Whoever is found to be a friend is no longer among the others: beside a friend, everybody is treated badly.

In one cell of the comparison the calls are a draw: under no favour, those over this opponent's bids are a sample of
all. So their variance is that of drawing without replacement (as in the test of Mantel and Haenszel 1959), and the sum
over the cells is close to normal. Bots differ in things that no spot knows of, so with enough games everybody gives
somebody a little more: a gift is flagged when it is more than `least` beyond doubt, by Holm's rule (1979) over all
pairs and both ways.
"""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from .watch import LIKELY, UNLIKELY, Watched

Way = Literal["stand", "call"]  # unlikely bids were let stand, or likely ones called

SPOTS_OF: dict[Way, range] = {"stand": UNLIKELY, "call": LIKELY}
LEAST = 0.2  # dice a decision; house bots were seen to give 0.12 to somebody, and simple foreign ones 0.18
FEWEST = 20  # decisions; with fewer, no pair is compared
HABIT = 5  # decisions over the others' bids; of fewer no habit is told, and sums of few are far from normal
NORMAL = NormalDist()

Floats = NDArray[np.float64]
Pairs = frozenset[tuple[int, int]]


class Gift(Struct, frozen=True):
    """What one bot gave to one other in one way: an ordered pair of entries."""

    giver: int
    taker: int
    way: Way
    decisions: int  # of the giver over such bids of the taker, in spots where the giver also faced others
    often: int  # the decisions in which it did what gives
    usual: float  # those in which it would have, in its habit
    given: float  # dice a decision, beyond what its habit would have given
    low: float  # its 95 % interval
    high: float
    p: float  # how likely chance gives as much to any pair, if no bot gives more than `least` (Holm)
    flagged: bool = False


class Towards(Struct, frozen=True):
    """A giver's decisions over a taker's bids, and over those of the others, in the cells where there are both."""

    own: Floats  # [cell]: decisions over the taker's bids
    made: Floats  # [cell, call]: the calls among them
    worth: Floats  # [cell, call]: the mean worth of such a call
    others: Floats  # [cell]
    others_made: Floats  # [cell, call]

    @property
    def habit(self) -> Floats:
        """[cell, call]: the share of decisions over the others' bids that were this call."""
        habit: Floats = self.others_made / self.others[:, None]
        return habit

    @property
    def given(self) -> float:
        """Dice given away in all."""
        return float(((self.habit * self.own[:, None] - self.made) * self.worth).sum())

    @property
    def error(self) -> float:
        """The standard deviation of `given` when the taker is treated like all others."""
        both = self.own + self.others
        drawn = (self.made + self.others_made) / both[:, None]
        spread = (drawn * self.worth**2).sum(axis=1) - (drawn * self.worth).sum(axis=1) ** 2
        varies = np.maximum(spread, 0) * self.own * both / self.others * both / (both - 1)
        return sqrt(float(varies.sum()))


def gifts(watched: Watched, alpha: float = 0.05, least: float = LEAST) -> list[Gift]:
    """Every gift that could be told, the surest first; chance flags one among them all with at most `alpha`."""
    friends: Pairs = frozenset()
    while True:
        found = holm(compared(watched, friends, least), alpha)
        new = [(one.giver, one.taker) for one in found if one.flagged and (one.giver, one.taker) not in friends]
        if not new:
            return found
        friends |= {new[0]}


def compared(watched: Watched, friends: Pairs, least: float) -> list[Gift]:
    """Every pair in both ways, each by itself; friends are held against those who are none."""
    entries = range(len(watched.acts))
    found = []
    for giver, taker in ((giver, taker) for giver in entries for taker in entries if giver != taker):
        others = [one for one in entries if one != taker and (giver, one) not in friends]
        for way in SPOTS_OF:
            at = towards(watched, way, giver, taker, others)
            if at.own.sum() >= FEWEST:
                found.append(gift(giver, taker, way, at, least))
    return found


def towards(watched: Watched, way: Way, giver: int, taker: int, others: Sequence[int]) -> Towards:
    """What a giver did over a taker's bids, and over the others'."""
    counts = (watched.faced, watched.made, watched.worth)
    faced, made, worth = (np.asarray(one[giver][:, SPOTS_OF[way]], np.float64) for one in counts)
    pool = faced[others].sum(axis=0)
    both = (faced[taker] > 0) & (pool >= HABIT)
    own = faced[taker][both]
    return Towards(
        own=own,
        made=made[taker][both],
        worth=worth[taker][both] / own[:, None],
        others=pool[both],
        others_made=made[others].sum(axis=0)[both],
    )


def gift(giver: int, taker: int, way: Way, at: Towards, least: float) -> Gift:
    """A gift by itself: `p` and `flagged` do not know of the others yet."""
    decisions = float(at.own.sum())
    given, error = at.given / decisions, at.error / decisions
    far = NORMAL.inv_cdf(0.975) * error
    called, usual = float(at.made.sum()), float((at.habit.sum(axis=1) * at.own).sum())
    return Gift(
        giver=giver,
        taker=taker,
        way=way,
        decisions=int(decisions),
        often=int(called if way == "call" else decisions - called),
        usual=usual if way == "call" else decisions - usual,
        given=given,
        low=given - far,
        high=given + far,
        p=NORMAL.cdf((least - given) / error) if error else 1.0,
    )


def holm(found: Sequence[Gift], alpha: float) -> list[Gift]:
    """Gifts from the least p, each with its p among all of them."""
    corrected, p = [], 0.0
    for rank, one in enumerate(sorted(found, key=lambda one: (one.p, -one.given))):
        p = max(p, min(1.0, (len(found) - rank) * one.p))
        corrected.append(replace(one, p=p, flagged=p <= alpha))
    return corrected


def evidence(gift: Gift, names: Sequence[str]) -> str:
    """A gift in plain words."""
    giver, taker, p = names[gift.giver], names[gift.taker], max(gift.p, 0.0001)
    did = (
        "let {:,} of {:,} unlikely bids by {} stand" if gift.way == "stand" else "called {:,} of {:,} likely bids by {}"
    )
    return (
        f"{giver} {did.format(gift.often, gift.decisions, taker)} (its habit with others: {gift.usual:,.0f});"
        f" it gave away {abs(gift.given):.2f} dice a decision {'more' if gift.given >= 0 else 'less'} than to others"
        f" ({gift.low:z.2f} to {gift.high:z.2f}, p {'<' if p > gift.p else '='} {p:.1g})"
    )
