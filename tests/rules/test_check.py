"""Rules that make no playable game are refused when they are loaded, with the field at fault."""

from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from calza.rules import (
    CATALOG,
    Bid,
    Call,
    CallRule,
    Game,
    HmacDice,
    Outcome,
    Raise,
    Raising,
    Rules,
    RulesError,
    Special,
)
from calza.rules.charts import draw_charts, least_after, word
from calza.rules.check import check, check_rising
from tests.strategies import play_on, rules, seeds

LIARS_DICE = CATALOG["liars-dice"]
LIAR = LIARS_DICE.calls[0]
NOTHING = Outcome()


def call(**changes: object) -> CallRule:
    """The liar call, changed."""
    return replace(LIAR, **changes)


@pytest.mark.parametrize(
    ("changes", "field", "why"),
    [
        ({"min_players": 4, "max_players": 3}, "max_players", "is 3, less than min_players, which is 4"),
        ({"wild": 7}, "wild", "is 7, but must be a face from 1 to 6, or left out for none"),
        ({"wild": 0}, "wild", "is 0, but must be"),
        ({"opening": 3, "cap": "dice"}, "opening", "is 3, but only 2 dice may be in play"),
        ({"opening": 31}, "opening", "is 31, but only 30 is the cap"),
        ({"calls": (LIAR, LIAR)}, "calls[1].name", "'liar' is taken"),
        ({"calls": (call(name="resign"),)}, "calls[0].name", "'resign' is taken"),
        ({"calls": (call(name="4"),)}, "calls[0].name", "must have a letter"),
        ({"calls": (call(words=("!",)),)}, "calls[0].words", "'' is empty"),
        ({"calls": (LIAR, call(name="x", words=("Liar!",)))}, "calls[1].words", "'liar' is empty or means another"),
        (
            {"calls": (call(over=Outcome(caller=-1, bidder=-1)),)},
            "calls[0].over",
            "caller and bidder cannot both lose dice",
        ),
        ({"calls": (call(needs_lost_die=True),)}, "calls", "a player could have no legal action"),
        ({"calls": (call(min_players=3),)}, "calls", "a player could have no legal action"),
        ({"calls": (call(in_special=False),), "special": Special()}, "calls", "a player could have no legal action"),
        ({"raising": Raising(lower=Raise.SAME)}, "raising", "1x1 could be raised until it is bid again"),
        ({"raising": Raising(same=Raise.SAME)}, "raising", "could be raised until it is bid again"),
        ({"raising": Raising(to_wild=Raise.HALF)}, "raising", "could be raised until it is bid again"),
        ({"raising": Raising(lower=Raise.HALF, higher=Raise.MORE)}, "raising", "could be raised"),
        ({"special": Special(raising=Raising(lower=Raise.ANY))}, "special.raising", "could be raised"),
        (
            {"calls": (call(short=NOTHING, exact=NOTHING, over=NOTHING),)},
            "calls",
            "the game could never end: with 3 and 3 dice no line of calls leads to its end",
        ),
        (
            {"calls": (call(short=Outcome(caller=1), exact=Outcome(bidder=1), over=NOTHING),), "gain": "none"},
            "calls",
            "the game could never end",
        ),
    ],
)  # fmt: skip
def test_what_makes_no_game_is_refused(changes: dict[str, object], field: str, why: str) -> None:
    with pytest.raises(RulesError) as error:
        check(replace(LIARS_DICE, **changes))
    assert error.value.field == field
    assert why in error.value.why


def test_one_outcome_that_takes_a_die_is_enough_to_end() -> None:
    short = Outcome(bidder=-1, caller=1)
    check(replace(LIARS_DICE, calls=(call(short=short, exact=Outcome(others=-1), over=NOTHING),), min_players=3))


def test_every_variant_of_the_catalogue_is_playable() -> None:
    for one in CATALOG.values():
        check(one)


def test_a_game_by_unplayable_rules_cannot_be_started() -> None:
    with pytest.raises(RulesError, match="wild"):
        Game(replace(LIARS_DICE, wild=9), 2, seed=1)


def circles(raising: Raising, wild: int, faces: int, most: int) -> bool:
    """Whether bids can go round, by searching every raise there is."""
    bids = list(product(range(1, most + 1), range(1, faces + 1)))
    raises = {
        (quantity, face): [
            bid for bid in bids if bid[0] >= least_after(word(raising, wild, face, bid[1]), quantity)
        ]
        for quantity, face in bids
    }  # fmt: skip
    done: set[tuple[int, int]] = set()
    shrunk = True
    while shrunk:  # take away what leads nowhere new; what is left goes round
        gone = {bid for bid in bids if bid not in done and all(after in done for after in raises[bid])}
        done |= gone
        shrunk = bool(gone)
    return len(done) < len(bids)


def test_circles_are_found_for_every_combination_of_words() -> None:
    plain = [Raise.BARRED, Raise.ANY, Raise.SAME, Raise.MORE, Raise.HALF]
    special = [None, Raise.HALF, Raise.OVER_HALF, Raise.DOUBLE_PLUS_ONE, Raise.SAME]
    every = list(product(plain, [Raise.MORE, Raise.SAME, Raise.BARRED], plain, special, special))
    # Quantities that matter are small: the words look at halves and doubles only.
    for lower, same, higher, to_wild, from_wild in Random(1).sample(every, 400):
        raising = Raising(lower=lower, same=same, higher=higher, to_wild=to_wild, from_wild=from_wild)
        made = Rules(name="x", faces=3, wild=2, cap=7, raising=raising, calls=(LIAR,))
        try:
            check_rising(made, draw_charts(made))
            found = False
        except RulesError:
            found = True
        assert found == circles(raising, 2, 3, 7), raising


@settings(max_examples=40)
@given(rules(), seeds)
def test_from_every_state_some_legal_line_ends_the_game(made: Rules, seed: int) -> None:
    """Greedy search: lines by chance, from a state that chance led to."""
    random = Random(seed)
    game = Game(made, made.min_players, seed=HmacDice(seed.to_bytes(32, "big")), dice=min(made.dice, 3))
    play_on(game, random, 15)
    for _ in range(60):
        twin = game.copy()
        twin.source = HmacDice(random.randbytes(32))  # other dice, too: those of one seed may be of no use to any line
        # A temper for each line: where low bids win dice and high ones lose them, a mixture may never end.
        eager, bold = random.random(), random.random()
        for _ in range(300):
            if twin.over:
                return
            legal = twin.legal(twin.turn)
            lowest = min((least, face) for face, least in enumerate(legal.least) if least) if legal.bids else None
            # Calls that cost dice bring the end nearer; by chance alone, a game in which most of them win some goes on.
            costly = [call for call in legal.calls if twin.ahead(twin.turn, Call(call)).total < twin.state.total]
            if costly and (lowest is None or random.random() < eager):
                twin.play(twin.turn, random.choice(costly))
            elif legal.calls and (lowest is None or random.random() < eager / 10):
                twin.play(twin.turn, random.choice(legal.calls))
            else:
                assert lowest
                high = random.random() < bold
                twin.play(twin.turn, Bid(legal.most if high else lowest[0], lowest[1]))
    raise AssertionError(f"no line found that ends {made}")
