"""`calza check`: whether a bot is fit to enter."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from rich.cells import cell_len

from calza.agents.launch import lives
from calza.cli import main

from .terminal import CALZA, Terminal, piped, stopped

Capsys = pytest.CaptureFixture[str]
SHORT = ("--rules", "snyd", "--quick", "--move", "30")

LOWEST = """
class Lowest:
    def act(self, view):
        bids = [f"{least}x{face}" for face, least in enumerate(view.legal().least) if least]
        return min(bids) if bids else view.legal().calls[0]
"""
EARLY = """
import sys
print("hello, \\x1b[31mworld")
class Early:
    def act(self, view):
        print("thinking")
        return "liar"
"""
FAILS = "class Fails:\n    def act(self, view):\n        return view.nothing\n"


def said(capsys: Capsys, *args: str) -> tuple[int, str, str]:
    """Exit status, output and errors of a command run here."""
    status = main(["check", *args])
    return status, *capsys.readouterr()


def bot(folder: Path, text: str) -> str:
    """The path of a bot with this text."""
    file = folder / "mine.py"
    file.write_text(text)
    return str(file)


def test_a_fit_bot_is_told_so_in_the_last_line(tmp_path: Path, capsys: Capsys) -> None:
    status, out, _ = said(capsys, bot(tmp_path, LOWEST), *SHORT)
    lines = out.splitlines()
    assert status == 0
    assert lines[0].split() == ["rules", "matches", "moves", "faults", "median", "99", "%"]
    name, matches, moves, faults, *_ = lines[1].split()
    assert (name, faults) == ("snyd", "-")
    assert int(matches) > 10
    assert lines[-1] == f"mine is fit to enter: all of its {moves} moves were legal and in time."


def test_a_bot_that_is_not_fit_is_told_why_and_the_status_is_1(tmp_path: Path, capsys: Capsys) -> None:
    status, out, _ = said(capsys, bot(tmp_path, EARLY), *SHORT)
    told = " ".join(out.split())
    assert status == 1
    assert "1. Illegal action, " in told
    assert " times, first in snyd, 2 players" in told
    assert "there is no bid yet for liar to call; 1x1 is legal It was " in told
    assert "no bid yet; it answered liar." in told
    assert "\x1b" not in out
    assert out.splitlines()[-1].startswith("mine is not fit to enter: ")


def test_a_crash_is_shown_with_the_authors_traceback(tmp_path: Path, capsys: Capsys) -> None:
    status, out, _ = said(capsys, bot(tmp_path, FAILS), *SHORT)
    assert status == 1
    assert "1. Crash, 10 times, first in snyd, 2 players: AttributeError: 'View' object" in " ".join(out.split())
    assert 'mine.py", line 3, in act' in out
    assert "   |     return view.nothing" in out
    assert out.splitlines()[-1] == "mine is not fit to enter: 10 crashes."


def test_json_has_all_of_it(tmp_path: Path, capsys: Capsys) -> None:
    status, out, _ = said(capsys, bot(tmp_path, EARLY), *SHORT, "--seed", "3", "--json")
    found = json.loads(out)
    assert status == 1
    assert (found["bot"], found["isolation"], found["seed"], found["fit"]) == ("mine", "process", 3, False)
    assert found["moves"] == sum(row["moves"] for row in found["rules"])
    assert found["seconds"]["median"] <= found["seconds"]["p99"] <= found["seconds"]["most"]
    assert found["deterministic"] is True
    assert found["faults"]["illegal"] == sum(problem["times"] for problem in found["problems"])
    problem = found["problems"][0]
    assert (problem["kind"], problem["rules"], problem["answer"]) == ("illegal", "snyd", "liar")
    assert problem["request"]["view"]["bids"] == []


def test_what_an_inline_bot_prints_is_not_among_the_json(tmp_path: Path) -> None:
    done = piped("check", bot(tmp_path, EARLY), *SHORT, "--isolation", "inline", "--json")
    assert json.loads(done.stdout)["isolation"] == "inline"
    assert "thinking" in done.stderr


def test_where_it_does_not_play_the_same_again_is_in_the_json(tmp_path: Path, capsys: Capsys) -> None:
    chancy = LOWEST.replace("min(bids)", "bids[__import__('os').urandom(1)[0] % len(bids)]")
    status, out, _ = said(capsys, bot(tmp_path, chancy), *SHORT, "--json")
    found = json.loads(out)
    assert (status, found["deterministic"]) == (0, False)
    assert found["difference"]["rules"] == "snyd"
    assert found["difference"]["first"] != found["difference"]["second"]


def test_progress_is_told_on_standard_error(capsys: Capsys) -> None:
    status, _, err = said(capsys, "cautious", "--rules", "dudo", "--rules", "snyd", "--quick")
    assert status == 0
    assert [line.partition("%")[0] for line in err.splitlines()] == [str(tenth) for tenth in range(10, 100, 10)]
    assert ", 2 players" in err


def test_only_the_rules_that_were_named_are_played_and_each_once(capsys: Capsys) -> None:
    _, out, _ = said(capsys, "cautious", "--rules", "dudo", "--rules", "snyd", "--rules", "dudo", "--quick", "--json")
    assert [row["rules"] for row in json.loads(out)["rules"]] == ["dudo", "snyd"]


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ([], "missing argument 'BOT'"),
        (["cautios"], "there is no house bot 'cautios'; did you mean cautious?"),
        (["nowhere/mine.py"], "there is no file nowhere/mine.py"),
        (["cmd:"], "cmd: needs a command"),
        (["cmd:no-such-program"], "there is no program no-such-program to start"),
        (["cmd:ls", "--isolation", "inline"], "no command plays inline"),
        (["cautious", "--isolation", "cage"], "'--isolation'"),
        (["cautious", "--rules", "chess"], "no rules are called"),
        (["cautious", "--seed", "-1"], "'--seed'"),
        (["cautious", "--move", "0"], "'--move'"),
        (["cautious", "random"], "unexpected extra argument"),
    ],
)
def test_what_cannot_be_checked_is_one_sentence(args: list[str], why: str, capsys: Capsys) -> None:
    status, out, err = said(capsys, *args)
    assert (status, out) == (2, "")
    assert err.startswith("calza: ")
    assert why in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("columns", [40, 100])
def test_a_terminal_shows_a_bar_and_fits_its_width(tmp_path: Path, columns: int) -> None:
    with Terminal("check", bot(tmp_path, FAILS), "--rules", "snyd", columns=columns) as terminal:
        assert terminal.end() == 1
    assert "━" in terminal.screen
    page = terminal.lines[next(at for at, line in enumerate(terminal.lines) if "matches" in line) :]
    assert max(cell_len(line) for line in page if not line.startswith("   | ")) <= columns
    assert "mine is not fit to enter: 10 crashes." in " ".join(page)


def test_ctrl_c_ends_it_and_the_bot(tmp_path: Path) -> None:
    written = tmp_path / "pid"
    text = f"import os\nopen({str(written)!r}, 'w').write(str(os.getpid()))\n" + LOWEST.replace(
        "bids = ", "__import__('time').sleep(0.2); bids = "
    )
    command = [*CALZA, "check", bot(tmp_path, text), "--quick"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as process:
        assert process.stderr
        assert process.stderr.readline().startswith(b"10%")
        status, out = stopped(process, signal.SIGINT)
    assert (status, out) == (130, "")
    deadline = time.monotonic() + 10  # a second Ctrl-C may cut the farewell short; the kernel then ends the bot
    while lives(int(written.read_text())):
        assert time.monotonic() < deadline
