"""What one seat sees: the public state and its own cup. There is nothing else in it, so nothing to hide."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from msgspec import Struct

from .actions import RESIGN, Action, Bid, Call
from .charts import SPECIAL, Charts
from .dice import Hand
from .events import shown_of
from .play import FINE, call_refusal
from .rules import Rules
from .table import Table


class Legal(Struct, frozen=True, omit_defaults=True):
    """The legal actions of the seat to act, short: a floor per face, one cap, and the calls."""

    least: tuple[int, ...]  # [face]: the least quantity; 0 where no bid is legal
    most: int
    calls: tuple[str, ...]
    resign: bool = True

    def __iter__(self) -> Iterator[Action]:
        """Every legal action: bids from the lowest, the calls, and `resign`."""
        for quantity in range(1, self.most + 1):
            for face, least in enumerate(self.least):
                if 0 < least <= quantity:
                    yield Bid(quantity, face)
        yield from map(Call, self.calls)
        if self.resign:
            yield RESIGN

    def __contains__(self, action: object) -> bool:
        match action:
            case Bid(quantity, face):
                return 0 < face < len(self.least) and 0 < self.least[face] <= quantity <= self.most
            case Call(name):
                return name in self.calls
        return self.resign and action == RESIGN

    @property
    def bids(self) -> int:
        """How many bids are legal."""
        return sum(self.most - least + 1 for least in self.least if least)


NOTHING = Legal((), 0, (), resign=False)


class View(Struct, frozen=True, gc=False):
    """What `seat` sees; a value that stays as it is when the game moves on. A spectator's seat is -1."""

    seat: int
    hand: Hand  # own dice as counts: hand[3] threes
    matching: Hand  # own dice that count for a bid on a face, wild ones included
    turn: int  # the seat to act
    quantity: int  # of the standing bid, 0 for none
    face: int
    bidder: int  # who made it, -1 for none
    row: int
    most: int  # the greatest quantity that may be bid
    dice: list[int]  # dice of every seat, 0 for who is out
    total: int
    playing: int
    round: int
    mode: int
    over: int
    start: list[int]  # dice of every seat at the start
    sequence: int  # actions so far in the match
    table: Table
    said: list[tuple[int, Bid]]
    heard: int

    @property
    def rules(self) -> Rules:
        """The rules that are played."""
        return self.table.rules

    @property
    def charts(self) -> Charts:
        """The rules as numbers."""
        return self.table.charts

    @property
    def cup(self) -> tuple[int, ...]:
        """Own dice by their faces, lowest first."""
        return shown_of(self.hand, ())

    @property
    def bid(self) -> Bid | None:
        """The standing bid."""
        return Bid(self.quantity, self.face) if self.quantity else None

    @property
    def bids(self) -> list[tuple[int, Bid]]:
        """The bids of this round with their seats, oldest first."""
        return self.said[: self.heard]

    @property
    def spoken(self) -> list[int]:
        """The face of every seat's last bid in this round; 0 for none."""
        faces = [0] * len(self.dice)
        for seat, bid in self.bids:
            faces[seat] = bid.face
        return faces

    @property
    def unknown(self) -> int:
        """Dice under the cups of others."""
        return self.total - sum(self.hand)

    @property
    def special(self) -> bool:
        """Whether this is a special round."""
        return self.mode == SPECIAL

    def least(self, face: int) -> int:
        """The least quantity of `face` that is legal now; 0 where none is."""
        least = self.table.charts.floor[self.row + face]
        return least if least <= self.most else 0

    def legal(self) -> Legal:
        """What this seat may do now."""
        return legal_actions(self, self.table, self.seat)


def legal_actions(s: Any, table: Table, seat: int) -> Legal:
    """What `seat` may do in state `s`."""
    if s.over or not 0 <= seat < len(s.dice) or not s.dice[seat]:
        return NOTHING
    charts = table.charts
    if s.turn != seat:
        return Legal((0,) * charts.width, 0, ())
    # A list first: a generator would double the price, which every request to a bot pays.
    calls = tuple([name for which, name in enumerate(table.names) if call_refusal(s, charts, which) == FINE])
    return Legal(least_bids(table, s.row, s.most), s.most, calls)


@lru_cache(maxsize=1 << 14)
def least_bids(table: Table, row: int, most: int) -> tuple[int, ...]:
    """[face]: the least quantity that is legal over the standing bid of `row`, 0 where none up to `most` is."""
    charts = table.charts
    return tuple(floor if floor <= most else 0 for floor in charts.floor[row : row + charts.width])
