"""A match that is being played: its rows, the game that they make, and who waits for news of it.

Whatever is in here has been committed. All hidden dice are in `game`; what leaves is made by `views.py`.
"""

import asyncio
import hmac
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from calza.agents.house import HouseAgent, noise_key, parse_agent
from calza.rules import CATALOG, Bid, Event, Game, HmacDice, Player, Record
from calza.rules.actions import Ply, parse_ply
from calza.rules.dice import Dice

from .clock import iso
from .messages import BidHeard
from .store.done import Done
from .store.ending import Changes, Finish
from .store.seated import Match, Seated
from .store.seated import Player as Row

Deal = Callable[[bytes, str, Sequence[str]], Dice]  # the dice of a match from its seed, its id and the players' salts


class Heard(Struct, frozen=True, gc=False):
    """A bid, and the sequence of the action that it was."""

    sequence: int
    bid: BidHeard


@lru_cache(maxsize=1 << 12)
def alone(event: Event) -> tuple[Event, ...]:
    """All that happened: a bid, as mostly. Equal ones are one value."""
    return (event,)


class Live:
    """One match."""

    match: Match
    joined: tuple[Row, ...]  # in the order of joining
    rows: list[Row]  # by seat

    def __init__(self, seated: Seated, done: Sequence[Done], deal: Deal = HmacDice) -> None:
        self.lock = asyncio.Lock()  # held from the check of an action until it is played
        self.version = 0  # grows with every change
        # In the order in which they came, with the seat whose turn each waits for, if it is only that.
        self.waiters: dict[asyncio.Future[None], int | None] = {}
        self.followers = 0  # sockets, streams and held requests that tell of it
        self.deal = deal
        self.take(seated)
        salts = [row.salt for row in seated.players]
        dice = deal(self.match.seed, self.match.id, salts)
        self.game = Game(CATALOG[self.match.game], len(self.rows), seed=dice)
        self.done: list[Done] = []
        self.events: list[tuple[Event, ...]] = []  # of every action
        self.bids: list[Heard] = []  # of the whole match
        self.said: list[tuple[int, str]] = []  # those of this round in notation, with their seats
        self.ended: tuple[int, int] | None = None  # the last round that has ended, and the action that ended it
        self.talk: list[Done] = []  # actions with a line of table talk
        self.told: Any = None  # what `views.py` says of this round
        self.house: dict[int, HouseAgent] = {}  # by seat
        self.illegal = [0] * len(self.rows)  # actions of each seat that were refused since its last one
        self.last = [-1] * len(self.rows)  # the sequence of each seat's last action
        self.lines = [0] * len(self.rows)  # sockets of each seat on this node
        self.gone: set[int] = set()  # seats whose last socket here was closed, and that were not heard of since
        for one in done:
            self.play(one)

    def take(self, seated: Seated) -> None:
        """Take over what the store says of the match and its players."""
        self.match, self.joined = seated.match, seated.players
        self.rows = sorted(seated.players, key=lambda row: row.seat)
        self.seats = {row.agent: row.seat for row in self.rows}

    def end(self, finish: Finish, changes: Changes) -> None:
        """Take over how it ended, as the store has it now."""
        match = replace(
            self.match, status=finish.status, reason=finish.reason, signature=finish.signature,
            finished_ms=finish.finished_ms, due_ms=None,
        )  # fmt: skip
        joined = tuple(
            replace(
                row, outcome=one.outcome, place=one.place, dice_left=one.dice_left,
                out_ms=row.out_ms or one.out_ms or finish.finished_ms,
                before=change and change[0], after=change and change[1],
            )
            for row, one, change in zip(self.joined, finish.players, changes, strict=True)
        )  # fmt: skip
        self.take(Seated(match, joined))
        self.wake()

    # --- what is known of it

    @property
    def sequence(self) -> int:
        """How many changes there have been."""
        return self.game.sequence

    @property
    def due_ms(self) -> int | None:
        """When the turn to act ends: as its action says, or later if a clock was given time back since."""
        row, turn = self.match.due_ms, self.done[-1].due_ms if self.done else None
        return row if row is None or turn is None else max(row, turn)

    @property
    def finished(self) -> bool:
        """Whether it has ended and been settled."""
        return self.match.finished_ms is not None

    @property
    def started(self) -> bool:
        """Whether everybody has come, or the time for that is over."""
        return self.match.status != "not_started"

    @property
    def complete(self) -> bool:
        """Whether everybody has come."""
        return all(row.came_ms is not None or row.house for row in self.rows)

    def absent(self) -> tuple[int, ...]:
        """The seats that are held for players who have not come, or whose line was lost."""
        left = self.game.state.dice
        if self.started:
            return tuple(seat for seat in sorted(self.gone) if left[seat])
        return tuple(row.seat for row in self.rows if row.came_ms is None and not row.house and left[row.seat])

    def house_agent(self, seat: int) -> HouseAgent:
        """The house bot at `seat`; its chance follows from the match's dice: another node plays the same."""
        if seat not in self.house:
            key = noise_key(int.from_bytes(hmac.digest(self.match.seed, self.match.id.encode(), "sha256")[:8]) + seat)
            self.house[seat] = HouseAgent(parse_agent(self.rows[seat].house), key)
        return self.house[seat]

    def to_act(self) -> Row | None:
        """Who is to act now."""
        return self.rows[self.game.turn] if self.started and not self.game.over and not self.finished else None

    def repeated(self, seat: int, sequence: int, text: str) -> int | None:
        """The sequence at which this very action was played; somebody resigns once, whatever sequence it names."""
        at = self.last[seat] if text == "resign" else sequence
        if 0 <= at < len(self.done) and self.done[at].seat == seat and self.done[at].text == text:
            return at
        return None

    def as_of(self, sequence: int) -> "Live":
        """The match as it stood after its first `sequence` actions."""
        due = None if self.done[sequence - 1].due_ms is None else 0  # its turn ends as the action says
        match = replace(self.match, status="active", finished_ms=None, due_ms=due)
        return Live(Seated(match, self.joined), self.done[:sequence], self.deal)

    def record(self, *, open: bool = False) -> Record:
        """The match as a record; the seed is in it once the game is over, or when it is `open`."""
        players = [Player(name=row.name, salt=row.salt, agent=row.house) for row in self.joined]
        number = {row.agent: row.joined for row in self.joined}
        seats = [number[row.agent] for row in self.rows]
        return self.game.record(players, seats, id=self.match.id, started=iso(self.match.created_ms), reveal=open)

    # --- who is here

    @contextmanager
    def attended(self, seat: int) -> Iterator[None]:
        """A socket of a seat is open; everybody may know when there is none any more."""
        self.lines[seat] += 1
        self.heard_of(seat)
        try:
            yield
        finally:
            self.lines[seat] -= 1
            if not self.lines[seat] and not self.finished:
                self.gone.add(seat)
                self.wake()

    def heard_of(self, seat: int) -> None:
        """The player of a seat is here after all."""
        if seat in self.gone:
            self.gone.discard(seat)
            self.wake()

    # --- what changes it

    def play(self, one: Done, ply: Ply | None = None) -> None:
        """Play what has been committed, and wake whoever waits; `ply` is what its text says, where that is known."""
        game = self.game
        began, sequence = game.state.round, game.sequence
        ply = ply or parse_ply(one.text, game.table.rules)
        events = game.carry_out(one.seat, ply, max(0, one.at_ms - self.match.created_ms))
        self.done.append(one)
        self.events.append(alone(events[0]) if len(events) == 1 else tuple(events))
        self.last[one.seat] = sequence
        self.gone.discard(one.seat)
        if isinstance(ply, Bid):
            agent = self.rows[one.seat].agent
            bid = BidHeard(player_id=agent, quantity=ply.quantity, face_value=ply.face, round=began)
            self.bids.append(Heard(sequence, bid))
            self.said.append((one.seat, one.text))
        else:
            self.ended, self.told, self.said = (began, sequence), None, []
        if one.say:
            self.talk.append(one)
        self.wake(all=False)

    def wake(self, *, all: bool = True) -> None:
        """Tell whoever waits that something has changed; not `all`: not those who wait for another seat's turn."""
        self.version += 1
        turn = -1 if all else self.game.turn
        waiters, self.waiters = self.waiters, {}
        for waiter, seat in waiters.items():
            if turn >= 0 and seat is not None and seat != turn:
                self.waiters[waiter] = seat
            elif not waiter.done():
                waiter.set_result(None)

    def news(self, seat: int | None = None) -> "asyncio.Future[None]":
        """Done with the next change, or when `seat` is to act; whoever waits no longer lets go of it with `drop`."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.waiters[waiter] = seat
        return waiter

    def drop(self, waiter: "asyncio.Future[None]") -> None:
        """Nobody waits for it any more."""
        self.waiters.pop(waiter, None)

    async def changed(self, version: int, seat: int | None = None) -> None:
        """Come back when the match is newer than `version`; for a seat, when it is to act or there is other news."""
        while self.version <= version:
            waiter = self.news(seat)
            try:
                await waiter
            finally:
                self.drop(waiter)
