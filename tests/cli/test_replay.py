"""`calza replay`: a recorded match again."""

import json
from pathlib import Path

import pytest
from rich.cells import cell_len

from calza.cli.replay import destination
from calza.matches import read_record, replay

from .terminal import Terminal, piped

RECORDS = Path(__file__).parents[1] / "records"
PERUDO = RECORDS / "perudo.json"


@pytest.mark.parametrize("path", sorted(RECORDS.glob("*.json")), ids=lambda path: path.stem)
def test_a_pipe_gets_the_whole_match(path: Path) -> None:
    record = read_record(path.read_bytes())
    done = piped("replay", str(path), env={"COLUMNS": "40"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert max(map(cell_len, done.stdout.splitlines())) <= 60  # the line with the id is left whole, to be copied
    rounds = [events for _, step in replay(record) for events in step.events if type(events).__name__ == "RoundBegan"]
    assert done.stdout.count("\nRound ") == len(rounds)
    assert ("The game is over: " in done.stdout) == bool(record.places)


def test_all_cups_are_open_or_one() -> None:
    everything = piped("replay", str(PERUDO)).stdout
    own = piped("replay", str(PERUDO), "--seat", "b").stdout
    assert cups(everything)["A"]
    assert cups(everything)["B"] == cups(own)["B"]
    assert not cups(own)["A"]


def cups(shown: str) -> dict[str, str]:
    """What the first table of a match shows under each cup."""
    table = shown.split("\n\n")[2].splitlines()
    at = table[0].index("cup")
    return {line[1]: line[at:].strip() for line in table[1:]}


def test_there_is_a_line_of_json_for_each_action() -> None:
    record = read_record(PERUDO.read_bytes())
    lines = [json.loads(line) for line in piped("replay", str(PERUDO), "--json").stdout.splitlines()]
    assert [line["sequence"] for line in lines] == list(range(-1, len(record.actions)))
    assert [line["action"] for line in lines[1:]] == [entry.action for entry in record.actions]
    assert lines[0]["events"][0]["type"] == "round"
    assert set(lines[-1]) == {"sequence", "seat", "action", "at", "events"}
    assert lines[-1]["events"][-1] == {"type": "over", "places": list(record.places)}


def test_a_record_may_come_through_a_pipe() -> None:
    assert piped("replay", "-", typed=PERUDO.read_text()).stdout == piped("replay", str(PERUDO)).stdout


def test_a_damaged_match_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    raw = json.loads(PERUDO.read_text())
    raw["actions"][3][1] = "99x1"
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(raw))
    done = piped("replay", str(path))
    assert done.returncode == 2
    assert done.stderr.startswith("calza: action 3: '99x1'")
    assert piped("replay", str(PERUDO)).stdout.startswith(done.stdout.rstrip("\n"))
    assert len(piped("replay", str(path), "--json").stdout.splitlines()) == 4


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["/nowhere/at.all"], "calza: /nowhere/at.all: no such file or directory\n"),
        ([str(PERUDO), "--seat", "Z"], "calza: cannot read 'Z': seats are A to "),
        (["-"], "calza: standard input: this is not a whole JSON document"),
        ([__file__], f"calza: {__file__}: this is not a whole JSON document"),
    ],
)
def test_what_cannot_be_shown_is_one_sentence(args: list[str], why: str) -> None:
    done = piped("replay", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(why)
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("typed", "frame"),
    [("", 6), ("n", 6), ("b", 4), ("g 12", 13), ("g12", 13), ("0", 1), ("huh", 5), ("g", 5), ("q", None)],
)
def test_keys_lead_through_a_match(typed: str, frame: int | None) -> None:
    assert destination(typed, at=5) == frame


def test_a_terminal_steps_through_a_match() -> None:
    record = read_record(PERUDO.read_bytes())
    last = len(record.actions) - 1
    with Terminal("replay", str(PERUDO), columns=40) as terminal:
        terminal.until(f"[start, {last + 1} actions] ")
        terminal.type("\r")
        first = terminal.until(f"[0 of {last}] ")
        assert "bids" in first
        terminal.type("n\r")
        terminal.until(f"[1 of {last}] ")
        terminal.type("b\r")
        assert first.split("bids")[1] == terminal.until(f"[0 of {last}] ").split("bids")[1]
        terminal.type("b\rb\r")
        terminal.until("This is the start.")
        terminal.type(f"g {last}\r")
        assert "The game is over: " in terminal.until(f"[{last} of {last}] ")
        terminal.type("\r")
        terminal.until("That was the last action.")
        terminal.type("q\r")
        assert terminal.end() == 0
    assert max(map(cell_len, terminal.lines)) <= 60


def test_the_end_of_input_ends_the_replay() -> None:
    with Terminal("replay", str(PERUDO)) as terminal:
        terminal.until("actions] ")
        terminal.type("\x04")
        assert terminal.end() == 0
    with Terminal("replay", str(PERUDO)) as terminal:
        terminal.until("actions] ")
        assert terminal.interrupt() == 130
