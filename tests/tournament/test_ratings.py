"""Ratings of fields whose strengths are known: they are found, and intervals hold what they should."""

from math import inf, log10

import numpy as np
import pytest

from benchmarks.honesty import ALIKE, DICE, FIVE, HOPELESS, LUCKS, TWO, Luck, coverage, tournament
from calza.tournament.limits import as_normal, limits, logistic, student
from calza.tournament.ratings import Resampled, islands, share_of
from calza.tournament.strengths import Counts


def won(*pairs: tuple[int, int, int], bots: int = 2, bins: int = 20) -> Counts:
    """Counts of games that i won of j, so many in each of the bins."""
    ahead = np.zeros((bins, bots, bots), np.int64)
    for i, j, games in pairs:
        ahead[:, i, j] = 2 * games
    return ahead


def seen(ahead: Counts) -> Resampled:
    """Counts, resampled."""
    return Resampled(ahead, np.random.default_rng(1), 400)


def test_three_games_of_four_are_191_elo() -> None:
    first, second = seen(won((0, 1, 75), (1, 0, 25))).ratings
    assert first.elo == pytest.approx(200 * log10(3), abs=0.1)
    assert first.elo == pytest.approx(-second.elo)


def test_known_strengths_are_found() -> None:
    resampled = seen(tournament(FIVE, 2, 2000, DICE, np.random.default_rng(2)))
    found = [one.elo for one in resampled.ratings]
    assert found == pytest.approx(list(FIVE - resampled.zero @ FIVE), abs=12)
    assert resampled.superiority(0, 4) > 0.999
    assert resampled.superiority(0, 4) == pytest.approx(1 - resampled.superiority(4, 0))


def test_who_never_won_is_only_below_a_rating_and_moves_nobody() -> None:
    five = tournament(FIVE, 2, 200, DICE, np.random.default_rng(3))
    joined = np.zeros((len(five), 6, 6), np.int64)
    joined[:, :5, :5] = five
    joined[:, :5, 5] = 2
    alone, together = seen(five).ratings, seen(joined).ratings
    assert (together[5].low, together[5].high < together[4].elo) == (-inf, True)
    assert [one.elo for one in together[:5]] == pytest.approx([one.elo for one in alone], abs=2)
    assert all(-inf < one.low < one.elo < one.high < inf for one in together[:5])


def test_of_bots_who_never_met_nothing_is_said() -> None:
    ahead = won((0, 1, 3), (1, 0, 1), (2, 3, 1), (3, 2, 3), bots=4)
    assert islands(ahead.sum(axis=0)).tolist() == [[i // 2 == j // 2 for j in range(4)] for i in range(4)]
    resampled = seen(ahead)
    assert resampled.share(0, 2) is None
    assert resampled.superiority(0, 2) == 0.5
    assert resampled.ratings[0].elo == pytest.approx(-resampled.ratings[1].elo)


def test_groups_that_are_all_alike_do_not_make_an_interval_of_nothing() -> None:
    rating, _ = seen(won((0, 1, 3), (1, 0, 1), bins=4)).ratings
    assert rating.high - rating.elo > 50
    one = seen(won((0, 1, 3), (1, 0, 1), bins=1)).ratings[0]
    assert (one.low, one.high) == (-inf, inf)


def test_of_bots_that_came_out_even_in_every_group_nothing_is_sure() -> None:
    """As of two bots that play the same: every game of one is a game of the other, with the same dice."""
    resampled = seen(won((0, 1, 1), (1, 0, 1), bins=40))
    assert resampled.superiority(0, 1) == 0.5
    first, second = resampled.ratings
    assert (first.elo, first.low < -20, first.high > 20) == (0, True, True)
    assert second == first
    share = resampled.share(0, 1)
    assert share
    assert (share.share, share.low < 0.45, share.high > 0.55) == (0.5, True, True)
    assert 0.3 < share.low


def test_bins_of_unequal_size_may_be_alike_too() -> None:
    drawn = np.random.default_rng(1).integers(200, 400, 400)[:, None] * np.array([1.0, 2.0])
    share = share_of(300.0, 600.0, drawn, 256)
    assert (share.share, share.low, share.high) == pytest.approx((1 / 3, 0.303, 0.365), abs=0.003)


def test_two_that_play_the_same_are_even_whoever_else_plays() -> None:
    resampled = seen(won((0, 1, 1), (1, 0, 1), (2, 0, 3), (0, 2, 1), (2, 1, 3), (1, 2, 1), bots=3, bins=40))
    assert resampled.superiority(0, 1) == pytest.approx(0.5, abs=1e-6)
    assert resampled.superiority(2, 0) > 0.99


def test_where_nothing_was_lost_a_share_is_as_sure_as_its_games() -> None:
    share = share_of(20.0, 0.0, np.tile([20.0, 0.0], (400, 1)), 20)
    assert (share.share, share.low) == (1.0, pytest.approx(0.8316, abs=1e-4))
    assert share.low <= share.share <= share.high


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"), [(0, 20, 0, 0.1684), (5, 10, 0.1871, 0.8129), (20, 20, 0.8316, 1)]
)
def test_limits_of_a_chance_are_those_of_the_tables(wins: float, games: float, low: float, high: float) -> None:
    assert limits(wins, games) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


@pytest.mark.parametrize(("freedom", "point"), [(3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (1000, 1.962)])
def test_points_of_students_t_are_those_of_the_tables(freedom: int, point: float) -> None:
    assert student(freedom) == pytest.approx(point, rel=0.012)
    assert as_normal(student(freedom), freedom) == pytest.approx(1.96, abs=0.001)
    assert as_normal(-student(freedom), freedom) == pytest.approx(-1.96, abs=0.001)


def test_far_odds_do_not_overflow() -> None:
    assert [logistic(odds) for odds in (-2000.0, 0.0, 2000.0)] == [0.0, 0.5, 1.0]


@pytest.mark.parametrize("luck", LUCKS.values(), ids=LUCKS)
@pytest.mark.parametrize(("elo", "players"), [(TWO, 2), (FIVE, 3)], ids=["two", "five"])
def test_intervals_hold_the_truth_about_as_often_as_they_say(elo: tuple[float, ...], players: int, luck: Luck) -> None:
    """80 fields: an interval of three quarters of its width would fail."""
    for one in coverage(elo, players, 100, luck, 80, np.random.default_rng(4), resamples=200):
        assert 0.90 < one.held <= 1


@pytest.mark.slow
@pytest.mark.parametrize("luck", [DICE, ALIKE], ids=["dice", "alike"])
@pytest.mark.parametrize("groups", [100, 1024])
@pytest.mark.parametrize(("elo", "players"), [(TWO, 2), (FIVE, 2), (FIVE, 3), (FIVE, 4)])
def test_intervals_hold_the_truth_in_93_to_97_of_100(
    elo: tuple[float, ...], players: int, groups: int, luck: Luck
) -> None:
    runs = 1500 if len(elo) == 2 else 500
    for one in coverage(elo, players, groups, luck, runs, np.random.default_rng(5)):
        assert 0.93 < one.held < 0.97


@pytest.mark.slow
def test_who_always_loses_does_not_spoil_the_intervals_of_the_others() -> None:
    ratings, _ = coverage((*FIVE, HOPELESS), 2, 100, DICE, 400, np.random.default_rng(6), of=slice(0, 5))
    assert 0.93 < ratings.held < 0.97
