"""The entrants as players: made when they are needed, again after a crash, benched when they fail for good.

The games of a group share their dice. So a bot that runs in a process of its own has one process for each rotation, and
none of them sees the same dice twice: what it remembers is worth nothing.
"""

import hashlib
import random
from collections.abc import Collection, Sequence
from pathlib import Path

from calza.agents.entry import Entry, Seated, seat
from calza.agents.house import HouseAgent
from calza.agents.inline import InlinePlayer
from calza.matches.host import Fault
from calza.rules import Action, AgentFault, View

from .plan import Plan


class Broken:
    """Sits in for an entrant that cannot play."""

    def __init__(self, fault: AgentFault) -> None:
        self.fault = fault

    def act(self, view: View) -> Action:
        """Why not."""
        raise self.fault


class Field:
    """Players by their entry's number."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan, self.folder = plan, folder
        self.open: dict[tuple[int, int], Seated] = {}  # [entry, rotation]
        self.failed = [0] * len(plan.entries)  # matches in a row
        self.logs = [folder if entry.inline else self.log(entry) for entry in plan.entries]
        self.draws = any(entry.inline and entry.kind != "house" for entry in plan.entries)

    def begin(self, benched: Collection[int]) -> None:
        """A chunk begins, which knows nothing of other chunks but who sits out."""
        self.failed = [self.plan.bench if one in benched else 0 for one in range(len(self.plan.entries))]

    @property
    def benched(self) -> tuple[int, ...]:
        """Who has failed too often."""
        return tuple(one for one, failed in enumerate(self.failed) if failed >= self.plan.bench)

    def ready(self, key: int) -> None:
        """A match begins: chance in this process starts from `key`, for bots that use Python's own."""
        if self.draws:
            random.seed(key)

    def player(self, one: int, rotation: int, key: int) -> Seated:
        """The entrant, ready for a match whose chance `key` seeds."""
        if self.failed[one] >= self.plan.bench:
            return InlinePlayer(
                Broken(AgentFault("benched", f"benched after {self.plan.bench} failed matches in a row"))
            )
        entry = self.plan.entries[one]
        held = self.open.get((one, rotation))
        if isinstance(held, InlinePlayer) and isinstance(held.agent, HouseAgent):
            held.agent.key = key  # a house bot remembers nothing
            return held
        if held is None or entry.inline:
            try:
                held = seat(entry, self.logs[one], key if entry.inline else self.chance(one, rotation))
            except AgentFault as fault:
                return InlinePlayer(Broken(fault))
            self.open[one, rotation] = held
        return held

    def chance(self, one: int, rotation: int) -> int:
        """A seed for a foreign bot's own chance, from which nothing of the dice can be worked out."""
        text = f"calza chance 1 {self.plan.seed} {one} {rotation}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big")

    def log(self, entry: Entry) -> Path:
        """Where the entrant's words go."""
        folder = self.folder / "logs"
        folder.mkdir(parents=True, exist_ok=True)
        name = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in entry.name)
        return folder / f"{name}.log"

    def after(self, one: int, rotation: int, faults: Sequence[Fault]) -> None:
        """Note how a match went, and let go of who crashed or was late."""
        self.failed[one] = self.failed[one] + 1 if faults else 0
        # A late answer to this match must not be the first of the next.
        if any(fault.kind != "illegal" for fault in faults) and (one, rotation) in self.open:
            self.open.pop((one, rotation)).close()

    def close(self) -> None:
        """Let everybody go."""
        for player in self.open.values():
            player.close()
