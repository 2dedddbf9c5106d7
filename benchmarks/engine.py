"""The engine in Python with bots in Python, through the interface that every bot has.

What a tournament of bots pays: making games, views, checked actions, dice that can be derived again, and a record.
The bots do the same sums as those of the floor.
"""

from collections.abc import Callable, Iterator
from functools import cache
from random import Random

from msgspec.structs import replace

from calza.agents import Agent
from calza.agents.odds import chance
from calza.matches import run
from calza.rules import CATALOG, Action, Call, Game, MixDice, View
from calza.rules.table import lay

from . import floor_python
from .measure import Figure, Play, Work, compare, figure

RULES = replace(CATALOG["liars-dice"], cap="dice")
TABLE = lay(RULES)
LIAR = Call("liar")
SEED = 5
MOST = 30
CALL_BELOW = 0.35
TARGET = 0.35


class RandomBot:
    """Any legal action, each as likely as another."""

    def __init__(self) -> None:
        self.random = Random(SEED).random
        self.floor, self.bids = TABLE.charts.floor, TABLE.bids

    def act(self, view: View) -> Action:
        """Count what is legal for each face, and draw."""
        row, most, bids = view.row, view.most, self.bids
        _, least1, least2, least3, least4, least5, least6 = self.floor[row : row + 7]
        above = most + 1
        ones = above - least1 if least1 <= most else 0
        twos = above - least2 if least2 <= most else 0
        threes = above - least3 if least3 <= most else 0
        fours = above - least4 if least4 <= most else 0
        fives = above - least5 if least5 <= most else 0
        sixes = above - least6 if least6 <= most else 0
        chosen = int(self.random() * (ones + twos + threes + fours + fives + sixes + (view.quantity > 0)))
        if chosen < ones:
            return bids[(least1 + chosen) * 7 + 1]
        chosen -= ones
        if chosen < twos:
            return bids[(least2 + chosen) * 7 + 2]
        chosen -= twos
        if chosen < threes:
            return bids[(least3 + chosen) * 7 + 3]
        chosen -= threes
        if chosen < fours:
            return bids[(least4 + chosen) * 7 + 4]
        chosen -= fours
        if chosen < fives:
            return bids[(least5 + chosen) * 7 + 5]
        chosen -= fives
        if chosen < sixes:
            return bids[(least6 + chosen) * 7 + 6]
        return LIAR


@cache
def tails(counting: int) -> list[list[float]]:
    """[unknown dice][needed]: the chance of so many, when so many faces count."""
    return [[chance(need, unknown, counting, 6).holds for need in range(MOST + 2)] for unknown in range(MOST + 1)]


class BinomialBot:
    """Calls what is unlikely, else makes the likeliest least raise; of equals the fewest dice, then the lower face."""

    def __init__(self) -> None:
        self.least, self.bids = TABLE.charts.floor, TABLE.bids
        self.tail_ones, self.tail = tails(1), tails(2)

    def act(self, view: View) -> Action:
        """Look up what every bid's chance is."""
        hand, quantity, most = view.matching, view.quantity, view.most
        unknown = view.total - view.dice[view.seat]
        tail = self.tail[unknown]
        if quantity:
            face = view.face
            need = quantity - hand[face]
            if need > 0 and (tail if face > 1 else self.tail_ones[unknown])[need] < CALL_BELOW:
                return LIAR
        row, least = view.row, self.least
        best = 0
        highest = -1.0
        quantity = least[row + 1]
        if quantity <= most:
            need = quantity - hand[1]
            highest = self.tail_ones[unknown][need] if need > 0 else 1.0
            best = quantity * 7 + 1
        for face in (2, 3, 4, 5, 6):
            quantity = least[row + face]
            if quantity <= most:
                need = quantity - hand[face]
                likelihood = tail[need] if need > 0 else 1.0
                if likelihood > highest or (likelihood == highest and quantity * 7 + face < best):
                    highest = likelihood
                    best = quantity * 7 + face
        return self.bids[best] if best else LIAR


def engine(make: Callable[[], Agent], seats: int) -> Play:
    """Games of the engine, one after the other by their numbers."""
    acts = [make().act for _ in range(seats)]
    played = 0

    def play(games: int) -> Work:
        nonlocal played
        actions = squares = 0
        for number in range(played, played + games):
            game = Game(RULES, seats, seed=MixDice(SEED, number))
            run(game, acts)
            actions += game.sequence
            squares += game.sequence**2
        played += games
        return Work(games, games, actions, squares)

    return play


def floor(bot: floor_python.Bot, seats: int) -> Play:
    """Games of the floor."""

    def play(games: int) -> Work:
        actions = squares = 0
        for _ in range(games):
            _, length = floor_python.play([bot] * seats)
            actions += length
            squares += length**2
        return Work(games, games, actions, squares)

    return play


BOTS: tuple[tuple[str, Callable[[], Agent], floor_python.Bot], ...] = (
    ("random", RandomBot, floor_python.random_bot),
    ("binomial", BinomialBot, floor_python.binomial_bot),
)


def figures() -> Iterator[Figure]:
    """Actions a second."""
    for seats in (2, 6):
        for name, ours, bot in BOTS:
            comparison = compare(engine(ours, seats), floor(bot, seats))
            yield figure(f"{name}, {seats} seats", comparison, "actions", TARGET)
