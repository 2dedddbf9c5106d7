"""A tournament from its first stage to its last. One that was killed goes on with the chunks that are not on disk."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from .formats import Past, next_stage
from .plan import Plan, check_plan
from .play import Played
from .pools import Pool, here
from .sprt import Test, Verdict
from .stage import Chunk, Stage
from .store import Store
from .tally import SCALE, Tally, empty, widened
from .trial import Trial

if TYPE_CHECKING:  # openskill, which only leagues need
    from .openranks import Skill

Progress = Callable[["Run"], None]


class Stopped(Exception):
    """Raised by `progress` to stop where it is; what has been played is on disk."""


class Ended(Struct):
    """What has been played, and what it came to."""

    tally: Tally
    past: list[Past]  # stages that were played to their end
    planned: int  # games of all stages that have begun
    verdict: Verdict | None = None  # of the sequential test, if there was one
    stopped: bool = False
    skills: Sequence["Skill"] = ()  # by entry, in a league


def play_tournament(
    plan: Plan,
    folder: Path,
    *,
    pool: Pool = here,
    progress: Progress | None = None,
    test: Test | None = None,
    versions: Sequence[str] = (),
) -> Ended:
    """Play what has not been played yet; returns what all of it came to.

    With a `test` of the first entry it stops as soon as that is decided.
    """
    check_plan(plan)
    store = Store(folder, plan, versions)
    try:
        run = Run(plan, folder, store, pool, progress)
        return run.ended(stopped=not run.to_its_end(test))
    finally:
        store.close()


class Run:
    """A tournament while it is played."""

    def __init__(self, plan: Plan, folder: Path, store: Store, pool: Pool, progress: Progress | None = None) -> None:
        self.plan, self.folder, self.store, self.pool, self.progress = plan, folder, store, pool, progress
        self.total = empty(plan)
        self.stages: list[Stage] = []
        self.past: list[Past] = []
        self.verdict: Verdict | None = None
        self.skills: Sequence[Skill] = ()

    @property
    def planned(self) -> int:
        """Games of all stages that have begun."""
        return sum(stage.games for stage in self.stages)

    def to_its_end(self, test: Test | None) -> bool:
        """Play stage after stage; False when it was stopped."""
        try:
            while stage := next_stage(self.plan, self.past):
                if test:
                    self.try_out(stage, Trial(test, entry=0))
                else:
                    self.play(stage)
        except Stopped:
            return False
        return True

    def ended(self, stopped: bool) -> Ended:
        """What it came to so far."""
        return Ended(self.total, self.past, self.planned, self.verdict, stopped, self.skills)

    def enter(self, plan: Plan) -> None:
        """Go on with more entries, behind those that there were."""
        self.plan, self.total = plan, widened(self.total, plan)

    def play(self, stage: Stage, finish: bool = True) -> None:
        """Play what is missing of a stage; or, not to `finish` it, leave it at what there is."""
        self.begin(stage)
        tally = self.store.tally(stage)
        self.total.add(tally)
        for _, played in self.missing(stage) if finish else ():
            tally.add(played.tally)
            self.total.add(played.tally)
            self.tell()
        self.past.append(self.over(stage, tally))

    def try_out(self, stage: Stage, trial: Trial) -> None:
        """Play as much of a stage as it takes to decide a trial.

        The trial reads the chunks in their order, whatever the order in which processes finish them, and only what it
        has read is counted: so it ends in the same place for any number of processes.
        """
        self.begin(stage)
        for number, scores in self.store.scores(stage):
            trial.hold(number, scores)
        trial.read(stage)
        try:
            for chunk, played in self.missing(stage) if not trial.over else ():
                trial.hold(chunk.number, played.scores)
                trial.read(stage)
                self.total.add(played.tally)
                self.tell()
                if trial.over:
                    break
        finally:
            self.verdict = trial.verdict
            self.total = self.store.tally(stage, trial.next - 1)
        self.past.append(self.over(stage, self.total))

    def missing(self, stage: Stage) -> Iterator[tuple[Chunk, Played]]:
        """Play the chunks of a stage that are not on disk, and put them there.

        The first is played by itself: whoever fails in it for good sits out the others, and costs nobody more time.
        """
        done = self.store.done(stage)
        chunks = [chunk for chunk in stage.chunks() if chunk.number not in done]
        first, rest = [one for one in chunks if one.number == 0], [one for one in chunks if one.number > 0]
        yield from self.kept(first)
        benched = self.store.benched(stage) or ()
        yield from self.kept([replace(one, benched=benched) for one in rest])

    def kept(self, chunks: Sequence[Chunk]) -> Iterator[tuple[Chunk, Played]]:
        """Play chunks; each is on disk before anybody hears of it."""
        for chunk, played, seconds in self.pool(self.plan, chunks, self.folder):
            self.store.keep(chunk, played, seconds)
            yield chunk, played

    def over(self, stage: Stage, tally: Tally) -> Past:
        """What a stage came to."""
        return Past(stage, shares(tally), self.store.benched(stage) or ())

    def begin(self, stage: Stage) -> None:
        """A stage begins, or goes on."""
        self.store.begin(stage)
        self.stages.append(stage)

    def tell(self) -> None:
        """Say how far it is."""
        if self.progress:
            self.progress(self)


def shares(tally: Tally) -> tuple[float, ...]:
    """What share of the points each entry won, of those that it could have won."""
    games, points = tally.games.sum(axis=0), tally.points.sum(axis=0)
    return tuple(int(won) / (int(played) * SCALE) if played else 0.0 for won, played in zip(points, games, strict=True))
