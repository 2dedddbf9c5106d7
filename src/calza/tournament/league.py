"""A standing league: bots come and go while it runs, and games are spent where the least is known.

Skill is told as mu and sigma (`openranks.py`). A stage is a handful of tables: each is led by a bot of which least is
known, against opponents who are likely to give it a close game. Which they are follows from what has been played and
the seed, so a league that was killed goes on with the very tables that it would have had.

A bot that changes enters anew, under its old name; what the old one did stays in the standings as `name@1`.
"""

from collections.abc import Callable, Sequence
from math import exp
from pathlib import Path
from random import Random

from msgspec.structs import replace

from calza.agents.entry import Entry

from .openranks import Skill, after_game
from .plan import Plan, check_plan
from .pools import Pool, here
from .run import Ended, Progress, Run, Stopped
from .stage import Stage
from .store import Store

TABLES = 8  # of a stage
SPREAD = 25 / 6  # how far apart two bots of equal luck play (openskill's beta)

Read = Callable[[], tuple[Plan, Sequence[str]]]  # the plan as it is now, and the versions of its bots


class League:
    """A league while it is played."""

    def __init__(self, read: Read, folder: Path, pool: Pool = here, progress: Progress | None = None) -> None:
        self.read, self.folder = read, folder
        plan, _ = read()
        self.store = Store(folder, plan)
        self.run = Run(plan, folder, self.store, pool, progress)
        self.active: list[int] = []  # entrants that play now
        self.skills: dict[str, Skill] = {}
        self.rated = 0  # stages that the skills know of

    def play(self, games: int) -> Ended:
        """Play about so many more games."""
        try:
            return self.run.ended(stopped=not self.go_on(games))
        finally:
            self.store.close()

    def go_on(self, games: int) -> bool:
        """Play stage after stage; False when it was stopped."""
        try:
            self.enrol()
            self.catch_up()
            goal = int(self.run.total.totals[0]) + games
            while self.run.total.totals[0] < goal:
                self.run.play(self.next_stage())
                self.enrol()
                self.catch_up()
        except Stopped:
            return False
        return True

    def enrol(self) -> None:
        """Take in who is new or has changed, and let go of who has left."""
        plan, versions = self.read()
        known = {(entry.name, version): one for one, (entry, version) in enumerate(self.store.entrants())}
        now = list(zip(plan.entries, versions, strict=True))
        self.store.enrol([(entry, version) for entry, version in now if (entry.name, version) not in known])
        entrants = self.store.entrants()
        numbers = {(entry.name, version): one for one, (entry, version) in enumerate(entrants)}
        self.active = sorted(numbers[entry.name, version] for entry, version in now)
        check_plan(plan)
        everybody = named([entry for entry, _ in entrants], self.active)
        self.run.enter(replace(plan, entries=everybody))
        self.store.plan = self.run.plan
        self.tell_skills()

    def catch_up(self) -> None:
        """Finish what was begun by those who are still here, and learn from all that was played."""
        for stage in self.store.stages()[len(self.run.past) :]:
            here = all(one in self.active for table in stage.tables for one in table)
            self.run.play(stage, finish=here)
        for stage in [over.stage for over in self.run.past[self.rated :]]:
            self.learn(stage)
        self.rated = len(self.run.past)
        self.tell_skills()

    def tell_skills(self) -> None:
        """Whoever looks at the run sees everybody's skill."""
        self.run.skills = [self.skill(str(one)) for one in range(len(self.run.plan.entries))]

    def learn(self, stage: Stage) -> None:
        """Move the skills by what happened in a stage; the games of a group share their dice and count once."""
        for number, scores in self.store.scores(stage):
            for unit, points in zip(stage.chunks()[number].units, scores, strict=True):
                table = stage.table(unit)
                names = map(str, table)
                places = {one: 1 + sum(more > own for more in points) for one, own in zip(names, points, strict=True)}
                self.skills |= after_game({one: self.skill(one) for one in places}, places)

    def skill(self, one: str) -> Skill:
        """What is known of an entrant, by its number."""
        return self.skills.get(one, Skill())

    def next_stage(self) -> Stage:
        """The tables that tell most."""
        number = len(self.run.past)
        first = self.run.past[-1].stage.units.stop if number else 0
        random = Random(f"{self.run.plan.seed} {number}")
        doubt = {one: self.skill(str(one)).sigma for one in self.active}
        tables = []
        for _ in range(TABLES):
            lead = max(doubt, key=lambda one: (doubt[one], -one))
            table = (lead, *self.opponents(lead, random))
            tables.append(tuple(sorted(table)))
            for one in table:  # what will be known of them when this table has been played
                doubt[one] *= 0.8
        plan = self.run.plan
        return Stage(number, first, tuple(tables), plan.groups, plan.portion, f"stage {number + 1}")

    def opponents(self, lead: int, random: Random) -> list[int]:
        """Who gives `lead` a close game, drawn by how close it is likely to be."""
        own, chosen = self.skill(str(lead)), list[int]()
        for _ in range(self.run.plan.players - 1):
            left = [one for one in self.active if one != lead and one not in chosen]
            chosen += random.choices(left, [closeness(own, self.skill(str(one))) for one in left])
        return chosen


def closeness(one: Skill, other: Skill) -> float:
    """How likely two are to be about as good, up to a factor."""
    spread = 2 * SPREAD**2 + one.sigma**2 + other.sigma**2
    return exp(-((one.mu - other.mu) ** 2) / (2 * spread)) + 1e-6


def named(entries: Sequence[Entry], active: Sequence[int]) -> tuple[Entry, ...]:
    """The entrants by number; those that have been replaced or have left say which they were."""
    told, seen = [], dict[str, int]()
    for one, entry in enumerate(entries):
        seen[entry.name] = seen.get(entry.name, 0) + 1
        told.append(entry if one in active else replace(entry, name=f"{entry.name}@{seen[entry.name]}"))
    return tuple(told)
