"""What `calza check` puts a bot through: every table, positions in the middle of games, and what is rarely seen."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Literal

from msgspec import Struct

from calza.rules import Bid, Game, MixDice, Rules
from calza.rules.dice import mix
from calza.rules.record import Setup

Stage = Literal["table", "middle", "rare", "refused"]

SEATS = range(2, 7)  # at a table
FEW, WHOLE = 3, 10_000  # moves that the bot is asked for


class Trial(Struct, frozen=True):
    """One match of a check. Equal trials with equal seeds are the same match."""

    stage: Stage
    rules: Rules
    seats: int
    number: int  # which its dice and the house bots' chance follow from
    about: str = ""
    setup: Setup | None = None
    bids: int = 0  # low bids that are made before anybody is asked
    moves: int = WHOLE

    @property
    def where(self) -> str:
        """Which match this is, for people."""
        return f"{self.rules.name}, {self.seats} players" + (f", {self.about}" if self.about else "")

    def game(self, seed: int) -> Game:
        """The match as the bot finds it."""
        dice = MixDice(seed, self.number)
        if self.setup is None:
            return Game(self.rules, self.seats, seed=dice)
        game = Game.at(self.rules, self.setup, seed=dice)
        for step in range(self.bids):
            raises = [Bid(least, face) for face, least in enumerate(game.legal(game.turn).least) if least]
            if not raises:
                break
            lowest = sorted(raises, key=lambda bid: (bid.quantity, bid.face))[:2]
            game.step(lowest[mix(dice.key + step) % len(lowest)])
        return game


def sizes(rules: Rules) -> list[int]:
    """The tables of two to six that rules allow."""
    return [seats for seats in SEATS if rules.min_players <= seats <= rules.max_players]


def trials(every: Sequence[Rules], seed: int, rounds: int) -> list[Trial]:
    """All trials for some rules. Each table comes first; a bot that is slow may not get to the end of the rest."""
    chance = Random(seed)
    first = [one for rules in every for one in tables(rules)]
    rest = [one for rules in every for one in rare(rules)]
    for _ in range(rounds):
        rest += [one for rules in every for one in (*tables(rules), *refused(rules, chance), *middles(rules, chance))]
    chance.shuffle(rest)
    return [numbered(one, number) for number, one in enumerate([*first, *rest])]


def numbered(trial: Trial, number: int) -> Trial:
    """The trial with a number of its own."""
    return Trial(trial.stage, trial.rules, trial.seats, number, trial.about, trial.setup, trial.bids, trial.moves)


def tables(rules: Rules) -> Iterator[Trial]:
    """A whole match at every table."""
    for seats in sizes(rules):
        yield Trial("table", rules, seats, 0)


def refused(rules: Rules, chance: Random) -> Iterator[Trial]:
    """Positions in which the bot's first answer is refused."""
    yield position("refused", rules, chance, "refused")


def middles(rules: Rules, chance: Random) -> Iterator[Trial]:
    """Positions in the middle of games."""
    for _ in range(10):
        yield position("middle", rules, chance, "in the middle of a game")


def position(stage: Stage, rules: Rules, chance: Random, about: str) -> Trial:
    """Any dice and any bids."""
    seats = chance.choice(sizes(rules))
    most = max(rules.dice, 5)
    dice = [chance.randint(0 if rules.end == "last" else 1, most) for _ in range(seats)]
    for seat in chance.sample(range(seats), 2):  # somebody must be there
        dice[seat] = dice[seat] or 1
    special = rules.special is not None and playing(dice) >= rules.special.min_players and chance.random() < 0.3
    standing = [seat for seat in range(seats) if dice[seat]]
    setup = Setup(dice=tuple(dice), turn=chance.choice(standing), round=chance.randint(1, 30), special=special)
    return Trial(stage, rules, seats, 0, about, setup, chance.randint(0, 6), FEW)


def playing(dice: Sequence[int]) -> int:
    """How many have dice."""
    return sum(1 for one in dice if one)


# --- what is rarely seen


def rare(rules: Rules) -> Iterator[Trial]:
    """Views that come up once in many games, and break bots that were tried in few."""
    few, many = sizes(rules)[0], sizes(rules)[-1]
    for seats in dict.fromkeys((few, many)):
        yield odd(rules, "one die each", Setup(dice=(1,) * seats))
        yield odd(rules, "15 dice each", Setup(dice=(15,) * seats, start=(15,) * seats))
        yield odd(rules, "a long row of bids", Setup(dice=(10,) * seats), bids=80)
        if last := unraisable(rules, seats):
            yield odd(rules, "only calls are legal", last)
    yield odd(rules, "15 dice against one", Setup(dice=(15,) + (1,) * (few - 1)))
    yield odd(rules, "late in a long match", Setup(dice=(2,) * few, round=100_000), bids=1)
    yield from unbelievable(rules, few)
    if rules.end == "last" and many > 2:
        yield from outs(rules, many)
    if rules.gain == "none" and rules.end == "last":
        yield odd(rules, "very many dice", Setup(dice=(120,) * many, start=(5,) * many), bids=4)
        yield odd(rules, "300 dice against one", Setup(dice=(300,) + (1,) * (few - 1)), bids=1)
    if rules.special and many >= rules.special.min_players:
        yield from specials(rules, many)


def odd(rules: Rules, about: str, setup: Setup, bids: int = 0) -> Trial:
    """A trial from a position."""
    return Trial("rare", rules, len(setup.dice), 0, about, setup, bids, FEW)


def unraisable(rules: Rules, seats: int) -> Setup | None:
    """A standing bid that nothing can be bid over."""
    dice = (3,) * seats
    most = sum(dice) if rules.cap == "dice" else rules.cap
    for face in range(1, rules.faces + 1):
        setup = Setup(dice=dice, bids=((0, f"{most}x{face}"),))
        game = Game.at(rules, setup, seed=0)
        if not game.legal(game.turn).bids:
            return setup
    return None


def unbelievable(rules: Rules, seats: int) -> Iterator[Trial]:
    """A bid of more dice than there are, where that is allowed."""
    if rules.cap != "dice" and rules.cap > 3 * seats + 2:
        bid = f"{3 * seats + 2}x{rules.faces}"
        yield odd(rules, "a bid of more dice than there are", Setup(dice=(3,) * seats, bids=((0, bid),)))


def outs(rules: Rules, seats: int) -> Iterator[Trial]:
    """Players who are out, before and behind those who are not."""
    ends = (0,) * (seats - 2)
    yield odd(rules, "all but two out", Setup(dice=(2, *ends, 4)))
    yield odd(rules, "all but two out, with bids", Setup(dice=(*ends, 1, 1)), bids=1)
    yield odd(
        rules, "the first two out", Setup(dice=(0, 0, *((2,) * (seats - 2)))) if seats > 3 else Setup(dice=(0, 2, 2))
    )


def specials(rules: Rules, seats: int) -> Iterator[Trial]:
    """Special rounds, opened and bid in, with one die and with more."""
    one, rest = Setup(dice=(1,) + (4,) * (seats - 1), special=True, used=(0,)), (4,) * (seats - 1)
    yield odd(rules, "a special round to open", one)
    yield odd(rules, "a special round with bids", one, bids=2)
    yield odd(rules, "a special round with one die", Setup(dice=(*rest, 1), special=True, turn=seats - 1), bids=seats)
    most = seats if rules.cap == "dice" else min(seats, rules.cap)
    last = Setup(dice=(1,) * seats, special=True, bids=((0, f"{most}x2"),))
    yield odd(rules, "a special round at its last bid", last)
