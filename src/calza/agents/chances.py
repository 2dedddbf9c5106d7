"""How likely the bids of a match were for everybody at the table, for whoever draws or judges it afterwards."""

from collections.abc import Iterator

from calza.matches import replay
from calza.rules import Bid, Record, RecordError, View
from calza.rules.events import BidMade

from .odds import bid_odds

Known = tuple[float | None, ...]  # [seat]: the chance for what its cup told; None for a seat without dice


def chances(record: Record) -> list[Known | None]:
    """[action]: the chance that a bid holds, for what each seat knew when it was made; None for what is no bid.

    They end where the record does, or where something is wrong with it.
    """
    return list(bids(record))


def bids(record: Record) -> Iterator[Known | None]:
    """The chances one by one."""
    before: list[View] = []
    try:
        for game, step in replay(record):
            if step.sequence >= 0:
                match step.events[0]:
                    case BidMade(quantity=quantity, face=face):
                        yield tuple(known(view, Bid(quantity, face)) for view in before)
                    case _:
                        yield None
            before = [game.view(seat) for seat in range(game.state.seats)]
    except RecordError:
        return


def known(view: View, bid: Bid) -> float | None:
    """The chance of a bid for a seat, if it has dice."""
    return bid_odds(view, bid).holds if view.dice[view.seat] else None
