"""Hidden dice: no byte of the arena depends on a cup that its reader must not know.

Two arenas are alike in everything that is public: ids, commitments, clocks, chance, and every action. The cups are put
below the dice, by `Arena.open(deal=...)`, and differ. Whatever one observer gets from the first arena it must get from
the second, byte for byte: a player whose own cup is the same in both, another agent, a spectator, somebody without a
key, and whoever reads logs and figures. Rounds that end with a call have cups that differ only in what the reveal of
the variant does not show; all others differ at will.
"""

import asyncio
import re
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack
from random import Random
from typing import Any, TypeVar

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from calza.arena.app import app
from calza.arena.journal import Journal
from calza.arena.store.matches import Joining
from calza.arena.views import PLAYED
from calza.rules import CATALOG, HmacDice
from calza.rules.dice import Hand
from calza.rules.record import Source
from calza.web.routes import routes as pages
from tests.arena.api.web import Got, served
from tests.arena.house import RESIGN, bid
from tests.arena.wire import Closed, Socket, Stream, socket_of

T = TypeVar("T")
NAMES = ("Ann", "Bob", "Cid", "Dan", "Eve")
CALL, LEAVE, LATE, OPEN = "call", "resign", "timeout", "open"
PLAYABLE = ({"type": "challenge"}, {"type": "exact"})


class Round(Struct, frozen=True):
    """How a round goes."""

    face: int  # that is bid, as long as it may be
    bids: int
    end: str
    noise: int  # decides what else is tried meanwhile


class Script(Struct, frozen=True):
    """A match as everybody may know it, and whose cup stays the same."""

    game: str
    seats: int
    own: int  # the seat of the player who watches; -1 for none
    keys: tuple[int, int]  # of the cups that are the same, and of the others
    rounds: tuple[Round, ...]


@st.composite
def scripts(draw: st.DrawFn) -> Script:
    game = draw(st.sampled_from(PLAYED))
    rules = CATALOG[game]
    seats = draw(st.integers(rules.min_players, min(4, rules.max_players)))
    rounds = st.builds(
        Round,
        st.integers(1, rules.faces),
        st.integers(0, 3),
        st.sampled_from((CALL, CALL, LEAVE, LATE, OPEN)),
        st.integers(0, 2**16),
    )
    return Script(
        game,
        seats,
        draw(st.integers(-1, seats - 1)),
        (draw(st.integers(0, 2**16)), draw(st.integers(0, 2**16))),
        tuple(draw(st.lists(rounds, min_size=1, max_size=4))),
    )


class Cups:
    """Dice for one match: public things from its seed, cups from the script."""

    def __init__(self, honest: HmacDice, script: Script, other: bool) -> None:
        self.honest, self.script, self.other = honest, script, other

    def source(self, open: bool) -> Source:
        return self.honest.source(open)

    def seating(self, players: int) -> list[int]:
        return self.honest.seating(players)

    def starter(self, seats: int) -> int:
        return self.honest.starter(seats)

    def roll(self, round: int, dice: Sequence[int], faces: int) -> list[Hand]:
        return [self.hand(round, seat, one, faces) for seat, one in enumerate(dice)]

    def hand(self, round: int, seat: int, dice: int, faces: int) -> Hand:
        same, other = self.script.keys
        values = rolled(f"{same} {round} {seat}", dice, range(1, faces + 1))
        if self.other and seat != self.script.own:
            fixed = self.shown(round, faces)
            kept = [one for one in values if one in fixed]
            free = [face for face in range(1, faces + 1) if face not in fixed]
            values = kept + rolled(f"{other} {round} {seat} other", dice - len(kept), free)
        return tuple(values.count(face) for face in range(faces + 1))

    def shown(self, round: int, faces: int) -> set[int]:
        """The faces that the reveal of a round may show."""
        plan = self.script.rounds[round - 1] if round <= len(self.script.rounds) else None
        rules = CATALOG[self.script.game]
        if plan is None or plan.end != CALL:
            return set()
        return {plan.face, rules.wild or plan.face} if rules.reveal == "matching" else set(range(1, faces + 1))


def rolled(key: str, dice: int, faces: Sequence[int]) -> list[int]:
    chance = Random(key)
    return [chance.choice(faces) for _ in range(dice)]


# --- one of the two arenas


class World:
    """An arena, everybody who is there, and everything that they get."""

    paths = (
        "/api/matches", "/api/matches?status=live", "/api/agents/{agent}/matches", "/api/agents/{agent}", "/api/stats",
        "/api/leaderboard?gameId={game}", "/api/matches/{match}/record", "/api/matches/{match}/replay.md",
        "/api/games/{game}", "/api/matchmaking/status?gameId={game}", "/api/fairness", "/healthz", "/matches/{match}",
    )  # fmt: skip

    def __init__(self, other: bool) -> None:
        self.other = other
        self.script: Script | None = None
        self.got: list[tuple[str, bytes]] = []

    def deal(self, seed: bytes, match: str, salts: Sequence[str]) -> Cups:
        assert self.script
        return Cups(HmacDice(seed, match, salts), self.script, self.other)

    async def open(self, stack: AsyncExitStack) -> None:
        self.web = await stack.enter_async_context(served(deal=self.deal, requests_per_minute=10**9))
        self.web.deep = False
        self.agents = [await self.web.join(name) for name in NAMES]
        self.stranger = self.agents[-1]

    # --- what is seen

    def note(self, who: str, got: Got | bytes) -> None:
        seen = got if isinstance(got, bytes) else msgspec.json.encode([got.status, got.headers, got.body.decode()])
        self.got.append((who, ENDED.sub(b"", seen)))

    async def listen(self, who: str, socket: Socket) -> None:
        """What a socket was told by now."""
        while not socket.quiet():
            try:
                await socket.hear()
            except Closed as closed:
                self.note(who, f"closed {closed.code} {closed.reason}".encode())
            self.note(who, b"".join(socket.raw))
            socket.raw.clear()

    # --- a match

    async def play(self, script: Script) -> list[tuple[str, bytes]]:
        """Play a script; returns what every observer got, in order."""
        self.script, self.got = script, []
        self.web.log.seek(0)
        self.web.log.truncate()
        lobby = self.web.arena.lobby
        joining = [Joining(one.id, one.name, one.id, queued=False) for one in self.agents[: script.seats]]
        match = await lobby.open_match(script.game, "fast", joining, rated=False)
        assert match
        live = await self.web.arena.tables.live(match)
        self.match, self.live = match, live
        self.seated = [next(one for one in self.agents if one.id == row.agent) for row in live.rows]
        self.own = self.seated[script.own] if script.own >= 0 else None
        await self.watch()
        for number, plan in enumerate(script.rounds, 1):
            await self.round(number, plan)
            if live.game.over or plan.end == OPEN:
                break
        await self.leave()
        return self.got

    async def watch(self) -> None:
        """Everybody comes, and opens whatever there is."""
        web, path = self.web, f"/api/matches/{self.match}/events"
        for one in self.seated:
            await one.state(self.match)
        self.sockets = {"spectator": await Socket(web, f"/ws/watch/{self.match}").open()}
        self.sockets["another agent"] = await socket_of(self.stranger).open()
        if self.own:
            self.sockets["own game"] = await socket_of(self.own, self.match).open()
            self.sockets["own"] = await socket_of(self.own).open()
        self.stream = Stream(web, path)
        await web.clock.turn(0)

    async def round(self, number: int, plan: Round) -> None:
        """One round."""
        chance, live = Random(plan.noise), self.live
        for _ in range(plan.bids + (plan.end == CALL)):
            await self.look(chance)
            if (made := self.bid(plan.face)) is None:
                break
            await self.act(made)
        if live.game.over or live.game.state.round != number or plan.end == OPEN:
            return
        if plan.end == LATE:
            await self.web.place.leap(121_000)
        elif plan.end == CALL and live.game.state.face == plan.face and (calls := self.calls()):
            await self.act(chance.choice(calls))
        else:
            await self.act(RESIGN)
        await self.look(chance)

    def bid(self, face: int) -> Any:
        """The least bid on a face; None if there is none."""
        least = self.live.game.legal(self.live.game.turn).least
        return bid(least[face], face) if face < len(least) and least[face] else None

    def calls(self) -> list[Any]:
        """The calls that may be made, as they travel."""
        first, *others = (one.name for one in self.live.game.table.rules.calls)
        exact = {name: {"type": "exact"} for name in others[:1]}
        exact |= {name: {"type": "exact", "reward": "gain_one"} for name in others[1:]}
        words: dict[str, Any] = {first: {"type": "challenge"}} | exact
        return [words[name] for name in self.live.game.legal(self.live.game.turn).calls]

    async def act(self, action: Any) -> None:
        """Whoever is to act does."""
        player = self.seated[self.live.game.turn]
        held = await self.own.hold(self.match, "&afterSequence=0") if self.own and player is not self.own else None
        got = await player.act(self.match, self.live.sequence, action, say="hm")
        assert got.status == 200, got
        await self.web.clock.turn(10)
        if held and self.own:
            self.note("own, held", await held.task)
        if player is self.own:
            self.note("own, acting", got)

    async def look(self, chance: Random) -> None:
        """Everybody looks at something, and tries something."""
        match, web = self.match, self.web
        sequence = chance.choice((0, self.live.sequence, 99))
        action = chance.choice((*PLAYABLE, bid(250, 1), bid(1, 20), {"x": 1}, None))
        if self.own:
            self.note("own", await self.own.state(match))
            if action not in PLAYABLE or self.seated[self.live.game.turn] is not self.own:
                self.note("own", await self.own.act(match, sequence, action))
            said = self.web.arena.tables.answer(self.live, self.live.seats[self.own.id])
            self.note("own", repr(said).encode())
            self.sockets["own game"].send({"type": "action", "sequence": 99, "payload": action})
        path = chance.choice(self.paths).format(match=match, agent=self.agents[0].id, game=self.live.match.game)
        self.note("nobody", await web.get(path))
        self.note("nobody", await web.get(f"/api/matches/{match}"))
        self.note("another agent", await self.stranger.state(match, chance.choice(("", "?wait=true"))))
        self.note("another agent", await self.stranger.act(match, sequence, action))
        self.note("another agent", await self.stranger.get(path))
        told = repr([self.live, self.live.match, self.live.game, self.live.joined])  # as an error might quote them
        self.note("log", UNEQUAL.sub(b"", told.encode()))
        await web.clock.turn(10)
        for who, socket in self.sockets.items():
            await self.listen(who, socket)

    async def leave(self) -> None:
        """The match ends, and everybody goes away."""
        await self.look(Random(0))
        if not self.live.finished:
            await self.web.arena.tables.abort(self.match)
        await self.web.clock.turn(10)
        await self.look(Random(1))
        for who, socket in self.sockets.items():
            await self.listen(who, socket)
            await socket.leave()
        await self.stream.leave()
        self.note("stream", self.stream.raw)
        self.note("log", UNEQUAL.sub(b"", self.web.log.getvalue()))
        self.note("figures", FIGURES.sub(b"", (await self.web.get("/metrics")).body))


UNEQUAL = re.compile(rb'"(at|ms)":("[^"]*"|[0-9.e-]+),?|0x[0-9a-f]+')  # the machine's own clock
# Shares of bluffs are those of matches that have ended, whose cups may be known.
ENDED = re.compile(rb'\\*"(bluffs|bluffShare|content-length)\\*":(\\*"[0-9]*\\*"|[0-9.e-]+|null),?')
FIGURES = re.compile(rb"(?m)^calza_(request_seconds|cpu_seconds|memory|loop)[^\n]*$")


# --- both of them


class Pair:
    """Two arenas that go on from example to example; after a fault there are two new ones."""

    def __init__(self, kind: type[World] = World) -> None:
        self.kind, self.runner = kind, asyncio.Runner()
        self.stack: AsyncExitStack | None = None

    def run(self, doing: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(doing)

    async def opened(self) -> None:
        self.stack = AsyncExitStack()
        self.worlds = self.kind(False), self.kind(True)
        for world in self.worlds:
            await world.open(self.stack)

    async def close(self) -> None:
        if self.stack:
            await self.stack.aclose()
        self.stack = None

    def play(self, script: Script) -> list[list[tuple[str, bytes]]]:
        """What is seen in both."""
        if self.stack is None:
            self.run(self.opened())
        try:
            return [self.run(world.play(script)) for world in self.worlds]
        except BaseException:
            self.run(self.close())
            raise


def both_of(kind: type[World]) -> Iterator[Pair]:
    both = Pair(kind)
    try:
        yield both
    finally:
        both.run(both.close())
        both.runner.close()


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    yield from both_of(World)


def same(pair: Pair, script: Script) -> None:
    one, other = pair.play(script)
    for (who, seen), (_, otherwise) in zip(one, other, strict=True):
        assert seen == otherwise, f"{who} can tell"


FAST = settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.mark.timeout(600)
@FAST
@given(script=scripts())
def test_no_byte_depends_on_a_cup_that_its_reader_must_not_know(pair: Pair, script: Script) -> None:
    same(pair, script)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@settings(FAST, max_examples=4000)
@given(script=scripts())
def test_no_byte_of_thousands_of_matches_does(pair: Pair, script: Script) -> None:
    same(pair, script)


HABITS = re.compile(rb'"habits-title.*?</table>', re.DOTALL)  # as in ENDED, on an agent's page


class Paged(World):
    """An arena with its pages, which are what somebody with a browser looks at."""

    paths = ("/", "/matches", "/matches/{match}", "/matches/{match}/odds", "/agents/{agent}", "/leaderboard")

    def note(self, who: str, got: Got | bytes) -> None:
        super().note(who, got)
        self.got[-1] = who, HABITS.sub(b"", self.got[-1][1])

    async def open(self, stack: AsyncExitStack) -> None:
        await super().open(stack)
        arena, limits = self.web.arena, self.web.limits
        self.web.app = app(arena, limits, Journal("debug", self.web.log), more=pages)


@pytest.fixture(scope="module")
def paged() -> Iterator[Pair]:
    yield from both_of(Paged)


@pytest.mark.timeout(600)
@settings(FAST, max_examples=25)
@given(script=scripts())
def test_no_byte_of_a_page_does(paged: Pair, script: Script) -> None:
    same(paged, script)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@settings(FAST, max_examples=1000)
@given(script=scripts())
def test_no_byte_of_the_pages_of_a_thousand_matches_does(paged: Pair, script: Script) -> None:
    same(paged, script)


# --- that the comparison would notice


def differing(pair: Pair, script: Script) -> set[str]:
    """Who can tell the two arenas apart."""
    one, other = pair.play(script)
    return {who for (who, seen), (_, otherwise) in zip(one, other, strict=False) if seen != otherwise}


def shown_though_it_differs(game: str, own: int) -> Script:
    """A call where the cups differ that it shows."""
    return Script(game, 2, own, (1, 2), (Round(face=2, bids=1, end=CALL, noise=3), Round(2, 0, OPEN, 1)))


class Careless(Cups):
    """Cups that differ although they are shown."""

    def shown(self, round: int, faces: int) -> set[int]:
        return set()


class Leaky(World):
    """An arena with such cups."""

    def deal(self, seed: bytes, match: str, salts: Sequence[str]) -> Cups:
        assert self.script
        return Careless(HmacDice(seed, match, salts), self.script, self.other)


@pytest.mark.parametrize("own", [-1, 0])
def test_the_comparison_sees_a_cup_that_is_shown(own: int) -> None:
    both = Pair(Leaky)
    try:
        told = differing(both, shown_though_it_differs("liars-dice", own))
    finally:
        both.run(both.close())
        both.runner.close()
    assert {"nobody", "spectator", "stream"} <= told
    assert ("own" in told) == (own == 0)
    assert "log" not in told
