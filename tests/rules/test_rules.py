"""Rules as data: their identity, and the catalogue."""

import hashlib
import json
import pickle

import msgspec
from hypothesis import given
from msgspec.structs import replace

from calza.rules import CATALOG, Bid, Call, Forfeit, Game, Outcome, Raise, Refusal, Rules
from calza.rules.errors import AgentFault, IllegalAction, NotationError, RecordError, RulesError
from calza.rules.rules import data
from calza.rules.table import lay
from tests.strategies import rules

# An id that changes breaks every record and every bot that knows it: a change here is a change of the game.
IDS = {
    "liars-dice": "fa042e9bfd4e",
    "exact": "b47d96774a64",
    "joker": "720c5ef5a7c1",
    "spot-on": "f9cadd08eb11",
    "perudo": "ef417a2d2791",
    "dudo": "13e5ed92fe23",
    "difference": "5b0c810d4f06",
    "textarena": "6e20897e1f01",
    "openspiel": "664756728143",
    "openspiel-reset-quantity": "e5c2d41ae199",
    "snyd": "daf9565d93c7",
}


def test_an_id_is_the_hash_of_what_makes_the_game() -> None:
    by_hand = {
        "calls": [
            {
                "exact": {"caller": -1},
                "name": "liar",
                "over": {"caller": -1},
                "short": {"bidder": -1, "starts": "bidder"},
            }
        ],
        "cap": 30,
        "max_players": 6,
        "raising": {"from_wild": "double-plus-one", "to_wild": "half"},
        "wild": 1,
    }  # fmt: skip
    text = json.dumps(by_hand, sort_keys=True, separators=(",", ":")).encode()
    assert CATALOG["liars-dice"].rules_id == hashlib.sha256(text).hexdigest()
    assert {name: one.rules_id[:12] for name, one in CATALOG.items()} == IDS


def test_every_variant_is_another_game() -> None:
    assert len({one.rules_id for one in CATALOG.values()}) == len(CATALOG)


def test_prose_makes_no_other_game() -> None:
    one = CATALOG["joker"]
    calls = tuple(replace(call, words=("something",)) for call in one.calls)
    assert replace(one, name="x", title="X", about="y", notes=("z",), calls=calls).rules_id == one.rules_id
    assert replace(one, dice=4).rules_id != one.rules_id


@given(rules())
def test_rules_survive_their_json(made: Rules) -> None:
    text = msgspec.json.encode(data(made))
    again = msgspec.json.decode(text, type=Rules)
    assert again == made
    # Numbers read from a file are equal to a default, not the same object.
    assert again.rules_id == made.rules_id


def test_a_title_is_shown_where_there_is_one() -> None:
    assert CATALOG["spot-on"].shown == "Spot On"
    assert replace(CATALOG["spot-on"], title="").shown == "spot-on"


def test_data_leaves_out_defaults() -> None:
    assert data(Outcome(caller=0, bidder=-1)) == {"bidder": -1}
    assert data((Raise.ANY,)) == ["any"]


def test_a_table_travels_as_its_rules() -> None:
    table = lay(CATALOG["perudo"])
    assert pickle.loads(pickle.dumps(table)) is table
    assert repr(table) == "<table for perudo>"
    view = Game(CATALOG["perudo"], 2, seed=1).view(0)
    assert pickle.loads(pickle.dumps(view)) == view


def test_errors_travel_between_processes() -> None:
    errors = [
        RulesError("wild", "is 7"),
        RulesError("", "no game"),
        NotationError("x", "no bid", 3),
        RecordError("is wrong", 3),
        RecordError("is wrong"),
        AgentFault("crash", "it ended", "Traceback ..."),
        IllegalAction(Refusal.TOO_LOW, 1, Bid(1, 2), "too low", Call("liar")),
    ]
    for error in errors:
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
    assert str(errors[0]) == "wild: is 7"
    assert str(errors[1]) == "no game"
    assert str(errors[3]) == "action 3: is wrong"
    assert Refusal.TOO_LOW.word == "too_low"


def test_forfeits_print_their_reason() -> None:
    assert [str(Forfeit()), str(Forfeit("timeout"))] == ["resign", "forfeit:timeout"]
