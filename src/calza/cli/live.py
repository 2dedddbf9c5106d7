"""A tournament while it is played: a table that moves in a terminal, elsewhere a line now and then."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

import click
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:  # tallies are only read here; what makes them needs an extra
    from calza.tournament.run import Run

PAUSE = 1.0  # seconds between two looks in a terminal
LINES = 15.0  # and elsewhere
ROWS = 16  # bots in the table; the others are told of in a line

Follow = Callable[["Run"], None]


@contextmanager
def watching() -> Iterator[Follow]:
    """Gives the function to be told how far the tournament is."""
    console, pace = Console(stderr=True), Pace()
    if not console.is_terminal:
        yield lambda run: say(run, pace)
        return
    with Live(console=console, transient=True, auto_refresh=False) as live:

        def show(run: "Run") -> None:
            if pace.due(run, PAUSE):
                live.update(picture(run, pace), refresh=True)

        yield show


class Pace:
    """How fast it goes, and how long it will take."""

    def __init__(self) -> None:
        self.games = self.done = 0
        self.before = -1  # games that were done when this run began to count
        self.begun = self.last = monotonic()

    def due(self, run: "Run", pause: float) -> bool:
        """Whether it is time to show something again."""
        self.games, self.done = run.planned, int(run.total.totals[0])
        now = monotonic()
        if self.before < 0:
            self.before, self.begun = self.done, now
        if now - self.last < pause:
            return False
        self.last = now
        return True

    @property
    def rate(self) -> float:
        """Games a second in this run."""
        return (self.done - self.before) / max(self.last - self.begun, 1e-9)

    def __str__(self) -> str:
        left = (self.games - self.done) / self.rate if self.rate else 0.0
        share = 100 * self.done // self.games
        return f"{share}%, {self.done:,} of {self.games:,} games, {told(self.rate)} games/s, {clock(left)} left"


def told(rate: float) -> str:
    """A speed in few digits."""
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"


def clock(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def picture(run: "Run", pace: Pace) -> Group:
    """The standings so far."""
    from calza.tournament.standings import Counted

    plan, tally, stage = run.plan, run.total, run.stages[-1]
    counted = Counted(plan, tally, run.skills)
    order = counted.order([])
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("bot", overflow="ellipsis", no_wrap=True)
    for column in ("games", "points %", "95 %", "faults"):
        table.add_column(column, justify="right", no_wrap=True)
    for one in order[:ROWS]:
        share, faults = counted.share(one), int(tally.faults[one].sum())
        table.add_row(
            Text(plan.names[one]),
            f"{int(tally.games[:, one].sum()):,}",
            f"{100 * share.value:.1f}",
            between(share.low, share.high),
            Text(f"{faults:,}" if faults else "", "red"),
        )
    more = [Text(f"and {len(order) - ROWS} more", "dim")] if len(order) > ROWS else []
    return Group(table, *more, Text(f"{stage.name}: {pace}" if stage.name else str(pace), "bold"))


def between(low: float | None, high: float | None) -> str:
    """An interval of shares, in percent."""
    return "unknown" if low is None or high is None else f"{100 * low:.1f} to {100 * high:.1f}"


def say(run: "Run", pace: Pace) -> None:
    """Say now and then how far it is, and who leads."""
    from calza.tournament.standings import Counted

    if not pace.due(run, LINES):
        return
    counted, stage = Counted(run.plan, run.total, run.skills), run.stages[-1].name
    best = counted.order([])[0]
    share = counted.share(best)
    leads = f"{run.plan.names[best]} leads with {100 * share.value:.1f} % ({between(share.low, share.high)})"
    click.echo(f"{stage + ': ' if stage else ''}{pace}; {leads}", err=True)
