"""Charts as inline SVG, drawn across the whole of whatever they stand in.

Places along the width are in percent and sizes in pixels, so that a chart is as wide as the page lets it and its text
stays as large as it is. Colours are the page's, by class (`static/charts.css`). A chart is silent to those who listen:
whoever uses one sets its figures beside it, in a table.
"""

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10

from msgspec import Struct

ROW = 26  # pixels: the height of a chart in a line of a table
HIGH = 180  # of a chart that stands by itself
FOOT, LEFT = 22, 11.0  # pixels below its columns, percent left of them, for what is written there
TOP = 8  # pixels above a line that goes up and down
MOST_COLUMNS = 24
WRITTEN = 9  # columns that have room for what they are called, on a phone


class Scale(Struct, frozen=True):
    """Values along the width of a chart, with a margin on both sides."""

    low: float
    high: float
    margin: float = 4.0  # percent

    def at(self, value: float) -> float:
        """Where a value lies, in percent; outside the scale, at its end."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.margin + min(1.0, max(0.0, share)) * (100 - 2 * self.margin), 2)


def scale_over(values: Iterable[float]) -> Scale:
    """A scale with round ends that holds all `values`."""
    known = list(values) or [0.0]
    step = round_step(max(known) - min(known) or 1.0, 4)
    low, high = floor(min(known) / step) * step, ceil(max(known) / step) * step
    return Scale(low, high if high > low else low + step)


def round_step(span: float, parts: int) -> float:
    """A round number that cuts `span` into about so many parts."""
    rough = span / parts
    unit = 10.0 ** floor(log10(rough))
    return next((unit * times for times in (1, 2, 5) if rough <= unit * times), unit * 10)


def ticks(scale: Scale, parts: int = 4) -> list[float]:
    """Round values along a scale."""
    step = round_step(scale.high - scale.low, parts)
    first, last = ceil(scale.low / step - 1e-9), floor(scale.high / step + 1e-9)
    return [step * number for number in range(first, last + 1)]


# --- elements


def svg(kind: str, height: int, *inside: str) -> str:
    """A chart."""
    return f'<svg class="chart {kind}" width="100%" height="{height}" aria-hidden="true">{"".join(inside)}</svg>'


def line(kind: str, x1: float, y1: str, x2: float, y2: str) -> str:
    """A line between places in percent."""
    return f'<line class="{kind}" x1="{x1:g}%" y1="{y1}" x2="{x2:g}%" y2="{y2}"/>'


def rect(kind: str, x: float, y: float, width: float, height: float) -> str:
    """A box: across in percent, down in pixels."""
    return f'<rect class="{kind}" x="{x:g}%" y="{y:g}" width="{width:g}%" height="{height:g}"/>'


def text(says: str, x: float, y: float, anchor: str = "middle") -> str:
    """Words of our own; not for names, which are not escaped here."""
    return f'<text x="{x:g}%" y="{y:g}" text-anchor="{anchor}">{says}</text>'


# --- in a line of a table


def whisker(scale: Scale, value: float, low: float | None, high: float | None, zero: float = 0.0) -> str:
    """A number with its interval, against a line at `zero`; an open end runs to the edge, two of them dashed."""
    ends = [line("span", scale.at(end), "30%", scale.at(end), "70%") for end in (low, high) if end is not None]
    left, right = 0.0 if low is None else scale.at(low), 100.0 if high is None else scale.at(high)
    return svg(
        "whisker",
        ROW,
        line("zero", scale.at(zero), "0", scale.at(zero), "100%"),
        line("span" if ends else "unknown", left, "50%", right, "50%"),
        *ends,
        f'<circle class="dot" cx="{scale.at(value):g}%" cy="50%" r="5"/>',
    )


def axis(scale: Scale, names: Sequence[tuple[float, str]]) -> str:
    """What stands above the whiskers of a scale."""
    written = [text(name, scale.at(value), 14) for value, name in names]
    marks = [line("zero", scale.at(value), "19", scale.at(value), "100%") for value, _ in names]
    return svg("axis", ROW, *written, *marks)


def bar(share: float) -> str:
    """A share of all, as a bar."""
    return svg("share", 8, rect("rail", 0, 0, 100, 8), rect("fill", 0, 0, round(100 * share, 1), 8))


# --- by themselves


class Column(Struct, frozen=True):
    """One column of a histogram."""

    name: str
    count: int


def columns(counts: Sequence[int], first: int = 0, more: bool = False) -> list[Column]:
    """Counts of `first`, `first` + 1 and so on as columns: without the empty ends, and not too many to draw.

    With `more`, the last count is of all larger ones too.
    """
    used = [at for at, count in enumerate(counts) if count]
    if not used:
        return []
    low, high = used[0], used[-1]
    width = ceil((high - low + 1) / MOST_COLUMNS)
    made = []
    for start in range(low, high + 1, width):
        end = min(start + width - 1, high)
        open_end = more and end == len(counts) - 1
        name = f"{first + start}" if start == end else f"{first + start}–{first + end}"
        name = f"{first + start} or more" if open_end else name
        made.append(Column(name, sum(counts[start : end + 1])))
    return made


def histogram(shown: Sequence[Column]) -> str:
    """Columns as shares of all, with lines to read them by."""
    every, most = sum(one.count for one in shown), max(one.count for one in shown)
    top = most / every
    floor_y = HIGH - FOOT
    rules = [one for one in ticks(Scale(0, top)) if 0 < one <= top]
    lines = [line("rule", LEFT, y, 100, y) for y in (f"{floor_y * (1 - one / top * 0.92):g}" for one in rules)]
    said = [
        text(f"{one * 100:g}\N{NO-BREAK SPACE}%", 0, floor_y * (1 - one / top * 0.92) + 4, "start") for one in rules
    ]
    step = (100 - LEFT) / len(shown)
    drawn, names = [], []
    for at, one in enumerate(shown):
        height = round(floor_y * 0.92 * one.count / most, 1)
        drawn.append(rect("fill", round(LEFT + step * (at + 0.1), 2), floor_y - height, round(step * 0.8, 2), height))
        if at % ceil(len(shown) / WRITTEN) == 0:
            names.append(text(short(one.name), round(LEFT + step * (at + 0.5), 2), HIGH - 5))
    return svg("histogram", HIGH, *lines, *drawn, line("floor", LEFT, f"{floor_y}", 100, f"{floor_y}"), *said, *names)


def short(name: str) -> str:
    """A column's name where there is little room."""
    return name.replace(" or more", "+")


def course(points: Sequence[tuple[float, float, float]]) -> str:
    """A value in the order of time with its interval: value, low end, high end of every point."""
    scale = scale_over(end for point in points for end in point)
    floor_y, last = HIGH - FOOT, max(1, len(points) - 1)

    def at(value: float) -> float:
        return round(floor_y - (value - scale.low) / (scale.high - scale.low) * (floor_y - TOP), 1)

    marks = [(at(one), f"{one:g}".replace("-", "−")) for one in ticks(scale)]
    lines = [line("rule", LEFT, f"{y:g}", 100, f"{y:g}") for y, _ in marks]
    said = [text(name, 0, y + 4, "start") for y, name in marks]
    # One point is drawn as a level: there is no line through one.
    several = points if len(points) > 1 else [*points, *points]
    highs = [f"{x} {at(high):g}" for x, (_, _, high) in enumerate(several)]
    lows = [f"{x} {at(low):g}" for x, (_, low, _) in enumerate(several)]
    values = [f"{x} {at(value):g}" for x, (value, _, _) in enumerate(several)]
    drawn = (
        f'<svg x="{LEFT:g}%" width="{100 - LEFT:g}%" height="{HIGH}" viewBox="0 0 {last} {HIGH}" '
        f'preserveAspectRatio="none"><path class="band" d="M{"L".join([*highs, *reversed(lows)])}Z"/>'
        f'<path class="course" d="M{"L".join(values)}"/></svg>'
    )
    ends = [text("1", LEFT, HIGH - 5, "start"), text(f"{len(points)}", 100, HIGH - 5, "end")]
    return svg("history", HIGH, *lines, drawn, *said, *(ends if len(points) > 1 else ends[:1]))
