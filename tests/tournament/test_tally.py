"""Tallies: whole numbers that add, whatever the scoring."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calza.rules import CATALOG, Game
from calza.tournament.tally import SCALE, Group, Tally, add_groups, arrays, empty, pack, score, unpack, widened
from tests.tournament.helpers import plan, same


@pytest.mark.parametrize("scoring", ["wins", "places", "dice"])
def test_the_points_of_a_game_add_up_to_one(scoring: Any) -> None:
    for places in product(range(1, 7), repeat=4):
        if all(place == sorted(places).index(place) + 1 for place in places):
            dice = [3 if place == 1 else 0 for place in places]
            points = score(scoring, places, dice)
            assert abs(sum(points) - SCALE) <= 4
            better = product(zip(places, points, strict=True), repeat=2)
            assert all(a >= b for (p, a), (q, b) in better if p <= q)


def test_points_by_scoring() -> None:
    assert score("wins", (2, 1, 2), (0, 4, 0)) == (0, SCALE, 0)
    assert score("wins", (1, 1, 3), (1, 1, 0)) == (SCALE // 2, SCALE // 2, 0)
    assert score("places", (1, 2, 3), (4, 0, 0)) == (SCALE * 2 // 3, SCALE // 3, 0)
    assert score("places", (1, 2, 2, 4), (4, 0, 0, 0)) == (SCALE // 2, SCALE // 4, SCALE // 4, 0)
    assert score("dice", (1, 2), (4, 0)) == (SCALE, 0)
    assert score("dice", (1, 1), (3, 1)) == (SCALE * 3 // 4, SCALE // 4)


def test_a_group_counts_who_was_ahead_of_whom_and_from_which_seat() -> None:
    game = Game(CATALOG["liars-dice"], 3, seed=1)
    opener = game.turn
    loser, middle = (opener + 1) % 3, (opener + 2) % 3
    game.forfeit(loser)
    game.forfeit(middle)
    order = [0, 0, 0]  # which of the table sits where
    order[opener], order[middle], order[loser] = 2, 1, 0
    group = Group((0, 1, 3), 5, "wins")
    group.ends.append((order, opener, game.state, game.sequence))
    tally = empty(plan(players=3))
    add_groups(tally, [group])
    assert tally.ahead[5].tolist() == [[0] * 4, [2, 0, 0, 0], [0] * 4, [2, 2, 0, 0]]
    assert tally.games[5].tolist() == [1, 1, 0, 1]
    assert tally.points[5].tolist() == [0, 0, 0, SCALE]
    assert tally.wins.tolist() == [0, 0, 0, 1]
    assert tally.seats.tolist() == [[1, 1], [1, 0], [1, 0]]


def test_the_seat_counts_from_the_opener_on() -> None:
    group = Group((0, 1, 2), 0, "wins")
    group.finished([0, 1, 2], 2, (2, 1, 3), (0, 4, 0))
    assert group.seats == [0, 0, 1]  # seat 1 stands two places behind seat 2


@given(st.integers(0, 2**31), st.integers(2, 5))
def test_tallies_add_and_survive_their_bytes(seed: int, entries: int) -> None:
    random = np.random.default_rng(seed)
    of = plan(*(f"cautious:call=0.{one}" for one in range(1, entries + 1)))
    one, two = empty(of), empty(of)
    for tally in (one, two):
        for array, _ in (*arrays(tally, tally), *arrays(tally.watched, tally.watched)):
            array += random.integers(0, 99, array.shape)
    slowest = np.maximum(one.times[:, 2], two.times[:, 2])
    total = unpack(pack(one))
    assert same(total, one)
    assert (total.times == one.times).all()
    total.add(two)
    assert (total.ahead == one.ahead + two.ahead).all()
    assert (total.watched.acts == one.watched.acts + two.watched.acts).all()
    assert (total.times[:, 2] == slowest).all()


def test_a_tally_grows_with_the_entries() -> None:
    few, many = plan("cautious", "random"), plan("cautious", "random", "honest")
    tally: Tally = empty(few)
    tally.wins += (3, 4)
    tally.ahead[7, 0, 1] = 9
    wide = widened(tally, many)
    assert wide.wins.tolist() == [3, 4, 0]
    assert wide.ahead[7].tolist() == [[0, 9, 0], [0, 0, 0], [0, 0, 0]]
    assert wide.games.shape == empty(many).games.shape
