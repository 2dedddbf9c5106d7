"""The compiled simulator with house bots, and the floor with the same ones.

Both play every game once for each rotation of the seats on the same dice. At a table of equal bots those games are
equal, and a processor that has just seen a game plays it again up to twice as fast; at a mixed table, one `random`
among `cautious`, no two games are the same.
"""

from collections.abc import Iterator, Sequence
from statistics import median
from time import perf_counter

from msgspec.structs import replace

from calza.agents import parse_agent
from calza.rules import CATALOG, Rules
from calza.sim import simulate

from . import floor_numba
from .measure import Figure, Play, Work, alone, compare, figure, per_second

FULL = CATALOG["liars-dice"]
CAPPED = replace(FULL, cap="dice")
TARGETS = {2: 0.7, 6: 1.0}
KINDS = {"random": floor_numba.RANDOM, "cautious": floor_numba.BINOMIAL}
GAMES = 6_000_000  # enough that starting two processes does not decide
REPEATS = 3


def simulator(rules: Rules, bots: Sequence[str]) -> Play:
    """Games of the simulator, with another seed each time."""
    agents = [parse_agent(name) for name in bots]
    seed = 0

    def play(groups: int) -> Work:
        nonlocal seed
        seed += 1
        tally = simulate(rules, agents, groups * len(agents), seed)
        return Work(groups, tally.games, tally.actions)

    return play


def floor(bots: Sequence[str]) -> Play:
    """Games of the floor, with another seed each time."""
    kinds = [KINDS[name] for name in bots]
    seed = 0

    def play(groups: int) -> Work:
        nonlocal seed
        seed += 1
        actions, squares, wins = floor_numba.games(kinds, groups, seed * 0x9E3779B97F4A7C15 % 2**64)
        return Work(groups, sum(wins), actions, squares)

    return play


def tables(seats: int) -> Iterator[tuple[str, list[str]]]:
    """Who sits at a table of so many seats."""
    for name in KINDS:
        yield name, [name] * seats
    yield "mixed", ["random"] + ["cautious"] * (seats - 1)


def figures() -> Iterator[Figure]:
    """Games a second."""
    for seats in (2, 6):
        for name, bots in tables(seats):
            comparison = compare(simulator(CAPPED, bots), floor(bots))
            yield figure(f"{name}, {seats} seats", comparison, "games", TARGETS[seats])
    for seats in (2, 6):
        for name in KINDS:
            rates = [one.rate("games") for one in alone(simulator(FULL, [name] * seats))]
            yield Figure(f"{name}, {seats} seats, bids up to 30", per_second(median(rates), "games"))
    yield two_processes()


def two_processes() -> Figure:
    """Two processes against one, with the time to start them, by the clock on the wall."""
    rates: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(REPEATS):
        for processes in rates:
            rates[processes].append(GAMES / wall_seconds(processes))
    ratios = [two / one for one, two in zip(rates[1], rates[2], strict=True)]
    return Figure(
        "cautious, 2 seats, two processes; ratio to one",
        ours=per_second(median(rates[2]), "games"),
        ratio=f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})",
    )


def wall_seconds(processes: int) -> float:
    """How long a simulation takes whoever waits for it."""
    start = perf_counter()
    simulate(CAPPED, [parse_agent("cautious")] * 2, GAMES, processes=processes)
    return perf_counter() - start
