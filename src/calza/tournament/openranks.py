"""Ranks for standing leagues, which never end: skill as mu ± sigma, moved a little by every game.

`openskill` does the sums (Weng & Lin 2011, Plackett-Luce). Here its players become plain numbers that can be written
down and read back, and its results the same whatever the order in which a table's players are named.

A skill says where a bot stands now and forgets slowly, so bots may come, go and change. It is no measurement: for
an honest interval of fixed bots use `ratings`, which a report shows beside it.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from msgspec import Struct
from openskill.models import PlackettLuce

MU, SIGMA = 25.0, 25.0 / 3  # of a bot of which nothing is known
SAFE = 3.0  # deviations below mu that a rank stands: a newcomer starts at zero
Z95 = 1.959964  # the standard normal's 97.5 % point


class Skill(Struct, frozen=True, forbid_unknown_fields=True):
    """What a league knows of a bot."""

    mu: float = MU
    sigma: float = SIGMA
    games: int = 0

    @property
    def rank(self) -> float:
        """What a league sorts by: the bot is very likely better than this."""
        return self.mu - SAFE * self.sigma

    @property
    def interval(self) -> tuple[float, float]:
        """Where the model puts the bot with 95 %."""
        return self.mu - Z95 * self.sigma, self.mu + Z95 * self.sigma


@lru_cache(maxsize=1)
def model() -> PlackettLuce:
    """The model with its authors' parameters; its tau lets every game add a little doubt, so that no bot is settled."""
    return PlackettLuce(mu=MU, sigma=SIGMA)


def after_game(skills: Mapping[str, Skill], places: Mapping[str, int]) -> dict[str, Skill]:
    """The skills after one game, by the places that the players took (from 1; equal for a tie).

    A group of rotations may count as one game, by the places that its points give. Who is not in `skills` yet is
    new; who did not play stays as they are.
    """
    if len(places) < 2:
        return {name: skills.get(name, Skill()) for name in (*skills, *places)}
    # By place and skill: those that are alike in both may change seats, since they get the same.
    order = sorted(places, key=lambda name: (places[name], now(skills, name).mu, now(skills, name).sigma))
    moved = rated([now(skills, name) for name in order], [places[name] for name in order])
    return {**skills, **dict(zip(order, moved, strict=True))}


def now(skills: Mapping[str, Skill], name: str) -> Skill:
    """The skill of a bot, new or known."""
    return skills.get(name) or Skill()


def rated(before: Sequence[Skill], places: Sequence[int]) -> list[Skill]:
    """Skills by place, after the game."""
    teams = [[model().rating(mu=one.mu, sigma=one.sigma)] for one in before]
    after = model().rate(teams, ranks=[float(place) for place in places])
    return [Skill(team[0].mu, team[0].sigma, one.games + 1) for team, one in zip(after, before, strict=True)]
