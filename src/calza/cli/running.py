"""Playing a tournament for somebody who watches: progress, Ctrl-C, and what it came to."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from .live import watching
from .progress import Interrupted, interrupt_later

if TYPE_CHECKING:
    from calza.tournament.league import Read
    from calza.tournament.plan import Plan
    from calza.tournament.pools import Pool
    from calza.tournament.results import Results
    from calza.tournament.run import Ended, Progress, Run
    from calza.tournament.sprt import Test, Verdict

INTERRUPTED = 130  # exit status of what was stopped by Ctrl-C


class Outcome(Struct):
    """The results, the verdict of a sequential test, and whether somebody stopped it."""

    results: "Results"
    verdict: "Verdict | None"
    stopped: bool


def cores() -> int:
    """How many processes can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def play(
    plan: "Plan", folder: Path, pool: "Pool", name: str, test: "Test | None" = None, versions: Sequence[str] = ()
) -> Outcome:
    """Play a tournament in `folder`, or go on with it; Ctrl-C stops it, and nothing is lost."""
    from calza.tournament.run import play_tournament

    ended = followed(
        lambda progress: play_tournament(plan, folder, pool=pool, progress=progress, test=test, versions=versions)
    )
    return outcome(plan, folder, ended, name)


def play_league(read: "Read", folder: Path, pool: "Pool", name: str, games: int) -> Outcome:
    """Play some more games of a league."""
    from calza.tournament.league import League

    leagues: list[League] = []

    def go_on(progress: "Progress") -> "Ended":
        leagues.append(League(read, folder, pool, progress))
        return leagues[0].play(games)

    ended = followed(go_on)
    return outcome(leagues[0].run.plan, folder, ended, name)


def followed(go_on: Callable[["Progress"], "Ended"]) -> "Ended":
    """Do it, show how far it is, and stop it when somebody wants that."""
    from calza.tournament.run import Stopped

    with interrupt_later() as check, watching() as follow:

        def progress(run: "Run") -> None:
            follow(run)
            try:
                check()
            except Interrupted:
                raise Stopped from None

        return go_on(progress)


def outcome(plan: "Plan", folder: Path, ended: "Ended", name: str) -> Outcome:
    """What it came to, with the matches that were kept."""
    from calza.tournament.standings import results_of
    from calza.tournament.store import Store

    store = Store(folder, plan)
    try:
        results = results_of(plan, ended, store.kept(), name=name, seconds=store.seconds())
    finally:
        store.close()
    return Outcome(results, ended.verdict, ended.stopped)
