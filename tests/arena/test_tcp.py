"""The joker TCP game: what bots are told, in which order, and what becomes of their matches."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from calza.arena.errors import StoreFault
from calza.arena.store.matches import Page, RecordOf
from calza.arena.tcp import Gateway
from calza.arena.tcp.line import token_of
from calza.arena.tcp.messages import KINDS
from calza.client.proof import published
from calza.matches import read_record, verify
from calza.rules import HmacDice
from tests.postgres import Server

from .bots import Bot, dialled
from .house import Place, opened
from .server import running


class Port:
    """An arena with its gateway."""

    def __init__(self, place: Place, gateway: Gateway, number: int) -> None:
        self.place, self.gateway, self.number = place, gateway, number

    async def match(self) -> Any:
        """The one match that there is."""
        [seated] = (await self.place.arena.store.read(Page())).rows
        return seated


@asynccontextmanager
async def port(**settings: Any) -> AsyncIterator[Port]:
    async with opened(**settings) as place:
        gateway = Gateway(place.arena, replace(place.arena.settings, tcp=0))
        try:
            yield Port(place, gateway, await gateway.start())
        finally:
            await gateway.stop()


def played(do: Callable[[Port], Awaitable[None]], **settings: Any) -> None:
    """Do something at a port."""

    async def all_of_it() -> None:
        async with port(**settings) as one, asyncio.timeout(60):
            await do(one)

    asyncio.run(all_of_it())


async def seated(*bots: Bot) -> dict[str, Any]:
    """Let bots fill a table; returns the first turn."""
    for bot in bots:
        bot.connect()
        await bot.until("Connected")
    turns = [(await bot.until("GameStarted"), await bot.until("Turn"))[1] for bot in bots]
    assert all(turn == turns[0] for turn in turns)
    return dict(turns[0])


def by_turn(turn: dict[str, Any], *bots: Bot) -> tuple[Bot, Bot]:
    """Who is to act, and the other one."""
    first, second = bots
    return (first, second) if first.name == turn["next_player"] else (second, first)


def connected(number: int, size: int = 2) -> dict[str, Any]:
    return {"Connected": {"number_of_players": size, "already_connected": number}}


# --- the lobby


def test_a_lobby_counts_whoever_joins_and_starts_when_it_is_full() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob", "Cid") as bots:
            for number, bot in enumerate(bots, 1):
                bot.connect()
                assert await bot.hear() == connected(number, 3)
            for bot in bots:
                assert await bot.hear() == "GameStarted"
                assert list(await bot.hear()) == ["YouRolled"]
                assert len(bot.hand) == 5
                turn = await bot.until("Turn")
                assert turn == {"turn": 1, "number": 0, "face": 0, "next_player": turn["next_player"]}
                assert turn["next_player"] in ("Ann", "Bob", "Cid")

    played(do, tcp_players=3)


def test_the_same_uuid_twice_is_already_connected_and_is_told_the_game_too() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob") as (a, b):
            a.connect()
            assert await a.hear() == connected(1)
            a.connect()
            assert await a.hear() == "AlreadyConnected"
            again = await Bot.dial(port.number, "Ann", 1)
            again.connect()
            assert await again.hear() == "AlreadyConnected"
            b.connect()
            for bot in (a, again):
                await bot.until("GameStarted")
                await bot.until("Turn")
            assert a.hand == again.hand
            await again.end()

    played(do)


def test_whoever_acts_before_connecting_is_unconnected() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann") as (a,):
            for action in ("Liar", "Exactly", {"IThinkThereAre": {"number": 1, "face": 1}}):
                a.send(action)
                assert await a.hear() == "Unconnected"

    played(do)


def test_an_action_in_the_lobby_reaches_no_game() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann") as (a,):
            a.connect()
            await a.until("Connected")
            a.send("Liar")
            assert await a.hear() == "UnableToSendMsgToGame"

    played(do)


def test_a_taken_name_is_refused_and_its_socket_closed() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Ann", "House bluffer") as (a, b, house):
            a.connect()
            await a.until("Connected")
            for bot in (b, house):
                bot.connect()
                said = await bot.hear()
                assert list(said) == ["UnkownMessage"]
                assert f"the name {bot.name} is taken" in said["UnkownMessage"]["message"]
                assert await bot.hear() is None

    played(do)


@pytest.mark.parametrize("leave", ["Disconnect", {"Disconnect": {}}, None])
def test_whoever_leaves_the_lobby_leaves_its_place_and_name(leave: Any) -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Ann") as (a, b):
            a.connect()
            await a.until("Connected")
            if leave is None:
                await a.end()
            else:
                a.send(leave)
                assert await a.hear() is None
            while port.gateway.lobby:
                await asyncio.sleep(0)
            b.connect()
            assert await b.hear() == connected(1)

    played(do)


def test_the_house_fills_a_lobby_that_has_waited() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann") as (a,):
            a.connect()
            await a.until("Connected")
            await port.place.clock.turn(9_000)
            assert port.gateway.lobby
            await port.place.clock.turn(1_500)
            await a.until("GameStarted")
            winner = await a.play()
            match = await port.match()
            assert winner in {player.name for player in match.players}
            assert sorted(bool(player.house) for player in match.players) == [False, True, True]

    played(do, tcp_players=3)


def test_the_name_travels_unchanged() -> None:
    name = "Käpt'n `Blaubär` {🎲}"

    async def do(port: Port) -> None:
        async with dialled(port.number, name, "Bob") as (a, b):
            turn = await seated(a, b)
            first, second = by_turn(turn, a, b)
            first.send("Liar")
            ended = await second.until("Round")
            assert set(ended["revealed_hands"]) == {name, "Bob"}
            assert ended["result"].startswith(f"Player `{first.name}` lost one die because ")

    played(do)


# --- a round


def test_a_turn_follows_every_bid_and_never_goes_back() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob") as (a, b):
            first, second = by_turn(await seated(a, b), a, b)
            first.bid(1, 2)
            for bot in (a, b):
                assert await bot.hear() == {"Turn": {"turn": 2, "number": 1, "face": 2, "next_player": second.name}}
            second.bid(2, 2)
            assert (await a.until("Turn")) == {"turn": 3, "number": 2, "face": 2, "next_player": first.name}

    played(do)


def test_liar_ends_the_round_and_shows_every_hand() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob") as (a, b):
            first, second = by_turn(await seated(a, b), a, b)
            before = {a.name: a.hand, b.name: b.hand}
            first.bid(11, 3)
            for bot in (a, b):
                await bot.until("Turn")
            second.send({"Liar": {}})
            count = sum(face in (1, 3) for hand in before.values() for face in hand)
            why = f"because it said 11 and there are {count} dice of face 3"
            for bot in (a, b):
                assert await bot.hear() == {
                    "Round": {
                        "result": f"Player `{first.name}` lost one die {why}",
                        "revealed_hands": before,
                    }
                }
                await bot.until("YouRolled")
                turn = await bot.until("Turn")
                assert turn == {"turn": 3, "number": 0, "face": 0, "next_player": first.name}
            assert (len(first.hand), len(second.hand)) == (4, 5)

    played(do)


@pytest.mark.parametrize("right", [True, False])
def test_exactly_wins_a_die_or_loses_one(right: bool) -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob") as (a, b):
            first, second = by_turn(await seated(a, b), a, b)
            hands = a.hand + b.hand
            face = next(face for face in range(2, 7) if any(one in (1, face) for one in hands))
            count = sum(one in (1, face) for one in hands)
            first.bid(count + (not right), face)
            await second.until("Turn")
            second.send("Exactly")
            ended = await a.until("Round")
            verb = "gained one extra die" if right else "lost one die"
            assert ended["result"].startswith(f"Player `{second.name}` {verb} because it said exactly to ")
            await second.until("YouRolled")
            assert len(second.hand) == (6 if right else 4)

    played(do)


@pytest.mark.parametrize(
    "action",
    ["Liar", "Exactly", {"Exactly": {}}, (0, 3), (0, 0), (1, 0), (1, 7), (255, 255)],
    ids=str,
)
def test_an_action_that_the_rules_refuse_costs_a_die(action: Any) -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob") as (a, b):
            first, second = by_turn(await seated(a, b), a, b)
            hands = {a.name: a.hand, b.name: b.hand}
            first.bid(*action) if isinstance(action, tuple) else first.send(action)
            for bot in (a, b):
                result = f"Player `{first.name}` lost one die because it played what the rules do not allow"
                assert await bot.hear() == {"Round": {"result": result, "revealed_hands": hands}}
                assert list(await bot.hear()) == ["YouRolled"]
                turn = await bot.hear()
                assert turn == {"Turn": {"turn": 2, "number": 0, "face": 0, "next_player": first.name}}
            assert (len(first.hand), len(second.hand)) == (4, 5)

    played(do)


def test_a_bid_that_is_too_low_costs_a_die() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob") as (a, b):
            first, second = by_turn(await seated(a, b), a, b)
            first.bid(3, 4)
            await second.until("Turn")
            second.bid(3, 4)
            assert (await first.until("Round"))["result"].startswith(f"Player `{second.name}` lost one die")

    played(do)


def test_a_turn_that_is_not_taken_in_time_costs_a_die() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob") as (a, b):
            first, second = by_turn(await seated(a, b), a, b)
            await port.place.clock.turn(29_000)
            first.bid(1, 2)
            await second.until("Turn")
            await port.place.clock.turn(29_000)
            await port.place.clock.turn(2_000)
            result = f"Player `{second.name}` lost one die because it did not play in time"
            for bot in (a, b):
                assert (await bot.until("Round"))["result"] == result
                turn = await bot.until("Turn")
                assert turn == {"turn": 3, "number": 0, "face": 0, "next_player": second.name}
            assert len(second.hand) == 4

    played(do, tcp_turn=30.0)


def test_out_of_turn_nothing_happens() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob") as (a, b):
            first, second = by_turn(await seated(a, b), a, b)
            for action in ("Liar", {"IThinkThereAre": {"number": 0, "face": 9}}):
                second.send(action)
                assert await second.hear() == "NotYourTurn"
            first.bid(1, 2)
            assert (await second.until("Turn"))["turn"] == 2
            first.bid(1, 2)
            await first.until("Turn")
            assert await first.hear() == "NotYourTurn"

    played(do)


def test_an_action_on_a_turn_that_is_over_is_not_taken_for_the_next() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob") as (a, b):
            first, _ = by_turn(await seated(a, b), a, b)
            port.place.clock.now += 31_000  # its time is up, and nobody has looked at the clocks yet
            first.bid(1, 2)
            assert (await first.hear()) == "NotYourTurn"
            assert (await first.until("Round"))["result"].endswith("did not play in time")
            assert (await first.until("Turn"))["number"] == 0

    played(do, tcp_turn=30.0)


# --- what cannot be read

UNREADABLE = [
    b"",
    b"Liar",
    b"{",
    b'"liar"',
    b'"Quit"',
    b"null",
    b"[]",
    b"{}",
    b'"\xff"',
    b"[" * 3000,
    b'{"Liar": null}',
    b'{"Liar": {"sure": true}}',
    b'{"Liar": {}, "Exactly": {}}',
    b'"IThinkThereAre"',
    b'{"IThinkThereAre": {"number": 256, "face": 1}}',
    b'{"IThinkThereAre": {"number": -1, "face": 1}}',
    b'{"IThinkThereAre": {"number": 1, "face": 256}}',
    b'{"IThinkThereAre": {"number": 1.5, "face": 1}}',
    b'{"IThinkThereAre": {"number": "1", "face": 1}}',
    b'{"IThinkThereAre": {"number": true, "face": 1}}',
    b'{"IThinkThereAre": {"number": 1}}',
    b'{"IThinkThereAre": {"number": 1, "face": 1, "fase": 1}}',
    b'{"IThinkThereAre": {"number": 1' + b"0" * 400 + b', "face": 1}}',
    b'{"Connect": {"name": "Ann"}}',
    b'{"Connect": {"name": "", "uuid": "1"}}',
    b'{"Connect": {"name": "a\\u0000b", "uuid": "1"}}',
    b'{"Connect": {"name": "\\ud800", "uuid": "1"}}',
    b'{"Connect": {"name": "' + b"a" * 65 + b'", "uuid": "1"}}',
]


def test_what_cannot_be_read_is_answered_and_the_clock_runs_on() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob") as (a, b):
            first, _ = by_turn(await seated(a, b), a, b)
            due = (await port.match()).match.due_ms
            for line in UNREADABLE:
                first.write(line + b"\n")
                said = await first.hear()
                assert list(said) == ["UnkownMessage"], line
                assert list(said["UnkownMessage"]) == ["message"]
                assert len(said["UnkownMessage"]["message"]) > 10
            assert (await port.match()).match.due_ms == due
            first.bid(1, 2)
            assert (await first.hear()) == {
                "Turn": {"turn": 2, "number": 1, "face": 2, "next_player": "Bob" if first is a else "Ann"}
            }

    played(do)


def test_mutated_lines_are_answered_one_by_one() -> None:
    random = Random(7)
    whole = [b'"Liar"', b'{"Exactly": {}}', b'{"IThinkThereAre": {"number": 3, "face": 4}}']

    def mutated() -> bytes:
        line = bytearray(random.choice(whole))
        for _ in range(random.randrange(4)):
            at = random.randrange(len(line))
            line[at : at + random.randrange(3)] = random.randbytes(random.randrange(3)).replace(b"\n", b"")
        return bytes(line)

    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob", "Cid") as (a, b, c):
            first, _ = by_turn(await seated(a, b), a, b)
            for _ in range(2000):
                c.write(mutated() + b"\n")
                said = await c.hear()
                assert said == "Unconnected" or list(said) == ["UnkownMessage"], said
            first.bid(1, 2)
            assert (await first.until("Turn"))["turn"] == 2

    played(do)


def test_a_line_without_end_is_not_waited_for() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann") as (a,):
            a.write(b"x" * 100_000)
            assert "at most 4096 bytes" in (await a.hear())["UnkownMessage"]["message"]
            assert await a.hear() is None

    played(do)


def test_a_bot_that_does_not_read_is_dropped_and_the_game_goes_on() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob") as (a, b):
            await seated(a, b)
            [line] = next(player for player in port.gateway.games[0].players if player.name == "Ann").lines
            line.tell(b"x" * 50_000_000 + b"\n")  # more than all buffers on the way hold
            while len(port.gateway.lines) > 1:
                await asyncio.sleep(0)
            assert port.gateway.games[0].attended

    played(do)


# --- what is hidden


class Tilted(HmacDice):
    """The same dice, but the cup at seat 0 holds others: every face is the next one."""

    def roll(self, round: int, dice: Sequence[int], faces: int) -> list[Any]:
        other, *rest = super().roll(round, dice, faces)
        return [(0, *other[2:], other[1]), *rest]


def test_nothing_that_a_bot_is_told_depends_on_the_cups_of_others() -> None:
    async def story(port: Port) -> tuple[list[int], bytes]:
        """The hand at seat 0, and every byte that the bot at seat 1 is told."""
        async with dialled(port.number, "Ann", "Bob") as bots:
            raw = {bot.name: b"" for bot in bots}

            async def hear(bot: Bot, lines: int) -> None:
                for _ in range(lines):
                    raw[bot.name] += (line := await bot.reader.readline())
                    if b"YouRolled" in line:
                        bot.hand = json.loads(line)["YouRolled"]["hand"]

            for bot in bots:
                bot.connect()
                await hear(bot, 1)
            for bot in bots:
                await hear(bot, 3)
            match = await port.match()
            seats = {player.name: player.seat for player in match.players}
            other, mine = sorted(bots, key=lambda bot: seats[bot.name])
            first, second = by_turn(json.loads(raw["Ann"].splitlines()[-1])["Turn"], *bots)
            for number in range(1, 9):
                actor = first if number % 2 else second
                actor.bid(number, 2)
                for bot in bots:
                    await hear(bot, 1)
            mine.send("Quit")
            if mine is second:  # who is not to act
                mine.send("Liar")
            mine.connect()
            while b"Reconnected" not in raw[mine.name]:
                await hear(mine, 1)
            await hear(mine, 2)
            return other.hand, raw[mine.name]

    async def told(deal: Any) -> tuple[list[int], bytes]:
        async with port(deal=deal) as one, asyncio.timeout(60):
            return await story(one)

    for_one, for_other = asyncio.run(told(HmacDice)), asyncio.run(told(Tilted))
    assert for_one[0] != for_other[0]
    assert for_one[1] == for_other[1]


# --- the end, and coming back


def test_a_game_is_played_to_its_end_and_the_record_is_proved() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob", "Cid") as bots:
            for bot in bots:
                bot.connect()
            winners = await asyncio.gather(*(bot.play() for bot in bots))
            assert len(set(winners)) == 1
            seated = await port.match()
            match = seated.match
            assert (match.game, match.gateway, match.status, match.rated) == ("joker", "tcp", "completed", False)
            assert [one.name for one in seated.players if one.outcome == "win"] == winners[:1]
            assert [one.salt for one in seated.players] == [token_of(bot.uuid) for bot in bots]
            record = read_record(await port.place.arena.store.read(RecordOf(match.id)) or b"")
            verify(record)
            assert [player.name for player in record.players] == ["Ann", "Bob", "Cid"]

    played(do, tcp_players=3)


def test_those_who_are_out_are_told_the_rest() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob", "Cid") as bots:
            turn = await seated(*bots)
            loser = next(bot for bot in bots if bot.name == turn["next_player"])
            for _ in range(5):
                loser.send("Exactly")  # with no bid on the table
                await loser.until("Round")
            after = await loser.hear()
            assert after["Turn"]["number"] == 0
            others = [bot for bot in bots if bot is not loser]
            plays = [asyncio.ensure_future(bot.play()) for bot in others]
            heard = []
            while heard[-1:] != ["GameEnded"]:
                heard.append(next(iter(await loser.hear())))
            assert set(heard) == {"Turn", "Round", "GameEnded"}
            assert {await play for play in plays} <= {bot.name for bot in others}

    played(do, tcp_players=3)


def test_whoever_comes_too_late_waits_for_the_next_lobby() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob", "Cid") as (a, b, c):
            first, second = by_turn(await seated(a, b), a, b)
            c.connect()
            assert await c.hear() == "GameAlreadyStarted"
            for _ in range(5):
                first.send("Liar")  # with no bid on the table
                await first.until("Round")
            assert await first.until("GameEnded") == {"winner": second.name}
            first.send("Liar")
            assert await first.hear() == "UnableToSendMsgToGame"
            c.connect()
            assert await c.hear() == connected(1)
            first.connect()
            assert await first.hear() == connected(2)
            await first.until("GameStarted")
            assert len((await port.place.arena.store.read(Page())).rows) == 2

    played(do)


@pytest.mark.parametrize("leave", [True, False])
def test_a_bot_comes_back_by_its_uuid(leave: bool) -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob") as (a, b):
            first, second = by_turn(await seated(a, b), a, b)
            first.bid(1, 2)
            await second.until("Turn")
            if leave:
                second.send("Disconnect")
                assert await second.hear() is None
            back = await Bot.dial(port.number, "another name", 1 if second is a else 2)
            back.connect()
            assert await back.hear() == "Reconnected"
            assert await back.hear() == {"YouRolled": {"hand": second.hand}}
            assert await back.hear() == {"Turn": {"turn": 2, "number": 1, "face": 2, "next_player": second.name}}
            back.bid(2, 2)
            assert (await first.until("Turn"))["turn"] == 2
            assert (await first.until("Turn"))["turn"] == 3
            await back.end()

    played(do)


def test_a_seat_whose_bot_has_gone_times_out_and_keeps_nobody_waiting() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob", "Cid") as (a, b, c):
            await seated(a, b)
            await a.end()
            c.connect()
            assert await c.hear() == "GameAlreadyStarted"
            await b.end()
            while port.gateway.games[0].attended:
                await asyncio.sleep(0)
            c.connect()
            assert await c.hear() == connected(1)
            for _ in range(9):
                await port.place.clock.turn(30_000)
            rows = (await port.place.arena.store.read(Page("finished"))).rows
            assert [one.match.reason for one in rows if not any(player.house for player in one.players)] == [
                "completed"
            ]

    played(do, tcp_turn=30.0, fill_after=3600.0)


def test_an_aborted_match_ends_without_a_winner() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob") as (a, b):
            await seated(a, b)
            await port.place.arena.tables.abort(port.gateway.games[0].match)
            assert await a.until("GameEnded") == {"winner": ""}

    played(do)


def test_sockets_that_nobody_uses_are_closed() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob") as (a, b):
            a.connect()
            await a.until("Connected")
            b.send("Liar")
            await b.until("Unconnected")
            port.gateway.idle_ms = 20_000
            await port.place.clock.turn(21_000)
            assert await b.hear() is None
            assert a.name in [player.name for player in port.gateway.lobby]

    played(do, fill_after=3600.0)


def test_a_bot_that_comes_back_often_keeps_few_sockets() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob") as (a, b):
            await seated(a, b)
            more = [await Bot.dial(port.number, "Ann", 1) for _ in range(3)]
            for bot in more:
                bot.connect()
                await bot.until("Reconnected")
            assert await a.hear() is None
            for bot in more:
                await bot.end()

    played(do)


def test_too_many_sockets_are_told_to_come_later() -> None:
    async def do(port: Port) -> None:
        port.gateway.most = 1
        async with dialled(port.number, "Ann", "Bob") as (a, b):
            assert "come back later" in (await b.hear())["UnkownMessage"]["message"]
            assert await b.hear() is None
            a.connect()
            await a.until("Connected")

    played(do)


def test_an_address_may_not_connect_without_end() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob", "Cid") as (_, b, c):
            assert "wait" in (await c.hear())["UnkownMessage"]["message"]
            assert await c.hear() is None
            b.connect()
            await b.until("Connected")

    played(do, address_per_minute=2)


def test_a_match_goes_on_when_the_arena_is_started_again(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/arena.sqlite"

    async def before() -> tuple[str, list[int]]:
        async with port(url=url) as one, dialled(one.number, "Ann", "Bob") as (a, b):
            first, second = by_turn(await seated(a, b), a, b)
            first.bid(1, 2)
            await second.until("Turn")
            return second.name, second.hand

    async def after(name: str, hand: list[int]) -> None:
        async with port(url=url, seed=2) as one, dialled(one.number, "Ann", "Bob") as bots:
            for bot in bots:
                bot.connect()
                await bot.until("Reconnected")
            back = next(bot for bot in bots if bot.name == name)
            assert await back.until("YouRolled") == {"hand": hand}
            assert await back.until("Turn") == {"turn": 2, "number": 1, "face": 2, "next_player": name}
            back.bid(2, 2)
            winners = await asyncio.gather(*(bot.play() for bot in bots))
            assert len(set(winners)) == 1
            assert (await one.match()).match.status == "completed"

    asyncio.run(after(*asyncio.run(before())))


def test_a_bot_may_come_back_to_another_node(postgres: Server) -> None:
    url = postgres.database()

    async def play(here: Port, there: Port) -> None:
        async with dialled(here.number, "Ann", "Bob") as (a, b):
            first, second = by_turn(await seated(a, b), a, b)
            back = await Bot.dial(there.number, second.name, 1 if second is a else 2)
            back.connect()
            assert await back.hear() == "Reconnected"
            assert await back.until("YouRolled") == {"hand": second.hand}
            assert (await back.until("Turn"))["turn"] == 1
            first.bid(1, 2)
            assert (await back.until("Turn"))["turn"] == 2
            back.bid(2, 2)
            assert (await first.until("Turn"))["turn"] == 2
            assert (await first.until("Turn"))["turn"] == 3
            await back.end()

    async def all_of_it() -> None:
        async with port(url=url) as here, port(url=url, seed=2) as there, asyncio.timeout(60):
            await play(here, there)

    asyncio.run(all_of_it())


def test_a_lobby_opens_its_table_as_soon_as_the_store_can(tmp_path: Path) -> None:
    async def do(port: Port) -> None:
        store, write = port.place.arena.store, port.place.arena.store.write

        async def away(_: Any) -> Any:
            raise StoreFault

        async with dialled(port.number, "Ann", "Bob") as (a, b):
            store.write = away  # type: ignore[method-assign]
            for bot in (a, b):
                bot.connect()
                await bot.until("Connected")
            a.send("Liar")
            assert await a.hear() == "UnableToSendMsgToGame"
            store.write = write  # type: ignore[method-assign]
            await port.place.clock.turn(2_000)
            assert await b.until("GameStarted")

    played(do)


FIELDS = {
    "Connected": {"number_of_players", "already_connected"},
    "YouRolled": {"hand"},
    "Turn": {"turn", "number", "face", "next_player"},
    "Round": {"result", "revealed_hands"},
    "GameEnded": {"winner"},
    "UnkownMessage": {"message"},
}
BARE = {
    "AlreadyConnected", "Unconnected", "UnableToSendMsgToGame", "GameStarted", "GameAlreadyStarted", "Reconnected",
    "NotYourTurn",
}  # fmt: skip


def test_no_message_has_a_field_that_the_protocol_does_not_know() -> None:
    async def do(port: Port) -> None:
        async with dialled(port.number, "Ann", "Bob") as bots:
            raw: list[bytes] = []
            for bot in bots:
                bot.write(b"nonsense\n")
                bot.connect()
            plays = [asyncio.ensure_future(record(bot, raw)) for bot in bots]
            await asyncio.gather(*plays)
            heard: set[str] = set()
            for line in raw:
                said = json.loads(line)
                if isinstance(said, str):
                    assert line == f'"{said}"\n'.encode()
                else:
                    [(name, value)] = said.items()
                    assert set(value) == FIELDS[name]
                    heard.add(name)
            assert heard == set(FIELDS)

    async def record(bot: Bot, raw: list[bytes]) -> None:
        while True:
            line = await bot.reader.readline()
            raw.append(line)
            match json.loads(line):
                case {"GameEnded": _}:
                    return
                case {"YouRolled": {"hand": hand}}:
                    bot.hand = hand
                case {"Turn": {"number": number, "face": face, "next_player": name}} if name == bot.name:
                    bot.act(number, face)

    played(do)


def test_the_page_has_every_message_with_its_fields() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "joker-tcp.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \|([^|]*)\|", page, re.MULTILINE)
    told = {name: set(re.findall(r"\w+", fields)) for name, fields in rows}
    heard = {name: set(kind.__struct_fields__) for name, kind in KINDS.items()}
    assert told == FIELDS | {name: set() for name in BARE} | heard
    for line in page.split("```text\n")[2].split("```")[0].splitlines():
        said = json.loads(line)
        if isinstance(said, dict):
            [(name, fields)] = said.items()
            assert set(fields) == FIELDS[name]


def test_a_match_outlives_a_killed_server_and_is_watched_and_verified_like_any_other(tmp_path: Path) -> None:
    async def before(tcp: int) -> None:
        async with dialled(tcp, "Ann", "Bob") as (a, b):
            first, second = by_turn(await seated(a, b), a, b)
            first.bid(1, 2)
            await second.until("Turn")
            server.kill()
            for bot in (a, b):
                while await bot.hear():
                    pass

    async def after(tcp: int) -> list[str]:
        async with dialled(tcp, "Ann", "Bob") as bots:
            for bot in bots:
                bot.connect()
                assert await bot.hear() == "Reconnected"
            return await asyncio.gather(*(bot.play() for bot in bots))

    with running(tmp_path, tcp="0", fill_after="3600") as server:
        server.options["--tcp"] = str(server.tcp)
        asyncio.run(before(server.tcp))
        server.start()
        [winner, _] = asyncio.run(after(server.tcp))
        with httpx.Client(base_url=server.url, trust_env=False) as client:
            [line] = client.get("/api/matches", params={"status": "finished", "gameId": "joker"}).json()["matches"]
            assert (line["gateway"], line["rated"]) == ("tcp", False)
            assert [one["name"] for one in line["players"] if one["outcome"] == "win"] == [winner]
            told = client.get(f"/api/matches/{line['id']}/events").text
            assert told.count("event: action") == len(client.get(f"/api/matches/{line['id']}/record").json()["actions"])
            assert f"{winner} wins" in client.get(f"/api/matches/{line['id']}/replay.md").text
        one = published(f"{server.url}/matches/{line['id']}")
        one.check(one.record)
        verify(one.record)
