"""A Python agent behind the protocol plays as it does inline: it sees the same, and the same seed plays the same."""

from pathlib import Path

import pytest

from calza.agents.entry import parse_entry, seat
from calza.agents.inline import InlinePlayer
from calza.matches.host import Clock, Host
from calza.rules import CATALOG, Game
from tests.agents.tables import Plain

SLOW = Clock(move=20.0)
WITNESS = """
class Witness:
    def __init__(self):
        print("made")
        self.events = []
    def see(self, event):
        self.events.append(event)
    def act(self, view):
        print(self.events, view.rules.name, view.cup, view.legal())
        return "bluff" if view.bid else "1x6"
"""
GAMBLER = """
import random
import numpy as np
LUCK = random.random()
class Gambler:
    def __init__(self):
        self.own = random.Random(random.random())
    def act(self, view):
        print(LUCK, self.own.random(), random.random(), np.random.random(), {"a", "b", "c", "d"})
        return "liar" if view.bid else f"{random.randint(1, 2)}x{random.randint(2, 6)}"
"""
BREAKS = """
class Breaks:
    def see(self, event):
        if type(event).__name__ == "BidMade":
            raise ValueError("no")
    def act(self, view):
        return "1x6"
"""


def played(folder: Path, text: str, isolation: str, numbers: tuple[int, ...] = (4,), rules: str = "exact") -> list[str]:
    """Matches of a bot; what was wrong, or each action."""
    path = folder / "bot.py"
    path.write_text(text)
    done = []
    bot = None
    for number in numbers:
        if bot is None or isolation == "inline":
            bot = seat(parse_entry(str(path), "bot", isolation), folder / "log", 9)  # type: ignore[arg-type]
        game = Game(CATALOG[rules], 3, seed=number)
        hosted = Host(game, [bot, InlinePlayer(Plain()), InlinePlayer(Plain())], ["a", "b", "c"], clock=SLOW).play()
        done += [f"{fault.kind}: {fault.why}" for fault in hosted.faults if fault.seat == 0]
        done += [f"{seat}:{ply}" for seat, ply in game.plies]
    assert bot
    bot.close()
    return done


def test_an_agent_sees_in_its_process_what_it_sees_inline(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inline = played(folder, WITNESS, "inline", (4, 5))
    seen = [line for line in capsys.readouterr().out.splitlines() if line]
    assert played(folder, WITNESS, "process", (4, 5)) == inline
    log = [line for line in (folder / "log").read_text().splitlines() if line and not line.startswith("---")]
    assert log[0] == "made"  # as it starts, before any match
    assert log[1:] == seen
    assert any("Called" in line and "RoundBegan" in line for line in seen)


def test_an_agent_cannot_read_what_the_host_says(folder: Path) -> None:
    text = (
        "import os, sys\nclass Bot:\n    def act(self, view):\n        return f'{sys.stdin.read()}{os.read(0, 9)}?'\n"
    )
    assert played(folder, text, "process")[0].startswith("malformed: cannot read \"b''?\": write a bid")


def test_the_same_match_is_played_the_same_whatever_was_played_before(folder: Path) -> None:
    played(folder, GAMBLER, "process", (4, 5, 4), "liars-dice")
    first, _, again = (folder / "log").read_text().split("---")[1:]
    assert first == again
    (folder / "log").unlink()
    played(folder, GAMBLER, "process", (4,), "liars-dice")
    assert (folder / "log").read_text() == f"---{first}"


def test_an_agent_that_fails_at_seeing_has_crashed(folder: Path) -> None:
    assert played(folder, BREAKS, "process")[0] == "crash: ValueError: no (bot.py, line 5)"


@pytest.mark.parametrize("isolation", ["inline", "process"])
@pytest.mark.parametrize(
    ("act", "fault"),
    [
        ("exit(3)", "crash: SystemExit: 3 (bot.py, line 3)"),
        (
            "import calza; calza.Game(calza.CATALOG['exact'], 99, seed=1)",
            "crash: SetupError: exact is a game for 2 to 15 players, not 99 (bot.py, line 3)",
        ),
        ("raise ValueError('\\ud83c')", "crash: ValueError: � (bot.py, line 3)"),
        ("return '\\ud83c'", "malformed: cannot read '"),
    ],
)
def test_what_an_agent_does_wrong_is_its_fault_wherever_it_runs(
    act: str, fault: str, isolation: str, folder: Path
) -> None:
    text = f"class Bot:\n    def act(self, view):\n        {act}\n"
    assert played(folder, text, isolation)[0].startswith(fault)
