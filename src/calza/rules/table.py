"""What a game is played with: checked rules, their charts, and what else follows from them once and for all."""

from functools import lru_cache

from msgspec import Struct

from .actions import Bid
from .charts import Charts, draw_charts
from .check import check
from .rules import Rules


class Table(Struct, frozen=True, eq=False):
    """Rules ready to be played; made once for all their games. Views hold it, so nothing of a match may be in it."""

    rules: Rules
    charts: Charts
    names: tuple[str, ...]  # of the calls
    call: dict[str, int]  # a call's number
    bids: list[Bid]  # [quantity * charts.width + face]

    def __repr__(self) -> str:
        return f"<table for {self.rules.name}>"

    def __reduce__(self) -> tuple[object, ...]:
        return lay, (self.rules,)


@lru_cache(maxsize=256)
def lay(rules: Rules) -> Table:
    """The table for `rules`; RulesError when they make no playable game."""
    check(rules)
    charts = draw_charts(rules)
    names = tuple(call.name for call in rules.calls)
    return Table(
        rules=rules,
        charts=charts,
        names=names,
        call={name: which for which, name in enumerate(names)},
        bids=[Bid(quantity, face) for quantity in range(charts.cap + 1) for face in range(rules.faces + 1)],
    )
