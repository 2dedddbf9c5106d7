"""`calza simulate`: many games between house bots, and who wins how often."""

import os
import time
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor
from typing import Any

import click

from calza.agents.house import Spec
from calza.rules import CalzaError, Rules

from .bots import BOTS
from .find import RULES
from .progress import Interrupted, following, interrupt_later, when_slow
from .results import Batch, draw, summary
from .verify import print_json

CHUNKS = 2_000  # of a long run: each costs the more, the more there are
MANY = 1_000_000  # games from which it pays to start more processes
MOST = 10**12
INTERRUPTED = 130


class DiceType(click.ParamType[tuple[int, ...]]):
    """Dice at the start, for all or for each."""

    name = "dice"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        try:
            return tuple(int(one) for one in value.split(","))
        except ValueError:
            raise CalzaError(f'--dice is a number such as 5, or one for each bot such as 5,3, not "{value}"') from None


@click.command()
@click.option("--rules", type=RULES, default="liars-dice", show_default=True, help="A variant, or your own file.")
@click.option("--agents", type=BOTS, required=True, help="House bots, with commas: cautious,bluffer:bluff=0.3")
@click.option(
    "--games", metavar="N", type=click.IntRange(1, MOST), default=MANY, show_default=True, help="How many at least."
)
@click.option(
    "--seed",
    metavar="N",
    type=click.IntRange(0, 2**63 - 1),
    default=0,
    show_default=True,
    help="The same seed, the same games.",
)
@click.option("--dice", metavar="N,...", type=DiceType(), help="Dice at the start: 5, or for each bot 5,3.")
@click.option(
    "--processes", metavar="N", type=click.IntRange(1, 256), help="How many at once  [default: all cores, in long runs]"
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def simulate(
    rules: Rules,
    agents: tuple[Spec, ...],
    games: int,
    seed: int,
    dice: tuple[int, ...] | None,
    processes: int | None,
    as_json: bool,
) -> None:
    """Play many games between house bots, and count who wins."""
    each = dice or (rules.dice,)
    start = each * len(agents) if len(each) == 1 else each
    batch = count(rules, agents, games, seed, start, processes or (1 if games < MANY else cores()))
    if batch.tally.games == 0:
        raise click.exceptions.Exit(INTERRUPTED)
    if as_json:
        print_json(summary(batch))
    else:
        draw(batch)
    if batch.interrupted:
        raise click.exceptions.Exit(INTERRUPTED)


def cores() -> int:
    """How many processes can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def count(rules: Rules, agents: Sequence[Spec], games: int, seed: int, dice: tuple[int, ...], processes: int) -> Batch:
    """Play the games, and say on the way how far they are."""
    from calza.sim import simulate as play  # here: numba takes a while to load, and not everybody has it
    from calza.sim.simulate import CHUNK, empty

    with when_slow("compiling the rules and the bots, once for this version ..."):
        play(rules, agents, 1, seed, dice=dice)
    groups = -(-games // len(agents))
    tally, begun, interrupted = empty(len(agents)), time.monotonic(), False
    with interrupt_later() as check, following(groups * len(agents)) as follow:

        def progress(so_far: Any) -> None:
            nonlocal tally
            tally = so_far
            follow(tally.games)
            check()

        try:
            chunk = max(CHUNK, -(-groups // CHUNKS))
            play(rules, agents, games, seed, dice=dice, processes=processes, chunk=chunk, progress=progress)
        except Interrupted:
            interrupted = True
        except BrokenExecutor:
            raise CalzaError("a process that played games was stopped from outside") from None
    return Batch(rules, tuple(agents), dice, seed, games, tally, time.monotonic() - begun, interrupted)
