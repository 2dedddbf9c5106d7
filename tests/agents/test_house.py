"""The house bots: always legal, as their names say, settable."""

from math import isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calza.agents import HOUSE, HouseAgent, bid_odds, parse_agent
from calza.agents.house import AgentError, Spec, noise_key
from calza.matches import run
from calza.rules import CATALOG, Bid, Call, Game, MixDice, Rules, Setup
from tests.strategies import any_rules, games, seeds, specs

LIARS_DICE = CATALOG["liars-dice"]


@settings(max_examples=200)
@given(games(), specs(), seeds)
def test_a_house_bot_is_always_legal(game: Game, spec: Spec, key: int) -> None:
    if not game.over:
        action = HouseAgent(spec, key).act(game.view(game.turn))
        assert action in game.legal(game.turn)


@settings(max_examples=40)
@given(any_rules, st.lists(specs(), min_size=2, max_size=6), seeds)
def test_the_same_key_plays_the_same_game(rules: Rules, field: list[Spec], seed: int) -> None:
    players = max(rules.min_players, min(len(field), rules.max_players))
    field = (field * players)[:players]
    one, two = (Game(rules, players, seed=seed) for _ in range(2))
    for game in (one, two):
        run(game, [HouseAgent(spec, noise_key(seed)).act for spec in field], limit=300)
    assert one.plies == two.plies


def at(
    *cups: str, bids: tuple[tuple[int, str], ...] = (), rules: str = "liars-dice", dice: tuple[int, ...] = ()
) -> Game:
    """A position; the last cup may be left to chance."""
    hands = tuple(tuple(map(int, cup)) for cup in cups)
    return Game.at(CATALOG[rules], Setup(dice=dice or tuple(map(len, hands)), cups=hands, bids=bids), seed=3)


def act(spec: str, game: Game, key: int = 1) -> Bid | Call:
    """What a house bot does in a position."""
    action = HouseAgent(parse_agent(spec), key).act(game.view(game.turn))
    assert isinstance(action, Bid | Call)
    return action


def test_the_skeptic_calls_at_once() -> None:
    assert act("skeptic", at("22", "22", bids=((0, "1x2"),))) == Call("liar")
    assert isinstance(act("skeptic", at("22", "22")), Bid)


def test_the_believer_raises_as_long_as_it_can() -> None:
    assert act("believer", at("22", "22", bids=((0, "29x6"),))) == Bid(15, 1)
    assert act("believer", at("22", "22", bids=((0, "30x1"),))) == Call("liar")


@given(games(), seeds)
def test_the_honest_bot_bids_no_more_than_it_expects(game: Game, key: int) -> None:
    if game.over or not game.view(game.turn).quantity:
        return
    view = game.view(game.turn)
    action = act("honest", game, key)
    if isinstance(action, Bid):
        wild = game.charts.wild[view.mode]
        counting = 2 if wild not in (0, action.face) else 1
        assert action.quantity <= view.matching[action.face] + view.unknown * counting / len(game.charts.faces) + 1e-9


@given(games(), st.floats(0, 1), seeds)
def test_the_cautious_bot_calls_below_its_threshold(game: Game, call: float, key: int) -> None:
    if game.over or not game.state.quantity:
        return
    view = game.view(game.turn)
    odds = bid_odds(view, Bid(view.quantity, view.face)).holds
    action = act(f"cautious:call={call}", game, key)
    if odds < call and not isclose(odds, call):
        assert action == Call("liar")
    elif odds > call and not isclose(odds, call) and game.legal(game.turn).bids:
        assert isinstance(action, Bid)
        least = [Bid(one, face) for face, one in enumerate(game.legal(game.turn).least) if one]
        assert action in least
        best = max(bid_odds(view, bid).holds for bid in least)
        assert isclose(bid_odds(view, action).holds, best)


def test_the_bluffer_bids_on_nothing_as_often_as_it_is_told() -> None:
    game = at("22222", "", dice=(5, 5))
    bluffs = [act("bluffer:bluff=0.3", game, key).face != 2 for key in range(4000)]  # type: ignore[union-attr]
    # Five standard deviations of 4000 tries at 0.3; a bluff on a face of which it has nothing.
    assert abs(sum(bluffs) / 4000 - 0.3) < 5 * (0.3 * 0.7 / 4000) ** 0.5
    assert act("bluffer:bluff=0", game) == act("cautious", game)
    everything = at("123456", "", dice=(6, 5), rules="exact")
    assert act("bluffer:bluff=1", everything) == act("cautious", everything)


def test_the_listener_believes_what_others_have_bid() -> None:
    game = at("56", "", "", dice=(2, 5, 5), bids=((1, "3x4"), (2, "4x4")))
    assert bid_odds(game.view(0), Bid(4, 4)).holds < 0.45
    assert act("cautious:call=0.5", game) == Call("liar")
    assert act("listener:call=0.5:trust=1", game) != Call("liar")
    assert act("listener:call=0.5:trust=0", game) == Call("liar")


def test_the_random_bot_plays_every_legal_action_alike() -> None:
    game = at("56", "12", rules="exact", bids=((0, "3x3"),))
    legal = [action for action in game.legal(1) if str(action) != "resign"]
    seen = [act("random", game, key) for key in range(3000)]
    assert set(seen) == set(legal)
    even = 3000 / len(legal)
    # Chi-square of 10 degrees of freedom: 35.6 is passed once in ten thousand.
    assert len(legal) == 11
    assert sum((seen.count(action) - even) ** 2 / even for action in legal) < 35.6


def test_cautious_beats_random() -> None:
    won = 0
    for number in range(60):
        game = Game(LIARS_DICE, 2, seed=MixDice(3, number))
        run(game, [HouseAgent(parse_agent(name), number).act for name in ("cautious", "random")])
        won += game.places[0] == 1
    assert won >= 58


def test_an_agent_sits_down_at_another_table() -> None:
    agent = HouseAgent(parse_agent("cautious"), 1)
    for name in ("joker", "openspiel"):
        game = Game(CATALOG[name], 2, seed=1)
        assert agent.act(game.view(game.turn)) in game.legal(game.turn)


@pytest.mark.parametrize("text", [*HOUSE, "cautious:call=0.2", "bluffer:call=0.3:bluff=0.25"])
def test_specs_are_read_and_printed(text: str) -> None:
    spec = parse_agent(text)
    assert str(spec) == text
    assert parse_agent(str(spec)) == spec
    assert HouseAgent(spec, 1).name == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there is no house bot ''; there are random, skeptic"),
        ("cautios", "there is no house bot 'cautios'; did you mean cautious?"),
        ("cautious:cal=0.3", "cautious has no setting 'cal'; it has call"),
        ("random:call=0.3", "random has no setting 'call'; it has none"),
        ("bluffer:luck=1", "bluffer has no setting 'luck'; it has call and bluff"),
        ("cautious:call=high", "cautious:call is a number from 0 to 1, not 'high'"),
        ("cautious:call=1.5", "cautious:call is a number from 0 to 1, not '1.5'"),
        ("cautious:call=nan", "cautious:call is a number from 0 to 1, not 'nan'"),
        ("cautious:call", "cautious:call is a number from 0 to 1, not ''"),
    ],
)
def test_what_is_no_agent_says_why(text: str, why: str) -> None:
    with pytest.raises(AgentError) as error:
        parse_agent(text)
    assert str(error.value).startswith(why)
