"""`calza tournament`: a competition from a file to its report."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from calza.cli import main
from tests.cli.terminal import CALZA, Terminal

Capsys = pytest.CaptureFixture[str]

CUP = """
name = "Cup"
seed = 3
games = 40
[[bots]]
bot = "cautious"
[[bots]]
bot = "random"
[[bots]]
bot = "bots.py:Breaks"
isolation = "inline"
"""
SPRT = "elo0=0 elo1=9"
BREAKS = """
class Breaks:
    def act(self, view):
        if view.round > 1:
            raise KeyError("lost")
        return "liar" if view.quantity else "1x2"
"""


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """A competition with a bot that breaks."""
    (tmp_path / "cup.toml").write_text(CUP)
    (tmp_path / "bots.py").write_text(BREAKS)
    return tmp_path / "cup.toml"


def said(capsys: Capsys, *args: str | Path) -> tuple[int, str, str]:
    """Exit status, output and errors of a command run here."""
    status = main(["tournament", *map(str, args)])
    return status, *capsys.readouterr()


def test_a_competition_ends_in_standings_and_files(capsys: Capsys, cup: Path) -> None:
    status, out, _ = said(capsys, cup, "--processes", "1")
    assert status == 0
    assert out.startswith("Cup\nLiar's Dice, 5 dice; every table of 2; 120 games, seed 3\n")
    assert "Breaks failed: " in out
    assert " crashes" in out
    folder = cup.with_name("cup-results")
    assert out.endswith(f"report: {folder / 'report.html'}\n")
    results = json.loads((folder / "results.json").read_text())
    assert results["standings"][0]["name"] == "cautious"
    failures = [fault for match in results["shown"] for fault in match["faults"]]
    assert all(fault["bot"] == "Breaks" for fault in failures)
    assert any('raise KeyError("lost")' in fault["detail"] for fault in failures)
    rows = list(csv.DictReader(io.StringIO((folder / "standings.csv").read_text())))
    assert [row["name"] for row in rows] == [one["name"] for one in results["standings"]]
    assert int(rows[-1]["crash"]) > 0
    assert "<html" in (folder / "report.html").read_text()


def test_the_same_command_again_plays_nothing_again(capsys: Capsys, cup: Path) -> None:
    _, once, _ = said(capsys, cup, "--json")
    before = (cup.with_name("cup-results") / "results.sqlite").read_bytes()
    _, again, _ = said(capsys, cup, "--json")
    assert json.loads(once) == json.loads(again)
    assert before == (cup.with_name("cup-results") / "results.sqlite").read_bytes()


def test_a_folder_belongs_to_one_competition(capsys: Capsys, cup: Path) -> None:
    said(capsys, cup)
    status, _, err = said(capsys, cup, "--games", "60")
    assert status == 2
    assert "holds the results of another tournament; choose another folder" in err


def test_a_bot_that_has_changed_is_not_mixed_with_what_it_was(capsys: Capsys, cup: Path) -> None:
    said(capsys, cup)
    cup.with_name("bots.py").write_text(BREAKS.replace("1x2", "1x3"))
    status, _, err = said(capsys, cup)
    assert status == 2
    assert "Breaks has changed since its games in" in err


def test_a_tournament_needs_no_file(capsys: Capsys, tmp_path: Path) -> None:
    args = ("--bot", "cautious", "--bot", "random", "--bot", "honest", "--format", "knock-out", "--games", "40")
    status, out, _ = said(capsys, *args, "--seed", "3", "--out", tmp_path / "out")
    assert status == 0
    assert "knock-out, 2 at a table" in out
    assert "final" in out


def test_a_league_plays_more_each_time(capsys: Capsys, tmp_path: Path) -> None:
    file = tmp_path / "league.toml"
    file.write_text('format = "league"\ngames = 8\n[[bots]]\nbot = "cautious"\n[[bots]]\nbot = "random"\n')
    games = []
    for _ in range(2):
        status, out, _ = said(capsys, file, "--more", "100", "--json")
        assert status == 0
        games.append(json.loads(out)["games"])
    assert games == [128, 256]
    _, out, _ = said(capsys, file, "--more", "1")
    assert out.splitlines()[3].split() == ["bot", "games", "points", "%", "95", "%", "skill", "95", "%"]


def test_results_are_not_put_where_there_is_a_file(capsys: Capsys, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    status, out, err = said(capsys, "--bot", "cautious", "--bot", "random", "--out", tmp_path / "taken")
    assert (status, out) == (2, "")
    assert err == f"calza: the results cannot be kept in {tmp_path}/taken: File exists\n"


def test_a_test_in_a_tournament_is_of_the_first_bot(capsys: Capsys, tmp_path: Path) -> None:
    args = ("--bot", "cautious", "--bot", "random", "--bot", "believer", "--format", "gauntlet", "--games", "4000")
    status, out, _ = said(capsys, *args, "--seed", "3", "--sprt", "elo0=0 elo1=40", "--out", tmp_path)
    assert status == 0
    assert "The test says of the first bot: better." in out


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ([], "a tournament needs a competition file, or bots: --bot cautious --bot mybot.py"),
        (["nowhere.toml"], "nowhere.toml: no such file or directory"),
        (["--bot", "cautious", "--bot", "random", "--format", "swis"], "'swis' is not one of"),
        (["--bot", "cautious", "--bot", "random", "--format", "league", "--sprt", SPRT], "take format gauntlet"),
        (["--bot", "cautious", "--bot", "random", "--format", "swiss", "--sprt", SPRT], "not swiss"),
        (["--bot", "cautious"], "1 bot cannot fill a table of 2"),
        (["--bot", "cautious", "--bot", "random", "--rules", "perudoo"], 'did you mean "perudo"'),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    capsys: Capsys, args: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = said(capsys, *args)
    assert status == 2
    assert why in err
    assert err.count("\n") == 1
    assert out == ""
    assert list(tmp_path.iterdir()) == []


def test_control_c_stops_it_and_the_same_command_goes_on(tmp_path: Path) -> None:
    args = ["tournament", "--bot", "cautious", "--bot", "bluffer", "--games", "4000000", "--seed", "1", "--out"]
    command = [*CALZA, *args, str(tmp_path), "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        journal = tmp_path / "results.sqlite-wal"
        while not (journal.exists() and journal.stat().st_size > 200_000):
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped; what was played is counted" in err
    assert "Traceback" not in err
    games = json.loads(out)["games"]
    assert 0 < games < 4_000_000
    assert games % 1000 == 0


def test_in_a_terminal_the_standings_move(tmp_path: Path) -> None:
    args = ("--bot", "cautious", "--bot", "bluffer", "--games", "400000", "--seed", "1", "--out", str(tmp_path))
    with Terminal("tournament", *args) as terminal:
        terminal.until("points %")
        terminal.until("games/s")
        assert terminal.interrupt() == 130


def test_help_does_not_wait_for_numpy() -> None:
    code = "import sys; from calza.cli import main; main(['tournament', '--help']); print('numpy' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.endswith("False\n")
