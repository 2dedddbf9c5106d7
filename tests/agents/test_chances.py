"""How likely the bids of a match were."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from calza.agents import bid_odds
from calza.agents.chances import chances
from calza.matches import read_record
from calza.matches.replay import game_of
from calza.rules import CATALOG, Bid, Game, Record
from calza.rules.record import Entry

RECORDS = sorted((Path(__file__).parents[1] / "records").glob("*.json"))


def test_a_bid_is_as_likely_as_its_bidder_could_know() -> None:
    game = Game(CATALOG["exact"], 2, seed=3)
    opener, other = game.turn, 1 - game.turn
    first, second = Bid(2, 4), Bid(3, 4)
    known = bid_odds(game.view(opener), first).holds
    game.play(opener, first)
    answer = bid_odds(game.view(other), second).holds
    game.play(other, second)
    game.play(opener, "bluff")
    assert chances(game.record()) == [known, answer, None]
    assert known != bid_odds(game.view(other), first).holds  # another hand knows other things


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_bid_of_a_match_has_a_chance_and_nothing_else_has(path: Path) -> None:
    record = read_record(path.read_bytes())
    found = chances(record)
    assert len(found) == len(record.actions)
    for entry, chance in zip(record.actions, found, strict=True):
        assert (chance is not None) == ("x" in entry.action.replace("exact", ""))
        assert chance is None or 0 <= chance <= 1


def test_chances_end_where_a_record_is_damaged() -> None:
    game = Game(CATALOG["exact"], 2, seed=3)
    game.play(game.turn, "2x4")
    record = game.record()
    damaged: Record = replace(record, actions=(*record.actions, Entry(game.turn, "1x1"), Entry(game.turn, "3x3")))
    assert chances(damaged) == [bid_odds(game_of(record).view(record.actions[0].seat), Bid(2, 4)).holds]
