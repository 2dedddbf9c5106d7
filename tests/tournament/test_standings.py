"""From tallies to results: every number with its interval, and the bots in their order."""

import csv
import io
import json
from pathlib import Path

import pytest

from calza.matches import read_record, verify
from calza.tournament.export import results_json, tables
from calza.tournament.plan import Plan
from calza.tournament.results import Results
from calza.tournament.run import play_tournament
from calza.tournament.standings import results_of, seat_share
from calza.tournament.store import Store
from tests.tournament.helpers import plan


def results(one: Plan, folder: Path) -> Results:
    """A tournament, played and told."""
    ended = play_tournament(one, folder)
    store = Store(folder, one)
    kept = store.kept()
    store.close()
    return results_of(one, ended, kept, name="Cup", seconds=2.0)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Four house bots, everybody against everybody."""
    return results(plan(groups=60), tmp_path_factory.mktemp("told"))


def test_the_best_come_first_and_the_pairs_follow_their_order(told: Results) -> None:
    shares = [one.points.value for one in told.standings]
    assert shares == sorted(shares, reverse=True)
    assert [one.rank for one in told.standings] == [1, 2, 3, 4]
    assert told.standings[-1].name == "random"
    for i, row in enumerate(told.pairs):
        assert row[i] is None
        for j, pair in enumerate(row):
            if pair:
                back = told.pairs[j][i]
                assert back
                assert pair.games == back.games == 120
                assert pair.ahead.value == pytest.approx(1 - back.ahead.value)
                assert pair.better == pytest.approx(1 - back.better)
    assert all(pair and pair.better > 0.99 for pair in [row[-1] for row in told.pairs[:-1]])


def test_no_number_that_chance_had_a_hand_in_comes_without_its_interval(told: Results) -> None:
    intervals = [one.points for one in told.standings]
    intervals += [one.rating for one in told.standings if one.rating]
    intervals += [pair.ahead for row in told.pairs for pair in row if pair]
    intervals += [seat.share for seat in told.seats]
    assert len(intervals) == 4 + 4 + 12 + 2
    hopeless = told.standings[-1].rating  # `random` won no game
    assert [one for one in intervals if one.low is None or one.high is None] == [hopeless]
    for one in intervals:
        assert one.low is None or one.low <= one.value
        assert one.high is None or one.value <= one.high


def test_points_and_seats_are_shares_of_all_games(told: Results) -> None:
    assert sum(one.points.value for one in told.standings) / 4 == pytest.approx(0.5)
    assert sum(seat.share.value for seat in told.seats) == pytest.approx(1.0)
    assert told.games == told.planned == 6 * 60 * 2
    assert sum(one.wins for one in told.standings) == told.games


def test_how_they_played_is_counted_over_watched_games(told: Results) -> None:
    assert told.watched == 6 * 20 * 2
    assert sum(told.round_counts) == told.watched
    assert sum(told.winner_dice) == told.watched
    by_name = {one.name: one.habits for one in told.standings}
    assert by_name["bluffer"]
    assert by_name["cautious"]
    assert by_name["bluffer"].bluffs > by_name["cautious"].bluffs
    assert by_name["cautious"].calls_right <= by_name["cautious"].calls


def test_in_a_knock_out_who_came_further_stands_higher(tmp_path: Path) -> None:
    one = plan("random", "cautious", "honest", "believer", format="knock-out", groups=40)
    told = results(one, tmp_path)
    assert [one.stage for one in told.standings] == ["final", "final", "semi-final", "semi-final"]
    assert told.standings[0].name == "cautious"
    assert {one.name for one in told.standings[2:]} == {"honest", "believer"}  # out in the first stage


def test_bots_that_never_met_are_not_compared(tmp_path: Path) -> None:
    told = results(plan("cautious", "random", "honest", "believer", format="swiss", rounds=1, groups=5), tmp_path)
    assert sum(pair is not None for row in told.pairs for pair in row) == 4
    assert any("Not all bots met" in note for note in told.notes)


def test_nothing_played_is_nothing_known(tmp_path: Path) -> None:
    from calza.tournament.run import Ended
    from calza.tournament.tally import empty

    one = plan()
    told = results_of(one, Ended(empty(one), [], 0))
    assert all(one.rating is None and one.points.low is None and one.habits is None for one in told.standings)
    assert all(seat.share.low is None for seat in told.seats)
    assert results_json(told)


def test_a_seat_that_always_won_may_have_been_lucky() -> None:
    share = seat_share(0, 20, 20, 2).share
    assert share.value == 1.0 == pytest.approx(share.high)
    assert share.low is not None
    assert 0.6 < share.low < 0.8


def test_everything_is_in_the_json_and_its_matches_are_records(told: Results) -> None:
    document = json.loads(results_json(told))
    assert len(document["shown"]) == 6
    record = read_record(json.dumps(document["shown"][0]["record"]))
    assert verify(record).finished
    assert document["standings"][0]["name"] == told.standings[0].name


def test_the_tables_are_csv(told: Results) -> None:
    files = {name: list(csv.DictReader(io.StringIO(text))) for name, text in tables(told).items()}
    assert set(files) == {
        "standings.csv", "pairs.csv", "seats.csv", "faults.csv", "soft-play.csv", "lengths.csv",
    }  # fmt: skip
    assert [row["name"] for row in files["standings.csv"]] == [one.name for one in told.standings]
    assert float(files["standings.csv"][0]["points"]) == told.standings[0].points.value
    assert len(files["pairs.csv"]) == 12
    assert [row["giver"] for row in files["soft-play.csv"]] == [one.giver for one in told.soft_play]
    assert {row["flagged"] for row in files["soft-play.csv"]} == {"0"}
    assert sum(int(row["games_of_so_many_rounds"] or 0) for row in files["lengths.csv"]) == told.watched


def test_a_name_is_no_formula(told: Results) -> None:
    from calza.tournament.export import safe

    assert safe("=1+1") == "'=1+1"
    assert safe("@ann") == "'@ann"
    assert safe(-3) == -3
    assert safe("ann") == "ann"


def test_bots_that_came_out_even_in_every_group_are_named(tmp_path: Path) -> None:
    told = results(plan("cautious", "cautious:call=0.35", "honest", groups=12), tmp_path)
    assert told.notes == (
        "cautious and cautious:call=0.35 came out even in every group of games: they may well play just the same.",
    )
