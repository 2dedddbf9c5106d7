"""A bot in its seat: any bot that plays in tournaments, started, told and asked in a thread of its own."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from calza.agents.entry import parse_entry
from calza.agents.process import BotProcess
from calza.client.position import Position
from calza.client.seat import Seat
from calza.rules import CATALOG, AgentFault, Bid, Game

T = TypeVar("T")

LISTENS = """
class Listens:
    def see(self, event):
        print(type(event).__name__, getattr(event, "seat", ""), getattr(event, "round", ""))

    def act(self, view):
        print("act", view.sequence, view.round, len(view.bids))
        return "liar" if view.bid else "1x2"
"""
HANGS = """
class Hangs:
    def act(self, view):
        open("asked", "w").close()
        while True:
            pass
"""


def position(game: Game) -> Position:
    """The game as the seat to act knows it."""
    return Position(game, game.turn, game.sequence, ("ann", "ben"))


def seated(text: str, log: Path, what: Callable[[Seat], Awaitable[T]], code: str = "") -> T:
    """Do something with a bot that was started; it is ended afterwards."""
    if code:
        (log.parent / text).write_text(code)

    async def done() -> T:
        seat = await Seat.take(parse_entry(text, folder=log.parent), log, seed=1)
        try:
            return await what(seat)
        finally:
            await seat.close()

    return asyncio.run(done())


def test_a_house_bot_answers_as_at_home(tmp_path: Path) -> None:
    game = Game(CATALOG["liars-dice"], 2, seed=1)
    answer = seated("skeptic", tmp_path / "log", lambda seat: seat.act(position(game), None))
    assert answer["type"] == "bid"
    game.step(Bid(answer["quantity"], answer["faceValue"]))
    assert seated("skeptic", tmp_path / "log", lambda seat: seat.act(position(game), None)) == {"type": "challenge"}


def test_a_bot_in_a_process_is_told_of_rounds_and_their_bids(tmp_path: Path) -> None:
    async def play(seat: Seat) -> None:
        game = Game(CATALOG["liars-dice"], 2, seed=1)
        own = game.turn
        for action in ("1x2", "2x2", "liar"):
            if game.turn == own:
                await seat.act(position(game), 5.0)
            game.play(game.turn, action)
        while game.turn != own:
            game.play(game.turn, "1x2")
        await seat.act(position(game), 5.0)
        await seat.over((1, 2))

    log = tmp_path / "log"
    seated("listens.py", log, play, LISTENS)
    game = Game(CATALOG["liars-dice"], 2, seed=1)
    own, other = game.turn, 1 - game.turn
    lines = [line for line in log.read_text().splitlines() if line and not line.startswith("---")]
    assert lines[:6] == [
        f"RoundBegan {own} 1",
        "act 0 1 0",
        f"BidMade {own} ",
        f"BidMade {other} ",
        "act 2 1 2",
        lines[5],
    ]
    assert lines[5].startswith("RoundBegan ")
    assert lines[5].endswith(" 2")
    assert lines[-1].startswith("act ")


@pytest.mark.parametrize(
    ("answer", "kind"), [("'9x9'", "illegal"), ("'what?'", "malformed"), ("1 / 0", "crash"), ("3", "malformed")]
)
def test_what_a_bot_does_wrong_is_its_fault(tmp_path: Path, answer: str, kind: str) -> None:
    code = f"class Wrong:\n    def act(self, view):\n        return {answer}\n"
    game = Game(CATALOG["liars-dice"], 2, seed=1)
    with pytest.raises(AgentFault) as fault:
        seated("wrong.py", tmp_path / "log", lambda seat: seat.act(position(game), 5.0), code)
    assert fault.value.kind == kind


def test_a_bot_that_thinks_too_long_is_late(tmp_path: Path) -> None:
    game = Game(CATALOG["liars-dice"], 2, seed=1)
    with pytest.raises(AgentFault) as fault:
        seated("hangs.py", tmp_path / "log", lambda seat: seat.act(position(game), 0.2), HANGS)
    assert fault.value.kind == "timeout"


def test_a_bot_that_cannot_be_started_says_why(tmp_path: Path) -> None:
    with pytest.raises(AgentFault, match=r"half\.py cannot be loaded: SyntaxError"):
        seated("half.py", tmp_path / "log", lambda seat: seat.over(()), "class Half(")


def test_nobody_waits_for_a_thinking_bot_to_end_it(tmp_path: Path) -> None:
    async def leave(seat: Seat) -> int:
        game = Game(CATALOG["liars-dice"], 2, seed=1)
        thinking = asyncio.create_task(seat.act(position(game), 600.0))
        while not (tmp_path / "asked").exists():
            await asyncio.sleep(0.01)
        thinking.cancel()
        assert isinstance(seat.bot, BotProcess)
        return seat.bot.process.pid

    pid = seated("hangs.py", tmp_path / "log", leave, HANGS)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
