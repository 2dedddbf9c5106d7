"""How far a long run is, on standard error: a bar in a terminal, elsewhere a line now and then. And how to stop it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from signal import SIG_BLOCK, SIG_SETMASK, SIGINT, pthread_sigmask, signal, sigpending
from threading import Timer
from types import FrameType

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

PATIENCE = 1.0  # seconds after which somebody wants to know what is going on
LINES = 10  # of a run whose progress nobody watches


class Interrupted(Exception):
    """Ctrl-C was pressed."""


@contextmanager
def when_slow(what: str) -> Iterator[None]:
    """Say what is being done if it takes a while."""
    timer = Timer(PATIENCE, lambda: click.echo(what, err=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def following(games: int) -> Iterator[Callable[[int], None]]:
    """Gives the function to be told how many games are done."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lines(games)
        return
    columns = (BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=games, rate="")

        def show(done: int) -> None:
            speed = bar.tasks[0].speed
            bar.update(task, completed=done, rate=f"{speed:,.0f} games/s" if speed else "")

        yield show


def lines(games: int) -> Callable[[int], None]:
    """Says every tenth of the way, but not the end, which shows by itself."""
    told = 0

    def show(done: int) -> None:
        nonlocal told
        tenth = done * LINES // games
        if told < tenth < LINES:
            told = tenth
            click.echo(f"{100 * done // games}%, {done:,} of {games:,} games", err=True)

    return show


@contextmanager
def interrupt_later() -> Iterator[Callable[[], None]]:
    """Gives a function that raises Interrupted once Ctrl-C was pressed; until it is called, nothing is interrupted.

    Processes that are started meanwhile have Ctrl-C blocked. Left to themselves, each would die of the one that the
    terminal sends to all of them, and print why.
    """
    pressed = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True

    def check() -> None:
        if pressed or SIGINT in sigpending():
            raise Interrupted

    resource_tracker.ensure_running()  # now, since its start would unblock Ctrl-C again
    handler = signal(SIGINT, note)
    # Some thread of numpy's may still take the signal, and then it is the handler that notes it.
    mask = pthread_sigmask(SIG_BLOCK, {SIGINT})
    try:
        yield check
    finally:
        pthread_sigmask(SIG_SETMASK, mask)  # one that is still waiting is noted now, and done with
        signal(SIGINT, handler)
