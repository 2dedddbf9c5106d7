"""What the arena shows of a match is turned into the very view that the arena's own engine would give a bot."""

from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from calza.client.errors import ClientError
from calza.client.position import against, position_of, rules_of, travelling
from calza.client.replies import GamePage, Sight
from calza.rules import CATALOG, RESIGN, Bid, Call, Game, parse_action
from calza.rules.rules import data
from tests.client.standin import notation, sight

PLAYED = [name for name, rules in CATALOG.items() if rules.end == "last"]
IDS = ["ann", "ben", "cem", "dee", "eva", "fay"]


def seen(game: Game, seat: int, **changes: object) -> Sight:
    """What a seat is shown, as it travels."""
    shown = sight(game, seat, IDS[: game.state.seats]) | changes
    return msgspec.json.decode(msgspec.json.encode(shown), type=Sight)


@st.composite
def games(draw: st.DrawFn) -> tuple[str, Game]:
    """A game of any variant, somewhere in its middle."""
    name, seed = draw(st.sampled_from(PLAYED)), draw(st.integers(0, 2**32))
    game, chance = Game(CATALOG[name], draw(st.integers(2, 6)), seed=seed), Random(seed)
    for _ in range(draw(st.integers(0, 60))):
        legal = [action for action in game.legal(game.turn) if action != RESIGN]
        low = [action for action in legal if isinstance(action, Call)] + legal[:3]
        before = game.copy()
        game.step(chance.choice(low))
        if game.over:
            return name, before
    return name, game


@given(games())
def test_a_bot_sees_online_what_it_sees_in_a_tournament(played: tuple[str, Game]) -> None:
    name, game = played
    for seat, dice in enumerate(game.state.dice):
        position = position_of(seen(game, seat), CATALOG[name], game.sequence)
        assert position.seat == seat
        if dice:
            assert position.view == game.view(seat)
            assert position.view.legal() == game.legal(seat)


@given(games())
def test_every_legal_action_travels_there_and_back(played: tuple[str, Game]) -> None:
    name, game = played
    for action in game.legal(game.turn):
        assert parse_action(notation(dict(travelling(action, CATALOG[name]))), CATALOG[name]) == action


def test_the_others_are_named_clockwise() -> None:
    game = Game(CATALOG["liars-dice"], 3, seed=1)
    assert against(seen(game, 1)) == ["CEM", "ANN"]
    assert against(seen(game, 0, table=None, players=[])) == ["ben", "cem"]
    assert position_of(seen(game, 1), CATALOG["liars-dice"], 0).names == ("ANN", "BEN", "CEM")


def test_an_arena_that_tells_no_numbers_is_understood_all_the_same() -> None:
    game = Game(CATALOG["liars-dice"], 3, seed=1)
    game.step("2x3")
    seat = game.turn
    position = position_of(seen(game, seat, table=None, players=[]), CATALOG["liars-dice"], 1)
    view = position.view
    assert (view.seat, view.cup, view.bid) == (0, game.view(seat).cup, Bid(2, 3))
    assert (view.turn, view.bidder, view.total, view.sequence) == (0, 2, 15, 1)
    assert view.legal() == game.legal(seat)
    assert position.names == (IDS[seat], IDS[(seat + 1) % 3], IDS[(seat + 2) % 3])


def test_rules_are_those_of_the_arena() -> None:
    own = replace(CATALOG["joker"], dice=3)
    assert rules_of(GamePage(id="joker", rules_data=data(own))) == own
    assert rules_of(GamePage(id="joker")) == CATALOG["joker"]


@pytest.mark.parametrize("told", [None, {"name": "poker", "cards": 52}, {"name": "poker", "calls": []}])
def test_rules_that_cannot_be_played_here_are_told(told: object) -> None:
    with pytest.raises(ClientError, match="the rules of poker are none that this version of calza can play"):
        rules_of(GamePage(id="poker", rules_data=told))
