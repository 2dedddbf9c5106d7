"""The simulator and the engine play the same games, action by action: random rules, seats, agents and seeds."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calza.agents.house import HOUSE, KINDS, HouseAgent, Spec, noise_key
from calza.agents.odds import reach
from calza.matches import run
from calza.rules import CATALOG, Bid, Game, MixDice, Rules
from calza.rules.state import ARRAYS, SCALARS
from calza.sim import kernels
from calza.sim.compile import chart_arrays, dice_arrays, odds_arrays
from calza.sim.simulate import Job, agent_arrays, scratch
from tests.strategies import catalog, rules, seeds, specs

LIMIT = 400


def compiled(job: Job, group: int, rotation: int) -> tuple[list[int], Any]:
    """The actions and the last state, as the kernel plays the game."""
    seats = len(job.agents)
    source = MixDice(job.seed, group, rotation)
    state, cups, work = scratch(seats, job.rules.faces)
    log = np.zeros(LIMIT, np.int64)
    actions = kernels.trace(
        chart_arrays(job.rules),
        odds_arrays(job.rules, reach(sum(job.dice))),
        dice_arrays(job.rules.faces),
        np.array(job.dice, np.int64),
        *agent_arrays(job.agents),
        np.uint64(source.key),
        np.array(source.seating(seats), np.int64),
        LIMIT,
        state,
        cups,
        work,
        log,
    )
    assert actions >= 0, "a policy's action was refused"
    return log[:actions].tolist(), state[0]


def engine(job: Job, group: int, rotation: int) -> tuple[list[int], Any]:
    """The same from the engine, with the same bots as Python."""
    source = MixDice(job.seed, group, rotation)
    game = Game(job.rules, len(job.agents), seed=source, dice=job.dice)
    field = [HouseAgent(job.agents[player], noise_key(source.key)) for player in source.seating(len(job.agents))]
    run(game, [agent.act for agent in field], LIMIT)
    width = game.charts.width
    codes = [
        ply.quantity * width + ply.face if isinstance(ply, Bid) else -1 - game.table.call[str(ply)]
        for _, ply in game.plies
    ]
    return codes, game.state


def same_game(rules: Rules, field: list[Spec], dice: list[int], seed: int, group: int, rotation: int) -> None:
    seats = max(rules.min_players, min(len(field), rules.max_players, 8))
    job = Job(rules, tuple((field * seats)[:seats]), tuple((dice * seats)[:seats]), seed)
    ours, state = compiled(job, group, rotation % seats)
    theirs, python = engine(job, group, rotation % seats)
    assert ours == theirs
    for name in SCALARS:
        assert int(state[name]) == getattr(python, name), name
    for name in ARRAYS:
        assert state[name][:seats].tolist() == getattr(python, name), name


fields = st.lists(specs(), min_size=2, max_size=8)
cups = st.lists(st.integers(1, 7), min_size=1, max_size=8)


@settings(max_examples=250)
@given(catalog, fields, cups, seeds, st.integers(0, 2**40), st.integers(0, 7))
def test_every_variant_plays_alike_compiled(
    rules: Rules, field: list[Spec], dice: list[int], seed: int, group: int, rotation: int
) -> None:
    same_game(rules, field, dice, seed, group, rotation)


@settings(max_examples=60)
@given(rules().filter(lambda made: made.faces in (2, 6)), fields, cups, seeds, st.integers(0, 2**40), st.integers(0, 7))
def test_any_rules_play_alike_compiled(
    rules: Rules, field: list[Spec], dice: list[int], seed: int, group: int, rotation: int
) -> None:
    same_game(rules, field, dice, seed, group, rotation)


@pytest.mark.slow
@settings(max_examples=3000)
@given(catalog | rules(), fields, cups, seeds, st.integers(0, 2**40), st.integers(0, 7))
def test_many_rules_of_any_faces_play_alike_compiled(
    rules: Rules, field: list[Spec], dice: list[int], seed: int, group: int, rotation: int
) -> None:
    same_game(rules, field, dice, seed, group, rotation)


def test_every_house_bot_has_its_number_in_the_kernel() -> None:
    """The last one needs no name there."""
    named = [getattr(kernels, name.upper()) for name in list(HOUSE)[:-1]]
    assert named == list(KINDS.values())[:-1]
    assert list(HOUSE)[-1] == "listener"


def test_the_catalogue_is_six_sided() -> None:
    """Each number of faces is compiled once more, which is why the fast tests keep to few."""
    assert {one.faces for one in CATALOG.values()} == {6}
