"""How honest the statistics of a tournament are; `python -m benchmarks.honesty` prints it.

Strengths are given, and games drawn from Plackett-Luce: everybody's performance is a strength plus Gumbel noise, and
places follow it. The games of a group share luck as real ones do. A player's noise in a game is, by chance, that of
the seat (the dice: who sits there next has it too), the player's own throughout the group (bots that play alike on
alike dice), or fresh. Each game by itself is exactly Plackett-Luce, so the strengths stay known; only the games of a
group depend on each other.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from calza.tournament.ratings import ELO, Resampled
from calza.tournament.sprt import Test
from calza.tournament.tally import BINS

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

TWO = (40.0, -40.0)  # Elo
FIVE = (150.0, 60.0, 0.0, -40.0, -170.0)
WEAK, HOPELESS = -600.0, -3000.0  # who wins now and then, and who never does
BLOCK = 200  # groups that tests play before they look who has stopped


class Luck(Struct, frozen=True):
    """The shares of a player's noise that are the seat's, and its own throughout a group."""

    seat: float = 0.0
    own: float = 0.0


DICE = Luck(seat=0.35)  # the same dice for all: luck cancels
ALIKE = Luck(seat=0.1, own=0.5)  # the same upset again in every rotation
LUCKS = {"dice": DICE, "alike": ALIKE}


class Coverage(Struct, frozen=True):
    """How often 95 % intervals held the truth, below and above which end it lay if not, and how far they reach."""

    held: float
    below: float
    above: float
    reach: float  # median, to either side

    def __str__(self) -> str:
        return f"{self.held:6.1%} ({self.below:.1%}, {self.above:.1%})"


class Errors(Struct, frozen=True):
    """How a sequential test went: how often it was wrong, and how many groups it took."""

    wrong: float
    groups: float
    undecided: int


def performances(strengths: Floats, groups: tuple[int, ...], luck: Luck, rng: np.random.Generator) -> Floats:
    """[*groups, rotation, player]: how well everybody plays at one table."""
    players = len(strengths)
    seat = (np.arange(players) + np.arange(players)[:, None]) % players  # [rotation, player]
    by_seat = rng.gumbel(size=(*groups, players))[..., seat]
    own = rng.gumbel(size=(*groups, 1, players))
    which = rng.random((*groups, players, players))
    fresh = rng.gumbel(size=which.shape)
    noise = np.where(which < luck.seat, by_seat, np.where(which < luck.seat + luck.own, own, fresh))
    played: Floats = strengths + noise
    return played


def tournament(elo: Sequence[float], players: int, groups: int, luck: Luck, rng: np.random.Generator) -> Counts:
    """`ahead[bin, i, j]`, as a tally has it, of every table of `players`."""
    bins = min(groups, BINS)
    ahead = np.zeros((bins, len(elo), len(elo)), np.int64)
    for table in combinations(range(len(elo)), players):
        members = np.array(table)
        played = performances(np.array(elo)[members] / ELO, (groups,), luck, rng)
        counts = (played[..., :, None] > played[..., None, :]).sum(axis=1) * 2
        np.add.at(ahead, np.ix_(np.arange(groups) % bins, members, members), counts)
    return ahead


def coverage(
    elo: Sequence[float],
    players: int,
    groups: int,
    luck: Luck,
    runs: int,
    rng: np.random.Generator,
    *,
    of: slice = slice(None),
    resamples: int = 400,
) -> tuple[Coverage, Coverage]:
    """How often the intervals of (some `of`) the ratings, and of the shares of all pairs, hold what is true."""
    ratings, shares = [], []
    for _ in range(runs):
        seen = Resampled(tournament(elo, players, groups, luck, rng), rng, resamples)
        true = elo - seen.zero @ elo
        ratings += [(one.low, truth, one.high) for one, truth in zip(seen.ratings[of], true[of], strict=True)]
        for i, j in combinations(range(len(elo)), 2):
            if share := seen.share(i, j):
                shares.append((share.low, 1 / (1 + 10 ** ((elo[j] - elo[i]) / 400)), share.high))
    return covered(ratings), covered(shares)


def covered(spans: Iterable[tuple[float, float, float]]) -> Coverage:
    """From the lower end, the truth and the upper end of every interval."""
    low, true, high = np.array(list(spans)).T
    below, above = float((true < low).mean()), float((true > high).mean())
    return Coverage(1 - below - above, below, above, float(np.median(high - low)) / 2)


def errors(test: Test, elo: float, luck: Luck, runs: int, rng: np.random.Generator, most: int = 100_000) -> Errors:
    """Let many tests of a candidate of this strength run to their end, at most `most` groups."""
    sums = np.zeros((3, runs))  # groups, scores, squares
    llr, going = np.zeros(runs), np.arange(runs)
    lower, upper = test.bounds
    while len(going) and sums[0].max() < most:
        grown = sums[:, going, None] + np.cumsum(summands(test.players, elo, len(going), luck, rng), axis=2)
        ratios = test.ratio(*grown)
        outside = ((ratios <= lower) | (ratios >= upper)) & (grown[0] >= test.least)
        at = np.where(outside.any(axis=1), outside.argmax(axis=1), BLOCK - 1)
        rows = np.arange(len(going))
        sums[:, going], llr[going] = grown[:, rows, at], ratios[rows, at]
        going = going[~outside.any(axis=1)]
    said = llr <= lower if elo >= test.elo1 else llr >= upper
    return Errors(float(said.mean()), float(sums[0].mean()), len(going))


def summands(players: int, elo: float, runs: int, luck: Luck, rng: np.random.Generator) -> Floats:
    """[sum, run, group]: ones, scores and squared scores of a candidate among equals, for one block."""
    strengths = np.zeros(players)
    strengths[0] = elo / ELO
    won = performances(strengths, (runs, BLOCK), luck, rng).argmax(axis=-1) == 0
    scores = won.mean(axis=-1)
    return np.stack([np.ones_like(scores), scores, scores**2])


# --- for people


def coverage_lines(runs: int, rng: np.random.Generator) -> Iterator[str]:
    """Ratings and shares, for fields and tables of several sizes, from few and many groups."""
    yield "95 % intervals: how often they hold the truth (and below and above which end it lies), and ± Elo"
    yield f"  {'bots':>4} {'seats':>5} {'groups':>6} {'luck':>6}   {'ratings':23} {'pairs':23} {'Elo':>6}"
    for elo, players in ((TWO, 2), (FIVE, 2), (FIVE, 3), (FIVE, 4)):
        for groups in (4, 20, 100, 1024):
            for name, luck in LUCKS.items():
                ratings, pairs = coverage(elo, players, groups, luck, runs, rng)
                told = f"{ratings!s:23} {pairs!s:23} ±{ratings.reach:5.1f}"
                yield f"  {len(elo):4} {players:5} {groups:6} {name:>6}   {told}"


def odd_lines(runs: int, rng: np.random.Generator) -> Iterator[str]:
    """What bots who seldom or never win do to the ratings of the others, and what is said of them."""
    yield "the same for five bots, two at a table, when weak or hopeless ones join them"
    yield f"  {'who joins':12} {'groups':>6}   {'ratings of the five':30} {'ratings of who joins':30}"
    joining = {"nobody": (), "weak": (WEAK,), "hopeless": (HOPELESS,), "3 hopeless": (HOPELESS,) * 3}
    for name, others in joining.items():
        for groups in (20, 100, 1024):
            told = ""
            for of in (slice(0, 5), *([slice(5, None)] if others else [])):
                ratings, _ = coverage((*FIVE, *others), 2, groups, DICE, runs, rng, of=of)
                told += f"{ratings!s:23} ±{ratings.reach:5.1f} "
            yield f"  {name:12} {groups:6}   {told}"


def error_lines(runs: int, rng: np.random.Generator) -> Iterator[str]:
    """Sequential tests, at either hypothesis."""
    yield "sequential tests, alpha and beta 5 %: how often they are wrong (and after how many groups they end)"
    yield f"  {'players':>7} {'elo0':>4} {'elo1':>4} {'luck':>6}   {'at elo0':20} {'at elo1':20}"
    for players in (2, 4, 6):
        for elo0, elo1 in ((0.0, 10.0), (0.0, 50.0), (-25.0, 25.0)):
            for name, luck in LUCKS.items():
                test = Test(elo0, elo1, players)
                both = [errors(test, elo, luck, runs, rng) for elo in (elo0, elo1)]
                told = [f"{one.wrong:5.1%} ({one.groups:,.0f})" for one in both]
                yield f"  {players:7} {elo0:4.0f} {elo1:4.0f} {name:>6}   {told[0]:20} {told[1]:20}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.honesty", description="Check statistics on known strengths."
    )
    parser.add_argument("--runs", type=int, default=400, help="tournaments and tests for each line (400)")
    parser.add_argument("--seed", type=int, default=1, help="seed of all chance (1)")
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    for lines in (coverage_lines, odd_lines, error_lines):
        for line in lines(asked.runs, rng):
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
