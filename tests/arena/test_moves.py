"""Actions as they travel."""

from typing import Any

import jsonschema
import pytest

from calza.arena.errors import ArenaError
from calza.arena.moves import clean_talk, read_move, validator
from calza.rules import CATALOG

LIARS, SPOT_ON, EXACT = CATALOG["liars-dice"], CATALOG["spot-on"], CATALOG["exact"]


@pytest.mark.parametrize(
    ("raw", "rules", "text"),
    [
        ({"type": "bid", "quantity": 4, "faceValue": 3}, LIARS, "4x3"),
        ({"type": "challenge"}, EXACT, "liar"),
        ({"type": "exact"}, EXACT, "exact"),
        ({"type": "exact"}, SPOT_ON, "exact"),
        ({"type": "exact", "reward": "lose_two"}, SPOT_ON, "exact"),
        ({"type": "exact", "reward": "gain_one"}, SPOT_ON, "exact-gain"),
        ({"type": "exact"}, LIARS, "exact"),  # which the rules refuse in their own words
        ({"type": "resign"}, LIARS, "resign"),
    ],
)
def test_an_action_is_read(raw: Any, rules: Any, text: str) -> None:
    assert str(read_move(raw, rules)) == text


@pytest.mark.parametrize(
    "raw",
    [
        None, 7, "bid", [], {}, {"type": "fold"}, {"type": "bid"}, {"type": "bid", "quantity": "4", "faceValue": 3},
        {"type": "bid", "quantity": 4.5, "faceValue": 3}, {"type": "bid", "quantity": True, "faceValue": 3},
        {"type": "bid", "quantity": 0, "faceValue": 3}, {"type": "bid", "quantity": 10**400, "faceValue": 3},
        {"type": "bid", "quantity": 4, "facevalue": 3}, {"type": "bid", "quantity": 4, "faceValue": 3, "extra": 1},
        {"type": "exact", "reward": "both"},
    ],
)  # fmt: skip
def test_a_wrong_shape_is_refused_with_the_right_ones(raw: Any) -> None:
    with pytest.raises(ArenaError) as refused:
        read_move(raw, LIARS)
    assert (refused.value.status, refused.value.code) == (400, "invalid_input")
    assert '{"type":"challenge"}' in refused.value.details


@pytest.mark.parametrize("game", ["liars-dice", "exact", "joker", "perudo"])
@pytest.mark.parametrize("reward", ["lose_two", "gain_one"])
def test_a_reward_is_refused_where_none_is_chosen(game: str, reward: str) -> None:
    with pytest.raises(ArenaError, match="this game has no reward to choose; leave it out") as refused:
        read_move({"type": "exact", "reward": reward}, CATALOG[game])
    assert refused.value.code == "invalid_input"


@pytest.mark.parametrize("name", [name for name, rules in CATALOG.items() if rules.end == "last"])
def test_the_schema_of_a_variant_takes_what_is_read(name: str) -> None:
    rules = CATALOG[name]
    judge = jsonschema.Draft202012Validator(validator(rules))
    judge.validate({"type": "bid", "quantity": 1, "faceValue": 1})
    judge.validate({"type": "challenge"})
    assert judge.is_valid({"type": "exact"}) == (len(rules.calls) > 1)
    assert judge.is_valid({"type": "exact", "reward": "gain_one"}) == (name == "spot-on")
    assert not judge.is_valid({"type": "bid", "quantity": 1, "faceValue": rules.faces + 1})
    assert not judge.is_valid({"type": "bid", "quantity": 1, "faceValue": 1, "x": 1})


def test_table_talk_is_one_line_of_plain_characters() -> None:
    assert clean_talk("  nice\tbid\r\nof yours\u202e\x07\u2028! ") == "nice bid of yours !"
    assert len(clean_talk("x" * 1000)) == 140
