"""What one waits for before anything happens, each time in a fresh process."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

from .measure import Figure

REPEATS = 11

IMPORT = """
from time import perf_counter
start = perf_counter()
import calza
print(perf_counter() - start)
"""
GAME = """
from time import perf_counter
start = perf_counter()
from calza import CATALOG, Game
Game(CATALOG["liars-dice"], 2, seed=1)
print(perf_counter() - start)
"""
KERNELS = """
from time import perf_counter
import numpy, numba
start = perf_counter()
from calza.agents import parse_agent
from calza.rules import CATALOG
from calza.sim import simulate
simulate(CATALOG["liars-dice"], [parse_agent("cautious")] * 2, 2)
print(perf_counter() - start)
"""


def inside(program: str) -> float:
    """The seconds that a program says it took."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    return float(done.stdout)


def outside(command: list[str]) -> float:
    """The seconds from starting a command to its end."""
    start = perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    return perf_counter() - start


def milliseconds(name: str, measured: Callable[[], float], target: int = 0) -> Figure:
    """The median of some tries, after one that fills the caches."""
    aim = f"under {target} ms" if target else ""
    try:
        measured()
        tries = sorted(measured() * 1000 for _ in range(REPEATS))
    except (OSError, subprocess.CalledProcessError):
        return Figure(name, "does not run", target=aim)
    return Figure(name, f"{median(tries):.0f} ms ({tries[0]:.0f} to {tries[-1]:.0f})", target=aim)


def figures() -> Iterator[Figure]:
    """Milliseconds."""
    calza = str(Path(sys.executable).with_name("calza"))
    yield milliseconds("`import calza`", lambda: inside(IMPORT), 60)
    yield milliseconds("the engine's first game, with its imports", lambda: inside(GAME))
    yield milliseconds("`calza rules list`, with the interpreter", lambda: outside([calza, "rules", "list"]), 250)
    yield milliseconds("the simulator's first game, without importing numba", lambda: inside(KERNELS), 400)
