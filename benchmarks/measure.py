"""Comparing two ways to play the same game, on a machine that others use too.

Both play in short slices by turns, and a ratio is taken of neighbours: what slows the machine down slows both down.
The median of the ratios then forgets the slices that were hit alone. Time is that of the processor, on one core.
"""

from collections.abc import Callable
from math import sqrt
from statistics import median, quantiles
from time import process_time

from msgspec import Struct

ROUNDS = 21
SLICE = 0.1  # seconds
SIGMAS = 4.5  # one false alarm in 100,000 comparisons


class Work(Struct, frozen=True):
    """What was played. Games of one group share their dice, so a group is one sample."""

    groups: int
    games: int
    actions: int
    squares: int = 0  # of the actions of every group


Play = Callable[[int], Work]  # plays so many groups, others each time


class Slice(Struct, frozen=True):
    """Some work and the seconds it took."""

    work: Work
    seconds: float

    def rate(self, unit: str) -> float:
        """Games or actions in a second."""
        return float(getattr(self.work, unit)) / self.seconds


class Comparison(Struct, frozen=True):
    """Slices of both sides, as they were played side by side."""

    ours: list[Slice]
    floor: list[Slice]

    def ratios(self, unit: str) -> list[float]:
        """Our rate as a part of the floor's, for every pair of slices."""
        return [ours.rate(unit) / floor.rate(unit) for ours, floor in zip(self.ours, self.floor, strict=True)]

    def disagreement(self) -> str:
        """How the actions a game differ by more than chance; empty when both played the same game."""
        ours, floor = length(self.ours), length(self.floor)
        noise = SIGMAS * deviation(self.floor) * sqrt(1 / groups(self.ours) + 1 / groups(self.floor))
        if abs(ours - floor) <= noise:
            return ""
        return f"not the same game: {ours:.2f} actions a game, the floor {floor:.2f} (±{noise:.2f})"


class Figure(Struct, frozen=True):
    """One line of the results, as it is printed."""

    name: str
    ours: str
    floor: str = ""
    ratio: str = ""
    target: str = ""
    fault: str = ""  # why the figure cannot be believed


def compare(ours: Play, floor: Play) -> Comparison:
    """Play both by turns; who goes first changes."""
    sides = ours, floor
    sizes = [groups_in_a_slice(play) for play in sides]
    slices: tuple[list[Slice], list[Slice]] = ([], [])
    for turn in range(ROUNDS):
        for side in (0, 1) if turn % 2 else (1, 0):
            slices[side].append(timed(sides[side], sizes[side]))
    return Comparison(*slices)


def alone(play: Play) -> list[Slice]:
    """Play what has nothing to be compared with."""
    size = groups_in_a_slice(play)
    return [timed(play, size) for _ in range(ROUNDS)]


def groups_in_a_slice(play: Play) -> int:
    """How many groups take about one slice; what is compiled or cached is so by then."""
    play(1)
    size = 1
    while (one := timed(play, size)).seconds < SLICE / 4:
        size *= 2
    return max(1, round(size * SLICE / one.seconds))


def timed(play: Play, size: int) -> Slice:
    """One slice."""
    start = process_time()
    work = play(size)
    return Slice(work, process_time() - start)


def groups(slices: list[Slice]) -> int:
    """Groups in all slices."""
    return sum(one.work.groups for one in slices)


def length(slices: list[Slice]) -> float:
    """Actions a game."""
    return sum(one.work.actions for one in slices) / sum(one.work.games for one in slices)


def deviation(slices: list[Slice]) -> float:
    """The standard deviation of a group's actions a game."""
    number = groups(slices)
    games = sum(one.work.games for one in slices) / number
    mean = sum(one.work.actions for one in slices) / number
    square = sum(one.work.squares for one in slices) / number
    return sqrt(max(0.0, square - mean * mean)) / games


def figure(name: str, comparison: Comparison, unit: str, target: float | None) -> Figure:
    """A comparison as a line: medians, and the middle half of the ratios."""
    ratios = comparison.ratios(unit)
    lower, _, upper = quantiles(ratios, n=4)
    return Figure(
        name,
        ours=per_second(median(one.rate(unit) for one in comparison.ours), unit),
        floor=per_second(median(one.rate(unit) for one in comparison.floor), unit),
        ratio=f"{median(ratios):.2f} ({lower:.2f} to {upper:.2f})",
        target=f"{target:.2f}" if target else "",
        fault=comparison.disagreement(),
    )


def per_second(rate: float, unit: str) -> str:
    """A rate in three digits: `412,000 actions/s`."""
    return f"{float(f'{rate:.3g}'):,.0f} {unit}/s"
