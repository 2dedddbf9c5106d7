"""The words of a decision that is seen from afterwards."""

import pytest
from msgspec.structs import replace

from calza.rules import CATALOG
from calza.show import Cast
from calza.show.hindsight import Decision, judged

CAST = Cast(("Ann", "Ben"))
DECISION = Decision(3, 0, 2, "4x5", -0.5, 0.1, "liar", 0.0, 0.5, 0.1, costly=True)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, 'Ann bids four fives. As far as Ann could know, to say "dudo" was worth 0.50 dice more.'),
        (
            {"played": "exact", "best": "1x1", "seat": 1},
            'Ben says "calza". As far as Ben could know, to bid one one was worth 0.50 dice more.',
        ),
        (
            {"costly": False},
            'Ann bids four fives. Perhaps to say "dudo" was a little better, but not by more than chance explains.',
        ),
        (
            {"costly": False, "cost": -0.2},
            'Ann bids four fives. Nothing better was found; the next best was to say "dudo".',
        ),
    ],
)
def test_a_decision_is_told_in_plain_words(changes: dict[str, object], says: str) -> None:
    assert judged(replace(DECISION, **changes), CAST, CATALOG["perudo"]) == says


def test_whoever_is_spoken_to_reads_about_themselves() -> None:
    said = judged(DECISION, replace(CAST, you=0), CATALOG["perudo"])
    assert said == 'You bid four fives. As far as you could know, to say "dudo" was worth 0.50 dice more.'
