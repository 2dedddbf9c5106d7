"""How far chance reaches: points of Student's t and of the binomial distribution, for intervals."""

from collections.abc import Callable
from math import ceil, copysign, exp, expm1, floor, fsum, lgamma, log, log1p, sqrt, tanh
from statistics import NormalDist

NORMAL = NormalDist()


def student(freedom: int) -> float:
    """The 97.5 % point of Student's t (Wallace 1959; too far by 1 % at three degrees of freedom, 4 % at two)."""
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
