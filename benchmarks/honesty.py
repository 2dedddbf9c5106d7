"""How honest the statistics of a tournament are; `python -m benchmarks.honesty` prints it.

Strengths are given, and games drawn from Plackett-Luce: everybody's performance is a strength plus Gumbel noise, and
places follow it. The games of a group share luck as real ones do. A player's noise in a game is, by chance, that of
the seat (the dice: who sits there next has it too), the player's own throughout the group (bots that play alike on
alike dice), or fresh. Each game by itself is exactly Plackett-Luce, so the strengths stay known; only the games of a
group depend on each other.
"""

import argparse
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from calza.tournament.ratings import ELO, Resampled
from calza.tournament.sprt import Test

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

FIELD = (150.0, 60.0, 0.0, -40.0, -170.0)  # Elo, mean zero
BLOCK = 200  # groups that tests play before they look who has stopped


class Luck(Struct, frozen=True):
    """The shares of a player's noise that are the seat's, and its own throughout a group."""

    seat: float = 0.0
    own: float = 0.0


DICE = Luck(seat=0.35)  # the same dice for all: luck cancels
ALIKE = Luck(seat=0.1, own=0.5)  # the same upset again in every rotation


class Coverage(Struct, frozen=True):
    """How often 95 % intervals held the truth, and below and above which end it lay if not."""

    held: float
    below: float
    above: float


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


def tournament(elo: Floats, players: int, groups: int, bins: int, luck: Luck, rng: np.random.Generator) -> Counts:
    """`ahead[bin, i, j]`, as a tally has it, of every table of `players`."""
    ahead = np.zeros((bins, len(elo), len(elo)), np.int64)
    for table in combinations(range(len(elo)), players):
        played = performances(elo[list(table)] / ELO, (groups,), luck, rng)
        counts = (played[..., :, None] > played[..., None, :]).sum(axis=1) * 2
        members = np.array(table)
        np.add.at(ahead, np.ix_(np.arange(groups) % bins, members, members), counts)
    return ahead


def coverage(
    players: int, groups: int, bins: int, luck: Luck, runs: int, rng: np.random.Generator, resamples: int = 400
) -> tuple[Coverage, Coverage]:
    """How often the intervals of ratings, and of shares of pairs, hold what is true of the field."""
    elo = np.array(FIELD)
    ratings, shares = [], []
    for _ in range(runs):
        seen = Resampled(tournament(elo, players, groups, bins, luck, rng), rng, resamples)
        ratings += [side(one.low, true, one.high) for one, true in zip(seen.ratings(), elo, strict=True)]
        for i, j in combinations(range(len(elo)), 2):
            if share := seen.share(i, j):
                shares.append(side(share.low, 1 / (1 + 10 ** ((elo[j] - elo[i]) / 400)), share.high))
    return covered(ratings), covered(shares)


def side(low: float, true: float, high: float) -> int:
    """Where the truth lies: -1 below the interval, 1 above, 0 in it."""
    return int(true > high) - int(true < low)


def covered(sides: list[int]) -> Coverage:
    """Counts as shares."""
    return Coverage(*(sides.count(which) / len(sides) for which in (0, -1, 1)))


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
    """Ratings and shares, for tables of two and four, from few and many bins."""
    yield "95 % intervals, how often they hold the truth (and below and above which end it lies)"
    yield f"  {'players':>7} {'groups':>6} {'bins':>4} {'luck':>6}   {'ratings':24} {'pairs':24}"
    for players in (2, 4):
        for groups, bins in ((30, 3), (50, 5), (60, 12), (100, 100), (1024, 256)):
            for name, luck in (("dice", DICE), ("alike", ALIKE)):
                both = coverage(players, groups, bins, luck, runs, rng)
                told = [f"{one.held:6.1%} ({one.below:.1%}, {one.above:.1%})" for one in both]
                yield f"  {players:7} {groups:6} {bins:4} {name:>6}   {told[0]:24} {told[1]:24}"


def error_lines(runs: int, rng: np.random.Generator) -> Iterator[str]:
    """Sequential tests, at either hypothesis."""
    yield "sequential tests, alpha and beta 5 %: how often they are wrong (and after how many groups they end)"
    yield f"  {'players':>7} {'elo0':>4} {'elo1':>4} {'luck':>6}   {'at elo0':20} {'at elo1':20}"
    for players in (2, 3, 6):
        for elo0, elo1 in ((0.0, 10.0), (0.0, 50.0), (-25.0, 25.0)):
            for name, luck in (("dice", DICE), ("alike", ALIKE)):
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
    for lines in (coverage_lines, error_lines):
        for line in lines(asked.runs, rng):
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
