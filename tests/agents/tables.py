"""A table at which foreign bots sit: one match from start to end, and whoever is left of them afterwards."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from calza.agents.entry import Isolation, Seated, launch_of, parse_entry, seat
from calza.agents.inline import InlinePlayer
from calza.agents.jail import Mechanism
from calza.agents.limits import Limits
from calza.agents.process import BotProcess
from calza.matches.host import Clock, Fault, Host, Hosted, Policy
from calza.rules import CATALOG, Action, AgentFault, Bid, Call, Game, View

ADVERSARIES = Path(__file__).parents[1] / "adversaries"
MOVE = 0.4  # seconds: time enough for who answers at all


class Plain:
    """The opponent: the lowest six, and a call on anything else."""

    def act(self, view: View) -> Action:
        return Call("liar") if view.quantity else Bid(1, 6)


class Ending(Struct, frozen=True):
    """How a match went for the bot in seat 0."""

    faults: list[Fault]
    hosted: Hosted
    game: Game
    log: str

    @property
    def told(self) -> list[tuple[str, str]]:
        """What was wrong, each thing once."""
        return list(dict.fromkeys((fault.kind, fault.why) for fault in self.faults))


def adversary(name: str, folder: Path) -> str:
    """An adversary, moved into `folder`, as an entrant's text."""
    for file in (f"{name}.py", "wire.py"):
        shutil.copy(ADVERSARIES / file, folder)
    return f"cmd:python3 {folder}/{name}.py" if name.startswith("wire") else f"{folder}/{name}.py"


def meet(
    text: str,
    folder: Path,
    level: Isolation = "process",
    *,
    policy: Policy = Policy(),  # noqa: B008 - frozen
    clock: Clock = Clock(move=MOVE),  # noqa: B008
    limits: Limits = Limits(),  # noqa: B008
    matches: int = 1,
    mechanism: Mechanism | None = None,
) -> Ending:
    """Seat a bot, let it play, close it; nothing of it may be left."""
    log = folder / "bot.log"
    entry = parse_entry(text, "bot", level, limits=limits)
    bot: Seated
    try:
        bot = BotProcess(launch_of(entry, mechanism), log) if mechanism else seat(entry, log, seed=1)
    except AgentFault as fault:
        bot = InlinePlayer(Unseated(fault))
    try:
        for number in range(matches):
            game = Game(CATALOG["liars-dice"], 2, seed=number)
            hosted = Host(game, [bot, InlinePlayer(Plain())], ["bot", "plain"], policy, clock).play()
    finally:
        bot.close()
    assert not left_behind(folder)
    return Ending(
        [fault for fault in hosted.faults if fault.seat == 0], hosted, game, log.read_text() if log.exists() else ""
    )


class Unseated:
    """Sits in for a bot that cannot be started."""

    def __init__(self, fault: AgentFault) -> None:
        self.fault = fault

    def act(self, view: View) -> Action:
        raise self.fault


def left_behind(folder: Path) -> Sequence[str]:
    """The command lines of processes that were started for a bot in `folder`, whoever their parent is now."""
    mark = b"HOME=" + os.fsencode(folder) + b"\0"
    found = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and mark in (process / "environ").read_bytes() + b"\0":
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode()[-80:])
        except OSError:
            pass  # it has just ended, or is somebody else's
    return found
