"""How likely the bids of a match were, for whoever draws or judges it afterwards."""

from collections.abc import Iterator

from calza.matches import replay
from calza.rules import Bid, Record, RecordError, View
from calza.rules.events import BidMade

from .odds import bid_odds


def chances(record: Record) -> list[float | None]:
    """[action]: the chance that a bid holds for what its bidder knew; None for what is no bid.

    They end where the record does, or where something is wrong with it.
    """
    return list(bids(record))


def bids(record: Record) -> Iterator[float | None]:
    """The chances one by one."""
    before: View | None = None
    try:
        for game, step in replay(record):
            if before:
                match step.events[0]:
                    case BidMade(quantity=quantity, face=face):
                        yield bid_odds(before, Bid(quantity, face)).holds
                    case _:
                        yield None
            before = game.view(game.turn)
    except RecordError:
        return
