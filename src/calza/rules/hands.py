"""Hands as counts per face, and what they are worth for a bid: the matching counts."""

from collections.abc import Iterable
from typing import Final

from .dice import Hand

REMEMBERED = 100_000


def counts(dice: Iterable[int], faces: int) -> Hand:
    """Dice by their faces as counts; index 0 is unused."""
    hand = [0] * (faces + 1)
    for face in dice:
        hand[face] += 1
    return tuple(hand)


def matching(hand: Hand, wild: int) -> Hand:
    """Dice of `hand` that count for a bid on each face; the wild face itself counts only its own."""
    if not wild:
        return hand
    return tuple(dice + hand[wild] if 0 < face != wild else dice for face, dice in enumerate(hand))


class Matching(dict[Hand, Hand]):
    """`matching` for one wild face, remembered: a game asks for the same few hands over and over."""

    def __init__(self, wild: int) -> None:
        super().__init__()
        self.wild = wild

    def __missing__(self, hand: Hand) -> Hand:
        if len(self) >= REMEMBERED:  # large cups have more hands than are worth keeping
            self.clear()
        self[hand] = worth = matching(hand, self.wild)
        return worth


class Matchings(dict[int, Matching]):
    """`Matching` by the wild face, 0 for none."""

    def __missing__(self, wild: int) -> Matching:
        self[wild] = worth = Matching(wild)
        return worth


# Of the process, not of a table or a match: views lead to those, and which hands were ever rolled is hidden.
MATCHINGS: Final = Matchings()
