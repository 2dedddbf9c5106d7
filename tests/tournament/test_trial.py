"""Sequential tests of a candidate: they end in the same place however they are played."""

from pathlib import Path

import pytest

from calza.tournament.pools import processes
from calza.tournament.run import Ended, Run, Stopped, play_tournament
from calza.tournament.sprt import Test as Sprt
from calza.tournament.trial import Trial
from tests.tournament.helpers import plan, same, stage

QUICK = Sprt(0, 60, players=2)


def tried(folder: Path, many: int = 1, **changes: object) -> Ended:
    """A candidate against an opponent, in chunks of ten groups."""
    one = plan("cautious", "bluffer:bluff=0.6", groups=2000, chunk=10, **changes)
    return play_tournament(one, folder, pool=processes(many), test=QUICK)


def test_it_stops_as_soon_as_it_is_decided(tmp_path: Path) -> None:
    ended = tried(tmp_path)
    assert ended.verdict
    assert ended.verdict.decided == "H1"
    assert ended.tally.totals[0] < 2000
    assert ended.tally.totals[0] % 20 == 0


def test_it_ends_in_the_same_place_for_any_number_of_processes(tmp_path: Path) -> None:
    alone = tried(tmp_path / "1")
    for many in (2, 3):
        ended = tried(tmp_path / str(many), many)
        assert same(ended.tally, alone.tally)
        assert ended.verdict == alone.verdict


def test_what_was_stopped_goes_on_to_the_same_verdict(tmp_path: Path) -> None:
    one = plan("cautious", "bluffer:bluff=0.6", groups=2000, chunk=10)

    def stop(run: Run) -> None:
        raise Stopped

    cut = play_tournament(one, tmp_path / "cut", progress=stop, test=QUICK)
    assert cut.stopped
    assert cut.tally.totals[0] == 20
    assert cut.verdict
    assert cut.verdict.decided is None
    again, whole = play_tournament(one, tmp_path / "cut", test=QUICK), tried(tmp_path / "whole")
    assert again.verdict == whole.verdict
    assert same(again.tally, whole.tally)


def test_a_decided_test_plays_no_more(tmp_path: Path) -> None:
    first = tried(tmp_path)
    one = plan("cautious", "bluffer:bluff=0.6", groups=2000, chunk=10)
    told: list[Run] = []
    again = play_tournament(one, tmp_path, progress=told.append, test=QUICK)
    assert told == []
    assert again.verdict == first.verdict


@pytest.mark.parametrize("order", [[0, 1, 2], [2, 1, 0], [1, 0, 2]])
def test_chunks_are_read_in_their_order(order: list[int]) -> None:
    one = stage(plan("cautious", "random", groups=6, chunk=2))
    scores = [[[3600, 3600], [7200, 0]], [[0, 7200], [7200, 0]], [[7200, 0], [3600, 3600]]]
    trial, read = Trial(Sprt(0, 10, players=2), entry=1), []
    for number in order:
        trial.hold(number, scores[number])
        trial.read(one)
        read.append(trial.next)
    assert trial.next == 3
    assert trial.sums.groups == 6
    assert trial.sums.total == pytest.approx((1 + 0 + 2 + 0 + 0 + 1) / 2)
    assert read == sorted(read)
