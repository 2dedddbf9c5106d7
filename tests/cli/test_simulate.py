"""`calza simulate`: many games between house bots."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from calza.cli import main
from calza.cli.results import interval

from .terminal import CALZA, Terminal, piped

Capsys = pytest.CaptureFixture[str]


def said(capsys: Capsys, *args: str) -> tuple[int, str, str]:
    """Exit status, output and errors of a command run here."""
    status = main(["simulate", *args])
    return status, *capsys.readouterr()


def test_a_batch_is_shown_as_a_table(capsys: Capsys) -> None:
    status, out, _ = said(capsys, "--agents", "cautious,random", "--games", "1000", "--seed", "7")
    assert status == 0
    title, _, header, first, second, *rest = out.splitlines()
    assert title == "Liar's Dice: 1,000 games with 5 dice, seed 7"
    assert header.split() == ["agent", "wins", "%", "95", "%", "mean", "place"]
    assert first.startswith("cautious")
    assert second.startswith("random")
    assert float(first.split()[1]) > 95
    assert any(line.startswith("A game has ") for line in rest)
    assert any(line.endswith(" games a second.") for line in rest)


def test_the_same_seed_gives_the_same_counts_in_one_process_or_two(capsys: Capsys) -> None:
    args = ("--rules", "joker", "--agents", "cautious,bluffer", "--games", "40000", "--dice", "3", "--json")
    one, two = (said(capsys, *args, "--processes", processes)[1] for processes in "12")
    assert timeless(one) == timeless(two)
    assert timeless(one)["games"] == 40000


def timeless(text: str) -> dict[str, object]:
    """A result without how long it took."""
    result: dict[str, object] = json.loads(text)
    del result["seconds"]
    return result


def test_games_are_rounded_up_to_whole_rotations_and_this_is_said(capsys: Capsys) -> None:
    _, out, _ = said(capsys, "--agents", "cautious,cautious,bluffer:bluff=0.5", "--games", "10", "--dice", "5,4,3")
    told = " ".join(out.split())
    assert "12 games with 5, 4, 3 dice" in told
    assert "cautious 1 " in told
    assert "cautious 2 " in told
    assert "bluffer:bluff=0.5 " in told
    assert "every rotation of the seats, so 10 became 12. A group is one sample for the intervals." in told


def test_json_has_the_counts(capsys: Capsys) -> None:
    _, out, _ = said(capsys, "--agents", "cautious,random", "--games", "200", "--json")
    result = json.loads(out)
    assert result["games"] == 200
    assert [agent["agent"] for agent in result["agents"]] == ["cautious", "random"]
    assert sum(agent["wins"] for agent in result["agents"]) == 200
    assert [sum(agent["places"]) for agent in result["agents"]] == [200, 200]
    assert result["interrupted"] is False


def test_an_interval_is_never_called_nothing() -> None:
    assert [interval(half) for half in (1.0, 0.5, 0.001, 0.0)] == ["unknown", "± 50.00", "± 0.10", "± <0.01"]


def test_progress_of_a_long_run_is_told_on_standard_error(capsys: Capsys) -> None:
    _, out, err = said(capsys, "--agents", "skeptic,skeptic", "--games", "100000")
    assert "100,000 games" in out
    assert [line.partition("%")[0] for line in err.splitlines()] == ["20", "40", "60", "80"]


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ([], "missing option '--agents'"),
        (["--agents", "cautios,random"], "there is no house bot 'cautios'; did you mean cautious?"),
        (["--agents", "cautious"], "liars-dice is a game for 2 to 6 players, not 1"),
        (["--agents", ",".join(["random"] * 9), "--rules", "joker"], "at most 8 players, not 9"),
        (["--agents", "cautious:call=2,random"], "cautious:call is a number from 0 to 1"),
        (["--agents", "cautious,random", "--games", "0"], "'--games'"),
        (["--agents", "cautious,random", "--games", "-5"], "'--games'"),
        (["--agents", "cautious,random", "--seed", "-1"], "'--seed'"),
        (["--agents", "cautious,random", "--seed", str(2**63)], "'--seed'"),
        (["--agents", "cautious,random", "--dice", "five"], "--dice is a number such as 5, or one for each bot"),
        (["--agents", "cautious,random", "--dice", "16"], "a seat starts with 1 to 15 dice, not 16"),
        (["--agents", "cautious,random", "--dice", "5,4,3"], "3 numbers of dice for 2 players"),
        (["--agents", "cautious,random", "--processes", "0"], "'--processes'"),
        (["--agents", "cautious,random", "--rules", "chess"], "no rules are called"),
    ],
)
def test_what_cannot_be_played_is_one_sentence(args: list[str], why: str, capsys: Capsys) -> None:
    status, out, err = said(capsys, *args)
    assert (status, out) == (2, "")
    assert err.startswith("calza: ")
    assert why in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("missing", ["numba", "numpy"])
def test_without_the_extra_it_says_what_to_install(missing: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; from calza.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "simulate", "--agents", "cautious,random"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f'calza: this needs {missing}, which is not installed: pip install "calza[sim]"\n'


def test_a_first_run_says_that_it_compiles(tmp_path: Path) -> None:
    done = piped("simulate", "--agents", "cautious,random", "--games", "2", env={"XDG_CACHE_HOME": str(tmp_path)})
    assert done.returncode == 0
    assert done.stderr == "compiling the rules and the bots, once for this version ...\n"


@pytest.mark.parametrize("processes", ["1", "2"])
def test_ctrl_c_shows_what_was_counted_so_far(processes: str) -> None:
    args = ("simulate", "--agents", "skeptic,skeptic", "--dice", "1", "--games", "40000000", "--processes", processes)
    command = [*CALZA, *args]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout
        assert process.stderr
        while not process.stderr.readline().startswith(b"10%"):
            pass
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
        out, err = process.communicate()
    assert process.returncode == 130
    assert b"Stopped before 40,000,000 games were played; this is what was counted." in b" ".join(out.split())
    assert all(line.endswith(b" games") for line in err.splitlines())


def test_a_terminal_shows_a_bar_and_a_narrow_table() -> None:
    args = ("simulate", "--agents", "skeptic,cautious:call=0.5", "--games", "300000")
    with Terminal(*args, columns=40) as terminal:
        assert terminal.end() == 0
    assert "━" in terminal.screen
    table = terminal.lines[next(at for at, line in enumerate(terminal.lines) if "Liar's Dice: " in line) + 1 :]
    assert max(map(cell_len, table)) <= 40
    assert "skeptic" in " ".join(table)
