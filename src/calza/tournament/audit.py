"""Soft play: who gave dice away to whom, beyond what it gives to everybody.

A bot is held against itself. For every spot (`watch.py`), and apart for false and true bids, its habit is how often it
calls the bids of all its *other* opponents. What it would have won in its habit, less what it did win, judged by the
true dice, is what it gave to the opponent in question: false bids that it let stand though it calls those of others,
true bids that it called though it lets those of others stand. A bot that never calls anybody gives nobody anything,
and one that calls a bluffer more often and a truthful bot less, as it should, comes out below zero.

In one cell of the comparison the calls are a draw: under no favour, those over this opponent's bids are a sample of
all. So their variance is that of drawing without replacement (as in the test of Mantel and Haenszel 1959), and the sum
over the cells is close to normal. Bots differ in things that no spot knows of, so with enough games everybody gives
somebody a little more: a pair is flagged when it gives more than `least` beyond doubt, by Holm's rule (1979) over all
pairs. House bots stay below 0.015 dice a decision; a bot that never calls its friend gives it 0.2 and more.
"""

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from calza.rules.charts import SHORT

from .watch import Watched

LEAST = 0.03  # dice a decision; more than any house bot was seen to give in fields of all kinds
FEWEST = 30  # decisions; with fewer, no pair is compared
NORMAL = NormalDist()

Floats = NDArray[np.float64]


class Gift(Struct, frozen=True):
    """What one bot gave to one other: an ordered pair of entries."""

    giver: int
    taker: int
    decisions: int  # of the giver over the taker's bids, in spots where the giver also faced others
    given: float  # dice a decision, beyond what its habit would have given
    low: float  # its 95 % interval
    high: float
    p: float  # how likely chance gives as much to any pair, if no bot gives more than `least` (Holm)
    flagged: bool
    false_bids: int  # of the taker among the decisions
    stood: int  # those that the giver let stand
    usual_stood: float  # how many it would have, in its habit
    true_bids: int
    doubted: int  # those that it called
    usual_doubted: float


class Towards(Struct, frozen=True):
    """A giver's decisions over a taker's bids, and over those of all others, in the cells where there are both."""

    false: NDArray[np.bool_]  # [cell]: whether the bids were
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
        return sqrt(
            float((np.maximum(spread, 0) * self.own * both / self.others * both / np.maximum(both - 1, 1)).sum())
        )


def gifts(watched: Watched, alpha: float = 0.05, least: float = LEAST) -> list[Gift]:
    """Every pair that could be compared, the surest first; chance flags one among them all with at most `alpha`."""
    entries = range(len(watched.acts))
    pairs = [(giver, taker, towards(watched, giver, taker)) for giver in entries for taker in entries if giver != taker]
    found = [gift(giver, taker, at, least) for giver, taker, at in pairs if at.own.sum() >= FEWEST]
    return holm(sorted(found, key=lambda one: (one.p, -one.given)), alpha)


def towards(watched: Watched, giver: int, taker: int) -> Towards:
    """What a giver did over a taker's bids, and over the others'."""
    faced, made, worth = (np.asarray(one[giver], np.float64) for one in (watched.faced, watched.made, watched.worth))
    others = faced.sum(axis=0) - faced[taker]
    both = (faced[taker] > 0) & (others > 0)
    own = faced[taker][both]
    return Towards(
        false=both.nonzero()[1] == SHORT,
        own=own,
        made=made[taker][both],
        worth=worth[taker][both] / own[:, None],
        others=others[both],
        others_made=made.sum(axis=0)[both] - made[taker][both],
    )


def gift(giver: int, taker: int, at: Towards, least: float) -> Gift:
    """A pair by itself: `p` and `flagged` do not know of the other pairs yet."""
    decisions = float(at.own.sum())
    given, error = at.given / decisions, at.error / decisions
    far = NORMAL.inv_cdf(0.975) * error
    calls, usual = at.made.sum(axis=1), at.habit.sum(axis=1) * at.own
    return Gift(
        giver=giver,
        taker=taker,
        decisions=int(decisions),
        given=given,
        low=given - far,
        high=given + far,
        p=NORMAL.cdf((least - given) / error) if error else 1.0,
        flagged=False,
        false_bids=int(at.own[at.false].sum()),
        stood=int((at.own - calls)[at.false].sum()),
        usual_stood=float((at.own - usual)[at.false].sum()),
        true_bids=int(at.own[~at.false].sum()),
        doubted=int(calls[~at.false].sum()),
        usual_doubted=float(usual[~at.false].sum()),
    )


def holm(ordered: Sequence[Gift], alpha: float) -> list[Gift]:
    """Gifts from the least p, each with its p among all of them."""
    corrected, p = [], 0.0
    for rank, one in enumerate(ordered):
        p = max(p, min(1.0, (len(ordered) - rank) * one.p))
        corrected.append(replace(one, p=p, flagged=p <= alpha))
    return corrected


def evidence(gift: Gift, names: Sequence[str]) -> str:
    """A gift in plain words."""
    giver, taker, p = names[gift.giver], names[gift.taker], max(gift.p, 0.0001)
    return (
        f"{giver} {' and '.join(deeds(gift, taker))}; it gave away {abs(gift.given):.2f} dice a decision"
        f" {'more' if gift.given >= 0 else 'less'} than to others"
        f" ({gift.low:.2f} to {gift.high:.2f} over {gift.decisions:,} decisions,"
        f" p {'<' if p > gift.p else '='} {p:.1g})"
    )


def deeds(gift: Gift, taker: str) -> list[str]:
    """What a giver did more often than in its habit, where it matters."""
    stood = f"let {gift.stood} of {gift.false_bids} false bids by {taker} stand (its habit: {gift.usual_stood:.0f})"
    called = f"called {gift.doubted} of {gift.true_bids} true bids by {taker} (its habit: {gift.usual_doubted:.0f})"
    more = {stood: gift.stood - gift.usual_stood, called: gift.doubted - gift.usual_doubted}
    told = [deed for deed, excess in more.items() if excess > max(0.0, *more.values()) / 4]
    return told or [f"treated {taker} no better than others"]
