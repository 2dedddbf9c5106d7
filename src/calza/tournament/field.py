"""The entrants as players: made when they are needed, again after a crash, benched when they fail for good.

The games of a group share their dice. So a bot that runs in a process of its own has one process for each rotation, and
none of them sees the same dice twice: what it remembers is worth nothing.
"""

import hashlib
import random
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

from calza.agents.entry import Entry, Seated, inline_class, seat, whole_text
from calza.agents.inline import InlinePlayer
from calza.agents.players import is_player
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
        self.own = [entry.inline and entry.kind != "house" for entry in plan.entries]
        self.kinds: list[type | None] = [None] * len(plan.entries)  # of those, once one has been made

    def begin(self, benched: Collection[int], key: int) -> None:
        """A chunk begins, which knows nothing of other chunks but who sits out.

        Chance in this process starts from `key`, for bots that use Python's own.
        """
        self.failed = [self.plan.bench if one in benched else 0 for one in range(len(self.plan.entries))]
        if any(self.own):
            random.seed(key)

    @property
    def benched(self) -> tuple[int, ...]:
        """Who has failed too often."""
        return tuple(one for one, failed in enumerate(self.failed) if failed >= self.plan.bench)

    def player(self, one: int, rotation: int, key: int) -> Seated:
        """The entrant, ready for a match whose chance `key` seeds."""
        if self.failed[one] >= self.plan.bench:
            why = f"benched after {self.plan.bench} failed matches in a row"
            return InlinePlayer(Broken(AgentFault("benched", why)))
        try:
            return self.made(one) if self.own[one] else self.held(one, rotation, key)
        except AgentFault as fault:
            return InlinePlayer(Broken(fault))

    def made(self, one: int) -> Seated:
        """An entrant that is code of our own: made anew for every match, so that it remembers nothing."""
        if kind := self.kinds[one]:
            with suppress(Exception, SystemExit):  # `seat` will say what is wrong with it
                return InlinePlayer(kind())
        entry = self.plan.entries[one]
        player = seat(entry, self.logs[one], 0)
        kind = inline_class(whole_text(entry))
        self.kinds[one] = None if is_player(kind) else kind
        return player

    def held(self, one: int, rotation: int, key: int) -> Seated:
        """An entrant that stays for its rotation's next match: a process, or a house bot, which remembers nothing."""
        entry, held = self.plan.entries[one], self.open.get((one, rotation))
        if held is None:
            held = seat(entry, self.logs[one], self.chance(one, rotation))
            self.open[one, rotation] = held
        if isinstance(held, InlinePlayer):
            held.agent.key = key
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
