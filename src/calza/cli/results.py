"""What a batch of games came to, as a table or as JSON."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from rich.table import Table
from rich.text import Text

from calza.agents.house import Spec
from calza.matches.run import LIMIT
from calza.rules import Rules

from .bots import numbered
from .screen import Screen

if TYPE_CHECKING:  # a tally is only read here; the simulator that makes it needs an extra
    from calza.sim import Tally


class Batch(Struct, frozen=True):
    """What was asked for, and what was counted."""

    rules: Rules
    agents: tuple[Spec, ...]
    dice: tuple[int, ...]
    seed: int
    wanted: int
    tally: "Tally"
    seconds: float
    interrupted: bool = False

    @property
    def names(self) -> list[str]:
        """The bots with their settings, told apart."""
        return numbered(map(str, self.agents))

    @property
    def mean_places(self) -> list[float]:
        """The mean place of each bot in the games that were finished."""
        finished = max(1, self.tally.games - self.tally.unfinished)
        return [sum(place * often for place, often in enumerate(row, 1)) / finished for row in self.tally.places]


def draw(batch: Batch) -> None:
    """Print the result as a table, with what one should know about its figures."""
    screen = Screen()
    screen.say(title(batch), "bold")
    screen.gap()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("agent", overflow="fold")
    for column in ("wins %", "95 %", "mean place"):
        table.add_column(column, justify="right", no_wrap=column != "mean place")
    for player, name in enumerate(batch.names):
        share, half = batch.tally.share(player)
        table.add_row(Text(name), f"{100 * share:.2f}", interval(half), f"{batch.mean_places[player]:.2f}")
    screen.show(table)
    screen.gap()
    for line in remarks(batch):
        screen.say(line)


def title(batch: Batch) -> str:
    """What was played."""
    dice = str(batch.dice[0]) if len(set(batch.dice)) == 1 else ", ".join(map(str, batch.dice))
    return f"{batch.rules.shown}: {batch.tally.games:,} games with {dice} dice, seed {batch.seed}"


def interval(half: float) -> str:
    """Half the width of an interval."""
    if half >= 1.0:
        return "unknown"
    return f"± {100 * half:.2f}" if half >= 0.00005 else "± <0.01"


def remarks(batch: Batch) -> Iterator[str]:
    """Lengths, speed, and how the games hang together."""
    tally, seats = batch.tally, len(batch.agents)
    if batch.interrupted:
        yield f"Stopped before {batch.wanted:,} games were played; this is what was counted."
    yield f"A game has {tally.rounds / tally.games:.1f} rounds and {tally.actions / tally.games:.1f} actions."
    yield f"{tally.games / max(batch.seconds, 1e-9):,.0f} games a second."
    if tally.unfinished:
        yield f"{tally.unfinished:,} games were not finished within {LIMIT:,} actions and count as won by nobody."
    rounded = (
        "" if batch.interrupted or tally.games == batch.wanted else f", so {batch.wanted:,} became {tally.games:,}"
    )
    yield (
        f"Games come in groups of {seats}: the same dice with every rotation of the seats{rounded}. "
        "A group is one sample for the intervals."
    )


def summary(batch: Batch) -> dict[str, Any]:
    """The result as JSON."""
    tally = batch.tally
    shares = [tally.share(player) for player in range(len(batch.agents))]
    return {
        "rules": batch.rules.name,
        "rulesId": batch.rules.rules_id,
        "dice": batch.dice,
        "seed": batch.seed,
        "wanted": batch.wanted,
        "games": tally.games,
        "unfinished": tally.unfinished,
        "interrupted": batch.interrupted,
        "seconds": round(batch.seconds, 3),
        "rounds": tally.rounds,
        "actions": tally.actions,
        "agents": [
            {
                "agent": name,
                "wins": tally.wins[player],
                "share": shares[player][0],
                "interval95": shares[player][1],
                "meanPlace": batch.mean_places[player],
                "places": tally.places[player],
            }
            for player, name in enumerate(batch.names)
        ],
    }
