"""Dice as drawings: your own cup large, and all cups side by side when they are lifted."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from calza.rules.events import Called
from calza.show import Cast

from .screen import Screen
from .table import label

DIE = 7  # columns of a drawn die
PIPS = {
    1: ("     ", "  ●  ", "     "),
    2: ("●    ", "     ", "    ●"),
    3: ("●    ", "  ●  ", "    ●"),
    4: ("●   ●", "     ", "●   ●"),
    5: ("●   ●", "  ●  ", "●   ●"),
    6: ("●   ●", "●   ●", "●   ●"),
}
MOST_ROWS = 2  # of drawn dice; a cup with more is written in figures
WILD = "magenta"


def own_cup(cup: Sequence[int], wild: int, screen: Screen) -> RenderableType:
    """The dice of a cup, drawn where there is room for it."""
    each_row = max(1, (screen.width + 1) // (DIE + 1))
    rows = [cup[start : start + each_row] for start in range(0, len(cup), each_row)]
    if not screen.fancy or len(rows) > MOST_ROWS:
        return Text(" ".join(map(str, cup)), "bold")
    return Group(*(line for row in rows for line in drawn(row, wild)))


def drawn(cup: Sequence[int], wild: int) -> list[Text]:
    """A row of dice, line by line."""
    dice = [(die(face), WILD if face == wild else "") for face in cup]
    return [Text(" ").join(Text(lines[at], style) for lines, style in dice) for at in range(5)]


def die(face: int) -> list[str]:
    """A die; faces that have no pips show their number."""
    pips = PIPS.get(face, ("     ", f"{face:^5}", "     "))
    return ["┌─────┐", *(f"│{line}│" for line in pips), "└─────┘"]


def reveal(event: Called, dice: Sequence[int], wild: int, cast: Cast, screen: Screen) -> RenderableType:
    """All cups after a call: the dice that count in brackets, those that stay hidden as dots."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, overflow="ellipsis", max_width=max(8, screen.width // 3))
    table.add_column(overflow="fold")
    table.add_column(justify="right")
    hidden = "·" if screen.fancy else "."
    for seat, shown in enumerate(event.shown):
        if not dice[seat]:
            continue
        counting = sum(counts(face, event.face, wild) for face in shown)
        cup = Text("")
        for face in shown:
            cup.append(*(f"[{face}]", "bold") if counts(face, event.face, wild) else (f" {face} ", "dim"))
        cup.append(f" {hidden} " * (dice[seat] - len(shown)), "dim")
        table.add_row(Text(label(seat, cast, screen)), cup, Text(str(counting) if counting else "", "bold"))
    return table


def counts(face: int, bid: int, wild: int) -> bool:
    """Whether a die counts for a bid on a face."""
    return face in (bid, wild)
