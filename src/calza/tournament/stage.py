"""A stage: tables that can be played in any order, as numbered units.

A unit is one table's rotations on the same dice. Its number decides its table, its dice and its bin in the tally, and
nothing else does. So any process may play any unit at any time, and the result is the same.
"""

from msgspec import Struct


class Stage(Struct, frozen=True):
    """Tables, each of which plays so many groups; units are numbered on from the stage before."""

    number: int
    first: int
    tables: tuple[tuple[int, ...], ...]  # entries in the order of joining
    groups: int
    portion: int  # units that are played and kept together
    name: str = ""  # such as "final"

    @property
    def units(self) -> range:
        """The numbers of its units."""
        return range(self.first, self.first + len(self.tables) * self.groups)

    @property
    def games(self) -> int:
        """How many games it has."""
        return self.groups * sum(map(len, self.tables))

    def table(self, unit: int) -> tuple[int, ...]:
        """Who plays a unit."""
        return self.tables[(unit - self.first) % len(self.tables)]

    def group(self, unit: int) -> int:
        """Which of its table's groups a unit is."""
        return (unit - self.first) // len(self.tables)

    def chunks(self) -> list["Chunk"]:
        """The units in the portions in which they are played."""
        starts = range(self.units.start, self.units.stop, self.portion)
        stop = self.units.stop
        return [Chunk(self, number, at, min(at + self.portion, stop)) for number, at in enumerate(starts)]


class Chunk(Struct, frozen=True):
    """A portion of a stage."""

    stage: Stage
    number: int  # in the stage
    start: int
    stop: int
    benched: tuple[int, ...] = ()  # entries that sit this one out: they have failed too often

    @property
    def units(self) -> range:
        """The numbers of its units."""
        return range(self.start, self.stop)
