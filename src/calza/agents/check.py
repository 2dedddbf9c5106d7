"""Whether a bot is fit to enter: it plays what `trials.py` lists, and everything that it does is written down.

>>> found = Check(parse_entry("mybot.py"), Path(folder), [CATALOG["perudo"]]).run()
>>> found.fit
True
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from time import perf_counter

from msgspec.structs import replace

from calza.matches.host import Clock, Fault, Host, Player, Policy
from calza.rules import AgentFault, CalzaError, Rules
from calza.rules.dice import mix

from .entry import Entry, Seated, seat
from .findings import Difference, Findings, Problem, Row, Settings, counted
from .house import HOUSE, HouseAgent, parse_agent
from .inline import InlinePlayer
from .process import BotProcess
from .trials import WHOLE, Trial, sizes, trials
from .watched import Enough, Watched, peak, started

POLICY = Policy(illegal="retry:2")  # a bot that plays illegally may show how it copes with that
ENOUGH = {"timeout": 3, "malformed": 10, "crash": 10}  # faults, each of which costs time and is much like the others
TRIALS = 0.8  # of the time; in the rest some of the same is asked twice
SOME, TWICE = 3, 12  # matches of each kind that are played twice, and how many moves of them
WEIGHT = {"table": 10.0}  # of a trial when time is shared out: a whole match is longer than a few moves
OPPONENTS = tuple(HOUSE)


class Check:
    """A check of one bot. It is made ready here and done by `run`."""

    def __init__(
        self,
        entry: Entry,
        folder: Path,
        every: Sequence[Rules],
        settings: Settings = Settings(),  # noqa: B008 - frozen
        progress: Callable[[float, str], None] = lambda part, where: None,
        now: Callable[[], float] = perf_counter,
    ) -> None:
        """`folder` takes the bot's log; `progress` is told which part is done, and what comes next."""
        if wrong := [rules.name for rules in every if not sizes(rules)]:
            raise CalzaError(f"{wrong[0]} is no game for 2 to 6 players, and a check plays at such tables")
        self.entry, self.settings, self.progress, self.now = entry, settings, progress, now
        self.log = folder / "bot.log"
        self.plan = trials(every, settings.seed, settings.rounds)
        self.repeated = some_of_each(self.plan)
        self.found = Findings(entry, settings, [Row(rules) for rules in every], self.matches)
        self.rows = {row.rules: row for row in self.found.rows}
        self.bot: Seated | None = None
        self.hopeless = False  # it failed so often that there is nothing more to be learnt
        self.done = 0
        self.begun = 0.0

    # --- the course of it

    def run(self) -> Findings:
        """Put the bot through all trials, and through some of them twice.

        A bot of isolation `inline` that hangs is interrupted by a signal, which only works in the main thread.
        """
        self.begun = self.now()
        try:
            self.put_through(self.begun + TRIALS * self.settings.budget)
            if not self.hopeless:
                self.repeat(self.begun + self.settings.budget)
        finally:
            self.close()
        return self.found

    def put_through(self, end: float) -> None:
        """Every trial, each with its share of the time; what one does not need is for those after it."""
        weights = [WEIGHT.get(trial.stage, 1.0) for trial in self.plan]
        for at, trial in enumerate(self.plan):
            left = end - self.now()
            if self.hopeless or left <= 0:
                self.found.stopped = self.found.stopped or f"the {self.settings.budget:g} seconds of a check were over"
                return
            self.play(trial, left * weights[at] / sum(weights[at:]))

    def repeat(self, end: float) -> None:
        """The same matches twice, each time with a bot that has just started."""
        asked: list[tuple[Trial, list[str]]] = []
        first, middle = self.now(), (self.now() + end) / 2
        self.close()
        for at, trial in enumerate(self.repeated):
            if self.now() < middle:
                said = self.play(trial, (middle - first) / len(self.repeated) * (at + 1) - (self.now() - first))
                asked.append((trial, said))
        self.close()
        for trial, before in asked:
            after = self.play(replace(trial, moves=max(1, len(before))), end - first)
            self.compare(trial, before, after)

    def compare(self, trial: Trial, before: Sequence[str], after: Sequence[str]) -> None:
        """Note the first difference."""
        self.found.twice += min(len(before), len(after))
        unlike = [(one, other) for one, other in zip(before, after, strict=False) if one != other]
        if unlike and not self.found.difference:
            self.found.difference = Difference(trial, *unlike[0])

    # --- one match

    def play(self, trial: Trial, seconds: float) -> list[str]:
        """Play one trial; what the bot said."""
        self.tell(trial)
        if self.hopeless or not (bot := self.bot or self.open()):
            return []
        alarm = self.entry.inline and self.entry.kind != "house"
        refuses = trial.stage == "refused"
        watched = Watched(bot, trial.moves, self.now() + seconds, self.now, refuses=refuses, alarm=alarm)
        host = self.seated(trial, watched)
        try:
            host.play(WHOLE)
        except Enough:
            with suppress(AgentFault):  # one that does not listen is found out when it is asked
                watched.over(())
        self.note(trial, watched, host)
        return [answer.said for answer in watched.answers]

    def seated(self, trial: Trial, bot: Player) -> Host:
        """The table of a trial: the bot where it is to act or where the number says, house bots everywhere else."""
        game = trial.game(self.settings.seed)
        own = game.turn if trial.setup else trial.number % trial.seats
        players = [bot if one == own else opponent(trial, one) for one in range(trial.seats)]
        names = [self.entry.name if one == own else f"house {one}" for one in range(trial.seats)]
        random.seed(mix(self.settings.seed) + trial.number)  # an inline bot's chance; others are sent a seed
        return Host(game, players, names, POLICY, Clock(move=self.settings.move), self.now)

    @property
    def matches(self) -> int:
        """How many are planned."""
        return len(self.plan) + 2 * len(self.repeated)

    def tell(self, trial: Trial) -> None:
        """How far it is: by matches, or by time when that is shorter."""
        played = self.done / self.matches
        self.progress(max(played, min(1.0, (self.now() - self.begun) / self.settings.budget)), trial.where)
        self.done += 1

    def note(self, trial: Trial, watched: Watched, host: Host) -> None:
        """Write down how a match went, and begin anew with a bot that is out of step."""
        row, faults = self.rows[trial.rules], host.hosted.faults
        row.matches += 1
        row.ended += host.hosted.finished
        row.seconds += [answer.seconds for answer in watched.answers]
        self.found.refused += watched.refused_once
        self.found.stubborn += watched.stubborn
        for fault in faults:
            row.faults[fault.kind] += 1
            self.found.add(problem_of(fault, trial, watched))
        self.weigh()
        if isinstance(self.bot, BotProcess):
            self.found.memory = max(self.found.memory or 0, peak(self.bot.process.pid))
            if self.found.entry.isolation == "process":  # a jail has processes of its own, and the bot has no others
                self.found.others = max(self.found.others, started(self.bot.process.pid))
        if any(fault.kind in ENOUGH for fault in faults):
            self.close()

    def weigh(self) -> None:
        """Give up a bot that failed often enough."""
        for kind, most in ENOUGH.items():
            if self.found.faults[kind] >= most:
                self.give_up(f"{counted(kind, self.found.faults[kind])} were enough")

    def give_up(self, why: str) -> None:
        """Nothing more is tried."""
        self.hopeless = True
        self.found.stopped = self.found.stopped or why

    # --- the bot

    def open(self) -> Seated | None:
        """Start the bot; None when it does not start."""
        begun = self.now()
        try:
            self.bot = seat(self.entry, self.log, self.settings.seed)
        except AgentFault as fault:
            self.found.add(Problem(fault.kind, fault.why, fault.detail, None, None))
            self.give_up("it does not start")
            return None
        if self.found.started is None:
            self.found.started = self.now() - begun
        return self.bot

    def close(self) -> None:
        """End the bot."""
        if self.bot:
            self.bot.close()
        self.bot = None


def some_of_each(plan: Sequence[Trial]) -> list[Trial]:
    """A few trials of every set of rules, not for all of their moves."""
    few: Counter[tuple[str, Rules]] = Counter()
    chosen = []
    for trial in plan:
        few[trial.stage, trial.rules] += 1
        if trial.stage in ("table", "middle") and few[trial.stage, trial.rules] <= SOME:
            chosen.append(replace(trial, moves=min(trial.moves, TWICE)))
    return chosen


def opponent(trial: Trial, at: int) -> InlinePlayer:
    """A house bot for a seat: another in each trial."""
    house = OPPONENTS[(trial.number + at) % len(OPPONENTS)]
    return InlinePlayer(HouseAgent(parse_agent(house), mix(trial.number * 16 + at)))


def problem_of(fault: Fault, trial: Trial, watched: Watched) -> Problem:
    """A fault of the bot's, with what it was asked."""
    asked = [answer for answer in watched.answers if answer.view.sequence == fault.sequence]
    return Problem(fault.kind, fault.why, fault.detail, trial, asked[-1] if asked else None)
