"""Soft play: a planted friend is found, honest bots are left alone, and few are accused by chance."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from math import comb, sqrt

import numpy as np
import pytest

from calza.agents import HouseAgent, parse_agent
from calza.agents.house import noise_key
from calza.matches import run
from calza.rules import CATALOG, Action, Bid, Call, Game, MixDice, View
from calza.rules.charts import MET, OVER, SHORT
from calza.rules.dice import M64, mix
from calza.tournament.audit import FEWEST, HABIT, SPOTS_OF, Gift, Towards, Way, evidence, gift, gifts, holm, towards
from calza.tournament.watch import SPOTS, Watched, unwatched, watch

Bot = Callable[[View, Sequence[int], int], Action]  # told who sits where, and given the key of its chance in the match
ALL = ("random", "skeptic", "believer", "honest", "cautious", "bluffer", "listener")


def house(text: str) -> Bot:
    """A house bot, which treats all alike."""
    spec = parse_agent(text)
    return lambda view, seated, key: HouseAgent(spec, key).act(view)


def lenient(bot: Bot, friend: int, often: float = 1.0) -> Bot:
    """A bot that lets the bids of its friend stand, or that share of them, whenever it can raise."""

    def act(view: View, seated: Sequence[int], key: int) -> Action:
        action, legal = bot(view, seated, key), view.legal()
        raises = [Bid(least, face) for face, least in enumerate(legal.least) if least]
        mild = isinstance(action, Call) and seated[view.bidder] == friend and raises
        return min(raises, key=lambda bid: bid.quantity) if mild and chance(key, view) < often else action

    return act


def generous(bot: Bot, friend: int) -> Bot:
    """A bot that calls whatever its friend bids, and so often loses a die to it."""

    def act(view: View, seated: Sequence[int], key: int) -> Action:
        calls = view.quantity and seated[view.bidder] == friend
        return Call("liar") if calls else bot(view, seated, key)

    return act


def chance(key: int, view: View) -> float:
    """A number from 0 to 1, the bot's own for this turn."""
    return mix(key + 7919 * view.sequence) / M64


def played(
    bots: Sequence[Bot], players: int = 2, groups: int = 20, seed: int = 1, rules: str = "liars-dice"
) -> Watched:
    """Every table of `players`, so many groups of rotations each."""
    watched = unwatched(len(bots), CATALOG[rules])
    for number, table in enumerate(combinations(range(len(bots)), players)):
        for group in range(groups):
            for rotation in range(players):
                source = MixDice(seed, number * groups + group, rotation)
                seated = [table[one] for one in source.seating(players)]
                game, key = Game(CATALOG[rules], players, seed=source), noise_key(source.key) + rotation
                run(game, [partial(bots[one], seated=seated, key=mix(key + one)) for one in seated])
                watch(watched, game, seated)
    return watched


def flagged(watched: Watched) -> set[tuple[int, int]]:
    """The pairs that stand out."""
    return {(one.giver, one.taker) for one in gifts(watched) if one.flagged}


# --- bots at play


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("name", ["cautious:call=0.4", "bluffer", "listener"])
def test_who_lets_a_friends_bids_stand_is_found(name: str, players: int) -> None:
    field = [lenient(house(name), friend=2), house("cautious"), house("bluffer"), house("honest")]
    assert flagged(played(field, players, groups=40)) == {(0, 2)}


def test_who_calls_a_friends_true_bids_is_found() -> None:
    field = [house("bluffer"), house("cautious"), generous(house("cautious"), friend=0), house("honest")]
    assert flagged(played(field)) == {(2, 0)}


def test_two_friends_are_found_each_for_what_it_gave() -> None:
    field = [house("cautious"), lenient(house("cautious"), 2), lenient(house("bluffer"), 1), house("honest")]
    assert flagged(played(field, groups=40)) == {(1, 2), (2, 1)}


def test_who_spares_a_friend_now_and_then_is_found_in_more_games() -> None:
    field = [lenient(house("cautious:call=0.4"), 1, often=0.6), house("bluffer"), house("cautious"), house("listener")]
    assert flagged(played(field, groups=120)) == {(0, 1)}


def test_who_calls_nobody_gives_nobody_anything() -> None:
    found = gifts(played([house("believer"), house("bluffer"), house("cautious"), house("honest")]))
    assert {one.given for one in found if one.giver == 0} == {0.0}


@pytest.mark.parametrize("rules", ["liars-dice", "perudo", "exact", "difference"])
@pytest.mark.parametrize("players", [2, 4])
def test_honest_bots_are_left_alone(rules: str, players: int) -> None:
    watched = played([house(name) for name in ALL], players, groups=6, rules=rules)
    assert flagged(watched) == set()
    assert len(gifts(watched)) >= 20  # pairs that might have been accused


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["liars-dice", "perudo", "exact", "difference", "joker", "spot-on"])
def test_of_thousands_of_honest_pairs_none_is_accused(rules: str) -> None:
    fields = [played([house(name) for name in ALL], players, 30, seed, rules) for players in (2, 3) for seed in (1, 2)]
    assert sum(len(gifts(watched)) for watched in fields) > 120
    assert [flagged(watched) for watched in fields] == [set()] * len(fields)


@pytest.mark.slow
def test_alike_bots_differ_by_chance_alone() -> None:
    """Whatever the dice of rotations do to the decisions, the interval of a gift holds zero as often as it should."""
    alike = [house("listener")] * 5
    every = [one for seed in range(12) for one in gifts(played(alike, 3, 20, seed))]
    found = [one for one in every if one.low < one.high]  # where nobody ever called there is nothing to tell
    assert len(found) > 200
    assert 0.93 < sum(one.low <= 0 <= one.high for one in found) / len(found) < 0.98


# --- counts that are given

BY_ANN = {"stand": SHORT, "call": MET}  # what is found under bids that are treated so


def cells(way: Way, *by_cell: tuple[int, int, int, int]) -> Watched:
    """Decisions of 0 over bids of 1 and of 2 in one spot after another, each as `own, called, others, called`."""
    counts, found = unwatched(3, CATALOG["liars-dice"]), BY_ANN[way]
    for spot, (own, called, others, others_called) in zip(SPOTS_OF[way], by_cell, strict=False):
        counts.faced[0, 1:, spot, found] = own, others
        counts.made[0, 1:, spot, found, 0] = called, others_called
        counts.worth[0, 1:, spot, found, 0] = np.array([own, others]) * (1 if found == SHORT else -1)
    return counts


def compared(way: Way, *by_cell: tuple[int, int, int, int]) -> Towards:
    """What 0 did over the bids of 1, beside those of 2."""
    return towards(cells(way, *by_cell), way, 0, 1, [2])


def test_a_gift_is_what_the_habit_would_have_won_less_what_was_won() -> None:
    assert compared("stand", (40, 10, 60, 30), (10, 10, 20, 10)).given == pytest.approx((20 - 10) + (5 - 10))
    called = gift(0, 1, "call", compared("call", (40, 30, 60, 15)), least=0.0)
    assert (called.given, called.decisions, called.often, called.usual) == (20 / 40, 40, 30, 10)
    stood = gift(0, 1, "stand", compared("stand", (40, 10, 60, 30)), least=0.0)
    assert (stood.given, stood.decisions, stood.often, stood.usual) == (10 / 40, 40, 30, 20)


@pytest.mark.parametrize(("own", "others", "called"), [(4, 6, 5), (3, 5, 1), (7, 5, 11), (1, 6, 2)])
def test_the_error_of_a_gift_is_that_of_all_ways_to_draw_its_calls(own: int, others: int, called: int) -> None:
    ways, spread = 0, 0.0
    for made in range(max(0, called - others), min(own, called) + 1):
        weight = comb(own, made) * comb(others, called - made)
        at = compared("stand", (own, made, others, called - made))
        ways, spread = ways + weight, spread + weight * at.given**2
    assert ways == comb(own + others, called)
    assert at.error == pytest.approx(sqrt(spread / ways))


def test_spots_in_which_only_one_side_was_faced_tell_nothing() -> None:
    assert compared("stand", (40, 10, 0, 0), (0, 0, 9, 9)).own.tolist() == []


@pytest.mark.parametrize(("others", "told"), [(HABIT - 1, []), (HABIT, [93.0])])
def test_a_decision_or_two_are_no_habit(others: int, told: list[float]) -> None:
    """One bid of another that was called, and 93 of the taker that were not, would else accuse."""
    assert compared("stand", (93, 0, others, others)).own.tolist() == told


def test_bids_that_might_well_hold_tell_nothing() -> None:
    counts = unwatched(3, CATALOG["liars-dice"])
    counts.faced[0, 1:, len(SPOTS_OF["stand"]) : SPOTS_OF["call"].start] = 1000
    counts.made[0, 2] = counts.faced[0, 2, ..., None]
    assert gifts(counts) == []


@pytest.mark.parametrize(("decisions", "pairs"), [(FEWEST - 1, 0), (FEWEST, 1)])
def test_few_decisions_are_not_compared(decisions: int, pairs: int) -> None:
    found = gifts(cells("stand", (decisions, 1, 40, 9)))
    assert len([one for one in found if one.taker == 1]) == pairs


def test_no_game_accuses_nobody() -> None:
    assert gifts(unwatched(4, CATALOG["perudo"])) == []


def test_beside_a_friend_nobody_else_is_accused() -> None:
    """0 calls likely bids of everybody but 1, and of 3 a little more often than of 2."""
    counts = unwatched(4, CATALOG["liars-dice"])
    spot, (false, true) = SPOTS_OF["call"][0], (SHORT, MET)
    counts.faced[0, 1:, spot, true] = 200
    counts.made[0, 1:, spot, true, 0] = 0, 150, 160
    counts.worth[0, 1:, spot, true, 0] = -200
    assert flagged(counts) == {(0, 3), (0, 2)}  # as long as it is not known that 1 is a friend
    counts.faced[0, 1:, SPOTS_OF["stand"][0], false] = 200
    counts.made[0, 1:, SPOTS_OF["stand"][0], false, 0] = 0, 180, 180
    counts.worth[0, 1:, SPOTS_OF["stand"][0], false, 0] = 200
    assert flagged(counts) == {(0, 1)}


def an(p: float, way: Way = "stand", given: float = 0.6) -> Gift:
    """A gift that chance explains with `p`."""
    return Gift(0, 1, way, 40, 30, 6.2, given, 0.4, 0.8, p)


def test_many_pairs_are_judged_together() -> None:
    judged = holm([an(0.03), an(0.01), an(0.5), an(0.02)], alpha=0.05)
    assert [one.p for one in judged] == pytest.approx([0.04, 0.06, 0.06, 0.5])
    assert [one.flagged for one in judged] == [True, False, False, False]


def test_the_evidence_is_written_as_people_write_figures() -> None:
    gift = Gift(0, 1, "stand", 12_000, 5_288, 1_000.4, 0.0, -0.001, 0.8, 1.0)
    said = evidence(gift, ["ann", "bob"])
    assert said.startswith("ann let 5,288 of 12,000 unlikely bids by bob stand (its habit with others: 1,000);")
    assert said.endswith("(0.00 to 0.80, p = 1)")


def test_the_evidence_says_what_was_done_and_what_is_usual() -> None:
    assert evidence(an(0.001), ["ann", "bob"]) == (
        "ann let 30 of 40 unlikely bids by bob stand (its habit with others: 6); "
        "it gave away 0.60 dice a decision more than to others (0.40 to 0.80, p = 0.001)"
    )
    assert evidence(an(1e-9, "call", given=-0.6), ["ann", "bob"]) == (
        "ann called 30 of 40 likely bids by bob (its habit with others: 6); "
        "it gave away 0.60 dice a decision less than to others (0.40 to 0.80, p < 0.0001)"
    )


def drawn(rng: np.random.Generator, bots: int, favour: float = 0.0) -> Watched:
    """Decisions of bots with habits of their own; 0 calls the bids of 1 so much less often."""
    counts = unwatched(bots, CATALOG["liars-dice"])
    habits = rng.beta(1, 1, size=(bots, SPOTS, 1))
    calls = np.broadcast_to(habits[:, None], (bots, bots, SPOTS, 3)).copy()
    calls[0, 1] *= 1 - favour
    shares = np.linspace((0.9, 0.08, 0.02), (0.02, 0.08, 0.9), SPOTS)  # [spot, found]
    counts.faced[:] = rng.poisson(rng.gamma(0.5, 32, size=(bots, bots, SPOTS, 1)) * shares)
    counts.faced[range(bots), range(bots)] = 0
    counts.made[..., 0] = rng.binomial(counts.faced, calls)
    counts.worth[:] = counts.faced[..., None]
    counts.worth[..., [MET, OVER], :] *= -1
    return counts


@pytest.mark.parametrize(("bots", "fields"), [(3, 100), (8, 40)])
def test_chance_accuses_somebody_in_at_most_one_field_of_twenty(bots: int, fields: int) -> None:
    rng = np.random.default_rng(bots)
    accused = [any(one.flagged for one in gifts(drawn(rng, bots), least=0.0)) for _ in range(fields)]
    assert sum(accused) / fields < 0.05 + 3 * sqrt(0.05 * 0.95 / fields)
    assert sum(flagged(drawn(rng, bots)) != set() for _ in range(fields)) == 0  # and by the usual measure nobody


@pytest.mark.slow
@pytest.mark.parametrize("bots", [3, 6])
def test_chance_accuses_somebody_in_one_field_of_twenty(bots: int) -> None:
    rng, fields = np.random.default_rng(bots), 1500
    found = [gifts(drawn(rng, bots), least=0.0) for _ in range(fields)]
    assert 0.025 < sum(any(one.flagged for one in field) for field in found) / fields < 0.07
    every = [one.low <= 0 <= one.high for field in found for one in field if not one.flagged]
    assert 0.93 < sum(every) / len(every) < 0.97


def test_a_favour_is_found_among_many() -> None:
    rng = np.random.default_rng(3)
    found = [flagged(drawn(rng, 8, favour=1.0)) for _ in range(20)]
    assert found.count({(0, 1)}) >= 10  # it may be that all others seldom met such bids
    assert all(one <= {(0, 1)} for one in found)
