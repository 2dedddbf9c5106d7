"""Agents' sockets: every frame, every code, and which of two sockets stays."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import msgspec
import pytest
from websockets.exceptions import InvalidStatus

from calza.arena.arena import Arena
from calza.arena.clock import TurnedClock, settle
from calza.arena.settings import Settings
from calza.arena.store.matches import Joining
from calza.arena.store.store import Store
from tests.arena.api.web import Player, Web, called, served
from tests.arena.house import LIAR, RESIGN, Place, bid
from tests.arena.wire import Closed, Site, Socket, Wire, dialled, listening, socket_of
from tests.postgres import Server


def action(sequence: Any, payload: Any, **more: Any) -> dict[str, Any]:
    return {"type": "action", "sequence": sequence, "payload": payload} | more


async def two(web: Web, **more: Any) -> tuple[str, Player, Player]:
    """A match between two agents, and who is to act first."""
    match = await web.table(await web.join("Ann"), await web.join("Bob"), **more)
    first, other = await web.turns(match, *web.players)
    return match, first, other


async def sat(player: Player, match: str) -> Socket:
    """A game socket after its first frame."""
    socket = await socket_of(player, match).open()
    assert await socket.hear() == {"type": "connected", "matchId": match}
    return socket


async def told(player: Player) -> Socket:
    """An agent's own socket after its first frame."""
    socket = await socket_of(player).open()
    assert await socket.hear() == {"type": "connected", "agentId": player.id}
    return socket


# --- /ws/agent


def test_an_agent_is_told_of_its_match() -> None:
    async def do(web: Web) -> None:
        ann, bob = await web.join("Ann"), await web.join("Bob")
        sockets = [await told(ann), await told(bob)]
        match = await web.table(ann, bob, come=False)
        assert await sockets[0].hear() == {"type": "match_found", "matchId": match, "gameId": "liars-dice"}
        # Bob's own call to the queue, or the next, has answered with it.
        await web.clock.turn(1000)
        assert sockets[1].quiet()

    called(do)


def test_what_could_not_be_told_is_kept_for_a_minute() -> None:
    async def do(web: Web) -> None:
        ann, bob, cid, dan = [await web.join(name) for name in ("Ann", "Bob", "Cid", "Dan")]
        match = await web.table(ann, bob, come=False)
        await web.clock.turn(59_000)
        socket = await told(ann)
        assert (await socket.hear())["matchId"] == match
        await socket.leave()
        again = await told(ann)
        await web.clock.turn(500)
        assert again.quiet(), "it was told once"
        await web.table(cid, dan, come=False)
        await web.clock.turn(61_000)
        late = await told(cid)
        await web.clock.turn(500)
        assert late.quiet()

    called(do)


@pytest.mark.parametrize("way", ["queue", "status", "state", "game socket", "the end"])
def test_what_an_agent_has_learnt_in_another_way_is_not_told(way: str) -> None:
    async def do(web: Web) -> None:
        ann, bob = await web.join("Ann"), await web.join("Bob")
        match = await web.table(ann, bob, come=False)
        if way == "queue":
            assert (await ann.post("/api/matchmaking/queue", {"gameId": "liars-dice"})).json["status"] == "matched"
        elif way == "status":
            assert (await ann.get("/api/matchmaking/status?gameId=liars-dice")).json["status"] == "matched"
        elif way == "state":
            await ann.state(match)
        elif way == "game socket":
            await sat(ann, match)
        else:
            await bob.state(match)
            await bob.act(match, 0, RESIGN)
        socket = await told(ann)
        await web.clock.turn(1000)
        assert socket.quiet()

    called(do)


def test_of_two_sockets_of_an_agent_the_newer_stays() -> None:
    async def do(web: Web) -> None:
        ann, bob = await web.join("Ann"), await web.join("Bob")
        older = await told(ann)
        newer = await told(ann)
        assert await older.hear() == {"type": "replaced"}
        with pytest.raises(Closed) as closed:
            await older.hear()
        assert closed.value.code == 1000
        match = await web.table(ann, bob, come=False)
        assert (await newer.hear())["matchId"] == match
        await web.clock.turn(1000)
        assert older.quiet()

    called(do)


@pytest.mark.parametrize("frame", ["{}", "ping", b"\x00", '{"type":"action"}'])
def test_a_frame_on_the_agents_socket_closes_it(frame: Any) -> None:
    async def do(web: Web) -> None:
        socket = await told(await web.join("Ann"))
        socket.send(frame)
        with pytest.raises(Closed) as closed:
            await socket.hear()
        assert closed.value.code == 1008

    called(do)


def test_an_unknown_key_opens_nothing() -> None:
    async def do(web: Web) -> None:
        ann, bob = await web.join("Ann"), await web.join("Bob")
        match = await web.table(ann, bob)
        for path in ("/ws/agent", f"/ws/game/{match}", "/ws/game/none"):
            for key in ("", "calza_" + "0" * 64, ann.key[:-1]):
                with pytest.raises(Closed) as closed:
                    await Socket(web, path, key).open()
                assert closed.value.code == 401

    called(do)


# --- /ws/game/:matchId


def test_a_match_is_played_over_sockets() -> None:
    async def do(web: Web) -> None:
        match, first, other = await two(web)
        sockets = [await sat(first, match), await sat(other, match)]
        frame = await sockets[0].hear()
        assert (frame["type"], frame["sequence"], frame["view"]["isYourTurn"]) == ("your_turn", 0, True)
        assert frame["turnEndsAt"] == frame["view"]["turnEndsAt"]
        assert sockets[1].quiet()
        for sequence in range(100):
            mine, others = sockets[sequence % 2], sockets[(sequence + 1) % 2]
            mine.send(action(sequence, bid(2, 3) if not sequence else bid(sequence + 2, 6)))
            frame = await others.hear()
            assert (frame["type"], frame["sequence"]) == ("your_turn", sequence + 1)
            if sequence == 2:
                break
        others.send(action(3, RESIGN))
        for one, player in zip(sockets, (first, other), strict=True):
            frame = await one.hear()
            assert frame["type"] == "game_over"
            envelope = (await player.state(match)).json
            del envelope["status"]
            assert frame == {"type": "game_over"} | envelope
            with pytest.raises(Closed) as closed:
                await one.hear()
            assert closed.value.code == 1000

    called(do)


def test_a_pending_turn_is_told_again_on_a_new_socket() -> None:
    async def do(web: Web) -> None:
        match, first, _ = await two(web)
        socket = await sat(first, match)
        turn = await socket.hear()
        await socket.leave()
        socket = await sat(first, match)
        assert await socket.hear() == turn
        newer = await sat(first, match)
        assert await newer.hear() == turn
        with pytest.raises(Closed) as closed:
            await socket.hear()
        assert closed.value.code == 1000
        newer.send(action(0, bid(2, 3)))
        await web.clock.turn(0)
        assert (await first.state(match)).json["sequence"] == 1

    called(do)


def test_turns_are_told_however_the_action_came() -> None:
    async def do(web: Web) -> None:
        match, first, other = await two(web)
        socket = await sat(other, match)
        await first.act(match, 0, bid(2, 3))
        assert (await socket.hear())["sequence"] == 1
        await other.act(match, 1, LIAR)
        again = await web.turns(match, first, other)
        frame = await (socket if again[0] is other else await sat(first, match)).hear()
        assert (frame["type"], frame["sequence"]) == ("your_turn", 2)
        assert frame["view"]["lastReveal"]["action"] == "liar"

    called(do)


def test_a_turn_ends_by_the_clock_and_the_end_is_told() -> None:
    async def do(web: Web) -> None:
        match, first, other = await two(web)
        sockets = [await sat(first, match), await sat(other, match)]
        await sockets[0].hear()
        await web.clock.turn(121_000)
        for one, outcome in zip(sockets, ("loss", "win"), strict=True):
            frame = await one.hear()
            assert (frame["type"], frame["reason"], frame["sequence"]) == ("game_over", "timeout", 1)
            mine = next(result for result in frame["results"] if result["agentId"] == frame["view"]["you"])
            assert mine["outcome"] == outcome

    called(do)


def test_a_finished_match_is_told_and_closed() -> None:
    async def do(web: Web) -> None:
        match, first, other = await two(web)
        await first.act(match, 0, RESIGN)
        socket = await sat(other, match)
        assert (await socket.hear())["type"] == "game_over"
        with pytest.raises(Closed) as closed:
            await socket.hear()
        assert closed.value.code == 1000

    called(do)


def test_whose_match_it_is_not_is_told_by_the_code() -> None:
    async def do(web: Web) -> None:
        match, _, _ = await two(web)
        cid = await web.join("Cid")
        for path, code in ((match, 4403), ("a" * 20, 4404), ("%00", 4404), ("a" * 300, 4404), ("..%5C", 4404)):
            socket = await Socket(web, f"/ws/game/{path}", cid.key).open()
            with pytest.raises(Closed) as closed:
                await socket.hear()
            assert closed.value.code == code

    called(do)


def test_a_refusal_is_a_frame_with_the_current_sequence() -> None:
    async def do(web: Web) -> None:
        match, first, other = await two(web)
        mine, others = await sat(first, match), await sat(other, match)
        await mine.hear()

        async def answer(socket: Socket, frame: Any) -> tuple[str, int | None]:
            socket.send(frame)
            said = await socket.hear()
            assert said["type"] == "error"
            assert isinstance(said["details"], str)
            return said["error"], said.get("currentSequence")

        assert await answer(others, action(9, {"nonsense": 1})) == ("not_your_turn", 0)
        assert await answer(mine, action(9, {"nonsense": 1})) == ("stale_sequence", 0)
        assert (await answer(mine, action(0, {"nonsense": 1})))[0] == "invalid_input"
        assert (await answer(mine, action(0, LIAR)))[0] == "invalid_action"
        assert (await answer(mine, "this is no JSON"))[0] == "invalid_input"
        assert (await answer(mine, b"\xff\xfe"))[0] == "invalid_input"
        assert (await answer(mine, '{"type":"action","sequence":' + "9" * 400 + ',"payload":{}}'))[0] == "invalid_input"
        assert (await answer(mine, action(0, bid(10**400, 1))))[0] == "invalid_input"
        assert (await answer(mine, "[" * 4000))[0] == "invalid_input"
        assert (await answer(mine, action(0, bid(2, 3), usage={"tokens": 10**40})))[0] == "invalid_input"
        mine.send(msg := action(0, bid(2, 3), say="hi", usage={"tokens": 10, "cost": 0.5}, unknown=1))
        assert (await others.hear())["sequence"] == 1
        assert msg["sequence"] == 0

    called(do)


def test_a_repeat_is_acknowledged_again() -> None:
    async def do(web: Web) -> None:
        match, first, other = await two(web)
        mine, others = await sat(first, match), await sat(other, match)
        await mine.hear()
        mine.send(action(0, bid(2, 3)))
        await others.hear()
        mine.send(action(0, bid(2, 3)))  # the reply may have been lost: what comes next is the turn after
        await web.clock.turn(0)
        assert mine.quiet()
        others.send(action(1, bid(3, 3)))
        turn = await mine.hear()
        assert turn["sequence"] == 2
        mine.send(action(0, bid(2, 3)))
        assert await mine.hear() == turn

    called(do)


def test_an_action_over_a_socket_is_one_request_of_its_agent() -> None:
    async def do(web: Web) -> None:
        match, first, _ = await two(web)
        socket = await sat(first, match)
        await socket.hear()
        errors = []
        for _ in range(40):
            socket.send(action(7, LIAR))
            errors.append(await socket.hear())
        assert errors[0]["error"] == "stale_sequence"
        assert errors[-1]["error"] == "rate_limited"
        await web.clock.turn(errors[-1]["retryAfterMs"])
        socket.send(action(7, LIAR))
        assert (await socket.hear())["error"] == "stale_sequence"

    called(do, requests_per_minute=30)


# --- keys, stops and faults


def test_a_revoked_key_closes_its_sockets_and_no_others() -> None:
    async def do(web: Web) -> None:
        match, first, _ = await two(web)
        spare = (await first.post("/api/agents/me/keys")).json["apiKey"]
        sockets = [await told(first), await sat(first, match)]
        await sockets[1].hear()
        assert (await first.post("/api/agents/me/keys/revoke", {"apiKey": spare})).status == 200
        await web.clock.turn(10_000)
        assert all(one.quiet() for one in sockets)
        assert (await first.post("/api/agents/me/keys/revoke", {"apiKey": first.key})).status == 200
        for one in sockets:
            with pytest.raises(Closed) as closed:
                await one.hear()
            assert closed.value.code == 4401

    called(do)


def test_a_stopping_arena_tells_its_sockets_to_come_back() -> None:
    async def do(web: Web) -> None:
        match, first, other = await two(web)
        sockets = [await told(first), await sat(other, match), await Socket(web, f"/ws/watch/{match}").open()]
        await sockets[2].hear()
        web.arena.dismiss()
        for one in sockets:
            with pytest.raises(Closed) as closed:
                await one.hear()
            assert closed.value.code == 1012
        late = await told(first)
        with pytest.raises(Closed) as closed:
            await late.hear()
        assert closed.value.code == 1012

    called(do)


def test_sockets_leave_nothing_behind() -> None:
    async def do(web: Web) -> None:
        match, first, other = await two(web)
        live = await web.arena.tables.live(match)
        for _ in range(3):
            sockets = [await told(first), await sat(first, match), await sat(other, match)]
            watch = await Socket(web, f"/ws/watch/{match}").open()
            assert (web.arena.sockets, live.followers) == (4, 3)
            for one in (*sockets, watch):
                await one.leave()
        assert (web.arena.sockets, live.followers, live.waiters, web.arena.feeds) == (0, 0, {}, {})

    called(do)


def test_agents_that_reconnect_anew_for_every_turn_lose_none() -> None:
    """Nothing but the game socket, opened again for each frame, as clients with bad lines do."""

    async def do(web: Web) -> None:
        match, first, other = await two(web)
        for sequence, player in enumerate([first, other] * 3):
            socket = await sat(player, match)
            turn = await socket.hear()
            assert turn["sequence"] == sequence
            socket.send(action(sequence, bid(1 + sequence, 6)))
            await socket.leave()  # without waiting for anything: the action was sent, and is played
            assert (await player.state(match)).json["sequence"] == sequence + 1

    called(do)


# --- frames that nobody should send

SEEDS = (
    action(0, bid(2, 3)), action(0, LIAR), action(0, RESIGN), action(0, {"type": "exact"}),
    action(1, bid(3, 3), say="x"), action(2, bid(4, 4), usage={"tokens": 5, "cost": 0.1}),
    {"type": "action"}, {"type": "your_turn"}, [], None, 7, "x",
)  # fmt: skip
PIECES = (
    b'"', b"{", b"}", b"[", b"]", b":", b",", b"null", b"true", b"-1", b"1e999", b"1.5", b"9" * 400, b"NaN", b"\x00",
    b"\xff", b"\\ud800", b"\\u0000", b'"sequence":', b'"payload":', b'"type":"action"', b" " * 50,
    "\u202e\U0001f3b2".encode(),
)  # fmt: skip


def mutated(chance: Random) -> str | bytes:
    """A frame of an agent with some of its bytes changed."""
    frame = bytearray(msgspec.json.encode(chance.choice(SEEDS)))
    for _ in range(chance.randrange(5)):
        at = chance.randrange(len(frame) + 1)
        kind = chance.randrange(4)
        if kind == 0:
            frame[at:at] = chance.choice(PIECES)
        elif kind == 1:
            del frame[at : at + chance.randrange(1, 9)]
        elif kind == 2 and at < len(frame):
            frame[at] = chance.randrange(256)
        else:
            other = msgspec.json.encode(chance.choice(SEEDS))
            frame[at:] = other[chance.randrange(len(other)) :]
    if chance.random() < 0.8:
        return frame.decode(errors="replace")
    return bytes(frame)


async def drained(socket: Socket) -> int:
    """The code of a socket after all that it has been told; 0 while it is open."""
    while not socket.quiet():
        try:
            said = await socket.hear()
        except Closed as closed:
            return closed.code
        assert said["type"] in ("your_turn", "error", "game_over")
        assert said.get("error") not in ("internal_error", "try_again")
    return 0


async def mutations(web: Web, seed: int, many: int) -> None:
    """Frames by the thousand: each is answered, none breaks anything, and matches go on."""
    chance, players = Random(seed), [await web.join("Ann"), await web.join("Bob")]
    match, sockets = "", list[Socket]()
    for _ in range(many):
        if not match:
            joining = [Joining(one.id, one.name, one.id, queued=False) for one in players]
            match = str(await web.arena.lobby.open_match("liars-dice", "fast", joining, rated=False))
            sockets = [await sat(one, match) for one in players]
        at = chance.randrange(2)
        sockets[at].send(mutated(chance))
        await settle(3)
        codes = {await drained(one) for one in sockets}
        assert codes <= {0, 1000}, "only the end of a match closes its sockets"
        match = match if codes == {0} else ""
    if match:
        for one in sockets:
            await one.leave()
        turn = (await web.turns(match, *players))[0]
        state = (await turn.state(match)).json
        assert state["status"] == "your_turn"
        assert (await turn.act(match, state["sequence"], RESIGN)).json["state"]["status"] == "game_over"


@pytest.mark.timeout(600)
def test_no_frame_breaks_anything() -> None:
    async def do(web: Web) -> None:
        await mutations(web, 1, 10_000)

    called(do, requests_per_minute=10**9)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(100))
def test_no_frame_of_a_million_breaks_anything(seed: int) -> None:
    async def do(web: Web) -> None:
        await mutations(web, seed + 2, 10_000)

    called(do, requests_per_minute=10**9)


# --- over a real server


async def seat(site: Site, player: Player, match: str) -> Wire:
    """A real game socket after its first frame."""
    wire = await site.dial(f"/ws/game/{match}", player.key)
    assert await wire.hear() == {"type": "connected", "matchId": match}
    return wire


def test_a_real_server_does_the_same(caplog: pytest.LogCaptureFixture) -> None:
    async def do(site: Site) -> None:
        web = site.web
        ann, bob = await web.join("Ann"), await web.join("Bob")
        listener = await site.dial("/ws/agent", ann.key)
        assert await listener.hear() == {"type": "connected", "agentId": ann.id}
        match = await web.table(ann, bob, come=False)
        assert (await listener.hear())["type"] == "match_found"
        newer = await site.dial("/ws/agent", ann.key)
        assert (await newer.hear())["type"] == "connected"
        assert await listener.hear() == {"type": "replaced"}
        assert await closed(listener) == 1000
        await newer.send("hello")
        assert await closed(newer) == 1008
        with pytest.raises(InvalidStatus) as refused:
            await site.dial("/ws/agent", "calza_" + "0" * 64)
        assert refused.value.response.status_code == 401
        assert msgspec.json.decode(refused.value.response.body)["error"] == "unauthorized"
        assert not caplog.records, "a refusal is no fault"
        wires = {one.id: await seat(site, one, match) for one in (ann, bob)}
        first, other = await web.turns(match, ann, bob)
        assert (await wires[first.id].hear())["sequence"] == 0
        replacing = await seat(site, first, match)
        assert (await replacing.hear())["sequence"] == 0
        assert await closed(wires[first.id]) == 1000
        await replacing.send("[" * 4000)
        assert (await replacing.hear())["error"] == "invalid_input"
        await replacing.send(b"\xff" * 100)
        assert (await replacing.hear())["error"] == "invalid_input"
        await replacing.send("x" * 5000)
        assert await closed(replacing) == 1009
        replacing = await seat(site, first, match)
        assert (await replacing.hear())["sequence"] == 0
        await replacing.send(action(0, bid(2, 3)))
        assert (await wires[other.id].hear())["sequence"] == 1
        await wires[other.id].send(action(1, RESIGN))
        for wire in (replacing, wires[other.id]):
            assert (await wire.hear())["type"] == "game_over"
            assert await closed(wire) == 1000

    dialled(do)


async def closed(wire: Wire) -> int:
    """The code with which a real socket closes next."""
    with pytest.raises(Closed) as error:
        await wire.hear()
    return error.value.code


def test_whoever_does_not_read_holds_nobody_up() -> None:
    async def do(site: Site) -> None:
        match, first, other = await two(site.web)
        with narrow(site.port) as line:
            deaf = await site.dial(f"/ws/game/{match}", other.key, sock=line, max_queue=1)
            while not any(one.stuck for one in site.server.server_state.connections):
                # Empty frames; each is answered with a refusal that nobody reads.
                deaf.connection.transport.write(b"\x81\x80\x00\x00\x00\x00" * 100)
                await settle()
            assert (await first.act(match, 0, bid(2, 3))).json["success"]
            newer = await seat(site, other, match)
            assert (await newer.hear())["sequence"] == 1

    dialled(do, requests_per_minute=10**9)


def narrow(port: int) -> socket.socket:
    """A connection through which little comes at a time."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.connect(("127.0.0.1", port))
    line.setblocking(False)
    return line


def test_a_stopping_server_sends_its_sockets_away_with_1012() -> None:
    async def all_of_it() -> None:
        async with served() as web, listening(web) as site:
            match, first, other = await two(web)
            wires = [await seat(site, first, match), await site.dial("/ws/agent", other.key)]
            assert (await wires[0].hear())["type"] == "your_turn"
            assert (await wires[1].hear())["type"] == "connected"
            site.server.should_exit = True
            for wire in wires:
                assert await closed(wire) == 1012

    asyncio.run(all_of_it())


# --- on two nodes of one arena


def test_sockets_on_two_nodes_are_those_of_one_arena(postgres: Server) -> None:
    async def all_of_it() -> None:
        url, clock = postgres.database(), TurnedClock()
        async with node(url, clock, 1) as here, node(url, clock, 2) as there:
            ann, bob = await here.join("Ann"), await here.join("Bob")
            on_there = {one.id: Player(there, one.id, one.key, one.name, one.code) for one in (ann, bob)}
            older = await told(ann)
            await clock.turn(2_000)
            newer = await told(on_there[ann.id])
            assert await older.hear() == {"type": "replaced"}
            with pytest.raises(Closed) as closed:
                await older.hear()
            assert closed.value.code == 1000
            match = await here.table(ann, bob, come=False)
            assert (await newer.hear())["matchId"] == match
            sockets = {ann.id: await sat(on_there[ann.id], match), bob.id: await sat(bob, match)}
            first, other = await here.turns(match, ann, bob)
            assert (await sockets[first.id].hear())["sequence"] == 0
            sockets[first.id].send(action(0, bid(2, 3)))
            assert (await sockets[other.id].hear())["sequence"] == 1
            await clock.turn(2_000)
            taken = await sat(on_there[bob.id], match)
            with pytest.raises(Closed) as closed:
                await sockets[bob.id].hear()
            assert closed.value.code == 1000
            assert (await ann.post("/api/agents/me/keys/revoke", {})).status == 200
            for one in (newer, sockets[ann.id]):
                while not isinstance(frame := await heard(one), Closed):
                    assert frame["type"] in ("your_turn", "match_found")
                assert frame.code == 4401
            await taken.leave()

    asyncio.run(asyncio.wait_for(all_of_it(), 60))


async def heard(socket: Socket) -> Any:
    """The next frame, or how the socket closed."""
    try:
        return await socket.hear()
    except Closed as closed:
        return closed


@asynccontextmanager
async def node(url: str, clock: TurnedClock, seed: int) -> AsyncIterator[Web]:
    """One of several arenas on a store."""
    settings = Settings(db=url)
    arena = await Arena.open(settings, clock=clock, draw=Random(seed).randbytes, store=await Store.open(url))
    await arena.start()
    try:
        yield Web(Place(arena, clock))
    finally:
        await arena.stop()
        await arena.close()
