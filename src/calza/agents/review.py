"""After the game: what each decision of a player gave up in expected dice.

A decision is judged by what its player knew: the own cup, the table and the bids. The dice under the other cups are
drawn evenly, whatever has been bid, by a generator with a seed: equal seeds find equal figures. On every draw the
action that was played and each alternative (the calls, the least raise on each face) are played to the end of the
round, with everybody `cautious` from there on. What a call is worth needs no draws: its odds are exact.

Worth is in dice of that round: what the seat gains, less what the others who are still in gain on average. Who opens
the next round is not counted, nor what a die is worth to whoever has few.

The best of many alternatives looks better than it is where all are measured on the same draws. So the best is chosen
on some draws and compared with what was played on others.
"""

from collections.abc import Iterator, Sequence
from math import sqrt
from statistics import fmean, stdev

from msgspec.structs import replace as changed

from calza.matches import replay
from calza.rules import Bid, Call, CalzaError, Game, MixDice, Record, Refusal, play
from calza.rules.actions import parse_ply
from calza.rules.dice import Hand
from calza.rules.hands import MATCHINGS
from calza.rules.play import FINE
from calza.rules.state import State
from calza.show import cast_of
from calza.show.film import isolated
from calza.show.hindsight import Decision, judged

from .odds import chance, counting_faces, odds_chart, reach
from .policies import cautious

DRAWS = 600
CHOOSING = 5  # one draw in so many is for choosing the best
TIMES = 2.0  # standard errors that a cost has to exceed
LEAST = 0.02  # dice; what costs less is not worth a word
CAUTION = (0.35, 0.0)  # the parameters of `cautious`
APART = 0x68696E64  # from every key of dice: no draw may be the match's own


def review(record: Record, seat: int, seed: int = 1, draws: int = DRAWS) -> list[Decision]:
    """The decisions of a seat in the order of the match, as far as it can be played; more `draws` find smaller costs.

    What was forced is no decision, and neither is resigning.
    """
    cast = isolated(cast_of(record))
    return [changed(one, says=judged(one, cast, record.rules)) for one in decisions(record, seat, seed, draws)]


def costliest(decisions: Sequence[Decision], most: int = 3) -> list[Decision]:
    """The decisions that gave up more than chance explains, the worst first."""
    return sorted((one for one in decisions if one.costly), key=lambda one: -one.cost)[:most]


def decisions(record: Record, seat: int, seed: int, draws: int) -> Iterator[Decision]:
    """The decisions one by one, without their sentences."""
    try:
        for game, step in replay(record):
            sequence = step.sequence + 1
            if sequence == len(record.actions) or not record.actions[sequence].seat == seat == game.turn:
                continue
            action = parse_ply(record.actions[sequence].action, record.rules)
            if isinstance(action, Bid | Call) and game.refusal(seat, action) == Refusal.FINE:
                yield from decided(Position(game, MixDice(seed ^ APART, sequence)), sequence, action, draws)
    except CalzaError:
        return


def decided(position: "Position", sequence: int, action: Bid | Call, draws: int) -> Iterator[Decision]:
    """A decision against the best of its alternatives; nothing when there was none."""
    played = position.code(action)
    others = [one for one in position.options() if one != played]
    if not others:
        return
    few = max(2, draws // CHOOSING)
    first, later = position.draws(0, few), position.draws(few, max(2, draws - few))
    best = max(others, key=lambda one: fmean(position.worth(one, first)))
    ours, theirs = position.worth(played, later), position.worth(best, later)
    # On the same draws: what is common to both falls out, and the error of the difference is small.
    cost, doubt = mean([other - own for own, other in zip(ours, theirs, strict=True)])
    expected, error = mean(ours)
    yield Decision(
        action=sequence,
        seat=position.seat,
        round=position.before.round,
        played=str(action),
        expected=expected,
        error=error,
        best=str(position.action(best)),
        better=mean(theirs)[0],
        cost=cost,
        doubt=doubt,
        costly=cost > max(LEAST, TIMES * doubt),
    )


def mean(values: Sequence[float]) -> tuple[float, float]:
    """The mean of values with its standard error."""
    return round(fmean(values), 4), round(stdev(values) / sqrt(len(values)), 4)


class Position:
    """What the seat to act knew, and what could come of it. Actions are numbers, as policies have them."""

    def __init__(self, game: Game, dice: MixDice) -> None:
        self.table, self.charts = game.table, game.charts
        self.before, self.state = game.state.copy(), game.state.copy()
        self.seat, self.own, self.dice = game.turn, game.cups[game.turn], dice
        self.odds = odds_chart(game.table.rules, reach(sum(game.state.start)))
        self.thoughts: dict[tuple[int, int, Hand], int] = {}  # what `cautious` does, which is always the same
        self.ends: dict[tuple[int, int, int, int], float] = {}

    def code(self, action: Bid | Call) -> int:
        """An action's number."""
        if isinstance(action, Bid):
            return action.quantity * self.charts.width + action.face
        return -1 - self.table.call[action.name]

    def action(self, code: int) -> Bid | Call:
        """The action with a number."""
        return self.table.bids[code] if code > 0 else Call(self.table.names[-1 - code])

    def options(self) -> list[int]:
        """The calls that may be made, and the least raise on each face."""
        s, c = self.before, self.charts
        calls = [-1 - which for which in range(c.calls) if play.call_refusal(s, c, which) == FINE]
        least = [(c.floor[s.row + face], face) for face in range(1, c.width)]
        return calls + [quantity * c.width + face for quantity, face in least if quantity <= s.most]

    def draws(self, first: int, many: int) -> list[list[Hand]]:
        """What the cups may be worth, the own one known."""
        s, matching = self.before, MATCHINGS[self.charts.wild[self.before.mode]]
        drawn = []
        for number in range(first, first + many):
            cups = [matching[hand] for hand in self.dice.roll(number, s.dice, len(self.charts.faces))]
            cups[self.seat] = self.own
            drawn.append(cups)
        return drawn

    def worth(self, code: int, draws: Sequence[list[Hand]]) -> list[float]:
        """What an action is worth on every draw; of a call, which ends the round at once, what it is worth in all."""
        if code < 0:
            return [self.exactly(-1 - code)] * len(draws)
        return [self.played_out(code, cups) for cups in draws]

    def exactly(self, which: int) -> float:
        """What a call is worth for what its player knew."""
        s, unknown = self.before, self.before.total - self.before.dice[self.seat]
        counting, faces = counting_faces(self.charts.wild[s.mode], s.face), len(self.charts.faces)
        return sum(
            chance(more, unknown, counting, faces).exactly
            * self.end(which, s.turn, s.bidder, self.own[s.face] + more - s.quantity)
            for more in range(unknown + 1)
        )

    def played_out(self, code: int, cups: list[Hand]) -> float:
        """What a bid leads to when everybody goes on with caution."""
        s, c, was = self.state, self.charts, self.before
        s.turn, s.quantity, s.face, s.bidder, s.row = was.turn, was.quantity, was.face, was.bidder, was.row
        while code > 0:
            play.bid(s, c, code // c.width, code % c.width)
            code = self.thought(s, cups[s.turn])
        return self.end(-1 - code, s.turn, s.bidder, play.count(s, c, cups, s.face) - s.quantity)

    def thought(self, s: State, cup: Hand) -> int:
        """What a cautious player does now."""
        key = (s.row, s.turn, cup)
        code = self.thoughts.get(key)
        if code is None:
            code = self.thoughts[key] = cautious(s, self.charts, self.odds, cup, (), CAUTION, 0)
        return code

    def end(self, which: int, caller: int, bidder: int, off: int) -> float:
        """What the seat gains, less what others gain on average, by a call on a bid that is `off` by so many dice."""
        key = (which, caller, bidder, off)
        worth = self.ends.get(key)
        if worth is None:
            worth = self.ends[key] = self.settled(*key)
        return worth

    def settled(self, which: int, caller: int, bidder: int, off: int) -> float:
        """The same, by the rules."""
        after, before = self.before.copy(), self.before.dice
        after.turn, after.bidder, after.quantity = caller, bidder, 0
        play.call(after, self.charts, which, off)
        gains = [now - was for now, was in zip(after.dice, before, strict=True)]
        others = [gain for seat, gain in enumerate(gains) if before[seat] and seat != self.seat]
        return gains[self.seat] - fmean(others)
