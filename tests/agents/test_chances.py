"""How likely the bids of a match were."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from calza.agents import bid_odds
from calza.agents.chances import chances
from calza.matches import read_record
from calza.matches.replay import game_of
from calza.rules import CATALOG, Bid, Game, Record, Setup
from calza.rules.record import Entry

RECORDS = sorted((Path(__file__).parents[1] / "records").glob("*.json"))


def test_a_bid_is_as_likely_as_its_bidder_could_know() -> None:
    game = Game(CATALOG["exact"], 2, seed=3)
    opener, other = game.turn, 1 - game.turn
    first, second = Bid(2, 4), Bid(3, 4)
    known = tuple(bid_odds(game.view(seat), first).holds for seat in (0, 1))
    game.play(opener, first)
    answer = tuple(bid_odds(game.view(seat), second).holds for seat in (0, 1))
    game.play(other, second)
    game.play(opener, "bluff")
    assert chances(game.record()) == [known, answer, None]
    assert known[0] != known[1]  # another hand knows other things


def test_a_seat_without_dice_has_no_odds() -> None:
    game = Game.at(CATALOG["exact"], Setup(dice=(2, 0, 2)), seed=1)
    game.play(game.turn, "1x3")
    (odds,) = chances(game.record())
    assert odds
    assert [one is None for one in odds] == [False, True, False]


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_bid_of_a_match_has_a_chance_and_nothing_else_has(path: Path) -> None:
    record = read_record(path.read_bytes())
    found = chances(record)
    assert len(found) == len(record.actions)
    for entry, odds in zip(record.actions, found, strict=True):
        assert (odds is not None) == ("x" in entry.action.replace("exact", ""))
        assert odds is None or odds[entry.seat] is not None
        assert all(chance is None or 0 <= chance <= 1 for chance in odds or ())


def test_chances_end_where_a_record_is_damaged() -> None:
    game = Game(CATALOG["exact"], 2, seed=3)
    game.play(game.turn, "2x4")
    record = game.record()
    damaged: Record = replace(record, actions=(*record.actions, Entry(game.turn, "1x1"), Entry(game.turn, "3x3")))
    assert chances(damaged) == [tuple(bid_odds(game_of(record).view(seat), Bid(2, 4)).holds for seat in (0, 1))]
