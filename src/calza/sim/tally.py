"""What many games came to. Tallies add, so that any split of the work gives the same one."""

from math import sqrt

from msgspec import Struct

Z95 = 1.959964  # the standard normal's 97.5 % point


class Tally(Struct, frozen=True):
    """Counts over games; players in the order in which they were named."""

    games: int
    places: tuple[tuple[int, ...], ...]  # [player][place - 1]
    squares: tuple[int, ...]  # [player]: the sum of squared wins of each group of rotations
    rounds: int
    actions: int
    unfinished: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            games=self.games + other.games,
            places=tuple(
                tuple(a + b for a, b in zip(ours, theirs, strict=True))
                for ours, theirs in zip(self.places, other.places, strict=True)
            ),
            squares=tuple(a + b for a, b in zip(self.squares, other.squares, strict=True)),
            rounds=self.rounds + other.rounds,
            actions=self.actions + other.actions,
            unfinished=self.unfinished + other.unfinished,
        )

    @property
    def wins(self) -> tuple[int, ...]:
        """Games in which each player came first."""
        return tuple(places[0] for places in self.places)

    def share(self, player: int) -> tuple[float, float]:
        """The share of games that a player wins, and half the width of its 95 % interval.

        A group of rotations shares its dice, so it is one sample; games are not.
        """
        players = len(self.places)
        groups = self.games // players
        mean = self.wins[player] / groups
        if groups < 2:
            return mean / players, 1.0
        variance = max(0.0, (self.squares[player] - groups * mean * mean) / (groups - 1))
        return mean / players, Z95 * sqrt(variance / groups) / players
