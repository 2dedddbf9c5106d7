"""A bot in a process of its own, spoken to in JSON lines: whatever it does, the host neither hangs nor trusts it."""

import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic

import msgspec

from calza import __version__
from calza.matches.host import Clock, Turn
from calza.rules import AgentFault, Event, Game, View
from calza.rules.events import GameOver, RoundBegan

from .launch import Launch, has_ended
from .protocol import (
    PROTOCOL,
    Answer,
    BotHello,
    Bye,
    Hello,
    Message,
    Over,
    Refused,
    act_message,
    lines,
    match_message,
    match_seed,
    printable,
    round_message,
)
from .wire import Wire

PATIENCE = 60.0  # seconds for a move where the match sets no limit: a bot that hangs must not hang the host
FAREWELL = 0.5  # seconds to end by itself
LOG = 1 << 24  # bytes of a log file, after which the next one begins; the last one is kept as well

answers = msgspec.json.Decoder(Answer)
hellos = msgspec.json.Decoder(BotHello)
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class BotProcess:
    """A running bot. It implements the host's `Player`.

    It raises its faults when it is asked to act, never when it is told something. A bot that has crashed stays so:
    `close` it, and seat it anew for its next match. `log` is where its standard error goes, match by match.
    """

    def __init__(self, launch: Launch, log: Path, seed: int = 0) -> None:
        self.launch, self.log, self.seed, self.seat = launch, log, seed, 0
        self._start()

    def _start(self) -> None:
        """Start it, and shake hands; a bot that does not is a crash, whatever the reason."""
        self.title, self.owed = "start", 0  # owed: answers to requests that it was late for
        self.wire = Wire(self.launch)
        self.news: list[Message | Event] = []  # what the bot is told with the next request: one write a turn
        try:
            self.name = self._hello(
                self.wire.ask(lines([Hello(PROTOCOL, __version__)]), self.launch.limits.start_seconds)
            )
        except AgentFault as fault:
            late = (
                f"it did not say hello in {self.launch.limits.start_seconds} s"
                if fault.kind == "timeout"
                else fault.why
            )
            self.wire.fault = AgentFault("crash", late, fault.detail)
            self.kill()
            raise self.wire.fault from None

    def _hello(self, text: bytes) -> str:
        """The bot's name for itself, from its first line."""
        try:
            hello = hellos.decode(text)
        except UNREADABLE:
            raise self._malformed('its first line must be {"protocol": 1}', text) from None
        if hello.error:
            raise self._gave_up(hello.error)
        if hello.protocol != PROTOCOL:
            raise self._malformed(f"this host speaks protocol {PROTOCOL}", text)
        return hello.name[:80]

    # --- what the host tells

    def match(self, game: Game, seat: int, names: Sequence[str], clock: Clock) -> None:
        """A match begins."""
        if not self.wire.fault and monotonic() - self.wire.since > self.launch.limits.cpu_seconds / 2:
            self._again()
        self._write_log()
        self.seat, seed = seat, match_seed(self.seed, game, seat)
        self.title = f"match of {', '.join(names)}; seat {seat}, seed {seed}"
        self.news = [match_message(game, seat, names, clock, seed)]

    def _again(self) -> None:
        """Start anew, before its limit of processor time ends it in the middle of a match."""
        self.close()
        try:
            self._start()
        except AgentFault as fault:
            self.wire.fault = fault  # for when it is asked

    def seen(self, events: Sequence[Event], game: Game) -> None:
        """This has happened; the bot learns of it when it is asked."""
        for event in events:
            if isinstance(event, RoundBegan):
                self.news.append(round_message(event, game.view(self.seat).cup))
            elif not isinstance(event, GameOver):  # which `over` tells
                self.news.append(event)

    def refused(self, why: str) -> None:
        """The last action was refused."""
        self.news.append(Refused(why))

    def over(self, places: Sequence[int]) -> None:
        """The match has ended."""
        told, self.news = [*self.news, Over(places)], []
        if not self.wire.fault:
            with suppress(AgentFault):  # of which the next match hears
                self.wire.tell(lines(told))
                while self.wire.hear():
                    pass
        self._write_log()

    def act(self, view: View, turn: Turn) -> str:
        """The bot's answer, in its time."""
        wire = self.wire
        if wire.fault:
            raise wire.fault
        if wire.heard or wire.reading.poll(0):
            self._before_asked()
        self.news.append(act_message(view, turn))
        told, self.news = self.news, []
        try:
            text = wire.ask(lines(told), PATIENCE if turn.left is None else turn.left)
            while (action := self._answer(text, view.sequence)) is None:
                text = wire.line()
        except AgentFault as fault:
            self.owed += fault.kind == "timeout"
            raise
        return action

    # --- what the bot says

    def _before_asked(self) -> None:
        """Whatever is here already is late, or nobody's answer."""
        while self.wire.hear() or b"\n" in self.wire.heard:
            while (text := self.wire.said()) is not None:
                if not self.owed:
                    raise self._malformed("it spoke without being asked", text)
                self.owed -= 1

    def _answer(self, text: bytes, sequence: int) -> str | None:
        """The action that a line gives for action `sequence`; None for an answer that is late."""
        try:
            answer = answers.decode(text)
        except UNREADABLE:
            raise self._malformed('it must answer {"action": "4x3"}', text) from None
        if answer.error:
            raise self._gave_up(answer.error)
        if answer.action is None:
            raise self._malformed('it must answer {"action": "4x3"}', text)
        if answer.sequence == sequence or (answer.sequence is None and not self.owed):
            if answer.why:
                raise AgentFault("malformed", sentence(answer.why), self.wire.tail)
            return answer.action
        if not self.owed or (answer.sequence is not None and answer.sequence > sequence):
            raise self._malformed(f"asked for action {sequence}, it answered for another", text)
        self.owed -= 1
        return None

    def _malformed(self, why: str, text: bytes) -> AgentFault:
        shown = text[:80].decode("utf-8", "replace")
        return AgentFault("malformed", f"{why}; it wrote {shown!r}", self.wire.tail)

    def _gave_up(self, why: str) -> AgentFault:
        """The bot itself says that it failed; what it says on standard error may still be under way."""
        has_ended(self.wire.process.pid, FAREWELL)
        return self.wire.end(sentence(why))

    # --- the end

    @property
    def process(self) -> "subprocess.Popen[bytes]":
        """The process, for whoever wants to know what it uses."""
        return self.wire.process

    @property
    def alive(self) -> bool:
        """Whether it can still be asked."""
        return self.wire.fault is None

    def close(self) -> None:
        """Say goodbye, wait a moment, end it."""
        if self.alive:
            with suppress(AgentFault):
                self.wire.hang_up(lines([*self.news, Bye()]))
                has_ended(self.wire.process.pid, FAREWELL)
        self.kill()

    def kill(self) -> None:
        """End the process and all that it started."""
        self.wire.kill()
        self._write_log()

    def _write_log(self) -> None:
        """Put what it said in this match under its title, in one piece: others may be writing too."""
        if said := str(self.wire.log):
            if self.log.exists() and self.log.stat().st_size > LOG:
                os.replace(self.log, self.log.with_name(self.log.name + ".1"))
            with self.log.open("ab", buffering=0) as log:
                log.write(f"--- {self.title}\n{said.rstrip()}\n\n".encode())
        self.wire.fresh()


def sentence(said: str) -> str:
    """What a bot says of itself, on one line."""
    return printable(" ".join(said.split())[:200])
