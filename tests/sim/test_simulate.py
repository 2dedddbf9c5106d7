"""Simulations: one result for a seed, however the work is cut; honest intervals; even dice."""

import pytest

from calza.agents.house import HouseAgent, noise_key, parse_agent
from calza.matches import run
from calza.rules import CATALOG, Game, MixDice, SetupError
from calza.rules.dice import BLOCK_TABLES, block_number, game_key
from calza.sim import Tally, simulate
from calza.sim.compile import cache_folder, sources_hash
from calza.sim.simulate import Job, count_chunk, empty

LIARS_DICE = CATALOG["liars-dice"]
FIELD = [parse_agent(name) for name in ("cautious", "bluffer", "random")]


def test_a_tally_is_the_sum_of_its_games() -> None:
    tally = simulate(LIARS_DICE, FIELD, 90, seed=11)
    places = [[0] * 3 for _ in FIELD]
    squares, rounds, actions = [0] * 3, 0, 0
    for group in range(30):
        wins = [0] * 3
        for rotation in range(3):
            source = MixDice(11, group, rotation)
            order = source.seating(3)
            game = Game(LIARS_DICE, 3, seed=source)
            run(game, [HouseAgent(FIELD[player], noise_key(source.key)).act for player in order])
            for seat, place in enumerate(game.places):
                places[order[seat]][place - 1] += 1
                wins[order[seat]] += place == 1
            rounds, actions = rounds + game.state.round, actions + game.sequence
        squares = [have + one * one for have, one in zip(squares, wins, strict=True)]
    assert tally == Tally(90, tuple(map(tuple, places)), tuple(squares), rounds, actions)


def test_the_result_is_the_same_however_the_work_is_cut() -> None:
    whole = simulate(LIARS_DICE, FIELD, 3000, seed=5)
    assert simulate(LIARS_DICE, FIELD, 3000, seed=5, chunk=7) == whole
    assert simulate(LIARS_DICE, FIELD, 3000, seed=5, chunk=150, processes=2) == whole
    assert simulate(LIARS_DICE, FIELD, 3000, seed=6) != whole


def test_games_are_played_in_whole_rotations_and_told_of() -> None:
    told: list[int] = []
    tally = simulate(LIARS_DICE, FIELD, 100, chunk=10, progress=lambda so_far: told.append(so_far.games))
    assert tally.games == 102
    assert told == [30, 60, 90, 102]


def test_equal_bots_share_the_wins_in_every_variant() -> None:
    for rules in CATALOG.values():
        tally = simulate(rules, [FIELD[0]] * 2, 2000, seed=1)
        assert tally.wins == (1000, 1000)  # rotations mirror each other
        assert tally.unfinished == 0


def test_an_interval_is_of_groups_not_of_games() -> None:
    # Three groups of two games: player 0 wins 2, 1, 0 of them.
    tally = Tally(6, ((3, 3), (3, 3)), (5, 5), 0, 0)
    share, half = tally.share(0)
    assert share == 0.5
    assert abs(half - 1.959964 * (1 / 3) ** 0.5 / 2) < 1e-12
    assert Tally(2, ((1, 1), (1, 1)), (1, 1), 0, 0).share(0) == (0.5, 1.0)


def test_handicaps_matter() -> None:
    tally = simulate(LIARS_DICE, [FIELD[0]] * 2, 2000, seed=1, dice=[5, 2])
    # The seats turn, the dice stay with the seat: 5 dice against 2 for either player in turn.
    assert tally.wins == (1000, 1000)


def test_games_that_do_not_end_are_counted_as_such() -> None:
    job = Job(LIARS_DICE, (FIELD[0],) * 2, (5, 5), 1, limit=3)
    tally = count_chunk(job, 0, 10)
    assert (tally.unfinished, tally.wins, tally.games) == (20, (0, 0), 20)


@pytest.mark.parametrize(
    ("seats", "dice", "why"),
    [
        (1, (), "liars-dice is a game for 2 to 6 players, not 1"),
        (9, (), "the simulator seats at most 8 players, not 9"),
        (2, (5,), "1 numbers of dice for 2 players"),
        (2, (5, 16), "a seat starts with 1 to 15 dice, not 16"),
    ],
)
def test_a_table_that_cannot_be_is_refused(seats: int, dice: tuple[int, ...], why: str) -> None:
    with pytest.raises(SetupError, match=why):
        simulate(LIARS_DICE, [FIELD[0]] * seats, 10, dice=dice)


def test_tallies_add() -> None:
    one = simulate(LIARS_DICE, FIELD, 30, seed=1)
    assert empty(3) + one == one
    assert (one + one).games == 60
    assert (one + one).wins == tuple(2 * wins for wins in one.wins)


def test_ten_million_dice_are_even() -> None:
    """A chi-square of five degrees of freedom passes 25.7 once in ten thousand; these dice are always the same."""
    table = BLOCK_TABLES[6][5]
    counted = [0] * 7776
    for game in range(20_000):
        key = game_key(1, game)
        for round in range(1, 26):
            for seat in range(4):
                counted[block_number(key, round, seat, 0, 7776)] += 1
    faces = [sum(table[number][face] * times for number, times in enumerate(counted)) for face in range(1, 7)]
    assert sum(faces) == 10_000_000
    assert sum((count - sum(faces) / 6) ** 2 / (sum(faces) / 6) for count in faces) < 25.7
    # Whole hands are even too: 7,775 degrees of freedom, at 3.7 standard deviations.
    even = sum(counted) / 7776
    assert sum((count - even) ** 2 / even for count in counted) < 7775 + 3.7 * (2 * 7775) ** 0.5


def test_the_cache_is_named_after_the_sources() -> None:
    assert cache_folder().name == sources_hash()
