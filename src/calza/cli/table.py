"""The table as one seat sees it: who has how many dice and bid what, what may be done, and how likely it is."""

from collections.abc import Mapping, Sequence

from rich.columns import Columns
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from calza.agents import bid_odds
from calza.rules import Bid, Call, Legal, Rules, View
from calza.rules.actions import face_name
from calza.rules.describe import said
from calza.show import Cast

from .screen import Screen

ROW = 8  # most dice that are drawn beside a name
LABEL = "dim"
NARROW = 60  # columns below which a name gets less room


def heading(view: View) -> str:
    """What holds for the round."""
    wild = view.charts.wild[view.mode]
    parts = [f"Round {view.round}", f"{view.total} dice"]
    if view.rules.wild:
        parts.append(f"{face_name(view.rules.wild)} {'are' if wild else 'not'} wild")
    return ", ".join(parts)


def seats(view: View, cast: Cast, screen: Screen, cups: Mapping[int, Sequence[int]] | None = None) -> RenderableType:
    """A line for each seat: its letter, name, dice, last bid, and its cup if it is open."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style=LABEL)
    table.add_column("")
    table.add_column("seat", no_wrap=True, overflow="ellipsis", max_width=24 if screen.width >= NARROW else 12)
    table.add_column("dice", no_wrap=True)
    table.add_column("bid", no_wrap=True)
    if cups is not None:
        table.add_column("cup", overflow="fold")
    last = dict(view.bids)
    for seat, dice in enumerate(view.dice):
        acts = seat == view.turn and not view.over
        cells = [
            Text((("›" if screen.fancy else ">") if acts else " ") + chr(ord("A") + seat)),
            Text(label(seat, cast, screen)),
            Text(row_of(dice, view.start[seat], screen)),
            Text(str(last.get(seat, "")), "bold" if seat == view.bidder else ""),
        ]
        if cups is not None:
            cells.append(Text(" ".join(map(str, cups.get(seat, ()))), "bold"))
        table.add_row(*cells, style="bold" if acts and seat == cast.you else "" if dice else "dim")
    return table


def label(seat: int, cast: Cast, screen: Screen) -> str:
    """The name of a seat as a table shows it; whoever reads finds themselves at once."""
    if seat != cast.you:
        return cast.names[seat]
    return f"{cast.names[seat]} (you)" if screen.width >= NARROW else "you"


def row_of(dice: int, start: int, screen: Screen) -> str:
    """Dice left and lost."""
    if not dice:
        return "out"
    if not screen.fancy or max(dice, start) > ROW:
        return str(dice)
    return f"{dice} {'■' * dice}{'□' * (start - dice)}"


def choices(view: View, legal: Legal, cast: Cast, odds: bool) -> RenderableType:
    """The bids so far and what may be done now, in few words."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style=LABEL, no_wrap=True, min_width=5)
    grid.add_column()
    if view.bids:
        grid.add_row("bids", Text(", ".join(f"{cast.names[seat]} {bid}" for seat, bid in view.bids)))
    if odds and view.bid:
        grid.add_row("odds", Text(f"{view.bid} {chances(view, view.bid)}"))
    if least := least_bids(legal):
        grid.add_row(
            "raise" if view.bid else "open", with_odds(view, least) if odds else Text(" ".join(map(str, least)))
        )
        grid.add_row("", Text(f"or more dice, {legal.most} at most"))
    if legal.calls:
        grid.add_row("call", Text(", ".join(f'"{word}"' for word in call_words(view.rules, legal))))
    return grid


def least_bids(legal: Legal) -> list[Bid]:
    """The least legal bid on each face that has one."""
    return [Bid(least, face) for face, least in enumerate(legal.least) if least]


def call_words(rules: Rules, legal: Legal) -> list[str]:
    """The legal calls as people say them."""
    return [said(call) for call in rules.calls if Call(call.name) in legal]


def chances(view: View, bid: Bid) -> str:
    """How likely a bid is for whoever sees the view."""
    odds = bid_odds(view, bid)
    return f"holds {percent(odds.holds)}, exactly {percent(odds.exactly)}"


def with_odds(view: View, bids: Sequence[Bid]) -> RenderableType:
    """Each bid with its chance to hold."""
    pairs = [f"{bid} {percent(bid_odds(view, bid).holds):>4}" for bid in bids]
    return Columns([Text(pair) for pair in pairs], padding=(0, 2))


def percent(chance: float) -> str:
    """A chance in whole percent; 0 % and 100 % only where that is certain."""
    if 0.0 < chance < 0.005:
        return "<1%"
    if 0.995 < chance < 1.0:
        return ">99%"
    return f"{100 * chance:.0f}%"
