"""What a person may type, with examples that are legal right now."""

from collections.abc import Iterator

from calza.rules import Bid, Call, Legal, View
from calza.rules.actions import bid_name, face_name
from calza.rules.describe import one_call, said

from .table import least_bids

OTHERS = (
    ("bids", "shows the bids of this round again"),
    ("odds", "shows how likely the standing bid and the least raises are"),
    ("rules", "prints the rules of this game"),
    ("quit", "leaves; the match so far is saved"),
)


def help_lines(view: View, legal: Legal) -> Iterator[tuple[str, str]]:
    """What to type, and what it does."""
    if least := least_bids(legal):
        bid = example(view, least)
        words = f"{bid.quantity} {face_name(bid.face, bid.quantity)}"
        yield str(bid), f"bids {bid_name(bid)}; {bid.quantity} {bid.face} and {words} do too"
    for call in view.rules.calls:
        if Call(call.name) in legal:
            word = said(call)
            also = f", also {call.name}" if call.name != word else ""
            yield word, f"calls the bid{also}. {' '.join(one_call(call, view.rules))}"
    yield from OTHERS
    yield "resign", "gives up: you are out, and the others play on"
    if legal.calls:
        yield "", "The start of a word is enough where it fits no other."


def example(view: View, least: list[Bid]) -> Bid:
    """The least raise of the face that stands, or else the lowest."""
    return next((bid for bid in least if bid.face == view.face), min(least, key=lambda bid: (bid.quantity, bid.face)))
