"""What it costs to play with a bot in a process of its own, beside a bare line of JSON to that process and one back.

A bot's move is what the host waits for: what has happened since and the request are written, the bot answers, and its
answer is read. The two bots of a match hardly think, so nearly all of that is overhead; the bare lines go to the same
two processes by turns, and make them think as much. Everybody shares one core, and time is that of the clock on the
wall, for it is spent in several processes.
"""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

import msgspec

from calza.agents.confine import Level, confine
from calza.agents.launch import JailError
from calza.agents.process import BotProcess
from calza.matches.host import Host
from calza.rules import CATALOG, Game

from .measure import Figure

ROUNDS = 21
MATCHES = 60  # in a slice
MOVES = 2000
TARGETS: dict[Level, float] = {"process": 2.0, "jail": 3.0}
RULES = CATALOG["liars-dice"]
PING, PONG = {"type": "ping", "least": [0, 2, 3, 3, 3, 3, 3]}, {"action": "3x6"}

# Raises on sixes to five dice, then calls. It reads no JSON, so that the time is that of the host and the pipes.
BOT = r"""
import os
heard = b""
while part := os.read(0, 65536):
    heard += part
    *lines, heard = heard.split(b"\n")
    for line in lines:
        if line.startswith((b'{"type":"act"', b'{"type":"ping"')):
            begin = line.index(b'"least":[') + 9
            six = line[begin:line.index(b"]", begin)].rpartition(b",")[2]
            said = b"liar" if int(six) > 5 else six + b"x6"
            os.write(1, b'{"action":"' + said + b'"}\n')
        elif line.startswith(b'{"type":"hello"'):
            os.write(1, b'{"protocol":1}\n')
        elif line.startswith(b'{"type":"bye"'):
            raise SystemExit
"""


def played(bots: Sequence[BotProcess], first: int) -> tuple[list[float], float]:
    """Some matches, from number `first` on: what the host waited for every move, and what a move took in all."""
    waits: list[float] = []
    start = perf_counter()
    for number in range(first, first + MATCHES):
        hosted = Host(Game(RULES, len(bots), seed=number), bots, ["a", "b"]).play()
        assert not hosted.faults, hosted.faults
        waits += [wait for seat in hosted.seconds for wait in seat]
    return waits, (perf_counter() - start) / len(waits)


def bare(bots: Sequence[BotProcess]) -> list[float]:
    """As many lines to the same processes by turns and back, with nothing around them."""
    pipes = [(bot.process.stdin, bot.process.stdout) for bot in bots]
    ends = [(into.fileno(), out.fileno()) for into, out in pipes if into and out]
    for _, out in ends:
        os.set_blocking(out, True)
    waits = [wait for _ in range(MOVES // len(ends)) for wait in (round_trip(into, out) for into, out in ends)]
    for _, out in ends:
        os.set_blocking(out, False)
    return waits


def round_trip(into: int, out: int) -> float:
    """The seconds for one line there and one back."""
    start = perf_counter()
    os.write(into, msgspec.json.encode(PING) + b"\n")
    assert msgspec.json.decode(os.read(out, 65536)) == PONG
    return perf_counter() - start


@contextmanager
def one_core() -> Iterator[None]:
    """Everybody on one core, so that no time goes into waking another."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def measured(level: Level) -> Figure:
    """Moves and bare round trips by turns."""
    with ExitStack() as stack:
        stack.enter_context(one_core())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        (folder / "bot.py").write_text(BOT)
        launch = confine(["python3", "-S", "bot.py"], folder, level)
        bots = [stack.enter_context(closing(BotProcess(launch, folder / "log"))) for _ in range(2)]
        pairs = [(played(bots, turn * MATCHES), bare(bots)) for turn in range(ROUNDS)]
    floors = [median(floor) for _, floor in pairs]
    ours = [median(waits) for (waits, _), _ in pairs]
    ratios = [mine / floor for mine, floor in zip(ours, floors, strict=True)]
    whole = median(seconds for (_, seconds), _ in pairs)
    lower, _, upper = quantiles(ratios, n=4)
    return Figure(
        name=f"a bot's move, {launch.holds} (whole game: {whole * 1e6:.1f} µs a move)",
        ours=f"{median(ours) * 1e6:.1f} µs",
        floor=f"{median(floors) * 1e6:.1f} µs",
        ratio=f"{median(ratios):.2f} ({lower:.2f} to {upper:.2f})",
        target=f"at most {TARGETS[level]:.2f}",
    )


def figures() -> Iterator[Figure]:
    """Microseconds a move."""
    for level in TARGETS:
        try:
            yield measured(level)
        except JailError as error:
            yield Figure(f"a move, level {level}", str(error), target=f"at most {TARGETS[level]:.2f}")
