"""A match as bots are told of it, action by action: events in, lines out.

It holds what bots know so far, which may be a moment older than the match itself: a bot that comes back is told the
same as the others were, and what it does is judged by what it was told.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from calza.arena.events import opening
from calza.arena.live import Live
from calza.rules import Event
from calza.rules.events import BidMade, Called, DiceChanged, Forfeited, GameOver, Penalized, RoundBegan

from .messages import say

EVERYBODY = -1
FAULTS = {"timeout": "did not play in time", "illegal": "played what the rules do not allow"}


class Told(NamedTuple):
    """A line, and the seat that alone is told it."""

    line: bytes
    seat: int = EVERYBODY


class Story:
    """What bots have been told of a match."""

    def __init__(self, live: Live) -> None:
        self.live = live
        self.names = [row.name for row in live.rows]
        self.sequence = 0  # of the next action to be told
        self.round = opening(live)
        self.bid = BidMade(seat=-1, quantity=0, face=0)  # the standing one

    def begin(self) -> Iterator[Told]:
        """The start of the game."""
        yield Told(say("GameStarted"))
        yield from self.round_begins()

    def go_on(self) -> Iterator[Told]:
        """All that has happened and was not told yet."""
        while self.sequence < len(self.live.events):
            events = self.live.events[self.sequence]
            self.sequence += 1
            yield from self.happened(events)

    def happened(self, events: Sequence[Event]) -> Iterator[Told]:
        """One action."""
        if isinstance(events[0], BidMade):
            self.bid = events[0]
            yield Told(self.turn())
            return
        yield Told(say("Round", result=self.result(events), revealed_hands=self.hands()))
        match events[-1]:
            case RoundBegan() as began:
                self.round, self.bid = began, BidMade(seat=-1, quantity=0, face=0)
                yield from self.round_begins()
            case GameOver(places=places):
                yield Told(say("GameEnded", winner=self.names[places.index(1)]))

    def round_begins(self) -> Iterator[Told]:
        """Everybody rolls, and somebody is to open."""
        for seat, dice in enumerate(self.round.dice):
            if dice:
                yield Told(self.rolled(seat), seat)
        yield Told(self.turn())

    def again(self, seat: int) -> Iterator[bytes]:
        """What a bot must know that comes back, or it never acts."""
        if self.round.dice[seat]:
            yield self.rolled(seat)
        yield self.turn()

    def rolled(self, seat: int) -> bytes:
        """The hand of a seat."""
        return say("YouRolled", hand=self.hand(seat))

    def turn(self) -> bytes:
        """Who is to act, and on which bid."""
        seat = self.after(self.bid.seat) if self.bid.quantity else self.round.seat
        name = self.names[seat]
        return say("Turn", turn=self.sequence + 1, number=self.bid.quantity, face=self.bid.face, next_player=name)

    def after(self, seat: int) -> int:
        """The next seat clockwise that plays this round."""
        seats = len(self.names)
        return next(one % seats for one in range(seat + 1, seat + 1 + seats) if self.round.dice[one % seats])

    def hand(self, seat: int) -> list[int]:
        """The dice that a seat rolled for this round."""
        game = self.live.game
        counts = game.source.roll(self.round.round, self.round.dice, len(game.charts.faces))[seat]
        return [face for face, dice in enumerate(counts) for _ in range(dice)]

    def hands(self) -> dict[str, list[int]]:
        """All dice of this round."""
        return {self.names[seat]: self.hand(seat) for seat, dice in enumerate(self.round.dice) if dice}

    def result(self, events: Sequence[Event]) -> str:
        """How a round ended, in the words that bots read."""
        first, change = events[0], next((one for one in events if isinstance(one, DiceChanged)), None)
        what = "gained one extra die" if change and change.change > 0 else "lost one die"
        if isinstance(first, Called):
            assert change, "in joker every call changes the dice of one player"
            return f"Player `{self.names[change.seat]}` {what} because {self.judged(first, change.seat)}"
        assert isinstance(first, Penalized | Forfeited)
        return f"Player `{self.names[first.seat]}` {what} because it {FAULTS.get(first.reason, 'left the game')}"

    def judged(self, call: Called, seat: int) -> str:
        """Why a call cost or brought `seat` a die."""
        there = f"there are {call.count} dice of face {call.face}"
        if seat == call.bidder:
            return f"it said {call.quantity} and {there}"
        said = "exactly" if call.call == "exact" else "liar"
        return f"it said {said} to {call.quantity} and {there}"
