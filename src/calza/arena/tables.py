"""All matches: found, read, waited for, and played, with every action checked in the contract's order."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any
from weakref import WeakValueDictionary

from calza.rules import Action, HmacDice, Penalty
from calza.rules.actions import RESIGN

from .clock import Clock
from .course import RACES, Course, Stand
from .errors import ArenaError, StoreFault
from .fairness import Signer
from .live import Deal, Live
from .messages import GameOver, State, Usage
from .moves import clean_talk, read_move
from .settings import Settings
from .store.matches import Overdue, Stands
from .store.store import Store
from .views import game_over, state_of

KEPT = 4000  # matches that are kept in memory though nobody is busy with them: some 25 KB each
MANY = 500  # matches that are looked at together
LOOK_MS = 5000  # milliseconds between looks at all that are, where there are other nodes: a signal may be lost

Answer = State | GameOver


class Tables(Course):
    """All matches."""

    def __init__(
        self, store: Store, clock: Clock, settings: Settings, signer: Signer, token: Callable[[], bytes], base: str,
        deal: Deal = HmacDice,
    ) -> None:  # fmt: skip
        super().__init__(store, clock, settings, signer, token)
        self.base, self.deal = base, deal
        # There is one Live of a match for as long as anybody is busy with it, or it was asked for lately.
        self.lives: WeakValueDictionary[str, Live] = WeakValueDictionary()
        self.kept: OrderedDict[str, Live] = OrderedDict()
        self.looked_ms = clock.now_ms()
        self.stopping = False  # held requests are answered and nobody is told anything more

    # --- finding a match

    async def live(self, match: str) -> Live:
        """A match as the store knows it now."""
        live = self.lives.get(match)
        if live is None:
            live = await self.load(match)
        elif not live.finished and (self.store.shared or live in self.doubtful):
            await self.catch_up(live)
        self.keep(live)
        return live

    async def load(self, match: str) -> Live:
        """A match from the store."""
        seated, done = await self.store.read(Stand(match))
        if seated is None:
            raise ArenaError(404, "match_not_found", "there is no such match")
        live = self.lives.get(match)  # somebody else may have been faster
        if live is None:
            live = self.lives[match] = Live(seated, done, self.deal)
        elif self.store.shared:
            await self.catch_up(live)
        return live

    def keep(self, live: Live) -> None:
        """Keep a match in memory until many others have been asked for; the store has them all."""
        self.kept[live.match.id] = live
        self.kept.move_to_end(live.match.id)
        if len(self.kept) > KEPT:
            self.kept.popitem(last=False)

    def seat_of(self, live: Live, agent: str) -> int:
        """Where an agent sits."""
        if agent not in live.seats:
            raise ArenaError(403, "not_a_player", "this match is played by others")
        return live.seats[agent]

    # --- what an agent asks

    async def state(self, agent: str, match: str) -> Answer:
        """Where a match stands for one of its players, who has come by asking."""
        return self.answer(*await self.place(agent, match))

    async def wait(
        self, agent: str, match: str, after: int | None, seconds: float, gone: Awaitable[Any] | None = None
    ) -> Answer:
        """The same, held until the agent can act, the match ends, the sequence passes `after`, or time is up."""
        live, seat = await self.place(agent, match)
        ends = [asyncio.ensure_future(self.clock.sleep(seconds))]
        ends += [asyncio.ensure_future(gone)] if gone is not None else []
        try:
            while True:
                answer = self.answer(live, seat)
                if news(answer, after) or self.stopping or any(end.done() for end in ends):
                    return answer
                change = live.news()
                try:
                    await asyncio.wait([change, *ends], return_when=asyncio.FIRST_COMPLETED)
                finally:
                    live.drop(change)
        finally:
            for end in ends:
                end.cancel()

    async def act(
        self, agent: str, match: str, sequence: int, raw: Any, say: str = "", usage: Usage | None = None
    ) -> Answer:
        """Play an action and say what follows; ArenaError says why not, and then nothing has changed."""
        live, seat = await self.place(agent, match)
        return self.stored_answer(live, seat, await self.acted(live, seat, sequence, raw, say, usage))

    async def hear(self, live: Live, seat: int, sequence: int, raw: Any, say: str, usage: Usage | None) -> None:
        """Play an action of somebody who has come, and is told what follows in another way."""
        if self.store.shared or live in self.doubtful:
            await self.catch_up(live)
        live.heard_of(seat)
        await self.acted(live, seat, sequence, raw, say, usage)

    async def place(self, agent: str, match: str) -> tuple[Live, int]:
        """The match and the seat of an agent that has come to it."""
        live = await self.live(match)
        seat = self.seat_of(live, agent)
        await self.come(live, seat)
        return live, seat

    async def acted(self, live: Live, seat: int, sequence: int, raw: Any, say: str, usage: Usage | None) -> int:
        """Play an action; returns the sequence at which it was played, now or before."""
        async with live.lock:
            at = await self.held(live, seat, sequence, raw, say, usage)
        self.go_on(live)
        return at

    async def held(self, live: Live, seat: int, sequence: int, raw: Any, say: str, usage: Usage | None) -> int:
        """The same, with the match held."""
        ply, wrong = readable(raw, live)
        if live.game.over and not live.finished:
            await self.finish(live)  # which failed when it was over: whoever asks again is told how it ended
        for _ in range(RACES):
            if ply is not None and (at := live.repeated(seat, sequence, str(ply))) is not None:
                return at
            if self.overdue(live):
                await self.rule_on_time(live)
            self.check(live, seat, sequence, ply)
            if ply is None:
                live.illegal[seat] += 1
                raise wrong or ArenaError(400, "invalid_input")
            talk = clean_talk(say) if say and self.settings.talk else ""
            if await self.commit(live, seat, ply, talk, usage):
                return live.last[seat]
        raise StoreFault

    async def play(self, agent: str, match: str, sequence: int, ply: Action) -> None:
        """Play an action that came through a gateway; one that the rules refuse costs what a late one does."""
        live = await self.live(match)
        seat = self.seat_of(live, agent)
        async with live.lock:
            for _ in range(RACES):
                await self.rule_on_time(live)
                self.check(live, seat, sequence, ply)
                illegal = bool(live.game.refusal(seat, ply))
                live.illegal[seat] += illegal
                if await self.commit(live, seat, Penalty("illegal") if illegal else ply):
                    break
                live.illegal[seat] -= illegal
            else:
                raise StoreFault
        self.go_on(live)

    def check(self, live: Live, seat: int, sequence: int, ply: Action | None) -> None:
        """The contract's checks in its order, up to those of the rules."""
        now = live.sequence
        if live.game.over or live.finished:
            raise ArenaError(409, "game_already_over", "the match has ended; nothing more can be played")
        resigns = ply == RESIGN and live.game.state.dice[seat] > 0
        if not resigns and (not live.started or live.game.turn != seat):
            turn = live.to_act()
            why = f"it is the turn of {turn.name}" if turn else "the match has not started"
            raise ArenaError(409, "not_your_turn", f"{why}; wait for your own", currentSequence=now)
        if sequence > now or (sequence < now and not resigns):
            why = f"the sequence is {now}, not {sequence}; read the state again"
            raise ArenaError(409, "stale_sequence", why, currentSequence=now)

    def answer(self, live: Live, seat: int) -> Answer:
        """Where the match stands for `seat`."""
        return game_over(live, seat, self.base) if live.finished else state_of(live, seat)

    def stored_answer(self, live: Live, seat: int, at: int) -> Answer:
        """What was answered when the action with the sequence `at` was first played."""
        if at + 1 == live.sequence and live.finished == live.game.over:
            return self.answer(live, seat)  # nothing has happened since
        return state_of(live.as_of(at + 1), seat)

    # --- the operator, and the clock

    async def abort(self, match: str) -> None:
        """End a match without a winner."""
        live = await self.live(match)
        async with live.lock:
            if not live.finished:
                await self.finish(live, aborted=True)

    async def sweep(self) -> None:
        """See to every match that is overdue, and to those of which it is doubtful how they stand."""
        for live in list(self.doubtful):
            await self.catch_up(live)
        await self.look()
        overdue = await self.store.read(Overdue(self.clock.now_ms(), MANY))
        # All at once, so that they are committed together; one that fails does not stop the clocks of the others.
        outcomes = await asyncio.gather(*map(self.see_to, overdue), return_exceptions=True)
        for fault in outcomes:
            if isinstance(fault, Exception) and not isinstance(fault, ArenaError):
                raise fault

    async def see_to(self, match: str) -> None:
        """Rule on the clock of a match."""
        live = await self.live(match)
        async with live.lock:
            await self.rule_on_time(live)
            await self.rearm(live)
        self.go_on(live)

    async def look(self) -> None:
        """Now and then, catch up with what other nodes have done to matches that are held here."""
        if self.store.shared and self.clock.now_ms() - self.looked_ms >= LOOK_MS:
            await self.look_at_all()

    async def look_at_all(self) -> None:
        """Catch up with all that was done elsewhere to matches that are held here."""
        self.looked_ms = self.clock.now_ms()
        held = [live for live in self.lives.values() if not live.finished]
        for start in range(0, len(held), MANY):
            some = held[start : start + MANY]
            stands = await self.store.read(Stands(tuple(live.match.id for live in some)))
            for live in some:
                played = live.sequence if self.store.shared else 0
                if stands.get(live.match.id) != (live.match.due_ms, live.match.finished_ms, played):
                    await self.catch_up(live)


def news(answer: Answer, after: int | None) -> bool:
    """Whether a held request is answered."""
    return answer.status in ("your_turn", "game_over") or (after is not None and answer.sequence > after)


def readable(raw: Any, live: Live) -> tuple[Action | None, ArenaError | None]:
    """An action, or why it cannot be read."""
    try:
        return read_move(raw, live.game.table.rules), None
    except ArenaError as error:
        return None, error
