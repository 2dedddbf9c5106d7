"""The play as the page judges it: `static/referee.js` against Python on any match, and against forged films."""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from calza.matches import read_record
from calza.rules import CATALOG, Game, Setup
from calza.show.bundle import script
from calza.show.film import film_of
from tests.strategies import games

RECORDS = Path(__file__).parents[1] / "records"
LOOP = """
require("readline").createInterface({ input: process.stdin }).on("line", async (line) => {
  console.log(JSON.stringify((await calza.prove(JSON.parse(line))).says));
});
"""
Film = dict[str, Any]
Judge = Callable[[Film], str]


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    """What the page says of a film, by one Node for all of them."""
    run = script(("dice.js", "referee.js", "proof.js")) + LOOP
    with subprocess.Popen(["node", "-e", run], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as node:
        assert node.stdin
        assert node.stdout
        asked, answers = node.stdin, node.stdout

        def ask(film: Film) -> str:
            asked.write(json.dumps(film) + "\n")
            asked.flush()
            return str(json.loads(answers.readline()))

        yield ask
        with suppress(BrokenPipeError):
            asked.close()


def filmed(name: str) -> Film:
    """The film of a golden match, to be changed."""
    film = film_of(read_record((RECORDS / f"{name}.json").read_bytes()))
    return dict(json.loads(msgspec.json.encode(film)))


@given(game=games())
@settings(max_examples=200)
def test_what_python_plays_the_page_finds_right(judge: Judge, game: Game) -> None:
    film = film_of(game.record(reveal=True))
    assert "Dice verified" in judge(msgspec.to_builtins(film))


def test_a_position_is_played_on_from_where_it_stands(judge: Judge) -> None:
    bids = ((3, "1x3"), (0, "2x3"))
    setup = Setup(dice=(1, 3, 0, 2), start=(5, 5, 5, 5), bids=bids, special=True, used=(0,), round=7)
    game = Game.at(CATALOG["perudo"], setup, seed=4)
    for action in ("3x3", "liar"):
        game.play(game.turn, action)
    assert "2 actions" in judge(msgspec.to_builtins(film_of(game.record())))


def first(film: Film, kind: str, after: int = 0) -> dict[str, Any]:
    """The first moment of a kind."""
    return next(one for one in film["moments"][after:] if one["event"]["type"] == kind)


def lower_bid(film: Film) -> None:
    assert film["moments"][2]["event"]["type"] == "bid"
    film["moments"][2]["event"].update(quantity=1, face=2)


def other_bidder(film: Film) -> None:
    event = first(film, "bid", 3)["event"]
    event["seat"] = (event["seat"] + 1) % 4


def too_many(film: Film) -> None:
    first(film, "bid")["event"]["quantity"] = 21


def wrong_count(film: Film) -> None:
    first(film, "call")["event"]["count"] += 1


def other_reveal(film: Film) -> None:
    first(film, "call")["event"]["shown"][0] = [2, 2]


def free_call(film: Film) -> None:
    moment = first(film, "call")
    moment["left"] = [5, 5, 5, 5]


def other_turn(film: Film) -> None:
    moment = first(film, "bid")
    moment["turn"] = (moment["turn"] + 1) % 4


def early_call(film: Film) -> None:
    film["moments"][1]["event"] = first(film, "call")["event"] | {"seat": film["moments"][1]["event"]["seat"]}


def unknown_call(film: Film) -> None:
    first(film, "call")["event"]["call"] = "peek"


def other_places(film: Film) -> None:
    first(film, "over")["event"]["places"] = [1, 2, 3, 4]


def cut_end(film: Film) -> None:
    del film["moments"][-1]


def still_in(film: Film) -> None:
    first(film, "out")["event"]["seat"] = film["moments"][-1]["event"]["places"].index(1)


def other_opener(film: Film) -> None:
    event = film["moments"][film["rounds"][1]["first"]]["event"]
    event["seat"] = (event["seat"] + 1) % 4


def no_wild(film: Film) -> None:
    del film["rounds"][0]["wild"]


@pytest.mark.parametrize(
    ("forge", "why"),
    [
        (lower_bid, "the bid is not legal"),
        (too_many, "the bid is not legal"),
        (other_bidder, "it was the turn of seat"),
        (wrong_count, "that count, not"),
        (other_reveal, "the reveal shows other dice"),
        (free_call, "the seats should have 5, 5, 5, 4 dice"),
        (other_turn, "it should be the turn of seat"),
        (early_call, "the call is not legal"),
        (unknown_call, "the call is not legal"),
        (other_places, "the places should be"),
        (cut_end, "the match was over, which the film does not tell"),
        (still_in, "has dice left"),
        (other_opener, "should open the round"),
        (no_wild, "another face is wild"),
    ],
)
def test_a_film_that_breaks_the_rules_is_found_out(judge: Judge, forge: Callable[[Film], None], why: str) -> None:
    film = filmed("perudo")
    assert "It played 104 actions again by the rules" in judge(film)
    forge(film)
    said = judge(film)
    assert said.startswith("Play NOT verified: ")
    assert why in said


def test_a_call_on_another_bid_than_the_standing_one_is_found_out(judge: Judge) -> None:
    film = filmed("perudo")
    first(film, "call")["event"]["bidder"] = 1
    assert "another bid was standing" in judge(film)


def test_a_film_that_goes_on_after_the_end_is_found_out(judge: Judge) -> None:
    film = filmed("perudo")
    film["moments"].append(film["moments"][1])
    assert "the match was over" in judge(film)
