"""A record as frames: the table after every step, so that somebody may go back and forth in a match."""

from collections.abc import Iterable

from msgspec import Struct

from calza.matches import Step, replay
from calza.rules import Record, RecordError, View
from calza.rules.dice import Hand


class Frame(Struct, frozen=True):
    """A step with the table before and after it, and what is under all cups then."""

    step: Step
    before: View
    after: View
    hands: tuple[Hand, ...]

    def cups(self, seats: Iterable[int]) -> dict[int, list[int]]:
        """The dice under the cups of some seats, by their faces; none once the last cups have been lifted."""
        if self.after.over:
            return {}
        return {seat: [face for face, dice in enumerate(self.hands[seat]) for _ in range(dice)] for seat in seats}


def frames(record: Record) -> tuple[list[Frame], RecordError | None]:
    """Every frame up to the end, or up to what is wrong with the record."""
    made: list[Frame] = []
    try:
        for game, step in replay(record):
            # Views keep what they saw while the game moves on under them.
            after = game.spectator_view()
            made.append(Frame(step, made[-1].after if made else after, after, tuple(game.hands)))
    except RecordError as error:
        return made, error
    return made, None
