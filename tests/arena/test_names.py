"""Names and keys of agents."""

import re
from random import Random

import pytest

from calza.arena import keys, names


@pytest.mark.parametrize("name", ["Ann", "deep thought", "a", "bot_7-x", "X" * 64])
def test_a_name_of_the_contract_may_be_had(name: str) -> None:
    assert names.refusal(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "",
        "X" * 65,
        "änn",
        "a.b",
        "a\nb",
        "<b>",
        " a",
        "a ",
        "a  b",
        "Calza",
        "the Admin",
        "c4lza_house",
        "___",
        "h0use",
        "HOUSE",
        "Adrnin",
        "adm1n",
        "0ff1cial bot",
        "mod-erat0r",
    ],
)
def test_any_other_may_not(name: str) -> None:
    assert names.refusal(name)


def test_names_that_differ_only_in_what_the_eye_skips_look_alike() -> None:
    assert names.outline("Bill-O") == names.outline("B1LL_0") != names.outline("Bull")
    assert names.outline("Mowgli") == names.outline("rnovvgl1")


def test_a_key_can_be_found_in_a_leak_and_is_stored_as_a_hash() -> None:
    key = keys.new_key(lambda many: bytes(range(many)))
    assert keys.SHAPE.fullmatch(key)
    assert key.startswith("calza_")
    assert keys.hash_of(key) is not None
    assert key.encode() not in (keys.hash_of(key) or b"")


@pytest.mark.parametrize("text", ["", "calza_", "x" * 70, "calza_" + "G" * 64, "calza_" + "a" * 65, "calza_ä" * 9])
def test_what_cannot_be_a_key_is_not_looked_up(text: str) -> None:
    assert keys.hash_of(text) is None


def test_ids_need_no_escaping_and_are_random_from_the_first_sign() -> None:
    draw = Random(1).randbytes
    ids = {keys.new_id(draw) for _ in range(64)}
    assert len(ids) == 64
    assert len({one[0] for one in ids}) > 10
    assert all(re.fullmatch("[a-z0-9]{20}", one) for one in ids)


def test_the_verification_code_has_the_contracts_shape() -> None:
    assert keys.new_code(lambda many: b"\xab" * many) == "sc-verify-" + "ab" * 8
