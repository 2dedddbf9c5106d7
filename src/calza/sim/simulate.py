"""Many games as chunks: `map(chunk) -> tally`, in one process or several, with the same result for a seed."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context

import numpy as np
from msgspec import Struct

from calza.agents.house import PARAMETERS, Spec
from calza.agents.odds import reach
from calza.matches.run import LIMIT
from calza.rules import Rules, SetupError
from calza.rules.setup import check_seats
from calza.rules.table import lay

from .compile import SEATS, STATE, chart_arrays, dice_arrays, odds_arrays
from .kernels import ACTIONS, REFUSED, ROUNDS, TOTALS, UNFINISHED, count_groups
from .tally import Tally

CHUNK = 10_000  # groups; small enough to show progress, large enough to cost nothing


class Job(Struct, frozen=True):
    """What is simulated."""

    rules: Rules
    agents: tuple[Spec, ...]
    dice: tuple[int, ...]
    seed: int
    limit: int = LIMIT


def simulate(
    rules: Rules,
    agents: Sequence[Spec],
    games: int,
    seed: int = 0,
    *,
    dice: Sequence[int] = (),
    processes: int = 1,
    chunk: int = CHUNK,
    progress: Callable[[Tally], None] | None = None,
) -> Tally:
    """Play at least `games` games, in whole rotations of the seats; `progress` is told of every tally so far."""
    job = Job(rules, tuple(agents), tuple(dice) or (rules.dice,) * len(agents), seed)
    check_job(job)
    groups = -(-games // len(agents))
    chunks = [(first, min(chunk, groups - first)) for first in range(0, groups, chunk)]
    total = empty(len(agents))
    for tally in tallies(job, chunks, processes):
        total += tally
        if progress:
            progress(total)
    return total


def check_job(job: Job) -> None:
    """SetupError for a table that cannot be."""
    lay(job.rules)
    if len(job.agents) > SEATS:
        raise SetupError(f"the simulator seats at most {SEATS} players, not {len(job.agents)}")
    if len(job.dice) != len(job.agents):
        raise SetupError(f"{len(job.dice)} numbers of dice for {len(job.agents)} players; give one for each seat")
    check_seats(job.rules, job.dice)


def empty(players: int) -> Tally:
    """The tally of no game."""
    return Tally(0, ((0,) * players,) * players, (0,) * players, 0, 0)


def tallies(job: Job, chunks: Sequence[tuple[int, int]], processes: int) -> Iterator[Tally]:
    """The tally of every chunk, as they are done."""
    if processes == 1:
        yield from (count_chunk(job, first, groups) for first, groups in chunks)
        return
    # Fresh processes: a fork would copy the threads of whoever calls us.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        try:
            waiting: set[Future[Tally]] = {pool.submit(count_chunk, job, *one) for one in chunks}
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (one.result() for one in done)
        finally:
            pool.shutdown(cancel_futures=True)


def count_chunk(job: Job, first: int, groups: int) -> Tally:
    """Play some groups of rotations, wherever this runs."""
    seats = len(job.agents)
    places, squares = np.zeros((seats, seats + 1), np.int64), np.zeros(seats, np.int64)
    totals = np.zeros(TOTALS, np.int64)
    count_groups(
        chart_arrays(job.rules),
        odds_arrays(job.rules, reach(sum(job.dice))),
        dice_arrays(job.rules.faces),
        np.array(job.dice, np.int64),
        *agent_arrays(job.agents),
        np.uint64(job.seed),
        first,
        groups,
        job.limit,
        *scratch(seats, job.rules.faces),
        np.zeros(0, np.int64),
        places,
        squares,
        totals,
    )
    assert not totals[REFUSED], "a house bot played an illegal action"
    return Tally(
        games=groups * seats,
        places=tuple(tuple(map(int, row[1:])) for row in places),
        squares=tuple(map(int, squares)),
        rounds=int(totals[ROUNDS]),
        actions=int(totals[ACTIONS]),
        unfinished=int(totals[UNFINISHED]),
    )


def scratch(seats: int, faces: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A state, cups, and rows to work in: kernels allocate nothing."""
    return np.zeros(1, STATE), np.zeros((seats, faces + 1), np.int64), np.zeros((4, seats), np.int64)


def agent_arrays(agents: Sequence[Spec]) -> tuple[np.ndarray, np.ndarray]:
    """Kinds and parameters of the agents."""
    kinds = np.array([one.kind for one in agents], np.int64)
    params = [(*one.params, *(0.0,) * PARAMETERS)[:PARAMETERS] for one in agents]
    return kinds, np.array(params, np.float64)
