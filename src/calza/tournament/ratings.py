"""Who is how strong: Bradley-Terry strengths from who finished ahead of whom, with intervals by bootstrap.

Under Plackett-Luce the chance that i finishes ahead of j is 1 / (1 + 10^((elo_j - elo_i) / 400)), however many
others sit at the table; so pairs are all that a rating needs. Games of one group share their dice and are not
independent, but groups are: the bootstrap draws whole bins of groups, and never looks inside one.

An interval is the estimate ± Student's t times the bootstrap's deviation, on the scale of log odds. Percentiles of
the resamples would be simpler and are wrong for few bins: two bins can be drawn in three ways only.
`benchmarks/honesty.py` measures how often the intervals hold what they should.

The prior is half a tie of everybody against a player of mean strength: a bot that never lost gets a large rating
and not an infinite one, and bots that never met, even through others, stay around the same mean. Ratings of bots
on different `islands` say nothing about each other.
"""

from collections.abc import Callable
from functools import cached_property
from math import ceil, copysign, exp, expm1, floor, fsum, inf, lgamma, log, log1p, sqrt, tanh
from statistics import NormalDist

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from .strengths import CLOSE, Counts, Floats, fit, never_seen

ELO = 400 / log(10)  # Elo points per unit of log odds
VIRTUAL = 0.25  # wins, and losses, in half a tie
HALF = 0.5  # added to wins and losses before their log odds are taken (Gart 1966)
RARE = 10  # wins or losses, with fewer of which a bootstrap may have missed what could have been
BATCH = 500_000  # numbers in the largest array of a fit: 4 MB, which caches hold, however many bots there are
NORMAL = NormalDist()


class Rating(Struct, frozen=True):
    """Elo and its 95 % interval, which is infinite where fewer than two bins speak."""

    elo: float
    low: float
    high: float


class Share(Struct, frozen=True):
    """How often one bot finishes ahead of another, ties half, and its 95 % interval."""

    share: float
    low: float
    high: float


def rate(ahead: Counts, rng: np.random.Generator, resamples: int = 1000, anchor: int | None = None) -> list[Rating]:
    """Ratings from doubled counts `ahead[bin, i, j]`; their mean is zero, or the anchor's rating is."""
    return Resampled(ahead, rng, resamples).ratings(anchor)


class Resampled:
    """A tally's pairs, and what they might as well have been: everything here rests on the same resamples."""

    def __init__(self, ahead: Counts, rng: np.random.Generator, resamples: int = 1000) -> None:
        self.bins: Floats = ahead[ahead.any(axis=(1, 2))] / 2.0
        games = self.bins + self.bins.transpose(0, 2, 1)
        self.met = (games > 0).sum(axis=0)  # [i, j]: bins in which both played
        self.played = (games.sum(axis=2) > 0).sum(axis=0)  # [i]: bins in which i played
        self.counts: Floats = self.bins.sum(axis=0)
        self.times = redraw(len(self.bins), rng, resamples)
        # Who never lost loses in no resample either, and the bootstrap would be sure of it. For such zeros stands one
        # exponential draw: what may be where nothing was seen (the rule of three; Hanley & Lippman-Hand 1983).
        self.unseen: Floats = rng.exponential(size=resamples)

    @cached_property
    def island(self) -> list[int]:
        """[i]: the number of the island that i is on."""
        return [number for _, number in sorted((i, at) for at, one in enumerate(islands(self.counts)) for i in one)]

    @cached_property
    def strengths(self) -> Floats:
        """[i]: log odds against the mean player."""
        return fit(self.counts, np.full((len(self.counts), 2), VIRTUAL), np.zeros(len(self.counts)))

    @cached_property
    def spread(self) -> Floats:
        """[resample, i]: the strengths in each resample."""
        bots = len(self.counts)
        size = max(1, BATCH // max(1, bots * bots))
        parts = [self.refit(slice(first, first + size)) for first in range(0, len(self.times), size)]
        spread: Floats = np.concatenate(parts)
        return spread

    def refit(self, some: slice) -> Floats:
        """The strengths in some of the resamples."""
        wins, sides = never_seen(self.counts, self.strengths)
        unseen = self.unseen[some, None, None]
        drawn = np.tensordot(self.times[some], self.bins, axes=1) + unseen * wins
        return fit(drawn, np.where(sides, VIRTUAL * unseen, VIRTUAL), self.strengths)

    def ratings(self, anchor: int | None = None) -> list[Rating]:
        """Every bot's rating; their mean is zero, or the anchor's rating is."""
        best, drawn = (ELO * (s - origin(s, anchor)) for s in (self.strengths, self.spread))
        bins = self.played if anchor is None else np.minimum(self.played, self.played[anchor])
        half = [reach(drawn[:, bot], int(many)) for bot, many in enumerate(bins)]
        ratings = [Rating(elo, elo - far, elo + far) for elo, far in zip(best.tolist(), half, strict=True)]
        return [one if bot != anchor else Rating(0.0, 0.0, 0.0) for bot, one in enumerate(ratings)]

    def share(self, i: int, j: int) -> Share | None:
        """How often i finished ahead of j; None if they never met."""
        if not self.met[i, j]:
            return None
        drawn = self.times @ self.bins[:, [i, j], [j, i]]
        return share_of(float(self.counts[i, j]), float(self.counts[j, i]), drawn, int(self.met[i, j]))

    def superiority(self, i: int, j: int) -> float:
        """How likely it is that i is the better one.

        It is a half where nothing is known: for bots on different islands, or when all happened in one bin.
        """
        bins = int(min(self.played[i], self.played[j]))
        if i == j or self.island[i] != self.island[j] or bins < 2:
            return 0.5
        gap = float(self.strengths[i] - self.strengths[j])
        error = float((self.spread[:, i] - self.spread[:, j]).std()) * sqrt(bins / (bins - 1))
        return NORMAL.cdf(as_normal(gap / max(error, CLOSE), bins - 1))


def share_of(wins: float, losses: float, drawn: Floats, bins: int) -> Share:
    """A share and its interval, from `drawn[resample, (wins, losses)]` of `bins` bins; also of points won and missed.

    With few wins or losses a bootstrap does not see what could have been; single games, as if independent, then do.
    """
    odds = np.log((drawn[:, 0] + HALF) / (drawn[:, 1] + HALF))
    middle, half = log((wins + HALF) / (losses + HALF)), reach(odds, bins)
    low, high = logistic(middle - half), logistic(middle + half)
    if min(wins, losses) < RARE:
        least, most = limits(wins, wins + losses)
        low, high = min(low, least), max(high, most)
    return Share(wins / (wins + losses), low, high)


def islands(ahead: NDArray[np.int64] | Floats) -> list[set[int]]:
    """The bots by whom they met, directly or through others; only ratings on one island compare.

    Counts may be by bin, `[bin, i, j]`, or in all.
    """
    met = ahead.reshape(-1, *ahead.shape[-2:]).sum(axis=0) > 0
    left, found = set(range(len(met))), []
    while left:
        island, shore = set[int](), {min(left)}
        while shore:
            island |= shore
            shore = {j for i in shore for j in left if met[i, j] or met[j, i]} - island
        left -= island
        found.append(island)
    return found


def redraw(bins: int, rng: np.random.Generator, resamples: int) -> Floats:
    """[resample, bin]: how often each bin is drawn when as many are drawn as there are."""
    if not bins:
        return np.zeros((resamples, 0))
    return rng.multinomial(bins, np.full(bins, 1 / bins), size=resamples).astype(np.float64)


def origin(strengths: Floats, anchor: int | None) -> Floats:
    """The strength that counts as zero."""
    zero: Floats = strengths.mean(axis=-1, keepdims=True) if anchor is None else strengths[..., [anchor]]
    return zero


def reach(drawn: Floats, bins: int) -> float:
    """How far a 95 % interval reaches to either side, from resamples of `bins` bins.

    A bootstrap divides by n where a sample's deviation divides by n - 1, and takes that deviation for the true one;
    both matter when bins are few.
    """
    if bins < 2:
        return inf
    return student(bins - 1) * sqrt(bins / (bins - 1)) * float(drawn.std())


def interval(drawn: Floats, bins: int) -> tuple[float, float]:
    """The 95 % interval of any number, from resamples of `bins` bins."""
    middle, half = float(drawn.mean()), reach(drawn, bins)
    return middle - half, middle + half


def student(freedom: int) -> float:
    """The 97.5 % point of Student's t (Wallace 1959; 1 % too far at three degrees of freedom, 4 % at two)."""
    z = NORMAL.inv_cdf(0.975) * (8 * freedom + 3) / (8 * freedom + 1)
    return sqrt(freedom * expm1(z * z / freedom))


def as_normal(t: float, freedom: int) -> float:
    """The normal deviate that is as unlikely as `t` is under Student's t."""
    z = sqrt(freedom * log1p(t * t / freedom)) * (8 * freedom + 1) / (8 * freedom + 3)
    return copysign(z, t)


def logistic(odds: float) -> float:
    """The chance of such log odds."""
    return (1 + tanh(odds / 2)) / 2


def limits(wins: float, games: float) -> tuple[float, float]:
    """The 95 % interval of a chance by single games (Clopper & Pearson 1934); halves count against certainty."""
    if wins > games / 2:
        low, high = limits(games - wins, games)
        return 1 - high, 1 - low
    fewer, more = floor(wins) - 1, ceil(wins)
    low = 0.0 if fewer < 0 else root(lambda chance: at_most(fewer, games, chance) - 0.975)
    return low, 1.0 if more >= games else root(lambda chance: at_most(more, games, chance) - 0.025)


def at_most(most: int, games: float, chance: float) -> float:
    """How likely it is to win `most` of the games or fewer."""
    ways = (lgamma(games + 1) - lgamma(one + 1) - lgamma(games - one + 1) for one in range(most + 1))
    return fsum(exp(way + one * log(chance) + (games - one) * log1p(-chance)) for one, way in enumerate(ways))


def root(falling: Callable[[float], float]) -> float:
    """Where a function that falls from 0 to 1 crosses zero."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return (low + high) / 2
