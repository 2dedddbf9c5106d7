"""The strengths that make counts of wins likeliest.

The fit is Newton's method on all resamples at once. The MM algorithm (Hunter 2004) finds the same strengths, but
takes thousands of steps where two halves of a field hardly met; a test holds this fit to it.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]

CLOSE = 1e-9  # a step in log odds that changes no digit anybody reads
STEPS = 200  # far more than any fit takes


def fit(counts: Floats, virtual: Floats, start: Floats) -> Floats:
    """[..., i]: the strengths of largest posterior for `counts[..., i, j]`, by Newton's method.

    `virtual[..., i, (wins, losses)]` is the prior: games against a player of strength 0. A step is cut so that no two
    players, that one included, move by more than 1 against each other: along it the curvature grows by less than e,
    and the likelihood still gains (Bach 2010, self-concordance), so the fit cannot run away.
    """
    games = counts + counts.swapaxes(-1, -2)
    wins = counts.sum(axis=-1) + virtual[..., 0]
    weight = virtual.sum(axis=-1)
    s = np.broadcast_to(start, wins.shape).copy()
    for _ in range(STEPS):
        step = newton(games, wins, weight, s)
        apart = step.max(axis=-1, keepdims=True, initial=0) - step.min(axis=-1, keepdims=True, initial=0)
        step /= np.maximum(1.0, apart)
        s += step
        if not step.size or np.abs(step).max() < CLOSE:
            break
    return s


def newton(games: Floats, wins: Floats, weight: Floats, s: Floats) -> Floats:
    """The full Newton step from the strengths `s`."""
    slope = wins - (games * expected(s)).sum(axis=-1) - weight / (1 + np.exp(-s))
    step: Floats = np.linalg.solve(curvature(games, weight, s), slope[..., None])[..., 0]
    return step


def curvature(games: Floats, weight: Floats, s: Floats) -> Floats:
    """[..., i, j]: how sharply the posterior bends at `s`; its inverse is the covariance if games are independent."""
    bend = -information(games, s)
    middle = 1 / (1 + np.exp(-s))
    own = weight * middle * (1 - middle) - bend.sum(axis=-1)
    bots = np.arange(s.shape[-1])
    bend[..., bots, bots] += own
    return bend


def information(games: Floats, s: Floats) -> Floats:
    """[..., i, j]: what the games of i and j tell of how far apart they are (Fisher); nothing where one always wins."""
    chance = expected(s)
    told: Floats = games * chance * (1 - chance)
    return told


def expected(s: Floats) -> Floats:
    """[..., i, j]: the chance that i finishes ahead of j."""
    chance: Floats = 1 / (1 + np.exp(s[..., None, :] - s[..., :, None]))
    return chance


def never_seen(counts: Floats, s: Floats) -> tuple[Floats, Flags]:
    """Where a field falls into parts of which one never lost to the other, a resample of it does so too.

    Returns `wins[j, i]`, which add up to one win for each such part, spread over the pairs in which it was likeliest,
    and `sides[i, (wins, losses)]`: for whom only the prior says how far up or down it is.
    """
    ways = linked(counts > 0)
    above = (counts > 0) & ~ways.T  # [i, j]: i beat j, and no chain of wins leads from j back to i
    likely = (counts + counts.T) * expected(s).T * above  # [i, j]: of wins of j over i
    level = (ways & ways.T).astype(np.float64)  # [i, k]: chains lead both ways
    lost, won = level @ likely.sum(axis=1), level @ likely.sum(axis=0)
    wins = (likely / np.maximum(np.maximum(lost[:, None], won[None, :]), CLOSE)).T
    return wins, np.stack([won > 0, lost > 0], axis=-1)


def linked(steps: Flags) -> Flags:
    """[i, j]: whether steps lead from i to j; from i to i they do."""
    ways = steps | np.eye(len(steps), dtype=np.bool_)
    while True:
        further = (ways.astype(np.float64) @ ways) > 0
        if (further == ways).all():
            return ways
        ways = further
