"""`calza replay FILE --html OUT`: a page that plays the match."""

import json
from pathlib import Path

import pytest

from calza.agents.chances import chances
from calza.matches import read_record
from calza.show.film import film_of
from calza.show.player import replay_html

from .terminal import piped

PERUDO = Path(__file__).parents[1] / "records" / "perudo.json"


def page(view: int = -1) -> str:
    """The page of the golden match."""
    record = read_record(PERUDO.read_bytes())
    return replay_html([film_of(record, chances(record))], view)


def test_a_page_is_written_with_the_odds_of_the_bids(tmp_path: Path) -> None:
    out = tmp_path / "match.html"
    done = piped("replay", str(PERUDO), "--html", str(out))
    assert (done.returncode, done.stdout, done.stderr) == (0, f"wrote {out}: open it in a browser\n", "")
    assert out.read_text(encoding="utf-8") == page()


def test_a_page_opens_with_the_cup_that_was_asked_for_and_may_go_to_a_pipe() -> None:
    done = piped("replay", "-", "--seat", "b", "--html", "-", typed=PERUDO.read_text())
    assert done.stdout == page(view=1)


def test_the_page_of_a_damaged_match_goes_as_far_as_the_match(tmp_path: Path) -> None:
    raw = json.loads(PERUDO.read_text())
    raw["actions"][3][1] = "99x1"
    path, out = tmp_path / "damaged.json", tmp_path / "out.html"
    path.write_text(json.dumps(raw))
    done = piped("replay", str(path), "--html", str(out))
    assert done.returncode == 2
    assert done.stderr.startswith("calza: action 3: '99x1'")
    assert done.stderr.count("\n") == 1
    assert "cannot be played" in out.read_text()


def test_a_full_disk_costs_no_page_that_was_there(tmp_path: Path) -> None:
    full = ("sh", "-c", 'ulimit -f 0; exec "$@"', "sh")
    out = tmp_path / "match.html"
    out.write_text("an older page")
    done = piped("replay", str(PERUDO), "--html", str(out), wrap=full)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"calza: {out}: file too large\n")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("match.html", "an older page")]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_page_may_go_to_a_device(tmp_path: Path) -> None:
    assert piped("replay", str(PERUDO), "--html", "/dev/null").returncode == 0
    done = piped("replay", str(PERUDO), "--html", "/dev/full")
    assert (done.returncode, done.stderr) == (2, "calza: /dev/full: no space left on device\n")


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["--html", "{folder}/none/out.html"], "calza: {folder}/none/out.html: no such file or directory"),
        (["--html", "{folder}"], "calza: {folder}: is a directory"),
        (["--html", "{file}"], "calza: {file} is the record itself; give the page a name of its own"),
        (["--html", "{folder}/x.html", "--json"], "calza: --json and --html are two ways to write a match; choose one"),
        (["--html", "{folder}/x.html", "--seat", "Z"], "calza: cannot read 'Z': seats are A to D"),
    ],
)
def test_what_cannot_be_written_is_one_sentence_and_writes_nothing(tmp_path: Path, args: list[str], why: str) -> None:
    file = tmp_path / "match.json"
    file.write_bytes(PERUDO.read_bytes())
    words = {"folder": tmp_path, "file": file}
    done = piped("replay", str(file), *(arg.format(**words) for arg in args))
    assert (done.returncode, done.stdout, done.stderr) == (2, "", why.format(**words) + "\n")
    assert file.read_bytes() == PERUDO.read_bytes()
    assert not (tmp_path / "x.html").exists()
