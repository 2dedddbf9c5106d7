"""One game: what can be asked of it and done with it."""

from collections.abc import Callable
from functools import partial
from hashlib import sha256
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calza.matches import read_record, verify, write_record
from calza.rules import (
    CATALOG,
    RESIGN,
    Bid,
    Call,
    Forfeit,
    Game,
    HmacDice,
    IllegalAction,
    NotationError,
    Penalty,
    Player,
    Refusal,
    Setup,
    SetupError,
)
from calza.rules.actions import Ply, parse_ply
from calza.rules.events import BidMade, Called, DiceChanged, Forfeited, GameOver, Out, Penalized, RoundBegan
from calza.rules.state import State
from tests.strategies import games, low_bids, play_on, seeds

LIARS_DICE = CATALOG["liars-dice"]


def at(*cups: str, rules: str = "liars-dice", **setup: object) -> Game:
    """A game with these cups; A is to act."""
    hands = tuple(tuple(map(int, cup)) for cup in cups)
    return Game.at(CATALOG[rules], Setup(dice=tuple(map(len, hands)), cups=hands, **setup), seed=1)  # type: ignore[arg-type]


def test_a_round_is_told_in_order() -> None:
    game = at("22345", "1", "66")
    assert game.play(0, "2x2") == [BidMade(seat=0, quantity=2, face=2)]
    game.play(1, "4x6")
    assert game.play(2, "liar") == [
        Called(
            seat=2, call="liar", bidder=1, quantity=4, face=6, count=3, shown=((2, 2, 3, 4, 5), (1,), (6, 6))
        ),
        DiceChanged(seat=1, change=-1, left=0),
        Out(seat=1),
        RoundBegan(round=2, seat=2, dice=(5, 0, 2)),
    ]  # fmt: skip


def test_a_game_ends_with_the_places() -> None:
    game = at("2", "3", "4")
    game.play(0, "3x2")
    game.play(1, "liar")
    assert (game.over, game.turn, game.places) == (False, 1, ())
    game.play(1, "1x5")
    assert game.play(2, "4x5")[0] == BidMade(seat=2, quantity=4, face=5)
    events = game.play(1, "liar")
    assert events[-2:] == [Out(seat=2), GameOver(places=(3, 1, 2))]
    assert (game.over, game.turn, game.places) == (True, -1, (3, 1, 2))


def test_a_reveal_may_show_only_what_counts() -> None:
    game = at("22345", "12", rules="exact")
    game.play(0, "3x2")
    called = game.play(1, "liar")[0]
    assert isinstance(called, Called)
    assert called.shown == ((2, 2), (2,))


def test_a_reveal_of_what_counts_includes_wild_dice() -> None:
    rules = CATALOG["liars-dice"].__class__(
        name="x", wild=1, reveal="matching", calls=LIARS_DICE.calls, raising=LIARS_DICE.raising
    )
    game = Game.at(rules, Setup(dice=(3, 2), cups=((1, 2, 5), (1, 5))), seed=1)
    game.play(0, "3x2")
    twin = game.copy()
    called = game.play(1, "liar")[0]
    assert isinstance(called, Called)
    assert called.shown == ((1, 2), (1,))
    twin.play(1, "2x1")
    called = twin.play(0, "liar")[0]
    assert isinstance(called, Called)
    assert called.shown == ((1,), (1,))


def test_a_seat_sees_its_own_cup_and_no_other() -> None:
    game = at("13345", "26")
    view = game.view(0)
    assert view.cup == (1, 3, 3, 4, 5)
    assert view.matching == (0, 1, 1, 3, 2, 2, 1)
    assert view.unknown == 2
    assert not hasattr(view, "cups")
    nobody = game.spectator_view()
    assert (nobody.seat, nobody.hand, nobody.cup, nobody.matching) == (-1, (), (), ())
    assert not list(nobody.legal())


@pytest.mark.parametrize("seat", [-1, 2])
def test_who_has_no_seat_sees_no_cup(seat: int) -> None:
    with pytest.raises(IndexError, match=f"there is no seat {seat}: seats are 0 to 1"):
        at("13345", "26").view(seat)


def test_a_view_stays_as_it_is_when_the_game_moves_on() -> None:
    game = at("13345", "26")
    game.play(0, "2x3")
    view = game.view(1)
    kept = repr(view)
    game.play(1, "3x3")
    game.play(0, "liar")
    assert repr(view).split("said=")[0] == kept.split("said=")[0]
    assert view.bids == [(0, Bid(2, 3))]
    assert view.bid == Bid(2, 3)
    assert view.dice == [5, 2]


def test_a_view_answers_what_its_owner_may_do() -> None:
    game = at("13345", "26")
    view = game.view(0)
    assert (view.bid, view.special, view.rules) == (None, False, LIARS_DICE)
    assert view.least(3) == 1
    assert view.charts is game.charts
    game.play(0, "30x6")
    assert game.view(1).least(5) == 0
    assert game.view(1).legal() == game.legal(1)
    assert list(game.view(1).legal()) == [*(Bid(quantity, 1) for quantity in range(15, 31)), Call("liar"), RESIGN]
    assert list(game.view(0).legal()) == [RESIGN]
    assert game.view(1).spoken == [6, 0]


@pytest.mark.parametrize(
    ("action", "refusal", "sentence"),
    [
        ("4x4", Refusal.TOO_LOW, "4x4 is too low after five fours; 6x4 is legal"),
        ("2x1", Refusal.TOO_LOW, "2x1 is too low after five fours; 3x1 is legal"),
        ("31x4", Refusal.TOO_MANY, "31x4 is too many: a bid names at most 30 dice, the rules allow no more"),
        ("5x7", Refusal.NO_SUCH_FACE, "dice have faces 1 to 6; 3x1 is legal"),
        (Call("exact"), Refusal.NO_SUCH_CALL, "this game has no call 'exact'; liar is legal"),
        (Call(None), Refusal.NO_SUCH_CALL, "this game has no call 'None'; liar is legal"),  # type: ignore[arg-type]
        (Call("x" * 10**6), Refusal.NO_SUCH_CALL, f"this game has no call '{'x' * 60}'; liar is legal"),
        (Forfeit("timeout"), Refusal.NOT_AN_ACTION, "'forfeit:timeout' is not an action"),
    ],
)  # fmt: skip
def test_a_refusal_is_a_sentence(action: Bid | str, refusal: Refusal, sentence: str) -> None:
    game = at("13345", "26", bids=((0, "5x4"),))
    assert game.refusal(1, action) == refusal
    with pytest.raises(IllegalAction) as error:
        game.play(1, action)
    assert str(error.value).startswith(sentence)
    assert (error.value.refusal, error.value.seat) == (refusal, 1)


def test_refusals_by_who_and_when() -> None:
    game = at("1", "2", "3", rules="spot-on")
    assert game.refusal(1, "1x2") == Refusal.NOT_YOUR_TURN
    assert game.refusal(1, "resign") == Refusal.FINE
    assert game.refusal(0, "liar") == Refusal.NOTHING_TO_CALL
    game.play(0, "1x2")
    assert game.refusal(1, "spot on, gain one") == Refusal.FINE
    full = Game(CATALOG["spot-on"], 2, seed=1)
    full.play(full.turn, "1x2")
    assert full.refusal(full.turn, "exact-gain") == Refusal.NOTHING_LOST
    with pytest.raises(IllegalAction, match="asks for a die back, and none has been lost; liar is legal"):
        full.play(full.turn, "exact-gain")
    game.forfeit(2, "timeout")
    assert game.refusal(2, "resign") == game.refusal(9, "liar") == Refusal.OUT
    game.forfeit(0, "timeout")
    assert game.refusal(1, "resign") == Refusal.GAME_OVER
    for act in (lambda: game.play(1, "resign"), lambda: game.forfeit(1, "x"), lambda: game.step(RESIGN)):
        with pytest.raises(IllegalAction, match="the game is over, nothing more can be played"):
            act()


def test_who_is_out_cannot_be_put_out_again() -> None:
    game = at("1", "2", "3")
    game.forfeit(2)
    with pytest.raises(IllegalAction, match="C is out of the game"):
        game.forfeit(2, "late")


def test_calls_can_be_barred_by_the_round_or_the_players() -> None:
    two = at("11", "22", rules="perudo", bids=((0, "1x2"),))
    with pytest.raises(IllegalAction, match="exact is not allowed with fewer than 3 players; liar is legal"):
        two.play(1, "calza")
    special = at("1", "22", "33", rules="perudo", bids=((0, "1x2"),), special=True)
    assert special.view(1).special
    with pytest.raises(IllegalAction, match="exact is not allowed in a special round"):
        special.play(1, "calza")


def test_barred_faces_say_so() -> None:
    game = at("11", "22", "33", rules="perudo")
    with pytest.raises(IllegalAction, match="1x1 is barred: no bid on ones is legal to open a round; 1x2 is legal"):
        game.play(0, "1x1")
    capped = at("11", "22", rules="exact")
    with pytest.raises(IllegalAction, match="at most 4 dice, there are only that many dice in play"):
        capped.play(0, "5x2")


def test_a_step_is_a_play_without_words() -> None:
    game, twin = at("13345", "26"), at("13345", "26")
    for action in (Bid(2, 3), "3x3", Call("liar"), RESIGN):
        twin.play(twin.turn, action)
        game.step(action)
    assert (game.state, game.plies, game.hands) == (twin.state, twin.plies, twin.hands)


@pytest.mark.parametrize(
    "action", [None, 7, Bid(0, 3), Bid("2", 3), Bid(2, 3.0), Bid(True, 99), Call("x"), Forfeit("x")]
)
def test_a_step_refuses_what_is_no_action(action: object) -> None:
    game = at("13345", "26", bids=((0, "1x2"),))
    before = game.state.copy()
    with pytest.raises(IllegalAction):
        game.step(action)  # type: ignore[arg-type]
    assert (game.state, game.plies) == (before, [])


def test_numbers_that_are_equal_to_whole_ones_are_kept_as_whole_ones() -> None:
    game = at("13345", "26")
    game.step(Bid(True, 3))
    assert str(game.plies[0][1]) == "1x3"


def test_a_penalty_takes_a_die_and_ends_the_round() -> None:
    game = at("13345", "26", bids=((0, "5x4"),))
    assert game.penalize(1, "timeout") == [
        Penalized(seat=1, reason="timeout"),
        DiceChanged(seat=1, change=-1, left=1),
        RoundBegan(round=2, seat=1, dice=(5, 1)),
    ]
    assert game.penalize(1, "illegal")[-1] == GameOver(places=(1, 2))
    assert game.plies == [(1, Penalty("timeout")), (1, Penalty("illegal"))]


@pytest.mark.parametrize("reason", ["", "Too late", "late:again", "x" * 41])
def test_a_ruling_that_no_record_could_hold_is_refused(reason: str) -> None:
    game = at("13345", "26")
    for rule in (game.forfeit, game.penalize):
        with pytest.raises(NotationError, match="a reason is small letters, digits and hyphens"):
            rule(0, reason)
    assert game.sequence == 0


def test_after_a_penalty_the_seat_to_the_left_opens_where_the_variant_says_so() -> None:
    game = at("13", "26", "55", rules="spot-on")
    game.penalize(0, "illegal")
    assert game.turn == 1


def test_resigning_out_of_turn_ends_the_round() -> None:
    game = at("13", "26", "55", bids=((0, "1x2"),))
    assert game.play(2, RESIGN) == [
        Forfeited(seat=2, reason="resign"),
        Out(seat=2),
        RoundBegan(round=2, seat=0, dice=(2, 2, 0)),
    ]


def test_a_copy_goes_its_own_way() -> None:
    game = at("13345", "26")
    twin = game.copy()
    twin.play(0, "2x3")
    twin.play(1, "liar")
    assert (game.sequence, game.turn, game.state.dice) == (0, 0, [5, 2])
    assert game.hands == [(0, 1, 0, 2, 1, 1, 0), (0, 0, 1, 0, 0, 0, 1)]


@given(games(), seeds)
def test_a_copy_plays_on_as_the_original_would(game: Game, seed: int) -> None:
    one, two = game.copy(), game.copy()
    play_on(one, Random(seed), 20)
    play_on(two, Random(seed), 20)
    assert (one.state, one.plies, one.hands) == (two.state, two.plies, two.hands)


def whole(game: Game) -> tuple[object, ...]:
    """All that a game is."""
    return (
        game.state.copy(),
        game.times.copy(),
        *(list(one) for one in (game.plies, game.said, game.hands, game.cups)),
    )


def outcome(game: Game, do: Callable[[], object]) -> object:
    """The public state after something was done, or why it could not be."""
    try:
        done = do()
    except (IllegalAction, NotationError) as error:
        return type(error), str(error), getattr(error, "refusal", None)
    return done if isinstance(done, State) else game.state


def any_plies(game: Game) -> list[Ply]:
    """What a player or a host may come up with, legal or not."""
    most, low = game.state.most, low_bids(game.legal(game.turn))
    bids = [Bid(quantity, face) for quantity in (0, 1, most, most + 1) for face in (0, 1, len(game.charts.faces), 99)]
    strange: list[Any] = [Bid(1.0, 2), Call("x"), Penalty("Too late"), Forfeit("x" * 41)]  # type: ignore[arg-type]
    rulings = [RESIGN, Forfeit("timeout"), Penalty("timeout"), Penalty("illegal")]
    legal = [parse_ply(one, game.table.rules) for one in low]
    return [*legal, *bids, *(Call(name) for name in game.table.names), *rulings, *strange]


def check_ahead(game: Game) -> None:
    """Whatever is looked at ahead comes to what it would come to, and changes nothing."""
    before = whole(game)
    for seat in range(-1, game.state.seats + 1):
        for ply in any_plies(game):
            ahead = outcome(game, partial(game.ahead, seat, ply))
            assert whole(game) == before
            twin = game.copy()
            assert ahead == outcome(twin, partial(twin.carry_out, seat, ply))


@pytest.mark.parametrize("name", CATALOG)
def test_what_an_action_leads_to_is_told_without_playing_it(name: str) -> None:
    rules = CATALOG[name]
    for seed in range(8):
        chance = Random(seed)
        players = chance.randint(rules.min_players, min(rules.max_players, 6))
        game = Game(rules, players, seed=seed)
        while not game.over:
            check_ahead(game)
            play_on(game, chance, chance.randrange(1, 16))
        check_ahead(game)


@settings(max_examples=25)
@given(games())
def test_what_an_action_leads_to_is_told_under_any_rules(game: Game) -> None:
    check_ahead(game)


def test_refusals_are_found_by_their_numbers() -> None:
    assert [Refusal(number) for number in range(len(Refusal))] == list(Refusal)
    game = at("13345", "26", bids=((0, "5x4"),))
    for action in ("5x4", "31x4", "5x7", "6x4", "liar", RESIGN, Call("x"), Forfeit("x")):
        assert type(game.refusal(1, action)) is Refusal


def test_the_same_seed_gives_the_same_game() -> None:
    first, second = (Game(LIARS_DICE, 4, seed=b"demo") for _ in range(2))
    assert (first.hands, first.turn) == (second.hands, second.turn)
    assert Game(LIARS_DICE, 4, seed=b"demo").hands != Game(LIARS_DICE, 4, seed=b"damo").hands


@pytest.mark.parametrize(
    ("players", "dice", "why"),
    [
        (1, None, "liars-dice is a game for 2 to 6 players, not 1"),
        (7, None, "liars-dice is a game for 2 to 6 players, not 7"),
        (2, 0, "a seat starts with 1 to 15 dice, not 0"),
        (2, [5, 5, 5], "3 numbers of dice for 2 players; give one for all or one for each seat"),
        (2, [5, 16], "a seat starts with 1 to 15 dice, not 16"),
    ],
)
def test_a_table_that_cannot_be_is_refused(players: int, dice: list[int] | int | None, why: str) -> None:
    with pytest.raises(SetupError, match=why):
        Game(LIARS_DICE, players, seed=1, dice=dice)


def test_a_game_for_two_says_so() -> None:
    with pytest.raises(SetupError, match="snyd is a game for 2 players, not 3"):
        Game(CATALOG["snyd"], 3, seed=1)


@pytest.mark.parametrize("seed", [b"demo", b"", b"x" * 64, 0, 2**63 - 1])
def test_a_game_of_any_seed_has_a_record_that_can_be_read(seed: bytes | int) -> None:
    game = Game(LIARS_DICE, 2, seed=seed)
    game.forfeit(0)
    assert verify(read_record(write_record(game.record()))).finished


def test_a_word_as_a_seed_stands_for_its_hash() -> None:
    word, whole = (Game(LIARS_DICE, 2, seed=seed) for seed in (b"demo", sha256(b"demo").digest()))
    assert word.hands == whole.hands


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_a_seed_that_no_record_could_hold_is_refused(seed: int) -> None:
    with pytest.raises(SetupError, match=f"a seed of mix-1 is a whole number from 0 to {2**63 - 1}, not {seed}"):
        Game(LIARS_DICE, 2, seed=seed)
    with pytest.raises(SetupError, match="a seed of hmac-1 has 32 bytes, not 4"):
        HmacDice(b"demo")


def test_a_record_holds_the_seed_only_when_it_may_be_known() -> None:
    game = Game(LIARS_DICE, 2, seed=HmacDice(b"s" * 32, "id", ["a", "b"]))
    players = [Player(name="Ann", salt="a"), Player(name="Bob", salt="b")]
    game.play(game.turn, "2x3", at=1500)
    record = game.record(players, [0, 1], id="id", started="2026-01-01T00:00:00Z")
    assert record.dice.seed is None  # type: ignore[union-attr]
    assert [entry.at for entry in record.actions] == [1500]
    assert game.record(reveal=True).dice.seed == (b"s" * 32).hex()  # type: ignore[union-attr]
    game.forfeit(0, "timeout", at=2000)
    assert game.record(players).dice.seed == (b"s" * 32).hex()  # type: ignore[union-attr]
    assert game.record().players == (Player(name="A"), Player(name="B"))


@given(st.integers(0, 5), st.integers(0, 5))
def test_resigning_is_always_possible_for_who_is_in(seat: int, other: int) -> None:
    game = Game(LIARS_DICE, 6, seed=1)
    game.play(seat, "resign")
    assert game.refusal(seat, RESIGN) == Refusal.OUT
    if other != seat:
        assert game.refusal(other, RESIGN) == Refusal.FINE
