"""Sequential tests: what they are asked, and how often they are wrong."""

from math import inf, sqrt

import numpy as np
import pytest

from benchmarks.honesty import LUCKS, Luck, errors
from calza.tournament.sprt import SprtError, Sums, elo_of, parse_sprt, score_of
from calza.tournament.sprt import Test as Sprt

FAR = Sprt(0, 50, players=2)


@pytest.mark.parametrize(
    ("elo", "players", "score"), [(0, 2, 1 / 2), (0, 6, 1 / 6), (400, 2, 10 / 11), (400, 4, 10 / 13)]
)
def test_a_rating_is_a_share_of_the_games(elo: float, players: int, score: float) -> None:
    assert score_of(elo, players) == pytest.approx(score)
    assert elo_of(score, players) == pytest.approx(elo)
    assert (elo_of(0, players), elo_of(1, players)) == (-inf, inf)


def test_few_groups_decide_nothing_however_clear() -> None:
    assert FAR.feed([1.0] * (FAR.least - 1)).verdict.decided is None
    assert FAR.feed([1.0] * 100).index == FAR.least - 1
    assert FAR.feed([1.0] * 100).verdict.decided == "H1"
    assert FAR.feed([0.0] * 100).verdict.decided == "H0"


def test_portions_end_where_the_whole_does() -> None:
    scores = np.random.default_rng(1).choice([0.0, 0.5, 0.5, 1.0, 1.0], size=3000).tolist()
    whole = FAR.feed(scores)
    assert whole.verdict.decided == "H1"
    sums = Sums()
    for first in range(0, len(scores), 7):
        part = FAR.feed(scores[first : first + 7], sums)
        sums = part.sums
    assert (part.verdict, part.sums) == (whole.verdict, whole.sums)


def test_rotations_that_cancel_say_more_than_ones_that_agree() -> None:
    """The same games won: in pairs of a win and a loss nearly all is skill, in double wins and losses much is luck."""
    cancel, agree = Sums(), Sums()
    for even in range(200):
        cancel += Sums(1, 0.5, 0.25) if even % 10 else Sums(1, 1.0, 1.0)
        agree += Sums(1, *([1.0, 1.0] if even % 20 < 11 else [0.0, 0.0]))
    assert cancel.total == agree.total
    assert FAR.verdict(cancel).llr > 2 * FAR.verdict(agree).llr > 0
    assert FAR.verdict(cancel).high < FAR.verdict(agree).high


def test_who_ends_every_group_even_is_not_better_but_not_known_to_be_just_as_good() -> None:
    verdict = FAR.feed([0.5] * 1000).verdict
    assert verdict.decided == "H0"
    assert verdict.low < -10 < verdict.elo < 10 < verdict.high


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("elo0=0", "a test needs elo1"),
        ("elo0=10 elo1=5", "elo0 must be less than elo1, not 10 and 5"),
        ("elo0=0 elo1=10 alpha=0.7", "alpha and beta lie between 0 and 0.5, not at 0.7 and 0.05"),
        ("elo0=0 elo1=inf", "elo1"),
        ("elo0=0 elo0=1 elo1=10", "elo0 is given twice"),
        ("elo=10", "a test has no 'elo'"),
        ("elo0=0 elo1=5000", "elo0 and elo1 lie between -1000 and 1000"),
    ],
)
def test_a_test_that_cannot_be_made_is_refused(text: str, why: str) -> None:
    with pytest.raises(SprtError, match=why):
        parse_sprt(text, 2)


def test_what_is_asked_is_read() -> None:
    assert parse_sprt("elo0=-5, elo1=5 beta=0.1", 3) == Sprt(-5, 5, players=3, beta=0.1)


@pytest.mark.parametrize("luck", LUCKS.values(), ids=LUCKS)
@pytest.mark.parametrize("players", [2, 6])
def test_a_test_is_seldom_wrong(players: int, luck: Luck) -> None:
    """200 tests a side: one that took every rotation for a sample of its own would fail."""
    test, rng = Sprt(0, 80, players), np.random.default_rng(2)
    for elo in (test.elo0, test.elo1):
        found = errors(test, elo, luck, 200, rng)
        assert found.wrong < 0.05 + 3 * sqrt(0.05 * 0.95 / 200)
        assert not found.undecided


@pytest.mark.slow
@pytest.mark.parametrize("luck", LUCKS.values(), ids=LUCKS)
@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_a_test_keeps_its_error_rates(players: int, luck: Luck) -> None:
    test, rng = Sprt(0, 30, players), np.random.default_rng(3)
    for elo in (test.elo0, test.elo1):
        assert errors(test, elo, luck, 2000, rng).wrong < 0.05 + 3 * sqrt(0.05 * 0.95 / 2000)
