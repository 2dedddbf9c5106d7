"""The notation: one parser, one printer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calza.rules import CATALOG, RESIGN, Bid, Call, Forfeit, NotationError, Penalty, Rules, parse_action
from calza.rules.actions import bid_name, face_name, parse_ply, seat_name, seat_of
from tests.strategies import any_rules

SPOT_ON = CATALOG["spot-on"]
words = st.from_regex(r"[a-z][a-z0-9-]{0,20}", fullmatch=True)


@given(any_rules, st.integers(0, 999), st.integers(0, 99), st.data())
def test_what_is_printed_is_read_back(rules: Rules, quantity: int, face: int, data: st.DataObject) -> None:
    call = Call(data.draw(st.sampled_from(rules.calls)).name)
    for action in (Bid(quantity, face), call, RESIGN):
        assert parse_action(str(action), rules) == parse_ply(str(action), rules) == action


@given(words)
def test_rulings_are_read_back_from_records_only(reason: str) -> None:
    for ruling in (Forfeit(reason), Penalty(reason)):
        assert parse_ply(str(ruling), SPOT_ON) == ruling
        if str(ruling) != "resign":
            with pytest.raises(NotationError):
                parse_action(str(ruling), SPOT_ON)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("4x3", Bid(4, 3)),
        (" 4 X 3 ", Bid(4, 3)),
        ("4*3", Bid(4, 3)),
        ("4×3", Bid(4, 3)),
        ("Liar!", Call("liar")),
        ("Spot on", Call("exact")),
        ("spot on, lose two", Call("exact")),
        ("SPOT ON GAIN ONE", Call("exact-gain")),
        ("exact-gain", Call("exact-gain")),
        ("exact gain", Call("exact-gain")),
        ("Resign.", RESIGN),
    ],
)
def test_people_may_write_it_their_way(text: str, action: object) -> None:
    assert parse_action(text, SPOT_ON) == action


@pytest.mark.parametrize(
    "text", ["", "x", "4x", "x3", "-1x3", "4x3x2", "99999x3", "4x3.0", "٤x٣", "dudo", "li ar", "4" * 500]
)
def test_what_is_no_action_is_not_read(text: str) -> None:
    with pytest.raises(NotationError) as error:
        parse_action(text, SPOT_ON)
    assert str(error.value).endswith("write a bid such as 4x3 (four threes), or liar, exact, exact-gain or resign")
    assert len(str(error.value)) < 200


def test_people_read_bids_in_words() -> None:
    assert [bid_name(Bid(*bid)) for bid in ((1, 6), (4, 3), (13, 12), (20, 13), (1, 20))] == [
        "one six",
        "four threes",
        "13 twelves",
        "20 13s",
        "one 20",
    ]
    assert face_name(2) == "twos"


def test_seats_are_letters() -> None:
    assert [seat_of(seat_name(seat), 15) for seat in range(15)] == list(range(15))
    for letter in ("P", "a", "", "AB"):
        with pytest.raises(NotationError, match="seats are A to C"):
            seat_of(letter, 3)
