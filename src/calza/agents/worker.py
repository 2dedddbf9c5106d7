"""A Python agent behind the bot protocol: what runs in the process of `mybot.py:Class`.

What the agent prints goes to its log: standard output belongs to the protocol.
"""

import io
import os
import random
import sys
from typing import Any, BinaryIO

import msgspec

from calza.rules import CATALOG, AgentFault, Event, Rules
from calza.rules.events import BidMade, Called, DiceChanged, Forfeited, Out, Penalized, RoundBegan
from calza.rules.table import lay

from .load import LoadError, author_trace, load_class, make_agent, told
from .protocol import PROTOCOL, Act, Answer, BotHello, Bye, Hello, Match, Round, lines, sayable, view_of

# Views hold all that most agents need; the rest is read for those that want to `see` what happens.
NEEDED = (b'{"type":"act"', b'{"type":"match"', b'{"type":"hello"', b'{"type":"bye"')
messages = msgspec.json.Decoder(Hello | Match | Act | Bye)
seen = msgspec.json.Decoder(Round | BidMade | Called | DiceChanged | Forfeited | Penalized | Out)
UNSEEN = (b'{"type":"over"', b'{"type":"refused"')
LOST = 4  # exit status of an agent that failed


def main(text: str) -> int:
    """Serve one agent until there are no more matches; its exit status."""
    talk = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever the agent prints, C libraries included, is its log
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # and is there when the agent is killed
    hear = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sow(0)  # what a module draws while it is loaded is the same in every process
    try:
        Worker(load_class(text), text, talk).serve(hear)
    except LoadError as error:
        return gave_up(talk, error.why, error.detail)
    except AgentFault as fault:
        return gave_up(talk, fault.why, fault.detail)
    return 0


def gave_up(talk: BinaryIO, why: str, detail: str) -> int:
    """Tell the host why, and the author where."""
    print(detail or why, file=sys.stderr, flush=True)
    talk.write(lines([Answer(error=why)]))
    return LOST


class Worker:
    """One agent at work, made anew for every match: nothing is carried over."""

    def __init__(self, kind: type, text: str, talk: BinaryIO) -> None:
        self.kind, self.text, self.talk = kind, text, talk
        self.begin(CATALOG["liars-dice"])

    def begin(self, rules: Rules) -> None:
        """Make the agent for a match."""
        self.table = lay(rules)
        self.agent: Any = make_agent(self.kind, self.text)
        self.sees = hasattr(self.agent, "see")

    def serve(self, hear: BinaryIO) -> None:
        """Answer line by line."""
        for heard in hear:
            if not heard.startswith(NEEDED):
                if self.sees and not heard.startswith(UNSEEN):
                    self.saw(seen.decode(heard))
                continue
            match messages.decode(heard):
                case Act() as request:
                    self.talk.write(lines([self.act(request)]))
                case Match(rules=rules, seed=seed):
                    sow(seed)
                    self.begin(rules)
                case Hello():
                    self.talk.write(lines([BotHello(PROTOCOL, self.kind.__name__)]))
                case Bye():
                    return

    def act(self, request: Act) -> Answer:
        """The agent's action; one that is no action goes to the host as it is, to be refused there."""
        try:
            return Answer(sayable(str(self.agent.act(view_of(request, self.table)))), request.sequence)
        except AgentFault as fault:
            return Answer(fault.detail, request.sequence, why=fault.why)
        except BaseException as error:
            raise failed(error) from None

    def saw(self, event: Round | Event) -> None:
        """Let an agent that wants to see what happened."""
        if isinstance(event, Round):
            event = RoundBegan(round=event.round, seat=event.seat, dice=tuple(event.dice), special=event.special)
        try:
            self.agent.see(event)
        except BaseException as error:
            raise failed(error) from None


def failed(error: BaseException) -> AgentFault:
    """What an author's code raised, as a fault."""
    return AgentFault("crash", told(error), author_trace(error))


def sow(seed: int) -> None:
    """Seed the chance of whoever does not bring his own."""
    random.seed(seed)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(seed)
