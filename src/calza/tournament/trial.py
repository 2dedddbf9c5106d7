"""A sequential test, fed with the groups of a stage in their order."""

from .sprt import Sums, Test, Verdict
from .stage import Stage
from .tally import SCALE

Scores = list[list[int]]


class Trial:
    """Whether one entry is better than the others: reads groups in order until that is decided."""

    def __init__(self, test: Test, entry: int) -> None:
        self.test, self.entry = test, entry
        self.next = 0  # the chunk to read next
        self.waiting: dict[int, Scores] = {}
        self.sums = Sums()
        self.verdict: Verdict | None = None

    @property
    def over(self) -> bool:
        """Whether it is decided."""
        return bool(self.verdict and self.verdict.decided)

    def hold(self, chunk: int, scores: Scores) -> None:
        """Keep the points of a chunk until it is read."""
        self.waiting[chunk] = scores

    def read(self, stage: Stage) -> None:
        """Read every chunk that is next, up to the decision."""
        chunks = stage.chunks()
        while not self.over and self.next in self.waiting:
            scores = zip(chunks[self.next].units, self.waiting.pop(self.next), strict=True)
            stop = self.test.feed([self.share(stage.table(unit), points) for unit, points in scores], self.sums)
            self.sums, self.verdict = stop.sums, stop.verdict
            self.next += 1

    def share(self, table: tuple[int, ...], points: list[int]) -> float:
        """The entry's mean score over the games of a group."""
        return points[table.index(self.entry)] / (SCALE * len(table))
