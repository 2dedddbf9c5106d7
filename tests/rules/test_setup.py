"""Any position can be set up, and one that cannot be says why."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from calza.rules import CATALOG, Bid, Game, Rules, Setup, SetupError
from tests.strategies import any_rules, seeds

PERUDO, LIARS_DICE = CATALOG["perudo"], CATALOG["liars-dice"]


def test_a_position_is_set_up_whole() -> None:
    setup = Setup(
        dice=(2, 0, 3, 1),
        start=(5, 5, 5, 5),
        cups=((), (), (2, 2, 6)),
        bids=((0, "1x2"), (2, "2x2")),
        round=7,
        special=True,
        used=(3,),
    )
    game = Game.at(PERUDO, setup, seed=1)
    state = game.state
    assert (state.dice, state.start, state.total, state.playing) == ([2, 0, 3, 1], [5] * 4, 6, 3)
    assert (state.turn, state.bidder, state.quantity, state.face, state.round, state.mode) == (3, 2, 2, 2, 7, 1)
    assert (state.used, state.out, state.wave) == ([0, 0, 0, 1], [0, 1, 0, 0], 1)
    assert game.hands[2] == (0, 0, 2, 0, 0, 0, 1)
    assert [sum(hand) for hand in game.hands] == [2, 0, 3, 1]
    assert game.view(3).bids == [(0, Bid(1, 2)), (2, Bid(2, 2))]
    assert game.view(3).special


def test_a_standing_bid_may_be_one_that_could_not_open() -> None:
    assert Game.at(PERUDO, Setup(dice=(5, 5), bids=((0, "3x1"),)), seed=1).legal(1).least == (0, 4, 7, 7, 7, 7, 7)


def test_one_round_is_won_by_who_loses_no_die_however_many_there_were() -> None:
    game = Game.at(CATALOG["openspiel"], Setup(dice=(1, 2), cups=((6,), (3, 3))), seed=1)
    game.play(0, "3x3")
    game.play(1, "liar")
    assert game.places == (1, 2)


def test_who_is_to_act_follows_from_the_bids_or_is_said() -> None:
    assert Game.at(LIARS_DICE, Setup(dice=(0, 5, 5)), seed=1).turn == 1
    assert Game.at(LIARS_DICE, Setup(dice=(5, 5, 5), bids=((2, "1x2"),)), seed=1).turn == 0
    assert Game.at(LIARS_DICE, Setup(dice=(5, 5, 5), bids=((2, "1x2"),), turn=1), seed=1).turn == 1


@given(any_rules, seeds, st.data())
def test_any_position_can_be_played_on(rules: Rules, seed: int, data: st.DataObject) -> None:
    seats = data.draw(st.integers(rules.min_players, min(rules.max_players, 6)))
    least = 1 if rules.end == "first-out" else 0
    dice = data.draw(st.lists(st.integers(least, 7), min_size=seats, max_size=seats))
    if sum(1 for one in dice if one) < 2:
        return
    game = Game.at(rules, Setup(dice=tuple(dice)), seed=seed)
    assert [sum(hand) for hand in game.hands] == dice
    assert game.legal(game.turn).bids


@pytest.mark.parametrize(
    ("rules", "setup", "why"),
    [
        (LIARS_DICE, Setup(dice=(5,)), "liars-dice is a game for 2 to 6 players, not 1"),
        (LIARS_DICE, Setup(dice=(5, 5), start=(5, 5, 5)), "dice for 2 seats and starts for 3"),
        (LIARS_DICE, Setup(dice=(5, 5), start=(5, 16)), "a seat starts with 1 to 15 dice, not 16"),
        (LIARS_DICE, Setup(dice=(5, 0)), "the game would be over already"),
        (CATALOG["joker"], Setup(dice=(5, 1001), start=(5, 5)), "a cup holds 0 to 1000 dice, not 1001"),
        (LIARS_DICE, Setup(dice=(5, -1, 5)), "a cup holds 0 to 1000 dice, not -1"),
        (LIARS_DICE, Setup(dice=(5, 5), special=True), "liars-dice has no special rounds with 2 players"),
        (PERUDO, Setup(dice=(1, 5), special=True), "perudo has no special rounds with 2 players"),
        (LIARS_DICE, Setup(dice=(5, 5), bids=((0, "5x3"), (1, "2x3"))), "B cannot have bid 2x3 after 5x3"),
        (LIARS_DICE, Setup(dice=(5, 5), bids=((0, "5x3"), (0, "6x3"))), "A cannot have bid 6x3 after 5x3"),
        (CATALOG["snyd"], Setup(dice=(2, 1), start=(5, 5)), "snyd is one round: it starts with the dice that it has"),
        (LIARS_DICE, Setup(dice=(5, 5), turn=2), "there is no seat 2: seats are 0 to 1"),
        (LIARS_DICE, Setup(dice=(5, 5), turn=-1), "there is no seat -1: seats are 0 to 1"),
        (LIARS_DICE, Setup(dice=(5, 5), bids=((-1, "1x2"),)), "there is no seat -1"),
        (LIARS_DICE, Setup(dice=(5, 5), used=(3,)), "there is no seat 3"),
        (LIARS_DICE, Setup(dice=(5, 5, 0), turn=2), "C has no dice and can neither bid nor act"),
        (LIARS_DICE, Setup(dice=(5, 5), bids=((0, "1x2"),), turn=0), "A made the standing bid"),
        (LIARS_DICE, Setup(dice=(5, 5), bids=((0, "liar"),)), "a setup's bids are bids such as 4x3"),
        (LIARS_DICE, Setup(dice=(5, 5), bids=((0, "1x7"),)), "a setup's bids are bids such as 4x3"),
        (LIARS_DICE, Setup(dice=(5, 5), bids=((0, "0x2"),)), "a setup's bids are bids such as 4x3"),
        (PERUDO, Setup(dice=(5, 5), bids=((0, "11x2"),)), "the bid 11x2 is more than the 10 dice"),
        (LIARS_DICE, Setup(dice=(5, 5), cups=((), (), (1,))), "3 cups for 2 seats"),
        (LIARS_DICE, Setup(dice=(5, 2), cups=((), (1, 2, 3))), "the cup of B shows 3 dice, but it has 2"),
        (LIARS_DICE, Setup(dice=(5, 2), cups=((), (1, 7))), "the cup of B shows a 7; dice have faces 1 to 6"),
    ],
)
def test_a_position_that_cannot_be_says_why(rules: Rules, setup: Setup, why: str) -> None:
    with pytest.raises(SetupError, match=why):
        Game.at(rules, setup, seed=1)


def test_a_first_out_game_with_somebody_out_is_over() -> None:
    rules = replace(LIARS_DICE, end="first-out")
    with pytest.raises(SetupError, match="over already"):
        Game.at(rules, Setup(dice=(5, 5, 0)), seed=1)
