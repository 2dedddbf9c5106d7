"""What everybody at the table may know, as numbers. Nothing hidden is in it."""

from collections.abc import Sequence

from .charts import PLAIN, Charts
from .play import open_round

SCALARS = (
    "seats",  # seats at the table, out or not
    "turn",  # the seat to act
    "quantity",  # the standing bid; 0 for none
    "face",
    "bidder",  # who made it; -1 for none
    "row",  # where its floors begin in the charts
    "base",  # where those of this round's opening bid begin
    "most",  # the greatest quantity of a bid in this round
    "total",  # dice in play
    "playing",  # seats that have dice
    "round",  # from 1
    "mode",  # plain or special
    "over",
    "wave",  # calls and leavings so far: orders those who go out
)
ARRAYS = (
    "dice",  # [seat]: dice in the cup
    "start",  # [seat]: dice at the start
    "out",  # [seat]: the wave in which it went out
    "used",  # [seat]: whether its special round has been
)


class State:
    """A game's public state; `play` moves it."""

    __slots__ = SCALARS + ARRAYS

    seats: int
    turn: int
    quantity: int
    face: int
    bidder: int
    row: int
    base: int
    most: int
    total: int
    playing: int
    round: int
    mode: int
    over: int
    wave: int
    dice: list[int]
    start: list[int]
    out: list[int]
    used: list[int]

    def __init__(self, charts: Charts, dice: Sequence[int], turn: int) -> None:
        seats = len(dice)
        self.seats, self.turn, self.round, self.mode, self.over, self.wave = seats, turn, 1, PLAIN, 0, 0
        self.dice, self.start = list(dice), list(dice)
        self.total, self.playing = sum(dice), sum(1 for one in dice if one)
        self.out, self.used = [0] * seats, [0] * seats
        open_round(self, charts)

    def copy(self) -> "State":
        """An equal state that moves on its own."""
        twin = State.__new__(State)
        # Name by name: a loop over the names takes twice as long, and every action of an arena makes a copy.
        twin.seats, twin.turn, twin.quantity, twin.face = self.seats, self.turn, self.quantity, self.face
        twin.bidder, twin.row, twin.base, twin.most = self.bidder, self.row, self.base, self.most
        twin.total, twin.playing, twin.round, twin.mode = self.total, self.playing, self.round, self.mode
        twin.over, twin.wave = self.over, self.wave
        twin.dice, twin.start = self.dice.copy(), self.start.copy()
        twin.out, twin.used = self.out.copy(), self.used.copy()
        return twin

    def __eq__(self, other: object) -> bool:
        return all(getattr(self, name) == getattr(other, name, None) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]
