"""A tournament of Python bots in this process, with everything that it keeps on disk, beside the same games by hand.

Two processes stand beside one by the clock on the wall, their start included. Memory is that of `calza match`, which
may not grow with the number of games.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time

from msgspec.structs import replace

from calza.agents.entry import Entry, parse_entry
from calza.rules import CATALOG
from calza.tournament.plan import Plan
from calza.tournament.pools import here, processes
from calza.tournament.run import play_tournament

from . import floor_python
from .measure import Figure, per_second

RULES = replace(CATALOG["liars-dice"], cap="dice")
ROUNDS = 7
UNITS = 5000  # of two games, in a slice: so many that starting does not decide
MANY = 40_000  # units, when two processes are compared with one
REPEATS = 3
FEW_GAMES, MANY_GAMES = 20_000, 1_000_000
BOTS = ("cautious", "random")


def bots() -> tuple[Entry, ...]:
    """Two binomial bots: classes of this package, which run inline."""
    one = parse_entry("benchmarks.engine:BinomialBot")
    return tuple(replace(one, name=name) for name in ("one", "two"))


def plan(units: int, seed: int) -> Plan:
    """So many games of the two on both seats."""
    return Plan(rules=RULES, entries=bots(), groups=units, seed=seed, watched=0)


def seconds(units: int, seed: int, many: int = 1) -> float:
    """The seconds that a tournament takes, in a new folder: of the processor for one process, else on the wall."""
    clock = process_time if many == 0 else perf_counter
    with tempfile.TemporaryDirectory() as folder:
        start = clock()
        ended = play_tournament(plan(units, seed), Path(folder), pool=processes(many) if many else here)
        taken = clock() - start
    assert ended.tally.games.sum() == 4 * units  # of every pair, seen from both sides
    return taken


def floor(games: int) -> float:
    """The seconds that the same games take by hand."""
    start = process_time()
    for _ in range(games):
        floor_python.play([floor_python.binomial_bot] * 2)
    return process_time() - start


def inline() -> Figure:
    """Games a second of two binomial bots in this process."""
    seconds(UNITS, 0, 0)  # everything is imported and laid out
    pairs = [(seconds(UNITS, seed, 0), floor(2 * UNITS)) for seed in range(1, ROUNDS + 1)]
    ratios = [other / ours for ours, other in pairs]
    lower, _, upper = quantiles(ratios, n=4)
    return Figure(
        "two binomial bots inline, 2 seats",
        ours=per_second(2 * UNITS / median(ours for ours, _ in pairs), "games"),
        floor=per_second(2 * UNITS / median(other for _, other in pairs), "games"),
        ratio=f"{median(ratios):.2f} ({lower:.2f} to {upper:.2f})",
        target="0.30",
    )


def two() -> Figure:
    """Two processes beside one."""
    pairs = [(seconds(MANY, seed, 1), seconds(MANY, seed, 2)) for seed in range(REPEATS)]
    ratios = [one / both for one, both in pairs]
    return Figure(
        "the same in two processes; ratio to one",
        ours=per_second(2 * MANY / median(both for _, both in pairs), "games"),
        floor=per_second(2 * MANY / median(one for one, _ in pairs), "games"),
        ratio=f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})",
        target="1.80",
    )


def memory(games: int) -> int:
    """Bytes that `calza match` had in memory at the most."""
    words = [sys.executable, "-m", "calza", "match", *BOTS, "--games", str(games), "--json"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == 0
    return used.ru_maxrss * 1024


def figures() -> Iterator[Figure]:
    """Everything that is measured."""
    yield inline()
    yield two()
    few, many = memory(FEW_GAMES), memory(MANY_GAMES)
    yield Figure(
        f"memory of {MANY_GAMES:,} games; floor {FEW_GAMES:,}",
        ours=f"{many / 1e6:.0f} MB",
        floor=f"{few / 1e6:.0f} MB",
        ratio=f"{many / few:.2f}",
        target="under 300 MB",
    )
