"""`calza match`: a quick answer to who is better."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from calza.cli import main
from calza.cli.standings import cells, faults, remarks, sentence
from calza.tournament.results import Interval, Pair
from calza.tournament.sprt import Verdict
from tests.tournament.specimen import specimen

Capsys = pytest.CaptureFixture[str]


def said(capsys: Capsys, *args: str) -> tuple[int, str, str]:
    """Exit status, output and errors of a command run here."""
    status = main(["match", *args])
    return status, *capsys.readouterr()


def test_a_match_says_who_is_better(capsys: Capsys) -> None:
    status, out, _ = said(capsys, "random", "cautious", "--games", "400", "--seed", "7")
    assert status == 0
    title, how, _, header, first, second, *rest = out.splitlines()
    assert title == "random against cautious"
    assert how == "Liar's Dice, 5 dice; every table of 2; 400 games, seed 7"
    assert header.split() == ["bot", "games", "points", "%", "95", "%", "Elo", "95", "%"]
    assert first.split()[:3] == ["1", "cautious", "400"]
    assert second.split()[:3] == ["2", "random", "400"]
    assert any(line.startswith("cautious is the better one with a likelihood of ") for line in rest)


def test_no_rating_is_shown_without_its_interval(capsys: Capsys) -> None:
    _, out, _ = said(capsys, "cautious", "bluffer", "honest", "--games", "300", "--seed", "7", "--json")
    results = json.loads(out)
    for one in results["standings"]:
        assert one["rating"]["low"] < one["rating"]["value"] < one["rating"]["high"]
        assert one["points"]["low"] <= one["points"]["value"] <= one["points"]["high"]
    assert results["games"] == 300
    assert results["shown"][0]["record"]["format"] == 1


def test_a_sequential_test_stops_by_itself(capsys: Capsys) -> None:
    args = ("--games", "100000", "--seed", "3", "--sprt", "elo0=0 elo1=50")
    status, out, _ = said(capsys, "cautious", "random", *args)
    assert status == 0
    assert "The test says of the first bot: better." in out
    assert "100,000 games" not in out
    _, out, _ = said(capsys, "random", "cautious", *args)
    assert "The test says of the first bot: not better." in out


def test_a_match_that_is_kept_goes_on_with_its_seed(capsys: Capsys, tmp_path: Path) -> None:
    args = ("cautious", "random", "--games", "20", "--json", "--keep", str(tmp_path / "kept"))
    _, once, _ = said(capsys, *args)
    _, again, _ = said(capsys, *args)
    assert json.loads(once)["standings"] == json.loads(again)["standings"]
    assert json.loads(once)["seed"] == json.loads(again)["seed"]


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["cautious"], "a match needs 2 to 6 bots, not 1"),
        (["cautious"] * 7, "a match needs 2 to 6 bots, not 7; `calza tournament` takes more"),
        ([], "missing argument 'BOTS...'"),
        (["cautious", "cautios"], "bots[1].bot: there is no house bot 'cautios'; did you mean cautious?"),
        (["cautious", "nowhere.py"], "there is no file nowhere.py"),
        (["cautious", "random", "--games", "-3"], "-3 is not in the range"),
        (["cautious", "random", "--sprt", "elo0=5"], "elo1"),
        (["cautious", "random", "bluffer", "--rules", "snyd"], "snyd is no game for 3 players"),
        (["cautious", "random", "--rules", "nope"], 'no rules are called "nope"'),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(capsys: Capsys, args: list[str], why: str) -> None:
    status, out, err = said(capsys, *args)
    assert status == 2
    assert why in err
    assert err.startswith("calza: ")
    assert err.count("\n") == 1
    assert out == ""


def test_of_pairs_only_those_that_stand_out_are_named() -> None:
    results = specimen()
    told = list(remarks(results, None))
    assert [one.flagged for one in results.soft_play] == [True, False]
    assert [one.evidence in told for one in results.soft_play] == [True, False]


def test_nothing_is_quite_certain_and_nothing_is_minus_zero() -> None:
    results = specimen()
    first, second = results.standings[:2]
    pair = Pair(1000, Interval(0.9, 0.8, 0.95), 1.0)
    two = replace(results, standings=(first, second), pairs=((None, pair), (None, None)))
    assert (
        next(remarks(two, None))
        == f"{first.name} is the better one with a likelihood of >99.9\u00a0% (against {second.name})."
    )
    assert cells(replace(first, rating=Interval(-0.3, -9.0, 8.4)), wide=True, knock_out=False)[5:] == ["+0", "-9 to +8"]
    verdict = Verdict(llr=1.0, lower=-2.9, upper=2.9, decided=None, elo=15.0, low=-0.2, high=31.0)
    assert sentence(verdict).endswith("Elo +15 (+0 to +31) against the others.")


def test_one_failure_is_told_as_one() -> None:
    late = replace(specimen().standings[-1], faults={"crash": 1, "timeout": 2_000, "benched": 1})
    assert faults(late) == "1 crash, 2,000 moves too late and 1 match sat out after too many failures in a row"
