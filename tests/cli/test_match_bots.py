"""`calza match` with bots in processes of their own: repeatable by its seed, and clear about whose fault it was."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from calza.cli import main
from tests.agents.tables import adversary, left_behind

GAMBLER = """
import random
LUCK = random.random()
class Gambler:
    def __init__(self):
        self.own = random.Random(random.random())
    def act(self, view):
        legal = view.legal()
        bids = {f"{least}x{face}" for face, least in enumerate(legal.least) if least}
        if view.bid and (not bids or random.random() < LUCK / 3):
            return legal.calls[0]
        return next(iter(bids)) if self.own.random() < 0.5 else random.choice(list(bids))
"""


def test_a_bot_that_gambles_plays_the_same_games_whoever_plays_them(tmp_path: Path) -> None:
    (tmp_path / "gambler.py").write_text(GAMBLER)
    once, again = (results(tmp_path / "gambler.py", number) for number in (1, 2))
    assert once == again
    assert once["games"] == 80


def test_two_versions_of_a_file_are_told_apart_by_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "gambler.py").write_text(GAMBLER)
    versions = [str(tmp_path / folder / "gambler.py") for folder in ("old", "new")]
    assert main(["match", *versions, "--games", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["standings"]
    assert {one["name"]: one["bot"] for one in told} == {"gambler 1": versions[0], "gambler 2": versions[1]}


def results(bot: Path, number: int) -> dict[str, Any]:
    """What a match came to, played in so many processes, the times apart; Python hashes otherwise in each."""
    words = ["match", str(bot), "random", "--games", "80", "--seed", "1", "--processes", str(number), "--json"]
    env = {"PYTHONHASHSEED": str(number)}
    done = subprocess.run([sys.executable, "-m", "calza", *words], env=env, capture_output=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    del found["seconds"]
    for standing in found["standings"]:
        del standing["time"]
    return found


@pytest.mark.parametrize(
    ("name", "how", "why"),
    [
        ("no_method", "4 crashes", "no_method.py has no class with a method act(self, view)"),
        ("raises", "4 crashes", "KeyError: 'lost' (raises.py, line 9)"),
        ("fails_in_colour", "4 crashes", "ValueError: �[31m� (fails_in_colour.py, line 6)"),
        ("half_a_character", "4 answers that cannot be read", r"cannot read '\\ud83c': write a bid such as 4x3"),
        ("eats_memory", "4 crashes", "MemoryError: (eats_memory.py, line 8)"),
        ("sleeps", "4 moves too late", "it did not answer in time"),
        ("wire_exits", "4 crashes", "its process ended with status 3"),
        ("wire_leaves_daemons", "4 crashes", "its process ended with status 6"),
        ("wire_no_utf8", "4 answers that cannot be read", 'it must answer {"action": "4x3"}; it wrote'),
        ("wire_future", "4 answers that cannot be read", "asked for action 1, it answered for another; it wrote"),
    ],
)
def test_it_is_said_who_failed_and_how(
    name: str, how: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot, move = adversary(name, tmp_path), "0.3" if name == "sleeps" else "30"
    status = main(["match", bot, "cautious", "--games", "4", "--seed", "1", "--move", move])
    out, err = capsys.readouterr()
    called = Path(bot).name if name.startswith("wire") else name
    assert (status, "Traceback" in out + err) == (0, False)
    assert f"{called} failed: {how}. For instance: {why}" in " ".join(out.split())
    assert not left_behind(tmp_path)


def test_a_file_that_is_missing_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    adversary("raises", tmp_path)
    assert main(["match", f"{tmp_path}/raise.py", "cautious"]) == 2
    _, err = capsys.readouterr()
    assert err == f"calza: bots[0].bot: there is no file {tmp_path}/raise.py; did you mean {tmp_path}/raises.py?\n"
