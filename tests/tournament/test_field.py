"""Players for a match: nobody learns the dice from what is handed to them, or from a match that they have played."""

import hashlib
import hmac
import json
from pathlib import Path

import pytest

from calza.agents.entry import parse_entry
from calza.matches import read_record, verify
from calza.rules.record import HmacSource
from calza.tournament.play import group_seed
from tests.tournament.helpers import plan, played

REMEMBERS = """
import json, sys
seen = []
class Remembers:
    def act(self, view):
        key = [view.round, list(view.dice), view.seat, view.turn]
        print(json.dumps([view.round, view.seat, list(view.cup), len(seen)]), file=sys.stderr)
        seen.append(key)
        return "liar" if view.quantity else "1x2"
"""


def test_the_seed_of_a_group_is_derived_as_the_page_says() -> None:
    key = hashlib.sha256(b"calza tournament 1" + (7).to_bytes(8, "big")).digest()
    assert group_seed(7, 3) == hmac.new(key, (3).to_bytes(8, "big"), hashlib.sha256).digest()


@pytest.fixture
def remembers(tmp_path: Path) -> Path:
    path = tmp_path / "remembers.py"
    path.write_text(REMEMBERS)
    return path


def test_with_foreign_bots_every_group_has_a_secret_seed_of_its_own(remembers: Path, tmp_path: Path) -> None:
    one = plan(str(remembers), "cautious")
    kept = played(one, range(3), tmp_path / "out").kept
    sources = [read_record(match.record).dice for match in kept]
    assert all(isinstance(source, HmacSource) for source in sources)
    for match in kept:
        assert verify(read_record(match.record)).seated
        assert read_record(match.record).dice.seed == group_seed(7, match.unit).hex()  # type: ignore[union-attr]


def test_no_process_plays_two_games_on_the_same_dice(remembers: Path, tmp_path: Path) -> None:
    """Else the second would be played with open cups by a bot that remembers the first."""
    one = plan(str(remembers), "cautious", groups=4)
    field_logs = tmp_path / "out"
    played(one, range(4), field_logs)
    lines = (field_logs / "logs").read_text() if (field_logs / "logs").is_file() else ""
    for log in sorted((field_logs / "logs").glob("*.log")):
        lines += log.read_text()
    # Two processes, one for each rotation, remember as much as each other, and neither of them everything.
    remembered = [json.loads(line)[3] for line in lines.splitlines() if line.startswith("[")]
    assert remembered.count(0) == 2
    assert max(remembered) < len(remembered) - 1


def test_a_bot_of_ones_own_is_not_kept_secrets_from(tmp_path: Path) -> None:
    kept = played(plan(), range(2), tmp_path).kept
    assert all(not isinstance(read_record(match.record).dice, HmacSource) for match in kept)
    assert parse_entry("cautious").inline
