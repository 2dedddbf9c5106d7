"""The game written by hand once more and compiled by numba: what the simulator is measured against.

The same game, bots and numbers as in `floor_python`. Like the simulator it plays a game once for each rotation of the
seats, on the same dice; other than that it shares nothing with it.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numba
import numpy as np

from . import floor_python

RANDOM, BINOMIAL = 0, 1

# Flat, so that an index is one addition.
LEAST = np.array(floor_python.LEAST, np.int64).ravel()  # [bid * 8 + face]
NEEDS = len(floor_python.TAIL[0])
TAIL_SIZE = len(floor_python.TAIL) * NEEDS
TAIL = np.array([floor_python.TAIL_ONES, floor_python.TAIL], np.float64).ravel()
ROLLS = np.array([6**dice for dice in range(floor_python.DICE + 1)], np.int64)
FIRST = np.cumsum(ROLLS) - ROLLS  # [dice]: where the hands of so many dice begin
HANDS = np.array([[*hand, 0] for hands in floor_python.HANDS for hand in hands], np.int8).ravel()
DICE = floor_python.DICE
CALL_BELOW = floor_python.CALL_BELOW


def fast(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` compiled, into its callers where it has any."""
    return cast("Callable[..., Any]", numba.njit(forceinline=True, error_model="numpy")(function))


@fast
def below(chance: Any, limit: int) -> Any:
    """An even number below `limit` (Marsaglia 2003, xorshift64)."""
    x = chance[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    chance[0] = x
    return np.int64(((x >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))


@fast
def random_bot(chance: Any, total: int, bid: int) -> int:
    """Any legal action, each as likely as another."""
    choices = 1 if bid else 0
    for face in range(1, 7):
        choices += max(total + 1 - LEAST[bid * 8 + face], 0)
    chosen = below(chance, choices)
    for face in range(1, 7):
        least = LEAST[bid * 8 + face]
        if least <= total:
            if chosen <= total - least:
                return int(least + chosen) * 8 + face
            chosen -= total + 1 - least
    return 0


@fast
def likelihood(cup: int, unknown: int, quantity: int, face: int) -> Any:
    """The chance that a bid holds."""
    need = quantity - HANDS[cup + face]
    if need <= 0:
        return 1.0
    return TAIL[(TAIL_SIZE if face != 1 else 0) + unknown * NEEDS + need]


@fast
def binomial_bot(cup: int, total: int, unknown: int, bid: int) -> int:
    """Calls what is unlikely, else makes the likeliest least raise; of equals the fewest dice, then the lower face."""
    if bid and likelihood(cup, unknown, bid >> 3, bid & 7) < CALL_BELOW:
        return 0
    best = 0
    highest = -1.0
    for face in range(1, 7):
        quantity = LEAST[bid * 8 + face]
        if quantity <= total:
            chance = likelihood(cup, unknown, quantity, face)
            if chance > highest or (chance == highest and quantity * 8 + face < best):
                highest = chance
                best = quantity * 8 + face
    return best


@fast
def play(kinds: Any, rotation: int, chance: Any, seats: Any, dice: Any, cups: Any) -> Any:
    """One game; returns its actions. Whoever has won is left in `seats[0]`."""
    # A seat that is out leaves the arrays, so the next seat is always the next place.
    players = len(kinds)
    for place in range(players):
        seats[place] = (place + rotation) % players
        dice[place] = DICE
    total = DICE * players
    turn = below(chance, players)
    actions = 0
    while True:
        for place in range(players):
            cups[place] = (FIRST[dice[place]] + below(chance, ROLLS[dice[place]])) * 8
        bid = 0
        while True:
            actions += 1
            if kinds[seats[turn]] == RANDOM:
                action = random_bot(chance, total, bid)
            else:
                action = binomial_bot(cups[turn], total, total - dice[turn], bid)
            if action == 0:
                break
            bid = action
            turn += 1
            if turn == players:
                turn = 0
        have = 0
        for place in range(players):
            have += HANDS[cups[place] + (bid & 7)]
        if have < bid >> 3:
            turn = (turn if turn else players) - 1
        total -= 1
        dice[turn] -= 1
        if dice[turn] == 0:
            players -= 1
            if players == 1:
                seats[0] = seats[1 - turn]
                return actions
            for place in range(turn, players):
                seats[place] = seats[place + 1]
                dice[place] = dice[place + 1]
            if turn == players:
                turn = 0


@fast
def play_many(kinds: Any, groups: int, chance: Any, seats: Any, dice: Any, cups: Any, wins: Any, counts: Any) -> None:
    """Every group is one game for each rotation of the seats."""
    for _ in range(groups):
        start = chance[0]
        squares = 0
        for rotation in range(len(kinds)):
            chance[0] = start
            actions = play(kinds, rotation, chance, seats, dice, cups)
            wins[seats[0]] += 1
            counts[0] += actions
            squares += actions
        counts[1] += squares * squares


def games(kinds: Sequence[int], groups: int, seed: int) -> tuple[int, int, list[int]]:
    """Play so many groups; returns the actions, the sum of their squares by group, and the wins of every player."""
    chance = np.array([seed], np.uint64)
    seats, dice, cups, wins = np.zeros((4, len(kinds)), np.int64)
    counts = np.zeros(2, np.int64)
    play_many(np.array(kinds, np.int64), groups, chance, seats, dice, cups, wins, counts)
    return int(counts[0]), int(counts[1]), wins.tolist()
