"""Leagues: bots come and go, and games are spent where the least is known."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from calza.agents.entry import parse_entry
from calza.rules import CATALOG
from calza.tournament.league import TABLES, League
from calza.tournament.plan import Plan
from calza.tournament.results import Interval
from calza.tournament.run import Ended, Run, Stopped
from calza.tournament.standings import results_of
from tests.tournament.helpers import same


class Roster:
    """Who is in the league now; `versions` change when a bot does."""

    def __init__(self, **bots: str) -> None:
        self.bots = {name: (text, "1") for name, text in bots.items()}

    def __call__(self) -> tuple[Plan, Sequence[str]]:
        entries = tuple(parse_entry(text, name) for name, (text, _) in self.bots.items())
        plan = Plan(rules=CATALOG["liars-dice"], entries=entries, format="league", groups=4, seed=5)
        return plan, [version for _, version in self.bots.values()]


STAGE = TABLES * 4 * 2  # games


def house(**more: str) -> Roster:
    return Roster(ann="cautious", bob="random", cid="bluffer", **more)


def play(roster: Roster, folder: Path, games: int) -> tuple[League, Ended]:
    league = League(roster, folder)
    return league, league.play(games)


def test_a_league_goes_on_from_call_to_call(tmp_path: Path) -> None:
    _, whole = play(house(), tmp_path / "whole", 3 * STAGE)
    for _ in range(3):
        league, ended = play(house(), tmp_path / "parts", STAGE)
    assert same(ended.tally, whole.tally)
    assert ended.tally.totals[0] == 3 * STAGE
    assert league.skill("0").mu > league.skill("1").mu


def test_a_league_that_was_stopped_plays_the_tables_that_it_would_have_had(tmp_path: Path) -> None:
    _, whole = play(house(), tmp_path / "whole", 2 * STAGE)

    def stop(run: Run) -> None:
        raise Stopped

    league = League(house(), tmp_path / "cut", progress=stop)
    assert league.play(2 * STAGE).stopped
    _, ended = play(house(), tmp_path / "cut", STAGE)
    assert same(ended.tally, whole.tally)


def test_who_is_new_plays_most(tmp_path: Path) -> None:
    play(house(), tmp_path, 6 * STAGE)
    league, _ = play(house(dan="honest"), tmp_path, STAGE)
    last = league.run.past[-1].stage.tables
    assert league.run.plan.names == ["ann", "bob", "cid", "dan"]
    assert sum(3 in table for table in last) > TABLES / 2


def test_a_league_is_ordered_by_skill_and_not_by_the_points_that_weak_opponents_give(tmp_path: Path) -> None:
    """`skeptic` and `random` lose to everybody but each other, and a close game is what they are given."""
    roster = Roster(weak="skeptic", weaker="random", ann="cautious", bob="honest")
    league, ended = play(roster, tmp_path, 10 * STAGE)
    plan, skills = league.run.plan, [league.skill(str(one)) for one in range(4)]
    told = results_of(plan, ended).standings
    assert [one.name for one in told] == [
        plan.names[one] for one in sorted(range(4), key=lambda one: -skills[one].rank)
    ]
    assert {one.name for one in told[:2]} == {"ann", "bob"}
    for one in told:
        skill = skills[plan.names.index(one.name)]
        assert one.skill == Interval(skill.mu, *skill.interval)


def test_somebody_who_looks_on_sees_a_skill_for_everybody_who_has_entered(tmp_path: Path) -> None:
    roster, seen = house(), set[tuple[int, int]]()

    def look(run: Run) -> None:
        roster.bots["dan"] = ("honest", "1")
        seen.add((len(run.plan.entries), len(run.skills)))

    League(roster, tmp_path, progress=look).play(2 * STAGE)
    assert seen == {(3, 3), (4, 4)}


def test_who_has_left_stays_in_the_standings_and_plays_no_more(tmp_path: Path) -> None:
    roster = house(dan="honest")
    play(roster, tmp_path, STAGE)
    del roster.bots["bob"]
    league, _ = play(roster, tmp_path, STAGE)
    assert league.run.plan.names == ["ann", "bob@1", "cid", "dan"]
    assert not any(1 in table for table in league.run.past[-1].stage.tables)
    assert league.run.total.games[:, 1].sum() > 0


def test_a_bot_that_changes_enters_anew(tmp_path: Path) -> None:
    roster = house()
    play(roster, tmp_path, STAGE)
    before = League(roster, tmp_path)
    before.store.close()
    roster.bots["ann"] = ("cautious:call=0.2", "2")
    league, _ = play(roster, tmp_path, STAGE)
    assert league.run.plan.names == ["ann@1", "bob", "cid", "ann"]
    assert not any(0 in table for table in league.run.past[-1].stage.tables)
    assert any(3 in table for table in league.run.past[-1].stage.tables)
    roster.bots["ann"] = ("cautious", "1")
    league, _ = play(roster, tmp_path, STAGE)
    assert league.run.plan.names == ["ann", "bob", "cid", "ann@2"]


def test_bots_may_change_while_it_runs(tmp_path: Path) -> None:
    roster = house()

    def enter(run: Run) -> None:
        roster.bots["dan"] = ("honest", "1")

    league = League(roster, tmp_path, progress=enter)
    league.play(2 * STAGE)
    assert league.run.plan.names == ["ann", "bob", "cid", "dan"]
    assert league.run.total.games[:, 3].sum() > 0


def test_a_stage_of_somebody_who_has_left_is_not_finished(tmp_path: Path) -> None:
    roster = house()

    def stop(run: Run) -> None:
        raise Stopped

    league = League(roster, tmp_path, progress=stop)
    league.run.plan = league.run.plan
    roster_chunked = Roster(**{name: text for name, (text, _) in roster.bots.items()})
    league.play(STAGE)
    del roster_chunked.bots["bob"]
    after, ended = play(roster_chunked, tmp_path, STAGE)
    assert not ended.stopped
    assert all(1 not in table for table in after.run.past[-1].stage.tables)


def test_too_few_are_no_league(tmp_path: Path) -> None:
    from calza.tournament.plan import PlanError

    with pytest.raises(PlanError, match="1 bot cannot fill a table of 2"):
        play(Roster(ann="cautious"), tmp_path, STAGE)
