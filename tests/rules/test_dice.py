"""Dice that anybody can check: the streams against vectors, against other few lines, and against chance."""

import hashlib
import hmac
import json
from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from calza.rules import HmacDice, MixDice
from calza.rules.dice import (
    BLOCK_TABLES,
    block_number,
    block_table,
    commitment,
    game_key,
    match_key,
    mix,
    seating_number,
    starter_number,
)
from calza.rules.hands import MATCHINGS, REMEMBERED, Matching, counts, matching
from tests.strategies import seeds

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "dice.json").read_text())


def test_the_commitment_and_the_dice_from_nothing_but_the_description() -> None:
    """An independent reader of docs/reference/dice.md, in a few lines."""
    seed, match, salts = bytes(range(32)), "m-1", ["ann", "bob", ""]
    assert commitment(seed) == hashlib.sha256(b"calza seed 1" + seed).hexdigest()
    message = b"calza match 1"
    for text in [match, *salts]:
        message += len(text.encode()).to_bytes(4, "big") + text.encode()
    key = hmac.new(seed, message, hashlib.sha256).digest()
    assert match_key(seed, match, salts) == key

    def values(label: bytes, below: int) -> list[int]:
        stream = b"".join(hmac.new(key, label + n.to_bytes(4, "big"), hashlib.sha256).digest() for n in range(9))
        return [byte % below for byte in stream if byte < 256 - 256 % below]

    dice = HmacDice(seed, match, salts)
    for round in (1, 2, 70000):
        hands = dice.roll(round, [5, 0, 40], 6)
        for seat, wanted in ((0, 5), (1, 0), (2, 40)):
            faces = [1 + v for v in values(round.to_bytes(4, "big") + seat.to_bytes(4, "big"), 6)[:wanted]]
            assert hands[seat] == tuple(faces.count(face) if face else 0 for face in range(7))
    order = [0, 1, 2]
    for last in (2, 1):
        other = values(b"seating" + (last + 1).to_bytes(4, "big"), last + 1)[0]
        order[last], order[other] = order[other], order[last]
    assert dice.seating(3) == order
    assert dice.starter(3) == values(b"starter", 3)[0]


def test_the_vectors_that_every_implementation_shares() -> None:
    for one in VECTORS["hmac-1"]:
        seed = bytes.fromhex(one["seed"])
        dice = HmacDice(seed, one["match"], one["salts"])
        assert commitment(seed) == one["commitment"]
        assert dice.key.hex() == one["key"]
        assert dice.seating(len(one["dice"])) == one["seating"]
        assert dice.starter(len(one["dice"])) == one["starter"]
        for number, hands in one["rounds"].items():
            assert [list(hand[1:]) for hand in dice.roll(int(number), one["dice"], one["faces"])] == hands
    for one in VECTORS["mix-1"]:
        mixed = MixDice(one["seed"], one["game"], one["rotation"])
        assert f"{mixed.key:016x}" == one["key"]
        assert mixed.seating(len(one["dice"])) == one["seating"]
        assert mixed.starter(len(one["dice"])) == one["starter"]
        for number, hands in one["rounds"].items():
            assert [list(hand[1:]) for hand in mixed.roll(int(number), one["dice"], one["faces"])] == hands


def test_the_mixer_is_splitmix64() -> None:
    """The first numbers of SplitMix64 from the state 0, which its authors publish."""
    golden = 0x9E3779B97F4A7C15
    assert [mix(n * golden) for n in range(3)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


cups = st.lists(st.integers(0, 30), min_size=2, max_size=15)


@given(seeds, st.integers(0, 2**40), st.integers(1, 10_000), cups, st.integers(2, 20))
def test_the_fast_roll_is_the_plain_one(seed: int, game: int, round: int, dice: list[int], faces: int) -> None:
    source = MixDice(seed, game)
    table = BLOCK_TABLES[faces]
    most = len(table) - 1
    for seat, (hand, wanted) in enumerate(zip(source.roll(round, dice, faces), dice, strict=True)):
        slow = [0] * (faces + 1)
        for block in range(-(-wanted // most)):
            row = table[min(most, wanted - block * most)]
            number = block_number(source.key, round, seat, block, len(row))
            slow = [a + b for a, b in zip(slow, row[number], strict=True)]
        assert list(hand) == slow
        assert sum(hand) == wanted


def test_a_block_is_the_digits_of_its_number() -> None:
    for faces in (2, 6, 7, 20):
        table = block_table(faces)
        assert faces ** len(table) > 7776 >= faces ** (len(table) - 1)
        for dice, row in enumerate(table):
            assert len(row) == faces**dice
            for number in range(0, len(row), 97):
                digits = [number // faces**die % faces + 1 for die in range(dice)]
                assert row[number] == counts(digits, faces)


@given(seeds, st.integers(0, 2**40), st.integers(2, 15))
def test_rotations_seat_everybody_everywhere_once(seed: int, game: int, players: int) -> None:
    secret = seed.to_bytes(32, "big")
    for kind in (lambda r: MixDice(seed, game, r), lambda r: HmacDice(secret, rotation=r)):
        seatings = [kind(rotation).seating(players) for rotation in range(players)]
        assert all(sorted(seating) == list(range(players)) for seating in seatings)
        assert all(len(set(column)) == players for column in zip(*seatings, strict=True))
        assert [seatings[1][(seat + 1) % players] for seat in range(players)] == seatings[0]
        assert kind(0).roll(1, [3] * players, 6) == kind(1).roll(1, [3] * players, 6)
    assert 0 <= MixDice(seed, game).starter(players) < players


def test_different_seeds_do_not_play_the_same_games() -> None:
    assert not {game_key(1, game) for game in range(1000)} & {game_key(2, game) for game in range(1000)}
    assert starter_number(game_key(1, 1), 6) in range(6)
    assert seating_number(game_key(1, 1), 3) in range(4)


def chi_square(counted: Counter[int], faces: int) -> float:
    """The distance from even dice."""
    even = sum(counted.values()) / faces
    return sum((counted[face] - even) ** 2 / even for face in range(1, faces + 1))


def test_committed_dice_are_even() -> None:
    """A chi-square of five degrees of freedom passes 25.7 once in ten thousand; these dice are always the same."""
    dice, counted = HmacDice(b"even" * 8), Counter[int]()
    for round in range(1, 501):
        for hand in dice.roll(round, [40] * 15, 6):
            counted.update({face: hand[face] for face in range(1, 7)})
    assert sum(counted.values()) == 300_000
    assert chi_square(counted, 6) < 25.7


def test_remembered_hands_are_worth_what_they_are() -> None:
    hand = (0, 2, 1, 0, 0, 1, 1)
    assert matching(hand, 1) == (0, 2, 3, 2, 2, 3, 3)
    assert matching(hand, 6) == (0, 3, 2, 1, 1, 2, 1)
    assert matching(hand, 0) == hand
    assert MATCHINGS[1][hand] == matching(hand, 1)
    assert MATCHINGS[1][hand] is MATCHINGS[1][hand]


def test_what_is_remembered_does_not_grow_for_ever() -> None:
    worth = Matching(1)
    for hand in range(REMEMBERED + 5):
        worth[(0, hand)]
    assert len(worth) == 5
