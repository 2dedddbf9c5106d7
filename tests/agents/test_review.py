"""What decisions gave up, in expected dice."""

import time
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from calza.agents.house import HouseAgent, parse_agent
from calza.agents.review import costliest, review
from calza.matches import read_record, replay
from calza.rules import CATALOG, Bid, Call, Game, Player, Record, Rules, Setup, parse_action
from calza.rules.record import Entry
from calza.show.hindsight import Decision
from tests.strategies import any_rules, play_on, seeds

RECORDS = sorted((Path(__file__).parents[1] / "records").glob("*.json"))


def played(rules: Rules, cups: tuple[tuple[int, ...], ...], *actions: str, seed: int = 1) -> Record:
    """A match from open cups: the first seat begins."""
    game = Game.at(rules, Setup(dice=tuple(map(len, cups)), cups=cups, turn=0), seed=seed)
    for action in actions:
        game.play(game.turn, action)
    return game.record()


def test_a_call_is_worth_exactly_what_its_odds_say() -> None:
    # B has no six: of the two dice of A each is a six with 1/6, so "two sixes" holds with 1/36.
    record = played(CATALOG["exact"], ((6, 1), (2, 3)), "2x6", "bluff")
    (call,) = review(record, 1)
    assert call.expected == pytest.approx(1 / 1 * (35 / 36) - 1 / 36, abs=1e-4)
    assert (call.error, call.costly) == (0, False)


def test_a_bid_that_everybody_believes_costs_nothing_and_a_hopeless_one_costs_a_die() -> None:
    # Two dice against one: two fives lie in the own cup, three need the other die to be a five as well.
    good, bad = (review(played(CATALOG["exact"], ((5, 5), (2,)), bid), 0)[0] for bid in ("2x5", "3x1"))
    assert not good.costly
    assert bad.costly
    assert bad.expected == -1
    assert bad.cost > 1.5
    assert "was worth" in bad.says


def test_not_calling_an_impossible_bid_is_the_costliest_decision_of_a_match() -> None:
    record = played(CATALOG["exact"], ((1, 1, 1), (2, 2, 2)), "4x6", "5x6", "bluff")
    first, second = review(record, 0)
    (answer,) = review(record, 1)
    assert answer.costly
    assert answer.best == second.played == "liar"
    assert not second.costly
    assert costliest([first, second, answer])[0].cost == max(first.cost, answer.cost)
    assert answer.says == (
        f'B bids five sixes. As far as B could know, to say "bluff" was worth {answer.cost:.2f} dice more.'
    )


def test_a_decision_is_judged_by_what_its_player_knew_and_not_by_the_other_cups() -> None:
    one = played(CATALOG["exact"], ((5, 5), (2, 3)), "2x5", "3x5")
    other = played(CATALOG["exact"], ((5, 5), (5, 5)), "2x5", "3x5")
    assert review(one, 0) == review(other, 0)
    assert review(one, 1) != review(other, 1)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_choice_of_every_golden_match_is_a_decision(path: Path) -> None:
    record = read_record(path.read_bytes())
    found = {one.action: one for one in review(record, 0)}
    for sequence, options in choices(record, 0).items():
        assert (sequence in found) == (options > 1)
    for one in found.values():
        check(one, record)


def choices(record: Record, seat: int) -> dict[int, int]:
    """How many actions a seat could choose from, by the number of the action that it played."""
    found = {}
    for game, step in replay(record):
        sequence = step.sequence + 1
        if sequence < len(record.actions) and record.actions[sequence].seat == seat == game.turn:
            if ":" in record.actions[sequence].action or record.actions[sequence].action == "resign":
                continue
            legal = game.legal(seat)
            played = parse_action(record.actions[sequence].action, record.rules)
            least = {Bid(least, face) for face, least in enumerate(legal.least) if least}
            found[sequence] = len({*least, *map(Call, legal.calls), played})
    return found


def check(one: Decision, record: Record) -> None:
    """What is said of a decision fits together."""
    assert (one.seat, one.played) == (record.actions[one.action].seat, record.actions[one.action].action)
    assert one.best != one.played
    assert one.cost == pytest.approx(one.better - one.expected, abs=2e-4)
    assert one.costly == (one.cost > max(0.02, 2 * one.doubt))
    assert one.error >= 0 <= one.doubt
    assert ("was worth" in one.says) == one.costly


def test_equal_seeds_find_equal_figures_and_others_agree_within_their_errors() -> None:
    record = read_record((RECORDS[0].parent / "perudo.json").read_bytes())
    once, again, other = review(record, 1, seed=1), review(record, 1, seed=1), review(record, 1, seed=2)
    assert once == again
    assert once != other
    for a, b in zip(once, other, strict=True):
        error = (a.error**2 + b.error**2) ** 0.5
        assert abs(a.expected - b.expected) <= max(5 * error, 0.02)


@given(rules=any_rules, dealt=seeds, chance=seeds)
@settings(max_examples=25)
def test_any_match_by_any_rules_can_be_reviewed(rules: Rules, dealt: int, chance: int) -> None:
    seats = min(max(2, rules.min_players), rules.max_players)
    game = play_on(Game(rules, seats, seed=dealt), Random(chance), 12)
    record = game.record()
    for one in review(record, 0):
        check(one, record)


def test_caution_finds_less_to_blame_in_caution_than_in_chance() -> None:
    record = match("cautious", "cautious", seed=5)
    blamed = match("random", "cautious", seed=5)
    assert 2 * share(review(record, 0)) < share(review(blamed, 0))


def share(decisions: list[Decision]) -> float:
    """Dice given up for each decision."""
    return sum(max(0.0, one.cost) for one in decisions if one.costly) / len(decisions)


def match(*bots: str, seed: int) -> Record:
    """A match between house bots."""
    agents = [HouseAgent(parse_agent(bot), seed + at) for at, bot in enumerate(bots)]
    game = Game(CATALOG["liars-dice"], len(bots), seed=seed)
    while not game.over:
        game.step(agents[game.turn].act(game.view(game.turn)))
    return game.record([Player(name=bot) for bot in bots])


def test_a_match_of_two_is_reviewed_in_about_a_second() -> None:
    record = match("bluffer", "cautious", seed=3)
    start = time.process_time()
    decisions = review(record, 0)
    assert len(decisions) > 10
    assert time.process_time() - start < 3  # a tenth of it on a machine that has nothing else to do


def test_a_review_ends_where_the_record_is_damaged() -> None:
    record = played(CATALOG["exact"], ((5, 5), (2, 3)), "2x5", "3x5")
    for bad in ("1x1", "nonsense", "99x9"):
        damaged = replace(record, actions=(*record.actions, Entry(0, bad), Entry(1, "4x6")))
        assert review(damaged, 0) == review(record, 0)
        assert review(damaged, 1) == review(record, 1)


def test_a_name_cannot_turn_the_sentence_about_it() -> None:
    record = played(CATALOG["exact"], ((5, 5), (2, 3)), "1x5")
    named = replace(record, players=(Player(name="הבוט"), Player(name="Ben")))
    assert review(named, 0)[0].says.startswith("\u2068הבוט\u2069 bids one five.")


def test_more_draws_leave_less_doubt() -> None:
    record = played(CATALOG["exact"], ((5, 5), (2, 3)), "1x5", "3x5")
    few, many = (review(record, 0, draws=draws)[0] for draws in (60, 6000))
    assert 0 < many.doubt < few.doubt / 5


def test_what_was_forced_is_no_decision() -> None:
    record = played(CATALOG["openspiel"], ((5,), (2,)), "2x6", "liar")  # no bid is higher, and there is one call
    assert len(review(record, 0)) == 1
    assert review(record, 1) == []
    resigned = played(CATALOG["exact"], ((5,), (2,)), "resign")
    assert review(resigned, 0) == []
