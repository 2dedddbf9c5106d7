"""The game written by hand in Python, as fast as we could: what the engine is measured against.

Liar's Dice with five dice, ones wild, bids capped by the dice in play. No records, no other rules, no views: a bot is a
function of its hand, the dice in play, those it cannot see, and the standing bid. A bid is `quantity * 8 + face`, and
0 is both "no bid yet" and the call.
"""

from collections.abc import Callable, Sequence
from itertools import product
from math import comb
from random import random

Hand = tuple[int, ...]  # [face]: own dice that count for it
Bot = Callable[[Hand, int, int, int], int]

DICE = 5
SEATS = 6
MOST = DICE * SEATS
BARRED = 255
CALL_BELOW = 0.35


def least_raises(quantity: int, face: int) -> tuple[int, ...]:
    """[new face]: the least quantity after a bid; places 0 and 7 are no faces."""
    if not quantity:
        return (BARRED, *[1] * 6, BARRED)
    if face == 1:
        return (BARRED, quantity + 1, *[2 * quantity + 1] * 5, BARRED)
    return (BARRED, (quantity + 1) // 2, *(quantity + (new <= face) for new in range(2, 7)), BARRED)


def tails(ways: int) -> list[list[float]]:
    """[unknown][need]: the chance that `need` of `unknown` dice or more show one of so many of six faces."""
    return [[tail(unknown, need, ways / 6) for need in range(MOST + 2)] for unknown in range(MOST + 1)]


def tail(unknown: int, need: int, chance: float) -> float:
    """The binomial tail."""
    every = range(need, unknown + 1)
    return sum(comb(unknown, hits) * chance**hits * (1 - chance) ** (unknown - hits) for hits in every)


def matching(roll: Sequence[int]) -> Hand:
    """Dice that count for each face, the wild ones too."""
    ones = roll.count(1)
    return (0, ones, *(roll.count(face) + ones for face in range(2, 7)))


LEAST = [least_raises(bid >> 3, bid & 7) for bid in range((MOST + 1) * 8)]
TAIL_ONES = tails(1)
TAIL = tails(2)
HANDS = [[matching(roll) for roll in product(range(1, 7), repeat=dice)] for dice in range(DICE + 1)]


def random_bot(hand: Hand, total: int, unknown: int, bid: int) -> int:
    """Any legal action, each as likely as another."""
    _, least1, least2, least3, least4, least5, least6, _ = LEAST[bid]
    above = total + 1
    ones = above - least1 if least1 <= total else 0
    twos = above - least2 if least2 <= total else 0
    threes = above - least3 if least3 <= total else 0
    fours = above - least4 if least4 <= total else 0
    fives = above - least5 if least5 <= total else 0
    sixes = above - least6 if least6 <= total else 0
    chosen = int(random() * (ones + twos + threes + fours + fives + sixes + (bid > 0)))
    if chosen < ones:
        return (least1 + chosen) * 8 + 1
    chosen -= ones
    if chosen < twos:
        return (least2 + chosen) * 8 + 2
    chosen -= twos
    if chosen < threes:
        return (least3 + chosen) * 8 + 3
    chosen -= threes
    if chosen < fours:
        return (least4 + chosen) * 8 + 4
    chosen -= fours
    if chosen < fives:
        return (least5 + chosen) * 8 + 5
    chosen -= fives
    if chosen < sixes:
        return (least6 + chosen) * 8 + 6
    return 0


def binomial_bot(hand: Hand, total: int, unknown: int, bid: int) -> int:
    """Calls what is unlikely, else makes the likeliest least raise; of equals the fewest dice, then the lower face."""
    tail = TAIL[unknown]
    if bid:
        face = bid & 7
        need = (bid >> 3) - hand[face]
        if need > 0 and (tail if face > 1 else TAIL_ONES[unknown])[need] < CALL_BELOW:
            return 0
    least = LEAST[bid]
    best = 0
    highest = -1.0
    quantity = least[1]
    if quantity <= total:
        need = quantity - hand[1]
        highest = TAIL_ONES[unknown][need] if need > 0 else 1.0
        best = quantity * 8 + 1
    for face in (2, 3, 4, 5, 6):
        quantity = least[face]
        if quantity <= total:
            need = quantity - hand[face]
            chance = tail[need] if need > 0 else 1.0
            if chance > highest or (chance == highest and quantity * 8 + face < best):
                highest = chance
                best = quantity * 8 + face
    return best


def play(bots: Sequence[Bot]) -> tuple[int, int]:
    """One game; returns who won and how many actions it took."""
    # A seat that is out leaves the lists, so the next seat is always the next place.
    players = len(bots)
    seats = list(range(players))
    acts = list(bots)
    dice = [DICE] * players
    hands = [HANDS[DICE]] * players
    total = DICE * players
    turn = int(random() * players)
    actions = 0
    while True:
        cups = [rolls[int(random() * len(rolls))] for rolls in hands]
        bid = 0
        while True:
            action = acts[turn](cups[turn], total, total - dice[turn], bid)
            actions += 1
            if not action:
                break
            if not LEAST[bid][action & 7] <= action >> 3 <= total:
                raise ValueError(f"illegal: {action >> 3}x{action & 7}")
            bid = action
            turn += 1
            if turn == players:
                turn = 0
        face = bid & 7
        have = 0
        for cup in cups:
            have += cup[face]
        if have < bid >> 3:
            turn = (turn or players) - 1
        total -= 1
        left = dice[turn] = dice[turn] - 1
        if left:
            hands[turn] = HANDS[left]
            continue
        del seats[turn], acts[turn], dice[turn], hands[turn]
        players -= 1
        if players == 1:
            return seats[0], actions
        if turn == players:
            turn = 0
