"""The exact chance that a bid holds, given a hand and the number of dice that nobody has shown.

Every unknown die counts for a bid on a face with the same chance: one face in all, or two when another face is wild. So
the dice that are still to come are binomial. Sums are taken over whole numbers and divided once, so a chance is the
nearest float to the true one.
"""

from functools import lru_cache
from math import comb

from msgspec import Struct

from calza.rules import Bid, Rules, View
from calza.rules.charts import draw_charts


class Odds(Struct, frozen=True):
    """Chances of a bid: to hold, and to hold exactly."""

    holds: float
    exactly: float


@lru_cache(maxsize=65536)
def chance(need: int, unknown: int, counting: int, faces: int) -> Odds:
    """At least, and exactly, `need` of `unknown` dice show one of `counting` faces."""
    if need > unknown:
        return Odds(0.0, 0.0)
    others = faces - counting
    ways = [comb(unknown, k) * counting**k * others ** (unknown - k) for k in range(max(need, 0), unknown + 1)]
    every = faces**unknown
    return Odds(sum(ways) / every, ways[0] / every if need >= 0 else 0.0)


def counting_faces(wild: int, face: int) -> int:
    """How many faces of a die count for a bid on `face`."""
    return 2 if wild and wild != face else 1


def bid_odds(view: View, bid: Bid) -> Odds:
    """The chances of `bid` for the seat of `view`: its own dice known, all others even."""
    charts = view.charts
    own = view.matching[bid.face] if view.matching else 0
    counting = counting_faces(charts.wild[view.mode], bid.face)
    return chance(bid.quantity - own, view.unknown, counting, len(charts.faces))


class OddsChart(Struct, frozen=True):
    """The chance to hold as a flat list, for policies: compiled code cannot call `chance`.

    `tail[start[mode * width + face] + unknown * stride + need]` for `unknown` up to `most`, `need` up to `most` + 1.
    """

    most: int
    stride: int
    start: list[int]
    tail: list[float]


STEP = 32  # a chart reaches this far in steps, so that matches of a few dice more share one


def reach(total: int) -> int:
    """How many unknown dice the chart of a match that starts with `total` dice covers."""
    return (total + STEP // 2 + STEP - 1) // STEP * STEP


@lru_cache(maxsize=64)
def odds_chart(rules: Rules, most: int) -> OddsChart:
    """The chart for `rules` up to `most` unknown dice; policies take more for that many."""
    charts, faces = draw_charts(rules), rules.faces
    stride = most + 2
    size = (most + 1) * stride
    counting = [counting_faces(wild, face) for wild in charts.wild for face in range(faces + 1)]
    return OddsChart(
        most=most,
        stride=stride,
        start=[(one - 1) * size for one in counting],
        tail=[one for counts in (1, 2) for one in tails(counts, faces, most)],
    )


def tails(counting: int, faces: int, most: int) -> list[float]:
    """Chances of at least `need` of `unknown` dice, for each of both."""
    flat: list[float] = []
    ways = [1]  # [k]: ways in which k of the dice count
    for unknown in range(most + 1):
        every, sums, total = faces**unknown, [], 0
        for one in reversed(ways):
            total += one
            sums.append(total / every)
        flat += sums[::-1] + [0.0] * (most + 1 - unknown)
        ways = [
            (ways[k] if k <= unknown else 0) * (faces - counting) + (ways[k - 1] if k else 0) * counting
            for k in range(unknown + 2)
        ]
    return flat
