"""`calza verify`: what a record proves, or the first thing that is wrong with it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from calza.cli import main
from calza.cli.errors import sentence
from calza.cli.records import record_in
from calza.client import Client
from calza.client.replies import GameOver
from calza.rules import CalzaError
from tests.arena.server import running

from .terminal import piped

RECORDS = Path(__file__).parents[1] / "records"
PERUDO = RECORDS / "perudo.json"


def said(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    """Exit status, output and errors of a command run here."""
    status = main(["verify", *args])
    return status, *capsys.readouterr()


def damaged(tmp_path: Path, damage: Callable[[dict[str, Any]], object]) -> str:
    """A record with something wrong in it."""
    raw = json.loads(PERUDO.read_text())
    damage(raw)
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(raw))
    return str(path)


@pytest.mark.parametrize("path", sorted(RECORDS.glob("*.json")), ids=lambda path: path.stem)
def test_every_recorded_match_is_proved(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = said(capsys, str(path))
    assert (status, err) == (0, "")
    assert out.endswith("\nNothing in this record is wrong.\n")
    status, out, err = said(capsys, str(path), "--json")
    assert (status, json.loads(out)["verified"]) == (0, True)


def test_the_proof_is_in_plain_words(tmp_path: Path) -> None:
    piped("play", "--rules", "snyd", "--seed", "demo", "--save", str(tmp_path), typed="9x6\nliar\n")
    (path,) = tmp_path.iterdir()
    done = piped("verify", str(path))
    assert done.stdout.splitlines()[:6] == [
        "match    bfbaef719c2a8f7c",
        "rules    Snyd, whose id is " + json.loads(path.read_text())["rulesId"][:12],
        "players  cautious and Guest",
        "seed     the one committed to as",
        "         " + json.loads(path.read_text())["dice"]["commitment"],
        "seats    drawn from the same dice",
    ]
    assert "dice     all 10 rolled again from the seed, 1 round\n" in done.stdout
    assert "result   The game is over: " in done.stdout


def test_an_unfinished_match_is_proved_as_far_as_it_went(tmp_path: Path) -> None:
    piped("play", "--seed", "demo", "--save", str(tmp_path), typed="quit\n")
    (path,) = tmp_path.iterdir()
    assert "result   none: the match was not played to its end\n" in piped("verify", str(path)).stdout


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda raw: raw.update(rulesId="0" * 64), "rulesId does not belong to these rules"),
        (lambda raw: raw["dice"].update(seed="0" * 64), "the seed is not the one committed to"),
        (lambda raw: raw["dice"].pop("seed"), "the seed of the dice is not in the record"),
        (lambda raw: raw["actions"].pop(), "places: the record says"),
        (lambda raw: raw["actions"].insert(1, raw["actions"][0]), "action 1: "),
        (lambda raw: raw["actions"][2].__setitem__(1, "nonsense"), "action 2: "),
        (lambda raw: raw["places"].reverse(), "places: the record says"),
    ],
    ids=["rules", "seed", "no-seed", "cut-off", "twice", "nonsense", "places"],
)
def test_the_first_wrong_thing_is_named(
    damage: Callable[[dict[str, Any]], object], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = damaged(tmp_path, damage)
    status, out, err = said(capsys, path)
    assert (status, out) == (1, "")
    assert err.startswith(f"calza: {path}: ")
    assert why in err
    assert err.count("\n") == 1
    status, out, _ = said(capsys, path, "--json")
    assert status == 1
    assert json.loads(out)["verified"] is False
    assert why in err


def test_every_record_that_was_cut_off_is_told_from_a_whole_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = PERUDO.read_bytes().rstrip()
    path = tmp_path / "cut.json"
    for length in range(0, len(whole), 97):
        path.write_bytes(whole[:length])
        status, out, err = said(capsys, str(path))
        assert (status, out) == (2, "")
        assert err.startswith(f"calza: {path}: this is not a whole JSON document")
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda raw: raw.pop("players"), "required field `players`"),
        (lambda raw: raw.update(format=2), "format 2 is newer"),
        (lambda raw: raw.pop("format"), "it has no format number"),
        (lambda raw: raw["actions"][2].__setitem__(0, "A"), "action 2: actions[2][0]: Expected `int`, got `str`"),
    ],
    ids=["players", "format", "no-format", "seat"],
)
@pytest.mark.parametrize("options", [[], ["--json"]], ids=["", "json"])
def test_what_is_no_record_is_another_mistake_than_a_false_one(
    damage: Callable[[dict[str, Any]], object],
    why: str,
    options: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = damaged(tmp_path, damage)
    status, out, err = said(capsys, path, *options)
    assert (status, out) == (2, "")
    assert err.startswith(f"calza: {path}: ")
    assert why in err
    assert err.count("\n") == 1


def test_what_a_record_holds_cannot_command_the_terminal(tmp_path: Path) -> None:
    path = damaged(tmp_path, lambda raw: raw.update({"x\x1b[31m\x07\n": 1}))
    with pytest.raises(CalzaError) as error:
        record_in(path)
    assert sentence(error.value) == f"{path}: the record: Object contains unknown field `x\ufffd[31m\ufffd `"


def test_a_record_may_come_through_a_pipe() -> None:
    assert piped("verify", "-", typed=PERUDO.read_text()).returncode == 0
    done = piped("verify", "-", typed="{")
    assert done.returncode == 2
    assert done.stderr.startswith("calza: standard input: this is not a whole JSON document")


def test_what_is_not_there_is_another_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, str(tmp_path / "none.json"))[0] == 2
    assert said(capsys, str(tmp_path))[0] == 2
    assert said(capsys)[0] == 2


def test_a_match_of_a_running_arena_is_proved_by_its_address(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running(tmp_path) as server, Client(server.url) as client:
        client.register("crab")
        match = client.queue("liars-dice", "fast").match_id
        assert match
        over = client.act(match, client.state(match).sequence, {"type": "resign"})
        assert isinstance(over, GameOver)
        status, out, err = said(capsys, over.replay_url)
        assert (status, err) == (0, "")
        assert f"number   1: {server.url} committed to this seed under it\n" in out
        assert "signed   by the arena's key\n" in out
        assert out.endswith("\nNothing in this record is wrong.\n")
        status, out, _ = said(capsys, over.replay_url, "--json")
        assert (status, json.loads(out)["seedNumber"]) == (0, 1)
        assert said(capsys, f"{server.url}/matches/nosuch") == (
            2,
            "",
            f"calza: there is no match nosuch at {server.url}\n",
        )
    status, out, err = said(capsys, over.replay_url)
    assert (status, out) == (2, "")
    assert err.startswith(f"calza: cannot reach {server.url}: ")
