"""Tournaments: the same for a seed whoever plays them, never losing a game, going on whatever a bot does."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from calza.agents.entry import Entry, parse_entry
from calza.agents.house import AgentError
from calza.matches import read_record, verify
from calza.matches.host import Clock, Policy
from calza.rules import CATALOG
from calza.tournament.plan import Plan, PlanError, check_plan
from calza.tournament.pools import processes
from calza.tournament.run import Run, Stopped, play_tournament
from calza.tournament.store import Store, StoreError
from calza.tournament.tally import FAULTS, SCALE
from tests.tournament.helpers import plan, played, same, stage

ROOT = Path(__file__).parents[2]


def test_every_table_is_played_in_every_rotation(tmp_path: Path) -> None:
    one = plan(players=3)
    tally = play_tournament(one, tmp_path).tally
    assert len(stage(one).tables) == 4
    assert stage(one).games == tally.totals[0] == 4 * 3 * 3
    assert tally.games.sum(0).tolist() == [27] * 4
    assert tally.points.sum() == stage(one).games * SCALE
    assert tally.seats.tolist() == [[36, wins] for _, wins in tally.seats.tolist()]
    assert tally.seats[:, 1].sum() == tally.wins.sum() == 36


def test_the_result_is_the_same_whoever_plays_it(tmp_path: Path) -> None:
    one = plan(groups=30, chunk=20)
    alone = play_tournament(one, tmp_path / "1").tally
    for many in (2, 3):
        assert same(play_tournament(one, tmp_path / str(many), pool=processes(many)).tally, alone)
    assert same(play_tournament(replace(one, chunk=7), tmp_path / "7").tally, alone)
    assert not same(play_tournament(replace(one, seed=8), tmp_path / "8").tally, alone)


def test_what_is_on_disk_is_not_played_again(tmp_path: Path) -> None:
    one = plan(chunk=4)
    whole = play_tournament(one, tmp_path / "whole").tally
    told = []

    def stop(run: Run) -> None:
        told.append(run.total.totals[0])
        if len(told) == 3:
            raise Stopped

    cut = play_tournament(one, tmp_path / "cut", progress=stop)
    assert cut.stopped
    assert cut.tally.totals[0] == 3 * 4 * 2
    store = Store(tmp_path / "cut", one)
    assert store.done(stage(one)) == {0, 1, 2}
    store.close()
    again: list[object] = []
    assert same(play_tournament(one, tmp_path / "cut", progress=again.append).tally, whole)
    assert len(again) == len(stage(one).chunks()) - 3


RUN = """
import sys
from pathlib import Path
from tests.tournament.helpers import plan
from calza.tournament.pools import processes
from calza.tournament.run import play_tournament
if __name__ == "__main__":
    tell = lambda run: print("chunk", flush=True)
    play_tournament(plan(groups=12, chunk=2), Path(sys.argv[1]), pool=processes(int(sys.argv[2])), progress=tell)
    print("done", flush=True)
"""


def killed_and_resumed(folder: Path, script: Path, random: Random, processes: int) -> int:
    """Start, kill after some chunks, until it is done; how often it was killed."""
    kills = 0
    while True:
        after = random.randrange(0, 14)
        command = [sys.executable, str(script), str(folder), str(processes)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
            start_new_session=True,
        ) as run:  # fmt: skip
            assert run.stdout
            for lines, line in enumerate(run.stdout):
                if line == "done\n":
                    run.wait()
                    return kills
                if lines >= after:
                    os.kill(run.pid, signal.SIGKILL)  # the host alone: its processes end with it
                    kills += 1
                    break


def kill_often(folder: Path, wanted: int, seed: int) -> None:
    """Tournaments killed at random moments until that has happened so often; each must end as an unbroken one."""
    script = folder / "run.py"
    script.write_text(RUN)
    random, one, kills = Random(seed), plan(groups=12, chunk=2), 0
    whole = play_tournament(one, folder / "whole").tally
    while kills < wanted:
        cut = folder / f"killed-{kills}"
        kills += killed_and_resumed(cut, script, random, 1 + kills % 2)
        store = Store(cut, one)
        assert same(store.tally(), whole)
        assert store.done(stage(one)) == {chunk.number for chunk in stage(one).chunks()}
        store.close()


def test_kill_9_loses_no_game_and_counts_none_twice(tmp_path: Path) -> None:
    kill_often(tmp_path, wanted=10, seed=1)


@pytest.mark.slow
def test_kill_9_a_hundred_times(tmp_path: Path) -> None:
    kill_often(tmp_path, wanted=100, seed=2)


def test_a_results_folder_belongs_to_one_tournament(tmp_path: Path) -> None:
    play_tournament(plan(), tmp_path)
    with pytest.raises(StoreError, match="holds the results of another tournament"):
        play_tournament(plan(seed=8), tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file: File exists"):
        play_tournament(plan(), tmp_path / "file")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "results.sqlite").write_text("this is no database, and it is long enough to be noticed as such")
    with pytest.raises(StoreError, match="cannot be used"):
        play_tournament(plan(), tmp_path / "bad")


def test_matches_are_kept_for_the_report(tmp_path: Path) -> None:
    one = plan()
    play_tournament(one, tmp_path)
    store = Store(tmp_path, one)
    kept = store.kept()
    store.close()
    assert len(kept) == len(stage(one).tables)
    for match in kept:
        verdict = verify(read_record(match.record))
        assert verdict.finished
        assert verdict.seated
        assert not match.faults


BOTS = """
import random, sys, time

class Wrong:
    def act(self, view):
        return "99x9"

class Breaks:
    def act(self, view):
        raise KeyError("lost")

class Unreadable:
    def act(self, view):
        return "banana"

class Sleeps:
    def act(self, view):
        time.sleep(0.002)
        return "liar" if view.quantity else "1x2"

class Leaves:
    def act(self, view):
        sys.exit(0)

class Draws:
    def act(self, view):
        return "liar" if view.quantity else f"1x{random.randint(2, 6)}"

class Forgetful:
    def __init__(self):
        self.asked = 0
    def act(self, view):
        self.asked += 1
        return "liar" if view.quantity else f"{min(self.asked, view.most)}x2"
"""


def inline(tmp_path: Path, name: str) -> Entry:
    """One of the bots above, in this process."""
    path = tmp_path / "bots.py"
    path.write_text(BOTS)
    return parse_entry(f"{path}:{name}", isolation="inline")


@pytest.mark.parametrize(("name", "kind"), [("Wrong", "illegal"), ("Breaks", "crash"), ("Unreadable", "malformed")])
@pytest.mark.parametrize("policy", ["forfeit", "lose-die", "retry:2"])
def test_a_faulty_bot_loses_and_the_tournament_goes_on(tmp_path: Path, name: str, kind: str, policy: str) -> None:
    entries = (inline(tmp_path, name), parse_entry("cautious"), parse_entry("honest"))
    one = plan(entries=entries, policy=Policy(illegal=policy), bench=999, limit=400)
    done = played(one, range(9), tmp_path)
    faults = done.tally.faults[0].tolist()
    assert faults[FAULTS.index(kind)] == sum(faults) >= 12
    assert done.tally.points.sum(0)[0] == 0
    assert done.tally.totals[0] == 18
    assert all(one.faults[0][0] == name for one in done.kept if one.faults)
    if kind == "crash":
        assert "KeyError: 'lost'" in done.kept[0].faults[0][1].why
        assert "raise KeyError" in done.kept[0].faults[0][1].detail


def test_who_fails_too_often_in_a_row_sits_out(tmp_path: Path) -> None:
    one = plan(entries=(inline(tmp_path, "Breaks"), parse_entry("cautious")), bench=3, groups=5)
    done = played(one, range(5), tmp_path)
    reasons = [fault.why for match in done.kept for _, fault in match.faults]
    assert reasons[:3] == ["KeyError: 'lost' (bots.py, line 10)"] * 3
    assert set(reasons[3:]) == {"benched after 3 failed matches in a row"}
    assert done.benched == (0,)


def test_a_match_in_which_another_failed_first_is_no_good_match(tmp_path: Path) -> None:
    twins = [replace(inline(tmp_path, "Breaks"), name=name) for name in ("ann", "bob")]
    done = played(plan(entries=tuple(twins), bench=3, groups=6), range(6), tmp_path)
    assert done.benched == (0, 1)


def test_who_is_benched_sits_out_the_rest_of_the_stage(tmp_path: Path) -> None:
    entries = (inline(tmp_path, "Breaks"), parse_entry("cautious"))
    one = plan(entries=entries, bench=3, groups=6, chunk=2)
    ended = play_tournament(one, tmp_path / "results")
    store = Store(tmp_path / "results", one)
    reasons = [fault.why for match in store.kept() for _, fault in match.faults]
    store.close()
    assert reasons.count("KeyError: 'lost' (bots.py, line 10)") == 3
    assert ended.past[0].benched == (0,)
    assert ended.tally.faults[0].sum() == ended.tally.totals[0] == 12


def test_an_inline_bot_is_made_anew_for_every_match(tmp_path: Path) -> None:
    """Else its play would depend on who played the chunk before."""
    one = plan(entries=(inline(tmp_path, "Forgetful"), parse_entry("honest")), groups=20)
    whole = played(one, range(20), tmp_path).tally
    parts = played(one, range(11), tmp_path).tally
    parts.add(played(one, range(11, 20), tmp_path).tally)
    assert same(whole, parts)


def test_a_clock_is_kept_for_bots_of_ones_own_in_this_process(tmp_path: Path) -> None:
    one = plan(entries=(inline(tmp_path, "Sleeps"), parse_entry("cautious")), clock=Clock(move=0.001))
    tally = played(one, range(2), tmp_path).tally
    assert tally.times[:, 0].sum() >= tally.totals[2]
    assert tally.faults[0, FAULTS.index("timeout")] == 4
    assert tally.points.sum(0).tolist() == [0, 4 * SCALE]


def test_house_bots_need_no_clock(tmp_path: Path) -> None:
    """Theirs would cost half of their speed, where foreign bots have one."""
    timed, untimed = plan(clock=Clock(move=10.0)), plan()
    one, other = played(timed, range(2), tmp_path).tally, played(untimed, range(2), tmp_path).tally
    assert same(one, other)
    assert not one.times.any()


def test_a_bot_that_ends_python_has_crashed(tmp_path: Path) -> None:
    done = played(plan(entries=(inline(tmp_path, "Leaves"), parse_entry("cautious"))), range(2), tmp_path)
    assert done.tally.faults[0, FAULTS.index("crash")] == 4
    assert done.tally.points.sum(0).tolist() == [0, 4 * SCALE]


def test_chance_in_this_process_is_that_of_the_chunk(tmp_path: Path) -> None:
    one = plan(entries=(inline(tmp_path, "Draws"), parse_entry("cautious")), groups=20)
    assert same(played(one, range(20), tmp_path).tally, played(one, range(20), tmp_path).tally)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"players": 1}, "a table seats 2 to 6 players, not 1"),
        ({"players": 7}, "a table seats 2 to 6 players, not 7"),
        ({"players": 3, "rules": CATALOG["snyd"]}, "snyd is no game for 3 players"),
        ({"players": 5}, "4 bots cannot fill a table of 5"),
        ({"groups": 0}, "the number of games must be positive"),
        ({"entries": (parse_entry("cautious"), parse_entry("cautious"))}, "two bots are called cautious"),
    ],
)
def test_a_tournament_that_cannot_be_played_says_why(changes: dict[str, object], why: str) -> None:
    with pytest.raises(PlanError, match=why):
        check_plan(plan(**changes))


def test_a_missing_bot_is_told_before_the_start() -> None:
    with pytest.raises(AgentError, match=r"there is no file .*nowhere\.py"):
        parse_entry("nowhere.py")


def test_results_are_sqlite_that_anybody_can_read(tmp_path: Path) -> None:
    one: Plan = plan()
    play_tournament(one, tmp_path)
    with sqlite3.connect(tmp_path / "results.sqlite") as db:
        assert db.execute("SELECT count(*) FROM chunk").fetchone() == (len(stage(one).chunks()),)
