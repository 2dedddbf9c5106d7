"""`calza replay FILE --review SEAT`: what a player's decisions gave up."""

import json
from pathlib import Path

import msgspec

from calza.agents.review import costliest, review
from calza.matches import read_record
from calza.show.hindsight import Decision

from .terminal import piped

PERUDO = Path(__file__).parents[1] / "records" / "perudo.json"
DECISIONS = review(read_record(PERUDO.read_bytes()), 1)


def test_the_three_costliest_decisions_are_told_and_all_are_counted() -> None:
    done = piped("replay", str(PERUDO), "--review", "b")
    assert (done.returncode, done.stderr) == (0, "")
    said = " ".join(done.stdout.split())
    places = [said.index(one.says) for one in costliest(DECISIONS)]
    assert len(places) == 3
    assert places == sorted(places)
    costly = sum(one.costly for one in DECISIONS)
    assert said.endswith(f"{costly} of {len(DECISIONS)} decisions gave up more than chance explains.")


def test_every_decision_is_a_line_of_json() -> None:
    lines = piped("replay", str(PERUDO), "--review", "B", "--json").stdout.splitlines()
    assert [msgspec.json.decode(line, type=Decision) for line in lines] == DECISIONS


def test_a_page_has_the_decisions_too(tmp_path: Path) -> None:
    out = tmp_path / "out.html"
    piped("replay", str(PERUDO), "--review", "B", "--html", str(out))
    assert out.read_text().count('"doubt":') == len(DECISIONS)


def test_the_review_of_a_damaged_match_goes_as_far_as_the_match(tmp_path: Path) -> None:
    raw = json.loads(PERUDO.read_text())
    raw["actions"][10][1] = "99x1"
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(raw))
    done = piped("replay", str(path), "--review", "B")
    assert (done.returncode, done.stderr[:25]) == (2, "calza: action 10: '99x1' ")
    assert "None of 1 decision gave up" in done.stdout


def test_a_seat_that_is_not_at_the_table_is_refused() -> None:
    done = piped("replay", str(PERUDO), "--review", "Z")
    assert (done.returncode, done.stderr) == (2, "calza: cannot read 'Z': seats are A to D\n")
