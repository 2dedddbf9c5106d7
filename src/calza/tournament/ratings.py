"""Who is how strong: Bradley-Terry strengths from who finished ahead of whom, with intervals by bootstrap.

Under Plackett-Luce the chance that i finishes ahead of j is 1 / (1 + 10^((elo_j - elo_i) / 400)), however many
others sit at the table; so pairs are all that a rating needs. Games of one group share their dice and are not
independent, but groups are: the bootstrap draws whole bins of groups, and never looks inside one.

An interval is the estimate ± Student's t times the bootstrap's deviation, on the scale of log odds. Percentiles of
the resamples would be simpler and are wrong for few bins: two bins can be drawn in three ways only. And few bins may
be alike by chance, so an interval of less than `FEW` reaches at least as far as if all games were independent. So does
one of bins that are all alike, as those of two bots that play the same are: no resample differs from another.
`benchmarks/honesty.py` measures how often the intervals hold what they should.

The prior is half a tie of everybody against one and the same player: a bot that never lost gets a large rating and
not an infinite one. How much better it is the games cannot say, so its interval is open above, as that of a bot that
never won is open below.

Zero is the mean of the bots, each weighted by what its games tell (`weights`): a bot that loses every game, whose
strength is therefore anybody's guess, moves nobody else. Ratings of bots on different `islands` say nothing about each
other, and every island has a zero of its own.
"""

from functools import cached_property
from math import inf, log, sqrt
from statistics import NormalDist

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from .limits import as_normal, limits, logistic, student
from .strengths import Counts, Flags, Floats, curvature, fit, information, linked, never_seen

ELO = 400 / log(10)  # Elo points per unit of log odds
VIRTUAL = 0.25  # wins, and losses, in half a tie
HALF = 0.5  # added to wins and losses before their log odds are taken (Gart 1966)
RARE = 10  # wins or losses, with fewer of which a bootstrap may have missed what could have been
FEW = 10  # bins
ALIKE = 1e-7  # of log odds, or of a share: what differs by less does so by rounding
MOST = 1 - 1e-9  # of the largest sum: equal but for rounding
BATCH = 500_000  # numbers in the largest array of a fit: 4 MB, which caches hold, however many bots there are
NORMAL = NormalDist()


class Rating(Struct, frozen=True):
    """Elo and its 95 % interval, whose ends are infinite where the games say nothing."""

    elo: float
    low: float
    high: float


class Share(Struct, frozen=True):
    """How often one bot finishes ahead of another, ties half, and its 95 % interval."""

    share: float
    low: float
    high: float


class Resampled:
    """A tally's pairs, and what they might as well have been: everything here rests on the same resamples.

    It is made from doubled counts `ahead[bin, i, j]`.
    """

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
    def islands(self) -> Flags:
        """[i, j]: whether i and j are on one island."""
        return islands(self.counts)

    @cached_property
    def strengths(self) -> Floats:
        """[i]: log odds against the player of the prior."""
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

    @cached_property
    def covariance(self) -> Floats:
        """[i, j]: of the strengths, if all games were independent."""
        prior = np.full(len(self.counts), 2 * VIRTUAL)
        bend = curvature(self.counts + self.counts.T, prior, self.strengths)
        return np.asarray(np.linalg.inv(bend), np.float64)

    @cached_property
    def ways(self) -> Flags:
        """[i, j]: whether a chain of wins leads from i to j; if none does, i may be worse by any amount."""
        return linked(self.counts > 0)

    @cached_property
    def zero(self) -> Floats:
        """[i, j]: the part of j in the strength that counts as zero for i."""
        known = information(self.counts + self.counts.T, self.strengths)
        return weights(known, self.ways & self.ways.T, self.islands)

    @cached_property
    def ratings(self) -> list[Rating]:
        """Every bot's rating."""
        best = ELO * (self.strengths - self.zero @ self.strengths)
        mixes = np.eye(len(best)) - self.zero
        half = [ELO * reach(self.error(mix, bins), bins) for mix, bins in zip(mixes, self.played.tolist(), strict=True)]
        below, above = ((~ways & (self.zero > 0)).any(axis=1) for ways in (self.ways, self.ways.T))
        low, high = np.where(below, -inf, best - half), np.where(above, inf, best + half)
        return [Rating(*one) for one in zip(best.tolist(), low.tolist(), high.tolist(), strict=True)]

    def error(self, mix: Floats, bins: int) -> float:
        """The standard error of strengths, mixed so."""
        found = deviation(self.spread @ mix, bins)
        return found if bins >= FEW and found > ALIKE else max(found, sqrt(mix @ self.covariance @ mix))

    def share(self, i: int, j: int) -> Share | None:
        """How often i finished ahead of j; None if they never met."""
        if not self.met[i, j]:
            return None
        drawn = self.times @ self.bins[:, [i, j], [j, i]]
        return share_of(float(self.counts[i, j]), float(self.counts[j, i]), drawn, int(self.met[i, j]))

    def even(self, i: int, j: int) -> bool:
        """Whether each finished ahead of the other just as often in every bin, too many bins for mere chance."""
        return bool(self.met[i, j] >= FEW and (self.bins[:, i, j] == self.bins[:, j, i]).all())

    def superiority(self, i: int, j: int) -> float:
        """How likely it is that i is the better one.

        It is a half where nothing is known: for bots on different islands, or when all happened in one bin.
        """
        bins = int(min(self.played[i], self.played[j]))
        if i == j or not self.islands[i, j] or bins < 2:
            return 0.5
        mix = np.eye(len(self.counts))[i] - np.eye(len(self.counts))[j]
        return NORMAL.cdf(as_normal(float(mix @ self.strengths) / self.error(mix, bins), bins - 1))


def share_of(wins: float, losses: float, drawn: Floats, bins: int) -> Share:
    """A share and its interval, from `drawn[resample, (wins, losses)]` of `bins` bins; also of points won and missed.

    With few wins or losses, or bins that are all alike, a bootstrap does not see what could have been; single games,
    as if independent, then do.
    """
    odds = np.log((drawn[:, 0] + HALF) / (drawn[:, 1] + HALF))
    rare = min(wins, losses) < RARE
    alike = not rare and bool((abs(drawn @ (losses, -wins)) <= ALIKE * wins * losses).all())
    error = sqrt(1 / wins + 1 / losses) if alike else deviation(odds, bins)
    middle, half = log((wins + HALF) / (losses + HALF)), reach(error, bins)
    low, high = logistic(middle - half), logistic(middle + half)
    if rare:
        least, most = limits(wins, wins + losses)
        low, high = min(low, least), max(high, most)
    return Share(wins / (wins + losses), low, high)


def islands(counts: NDArray[np.int64] | Floats) -> Flags:
    """[i, j]: whether i and j met, directly or through others; only ratings on one island compare."""
    met = counts > 0
    return linked(met | met.T)


def redraw(bins: int, rng: np.random.Generator, resamples: int) -> Floats:
    """[resample, bin]: how often each bin is drawn when as many are drawn as there are."""
    if not bins:
        return np.zeros((resamples, 0))
    return rng.multinomial(bins, np.full(bins, 1 / bins), size=resamples).astype(np.float64)


def weights(known: Floats, level: Flags, together: Flags) -> Floats:
    """[i, j]: the weight of j in the mean of i's island, by what their games tell.

    Where chains of wins do not lead all around an island, it falls into parts, and how far they lie apart no game
    tells. Only the part in which most is known then has any weight. `level` says who are in one part, `together` who
    are on one island.
    """
    own = known.sum(axis=1) + VIRTUAL / 2  # so much tells the prior at most
    part = level @ ((known * level).sum(axis=1) + VIRTUAL / 2)
    most = (part * together).max(axis=1, initial=0)
    shared = own * together * (part > MOST * most)
    weight: Floats = shared / shared.sum(axis=1, keepdims=True)
    return weight


def reach(error: float, bins: int) -> float:
    """How far a 95 % interval reaches to either side, from a standard error that `bins` bins tell."""
    return student(bins - 1) * error if bins > 1 else inf


def deviation(drawn: Floats, bins: int) -> float:
    """The standard error from resamples, which divide by n where a sample's deviation divides by n - 1."""
    return sqrt(bins / (bins - 1)) * float(drawn.std()) if bins > 1 else inf
