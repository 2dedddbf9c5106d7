"""What a tournament is: who plays what, by which format, and how it counts. Nothing of what has happened is in it."""

from typing import Literal, get_args

from msgspec import Struct

from calza.agents.entry import Entry
from calza.matches.host import Clock, Policy
from calza.matches.run import LIMIT
from calza.rules import CalzaError, Rules
from calza.rules.setup import check_seats

Scoring = Literal["wins", "places", "dice"]
Format = Literal["round-robin", "gauntlet", "swiss", "knock-out", "league"]
FORMATS: tuple[Format, ...] = get_args(Format)
SCORINGS: tuple[Scoring, ...] = get_args(Scoring)

SEATS = range(2, 7)  # at a table
FAST, SLOW = 500, 16  # units of a portion, with bots in this process and with foreign ones


class PlanError(CalzaError):
    """A tournament that cannot be played."""


class Plan(Struct, frozen=True):
    """A tournament. Equal plans play the same games."""

    rules: Rules
    entries: tuple[Entry, ...]  # in the order of their seeding
    format: Format = "round-robin"
    players: int = 2  # at a table; in knock-outs at most
    groups: int = 100  # for each table of a stage: games are played in groups, one for each rotation of the seats
    rounds: int = 0  # of a Swiss tournament; 0 for as many as it takes to tell the bots apart
    seed: int = 0
    scoring: Scoring = "wins"
    dice: int = 0  # of every seat at the start; 0 for the rules' own
    policy: Policy = Policy()
    clock: Clock = Clock()
    bench: int = 5  # matches in a row that a bot may fail before it sits out
    watched: int = 20  # groups of each table whose every decision is looked at
    limit: int = LIMIT
    chunk: int = 0  # units that are played and kept together; 0 for the usual number

    @property
    def foreign(self) -> bool:
        """Whether somebody plays who must not be able to work out the dice."""
        return not all(entry.inline for entry in self.entries)

    @property
    def portion(self) -> int:
        """How many units are played and kept together: so many that keeping them costs next to nothing."""
        return self.chunk or (SLOW if self.foreign else FAST)

    @property
    def names(self) -> list[str]:
        """The bots' names, by entry."""
        return [entry.name for entry in self.entries]


def check_plan(plan: Plan) -> None:
    """PlanError for a tournament that cannot be played."""
    names = plan.names
    if twice := {name for name in names if names.count(name) > 1}:
        raise PlanError(f"two bots are called {min(twice)}; give each a name of its own")
    if plan.players not in SEATS:
        raise PlanError(f"a table seats 2 to 6 players, not {plan.players}")
    if not plan.rules.min_players <= plan.players <= plan.rules.max_players:
        raise PlanError(f"{plan.rules.name} is no game for {plan.players} players")
    if len(names) < (2 if plan.format == "knock-out" else plan.players):
        raise PlanError(f"{len(names)} {'bot' if len(names) == 1 else 'bots'} cannot fill a table of {plan.players}")
    if plan.format == "knock-out" and plan.rules.min_players > 2:
        raise PlanError(f"a knock-out comes down to two, and {plan.rules.name} is no game for them; take swiss")
    if plan.groups < 1:
        raise PlanError("there is nothing to play: the number of games must be positive")
    check_seats(plan.rules, (plan.dice or plan.rules.dice,) * plan.players)
