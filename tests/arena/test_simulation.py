"""Arenas that live through anything: seeded schedules of joins, moves, drops, late players, bans, crashes and restarts.

Everything that could differ from run to run is turned by hand: the clock, chance, and a store in memory. A schedule
that fails is played again by its number: `Schedule(number)`. Agents ask in process and hold sockets as a server would
hand them on; at a crash all of them are cut off.
"""

import asyncio
from collections import defaultdict
from random import Random
from typing import Any

import pytest

from calza.arena.arena import Arena
from calza.arena.clock import TurnedClock, settle
from calza.arena.errors import ArenaError
from calza.arena.messages import GameOver, QueueAsk, State
from calza.arena.settings import Settings
from calza.arena.store.actions import After
from calza.arena.store.agents import Agent, Ban
from calza.arena.store.matches import LiveOf, Page, RecordOf, Seated
from calza.arena.store.store import Store
from calza.matches import read_record, verify
from tests.arena.api.web import Web
from tests.arena.house import LIAR, RESIGN, Place, bid
from tests.arena.wire import Closed, Socket

GAMES = ("liars-dice", "joker", "spot-on", "exact", "perudo")
TURN_MS = 120_000


class Seat:
    """A game socket of an agent, and what it has told."""

    def __init__(self, socket: Socket) -> None:
        self.socket = socket
        self.turns: list[int] = []  # sequences
        self.ended = False


class Schedule:
    """One arena and what befalls it."""

    def __init__(self, number: int) -> None:
        self.random = Random(number)
        self.settings = Settings(
            fill_after=float(self.random.choice((0, 5, 60))), house=("cautious", "random"), log_level="error"
        )
        self.clock = TurnedClock()
        self.agents: list[Agent] = []
        self.keys: dict[str, str] = {}
        self.banned: set[str] = set()
        self.matches: dict[str, set[str]] = defaultdict(set)  # of every agent, as it was told
        self.acknowledged: dict[tuple[str, int], tuple[str, Any]] = {}  # agent and action
        self.sockets: dict[tuple[str, str], Seat] = {}
        self.listeners: dict[str, Socket] = {}
        self.watched: dict[str, list[Any]] = defaultdict(list)  # what spectators were told of a match, in their order
        self.spectators: dict[str, Socket] = {}
        self.downs: list[tuple[int, int]] = []
        self.left: list[Socket] = []
        self.codes: set[int] = set()  # with which sockets were closed

    async def run(self, steps: int) -> None:
        self.store = await Store.open("sqlite://")
        await self.boot()
        for one in range(5):
            registered = await self.arena.accounts.register(f"Agent {one}")
            self.agents.append(registered.agent)
            self.keys[registered.agent.id] = registered.key
        for _ in range(steps):
            await self.step()
        await self.drain()
        await self.check()
        await self.end()

    # --- the process

    async def boot(self) -> None:
        self.arena = await Arena.open(
            self.settings, clock=self.clock, draw=Random(self.random.random()).randbytes, store=self.store
        )
        await self.arena.start()
        self.place = Place(self.arena, self.clock)
        self.web = Web(self.place)
        await settle()

    async def crash(self) -> None:
        """The process is killed and started again some time later; nothing of it goes on."""
        for socket in self.open_sockets():
            await self.take(socket)
            socket.task.cancel()
        tasks = [*self.arena.loops, *self.arena.tables.tasks, *(one.task for one in self.open_sockets())]
        self.forget()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.store.listeners.heard.clear()
        down = self.random.choice((0, 2_000, 600_000, 3_600_000))
        self.downs.append((self.clock.now, self.clock.now + down))
        self.clock.now += down
        await self.boot()

    def open_sockets(self) -> list[Socket]:
        return [*(one.socket for one in self.sockets.values()), *self.listeners.values(), *self.spectators.values()]

    def forget(self) -> None:
        self.left += self.open_sockets()
        self.sockets, self.listeners, self.spectators = {}, {}, {}

    async def end(self) -> None:
        """Everything stops, and no task is left hanging."""
        for socket in self.open_sockets():
            await self.take(socket)
            await socket.leave()
        self.forget()
        await self.arena.stop()
        await self.place.leap(60_000)
        await settle()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, left
        await self.store.close()

    # --- what befalls it

    async def step(self) -> None:
        agent = self.random.choice(self.agents)
        kind = self.random.random()
        try:
            if kind < 0.22:
                await self.queue(agent)
            elif kind < 0.24:
                await self.arena.lobby.leave(agent, None)
            elif kind < 0.62:
                await self.play(agent)
            elif kind < 0.74:
                await self.play_by_socket(agent)
            elif kind < 0.78:
                await self.connect(agent)
            elif kind < 0.81:
                await self.drop(agent)
            elif kind < 0.86:
                await self.watch()
            elif kind < 0.965:
                await self.pass_time(self.random.choice((10, 1_000, 5_000, 11_000, 60_000)))
            elif kind < 0.975:
                await self.abort()
            elif kind < 0.98:
                await self.ban(agent)
            else:
                await self.crash()
        except ArenaError as error:
            if error.status not in (400, 403, 404, 409):
                raise
        await settle(5)
        for socket in self.open_sockets():
            await self.take(socket)

    async def pass_time(self, ms: int) -> None:
        """Time passes in steps of some seconds, in which everything is done that was due meanwhile."""
        for begun in range(0, ms, 5000):
            await self.place.leap(min(5000, ms - begun))

    async def queue(self, agent: Agent) -> None:
        ask = QueueAsk(
            game_id=self.random.choice(GAMES), lane="fast", players=self.random.choice((2, 2, 3, 5)),
            opponents=self.random.choice(("any", "any", "agents")), matches=self.random.choice((1, 1, 3)),
        )  # fmt: skip
        queued = await self.arena.lobby.queue(agent, ask)
        if queued.status == "matched":
            self.matches[agent.id].add(str(queued.match_id))

    async def one_of(self, agent: Agent) -> str | None:
        """A match of an agent, if it has one."""
        found = await self.arena.lobby.status(agent, self.random.choice(GAMES))
        if found.status == "matched":
            self.matches[agent.id].add(str(found.match_id))
        self.matches[agent.id].update(one.match for one in await self.store.read(LiveOf(agent.id)))
        mine = sorted(self.matches[agent.id])
        return self.random.choice(mine) if mine else None

    async def play(self, agent: Agent) -> None:
        match = await self.one_of(agent)
        if match is None:
            return
        state = await self.arena.tables.state(agent.id, match)
        sequence = max(0, state.sequence - (self.random.random() < 0.05))
        action = self.action(state) if isinstance(state, State) else LIAR
        twice = [
            self.arena.tables.act(agent.id, match, sequence, action) for _ in range(1 + (self.random.random() < 0.1))
        ]
        for outcome in await asyncio.gather(*twice, return_exceptions=True):
            assert isinstance(outcome, State | GameOver | ArenaError), outcome
            if isinstance(outcome, State | GameOver):
                at = sequence if action != RESIGN else outcome.sequence - 1
                self.acknowledged.setdefault((match, at), (agent.id, action))

    def action(self, state: State) -> Any:
        may = state.view.legal_actions
        if self.random.random() < 0.02:
            return RESIGN
        if may is None or self.random.random() < 0.05:
            return self.random.choice((LIAR, bid(1, 1), {"type": "exact"}, {"type": "nonsense"}))
        if "challenge" in may.types and self.random.random() < 0.4:
            return LIAR
        return bid(*self.random.choice([(least, int(face)) for face, least in may.least.items() if least] or [(1, 1)]))

    async def connect(self, agent: Agent) -> None:
        """Open a socket, in the place of an older one perhaps."""
        if self.random.random() < 0.3:
            self.listeners[agent.id] = await self.opened("/ws/agent", agent)
        elif match := await self.one_of(agent):
            socket = await self.opened(f"/ws/game/{match}", agent)
            self.sockets[agent.id, match] = Seat(socket)

    async def opened(self, path: str, agent: Agent) -> Socket:
        socket = Socket(self.web, path, self.keys[agent.id])
        self.left.append(socket)
        try:
            return await socket.open()
        except Closed as closed:
            raise ArenaError(closed.code, "closed") from None

    async def drop(self, agent: Agent) -> None:
        """A socket is lost."""
        mine = [place for place in self.sockets if place[0] == agent.id]
        if mine:
            seat = self.sockets.pop(self.random.choice(mine))
            await seat.socket.leave()

    async def play_by_socket(self, agent: Agent) -> None:
        mine = [place for place in self.sockets if place[0] == agent.id and not self.sockets[place].ended]
        if not mine:
            return
        place = self.random.choice(mine)
        live = await self.arena.tables.live(place[1])
        seat = live.seats[agent.id]
        action = self.action(self.arena.tables.answer(live, seat)) if not live.finished else LIAR  # type: ignore[arg-type]
        self.sockets[place].socket.send({"type": "action", "sequence": live.sequence, "payload": action})

    async def watch(self) -> None:
        """Somebody watches a match, from where the last who did was cut off."""
        everything = sorted(set().union(*self.matches.values()))
        if not everything:
            return
        match = self.random.choice(everything)
        if match in self.spectators:
            await self.take(self.spectators[match])
            await self.spectators.pop(match).leave()
        last = max((one["sequence"] for one in self.watched[match] if one["type"] == "action"), default=-1)
        socket = Socket(self.web, f"/ws/watch/{match}?after={last}" if last >= 0 else f"/ws/watch/{match}")
        self.left.append(socket)
        self.spectators[match] = await socket.open()

    async def abort(self) -> None:
        live = sorted(one.match.id for one in (await self.store.read(Page("live", limit=100))).rows)
        if live:
            await self.arena.tables.abort(self.random.choice(live))

    async def ban(self, agent: Agent) -> None:
        """An operator bans somebody, whose matches end by the clock."""
        if len(self.banned) < 2:
            self.banned.add(agent.id)
            await self.store.write(Ban(agent.id, self.clock.now))
            self.arena.accounts.changed(agent.id)

    async def take(self, socket: Socket) -> None:
        """What a socket was told by now; it makes sense."""
        seats = {seat.socket: place for place, seat in self.sockets.items()}
        while not socket.quiet():
            try:
                said = await socket.hear()
            except Closed as closed:
                self.codes.add(closed.code)
                continue
            if socket in seats:
                self.told(self.sockets[seats[socket]], said)
            elif socket in self.spectators.values():
                match = next(one for one, other in self.spectators.items() if other is socket)
                self.watched[match].append(said)
            elif said["type"] == "match_found":
                agent = next(one for one, other in self.listeners.items() if other is socket)
                self.matches[agent].add(said["matchId"])

    def told(self, seat: Seat, said: Any) -> None:
        """A frame of a game socket."""
        assert not seat.ended, "nothing is told after the end"
        seat.ended = said["type"] == "game_over"
        if said["type"] == "your_turn":
            assert said["view"]["isYourTurn"]
            # The same again answers a repeated action; never does one come that is older.
            assert said["sequence"] >= max(seat.turns, default=0)
            seat.turns.append(said["sequence"])

    # --- the end

    async def drain(self) -> None:
        """Everybody goes away; the clocks end every match."""
        for agent in self.agents:
            await self.arena.lobby.leave(agent, None)
        for _ in range(400):
            if not (await self.store.read(Page("live", limit=1))).rows:
                return
            await self.place.leap(30_000)
        raise AssertionError("a match never ends")

    async def check(self) -> None:
        found, cursor = [], None
        while True:
            part = await self.store.read(Page(limit=50, cursor=cursor))
            found += part.rows
            cursor = part.cursor
            if cursor is None:
                break
        for one in found:
            await self.check_match(one)
        check_ratings(found)
        assert self.codes <= {1000, 4401}, "only ends, newer sockets and bans close sockets"
        assert {match for match, _ in self.acknowledged} <= {one.match.id for one in found}

    async def check_match(self, one: Seated) -> None:
        match = one.match
        done = await self.store.read(After(match.id))
        assert [action.sequence for action in done] == list(range(len(done)))
        record = read_record(await self.store.read(RecordOf(match.id)) or b"")
        verify(record)
        assert [(entry.seat, entry.action) for entry in record.actions] == [(act.seat, act.text) for act in done]
        wins = [player for player in one.players if player.outcome == "win"]
        assert len(wins) == (match.status == "completed")
        by_seat = {player.seat: player for player in one.players}
        for act in done:
            agent, action = self.acknowledged.pop((match.id, act.sequence), (by_seat[act.seat].agent, None))
            assert by_seat[act.seat].agent == agent, "an action that was acknowledged is another's"
            assert action is None or written(action) in (None, act.text)
            if act.text in ("resign", "forfeit:timeout"):
                assert by_seat[act.seat].out_ms == act.at_ms or act is done[-1], "it may not queue again"
        assert not [at for other, at in self.acknowledged if other == match.id], "acknowledged, and not in the record"
        self.check_clocks(one, [(act.seat, act.text, act.at_ms) for act in done], by_seat)
        told = [said["sequence"] for said in self.watched[match.id] if said["type"] == "action"]
        assert told == list(range(len(told))), "a spectator has missed something"

    def check_clocks(self, one: Seated, done: list[tuple[int, str, int]], by_seat: dict[int, Any]) -> None:
        """Nobody is late before its time, and the time that the arena was down is nobody's."""
        before = one.match.created_ms
        for seat, text, at in done:
            if one.match.started_ms is not None and before < one.match.started_ms <= at:
                before = one.match.started_ms
            if text == "forfeit:timeout":
                assert not by_seat[seat].house, "the house is never late"
                if one.match.started_ms is None or at <= one.match.started_ms:
                    before = one.match.created_ms  # it never came
                assert at - before - self.down_between(before, at) >= TURN_MS
            before = at

    def down_between(self, begun: int, ended: int) -> int:
        """Milliseconds of these during which the arena was down."""
        return sum(max(0, min(end, ended) - max(start, begun)) for start, end in self.downs)


def written(action: Any) -> str | None:
    """An action in notation; None where the variant names it."""
    if action["type"] == "bid":
        return f"{action['quantity']}x{action['faceValue']}"
    return "resign" if action["type"] == "resign" else None


def check_ratings(found: list[Seated]) -> None:
    """Every rating follows from the one before it: none is lost, none is counted twice."""
    chains: dict[tuple[str, str, str], list[Any]] = defaultdict(list)
    for one in found:
        for player in one.players if one.match.status == "completed" and one.match.rated else ():
            size = "2" if one.match.size == 2 else "3-6"
            chains[player.agent, one.match.game, size].append((player.before, player.after))
    for links in chains.values():
        starts = sorted((link[0].mu, link[0].sigma) for link in links)
        ends = sorted((link[1].mu, link[1].sigma) for link in links)
        # All but the first start where another ended, and all but the last end where another starts.
        assert len(set(starts) - set(ends)) <= 1
        assert len(set(ends) - set(starts)) <= 1


@pytest.mark.timeout(600)
@pytest.mark.parametrize("ten", range(10))
def test_an_arena_lives_through_any_schedule(ten: int) -> None:
    for number in range(ten * 10, ten * 10 + 10):
        asyncio.run(Schedule(number).run(60))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("hundred", range(30))
def test_an_arena_lives_through_thousands_of_schedules(hundred: int) -> None:
    for number in range(hundred * 100 + 1000, hundred * 100 + 1100):
        asyncio.run(Schedule(number).run(250))


def test_a_schedule_is_the_same_every_time() -> None:
    async def happened(number: int) -> Any:
        schedule = Schedule(number)
        await schedule.run(100)
        return schedule.matches, schedule.watched, schedule.downs

    assert asyncio.run(happened(3)) == asyncio.run(happened(3))
