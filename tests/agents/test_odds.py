"""Odds are exact: counted over every roll there is."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calza.agents.odds import Odds, bid_odds, chance, counting_faces, odds_chart, reach
from calza.rules import CATALOG, Bid, Game, Setup
from calza.rules.hands import counts, matching
from tests.strategies import any_rules, games


@pytest.mark.parametrize("name", CATALOG)
@pytest.mark.parametrize("special", [False, True])
def test_odds_are_the_share_of_all_rolls(name: str, special: bool) -> None:
    rules = CATALOG[name]
    if special and not rules.special:
        return
    others = (2, 1) if special else (3,)  # a special round needs three players
    setup = Setup(dice=(2, *others), cups=((1, 5),), special=special)
    game = Game.at(rules, setup, seed=1)
    wild = game.charts.wild[game.state.mode]
    own = matching(counts((1, 5), 6), wild)
    rolls = [matching(counts(roll, 6), wild) for roll in product(range(1, 7), repeat=3)]
    for quantity, face in product(range(1, 7), range(1, 7)):
        found = [own[face] + roll[face] for roll in rolls]
        holds = sum(count >= quantity for count in found) / len(rolls)
        exactly = sum(count == quantity for count in found) / len(rolls)
        assert bid_odds(game.view(0), Bid(quantity, face)) == Odds(holds, exactly)


def test_known_values() -> None:
    assert chance(1, 1, 1, 6) == Odds(1 / 6, 1 / 6)
    assert chance(2, 5, 2, 6) == Odds(131 / 243, 80 / 243)
    assert chance(0, 5, 2, 6) == Odds(1.0, 32 / 243)
    assert chance(-1, 5, 2, 6) == Odds(1.0, 0.0)
    assert chance(6, 5, 2, 6) == Odds(0.0, 0.0)
    assert (counting_faces(1, 3), counting_faces(1, 1), counting_faces(0, 3)) == (2, 1, 1)


def test_a_spectator_knows_no_dice() -> None:
    game = Game.at(CATALOG["joker"], Setup(dice=(1, 1), cups=((3,), ())), seed=1)
    assert bid_odds(game.spectator_view(), Bid(2, 3)).holds == 4 / 36
    assert bid_odds(game.view(0), Bid(2, 3)).holds == 12 / 36


@settings(max_examples=40)
@given(any_rules, st.integers(0, 40), st.integers(-2, 45))
def test_the_chart_of_the_policies_is_the_same(rules: object, unknown: int, need: int) -> None:
    chart = odds_chart(rules, 64)  # type: ignore[arg-type]
    charts = Game(rules, rules.min_players, seed=1).charts  # type: ignore[arg-type, attr-defined]
    for mode, wild in enumerate(charts.wild):
        for face in charts.faces:
            if need >= 0:
                start = chart.start[mode * (len(charts.faces) + 1) + face]
                wanted = chance(need, unknown, counting_faces(wild, face), len(charts.faces)).holds
                assert chart.tail[start + unknown * chart.stride + need] == wanted


@given(games())
def test_odds_are_chances(game: Game) -> None:
    for seat in range(game.state.seats):
        one = bid_odds(game.view(seat), Bid(3, 2))
        assert 0.0 <= one.exactly <= one.holds <= 1.0


def test_a_chart_reaches_beyond_the_dice_at_the_start() -> None:
    assert [reach(total) for total in (2, 10, 17, 120)] == [32, 32, 64, 160]
