"""How a match changes: an action is stepped on a copy, written, and only when the store has it does the copy count.

On a store that several nodes share, the primary key decides races: whoever lost one catches up and looks again. When
it is not known whether the store has an action, the match is doubtful until it has caught up with the store.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from calza.rules import Forfeit, IllegalAction, Penalty
from calza.rules.actions import Ply
from calza.rules.state import State

from .clock import Clock
from .errors import ArenaError, StoreFault
from .fairness import Signer
from .finish import settled, spent
from .live import Live
from .messages import Usage
from .settings import Settings
from .store.actions import Act, After, Rearm
from .store.done import Done
from .store.matches import ById, Come, Out, Seated, Start
from .store.store import Store

HOUSE_LATE = 2000  # milliseconds after which another node makes a house bot's move
RACES = 20  # lost races in a row, after which an agent is asked to come again


class Stand(Struct, frozen=True):
    """A match as the store has it, with its actions after the sequence `last`."""

    match: str
    last: int = -1

    def __call__(self, db: Connection) -> tuple[Seated | None, list[Done]]:
        done = After(self.match, self.last)(db)  # before anything else is read: see `Tray.of`
        return ById(self.match)(db), done


class Played(Struct, frozen=True):
    """An action by which players go out of a match that goes on: they may queue again as soon as it is stored."""

    act: Act
    outs: tuple[Out, ...]

    def __call__(self, db: Connection) -> bool:
        stored = self.act(db)
        for out in self.outs if stored else ():
            out(db)
        return stored


class Course:
    """How matches go on."""

    def __init__(
        self, store: Store, clock: Clock, settings: Settings, signer: Signer, token: Callable[[], bytes]
    ) -> None:
        self.store, self.clock, self.settings, self.signer, self.token = store, clock, settings, signer, token
        self.actions = 0  # that were played here
        self.tasks: set[asyncio.Task[None]] = set()
        self.doubtful: dict[Live, None] = {}  # in the order in which they became so
        self.cut_off = False  # the store is or was away, and that time has not been given back to the clocks yet

    async def catch_up(self, live: Live) -> None:
        """Play and take over what the store has."""
        match = live.match.id
        while True:
            version, last = live.version, live.sequence - 1
            seated, done = await self.store.read(Stand(match, last))
            if live.version == version:  # else this is older than what was played while it was read
                break
        for one in done:
            live.play(one)
        if seated is not None and seated != Seated(live.match, live.joined):
            live.take(seated)
            live.wake()
        self.doubtful.pop(live, None)

    async def commit(self, live: Live, seat: int, ply: Ply, say: str = "", usage: Usage | None = None) -> bool:
        """Play an action once the store has it; False when another node was faster, and the match has caught up."""
        self.check_clocks()
        now = self.clock.now_ms()
        try:
            ahead = live.game.ahead(seat, ply)
        except IllegalAction as error:
            live.illegal[seat] += 1
            raise ArenaError(400, "invalid_action", str(error), currentSequence=live.sequence) from None
        done = Done(
            match=live.match.id, sequence=live.sequence, seat=seat, text=str(ply), at_ms=now,
            due_ms=self.due(live, ahead, now), say=say, usage=spent(usage, live.illegal[seat]), token=self.token(),
        )  # fmt: skip
        # Another node may have put the row up to the end of this turn, but no later.
        looked = live.due_ms if self.store.shared else live.match.due_ms
        sooner = done.due_ms is not None and (looked is None or done.due_ms < looked)
        act, outs = Act(done, sooner), outs_of(live, ahead, now)
        if not await self.stored(live, Played(act, outs) if outs else act):
            await self.catch_up(live)
            return False
        self.actions += 1
        live.illegal[seat] = 0
        if live.sequence == done.sequence:  # else it has caught up with this very action meanwhile
            live.play(done, ply)
            if sooner:
                live.match = replace(live.match, due_ms=done.due_ms)
            for out in outs:
                note_out(live, out)
        self.tell_nodes(live)
        if live.game.over:
            await self.finish(live)
        return True

    def tell_nodes(self, live: Live) -> None:
        """Other nodes are told that a match has changed; whoever waits for it here knows already."""
        if self.store.shared:
            self.store.send("match", live.match.id)

    async def stored(self, live: Live, write: Act | Played) -> bool:
        """Whether an action was stored; if nobody can tell, the match is doubtful."""
        try:
            return await self.store.write(write)
        except BaseException:
            self.doubtful[live] = None
            raise

    def due(self, live: Live, ahead: State, now: int) -> int | None:
        """When somebody must see to the match: the end of the turn that follows, or soon if the house is to act."""
        if ahead.over:
            return now
        if not live.started:
            return None  # somebody resigned before all had come: those are waited for no longer than before
        return self.turn_due(live, ahead, now)

    def turn_due(self, live: Live, state: State, now: int) -> int:
        """When the turn ends that begins now."""
        return now + (HOUSE_LATE if live.rows[state.turn].house else self.settings.turn_ms(live.match.lane))

    async def finish(self, live: Live, *, aborted: bool = False) -> None:
        """Settle a match that is over, or that is to be; whoever is first does it."""
        while not live.finished:  # again, if another node has played on meanwhile
            over = live.game.over
            finish = settled(live, self.clock.now_ms(), self.signer, aborted=aborted and not over)
            changes = await self.store.write(finish)
            if changes is not None and live.sequence == finish.actions:
                live.end(finish, changes)
            else:
                await self.catch_up(live)
        self.tell_nodes(live)

    # --- coming, and the clock

    def check_clocks(self) -> None:
        """StoreFault while they are wrong: what was ruled on or set now would be too early, or be given time twice."""
        if self.cut_off:
            raise StoreFault

    async def come(self, live: Live, seat: int) -> None:
        """Note that a player has come; the last one starts the match."""
        live.heard_of(seat)
        row = live.rows[seat]
        if live.finished or (row.came_ms is not None and (live.started or not live.complete)):
            return
        if row.came_ms is None:
            await self.store.write(Come(live.match.id, row.agent, self.clock.now_ms()))
        async with live.lock:
            await self.catch_up(live)
            if live.complete and not live.started:
                await self.start(live)
        self.go_on(live)

    async def start(self, live: Live) -> None:
        """Let the first player's clock run."""
        self.check_clocks()
        now = self.clock.now_ms()
        await self.store.write(Start(live.match.id, now, self.turn_due(live, live.game.state, now)))
        await self.catch_up(live)
        self.tell_nodes(live)

    def overdue(self, live: Live) -> bool:
        """Whether somebody has to see to a match now."""
        due = live.due_ms
        return due is not None and due <= self.clock.now_ms() and not live.finished

    async def rule_on_time(self, live: Live) -> None:
        """Rule on turns that have not been taken in time."""
        while self.overdue(live):
            self.check_clocks()
            if live.game.over:
                await self.finish(live)
            elif not live.started:
                await self.start_without(live)
            elif live.rows[live.game.turn].house:
                await self.house_move(live)
            else:
                late = Penalty("timeout") if live.match.gateway else Forfeit("timeout")
                await self.commit(live, live.game.turn, late)

    async def rearm(self, live: Live) -> None:
        """Have a match looked at when its turn ends, if that was too soon now."""
        row, due = live.match.due_ms, live.due_ms
        if live.finished or row is None or due is None or not row <= self.clock.now_ms() < due:
            return
        await self.store.write(Rearm(live.match.id, live.sequence - 1, due))
        await self.catch_up(live)

    async def start_without(self, live: Live) -> None:
        """Start a match that not everybody has come to: they are out. If nobody has come, it is aborted."""
        absent = [row for row in live.rows if row.came_ms is None and not row.house]
        if len(absent) == sum(not row.house for row in live.rows):
            await self.finish(live, aborted=True)
            return
        for row in absent:
            if live.game.state.dice[row.seat] and not live.game.over:
                if not await self.commit(live, row.seat, Forfeit("timeout")):
                    return  # things have changed: they are looked at again
        if not live.finished:
            await self.start(live)

    # --- the house

    def go_on(self, live: Live) -> None:
        """Let the house move, if it is its turn, while whoever acted is answered."""
        turn = live.to_act()
        if turn and turn.house:
            task = asyncio.ensure_future(self.house_moves(live))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def house_moves(self, live: Live) -> None:
        """Play for the house until somebody else is to act. What fails is tried again when the move is overdue."""
        with suppress(ArenaError):
            async with live.lock:
                while (turn := live.to_act()) and turn.house:
                    await self.house_move(live)

    async def house_move(self, live: Live) -> None:
        """One move of the house."""
        seat = live.game.turn
        await self.commit(live, seat, live.house_agent(seat).act(live.game.view(seat)))


def outs_of(live: Live, ahead: State, now: int) -> tuple[Out, ...]:
    """Who goes out, while others play on, when the match comes to `ahead`."""
    if ahead.over or ahead.playing == live.game.state.playing:
        return ()
    before, after = live.game.state.dice, ahead.dice
    return tuple(Out(live.match.id, row.joined, now) for row in live.rows if before[row.seat] and not after[row.seat])


def note_out(live: Live, out: Out) -> None:
    """Take over that a player is out, as the store has it."""
    joined = tuple(replace(row, out_ms=out.out_ms) if row.joined == out.joined else row for row in live.joined)
    live.take(Seated(live.match, joined))
