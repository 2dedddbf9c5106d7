"""Watching: how bots played is counted by replaying what they did, in whole numbers that add."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calza.matches import replay
from calza.rules import CATALOG, Bid, Call, Game, Rules, Setup
from calza.rules.charts import MET, OVER, SHORT
from calza.rules.play import count
from calza.tournament.watch import (
    ACTS,
    BID_HOLDS,
    BIDS,
    BLUFFS,
    CALLS,
    DICE,
    EXACTS,
    EXACTS_RIGHT,
    RAISE_HOLDS,
    RIGHT,
    ROUNDS,
    Watched,
    again,
    call_kinds,
    habits_of,
    unwatched,
    watch,
    worth,
)
from tests.strategies import games

A, B = 0, 1
TABLE = Setup(dice=(5, 5), cups=((2, 2, 2, 3, 4), (1, 5, 5, 6, 6)), turn=A)


def watched(game: Game, seated: tuple[int, ...] = ()) -> Watched:
    """The counts of one game."""
    counts = unwatched(game.state.seats, game.table.rules)
    watch(counts, game, seated or tuple(range(game.state.seats)))
    return counts


def round_of(*actions: str, rules: Rules = CATALOG["liars-dice"], setup: Setup = TABLE) -> Game:
    """A game from a position, the seats acting by turns."""
    game = Game.at(rules, setup, seed=1)
    for action in actions:
        game.play(game.turn, action)
    return game


def acts(counts: Watched, entry: int) -> dict[str, int]:
    """What an entry did, where it did anything."""
    return {name: number for name, number in zip(ACTS, counts.acts[entry].tolist(), strict=True) if number}


def test_a_bid_is_a_bluff_when_its_own_dice_give_it_less_than_an_even_chance() -> None:
    # A has three twos and needs one of five unknown dice; then one three, and needs five of five.
    counts = watched(round_of("4x2", "5x6", "6x3", "liar"))
    assert acts(counts, A) == {
        "games": 1, "turns": 2, "bids": 2, "openings": 1, "bluffs": 1, "called": 1, "caught": 1, "lost": 1,
    }  # fmt: skip
    # B has two sixes and a one, and needs two of five: that holds with 0.54.
    assert acts(counts, B) == {"games": 1, "turns": 2, "bids": 1, "calls": 1, "right": 1}


def test_a_bid_without_a_die_of_its_own_is_unsupported() -> None:
    counts = watched(round_of("2x5", "liar"))
    assert acts(counts, A)["unsupported"] == 1
    assert "bluffs" not in acts(counts, A)  # two of five unknown dice hold with 0.54 all the same
    assert "unsupported" not in acts(watched(round_of("1x4", "2x4", "3x2", "liar")), B)  # its one counts for fours


def test_calls_are_right_or_wrong_and_take_their_dice() -> None:
    wrong = watched(round_of("2x2", "liar"))
    assert acts(wrong, B) == {"games": 1, "turns": 1, "calls": 1, "lost": 1}
    assert acts(wrong, A) == {"games": 1, "turns": 1, "bids": 1, "openings": 1, "called": 1}
    setup = Setup(dice=(3, 3), start=(5, 5), cups=((2, 2, 2), (3, 4, 5)), turn=A)
    met, missed = (watched(round_of(bid, "exact", rules=CATALOG["joker"], setup=setup)) for bid in ("3x2", "2x2"))
    assert acts(met, B) == {"games": 1, "turns": 1, "exacts": 1, "exacts_right": 1, "won": 1}
    assert acts(missed, B) == {"games": 1, "turns": 1, "exacts": 1, "lost": 1}


def test_every_call_of_the_catalog_is_known_for_what_it_bets_on() -> None:
    for rules in CATALOG.values():
        for call, kind in zip(rules.calls, call_kinds(rules), strict=True):
            assert kind.exact == call.name.startswith("exact")
            assert kind.right == ((False, True, False) if kind.exact else (True, False, False))


def test_a_decision_is_kept_by_who_faced_whom_and_what_was_true() -> None:
    counts = watched(round_of("4x2", "6x6", "liar"), seated=(1, 0))
    # Four twos: three and the wild one are there. Six sixes: only two and the one.
    assert counts.faced[0, 1].sum(axis=0).tolist() == [0, 1, 0]
    assert counts.faced[1, 0].sum(axis=0).tolist() == [1, 0, 0]
    assert counts.made[1, 0].sum(axis=0).tolist() == [[1], [0], [0]]
    assert not counts.made[0, 1].any()
    # A call of the true bid would have cost a die, a call of the false one was worth one.
    assert counts.worth[0, 1].sum(axis=0).tolist() == [[0], [-1], [0]]
    assert counts.worth[1, 0].sum(axis=0).tolist() == [[1], [0], [0]]


def test_a_spot_is_how_likely_the_bid_and_the_best_raise_are() -> None:
    # B has a one, two fives and two sixes. 4x2 needs three of A's five dice; the best raise, 4x5, one: that is 0.87.
    counts = watched(round_of("4x2", "liar"))
    ((spot, found),) = np.argwhere(counts.faced[B, A]).tolist()
    bid, best = divmod(spot, len(RAISE_HOLDS) + 1)
    assert BID_HOLDS[bid - 1] <= 0.21 < BID_HOLDS[bid]  # 51 of 243
    assert best == len(RAISE_HOLDS)
    assert found == MET


def test_a_call_that_is_forced_is_no_decision() -> None:
    counts = watched(round_of("10x6", "liar", rules=CATALOG["exact"]))
    assert acts(counts, B)["calls"] == 1
    assert not counts.faced.any()


def test_a_call_is_worth_the_dice_it_takes_from_the_bidder_less_its_own() -> None:
    difference = watched(round_of("6x6", "liar", rules=CATALOG["difference"]))
    assert difference.worth[B, A].sum(axis=0).tolist() == [[3], [0], [0]]  # three sixes of six are there
    setup = Setup(dice=(1, 4), start=(5, 5), cups=((6,), (2, 2, 3, 4)), turn=A)
    spot_on = watched(round_of("2x2", "liar", rules=CATALOG["spot-on"], setup=setup))
    # There are three: both exact calls would have been wrong. Of two sixes there is one.
    # Who has one die loses just that.
    assert spot_on.worth[B, A].sum(axis=0).tolist() == [[0, 0, 0], [0, 0, 0], [-1, -1, -1]]
    met = watched(round_of("1x6", "exact", rules=CATALOG["spot-on"], setup=setup))
    assert met.worth[B, A].sum(axis=0).tolist() == [[0, 0, 0], [-1, 1, 1], [0, 0, 0]]


def test_forfeits_and_penalties_are_counted() -> None:
    game = Game(CATALOG["liars-dice"], 3, seed=1)
    first, second, third = game.turn, (game.turn + 1) % 3, (game.turn + 2) % 3
    game.penalize(first, "timeout")
    game.forfeit(second, "crash")
    game.forfeit(third)
    counts = watched(game)
    assert acts(counts, first) == {"games": 1, "lost": 1, "penalties": 1}
    assert acts(counts, second) == acts(counts, third) == {"games": 1, "forfeits": 1}
    assert counts.left[first, 4] == counts.left.sum() == 1
    assert counts.rounds.tolist() == [0, 0, 0, 1] + [0] * (ROUNDS - 3)


def test_a_game_without_end_has_no_winner_and_no_length() -> None:
    game = Game(CATALOG["liars-dice"], 2, seed=1)
    game.play(game.turn, "1x2")
    counts = watched(game)
    assert counts.games.tolist() == [1, 1]
    assert not counts.rounds.any()
    assert not counts.left.any()


@given(games())
def test_habits_are_counted_from_what_was_told_as_they_are_in_a_replay(game: Game) -> None:
    _, *steps = replay(game.record(reveal=True))
    told = [step.events for _, step in steps]
    kept = [BIDS, BLUFFS, CALLS, RIGHT, EXACTS, EXACTS_RIGHT]
    assert [[own[act] for act in kept] for own in habits_of(game, told)] == watched(game).acts[:, kept].tolist()


def test_long_games_and_full_cups_share_the_last_place() -> None:
    game = Game.at(CATALOG["joker"], Setup(dice=(40, 1), start=(5, 5), round=ROUNDS + 9, turn=A), seed=1)
    game.forfeit(B)
    counts = watched(game)
    assert counts.left[A, DICE] == 1
    assert counts.rounds[ROUNDS] == 1


@settings(max_examples=40)
@given(games())
def test_what_was_watched_adds_up(game: Game) -> None:
    before = (game.sequence, list(game.state.dice), game.state.round, list(game.hands))
    counts = watched(game)
    total = dict(zip(ACTS, counts.acts.sum(axis=0).tolist(), strict=True))
    plies = [ply for _, ply in game.plies]
    assert total["games"] == game.state.seats
    assert total["turns"] == total["bids"] + total["called"] == total["bids"] + total["calls"] + total["exacts"]
    assert total["called"] == sum(isinstance(ply, Call) for ply in plies)
    assert total["penalties"] + total["forfeits"] == len(plies) - total["turns"]
    assert total["openings"] <= game.state.round
    assert counts.games.tolist() == [1, not game.over]
    assert counts.left.sum() == game.places.count(1)
    assert (counts.made.sum(axis=-1) <= counts.faced).all()
    assert not counts.faced[range(game.state.seats), range(game.state.seats)].any()
    assert before == (game.sequence, list(game.state.dice), game.state.round, list(game.hands))


@settings(max_examples=40)
@given(games())
def test_the_worth_of_a_call_is_what_the_game_then_does(game: Game) -> None:
    played = again(game)
    for seat, ply in game.plies:
        s, c, before = played.state, played.charts, list(played.state.dice)
        if isinstance(ply, Call):
            bidder, which = s.bidder, played.table.call[ply.name]
            expected = worth(s, c, which, count(s, c, played.cups, s.face))
            played.play(seat, ply)
            change = [now - was for now, was in zip(played.state.dice, before, strict=True)]
            assert expected == change[seat] - change[bidder]
        elif isinstance(ply, Bid):
            played.play(seat, ply)
        else:
            played.rule(seat, ply)
    assert played.state == game.state


@settings(max_examples=20)
@given(st.lists(games(steps=30), min_size=2, max_size=4))
def test_the_order_of_games_changes_nothing(several: list[Game]) -> None:
    rules = several[0].table.rules
    alike = [game for game in several if len(game.table.rules.calls) == len(rules.calls)]
    whole, parts = unwatched(6, rules), unwatched(6, rules)
    for game in alike:
        watch(whole, game, range(game.state.seats))
    for game in reversed(alike):
        part = unwatched(6, rules)
        watch(part, game, range(game.state.seats))
        parts.add(part)
    for name in whole.__struct_fields__:
        assert (getattr(whole, name) == getattr(parts, name)).all()
        assert getattr(whole, name).dtype == np.int64


@pytest.mark.parametrize("found", [SHORT, MET, OVER])
def test_found_counts_from_short_to_over(found: int) -> None:
    bid = {SHORT: "5x2", MET: "4x2", OVER: "3x2"}[found]
    counts = watched(round_of(bid, "liar"))
    assert counts.faced[B, A].sum(axis=0)[found] == 1
