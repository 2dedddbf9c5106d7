"""Formats: who meets whom, from what has been played."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import pytest
from msgspec.structs import replace

from calza.rules import CATALOG
from calza.tournament import formats
from calza.tournament.formats import Past, eliminated, next_stage
from calza.tournament.plan import Plan, PlanError, check_plan
from calza.tournament.stage import Stage
from tests.tournament.helpers import plan

NAMES = [f"cautious:call=0.{one:02}" for one in range(1, 30)]


def field(many: int, **changes: object) -> Plan:
    """A plan over so many bots."""
    return plan(*NAMES[:many], **changes)


def ended(one: Plan, stage: Stage, strengths: Sequence[float]) -> Past:
    """A stage in which everybody did as well as they are strong."""
    playing = {bot for table in stage.tables for bot in table}
    return Past(stage, tuple(strength if bot in playing else 0.0 for bot, strength in enumerate(strengths)))


def played_out(one: Plan, strengths: Sequence[float]) -> list[Past]:
    """All stages of a tournament whose bots are so strong."""
    past: list[Past] = []
    while stage := next_stage(one, past):
        past.append(ended(one, stage, strengths))
    return past


def test_a_round_robin_is_every_table_once() -> None:
    stage = next_stage(field(5, players=3), [])
    assert stage
    assert stage.tables == tuple(combinations(range(5), 3))
    assert stage.games == 10 * 3 * 3
    assert next_stage(field(5, players=3), [ended(field(5), stage, [0.2] * 5)]) is None


def test_a_gauntlet_is_one_against_the_field() -> None:
    stage = next_stage(field(4, format="gauntlet", players=3), [])
    assert stage
    assert stage.tables == ((0, 1, 2), (0, 1, 3), (0, 2, 3))


def test_too_many_tables_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "MOST_TABLES", 5)
    for kind in ("round-robin", "gauntlet"):
        with pytest.raises(PlanError, match="tables are too many; take fewer bots"):
            next_stage(field(7, format=kind, players=3), [])


def test_a_unit_says_its_table_and_its_group() -> None:
    stage = Stage(1, 100, ((0, 1), (2, 3, 4)), 3, 2)
    assert list(stage.units) == [100, 101, 102, 103, 104, 105]
    assert [stage.table(unit) for unit in stage.units] == [(0, 1), (2, 3, 4)] * 3
    assert [stage.group(unit) for unit in stage.units] == [0, 0, 1, 1, 2, 2]
    assert [list(chunk.units) for chunk in stage.chunks()] == [[100, 101], [102, 103], [104, 105]]
    assert stage.games == 3 * 5


# --- Swiss


@pytest.mark.parametrize(("bots", "players"), [(8, 2), (9, 2), (10, 3), (11, 4)])
def test_a_swiss_round_seats_as_many_as_there_is_room_for(bots: int, players: int) -> None:
    past = played_out(field(bots, format="swiss", players=players), [one / 30 for one in range(bots)])
    sat_out = Counter[int]()
    for over in past:
        seated = [bot for table in over.stage.tables for bot in table]
        assert len(seated) == len(set(seated)) == bots - bots % players
        assert all(len(table) == players for table in over.stage.tables)
        sat_out.update(set(range(bots)) - set(seated))
    assert all(times <= 1 for times in sat_out.values())


def test_swiss_units_are_numbered_on() -> None:
    past = played_out(field(6, format="swiss", rounds=3), [0.1] * 6)
    assert [over.stage.units for over in past] == [range(9), range(9, 18), range(18, 27)]
    assert [over.stage.name for over in past] == ["round 1", "round 2", "round 3"]


def test_in_swiss_nobody_meets_again_while_there_are_others() -> None:
    past = played_out(field(8, format="swiss", rounds=4), [one / 10 for one in range(8)])
    met = Counter(table for over in past for table in over.stage.tables)
    assert max(met.values()) == 1


def test_in_swiss_winners_meet_winners() -> None:
    one = field(8, format="swiss", rounds=3)
    past = played_out(one, [bot / 10 for bot in range(8)])
    last = past[-1].stage.tables
    assert any({6, 7} <= set(table) for over in past for table in over.stage.tables)
    assert any(abs(a - b) <= 2 for a, b in last)


def test_swiss_takes_about_as_many_rounds_as_it_takes_to_leave_one_unbeaten() -> None:
    assert [len(played_out(field(many, format="swiss"), [0.5] * many)) for many in (2, 4, 8, 9)] == [2, 3, 4, 5]


# --- knock-out


@pytest.mark.parametrize("bots", range(2, 18))
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_knock_out_leaves_the_best(bots: int, players: int) -> None:
    one = field(bots, format="knock-out", players=players)
    past = played_out(one, [bot / 30 for bot in range(bots)])
    assert set(range(bots)) - eliminated(past).keys() == {bots - 1}
    assert past[-1].stage.name == "final"
    for over in past:
        assert all(2 <= len(table) <= players for table in over.stage.tables)


def test_the_first_seed_has_the_bye_and_equals_go_by_their_seeding() -> None:
    past = played_out(field(5, format="knock-out"), [0.5] * 5)
    assert [over.stage.tables for over in past] == [((1, 4), (2, 3)), ((1, 2),), ((0, 1),)]
    assert eliminated(past) == {3: 0, 4: 0, 2: 1, 1: 2}


def test_the_best_seeds_can_only_meet_in_the_final() -> None:
    past = played_out(field(8, format="knock-out"), [1 - bot / 10 for bot in range(8)])
    assert [over.stage.name for over in past] == ["quarter-final", "semi-final", "final"]
    assert past[-1].stage.tables == ((0, 1),)


def test_a_knock_out_needs_a_game_for_two() -> None:
    rules = replace(CATALOG["liars-dice"], min_players=3)
    with pytest.raises(PlanError, match="a knock-out comes down to two, and liars-dice is no game for them"):
        check_plan(field(7, format="knock-out", players=4, rules=rules))
