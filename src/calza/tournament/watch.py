"""How each bot played, and what it gave to whom: finished games are replayed and counted in whole numbers that add.

A replay has all the dice, so two questions are kept apart. What a bot *knew* is the chance that a bid holds given its
own cup, all other dice even: it says what is a bluff, and which decisions are alike (`spot`). What a decision was
*worth* is judged by the true dice: the dice that a call would have taken from the bidder, less those that it would
have cost the caller. Judged by chances alone, a bot that rightly trusts a truthful opponent would seem to spare it;
by the true dice it gives that opponent nothing. `audit.py` draws the conclusions.

A spot is one of `SPOTS` kinds of decision over another's bid: how likely the bid is to hold, and how likely the
likeliest raise is, as the bot sees them. Decisions without a choice, when no raise is legal, are not counted.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from calza.agents.odds import chance, counting_faces
from calza.rules import Bid, Call, Forfeit, Game, Penalty, Rules
from calza.rules.actions import Ply
from calza.rules.charts import MET, OVER, SHORT, Charts, draw_charts
from calza.rules.dice import Hand
from calza.rules.events import BidMade, Called, Event, RoundBegan
from calza.rules.hands import counts, matching
from calza.rules.play import FINE, call_refusal, count
from calza.rules.state import State

Counts = NDArray[np.int64]

ACTS = (
    "games",
    "turns",  # bids and calls
    "bids",
    "openings",  # bids that opened a round
    "bluffs",  # bids that its own dice gave less than an even chance
    "unsupported",  # bids for which none of its own dice counted
    "called",  # its bids on which somebody made a call
    "caught",  # those of them that were false
    "calls",  # calls that are right about more than one outcome, such as the liar call
    "right",
    "exacts",  # calls that are right only when the bid is met to the die
    "exacts_right",
    "lost",  # dice lost in calls and penalties
    "won",  # dice gained
    "penalties",
    "forfeits",
)
(
    GAMES, TURNS, BIDS, OPENINGS, BLUFFS, UNSUPPORTED, CALLED, CAUGHT,
    CALLS, RIGHT, EXACTS, EXACTS_RIGHT, LOST, WON, PENALTIES, FORFEITS,
) = range(len(ACTS))  # fmt: skip
ROUNDS = 64  # games of so many rounds or more are counted together
DICE = 16  # games won with so many dice or more, too
EVEN = 0.5
BID_HOLDS = (0.1, 0.25, 0.4, 0.6, 0.85)
RAISE_HOLDS = (0.2, 0.4, 0.55, 0.7)
SPOTS = (len(BID_HOLDS) + 1) * (len(RAISE_HOLDS) + 1)
UNLIKELY, LIKELY = range(len(RAISE_HOLDS) + 1), range(SPOTS - len(RAISE_HOLDS) - 1, SPOTS)  # spots of the extreme bids
FOUND = (SHORT, MET, OVER)


class Watched(Struct):
    """Counts of the games that were watched; i and j are entries."""

    games: Counts  # [2]: games; of them without end
    acts: Counts  # [i, act], in the order of ACTS
    rounds: Counts  # [rounds]: games that ended in such a round; the last for all longer ones
    left: Counts  # [i, dice]: games that i won with so many dice left
    faced: Counts  # [i, j, spot, found]: decisions of i over a bid of j which was found short, met, or over
    made: Counts  # [i, j, spot, found, call]: calls that i made there
    worth: Counts  # [i, j, spot, found, call]: dice that every such call, made or not, was worth to i against j

    def add(self, other: "Watched") -> None:
        """Add what was watched elsewhere in the same tournament."""
        for name in self.__struct_fields__:
            getattr(self, name).__iadd__(getattr(other, name))


def unwatched(entries: int, rules: Rules) -> Watched:
    """The counts of no game."""
    towards = (entries, entries, SPOTS, len(FOUND))
    return Watched(
        games=np.zeros(2, np.int64),
        acts=np.zeros((entries, len(ACTS)), np.int64),
        rounds=np.zeros(ROUNDS + 1, np.int64),
        left=np.zeros((entries, DICE + 1), np.int64),
        faced=np.zeros(towards, np.int64),
        made=np.zeros((*towards, len(rules.calls)), np.int64),
        worth=np.zeros((*towards, len(rules.calls)), np.int64),
    )


def watch(watched: Watched, game: Game, seated: Sequence[int]) -> None:
    """Count a game that has ended or was cut off; `seated` are the entries by seat. The game is left as it is."""
    replayed = Replay(watched, game, seated)
    for seat, ply in game.plies:
        replayed.see(seat, ply)
    replayed.end()


class Replay:
    """One game on its second run."""

    def __init__(self, watched: Watched, game: Game, seated: Sequence[int]) -> None:
        self.watched, self.seated, self.game = watched, seated, again(game)
        self.calls = call_kinds(game.table.rules)
        self.acts = [[0] * len(ACTS) for _ in seated]

    def see(self, seat: int, ply: Ply) -> None:
        """Count what is done next, and do it."""
        game, own = self.game, self.acts[seat]
        match ply:
            case Bid():
                self.decide(seat, None)
                self.bid(seat, own, ply)
                game.step(ply)
            case Call():
                which = game.table.call[ply.name]
                self.decide(seat, which)
                self.call(own, which)
                self.settle(seat, ply)
            case Penalty():
                own[PENALTIES] += 1
                self.settle(seat, ply)
            case Forfeit():
                own[FORFEITS] += 1
                game.rule(seat, ply)

    def decide(self, seat: int, made: int | None) -> None:
        """Count a decision over another's bid: a call, or None for a raise."""
        game, watched = self.game, self.watched
        s, c = game.state, game.charts
        if not s.quantity or min(c.floor[s.row + 1 : s.row + c.width]) > s.most:
            return
        have = count(s, c, game.cups, s.face)
        found = FOUND[(have >= s.quantity) + (have > s.quantity)]
        at = self.seated[seat], self.seated[s.bidder], self.spot(seat), found
        watched.faced[at] += 1
        for which in range(c.calls):
            if call_refusal(s, c, which) == FINE:
                watched.worth[(*at, which)] += worth(s, c, which, have)
        if made is not None:
            watched.made[(*at, made)] += 1

    def spot(self, seat: int) -> int:
        """The kind of decision that a seat has over the standing bid."""
        s, c = self.game.state, self.game.charts
        least = c.floor[s.row + 1 : s.row + c.width]
        raises = [self.holds(seat, quantity, face) for face, quantity in enumerate(least, 1) if quantity <= s.most]
        holds = self.holds(seat, s.quantity, s.face)
        return bisect_right(BID_HOLDS, holds) * (len(RAISE_HOLDS) + 1) + bisect_right(RAISE_HOLDS, max(raises))

    def holds(self, seat: int, quantity: int, face: int) -> float:
        """The chance that a bid holds as a seat knows it: its own dice, all others even."""
        s, c = self.game.state, self.game.charts
        return holds(c, c.wild[s.mode], self.game.cups[seat], s.total - s.dice[seat], quantity, face)

    def bid(self, seat: int, own: list[int], made: Bid) -> None:
        """Count a bid."""
        own[TURNS] += 1
        own[OPENINGS] += not self.game.state.quantity
        count_bid(own, self.holds(seat, made.quantity, made.face))
        own[UNSUPPORTED] += not self.game.cups[seat][made.face]

    def call(self, own: list[int], which: int) -> None:
        """Count a call, for the caller and the bidder."""
        s, c = self.game.state, self.game.charts
        have, other = count(s, c, self.game.cups, s.face), self.acts[s.bidder]
        own[TURNS] += 1
        count_call(own, self.calls[which], have, s.quantity)
        other[CALLED] += 1
        other[CAUGHT] += have < s.quantity

    def settle(self, seat: int, ply: Call | Penalty) -> None:
        """Let the dice change hands, and count them."""
        before = self.game.state.dice
        if isinstance(ply, Call):
            self.game.step(ply)
        else:
            self.game.rule(seat, ply)
        for own, had, has in zip(self.acts, before, self.game.state.dice, strict=True):
            own[LOST] += max(0, had - has)
            own[WON] += max(0, has - had)

    def end(self) -> None:
        """Count the game."""
        game, watched = self.game, self.watched
        for entry, own in zip(self.seated, self.acts, strict=True):
            watched.acts[entry] += own
            watched.acts[entry, GAMES] += 1
        watched.games += (1, not game.over)
        if game.over:
            watched.rounds[min(game.state.round, ROUNDS)] += 1
        for entry, place, dice in zip(self.seated, game.places, game.state.dice, strict=bool(game.places)):
            if place == 1:
                watched.left[entry, min(dice, DICE)] += 1


def holds(c: Charts, wild: int, cup: Sequence[int], unknown: int, quantity: int, face: int) -> float:
    """The chance that a bid holds for who has `cup`, all of the `unknown` dice even."""
    return chance(quantity - cup[face], unknown, counting_faces(wild, face), len(c.faces)).holds


def count_bid(own: list[int], likely: float) -> None:
    """Count a bid which, as its bidder knows it, holds with such a chance."""
    own[BIDS] += 1
    own[BLUFFS] += likely < EVEN


def count_call(own: list[int], kind: "CallKind", have: int, quantity: int) -> None:
    """Count a call on so many dice, when `have` counted."""
    own[EXACTS if kind.exact else CALLS] += 1
    own[EXACTS_RIGHT if kind.exact else RIGHT] += kind.right[(have >= quantity) + (have > quantity)]


def habits_of(game: Game, story: Iterable[Sequence[Event]]) -> list[list[int]]:
    """What every seat of a game without a setup bid and called, in the order of ACTS; all other acts stand at 0.

    `story` has the events of every action. They tell everything but the dice that no reveal has shown, and only those
    are rolled again: to replay the game takes far longer.
    """
    calls, which = call_kinds(game.table.rules), game.table.call
    acts = [[0] * len(ACTS) for _ in game.state.start]
    for began, bids, end in rounds(game, story):
        if bids:
            wild, cups, total = game.charts.wild[began.special], cups_of(game, began, end), sum(began.dice)
            for one in bids:
                unknown = total - began.dice[one.seat]
                count_bid(acts[one.seat], holds(game.charts, wild, cups[one.seat], unknown, one.quantity, one.face))
        if isinstance(end, Called):
            count_call(acts[end.seat], calls[which[end.call]], end.count, end.quantity)
    return acts


def rounds(game: Game, story: Iterable[Sequence[Event]]) -> Iterator[tuple[RoundBegan, list[BidMade], Event | None]]:
    """How every round began, its bids, and what ended it; None for one that was broken off."""
    began = RoundBegan(round=1, seat=0, dice=tuple(game.state.start))  # who opened is nothing that is asked here
    bids: list[BidMade] = []
    for events in story:
        first, last = events[0], events[-1]
        if isinstance(first, BidMade):
            bids.append(first)
            continue
        yield began, bids, first
        bids = []
        if isinstance(last, RoundBegan):
            began = last
    yield began, bids, None


def cups_of(game: Game, began: RoundBegan, end: Event | None) -> list[Hand]:
    """What the cups of a round were worth for a bid on each face."""
    wild, faces = game.charts.wild[began.special], len(game.charts.faces)
    if isinstance(end, Called) and game.table.rules.reveal == "all":
        return [cup_of(dice, faces, wild) for dice in end.shown]
    return [matching(hand, wild) for hand in game.source.roll(began.round, began.dice, faces)]


@lru_cache(maxsize=4096)
def cup_of(dice: tuple[int, ...], faces: int, wild: int) -> Hand:
    """What the dice under one cup are worth for a bid on each face."""
    return matching(counts(dice, faces), wild)


def again(game: Game) -> Game:
    """The game before its first action."""
    if game.setup:
        return Game.at(game.table.rules, game.setup, seed=game.source)
    return Game(game.table.rules, game.state.seats, seed=game.source, dice=game.given or None)


class CallKind(Struct, frozen=True):
    """What a call bets on."""

    right: tuple[bool, bool, bool]  # [found]: the caller comes out better than who bid, or else than the others
    exact: bool  # right only when the bid is met to the die


@lru_cache(maxsize=64)
def call_kinds(rules: Rules) -> list[CallKind]:
    """The kinds of the calls of `rules`, in their order."""
    change = draw_charts(rules).change
    outcomes = [change[at : at + 3] for at in range(0, len(change), 3)]  # of caller, bidder and others
    right = [(caller - bidder, caller - others) > (0, 0) for caller, bidder, others in outcomes]
    by_call = [(right[at], right[at + 1], right[at + 2]) for at in range(0, len(right), 3)]
    return [CallKind(found, exact=found == (False, True, False)) for found in by_call]


def worth(s: State, c: Charts, which: int, have: int) -> int:
    """The dice that a call takes from the bidder, less those that it costs the caller, when `have` dice count."""
    off = have - s.quantity
    row = which * 3 + FOUND[(off >= 0) + (off > 0)]
    times = abs(off) if c.per_die[row] and off else 1
    return change_of(s, c, s.turn, c.change[row * 3], times) - change_of(s, c, s.bidder, c.change[row * 3 + 1], times)


def change_of(s: State, c: Charts, seat: int, amount: int, times: int) -> int:
    """What comes of a change: no more dice than the cup holds are lost, and none gained beyond the limit on gains."""
    if amount <= 0:
        return max(amount * times, -s.dice[seat])
    return min(amount, max(0, s.start[seat] - s.dice[seat])) if c.gain_limited else amount
